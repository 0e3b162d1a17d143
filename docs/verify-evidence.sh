#!/bin/bash
# Proves an unpacked evidence file of a round with nothing but bash, sha256sum and openssl (docs/evidence.md).
#   bash verify.sh [FOLDER] [table.pub...]
# FOLDER: where it was unpacked, else where this script lies. table.pub: the key as the house or the regulator gave it to you;
# without one the key in the file is used, and its id is for you to compare. verify-record.sh is taken from beside this script.
# Exit code 0: proved, all of it. 1: not; every fault is named. 2: it could not be tried. 3: the records prove, and page, cards and the rest
# are signed by nobody. If you do not trust the scripts in the file, take those of the release.
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd) folder=$here faults=0
[[ -d $1 ]] && folder=$(cd "$1" && pwd) && shift
keys=() own= signer= unsigned=
for tool in openssl sha256sum; do command -v "$tool" >/dev/null || { echo "$tool is not on this machine"; exit 2; }; done
for key in "$@"; do [[ -f $key ]] && keys+=("$(realpath "$key")") || { echo "$key: no such key"; exit 2; }; done
cd "$folder" || exit 1
((${#keys[@]})) || { own=1; for key in key-*.pub; do [[ -f $key ]] && keys+=("$key"); done; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

bytes() { printf "$(sed 's/../\\x&/g' <<<"$1")"; }
say() { printf '%-10s %s\n' "$1" "${2//[^[:print:]]/?}"; } # nothing in the file speaks to the terminal
wrong() { say WRONG "$1"; faults=$((faults + 1)); }
signed_by() { openssl pkeyutl -verify -pubin -inkey "$1" -rawin -in "$2" -sigfile "$3" &>"$scratch/said"; }

keys_told() {
  local key
  ((${#keys[@]})) || wrong "there is no public key in the file: give the table's"
  for key in "${keys[@]}"; do
    say key "$(openssl pkey -pubin -in "$key" -outform DER | sha256sum | cut -c1-16)${own:+, from this file itself: compare it with the id that you hold}"
  done
}

manifest_proved() {
  local name key
  [[ $(head -n 1 manifest.sha256) =~ ^\#\ tablewarden\ evidence\ 1\ ([0-9a-f]{16})\ ([A-Za-z0-9._-]+)$ ]] ||
    { wrong "manifest.sha256 is no manifest of format 1"; return; }
  journal=${BASH_REMATCH[1]} round=${BASH_REMATCH[2]}
  say round "$round of journal $journal"
  while read -r name; do wrong "$name"; done < <(sha256sum --quiet -c manifest.sha256 2>/dev/null)
  while read -r name; do
    [[ $name == manifest.sha256 || $name == manifest.sig ]] || tail -n +2 manifest.sha256 | cut -c67- | grep -qxF -- "$name" ||
      wrong "$name is not in the manifest"
  done < <(find . ! -type d | cut -c3-)
  [[ -f manifest.sig ]] || { unsigned=1 && say unsigned "the manifest: the page is as this file's maker wrote it, the records prove by themselves"; return; }
  for name in page.html cards.tsv; do grep -q "^[0-9a-f]\{64\}  $name$" manifest.sha256 || wrong "$name is not in the manifest"; done
  for key in "${keys[@]}"; do signed_by "$key" manifest.sha256 manifest.sig && { signer=$key && say signed "the manifest, and by it the page"; return; }; done
  wrong "manifest.sig is of another key or another manifest"
}

record_proved() {
  local line part=0 begun= ended= stream sequence header salt rest
  bash "$here/verify-record.sh" --signed records.tsv "${keys[@]}" >"$scratch/record" || faults=$((faults + 1))
  while IFS= read -r line; do say record "$line"; done <"$scratch/record"
  [[ -z $signer ]] || grep -qxF -- "  signed by $signer" "$scratch/record" || wrong "the manifest is signed by a key that has signed no checkpoint of these records"
  local of='^\[1,"[^"]*","[a-z]+",[0-9]+,[0-9]+,"([a-z0-9_]+)",[0-9]+,"([^"\\]|\\.)*","'${round//./\\.}'",'
  while IFS=$'\t' read -r stream sequence header salt rest; do
    if [[ $stream == journal ]]; then
      part=$((part + 1))
      [[ $header == "$journal" ]] || wrong "part $part is of another journal"
    fi
    [[ $header =~ $of ]] || continue
    [[ $salt != - ]] || wrong "the body of $stream/$sequence, which is of this round, is withheld"
    [[ ${BASH_REMATCH[1]} != round_begun || $stream != main ]] || begun=$part
    [[ ${BASH_REMATCH[1]} != round_ended || $stream != main ]] || ended=$part
  done <records.tsv
  [[ -n $begun ]] || wrong "the round does not begin in these records"
  [[ -z $ended ]] && say open "the round had not ended when the file was made, or its end was left out"
  [[ -z $ended || $begun == "$ended" ]] || wrong "records are missing between beginning and end of the round"
}

rulebook_proved() {
  local hash
  hash=$(sha256sum <rulebook.toml | cut -c1-64)
  grep -E '"(service_started|record_day_closed)"' records.tsv | grep -qF "\"sha256\":\"$hash\"" || { wrong "rulebook.toml is not the one on record"; return; }
  say rulebook "as recorded, $hash"
}

of_seat() {  # a hand of no player has no seat in its body; before there was a second version it had seat 0
  if [[ $1 == 0 ]]; then grep -vE '"seat":[1-9]'; else grep -E "\"seat\":$1[,}]"; fi
}

cards_proved() {
  local where area seat field card salt commitment shown=0
  while IFS=$'\t' read -r where area seat field card salt commitment; do
    [[ $salt =~ ^[0-9a-f]{64}$ && $commitment =~ ^[0-9a-f]{64}$ && $where =~ ^(input|main)/[0-9]+$ ]] || { wrong "cards.tsv: a line is none"; continue; }
    [[ $({ bytes "$salt"; printf %s "$card"; } | sha256sum | cut -c1-64) == "$commitment" ]] || wrong "$where $area $seat: $card is not the card that was committed to"
    grep "^${where%/*}"$'\t'"${where#*/}"$'\t' records.tsv | grep -F "\"area\":\"$area\"" | of_seat "$seat" | grep -qF "\"$commitment\"" ||
      wrong "$where: holds no such commitment for $area $seat"
    shown=$((shown + 1))
  done <cards.tsv
  say cards "$shown as committed when they were told"
}

keys_told
manifest_proved
record_proved
rulebook_proved
cards_proved
((faults)) && { echo "NOT PROVED"; exit 1; }
[[ -z $unsigned ]] || { echo "NOT PROVED: the records are, all else in the file is unsigned"; exit 3; }
echo "PROVED"

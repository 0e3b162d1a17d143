#!/bin/bash
# Proves an exported record with nothing but bash, sha256sum and openssl, by the rules of docs/record.md.
#   tablewarden journal export example.journal > example.tsv
#   bash verify-record.sh [--signed] example.tsv [table.pub...]
# Exit code 0: as it was written. 1: not; every place is named. Slow, some 50 records a second: it is meant to be read.
# --signed: each record must be named by a checkpoint that one of the keys has signed, as in an evidence file (docs/evidence.md).
export LC_ALL=C # lengths are counted in bytes
must= && [[ $1 == --signed ]] && must=1 && shift
file=$1 faults=0 count=0 signed=0 withheld=0 loose=0 order=0 journal=
keys=("${@:2}")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
declare -A hash last at sealed # by stream; `at` by stream:sequence; `sealed`: through which sequence a signature reaches

bytes() { printf "$(sed 's/../\\x&/g' <<<"$1")"; }
sha() { local sum; read -r sum _ < <(sha256sum) && echo "$sum"; }
wrong() { echo "WRONG  $*"; faults=$((faults + 1)); }
hex() { [[ $1 =~ ^[0-9a-f]{$2}$ ]]; }
number() { [[ $1 =~ ^(0|[1-9][0-9]{0,17})$ ]]; }
stop() { wrong "$1: no line of a record; what comes after it was not read"; exit 1; } # nothing strange is computed with

checkpoint() { # $1: where, $2: body of a checkpoint_signed
  local statement signature stream key
  local -A named
  statement=$(sed -E 's/^\{"statement":"(.*)","signature":"([0-9a-f]*)"\}$/\1/; s/\\"/"/g' <<<"$2")
  signature=$(sed -E 's/.*"signature":"([0-9a-f]*)"\}$/\1/' <<<"$2")
  for stream in input main diag; do
    [[ $statement =~ \"$stream\":\{\"sequence\":([0-9]{1,18}),\"hash\":\"([0-9a-f]{64})\"\} ]] || { wrong "$1: no head of $stream"; return; }
    named[$stream]=${BASH_REMATCH[1]}
    [[ ${at[$stream:${named[$stream]}]} == "${BASH_REMATCH[2]}" ]] ||
      { wrong "$1: $stream/${named[$stream]} had another hash when it was signed"; return; }
  done
  ((${#keys[@]})) || return
  hex "$signature" 128 || { wrong "$1: no signature"; return; }
  printf %s "$statement" >"$scratch/statement"
  bytes "$signature" >"$scratch/signature"
  for key in "${keys[@]}"; do
    openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$scratch/statement" -sigfile "$scratch/signature" &>"$scratch/said" || continue
    for stream in input main diag; do sealed[$stream]=${named[$stream]}; done
    signed=$((signed + 1))
    return
  done
  wrong "$1: not signed by ${keys[*]}"
}

ended() { # what was read up to here: how much of it lies behind the newest signature
  local stream
  for stream in "${!last[@]}"; do
    ((last[$stream] > sealed[$stream])) && loose=$((loose + last[$stream] - sealed[$stream]))
  done
  last=() hash=() at=() sealed=()
}

while IFS=$'\t' read -r stream sequence header salt data datahash recordhash; do
  case $stream in
    journal)
      [[ $sequence == 1 ]] || { echo "this is no export of format 1: get the rules of its format"; exit 2; }
      number "$recordhash" || stop "journal"
      ended
      journal=$header site=$salt table=$data created=$datahash order=$recordhash
      continue ;;
    anchor)
      [[ $sequence == input || $sequence == main || $sequence == diag ]] && number "$header" && hex "$salt" 64 || stop "anchor"
      [[ -z ${last[$sequence]} ]] || stop "$sequence/$header: a second beginning"
      begun=$(printf '["tablewarden journal",1,"%s","%s","%s",%s,"%s"]' "$journal" "$site" "$table" "$created" "$sequence" | sha)
      [[ $header != 0 || $salt == "$begun" ]] || wrong "$sequence/0: does not begin where this journal begins"
      last[$sequence]=$header sealed[$sequence]=$header hash[$sequence]=$salt at[$sequence:$header]=$salt
      continue ;;
    checkpoint)
      checkpoint "the checkpoint after order $order" "$sequence"
      continue ;;
    input | main | diag)
      number "$sequence" && [[ -n ${last[$stream]} ]] && hex "$datahash" 64 && hex "$recordhash" 64 || stop "$stream after order $order"
      hex "$salt" 32 || [[ $salt == - ]] || stop "$stream/$sequence" ;;
    *) stop "after order $order" ;;
  esac
  where=$stream/$sequence count=$((count + 1)) order=$((order + 1))
  ((sequence == last[$stream] + 1)) || wrong "$where follows $stream/${last[$stream]}"
  [[ $header == "[1,\"$journal\",\"$stream\",$sequence,$order,"* ]] || wrong "$where: its header is of another place"
  if [[ $salt == - ]]; then
    withheld=$((withheld + 1)) # the body is not here; what it was committed to is
  else
    printf -v length %016x ${#data}
    found=$({ bytes "0000000000000010$salt$length"; printf %s "$data"; } | sha)
    [[ $found == "$datahash" ]] || wrong "$where: the body is not the one that was committed to"
  fi
  printf -v length %016x ${#header}
  found=$({ bytes "0000000000000020${hash[$stream]}$length"; printf %s "$header"; bytes "0000000000000020$datahash"; } | sha)
  [[ $found == "$recordhash" ]] || wrong "$where: not what was hashed"
  [[ $header == *'"checkpoint_signed"'* && $stream == diag && $salt != - ]] && checkpoint "$where" "$data"
  last[$stream]=$sequence hash[$stream]=$recordhash at[$stream:$sequence]=$recordhash
done <"$file"

heads=$(for stream in input main diag; do echo "  head   $stream ${last[$stream]} ${hash[$stream]}"; done)
ended
[[ -z $must ]] || ((loose == 0)) || wrong "$loose records came after the newest signature, or before any"
((count)) || wrong "there is no record in it"
echo "$count records, $faults faults, $signed checkpoints proved"
((withheld)) && echo "  the bodies of $withheld are withheld, their commitments are proved"
echo "$heads"
((faults == 0))

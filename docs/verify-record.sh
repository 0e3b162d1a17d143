#!/bin/bash
# Proves an exported record with nothing but bash, sha256sum and openssl, by the rules of docs/record.md.
#   tablewarden journal export example.journal > example.tsv
#   bash verify-record.sh example.tsv [table.pub]
# Exit code 0: as it was written. 1: not; every place is named. Slow, some 50 records a second: it is meant to be read.
export LC_ALL=C # lengths are counted in bytes
file=$1 key=$2 faults=0 count=0 signed=0 order=0 journal=
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
declare -A hash last at

bytes() { printf "$(sed 's/../\\x&/g' <<<"$1")"; }
length() { bytes "$(printf '%016x' "$1")"; }
sha() { sha256sum | cut -c1-64; }
wrong() { echo "WRONG  $*"; faults=$((faults + 1)); }

checkpoint() { # $1: where, $2: body of a checkpoint_signed
  local statement signature stream number
  statement=$(sed -E 's/^\{"statement":"(.*)","signature":"([0-9a-f]*)"\}$/\1/; s/\\"/"/g' <<<"$2")
  signature=$(sed -E 's/.*"signature":"([0-9a-f]*)"\}$/\1/' <<<"$2")
  for stream in input main diag; do
    [[ $statement =~ \"$stream\":\{\"sequence\":([0-9]+),\"hash\":\"([0-9a-f]{64})\"\} ]] || { wrong "$1: no head of $stream"; continue; }
    number=${BASH_REMATCH[1]}
    [[ ${at[$stream:$number]} == "${BASH_REMATCH[2]}" ]] || wrong "$1: $stream/$number had another hash when it was signed"
  done
  [[ -n $key ]] || return
  printf %s "$statement" >"$scratch/statement"
  bytes "$signature" >"$scratch/signature"
  if openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$scratch/statement" -sigfile "$scratch/signature" &>"$scratch/said"
  then signed=$((signed + 1)); else wrong "$1: not signed by $key"; fi
}

while IFS=$'\t' read -r stream sequence header salt data datahash recordhash; do
  case $stream in
    journal)
      [[ $sequence == 1 ]] || { echo "format $sequence: get the rules of that format"; exit 2; }
      journal=$header site=$salt table=$data created=$datahash order=$recordhash
      continue ;;
    anchor)
      begun=$(printf '["tablewarden journal",1,"%s","%s","%s",%s,"%s"]' "$journal" "$site" "$table" "$created" "$sequence" | sha)
      [[ $header != 0 || $salt == "$begun" ]] || wrong "$sequence/0: does not begin where this journal begins"
      last[$sequence]=$header hash[$sequence]=$salt at[$sequence:$header]=$salt
      continue ;;
  esac
  where=$stream/$sequence count=$((count + 1)) order=$((order + 1))
  ((sequence == last[$stream] + 1)) || wrong "$where follows $stream/${last[$stream]}"
  [[ $header == "[1,\"$journal\",\"$stream\",$sequence,$order,"* ]] || wrong "$where: its header is of another place"
  found=$({ length 16; bytes "$salt"; length ${#data}; printf %s "$data"; } | sha)
  [[ $found == "$datahash" ]] || wrong "$where: the body is not the one that was committed to"
  found=$({ length 32; bytes "${hash[$stream]}"; length ${#header}; printf %s "$header"; length 32; bytes "$datahash"; } | sha)
  [[ $found == "$recordhash" ]] || wrong "$where: not what was hashed"
  [[ $header == *'"checkpoint_signed"'* && $stream == diag ]] && checkpoint "$where" "$data"
  last[$stream]=$sequence hash[$stream]=$recordhash at[$stream:$sequence]=$recordhash
done <"$file"

echo "$count records, $faults faults, $signed checkpoints proved"
for stream in input main diag; do echo "  head   $stream ${last[$stream]} ${hash[$stream]}"; done
((faults == 0))

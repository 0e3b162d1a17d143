#!/bin/bash
# Proves an exported record with nothing but bash, sha256sum and openssl, by the rules of docs/record.md.
#   tablewarden journal export example.journal > example.tsv
#   bash verify-record.sh [--signed] example.tsv [table.pub...]
# Exit code 0: as it was written. 1: not; every place is named. Slow, some 50 records a second: it is meant to be read.
# --signed: each record must be named by a checkpoint that one of the keys has signed, as in an evidence file (docs/evidence.md).
export LC_ALL=C # lengths are counted in bytes
must= && [[ $1 == --signed ]] && must=1 && shift
file=$1 faults=0 count=0 signed=0 withheld=0 loose=0 order=0 journal=
begin=0 anchored=0 named_at= closed_at= pruned_at= day_ends=-1 late=
keys=("${@:2}")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
# A part that begins late, behind order `begin`: does a signed statement name where (`named_at`), is that the end of a day
# (`closed_at`), at which record of diag does the record say that it was pruned (`pruned_at`), ends it with a sealed day (`day_ends`)?
declare -A hash last at sealed begun by # by stream; `at` by stream:sequence; `sealed`: through which sequence a signature reaches; `by`: keys that signed

bytes() { printf "$(sed 's/../\\x&/g' <<<"$1")"; }
sha() { local sum; read -r sum _ < <(sha256sum) && echo "$sum"; }
wrong() { echo "WRONG  $*"; faults=$((faults + 1)); }
hex() { [[ $1 =~ ^[0-9a-f]{$2}$ ]]; }
number() { [[ $1 =~ ^(0|[1-9][0-9]{0,17})$ ]]; }
stop() { wrong "$1: no line of a record; what comes after it was not read"; exit 1; } # nothing strange is computed with

names() { # $1: a statement; fills `named` and `hashes` with the heads and the order that it names
  local stream heads=${1#*\"heads\":}
  for stream in input main diag; do
    [[ $heads =~ \"$stream\":\{\"sequence\":([0-9]{1,18}),\"hash\":\"([0-9a-f]{64})\"\} ]] || return 1
    named[$stream]=${BASH_REMATCH[1]} hashes[$stream]=${BASH_REMATCH[2]}
  done
  [[ $1 =~ \"order\":([0-9]{1,18}), ]] && named[order]=${BASH_REMATCH[1]}
}

stand() { # $1: where; the heads that are named stand here with these hashes
  local stream
  for stream in input main diag; do
    [[ ${at[$stream:${named[$stream]}]} == "${hashes[$stream]}" ]] || { wrong "$1: $stream/${named[$stream]} had another hash when it was signed"; return 1; }
  done
}

has_signed() { # $1: where, $2: a statement, $3: its signature
  local key
  ((${#keys[@]})) || return 0
  hex "$3" 128 || { wrong "$1: no signature"; return 1; }
  printf %s "$2" >"$scratch/statement"
  bytes "$3" >"$scratch/signature"
  for key in "${keys[@]}"; do
    openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$scratch/statement" -sigfile "$scratch/signature" &>"$scratch/said" || continue
    by[$key]=1
    return 0
  done
  wrong "$1: not signed by ${keys[*]}"
  return 1
}

is_beginning() { # do `named` and `hashes` name what this part begins behind?
  local stream
  [[ ${named[order]} == "$begin" ]] || return
  for stream in input main diag; do [[ ${named[$stream]} == "${begun[$stream]}" && ${hashes[$stream]} == "${at[$stream:${begun[$stream]}]}" ]] || return; done
}

checkpoint() { # $1: where, $2: body of a checkpoint_signed
  local statement signature stream
  local -A named hashes
  statement=$(sed -E 's/^\{"statement":"(.*)","signature":"([0-9a-f]*)"\}$/\1/; s/\\"/"/g' <<<"$2")
  signature=$(sed -E 's/.*"signature":"([0-9a-f]*)"\}$/\1/' <<<"$2")
  names "$statement" || { wrong "$1: does not name each stream"; return; }
  stand "$1" && has_signed "$1" "$statement" "$signature" || return
  is_beginning && named_at=1
  ((${#keys[@]})) || return
  for stream in input main diag; do sealed[$stream]=${named[$stream]}; done
  signed=$((signed + 1))
}

closing() { # $1: where, $2: body of a record_day_closed: is this part's beginning the end of that day?
  local statement signature
  local -A named hashes
  statement=$(sed -E 's/^.*[{,]"statement":"(([^"\\]|\\.)*)","signature":".*/\1/; s/\\"/"/g' <<<"$2")
  signature=$(sed -E 's/^.*[{,]"statement":"([^"\\]|\\.)*","signature":"([0-9a-f]*)".*/\2/' <<<"$2")
  names "$statement" && is_beginning && has_signed "$1" "$statement" "$signature" && named_at=1 closed_at=1
}

sealed_day() { # $1: statement, $2: signature of a sealed day, which ends here
  local -A named hashes
  names "$1" && [[ ${named[order]} == "$order" ]] && stand "the day that ends at order $order" &&
    has_signed "the day that ends at order $order" "$1" "$2" && day_ends=$order
}

ended() { # what was read up to here: does it begin where it may, and how much of it lies behind the newest signature
  local stream is_pruned=
  if [[ -n $journal ]]; then
    ((anchored == begin)) || wrong "its streams do not begin behind order $begin"
    ((begin)) && late="$late  begins behind order $begin"$'\n'
    [[ -n $pruned_at ]] && { ((${#keys[@]} == 0)) || ((pruned_at <= sealed[diag])); } && is_pruned=1
    [[ -n $must || $day_ends == "$order" ]] && is_pruned=1 # a stretch, or sealed days: what they follow on is signed
    ((begin == 0)) || [[ -n $named_at && ( -n $must || -n $closed_at ) && -n $is_pruned ]] ||
      wrong "the records through order $begin are not here, and no signed record says that they were pruned"
  fi
  for stream in "${!last[@]}"; do
    ((last[$stream] > sealed[$stream])) && loose=$((loose + last[$stream] - sealed[$stream]))
  done
  last=() hash=() at=() sealed=() begun=() anchored=0 named_at= closed_at= pruned_at= day_ends=-1
}

while IFS=$'\t' read -r stream sequence header salt data datahash recordhash; do
  case $stream in
    journal)
      [[ $sequence == 1 ]] || { echo "this is no export of format 1: get the rules of its format"; exit 2; }
      number "$recordhash" || stop "journal"
      ended
      journal=$header site=$salt table=$data created=$datahash order=$recordhash begin=$recordhash
      continue ;;
    anchor)
      [[ $sequence == input || $sequence == main || $sequence == diag ]] && number "$header" && hex "$salt" 64 || stop "anchor"
      [[ -z ${last[$sequence]} ]] || stop "$sequence/$header: a second beginning"
      begun=$(printf '["tablewarden journal",1,"%s","%s","%s",%s,"%s"]' "$journal" "$site" "$table" "$created" "$sequence" | sha)
      [[ $header != 0 || $salt == "$begun" ]] || wrong "$sequence/0: does not begin where this journal begins"
      last[$sequence]=$header sealed[$sequence]=$header hash[$sequence]=$salt at[$sequence:$header]=$salt
      begun[$sequence]=$header anchored=$((anchored + header))
      continue ;;
    segment)
      sealed_day "$sequence" "$header"
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
  last[$stream]=$sequence hash[$stream]=$recordhash at[$stream:$sequence]=$recordhash
  [[ $stream == diag && $salt != - ]] || continue
  [[ $header == *'"checkpoint_signed"'* ]] && checkpoint "$where" "$data"
  [[ $header == *'"record_day_closed"'* && $begin != 0 && -z $closed_at ]] && closing "$where" "$data"
  [[ $header == *'"record_pruned"'* && $data == "{\"through\":$begin,"* ]] && pruned_at=$sequence
done <"$file"

heads=$(for stream in input main diag; do echo "  head   $stream ${last[$stream]} ${hash[$stream]}"; done)
ended
[[ -z $must ]] || ((loose == 0)) || wrong "$loose records came after the newest signature, or before any"
((count)) || wrong "there is no record in it"
echo "$count records, $faults faults, $signed checkpoints proved"
((withheld)) && echo "  the bodies of $withheld are withheld, their commitments are proved"
printf %s "$late"
for key in "${!by[@]}"; do echo "  signed by $key"; done
echo "$heads"
((faults == 0))

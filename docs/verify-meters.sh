#!/bin/bash
# Proves the progressive meters of an exported record with nothing but bash, sha256sum and awk (docs/progressive.md).
#   tablewarden journal export example.journal > example.tsv
#   bash verify-meters.sh example.tsv
# Exit code 0: each entry is the body that its line names by SHA-256, sums to nothing, leaves no account below zero that may not be,
# shows what the entries add up to, and a meter falls by a claim alone. 1: not; every place is named. The chain: verify-record.sh.
export LC_ALL=C
file=$1 faults=0
[[ -r $file ]] || { echo "usage: verify-meters.sh example.tsv"; exit 2; }
bytes() { printf "$(sed 's/../\\x&/g' <<<"$1")"; }
length() { bytes "$(printf %016x "$1")"; }
while IFS=$'\t' read -r stream sequence _ salt data datahash _; do
  read -r sum _ < <({ length 16; bytes "$salt"; length ${#data}; printf %s "$data"; } | sha256sum)
  [[ $sum == "$datahash" ]] || { echo "WRONG  $stream/$sequence: this is not the body that its hash names"; faults=1; }
done < <(awk -F '\t' '$1 == "main" && $3 ~ /,"meter_booked",/' "$file")
awk -F '\t' '
  function told(name) { return match(body, "\"" name "\":\"?-?[0-9a-z_]+") ? substr(body, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : "" }
  function wrong(what) { print "WRONG  main/" $2 " " meter " " entry ": " what; faults = 1 }
  $1 != "main" || $3 !~ /,"meter_booked",/ { next }
  {
    match($5, /"posts":\{[^}]*\}/); posts = substr($5, RSTART + 9, RLENGTH - 10)
    body = substr($5, 1, RSTART - 1) substr($5, RSTART + RLENGTH)
    meter = told("meter"); gsub(/"/, "", meter); entry = told("entry"); gsub(/"/, "", entry)
    sum = 0; n = split(posts, parts, ",")
    for (i = 1; i <= n; i++) {
      split(parts[i], post, ":"); gsub(/"/, "", post[1]); sum += post[2]; stands[meter, post[1]] += post[2]
      if (post[1] == "meter" && post[2] < 0 && entry != "claim") wrong("it lowers the meter, and only a claim does")
      if (post[1] ~ /^(meter|reserve|overflow|claim)$/ && stands[meter, post[1]] < 0) wrong("nothing is left on " post[1])
    }
    if (sum) wrong("it sums to " sum " parts, not to nothing")
    shown = int(stands[meter, "meter"] / 10000); names[meter]; entries[meter]++
    if (told("cents") != shown) wrong("the meter shows " told("cents") " cents, and the entries add up to " shown)
    if (entry == "claim" && ++claims[meter] != told("claim")) wrong("it is not the next claim")
  }
  END {
    for (meter in names) {
      if (stands[meter, "claim"]) { print "WRONG  " meter ": a claim is not paid"; faults = 1 }
      printf "%s: %d cents, %d claims, %d entries\n", meter, stands[meter, "meter"] / 10000, claims[meter], entries[meter]
    }
    exit faults
  }' "$file" || faults=1
((faults)) || echo "OK: every entry is as its hash says and sums to nothing"
exit "$faults"

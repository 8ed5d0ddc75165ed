#!/bin/sh
# The JSON parser against generated and mutated texts, under ASan and UBSan; a part of them is judged by Python's parser
# too.  COUNT and SEED may be given.
set -u
cd "$(dirname "$0")/../.." || exit 2
fuzz=build/sanitize/fuzz/json
mkdir -p "${fuzz%/*}"
gcc -std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all \
	-Iinclude -Isrc -D_GNU_SOURCE -o $fuzz tests/fuzz/json.c src/lib/*.c || exit 2
seed=${SEED:-$(date +%s)}
count=${COUNT:-500000}
failed=0

result() { # STATUS NAME
	if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2 # SEED=$seed"; failed=1; fi
}

$fuzz "$seed" "$count"
result $? fuzz_json_parser_never_crashes_and_accepts_no_fault

dump=$(mktemp) || exit 2
trap 'rm -f "$dump"' EXIT
$fuzz "$seed" $((count / 5)) dump >"$dump" && python3 tests/fuzz/json_judge.py <"$dump"
result $? fuzz_json_parser_agrees_with_pythons
exit $failed

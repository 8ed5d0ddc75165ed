#!/bin/sh
# The board file parser against mutated board files, under ASan and UBSan.  COUNT and SEED may be given.
set -u
cd "$(dirname "$0")/../.." || exit 2
fuzz=build/sanitize/fuzz/board
mkdir -p "${fuzz%/*}"
gcc -std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all \
	-Iinclude -Isrc -D_GNU_SOURCE -o $fuzz tests/fuzz/board.c \
	src/board/parse.c src/board/fields.c src/board/limit.c src/board/fit.c src/lib/*.c || exit 2
seed=${SEED:-$(date +%s)}
if $fuzz "$seed" "${COUNT:-200000}" board/*.json; then
	echo "ok fuzz_board_parser_never_crashes_and_accepts_no_garbage"
else
	echo "not ok fuzz_board_parser_never_crashes_and_accepts_no_garbage # SEED=$seed"
	exit 1
fi

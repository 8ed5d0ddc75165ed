# Of mem.sh: the ping-pong of one line against a bare one.
. tests/bench/lib.sh
gcc -O2 -pthread -o "$T/pingpong" tests/bench/pingpong.c
python3 tests/bench/mem_c2c.py "$ASSAY" "$T/pingpong" 0.1 "$((2 * PAIRS + 1))"

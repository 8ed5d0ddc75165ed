# Memory against others: latency (a bare chase), bandwidth (likwid-bench, STREAM's method), a ping-pong (a bare one).
. tests/bench/lib.sh
gcc -O2 -o "$T/chase" tests/bench/mem_bare.c && python3 tests/bench/mem_latency.py "$ASSAY" "$T/chase" "$PAIRS"
sh tests/bench/mem_bandwidth.sh
sh tests/bench/mem_c2c.sh

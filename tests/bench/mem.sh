# Memory against others: bandwidth (likwid-bench, STREAM's method).
. tests/bench/lib.sh
. tests/bench/mem_bandwidth.sh

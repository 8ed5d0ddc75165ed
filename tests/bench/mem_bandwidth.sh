# Bandwidth of memory: all reads against likwid-bench's, copies against likwid-bench's and STREAM's, both against our own best kernel.
# PAIRS may be set.
PAIRS=${PAIRS:-10}
. tests/bench/lib.sh
for tool in likwid-bench python3 gcc musl-gcc; do command -v $tool >/dev/null || { echo "$tool is not installed: toolchain/setup --tests" >&2; exit 2; }; done
B=${ASSAY%/assay}
gcc -O3 -march=native -fopenmp -o "$T/copy" tests/bench/mem_copy.c
musl-gcc -O2 -static -D_GNU_SOURCE -Iinclude -Isrc -isystem build/sysroot/x86_64/include -o "$T/kernels" tests/bench/mem_kernels.c "$B/libassay.a"
python3 tests/bench/mem_bandwidth.py "$ASSAY" "$T/copy" "$T/kernels" "$PAIRS"

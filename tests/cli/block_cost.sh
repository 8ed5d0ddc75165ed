# What a block costs this program: instructions of user space per I/O, counted by callgrind: two lengths, so that the start cancels.
. tests/cli/lib.sh
command -v valgrind >/dev/null || { echo "ok block_cost.sh # SKIP valgrind is not installed"; exit 0; }
dd if=/dev/zero of="$T/disk" bs=1M count=64 status=none

# counted ENGINE IODEPTH COUNT: instructions of all processes
counted() {
	valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null "$ASSAY" block "$T/disk" --rw randread \
		--ioengine "$1" --iodepth "$2" --count "$3" 2>&1 | awk '/Collected/ { sum += $4 } END { print sum }'
}

# costs_at_most MOST ENGINE IODEPTH.  Beyond the samples whose exact ranks are worked out (1024), at millions of instructions.
costs_at_most() {
	few=$(counted "$2" "$3" 2000)
	many=$(counted "$2" "$3" 16000)
	each=$(((many - few) / 14000))
	echo "$each instructions per I/O"
	[ "$each" -gt 100 ] && [ "$each" -le "$1" ]
}
check "psync: at most 450 instructions per I/O (fio: about 2200)" costs_at_most 450 psync 1
[ "$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null)" = 0 ] || { echo "ok io_uring # SKIP this kernel does not let us"; exit $failed; }
check "io_uring at depth 32, with slat: at most 500 (fio: about 2800)" costs_at_most 500 io_uring 32
exit $failed

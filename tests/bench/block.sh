# Storage against fio's, interleaved: IOPS, latency, CPU time and instructions per I/O, and a bare loop beside them.
# Devices: zram filled with random data (read only), and a loop device on a file in memory.  PAIRS and SECONDS may be set.
. tests/bench/lib.sh
for tool in fio valgrind python3 gcc; do command -v $tool >/dev/null || { echo "$tool is not installed: toolchain/setup --tests" >&2; exit 2; }; done
[ "$(id -u)" = 0 ] || { echo "bench-block makes loop and zram devices: run it as root" >&2; exit 2; }
PAIRS=${PAIRS:-5} SECONDS_EACH=${SECONDS_EACH:-1}
zram='' loop='' group=''
put_back() {
	[ -z "$group" ] || { echo $$ >"${group%/*}/tasks"; rmdir "$group"; }
	[ -z "$loop" ] || losetup -d "$loop"
	[ -z "$zram" ] || zramctl --reset "$zram"
	rm -rf "$T" "$M"
}
trap put_back EXIT
trap 'exit 130' INT TERM
M=$(mktemp -d /dev/shm/assay-bench.XXXXXX)
gcc -O2 -o "$T/bare" tests/bench/bare.c

echo "assay $(git rev-parse --short HEAD 2>/dev/null), $(fio --version), kernel $(uname -r), $(nproc) CPUs"
modprobe zram 2>/dev/null || :
if zram=$(zramctl --find --size 1G 2>/dev/null); then
	dd if=/dev/urandom of="$zram" bs=1M count=1024 oflag=direct status=none
	python3 tests/bench/block.py "$ASSAY" "$T/bare" "$zram" "zram, 1 GiB of random data" "$SECONDS_EACH" "$PAIRS"
else
	zram=
	echo "zram: not available here"
fi
dd if=/dev/zero of="$M/disk" bs=1M count=1024 status=none
loop=$(losetup -f --show --direct-io=on "$M/disk")
WRITE=1 python3 tests/bench/block.py "$ASSAY" "$T/bare" "$loop" "loop device on 1 GiB of memory" "$SECONDS_EACH" "$PAIRS"
# Agreement: longer runs, for the group lets reads go in bursts of a tenth of a second.  The loop device is held to 3000 reads and
# 200 MB a second, where the tools' own cost is small.
if [ -w /sys/fs/cgroup/blkio/tasks ] && mkdir /sys/fs/cgroup/blkio/assay-bench; then
	group=/sys/fs/cgroup/blkio/assay-bench
	number=$(cat "/sys/block/${loop#/dev/}/dev")
	echo "$number 3000" >$group/blkio.throttle.read_iops_device
	echo "$number 200000000" >$group/blkio.throttle.read_bps_device
	(sh -c 'echo $PPID' >$group/tasks; LIMITED=1 python3 tests/bench/block.py "$ASSAY" "$T/bare" "$loop" "loop device held to 3000/s and 200 MB/s" 4 3)
else
	echo "agreement: no blkio group to hold a device back with"
fi
dd if=/dev/zero of="$T/file" bs=1M count=64 conv=fsync status=none
python3 tests/bench/instructions.py "$ASSAY" "$T/file"
python3 tests/bench/auto.py "$ASSAY" "${zram:-$loop}" "$SECONDS_EACH" "$PAIRS"
if [ -e build/guest/x86_64/cloud/vmlinuz ]; then ASSAY=$ASSAY sh tests/bench/guest.sh; else echo "guest: no kernel, see toolchain/setup --tests"; fi

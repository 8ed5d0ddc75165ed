# Storage: what may be a scratch and what may not; drives with faults, each found and named.
. tests/cli/lib.sh

sed 's/"undeclared_storage": "read"/"undeclared_storage": "ignore"/' board/x86.json >"$T/board.json"
quick="--board $T/board.json --set block.read.bs=4k --set block.read.iodepth=1,8 --set block.read.runtime=50ms --set block.randread.runtime=50ms"
zeros() { dd if=/dev/zero of="$1" bs=1M count="$2" status=none; }
started=''
cleanup() {
	umount "$T/mounted" "$T/tiny" 2>/dev/null
	[ -e "$T/swap" ] && swapoff "$T/swap" 2>/dev/null
	for m in "$T"/drive.*; do [ -d "$m" ] && fusermount3 -u "$m" 2>/dev/null; done
	detach_all
	for p in $started; do kill "$p" 2>/dev/null; done
	wait
}

# refused PATH TEXT: status 2 and one line that holds both
refused() {
	run 2 "$ASSAY" run $quick --only block.verify --scratch "$1" && has "$T/err" "--scratch $1: " && has "$T/err" "$2" &&
		[ "$(wc -l <"$T/err")" = 1 ] && [ ! -s "$T/out" ]
}

# verdict STATUS STEPS SCRATCH [OPTION...]
verdict() {
	want=$1 steps=$2 scratch=$3
	shift 3
	run "$want" "$ASSAY" run $quick --only "$steps" --scratch "$scratch" --record "$T/record" "$@"
}

# ---- what may not be a scratch ----
missing() { refused "$T/none" 'no such file' && [ ! -e "$T/none" ]; }
missing_device() { refused /dev/assay-none 'nothing is ever created under /dev' && [ ! -e /dev/assay-none ]; }
check "a missing file is refused, and not created" missing
check "a missing device is refused, and nothing is created under /dev" missing_device
check "a directory is named as one" refused "$T" 'a directory'
check "a character device is named as one" refused /dev/zero 'a character device'
zeros "$T/small" 15
check "a file below 16 MiB is refused" refused "$T/small" 'too small'
seq 1 4000000 >"$T/precious"
before=$(cksum <"$T/precious")
precious() { refused "$T/precious" 'data that assay did not write' && [ "$(cksum <"$T/precious")" = "$before" ]; }
check "a file with data in it is refused, and left as it was" precious
check "auto without a partition of that name is refused" refused auto 'no partition is named assay-scratch'
for disk in /dev/vda /dev/sda /dev/nvme0n1; do
	[ -b $disk ] && check "a whole disk is refused" refused $disk "disk" && break
done

# ---- a good one ----
zeros "$T/scratch" 32
check "a file is verified" verdict 0 block.verify "$T/scratch"
check "all of it, and it says so" has "$T/record" '"name":"block.verify.bytes[role=scratch]","value":33554432,'
for fact in n time_ms write_bandwidth read_bandwidth; do
	check "its evidence has $fact" grep -q "block.verify.bytes.*\"$fact\":[1-9]" "$T/record"
done
check "the share is a whole" has "$T/record" '"name":"block.verify.share[role=scratch]","value":1000000,'
check "what an earlier run wrote may be overwritten" verdict 0 block.verify "$T/scratch"
check "speeds of a written file are not flagged" verdict 0 block.read "$T/scratch"
check "their engine is named" has "$T/record" '"engine":"'
for fact in n discarded overflow time_s cpu pinned median low95 high95 min max; do
	check "evidence of the IOPS: $fact" grep -q "block.read.iops.*\"$fact\":" "$T/record"
done
check "no hole in it" hasnt "$T/record" '"unwritten":"yes"'
truncate -s 32M "$T/holes"
check "a file of holes can be read" verdict 0 block.read "$T/holes"
check "and its speeds are flagged" has "$T/record" '"unwritten":"yes"'
check "half is verified when half is asked for" verdict 0 block.verify "$T/scratch" --set block.verify.size=16m
check "and the share says half" has "$T/record" '"name":"block.verify.share[role=scratch]","value":500000,'
for engine in io_uring libaio psync; do
	check "engine $engine works when asked for" verdict 0 block.read "$T/scratch" --set block.read.ioengine=$engine
	check "and it was $engine" has "$T/record" "\"engine\":\"$engine\""
done
check "psync's figure of depth 1 is given" has "$T/record" 'bandwidth[role=scratch,bs=4k,iodepth=1,numjobs=1]","value":'
check "that of depth 8, which it cannot hold, is skipped" has "$T/out" 'psync holds depth 1; iodepth=8 was asked'
check "and not given under that name" hasnt "$T/record" 'bandwidth[role=scratch,bs=4k,iodepth=8,numjobs=1]","value":'
check "a point beyond the memory is skipped" verdict 0 block.read "$T/scratch" --set block.read.bs=4k,4m --set block.read.iodepth=1,8 --set block.read.buffers=16m
check "with the sum" has "$T/out" '4m x 8 x 1 = 32m of buffers, more than 16m'
check "a block larger than the device is skipped" verdict 0 block.read "$T/scratch" --set block.read.bs=4k,64m --set block.read.iodepth=1
check "and it says so" has "$T/out" 'the device is smaller'
check "without a scratch verify is skipped" run 2 "$ASSAY" run $quick --only block.verify
check "and says why" has "$T/out" 'no --scratch given'
plan_only() {
	cksum <"$T/scratch" >"$T/sum.before"
	run 0 "$ASSAY" plan $quick --only block.verify --scratch "$T/scratch" && cksum <"$T/scratch" | cmp - "$T/sum.before" &&
		has "$T/out" 'writes 33554432 bytes' && has "$T/out" 'scratch file'
}
check "plan tells the bytes and writes none" plan_only

# ---- as root: loop devices ----
loops_work() { [ "$(id -u)" = 0 ] && l=$(losetup -f --show "$T/scratch" 2>/dev/null) && losetup -d "$l"; }
if loops_work; then
	check "as root the file becomes a raw block device" verdict 0 block.verify "$T/scratch"
	check "and it says so" has "$T/record" '"device":"/dev/loop'
	attach "$T/scratch"
	check "a file behind a loop device is refused, the device named" refused "$T/scratch" "already behind ${l#/dev/}"
	check "the loop device itself is taken" verdict 0 block.verify "$l"
	detach "$l"
	attach -r "$T/scratch"
	check "a read-only device is refused" refused "$l" 'read-only'
	detach "$l"
	attach --sector-size 4096 "$T/scratch"
	check "a device of 4096 B blocks is measured" verdict 0 block.read,block.verify "$l" --set block.read.bs=2k,4k --set block.read.iodepth=1
	check "smaller blocks are skipped" has "$T/out" "not a multiple of the device's blocks of 4096 B"
	detach "$l"
	zeros "$T/fs" 32
	mkfs.ext4 -q "$T/fs"
	attach "$T/fs"
	mkdir "$T/mounted"
	mount "$l" "$T/mounted"
	check "a mounted device is refused, the mount named" refused "$l" "mounted on $T/mounted"
	umount "$T/mounted"
	check "a file system is refused" refused "$l" 'data that assay did not write'
	detach "$l"
	zeros "$T/swap" 32
	chmod 600 "$T/swap"
	if mkswap -q "$T/swap" && swapon "$T/swap" 2>/dev/null; then
		check "a swap file in use is refused" refused "$T/swap" 'in use as swap'
		swapoff "$T/swap"
	fi
	mkdir "$T/tiny" && mount -t tmpfs -o size=20m none "$T/tiny" && truncate -s 64M "$T/tiny/disk"
	check "no space for the holes of a scratch file: ERROR, not the drive's fault" verdict 2 block.verify "$T/tiny/disk"
	check "and it says so" has "$T/out" 'ENOSPC'
	umount "$T/tiny"
	left() { ! grep -l "$T/scratch" /sys/block/loop*/loop/backing_file 2>/dev/null; }
	check "no loop device is left behind" left
fi

# ---- drives with a fault ----
flags=$(pkg-config --cflags --libs fuse3 2>/dev/null)
if [ ! -w /dev/fuse ] || ! gcc -O2 -w -D_FILE_OFFSET_BITS=64 -o "$T/faulty" tests/cli/faulty.c $flags; then
	echo "not ok block.sh needs /dev/fuse and fuse3"
	failed=1
else
	# drive KIND BYTE: mounts such a drive; its file is $drive
	drive() {
		mkdir "$T/drive.$1"
		"$T/faulty" "$T/drive.$1" 32 "$1" "$2" >/dev/null 2>&1 &
		started="$started $!"
		drive=$T/drive.$1/disk
		for i in 1 2 3 4 5 6 7 8 9 10; do [ -e "$drive" ] && return; sleep 0.1; done
	}
	# found KIND BYTE STEPS TEXT: FAIL, status 1, and the text
	found() {
		drive "$1" "$2"
		verdict 1 "$3" "$drive" && has "$T/out" "$4"
	}
	drive none 0
	check "a good drive of that make passes" verdict 0 block.read,block.verify "$drive"
	check "a flipped bit is found, with its byte" found flip 20000100 block.verify '1 bits differ, the first in byte 20000100'
	check "wrapped capacity is found, with its size" found wrap 20971520 block.verify 'wraps at 20971520 bytes'
	check "a write that never arrived is found" found drop 16781312 block.verify 'blocks of 4 KiB are zeroed, the first at byte 16781312'
	check "a torn write is found" found tear 16781312 block.verify '1 blocks of 4 KiB are torn, the first at byte 16781312: 4 of its 8 sectors'
	check "a block that cannot be read fails the reading, too" found eio 16781312 block.read,block.verify 'nor can the 4 KiB at byte 16781312 the second time'
	check "not as wrong data" hasnt "$T/out" 'blocks of 4 KiB are'
	check "a block that cannot be written is a write error" found full 16781312 block.verify '1 writes failed, the first at byte 16777216'
	check "and not wrong data as well" hasnt "$T/out" 'blocks of 4 KiB are'
	if [ "$(id -u)" = 0 ]; then
		# without_loop STATUS KIND BYTE: verified as a file, so that the drive's errors arrive as they are
		without_loop() {
			drive "$2" "$3"
			run "$1" unshare -m sh -c 'mount --bind /dev/null /dev/loop-control && exec "$@"' sh "$ASSAY" run $quick --only block.verify --scratch "$drive"
		}
		check "no space in the middle of writing: ERROR" without_loop 2 space 16781312
		check "and it is said whose fault it is" has "$T/out" '1 writes were refused by this system, the first at byte 16777216: ENOSPC'
		check "a failed write stays found when nothing can be read back" without_loop 1 mute 16781312
		check "the write is named" has "$T/out" '1 writes failed, the first at byte 16777216'
		check "the read is, too" has "$T/out" 'EINVAL'
	fi
	silent() { drive hang 0 && refused "$drive" 'does not answer'; }
	check "a drive that does not answer is refused, in time" silent
	run 1 "$ASSAY" run $quick --only block.verify --scratch "$T/drive.drop/disk" >/dev/null 2>&1
	check "after two runs the lost write shows as zeroed still" has "$T/out" 'are zeroed'
fi
exit $failed

# Drives that fail while they are measured, beyond what block.sh and stuck.sh show: each with the verdict of DESIGN's table, the
# address named, and the other steps run.
. tests/cli/lib.sh
[ "$(id -u)" = 0 ] && [ -w /dev/fuse ] || { echo "not ok faults.sh needs root and /dev/fuse"; exit 1; }
gcc -O2 -w -D_FILE_OFFSET_BITS=64 -o "$T/faulty" tests/cli/faulty.c $(pkg-config --cflags --libs fuse3) || exit 1

sed 's/"undeclared_storage": "read"/"undeclared_storage": "ignore"/' board/x86.json >"$T/board.json"
quick="--board $T/board.json --set block.read.bs=64k --set block.read.iodepth=1 --set block.read.runtime=100ms"
mounted='' started=''
cleanup() {
	[ -z "$started" ] || kill -CONT $started 2>/dev/null
	detach_all
	for m in $mounted; do umount "$m" 2>/dev/null; done
	[ -z "$started" ] || kill $started 2>/dev/null
	wait
}

# drive NAME KIND BYTE: $drive is the file of such a drive of 32 MiB, $pid its process
drive() {
	mkdir "$T/$1"
	"$T/faulty" "$T/$1" 32 "$2" "$3" >/dev/null 2>&1 &
	pid=$!
	started="$started $pid" mounted="$mounted $T/$1" drive=$T/$1/disk
	for i in $(seq 50); do [ -e "$drive" ] && return; sleep 0.1; done
	return 1
}
# A file is then tested as such: the drive's errors arrive as they are.
plainly() { unshare -m sh -c 'mount --bind /dev/null /dev/loop-control && exec "$@"' sh "$@"; }
# found STATUS STEPS DRIVE TEXT [HOW]: that status, the text, and the step behind is run
found() {
	run "$1" ${5:-} "$ASSAY" run $quick --only "$2,env.after" --scratch "$3" && has "$T/out" "$4" && has "$T/out" 'measured env.after'
}

# ---- I/O errors ----
drive last eio 33554431
check "the last block cannot be read: FAIL" found 1 block.read "$drive" 'the last block, at byte 33553920, cannot be read: EIO'
check "nor verified" found 1 block.verify "$drive" 'nor can the 4 KiB at byte 33550336 the second time'
drive first eio 0
check "the first block cannot be read: FAIL" found 1 block.read "$drive" 'the first block, at byte 0, cannot be read: EIO'
drive short short 16781312
check "a short read: FAIL" found 1 block.read "$drive" ' reads failed, the first at byte 16777216: EIO' plainly
check "also behind a loop device" found 1 block.verify "$drive" '1 reads failed, the first at byte 16777216: EIO'
drive gone vanish 280
vanished() { found 1 block.read,block.verify "$drive" 'ENODEV (no such device): device lost' plainly && hasnt "$T/out" 'iodepth=2'; }
plain=$quick
quick=$(echo "$quick" | sed 's/iodepth=1/iodepth=1,2/; s/100ms/1s/') # it goes in the first point, whatever the load
check "a drive that vanishes: FAIL, device lost, its further points are not tried" vanished
quick=$plain
drive beside eio 16781312
echo precious | dd of="$drive" bs=4096 seek=4099 conv=notrunc status=none
mine() { run 2 "$ASSAY" run $quick --only block.verify --scratch "$drive" && has "$T/err" 'data that assay did not write, at byte 16789504'; }
check "data beside a block that cannot be read is still somebody's" mine
drive worn worn 0
echo precious | dd of="$drive" bs=1M seek=30 conv=notrunc status=none
among() { run 2 "$ASSAY" run $quick --only block.verify --scratch "$drive" && has "$T/err" 'data that assay did not write, at byte 31457280'; }
check "and among thousands of them, too" among
drive stuck hang 0
: <"$drive" # its first close asks whether it wants to know of any
# given_up: interrupted while it is looked at; how long that then took, in tenths of a second
given_up() {
	"$ASSAY" run $quick --only block.verify --scratch "$drive" >"$T/out" 2>&1 &
	run=$!
	sleep 1
	kill -INT $run
	for i in $(seq 30); do kill -0 $run 2>/dev/null || break; sleep 0.1; done
	wait $run
	status=$?
	[ $i -lt 30 ] && [ $status -ge 2 ] || { echo "$i tenths, status $status"; cat "$T/out"; return 1; }
}
check "an interrupt does not wait for a drive that is stuck" given_up

# ---- no space behind it ----
mkdir "$T/tiny" && mount -t tmpfs -o size=20m none "$T/tiny" && mounted="$mounted $T/tiny" && truncate -s 64M "$T/tiny/disk"
attach "$T/tiny/disk"
check "no space behind a loop device: ERROR, not the drive's fault" found 2 block.verify "$l" 'ENOSPC'
detach "$l"

# ---- a size that shrinks ----
# begun STEP: once its line is there
begun() { for i in $(seq 200); do grep -q "1/[0-9] $1" "$T/out" && return; sleep 0.05; done; }
# shrink STEP[,STEP] SECONDS TEXT: the run, in which the device loses its second half so long after the first step began
shrink() {
	dd if=/dev/zero of="$T/disk" bs=1M count=64 status=none
	attach "$T/disk"
	"$ASSAY" run $quick --set block.read.runtime=2s --set env.noise.duration=1s --only "$1,env.after" --scratch "$l" >"$T/out" 2>&1 &
	run=$!
	begun "${1%%,*}"
	sleep "$2"
	truncate -s 32M "$T/disk"
	losetup -c "$l"
	wait $run
	status=$?
	detach "$l"
	[ $status = 1 ] && has "$T/out" "$3" && has "$T/out" 'measured env.after'
}
check "a size that shrinks while it is read: FAIL" shrink block.read 0.5 'the device now ends at byte 33554432'
check "a size that shrank since it was checked: FAIL" shrink env.noise,block.verify 0 'its size was 67108864 bytes when it was checked, and is now 33554432'
unwritten() { hasnt "$T/out" 'block.verify.bytes' && cmp -n 33554432 "$T/disk" /dev/zero; }
check "and nothing is written" unwritten

# ---- a drive that stops answering, and later goes on ----
pause=${PAUSE:-5}
drive slow none 0
paused() {
	"$ASSAY" run $quick --set block.read.runtime=2s --only block.read,env.after --scratch "$drive" --record "$T/record" >"$T/out" 2>&1 &
	run=$!
	begun block.read
	sleep 1
	kill -STOP $pid
	sleep "$pause"
	kill -CONT $pid
	wait $run
	status=$?
	[ $status = 0 ] && has "$T/out" 'measured env.after' || { cat "$T/out"; return 1; }
}
check "a drive that stops for $pause s and goes on is measured" paused
max() { jq -es '[.[].testStepArtifact.measurement // empty | select(.name | startswith("block.read.latency.max[role=scratch")) | .value] | max >= '"$pause"'e9 - 5e8' "$T/record"; }
check "and its latency shows it" max
exit $failed

# A drive that stops answering: its reader cannot be killed.  ERROR "stuck in the kernel", the drive is put aside, the rest runs, the verdict comes.
# lane: waits
. tests/cli/lib.sh
[ "$(id -u)" = 0 ] && [ -w /dev/fuse ] || { echo "not ok stuck.sh needs root and /dev/fuse"; exit 1; }

gcc -O2 -w -D_FILE_OFFSET_BITS=64 -o "$T/faulty" tests/cli/faulty.c $(pkg-config --cflags --libs fuse3) || exit 1
mkdir "$T/drive"
"$T/faulty" "$T/drive" 32 none 0 >/dev/null 2>&1 &
drive=$!
cleanup() {
	kill -CONT $drive 2>/dev/null
	for i in 1 2 3 4 5 6 7 8 9 10; do umount "$T/drive" 2>/dev/null && break; sleep 0.5; done
	kill $drive 2>/dev/null
	wait $drive 2>/dev/null
}
for i in $(seq 50); do [ -e "$T/drive/disk" ] && break; sleep 0.1; done

# stop ENGINE: a run whose drive stops answering in block.read
stop() {
	"$ASSAY" run --scratch "$T/drive/disk" --only block.read,block.randread,block.verify,env.after --set block.read.ioengine=$1 \
		--set block.read.runtime=3s --set block.read.bs=4k --set block.read.iodepth=1 --slack 1s --record "$T/r" >"$T/out" 2>&1 &
	pid=$!
	for i in $(seq 100); do grep -q '1/4 block.read' "$T/out" && break; sleep 0.1; done
	sleep 1
	kill -STOP $drive
	wait $pid
	status=$?
	kill -CONT $drive
}

stop psync
is_error() { [ $status = 2 ] && tail -1 "$T/out" | grep -q '^assay: ERROR'; }
check "a drive that stops answering: the run ends with ERROR, status 2" is_error
check "it says that the step is stuck in the kernel, and which drive is put aside" grep -qE 'stuck in the kernel.*(loop[0-9]+|scratch file) is put aside' "$T/out"
check "later steps skip the drive and say why" grep -qE 'SKIP.*put aside' "$T/out"
check "later steps run" grep -q 'measured env.after' "$T/out"
check "the record is whole" "$ASSAY" verify "$T/r"
sleep 1 # until the reader that was left behind is gone
stop io_uring
check "the same, where the reader can be killed: ERROR at the deadline" grep -qE 'not done at its deadline .* is put aside' "$T/out"
check "and the verdict comes, too" is_error
exit $failed

# Reads against fio's, same file, engine, block size and depth, interleaved.
. tests/bench/lib.sh
command -v fio >/dev/null || { echo "fio is not installed: toolchain/setup --tests" >&2; exit 2; }
dd if=/dev/zero of="$T/disk" bs=1M count=256 conv=fsync status=none
loop=$(losetup -f --show --direct-io=on "$T/disk")
trap 'losetup -d "$loop"; rm -rf "$T"' EXIT

ours() { figure "block.$step.iops[" --only "block.$step" --scratch "$loop" --set "block.$step.bs=$bs" --set "block.$step.iodepth=$depth" --set "block.$step.runtime=1s" --set "block.$step.ioengine=$engine"; }
theirs() { fio --name=b --filename="$loop" --rw="$step" --bs="$bs" --iodepth="$depth" --direct=1 --ioengine="$engine" --runtime=1 --ramp_time=200ms --time_based --output-format=json | jq '.jobs[0].read.iops'; }

echo "IOPS of assay and of fio on a loop device"
while read -r step bs depth engine; do
	pairs "$step bs=$bs iodepth=$depth $engine" ours theirs
done <<END
read 4k 1 psync
read 4k 32 io_uring
randread 4k 1 psync
randread 4k 32 io_uring
randread 4k 32 libaio
read 128k 32 io_uring
END

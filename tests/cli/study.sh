# The studies of storage: every point is there or SKIP, beside the study's own figures; the claims; a limited device is found out.
. tests/cli/lib.sh
cleanup() {
	[ -d "$T/slow" ] && fusermount3 -u "$T/slow" 2>/dev/null
	wait
}
zeros() { dd if=/dev/zero of="$1" bs=1M count="$2" status=none; }
study() { want=$1; shift; run "$want" "$ASSAY" study "$@"; }
# point NAME: it is a figure or a SKIP with its reason
point() { grep -qE "^ +(measured|SKIP) +$1( |: .)" "$T/out" || { echo "no $1"; return 1; }; }
points() { for p in "$@"; do point "$p" || return 1; done; }
claim() { grep -qE "^ +(supported|refuted|cannot tell|not comparable) +$1" "$T/out" || { echo "no claim $1"; return 1; }; }
claims() { for c in "$@"; do claim "$c" || return 1; done; }
zeros "$T/scratch" 64
quick='--ioengine libaio --ramp_time 0 --runtime 40ms'

# ---- edge-nvme ----
check "edge-nvme runs on a scratch" study 0 edge-nvme --scratch "$T/scratch" $quick --record "$T/record"
sizes() {
	for bs in 2k 4k 8k 16k 32k 64k 128k 256k 512k 1m 2m 4m 8m 16m 32m 64m 128m 256m 512m 1g 2g 4g; do
		point "block\.read\.bandwidth\[role=[a-z0-9]+,bs=$bs,iodepth=1,numjobs=1\]" || return 1
	done
}
depths() {
	for bs in 4k 64k 1m; do
		for depth in 2 4 8 16 32; do
			point "block\.read\.bandwidth\[role=[a-z0-9]+,bs=$bs,iodepth=$depth,numjobs=1\]" || return 1
		done
	done
}
check "each of its 22 block sizes is there or skipped" sizes
check "each depth at 4k, 64k and 1m" depths
jobs8=',iodepth=32,numjobs=8\]'
check "the six rows of eight jobs" points "block.read.bandwidth\[.*bs=1m$jobs8" "block.write.bandwidth\[.*bs=1m$jobs8" \
	"block.randread.bandwidth\[.*bs=64k$jobs8" "block.randread.bandwidth\[.*bs=8k$jobs8" \
	"block.randwrite.bandwidth\[.*bs=64k$jobs8" "block.randwrite.bandwidth\[.*bs=8k$jobs8"
check "a block larger than the device is skipped, and says so" grep -qE 'SKIP +block.read.bandwidth.*bs=128m.*smaller' "$T/out"
check "its own figures stand beside: 2k" grep -qE '^ +2k +[0-9.]+ +\(90\)' "$T/out"
check "and where ours was skipped" grep -qE '^ +4g +skip +\(3820\)' "$T/out"
check "and of eight jobs" grep -qE '^ +8k rand read +[0-9.]+ +\(1672\)' "$T/out"
check "bandwidth by bytes in flight" points 'study.edge-nvme.bandwidth\[.*inflight=2m,bs=64k,iodepth=32,numjobs=1\]'
check "the knee and the maximum" points 'study.edge-nvme.knee\[.*' 'study.edge-nvme.knee_inflight\[.*' 'study.edge-nvme.maximum\[.*'
check "what limits it is said" grep -qE '^ +[a-z0-9]+: (limited|what limits)' "$T/out"
check "its five claims are judged" claims 'larger blocks' 'a minimum block of 0.5 GB' '64 KB gives 0.09' 'about 4 GB/s' 'busier bus'
check "without a PCIe link the bus is not comparable" grep -qE 'not comparable +about 4 GB/s' "$T/out"
check "the record has how the kernel cuts up" grep -q '"study.edge-nvme.maximum.*"limiter":"' "$T/record"
check "a device that is only read is not written to" study 0 edge-nvme "$T/scratch" $quick --bs 4k --iodepth 1
check "and the points are skipped with the reason" grep -qE 'SKIP +block.randwrite.bandwidth.*only read: writing needs' "$T/out"

# ---- edge-emmc ----
check "edge-emmc runs" study 0 edge-emmc "$T/scratch" --runtime 40ms
cells() {
	for bs in 1k 16k 256k 4m 64000k; do
		for size in 64m 128m 256m 512m 1g 2g; do
			point "study\.edge-emmc\.read\.bandwidth\[role=[a-z0-9]+,bs=$bs,size=$size\]" || return 1
		done
	done
}
check "each of its 30 cells is there or skipped" cells
check "its own figures stand beside" grep -qE '^ +64000 .*\(272.6\)' "$T/out"
check "its claims are judged" claims 'flat from 4 MB' 'blocks of more than 64 MB' 'the transfer size'
check "all of its points are judged" hasnt "$T/out" 'the curve and the claims are of'
many() {
	study 0 edge-emmc "$T/scratch" --runtime 40ms --bs 64k,128k,256k,512k,1m --size 1m:1952k:+16k &&
		[ "$(grep -c 'the curve and the claims are of the first 288 points; 7 more' "$T/out")" = 1 ]
}
check "points beyond those that are kept: said once" many

# ---- laptop-fio ----
check "laptop-fio runs" study 0 laptop-fio --scratch "$T/scratch" --ioengine libaio --runtime 300ms
check "reads and writes of a mixed point" points 'study.laptop-fio.randrw.iops\[.*size=16m,iodepth=4,side=read\]' \
	'study.laptop-fio.randrw.iops\[.*size=16m,iodepth=4,side=write\]'
check "a region that does not fit is skipped" grep -qE 'SKIP +study.laptop-fio.randread.*size=256m,iodepth=16.*smaller' "$T/out"
check "one I/O is no rate" grep -q 'one I/O is not a rate' "$T/out"
check "what was in flight stands beside the depth" grep -qE '^ +randrw 16m depth 4 read .*\(0.378\)' "$T/out"
check "its claims are judged" claims 'deeper queue' 'small files' 'far below'
check "without a device it says what it needs" study 2 laptop-fio
check "and not that only writing would" has "$T/out" 'no device was given: name one'
check "precision is a decimal, as block's" study 0 laptop-fio "$T/scratch" --precision 0.5 --runtime 50ms

# ---- load ----
check "load runs" study 0 load --scratch "$T/scratch" --size 32m --bs 64k,4m --iodepth 1,4 --runtime 5s --precision 20
each_time() {
	for dir in load store; do
		for bs in 64k 4m; do
			for depth in 1 4; do
				grep -qE "^ +measured +study\.load\.time\[.*dir=$dir,size=32m,bs=$bs,iodepth=$depth\]" "$T/out" || { echo "no $dir $bs $depth"; return 1; }
			done
		done
	done
}
check "to load and to write back has a time each, with the engine that it takes by itself" each_time
check "its hypothesis is judged" claims 'busier bus'

# ---- a device that is limited on purpose ----
[ -w /dev/fuse ] || { echo "not ok study.sh needs /dev/fuse"; exit 1; }
gcc -O2 -w -D_FILE_OFFSET_BITS=64 -o "$T/faulty" tests/cli/faulty.c $(pkg-config --cflags --libs fuse3) || { echo "not ok study.sh needs fuse3"; exit 1; }
mkdir "$T/slow"
"$T/faulty" "$T/slow" 32 rate 270000000 >/dev/null 2>&1 &
for i in 1 2 3 4 5 6 7 8 9 10; do [ -e "$T/slow/disk" ] && break; sleep 0.1; done
check "a drive limited to 270 MB/s" study 0 edge-nvme "$T/slow/disk" --ioengine psync --ramp_time 0 --runtime 400ms --bs 2k:16m:*2 --iodepth 1
check "is found to be limited at it" grep -qE 'limited at 2[4-7][0-9] MB/s, flat from' "$T/out"
exit $failed

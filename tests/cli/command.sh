# assay block: one measurement or a sweep on a device or a file; what it may not touch, and what it says.
. tests/cli/lib.sh

dd if=/dev/urandom of="$T/data" bs=1M count=16 status=none
dd if=/dev/zero of="$T/zeros" bs=1M count=32 status=none
quick="--runtime 60ms --ramp_time 10ms --precision 0"
block() { want=$1; shift; run "$want" "$ASSAY" block "$@" --record "$T/record"; }
figure() { grep -F "\"measurement\":{\"name\":\"block.$1" "$T/record" | head -1; }
value() { figure "$1" | sed 's/.*"value":\([0-9.]*\),.*/\1/'; }
fact() { figure "$1" | sed -n "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }
is() { [ "$1" = "$2" ] || { echo "\"$1\", not \"$2\""; return 1; }; }

# ---- what is refused, before anything is read ----
refused() { text=$1; shift; run 2 "$ASSAY" block "$@" && has "$T/err" "$text" && [ "$(wc -l <"$T/err")" = 1 ] && [ ! -s "$T/out" ]; }
check "without a device it says what it needs" refused 'block needs a device or a file'
nothing_made() { refused 'nothing is ever created under /dev' /dev/assay-none && [ ! -e /dev/assay-none ]; }
check "a mistyped device is refused and not created" nothing_made
check "a character device is named as one" refused 'a character device, not a block device' /dev/null
check "a directory is named as one" refused 'a directory' "$T"
mkfifo "$T/fifo"
check "a FIFO is refused without waiting for a writer" refused 'neither a block device nor a file' "$T/fifo"
: >"$T/empty"
check "an empty file has nothing to read" refused 'its size is 0' "$T/empty"
check "an unknown option is named, with the nearest right one" refused 'did you mean --iodepth' "$T/data" --iodept 4
check "an unknown mode names those there are" refused 'not out of read|randread|write|randwrite|rw|randrw' "$T/data" --rw trim
check "a unit that is none is refused" refused '--bs: "4x"' "$T/data" --bs 4x
check "blocks below 512 B are refused" refused '--bs: "256" is outside' "$T/data" --bs 256
check "a depth of 0 is refused" refused '--iodepth: "0" is outside' "$T/data" --iodepth 0
check "a depth beyond 256 is refused" refused '--iodepth: "257" is outside' "$T/data" --iodepth 257
check "two engines at once are refused, not the first one taken" refused 'not out of auto|io_uring|libaio|psync' "$T/data" --ioengine psync,libaio
check "two ways to verify as well" refused 'not out of full|sample|surface|only' "$T/data" --verify surface,full
check "an option of the sequence is refused" refused 'are of `assay run`' "$T/data" --only block.read
check "a second device is refused" refused 'unexpected word' "$T/data" "$T/zeros"
before=$(cksum <"$T/data")
kept() { refused 'data that assay did not write' "$T/data" --rw "$1" && [ "$(cksum <"$T/data")" = "$before" ]; }
for rw in write randwrite rw randrw read,write; do check "$rw on a file with data in it is refused, the data kept" kept $rw; done

# ---- reading ----
reads() { block 0 "$T/data" $quick --bs 4k,64k --iodepth 1,4 && [ "$(cksum <"$T/data")" = "$before" ]; }
check "reading is measured, and the file left as it was" reads
for point in bs=4k,iodepth=1 bs=4k,iodepth=4 bs=64k,iodepth=1 bs=64k,iodepth=4; do
	check "there is $point" has "$T/record" "block.read.bandwidth[role=file,$point,numjobs=1]"
done
check "the record is whole" run 0 "$ASSAY" verify "$T/record"
check "it says that it was a file" has "$T/record" 'a file: what its file system does is measured with it'
check "a range of sizes that are no powers of two" block 0 "$T/data" $quick --bs 512:2k:+512
check "is measured at each of them" has "$T/record" 'block.read.bandwidth[role=file,bs=1536,iodepth=1,numjobs=1]'
check "a block larger than the device is skipped, and nothing is no PASS" block 2 "$T/data" $quick --bs 1g
check "with its reason" has "$T/out" 'the device is smaller: 16777216 B'
check "an offset behind the end is skipped" block 2 "$T/data" $quick --offset 1g
check "a region is read alone" block 0 "$T/data" $quick --offset 4m --size 1m --rw randread --iodepth 8
one() { block 0 "$T/data" --bs 1m --count 1 && is "$(fact read.bandwidth ios)" 1 && has "$T/out" 'one I/O is not a rate'; }
check "--count 1 reads one block, and gives no rate of it" one
counted() { block 0 "$T/data" --bs 64k --count 100 --iodepth 4 && is "$(fact read.iops ios)" 100; }
check "--count 100 reads a hundred" counted
inflight() { block 0 "$T/data" $quick --rw randread --iodepth 4 --ioengine libaio || return 1; v=$(value randread.inflight); awk -v v="$v" 'BEGIN { exit !(v > 3.5 && v <= 4.01) }' || { echo "in flight: $v"; return 1; }; }
check "the depth that was in flight stands beside the depth asked for" inflight
check "psync holds no depth of 4, and says so" block 2 "$T/data" $quick --ioengine psync --iodepth 4
check "rather than giving a figure under its name" has "$T/out" 'psync holds depth 1; iodepth=4 was asked'
jobs() { block 0 "$T/data" $quick --rw randread --numjobs 2 --iodepth 2 && figure 'randread.iops[role=file,bs=4k,iodepth=2,numjobs=2]' | grep -q .; }
check "two jobs" jobs
check "as many jobs as are quickest" block 0 "$T/data" $quick --rw randread --numjobs auto
auto() { block 0 "$T/data" --runtime 100ms --precision 0 && [ -n "$(fact read.iops engine_trial)" ]; }
check "auto tells what each engine brought" auto
check "reads by the zipf law" block 0 "$T/data" $quick --rw randread --random_distribution zipf:1.2
rate() { block 0 "$T/data" --runtime 500ms --precision 0 --rate_iops 200 && v=$(value read.iops) && awk -v v="$v" 'BEGIN { exit !(v > 180 && v < 210) }' || { echo "rate: $v"; return 1; }; }
check "a rate is kept" rate
slat() { block 0 "$T/data" $quick --ioengine libaio && [ -n "$(figure read.slat.mean)" ] && [ -n "$(figure read.clat.mean)" ]; }
check "slat and clat stand apart" slat
no_slat() { block 0 "$T/data" $quick --ioengine libaio --disable_slat && [ -z "$(figure read.slat.mean)" ]; }
check "and not with --disable_slat" no_slat
precise() { block 0 "$T/data" --bs 64k --precision 50 --runtime 20s && is "$(fact read.bandwidth precise)" yes; }
check "a point ends when it is precise enough" precise

# ---- writing ----
mixed() {
	block 0 "$T/zeros" $quick --rw randrw --rwmixread 70 || return 1
	for side in read write; do figure "randrw.iops[role=file,bs=4k,iodepth=1,numjobs=1,side=$side]" | grep -q . || return 1; done
}
check "reads and writes mixed are told apart" mixed
check "what it wrote it may write again" block 0 "$T/zeros" $quick --rw write --bs 512,4k,1m --iodepth 4
check "and a run takes it for a scratch" run 0 "$ASSAY" run --only block.verify --scratch "$T/zeros"
check "512 B writes at random places, too" block 0 "$T/zeros" $quick --rw randwrite --bs 512
check "and after them" run 0 "$ASSAY" run --only block.verify --scratch "$T/zeros"

# ---- a command measures, or it is no PASS ----
if [ "$(id -u)" = 0 ] && l=$(losetup -r -f --show "$T/data" 2>/dev/null); then
	check "a loop device of which no point was measured is no PASS, whatever its queue tells" block 2 "$l" $quick --ioengine psync --iodepth 4
	losetup -d "$l"
fi
check "a size that is no whole block is cut to blocks, and no fault of the drive" block 0 "$T/data" --bs 4k --size 1000100 --count 500
no_test() { block 2 "$T/data" --selftest && has "$T/out" 'no health data'; }
check "--selftest, bare, of what has none is no PASS" no_test
truncate -s 288M "$T/large"
whole() { block 0 "$T/large" --verify full && has "$T/record" '"name":"block.verify.share[role=file]","value":1000000,'; }
check "--verify full is of all of it, not of a run's 256 MiB" whole
rm -f "$T/large"
as_study() { run 2 "$ASSAY" block "$T/data" --study edge-nvmee && has "$T/err" 'did you mean edge-nvme'; }
check "--study NAME is the study of that name" as_study
helps() { run 0 "$ASSAY" help block && for word in --rw --verify --nonce --share --selftest --destroy; do has "$T/out" "$word" || return 1; done; }
check "its help has all of its options" helps

# ---- formats ----
jsonl() { run 0 "$ASSAY" block "$T/data" $quick --format jsonl && jq -e . "$T/out" >/dev/null && has "$T/err" 'assay: PASS'; }
check "--format jsonl: standard output is the record and nothing else" jsonl
fio_json() {
	run 0 "$ASSAY" block "$T/data" $quick --rw randread --bs 4k,64k --format fio-json && has "$T/err" 'assay: PASS' || return 1
	cp "$T/out" "$T/fio.json"
	jq -e '(.jobs | length) == 2 and all(.jobs[]; .read.lat_ns.N == .read.total_ios and ([.read.lat_ns.bins[]] | add) == .read.total_ios)' "$T/fio.json"
}
check "--format fio-json: every I/O of it stands in a bucket" fio_json
reader() { (cd "$T" && fio_jsonplus_clat2csv fio.json clat.csv) && [ -s "$T/clat_job0.csv" ] && [ -s "$T/clat_job1.csv" ]; }
check "and fio's own reader takes it" reader
check "a run has no fio-json" run 2 "$ASSAY" run --format fio-json
exit $failed

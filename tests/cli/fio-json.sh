#!/bin/sh
# fio-json: what the consumers of fio's json+ output make of ours: fio's own reader of buckets, jq, Python.
# The document is the golden file that unit/report_fio_json holds the sink to.
. "$(dirname "$0")/lib.sh"

OURS=$PWD/tests/golden/fio.json
cd "$T" || exit 2
cp "$OURS" ours.json

# Debian's script is started by name: another Python in the path may lack its module six.
reader() { timeout 20 /usr/bin/python3 "$(command -v fio_jsonplus_clat2csv)" "$@"; }

own_document() {
	fio --output-format=json+ --output=fio.json --name=a --filename="$T/file" --size=1m --bs=4k --rw=randrw --ioengine=psync \
		--slat_percentiles=1 --clat_percentiles=1 --lat_percentiles=1
}

is_json() { jq -e '.jobs | length == 3' ours.json && /usr/bin/python3 -m json.tool ours.json; }

# A bucket above the reader's last (17112760320 ns) would keep it in its loop: the golden file has I/Os of 20 s.
is_read() { reader ours.json ours.csv && reader --validate ours.json ours.csv; }

# The script's own check compares what it wrote; this one goes by the columns' names, from our document to the CSV and no way else.
buckets_arrive() {
	for job in 0 1 2; do
		for side in read write; do
			for lat in slat clat lat; do
				jq -r ".jobs[$job].$side.${lat}_ns.bins // {} | to_entries[] | \"\(.key) \(.value)\"" ours.json | sort -n >want
				awk -F', ' -v name="${side}_${lat}_ns_count" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
					$c + 0 > 0 { print $1, $c }' "ours_job$job.csv" | sort -n >got
				cmp want got || { echo "job $job, $side, $lat"; diff want got; return 1; }
				cat want >>all
			done
		done
	done
	[ "$(wc -l <all)" = 36 ] || { echo "$(wc -l <all) buckets, not 36"; return 1; }
}

same_columns() {
	own_document && reader fio.json fio.csv && head -1 fio_job0.csv >theirs && head -1 ours_job0.csv >here && cmp theirs here
}

same_keys() {
	for at in '.jobs[0].read' '.jobs[1].write' '.jobs[0].read.lat_ns' '.jobs[0].read.clat_ns'; do
		jq -r "$at | keys[]" ours.json | grep -vx clipped >have
		jq -r ".jobs[0].read$(case $at in *_ns) echo ".clat_ns";; esac) | keys[]" fio.json >want
		cmp have want || { echo "$at"; diff have want; return 1; }
	done
	for at in .latency_ns .latency_us .latency_ms .iodepth_level; do
		jq -r ".jobs[0]$at | keys_unsorted[]" ours.json >have
		jq -r ".jobs[0]$at | keys_unsorted[]" fio.json >want
		cmp have want || { echo "$at"; diff have want; return 1; }
	done
}

# What fio-plot looks up: one row a job, so that one key that is missing ends it.
for_plots() {
	jq -e '."fio version" and (.jobs | all(
		(."job options" | has("rw") and has("bs") and has("iodepth") and has("numjobs")) and
		(.read, .write | has("bw") and has("iops") and has("iops_stddev") and (.lat_ns | has("mean") and has("stddev"))) and
		has("latency_ns") and has("latency_us") and has("latency_ms") and has("usr_cpu") and has("sys_cpu")))' ours.json
}

check "fio-json: the document is JSON for jq and for Python" is_json
check "fio-json: fio's own reader takes it, and finds every bucket again" is_read
check "fio-json: every bucket of every latency stands in its column" buckets_arrive
check "fio-json: the reader's columns are those of fio's own document" same_columns
check "fio-json: a side and a latency have the keys that fio gives them" same_keys
check "fio-json: all that fio-plot looks up is there" for_plots
exit $failed

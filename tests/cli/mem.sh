#!/bin/sh
# The steps that measure memory, from outside: what they find, how often it counts, and what the evidence holds.
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh

small="--set mem.test.size_max=8m"

# figures STEP FILTER: of a record, each figure of the step satisfies the jq filter, and there is one
figures() {
	jq -es "[.[].testStepArtifact.measurement // empty | select(.name | startswith(\"$1\")) | $2] | length > 0 and all" "$T/record"
}

measure() {
	run 0 "$ASSAY" run --only mem.latency,mem.bandwidth,mem.test --set mem.latency.size=32k --set mem.latency.time=50ms \
		--set mem.bandwidth.buffer=1m --set mem.bandwidth.time=100ms $small --record "$T/record"
}

# With a limit the figure fails, and with none the finding: one defect, counted once, and told with its place.
defect() {
	run 1 "$ASSAY" run --only mem.test $small --set mem.test.inject=bit --set mem.test.pattern="$1" &&
		has "$T/out" " failed=1 errors=0 " && has "$T/out" "differing in 0x0000000000020000" &&
		has "$T/out" "mem.test.errors[pattern=$1]"
}

# A board whose only temperature is $1 millidegrees, and that stops at 99 degrees.
make_board() {
	mkdir -p "$T/tree/sys/class/thermal/thermal_zone0" "$T/tree/proc"
	echo cpu-thermal >"$T/tree/sys/class/thermal/thermal_zone0/type"
	echo "$1" >"$T/tree/sys/class/thermal/thermal_zone0/temp"
	cat >"$T/board.json" <<-'END'
		{ "board": "oven", "title": "A board that may get hot", "match": { "arch": "x86_64" }, "temperature_stop_c": 99,
		  "stacks": [ { "name": "linux", "temperatures": [ { "name": "cpu", "zone": "cpu-thermal" } ] } ] }
	END
}

stress_at() { make_board "$1" && run "$2" "$ASSAY" run --sysroot "$T/tree" --board "$T/board.json" --only mem.test $small; }
hot() {
	stress_at 99000 1 && has "$T/out" "cpu is at 99000 millidegrees, and the board file stops stress at 99000" &&
		hasnt "$T/out" "pattern=random"
}
cool() { stress_at 98999 3 && has "$T/out" "mem.test.errors[pattern=inversions]"; }

check memory_is_measured measure
check latency_tells_cpu_rounds_interval_and_cycles figures mem.latency \
	'.metadata | .n == 8 and .cycles > 0 and .core_hz > 0 and ([has("cpu", "discarded", "min", "max", "median", "low95", "high95", "batches", "laps", "node_checked")] | all)'
check bandwidth_tells_its_cpus figures mem.bandwidth '.metadata | has("cpus") and has("discarded") and (.n >= 6)'
check memory_test_tells_words_time_cpus_and_bandwidth figures mem.test \
	'.metadata | .n >= 1048576 and .time_ms > 0 and .bandwidth > 0 and has("cpus")'
check defect_of_a_pattern_with_a_limit_counts_once defect random
check defect_of_a_pattern_without_a_limit_counts_once defect walking
check stress_stops_when_the_board_is_hot hot
check stress_goes_on_below_it cool
check every_node_is_measured_when_asked_for run 0 "$ASSAY" run --only mem.latency --set mem.latency.node=all \
	--set mem.latency.size=32k --set mem.latency.time=10ms
exit $failed

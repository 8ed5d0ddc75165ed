#!/bin/sh
# mem.c2c and mem.loaded from outside: figures, tables, groups and the plot; one CPU, and CPUs that are not there.
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh
cpus=$(nproc)

count() { jq -s "[.[].testStepArtifact.measurement // empty | select(.name | startswith(\"$1\"))] | length" "$T/record"; }
is() { [ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }; }
evidence() { jq -es "[.[].testStepArtifact.measurement // empty | select(.name | startswith(\"$1\")) | .metadata | $2] | length > 0 and all" "$T/record"; }

measure() {
	run 0 "$ASSAY" run --only mem.c2c,mem.loaded --set mem.c2c.time=8ms --set mem.c2c.pairs=all --set mem.loaded.buffer=4m,8m --set mem.loaded.time=8ms \
		--set mem.loaded.delays=0,100,2000 --set mem.loaded.page=4k --record "$T/record"
}
held() {
	evidence 'mem.c2c[kind=hit' '.lines == 1024 and .set_bytes == 131072 and .order == "random" and has("prefetchers") and has("huge_bytes") and has("page") and .loader_cpu != .holder_cpu'
}
both_ways() { is "$(count 'mem.c2c[kind=hitm,')" $((cpus * (cpus - 1))) && is "$(count 'mem.c2c[kind=pingpong,')" $((cpus * (cpus - 1) / 2)); }
table() { has "$T/out" "cache to cache, hitm, ns: from (down) to (across)" && [ "$(grep -A1 "hitm, ns: from" "$T/out" | tail -1 | awk '{ print $1, $2 }')" = "0 1" ]; }
groups() {
	is "$(count 'mem.c2c.groups[kind=')" 3 && evidence 'mem.c2c.groups[' 'has("groups") and has("sysfs_clusters")' &&
		has "$T/record" "pingpong: by latency the CPUs are in"
}
delays() {
	is "$(count 'mem.loaded.latency[delay=')" 6 && is "$(count 'mem.loaded.bandwidth[delay=')" 6 && is "$(count 'mem.loaded.knee[mix=reads,')" 2 &&
		evidence 'mem.loaded.latency[' '.n == 8 and has("wait_ns") and has("kernel") and has("flushed") and has("of_flushed") and .order == "random" and has("prefetchers")' &&
		evidence 'mem.loaded.bandwidth[' '.discarded > 0 and .chaser_bandwidth <= .median' &&
		evidence 'mem.loaded.latency[delay=2000,' '.wait_ns > 1000'
}
threads() {
	run 0 "$ASSAY" run --only mem.loaded --set mem.loaded.threads=1,2,256 --set mem.loaded.buffer=4m --set mem.loaded.time=8ms --set mem.loaded.delays=100 &&
		has "$T/out" "mem.loaded[mix=reads,threads=1,buffer=4m,page=thp]: one thread chases while others inject: it takes two" &&
		grep -q "measured mem.loaded.latency\[delay=100,mix=reads,threads=2," "$T/out" && has "$T/out" "256 threads need as many CPUs"
}
no_self() { hasnt "$T/out" "it takes two CPUs"; }
plot() { has "$T/out" "latency ns (up) by bandwidth GB/s (across)" && has "$T/out" "A 4m reads 4k   B 8m reads 4k   * several"; }

one_cpu() {
	run 2 taskset -c 0 "$ASSAY" run --only mem.c2c,mem.loaded &&
		has "$T/out" "it takes two CPUs, and this process may use CPU 0 only" &&
		has "$T/out" "one CPU chases while others inject, and this process may use CPU 0 only"
}
absent_cpu() {
	run 2 "$ASSAY" run --only mem.c2c --set mem.c2c.from=0 --set mem.c2c.to=1023 && has "$T/out" "CPU 1023 is offline or outside the affinity mask"
}
one_pair() {
	run 0 "$ASSAY" run --only mem.c2c --set mem.c2c.from=1 --set mem.c2c.to=0 --set mem.c2c.kind=hit --set mem.c2c.time=8ms &&
		has "$T/out" "mem.c2c[kind=hit,from=1,to=0]" && has "$T/out" " figures=1 " && hasnt "$T/out" "from (down)"
}
itself() { run 2 "$ASSAY" run --only mem.c2c --set mem.c2c.from=0 --set mem.c2c.to=0 && has "$T/out" "it takes two CPUs"; }
beyond() { run 2 "$ASSAY" run --only mem.c2c --set mem.c2c.to=1024 && has "$T/err" '"1024" is outside 0 to 1023'; }
too_large() { run 2 "$ASSAY" run --only mem.loaded --set mem.loaded.buffer=1t && has "$T/out" "half of the free memory is"; }

[ "$cpus" -gt 1 ] || { check one_cpu_is_skipped one_cpu; exit $failed; }
check pairs_and_loads_are_measured measure
check every_pair_is_measured_both_ways_and_a_ping_pong_once both_ways
check lines_are_held_in_a_set_that_any_second_cache_holds held
check pairs_stand_in_a_table table
check groups_of_cpus_are_told_beside_those_of_sysfs groups
check each_delay_and_buffer_has_latency_and_bandwidth delays
check curves_are_drawn_over_one_another plot
check a_matrix_tells_of_no_cpu_with_itself no_self
check threads_are_chosen_and_one_too_few_is_skipped threads
check one_cpu_is_skipped one_cpu
check a_cpu_that_is_not_there_is_named absent_cpu
check from_and_to_are_taken_in_place_of_pairs one_pair
check a_cpu_with_itself_is_skipped itself
check a_cpu_number_beyond_any_is_refused beyond
check buffers_beyond_memory_are_skipped too_large
exit $failed

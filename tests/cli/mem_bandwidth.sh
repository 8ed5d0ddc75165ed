#!/bin/sh
# The step mem.bandwidth from outside: its names, which are an interface, what each mix is measured by, and what it refuses.
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh

under=
# measure OPTION...: of the step alone, quickly; the names of its figures in $T/names
measure() {
	run 0 $under "$ASSAY" run --only mem.bandwidth --set mem.bandwidth.buffer=1m --set mem.bandwidth.time=50ms --record "$T/record" "$@" &&
		jq -r '.testStepArtifact.measurement.name // empty' "$T/record" >"$T/names"
}
set_to() { echo "--set mem.bandwidth.$1"; }
# all FILTER: it gives true for each figure that it gives anything for, and there is one
all() { jq -es "[.[].testStepArtifact.measurement // empty | $1] | length > 0 and all" "$T/record"; }

cpus=$(nproc)
node=$(basename /sys/devices/system/cpu/cpu0/node*) node=${node#node}
[ "$node" != '*' ] || node=0
# The node in the name of a figure of so many threads.
node_of() {
	others=$(find /sys/devices/system/node/ -path '*node[0-9]*/cpu[0-9]*' -not -path "*/node$node/*" 2>/dev/null | head -1)
	if [ "$1" = 1 ] || [ -z "$others" ]; then echo "$node"; else echo all; fi
}

default_names() {
	measure && for mix in reads 1:1 copy; do for threads in 1 $cpus; do
		has "$T/names" "mem.bandwidth[mix=$mix,threads=$threads,buffer=1m,page=thp,node=$(node_of $threads)]" || return 1
	done; done
}
every_mix() {
	measure $(set_to mix=reads,3:1,2:1,1:1,triad,writes,nt-writes,copy) $(set_to threads=all) &&
		all '.metadata | .n == 8 and .windows > 0 and .discarded > 0 and (.trial | startswith("best of ")) and has("kernel", "cpus", "low95", "high95")' &&
		[ "$(wc -l <"$T/names")" = 8 ]
}
non_temporal() { all 'select(.name | contains("nt-writes")).metadata.kernel | contains(" nt")'; }
ordinary() { all 'select(.name | contains("mix=writes")).metadata.kernel | contains(" nt") | not'; }
no_such_threads() {
	measure $(set_to threads=1,$((cpus + 1)),$((cpus + 2))) $(set_to mix=reads) && [ "$(wc -l <"$T/names")" = 1 ] &&
		has "$T/out" "threads $((cpus + 1)),$((cpus + 2)): this process may use $cpus CPUs"
}
cores() {
	measure $(set_to cpu=0,1023) $(set_to mix=reads) $(set_to threads=1) && has "$T/names" "mem.bandwidth.core[mix=reads,cpu=0,buffer=1m,page=thp,node=$node]" &&
		has "$T/out" "CPU 1023 is not there, or offline" && hasnt "$T/names" cpu=1023
}
masked() {
	run 0 taskset -c 0 "$ASSAY" run --only mem.bandwidth --set mem.bandwidth.buffer=1m --set mem.bandwidth.time=50ms $(set_to mix=reads) $(set_to cpu=1) &&
		has "$T/out" "CPU 1 is outside this process's affinity mask" && hasnt "$T/out" "core[mix" && hasnt "$T/out" threads=2
}
matrix() { measure $(set_to node=all) $(set_to mix=copy) $(set_to threads=1) && has "$T/names" "mem.bandwidth.matrix[mix=reads,from=$node,to=$node,buffer=1m,page=thp]"; }
one_cluster() { measure $(set_to clusters=yes) $(set_to mix=reads) $(set_to threads=1) && grep -qE 'mem.bandwidth.cluster(: the CPUs are one cluster|\[mix=reads,cluster=)' "$T/out"; }
too_large() { run 2 "$ASSAY" run --only mem.bandwidth $(set_to mix=reads) $(set_to buffer=900g) && has "$T/out" "half of the free memory is"; }
# cached BUFFER: is the figure one of the caches?  The log and the evidence say the same, whatever sysfs tells of caches.
cached() {
	measure $(set_to mix=reads) $(set_to threads=1) $(set_to buffer=$1) || return 2
	of_flushed=$(jq -r '.testStepArtifact.measurement // empty | .metadata.of_flushed * 1000 | floor' "$T/record")
	[ "$of_flushed" -ge 900 ] || { has "$T/out" "the caches hold part of the $1 a thread (mix=reads, threads: 1)"; return; }
	hasnt "$T/out" "the caches hold" && all '.metadata.flushed > 30' || return 2
	return 1
}
small_buffer() { cached 1m; }
# large_buffer KIND: where sysfs tells of no cache, or of a last one of 320 MiB, in a mount namespace of its own
large_buffer() {
	rm -rf "$T/cache" && mkdir -p "$T/cache/index0"
	[ "$1" = hidden ] || { echo 3 >"$T/cache/index0/level"; echo Unified >"$T/cache/index0/type"; echo 327680K >"$T/cache/index0/size"; }
	echo "mount --bind '$T/cache' /sys/devices/system/cpu/cpu0/cache && exec \"\$@\"" >"$T/under"
	under="unshare -m sh $T/under"
	cached 256m
	got=$? under=
	[ $got = 1 ] || { [ $got = 0 ] && [ "$(getconf LEVEL3_CACHE_SIZE)" -gt 67108864 ]; }
}
bound() {
	cat >"$T/board.json" <<-'END'
		{ "board": "slow", "title": "A board with a bound", "match": { "arch": "x86_64" }, "memory": { "bound_bytes_per_s": 1000000000 } }
	END
	measure --board "$T/board.json" $(set_to mix=reads) $(set_to threads=1) $(set_to buffer=256m) && all '.metadata | .bound == 1000000000 and .ratio > 0 and .bound_source == "board file"'
}

check names_are_those_of_before default_names
check every_mix_is_measured_by_a_kernel_that_was_found_over_eight_rounds every_mix
check nt_writes_are_by_non_temporal_stores non_temporal
check writes_are_by_ordinary_stores ordinary
check more_threads_than_cpus_are_skipped_by_name no_such_threads
check a_cpu_by_itself_and_one_that_is_not_there cores
if [ "$cpus" -gt 1 ]; then
	check a_cpu_outside_the_affinity_mask_is_skipped_by_name masked
else
	echo "ok a_cpu_outside_the_affinity_mask_is_skipped_by_name # skipped: there is one CPU"
fi
check nodes_are_a_matrix matrix
check clusters_are_measured_or_there_is_only_one one_cluster
check a_buffer_beyond_memory_is_skipped_by_name too_large
check a_buffer_that_the_caches_hold_says_so small_buffer
if unshare -m true 2>/dev/null && [ -d /sys/devices/system/cpu/cpu0/cache ]; then
	for kind in hidden tenfold; do check "memory_s_bandwidth_is_told_apart_where_cache_sizes_are_$kind" large_buffer $kind; done
else
	echo "ok memory_s_bandwidth_is_told_apart_whatever_sysfs_says # skipped: no namespace for mounts, or sysfs tells of no cache"
fi
check a_board_s_bound_is_told_with_the_ratio bound
exit $failed

#!/bin/sh
# assay mem latency: what sysfs says of the caches changes no figure; what cannot be measured is named; caches that hold part of a buffer are found.
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh

cache=/sys/devices/system/cpu/cpu0/cache
node=$(basename /sys/devices/system/cpu/cpu0/node*) node=${node#node}
[ "$node" != '*' ] || node=0
latency() { "$ASSAY" mem latency --cpu 0 --time 40ms --record "$T/record" "$@"; }
figure() { jq -es "[.[].testStepArtifact.measurement // empty | select(.name | startswith(\"$1\")) | $2] | length > 0 and all" "$T/record"; }

# own_kib LEVEL: the size of this machine's cache; of many a machine that tells none
own_kib() {
	for index in $cache/index*; do
		[ "$(cat "$index/level")" = "$1" ] && [ "$(cat "$index/type")" != Instruction ] && sed 's/K$//' "$index/size" && return
	done
	echo $((32 << 5 * ($1 - 1)))
}

# fake KIND: a tree of caches in $T/KIND: none, zero, or ten times what they are
fake() {
	mkdir -p "$T/$1"
	[ "$1" != none ] || return 0
	for level in 1 2 3; do
		at=$T/$1/index$((level - 1))
		mkdir -p "$at"
		echo $level >"$at/level"
		echo Unified >"$at/type"
		if [ "$1" = zero ]; then echo 0K; else echo $((10 * $(own_kib $level)))K; fi >"$at/size"
	done
}

# in_tree KIND STATUS COMMAND...: with that tree in place of this machine's, in a mount namespace of its own
in_tree() {
	kind=$1 status=$2
	shift 2
	fake "$kind" && run "$status" unshare -m sh -c 'mount --bind "$0" '$cache' && exec "$@"' "$T/$kind" "$@"
}

# Memory's latency by the lines that were flushed, or ERROR; never a cache's.
is_memorys() {
	in_tree "$1" 0 "$ASSAY" mem latency --cpu 0 --time 40ms --size 256m --record "$T/record" || { [ $got = 2 ] && has "$T/out" "the caches hold part of the 256m"; return; }
	figure "mem.latency[size=256m," '.value > 30 and .metadata.of_flushed >= 0.85 and .value > 0.5 * .metadata.flushed'
}

levels() { in_tree "$1" 0 "$ASSAY" mem latency --cpu 0 --time 20ms --size 4k --levels --record "$T/record"; }
tenfold() {
	ten=$((10 * $(own_kib 1)))
	levels tenfold || return 1
	found=$(sed -n "s/.*CPU 0: sysfs tells of a level 1 cache of ${ten}k, and latency rises behind \([0-9]*\)k.*/\1/p" "$T/out")
	[ -n "$found" ] && [ "$found" -lt $ten ] || { cat "$T/out"; return 1; }
}
hidden() { levels none && hasnt "$T/out" "sysfs tells of" && figure "mem.latency.level.latency[level=1," '(.value > 0) and (.metadata | has("sysfs_bytes") | not)'; }
as_it_is() {
	run 0 latency --size 4k --time 20ms --levels && hasnt "$T/out" "sysfs tells of a level 1 cache" &&
		figure "mem.latency.level.size[level=1," '.value <= 2 * .metadata.sysfs_bytes and 2 * .value >= .metadata.sysfs_bytes'
}

cached() {
	run 0 latency --size 256k --dram 64k && has "$T/out" "mem.latency[size=256k]: the caches hold part of it" &&
		[ "$(jq -s '[.[].testStepArtifact.measurement // empty | select(.metadata.of_flushed >= 0.85)] | length' "$T/record")" = 1 ]
}
# Too little memory for anything but caches: 12 MiB in all.
unproven() {
	group=$(memory_cgroup $((12 << 20))) || return 1
	run 2 sh -c "echo \$\$ >'$group/cgroup.procs' && exec '$ASSAY' mem latency --size 64k --dram 64k --time 20ms --page 4k"
	status=$?
	rmdir "$group"
	[ $status = 0 ] && has "$T/out" "the caches hold part of every buffer that could be had"
}
tlb() { run 0 latency --size 8m --page 4k --tlb && figure "mem.latency.tlb[size=8m,page=4k," '.metadata | has("across") and has("within") and .n == 8'; }
no_cpu() { run 2 "$ASSAY" mem latency --size 16k --cpu 1000 && has "$T/out" "SKIP     mem.latency[cpu=1000]: CPU 1000 is not there, or offline"; }
skipped() { echo "ok $1 # skipped: $2"; }
masked() {
	run 0 taskset -c 1 "$ASSAY" mem latency --size 16k --time 20ms --cpu 0,1 && has "$T/out" "CPU 0 is outside this process's affinity mask" && has "$T/out" "cpu=1]" &&
		run 0 taskset -c 1 "$ASSAY" mem latency --size 16k --time 20ms && has "$T/out" "cpu=1]"
}
too_large() { run 2 latency --size 512g && has "$T/out" "SKIP     mem.latency[size=512g,page=thp,node=$node,cpu=0]" && has "$T/out" "KiB are needed"; }
no_pages() {
	run 0 latency --size 16k --page 1g && has "$T/out" "page=1g,node=$node,cpu=0]: no 1g pages" && has "$T/out" "mem.latency[size=16k,page=$(($(getconf PAGESIZE) / 1024))k,"
}

if unshare -m true 2>/dev/null && [ -d $cache ]; then
	for kind in none zero tenfold; do check "caches in sysfs: $kind: memory's latency is memory's" is_memorys $kind; done
	check "cache sizes ten times too large are a warning" tenfold
	check "without cache sizes the levels are found, and nothing is warned of" hidden
	check "the first cache is found as sysfs tells it" as_it_is
else
	skipped "caches in sysfs change no figure" "no namespace for mounts, or sysfs tells of no cache"
fi
check "where caches hold part of a buffer that is meant to show memory, larger ones are tried until one does" cached
check "and it is an error where none does" unproven
check "the share of the TLB has both chases as evidence" tlb
check "a CPU that is not there is named" no_cpu
outside="a CPU outside the affinity mask is named, and never another one's figure"
if [ "$(nproc)" -gt 1 ]; then check "$outside" masked; else skipped "$outside" "there is one CPU"; fi
check "a size beyond memory is named" too_large
lacking="pages that the machine lacks are named, and small ones measured under their own name"
if grep -qsvx 0 /sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages; then skipped "$lacking" "it has 1g pages"; else check "$lacking" no_pages; fi
further() { run 0 latency --size 64k --dram 64k --page 1g && [ "$(jq -s '[.[].testStepArtifact.measurement // empty | select(.metadata.of_flushed >= 0.85)] | length' "$T/record")" = 1 ]; }
check "larger buffers are tried on the pages that are there" further
exit $failed

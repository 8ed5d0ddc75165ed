#!/bin/sh
# mem.test from outside: every class of fault is told by its name, all patterns run, the size asked for is the size tested, and what the machine tells of its memory counts.
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh
quick="--set mem.test.size=4m"

# injected KIND CLASS: it fails, the class stands in the text, and the record says that it was on purpose
injected() {
	run 1 "$ASSAY" run --only mem.test $quick --set mem.test.pattern=random --set mem.test.inject="$1" --record "$T/record" &&
		has "$T/out" "injected on purpose ($1): wrong words: 1, " && has "$T/out" "1 looked at: $2 1;" && has "$T/out" "random: $2: offset 0x" &&
		has "$T/out" " failed=1 errors=0 " && has "$T/record" '"injected":"'"$1"'"' && has "$T/record" "injected on purpose ($1)"
}
check a_cell_is_told injected cell cell
check a_byte_lane_is_a_cell injected lane cell
check the_read_path_is_told injected read 'read path'
check the_write_path_is_told injected write 'write path'
check coherency_is_told injected coherency "$([ "$(nproc)" -gt 1 ] && echo coherency || echo 'read path')"
check an_address_line_is_told injected address 'address line'
check the_other_word_is_told has "$T/out" '; is the same as offset 0x'
check a_bit_is_the_write_path injected bit 'write path'

lost() {
	run 1 "$ASSAY" run --only mem.test $quick --set mem.test.pattern=address,random --set mem.test.inject=ue && has "$T/out" "address: injected on purpose (ue)" &&
		has "$T/out" "uncorrected memory error: the kernel took away the memory at 0x" && has "$T/out" " failed=1 errors=0 " && hasnt "$T/out" crashed
}
check an_uncorrected_error_that_is_consumed_fails lost

# The places are the seed's.
twenty() {
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		run 1 "$ASSAY" run --only mem.test --seed $seed --set mem.test.size=$((seed * 64 + 512))k --set mem.test.pattern=address --set mem.test.inject="$1" &&
			has "$T/out" "1 looked at: $2 1;" || return 1
	done
}
check "a cell is told 20 of 20 by the command" twenty cell cell
check "an address line is told 20 of 20 by the command" twenty address 'address line'

without_limit() {
	run 1 "$ASSAY" run --only mem.test $quick --set mem.test.pattern=bit-flip --set mem.test.inject=read && has "$T/out" " failed=1 errors=0 " &&
		has "$T/out" "FAIL     mem.test.errors[pattern=bit-flip]" && has "$T/out" "injected on purpose (read)"
}
check a_pattern_without_a_limit_fails_once_too without_limit

everything() {
	run 0 "$ASSAY" run --only mem.test $quick --set mem.test.pattern=all,bit-fade --set mem.test.fade=100ms --set mem.test.passes=2 --record "$T/record" &&
		[ "$(jq -s '[.[].testStepArtifact.measurement // empty | select(.name | startswith("mem.test.errors"))] | length' "$T/record")" = 30 ]
}
check all_patterns_find_nothing_in_good_memory everything
check passes_are_told sh -c "jq -es '[.[].testStepArtifact.measurement // empty | select(.name == \"mem.test.errors[pattern=bit-flip]\") | .metadata | .passes == 2 and .passes_of == 128] | all and length == 1' '$T/record'"
all_but_fade() { run 0 "$ASSAY" run --only mem.test $quick --set mem.test.pattern=all --set mem.test.passes=2 && hasnt "$T/out" "pattern=bit-fade" && has "$T/out" "pattern=modulo-20"; }
check all_leaves_the_long_fade_out all_but_fade

unprivileged() {
	run 0 setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$ASSAY" run --only mem.test $quick --set mem.test.pattern=address,own-physical &&
		has "$T/out" "the kernel does not tell physical addresses (CAP_SYS_ADMIN)" && hasnt "$T/out" "FAIL"
}
[ "$(id -u)" = 0 ] && check without_the_right_own_physical_is_skipped unprivileged

exact() { run 0 "$ASSAY" run --only mem.test --set mem.test.size=5m --set mem.test.pattern=address --record "$T/record" && has "$T/record" '"bytes":5242880,'; }
check the_size_asked_for_is_tested exact
# 200 MiB do not fit a cache of 24 MiB four times; the 16 MiB of the trial of one CPU, all that the time is enough for, may.
capped() {
	mkdir -p "$T/cache/index0" && echo 3 >"$T/cache/index0/level" && echo Unified >"$T/cache/index0/type" && echo 24M >"$T/cache/index0/size" &&
		echo 0-1023 >"$T/cache/index0/shared_cpu_list" &&
		run 0 taskset -c "$cpus" unshare -m sh -c "mount --bind '$T/cache' /sys/devices/system/cpu/cpu${cpus%%[,-]*}/cache && '$ASSAY' run --only mem.test --record '$T/record' \
			--set mem.test.share=95 --set mem.test.size_max=200m --set mem.test.pattern=address --set mem.test.time=$1" && has "$T/record" "\"bytes\":$2,"
}
cpus=$(taskset -pc $$ | sed 's/.*: //; s/^\([0-9]*\)[-,].*/\1/')
flushed_after_all() { capped 1ns 16777216 && has "$T/record" '"capped":"by time"' && has "$T/record" '"flushed":'; }
not_flushed() { capped 0 209715200 && hasnt "$T/record" '"flushed":'; }
if [ "$(id -u)" = 0 ]; then
	check a_large_buffer_is_not_flushed not_flushed
	check what_the_time_makes_small_is_flushed flushed_after_all
fi
beyond() { run 2 "$ASSAY" run --only mem.test --set mem.test.size=900t --set mem.test.pattern=address && has "$T/out" "size: 966367641600 KiB are more than can be had" && hasnt "$T/out" "pattern=address"; }
check a_size_beyond_memory_is_an_error_and_no_figure beyond

# meanwhile STATUS TEXT FILE CONTENT: FILE, below the tree of a board with EDAC, or the kernel's log, gets CONTENT while memory is tested
meanwhile() {
	rm -rf "$T/tree" "$T/out" && mkdir "$T/tree" && tests/sysroot/make-orin "$T/tree" edac && : >"$T/log" || return 1
	(
		for i in $(seq 200); do grep -qs 'pattern=address' "$T/out" && break; sleep 0.05; done
		if [ "$3" = log ]; then printf '%s\n' "$4" >>"$T/log"; else printf '%s\n' "$4" >"$T/tree/$3"; fi
	) &
	run "$1" "$ASSAY" run --sysroot "$T/tree" --board aarch64 --kernel-log "$T/log" --only mem.test $quick --set mem.test.pattern=address,bit-fade --set mem.test.fade=300ms \
		--record "$T/record" && has "$T/out" "$2"
	result=$?
	wait
	return $result
}
mc=sys/devices/system/edac/mc/mc0
check an_uncorrected_error_meanwhile_fails meanwhile 1 'uncorrected memory errors rose from 0 to 1 during the test (EDAC)' $mc/ue_count 1
check it_stands_in_the_evidence has "$T/record" '"edac_ue_before":0,"edac_ue_after":1'
check a_corrected_error_meanwhile_is_warned_of meanwhile 3 'corrected memory errors rose from 2 to 3 during the test (EDAC)' $mc/ce_count 3
check the_log_meanwhile_fails meanwhile 1 'the kernel reported uncorrected memory errors during the test, in 1 lines' log \
	'2,100,5,-;Memory failure: 0x1a2b3c: recovery action for dirty LRU page: Recovered'
check the_line_is_told has "$T/out" 'the kernel reports, uncorrected memory error: Memory failure: 0x1a2b3c'
# The two are the board's limits on patterns that were not asked for.
check a_line_of_something_else_does_not meanwhile 3 'failed=0 errors=0 warned=2' log '3,100,5,-;I/O error, dev nvme0n1, sector 2048'

check an_error_of_pcie_is_not_memory_s meanwhile 3 'failed=0 errors=0 warned=2' log \
	'0,100,5,-;{1}[Hardware Error]: event severity: fatal
0,101,5,-;{1}[Hardware Error]:   section_type: PCIe error'
check an_uncorrected_one_of_memory_is meanwhile 1 'the kernel reported uncorrected memory errors during the test, in 2 lines' log \
	'0,100,5,-;[Hardware Error]: Uncorrected DRAM ECC error on DIMM A1
0,101,5,-;{1}[Hardware Error]: event severity: recoverable
0,102,5,-;{1}[Hardware Error]:   section_type: memory error'
check a_corrected_one_of_memory_is_warned_of meanwhile 3 'the kernel reported corrected memory errors during the test, in 1 lines' log \
	'0,100,5,-;{1}[Hardware Error]: event severity: corrected
0,101,5,-;{1}[Hardware Error]:   section_type: memory error'

# Under a limit: the most that is safe is tested and stated; what is asked for beyond it is an error; nothing is killed.
group=$(memory_cgroup $((64 << 20)))
cleanup() { [ -z "$group" ] || rmdir "$group" 2>/dev/null; }
inside() { # inside STATUS OPTION...
	status=$1
	shift
	run "$status" sh -c "echo \$\$ >'$group/cgroup.procs'; exec '$ASSAY' run --only mem.test --level medium --set mem.test.pattern=address,random,own-physical --record '$T/record' $*" &&
		hasnt "$T/out" OOM
}
most() { inside 0 --set mem.test.share=95 && has "$T/record" '"budget":"cgroup"' && jq -es '[.[].testStepArtifact.measurement // empty | select(.name | startswith("mem.test")) | .metadata | .bytes > 30e6 and .bytes < 64e6 and .share_percent == 95] | length == 3 and all' "$T/record"; }
above() { inside 2 --set mem.test.size=60m && has "$T/out" "size: 61440 KiB are more than can be had" && has "$T/out" "(cgroup), less a reserve of "; }
if [ -n "$group" ]; then
	check the_most_of_a_cgroup_is_tested_and_stated most
	check a_size_above_the_cgroup_is_an_error above
else
	echo "not ok a memory cgroup can be made"; failed=1
fi
nowhere() { run 2 "$ASSAY" mem test --inject address --pattern inversions --size 1m && has "$T/out" 'nothing was injected'; }
check "a fault that was to be injected and was not is no PASS" nowhere
exit $failed

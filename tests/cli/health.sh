#!/bin/sh
# block.health and what env.after makes of it, on made-up machines (tests/sysroot/make-orin).
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh
[ -x "$ASSAY" ] || { echo "not ok there is no $ASSAY"; exit 1; }
: >"$T/log" # such a tree has no kernel's log of its own

# judged STATUS TEXT [VARIANT...]: the drives of such a tree end the run with the status, and it says TEXT
judged() {
	status=$1 text=$2
	shift 2
	rm -rf "$T/tree"
	tests/sysroot/make-orin "$T/tree" "$@" && run "$status" "$ASSAY" run --sysroot "$T/tree" --kernel-log "$T/log" \
		--only block.health,env.after --record "$T/record" && has "$T/out" "$text"
}
# told JQ: holds for the record
told() { jq -se "map(.testStepArtifact.measurement // empty | {(.name): .}) | add | $1" "$T/record" >/dev/null || { jq -c . "$T/record" | grep block.health; return 1; }; }

check good_drives_fail_nothing judged 3 'failed=0 errors=0 warned=0'
check an_emmc_tells_its_wear told '.["block.health.life_time_a[role=emmc]"].value == 100000 and .["block.health.pre_eol[role=emmc]"].value == 1'
check a_link_is_told_at_both_ends told '.["block.health.max_io[role=nvme]"].metadata | .link == .port_link and (.link | startswith("16.0 GT/s PCIe x4,"))'
check a_queue_is_told told '.["block.health.max_io[role=nvme]"] | .value == 524288 and .metadata.scheduler == "none" and .metadata.nr_requests == 1023 and .metadata.aspm_policy == "powersave"'
check errors_of_the_link_are_told told '.["block.health.aer.fatal[role=nvme]"] | .value == 0 and .metadata.port == 0'
check a_drive_that_cannot_be_asked_is_skipped_with_the_reason has "$T/out" 'nvme0n1: no health data: simulated'
check interrupts_that_are_spread_warn_of_nothing told '.["env.after.drive.interrupt_share[role=nvme]"] | .value > 980000 and .metadata.spread == 1'
check a_worn_emmc_fails judged 1 'mmcblk3: worn out: it is beyond its estimated life time' worn-emmc
check an_emmc_without_reserve_fails has "$T/out" 'pre_eol_info: urgent'
check an_emmc_of_little_reserve_warns judged 3 'failed=0 errors=0 warned=1' emmc-reserve
check an_emmc_without_debugfs_is_judged_all_the_same judged 1 'worn out' worn-emmc no-debugfs
check all_interrupts_on_one_cpu_warn judged 3 'CPU 0 takes 100 % of its interrupts, and 3 lines are aimed at no other' one-cpu
check one_line_of_an_emmc_warns_of_nothing has "$T/out" 'warned=1'

# The generic board file declares no drive: a slow link of one is for a human to look at.
slow_link() {
	judged_tree nvme-gen1 && has "$T/out" 'the link trained at 2.5 GT/s PCIe, both ends can do 16.0 GT/s PCIe' && has "$T/out" 'failed=0 errors=0 warned=1'
}
judged_tree() {
	rm -rf "$T/tree"
	tests/sysroot/make-orin "$T/tree" "$@" && run 3 "$ASSAY" run --sysroot "$T/tree" --board aarch64 --kernel-log "$T/log" --only block.health
}
check a_slow_link_of_an_undeclared_drive_warns slow_link

# A limit of the board file on a new board's eMMC.
new_board() {
	sed 's/"limits": {/"limits": { "block.health.life_time_a[role=emmc]": { "max": 100000 },/' board/jetson-agx-orin.json >"$T/new.json"
	rm -rf "$T/tree"
	tests/sysroot/make-orin "$T/tree" && sed -i 's/0x01 0x01/0x02 0x01/' "$(find "$T/tree/sys/devices" -name life_time)" &&
		run 1 "$ASSAY" run --sysroot "$T/tree" --board "$T/new.json" --kernel-log "$T/log" --only block.health &&
		has "$T/out" 'block.health.life_time_a[role=emmc] is 200000 ppm, above its limit of 100000'
}
check wear_can_be_limited_by_the_board_file new_board

pci=sys/devices/platform/14160000.pcie/pci0004:00/0004:00:00.0
# meanwhile STATUS TEXT COMMAND: the same, where COMMAND changes the tree during the run
meanwhile() {
	rm -rf "$T/tree"
	tests/sysroot/make-orin "$T/tree" || return 1
	(cd "$T/tree" && sleep 1.2 && eval "$3") &
	run "$1" "$ASSAY" run --sysroot "$T/tree" --kernel-log "$T/log" --only block.health,msg.local,env.after \
		--set msg.local.transport=shm --set msg.local.scenario=64k@100 --set msg.local.duration=2s && has "$T/out" "$2"
	result=$?
	wait
	return $result
}
check a_correctable_error_of_the_link_warns meanwhile 3 'nvme0n1: aer.correctable increased by 3 during the run' \
	'echo TOTAL_ERR_COR 3 >$pci/aer_dev_correctable'
check fatal_errors_of_the_link_fail meanwhile 1 'aer.fatal increased by 1' \
	'echo TOTAL_ERR_FATAL 1 >$pci/aer_dev_fatal; echo TOTAL_ERR_NONFATAL 2 >$pci/0004:01:00.0/aer_dev_nonfatal
	echo 2.5 GT/s PCIe >$pci/0004:01:00.0/current_link_speed; find . -name pre_eol_info -exec sh -c "echo 0x03 >{}" \;'
check nonfatal_errors_of_the_other_end_fail has "$T/out" 'aer.nonfatal increased by 2'
check a_link_that_falls_back_fails has "$T/out" 'nvme0n1: its link_speed fell during the run'
check wear_that_shows_during_the_run_fails has "$T/out" 'mmcblk3: since the start: worn out: 90 %'
exit $failed

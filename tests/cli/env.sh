#!/bin/sh
# assay run, env.after: the kernel's log (--kernel-log reads a file in its place) and the counters of memory errors.
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh
[ -x "$ASSAY" ] || { echo "not ok there is no $ASSAY"; exit 1; }

# logged STATUS TEXT LINE...: a log of these lines ends the run with the status, and it says TEXT
logged() {
	status=$1 text=$2
	shift 2
	[ $# = 0 ] || printf '%s\n' "$@" >"$T/log"
	[ $# != 0 ] || : >"$T/log"
	run "$status" "$ASSAY" run --only env.after --kernel-log "$T/log" && has "$T/out" "$text"
}

io_error='3,100,5,-;I/O error, dev nvme0n1, sector 2048 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2'
fatal='3,101,6,-;pcieport 0000:00:1c.0: AER: Uncorrected (Fatal) error received: 0000:01:00.0'
warning='4,102,7,-;thermal zone0: something to look at'
far='6,110,8,-;seven records later'

check an_io_error_fails_and_is_named logged 1 'the kernel reports a fault, I/O error: I/O error, dev nvme0n1, sector 2048' "$io_error"
check a_fatal_pcie_error_fails_and_is_named logged 1 'the kernel reports a fault, uncorrected PCIe error: pcieport 0000:00:1c.0' "$fatal"
check a_warning_fails_nothing_but_such_a_run_is_no_pass logged 3 'failed=0 errors=0' "$warning"
check an_empty_log_fails_nothing logged 3 'failed=0 errors=0'
check lost_records_are_an_error_with_their_number logged 2 'at least 7 records of this run are lost' "$warning" "$far"
check a_fault_is_told_although_records_are_lost logged 1 'the kernel reports a fault, I/O error' "$io_error" "$far"
check lost_records_are_told_behind_a_fault has "$T/out" 'at least 9 records of this run are lost'
check a_log_that_cannot_be_read_is_an_error run 2 "$ASSAY" run --only env.after --kernel-log "$T"

edac() {
	mkdir -p "$T/edac" && tests/sysroot/make-orin "$T/edac/tree" edac && : >"$T/log" &&
		run 3 "$ASSAY" run --sysroot "$T/edac/tree" --only env.after --kernel-log "$T/log" &&
		grep -q 'env.after.edac_ce *2' "$T/out" && grep -q 'env.after.edac_ue *0' "$T/out"
}
check memory_errors_are_told edac
exit $failed

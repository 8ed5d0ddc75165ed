# The short sequence again and again: never a false alarm on a good machine, every record whole, nothing left behind.  ROUNDS may be given.
. tests/cli/lib.sh
rounds=${ROUNDS:-20}
dd if=/dev/zero of="$T/scratch" bs=1M count=64 status=none

soak() {
	for i in $(seq "$rounds"); do
		run 0 "$ASSAY" run --scratch "$T/scratch" --record "$T/r" && "$ASSAY" verify "$T/r" >/dev/null || { echo "round $i"; cp "$T/r" /tmp/assay-soak-failed.jsonl; return 1; }
	done
}
check "$rounds short runs: PASS each time, each record whole" soak
alone() { ! ps -e -o args= | grep -v grep | grep -q -- "--scratch $T/scratch"; }
check "no process is left behind" alone
check "no loop device is left behind" sh -c "! grep -l '$T/scratch' /sys/block/loop*/loop/backing_file 2>/dev/null"
exit $failed

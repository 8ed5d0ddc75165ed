# What once broke it: each line was a finding of somebody who tried.
. tests/cli/lib.sh
quick="--only env.snapshot"

closed() { "$ASSAY" run $quick --record "$T/r" >&- 2>&- && "$ASSAY" verify "$T/r"; }
check "closed stdout and stderr: no foreign text in the record" closed
check "a record of which nobody reads the last line is whole all the same" sh -c "'$ASSAY' run $quick --record '$T/r' >/dev/null 2>&- <&- && '$ASSAY' verify '$T/r'"

ln -s /dev/assay-new "$T/link"
link() { run 2 "$ASSAY" run $quick --record "$T/link" && [ ! -e /dev/assay-new ]; }
check "a dangling link to /dev makes no file there" link
mkfifo "$T/fifo"
fifo() { run 2 timeout 10 "$ASSAY" run $quick --record "$T/fifo" && has "$T/err" "FIFO"; }
check "a FIFO is no record" fifo
fifo_board() { run 2 timeout 10 "$ASSAY" run $quick --board "$T/fifo"; }
check "a FIFO is no board file, and does not hold us" fifo_board
fifo_log() { timeout 10 "$ASSAY" run --only env.after --kernel-log "$T/fifo" >"$T/out" 2>&1; [ $? = 2 ]; }
check "nor a kernel log" fifo_log
empty() { run 2 "$ASSAY" run $quick "$1" && has "$T/err" "is empty"; }
for o in --record= --only= --format= --scratch= --board=; do check "an empty value is refused: $o" empty $o; done
long=$(printf '%0200d' 0)
check "a station of 200 bytes is refused before the run" sh -c "'$ASSAY' run $quick --station $long 2>&1 | grep -q 'longer than 63'"
twice() { run 2 "$ASSAY" run --only block.read --set block.read.bs=4k,8k,4k && has "$T/err" "twice"; }
check "a value twice would be two figures of one name" twice
later() { run 2 "$ASSAY" run $quick --set msg.peer.x=1 && has "$T/err" "not in this version"; }
check "a parameter of a step that is not there" later

# The other end does not read: the run ends in bounded time, and a signal is heard.
silent() {
	mkfifo "$T/pipe"
	sleep 30 <"$T/pipe" & reader=$!
	"$ASSAY" run --only mem.latency,env.snapshot --set mem.latency.size=4k:250k:+4k --set mem.latency.page=4k,thp --set mem.latency.time=10ms --format jsonl >"$T/pipe" 2>"$T/err" &
	pid=$!
	sleep 5
	kill -TERM $pid
	for i in $(seq 80); do kill -0 $pid 2>/dev/null || break; sleep 0.1; done
	gone=1; kill -0 $pid 2>/dev/null && { gone=0; kill -KILL $pid; }
	kill $reader
	wait $pid
	[ $gone = 1 ] && grep -q '^assay: INTERRUPTED' "$T/err"
}
check "a reader that does not read: SIGTERM is heard, the last line comes on stderr" silent
broken() { "$ASSAY" run --only env.snapshot,clock.sanity --format jsonl --record "$T/r" 2>"$T/err" | head -1 >/dev/null; "$ASSAY" verify "$T/r" | grep -q ERROR; }
check "a broken pipe on stdout does not end the record in the file" broken

# ignoring SIGNAL COMMAND...: with that signal ignored
cat >"$T/ignoring" <<'END'
#!/usr/bin/python3
import os, signal, sys
signal.signal(getattr(signal, sys.argv[1]), signal.SIG_IGN)
os.execv(sys.argv[2], sys.argv[2:])
END
chmod +x "$T/ignoring"
chld() { run 0 "$T/ignoring" SIGCHLD "$ASSAY" run --only env.snapshot,clock.sanity --slack 2s; }
check "a parent that ignores SIGCHLD changes nothing" chld
hup() {
	"$T/ignoring" SIGHUP "$ASSAY" run --only env.noise >"$T/out" 2>&1 &
	pid=$!; sleep 0.5; kill -HUP $pid; wait $pid
}
check "nohup holds" hup
ends_by() { # ends_by SIGNAL
	"$ASSAY" run --only env.noise --set env.noise.duration=20s --record "$T/r" >"$T/out" 2>&1 &
	pid=$!; sleep 0.5; kill -"$1" $pid; wait $pid
	[ $? = 130 ] && grep -q '^assay: INTERRUPTED' "$T/out" && "$ASSAY" verify "$T/r"
}
for s in QUIT USR1 ALRM XCPU; do check "SIG$s ends it as SIGTERM does" ends_by $s; done
xfsz() { sh -c "ulimit -f 1; exec '$ASSAY' run $quick,clock.sanity,mem.latency --set mem.latency.time=10ms --record '$T/r2'" 2>&1 | cat >"$T/out"; has "$T/out" "record=failed"; }
check "a file size limit is a record that cannot be written" xfsz

truncate -s 64M "$T/precious"; printf precious | dd of="$T/precious" bs=1 seek=50000000 conv=notrunc status=none
precious() { run 2 "$ASSAY" run --only block.verify --scratch "$T/precious" && has "$T/err" "at byte 49999872" && grep -q precious "$T/precious"; }
check "a few bytes of somebody's in the middle of zeros keep a file from being scratch" precious
jq '.storage = [{role: "a", bus: "virtio", required: true}, {role: "b", bus: "virtio", required: true}]' board/x86.json >"$T/two.json"
two() { run 1 "$ASSAY" run --board "$T/two.json" --only board.identity; }
check "one drive does not play two required roles" two
jq '.storage = [{role: "a", bus: "virtio"}, {role: "b", bus: "virtio"}]' board/x86.json >"$T/optional.json"
optional() { run 0 "$ASSAY" run --board "$T/optional.json" --only board.identity; }
check "two optional roles on one drive are no fault" optional
device=$(readlink -f /sys/class/net/eth0/device) above=${device%/*}
jq ".network = [{port: \"a\", device: \"${device##*/}\", required: true}, {port: \"b\", device: \"${above##*/}\", required: true}]" board/x86.json >"$T/ports.json"
ports() { run 1 "$ASSAY" run --board "$T/ports.json" --only board.identity && has "$T/out" "one of the two is missing"; }
[ -d /sys/class/net/eth0/device ] && check "one port does not play two required ones" ports
rule() { jq ".stacks[0].$1 = [{name: \"x\", path: \"/proc/uptime\", rule: \"$2\"$3}]" board/x86.json >"$T/rule.json"; run 2 "$ASSAY" check "$T/rule.json" && has "$T/err" "none of this list"; }
check "a rule that its list does not judge is refused: throttle below" rule throttle below ', limit: 5'
check "temperatures zero" rule temperatures zero ''
check "clocks zero" rule clocks zero ''
check "rails below" rule rails below ', limit: 5'
jq '.temperature_stop_c = 60' board/x86.json >"$T/hot.json"
hot() { run 0 "$ASSAY" run --board "$T/hot.json" --only mem.test --set mem.test.size_max=16m && has "$T/out" "temperature_stop_c was not in force"; }
check "a stop temperature that nothing can tell is warned of" hot
truncate -s 1100M "$T/sparse"; printf somebody | dd of="$T/sparse" bs=1 seek=1090000000 conv=notrunc status=none
behind() { run 2 "$ASSAY" plan --only block.verify --scratch "$T/sparse" && has "$T/err" "data that assay did not write"; }
check "data behind the first GiB of a file is seen, too" behind
own() { "$ASSAY" run $quick --record "$T/own" >"$T/own" 2>"$T/err"; [ $? = 2 ] && has "$T/err" "standard output"; }
check "standard output into the record's own file is refused" own
fifo_verify() { run 2 timeout 10 "$ASSAY" verify "$T/fifo"; }
check "verify does not hang on a FIFO" fifo_verify
root() { "$ASSAY" run --sysroot / $quick >"$T/out" 2>&1; [ $? = 3 ] && has "$T/out" "partial=simulated"; }
check "a sysroot of / is simulated, too" root
loops() {
	truncate -s 32M "$T/under"; a=$(losetup -f --show "$T/under") && b=$(losetup -f --show "$a") || return 1
	run 2 "$ASSAY" run --only block.verify --scratch "$b"; r=$?
	losetup -d "$b"; losetup -d "$a"; return $r
}
[ "$(id -u)" = 0 ] && check "a loop device over a block device is no way round the checks" loops
fits() { head -c 65533 /dev/zero | tr '\0' ' ' >"$T/big.json"; jq -c . board/x86.json >"$T/c"; n=$(stat -c %s "$T/c"); { cat "$T/c"; head -c $((65536 - n)) /dev/zero | tr '\0' ' '; } >"$T/big.json"; run 0 "$ASSAY" check "$T/big.json"; echo >>"$T/big.json"; run 2 "$ASSAY" check "$T/big.json"; }
check "a board file of 64 KiB is read, a larger one refused" fits
exit $failed

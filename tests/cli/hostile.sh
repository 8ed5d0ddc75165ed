# Places where much is missing or forbidden: never a crash, never a false PASS, never a hang; what could not be measured is named.
# lane: waits
. tests/cli/lib.sh
[ "$(id -u)" = 0 ] || { echo "not ok hostile.sh needs root (it makes namespaces and cgroups)"; exit 1; }

quick="--set mem.latency.size=32k,2m --set mem.test.size_max=32m --set block.verify.size=16m --set env.noise.duration=100ms --set mem.latency.time=20ms --set mem.bandwidth.time=50ms --set mem.bandwidth.buffer=4m --set mem.c2c.time=8ms --set mem.loaded.time=8ms --set mem.loaded.buffer=4m --set block.read.runtime=50ms --set block.randread.runtime=50ms --set net.tcp.runtime=300ms --set msg.local.duration=200ms"
dd if=/dev/zero of="$T/s" bs=1M count=32 status=none

# ends STATUSES COMMAND...: ends with one of the statuses and a whole last line
ends() {
	want=$1; shift
	timeout 150 "$@" >"$T/out" 2>&1 </dev/null
	got=$?
	case " $want " in *" $got "*) ;; *) echo "status $got, not $want"; tail -15 "$T/out"; return 1 ;; esac
	tail -1 "$T/out" | grep -qE '^assay: (PASS|FAIL|ERROR|MEASURED|INTERRUPTED) .* crc32c=[0-9a-f]{8}$' || { echo "no last line"; tail -5 "$T/out"; return 1; }
	hasnt "$T/out" "crashed"
}

check "without a network (lo is down): ERROR, and named" ends 2 unshare -n "$ASSAY" run --only net.tcp,env.snapshot $quick
check "it says that lo is down" has "$T/out" "lo"
check "without /sys" ends "0 2" unshare -m sh -c "mount -t tmpfs none /sys; exec '$ASSAY' run --scratch '$T/s' $quick"
check "without /proc" ends "1 2" unshare -m sh -c "mount -t tmpfs none /proc; exec '$ASSAY' run --scratch '$T/s' $quick"
check "without /dev/shm" ends "0 2" unshare -m sh -c "umount -l /dev/shm 2>/dev/null; exec '$ASSAY' run --only msg.local,env.snapshot $quick"
check "with a 64 KiB /dev/shm" ends 0 unshare -m sh -c "mount -t tmpfs -o size=64k none /dev/shm; exec '$ASSAY' run --only msg.local,env.snapshot $quick"
check "with everything read-only but /dev, /proc and /sys" ends "0 2" unshare -m sh -c "
	for m in \$(awk '\$2 !~ \"^/(dev|proc|sys)\" {print \$2}' /proc/self/mounts); do mount -o remount,ro,bind \$m || exit 1; done
	! touch '$T/x' 2>/dev/null || exit 1
	exec '$ASSAY' run --only env.snapshot,mem.test $quick"

# Every errno that io_uring_setup (425) and io_uring_enter (426) can give, and libaio forbidden on top (206, 209).
gcc -o "$T/deny" tests/cli/deny.c || exit 1
blocks="--only block.read,block.randread --scratch $T/s --set block.read.runtime=50ms --set block.randread.runtime=50ms --set block.read.bs=4k"
for e in 1 4 9 11 12 13 14 16 22 24 38 95 105; do
	check "io_uring_setup fails with errno $e" ends 0 "$T/deny" 425=$e "$ASSAY" run $blocks
	check "io_uring_enter fails with errno $e" ends "0 2" "$T/deny" 426=$e "$ASSAY" run $blocks
done
check "neither io_uring nor libaio: psync, and named" ends 0 "$T/deny" 425=38,206=38 "$ASSAY" run $blocks --record "$T/r"
check "psync is named" grep -q '"engine":"psync"' "$T/r"

nobody() { chmod 755 "$T"; chown 65534 "$T/s"; ends "0 2" setpriv --reuid=65534 --regid=65534 --clear-groups "$ASSAY" run --scratch "$T/s" $quick; }
check "as an ordinary user" nobody
chown 0 "$T/s"

twice() {
	"$ASSAY" run --only env.noise --set env.noise.duration=3s >"$T/first" 2>&1 &
	first=$!
	sleep 1
	run 2 "$ASSAY" run --only env.snapshot && has "$T/err" "process $first"
	second=$?
	wait $first && [ $second = 0 ]
}
check "twice at once: the second is refused and names the first, which ends well" twice

# ---- ends of all kinds ----
child_of() { # the step's child of process $1
	for i in $(seq 50); do
		for p in $(cat /proc/$1/task/$1/children 2>/dev/null || pgrep -P "$1"); do
			[ "$(cut -d' ' -f5 /proc/$p/stat 2>/dev/null)" = "$p" ] && grep -q "^0*1000$" /proc/$p/oom_score_adj 2>/dev/null && { echo $p; return 0; }
		done
		sleep 0.1
	done
	return 1
}
noise="--only env.noise,env.after --set env.noise.duration=20s --record $T/r"

signal() { # signal SIG STATUS TEXT: to the runner
	"$ASSAY" run $noise >"$T/out" 2>&1 &
	pid=$!
	child_of $pid >/dev/null; sleep 0.3
	kill -"$1" $pid
	wait $pid
	[ $? = "$2" ] && has "$T/out" "$3" && "$ASSAY" verify "$T/r"
}
check "SIGINT: all stops, the record is properly ended, status 130" signal INT 130 "assay: INTERRUPTED"
check "SIGTERM: the same" signal TERM 130 "assay: INTERRUPTED"

crash() { # crash SIG TEXT: to the step's child
	"$ASSAY" run $noise >"$T/out" 2>&1 &
	pid=$!
	child=$(child_of $pid); sleep 0.2
	kill -"$1" "$child"
	wait $pid
	[ $? = 2 ] && has "$T/out" "$2" && has "$T/out" "2/2 env.after" && has "$T/out" "assay: ERROR" && "$ASSAY" verify "$T/r"
}
check "SIGBUS in a step: ERROR that says so, the sequence goes on" crash BUS SIGBUS
check "SIGSEGV in a step" crash SEGV SIGSEGV
check "SIGKILL of a step" crash KILL "SIGKILL (from outside"

deadline() {
	"$ASSAY" run --only env.noise,env.after --set env.noise.duration=500ms --slack 1s >"$T/out" 2>&1 &
	pid=$!
	child=$(child_of $pid)
	kill -STOP "$child"
	wait $pid
	[ $? = 2 ] && has "$T/out" "not done at its deadline" && has "$T/out" "2/2 env.after"
}
check "a step that does not end: ERROR at its deadline, the sequence goes on" deadline

killed() {
	"$ASSAY" run --only env.noise --set env.noise.duration=30s >"$T/out" 2>&1 &
	pid=$!
	child=$(child_of $pid); sleep 0.2
	kill -KILL $pid
	wait $pid 2>/dev/null
	for i in $(seq 30); do [ -d /proc/"$child" ] || return 0; sleep 0.1; done
	echo "the step's child $child outlives the runner"; kill -KILL "$child"; return 1
}
check "SIGKILL of the runner ends the step, too" killed

group=$(memory_cgroup $((64 << 20)))
cleanup() { [ -z "$group" ] || rmdir "$group" 2>/dev/null; }
if [ -n "$group" ]; then
	check "under a 64 MiB memory cgroup: nothing is killed" ends "0 2" sh -c "echo \$\$ >'$group/cgroup.procs'; exec '$ASSAY' run --scratch '$T/s' --set env.noise.duration=100ms"
	check "nothing was killed in it" hasnt "$T/out" "OOM"
	check "the memory test says what it covered" has "$T/out" "mem.test.errors[pattern=address]"

	# A neighbour in the same cgroup eats what the step counted on: the kernel kills the step, not the runner.
	for f in memory.limit_in_bytes memory.max; do [ -w "$group/$f" ] && echo $((200 << 20)) >"$group/$f"; done
	oom() {
		sh -c "echo \$\$ >'$group/cgroup.procs'; exec '$ASSAY' run --only mem.latency,env.after --set mem.latency.size=64m --set mem.latency.time=15s --record '$T/r'" >"$T/out" 2>&1 &
		pid=$!
		child_of $pid >/dev/null; sleep 2
		sh -c "echo \$\$ >'$group/cgroup.procs'; echo 0 >/proc/self/oom_score_adj; head -c 190M /dev/zero | tail" >/dev/null 2>&1
		wait $pid
		[ $? = 2 ] && has "$T/out" "OOM killer" && has "$T/out" "2/2 env.after" && "$ASSAY" verify "$T/r"
	}
	check "the OOM killer takes a step: ERROR that says so, the verdict comes" oom
else
	echo "not ok a memory cgroup can be made"; failed=1
fi
exit $failed

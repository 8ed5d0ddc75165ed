# Signals at random moments of a whole run.  After INT and TERM: status 130 and a whole record.  After KILL: no process, no loop
# device, and nothing outside the scratch area changed.  ROUNDS and SEED may be given.
. tests/cli/lib.sh
rounds=${ROUNDS:-60} seed=${SEED:-$$}
echo "# SEED=$seed"
dd if=/dev/zero of="$T/scratch" bs=1M count=64 status=none
dd if=/dev/urandom of="$T/neighbour" bs=1M count=8 status=none
before=$(sha256sum <"$T/neighbour")

group_is_gone() { # of the run that was process $1: it and all its steps
	for i in $(seq 50); do
		ps -e -o pid=,ppid=,args= | grep -v grep | grep -q "assay run --scratch $T/scratch" || return 0
		sleep 0.1
	done
	ps -e -o pid=,ppid=,stat=,args= | grep "assay run --scratch"
	return 1
}

loop_is_gone() {
	for i in $(seq 50); do
		grep -ls "$T/scratch" /sys/block/loop*/loop/backing_file >/dev/null || return 0
		sleep 0.1
	done
	return 1
}

one() { # one SIGNAL STATUS DELAY
	"$ASSAY" run --scratch "$T/scratch" --record "$T/r" >"$T/out" 2>&1 &
	pid=$!
	sleep "$3"
	kill -"$1" $pid 2>/dev/null
	wait $pid 2>/dev/null
	status=$?
	[ $status = "$2" ] || { echo "after $3 s of $1: status $status"; tail -5 "$T/out"; return 1; }
	[ "$1" = KILL ] || "$ASSAY" verify "$T/r" >/dev/null || { echo "after $3 s of $1: the record"; return 1; }
	group_is_gone && loop_is_gone
}

loop() { # loop SIGNAL STATUS
	for i in $(seq $((rounds / 3))); do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		one "$1" "$2" "$((seed / 65536 % 15)).$((seed / 256 % 10))" || return 1
	done
}
check "SIGINT at random moments" loop INT 130
check "SIGTERM at random moments" loop TERM 130
check "SIGKILL at random moments" loop KILL 137
check "what is not the scratch area is as it was" sh -c "[ \"\$(sha256sum <'$T/neighbour')\" = '$before' ]"
check "and the machine still passes" run 0 "$ASSAY" run --scratch "$T/scratch"
exit $failed

# The study of loads side by side: every rate and every loss is there or SKIP, and a load that fails, stops, or is killed neither hangs it nor passes.
. tests/cli/lib.sh
[ "$(id -u)" = 0 ] && [ -w /dev/fuse ] || { echo "not ok interference.sh needs root and /dev/fuse"; exit 1; }
gcc -O2 -w -D_FILE_OFFSET_BITS=64 -o "$T/faulty" tests/cli/faulty.c $(pkg-config --cflags --libs fuse3) || { echo "not ok interference.sh needs fuse3"; exit 1; }
mounted='' started=''
cleanup() {
	[ -z "$started" ] || kill -CONT $started 2>/dev/null
	detach_all
	for m in $mounted; do umount "$m" 2>/dev/null; done
	[ -z "$started" ] || kill $started 2>/dev/null
	wait
}
drive() { # drive NAME KIND BYTE: $drive is its file, $pid its process
	mkdir "$T/$1"
	"$T/faulty" "$T/$1" 32 "$2" "$3" >/dev/null 2>&1 &
	pid=$!
	started="$started $pid" mounted="$mounted $T/$1" drive=$T/$1/disk
	for i in $(seq 50); do [ -e "$drive" ] && return; sleep 0.1; done
	return 1
}
quick='--runtime 40ms --ramp_time 5ms --buffer 2m'
study() { want=$1; shift; run "$want" "$ASSAY" study interference "$@"; }
all='storage network memory messages'
# figures WORD LOAD...: the rate of each of those, and the loss of each beside each other one
figures() {
	word=$1
	shift
	for a in "$@"; do
		grep -qE "^ +$word +study\.interference\.rate\[load=$a\]" "$T/out" || { echo "no rate of $a"; return 1; }
		for b in "$@"; do
			[ $a = $b ] || grep -qE "^ +$word +study\.interference\.loss\[load=$a,beside=$b\]" "$T/out" || { echo "no $a beside $b"; return 1; }
		done
	done
}
dd if=/dev/urandom of="$T/disk" bs=1M count=16 status=none
sum=$(sha256sum <"$T/disk")

check "four loads over a file" study 0 "$T/disk" $quick --rounds 6 --record "$T/record"
check "each rate and each loss is there" figures measured $all
check "with an interval" grep -qE 'loss\[load=memory,beside=storage\].*95%: .*n=6' "$T/out"
table() { grep -qE '^ +alone, MB/s +beside storage, % +beside network, %' "$T/out" && grep -qE '^ +memory +[0-9.]+ +-?[0-9.]+ +-?[0-9.]+ +- +-?[0-9.]+$' "$T/out"; }
check "they stand in one table" table
claims() { grep -qE '^ +(supported|refuted|cannot tell) +SSD and DRAM interact' "$T/out" && grep -qE '^ +not comparable +10GbE depends on memory bandwidth' "$T/out"; }
check "its claims are judged" claims
evidence() {
	jq -es '[.[].testStepArtifact.measurement // empty | select(.name | startswith("study.interference.loss")) | .metadata |
		select(.cpus and .apart and .engine and .overlap > 0 and .overlap <= 1 and .cpus_alone > 0 and .cpus_beside > 0 and .n == 6)] | length == 12' "$T/record"
}
check "the evidence has CPUs, engine, overlap and CPU time" evidence
same() { [ "$sum" = "$(sha256sum <"$T/disk")" ]; }
check "the device is only read" same
attach -r "$T/disk"
check "a loop device, beside memory alone" study 0 "$l" $quick --rounds 1 --loads storage,memory
check "what was not asked for is SKIP" grep -qE 'SKIP +study.interference.loss\[load=memory,beside=network\]: network: not asked for' "$T/out"
check "five rounds or fewer have no interval, and the claim says so" grep -q 'n=1, too few for an' "$T/out"
detach "$l"

one() { run 0 taskset -c 0 "$ASSAY" study interference "$T/disk" $quick --rounds 6 --loads storage,memory && has "$T/out" 'may be one of CPU time: they share the one CPU' && hasnt "$T/out" 'supported '; }
check "on one CPU it says that they share it, and supports nothing" one

jq '.undeclared_storage = "ignore"' board/x86.json >"$T/board.json"
none() { study 0 --board "$T/board.json" $quick --rounds 1 && figures measured network memory messages; }
check "without a device the others are measured" none
skipped() {
	for b in network memory messages; do
		grep -qE "SKIP +study\.interference\.loss\[load=$b,beside=storage\]: storage: there is no device" "$T/out" || return 1
	done
	grep -qE '^ +storage +skip +- +skip +skip +skip|^ +storage +skip( +skip| +-)+' "$T/out"
}
check "and storage is SKIP with the reason" skipped
check "as is memory that is not free" study 0 "$T/disk" --runtime 20ms --rounds 1 --loads storage,memory --buffer 1t
check "with the reason" grep -qE 'SKIP +study.interference.rate\[load=memory\]: memory: .*half of the free memory' "$T/out"

# ---- loads that fail ----
drive gone vanish 500
vanished() { study 1 "$drive" $quick --rounds 2 && grep -qE 'FAIL +study.interference.rate\[load=storage\].*device lost' "$T/out" && figures measured network memory messages; }
check "a drive that vanishes: FAIL, and the others are measured" vanished
check "it is said once" [ "$(grep -cE '^      FAIL ' "$T/out")" = 1 ]

# midway COMMAND: a study of messages, in whose first turn COMMAND is run; $family: the step, the writer, the reader
children() { for c in $(pgrep -P "$1" -x assay); do echo $c; children $c; done; }
midway() {
	"$ASSAY" study interference --board "$T/board.json" --loads messages --runtime 3s --rounds 1 >"$T/out" 2>&1 &
	main=$!
	for i in $(seq 50); do family=$(children $main); [ "$(echo $family | wc -w)" = 3 ] && break; sleep 0.1; done
	sleep 0.2
	kill -KILL $("$@")
	wait $main
	status=$?
}
writer() { echo $family | cut -d' ' -f2; }
killed() { midway writer; [ $status = 2 ] && grep -qE 'ERROR +study.interference.rate\[load=messages\]: SIGKILL' "$T/out" || { cat "$T/out"; return 1; }; }
check "a load that is killed: ERROR" killed
main_one() { echo $main; }
orphans() {
	midway main_one
	[ -n "$family" ] || return 1
	for i in $(seq 30); do
		left=0
		for p in $family; do kill -0 $p 2>/dev/null && left=1; done
		[ $left = 0 ] && return
		sleep 0.1
	done
	ps -p "$(echo $family | tr ' ' ,)"
	return 1
}
check "none outlives the study" orphans

drive stops none 0
stopped() {
	"$ASSAY" study interference "$drive" --loads storage,memory --runtime 100ms --rounds 60 >"$T/out" 2>&1 &
	main=$!
	sleep 1.5
	kill -STOP $pid
	wait $main
	status=$?
	kill -CONT $pid
	[ $status = 2 ] && grep -qE 'ERROR +study.interference.rate\[load=storage\]: (it did not come to an end|its process is stuck)' "$T/out" || { cat "$T/out"; return 1; }
}
check "a drive that stops answering: ERROR, and the study ends" stopped

# ---- on ARM ----
check "the same on aarch64" run 0 qemu-aarch64-static build/aarch64/assay study interference "$T/disk" --runtime 20ms --ramp_time 1ms --rounds 1 --buffer 256k
check "with every figure" figures measured $all
exit $failed

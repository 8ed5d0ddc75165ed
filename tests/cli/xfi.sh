# The 10 GbE study between two network namespaces, with a made-up tree for the clocks and a cause that the test has built in (tests/cli/xfi.py): the table is whole, the
# cause is found with its interaction, and what has nothing to do with it is said to have no effect.  Everything that it sets is put back.
# A tree of that kind makes a run simulated: MEASURED, status 3.  PLANTINGS: other causes than the two of make test, see tests/long/xfi.sh.
# lane: waits
. tests/cli/lib.sh
[ "$(id -u)" = 0 ] || { echo "not ok xfi.sh needs root (it makes network namespaces)"; exit 1; }

renice -n -15 $$ >/dev/null # runs of a fifth of a second, that next to no CPU time is needed for: whoever else is at work is to be no factor
here=xa$$ there=xb$$ server='' peer='' planter='' study=''
cleanup() {
	for pid in $server $peer $planter $study; do kill -KILL "$pid" 2>/dev/null; done
	ip netns del $here 2>/dev/null
	ip netns del $there 2>/dev/null
}
ip netns add $here && ip netns add $there && ip -n $here link add v0 type veth peer name v1 netns $there || { echo "not ok xfi.sh needs namespaces and veth"; exit 1; }
ip -n $here addr add 10.9.0.1/24 dev v0 && ip -n $there addr add 10.9.0.2/24 dev v1
for n in $here $there; do
	ip -n $n link set lo up
	# What waits in a buffer when a run of a quarter of a second ends is of no account.
	ip netns exec $n sysctl -qw net.ipv4.tcp_wmem='4096 65536 65536' net.ipv4.tcp_rmem='4096 131072 131072'
done
ip -n $here link set v0 up && ip -n $there link set v1 up
ip netns exec $there iperf3 -s >"$T/server" 2>&1 &
server=$!
tests/sysroot/make-orin "$T/tree" emc-slow
tree=$T/tree emc=$T/tree/sys/kernel/debug/bpmp/debug/clk/emc cpu=$T/tree/sys/devices/system/cpu
mkdir -p "$tree/sys/class/drm/card0-HDMI-A-1"
connector=$tree/sys/class/drm/card0-HDMI-A-1/status
settings() { for f in "$emc/rate" "$emc/mrq_rate_locked" "$cpu"/cpu*/cpufreq/scaling_min_freq "$cpu"/cpu*/cpuidle/state1/disable; do echo "$(cat "$f")"; done; }
before=$(settings)
as_before() { [ "$(settings)" = "$before" ] || { settings | tr '\n' ' '; return 1; }; }
quick='--time 300ms --omit 0 --settle 80ms --loads 0,50MB'

plant() { # plant CAUSE
	[ -z "$planter" ] || { kill -KILL $planter; wait $planter 2>/dev/null; }
	python3 tests/cli/xfi.py plant "$1" "$tree" $here $there "$T/late" &
	planter=$!
	for i in $(seq 50); do tc -n $there qdisc show dev v1 | grep -q tbf && return; sleep 0.05; done
	return 1
}
# study STATUS OPTION...: against the other namespace
study() {
	want=$1
	shift
	run "$want" timeout 200 ip netns exec $here "$ASSAY" study xfi 10.9.0.2 --sysroot "$tree" --record "$T/r" "$@"
}
found() { python3 tests/cli/xfi.py judge "$1" "$T/r" "$2"; }
# in_time COMMAND...: again, at most twice, where the machine held up what was at work here: that is a factor that nobody has planted
in_time() {
	for try in 1 2 3; do
		: >"$T/late"
		"$@"
		result=$?
		[ $result != 0 ] && [ -s "$T/late" ] || break
		echo "held up: $(tr '\n' ' ' <"$T/late")"
	done
	return $result
}
planting() { # planting CAUSE FACTORS CELLS
	plant "$1" && study 3 $quick --factors "$2" && found "$1" "$3" && as_before
}

if [ -n "${PLANTINGS:-}" ]; then
	quick='--time 1s --omit 0 --settle 200ms --repeat 4 --loads 0,50MB'
	export BURST=2mb
	for planting in $PLANTINGS; do
		cause=${planting%%:*} rest=${planting#*:}
		check "planted: $cause, among $rest" in_time planting "$cause" "${rest%:*}" "${rest##*:}"
	done
	exit $failed
fi

# ---- two causes, each of more than one factor ----
check "the memory clock or the load, over clocks that do not matter" in_time planting emc_load emc,cpufreq,load 8
says() { tr -s ' ' <"$T/out" | grep -qE -- "$1" || { echo "nothing says: $1"; tail -30 "$T/out"; return 1; }; }
check "in plain words: what recovers it" says 'tx: [0-9.]+ Mbit/s as found, [0-9.]+ Mbit/s with (emc|load); alone emc recovers [0-9]+ % of that: .*, load recovers'
check "how they interact" says 'emc and load interact: -[0-9.]+ Mbit/s, each does less beside the other'
check "and what explains nothing" says 'no effect: cpufreq \(at most [0-9] %\)'
check "the run is simulated" says '^assay: MEASURED .*partial=simulated'
check "a plan goes before it" says 'all combinations of emc x cpufreq x load: 8 cells, each 3 times'
rows() { [ "$(grep -cE '^ +tx, (free|emc held|cpufreq held|all held)(, 0.05 GB/s)? +0\.[0-9]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+ +[0-9.]+$' "$T/out")" = 8 ]; }
check "a row for each cell" rows

eight() {
	echo connected >"$connector"
	plant clocks_display && timeout 200 ip netns exec $here python3 tests/cli/xfi.py operator "$tree" "$T/out" "$ASSAY" study xfi 10.9.0.2 --sysroot "$tree" --record "$T/r" $quick --factors direction,clocks,display
	[ $? = 3 ] && found clocks_display 8 && as_before
}
check "T1 to T8: TX is slow where neither display nor clocks help, the operator unplugs" in_time eight
numbers() {
	for t in 'T1 tx, no display, free:4.7:58' 'T2 rx, no display, free:9.4:100' 'T3 tx, display, free:7.5:88' 'T4 rx, display, free:9.4:100' \
		'T5 tx, no display, all held:9.4:63' 'T6 rx, no display, all held:9.4:88' 'T7 tx, display, all held:7.8:87' 'T8 rx, display, all held:9.4:90'; do
		row=${t%%:*} theirs=${t#*:}
		grep -qE "^ +$row +0\.[0-9]+ +\(${theirs%:*}\) +[0-9.]+ +\(${theirs#*:}\)" "$T/out" || { echo "no row $t"; grep -E '^ +T' "$T/out"; return 1; }
	done
}
check "the study's own table, its figures alongside" numbers
check "RX is the same everywhere: supported" says '^ supported RX is the same everywhere'
check "clocks rather than HDMI: refuted, for both matter" says '^ refuted TX depends on clocks rather than'
check "the interaction that it missed" says '^ refuted clocks and HDMI do not interact'
rm -r "$tree/sys/class/drm"

# ---- the other architecture, translated, and a peer that tells its state ----
tests/own-root ip netns exec $there "$ASSAY" serve --port 5301 >"$T/serve" 2>&1 &
peer=$!
for i in $(seq 40); do ip netns exec $there ss -Hltn | grep -q :5301 && break; sleep 0.05; done
translated() {
	plant direction_emc && run 3 timeout 100 ip netns exec $here qemu-aarch64-static build/aarch64/assay study xfi 10.9.0.2 --port 5301 --sysroot "$tree" \
		--record "$T/r" $quick --factors direction,emc && found direction_emc 4 && as_before
}
check "aarch64 finds the memory clock over tx alone" in_time translated
peer_is_told() { record_fact "$T/r" '^study.xfi.throughput' peer; record_fact "$T/r" '^study.xfi.throughput' peer_nic; cat "$T/serve"; record_fact "$T/r" '^study.xfi.throughput' peer | grep -qE '^[0-9]+\.[0-9]+' && [ "$(record_fact "$T/r" '^study.xfi.throughput' peer_nic)" = veth ]; }
check "both ends are in the record" peer_is_told
kill $peer

# ---- put back, whoever is killed ----
holds() { for i in $(seq 100); do [ "$(cat "$emc/rate")" = 3199000000 ] && return; sleep 0.05; done; return 1; }
goes_back() { for i in $(seq 60); do [ "$(settings)" = "$before" ] && return; sleep 0.05; done; settings | tr '\n' ' '; return 1; }
start() {
	ip netns exec $here "$ASSAY" study xfi 10.9.0.2 --sysroot "$tree" --factors clocks --time 20s --omit 0 --settle 0 --repeat 2 --seed 1 >"$T/out" 2>&1 </dev/null &
	study=$!
	for i in $(seq 100); do child=$(pgrep -P $study -x assay | tail -1) && [ -n "$child" ] && return; sleep 0.05; done
	return 1
}
all_killed() {
	start && holds || return 1
	kill -KILL $study $child
	wait $study 2>/dev/null
	goes_back
}
child_killed() {
	start && holds || return 1
	kill -KILL $child
	goes_back
	result=$?
	wait $study
	return $result
}
kill -KILL $planter && wait $planter 2>/dev/null
planter=''
tc -n $here qdisc del dev v0 root; tc -n $there qdisc del dev v1 root
check "clocks are put back when all but the guardian is killed" all_killed
kill -KILL $server; wait $server 2>/dev/null
ip netns exec $there iperf3 -s >"$T/server" 2>&1 &
server=$!
check "and when the step's process is" child_killed
kill -KILL $server; wait $server 2>/dev/null
ip netns exec $there iperf3 -s >"$T/server" 2>&1 &
server=$!

# ---- what is not there ----
tests/sysroot/make-orin "$T/bare" no-debugfs
rm -r "$T"/bare/sys/devices/system/cpu/cpu*/cpuidle
bare() { run 3 ip netns exec $here "$ASSAY" study xfi --peer 10.9.0.2 --sysroot "$T/bare" --time 100ms --omit 0 --settle 0 --loads 0 --repeat 1 --record "$T/r"; }
check "without memory clock, cpuidle and display the rest runs" bare
named() {
	says 'SKIP .*factor=emc\]: emc: .*rate is not there' && says 'SKIP .*factor=cpuidle\]: cpuidle: no CPU has states' && says 'SKIP .*factor=display\]: display: unknown: no connector' &&
		says 'all combinations of direction x cpufreq: 4 cells'
}
check "and each is named with its reason" named
untold() { says 'cannot be told: cpufreq' && [ "$(record_fact "$T/r" '^study.xfi.effect.*factor=cpufreq' finding)" = 'cannot tell' ]; }
check "one run of each cell tells no effect" untold
echo 3199000000 >"$emc/rate"
echo 1 >"$emc/mrq_rate_locked"
held() { run 3 ip netns exec $here "$ASSAY" net 10.9.0.2 --matrix emc -t 0.1 -O 0 --settle 0 --repeat 1 --sysroot "$tree" && says 'SKIP .*emc: held at its maximum already'; }
check "a clock that is held already is no factor (net --matrix)" held
echo disconnected | { mkdir -p "$tree/sys/class/drm/card0-HDMI-A-1"; cat >"$connector"; }
alone() { study 3 --factors display --time 100ms --omit 0 --settle 0 --repeat 1 && says "SKIP .*display: HDMI-A-1 disconnected; its driver cannot be told otherwise, and nobody is there to be asked"; }
check "a display that nobody can switch" alone

rm -r "$tree/sys/class/drm"
short() { study 3 --factors load --loads 0,20MB,900GB --time 100ms --omit 0 --settle 0 --repeat 1 && says '(WARN|warned) .*of the load of 900000 MB/s [0-9]+ were reached' && says 'throughput, Mbit/s, against memory load, MB/s'; }
check "a load that the memory cannot bear is told, and loads between make a curve" short

# ---- peers that are none, ways that are gone ----
cut() {
	(sleep 1.5; ip -n $here link set v0 down) &
	study 1 --factors direction --time 1s --omit 0 --settle 0 && says 'FAIL .*link' && [ "$(grep -c '^      FAIL' "$T/out")" = 1 ]
	result=$?
	ip -n $here link set v0 up
	return $result
}
check "a link that goes down: FAIL, and the rest is not tried" cut
refused() {  kill -KILL $server; wait $server 2>/dev/null; study 2 --time 100ms --omit 0 --settle 0 && says 'ERROR .*refused' && says 'SKIP .*no run of it brought a rate' && [ "$(grep -c "^      ERROR" "$T/out")" = 3 ]; }
check "a peer that refuses: three errors, the rest is skipped" refused
check "no peer" run 2 "$ASSAY" study xfi
check "is said" has "$T/err" 'study xfi needs a peer: assay study xfi HOST'
check "a factor that there is none of" run 2 "$ASSAY" study xfi 10.9.0.2 --factors moon
check "is named" has "$T/err" 'direction|emc|cpufreq|cpuidle|display|load|clocks'
exit $failed

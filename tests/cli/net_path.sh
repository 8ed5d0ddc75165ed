# What goes wrong between two machines (two network namespaces over a veth pair): the right figures, the right cause, an end in time.
# lane: waits
. tests/cli/lib.sh
[ "$(id -u)" = 0 ] || { echo "not ok net_path.sh needs root (it makes network namespaces)"; exit 1; }

here=an$$ there=bn$$ server='' other=''
cleanup() {
	for pid in $server $other; do kill -KILL "$pid" 2>/dev/null; done
	ip netns del $here 2>/dev/null
	ip netns del $there 2>/dev/null
}
ip netns add $here && ip netns add $there && ip -n $here link add v0 type veth peer name v1 netns $there || { echo "not ok net_path.sh needs namespaces and veth"; exit 1; }
ip -n $here addr add 10.9.0.1/24 dev v0 && ip -n $there addr add 10.9.0.2/24 dev v1
ip -n $here link set lo up && ip -n $there link set lo up && ip -n $here link set v0 up && ip -n $there link set v1 up

serve() {
	ip netns exec $there "$ASSAY" serve "$@" >>"$T/server" 2>&1 &
	server=$!
	for i in $(seq 40); do ip netns exec $there ss -Hltn 2>/dev/null | grep -q :5201 && return; sleep 0.05; done
	cat "$T/server"
	return 1
}
# net STATUS OPTION...: a test with the other end; its record is $T/r
net() {
	want=$1
	shift
	run "$want" timeout 40 ip netns exec $here "$ASSAY" net 10.9.0.2 --record "$T/r" "$@"
}
limit() { # limit here|there RATE|none: a bucket on what that end sends
	case $1 in here) on="$here dev v0" ;; *) on="$there dev v1" ;; esac
	set -- $on "$2"
	tc -n "$1" qdisc del "$2" "$3" root 2>/dev/null
	[ "$4" = none ] || tc -n "$1" qdisc add "$2" "$3" root tbf rate "$4" burst 64k latency 20ms
}
seconds() { start=$(date +%s%N); "$@"; result=$?; took=$((($(date +%s%N) - start) / 1000000)); return $result; }

serve || { echo "not ok assay serve does not listen"; exit 1; }

# ---- a bucket in one direction, which counts one header for a burst of segments ----
one_way() { limit here 200mbit && net 0 -t 1.5 && between 180e6 201e6 "$(record_value "$T/r" '^net.tcp.throughput.*dir=tx')" bit/s; }
cause_is_path() { has "$T/out" "net.limit.path" && [ "$(record_fact "$T/r" '^net.limit.path.*dir=tx' binds)" = 1 ]; }
other_way() { net 0 -t 0.5 -R && between 600e6 1e12 "$(record_value "$T/r" '^net.tcp.throughput.*dir=rx')" bit/s && [ "$(record_fact "$T/r" '^net.limit.path.*dir=rx' binds)" != 1 ]; }
check "a bucket in one direction: its figure" one_way
check "and the cause: the path" cause_is_path
check "the other direction has neither" other_way
# The sender's intervals say nothing of what came of it, and no interval of theirs stands beside the figure.
half_came() {
	limit here 10mbit && net 0 -u -b 20M -l 1000 -t 1 && between 8e6 11e6 "$(record_value "$T/r" '^net.udp.throughput')" bit/s &&
		[ "$(record_fact "$T/r" '^net.udp.throughput' low95)" = null ] && has "$T/out" "what was sent is not what arrived"
}
check "a rate of which half arrives is not told as steady" half_came

# ---- a rate that steps ----
stepping() {
	limit here 400mbit || return 1
	# A warm-up before it: what fills the send buffer goes faster than the bucket lets it through.
	(sleep 3; tc -n $here qdisc change dev v0 root tbf rate 100mbit burst 64k latency 20ms) &
	net 0 -O 1 -t 4 -i 0.1 || return 1
	wait $!
	levels >"$T/levels" && [ "$(wc -l <"$T/levels")" -ge 2 ] && near 4e8 $(head -n 1 "$T/levels") && near 1e8 $(tail -n 1 "$T/levels")
}
levels() { jq -r '.testStepArtifact.measurement // empty | select(.name | startswith("net.steady.level[")) | "\(.value) \(.metadata.start_ns)"' "$T/r"; }
near() { awk -v rate="$1" -v value="$2" 'BEGIN { exit !(value > 0.85 * rate && value < 1.01 * rate) }' || { cat "$T/levels"; return 1; }; }
# A busy machine may have steps of its own; none but this one leads to such a rate.
step_time() {
	while read -r rate start; do
		near 1e8 "$rate" >/dev/null && { between 15e8 23e8 "$start" "ns until the step,"; return; }
	done <"$T/levels"
	return 1
}
check "a rate that steps in mid-run: its levels" stepping
check "and the time of the step" step_time
limit here none

# ---- MTU 9000 against 1500 ----
mtu() { net 0 -t 0.5 && between 600e6 1e12 "$(record_value "$T/r" '^net.tcp.throughput')" bit/s && has "$T/out" "net.limit.mtu" && grep "net.limit.mtu" "$T/out" | grep -q 9000 && grep "net.limit.mtu" "$T/out" | grep -q 1500; }
mtu_of_datagrams() {
	net 2 -u -b 20M -l 8000 -t 0.5 && has "$T/out" "no byte arrived" &&
		between 1e6 1e6 "$(record_value "$T/r" '^net.limit.loss')" "ppm of loss," && [ "$(record_fact "$T/r" '^net.limit.mtu' binds)" = 1 ]
}
ip -n $here link set v0 mtu 9000
check "MTU 9000 against 1500: TCP goes, and both are told" mtu
check "datagrams that only one end takes: all lost, and the cause is the MTU" mtu_of_datagrams
ip -n $here link set v0 mtu 1500

# ---- a link that goes down in mid-run ----
down() {
	(sleep 1; ip -n $there link set v1 down) &
	seconds net 1 -t 3
	result=$?
	wait $!
	[ $result = 0 ] && between 0 30000 "$took" ms && between 1 1e12 "$(record_value "$T/r" '^net.tcp.throughput')" bit/s && "$ASSAY" verify "$T/r"
}
check "a link that goes down in mid-run: FAIL in time, with what there was" down
ip -n $there link set v1 up

# ---- peers that are none ----
# says TEXT COMMAND...: status 2, and one line says so
says() {
	text=$1
	shift
	run 2 timeout 40 ip netns exec $here "$ASSAY" net "$@" -t 1 && [ "$(grep -hE '^assay: [^E]|^ +ERROR    ' "$T/out" "$T/err" | grep -cE -- "$text")" = 1 ] || { cat "$T/out" "$T/err"; return 1; }
}
cat >"$T/banner.py" <<'END'
import socket, sys
s = socket.create_server(("", int(sys.argv[1])))
kept = []
while True:
    kept.append(s.accept()[0])
    kept[-1].sendall(sys.argv[2].encode().decode("unicode_escape").encode("latin1"))
END
ip netns exec $there python3 "$T/banner.py" 5301 'SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n' & other="$other $!"
ip netns exec $there python3 "$T/banner.py" 5302 '' & other="$other $!"
sleep 0.5
check "a network that cannot be reached" says 'connecting: there is no route to it' 192.0.2.1
check "a host that does not answer" says 'connecting: (no answer in 1 s|no way to it)' 10.9.0.99 --connect-timeout 1000
check "a port where nobody listens" says 'connecting: refused' 10.9.0.2 -p 5999
check "another service on the port" says 'waiting to be taken: it does not speak iperf3: it says "SSH-2.0' 10.9.0.2 -p 5301
check "one that says nothing" says 'waiting to be taken: silent for 10 s' 10.9.0.2 -p 5302
check "a name that does not resolve" says 'does not resolve' no.such.name.invalid
check "a link-local address without its device" says 'needs its device' fe80::1
check "a device that is not there" says 'there is no interface v9' fe80::1%v9

# ---- and then ----
# The other end was cut off, and first has to give that test up.
next() {
	for i in $(seq 100); do grep -q ": ended while " "$T/server" && break; sleep 0.25; done
	has "$T/server" ": ended while " && net 0 -t 0.3 && net 0 -t 0.3 -R
}
down_before() { ip -n $there link set v1 down; seconds net 1 -t 1; result=$?; ip -n $there link set v1 up; [ $result = 0 ] && between 0 10000 "$took" ms; }
check "the next test works" next
check "a link that is down before: FAIL" down_before

killed() {
	(sleep 1; kill -KILL $server) &
	seconds net 2 -t 10
	result=$?
	wait $!
	server=
	[ $result = 0 ] && between 0 15000 "$took" ms && has "$T/out" "ERROR" && grep -qE "ERROR .*port 5201, moving data: " "$T/out"
}
check "a peer that is killed in mid-run: ERROR, with the phase" killed

exit $failed

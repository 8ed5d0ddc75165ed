# Corner cases of the network in which a figure, a cause or a verdict was once wrong: over a veth pair between two network namespaces.
# lane: waits
. tests/cli/lib.sh
[ "$(id -u)" = 0 ] || { echo "not ok net_break.sh needs root (it makes network namespaces)"; exit 1; }

here=ak$$ there=bk$$ server=''
cleanup() {
	[ -z "$server" ] || kill -KILL "$server" 2>/dev/null
	ip netns del $here 2>/dev/null
	ip netns del $there 2>/dev/null
}
ip netns add $here && ip netns add $there && ip -n $here link add v0 type veth peer name v1 netns $there || { echo "not ok net_break.sh needs namespaces and veth"; exit 1; }
ip -n $here addr add 10.9.0.1/24 dev v0 && ip -n $there addr add 10.9.0.2/24 dev v1
for link in "$here lo" "$here v0" "$there lo" "$there v1"; do
	set -- $link
	ip -n "$1" link set "$2" up
done
ip netns exec $there "$ASSAY" serve >"$T/server" 2>&1 &
server=$!
for i in $(seq 60); do ip netns exec $there ss -Hltn | grep -q :5201 && break; sleep 0.05; done

# net STATUS OPTION...: a test with the other end; its record is $T/r
net() {
	want=$1
	shift
	run "$want" timeout 30 ip netns exec $here "$ASSAY" net 10.9.0.2 --record "$T/r" "$@"
}
# share FIGURE: what of the bytes that were sent came
share() { awk -v a="$(record_fact "$T/r" "$1" bytes)" -v b="$(record_fact "$T/r" "$1" bytes_sent)" 'BEGIN { print (b > 0 ? a / b : "none") }'; }

short_warm_up() { net 0 -b 100M -t 500ms -O 200ms && between 90e6 110e6 "$(record_value "$T/r" '^net.tcp.throughput')" bit/s && between 0.9 1.1 "$(share '^net.tcp.throughput')" of; }
short_warm_up_udp() { net 0 -u -b 20M -t 500ms -O 200ms && between 18e6 22e6 "$(record_value "$T/r" '^net.udp.throughput')" bit/s && between 0 0 "$(record_value "$T/r" '^net.udp.loss')" ppm; }
warm_up_and_bytes() { net 0 -n 10M -O 1 && between 1 1 "$(share '^net.tcp.throughput')" of && between 1 1 "$(share '^net.tcp.stream.throughput')" "of a stream's"; }
check "a warm-up of a part of a second leaves nothing out of the peer's count" short_warm_up
check "nor of its datagrams" short_warm_up_udp
check "so many bytes behind a warm-up are so many" warm_up_and_bytes

# A test by bytes ends with the direction that is first; what comes behind the end has no part in the time, and none in the bytes.
both_by_bytes() { net 0 -n 50M -P 8 --bidir && between 1 60e6 "$(record_fact "$T/r" '^net.tcp.throughput.*dir=rx' bytes)" "bytes came"; }
iperf3s() { # the same against iperf3's server, which stops when it has sent its part
	ip netns exec $there iperf3 -s -1 -p 5301 >/dev/null 2>&1 &
	for i in $(seq 60); do ip netns exec $there ss -Hltn | grep -q :5301 && break; sleep 0.05; done
	net 0 -p 5301 -n 50M -P 8 --bidir
	result=$?
	kill $! 2>/dev/null
	return $result
}
exactly() { net 0 -n 50M -R -P 4 && between 50e6 54e6 "$(record_fact "$T/r" '^net.tcp.throughput' bytes)" "bytes came"; }
too_short() { net 0 -n 1k && has "$T/out" "which is no rate"; }
check "so many bytes both ways by eight streams come to an end" both_by_bytes
check "and with iperf3's server" iperf3s
check "what came behind the end is not counted" exactly
check "what took less than a millisecond is no rate" too_short

in_time() { net 0 -P 128 -i 10ms -t 1 && between 0.98e9 1.3e9 "$(record_value "$T/r" '^net.tcp.time')" ns; }
check "more to read than an interval has time for does not make the test longer" in_time

as_asked() { net 0 -u -b 10M -t 500ms && has "$T/out" "the rate that was asked for"; }
not_as_asked() { net 0 -b 900G -t 300ms && hasnt "$T/out" "the rate that was asked for"; }
check "what is as fast as it was asked to be is limited by nothing else" as_asked
check "and what is slower is not limited by that" not_as_asked

refused() { net 2 "$@" -t 300ms && hasnt "$T/out" FAIL; }
no_device() { refused --bind-dev nosuch && has "$T/err" "there is no such interface"; }
no_length() { refused -u -l 15 && has "$T/out" "16 to 65507" && refused -u -l 65508 && has "$T/out" "16 to 65507"; }
no_port() { refused --cport 65535 -P 2 && has "$T/out" "last port is 65535"; }
last_port() { net 0 --cport 65534 -P 2 -t 100ms; }
check "an interface that is not there is no failed port" no_device
check "lengths that no datagram has" no_length
check "streams that would count past the last port" no_port
check "and those that just do not" last_port

serves_on() { kill -0 $server && net 0 -t 100ms && kill -TERM $server && wait $server; }
check "and the server serves on, and ends by itself" serves_on
exit $failed

# `assay net`: its words, what it says of bad ones, its figures against a stock iperf3 server, and the document in iperf3's shape.
# lane: waits
[ "${1:-}" = inside ] || { unshare -n sh "$0" inside; exit; }
. tests/cli/lib.sh

servers=''
cleanup() { for pid in $servers; do kill "$pid" 2>/dev/null; done; }
ip link set lo up || { echo "not ok net.sh needs a network namespace"; exit 1; }
listens() { for i in $(seq 60); do ss -Hltn "sport = :$1" | grep -q . && return; sleep 0.05; done; return 1; }
for port in 5201 5301 5302 5303 5304; do iperf3 -s -p $port >/dev/null 2>&1 & servers="$servers $!"; done
for port in 5201 5301 5302 5303 5304; do listens $port || { echo "not ok iperf3 -s does not listen"; exit 1; }; done

# ---- words ----
# says TEXT WORD...: status 2, and one line, which says so
says() {
	text=$1
	shift
	run 2 timeout 20 "$ASSAY" net "$@" || return 1
	[ "$(cat "$T/out" "$T/err" | wc -l)" = 1 ] && has "$T/err" "$text"
}
check "no peer" says "needs a peer"
check "an unknown letter" says "unknown option -Q" 127.0.0.1 -Q
check "an unknown word, and the one that is meant" says "did you mean --reverse" 127.0.0.1 --revers
check "a letter without its value" says "-p (--port) needs a value" 127.0.0.1 -p
check "a word without its value" says "--bandwidth needs a value" 127.0.0.1 --bandwidth
check "a word that takes none" says "takes no value" 127.0.0.1 --json=1
check "-R and --bidir" says "exclude each other" 127.0.0.1 -R --bidir
check "-4 and -6" says "exclude each other" 127.0.0.1 -46
check "two ends of a test" says "only one of" 127.0.0.1 -n 1M -t 1
check "a test without an end" says "--time: \"0\" is outside" 127.0.0.1 -t 0
check "TCP's words of UDP" says "are of TCP" 127.0.0.1 -u -N
check "a way to send of UDP" says "is of TCP" 127.0.0.1 -u -Z
check "too many streams" says "--parallel: \"129\" is outside" 127.0.0.1 -P129
check "too long a length" says "--length: \"2M\" is outside" 127.0.0.1 -l 2M
check "a rate that is none" says "not a rate" 127.0.0.1 -b fast
check "a code point that is none" says "not a number from 0 to 63" 127.0.0.1 --dscp af44
check "a type of service that is none" says "0x and hex" 127.0.0.1 -S 256
check "a CPU that is none" says "SERVER'S-CPU" 127.0.0.1 -A first
check "the server's words" says 'assay serve' -s
check "a file" says 'assay block' 127.0.0.1 -F /dev/null
check "several tests in one document" says "leave out --repeat" 127.0.0.1 -J --repeat 2
check "another family than the peer's" says "leave out -6" 127.0.0.1 -6
check "a source of another family" says "different families" 127.0.0.1 -B ::1
check "a source that is none" says "does not resolve" 127.0.0.1 -B no.such.name.invalid
check "a name that does not resolve" says "does not resolve" no.such.name.invalid
check "a link-local address without its device" says "needs its device" fe80::1
check "a device that is not there" says "there is no interface v9" fe80::1%v9
check "a source's device that is not there" says "--bind-dev v9: there is no such interface" 127.0.0.1 -B 127.0.0.1%v9
ignored() { run 0 "$ASSAY" net 127.0.0.1 -V -f m -t 0.1 -i 0 && has "$T/err" "--verbose is passed over" && has "$T/err" "--units is passed over"; }
check "words that mean nothing here are passed over, and it says so" ignored
help() { run 0 "$ASSAY" help net && has "$T/out" "--parallel" && has "$T/out" "-c HOST" && has "$T/out" "--dscp"; }
check "its help has iperf3's words" help

# ---- figures ----
names() { jq -r '.testStepArtifact.measurement // empty | .name' "$T/r"; }
# net WORD...: PASS, with a record
net() { run 0 timeout 30 "$ASSAY" net "$@" --record "$T/r" && "$ASSAY" verify "$T/r" >/dev/null; }
is_valid() {
	[ -x ../shared/ocp/validate ] || { jq -es 'length > 20' "$T/r"; return; }
	/usr/bin/python3 ../shared/ocp/validate "$T/r"
}
same() { # same VALUE OTHER: within a millionth
	between "$(jq -n "$1 * 0.999999")" "$(jq -n "$1 * 1.000001")" "$2"
}
figure='net.tcp.throughput\[port=lo,dir=tx,streams=2,len=128k\]'
tcp() {
	net -c127.0.0.1 -NP2 -t0.6 -O 0.3 -b 200M/8 -w 256K -S 0x20 -A 0 -i0.1 || return 1
	for wanted in net.tcp.time net.tcp.stream.throughput net.tcp.retransmits net.tcp.rtt net.tcp.cwnd net.steady.levels net.steady.low 'net.cpu.*kind=softirq' net.limit.cpu; do
		names | grep -q "^$wanted" || { echo "no $wanted"; return 1; }
	done
	between 360e6 420e6 "$(record_value "$T/r" "$figure")" bit/s
}
tcp_evidence() {
	same "$(record_fact "$T/r" "$figure" bytes) * 8e9 / $(record_fact "$T/r" "$figure" elapsed_ns)" "$(record_value "$T/r" "$figure")" &&
		between 9 11 "$(record_fact "$T/r" "$figure" discarded)" intervals && between 5 8 "$(record_fact "$T/r" "$figure" n)" intervals &&
		[ "$(record_fact "$T/r" "$figure" peer)" = unknown ] && [ "$(record_fact "$T/r" "$figure" sender_cpu)" = 0 ] &&
		between 524288 524288 "$(record_fact "$T/r" "$figure" sndbuf)" "bytes of buffer" &&
		[ "$(record_fact "$T/r" '^net.tcp.time' tos)" = 32 ] && [ "$(record_fact "$T/r" '^net.tcp.time' burst)" = 8 ] &&
		between 1e9 1.1e9 "$(record_fact "$T/r" '^net.tcp.time' omitted_ns)" ns
}
# As many elements a series as there were intervals, warm-up included; both streams have one.
tcp_series() {
	jq -es '[.[].testStepArtifact.measurementSeriesStart // empty | select(.name | test("^net.tcp.interval.bytes"))] | length == 2' "$T/r" &&
		net 127.0.0.1 -t 0.2 && jq -es '[.[].testStepArtifact.measurementSeriesStart // empty] == []' "$T/r"
}
reverse() { net 127.0.0.1 -Rt0.3 -b100M --dscp ef && names | grep -q '^net.tcp.throughput\[port=lo,dir=rx,streams=1,len=128k\]$' && ! names | grep -q 'dir=tx' && [ "$(record_fact "$T/r" '^net.tcp.time' tos)" = 184 ]; }
bidir() { net 127.0.0.1 --bidir -t 0.3 -b 100M && names | grep -q '^net.tcp.throughput.*dir=tx' && names | grep -q '^net.tcp.throughput.*dir=rx' && names | grep -q '^net.cpu\[dir=both'; }
udp() {
	net 127.0.0.1 -u -b 16M -l 1000 -t 0.5 -R && names | grep -q '^net.udp.throughput\[port=lo,dir=rx,streams=1,len=1000\]$' && between 0 0 "$(record_value "$T/r" '^net.udp.loss')" ppm &&
		between 1800 2200 "$(record_value "$T/r" '^net.udp.rate')" 1/s && between 0 1e7 "$(record_value "$T/r" '^net.udp.jitter')" ns &&
		between 0 0 "$(record_value "$T/r" '^net.udp.reordered')" ppm && between 0 0 "$(record_value "$T/r" '^net.udp.duplicates')" ppm
}
bytes() { net 127.0.0.1 -n 20M && between 20971520 20971520 "$(record_fact "$T/r" '^net.tcp.throughput' bytes)" bytes; }
zerocopy() { net 127.0.0.1 --send zerocopy -t 0.3 && record_fact "$T/r" '^net.tcp.throughput' engine | grep -qi zerocopy && between 1 1e12 "$(record_fact "$T/r" '^net.tcp.throughput' copied_after_all)" copies; }
repeat() { net 127.0.0.1 -t 0.2 --repeat 3 && [ "$(names | grep -c '^net.tcp.throughput')" = 3 ]; }
check "TCP: two streams at a rate, with a warm-up" tcp
check "and its evidence" tcp_evidence
check "its record is valid" is_valid
check "-i: the intervals are in the record, and else not" tcp_series
check "-R: the other way" reverse
check "--bidir: both ways" bidir
check "UDP: rate, loss, jitter, reordering, duplicates" udp
check "-n: so many bytes" bytes
check "zero copy over loopback: the kernel copied after all, and that is said" zerocopy
check "--repeat" repeat

# ---- against assay serve: both ends are told ----
"$ASSAY" serve -p 5401 >"$T/serve" 2>&1 & servers="$servers $!"
listens 5401
both_ends() {
	net 127.0.0.1 -p 5401 -t 0.4 -b 100M && names | grep -q '^net.peer.cpu\[dir=tx,cpu=' && [ "$(record_fact "$T/r" '^net.tcp.throughput' peer)" != unknown ]
}
check "with assay serve the record holds both ends" both_ends

# ---- ends that are none ----
refused() { run 2 "$ASSAY" net 127.0.0.1 -p 5999 -t 1 && [ "$(grep -c '^ *ERROR  *net\.tcp.*: 127.0.0.1 port 5999, connecting: refused' "$T/out")" = 1 ] && tail -1 "$T/out" | grep -q 'figures=0 .*errors=1 '; }
check "a port where nobody listens: one line with the phase, ERROR" refused

# ---- iperf3's document ----
shape() { jq -r '[paths(type != "object" and type != "array") as $p | ($p | map(if type == "number" then "[]" else . end) | join(".")) + " " + (getpath($p) | type)] | unique[]' "$1"; }
# All of iperf3's keys, each of the same type; what else there is, is known.
same_shape() {
	shape "$T/$1.theirs" >"$T/want" && shape "$T/$1.ours" >"$T/have" && [ "$(wc -l <"$T/want")" -gt "${2:-60}" ] || return 1
	comm -23 "$T/want" "$T/have" | grep . && return 1
	comm -13 "$T/want" "$T/have" | grep -vE '^start.(fq_rate|test_start.(bidir|fqrate)) ' && return 1
	return 0
}
json() { # json NAME PORT WORD...: both tools' documents; iperf3's come while ours are measured
	mode=$1 port=$2
	shift 2
	iperf3 -c 127.0.0.1 -p "$port" -J -t 1 "$@" >"$T/$mode.theirs" &
	theirs="$theirs $!"
	run 0 "$ASSAY" net 127.0.0.1 -p 5201 -J -t 0.4 "$@" && mv "$T/out" "$T/$mode.ours"
}
theirs=''
check "its document of TCP" json tcp 5301 -b 200M
check "of the other way, two streams and a warm-up" json reverse 5302 -R -P 2 -O 1 -b 100M
check "of both ways" json both 5303 --bidir -b 100M
check "of UDP both ways" json udp 5304 -u --bidir -b 10M
wait $theirs
iperf3 -c 127.0.0.1 -p 5999 -J >"$T/error.theirs"
run 2 "$ASSAY" net 127.0.0.1 -p 5999 -J >/dev/null && mv "$T/out" "$T/error.ours"
for mode in tcp reverse both udp; do check "$mode: iperf3's keys and types" same_shape $mode; done
check "error: iperf3's keys and types" same_shape error 2
error() { jq -e '.error | test("refused")' "$T/error.ours" && jq -e '.error == null' "$T/tcp.ours"; }
check "what failed is the document's error" error
# What one part says agrees with what the others say.
agrees() {
	jq -e 'def near($a; $b): ($a - $b | fabs) <= 1 + 0.000001 * ($b | fabs);
		.end as $last | [.intervals[] | select(.sum.omitted | not)] as $measured |
		($last.streams | map(.sender.bytes) | add) == $last.sum_sent.bytes and ($last.streams | map(.receiver.bytes) | add) == $last.sum_received.bytes and
		near($last.sum_received.bits_per_second; $last.sum_received.bytes * 8 / $last.sum_received.seconds) and
		($measured | map(.sum.bytes) | add) == $last.sum_received.bytes and ($measured[0].sum.start == 0) and
		near($measured[-1].sum.end; $last.sum_received.seconds) and
		([.intervals[] | select(.sum.omitted)] | length) >= 9 and .intervals[0].sum.start == 0 and .start.test_start.reverse == 1 and
		.start.test_start.omit == 1 and .start.test_start.num_streams == 2 and (.start.connected | length) == 2 and
		(.intervals | all((.streams | map(.bytes) | add) == .sum.bytes))' "$T/reverse.ours"
}
check "its parts agree with one another" agrees
loss() { jq -e '.end | .sum.lost_packets == 0 and .sum.packets > 0 and .sum_bidir_reverse.packets > 0 and (.streams | map(.udp.sender) | sort) == [false, true]' "$T/udp.ours"; }
check "UDP's packets" loss
output() { run 0 "$ASSAY" net 127.0.0.1 -J -n 1M --get-server-output && jq -e '.server_output_text | test("Accepted connection")' "$T/out"; }
check "--get-server-output" output

# ---- aarch64 ----
other() {
	run 0 timeout 60 qemu-aarch64-static build/aarch64/assay net 127.0.0.1 -t 0.3 -P 2 --bidir -b 20M -J &&
		jq -e '.end.sum_received.bytes > 1000000 and .end.sum_received_bidir_reverse.bytes > 1000000 and (.start.system_info | test("aarch64"))' "$T/out"
}
check "the other architecture" other
exit $failed

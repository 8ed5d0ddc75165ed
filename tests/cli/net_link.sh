#!/bin/sh
# net.link and the accounts of ports: over a veth pair of two network namespaces, and a tap, which lets its speed and duplex be set.
# lane: waits
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh
[ "$(id -u)" = 0 ] || { echo "not ok net_link.sh needs root (it makes network namespaces)"; exit 1; }

here=al$$ there=bl$$ server='' tap=''
cleanup() {
	for pid in $server $tap; do kill -KILL "$pid" 2>/dev/null; done
	ip netns del $here 2>/dev/null
	ip netns del $there 2>/dev/null
}
ip netns add $here && ip netns add $there && ip -n $here link add v0 type veth peer name v1 netns $there || { echo "not ok net_link.sh needs namespaces and veth"; exit 1; }
ip -n $here addr add 10.9.1.1/24 dev v0 && ip -n $there addr add 10.9.1.2/24 dev v1
for link in "$here lo" "$there lo" "$here v0" "$there v1"; do set -- $link; ip -n $1 link set "$2" up; done

# A tap that this process holds, with its link settings as told: MBIT DUPLEX, of at most 10 Gbit/s; each line of its input sets them anew.
cat >"$T/tap.py" <<'END'
import fcntl, os, socket, struct, sys
tap = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tap, 0x400454ca, struct.pack("16sH22x", b"t0", 0x1002))
control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def ask(command):
    import ctypes
    buffer = ctypes.create_string_buffer(command, 48 + 3 * 127 * 4)
    request = struct.pack("16sQ16x", b"t0", ctypes.addressof(buffer))
    fcntl.ioctl(control, 0x8946, request)
    return buffer.raw
words = -struct.unpack_from("b", ask(struct.pack("=II", 0x4c, 0)), 15)[0]
for line in sys.stdin:
    mbit, duplex = line.split()
    head = struct.pack("=IIBBBBBBBb", 0x4d, int(mbit), duplex == "full", 0, 0, 1, 0, 0, 0, words).ljust(48, b"\0")
    supported = 1 << 5 | 1 << 12
    ask(head + supported.to_bytes(4 * words, "little") + bytes(8 * words))
    print("set", flush=True)
END
mkfifo "$T/to" "$T/from"
ip netns exec $here python3 "$T/tap.py" <"$T/to" >"$T/from" 2>"$T/tap.err" &
tap=$!
exec 8>"$T/to" 9<"$T/from"
settings() { echo "$1 $2" >&8 && read -r word <&9 && [ "$word" = set ]; }
settings 10000 full && ip -n $here addr add 10.9.2.1/24 dev t0 && ip -n $here link set t0 up || { cat "$T/tap.err"; echo "not ok net_link.sh needs a tap"; exit 1; }

# declare DEVICE MBIT REQUIRED: the board file has that port
declare_port() {
	sed '5s|$|\n  "network": [ { "port": "p", "device": "'"$1"'", "speed_mbit_per_s": '"$2"', "required": '"$3"' } ],|' board/x86.json >"$T/board.json"
}
# link STATUS OPTION...
link() { want=$1; shift; run "$want" timeout 20 ip netns exec $here "$ASSAY" run --only net.link --record "$T/r" "$@"; }
declared() { want=$1; shift; link "$want" --board "$T/board.json" "$@"; }
value() { record_value "$T/r" "^net.link.$1"; }

# ---- with nothing declared ----
alone() { link 0 && has "$T/out" "net.link.mtu[port=lo]" && has "$T/out" "lo tells no speed"; }
by_peer() {
	link 0 --peer 10.9.1.2 && between 1e10 1e10 "$(record_value "$T/r" '^net.link.speed.port=v0')" bit/s && between 1 1 "$(value full_duplex)" duplex &&
		between 1500 1500 "$(value mtu)" bytes && [ "$(record_fact "$T/r" '^net.link.speed' driver)" = veth ]
}
mtu() { ip -n $here link set v0 mtu 9000 && link 0 --peer 10.9.1.2; got=$?; ip -n $here link set v0 mtu 1500; [ $got = 0 ] && between 9000 9000 "$(value mtu)" bytes; }
offloads() { record_fact "$T/r" '^net.link.speed' offloads | grep -q tso; }
bounce() {
	link 0 --peer 10.9.1.2 && old=$(value carrier_changes) && ip -n $there link set v1 down && ip -n $there link set v1 up && sleep 0.2 && link 0 --peer 10.9.1.2 &&
		between $((old + 2)) $((old + 2)) "$(value carrier_changes)" changes
}
no_carrier() { ip -n $there link set v1 down; link 1 --peer 10.9.1.2; got=$?; ip -n $there link set v1 up; [ $got = 0 ] && has "$T/out" "v0 has no carrier"; }
no_way() { link 2 --peer 192.0.2.7 && has "$T/out" "no interface leads to 192.0.2.7"; }
# The kernel's folder of another namespace's interfaces says nothing of this one.
no_sysfs() { run 2 nsenter --net=/run/netns/$here "$ASSAY" run --only net.link --peer 10.9.1.2 && has "$T/out" "v0 is there, but not in /sys/class/net: mount sysfs"; }
# The translator passes no ethtool calls on: the speed is SKIP, the rest is told.
translated() {
	run 0 ip netns exec $here qemu-aarch64-static build/aarch64/assay run --only net.link --peer 10.9.1.2 --record "$T/r" &&
		has "$T/out" "v0 tells no speed" && between 1500 1500 "$(value mtu)" "B of MTU" && between 1 1000 "$(value carrier_changes)" changes
}
rps() {
	ip netns exec $here sh -c 'echo 1 >/sys/class/net/v0/queues/rx-0/rps_cpus' && link 0 --peer 10.9.1.2 && between 1 1 "$(record_fact "$T/r" '^net.link.speed' rps_queues)" queues
	got=$?
	ip netns exec $here sh -c 'echo 0 >/sys/class/net/v0/queues/rx-0/rps_cpus'
	[ $got = 0 ] && link 0 --peer 10.9.1.2 && between 0 0 "$(record_fact "$T/r" '^net.link.speed' rps_queues)" queues
}
check "nothing declared and no peer: lo" alone
check "the port that leads to the peer: speed, duplex, MTU, driver" by_peer
check "an MTU of 9000 is read" mtu
check "offloads that are on are told" offloads
check "a link that went and came back shows" bounce
check "a link without carrier: FAIL" no_carrier
check "no way to the peer: ERROR" no_way
check "an interface that /sys does not show: ERROR" no_sysfs
check "aarch64, under qemu-user" translated
check "queues with CPUs to share out to" rps

# ---- a declared port ----
good() { declare_port virtual/net/t0 10000 true && declared 0 && between 1e10 1e10 "$(record_value "$T/r" '^net.link.speed.port=p')" bit/s && between 1e10 1e10 "$(value speed_max)" max; }
beside() { declared 0 --peer 10.9.1.2 && has "$T/out" "net.link.speed[port=p]" && has "$T/out" "net.link.speed[port=v0]"; }
itself() { declared 0 --peer 10.9.2.2 && hasnt "$T/out" "[port=t0]"; }
slow() { settings 1000 full && declared 1 && has "$T/out" "t0 negotiated 1000 Mbit/s, and the board file declares 10000" && between 1e10 1e10 "$(value speed_max)" max; }
half() { settings 10000 half && declared 1 && has "$T/out" "t0 runs at half duplex" && between 0 0 "$(value full_duplex)" duplex; }
down() { settings 10000 full && ip -n $here link set t0 down; declared 1; got=$?; ip -n $here link set t0 up; [ $got = 0 ] && has "$T/out" "t0 is down: bring it up"; }
missing() { declare_port no-such-device 1000 true && declared 1 && has "$T/out" "there is no interface no-such-device"; }
optional() { declare_port no-such-device 1000 false; run "0 2" true; timeout 20 ip netns exec $here "$ASSAY" run --only net.link --board "$T/board.json" >"$T/out" 2>&1; [ $? != 1 ] && has "$T/out" "SKIP"; }
check "a declared port that is as it should be" good
check "the peer's port is told beside it" beside
check "once, where it is the same" itself
check "below the declared speed: FAIL" slow
check "half duplex: FAIL" half
check "down: FAIL" down
check "missing: FAIL" missing
check "missing, and not required: no FAIL" optional

# ---- what limits a test, end to end ----
ip netns exec $there "$ASSAY" serve >"$T/server" 2>&1 &
server=$!
for i in $(seq 40); do ip netns exec $there ss -Hltn 2>/dev/null | grep -q :5201 && break; sleep 0.05; done
net() { run "$1" timeout 40 ip netns exec $here "$ASSAY" net 10.9.1.2 --record "$T/r" $2; }
drops() {
	net 0 '-u -b 0 -l 1400 -w 4k -t 0.5' && between 1 1e9 "$(record_value "$T/r" '^net.peer.port.receive_buffer')" drops &&
		between 1 1e9 "$(record_fact "$T/r" '^net.limit.loss' receive_buffer)" drops && has "$T/out" "limited by"
}
too_large() {
	ip -n $here link set v0 mtu 9000; net "0 2" '-u -b 20M -l 8000 -t 0.3'; ip -n $here link set v0 mtu 1500
	between 1 1e9 "$(record_value "$T/r" '^net.port.tx_dropped')" drops && has "$T/out" "limited by the MTU: the ends' MTUs differ: 9000 here, 1500 at the peer"
}
both_ends() { net 0 '-t 0.5' && between 0 1e6 "$(record_value "$T/r" '^net.cpu.*softirq')" ppm && between 0 1e6 "$(record_value "$T/r" '^net.peer.cpu.*softirq')" ppm; }
paced() { net 0 '-u -b 10M -t 0.5' && has "$T/out" "the rate that was asked for, 10000000 bit/s, was reached"; }
check "datagrams dropped for want of buffer: at the peer, and the cause says so" drops
check "datagrams that the other end does not take: the port's drops, and the MTU" too_large
check "CPU time of both ends" both_ends
check "a rate that was asked for is the limit" paced
exit $failed

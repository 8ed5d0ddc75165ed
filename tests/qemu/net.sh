#!/bin/sh
# Two guests and a wire between them: one serves, the run of the other measures; x86-64 and aarch64, both ways round.
# lane: waits
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

wire() { echo "-netdev stream,id=w,addr.type=unix,addr.path=$T/wire.$1,server=$2 -device virtio-net-pci,netdev=w,mac=52:54:00:00:00:0$3"; }

# start_server ARCH: the guest that makes the wire $T/wire.ARCH, in the background; it ends when it was idle for a while
start_server() {
	tests/qemu/boot "$1" --image "$T/$1.cpio.gz" --serves --memory 256M --qemu "$(wire "$1" on 1)" \
		assay.serve assay.idle-timeout=30 assay.ip=10.9.0.1/24@eth0,fd09::1/64@eth0 >"$T/server.$1" 2>&1 &
	server=$!
	for i in $(seq 100); do [ -S "$T/wire.$1" ] && return; sleep 0.05; done
	return 1
}

# measure PEER ARCH ADDRESS: the run; its ports are those of the second virtio device
measure() {
	guest 0 "$2" --memory 256M --timeout 90 --record "$T/record.$2" --qemu "$(wire "$1" off 2)" assay.record=/dev/vport1p2 assay.wait=6 \
		assay.ip=10.9.0.2/24@eth0,fd09::2/64@eth0 assay.peer="$3" assay.only=net.link,net.tcp,net.udp assay.set=net.tcp.runtime=1 assay.set=net.udp.runtime=1 &&
		has "$T/console" "assay: PASS board=" && "$ASSAY" verify "$T/record.$2" && seconds_at_most 60
}

# On a busy machine the guest that serves may be the later one, and refuse: then again, for it waits.
against() { measure "$@" || { grep -q "refused, nothing listens" "$T/console" && measure "$@"; }; }

# both_ends ARCH PEER: figures of both directions, CPU time at both ends, and both machines
both_ends() {
	for metric in net.tcp net.udp; do
		for way in tx rx; do between 1 1e12 "$(record_value "$T/record.$1" "^$metric.throughput.*port=eth0,dir=$way")" "$metric $way" || return 1; done
	done
	for metric in net.cpu net.peer.cpu; do
		jq -es --arg name "$metric[" '[.[].testStepArtifact.measurement // empty | select(.name | startswith($name)) | .value] | add > 0' "$T/record.$1" || return 1
	done
	jq -es --arg arch "$1" --arg peer "$2" '[.[].testRunArtifact.testRunStart // empty][0].metadata | .arch == $arch and .peerState.arch == $peer and .peerState.nic == "eth0"' "$T/record.$1"
}
ended() { wait "$1" || { tail -5 "$T/server.$2"; return 1; }; }

for arch in $MACHINES; do make_image "$arch"; done
start_server aarch64 && first=$server
check net_run_on_x86_64_against_a_server_on_aarch64 against aarch64 x86_64 10.9.0.1
check net_record_holds_both_ends_x86_64 both_ends x86_64 aarch64
start_server x86_64 && second=$server
check net_run_on_aarch64_against_a_server_on_x86_64_by_ipv6 against x86_64 aarch64 fd09::1
check net_record_holds_both_ends_aarch64 both_ends aarch64 x86_64
check net_server_on_aarch64_ends_in_order ended "$first" aarch64
check net_server_on_x86_64_ends_in_order ended "$second" x86_64
exit $failed

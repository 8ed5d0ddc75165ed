# Process 1 sets up the network that the words ask for: in a network namespace of its own, over a veth pair.
# lane: waits
. tests/cli/lib.sh

if ! unshare --fork --pid --mount --net true 2>/dev/null; then
	echo "ok pid1_network # skipped: no right to make namespaces here"
	exit 0
fi

# as_pid1 STATUS BEFORE WORD...: in a network namespace that the command BEFORE has prepared; a look at it from behind is in $T/after
as_pid1() {
	want=$1 before=$2
	shift 2
	rm -rf "$T/root" && mkdir -p "$T/root" && cp "$ASSAY" "$T/root/init" && run "$want" timeout 60 \
		unshare --net sh -c 'eval "$2"; root=$1; after=$3; shift 3; [ ! -d /proc/$$/ns ] && exit 9
			unshare --fork --pid --mount --kill-child chroot "$root" /init "$@"; status=$?
			{ ip addr; ip route; ip -6 route; } >"$after"; exit $status' sh "$T/root" "$before" "$T/after" "$@"
}

PAIR="ip link add p0 type veth peer name p1 && ip link set p1 up"

both_families() {
	as_pid1 0 "$PAIR" assay.only=board.identity assay.ip=10.9.0.1/24@p0,fd09::1/64@p0 assay.ip=10.8.0.1/16@p0 assay.gateway=10.9.0.254 &&
		has "$T/after" "inet 10.9.0.1/24 scope global p0" && has "$T/after" "inet 10.8.0.1/16 scope global p0" &&
		has "$T/after" "inet6 fd09::1/64 scope global" && hasnt "$T/after" "fd09::1/64 scope global tentative" &&
		has "$T/after" "default via 10.9.0.254 dev p0" && hasnt "$T/out" "init: assay" && hasnt "$T/out" "carrier"
}

# It comes two seconds later, as from a driver that probes late.
late() { as_pid1 0 "(sleep 2; $PAIR) &" assay.only=board.identity assay.ip=10.9.0.1/24@p0 && has "$T/after" "inet 10.9.0.1/24"; }

# The run goes on, with the other port set up; but it is no good one.
absent() {
	as_pid1 2 "$PAIR" assay.only=board.identity assay.ip=10.9.0.1/24@p7,10.9.1.1/24@p0 &&
		[ "$(grep -c "^init: assay.ip: there is no interface p7; there are: lo p0 p1" "$T/out")" = 2 ] &&
		has "$T/out" "measured board.identity.cpus" && has "$T/after" "inet 10.9.1.1/24" || return 1
	tail -n 1 "$T/out" >"$T/line" && tests/qemu/last-line "$T/line" ERROR
}

no_carrier() {
	as_pid1 0 "ip link add p0 type veth peer name p1" assay.only=board.identity assay.ip=10.9.0.1/24@p0,fd09::1/64@p0 &&
		[ "$(grep -c "init: p0 has no carrier after 8 s" "$T/out")" = 1 ] && has "$T/after" "inet6 fd09::1/64"
}

malformed() { as_pid1 2 true assay.ip=10.9.0.1@p0 && has "$T/out" "init: assay.ip=10.9.0.1@p0: ADDRESS/PREFIX@INTERFACE is meant" && hasnt "$T/out" "board.identity"; }
no_way() { as_pid1 2 "$PAIR" assay.only=board.identity assay.ip=10.9.0.1/24@p0 assay.gateway=10.7.0.1 && has "$T/out" "init: assay.gateway: there is no way to 10.7.0.1: ENETUNREACH"; }

serves() {
	as_pid1 0 "$PAIR" assay.serve assay.idle-timeout=1 assay.ip=10.9.0.1/24@p0 && has "$T/out" "init: the server has ended" && hasnt "$T/out" "####"
}
serves_nobody() { as_pid1 2 true assay.serve assay.idle-timeout=1 assay.ip=10.9.0.1/24@p7 && has "$T/out" "there is no interface p7" && has "$T/out" "assay: ERROR board=unknown" && hasnt "$T/out" "server has ended"; }
wrong_word() { as_pid1 2 true assay.serve assay.level=short && has "$T/out" "init: the server ended with status 2" && has "$T/out" "level"; }

# Ctrl-Alt-Del, which the kernel tells process 1 by INT.
interrupted() {
	rm -rf "$T/root" && mkdir -p "$T/root" && cp "$ASSAY" "$T/root/init"
	unshare --fork --pid --mount --net --kill-child chroot "$T/root" /init assay.serve >"$T/out" 2>&1 &
	outer=$!
	sleep 1
	kill -INT "$(cut -d ' ' -f 1 "/proc/$outer/task/$outer/children")"
	got=0
	wait $outer || got=$?
	[ $got = 0 ] && has "$T/out" "init: the server has ended"
}

check pid1_network_gives_addresses_of_both_families both_families
check pid1_network_waits_for_a_late_interface late
check pid1_network_names_a_missing_interface_and_what_there_is absent
check pid1_network_says_a_missing_carrier_and_leaves_it_to_the_run no_carrier
check pid1_network_refuses_a_malformed_word malformed
check pid1_network_refuses_a_gateway_without_a_way no_way
check pid1_serves_until_nobody_comes serves
check pid1_serves_nobody_without_its_interface serves_nobody
check pid1_serves_not_with_a_word_of_the_run wrong_word
check pid1_serves_until_it_is_interrupted interrupted
exit $failed

# The network against iperf3, over loopback and, as root, over a veth between two namespaces: rate, CPU seconds per gigabyte, datagrams a second.
. tests/bench/lib.sh
command -v iperf3 >/dev/null || { echo "iperf3 is not installed: toolchain/setup --tests" >&2; exit 2; }
near=assay-near.$$ far=assay-far.$$
trap 'ip netns del $near 2>/dev/null || :; ip netns del $far 2>/dev/null || :; rm -rf "$T"' EXIT
trap 'exit 130' INT TERM

echo "== loopback"
python3 tests/bench/net.py "$ASSAY" 127.0.0.1 "$PAIRS"
[ "$(id -u)" = 0 ] || { echo "veth: needs root"; exit 0; }
for n in $near $far; do ip netns add $n && ip -n $n link set lo up; done
ip link add near$$ netns $near type veth peer name far$$ netns $far
ip -n $near addr add 10.91.7.1/24 dev near$$ && ip -n $near link set near$$ up
ip -n $far addr add 10.91.7.2/24 dev far$$ && ip -n $far link set far$$ up
sleep 1
echo "== veth between two namespaces"
python3 tests/bench/net.py "$ASSAY" 10.91.7.2 "$PAIRS" $near $far

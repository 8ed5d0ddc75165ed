# TCP over loopback against iperf3's, interleaved.
. tests/bench/lib.sh
command -v iperf3 >/dev/null || { echo "iperf3 is not installed: toolchain/setup --tests" >&2; exit 2; }
iperf3 -s -p 5311 >/dev/null 2>&1 &
server=$!
trap 'kill $server; rm -rf "$T"' EXIT
sleep 0.5

ours() { figure 'net.tcp.throughput[' --only net.tcp --set net.tcp.dir=tx --set net.tcp.runtime=2s; }
theirs() { iperf3 -c 127.0.0.1 -p 5311 -t 2 -J | jq '.end.sum_received.bits_per_second'; }
echo "bit/s of assay and of iperf3 over loopback, one stream, 128 KiB"
pairs "net.tcp" ours theirs

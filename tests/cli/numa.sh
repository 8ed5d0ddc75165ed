# A node that sysfs shows and the kernel does not have: ERROR that names it, and never a figure.
. tests/cli/lib.sh
[ "$(id -u)" = 0 ] || { echo "not ok numa.sh needs root"; exit 1; }

mkdir -p "$T/node/node0" "$T/node/node5" "$T/node/node9"
echo 0,5,9 >"$T/node/online"
cat /sys/devices/system/node/node0/cpulist >"$T/node/node0/cpulist"
cat /sys/devices/system/node/node0/meminfo >"$T/node/node0/meminfo"
echo >"$T/node/node5/cpulist"
printf 'Node 5 MemTotal: 8388608 kB\nNode 5 MemFree: 8388608 kB\n' >"$T/node/node5/meminfo"
echo >"$T/node/node9/cpulist"
printf 'Node 9 MemTotal: 0 kB\nNode 9 MemFree: 0 kB\n' >"$T/node/node9/meminfo"

made_up() { run "$1" unshare -m sh -c 'mount --bind "$0" /sys/devices/system/node && exec "$@"' "$T/node" "$ASSAY" run --only "$2" $3; }
set_to() { for setting in "$@"; do printf -- '--set %s ' "$setting"; done; }

latency() {
	made_up 2 mem.latency "$(set_to mem.latency.node=all mem.latency.size=64k mem.latency.page=4k mem.latency.time=20ms)" &&
		grep -q 'measured *mem\.latency\[[^]]*,node=0,' "$T/out" && ! grep 'measured.*node=[59],' "$T/out" &&
		grep -q 'ERROR *mem\.latency\[[^]]*,node=5,.*: memory of node 5: EINVAL' "$T/out"
}
levels() {
	made_up 2 mem.latency "$(set_to mem.latency.node=5 mem.latency.size=64k mem.latency.levels=yes mem.latency.time=20ms)" &&
		grep -q 'ERROR *mem\.latency\.level\.size\[[^]]*,node=5,.*: memory of node 5: EINVAL' "$T/out"
}
bandwidth() {
	made_up 2 mem.bandwidth "$(set_to mem.bandwidth.node=0,5 mem.bandwidth.mix=reads mem.bandwidth.threads=1 mem.bandwidth.buffer=1m mem.bandwidth.time=20ms)" &&
		grep -q 'measured *mem\.bandwidth\[[^]]*,node=0\]' "$T/out" && grep -q 'ERROR *mem\.bandwidth\[[^]]*,node=5\]: memory of node 5: EINVAL' "$T/out"
}
check "node that sysfs makes up is an error, its neighbour is measured" latency
check "its levels are the same error" levels
check "its bandwidth is the same error" bandwidth
exit $failed

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

made_up() {
	run 2 unshare -m sh -c "mount --bind '$T/node' /sys/devices/system/node && '$ASSAY' run --only mem.latency \
		--set mem.latency.node=all --set mem.latency.size=64k --set mem.latency.page=4k --set mem.latency.time=20ms" &&
		grep -q 'measured *mem\.latency\[[^]]*,node=0,' "$T/out" && grep -q 'ERROR.*node=5,' "$T/out" &&
		! grep 'measured.*node=[59],' "$T/out"
}
check "node that sysfs makes up is an error, its neighbour is measured" made_up
exit $failed

# iperf3.sh [NAME...]: `assay net` against iperf3's server and `assay serve` against its client, in the combinations of iperf3.table.
# lane: waits
. tests/cli/lib.sh

# Twelve roots, each on a file system of its own: the machine-wide lock is on "/", and so each instance has one.
setup='
set -e
assay=$1 folder=$2
shift 2
ip link set lo up
ip link add v0 type veth peer name v1
for link in v0 v1; do ip link set $link up; done
ip addr add 10.9.0.1/24 dev v1
ip addr add fe80::1/64 dev v1 nodad
for address in fd00::1 fd00::2; do ip addr add $address/128 dev lo nodad; done
for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
	root=$folder/root.$i
	mkdir $root
	mount -t tmpfs none $root
	mkdir $root/proc $root/sys $root/dev $root/tmp
	mount --rbind /dev $root/dev
	mount --bind /proc $root/proc
	mount -t sysfs none $root/sys
	cp "$assay" $root/assay
done
exec /usr/bin/python3 tests/cli/iperf3.py "$assay" tests/cli/iperf3.table "$folder" "$@"
'
unshare -n -m sh -c "$setup" sh "$ASSAY" "$T" "$@" || failed=1
exit $failed

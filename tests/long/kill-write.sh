# SIGKILL at random moments of the steps that write: nothing outside the scratch changes (by checksum), nothing is left behind,
# and the next run takes the scratch again.  On a partition assay-scratch among others, and on a scratch file among others.
# ROUNDS (60, a quarter of them each) and SEED may be given.
[ "$(id -u)" = 0 ] || { echo "not ok kill-write.sh needs root"; exit 1; }
# A kernel that does not know GPT is told of the partitions by hand, their names by mounts over /sys.
[ "${1:-}" = inside ] || exec unshare -m sh "$0" inside
. tests/cli/lib.sh
rounds=${ROUNDS:-60} seed=${SEED:-$$}
echo "# SEED=$seed"
sed 's/"undeclared_storage": "read"/"undeclared_storage": "ignore"/' board/x86.json >"$T/board.json"
quick="--set block.write.bs=4k --set block.write.runtime=300ms --set block.randwrite.runtime=300ms --set block.write.ioengine=io_uring --set block.randwrite.ioengine=io_uring"

# ---- a disk: 8 MiB, then assay-scratch of 128 MiB, then 32 MiB of somebody's, and a file beside a file ----
dd if=/dev/urandom of="$T/disk" bs=1M count=176 status=none
dd if=/dev/zero of="$T/disk" bs=1M seek=8 count=128 conv=notrunc status=none
printf 'label: gpt\nstart=16384, size=262144, name=assay-scratch\nsize=65536, name=data\n' | sfdisk -q "$T/disk"
cleanup() { detach_all; }
attach --direct-io=on -P "$T/disk"
disk=$l
name=${disk#/dev/}
if [ ! -b "${disk}p1" ]; then
	addpart "$disk" 1 16384 262144
	addpart "$disk" 2 278528 65536
	{ cat "/sys/block/$name/${name}p1/uevent"; echo PARTNAME=assay-scratch; } >"$T/uevent"
	mount --bind "$T/uevent" "/sys/block/$name/${name}p1/uevent"
fi
mkdir "$T/files"
dd if=/dev/zero of="$T/files/scratch" bs=1M count=128 status=none
for i in 1 2 3; do dd if=/dev/urandom of="$T/files/$i" bs=1M count=4 status=none; done

outside() {
	sync
	head -c 8388608 "$T/disk" | sha256sum
	tail -c +142606337 "$T/disk" | sha256sum
	(cd "$T/files" && sha256sum 1 2 3 && ls)
}
outside >"$T/before"

# Other loop devices than ours over our files, and processes of such a run
left() { { grep -ls "$T/files" /sys/block/loop*/loop/backing_file; ps -e -o args= | grep -F "$ASSAY run --scratch $1" | grep -v grep; }; }
nothing_left() {
	for i in $(seq 60); do
		left "$1" >"$T/left"
		[ -s "$T/left" ] || return 0
		sleep 0.1
	done
	echo "left behind:"
	cat "$T/left"
	return 1
}

# one SCRATCH MILLISECONDS STEPS: killed so long after its first step began
one() {
	"$ASSAY" run --board "$T/board.json" --only $3 $quick --scratch "$1" >"$T/out" 2>&1 &
	pid=$!
	for i in $(seq 100); do grep -q '^ *1/' "$T/out" && break; sleep 0.02; done
	sleep "$(printf '%d.%03d' $(($2 / 1000)) $(($2 % 1000)))"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	status=$?
	case $status in
	137) grep -o 'block\.[a-z]*$' "$T/out" | tail -1 ;;
	0) echo nothing ;; # it was done before
	*) echo "$2 ms: status $status" >&2; tail -5 "$T/out" >&2; return 1 ;;
	esac >>"$T/reached"
	nothing_left "$1" || return 1
	outside | cmp "$T/before" - || { echo "changed after $2 ms"; return 1; }
}

# many SCRATCH STEPS: at moments spread over what they take here
many() {
	start=$(date +%s%N)
	run 0 "$ASSAY" run --board "$T/board.json" --only $2 $quick --scratch "$1" || return 1
	ms=$((($(date +%s%N) - start) / 1000000))
	for round in $(seq $((rounds / 4))); do
		moment=$(echo "$seed $1 $2 $round" | cksum)
		one "$1" $((${moment%% *} % ms)) $2 || return 1
	done
	run 0 "$ASSAY" run --board "$T/board.json" --only $2 $quick --scratch "$1"
}
for scratch in ${disk}p1 "$T/files/scratch"; do
	for steps in block.write,block.randwrite block.verify; do
		check "SIGKILL in $steps of ${scratch##*/}: the rest is as it was, nothing is left, the next run takes it" many "$scratch" $steps
	done
done
echo "# killed in: $(sort "$T/reached" | uniq -c | tr '\n' ' ')"
writing() { [ "$(grep -vcx nothing "$T/reached")" -ge $((rounds / 2)) ] && grep -q block.verify "$T/reached" && grep -q block.randwrite "$T/reached"; }
check "each of the steps was hit, and most rounds were in time" writing
exit $failed

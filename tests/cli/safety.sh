# Nobody's data is lost: every line of the safety list that this machine can show, refused with status 2 and one line that
# names the reason and the way out, and the device as it was.  What needs md, device mapper or real serial numbers: tests/qemu/safety.sh.
[ "$(id -u)" = 0 ] || { echo "not ok safety.sh needs root"; exit 1; }
# Some of it is made up by mounts over /sys and /proc: in a mount namespace of its own.
[ "${1:-}" = inside ] || exec unshare -m sh "$0" inside
. tests/cli/lib.sh

quick="--board $T/board.json --only block.verify"
sed 's/"undeclared_storage": "read"/"undeclared_storage": "ignore"/' board/x86.json >"$T/board.json"
cleanup() {
	umount "$T/mounted" 2>/dev/null
	for l in $attached; do swapoff "${l}p2" 2>/dev/null; swapoff "$l" 2>/dev/null; done
	detach_all
	[ -z "${zram:-}" ] || { echo 1 >"/sys/block/$zram/reset"; echo "${zram#zram}" >/sys/class/zram-control/hot_remove; } 2>/dev/null
}
zeros() { dd if=/dev/zero of="$1" bs=1M count="$2" status=none; }

# refused PATH TEXT WAY_OUT [OPTION...]: one line that holds both, nothing on standard output, for run and for plan
refused() {
	path=$1 text=$2 way=$3
	shift 3
	for command in run plan; do
		run 2 "$ASSAY" $command $quick --scratch "$path" "$@" && has "$T/err" "--scratch $path: " && has "$T/err" "$text" &&
			has "$T/err" "$way" && [ "$(wc -l <"$T/err")" = 1 ] && [ ! -s "$T/out" ] || return 1
	done
}
# kept FILE PATH TEXT WAY_OUT [OPTION...]: refused, and FILE, which is or lies behind PATH, is as before
kept() {
	file=$1
	shift
	sync
	sum=$(cksum <"$file")
	refused "$@" && sync && [ "$(cksum <"$file")" = "$sum" ]
}
check_kept() { check "$1" kept "$2" "$3" "$4" "$5" ${6:-}; }

# ---- files ----
check "a missing name is refused" refused "$T/none" 'no such file' 'dd if=/dev/zero'
check "and not created" [ ! -e "$T/none" ]
check "a missing name under /dev is refused" refused /dev/assay-none 'no such device' 'assay probe' --destroy S1
check "and not created" [ ! -e /dev/assay-none ]
check "a character device is refused, destroy or not" refused /dev/null 'a character device' 'nvme0n1, not nvme0' --destroy S1
zeros "$T/file" 32
echo precious | dd of="$T/file" bs=1 seek=20000000 conv=notrunc status=none
check_kept "a file with data" "$T/file" "$T/file" 'data that assay did not write, at byte 19996672' 'zeros over it yourself'
check_kept "a file has no serial number" "$T/file" "$T/file" 'no serial number' 'leave --destroy out' '--destroy S1'
lonely() { run 2 "$ASSAY" run $quick --destroy S1 && has "$T/err" '--destroy goes with --scratch'; }
check "destroy alone is refused" lonely
check "an empty serial number is refused" run 2 "$ASSAY" run $quick --scratch "$T/file" --destroy=
zeros "$T/behind" 32
attach "$T/behind"
check_kept "a file behind a loop device" "$T/behind" "$T/behind" "already behind ${l#/dev/}" 'detach that'
detach "$l"

# ---- a loop device ----
zeros "$T/disk" 64
attach -r "$T/disk"
check_kept "the read-only flag" "$T/disk" "$l" 'read-only' 'one that may be written'
detach "$l"
attach "$T/disk"
check_kept "a loop device has no serial number" "$T/disk" "$l" 'no serial number of its own' 'leave --destroy out' '--destroy S1'
blockdev --setro "$l"
check_kept "the read-only flag, set later" "$T/disk" "$l" 'read-only' 'one that may be written'
blockdev --setrw "$l"
below=$l
attach "$below"
check_kept "a device behind a loop device in use" "$T/disk" "$below" "$below is behind ${l#/dev/}" 'free it first'
check_kept "a loop device over a drive" "$T/disk" "$l" 'over something else than a file' ''
detach "$l"
mkfifo "$T/hold"
python3 -c "
import os, sys
fd = os.open('$below', os.O_RDWR | os.O_EXCL)
open('$T/held', 'w').write('held')
open('$T/hold').read()" &
for i in $(seq 50); do [ -s "$T/held" ] && break; sleep 0.1; done
check_kept "a device that another program holds alone" "$T/disk" "$below" 'in use by something that /proc and /sys do not show' 'free it first'
: >"$T/hold"
wait
mkfs.ext4 -q "$below"
mkdir "$T/mounted"
check_kept "a signature, not mounted" "$T/disk" "$below" 'data that assay did not write, at byte 0' 'give another'
mount "$below" "$T/mounted"
check_kept "a mounted whole disk" "$T/disk" "$below" "$below is mounted on $T/mounted" 'free it first'
umount "$T/mounted"
mkswap -q "$below"
if swapon "$below" 2>/dev/null; then
	check_kept "swap" "$T/disk" "$below" "$below is swap" 'free it first'
	swapoff "$below"
fi
detach "$below"
truncate -s 64M "$T/holes"
attach -o 33554432 "$T/holes"
behind() { run 0 "$ASSAY" run $quick --scratch "$l" --set block.verify.size=4m && sync && [ "$(du -k "$T/holes" | cut -f1)" -lt 6000 ]; }
check "what lies before a loop device's offset is not touched" behind
detach "$l"
truncate -s 15M "$T/small"
attach "$T/small"
check_kept "a device below 16 MiB" "$T/small" "$l" 'too small, 15728640 bytes' 'at least 16 MiB'
detach "$l"

# ---- partitions ----
zeros "$T/disk" 96
printf 'label: gpt\nstart=16384, size=65536, name=assay-scratch\nstart=81920, size=65536, name=data\nstart=147456, size=16384, name=assay-scratch\n' |
	sfdisk -q "$T/disk"
attach -P "$T/disk"
disk=$l
# A kernel without GPT is told by hand; the partition's name then stands in a made-up uevent.
if [ ! -b "${disk}p1" ]; then
	addpart "$disk" 1 16384 65536 && addpart "$disk" 2 81920 65536 && addpart "$disk" 3 147456 16384
	for i in 1 2 3; do
		sys=/sys/block/${disk#/dev/}/${disk#/dev/}p$i/uevent
		{ cat "$sys"; echo "PARTNAME=$([ $i = 2 ] && echo data || echo assay-scratch)"; } >"$T/uevent.$i"
		mount --bind "$T/uevent.$i" "$sys"
	done
fi
check_kept "a whole disk with a partition table" "$T/disk" "$disk" 'data that assay did not write, at byte 0' 'give another'
check_kept "a partition of another name" "$T/disk" "${disk}p2" 'named "data", not assay-scratch' 'name it so'
check_kept "a partition below 16 MiB" "$T/disk" "${disk}p3" 'too small, 8388608 bytes' 'at least 16 MiB'
check_kept "two partitions of that name" "$T/disk" auto 'several partitions are named assay-scratch' 'name the device'
attach -P "$disk"
if [ ! -b "${l}p1" ]; then
	addpart "$l" 1 16384 65536
	{ cat "/sys/block/${l#/dev/}/${l#/dev/}p1/uevent"; echo PARTNAME=assay-scratch; } >"$T/uevent.over"
	mount --bind "$T/uevent.over" "/sys/block/${l#/dev/}/${l#/dev/}p1/uevent"
fi
check_kept "a partition of a loop device over a drive" "$T/disk" "${l}p1" 'over something else than a file' ''
[ ! -e "$T/uevent.over" ] || umount "/sys/block/${l#/dev/}/${l#/dev/}p1/uevent"
detach "$l"
mkfs.ext4 -q "${disk}p2"
mount "${disk}p2" "$T/mounted"
check_kept "a disk with a mounted partition" "$T/disk" "$disk" "${disk}p2 is mounted on $T/mounted" 'free it first'
check_kept "a disk with a mounted partition, destroy or not" "$T/disk" "$disk" 'no serial number' 'leave --destroy out' '--destroy S1'
outside() { { head -c 8388608 "$T/disk"; tail -c +41943041 "$T/disk"; } | cksum; }
beside() {
	sync && sum=$(outside) && run 0 "$ASSAY" run $quick --scratch "${disk}p1" --record "$T/mounted/record" && umount "$T/mounted" &&
		mount "${disk}p2" "$T/mounted" && "$ASSAY" verify "$T/mounted/record" && rm "$T/mounted/record"
}
check "a free partition assay-scratch beside a mounted one passes, the record on its disk" beside
umount "$T/mounted"
exact() { sync && sum=$(outside) && run 0 "$ASSAY" run $quick --scratch "${disk}p1" && sync && [ "$(outside)" = "$sum" ]; }
check "nothing outside the partition is changed" exact
mount "$disk" "$T/mounted" 2>/dev/null && umount "$T/mounted"
mkfs.ext4 -q "${disk}p1"
check_kept "a signature in a partition assay-scratch" "$T/disk" "${disk}p1" 'data that assay did not write, at byte 0' 'give another'
mount "${disk}p1" "$T/mounted"
check_kept "a mounted partition" "$T/disk" "${disk}p1" "${disk}p1 is mounted on $T/mounted" 'free it first'
umount "$T/mounted"
mkswap -q "${disk}p1"
if swapon "${disk}p1" 2>/dev/null; then
	check_kept "swap on a partition" "$T/disk" "${disk}p1" "${disk}p1 is swap" 'free it first'
	check_kept "a disk with swap on a partition" "$T/disk" "$disk" "${disk}p1 is swap" 'free it first'
	swapoff "${disk}p1"
fi
dd if=/dev/zero of="${disk}p1" bs=1M count=32 conv=fsync status=none

# ---- the disk that the system runs from ----
# told WORD: refused when the kernel was told root=WORD
told() {
	echo "quiet root=$1" >"$T/cmdline"
	mount --bind "$T/cmdline" /proc/cmdline
	kept "$T/disk" "${disk}p1" "$from" 'another disk'
	status=$?
	umount /proc/cmdline
	return $status
}
serves() { mount "${disk}p2" "$1" && { kept "$T/disk" "${disk}p1" "$from" 'another disk'; status=$?; umount "$1"; return $status; }; }
from='the disk that this system runs from'
check "a partition of the disk that root= names" told "${disk}p2"
check "a partition of the disk that root= numbers" told "$(stat -c '%Hr:%Lr' "${disk}p2")"
[ -d /boot ] && check "a partition of the disk that serves /boot" serves /boot
simulated() { mkdir -p "$T/root/sys" && kept "$T/disk" "${disk}p1" 'with --sysroot nobody could tell' 'leave --sysroot out' --sysroot "$T/root"; }
check "a device while /sys is another machine's" simulated
for i in 1 2 3; do [ ! -e "$T/uevent.$i" ] || umount "/sys/block/${disk#/dev/}/${disk#/dev/}p$i/uevent"; done
detach "$disk"

# ---- a whole disk that has no serial number ----
zram=$(cat /sys/class/zram-control/hot_add 2>/dev/null) && zram=zram$zram && echo 32M >"/sys/block/$zram/disksize" 2>/dev/null && {
	check_kept "a whole disk" "/dev/$zram" "/dev/$zram" 'a whole disk' 'partition named assay-scratch'
	check_kept "a whole disk without a serial number" "/dev/$zram" "/dev/$zram" 'no serial number of its own' 'leave --destroy out' '--destroy S1'
}

# ---- eMMC: a loop device under another name, in a made-up /sys ----
zeros "$T/emmc" 32
echo precious | dd of="$T/emmc" conv=notrunc status=none
attach "$T/emmc"
# made_up NAME: a /sys in which $l is the eMMC device NAME
made_up() {
	numbers=$(stat -c '%Hr:%Lr' "$l") dir=$T/sys.$1/devices/platform/mmc_host/mmc0/mmc0:0001/block/$1
	mkdir -p "$dir/holders" "$dir/queue" "$T/sys.$1/dev/block" "$T/sys.$1/block"
	ln -sfn "../../devices/platform/mmc_host/mmc0/mmc0:0001/block/$1" "$T/sys.$1/dev/block/$numbers"
	ln -sfn "../devices/platform/mmc_host/mmc0/mmc0:0001/block/$1" "$T/sys.$1/block/$1"
	ln -sfn ../.. "$dir/device"
	echo 0x1234abcd >"$dir/../../serial"
	echo 15010041463034593141 >"$dir/../../cid"
	echo "$numbers" >"$dir/dev"
	echo 65536 >"$dir/size"
	printf 'DEVNAME=%s\nDEVTYPE=disk\n' "$1" >"$dir/uevent"
}
# as NAME TEXT WAY_OUT [OPTION...]: refused, where $l is that
as() {
	mount --rbind "$T/sys.$1" /sys
	shift
	kept "$T/emmc" "$l" "$@"
	status=$?
	umount -l /sys
	return $status
}
made_up mmcblk0
made_up mmcblk0boot0
check "an eMMC boot area, with the right serial number" as mmcblk0boot0 "an eMMC's boot area" 'never written to' --destroy 0x1234abcd
check "an eMMC boot area" as mmcblk0boot0 "an eMMC's boot area" 'never written to'
check "a wrong serial number" as mmcblk0 '--destroy 0x1234abce is not the serial number of mmcblk0' 'assay probe' --destroy 0x1234abce
untold() { ! grep -q 0x1234abcd "$T/err"; }
check "the right one is not given away" untold
check "a part of the serial number" as mmcblk0 'is not the serial number' 'assay probe' --destroy 0x1234
emmc=$T/sys.mmcblk0/devices/platform/mmc_host/mmc0/mmc0:0001
echo 0x00000000 >"$emmc/serial"
mv "$emmc/cid" "$T/cid"
check "a serial number of zeros is none" as mmcblk0 'no serial number of its own' 'leave --destroy out' --destroy 0x00000000
echo 0x1234abcd >"$emmc/serial"
mv "$T/cid" "$emmc/cid"
mount --rbind "$T/sys.mmcblk0" /sys
drive="--scratch $l --destroy 0x1234abcd"
planned() {
	sum=$(cksum <"$T/emmc")
	run 0 "$ASSAY" plan $quick $drive && has "$T/out" "holds others' data that --destroy gives up" &&
		has "$T/out" 'writes 33554432 bytes' && [ "$(cksum <"$T/emmc")" = "$sum" ]
}
check "plan tells what will be lost, and how much is written, and changes nothing" planned
sed 's/"board": "x86"/&, "write_cap_bytes": 20971520/' "$T/board.json" >"$T/cap.json"
capped() { run 0 "$ASSAY" plan --board "$T/cap.json" --only block.verify $drive && has "$T/out" 'writes 20971520 bytes'; }
check "plan keeps to the cap on wear" capped
# What lies between the first 19 MiB and the last one, which is verified whatever the size.
rest() { sync; tail -c +20971521 "$T/emmc" | head -c 11534336 | cksum; }
wear() {
	echo precious | dd of="$T/emmc" seek=32000000 bs=1 conv=notrunc status=none
	sum=$(rest)
	run 0 "$ASSAY" run --board "$T/cap.json" --only block.verify $drive && [ "$(rest)" = "$sum" ]
}
check "and so does the run" wear
gone() { ! head -c 8 "$T/emmc" | grep -q precious; }
check "with the right serial number the drive is written to" gone
echo precious | dd of="$T/emmc" conv=notrunc status=none
cid() { run 0 "$ASSAY" run $quick --scratch "$l" --destroy 15010041463034593141 && gone; }
check "the cid serves as serial number, too" cid
umount -l /sys
exit $failed

#!/bin/sh
# Nobody's data is lost, on drives with serial numbers, under md, device mapper and LVM, and on drives that vanish: a guest
# whose process 1 is tests/qemu/safety.guest, with a shell and what it calls, runs assay and tells each check's result.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

guest=build/guest/x86_64/cloud
version=$(cat $guest/VERSION)
root=$T/root
order=$root/lib/modules/assay.order

make_root() {
	make_image x86_64
	mkdir -p "$root/bin" "$root/tmp" "$root/boot"
	gzip -dc "$T/x86_64.cpio.gz" | (cd "$root" && cpio --quiet -id) || return 1
	mv "$root/init" "$root/assay"
	cp tests/qemu/safety.guest "$root/init"
	cp tests/cli/lib.sh "$root/lib.sh"
	sed 's/"undeclared_storage": "read"/"undeclared_storage": "ignore"/' board/x86.json >"$root/board.json"
	chmod 755 "$root/init"
	add_program sh cat dmsetup grep insmod mkdir mktemp mkswap mount umount sed sleep stat swapon swapoff tail blockdev losetup
	for module in raid1 dm-mod loop; do add_module $module; done
	(cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 >"$T/guest.cpio.gz"
}

# random FILE MIB: full of somebody's data
random() { dd if=/dev/urandom of="$1" bs=1M count="$2" status=none; }

make_drives() {
	for name in virtio none md lvm scsi gone; do random "$T/$name" 16; done
	for name in nvme; do random "$T/$name" 24; done
	random "$T/parts" 96
	printf 'label: gpt\nstart=16384, size=49152, name=assay-scratch\nsize=40960, name=files\nsize=40960, name=data\n' | sfdisk -q "$T/parts"
	dd if=/dev/zero of="$T/parts" bs=1M seek=8 count=24 conv=notrunc status=none
	mkfs.ext4 -q -E offset=33554432 "$T/parts" 20480k
	printf 'label: gpt\nname=precious\n' | sfdisk -q "$T/nvme"
	sums >"$T/before"
}

# What must not change: drives that are never given up, and of the other one the table and the partition `files`
sums() {
	for name in none md lvm; do cksum <"$T/$name"; done
	head -c 8388608 "$T/parts" | cksum
	tail -c +33554433 "$T/parts" | head -c 20971520 | cksum
	tail -c +75497473 "$T/parts" | cksum
}
all_kept() { sums | cmp "$T/before" -; }

# drive NAME DEVICE: the file $T/NAME as that device of QEMU
drive() { drives="$drives -blockdev driver=file,node-name=f$1,filename=$T/$1 -blockdev driver=raw,node-name=$1,file=f$1 -device $2,drive=$1"; }

boot_guest() {
	drives='-device virtio-scsi-pci'
	drive parts nvme,serial=S1
	drive nvme nvme,serial=S2
	drive gone nvme,serial=S3
	drive none virtio-blk-pci
	drive virtio virtio-blk-pci,serial=V1
	drive md virtio-blk-pci,serial=V2
	drive lvm virtio-blk-pci,serial=V3
	drive scsi scsi-hd,serial=X1
	timeout 150 qemu-system-x86_64 -M q35 -cpu qemu64 -accel tcg,thread=multi -smp 2 -m 512M -nodefaults -no-user-config \
		-display none -no-reboot -serial stdio -kernel $guest/vmlinuz -initrd "$T/guest.cpio.gz" \
		-append 'console=ttyS0 quiet loglevel=1 panic=-1' $drives </dev/null >"$T/console" 2>&1
	tr -d '\r' <"$T/console" >"$T/lines"
	grep -qx 'guest: all done' "$T/lines"
}

mkdir "$root"
make_drives && make_root || exit 1
check safety_guest_comes_to_its_end boot_guest
check safety_checksums_of_what_was_not_given_up all_kept
# A kernel's message may stand before a line, never in the middle of ours: it comes in one write.
grep -oE '(not ok|ok) safety_.*|^#   .*' "$T/lines"
grep -q 'not ok safety_' "$T/lines" && failed=1
grep -q '^ok safety_' "$T/lines" || failed=1
[ $failed = 0 ] || tail -5 "$T/lines"
exit $failed

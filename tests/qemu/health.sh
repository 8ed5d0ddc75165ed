#!/bin/sh
# Drives are asked for their health by ioctl: NVMe by admin commands, SCSI by SG_IO.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

WORDS="assay.level=short assay.only=block.health,env.after"

# QEMU's drive has 323 K, and neither reserve nor threshold: nothing of it may fail or warn.
good_drive() {
	guest 0 "$1" --drive "$T/drive" --memory 512M $WORDS && has "$T/console" "assay: PASS board=" &&
		has "$T/console" "nvme0n1: QEMU NVMe Ctrl, firmware" && has "$T/console" "serial number S1" &&
		grep -q 'block.health.temperature\[role=nvme0n1\] *49.85 degC' "$T/console" &&
		grep -q 'block.health.spare\[role=nvme0n1\] *0 ppm' "$T/console" &&
		grep -q 'block.health.media_errors\[role=nvme0n1\] *0' "$T/console" &&
		grep -q 'env.after.drive.media_errors\[role=nvme0n1\] *0' "$T/console" && has "$T/console" " warned=0 "
}

# smart_critical_warning: 4 is "reliability degraded", the only fault.  A self-test that cannot be started is said to be so; a
# SCSI disk is asked for its name, a SATA drive for its SMART status.
failing_drive() {
	guest 1 "$1" --drive "$T/drive" --qemu "-global nvme.smart_critical_warning=4" --memory 512M $WORDS \
		--qemu "-device virtio-scsi-pci -drive if=none,id=s,format=raw,file=$T/scsi -device scsi-hd,drive=s,serial=SCSI42" \
		--qemu "-M pc -drive if=none,id=a,format=raw,file=$T/ata -device ide-hd,drive=a,serial=ATA42" \
		assay.set=block.health.selftest=short &&
		has "$T/console" "nvme0n1: the drive says that its reliability is degraded" && has "$T/console" " failed=1 errors=0 "
}

make_drive "$T/drive"
for disk in scsi ata; do dd if=/dev/zero of="$T/$disk" bs=1M count=8 status=none; done
for arch in $MACHINES; do
	make_image "$arch"
	check "nvme_health_is_told_and_fails_nothing_$arch" good_drive "$arch"
done
check nvme_that_says_it_is_degraded_fails failing_drive x86_64
check a_self_test_that_cannot_be_started_is_skipped has "$T/console" "nvme0n1 has no self-test that this version can start"
check a_scsi_disk_is_asked_for_its_name has "$T/console" ": QEMU QEMU HARDDISK, firmware"
check a_scsi_disk_tells_its_serial_number has "$T/console" "serial number SCSI42"
check a_scsi_disk_without_ata_is_skipped has "$T/console" ": no health data: no ATA drive: it does not offer page 89h"
sata() { grep -q 'block.health.smart_status\[role=sd[ab]\] *0' "$T/console" && has "$T/console" "serial number ATA42"; }
check a_sata_drive_tells_its_smart_status sata
exit $failed

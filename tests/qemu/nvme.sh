#!/bin/sh
# An NVMe drive is found, read and judged; read errors make the board FAIL.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

WORDS="assay.level=short assay.only=board.identity,block.read"

good_drive() {
	guest 0 "$1" --drive "$T/drive" --memory 512M $WORDS && has "$T/console" "assay: PASS board=" && seconds_at_most 15
}

# The run reads the whole drive through the errors: the harness ends as the board does.  (Its figures may be short ones.)
bad_drive() { guest 1 "$1" --drive "$T/drive@$2" --memory 512M $WORDS assay.set=block.read.runtime=200ms && has "$T/console" "assay: FAIL board=" && has "$T/console" "$3"; }

make_drive "$T/drive"
for arch in $MACHINES; do
	make_image "$arch"
	check "nvme_passes_within_15_s_$arch" good_drive "$arch"
	check "nvme_with_read_errors_fails_$arch" bad_drive "$arch" all 'reads failed, the first at byte '
	check "nvme_with_one_bad_sector_fails_$arch" bad_drive "$arch" 2048 'the first at byte 1048576: ENODATA'
done
# What the kernel makes of a medium error on NVMe; the partition table's copy there is not needed.
check nvme_with_a_bad_last_sector_fails bad_drive x86_64 131071 'the last block, at byte 67108352, cannot be read: ENODATA'
exit $failed

#!/bin/sh
# The whole short sequence as process 1, with the scratch partition found by its name.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

whole_sequence() {
	guest 0 "$1" --drive "$T/drive" --memory 768M --timeout 180 assay.level=short assay.scratch=auto &&
		has "$T/console" "partial=no" && seconds_at_most 180
}

for arch in $MACHINES; do
	make_image "$arch"
	make_drive "$T/drive"
	check "whole_short_sequence_passes_$arch" whole_sequence "$arch"
done
exit $failed

#!/bin/sh
# The whole short sequence as process 1, with the scratch partition found by its name; both guests at once: most of it is a time that a measurement runs.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

whole_sequence() {
	guest 0 "$1" --drive "$T/drive" --memory 768M --timeout 180 assay.level=short assay.scratch=auto &&
		has "$T/console" "partial=no" && seconds_at_most 180
}

for arch in $MACHINES; do
	make_image "$arch"
	mkdir "$T/$arch" && ln "$T/$arch.cpio.gz" "$T/$arch/" && make_drive "$T/$arch/drive"
	(T=$T/$arch; whole_sequence "$arch" >"$T/told" 2>&1; echo $? >"$T/status") &
done
wait
passed() { cat "$T/$1/told"; [ "$(cat "$T/$1/status")" = 0 ]; }
for arch in $MACHINES; do check "whole_short_sequence_passes_$arch" passed "$arch"; done
exit $failed

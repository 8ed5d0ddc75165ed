#!/bin/sh
# Translated, on a kernel of another architecture: the binary's own architecture counts, and chooses the board file.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

own_architecture() {
	run 0 qemu-aarch64-static build/aarch64/assay probe && has "$T/out" "board aarch64:" && hasnt "$T/out" "board x86:"
}

check architecture_is_that_of_the_binary own_architecture
exit $failed

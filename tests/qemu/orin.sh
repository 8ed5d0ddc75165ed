#!/bin/sh
# With the device tree of a Jetson AGX Orin, the Orin's board file is chosen, and the parts that QEMU lacks are named.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

make_orin_tree() {
	tests/qemu/boot aarch64 --dump-dtb "$T/orin.dtb" --memory 768M &&
		fdtput -t s "$T/orin.dtb" / compatible "nvidia,p3737-0000+p3701-0000" "nvidia,tegra234"
}

missing_parts() {
	guest 1 aarch64 --dtb "$T/orin.dtb" --memory 768M assay.level=short assay.only=board.identity &&
		has "$T/console" "assay: FAIL board=jetson-agx-orin " && has "$T/console" "missing: nvme" &&
		has "$T/console" "missing: emmc" && has "$T/console" "missing: port 10g"
}

make_image aarch64
check orin_device_tree_is_made make_orin_tree
check orin_board_is_chosen_and_missing_parts_are_named missing_parts
exit $failed

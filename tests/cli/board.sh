#!/bin/sh
# assay check and assay probe: board files, made-up machines (tests/sysroot/make-orin), a captured tree read again.
cd "$(dirname "$0")/../.." && . tests/cli/lib.sh
[ -x "$ASSAY" ] || { echo "not ok there is no $ASSAY"; exit 1; }

x86_is_right() {
	run 0 "$ASSAY" check board/x86.json && has "$T/out" "board/x86.json: board x86, 0 storage roles, 5 limits (0 not calibrated)"
}
all_are_right() { run 0 "$ASSAY" check board/*.json; }
example_is_right() {
	sed -n '/^```json/,/^```/p' README.md | sed '1d;$d' >"$T/readme.json"
	[ ! -s "$T/readme.json" ] || run 0 "$ASSAY" check "$T/readme.json"
}

# edited SED-SCRIPT: a copy of x86.json, edited
edited() { sed "$1" board/x86.json >"$T/edited.json"; }
# refused FAULT: the edited file is, with this fault behind its name, and nothing is said of it on standard output
refused() {
	run 2 "$ASSAY" check "$T/edited.json" && has "$T/err" "$T/edited.json:$1" && [ ! -s "$T/out" ]
}

trailing_comma() { edited '3s/,$/,,/' && refused 3:37; }
unknown_key() { edited '5s/undeclared_storage/undeclared_store/' && refused '5:3: unknown key "undeclared_store" (did you mean "undeclared_storage"?)'; }
contradiction() { edited 's/{ "max": 0,/{ "min": 1, "max": 0,/' && refused '24:31: "min" is above "max"'; }
unknown_step() {
	edited '5s/$/\n  "params": { "block.raed": { "bs": "4k" } },/' && refused '6:31: ' && has "$T/err" 'block.read'
}
unknown_param() { edited '5s/$/\n  "params": { "block.read": { "bz": "4k" } },/' && refused '6:31: ' && has "$T/err" '"bz"'; }
wrong_value() { edited '5s/$/\n  "params": { "block.read": { "bs": "4q" } },/' && run 2 "$ASSAY" check "$T/edited.json" && has "$T/err" '4q'; }
one_of_two() {
	edited '3s/,$/,,/' && run 2 "$ASSAY" check "$T/edited.json" board/x86.json && has "$T/out" 'board/x86.json: board x86'
}
no_file() { run 2 "$ASSAY" check "$T/none.json" && has "$T/err" none.json; }
a_folder() { run 2 "$ASSAY" check "$T" && has "$T/err" "$T"; }
no_word() { run 2 "$ASSAY" check && has "$T/err" 'check needs a board file'; }
an_option() { run 2 "$ASSAY" check --fast board/x86.json && has "$T/err" '--fast'; }
nothing_tested() {
	edited '3s/,$/,,/' && run 2 "$ASSAY" run --board "$T/edited.json" && has "$T/err" edited.json:3:37 && [ ! -s "$T/out" ]
}

check check_says_what_a_file_holds x86_is_right
check check_accepts_every_board_file all_are_right
check check_accepts_the_board_file_in_the_readme example_is_right
check check_refuses_a_trailing_comma_with_line_and_column trailing_comma
check check_names_the_nearest_key unknown_key
check check_refuses_bounds_that_contradict contradiction
check check_refuses_parameters_of_an_unknown_step unknown_step
check check_refuses_an_unknown_parameter unknown_param
check check_refuses_a_parameter_value_that_cannot_be_read wrong_value
check check_goes_on_behind_a_bad_file one_of_two
check check_names_a_missing_file no_file
check check_names_a_folder a_folder
check check_without_a_file_is_wrong_usage no_word
check check_refuses_options an_option
check run_with_a_bad_board_file_tests_nothing nothing_tested

# orin FOLDER [VARIANT...]: makes the tree $T/FOLDER and probes it
orin() {
	tree=$T/$1
	shift
	tests/sysroot/make-orin "$tree" "$@" && run 0 "$ASSAY" probe --sysroot "$tree"
}

this_machine() {
	run 0 "$ASSAY" probe && has "$T/out" "$(uname -r)" && has "$T/out" 'board x86: ' || return 1
	for disk in /sys/block/*; do
		[ ! -e "$disk/device" ] || has "$T/out" "  ${disk##*/} " || return 1
	done
	for port in /sys/class/net/*/ifindex; do
		port=${port%/ifindex}
		has "$T/out" "  ${port##*/} " || return 1
	done
}
whole_orin() {
	orin whole && has "$T/out" 'jetson-agx-orin  fits exactly' && has "$T/out" 'SKU              p3701-0005' &&
		has "$T/out" 'software stack   l4t-35' && has "$T/out" 'storage nvme     nvme0n1' &&
		has "$T/out" 'storage emmc     mmcblk3' && has "$T/out" 'port 10g         eth0' && has "$T/out" simulated &&
		hasnt "$T/out" MISSING
}
boot_areas() { hasnt "$T/out" mmcblk3boot0; }
sensors() {
	has "$T/out" '3.199 GHz of at most 3.199 GHz' && has "$T/out" '45 degC' && has "$T/out" 'vdd_cpu_cv         5000 mV, 800 mA' &&
		has "$T/out" 'not readable here  cv0, cv1, cv2'
}
gen1() { orin gen1 nvme-gen1 && has "$T/out" '2.5 GT/s PCIe x4, of at most 16.0 GT/s PCIe x4'; }
no_nvme() { orin no-nvme no-nvme && has "$T/out" 'storage nvme     MISSING'; }
no_port() { orin no-10g no-10g && has "$T/out" 'port 10g         MISSING'; }
hs200() { orin hs200 emmc-hs200 && has "$T/out" 'mmc HS200'; }
mode_30w() {
	orin 30w mode-30w && has "$T/out" 'SKU              p3701-0005' &&
		has "$T/out" '8 CPUs are online where p3701-0005 has 12: a power mode'
}
ecc_off() { orin ecc ecc-off && has "$T/out" 'ECC off'; }
no_part_number() { orin nopart sku-absent module-32g sku-absent && has "$T/out" 'SKU              p3701-0004'; }
l4t_36() { orin l4t36 l4t-36 && has "$T/out" 'software stack   l4t-36' && has "$T/out" 'storage emmc     mmcblk0'; }
throttled() { orin throttled throttled && has "$T/out" 'oc1-under-voltage  3' && has "$T/out" 'throttle-alert     1'; }

check probe_lists_every_device_and_port_of_this_machine this_machine
check probe_finds_every_part_of_an_orin whole_orin
check probe_passes_over_emmc_boot_areas boot_areas
check probe_reads_clocks_temperatures_and_rails sensors
check probe_tells_a_slow_link gen1
check probe_tells_a_missing_drive no_nvme
check probe_tells_a_missing_port no_port
check probe_tells_a_slow_emmc_mode hs200
check probe_tells_a_power_mode mode_30w
check probe_tells_that_ecc_is_off ecc_off
check probe_tells_a_module_without_its_part_number no_part_number
check probe_knows_the_other_software_stack l4t_36
check probe_tells_throttling throttled

: >"$T/log" # such a tree has no kernel's log of its own
# judged STATUS TEXT [VARIANT...]: the steps that look at the board, on such a tree, end with the status and say TEXT
judged() {
	status=$1 text=$2
	shift 2
	rm -rf "$T/judged"
	tests/sysroot/make-orin "$T/judged" "$@" &&
		run "$status" "$ASSAY" run --sysroot "$T/judged" --kernel-log "$T/log" --only board.identity,env.snapshot,env.after && has "$T/out" "$text"
}

check run_finds_nothing_wrong_with_a_whole_orin judged 3 'assay: MEASURED board=jetson-agx-orin'
check run_finds_nothing_wrong_with_the_other_software_stack judged 3 'failed=0 errors=0' l4t-36
check run_finds_nothing_wrong_with_an_industrial_module judged 3 'failed=0 errors=0' industrial
check run_fails_a_slow_link judged 1 'the link trained at 2.5 GT/s PCIe, declared 16.0 GT/s PCIe' nvme-gen1
check run_fails_a_narrow_link judged 1 'the link trained at x1, declared x4' nvme-x1
check run_fails_a_missing_drive judged 1 'declared device missing: nvme' no-nvme
check run_fails_a_missing_port judged 1 'declared device missing: port 10g' no-10g
check run_fails_a_slow_emmc_mode judged 1 'bus mode mmc HS200, declared mmc HS400' emmc-hs200
check run_fails_a_power_mode judged 1 '8 CPUs are online where p3701-0005 has 12' mode-30w
check run_fails_ecc_that_is_off judged 1 'ECC off' ecc-off
check run_fails_a_hot_board judged 1 'not below 99000' hot
check run_fails_a_bad_eeprom judged 1 'its address is 00:00:00:00:00:00: bad EEPROM' bad-eeprom
check run_fails_a_board_without_serial_number has "$T/out" 'no serial number: bad EEPROM'
check run_fails_a_wrong_memory_table judged 1 'possible_rates lacks 3199000: wrong SDRAM table' emc-table
check run_fails_a_throttled_board judged 1 'throttled: throttle-alert is active (1)' throttled
check run_passes_counters_that_rose_before_it hasnt "$T/out" increased
check run_cannot_judge_a_mode_without_debugfs judged 2 'bus mode not told' no-debugfs

# A drive that no declared role asks more of is held to what both ends can do: board file without a link speed.
both_ends() {
	sed 's/"link_speed": "16.0 GT\/s PCIe", //' board/jetson-agx-orin.json >"$T/free.json"
	rm -rf "$T/judged"
	tests/sysroot/make-orin "$T/judged" "$@" && run "$want_status" "$ASSAY" run --sysroot "$T/judged" --board "$T/free.json" --only board.identity
}
below_both() { want_status=1 both_ends nvme-gen1 && has "$T/out" 'the link trained at 2.5 GT/s PCIe, both ends can do 16.0 GT/s PCIe'; }
slower_port() { want_status=3 both_ends nvme-slow-port && has "$T/out" failed=0; }
check run_fails_a_link_below_what_both_ends_can_do below_both
check run_passes_a_link_at_the_most_of_a_slower_port slower_port

# meanwhile STATUS TEXT FILE CONTENT [OPTION...]: the same, where the file in the tree changes during the run
meanwhile() {
	status=$1 text=$2 file=$3 content=$4
	shift 4
	rm -rf "$T/judged"
	tests/sysroot/make-orin "$T/judged" edac || return 1
	(sleep 1.5; printf '%s\n' "$content" >"$T/judged/$file") &
	run "$status" "$ASSAY" run --sysroot "$T/judged" --kernel-log "$T/log" --only env.snapshot,env.noise,env.after --set env.noise.duration=3s "$@" && has "$T/out" "$text"
	result=$?
	wait
	return $result
}
oc=sys/class/hwmon/hwmon0
check run_fails_an_under_voltage_of_its_own_time meanwhile 1 'oc1-under-voltage increased by 2 during the run' $oc/oc1_event_cnt 2
check run_warns_of_an_over_current_of_its_own_time meanwhile 3 'oc2 increased by 1 during the run' $oc/oc2_event_cnt 1
check run_fails_a_ceiling_that_fell meanwhile 1 'throttled: cpu-ceiling fell from 26419200 to 24217600 during the run' \
	sys/devices/system/cpu/cpufreq/policy8/scaling_max_freq 1651200
check run_fails_an_uncorrected_memory_error_of_its_own_time meanwhile 1 'ecc-uncorrected increased by 1 during the run' \
	sys/devices/system/edac/mc/mc0/ue_count 1 --board aarch64
check run_warns_of_a_corrected_memory_error_of_its_own_time meanwhile 3 'ecc-corrected increased by 1 during the run' \
	sys/devices/system/edac/mc/mc0/ce_count 3 --board aarch64

# Without a peer the figures of a declared port are not there: that was said once, and is no slip in a limit's name.
no_peer() {
	rm -rf "$T/judged"
	tests/sysroot/make-orin "$T/judged"
	sed 's/"limits": {/&\n    "net.tcp.throughput[port=lo,dir=tx,streams=7,len=128k]": { "min": 1 },/' board/jetson-agx-orin.json >"$T/lo.json"
	run 3 "$ASSAY" run --sysroot "$T/judged" --board "$T/lo.json" --kernel-log "$T/log" --only net.tcp --set net.tcp.runtime=100ms --set net.tcp.omit=0 &&
		has "$T/out" 'SKIP     net.tcp.throughput[port=10g]: no peer was given' && hasnt "$T/out" 'the limit on net.tcp.throughput[port=10g' &&
		hasnt "$T/out" 'the limit on net.limit' && has "$T/out" 'the limit on net.tcp.throughput[port=lo,dir=tx,streams=7,len=128k] met no figure'
}
check run_without_a_peer_misses_no_limit_on_a_declared_port no_peer

captured() {
	tests/sysroot/make-orin "$T/board" && run 0 "$ASSAY" probe --sysroot "$T/board" && cp "$T/out" "$T/first" &&
		run 0 "$ASSAY" probe --sysroot "$T/board" --capture "$T/copy" && run 0 "$ASSAY" probe --sysroot "$T/copy" &&
		diff "$T/first" "$T/out"
}
captured_here() {
	run 0 "$ASSAY" probe --capture "$T/here" && grep -v '^what was read\|^machine' "$T/out" >"$T/first" &&
		run 0 "$ASSAY" probe --sysroot "$T/here" && grep -v '^machine' "$T/out" >"$T/second" &&
		sed -i '$d' "$T/first" && diff "$T/first" "$T/second"
}
scrubbed() {
	run 0 "$ASSAY" probe --sysroot "$T/board" --capture "$T/clean" --scrub && [ -d "$T/clean/sys" ] &&
		! grep -rqa -e FAKE0NVME0001 -e 1420000000001 -e 00:04:4b:00:00:01 "$T/clean"
}
full_folder() { run 2 "$ASSAY" probe --sysroot "$T/board" --capture "$T/copy" && has "$T/err" copy; }
below_dev() { run 2 "$ASSAY" probe --capture /dev/assay-test && [ ! -e /dev/assay-test ]; }
no_sysroot() { run 2 "$ASSAY" probe --sysroot "$T/none" && has "$T/err" none; }
wrong_word() { run 2 "$ASSAY" probe --fast && has "$T/err" '--fast'; }
no_value() { run 2 "$ASSAY" probe --capture && has "$T/err" '--capture needs a value'; }

check capture_of_a_tree_probes_alike captured
check capture_of_this_machine_probes_alike captured_here
check scrub_leaves_no_serial_number_nor_address scrubbed
check capture_refuses_a_folder_that_is_not_empty full_folder
check capture_creates_nothing_below_dev below_dev
check probe_names_a_missing_sysroot no_sysroot
check probe_refuses_an_unknown_word wrong_word
check probe_wants_values_for_its_options no_value
exit $failed

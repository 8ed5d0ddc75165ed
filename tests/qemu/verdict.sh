#!/bin/sh
# Whatever happens to the run, its verdict leaves the board; and a guest without a verdict is never good.
# lane: waits
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

port() { [ "$1" = x86_64 ] && echo ttyS1 || echo vport0p1; }

# The second port is a serial line on x86-64; on aarch64 a virtio port, which the image's modules make appear.
result_port() {
	guest 2 "$1" --result "$T/result" --memory 512M "assay.result=$(port "$1")" assay.scratch=/dev/nonexistent &&
		tests/qemu/last-line "$T/result" ERROR
}

# What QEMU translates says so, in every figure: its times are none.
emulated() {
	has "$T/console" "emulated ($2): times mean nothing" &&
		[ "$(grep -c '"measurement":' "$T/record")" -gt 0 ] &&
		[ "$(grep -c '"measurement":' "$T/record")" = "$(grep -c "\"emulated\":\"$2\"" "$T/record")" ]
}
emulator() { [ "$1" = x86_64 ] && echo 'qemu tcg' || echo qemu; }

wrong_word() {
	guest 2 "$1" --memory 512M assay.levle=short && has "$T/console" "levle" &&
		has "$T/console" "assay: ERROR board=unknown serial=none steps=0 figures=0 failed=0 errors=1"
}

# The record leaves the board whole by a virtio port, and the last line holds its hash.
record_port() {
	guest 0 "$1" --record "$T/record" --memory 512M assay.record=/dev/vport0p2 assay.only=board.identity,clock.sanity &&
		"$ASSAY" verify "$T/record" && has "$T/console" "record=sha256:$(sha256sum "$T/record" | cut -d ' ' -f 1)"
}

absent_port() {
	guest 2 "$1" --memory 512M assay.result=ttyS99 assay.end=explode && has "$T/console" "/dev/ttyS99: ENOENT" &&
		has "$T/console" "assay.end=explode: poweroff, halt or reboot is meant"
}

powered_off_without_a_word() { guest 125 x86_64 --memory 512M --timeout 40 rdinit=/nonexistent; }
silent() { guest 125 x86_64 --memory 512M --timeout 3 assay.wait=60; }

for arch in $MACHINES; do
	make_image "$arch"
	check "result_port_gets_the_last_line_$arch" result_port "$arch"
	check "record_leaves_the_board_whole_$arch" record_port "$arch"
	check "figures_say_that_they_are_emulated_$arch" emulated "$arch" "$(emulator "$arch")"
	check "wrong_word_is_error_$arch" wrong_word "$arch"
done
check result_that_cannot_be_written_is_named absent_port x86_64
check panic_is_no_verdict powered_off_without_a_word
check silence_is_no_verdict silent
exit $failed

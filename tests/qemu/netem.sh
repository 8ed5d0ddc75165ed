#!/bin/sh
# Loss, delay, reordering and duplicates on the way between two machines, as netem makes them: two network namespaces in a guest whose
# process 1 is tests/qemu/netem.guest.
# lane: waits
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

guest=build/guest/x86_64/cloud
version=$(cat $guest/VERSION)
root=$T/root
order=$root/lib/modules/assay.order

make_root() {
	mkdir -p "$root/bin" "$root/tmp" "$root/lib/modules" "$root/dev" "$root/proc" "$root/sys" "$root/run" && : >"$order"
	cp build/x86_64/assay "$root/assay" && cp tests/qemu/netem.guest "$root/init" && cp tests/cli/lib.sh "$root/lib.sh"
	chmod 755 "$root/init"
	add_program sh cat grep insmod ip jq mkdir mktemp mount sed sleep tail tc awk
	for module in veth sch_netem; do add_module $module; done
	(cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 >"$T/guest.cpio.gz"
}

boot_guest() {
	timeout 120 qemu-system-x86_64 -M q35 -cpu qemu64 -accel tcg,thread=multi -smp 2 -m 512M -nodefaults -no-user-config \
		-display none -no-reboot -serial stdio -kernel $guest/vmlinuz -initrd "$T/guest.cpio.gz" \
		-append 'console=ttyS0 quiet loglevel=1 panic=-1' </dev/null >"$T/console" 2>&1
	tr -d '\r' <"$T/console" >"$T/lines"
	grep -qx 'guest: all done' "$T/lines"
}

make_root || exit 1
check netem_guest_comes_to_its_end boot_guest
grep -oE '(not ok|ok) netem_.*|^#   .*' "$T/lines"
grep -q 'not ok netem_' "$T/lines" && failed=1
grep -q '^ok netem_' "$T/lines" || failed=1
[ $failed = 0 ] || tail -5 "$T/lines"
exit $failed

# Figures of a machine that another program emulates say so; those of this one do not, be it virtual or not.
. tests/cli/lib.sh
quick="run --only env.snapshot,clock.sanity --record $T/r"

figures() { grep -c '"measurement":' "$T/r"; }
marked() { grep -c '"emulated":"qemu-user"' "$T/r"; }

# translated COMMAND...: every figure has the mark, and the header says it; the verdict is what it would be
translated() {
	"$@" $quick >"$T/out" 2>&1 || [ $? -le 3 ] || return 1
	has "$T/out" "emulated (qemu-user): times mean nothing" && [ "$(figures)" -gt 3 ] && [ "$(figures)" = "$(marked)" ]
}
check "aarch64, translated by qemu-user" translated qemu-aarch64-static build/aarch64/assay
check "x86-64, translated by qemu-user" translated qemu-x86_64-static "$ASSAY"

native() {
	"$ASSAY" $quick >"$T/out" 2>&1 || [ $? -le 3 ] || return 1
	hasnt "$T/out" "emulated" && [ "$(figures)" -gt 3 ] && [ "$(marked)" = 0 ] && hasnt "$T/r" '"emulated"'
}
# A guest of QEMU's translator is emulated all over, by whatever asks its CPU.
is_guest() {
	printf '%s\n' '#include <cpuid.h>' '#include <string.h>' \
		'int main(void) { unsigned a, by[3]; __cpuid(0x40000000, a, by[0], by[1], by[2]); return memcmp(by, "TCGTCGTCGTCG", 12) != 0; }' |
		gcc -x c -o "$T/is_guest" - && "$T/is_guest"
}
if is_guest; then echo "ok this machine is none # skipped: it is emulated"; else check "this machine is none" native; fi
exit $failed

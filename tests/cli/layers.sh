# tests/layers finds what it is for: each rule, broken on purpose in a copy.
. tests/cli/lib.sh
mkdir "$T/copy" && cp -r src include tests "$T/copy"

# finds NAME FILE LINE: with that line added to the file, layers fails and names the file
finds() {
	cp "$T/copy/$2" "$T/saved"
	printf '%s\n' "$3" >>"$T/copy/$2"
	bash "$T/copy/tests/layers" >"$T/out" 2>&1
	status=$?
	cp "$T/saved" "$T/copy/$2"
	[ $status = 1 ] && grep -A3 "^not ok layers: $1" "$T/out" | grep -q "$2"
}
good() { bash "$T/copy/tests/layers"; }
check "the tree as it is has no fault" good
check "an include upwards" finds "src/lib includes" src/lib/text.c '#include "sys/call.h"'
check "an engine that includes another" finds "src/block includes" src/block/engine.c '#include "mem/chase.h"'
check "errno outside of sys" finds "errno" src/run/child.c 'int e(void); int e(void) { return errno; }'
check "an architecture conditional" finds "no architecture" src/run/child.c '#ifdef __x86_64__'
check "printing in an engine" finds "nothing but cli" src/mem/chase.c 'void p(void) { printf("x"); }'
check "the heap" finds "no heap" src/run/child.c 'void *p(void) { return malloc(1); }'
check "floating point in a figure" finds "no floating point" src/stat/summary.c 'static double d;'
check "a format that the small printf lacks" finds "no format" src/cli/help.c 'static const char *f = "%f";'
printf 'int x;\n' >"$T/copy/src/lib/bare.c"
bare() { bash "$T/copy/tests/layers" | grep -A2 "not ok layers: every file opens" | grep -q bare.c; }
check "a file without its contract" bare

# And the build's own check: a binary that is not static musl, an object that uses the heap.
echo 'int main(void) { return 0; }' >"$T/m.c"
gcc -o "$T/dynamic" "$T/m.c" && gcc -static -o "$T/glibc" "$T/m.c"
echo 'void *malloc(unsigned long); void *p(void); void *p(void) { return malloc(1); }' >"$T/h.c"; gcc -c -o "$T/h.o" "$T/h.c"
rejects() { ! toolchain/check-binary "$@"; }
check "check-binary refuses a dynamic binary" rejects "$T/dynamic"
check "check-binary refuses glibc" rejects "$T/glibc"
check "check-binary refuses an object that uses the heap" rejects build/x86_64/assay "$T/h.o"
check "check-binary accepts the binary as it is" toolchain/check-binary build/x86_64/assay
exit $failed

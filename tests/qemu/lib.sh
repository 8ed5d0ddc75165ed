# lib.sh: for the tests that boot.  On top of tests/cli/lib.sh: images, drives and guests of both architectures.
. tests/cli/lib.sh

MACHINES="x86_64 aarch64"

# make_image ARCH: $T/ARCH.cpio.gz, with the modules of the guests' kernel
make_image() {
	toolchain/image/make "$1" "build/$1/assay" "$T/$1.cpio.gz" "build/guest/$1/cloud/root" >"$T/image.out" 2>&1 ||
		{ echo "not ok image_$1"; sed 's/^/#   /' "$T/image.out"; exit 1; }
}

# make_drive FILE: 64 MiB with a GPT, and a partition assay-scratch of 48 MiB behind the first 8
make_drive() {
	dd if=/dev/zero of="$1" bs=1M count=64 status=none
	printf 'label: gpt\nstart=16384, size=98304, name=assay-scratch\n' | sfdisk -q "$1"
}

# For a guest with a shell: $root is its root, $order the list of its modules, $guest and $version those of its kernel.

# The libraries of a program are copied to where it looks for them.
add_program() {
	for name in "$@"; do
		file=$(command -v "$name") || { echo "not ok $name is missing here"; exit 1; }
		cp -L "$file" "$root/bin/$name"
		ldd "$file" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
			mkdir -p "$root/${library%/*}"
			cp -Lu "$library" "$root/$library"
		done
	done
}

add_module() {
	modprobe -d $guest/root -S "$version" --show-depends "$1" | sed -n 's/^insmod \([^ ]*\).*/\1/p' | while read -r file; do
		name=$version/${file#*"/lib/modules/$version/"}
		grep -qxF "$name" "$order" && continue
		mkdir -p "$root/lib/modules/${name%/*}"
		cp "$file" "$root/lib/modules/$name"
		echo "$name" >>"$order"
	done
}

# guest STATUS ARCH BOOT_OPTION...: boots, with what the guest said in $T/console, and succeeds when the run ends with STATUS
guest() {
	want=$1 arch=$2
	shift 2
	got=0
	timeout 200 tests/qemu/boot "$arch" --image "$T/$arch.cpio.gz" "$@" >"$T/console" 2>&1 || got=$?
	[ $got = "$want" ] && return 0
	echo "status $got, not $want: boot $arch $*"
	tail -25 "$T/console"
	return 1
}

# seconds_at_most N: the guest's time from power-on to verdict
seconds_at_most() {
	took=$(sed -n 's/^boot: .* verdict \([0-9]*\)\.[0-9] s$/\1/p' "$T/console")
	echo "# $(tail -n 1 "$T/console")" >&3
	[ -n "$took" ] && [ "$took" -lt "$1" ]
}

# What a check prints beside its result: its own output is only shown when it fails.
exec 3>&1

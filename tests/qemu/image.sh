#!/bin/sh
# The image: the same inputs give the same bytes, and it holds what a boot needs.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

same_bytes() {
	make_image "$1" && mv "$T/$1.cpio.gz" "$T/first" && sleep 1 && make_image "$1" && cmp "$T/first" "$T/$1.cpio.gz"
}

init_is_the_binary() {
	mkdir -p "$T/$1" && gzip -dc "$T/$1.cpio.gz" | (cd "$T/$1" && cpio --quiet -id) &&
		cmp "$T/$1/init" "build/$1/assay" && [ -x "$T/$1/init" ]
}

listed_modules_are_there() {
	[ -s "$T/$1/lib/modules/assay.order" ] || return 1
	while read -r module; do [ -s "$T/$1/lib/modules/$module" ] || return 1; done <"$T/$1/lib/modules/assay.order"
	[ "$(sort "$T/$1/lib/modules/assay.order" | uniq -d | wc -l)" = 0 ]
}

without_modules() {
	toolchain/image/make "$1" "build/$1/assay" "$T/bare.cpio.gz" && gzip -dc "$T/bare.cpio.gz" | cpio --quiet -t >"$T/list" &&
		[ "$(sort "$T/list" | tr '\n' ' ')" = ". dev init proc run sys tmp " ]
}

refuses() { run 2 toolchain/image/make x86_64 "$1" "$T/none.cpio.gz" $2 && has "$T/err" "$3" && [ ! -e "$T/none.cpio.gz" ]; }

for arch in $MACHINES; do
	check "image_is_the_same_twice_$arch" same_bytes "$arch"
	check "image_has_the_binary_as_init_$arch" init_is_the_binary "$arch"
	check "image_has_every_listed_module_once_$arch" listed_modules_are_there "$arch"
	check "image_without_a_kernel_tree_has_no_modules_$arch" without_modules "$arch"
done
check image_of_an_absent_binary_is_refused refuses "$T/absent" "" "is not there"
check image_of_a_tree_without_modules_is_refused refuses build/x86_64/assay "$T" "has no lib/modules"
exit $failed

# block.verify: drives with wrong addresses, stale, torn, zeroed and unreadable ones, each named; its four modes; odd sizes.
. tests/cli/lib.sh

sed 's/"undeclared_storage": "read"/"undeclared_storage": "ignore"/' board/x86.json >"$T/board.json"
zeros() { dd if=/dev/zero of="$1" bs=1M count="$2" status=none; }
started='' attached=''
cleanup() {
	for m in "$T"/drive.*; do [ -d "$m" ] && fusermount3 -u "$m" 2>/dev/null; done
	for l in $attached; do losetup -d "$l" 2>/dev/null; done
	for p in $started; do kill "$p" 2>/dev/null; done
	wait
}

# verify STATUS SCRATCH [PARAM=VALUE...]
verify() {
	want=$1 scratch=$2 sets=
	shift 2
	for set in "$@"; do sets="$sets --set block.verify.$set"; done
	run "$want" "$ASSAY" run --board "$T/board.json" --only block.verify --scratch "$scratch" --record "$T/record" $sets
}
# figure NAME VALUE
figure() { has "$T/record" "\"name\":\"block.verify.$1[role=scratch]\",\"value\":$2,"; }
nonce() { grep -o '"nonce":"[0-9]*"' "$T/record" | head -1 | tr -dc 0-9; }

# ---- the modes ----
zeros "$T/scratch" 64
check "all of a scratch is verified" verify 0 "$T/scratch" size=0
check "all of it, it says" figure share 1000000
nonce=$(nonce)
check "its nonce is among the evidence" [ -n "$nonce" ]
before=$(cksum <"$T/scratch")
later() { verify 0 "$T/scratch" verify=only nonce="$nonce" && figure bytes 67108864 && [ "$(cksum <"$T/scratch")" = "$before" ]; }
check "it can be verified later by its nonce, and nothing is written" later
check "the nonce in hexadecimal is the same" verify 0 "$T/scratch" verify=only nonce="$(printf '0x%x' "$nonce")"
other() { verify 1 "$T/scratch" verify=only nonce=$((nonce ^ 1)) && has "$T/out" '16384 blocks of 4 KiB are stale, the first at byte 0: data of another run'; }
check "with another nonce all of it is another run's" other
check "without a nonce that is an error" verify 2 "$T/scratch" verify=only
check "and it says what is wanted" has "$T/out" 'verify=only needs nonce=N'
surface() { verify 0 "$T/scratch" verify=surface && figure bytes 67108864 && [ "$(cksum <"$T/scratch")" = "$before" ] && hasnt "$T/record" '"nonce"'; }
check "a surface is read, and nothing is written" surface
check "a part is verified, with the end of the device" verify 0 "$T/scratch" size=16m
check "the share is a quarter" figure share 250000
fresh() { [ "$(dd if="$T/scratch" bs=4k skip="$1" count=1 status=none | od -An -tu8 -j16 -N8 | tr -d ' ')" = "$(nonce)" ]; }
check "the last block was written, too" fresh 16383
zeros "$T/scratch" 64
check "a sample is verified" verify 0 "$T/scratch" verify=sample size=0
# One in ten is written: 40 of 100 by chance is as good as impossible.
mostly_old() {
	written=0
	for block in $(seq 100 150 14950); do fresh $block && written=$((written + 1)); done
	[ $written -le 40 ] || { echo "$written of 100 blocks were written"; return 1; }
}
spread() {
	share=$(grep -o 'block.verify.share[^,]*,"value":[0-9]*' "$T/record" | sed 's/.*://')
	[ "$share" -gt 85000 ] && [ "$share" -le 100000 ] && fresh 0 && fresh 16383 && fresh 8192 && mostly_old
}
check "a tenth of it, the first, the last and the middle among it" spread
nonce=$(nonce)
check "that sample can be verified later" verify 0 "$T/scratch" verify=only nonce="$nonce" share=10 size=0
check "all of it cannot: it was not written" verify 1 "$T/scratch" verify=only nonce="$nonce" size=0
plan_only() {
	before=$(cksum <"$T/scratch")
	run 0 "$ASSAY" plan --board "$T/board.json" --only block.verify --scratch "$T/scratch" --set block.verify.verify="$1" &&
		has "$T/out" "$2" && [ "$(cksum <"$T/scratch")" = "$before" ]
}
check "plan: full writes all of it" plan_only full 'writes 67108864 bytes'
check "plan: a sample writes a tenth" plan_only sample 'writes 6710880 bytes'
plan_surface() { plan_only surface block.verify && ! grep 'writes [1-9]' "$T/out"; }
check "plan: a surface writes none" plan_surface
sed 's/"board": "x86"/&, "write_cap_bytes": 20971520/' "$T/board.json" >"$T/cap.json"
bytes() { grep -o 'block.verify.bytes[^,]*,"value":[0-9]*' "$T/record" | sed 's/.*://'; }
# again MODE: what a cap on wear shortened is verified later by what the log says, and by nothing else
again() {
	run 0 "$ASSAY" run --board "$T/cap.json" --only block.verify --scratch "$T/scratch" --record "$T/record" --set block.verify.size=0 \
		--set block.verify.verify=$1 --set block.verify.share=50 && how=$(grep -o 'later by verify=only[a-z0-9 =]*' "$T/record" | head -1) &&
		nonce=$(nonce) && bytes=$(bytes) && verify 0 "$T/scratch" nonce="$nonce" ${how#later by } && [ "$(bytes)" = "$bytes" ] &&
		verify 1 "$T/scratch" nonce="$nonce" verify=only size=0 share=${2:-0} && has "$T/out" 'are stale'
}
check "what a cap on wear shortened is verified later, by the size that the log says" again full
check "a sample as well" again sample 50

# ---- sizes (those of the smallest, and more than 2^32 sectors: tests/unit/step_verify.c) ----
for size in 0 1 511 4095 16777215; do
	truncate -s 0 "$T/odd" && truncate -s $size "$T/odd"
	check "$size bytes are refused" verify 2 "$T/odd"
	check "as too small" has "$T/err" "too small, $size bytes"
done
odd() { # odd SIZE BYTES SCRATCH: all of it verified
	verify 0 "$3" size=0 && figure bytes "$2" && figure share 1000000
}
for extra in 511:0 512:512 3584:3584 4095:3584; do
	size=$((20971520 + ${extra%:*})) want=$((20971520 + ${extra#*:}))
	truncate -s 0 "$T/odd" && truncate -s $size "$T/odd"
	check "of $size bytes the whole sectors are verified" odd $size $want "$T/odd"
done
precious() {
	zeros "$T/precious" 20 && printf %512s precious >>"$T/precious" && verify 0 "$T/precious" size=0 &&
		figure bytes 20971520 && has "$T/out" 'its odd end holds data that assay did not write, at byte 20971520' && tail -c 512 "$T/precious" | grep -q precious
}
check "an odd end with data in it is left alone, and told" precious
later() { verify 2 "$T/precious" verify=only nonce="$(nonce)" size=0 && figure bytes 20971520 && hasnt "$T/out" FAIL; }
check "and later neither right nor wrong" later

if [ "$(id -u)" = 0 ] && l=$(losetup -f --show "$T/scratch" 2>/dev/null) && losetup -d "$l"; then
	attach() { l=$(losetup -f --show "$@") && attached="$attached $l"; }
	truncate -s 0 "$T/odd" && truncate -s $((20971520 + 4096 + 1536)) "$T/odd"
	attach --sector-size 512 "$T/odd"
	check "sectors of 512 B: to the last one" odd 0 $((20971520 + 4096 + 1536)) "$l"
	ends() { [ "$(tail -c $1 "$T/odd" | od -An -tu8 -j8 -N8 | tr -d ' ')" = "$2" ]; }
	check "the last one knows its address" ends 512 $((20971520 + 4096 + 1024))
	losetup -d "$l"
	attach --sector-size 4096 "$T/odd"
	check "sectors of 4096 B: to the last whole one" odd 0 $((20971520 + 4096)) "$l"
	check "a sample of them" verify 0 "$l" verify=sample size=0
	check "their surface" verify 0 "$l" verify=surface size=0
	losetup -d "$l"
	truncate -s 0 "$T/odd" && truncate -s 5632 "$T/odd" && attach -r "$T/odd"
	command() { run "$1" "$ASSAY" block "$l" --verify "$2" --record "$T/record"; }
	check "a read-only device's surface is read, to its odd end" command 0 surface
	check "all of it" has "$T/record" '"value":5632,'
	check "and nothing is written to it" command 2 full
	losetup -d "$l"
fi

# ---- drives with a fault ----
flags=$(pkg-config --cflags --libs fuse3 2>/dev/null)
if [ ! -w /dev/fuse ] || ! gcc -O2 -w -D_FILE_OFFSET_BITS=64 -o "$T/faulty" tests/cli/faulty.c $flags; then
	echo "not ok verify.sh needs /dev/fuse and fuse3"
	failed=1
else
	count=0
	# drive KIND BYTE: mounts such a drive of 64 MiB; its file is $drive
	drive() {
		count=$((count + 1)) drive=$T/drive.$count/disk
		mkdir "$T/drive.$count"
		"$T/faulty" "$T/drive.$count" 64 "$1" "$2" >/dev/null 2>&1 &
		started="$started $!"
		for i in 1 2 3 4 5 6 7 8 9 10; do [ -e "$drive" ] && return; sleep 0.1; done
	}
	gone() { fusermount3 -u "${drive%/disk}"; }
	# found KIND BYTE TEXT [PARAM=VALUE...]: FAIL, status 1, and the text
	found() {
		drive "$1" "$2"
		text=$3
		shift 3
		verify 1 "$drive" size=0 "$@" && has "$T/out" "$text"
	}
	drive none 0
	good() { verify 0 "$drive" size=0 && verify 0 "$drive" size=0 && verify 0 "$drive" size=0 verify=sample && verify 0 "$drive" size=0 verify=surface; }
	check "a good drive passes in every mode" good
	gone
	capacity=$((20971520 + 12288))
	check "a wrap at an odd capacity is found" found wrap $capacity "wraps at $capacity bytes: it holds no more"
	check "its first address is, and what that holds" has "$T/out" "wrapped, the first at byte 0: it holds what belongs at byte $((3 * capacity))"
	gone
	capacity=$((20971520 + 512))
	check "a wrap that is no whole number of blocks is found" found wrap $capacity "wraps at $capacity bytes"
	gone
	check "a wrap at half is found by a sample" found wrap 33554432 'wraps at 33554432 bytes, or at an even part' verify=sample share=20
	gone
	check "an ignored address bit is named" found alias 2097152 'alias: address bit 21'
	check "with its first address" has "$T/out" '8192 blocks of 4 KiB are aliased, the first at byte 0: it holds what belongs at byte 2097152'
	gone
	check "two of them are" found alias 2101248 'alias: address bits 12 21'
	gone
	check "a sample names it, too" found alias 2097152 'alias: address bit 21' verify=sample
	gone
	check "one block that went elsewhere is misdirected" found stray 16781312 '1 blocks of 4 KiB are misdirected, the first at byte 16781312: it holds what belongs at byte 16789504'
	gone
	stale() {
		drive stale 33554432
		verify 0 "$drive" size=0 && verify 1 "$drive" size=0 &&
			has "$T/out" '8192 blocks of 4 KiB are stale, the first at byte 33554432: data of an earlier run, the write never arrived: everything past byte 33554432 is'
	}
	check "a half that keeps what an earlier run wrote is found" stale
	gone
	check "one bit in 16384 blocks is found" found flip 50000100 '1 blocks of 4 KiB are flipped, the first at byte 49999872: 1 bits differ, the first in byte 50000100'
	gone
	check "zeros past a point are found" found zero 40960000 '6384 blocks of 4 KiB are zeroed, the first at byte 40960000: everything past byte 40960000 is'
	gone
	check "a torn block is found" found tear 16781312 '1 blocks of 4 KiB are torn, the first at byte 16781312: 4 of its 8 sectors'
	gone
	check "last sectors that cannot be read are found" found end 67107840 'nor can the 4 KiB at byte 67104768 the second time: its first bad sector is at byte 67107840; 1 such blocks'
	check "not as wrong data" hasnt "$T/out" 'blocks of 4 KiB are'
	check "with the I/O that failed" has "$T/out" '1 reads failed, the first at byte 66060288'
	gone
	check "the surface's as well" found end 67074048 'nor can the 4 KiB at byte 67072000 the second time: its first bad sector is at byte 67074048; 9 such blocks in all' verify=surface
	check "when only a part is read, too" verify 1 "$drive" verify=surface size=4m
	gone
	check "a part of the capacity verified still touches the end" found end 67108000 'nor can the 4 KiB at byte 67104768' size=4m verify=full
	gone
	check "a sample finds that, too" found end 67107840 'its first bad sector is at byte 67107840; 1 such blocks' verify=sample
	gone
	check "more bad blocks than are looked at are counted as at least" found end 33554432 'at least 64 such blocks' verify=surface
	check "and all of the bad chunks as reads that failed" has "$T/out" '32 reads failed, the first at byte 33554432'
	gone
	check "a block that cannot be written is a write error" found full 16781312 '1 writes failed, the first at byte 16777216'
	check "and not wrong data as well" hasnt "$T/out" 'blocks of 4 KiB are'
	gone
	check "by a sample as well" found full 33554432 'writes failed, the first at byte 33554432' verify=sample
	counted() { grep -q '"write_errors":1,"read_errors":0' "$T/record"; }
	check "and counted as one" counted
	gone
fi
exit $failed

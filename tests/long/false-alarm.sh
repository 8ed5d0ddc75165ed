# block.verify on a good device of 4 GiB again and again, in all modes: never a false alarm.  And one bit in a million blocks
# is found, with its place; so are a wrap, an ignored address bit and a stale half of that size.  ROUNDS may be given.
. tests/cli/lib.sh
rounds=${ROUNDS:-20}
sed 's/"undeclared_storage": "read"/"undeclared_storage": "ignore"/' board/x86.json >"$T/board.json"
mkdir "$T/memory"
mount -t tmpfs -o size=5g none "$T/memory" && truncate -s 4G "$T/memory/disk" || exit 1
started=''
cleanup() {
	fusermount3 -u "$T/drive" 2>/dev/null
	for p in $started; do kill "$p" 2>/dev/null; done
	wait
	umount "$T/memory"
}
verify() { # verify STATUS FILE [PARAM=VALUE...]
	want=$1 file=$2 sets=
	shift 2
	for set in "$@"; do sets="$sets --set block.verify.$set"; done
	run "$want" "$ASSAY" run --board "$T/board.json" --only block.verify --scratch "$file" --record "$T/record" $sets
}
whole() {
	nonce=$(grep -o '"nonce":"[0-9]*"' "$T/record" | head -1 | tr -dc 0-9)
	has "$T/record" '"name":"block.verify.bytes[role=scratch]","value":4294967296,' && has "$T/record" '"good":1048576,"stale":0,'
}
again() {
	for i in $(seq "$rounds"); do
		verify 0 "$T/memory/disk" size=0 && whole && verify 0 "$T/memory/disk" size=0 verify=only nonce="$nonce" && whole &&
			verify 0 "$T/memory/disk" size=0 verify=surface && verify 0 "$T/memory/disk" size=0 verify=sample || { echo "round $i"; return 1; }
	done
}
check "$rounds rounds on a good device of 4 GiB: PASS each time" again
rm "$T/memory/disk"

flags=$(pkg-config --cflags --libs fuse3) && gcc -O2 -w -D_FILE_OFFSET_BITS=64 -o "$T/faulty" tests/cli/faulty.c $flags && mkdir "$T/drive" || exit 1
drive() {
	"$T/faulty" "$T/drive" 4096 "$1" "$2" >/dev/null 2>&1 &
	started="$started $!"
	for i in $(seq 50); do [ -e "$T/drive/disk" ] && return; sleep 0.1; done
}
found() { # found KIND BYTE TEXT
	drive "$1" "$2"
	verify 1 "$T/drive/disk" size=0 && has "$T/out" "$3"
	result=$?
	fusermount3 -u "$T/drive"
	return $result
}
check "one bit in 1048576 blocks" found flip 3210987654 '1 blocks of 4 KiB are flipped, the first at byte 3210985472: 1 bits differ, the first in byte 3210987654'
check "a wrap at an odd capacity of 4 GiB" found wrap $((3000000 * 1024 + 512)) "wraps at $((3000000 * 1024 + 512)) bytes: it holds no more"
check "an ignored address bit" found alias $((1 << 30)) 'alias: address bit 30'
stale() {
	drive stale 2147483648
	verify 0 "$T/drive/disk" size=0 && verify 1 "$T/drive/disk" size=0 && has "$T/out" '524288 blocks of 4 KiB are stale, the first at byte 2147483648'
	result=$?
	fusermount3 -u "$T/drive"
	return $result
}
check "a stale half" stale
exit $failed

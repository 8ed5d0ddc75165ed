# In a guest (TCG: an emulated CPU): null_blk and an NVMe drive of QEMU's, assay against fio, interleaved.  PAIRS may be set.
# The CPU is some ten times slower than this machine's and the drive is not: what is compared is the two tools' share of it.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

guest=build/guest/x86_64/cloud
version=$(cat $guest/VERSION)
root=$T/root
order=$root/lib/modules/assay.order
PAIRS=${PAIRS:-3}

make_root() {
	make_image x86_64
	mkdir -p "$root/bin" "$root/tmp"
	gzip -dc "$T/x86_64.cpio.gz" | (cd "$root" && cpio --quiet -id) || return 1
	mv "$root/init" "$root/assay"
	cp tests/bench/guest.init "$root/init"
	chmod 755 "$root/init"
	add_program sh cat cut fio insmod mkdir mount sed sleep
	add_module null_blk
	(cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 >"$T/guest.cpio.gz"
}

mkdir "$root"
make_root || exit 2
dd if=/dev/urandom of="$T/nvme" bs=1M count=256 status=none
timeout 600 qemu-system-x86_64 -M q35 -cpu qemu64 -accel tcg,thread=multi -smp 2 -m 1G -nodefaults -no-user-config -display none \
	-no-reboot -serial stdio -kernel $guest/vmlinuz -initrd "$T/guest.cpio.gz" -append "console=ttyS0 quiet loglevel=1 panic=-1 pairs=$PAIRS" \
	-drive file="$T/nvme",format=raw,if=none,id=d,cache=none,aio=io_uring -device nvme,drive=d,serial=S1 </dev/null | tr -d '\r' >"$T/lines"
grep -qx 'guest: all done' "$T/lines" || { tail -20 "$T/lines"; exit 2; }
echo "guest (QEMU TCG, kernel $version, 2 CPUs): assay/fio, median of $PAIRS interleaved pairs of 1 s (least..greatest)"
python3 - "$T/lines" <<'P'
import statistics, sys
rows = {}
for line in open(sys.argv[1]):
    words = line.split()
    if len(words) == 9 and words[0] == "pair":
        rows.setdefault(" ".join(words[1:5]), []).append([float(w) for w in words[5:9]])
spread = lambda r: "%5.2f (%4.2f..%4.2f)" % (statistics.median(r), min(r), max(r))
print("%-36s %-19s %-19s %s" % ("", "IOPS", "mean latency", "IOPS of assay, fio"))
for name, pairs in rows.items():
    print("%-36s %-19s %-19s %.0f, %.0f" % (name, spread([a / b for a, b, _, _ in pairs]), spread([c / d for _, _, c, d in pairs]),
          statistics.median(p[0] for p in pairs), statistics.median(p[1] for p in pairs)))
P

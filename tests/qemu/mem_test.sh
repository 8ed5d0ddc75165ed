#!/bin/sh
# A guest of 96 MB tests the most of its memory as process 1: a stated size, nothing is killed, no panic.
# lane: waits
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

most() {
	guest 0 "$1" --memory 96M assay.only=mem.test,env.after assay.set=mem.test.share=95 assay.set=mem.test.size_max=0 \
		assay.set=mem.test.pattern=address,random,inversions,own-physical assay.format=jsonl && hasnt "$T/console" "OOM" && hasnt "$T/console" "anic"
}
# of what was free, at least half
covered() { [ "$(grep -o '"covered_of_budget":0\.[0-9]*' "$T/console" | cut -d. -f2 | cut -c1 | sort -n | head -1)" -ge 5 ]; }

for arch in $MACHINES; do
	make_image "$arch"
	check "most_of_96_mb_is_tested_$arch" most "$arch"
	check "the_share_is_stated_$arch" covered
done
exit $failed

# The study mlc: every row of its tables is there under its name, in its units, beside its own figures; its claims; what is skipped.
. tests/cli/lib.sh
study() { want=$1; shift; run "$want" "$ASSAY" study mlc "$@"; }
quick='--time 1ms --rounds 1'
threads=$(nproc)

row() { grep -qE -- "^ +$1$" "$T/out" || { echo "no row $1"; return 1; }; }
rows() { for r in "$@"; do row "$r" || return 1; done; }

# Their tables, whole.  A line of the loaded ones: delay, then three buffers' latency and bandwidth.
n='[0-9]+(\.[0-9]+)?'
delays='0:0 2:1 8:2 15:4 50:12 100:25 200:50 300:75 400:100 500:125 700:175 1000:250 1300:325 1700:425 2500:625 3500:875 5000:1250 9000:2250 20000:5000'
theirs='79.98 27920 112.4 24844 83.26 27572
104.7 25623 85.93 27544 82.51 27626
94.29 25823 90.74 26552 80.48 27256
91.77 26823 82.63 26736 79.84 27030
81.13 24513 80.5 24605 72.42 25067
61.98 17377 71.33 17477 50.84 19915
43.77 12359 57.06 11992 45.62 12706
42.47 9151 68.48 8019 43.86 9336
41.91 7413 46.48 7338 43.05 7523
41.27 6330 51.51 5759 42.71 6369
41.43 5017 50.48 4551 42.27 5052
40.73 4037 50.65 3594 42.28 4010
40.61 3489 45.99 3261 43.76 3308
40.49 3054 47.53 2784 42.86 2884
40.66 2580 47.85 2317 43.42 2397
40.57 2295 47.85 2036 43.81 2122
40.38 2092 48.38 1807 43.15 1949
41.07 1838 43.14 1761 43.28 1739
40.74 1699 49.49 1416 53.61 1306'

idle() { rows "from node 0, thp pages +$n \(37.3\)" "from node 0, 4k pages +$n \(37.3\)"; }
peak() {
	rows "ALL reads +$n \(28547\)" "3:1 reads-writes +$n \(25585\)" "2:1 reads-writes +$n \(25077\)" "1:1 reads-writes +$n \(25875\)" \
		"stream-triad like +$n \(25310\)"
}
matrices() { rows "from node 0 +$n \(28452\)" "from node 0 +$n \(26993\)" "from node 0 +$n \(28122\)"; }
transfers() { rows "L2->L2 HIT \(clean\) +$n \(12.1\)" "L2->L2 HITM \(modified\) +$n \(19.4\)" "ping-pong of one line, one way +$n"; }
# held KIB: a machine whose caches hold part of such a buffer refuses its loaded latencies: only the rows are there
held() { tr -s ' \n' ' ' <"$T/out" | grep -q "ERROR study.mlc.loaded\[threads=$threads,buffer=$(size $1),[^ ]*: the caches hold part of"; }
size() { [ "$1" = 256000 ] && echo 250m || echo "$1k"; }
# whole COMMAND...: all is measured, but for what the caches hold
whole() { run 0 "$@" || { [ $got = 2 ] && ! grep -E '^ +(FAIL|ERROR) ' "$T/out" | grep -v 'ERROR *study.mlc.loaded.*the caches hold part of'; }; }
# loaded KIB COLUMN: the rows below that buffer's title, with its figures
loaded() {
	ours="$n"
	if held "$1"; then ours=skip; fi
	sed -n "/ loaded latency, $1 KiB a thread/,/^      [a-z]/p" "$T/out" >"$T/table"
	column=$2
	set -- $delays
	echo "$theirs" | while read -r line; do
		d=$(printf %05d "${1%:*}") ns=${1#*:}
		shift
		latency=$(echo "$line" | cut -d' ' -f$column) bandwidth=$(echo "$line" | cut -d' ' -f$((column + 1)))
		grep -qE "^ +$d \($ns ns\) +$ours +\($latency\) +$ours +\($bandwidth\)$" "$T/table" || { echo "no $d ($ns ns) ($latency) ($bandwidth)"; return 1; }
	done
}
order() {
	grep -oE '^      (idle latency|peak injection|bandwidth between nodes, MB/s: reads, [0-9]+|loaded latency, [0-9]+|cache to cache)' "$T/out" | tr -s ' ' |
		sed 's/^ //' | tr '\n' ';' >"$T/order"
	has "$T/order" "idle latency;peak injection;bandwidth between nodes, MB/s: reads, 100000;loaded latency, 100000;cache to cache;bandwidth between nodes, MB/s: reads, 64000;loaded latency, 64000;bandwidth between nodes, MB/s: reads, 256000;loaded latency, 256000;"
}

# figures PAGES: the record has each by its name and unit, and no other; idle latency on those kinds of page
figures() {
	jq -r '.testStepArtifact.measurement // empty | .name + " " + .unit' "$T/record" | sed 's/,page=[a-z0-9]*//' | sort >"$T/figures"
	{
		for page in $1; do echo "study.mlc.latency[from=0,to=0,size=256m] ns"; done
		for mix in reads 3:1 2:1 1:1 triad; do echo "study.mlc.bandwidth[mix=$mix,threads=$threads,buffer=100000k] B/s"; done
		for kind in hit hitm pingpong; do echo "study.mlc.c2c[kind=$kind,from=1,to=0] ns"; done
		for kib in 100000 64000 256000; do
			buffer=$(size $kib)
			echo "study.mlc.matrix[from=0,to=0,buffer=$buffer] B/s"
			if held $kib; then continue; fi
			echo "study.mlc.loaded.knee[threads=$threads,buffer=$buffer] B/s"
			for d in $delays; do
				echo "study.mlc.loaded.latency[delay=${d#*:},threads=$threads,buffer=$buffer] ns"
				echo "study.mlc.loaded.bandwidth[delay=${d#*:},threads=$threads,buffer=$buffer] B/s"
			done
		done
	} | sort >"$T/wanted"
	diff "$T/wanted" "$T/figures"
}
check "the whole profile is measured" whole "$ASSAY" study mlc $quick --record "$T/record"
check "idle latencies in ns, of both kinds of page" idle
check "peak bandwidths in MB/s" peak
check "the matrix of each buffer" matrices
check "19 loaded latencies of 100000 KiB" loaded 100000 1
check "19 of 64000 KiB" loaded 64000 3
check "19 of 256000 KiB" loaded 256000 5
check "cache to cache, and the ping-pong without a figure of theirs" transfers
check "tables in their order" order
check "one plot with the three curves" grep -qE '^ +A 100000 KiB +B 64000 KiB +C 256000 KiB' "$T/out"
check "curves are to be compared by bandwidth, and it is said once" [ "$(grep -c 'compare the loaded curves by their bandwidth' "$T/out")" = 1 ]
check "one run has no intervals: neither claim can be told" [ "$(grep -cE '^ +cannot tell +(the larger buffer|latency falls as)' "$T/out")" = 2 ]
check "their own table is said to be the reverse of the claim" sh -c "tr -s ' \n' ' ' <'$T/out' | grep -q 'their own table: 0.88: it rises there'"
check "the record has every figure, and no other" figures "thp 4k"

# ---- what cannot be ----
# A buffer that is not memory's, or not proven to be: the rows are there all the same.
refused() { study 2 $quick --size 64k --buffer 512k && grep -qE "ERROR +study.mlc.loaded.*the caches hold part of the 512k" "$T/out"; }
cached() { refused || refused || refused; } # whoever else is at work may have driven the lines out
check "a loaded latency whose buffer the caches hold is in error" cached
check "with all its rows" [ "$(grep -cE "^ +[0-9]{5} \([0-9]+ ns\) +skip +skip$" "$T/out")" = 19 ]
check "rows of idle latencies without a proof say so" rows "from node 0, thp pages +error \(37.3\)" "from node 0, 4k pages +error \(37.3\)"
on_one() { run 0 taskset -c 0 "$ASSAY" study mlc $quick --buffer 1m,1t --format jsonl; }
one_cpu() { on_one || on_one || on_one; } # windows of a millisecond, and somebody else may have had that CPU
check "one CPU runs, as a record" one_cpu
check "its loaded latencies are skipped, row by row" [ "$(grep -c 'study.mlc.loaded.latency\[delay=' "$T/out")" = 38 ]
check "and lines that no other holds" [ "$(grep -c 'it takes two CPUs: no other than CPU 0 holds a line' "$T/out")" = 3 ]
check "buffers beyond the memory are skipped with the sum" grep -qE 'study.mlc.matrix.*buffer=1t.*1073741824 KiB are needed, half of the free memory is' "$T/out"

# ---- the other architecture, translated ----
marked() { [ "$(grep -c '"measurement":' "$T/record")" = "$(grep -c '"emulated":"qemu-user"' "$T/record")" ]; }
check "aarch64 is measured" run 0 qemu-aarch64-static build/aarch64/assay study mlc $quick --record "$T/record"
check "its idle latencies, as far as huge pages are granted" rows "from node 0, thp pages +(skip|$n) \(37.3\)" "from node 0, 4k pages +$n \(37.3\)"
check "its peak bandwidths" peak
check "its matrices" matrices
check "its loaded latencies of 100000 KiB" loaded 100000 1
check "its loaded latencies of 64000 KiB" loaded 64000 3
check "its loaded latencies of 256000 KiB" loaded 256000 5
check "its cache to cache" transfers
check "every figure is there" figures "$(grep -qE 'measured study.mlc.latency.*thp' "$T/out" && echo thp) 4k"
check "and marked as emulated" marked
check "its times judge no claim" [ "$(grep -cE '^ +not comparable +(the larger buffer|latency falls as)' "$T/out")" = 2 ]
exit $failed

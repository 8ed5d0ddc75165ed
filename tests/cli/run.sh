# The whole sequence on this machine, as root, on a loop device: PASS, and a record that holds.
. tests/cli/lib.sh

dd if=/dev/zero of="$T/scratch" bs=1M count=64 status=none
validator=../shared/ocp/validate

run_short() { run 0 "$ASSAY" run --scratch "$T/scratch" --record "$T/record" --set block.verify.size=32m; }
last() { tail -1 "$T/run.out"; }

check "the fixed sequence ends with PASS, status 0" run_short
cp "$T/out" "$T/run.out"
check "the last line is the verdict's, with all its fields" sh -c "tail -1 '$T/run.out' | grep -qE '^assay: PASS board=x86 serial=[^ ]+ steps=21 figures=[1-9][0-9]+ failed=0 errors=0 warned=[0-9]+ unjudged=[0-9]+ partial=no record=sha256:[0-9a-f]{64} crc32c=[0-9a-f]{8}\$'"
check "the record's hash in the last line is sha256sum's" sh -c "tail -1 '$T/run.out' | grep -q \"sha256:\$(sha256sum <'$T/record' | cut -d' ' -f1) \""
check "verify accepts the record" run 0 "$ASSAY" verify "$T/record"
if [ -x $validator ]; then
	check "the record is valid OCP" /usr/bin/python3 $validator "$T/record"
else
	check "every line of the record is JSON" jq -es 'length > 40' "$T/record"
fi
check "each line has one more sequence number" jq -es '[.[].sequenceNumber] == [range(length)]' "$T/record"
# evidence FAMILY KEY...: every figure whose name begins so has all these in its metadata, and there is one
evidence() {
	family=$1; shift
	jq -es --arg family "$family" '[.[].testStepArtifact.measurement // empty | select(.name | test("^" + $family + "[.\\[]")) |
		.metadata as $m | $ARGS.positional - ($m | keys) | select(length >= 0)] | length > 0 and (add // [] | unique | if . == [] then true else ("missing: " + join(" ") + "\n" | halt_error) end)' "$T/record" --args "$@"
}
order="n discarded median low95 high95 min max"
check "every figure names its clock" evidence '[a-z.0-9]*' clock clock_resolution_ns clock_overhead_ns
check "evidence of mem.latency" evidence mem.latency engine cpu $order
check "evidence of mem.bandwidth" evidence mem.bandwidth engine kernel cpus $order
check "evidence of mem.test" evidence mem.test engine cpus n bytes covered_of_total budget time_ms
check "evidence of block bandwidth and iops" evidence 'block.(read|randread).(bandwidth|iops)' engine cpu $order overflow time_s
check "evidence of block latency" evidence 'block.(read|randread).latency' engine cpu n discarded overflow min max mean p50 median_low95 median_high95
check "evidence of block.verify" evidence block.verify engine n time_ms read_errors write_errors
check "evidence of net.tcp" evidence net.tcp.throughput engine sender_cpu receiver_cpu $order retransmits
check "evidence of msg" evidence 'msg.(latency|transit)' engine writer_cpu reader_cpu n discarded overflow min max p50
check "evidence of env.noise" evidence env.noise engine n threshold_ns
check "figures after env.noise carry the noise floor" jq -es '[.[].testStepArtifact.measurement // empty | select(.name | startswith("mem.latency")) | .metadata | has("noise_floor_ppm")] | all' "$T/record"
check "every step of the design is there" sh -c "for s in board.identity env.snapshot clock.sanity env.noise mem.latency mem.c2c mem.bandwidth mem.loaded block.health block.read block.randread block.write block.randwrite block.verify net.link net.tcp net.udp msg.local msg.peer mem.test env.after record.seal; do grep -q '\"testStepStart\":{\"name\":\"'\$s'\"}' '$T/record' || { echo \$s; exit 1; }; done"
check "what this version lacks is SKIP and says so" sh -c "[ \$(grep -c 'SKIP not in this version' '$T/record') = $(grep -c '^LATER' src/step/sequence.def) ]"
check "the engine is named" grep -q '"engine":"\(io_uring\|libaio\|psync\)"' "$T/record"
check "no loop device is left behind" sh -c "! grep -l '$T/scratch' /sys/block/loop*/loop/backing_file 2>/dev/null"

# One byte changed anywhere, the last line included.
size=$(stat -c %s "$T/record" 2>/dev/null || echo 0)
flip() { # flip OFFSET: copies the record with one byte changed
	cp "$T/record" "$T/changed"
	byte=$(dd if="$T/record" bs=1 skip="$1" count=1 status=none | od -An -tu1)
	printf "\\$(printf %o $(((byte + 1) % 256)))" | dd of="$T/changed" bs=1 seek="$1" conv=notrunc status=none
}
refused_everywhere() {
	[ "$size" -gt 1000 ] || return 1
	for offset in 0 1 2 $(seq 17 $((size / 60)) "$size") $((size - 1)) $((size - 2)) $((size - 30)) $((size - 100)) $((size - 150)) $((size - 300)) $((size - 500)); do
		[ "$offset" -lt "$size" ] || continue
		flip "$offset"
		"$ASSAY" verify "$T/changed" >/dev/null 2>&1 && { echo "byte $offset changed, and verify accepts it"; return 1; }
	done
	return 0
}
check "one byte changed anywhere, and verify refuses" refused_everywhere
cut_record() { head -n -1 "$T/record" >"$T/changed"; run 2 "$ASSAY" verify "$T/changed"; }
check "a record without its last line is refused" cut_record
drop_line() { sed 20d "$T/record" >"$T/changed"; run 2 "$ASSAY" verify "$T/changed"; }
check "a record that lost a line is refused" drop_line

check "jsonl on standard output is the record and nothing else" sh -c "'$ASSAY' run --only env.snapshot --format jsonl >'$T/std' 2>'$T/err' && '$ASSAY' verify '$T/std' && grep -q '^assay: PASS' '$T/err'"
check "ktap on standard output" sh -c "'$ASSAY' run --only env.snapshot,msg.peer --format ktap >'$T/std' && head -2 '$T/std' | tail -1 | grep -qx '1..2' && grep -qx 'ok 1 env.snapshot' '$T/std' && grep -qx 'ok 2 msg.peer # SKIP not in this version' '$T/std'"
check "an older record is replaced" run 0 "$ASSAY" run --only env.snapshot --record "$T/record"
exit $failed

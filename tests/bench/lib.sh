# lib.sh: pairs of runs, ours and a peer's, interleaved; the ratio of each pair, its median and its spread.
# A shared machine is noisy: the ratio counts, not the figures.
set -eu
ASSAY=${ASSAY:-$PWD/build/x86_64/assay}
PAIRS=${PAIRS:-7}
T=$(mktemp -d "${TMPDIR:-/tmp}/assay-bench.XXXXXX")
trap 'rm -rf "$T"' EXIT

# figure METRIC OPTIONS...: one run of ours; the figure's value
figure() {
	metric=$1; shift
	"$ASSAY" run --format jsonl "$@" 2>/dev/null | jq -r --arg m "$metric" '.testStepArtifact.measurement // empty | select(.name | startswith($m)) | .value' | head -1
}

# pairs NAME OURS THEIRS: two shell functions that print a figure each
pairs() {
	: >"$T/ratios"
	for i in $(seq "$PAIRS"); do
		a=$($2) b=$($3)
		echo "$a $b" | awk '{ print $1 / $2, $1, $2 }' >>"$T/ratios"
	done
	sort -n "$T/ratios" | awk -v name="$1" '{ r[NR] = $1; a[NR] = $2; b[NR] = $3 }
		END { m = int((NR + 1) / 2); printf "%-40s ratio %.3f (%.3f .. %.3f, %d pairs); ours %.4g, theirs %.4g\n", name, r[m], r[1], r[NR], NR, a[m], b[m] }'
}

# A figure's 95 % interval covers what other runs find: of ten separate runs, the intervals of at least nine hold the median of all ten, point by point.
. tests/cli/lib.sh
RUNS=${RUNS:-10}

# runs NAME COMMAND...: the records of RUNS separate runs, $T/NAME.1 and on
runs() {
	of=$1
	shift
	for i in $(seq "$RUNS"); do
		"$@" --record "$T/$of.$i" >/dev/null 2>&1 || { echo "run $i of $*: status $?"; return 1; }
	done
}

# coverage NAME: "POINT HELD OF MEDIAN LEAST..GREATEST" a line, for each figure with an interval
coverage() {
	cat "$T/$1".* | jq -rs '[.[].testStepArtifact.measurement // empty | select(.metadata.low95 != null)] | group_by(.name)[]
		| (map(.value) | sort) as $v | (($v[(length - 1) / 2 | floor] + $v[length / 2 | floor]) / 2) as $m
		| "\(.[0].name) \(map(select(.metadata.low95 <= $m and $m <= .metadata.high95)) | length) \(length) \($m) \($v[0])..\($v[-1])"'
}

# Nine of ten, and one in ten of any other number.
hold() { coverage "$1" >"$T/lines"; cat "$T/lines" >&3; awk '$2 < $3 - $3 / 10 { print; bad = 1 } END { exit bad || !NR }' "$T/lines"; }

# A buffer in the first cache takes a whole number of cycles, to 3 % of it.
whole_cycles() {
	cat "$T/$1".* | jq -rs '[.[].testStepArtifact.measurement // empty | select(.name | startswith("mem.latency[size=16k")) | .metadata.cycles] | length > 0 and
		(sort | .[length / 2 | floor] | (. - round | fabs) <= 0.03 * round)' | grep -qx true
}

exec 3>&2
check "latency: $RUNS runs" runs latency "$ASSAY" mem latency --size "${SIZES:-16k,256k,2m,64m,256m}" --page "${PAGES:-4k,thp}"
check "latency: the intervals hold the median of all runs" hold latency
check "latency: the first cache's is a whole number of cycles" whole_cycles latency
check "bandwidth: $RUNS runs" runs bandwidth "$ASSAY" mem bandwidth
check "bandwidth: the intervals hold the median of all runs" hold bandwidth
exit $failed

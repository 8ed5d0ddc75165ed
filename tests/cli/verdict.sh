# The verdict table from the outside: copies of the board file with limits, and what the run then says.
. tests/cli/lib.sh

board() { # board FILE JQ-FILTER: a changed copy of the generic board file
	jq "$2" board/x86.json >"$1"
}
limit='.limits["env.snapshot.memory_available"]'

board "$T/never.json" "$limit = {min: 1e15, source: \"a test\"}"
never() { run 1 "$ASSAY" run --board "$T/never.json" --only env.snapshot --record "$T/r" && has "$T/out" "assay: FAIL" &&
	grep -q 'env.snapshot.memory_available is [0-9]* B, below its limit of 1000000000000000' "$T/out"; }
check "a limit that cannot be met: FAIL, status 1, naming figure, value and limit" never
check "its record says FAIL and holds" sh -c "'$ASSAY' verify '$T/r' | grep -q FAIL && grep -q '\"result\":\"FAIL\"' '$T/r'"

board "$T/null.json" "$limit = {min: null, required: true}"
null() { run 3 "$ASSAY" run --board "$T/null.json" --only env.snapshot --record "$T/r" && has "$T/out" "assay: MEASURED"; }
check "a required limit that is null: MEASURED, status 3" null
check "its record does not say PASS" sh -c "! grep -q '\"result\":\"PASS\"' '$T/r'"

board "$T/absent.json" '.limits["env.snapshot.nothing"] = {min: 1, required: true}'
absent() { run 2 "$ASSAY" run --board "$T/absent.json" --only env.snapshot --record "$T/r" && has "$T/out" "requires env.snapshot.nothing"; }
check "a required figure that never came: ERROR, status 2" absent
check "its record is valid to the end" "$ASSAY" verify "$T/r"

board "$T/device.json" '.storage = [{role: "nvme", bus_path: "0004:01:00.0", required: true}]'
device() { run 1 "$ASSAY" run --board "$T/device.json" --only board.identity && has "$T/out" "nvme"; }
check "an absent declared device: FAIL that names it" device

sed 's/}\s*$/},/;$s/},/,}/' board/x86.json >"$T/x"; jq . board/x86.json | sed '$d' >"$T/comma.json"; printf ',\n}\n' >>"$T/comma.json"
comma() { run 2 "$ASSAY" run --board "$T/comma.json" --record "$T/none" && grep -qE 'comma.json:[0-9]+:[0-9]+: ' "$T/err" && [ ! -s "$T/out" ] && [ ! -e "$T/none" ]; }
check "a board file with a trailing comma: status 2, line and column, nothing tested" comma

board "$T/warn.json" "$limit = {min: 1, warn_min: 1e15}"
warn() { run 0 "$ASSAY" run --board "$T/warn.json" --only env.snapshot && has "$T/out" "warned=1"; }
check "outside the warning band: counted, no change of verdict" warn

only() { run 0 "$ASSAY" run --only env.snapshot && has "$T/out" "partial=yes"; }
check "--only makes the run partial" only
skipped() { run 2 "$ASSAY" run --only msg.peer && has "$T/out" "assay: ERROR"; }
check "nothing measured is ERROR" skipped

board "$T/slip.json" '.limits["env.snapshot.memory_availble"] = {min: 1e14}'
slip() { run 0 "$ASSAY" run --board "$T/slip.json" --only env.snapshot && has "$T/out" "limit on env.snapshot.memory_availble met no figure" && has "$T/out" "warned=1"; }
check "a limit that met no figure is told" slip
board "$T/domain.json" '.limits["envx.snapshot.load"] = {min: 1}'
slip_domain() { run 2 "$ASSAY" run --board "$T/domain.json" && grep -q 'domain.json:[0-9]*:[0-9]*: no step brings a figure named envx' "$T/err"; }
check "a limit on a figure that no step brings is refused with line and column" slip_domain
board "$T/nulls.json" "$limit = {min: null, required: true}"
other() { run 3 "$ASSAY" run --board "$T/nulls.json" --only clock.sanity; }
check "a required null limit makes a partial run MEASURED, too" other
board "$T/band.json" "$limit = {min: null, warn_min: 1, required: true}"
band() { run 3 "$ASSAY" run --board "$T/band.json" --only env.snapshot; }
check "a warning band does not calibrate a required null limit" band

param() { board "$T/p.json" '.params["block.read"] = {bs: "4q"}' && run 2 "$ASSAY" run --board "$T/p.json" --only env.snapshot && has "$T/err" "block.read.bs"; }
check "a bad parameter in a board file stops before testing" param

simulated() { mkdir -p "$T/root/proc" "$T/root/sys" && cp /proc/meminfo "$T/root/proc/" && { "$ASSAY" run --sysroot "$T/root" --only env.snapshot >"$T/out" 2>&1; [ $? != 0 ]; } && has "$T/out" "partial=simulated" && hasnt "$T/out" "assay: PASS"; }
check "a simulated run is never PASS" simulated
exit $failed

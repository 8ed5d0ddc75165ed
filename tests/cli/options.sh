# Wrong words: status 2, one line that names the word and the nearest right one; nothing is made, nothing is tested.
. tests/cli/lib.sh

# refuse NAME TEXT COMMAND...: status 2, TEXT in the error, one line, no output
refuse() { told=$1; shift; run 2 "$@" && has "$T/err" "$told" && [ "$(wc -l <"$T/err")" = 1 ] && [ ! -s "$T/out" ]; }

check "unknown option" refuse "--levle (did you mean --level?)" "$ASSAY" run --levle short
check "unknown command" refuse "unknown command \"rnu\" (did you mean run?)" "$ASSAY" rnu
check "a command of later versions" refuse "not in this version" "$ASSAY" msg
check "unknown step" refuse "no step \"block.raed\" (did you mean block.read?)" "$ASSAY" run --only block.raed
check "unknown step to skip" refuse "no step" "$ASSAY" run --skip nonsense
check "unknown parameter" refuse "block.read has no parameter \"iodept\" (did you mean iodepth?)" "$ASSAY" run --set block.read.iodept=4
check "unknown unit" refuse "4q" "$ASSAY" run --set block.read.bs=4q
check "a set without its value" refuse "not STEP.PARAM=VALUE" "$ASSAY" run --set block.read.bs
check "unknown board" refuse "(did you mean x86?)" "$ASSAY" run --board x68
check "a board file that is not there" refuse "ENOENT" "$ASSAY" run --board ./nothing.json
check "unknown level" refuse "not short, medium or long" "$ASSAY" run --level quick
check "unknown format" refuse "not text, jsonl, ktap, fio-json or iperf3-json" "$ASSAY" run --format xml
check "an option without its value" refuse "needs a value" "$ASSAY" run --record
check "an option of later versions" refuse "not in this version" "$ASSAY" run --lock
check "a word too many" refuse "unexpected word" "$ASSAY" run extra
check "a seed that is no number" refuse "not a whole number" "$ASSAY" run --seed x
check "only and skip together" refuse "exclude each other" "$ASSAY" run --only mem.test --skip mem.c2c
check "a sysroot that is not there" refuse "ENOENT" "$ASSAY" run --sysroot "$T/none"

check "scratch: a missing device" refuse "/dev/nvmeXn1" "$ASSAY" run --scratch /dev/nvmeXn1
check "nothing is created under /dev" sh -c '! [ -e /dev/nvmeXn1 ]'
check "scratch: a folder" refuse "directory" "$ASSAY" run --scratch "$T"
check "scratch: a character device" refuse "character device" "$ASSAY" run --scratch /dev/null
echo "precious" >"$T/precious"; truncate -s 64M "$T/precious"; before=$(sha256sum <"$T/precious")
check "scratch: a file with somebody's data" refuse "$T/precious" "$ASSAY" run --scratch "$T/precious"
check "and it is as it was" sh -c "[ \"\$(sha256sum <'$T/precious')\" = \"$before\" ]"

check "record: under /dev nothing is created" refuse "--record" "$ASSAY" run --only env.snapshot --record /dev/assay-record
check "nor by a detour" refuse "--record" "$ASSAY" run --only env.snapshot --record "/tmp/../dev/assay-record"
check "it is not there" sh -c '! [ -e /dev/assay-record ]'
check "record: a file with something else is refused" refuse "not a record" "$ASSAY" run --only env.snapshot --record "$T/precious"
check "record: a folder" refuse "EISDIR" "$ASSAY" run --only env.snapshot --record "$T"
dd if=/dev/zero of="$T/s" bs=1M count=16 status=none
check "record: the scratch area itself" refuse "scratch" "$ASSAY" run --only env.snapshot --scratch "$T/s" --record "$T/s"

full() { run 2 "$ASSAY" run --only env.snapshot --record /dev/full && has "$T/out" "ENOSPC" && has "$T/out" "record=failed" && has "$T/out" "assay: ERROR"; }
check "a full disk under the record: ERROR, and the verdict still appears" full
mkdir "$T/small"
small() { mount -t tmpfs -o size=8k none "$T/small" && { run 2 "$ASSAY" run --only env.snapshot,clock.sanity,mem.latency --record "$T/small/r" && has "$T/out" "assay: ERROR"; r=$?; umount "$T/small"; return $r; }; }
[ "$(id -u)" = 0 ] && check "a disk that fills up under the record: ERROR" small

check "help names every command" sh -c "'$ASSAY' help | grep -q 'assay run' && '$ASSAY' help run | grep -q 'block.read'"
check "version" sh -c "'$ASSAY' version | grep -qE '^assay [0-9.]+ build [0-9a-f]{40}\$'"
check "assay alone shows machine and plan, and touches nothing" sh -c "'$ASSAY' | grep -q 'What .assay run. would do'"
plan() { run 0 "$ASSAY" plan --scratch "$T/s" && has "$T/out" "writes" && cmp "$T/s" /dev/zero 2>&1 | grep -q EOF; }
check "plan shows the bytes to be written and writes none" plan
exit $failed

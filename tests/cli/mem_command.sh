# assay mem KIND: the steps of memory as commands; what it refuses, and that options shared by several steps reach all of them.
. tests/cli/lib.sh

refused() { text=$1; shift; run 2 "$ASSAY" mem "$@" && has "$T/err" "$text" && [ "$(wc -l <"$T/err")" = 1 ] && [ ! -s "$T/out" ]; }
check "without a kind it says which there are" refused 'mem needs a kind'
check "an unknown kind is refused, the nearest named" refused 'did you mean latency?' latncy
check "one like none of them, with all that there are" refused 'there are test, latency' zzzzzz
check "an unknown option is refused, the nearest named" refused 'did you mean --size?' latency --siz 4k
check "a parameter of another kind is refused" refused 'unknown option --mix' latency --mix reads
check "a value that is none is refused under the option's name" refused '--size: "3x" is not what it takes' latency --size 3x
check "a kind of page that is none" refused '--page: "8k" is not out of' latency --page 8k
check "the sequence's options are refused" refused 'are of `assay run`' latency --only mem.test
check "and a format of other commands" refused 'of `assay block` alone' latency --format fio-json
check "a second word is refused" refused 'unexpected word "test"' latency test

one() { run 0 "$ASSAY" mem latency --size 16k --page 4k --time 20ms --record "$T/record" && has "$T/out" 'partial=yes' && has "$T/record" 'mem.latency[size=16k,page=4k,' && run 0 "$ASSAY" verify "$T/record"; }
check "one kind is measured, with a whole record, and it says that this was not the whole sequence" one
all() { run 0 "$ASSAY" mem all --page 4k --time 50ms --size 64k --buffer 1m --size_max 8m --set mem.test.time=1s "$@" --record "$T/record"; }
check "all of them in one run" all
shared() { ! grep -o '"name":"mem[a-z.]*\[[^]]*page=[^]]*\]' "$T/record" | grep -v page=4k; }
check "an option that several have reaches each of them" shared
of_set() { all --set mem.bandwidth.page=thp && grep -q '"name":"mem.bandwidth\[[^]]*page=thp' "$T/record" && grep -q '"name":"mem.latency\[[^]]*page=4k' "$T/record"; }
check "--set is more to the point than an option that several have" of_set
check "what one of several steps does not take is refused with its name" refused 'mem.latency.time: "2h" is outside 8 ms to 60 s' all --time 2h
for kind in latency c2c bandwidth loaded test; do check "mem.$kind was among them" grep -q "\"name\":\"mem.$kind" "$T/record"; done
study() { run 2 "$ASSAY" mem --study mlc --time 7x && has "$T/err" '--time: "7x"' && run 2 "$ASSAY" mem --study=mcl && has "$T/err" 'did you mean mlc?'; }
check "--study is the study of that name" study
real_time() { run 0 timeout 60 chrt -f 1 "$ASSAY" mem bandwidth --mix reads --threads all --buffer 1m --time 50ms && has "$T/err" 'started under a real-time policy'; }
check "under a real-time policy, where its threads could not be stopped, it leaves it and says so" real_time
check "the help has every kind's parameters" sh -c "'$ASSAY' help mem >'$T/help' && for k in latency c2c bandwidth loaded test; do grep -q \"^\$k: \" '$T/help' || exit 1; done && grep -q -- --mix '$T/help'"
exit $failed

# lib.sh: for the shell tests.  Each prints `ok NAME` or `not ok NAME` a line, as the unit tests do.
# ASSAY is the binary (a full path); T a folder of its own, removed at the end.
# A test: `check NAME COMMAND...` passes when the command succeeds.
set -u
ASSAY=${ASSAY:-$PWD/build/x86_64/assay}
T=$(mktemp -d "${TMPDIR:-/tmp}/assay-test.XXXXXX")
trap 'cleanup; rm -rf "$T"' EXIT
cleanup() { :; }
failed=0

check() {
	name=$1
	shift
	if "$@" >"$T/check.out" 2>&1; then
		echo "ok $name"
	else
		echo "not ok $name"
		sed 's/^/#   /' "$T/check.out" | tail -20
		failed=1
	fi
}

# run STATUS COMMAND...: runs it (output in $T/out and $T/err) and succeeds when its exit status is STATUS.
run() {
	want=$1
	shift
	"$@" >"$T/out" 2>"$T/err" </dev/null
	got=$?
	[ $got = "$want" ] && return 0
	echo "status $got, not $want: $*"
	tail -n 15 "$T/out" "$T/err"
	return 1
}

# has FILE TEXT: the file holds that text
has() { grep -qF -- "$2" "$1" || { echo "no \"$2\" in $1:"; tail -n 15 "$1"; return 1; }; }
hasnt() { ! grep -qF -- "$2" "$1" || { echo "\"$2\" in $1:"; grep -F -- "$2" "$1" | head -5; return 1; }; }

# record_value RECORD REGEX: the value of the first figure whose name matches; record_fact RECORD REGEX KEY: what its metadata says there
record_value() { jq -rs --arg name "$2" '[.[].testStepArtifact.measurement // empty | select(.name | test($name))][0].value' "$1"; }
record_fact() { jq -rs --arg name "$2" --arg key "$3" '[.[].testStepArtifact.measurement // empty | select(.name | test($name))][0].metadata[$key]' "$1"; }
# between LOW HIGH VALUE [WHAT]
between() { awk -v low="$1" -v high="$2" -v value="$3" 'BEGIN { exit !(value ~ /^-?[0-9.]+$/ && value + 0 >= low && value + 0 <= high) }' || { echo "$4 $3 is not between $1 and $2"; return 1; }; }

# attach FILE|OPTION...: $l is a loop device over it; detach DEVICE; detach_all, for cleanup: each once, for its name may be another's by then
attached=''
attach() { l=$(losetup -f --show "$@") && attached="$l $attached"; }
detach() {
	losetup -d "$1"
	left=''
	for d in $attached; do [ "$d" = "$1" ] || left="$left $d"; done
	attached=$left
}
detach_all() { for d in $attached; do detach "$d" 2>/dev/null; done; }

# memory_cgroup BYTES: a new memory cgroup with that limit, to be removed by rmdir; its path
memory_cgroup() {
	root=$(awk '$3 == "cgroup" && $4 ~ /memory/ {print $2; exit}' /proc/mounts)
	if [ -n "$root" ]; then
		own=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
		group=$root$own/assay-test-$$
		mkdir "$group" && echo "$1" >"$group/memory.limit_in_bytes" && echo "$group"
	else
		group=/sys/fs/cgroup/assay-test-$$
		echo +memory >/sys/fs/cgroup/cgroup.subtree_control 2>/dev/null
		mkdir "$group" && echo "$1" >"$group/memory.max" && echo "$group"
	fi
}

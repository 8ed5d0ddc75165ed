#!/bin/sh
# Process 1 of a namespace of its own, without QEMU: the status of the verdict is the exit status.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

if ! unshare --fork --pid --mount true 2>/dev/null; then
	echo "ok pid1 # skipped: no right to make namespaces here"
	exit 0
fi

# as_pid1 STATUS WORD...: in a root that holds nothing but the binary
as_pid1() {
	want=$1
	shift
	rm -rf "$T/root" && mkdir -p "$T/root" && cp "$ASSAY" "$T/root/init" && run "$want" timeout 60 \
		unshare --fork --pid --mount --kill-child chroot "$T/root" /init "$@"
}

passes() { as_pid1 0 assay.level=short assay.only=board.identity && has "$T/out" "assay: PASS board="; }
shows_big_letters() { as_pid1 0 assay.only=board.identity && has "$T/out" "####    ###    ####   ####"; }
last_line_is_last() { tail -n 1 "$T/out" >"$T/line" && tests/qemu/last-line "$T/line" PASS; }
wrong_word() { as_pid1 2 assay.levle=short && has "$T/out" "levle" && has "$T/out" "assay: ERROR board=unknown"; }
others_words() { as_pid1 0 console=ttyS0 quiet assay.only=board.identity nomodeset; }

# What is not there is named, and the run goes on with what there is.
without_dev() {
	mkdir -p "$T/root" && rm -rf "$T/root/dev" && touch "$T/root/dev" && run 0 timeout 60 \
		unshare --fork --pid --mount --kill-child chroot "$T/root" /init assay.only=board.identity &&
		has "$T/out" "init: /dev could not be mounted: ENOTDIR"
}

# signalled STATUS SIGNAL init|run: a long run in the background; the signal goes to process 1, or to the run, its child
signalled() {
	rm -rf "$T/root" && mkdir -p "$T/root" && cp "$ASSAY" "$T/root/init"
	unshare --fork --pid --mount --kill-child chroot "$T/root" /init assay.only=env.noise assay.set=env.noise.duration=20s >"$T/out" 2>&1 &
	outer=$!
	sleep 2
	victim=$(child_of $outer)
	[ "$3" = init ] || victim=$(child_of "$victim")
	kill -"$2" "$victim"
	got=0
	wait $outer || got=$?
	[ $got = "$1" ] || { echo "status $got, not $1"; cat "$T/out"; return 1; }
	tail -n 1 "$T/out" >"$T/line"
}

child_of() { cut -d ' ' -f 1 "/proc/$1/task/$1/children"; }

terminated() { signalled 130 TERM init && tests/qemu/last-line "$T/line" INTERRUPTED; }
run_crashes() { signalled 2 SEGV run && has "$T/out" "init: the run was ended by signal 11" && tests/qemu/last-line "$T/line" ERROR; }
run_is_killed() { signalled 2 KILL run && has "$T/out" "signal 9 (out of memory?)" && tests/qemu/last-line "$T/line" ERROR; }
init_crashes() { signalled 2 SEGV init && has "$T/out" "init itself was ended by signal 11" && tests/qemu/last-line "$T/line" ERROR; }

check pid1_passes passes
check pid1_shows_the_verdict_in_big_letters shows_big_letters
check pid1_ends_with_the_last_line last_line_is_last
check pid1_with_a_wrong_word_is_error wrong_word
check pid1_ignores_the_words_of_others others_words
check pid1_names_what_it_cannot_mount without_dev
check pid1_ends_the_run_in_order_on_term terminated
check pid1_gives_error_when_the_run_crashes run_crashes
check pid1_gives_error_when_the_run_is_killed run_is_killed
check pid1_gives_error_when_it_crashes_itself init_crashes
exit $failed

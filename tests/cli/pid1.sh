# Process 1 of a namespace of its own, without QEMU: the status of the verdict is the exit status.
. tests/cli/lib.sh

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

# What leaves is the last line, wherever the format puts it: behind the record or the KTAP lines.
other_format() {
	as_pid1 0 assay.format="$1" assay.only=board.identity && tail -n 1 "$T/out" >"$T/line" &&
		tests/qemu/last-line "$T/line" PASS && has "$T/out" "####    ###" && has "$T/out" "$2" &&
		hasnt "$T/out" "without a last line"
}

# Whoever starts assay as process 1 of a namespace shares folders with the host: the mounts of both are the same as before.
# In a mount namespace of its own, in case that they are not.
mounts_nothing() {
	want=$1 what=$2
	shift 2
	run "$want" timeout 60 unshare --mount sh -c '
		mkdir -p /run /tmp && cat /proc/self/mountinfo >"$0/before"
		unshare --pid --fork --kill-child "$@" >"$0/said" 2>&1
		status=$?
		cat /proc/self/mountinfo >"$0/after"
		exit $status' "$T" "$@" && has "$T/said" "$what" && cmp "$T/before" "$T/after"
}

version_as_pid1() { mounts_nothing 0 "assay 0." "$ASSAY" version && hasnt "$T/said" "init:"; }
version_as_pid1_with_proc() { mounts_nothing 0 "assay 0." --mount-proc "$ASSAY" version; }
run_as_pid1() { mounts_nothing 0 "assay: PASS board=" "$ASSAY" run --only board.identity && hasnt "$T/said" "####"; }

# Even as init: folders with content, and those that others may use, stay as they are.
init_of_a_container() {
	rm -rf "$T/root" && mkdir -p "$T/root/tmp" "$T/root/run" "$T/root/dev" "$T/root/proc" "$T/root/sys" &&
		touch "$T/root/dev/kept" && cp "$ASSAY" "$T/root/init" || return 1
	run 0 timeout 60 unshare --mount sh -c 'unshare --pid --fork --kill-child chroot "$0/root" /init assay.only=board.identity
		status=$?; cat /proc/self/mountinfo >"$0/after"; exit $status' "$T" &&
		has "$T/after" "$T/root/proc" && has "$T/after" "$T/root/sys" &&
		hasnt "$T/after" "$T/root/tmp" && hasnt "$T/after" "$T/root/run" && hasnt "$T/after" "$T/root/dev "
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
run_is_killed() { signalled 2 KILL run && has "$T/out" "signal 9, SIGKILL" && tests/qemu/last-line "$T/line" ERROR; }
init_crashes() { signalled 2 SEGV init && has "$T/out" "init itself was ended by signal 11" && tests/qemu/last-line "$T/line" ERROR; }

check pid1_passes passes
check pid1_shows_the_verdict_in_big_letters shows_big_letters
check pid1_ends_with_the_last_line last_line_is_last
check pid1_with_a_wrong_word_is_error wrong_word
check pid1_ignores_the_words_of_others others_words
check pid1_names_what_it_cannot_mount without_dev
check pid1_finds_the_last_line_of_ktap other_format ktap "# board.identity.cpus measured"
check pid1_finds_the_last_line_of_jsonl other_format jsonl '"testRunEnd"'
check pid1_with_a_command_is_that_command_and_mounts_nothing version_as_pid1
check pid1_with_a_command_mounts_nothing_beside_a_new_proc version_as_pid1_with_proc
check pid1_with_the_command_run_runs_and_mounts_nothing run_as_pid1
check pid1_as_init_of_a_container_hides_no_folder init_of_a_container
check pid1_ends_the_run_in_order_on_term terminated
check pid1_gives_error_when_the_run_crashes run_crashes
check pid1_gives_error_when_the_run_is_killed run_is_killed
check pid1_gives_error_when_it_crashes_itself init_crashes
exit $failed

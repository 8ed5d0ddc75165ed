# mem.test with all patterns again and again, in sizes that caches hold and sizes that they do not: never a false alarm in an hour.  HOUR: another time, in seconds.
. tests/cli/lib.sh
hour=${HOUR:-3600}
again() {
	end=$(($(date +%s) + hour)) round=0
	while [ "$(date +%s)" -lt "$end" ]; do
		for size in 1m 24m 300m; do
			round=$((round + 1))
			run 0 "$ASSAY" run --slack 300s --only mem.test,env.after --seed $round --record "$T/record" --set mem.test.size=$size --set mem.test.passes=$((2 + round % 3 * 7)) \
				--set mem.test.pattern=all,bit-fade --set mem.test.fade=1s && has "$T/out" "failed=0 errors=0" ||
				{ echo "round $round, $size"; return 1; }
		done
	done
	echo "# $round rounds" >&3
}
exec 3>&1
check "all patterns for $hour s: no false alarm" again
exit $failed

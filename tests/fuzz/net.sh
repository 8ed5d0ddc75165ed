#!/bin/sh
# What comes over the wire of a network test: JSON, and the conversations of server and client, under ASan and UBSan.  SECONDS_EACH and SEED may be given.
set -u
cd "$(dirname "$0")/../.." || exit 2
fuzz=build/sanitize/fuzz/net
mkdir -p "${fuzz%/*}"
make -s ARCH=sanitize build/sanitize/libassay.a >/dev/null || exit 2
gcc -std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all \
	-Iinclude -Isrc -D_GNU_SOURCE -pthread -o $fuzz tests/fuzz/net.c build/sanitize/libassay.a || exit 2
seed=${SEED:-$(date +%s)}
seconds=${SECONDS_EACH:-3600}
failed=0
log=$(mktemp -d) || exit 2
trap 'rm -rf "$log"' EXIT

# All three side by side, each in a network of its own.
for mode in json server client; do
	(unshare -n sh -c "ip link set lo up && exec timeout -k 5 $((seconds + 60)) $fuzz $mode $seed $seconds" >"$log/$mode" 2>&1; echo $? >"$log/$mode.status") &
done
wait
for mode in json server client; do
	if [ "$(cat "$log/$mode.status")" = 0 ]; then echo "ok fuzz_net_$mode"; else echo "not ok fuzz_net_$mode # SEED=$seed"; failed=1; fi
	sed 's/^/# /' "$log/$mode" | tail -40
done
exit $failed

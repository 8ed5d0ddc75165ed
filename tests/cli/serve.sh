# serve.sh [NAME...]: `assay serve` against iperf3's clients, clients that lie or are silent, and whoever else connects.  LONG=1: 60 s and 5,000 of them.
# lane: waits
. tests/cli/lib.sh

# In a network of its own: no port is another's.
unshare -n sh -c 'ip link set lo up && exec python3 tests/cli/serve.py "$@"' sh "$ASSAY" "$@" || failed=1
exit $failed

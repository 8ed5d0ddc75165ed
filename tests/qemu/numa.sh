#!/bin/sh
# Two nodes with memory and a hole between them: the matrix has a row for each CPU's node and a column for each node with memory, and no other.
# lane: waits
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

backends="-object memory-backend-ram,id=m0,size=384M -object memory-backend-ram,id=m2,size=384M"
figure() { grep -q "measured *mem\.latency\[size=[^]]*,node=$1,cpu=$2\] " "$T/console" || { echo "no figure of node $1 from CPU $2"; tail -25 "$T/console"; return 1; }; }
# Node 2 has no CPU.
from_first() {
	figure 0 0 && figure 2 0
}
no_node_1() { ! grep "measured *mem\.latency\[size=[^]]*,node=1," "$T/console"; }
matrix() { # ARCH WORDS_OF_NODE_0_AND_1
	guest 0 "$1" --memory 768M --qemu "$backends $2 -numa node,nodeid=2,memdev=m2" hugepages=0:16 assay.only=mem.latency,mem.bandwidth \
		assay.set=mem.bandwidth.node=0,2 assay.set=mem.bandwidth.page=2m assay.set=mem.bandwidth.mix=reads assay.set=mem.bandwidth.threads=1 \
		assay.set=mem.bandwidth.buffer=1m assay.set=mem.bandwidth.time=20ms \
		assay.set=mem.latency.node=all assay.set=mem.latency.size=1m assay.set=mem.latency.page=4k assay.set=mem.latency.time=20ms &&
		from_first && no_node_1
}
# Node 1 has a CPU and no memory: a row without a column.
from_node_without_memory() { figure 0 1 && figure 2 1; }

# All pages of the pool lie on node 0: on node 2 a touch would be SIGBUS.
bandwidth() { grep -q "measured *mem\.bandwidth\[mix=reads,threads=1,buffer=1m,page=$1,node=$2\] " "$T/console" || { tail -25 "$T/console"; return 1; }; }
pool_of_node_0() {
	bandwidth 2m 0 && bandwidth 4k 2 && grep -q "SKIP *mem\.bandwidth\[[^]]*,page=2m,node=2\]: no 2m pages" "$T/console"
}

make_image x86_64
make_image aarch64
check "node_without_cpu_and_node_without_memory" matrix x86_64 "-numa node,nodeid=0,memdev=m0,cpus=0 -numa node,nodeid=1,cpus=1"
check "row_of_a_node_without_memory" from_node_without_memory
check "pool_that_is_empty_on_a_node_is_no_pages" pool_of_node_0
# By the device tree its nodes keep their numbers: 0 and 2.
check "sparse_node_numbers" matrix aarch64 "-numa node,nodeid=0,memdev=m0,cpus=0-1 -numa node,nodeid=1"
exit $failed

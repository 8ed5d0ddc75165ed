#!/bin/sh
# Two nodes with memory and a hole between them: the matrix has a row for each CPU's node and a column for each node with memory, and no other.
cd "$(dirname "$0")/../.." && . tests/qemu/lib.sh

backends="-object memory-backend-ram,id=m0,size=384M -object memory-backend-ram,id=m2,size=384M"
figure() { grep -q "measured *mem\.latency\[size=[^]]*,node=$1,cpu=$2\] " "$T/console" || { echo "no figure of node $1 from CPU $2"; tail -25 "$T/console"; return 1; }; }
# Node 2 has no CPU.
from_first() {
	figure 0 0 && figure 2 0
}
no_node_1() { ! grep "measured *mem\.latency\[size=[^]]*,node=1," "$T/console"; }
matrix() { # ARCH WORDS_OF_NODE_0_AND_1
	guest 0 "$1" --memory 768M --qemu "$backends $2 -numa node,nodeid=2,memdev=m2" assay.only=mem.latency \
		assay.set=mem.latency.node=all assay.set=mem.latency.size=1m assay.set=mem.latency.page=4k assay.set=mem.latency.time=20ms &&
		from_first && no_node_1
}
# Node 1 has a CPU and no memory: a row without a column.
from_node_without_memory() { figure 0 1 && figure 2 1; }

make_image x86_64
make_image aarch64
check "node_without_cpu_and_node_without_memory" matrix x86_64 "-numa node,nodeid=0,memdev=m0,cpus=0 -numa node,nodeid=1,cpus=1"
check "row_of_a_node_without_memory" from_node_without_memory
# By the device tree its nodes keep their numbers: 0 and 2.
check "sparse_node_numbers" matrix aarch64 "-numa node,nodeid=0,memdev=m0,cpus=0-1 -numa node,nodeid=1"
exit $failed

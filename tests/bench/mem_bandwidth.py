#!/usr/bin/env python3
"""mem_bandwidth.py ASSAY COPY KERNELS [PAIRS]: bandwidth by assay, by likwid-bench, by STREAM's Copy (COPY) and by the best of assay's own kernels.

All on all CPUs and interleaved, pair by pair; a line a comparison: the ratio assay/other, median of the pairs with its least and greatest.  Of
likwid-bench the best kernel counts, and of assay's own (KERNELS goes through all of them in turn): each found by medians in front.
STREAM tells the best of ten passes, so that a second line has assay's best round against it, like against like.
"""
import json, os, re, statistics, subprocess, sys

assay, copy, kernels = sys.argv[1:4]
pairs = int(sys.argv[4]) if len(sys.argv) > 4 else 10
cpus = len(os.sched_getaffinity(0))
LOADS = ["load", "load_sse", "load_avx", "load_avx512", "clload"]
COPIES = ["copy", "copy_sse", "copy_avx", "copy_avx512", "copy_mem", "copy_mem_sse", "copy_mem_avx", "copy_mem_avx512"]


def output(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout if done.returncode == 0 else ""


def last_cache_mib():
    sizes = [open(path).read().strip() for path in ["/sys/devices/system/cpu/cpu0/cache/index%d/size" % i for i in range(5)] if os.path.exists(path)]
    return max([int(s[:-1]) // 1024 for s in sizes if s.endswith("K")] + [8])


MIB = max(64, 4 * last_cache_mib())  # of an array of STREAM, and of each thread's part


def of_assay(mix):
    out = output(assay, "run", "--format", "jsonl", "--only", "mem.bandwidth", "--set", "mem.bandwidth.mix=" + mix, "--set", "mem.bandwidth.threads=all",
                 "--set", "mem.bandwidth.buffer=%dm" % MIB, "--set", "mem.bandwidth.time=1s")
    for line in out.splitlines():
        m = json.loads(line).get("testStepArtifact", {}).get("measurement")
        if m and m["name"].startswith("mem.bandwidth["):
            return m["value"], m["metadata"]["max"], m["metadata"]["kernel"]
    sys.exit("no figure of assay:\n" + out[-2000:])


def of_likwid(kernel):
    """B/s; 0 where this CPU or this likwid has no such kernel."""
    found = re.search(r"MByte/s:\s+([\d.]+)", output("likwid-bench", "-t", kernel, "-w", "N:%dMB:%d" % (MIB * cpus, cpus), "-s", "1"))
    return float(found.group(1)) * 1e6 if found else 0


def of_kernels(mix):
    return {name: float(rate) for name, rate in (line.split("\t") for line in output(kernels, mix, str(MIB), "10").splitlines())}


def show(what, ratios, ours, theirs):
    print("%-58s %5.3f (%5.3f..%5.3f)   %6.2f, %6.2f GB/s" % (what, statistics.median(ratios), min(ratios), max(ratios),
          statistics.median(ours) / 1e9, statistics.median(theirs) / 1e9), flush=True)


def best(names, rate):
    rates = {name: [] for name in names}
    for _ in range(3):
        for name in names:
            rates[name].append(rate(name))
    return max(names, key=lambda name: statistics.median(rates[name]))


def compare(mix, what, other):
    rows = [(of_assay(mix), other()) for _ in range(pairs)]
    show("%s: assay / %s" % (mix, what), [a[0] / b for a, b in rows], [a[0] for a, b in rows], [b for a, b in rows])
    return rows


print("median of %d interleaved pairs on %d CPUs, %d MiB an array or a thread (least..greatest); of assay, of the other" % (pairs, cpus, MIB))
for mix, likwids in (("reads", LOADS), ("copy", COPIES)):
    peer = best(likwids, of_likwid)
    compare(mix, "likwid-bench -t " + peer, lambda: of_likwid(peer))
    if mix == "copy":
        rows = compare(mix, "STREAM's Copy (its best of ten)", lambda: float(output(copy, str(MIB))))
        show("copy: assay's best round / STREAM's Copy", [a[1] / b for a, b in rows], [a[1] for a, b in rows], [b for a, b in rows])
    own = of_kernels(mix)
    name = max(own, key=own.get)
    rows = compare(mix, "its own best kernel (%s)" % name, lambda: of_kernels(mix)[name])
    print("    kernels that the trials found: " + ", ".join("%s %d" % (k, sum(a[2] == k for a, _ in rows)) for k in sorted({a[2] for a, _ in rows})))

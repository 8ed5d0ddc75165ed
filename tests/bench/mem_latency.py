#!/usr/bin/env python3
"""mem_latency.py ASSAY BARE [PAIRS [SIZES]]: idle latency of assay and of a bare chase (mem_bare.c), interleaved.

A line for each size and kind of page: the ratio assay/bare, the median of the pairs' ratios with its least and greatest, and the ratio of the two
medians.  A shared machine is noisy: the ratio counts, not the figures.
"""
import json, os, statistics, subprocess, sys

assay, bare = sys.argv[1:3]
pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 11
sizes = (sys.argv[4] if len(sys.argv) > 4 else "16k,256k,2m,64m,256m").split(",")
cpu = min(os.sched_getaffinity(0))
UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s: status %d\n%s%s" % (" ".join(command), done.returncode, done.stdout[-800:], done.stderr[-800:]))
    return done.stdout


def of_assay(size, page):
    for line in output([assay, "mem", "latency", "--format", "jsonl", "--size", size, "--page", page, "--cpu", str(cpu), "--time", "200ms", "--dram", "64t"]).splitlines():
        m = json.loads(line).get("testStepArtifact", {}).get("measurement")
        if m and "[size=%s,page=%s," % (size, page) in m["name"]:
            return m["value"], m["metadata"]["cycles"]
    sys.exit("no figure for %s on %s pages" % (size, page))


def of_bare(size, page):
    return float(output([bare, str(int(size[:-1]) * UNITS[size[-1]]), page, str(cpu), "200"]))


print("latency: assay/bare chase, median of %d interleaved pairs (least..greatest)" % pairs)
for page in ("4k", "thp"):
    for size in sizes:
        rows = []
        for i in range(pairs):
            if i % 2:
                theirs, (ours, cycles) = of_bare(size, page), of_assay(size, page)
            else:
                (ours, cycles), theirs = of_assay(size, page), of_bare(size, page)
            rows.append((ours, theirs, cycles))
        ratios = [a / b for a, b, c in rows]
        ours, theirs, cycles = (statistics.median(column) for column in zip(*rows))
        print("  %-5s on %-3s pages   %.3f (%.3f..%.3f)   of medians %.3f   %9.3f ns, %9.3f ns   %8.2f cycles" %
              (size, page, statistics.median(ratios), min(ratios), max(ratios), ours / theirs, ours, theirs, cycles), flush=True)

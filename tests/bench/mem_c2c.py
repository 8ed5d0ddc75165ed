#!/usr/bin/env python3
"""mem_c2c.py ASSAY BARE [SECONDS [PAIRS]]: the ping-pong of one line by assay and by a bare program (pingpong.c), interleaved.

The ratio assay/bare, median of the pairs with its least and greatest; it is to be within 10 % of 1.  A virtual machine's CPUs may be
moved between two runs, to the same cache or to another: then one pair is far off, and the median is not.
"""
import json, os, statistics, subprocess, sys

assay, bare = sys.argv[1:3]
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 0.1
pairs = int(sys.argv[4]) if len(sys.argv) > 4 else 15
cpus = sorted(os.sched_getaffinity(0))[:2]
if len(cpus) < 2:
    sys.exit("a ping-pong takes two CPUs")
first, second = map(str, cpus)


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s: status %d\n%s%s" % (" ".join(command), done.returncode, done.stdout[-800:], done.stderr[-800:]))
    return done.stdout


def of_assay():
    for line in run([assay, "mem", "c2c", "--kind", "pingpong", "--from", first, "--to", second, "--time", "%gs" % seconds, "--format", "jsonl"]).splitlines():
        m = json.loads(line).get("testStepArtifact", {}).get("measurement")
        if m and m["name"].startswith("mem.c2c[kind=pingpong"):
            return m["value"]
    sys.exit("no mem.c2c in the record")


def of_bare():
    return float(run([bare, second, first, "%g" % seconds]))


both = [(of_assay(), of_bare()) for _ in range(pairs)]
ratios = [a / b for a, b in both]
middle = statistics.median(ratios)
print("mem.c2c pingpong, CPU %s and %s: assay/bare %.3f (%.3f..%.3f), median of %d interleaved pairs of %g s; ns: %.2f, %.2f%s"
      % (first, second, middle, min(ratios), max(ratios), pairs, seconds, statistics.median(a for a, _ in both),
         statistics.median(b for _, b in both), "" if abs(middle - 1) <= 0.1 else "   NOT WITHIN 10 %"))
sys.exit(abs(middle - 1) > 0.1)

#!/usr/bin/env python3
"""auto.py ASSAY DEVICE [SECONDS [ROUNDS]]: what `--ioengine auto --numjobs auto` reaches, of the best that an exhaustive trial finds."""
import json, os, statistics, subprocess, sys

assay, device = sys.argv[1:3]
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 1
rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 5
cpus = len(os.sched_getaffinity(0))


def iops(engine, jobs, depth):
    out = subprocess.run([assay, "block", device, "--format", "jsonl", "--rw", "randread", "--iodepth", str(depth), "--ioengine", engine,
                          "--numjobs", str(jobs), "--precision", "0", "--runtime", "%gs" % seconds, "--disable_slat"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    for line in out.splitlines():
        m = json.loads(line).get("testStepArtifact", {}).get("measurement")
        if m and ".iops[" in m["name"]:
            return m["value"], m["metadata"]["engine"] + ", jobs " + m["metadata"]["point"]["numjobs"]
    return 0, "-"


for depth in (1, 32):
    trials = {(engine, jobs): [] for engine in ("io_uring", "libaio", "psync") for jobs in sorted({1, 2, cpus}) if engine != "psync" or depth == 1}
    autos, chosen = [], []
    for _ in range(rounds):
        for trial in trials:
            trials[trial].append(iops(*trial, depth)[0])
        value, what = iops("auto", "auto", depth)
        autos.append(value)
        chosen.append(what)
    best = max(trials, key=lambda t: statistics.median(trials[t]))
    ratios = [a / b for a, b in zip(autos, trials[best])]
    print("auto, depth %d: %.3f (%.3f..%.3f) of the best, which is %s with %d jobs; chosen: %s" % (
        depth, statistics.median(ratios), min(ratios), max(ratios), best[0], best[1], "; ".join(sorted(set(chosen)))), flush=True)

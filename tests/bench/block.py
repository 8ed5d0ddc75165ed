#!/usr/bin/env python3
"""block.py ASSAY BARE DEVICE NAME [SECONDS [PAIRS]]: reads and writes of assay and of fio on one device, interleaved.

One line a workload: the ratio assay/fio of IOPS, mean latency and user CPU time per I/O, each the median of the pairs' ratios
with its least and greatest; IOPS against a bare loop (bare.c); latency's median at depth 1 against fio's psync.
fio writes zeros, for assay takes a device with others' data for none that may be written.
A shared machine is noisy: the ratio counts, not the figures.  With WRITE=1 in the environment it writes to the device, too.
"""
import json, os, resource, statistics, subprocess, sys

assay, bare, device, name = sys.argv[1:5]
seconds = float(sys.argv[5]) if len(sys.argv) > 5 else 1
pairs = int(sys.argv[6]) if len(sys.argv) > 6 else 5

# rw, bs, depth, jobs, engine; and whether slat is measured, as both do unless told otherwise (two calls an I/O then)
WORKLOADS = [("randread", 4096, 1, 1, "psync", True), ("randread", 4096, 1, 1, "io_uring", True), ("randread", 4096, 1, 1, "io_uring", False),
             ("randread", 4096, 32, 1, "io_uring", True), ("randread", 4096, 32, 1, "io_uring", False), ("randread", 4096, 32, 1, "libaio", True),
             ("read", 131072, 32, 1, "io_uring", True), ("randread", 4096, 32, 2, "io_uring", True)]
if os.environ.get("LIMITED"):  # the device is slow: both tools must agree on how slow
    WORKLOADS = [("randread", 4096, depth, 1, engine, True) for depth in (1, 8) for engine in ("psync", "io_uring", "libaio")
                 if depth == 1 or engine != "psync"] + [("read", 131072, 4, 1, "io_uring", True)]
if os.environ.get("WRITE"):
    WORKLOADS += [("randwrite", 4096, 1, 1, "psync", True), ("randwrite", 4096, 32, 1, "io_uring", True), ("write", 131072, 32, 1, "libaio", True)]


def timed(command):
    """Its standard output, and the user CPU time of it and all that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("%s: status %d\n%s%s" % (" ".join(command), done.returncode, done.stdout[-800:], done.stderr[-800:]))
    return done.stdout, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def of_assay(rw, bs, depth, jobs, engine, slat):
    out, user = timed([assay, "block", device, "--format", "jsonl", "--rw", rw, "--bs", str(bs), "--iodepth", str(depth),
                       "--numjobs", str(jobs), "--ioengine", engine, "--precision", "0", "--runtime", "%gs" % seconds,
                       "--ramp_time", "100ms"] + ([] if slat else ["--disable_slat"]))
    figures = {}
    for line in out.splitlines():
        m = json.loads(line).get("testStepArtifact", {}).get("measurement")
        if m:
            figures[m["name"].split("[")[0].split(".", 2)[2]] = m
    ios = figures["iops"]["metadata"]["ios"] + figures["iops"]["metadata"]["discarded"]
    return {"iops": figures["iops"]["value"], "bandwidth": figures["bandwidth"]["value"], "mean": figures["latency.mean"]["value"],
            "p50": figures["latency.p50"]["value"], "user": user / ios}


def of_fio(rw, bs, depth, jobs, engine, slat):
    out, user = timed(["fio", "--name=b", "--filename=" + device, "--rw=" + rw, "--bs=%d" % bs, "--iodepth=%d" % depth,
                       "--numjobs=%d" % jobs, "--group_reporting", "--direct=1", "--ioengine=" + engine, "--runtime=%g" % seconds,
                       "--ramp_time=100ms", "--time_based", "--thread", "--zero_buffers", "--output-format=json"] + ([] if slat else ["--disable_slat=1"]))
    job = json.loads(out)["jobs"][0]["write" if "write" in rw else "read"]
    return {"iops": job["iops"], "bandwidth": job["bw_bytes"], "mean": job["lat_ns"]["mean"],
            "p50": job["clat_ns"]["percentile"]["50.000000"], "user": user / (job["iops"] * (seconds + 0.1))}


def of_bare(rw, bs, depth, jobs, engine, slat):
    return float(timed([bare, device, engine, str(bs), str(depth), "%g" % seconds])[0])


def spread(ratios):
    return "%5.2f (%4.2f..%4.2f)" % (statistics.median(ratios), min(ratios), max(ratios))


print("%s: assay/fio, median of %d interleaved pairs of %g s (least..greatest)" % (name, pairs, seconds))
print("%-52s %-19s %-19s %-19s %-19s %s" % ("", "IOPS", "mean latency", "user CPU per I/O", "IOPS / bare loop", "IOPS of assay, fio"))
for workload in WORKLOADS:
    rw, bs, depth, jobs, engine, slat = workload
    rows, bares = [], []
    for _ in range(pairs):
        rows.append((of_assay(*workload), of_fio(*workload)))
        if jobs == 1 and rw == "randread" and engine != "libaio":
            bares.append(rows[-1][0]["iops"] / of_bare(*workload))
    ratio = lambda key: spread([a[key] / b[key] for a, b in rows])
    middle = lambda side: statistics.median(row[side]["iops"] for row in rows)
    print("%-52s %-19s %-19s %-19s %-19s %.0f, %.0f" % ("%s bs=%dk depth=%d jobs=%d %s%s" % (rw, bs // 1024, depth, jobs, engine, "" if slat else ", no slat"),
          ratio("iops"), ratio("mean"), ratio("user"), spread(bares) if bares else "-", middle(0), middle(1)), flush=True)

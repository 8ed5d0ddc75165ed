#!/usr/bin/env python3
"""instructions.py ASSAY FILE: user-space instructions per I/O of assay and of fio, by callgrind: two lengths, so that the start cancels."""
import re, subprocess, sys, tempfile

assay, path = sys.argv[1:3]
FEW, MANY = 4000, 16000  # at most the blocks of FILE, 64 MiB


def instructions(command):
    """Of the process and all that it forked."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=%s/%%p" % folder] + command,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    counts = re.findall(r"Collected : (\d+)", done.stdout)
    if done.returncode or not counts:
        sys.exit("%s: status %d\n%s" % (" ".join(command), done.returncode, done.stdout[-1500:]))
    return sum(map(int, counts))


def of_assay(engine, depth, ios, slat):
    return [assay, "block", path, "--rw", "randread", "--iodepth", str(depth), "--ioengine", engine, "--count", str(ios)] + \
        ([] if slat else ["--disable_slat"])


def of_fio(engine, depth, ios):
    return ["fio", "--name=b", "--filename=" + path, "--rw=randread", "--bs=4k", "--iodepth=%d" % depth, "--ioengine=" + engine,
            "--number_ios=%d" % ios, "--thread", "--output=/dev/null"] + (["--direct=1"] if direct else [])


def each(make):
    return (instructions(make(MANY)) - instructions(make(FEW))) / (MANY - FEW)


try:
    import os
    os.close(os.open(path, os.O_RDONLY | os.O_DIRECT))
    direct = True
except OSError:
    direct = False
print("instructions per I/O in user space (callgrind, 4 KiB random reads of a file in memory)")
for engine, depth in (("psync", 1), ("io_uring", 1), ("io_uring", 32)):
    theirs = each(lambda ios: of_fio(engine, depth, ios))
    for slat in (True, False):
        ours = each(lambda ios: of_assay(engine, depth, ios, slat))
        print("%-9s depth %-3d %-16s assay %6.0f, fio %6.0f, ratio %.3f" % (engine, depth, "" if slat else "--disable_slat", ours, theirs, ours / theirs), flush=True)

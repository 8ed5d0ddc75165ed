#!/usr/bin/env python3
"""net.py ASSAY HOST [PAIRS [NEAR FAR]]: assay with assay against iperf3 with iperf3, pair by pair; NEAR and FAR: namespaces of client and server.

A line a comparison: the ratio assay/iperf3, median of the pairs with its least and greatest, of the rate and of the CPU seconds (user and system of both
processes, by wait4) per gigabyte received; then both medians.  iperf3's modes that copy at both ends are tried in front, and the quickest counts.
Environment: SECONDS_EACH (2), ONLY (a part of a comparison's name).
"""
import json, os, statistics, subprocess, sys, time

assay, host = sys.argv[1:3]
pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 7
near, far = sys.argv[4:6] if len(sys.argv) > 5 else (None, None)
seconds = os.environ.get("SECONDS_EACH", "2")
only = os.environ.get("ONLY", "")
PORT = "5377"
congestion = open("/proc/sys/net/ipv4/tcp_congestion_control").read().strip()
available = open("/proc/sys/net/ipv4/tcp_available_congestion_control").read().split()
IPERF3_MODES = [[], ["-l", "1M"], ["-A", "0,0"], ["-A", "0,1"], ["-l", "1M", "-A", "0,0"]]


def start(namespace, command, **more):
    return subprocess.Popen((["ip", "netns", "exec", namespace] if namespace else []) + command, **more)


def run(server, client):
    """(rate in B/s or datagrams/s, CPU seconds, gigabytes) of one test; None when it failed."""
    serving = start(far, server, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    testing = start(near, client, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = testing.stdout.read()
    cpu = 0
    for process in (testing, serving):
        _, process.returncode, used = os.wait4(process.pid, 0)
        cpu += used.ru_utime + used.ru_stime
    try:
        end = json.loads(out)["end"]
    except (ValueError, KeyError):
        sys.exit("no figures of %s:\n%s" % (" ".join(client), out.decode()[-2000:]))
    if "-u" in client:
        received = end["sum"]["packets"] - end["sum"]["lost_packets"]
        return received / end["sum"]["seconds"], cpu, end["sum"]["bytes"] / 1e9 * received / max(1, end["sum"]["packets"])
    received = end["sum_received"]
    return received["bytes"] / received["seconds"], cpu, received["bytes"] / 1e9


def of_assay(options, extra=()):
    return run([assay, "serve", "-p", PORT, "--one-off"], [assay, "net", host, "-p", PORT, "-t", seconds, "--format", "iperf3-json"] + options + list(extra))


def of_iperf3(options):
    return run(["iperf3", "-s", "-p", PORT, "-1"], ["iperf3", "-c", host, "-p", PORT, "-t", seconds, "-J"] + options)


def show(what, ratios, ours, theirs, unit):
    print("  %-18s %6.3f (%6.3f..%6.3f)   %9.4g, %9.4g %s" % (what, statistics.median(ratios), min(ratios), max(ratios),
          statistics.median(ours), statistics.median(theirs), unit), flush=True)


def compare(name, ours, theirs):
    if only not in name:
        return
    rows = [(ours(), theirs()) for _ in range(pairs)]
    datagrams = "datagrams" in name
    print(name)
    show("datagrams/s" if datagrams else "rate", [a[0] / b[0] for a, b in rows], [a[0] / (1 if datagrams else 1e9) for a, _ in rows],
         [b[0] / (1 if datagrams else 1e9) for _, b in rows], "1/s" if datagrams else "GB/s")
    cost = [(a[1] / a[2], b[1] / b[2]) for a, b in rows]
    show("CPU s per GB", [a / b for a, b in cost], [a for a, _ in cost], [b for _, b in cost], "s")


def best_mode(more):
    rates = {tuple(mode): [] for mode in IPERF3_MODES}
    for _ in range(2):
        for mode in IPERF3_MODES:
            rates[tuple(mode)].append(of_iperf3(mode + more)[0])
    return list(max(rates, key=lambda mode: statistics.median(rates[mode])))


print("median of %d interleaved pairs (least..greatest); of assay, of iperf3" % pairs)
for control in [congestion] + (["cubic"] if congestion != "cubic" and "cubic" in available else []):
    more = ["-C", control]
    mode = best_mode(more) if only in "TCP copies" else []
    named = " ".join(mode) or "as it comes"
    ours = more + (mode[:2] if "-l" in mode else [])  # the same length of a call for both
    compare("TCP copies, %s: assay / iperf3 in its best mode (%s)" % (control, named), lambda: of_assay(ours), lambda: of_iperf3(mode + more))
    if mode:
        compare("TCP copies, %s: assay / iperf3 as it comes" % control, lambda: of_assay(more), lambda: of_iperf3(more))
    compare("TCP drop, %s: assay dropping in the kernel / iperf3 (%s), which copies" % (control, named), lambda: of_assay(ours, ["--receive", "drop"]),
            lambda: of_iperf3(mode + more))
    compare("TCP zero copy, %s: assay -Z / iperf3 -Z" % control, lambda: of_assay(more, ["-Z"]), lambda: of_iperf3(more + ["-Z"]))
    compare("TCP 128 streams, %s: assay / iperf3" % control, lambda: of_assay(more, ["-P", "128"]), lambda: of_iperf3(more + ["-P", "128"]))
for length in ("1460", "64"):
    udp = ["-u", "-b", "0", "-l", length]
    compare("UDP datagrams of %s: assay / iperf3" % length, lambda: of_assay(udp), lambda: of_iperf3(udp))

#!/usr/bin/env python3
"""xfi.py plant CAUSE TREE HERE THERE LATE: until it is killed, makes the path between two network namespaces slow by what a made-up tree says of its clocks, and by the
load thread of the study that uses this tree.  Where the machine holds up whoever waits for it, a line goes to the file LATE.
xfi.py judge CAUSE RECORD CELLS: is that cause in the record, and nothing else?
xfi.py operator TREE OUTPUT COMMAND...: runs it on a terminal, and unplugs the tree's display when asked to."""
import glob, json, os, pty, subprocess, sys, threading, time

HELD_UP_S = 0.04
CPU = "sys/devices/system/cpu"
CONNECTOR = "sys/class/drm/card0-HDMI-A-1/status"
# Slow over tx, slow over rx: by which knobs are turned.
CAUSES = {
    "emc": lambda k: (not k["emc"],) * 2,
    "load": lambda k: (not k["load"],) * 2,
    "cpufreq": lambda k: (not k["cpufreq"],) * 2,
    "cpuidle": lambda k: (not k["cpuidle"],) * 2,
    "emc_load": lambda k: (not k["emc"] and not k["load"],) * 2,
    "emc_cpufreq": lambda k: (not (k["emc"] and k["cpufreq"]),) * 2,
    "direction_emc": lambda k: (not k["emc"], False),
    "direction_load": lambda k: (False, k["load"]),
    "direction": lambda k: (True, False),
    "tx_emc_load": lambda k: (not k["emc"] and not k["load"], False),
    "clocks_display": lambda k: (not k["emc"] and not k["display"], False),
    "nothing": lambda k: (False, False),
}


def text(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""


class Study:
    """The processes of the study that has this tree: the main one, and its step's."""

    def __init__(self, tree):
        self.tree, self.main, self.looked = tree, None, 0

    def find(self):
        if self.main and os.path.exists(f"/proc/{self.main}"):
            return
        self.main = None
        if time.monotonic() - self.looked < 0.1:
            return
        self.looked = time.monotonic()
        for pid in os.listdir("/proc"):
            if pid.isdigit() and "assay\0study\0xfi" in text(f"/proc/{pid}/cmdline") and f"--sysroot\0{self.tree}\0" in text(f"/proc/{pid}/cmdline") + "\0" and text(f"/proc/{pid}/comm") not in ("timeout", "python3"):
                self.main = pid
                return

    def is_loading(self):
        self.find()
        return self.main and any(text(comm).startswith("load ") for pid in text(f"/proc/{self.main}/task/{self.main}/children").split() for comm in glob.glob(f"/proc/{pid}/task/*/comm"))


def watch(late):
    """What is as urgent as the study itself: is it held up by others at work on this machine?"""
    while True:
        before = time.monotonic()
        time.sleep(0.01)
        took = time.monotonic() - before
        if took > HELD_UP_S:
            with open(late, "a") as file:
                file.write(f"{took:.3f} s\n")


def plant(cause, tree, here, there, late):
    threading.Thread(target=watch, args=(late,), daemon=True).start()
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # this thread's alone
    emc, study, last = f"{tree}/sys/kernel/debug/bpmp/debug/clk/emc", Study(tree), None
    while True:
        knobs = {
            "emc": text(f"{emc}/rate") == text(f"{emc}/max_rate"),
            "cpufreq": text(f"{tree}/{CPU}/cpu0/cpufreq/scaling_min_freq") == text(f"{tree}/{CPU}/cpu0/cpufreq/scaling_max_freq"),
            "cpuidle": text(f"{tree}/{CPU}/cpu0/cpuidle/state1/disable") == "1",
            "load": study.is_loading(),
            "display": text(f"{tree}/{CONNECTOR}") == "connected",
        }
        slow = CAUSES[cause](knobs)
        if slow != last:
            for name, device, is_slow in ((here, "v0", slow[0]), (there, "v1", slow[1])):
                subprocess.run(["tc", "-n", name, "qdisc", "replace", "dev", device, "root", "tbf", "rate", "60mbit" if is_slow else "150mbit", "burst", os.environ.get("BURST", "1mb"), "latency", "30ms"], check=True)
        last = slow
        time.sleep(0.01)


def wanted(cause, direction, factors):
    """Do these factors matter, over that direction?  None: the others' effects make it so that either may be said."""
    factors = set(factors.split("+"))
    if "clocks" in factors and "clocks" not in cause:
        return None
    parts = set(cause.replace("tx_", "direction_").replace("clocks_d", "direction_clocks_d").split("_")) - {"nothing"}
    if direction != "both":
        if (cause, direction) in (("direction_emc", "rx"), ("direction_load", "tx"), ("tx_emc_load", "rx"), ("clocks_display", "rx")):
            return False
        parts.discard("direction")
    return factors <= parts


def judge(cause, record, cells):
    figures = [m for line in open(record) for m in [json.loads(line).get("testStepArtifact", {}).get("measurement")] if m]
    faults = []
    rates = [m for m in figures if m["name"].startswith("study.xfi.throughput[")]
    if len(rates) != int(cells):
        faults.append(f"{len(rates)} cells, not {cells}")
    for m in rates:
        if not 40e6 < m["value"] < 220e6 or m["metadata"]["n"] < 3:
            faults.append(f"{m['name']}: {m['value']} of {m['metadata']['n']}")
    told = 0
    for m in figures:
        if not m["name"].startswith(("study.xfi.effect[", "study.xfi.interaction[")):
            continue
        points = dict(p.split("=") for p in m["name"].split("[")[1].rstrip("]").split(","))
        factors, finding, told = points.get("factor") or points["factors"], m["metadata"]["finding"], told + 1
        want = wanted(cause, points["direction"], factors)
        if want is None or finding == ("effect" if want else "no effect"):
            continue
        # A pair's interval is the wider one: that nothing can be told is no fault there.
        if want or finding == "effect" or "+" not in factors:
            faults.append(f"{m['name']}: {finding}: {m['value']:.0f}, {m['metadata'].get('low95')} to {m['metadata'].get('high95')}")
    if not told:
        faults.append("no effects")
    print(f"{len(rates)} cells, {told} effects", *faults, sep="\n")
    return bool(faults)


def operator(tree, output, *command):
    """A connector cannot be forced here: whatever is written to it, it says what is plugged in."""
    plugged, ended = ["connected"], threading.Event()

    def connect():
        while not ended.wait(0.005):
            if text(f"{tree}/{CONNECTOR}") != plugged[0]:
                with open(f"{tree}/{CONNECTOR}", "w") as file:
                    file.write(plugged[0] + "\n")

    thread = threading.Thread(target=connect)
    thread.start()
    terminal = pty.openpty()[1]
    with subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process, open(output, "w") as file:
        for line in process.stdout:
            file.write(line)
            if "UNPLUG the display" in line:
                plugged[0] = "disconnected"
    ended.set()
    thread.join()
    return process.returncode


if __name__ == "__main__":
    sys.exit({"plant": plant, "judge": judge, "operator": operator}[sys.argv[1]](*sys.argv[2:]))

#!/usr/bin/python3
"""iperf3.py ASSAY TABLE FOLDER [NAME...]: the combinations of a table, each both ways round, several at once.

In a network namespace of its own, made by iperf3.sh.  FOLDER/root.N are roots of their own with the binary as /assay: a machine-wide lock each.
Compared are the bytes that the sender's own program counted with those of the receiver's own program: within 1 %.
"""
import concurrent.futures
import json
import os
import queue
import subprocess
import sys
import time

ASSAY, TABLE, FOLDER = sys.argv[1:4]
AT_ONCE, LONGEST_S = 12, 20
roots = queue.Queue()


class Wrong(Exception):
    pass


def rows():
    for line in open(TABLE):
        words = line.split()
        if words and not words[0].startswith("#"):
            yield words[0], words[1], words[2:]


def listens(port):
    for table in "/proc/net/tcp", "/proc/net/tcp6":
        with open(table) as lines:
            if any(f":{port:04X} " in line.split("rem_address")[0][:60] and " 0A " in line for line in lines):
                return True
    return False


def start(command, port):
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 5
    while not listens(port):
        if server.poll() is not None or time.monotonic() > until:
            server.kill()
            raise Wrong(f"the server does not listen: {server.communicate()}")
        time.sleep(0.02)
    return server


def finish(name, process):
    try:
        out, err = process.communicate(timeout=LONGEST_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise Wrong(f"the {name} did not end in {LONGEST_S} s")
    if process.returncode:
        raise Wrong(f"the {name} ended with status {process.returncode}: {out[-1500:]} {err[-600:]}")
    return out


def run(server, client, port):
    server = start(server, port)
    try:
        client = subprocess.Popen(client, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        said = finish("client", client)
        return said, finish("server", server)
    finally:
        server.kill()


def agree(what, sent, received):
    if min(sent, received) < 1000 or abs(sent - received) > 0.01 * max(sent, received):
        raise Wrong(f"{what}: {sent} bytes sent, {received} received")


def expected(options):
    """The least that an honest test moves one way."""
    def number(option):
        word = options[options.index(option) + 1].split("/")[0].lower()
        unit = 1000 if option == "-b" else 1024
        return float(word.rstrip("kmg")) * unit ** " kmg".index(word[-1] if word[-1] in "kmg" else " ")
    if "-n" in options:
        return number("-n") * 0.98
    if "-b" in options and "-k" not in options:
        return number("-b") / 8 * 0.8 * (int(number("-P")) if "-P" in options else 1)
    return 1000


def judge(end, other_end, options):
    """end: as the client told it; other_end: as the server did of what it itself did, or None."""
    both, reverse = "--bidir" in options, "-R" in options
    for suffix in ("", "_bidir_reverse") if both else ("",):
        sent, received = end["sum_sent" + suffix]["bytes"], end["sum_received" + suffix]["bytes"]
        agree("by the client's account" + suffix.replace("_", " "), sent, received)
        if sent < expected(options):
            raise Wrong(f"only {sent} bytes were sent")
        if not other_end:
            continue
        if reverse or suffix:
            agree("received here, sent there", other_end["sum_sent" + suffix]["bytes"], received)
        else:
            agree("sent here, received there", sent, other_end["sum_received" + suffix]["bytes"])


def ask(address, options, index):
    if not {"-t", "-n", "-k"} & set(options):
        options = ["-t", "1"] + options
    return [str(10000 + 10 * index) if word == "PORT" else word for word in options]


def end_of(text):
    told = json.loads(text)
    if "error" in told:
        raise Wrong(told["error"])
    return told


def judge_record(path, end, options):
    """What the figures of the record rest upon is what iperf3's own words told."""
    suffix = ""
    for line in open(path):
        artifact = json.loads(line).get("testStepArtifact", {})
        figure = artifact.get("measurement", {})
        if figure.get("name", "").partition("[")[0] not in ("net.tcp.throughput", "net.udp.throughput"):
            continue
        facts = figure["metadata"]
        # Behind a warm-up, whose end is each end's own, more may count as measured there than was sent here in that time.
        apart = facts["counted_at"] == "sender: the ends' warm-ups differ" and facts["discarded_ns"] > 0
        if facts["counted_at"] != "receiver" and not apart:
            raise Wrong(f"counted at the {facts['counted_at']}")
        for fact, key in ("bytes_sent", "sum_sent"), ("bytes", "sum_sent" if apart else "sum_received"):
            agree(f"{key}{suffix} and the record's {fact}", end[key + suffix]["bytes"], facts[fact])
        suffix = "_bidir_reverse"
    if not suffix:
        raise Wrong("there is no throughput in the record")
    if "--get-server-output" in options and "the server says" not in open(path).read():
        raise Wrong("the server's output is missing")


# The port behind a server's is asked for the peer's state: it must be nobody's.
def port_of(index):
    return 20000 + 2 * index


def as_client(address, options, index):
    port, root = port_of(index), roots.get()
    try:
        client = ["chroot", root, "/assay", "net", address, "-p", str(port), "--format", "iperf3-json", "--record", "/tmp/record"]
        ours, theirs = run(["iperf3", "-s", "-1", "-J", "-p", str(port)], client + ask(address, options, index), port)
        end = end_of(ours)["end"]
        judge(end, end_of(theirs)["end"], options)
        judge_record(root + "/tmp/record", end, options)
    finally:
        roots.put(root)


def as_server(address, options, index):
    port = port_of(index)
    theirs, _ = run([ASSAY, "serve", "-p", str(port), "--one-off"],
                    ["iperf3", "-c", address, "-J", "-p", str(port)] + ask(address, options, index), port)
    theirs = end_of(theirs)
    judge(theirs["end"], None, options)
    if "--get-server-output" in options and not theirs.get("server_output_text") and not theirs.get("server_output_json"):
        raise Wrong("the server's output is missing")


def one(job):
    name, address, options, index, way = job
    start_s = time.monotonic()
    try:
        {"client": as_client, "server": as_server}[way](address, options, index)
        fault = None
    except (Wrong, KeyError, ValueError) as wrong:
        fault = f"{type(wrong).__name__}: {wrong}"
    if os.environ.get("VERBOSE"):
        print(f"# {name} {way} {time.monotonic() - start_s:.2f} s {fault}", flush=True)
    return fault


def main():
    wanted = set(sys.argv[4:])
    ways = os.environ.get("WAYS", "client server").split()
    for i in range(AT_ONCE):
        roots.put(f"{FOLDER}/root.{i}")
    jobs = [(name, address, options, way_index * 1000 + index, way)
            for way_index, way in enumerate(ways) for index, (name, address, options) in enumerate(rows()) if not wanted or name in wanted]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        faults = list(pool.map(one, jobs))
    failed = 0
    for job, fault in zip(jobs, faults):
        # A crowd on two CPUs loses datagrams, and lets bytes come late: what failed in it is judged alone, beside whatever else this machine does.
        for again in 1, 2, 3:
            fault = fault and one(job[:3] + (job[3] + 300 * again, job[4]))
        name = f"{job[0]} ({' '.join(job[2])}), assay as the {job[4]}"
        print(f"not ok iperf3 {name}\n#   {fault}" if fault else f"ok iperf3 {name}", flush=True)
        failed += fault is not None
    return failed > 0


sys.exit(main())

#!/usr/bin/python3
"""serve.py ASSAY [NAME...]: each case with a server of its own, several at once; then the bombardment, alone.

A case is a function; its name is the test's.  It gets a Server, whose options stand in the decorator.
"""
import concurrent.futures
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

ASSAY, WANTED = sys.argv[1], sys.argv[2:]
LONG = os.environ.get("LONG") == "1"
COOKIE = b"abcdefghijklmnopqrstuvwxyz2345674567\0"
ports = iter(range(21000, 60000, 4))
ports_lock = threading.Lock()


class Wrong(Exception):
    pass


def expect(condition, *what):
    if not condition:
        raise Wrong(" ".join(str(w) for w in what))


class Server:
    def __init__(self, *options):
        with ports_lock:
            self.port = next(ports)
        self.lines = []
        self.process = subprocess.Popen([ASSAY, "serve", "-p", str(self.port), *options], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stdout.readline, "")))
        self.reader.start()
        self.wait_for("serving on")

    def wait_for(self, text, seconds=15, count=1):
        until = time.monotonic() + seconds
        while sum(text in line for line in self.lines) < count:
            expect(time.monotonic() < until, f"no line with \"{text}\":", self.lines)
            time.sleep(0.01)

    def end(self, number=signal.SIGTERM, status=0):
        if self.process.poll() is None and number:
            self.process.send_signal(number)
        got = self.process.wait(10)
        self.reader.join()
        err = self.process.stderr.read()
        expect(got == status, f"status {got}, not {status}:", self.lines, err)
        expect("Sanitizer" not in err, err)
        return err

    def client(self, *options, fails=False, host="127.0.0.1"):
        done = subprocess.run(["iperf3", "-c", host, "-p", str(self.port), "-J", *options], capture_output=True, text=True, timeout=40)
        said = json.loads(done.stdout)
        expect(("error" in said) == fails, "iperf3 says:", said.get("error"), self.lines)
        return said

    def works(self):
        """A short test, and both ends agree."""
        end = self.client("-n", "2M", "-l", "16K")["end"]
        sent, received = end["sum_sent"]["bytes"], end["sum_received"]["bytes"]
        expect(sent == received >= 2 << 20, sent, received)

    def memory(self):
        time.sleep(0.1)
        with open(f"/proc/{self.process.pid}/status") as status:
            kib = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        return kib, len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def connect(self, port_offset=0):
        return socket.create_connection(("127.0.0.1", self.port + port_offset), timeout=40)


cases = []


def case(*options, slow=False, only_long=False):
    def add(function):
        if LONG or not only_long:
            cases.append((function, options, slow))
        return function
    return add


# ---- a client in pieces ----

def parameters(**more):
    text = json.dumps(dict(tcp=True, omit=0, time=5, num=0, blockcount=0, parallel=1, len=16384, client_version="3.12") | more).encode()
    return struct.pack(">I", len(text)) + text


def receive(control, count):
    got = b""
    while len(got) < count:
        more = control.recv(count - len(got))
        expect(more, "closed behind", got)
        got += more
    return got


def to_end(control):
    got = b""
    try:
        while more := control.recv(65536):
            got += more
    except ConnectionResetError:
        pass
    return got


def taken(server, **more):
    control = server.connect()
    control.sendall(COOKIE)
    expect(receive(control, 1) == b"\x09")
    control.sendall(parameters(**more))
    return control


def running(server, **more):
    control = taken(server, **more)
    expect(receive(control, 1) == b"\x0a")
    data = []
    for _ in range(more.get("parallel", 1)):
        data.append(server.connect())
        data[-1].sendall(COOKIE)
    expect(receive(control, 2) == b"\x01\x02")
    return control, data


def stopped(server):
    control, data = running(server)
    data[0].sendall(b"x" * 16384)
    control.sendall(b"\x04")
    expect(receive(control, 1) == b"\x0d")
    return control


def results(**more):
    stream = dict(id=1, bytes=16384, retransmits=0, jitter=0, errors=0, packets=0) | more
    text = json.dumps(dict(cpu_util_total=1, cpu_util_user=1, cpu_util_system=0, sender_has_retransmits=1, streams=[stream])).encode()
    return struct.pack(">I", len(text)) + text


# ---- iperf3's client ----

@case()
def tcp_and_udp_both_ways(server):
    for options in [], ["-R"], ["--bidir"], ["-P", "4"], ["-u", "-b", "50M"], ["-u", "-b", "50M", "-R"]:
        end = server.client("-n", "4M", *options)["end"]
        expect(end["streams"] and not end.get("error"), options, end)
    server.wait_for(": done", count=6)
    expect(any("datagrams missing: done" in line for line in server.lines), server.lines)
    expect(any("1 stream each way" in line for line in server.lines), server.lines)


@case()
def the_line_of_a_test_has_its_figures(server):
    text = server.client("-t", "1", "-b", "80M", "--get-server-output")["server_output_text"]
    server.wait_for(": done")
    line = server.lines[-1]
    words = line.split()
    expect(words[1:7] == ["127.0.0.1:", "TCP,", "1", "stream,", words[5], "s:"] and words[7] == "received", line)
    expect(0.95 < float(words[5]) < 1.2 and 9e6 < int(words[8]) < 11e6 and 75 < float(words[10]) < 85 and line.endswith("Mbit/s: done\n"), line)
    expect(text.startswith("assay ") and "[  1] received" in text and "CPU time" in text, text)


@case("--one-off")
def one_off_ends_behind_the_first_test(server):
    server.connect().close()
    server.works()
    server.end(number=None)


@case("-1")
def one_off_has_the_status_of_its_test(server):
    control, data = running(server)
    control.close()
    expect("the client closed" in server.end(number=None, status=2), "no reason")


@case("--one-off", "--idle-timeout", "300ms")
def nobody_comes(server):
    server.end(number=None)


@case("--allow", "192.0.2.0/24", "--allow", "::1")
def others_are_not_allowed(server):
    server.client("-t", "1", fails=True)
    server.wait_for("turned away: not in --allow")
    expect(to_end(server.connect(1)) == b"", "the next port answers")
    expect(server.client("-n", "1M", host="::1")["end"]["sum_received"]["bytes"])


@case("--allow", "127.0.0.0/8,192.0.2.1")
def allowed_ones_are_served(server):
    server.works()


@case("--max-time", "5s", "--max-bytes", "10M", "--max-streams", "2", "--max-rate", "100M")
def more_than_it_gives_is_refused(server):
    for options, said in (["-t", "10"], "test duration too long"), (["-n", "20M"], "test duration too long"), (["-P", "3"], "parallel streams too large"), \
                         (["-b", "200M"], "total required bandwidth"), (["--bidir", "-P", "2"], "parallel streams"), (["-b", "60M", "-P", "2"], "total required bandwidth"):
        error = server.client(*(options if "-t" in options or "-n" in options else ["-t", "1", *options]), fails=True)["error"]
        expect(said in error, options, error)
    server.wait_for("asks for 10 s, and --max-time is 5 s")
    server.client("-n", "1M", "-b", "50M")


@case("--max-bytes", "50M")
def too_many_bytes_end_a_test(server):
    server.client("-t", "3", fails=True)
    server.wait_for("ended while moving data: more than --max-bytes")
    server.works()


@case("--server-bitrate-limit", "50M")
def too_fast_ends_a_test(server):
    server.client("-t", "5", "-R", fails=True)
    server.wait_for("it goes faster than --max-rate")
    server.client("-t", "2", "-b", "45M")


@case()
def a_busy_server_says_so_at_once(server):
    control, data = running(server)
    start = time.monotonic()
    error = server.client("-t", "1", fails=True)["error"]
    expect("busy" in error and time.monotonic() - start < 2, error)
    expect(to_end(server.connect()) == b"\xff", "no denial")
    control.close()
    server.wait_for("the client closed")
    server.works()


@case()
def the_first_of_two_candidates_is_taken(server):
    first, second = server.connect(), server.connect()
    for control in first, second:
        control.sendall(COOKIE)
        expect(receive(control, 1) == b"\x09")
    second.sendall(parameters())
    expect(receive(second, 1) == b"\x0a")
    first.sendall(parameters())
    expect(to_end(first) == b"\xff")


@case()
def a_client_that_is_killed(server):
    for options in [], ["-R"], ["-u", "-R"], ["-P", "8"]:
        client = subprocess.Popen(["iperf3", "-c", "127.0.0.1", "-p", str(server.port), "-t", "20", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        server.lines.clear()
        client.kill()
        client.wait()
        server.wait_for("ended while moving data:")
        server.works()


@case()
def a_client_that_is_interrupted(server):
    client = subprocess.Popen(["iperf3", "-c", "127.0.0.1", "-p", str(server.port), "-t", "20"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    client.send_signal(signal.SIGINT)
    client.wait()
    server.wait_for("ended while moving data: the client gave up")
    server.works()


@case()
def interrupted_in_a_test(server):
    client = subprocess.Popen(["iperf3", "-c", "127.0.0.1", "-p", str(server.port), "-t", "20"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    server.end(signal.SIGINT)
    expect("this server was told to end" in server.lines[-1], server.lines)
    said = client.communicate()[1]
    expect(client.returncode == 1 and "the server has terminated" in said, said)


@case("-4")
def one_family_alone(server):
    server.works()
    try:
        socket.create_connection(("::1", server.port), timeout=1)
    except ConnectionRefusedError:
        return
    raise Wrong("IPv6 is served")


@case("-6")
def the_other_family_alone(server):
    expect(server.client("-n", "1M", host="::1")["end"]["sum_received"]["bytes"])
    expect(to_end(server.connect()) == b"")
    server.wait_for("127.0.0.1: turned away: not by IPv6")


@case()
def options_of_one_test_are_not_the_next_ones(server):
    for mss in 1000, None:
        control = taken(server, **({"MSS": mss, "window": 65536, "nodelay": True} if mss else {}))
        expect(receive(control, 1) == b"\x0a")
        data = server.connect()
        time.sleep(0.05)
        # what it may send in one segment was agreed in the handshake: TCP_INFO's snd_mss
        sent = struct.unpack("I", data.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)[16:20])[0]
        expect((sent <= 1000) == (mss is not None), mss, sent)
        data.close()
        control.close()
        server.wait_for("ended while opening the streams", count=1 if mss else 2)


# ---- liars ----

@case()
def parameters_that_are_garbage(server):
    for bad in struct.pack(">I", 5) + b"{\"a\":", struct.pack(">I", 1 << 31), struct.pack(">I", 0), parameters(parallel=129), parameters(sctp=True), parameters(time="x"):
        control = server.connect()
        control.sendall(COOKIE)
        expect(receive(control, 1) == b"\x09")
        control.sendall(bad)
        expect(to_end(control) == b"\xfe\0\0\0\x72\0\0\0\0", bad)
    server.works()


@case()
def the_fault_of_parameters_is_told(server):
    control = server.connect()
    control.sendall(COOKIE + parameters(parallel=0))
    expect(to_end(control)[1:5] == b"\xfe\0\0\0")
    server.wait_for("turned away: parameters:1:")
    expect("parallel must be a number from 1 to 128" in server.lines[-1], server.lines)


@case()
def cookies_that_are_none(server):
    for bad in b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n....", bytes(37), b"\x16\x03\x01" + bytes(60):
        control = server.connect()
        control.sendall(bad)
        expect(to_end(control) == b"\xff", bad)
    server.works()


@case()
def a_data_connection_with_another_cookie(server):
    control = taken(server)
    expect(receive(control, 1) == b"\x0a")
    other = server.connect()
    other.sendall(COOKIE[::-1][1:] + b"\0")
    expect(to_end(other) == b"\xff")
    data = server.connect()
    data.sendall(COOKIE)
    expect(receive(control, 2) == b"\x01\x02")


@case()
def states_out_of_order(server):
    for begin, state, said in (lambda: taken(server), b"\x04", "opening the streams"), (lambda: running(server)[0], b"\x0d", "moving data"), \
                              (lambda: running(server)[0], b"\x77", "moving data"):
        control = begin()
        control.sendall(state)
        expect(to_end(control)[-9:] == b"\xfe\0\0\0\x6e\0\0\0\0", "no error")
        server.wait_for(f"ended while {said}: the client sends")
        server.lines.clear()
    server.works()


@case()
def results_that_are_garbage(server):
    for bad, said in (struct.pack(">I", 2) + b"{}", "cpu_util_total must be a number"), (struct.pack(">I", 0x7fffffff), "at most 262144 are taken"), \
                     (results(id=7), "there is no stream 7"), (struct.pack(">I", 4) + b"\xff\xfe\0{", "cannot be used"), (struct.pack(">I", 0), "would take 0 bytes"):
        control = stopped(server)
        control.sendall(bad)
        expect(to_end(control) == b"\xfe\0\0\0\x75\0\0\0\0", bad)
        server.wait_for("ended while exchanging results: the client's results " )
        expect(said in server.lines[-1], said, server.lines)
        server.lines.clear()
    server.works()


@case()
def results_in_pieces_are_whole(server):
    control = stopped(server)
    for byte in results():
        control.sendall(bytes([byte]))
        time.sleep(0.001)
    length = struct.unpack(">I", receive(control, 4))[0]
    told = json.loads(receive(control, length))
    expect(told["streams"][0]["bytes"] == 16384 and told["sender_has_retransmits"] == -1, told)
    expect(receive(control, 1) == b"\x0e")
    control.sendall(b"\x10")
    server.wait_for("received 16384 B")
    server.wait_for(": done")


@case()
def half_closed_in_every_phase(server):
    for begin, said in (lambda: taken(server), "opening the streams"), (lambda: running(server)[0], "moving data"), (lambda: stopped(server), "exchanging results"):
        control = begin()
        control.shutdown(socket.SHUT_WR)
        to_end(control)
        server.wait_for(f"ended while {said}: the client closed the control connection")
    server.works()


@case()
def datagrams_of_others_are_no_streams(server):
    control = taken(server, tcp=False, udp=True, len=1000, parallel=2)
    expect(receive(control, 1) == b"\x0a")
    stray = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    stray.bind(("127.0.0.2", 0))
    for bad in b"9876", b"987", b"98765", b"xxxx":
        stray.sendto(bad, ("127.0.0.1", server.port))
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.settimeout(5)
    own.connect(("127.0.0.1", server.port))
    own.send(b"what")
    for greeting in b"9876", b"9876", b"6789", b"\x15\xcd\x5b\x07": # its answer may have been lost: all but the first are the same stream's
        own.send(greeting)
        expect(own.recv(100) == b"6789", greeting)
    second = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    second.settimeout(5)
    second.connect(("127.0.0.1", server.port))
    second.send(b"9876")
    expect(second.recv(100) == b"6789")
    expect(receive(control, 2) == b"\x01\x02")


@case(slow=True)
def silent_before_the_cookie(server):
    start = time.monotonic()
    expect(to_end(server.connect()) == b"" and 4 < time.monotonic() - start < 8, "not in time")


@case(slow=True)
def silent_before_the_parameters(server):
    control = server.connect()
    control.sendall(COOKIE)
    expect(receive(control, 1) == b"\x09")
    control.sendall(parameters()[:-1])
    server.works()
    start = time.monotonic()
    expect(to_end(control) == b"" and 8 < time.monotonic() - start < 14, "not in time")


@case(slow=True)
def silent_before_the_streams(server):
    control = taken(server, parallel=2)
    expect(receive(control, 1) == b"\x0a")
    server.connect().sendall(COOKIE)
    expect(to_end(control)[:5] == b"\xfe\0\0\0\xcc")
    server.wait_for("ended while opening the streams: 1 of 2 streams came in time")
    server.works()


@case(slow=True)
def silent_before_the_results(server):
    control = stopped(server)
    control.sendall(results()[:-5])
    expect(to_end(control) == b"")
    server.wait_for("ended while exchanging results: the client's results did not come in time")
    server.works()


@case(slow=True)
def silent_before_the_goodbye(server):
    control = stopped(server)
    control.sendall(results())
    expect(to_end(control)[-1:] == b"\x0e")
    server.wait_for(": done")
    server.works()


@case(slow=True, only_long=True)
def no_data(server):
    control, data = running(server, time=60)
    expect(to_end(control) == b"\xfe\0\0\0\x90\0\0\0\0")
    server.wait_for("ended while moving data: no data for 20 s")
    server.works()


@case("--max-time", "1s", slow=True, only_long=True)
def a_client_that_never_ends_its_test(server):
    control, data = running(server, time=1)
    until = time.monotonic() + 30
    try:
        while time.monotonic() < until:
            data[0].sendall(b"x" * 16384)
            time.sleep(0.2)
    except OSError:
        pass
    server.wait_for("the client does not end it")
    expect(to_end(control)[:5] == b"\xfe\0\0\0\x05", "no error")


# ---- the next port ----

@case()
def the_next_port_tells_the_state(server):
    asking = server.connect(1)
    asking.sendall(b"assay 1 state\n")
    state = json.loads(to_end(asking))
    expect(state["kernel"] and state["assay"] and state["nic"] == "lo", state)


@case()
def the_next_port_echoes_beside_a_test(server):
    control, data = running(server)
    talks = [server.connect(1) for _ in range(4)]
    for talk in talks:
        talk.sendall(b"assay 1 echo\n")
        expect(receive(talk, 3) == b"ok\n")
    for size in 1, 1000, 65536:
        for talk in talks:
            message = os.urandom(size)
            talk.sendall(message)
            expect(receive(talk, size) == message)
    fifth = server.connect(1)
    fifth.sendall(b"assay 1 echo\n")
    expect(to_end(fifth) == b"", "five at once")
    talks[0].close()
    time.sleep(0.2)
    again = server.connect(1)
    again.sendall(b"assay 1 echo\n")
    expect(receive(again, 3) == b"ok\n")
    data[0].sendall(b"x" * 16384)
    control.sendall(b"\x04")
    expect(receive(control, 1) == b"\x0d")


@case()
def the_next_port_knows_no_other_word(server):
    for bad in b"GET / HTTP/1.1\r\n\r\n", b"assay 2 state\n", b"assay 1 stale\n", b"assay 1 ech", b"":
        talk = server.connect(1)
        talk.sendall(bad)
        talk.shutdown(socket.SHUT_WR)
        expect(to_end(talk) == b"", bad)
    server.wait_for("turned away: it ")


# ---- words ----

def refused(said, *options):
    done = subprocess.run([ASSAY, "serve", *options], capture_output=True, text=True, timeout=10)
    expect(done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1, options, done)


@case()
def a_port_that_is_taken(server):
    refused(f"port {server.port} is taken by another program", "-p", str(server.port))
    refused(f"port {server.port}, where a peer asks for this machine's state, is taken", "-p", str(server.port - 1))


@case("-s", "-i", "1", "-V", "--forceflush", "-B", "127.0.0.1", "-A", "0")
def words_of_iperf3(server):
    server.works()
    for said, *options in ("no address of this machine", "-B", "192.0.2.1"), ("is no ADDRESS", "--allow", "10.0.0.0/33"), ("stays in the foreground", "-D"), \
                          ("--port: \"0\" is outside", "-p0"), ("\"65535\" is outside", "--port=65535"), ("did you mean --allow?", "--alow", "x"), ("unknown option -y", "-y"), \
                          ("takes no word", "10.0.0.1"), ("needs a value", "--max-time"), ("exclude each other", "-46"), ("there is no interface nix0", "--bind-dev", "nix0"), \
                          ("there is no CPU 999", "-A", "999"), ("authentication is not spoken", "--rsa-private-key-path", "x"), ("the client has the record", "-J"):
        refused(said, *options)


# ---- all of them at once ----

def shot(port, source):
    """One connection that is no test; returned while it is to stay open."""
    try:
        sock = socket.create_connection(("127.0.0.1", port + (source.random() < 0.1)), timeout=5)
    except OSError:
        return None
    kind = source.randrange(9)
    valid = COOKIE + parameters(parallel=source.choice([1, 128, 500]), time=source.choice([1, 1 << 40]))
    try:
        if kind == 0:
            pass                                            # silent
        elif kind == 1:
            sock.sendall(source.randbytes(source.randrange(1, 2000)))
        elif kind == 2:
            sock.sendall(COOKIE[:source.randrange(37)])
        elif kind == 3:
            sock.sendall(COOKIE + struct.pack(">I", source.choice([0, 8192, 8193, 1 << 31, (1 << 32) - 1])) + b"{" * 9000)
        elif kind == 4:
            sock.sendall(valid[:source.randrange(38, 60)])  # asked for parameters, and stuck there
        elif kind == 5:
            sock.shutdown(socket.SHUT_WR)
        elif kind == 6:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            sock.close()                                    # a scan's reset
        elif kind == 7:
            sock.sendall(source.choice([b"assay 1 echo\n", b"assay 1 state\n", b"GET / HTTP/1.0\r\n\r\n", b"\n" * 100]))
        else:
            sock.close()
    except OSError:
        pass
    return sock


def bombard(server, seconds, count, counted):
    source, kept = random.Random(5), []
    start = time.monotonic()
    for i in range(count):
        kept.append(shot(server.port, source))
        if len(kept) > 350:
            old = kept.pop(0)
            if old:
                old.close()
        counted[0] += 1
        time.sleep(max(0, start + i * seconds / count - time.monotonic()))
    for sock in kept:
        if sock:
            sock.close()


def a_bombarded_server_serves(server):
    server.client("-n", "4M", "-P", "4")
    before = server.memory()
    counted, normal = [0], 2.0
    thrower = threading.Thread(target=bombard, args=(server, 60 if LONG else 5, 5000 if LONG else 1000, counted))
    thrower.start()
    tests, took = 0, []
    while thrower.is_alive():
        start = time.monotonic()
        end = server.client("-t", "2", "-b", "500M")["end"]
        took.append(time.monotonic() - start)
        expect(took[-1] < normal + 5, took)
        expect(end["sum_received"]["bytes"] > 0.9 * 2 * 500e6 / 8, end["sum_received"])
        tests += 1
    thrower.join()
    server.works()
    until = time.monotonic() + 15                           # the last deadline of the last of them
    while (after := server.memory())[1] > before[1] and time.monotonic() < until:
        time.sleep(0.2)
    print(f"# {counted[0]} connections, {tests} tests, at most {max(took):.2f} s each; memory {before[0]} -> {after[0]} KiB, descriptors {before[1]} -> {after[1]}")
    expect(after[1] <= before[1], "descriptors:", before, after)
    expect(after[0] <= before[0] + 64, "memory in KiB:", before, after)
    server.end()
    expect(any("turned away" in line and " more; the last:" in line for line in server.lines) and len(server.lines) < 60, server.lines)


def judge(name, function, *arguments):
    try:
        function(*arguments)
        return f"ok serve_{name}"
    except (Wrong, OSError, subprocess.SubprocessError, ValueError, KeyError, IndexError, StopIteration) as wrong:
        return f"not ok serve_{name}\n#   {type(wrong).__name__} {str(wrong)[:1500]}"


def run_case(function, options):
    server = Server(*options)
    try:
        function(server)
        if server.process.poll() is None:
            server.end()
    finally:
        server.process.kill()
        server.reader.join()


def wanted(name):
    return not WANTED or any(word in name for word in WANTED)


def main():
    lines, bombarded = [], Server() if wanted("a_bombarded_server_serves") else None
    if bombarded:
        bombard(bombarded, 0.5, 300, [0])                   # every page that it may ever touch
    chosen = [c for c in sorted(cases, key=lambda c: not c[2]) if wanted(c[0].__name__)]
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        for line in [pool.submit(judge, f.__name__, run_case, f, o) for f, o, slow in chosen]:
            lines.append(line.result())
            print(lines[-1], flush=True)
    if bombarded:
        lines.append(judge("a_bombarded_server_serves", a_bombarded_server_serves, bombarded))
        bombarded.process.kill()
        print(lines[-1], flush=True)
    return any(line.startswith("not") for line in lines)


sys.exit(main())

# A drive that stops answering past 20 s, and later goes on: still measured, its latency shows it (tests/cli/faults.sh does it with 5 s).
PAUSE=25 exec sh tests/cli/faults.sh

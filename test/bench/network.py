# SPDX-License-Identifier: Apache-2.0
"""What a network between two hosts costs: ranks 0 and 1 in two network
namespaces of this machine, joined by a veth pair, with 1 ms of delay each way
if the kernel has netem; beside the same ranks without. Needs root, iproute2
and Open MPI. Skips, saying so, where it cannot; leaves nothing behind.

usage: network.py"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import mesh  # noqa: E402
from core import BUILD  # noqa: E402

NAMES = [f"quincunx-{os.getpid()}-{i}" for i in range(2)]
HOSTS = ["10.77.19.1", "10.77.19.2"]
DELAY_MS = 1
RUNS = 3
MESHES = [
    ("225 boards, 15x15", ["--mesh", "15x15"]),
    ("625 native nodes", ["--mesh", "25x25", "--on", "native"]),
]
# What starts mpirun's daemon on the other host in place of ssh: words are
# options, the host, and a command for a shell.
AGENT = f"""#!/bin/sh
while [ "$1" != {HOSTS[1]} ]; do shift; done
shift
exec ip netns exec {NAMES[1]} sh -c "$*"
"""


def ip(*words, check=True):
    return subprocess.run(["ip", *words], check=check, capture_output=True,
                          text=True)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(0)


def join():
    """Two namespaces and a wire. Result: whether the wire has a delay."""
    for name in NAMES:
        ip("netns", "add", name)
    ip("link", "add", "q0", "netns", NAMES[0], "type", "veth", "peer", "name",
       "q1", "netns", NAMES[1])
    delayed = True
    for i, name in enumerate(NAMES):
        ip("-n", name, "addr", "add", f"{HOSTS[i]}/24", "dev", f"q{i}")
        for device in ("lo", f"q{i}"):
            ip("-n", name, "link", "set", device, "up")
        done = subprocess.run(
            ["tc", "-n", name, "qdisc", "add", "dev", f"q{i}", "root",
             "netem", "delay", f"{DELAY_MS}ms"],
            check=False, capture_output=True)
        delayed = delayed and done.returncode == 0
    return delayed


def part():
    for name in NAMES:
        ip("netns", "del", name, check=False)


def timed(words):
    start = time.monotonic()
    subprocess.run(list(map(str, words)), check=True, timeout=120,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def best(words, report):
    seconds = min(timed(words) for _ in range(RUNS))
    return seconds, json.loads(report.read_text())


def measure(folder, apart):
    load = mesh.zeros(folder / "load", 10 ** 6)
    report = folder / "report.json"
    here = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n", 2]
    print(f"{'t3d, spin 32, 1 MB':20} {'alone':>8} {'2 ranks':>8} "
          f"{'network':>8}")
    for name, words in MESHES:
        run = [mesh.QUINCUNX, "run", "--profile", "t3d", "--kernel", "spin",
               "--arg", 32, "--rounds", 1, "--report", report, *words, load]
        found = [best([*before, *run], report) for before in ([], here, apart)]
        same = len({each["timeline_sha256"] for _, each in found}) == 1
        print(f"{name:20} " + " ".join(f"{s:6.2f} s" for s, _ in found) +
              ("" if same else "  ANOTHER TIMELINE"), flush=True)


def main():
    if os.geteuid() != 0:
        skip("network namespaces need root")
    if not (BUILD / "ranks.so").exists():
        skip("no Open MPI was there when the command was built")
    try:
        with tempfile.TemporaryDirectory() as folder:
            agent = pathlib.Path(folder) / "agent"
            agent.write_text(AGENT, encoding="ascii")
            agent.chmod(0o755)
            delayed = join()
            print("2 network namespaces, " +
                  (f"{DELAY_MS} ms each way" if delayed
                   else "no delay: this kernel has no netem"))
            measure(pathlib.Path(folder), [
                "ip", "netns", "exec", NAMES[0], "mpirun",
                "--oversubscribe", "--allow-run-as-root",
                "--mca", "plm_rsh_agent", agent,
                "--mca", "oob_tcp_if_include", "10.77.19.0/24",
                "--mca", "btl", "self,tcp",
                "--mca", "btl_tcp_if_include", "10.77.19.0/24",
                "--host", ",".join(HOSTS), "--map-by", "node",
                "--bind-to", "none", "-n", 2])
    except (OSError, subprocess.CalledProcessError) as error:
        skip(f"{error}")
    finally:
        part()


if __name__ == "__main__":
    main()

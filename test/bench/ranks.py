# SPDX-License-Identifier: Apache-2.0
"""One mesh on several ranks of this machine beside the same without mpirun:
wall times, doorbells that rank 0 is told, and bytes. The first
line is what mpirun itself takes, with a command that starts no mesh.

usage: ranks.py"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import mesh  # noqa: E402
import mpirun  # noqa: E402

RANKS = 3
RUNS = 3
MEGA = 10 ** 6
# Name, at most, and words.
MESHES = [
    ("225 boards, 15x15", None, ["--mesh", "15x15"]),
    ("625 boards, 25x25", 1.25, ["--mesh", "25x25"]),
    ("625 native nodes", None, ["--mesh", "25x25", "--on", "native"]),
    ("15,625 native nodes", 1.4, ["--mesh", "125x125", "--on", "native"]),
]
IDLE_MOST = 0.05  # of a core
# One node computes for a minute, those of other ranks wait.
IDLE = ["--mesh", "5x5", "--profile", "t3d", "--kernel", "spin", "--arg",
        "100000", "--phases", "0"]
IDLE_BYTES = 300_000
IDLE_S = 5
SHAPE = "{:20} {:>8} {:>8} {:>7} {:>9} {:>8} {:>8} {:>9}  {}"


def timed(words):
    start = time.monotonic()
    done = subprocess.run(list(map(str, words)), check=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return time.monotonic() - start, done.stdout


def once(load, words, ranks):
    """Seconds and report of a run on so many ranks; 1: without mpirun."""
    report = load.with_name("report.json")
    run = ["run", "--profile", "t3d", "--kernel", "spin", "--arg", "32",
           "--rounds", "1", "--report", report, *words, load]
    seconds, _ = timed([mesh.QUINCUNX, *run] if ranks == 1
                       else mpirun.line(ranks, *run))
    return seconds, json.loads(report.read_text())


def measure(load, words):
    """In turn, so that both see the same machine; the best of each. Result:
    both times, what ranks did, and whether all timelines are equal."""
    one, many = [], []
    for _ in range(RUNS):
        one.append(once(load, words, 1))
        many.append(once(load, words, RANKS))
    alone, together = (min(t for t, _ in each) for each in (one, many))
    return (alone, together, many[0][1]["ranks"],
            len({each["timeline_sha256"] for _, each in one + many}) == 1)


def cpu_s(pid):
    """Seconds of a core that a process has taken."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    return sum(map(int, fields.split()[11:13])) / os.sysconf("SC_CLK_TCK")


def idle_shares(folder):
    """Of a core, of each rank but the first, whose boards all wait."""
    load = mesh.zeros(pathlib.Path(folder) / "idle-load", IDLE_BYTES)
    before = set(mesh.pids())
    process = subprocess.Popen(
        mpirun.line(RANKS, "run", *IDLE, load),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        time.sleep(IDLE_S)
        ranks = [pid for pid in set(mesh.pids()) - before
                 if mpirun.is_command(pid) and mpirun.rank_of(pid)]
        start, taken = time.monotonic(), [cpu_s(pid) for pid in ranks]
        time.sleep(IDLE_S)
        seconds = time.monotonic() - start
        return [(cpu_s(pid) - first) / seconds
                for pid, first in zip(ranks, taken)]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(60)


def traffic_of(ranks):
    """What crosses, in words: doorbells that rank 0 is told, bytes up at each,
    bytes down, and bytes between the ranks."""
    remote = sum(r["doorbells"] for r in ranks["each"][1:])
    return (str(remote), f"{ranks['up_bytes'] / remote:.0f} B",
            f"{ranks['down_bytes'] / 1e6:.2f} MB",
            f"{ranks['between_bytes'] / 1e6:.2f} MB")


def line(load, name, most, words):
    alone, together, ranks, equal = measure(load, words)
    ratio = together / alone
    late = "" if most is None or ratio <= most else f"at most {most}"
    print(SHAPE.format(
        name, f"{alone:.2f} s", f"{together:.2f} s", f"{ratio:.2f}",
        *traffic_of(ranks), late if equal else "ANOTHER TIMELINE"), flush=True)


def lines(table, folder, large):
    """The same in the table of `make bench`, if there is Open MPI; `large`:
    also where 625 boards start."""
    if not mpirun.AVAILABLE:
        return
    load = mesh.zeros(pathlib.Path(folder) / "ranks-load", MEGA)
    table.headings(f"{RANKS} ranks on this host, t3d, spin 32, 1 MB", "must be",
                   "measured", "met")
    idle = max(idle_shares(folder))
    table.line("ranks whose boards wait: share of a core",
               f"{IDLE_MOST:.0%} at most", f"{idle:.1%}", idle <= IDLE_MOST)
    for name, most, words in MESHES:
        if not large and name.startswith("625 boards"):
            continue
        alone, together, ranks, equal = measure(load, words)
        doorbells, up, down, between = traffic_of(ranks)
        table.line(f"{name}: time over that of one process",
                   None if most is None else f"{most} at most",
                   f"{together / alone:.2f} ({together:.1f} s)",
                   equal and (most is None or together / alone <= most))
        table.line(f"{name}: timelines of 6 runs", "equal",
                   "equal" if equal else "they differ", equal)
        table.line(f"{name}: doorbells to rank 0, bytes up each", None,
                   f"{doorbells}, {up}")
        table.line(f"{name}: bytes down, and between ranks", None,
                   f"{down}, {between}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        load = mesh.zeros(pathlib.Path(folder) / "load", MEGA)
        start = min(timed(mpirun.line(RANKS, "-V"))[0]
                    for _ in range(RUNS))
        print(f"{RANKS} ranks: mpirun itself takes {start:.2f} s")
        idle = max(idle_shares(folder))
        print(f"ranks whose boards wait take {idle:.1%} of a core at most")
        print(SHAPE.format("t3d, spin 32, 1 MB", "alone", "ranks", "ratio",
                           "doorbells", "up, each", "down", "between", ""))
        for name, most, words in MESHES:
            line(load, name, most, words)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""One mesh on several ranks of this machine beside the same without mpirun:
wall times, doorbells that rank 0 is told, and bytes. The first
line is what mpirun itself takes, with a command that starts no mesh.

usage: ranks.py"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]
sys.dont_write_bytecode = True

import mesh  # noqa: E402
from core import BUILD  # noqa: E402

RANKS = 3
RUNS = 3
MEGA = 10 ** 6
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n",
          str(RANKS)]
# Name, at most, and words.
MESHES = [
    ("225 boards, 15x15", None, ["--mesh", "15x15"]),
    ("625 boards, 25x25", 1.25, ["--mesh", "25x25"]),
    ("625 native nodes", None, ["--mesh", "25x25", "--on", "native"]),
    ("15,625 native nodes", 1.4, ["--mesh", "125x125", "--on", "native"]),
]
SHAPE = "{:20} {:>8} {:>8} {:>7} {:>9} {:>8} {:>8} {:>9}  {}"


def timed(words):
    start = time.monotonic()
    done = subprocess.run(list(map(str, words)), check=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    return time.monotonic() - start, done.stdout


def once(load, report, words, before):
    seconds, _ = timed([*before, mesh.QUINCUNX, "run", "--profile", "t3d",
                        "--kernel", "spin", "--arg", "32", "--rounds", "1",
                        "--report", report, *words, load])
    return seconds, json.loads(report.read_text())


def measure(load, words):
    """In turn, so that both see the same machine; the best of each. Result:
    both times, what ranks did, and whether all timelines are equal."""
    one, many = [], []
    report = load.with_name("report.json")
    for _ in range(RUNS):
        one.append(once(load, report, words, []))
        many.append(once(load, report, words, MPIRUN))
    alone, together = (min(t for t, _ in each) for each in (one, many))
    return (alone, together, many[0][1]["ranks"],
            len({each["timeline_sha256"] for _, each in one + many}) == 1)


def line(load, name, most, words):
    alone, together, ranks, equal = measure(load, words)
    remote = sum(r["doorbells"] for r in ranks["each"][1:])
    ratio = together / alone
    late = "" if most is None or ratio <= most else f"at most {most}"
    print(SHAPE.format(
        name, f"{alone:.2f} s", f"{together:.2f} s", f"{ratio:.2f}",
        remote, f"{ranks['up_bytes'] / remote:.0f} B",
        f"{ranks['down_bytes'] / 1e6:.2f} MB",
        f"{ranks['between_bytes'] / 1e6:.2f} MB",
        late if equal else "ANOTHER TIMELINE"), flush=True)


def lines(table, folder, large):
    """The same in the table of `make bench`, if there is Open MPI; `large`:
    also where 625 boards start."""
    if shutil.which("mpirun") is None or not (BUILD / "ranks.so").exists():
        return
    load = mesh.zeros(pathlib.Path(folder) / "ranks-load", MEGA)
    table.headings(f"{RANKS} ranks on this host, t3d, spin 32, 1 MB", "must be",
                   "measured", "met")
    for name, most, words in MESHES:
        if not large and name.startswith("625 boards"):
            continue
        alone, together, ranks, equal = measure(load, words)
        remote = sum(r["doorbells"] for r in ranks["each"][1:])
        table.line(f"{name}: time over that of one process",
                   None if most is None else f"{most} at most",
                   f"{together / alone:.2f} ({together:.1f} s)",
                   equal and (most is None or together / alone <= most))
        table.line(f"{name}: timelines of 6 runs", "equal",
                   "equal" if equal else "they differ", equal)
        table.line(f"{name}: doorbells to rank 0, bytes up each", None,
                   f"{remote}, {ranks['up_bytes'] / remote:.0f} B")
        table.line(f"{name}: bytes down, and between ranks", None,
                   f"{ranks['down_bytes'] / 1e6:.2f} MB, "
                   f"{ranks['between_bytes'] / 1e6:.2f} MB")


def main():
    with tempfile.TemporaryDirectory() as folder:
        load = mesh.zeros(pathlib.Path(folder) / "load", MEGA)
        start = min(timed([*MPIRUN, mesh.QUINCUNX, "-V"])[0]
                    for _ in range(RUNS))
        print(f"{RANKS} ranks: mpirun itself takes {start:.2f} s")
        print(SHAPE.format("t3d, spin 32, 1 MB", "alone", "ranks", "ratio",
                           "doorbells", "up, each", "down", "between", ""))
        for name, most, words in MESHES:
            line(load, name, most, words)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Large meshes of mps2-an385 boards: seconds from the command to its report,
memory of the host with the kernel's part (what MemAvailable falls by), and the
makespan against the plan. A mesh for which the host has no memory, or no
numbers for its threads, is left out with what `run` says.

usage: large.py [WxH ..], by default 40x40 125x25 125x125"""
import json
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import mesh  # noqa: E402

SIZES = ["40x40", "125x25", "125x125"]
LIMIT_S = 1800
ROW = "{:>8} {:>7} {:>7} {:>7} {:>9} {:>12} {:>9}"


def available_mib():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) / 1024
    return 0.0


class Least(threading.Thread):
    """The least memory that the host had, looked at five times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.mib = self.before = available_mib()
        self.ended = threading.Event()

    def run(self):
        while not self.ended.wait(0.2):
            self.mib = min(self.mib, available_mib())

    def taken(self):
        self.ended.set()
        self.join()
        return self.before - self.mib


def one(size, load):
    """A row, and whether the run was right."""
    least = Least()
    least.start()
    begin = time.monotonic()
    done = mesh.command("run", "--json", "--mesh", size, "--kernel", "spin",
                        "--arg", "32", "--profile", "t3d", load,
                        timeout=LIMIT_S)
    wall_s = time.monotonic() - begin
    taken = least.taken()
    if done.returncode != 0:
        return f"{size:>8} left out: {done.stderr.strip()}", True
    report = json.loads(done.stdout)
    wall, measured = report["wall_s"], report["measured"]
    return ROW.format(
        size, f"{wall['boot']:.1f}", f"{wall['run']:.1f}", f"{wall_s:.1f}",
        f"{taken:.0f}", f"{measured['makespan_ps'] / 1e9:.3f}",
        f"{100 * measured['overhead_vs_plan']:+.2f} %"
    ), report["result"]["units"] == 10_000_000


def main(*sizes):
    right = True
    print("spin 32, 10 MB, t3d, mps2-an385")
    print(ROW.format("mesh", "boot, s", "run, s", "all, s", "taken MiB",
                     "makespan ms", "to plan"), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        load = mesh.zeros(pathlib.Path(folder) / "load", 10_000_000)
        for size in sizes or SIZES:
            row, good = one(size, load)
            right = right and good
            print(row, flush=True)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

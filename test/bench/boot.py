# SPDX-License-Identifier: Apache-2.0
"""Boards as forks of one QEMU beside boards that start one by one: seconds
from the command to its report, and memory while all boards are up.

usage: boot.py [WxH ..], by default 5x5; alone, it prints this table only."""
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import mesh  # noqa: E402
from standing import Standing  # noqa: E402

SHAPE = "{:40} {:>9} {:>9} {:>6}  {:22}  {}"
BOOTS = ("exec", "fork")
MEGA = 10 ** 6
# Of 625 boards: so much at most with forks, or so many times less than without.
SECONDS, SECONDS_RATIO = 8, 3.5
MIB, MIB_RATIO = 2048, 4.5
REPEATS = {"5x5": 5, "25x25": 1}


def seconds(folder, size, boot):
    """The shortest of some runs, and their timeline."""
    load = mesh.zeros(folder / "load", MEGA)
    runs = [mesh.Watched("run", "--json", "--mesh", size, "--kernel", "spin",
                         "--arg", "32", "--profile", "t3d", "--boot", boot,
                         load, memory=False)
            for _ in range(REPEATS.get(size, 1))]
    for run in runs:
        if run.returncode != 0:
            sys.exit(f"bench: a run failed:\n{run.stderr}")
    timelines = {json.loads(run.stdout)["timeline_sha256"] for run in runs}
    return min(run.wall_s for run in runs), timelines


def mib(folder, size, boot):
    """Of all boards and the launcher, while one board hangs."""
    load = mesh.zeros(folder / "load", MEGA)
    with Standing(folder / f"{size}-{boot}", load, "--profile", "t3d",
                  "--boot", boot, size=size, arg="32") as standing:
        return standing.memory_bytes() / 2 ** 20


def lines(table, sizes):
    table.headings("from order to report, spin 32, 1 MB, t3d", "exec", "fork",
                   "ratio", "must be", "met", shape=SHAPE)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for size in sizes:
            width, height = map(int, size.split("x"))
            boards = width * height
            large = boards == 625
            took, timelines = zip(*(seconds(folder, size, boot)
                                    for boot in BOOTS))
            taken = [mib(folder, size, boot) for boot in BOOTS]
            for what, (alone, forked), most, least, unit in (
                    ("seconds", took, SECONDS, SECONDS_RATIO, "s"),
                    ("MiB", taken, MIB, MIB_RATIO, "MiB")):
                must = f"{most} {unit}, or ratio {least}" if large else ""
                met = forked <= most or alone >= least * forked
                table.row(f"{boards} boards: {what}", f"{alone:.2f}",
                          f"{forked:.2f}", f"{alone / forked:.2f}", must,
                          table.verdict(must, met))
            table.row(f"{boards} boards: MiB a board",
                      *(f"{one / boards:.2f}" for one in taken), "", "", "")
            same = len(set.union(*timelines)) == 1
            table.row(f"{boards} boards: timelines", "", "", "", "one",
                      table.verdict("one", same))


if __name__ == "__main__":
    import bench

    printed = bench.Table(False)
    lines(printed, sys.argv[1:] or ["5x5"])

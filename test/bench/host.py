# SPDX-License-Identifier: Apache-2.0
"""What the host spends: large jobs beside grep, boards as forks beside boards
that start one by one, several ranks, memory, and meshes of thousands of boards.
"""
import json
import os
import pathlib
import statistics
import subprocess
import time

from measure import GUARD_S, MEGA, fail, job, log
import mesh
import mpirun
from standing import Standing
from whole import PATTERN, watched

# ---- large jobs ----

LOAD_BYTES = 256 * MEGA
RUNS = 7
ON = (("native, 5x5 nodes", "native", 3), ("25 boards", "qemu", 7))


def timed(words, **options):
    """Seconds of a command that succeeds, and what it prints."""
    start = time.monotonic()
    done = subprocess.run(list(map(str, words)), check=False, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=3 * GUARD_S, **options)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        fail(f"{words} failed:\n{done.stderr}")
    return seconds, done.stdout


def english(path):
    """The licenses that every Debian machine has, as often as it takes."""
    part = b"".join(p.read_bytes() for p in
                    sorted(pathlib.Path("/usr/share/common-licenses").iterdir())
                    if not p.is_symlink())
    with path.open("wb") as file:
        for _ in range(LOAD_BYTES // len(part)):
            file.write(part)
        file.write(part[:LOAD_BYTES % len(part)])


def spread(values):
    """Least, median and greatest."""
    return " ".join(f"{value:.2f}" for value in (
        min(values), statistics.median(values), max(values)))


def speed_lines(bench):
    """Whole commands beside `grep -o` that finds the same text in the same
    file, in turns: a ratio is that of two neighbours, so a machine that is busy
    for a while slows both."""
    table = bench.table
    table.headings("what", "must be", "measured", "met")
    path = bench.made("english", english)
    runs = int(bench.words[0]) if bench.words else RUNS
    grep = {"env": {**os.environ, "LC_ALL": "C"}}
    timed(["grep", "-o", PATTERN, path], **grep)  # the file is in memory now
    own, ratios = [], {name: [] for name, _, _ in ON}
    for _ in range(runs):
        wall_s, lines = timed(["grep", "-o", PATTERN, path], **grep)
        own.append(wall_s)
        for name, on, _ in ON:
            seconds, told = timed([mesh.QUINCUNX, "run", "--json", *job(
                "5x5", "t3d", path, "--on", on, kernel="search", arg=PATTERN)])
            ratios[name].append(seconds / wall_s)
            if json.loads(told)["result"]["count"] != lines.count("\n"):
                fail(f"{name}: another count than grep's")
    table.line("search of 256 MB, wall: grep -o", None, spread(own) + " s")
    for name, _, most in ON:
        table.line(f"search of 256 MB, {name}: wall over grep's",
                   f"{most} at most", spread(ratios[name]),
                   statistics.median(ratios[name]) <= most)


# ---- forks ----

BOOT_SHAPE = "{:40} {:>9} {:>9} {:>6}  {:22}  {}"
# Of 625 boards: so much at most with forks, or so many times less than without.
BOOTS = (("seconds", 8, 3.5, "s"), ("MiB", 2048, 4.5, "MiB"))
REPEATS = {"5x5": 5}


def boot_seconds(bench, size, boot):
    """The shortest of some runs, and their timelines."""
    runs = [watched("run", "--json", *job(size, "t3d", bench.load(MEGA),
                                          "--boot", boot), memory=False)
            for _ in range(REPEATS.get(size, 1))]
    return (min(run.wall_s for run in runs),
            {json.loads(run.stdout)["timeline_sha256"] for run in runs})


def boot_mib(bench, size, boot):
    """MiB of all boards and the launcher, while one board hangs."""
    with Standing(bench.folder / f"{size}-{boot}", bench.load(MEGA),
                  "--profile", "t3d", "--boot", boot, size=size,
                  arg="32") as standing:
        return standing.memory_bytes() / 2 ** 20


def boot_lines(bench):
    table = bench.table
    table.headings("from order to report, spin 32, 1 MB, t3d", "exec", "fork",
                   "ratio", "must be", "met", shape=BOOT_SHAPE)
    for size in bench.words or bench.sizes():
        width, height = map(int, size.split("x"))
        boards = width * height
        took, timelines = zip(*(boot_seconds(bench, size, boot)
                                for boot in ("exec", "fork")))
        mib = [boot_mib(bench, size, boot) for boot in ("exec", "fork")]
        for (what, most, least, unit), (alone, forked) in zip(BOOTS,
                                                              (took, mib)):
            must = f"{most} {unit}, or ratio {least}" if boards == 625 else ""
            met = forked <= most or alone >= least * forked
            table.row(f"{boards} boards: {what}", f"{alone:.2f}",
                      f"{forked:.2f}", f"{alone / forked:.2f}", must,
                      table.verdict(must, met))
        table.row(f"{boards} boards: MiB a board",
                  *(f"{one / boards:.2f}" for one in mib), "", "", "")
        table.row(f"{boards} boards: timelines", "", "", "", "one",
                  table.verdict("one", len(set.union(*timelines)) == 1))


# ---- ranks ----

RANKS, RANKS_RUNS = 3, 3
RANKS_SHAPE = "{:28} {:>7} {:>10} {:>7} {:>9} {:>8} {:>7} {:>7}  {}"
# Name, at most, and words.
MESHES = [
    ("225 boards, 15x15", None, "15x15", []),
    ("625 boards, 25x25", 1.25, "25x25", []),
    ("625 native nodes", None, "25x25", ["--on", "native"]),
    ("15,625 native nodes", 1.4, "125x125", ["--on", "native"]),
]


def reported(bench, before, size, *options):
    """Seconds and report of a run of one round that these words start."""
    report = bench.folder / "report.json"
    seconds, _ = timed([*before, mesh.QUINCUNX, "run", *job(
        size, "t3d", bench.load(MEGA), "--rounds", 1, "--report", report,
        *options)])
    return seconds, json.loads(report.read_text())


def best_of(bench, ways, *words):
    """Of each way to start a run, in turns, so that all see the same machine:
    the least seconds; the last report of the last; whether all timelines are
    equal."""
    found = [[reported(bench, before, *words) for before in ways]
             for _ in range(RANKS_RUNS)]
    seconds = [min(turn[i][0] for turn in found) for i in range(len(ways))]
    timelines = {report["timeline_sha256"] for turn in found
                 for _, report in turn}
    return seconds, found[-1][-1][1], len(timelines) == 1


def ranks_lines(bench):
    """One mesh on several ranks of this machine beside the same without mpirun,
    if there is Open MPI: doorbells to rank 0, bytes up at each, MB down and
    between ranks; met: all timelines are equal, too."""
    if not mpirun.AVAILABLE:
        return
    table = bench.table
    table.headings("what", "must be", "measured", "met")
    table.figure("mpirun itself", min(
        timed(mpirun.line(RANKS, "-V"))[0] for _ in range(RANKS_RUNS)),
        "{:.2f}", unit=" s")
    table.headings(f"{RANKS} ranks, t3d, spin 32, 1 MB", "seconds",
                   "over one's", "at most", "doorbells", "up, each", "down",
                   "between", "met", shape=RANKS_SHAPE)
    for name, most, size, options in MESHES:
        if not bench.large and name.startswith("625 boards"):
            continue
        (alone, together), report, equal = best_of(
            bench, [[], mpirun.line(RANKS)[:-1]], size, *options)
        ranks, ratio = report["ranks"], together / alone
        remote = sum(rank["doorbells"] for rank in ranks["each"][1:])
        table.row(name, f"{together:.1f}", f"{ratio:.2f}", f"{most or ''}",
                  f"{remote}", f"{ranks['up_bytes'] / remote:.0f} B",
                  f"{ranks['down_bytes'] / 1e6:.2f}",
                  f"{ranks['between_bytes'] / 1e6:.2f}", table.verdict(
                      True, equal and (most is None or ratio <= most)))


# ---- memory ----

TAKEN = [(["--board", "mps2-an385"], ["1x1", "5x5", "10x10"]),
         (["--board", "mps2-an386"], ["5x5"]),
         (["--board", "mps2-an385", "--boot", "exec"], ["5x5", "10x10"]),
         (["--board", "stm32f405"], ["2x2", "5x5"]),
         (["--on", "native"], ["25x25", "125x125"])]


def memory_lines(bench):
    """The most that a run's processes take together at one moment, beside what
    `run` expects (qemu/job/memory_need.c)."""
    bench.table.headings("nodes", "mesh", "load, MB", "taken, MiB",
                         "expected, MiB",
                         shape="{:30} {:>8} {:>9} {:>11} {:>14}")
    report = bench.folder / "report.json"
    for options, sizes in TAKEN:
        for size in bench.words or sizes:
            for mb in [0.1] if "stm32f405" in options else [0.1, 8]:
                taken = watched("run", *options, "--mesh", size, "--kernel",
                                "search", "--arg", "a", "--report", report,
                                bench.load(int(mb * MEGA))).peak_bytes
                memory = json.loads(report.read_text())["memory"]
                bench.table.row(" ".join(options), size, f"{mb}",
                                f"{taken / 2 ** 20:.0f}",
                                f"{memory['expected_bytes'] / 2 ** 20:.0f}")


def large_lines(bench):
    """Meshes of thousands of boards: seconds, what its processes take, and
    the makespan against the plan. A mesh for which the host has no memory, or
    no numbers for its threads, is left out with what `run` says."""
    bench.table.headings("spin 32, 10 MB, t3d", "boot, s", "run, s", "all, s",
                         "taken MiB", "makespan ms", "to plan",
                         shape="{:>20} {:>7} {:>7} {:>7} {:>9} {:>12} {:>9}")
    load = bench.load(10 * MEGA)
    for size in bench.words or ["40x40", "125x25", "125x125"]:
        log(f"  {size} ...")
        done = mesh.Watched("run", "--json", *job(size, "t3d", load,
                                                  "--rounds", "auto"),
                            timeout=6 * GUARD_S)
        if done.returncode != 0:
            bench.table.print(f"{size:>20} left out: {done.stderr.strip()}")
            continue
        report = json.loads(done.stdout)
        wall, measured = report["wall_s"], report["measured"]
        if report["result"]["units"] != 10 * MEGA:
            fail(f"{size}: units are missing")
        bench.table.row(
            size, f"{wall['boot']:.1f}", f"{wall['run']:.1f}",
            f"{done.wall_s:.1f}",
            f"{done.peak_bytes / 2 ** 20:.0f}",
            f"{measured['makespan_ps'] / 1e9:.3f}",
            f"{100 * measured['overhead_vs_plan']:+.2f} %")

# SPDX-License-Identifier: Apache-2.0
"""Situations: the answer of `--schedule auto` beside the best of all schedules,
and beside one board's.

usage: choices.py"""
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import answers  # noqa: E402
import job_bench  # noqa: E402
import mesh  # noqa: E402
import policies  # noqa: E402

KILO, MEGA = 10 ** 3, 10 ** 6
WITHIN = 1.03
SHAPE = "{:47} {:13} {:>9} {:13} {:>9} {:>7} {:>9}  {}"

# What it is; kernel, argument, bytes or a maker of the load, profile, options.
SITUATIONS = [
    ("search, 2 kB", "search", "free software", 2 * KILO, "t3d"),
    ("search, 20 kB", "search", "free software", 20 * KILO, "t3d"),
    ("search, 237 kB", "search", "free software", 237 * KILO, "t3d"),
    ("search, 2 MB", "search", "free software", 2 * MEGA, "t3d"),
    ("search, 237 kB", "search", "free software", 237 * KILO, "lvds"),
    ("search, 2 MB", "search", "free software", 2 * MEGA, "lvds"),
    ("search of dear words, 1 MB", "search", "(?|)e|the|is", MEGA, "t3d"),
    ("spin 32, 10 kB", "spin", "32", 10 * KILO, "t3d"),
    ("spin 32, 1 MB", "spin", "32", MEGA, "t3d"),
    ("spin 32, 100 kB", "spin", "32", 100 * KILO, "lvds"),
    ("spin 32, 0.1 kB", "spin", "32", 100, "t3d"),
    ("spin 20000, 0.2 kB", "spin", "20000", 200, "lvds"),
    ("spin 20000, 20 kB", "spin", "20000", 20 * KILO, "t3d"),
    ("stats, 1 MB", "stats", "type=u8", MEGA, "t3d"),
    ("spin 32, output, 10 kB", "spin", "32,1/1", 10 * KILO, "lvds"),
    ("spin 32, output, 100 kB", "spin", "32,1/1", 100 * KILO, "lvds"),
    ("spin 32, output, 1 MB", "spin", "32,1/1", MEGA, "t3d"),
    ("spin 200, output, 1 MB", "spin", "200,1/1", MEGA, "lvds"),
    ("conv", "conv", "filter=gauss", job_bench.picture, "lvds"),
    ("fir", "fir", "low=1000,taps=32", job_bench.sound, "lvds"),
    ("a board known to be 4 times slower, 100 kB", "spin", "32", 100 * KILO,
     "t3d", "--slow", "1,2=4"),
    ("a board known to be 8 times slower, 100 kB", "spin", "32", 100 * KILO,
     "lvds", "--slow", "0,1=8"),
    ("a board that was 8 times slower, 1 MB", "spin", "32", MEGA, "t3d",
     "--inject", "slow8@1,1"),
    ("a last quarter that was dear, 1 MB", "spin", "32,burst", policies.burst,
     "t3d"),
]
# The same on other meshes, along trees; the size first.
TREES = [
    ("7x6", "spin 32, 100 kB", "spin", "32", 100 * KILO, "lvds"),
    ("4x4", "spin 32, 100 kB", "spin", "32", 100 * KILO, "t3d"),
    ("6x3", "search, 237 kB", "search", "free software", 237 * KILO, "t3d"),
]
# Of these auto knows by --rates what an earlier run showed.
KNOWN = " that was "

SUFFIXES = {"conv": ".png", "fir": ".wav"}


def load_of(folder, kernel, load):
    if isinstance(load, int):
        return answers.load_of(folder, kernel, load)
    path = folder / f"{load.__name__}{SUFFIXES.get(kernel, '')}"
    if not path.exists():
        load(path)
    return path


def told_by(command, words, size):
    done = mesh.command(command, "--json", "--mesh", size, *words, timeout=900)
    if done.returncode != 0:
        sys.exit(f"bench: a {command} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def row(table, folder, size, name, kernel, arg, load, profile, *options):
    job = ["--kernel", kernel, "--arg", arg, "--profile", profile,
           load_of(folder, kernel, load)]
    words = [*options, *job]
    answers.log(f"  {name}, {size} {profile} ...")
    alone_ps = told_by("run", job, "1x1")["measured"]["answer_ps"]
    compared = told_by("compare", words, size)
    best = min(compared["schedules"], key=lambda entry: entry["answer_ps"])
    chosen = ["--schedule", "auto", *words]
    if KNOWN in name:
        chosen = ["--rates", folder / f"{kernel}-{arg}.json", *chosen]
        told_by("run", chosen, size)
    auto = told_by("run", chosen, size)
    auto_ps = auto["measured"]["answer_ps"]
    ratio = auto_ps / min(best["answer_ps"], alone_ps, auto_ps)
    table.row(f"{name}, {size} {profile}", auto["choices"][0]["schedule"],
              f"{auto_ps / 10 ** 6:.1f}",
              f"{best['schedule']}, {best['rounds']}",
              f"{best['answer_ps'] / 10 ** 6:.1f}", f"{ratio:.3f}",
              f"{alone_ps / 10 ** 6:.1f}",
              table.verdict(True, ratio <= WITHIN))


def lines(table, folder):
    table.headings("situation", "auto takes", "us", "best is", "us",
                   "of best", "one board", "met", shape=SHAPE)
    for size, *situation in [("5x5", *each) for each in SITUATIONS] + TREES:
        row(table, pathlib.Path(folder), size, *situation)


if __name__ == "__main__":
    import bench

    printed = bench.Table(False)
    with tempfile.TemporaryDirectory() as name:
        lines(printed, name)

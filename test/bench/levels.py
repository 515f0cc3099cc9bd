# SPDX-License-Identifier: Apache-2.0
"""Farms on hundreds of boards: rounds, a farm whose originator serves all
workers, and one whose masters do. Over the bound, which is that all boards
compute from the first moment to the last: the makespan, then the answer.

usage: levels.py [WxH ...] (default: 25x25; needs 0.8 GiB)"""
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import answers  # noqa: E402
import mesh  # noqa: E402

UNITS = 10 ** 6
PS_PER_INSTRUCTION = 32_000
SHAPE = "{:41} {:>9}" + " {:>7}" * 6 + "  {:>7}  {}"
COLUMNS = [("peters-syska",), ("farm", "--levels", "1"),
           ("farm", "--levels", "2")]
# Instructions for a unit, and what the makespan of two levels on 625 boards is
# at most.
SPINS = [("200", 1.30), ("2000", 1.05), ("10000", 1.02), ("500", None),
         ("50", None)]
# Whose one worker is 8 times slower than anybody knows.
SLOW = ("--inject", "slow8@1,3")


def ratios(size, load, arg, bound_ps, schedule, *options):
    """(makespan, answer)"""
    words = ["--json", "--mesh", size, "--kernel", "spin", "--arg", arg,
             "--profile", "t3d", "--schedule", schedule, *options, load]
    measured = answers.told_by("run", words)["measured"]
    return [measured[key] / bound_ps for key in ("makespan_ps", "answer_ps")]


def row(table, size, load, arg, slow, most):
    width, height = map(int, size.split("x"))
    speed = width * height - (7 / 8 if slow else 0)
    bound_ps = UNITS * int(arg) * PS_PER_INSTRUCTION / speed
    pairs = [ratios(size, load, arg, bound_ps, *column, *slow)
             for column in COLUMNS]
    masters = pairs[-1][0]
    name = f"{width * height}, spin {arg}{', one 8 times slower' * bool(slow)}"
    table.row(name, f"{bound_ps / 10 ** 9:.2f} ms",
              *[f"{pair[i]:.3f}" for i in (0, 1) for pair in pairs],
              "" if most is None else f"{most}",
              table.verdict(most is not None, most is None or masters <= most))


def lines(table, folder, sizes):
    table.headings("1 MB, t3d, makespans and answers over the bound", "bound",
                   *["rounds", "farm", "masters"] * 2, "at most", "met",
                   shape=SHAPE)
    load = mesh.zeros(pathlib.Path(folder) / "zeros", UNITS)
    for size in sizes:
        for arg, most in SPINS:
            row(table, size, load, arg, (), most if size == "25x25" else None)
        row(table, size, load, "2000", SLOW, None)


if __name__ == "__main__":
    import bench

    printed = bench.Table(False)
    with tempfile.TemporaryDirectory() as name:
        lines(printed, name, sys.argv[1:] or ["25x25"])

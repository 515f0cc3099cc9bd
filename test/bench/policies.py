# SPDX-License-Identifier: Apache-2.0
"""Worlds that a plan does not know, and outputs: makespans, and times with
results, of static shares in rounds and of a farm, over what no schedule can do
better.

usage: policies.py"""
import json
import pathlib
import random
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import answers  # noqa: E402
import mesh  # noqa: E402

KILO, MEGA = 10 ** 3, 10 ** 6
UNIT_PS = 32 * 32_000  # of spin 32
BYTE_PS = {"t3d": 3_300, "lvds": 80_000}
SLOW_AT_PS = 20 * 10 ** 9
NODES = 25
SHAPE = "{:47} {:>9} {:>9} {:>13} {:>9}  {}"

# The first three quarters of `spin 32,burst` are cheap, the last one three
# times as dear: what all units take.
BURST_UNITS = (3 + 3) / 4
# The bound of each: what the others do while the slow one does its part.
WORLDS = [
    ("as planned", 1.05, "32", [], MEGA * UNIT_PS / NODES),
    ("a board 8 times slower", 1.10, "32", ["--inject", "slow8@1,1"],
     MEGA * UNIT_PS / (NODES - 1 + 1 / 8)),
    ("a board 4 times slower from 20 ms on", 1.35, "32",
     ["--inject", "slow4@1,1@20ms"],
     (MEGA * UNIT_PS - SLOW_AT_PS * 3 / 4) / (NODES - 1 + 1 / 4)),
    ("last quarter three times as dear", None, "32,burst", [],
     BURST_UNITS * MEGA * UNIT_PS / NODES),
]

# Outputs as long as the input, on native nodes: bytes, instructions, profile.
OUTPUTS = [(1.10, MEGA, 32, "lvds"), (1.25, 100 * KILO, 32, "lvds"),
           (1.03, MEGA, 200, "lvds"), (1.02, MEGA, 32, "t3d")]

# Loads of several originators, far apart: instructions, most, and the loads.
FAR = {2: [(0, 0), (2, 2)], 4: [(0, 0), (2, 1), (4, 2), (1, 3)]}
GROUPS = [(1.15, 8, [500, 500]), (1.12, 8, [750, 250]),
          (1.12, 8, [250, 250, 250, 250]), (1.08, 32, [750, 250])]

# Text whose matches, one in so many bytes, are all in its last fifth.
MATCH_EVERY = 60
TEXT = 5 * MEGA
TEXT_PART = 0.8

# English text, its bytes, what is searched for; the hybrid at most.
TEXTS = [("t3d, 8 MB, 'free software'", 8 * MEGA, "free software", 1.02),
         ("t3d, 8 MB, dear: e|the|is", 8 * MEGA, "(?|)e|the|is", 1.02),
         ("t3d, 8 MB, four words", 8 * MEGA,
          "(?i|)the|license|software|work", None)]


def burst(path):
    rng = random.Random(17)
    path.write_bytes(bytes(rng.randrange(128) for _ in range(3 * MEGA // 4))
                     + bytes(128 + rng.randrange(128)
                             for _ in range(MEGA // 4)))
    return path


def fifth(path):
    """Words of which only the last fifth has what is searched for."""
    rng = random.Random(17)
    words = [bytes(rng.choices(b"abcdeghijklmnopqrstuvwxyz", k=k))
             for k in (1, 2, 3, 3, 4, 4, 5, 6, 7, 8) for _ in range(20)]
    text = bytearray()
    last = 0
    while len(text) < TEXT:
        if len(text) > 4 * TEXT // 5 and len(text) - last > MATCH_EVERY:
            last = len(text)
            text += b"free software "
        text += rng.choice(words) + b" "
    path.write_bytes(text[:TEXT])
    return path


def measured(schedule, kernel, arg, profile, load, *options):
    words = ["--json", "--mesh", "5x5", "--kernel", kernel, "--arg", arg,
             "--profile", profile, "--schedule", schedule, *options, load]
    return answers.told_by("run", words)["measured"]


def row(table, name, static, farm, most, ratio):
    """Whether `ratio` is `most` at most."""
    table.row(name, f"{static:.3f}", f"{farm:.3f}",
              "" if most is None else f"{most} at most", f"{ratio:.3f}",
              table.verdict(most is not None, most is None or ratio <= most))


def world_lines(table, folder):
    table.headings("makespan over the bound, 25 boards", "rounds", "farm",
                   "must be", "is", "met", shape=SHAPE)
    loads = {"32": mesh.zeros(folder / "zeros", MEGA),
             "32,burst": burst(folder / "burst")}
    for name, most, arg, options, bound_ps in WORLDS:
        ratios = [measured(schedule, "spin", arg, "t3d", loads[arg],
                           *options)["makespan_ps"] / bound_ps
                  for schedule in ("peters-syska", "farm")]
        row(table, f"t3d, spin 32, 1 MB, {name}", *ratios, most, ratios[1])


def text_lines(table, folder):
    load = fifth(folder / "fifth")
    times = [measured(schedule, "search", "free software", "t3d",
                      load)["makespan_ps"] / 10 ** 9
             for schedule in ("peters-syska", "farm")]
    row(table, "matches in the last fifth of 5 MB, ms, and ratio", *times,
        TEXT_PART, times[1] / times[0])


def clairvoyant_ps(report, folder, load, arg):
    """The makespan that the plan promises if it is told what a unit takes on
    average, as all nodes of this run showed."""
    nodes = report["measured"]["nodes"]
    units = sum(node["units"] for node in nodes)
    mean_ps = (report["measured"]["one_board_ps"]
               - report["measured"]["calls_ps"]) // units
    entry = {"board": report["mesh"]["board"], "kernel": "search",
             "argument_bytes": len(arg),
             "argument_crc32": zlib.crc32(arg.encode()), "unit_bytes": 1,
             "compute_ps": mean_ps, "call_ps": report["measured"]["calls_ps"]
             // max(sum(len(node.get("rounds", [0])) for node in nodes), 1),
             "units": units}
    rates = folder / "mean.json"
    rates.write_text(json.dumps({"rates": [entry]}))
    words = ["--json", "--mesh", "5x5", "--kernel", "search", "--arg", arg,
             "--profile", "t3d", "--rates", rates, load]
    return answers.told_by("run", words)["plan"]["makespan_ps"]


def hybrid_lines(table, folder):
    table.headings("text on 25 boards, makespan over the clairvoyant plan",
                   "rounds", "hybrid", "must be", "is", "met", shape=SHAPE)
    for name, size, arg, most in TEXTS:
        load = answers.load_of(folder, "search", size)
        words = ["--json", "--mesh", "5x5", "--kernel", "search", "--arg", arg,
                 "--profile", "t3d", load]
        static = answers.told_by("run", words)
        hybrid = answers.told_by("run", ["--schedule", "hybrid", *words])
        best_ps = clairvoyant_ps(static, folder, load, arg)
        ratios = [report["measured"]["makespan_ps"] / best_ps
                  for report in (static, hybrid)]
        row(table, name, *ratios, most, ratios[1])


def output_lines(table, folder):
    table.headings("with results over the bound, 25 native nodes", "one round",
                   "farm", "must be", "rounds", "met", shape=SHAPE)
    for most, size, instructions, profile in OUTPUTS:
        load = folder / f"load-{size}"
        load.write_bytes(random.Random(size).randbytes(size))
        unit_ps = instructions * 32_000
        both_ps = 2 * BYTE_PS[profile] / 4
        bound_ps = max(size * unit_ps / NODES,
                       size * both_ps / (1 + both_ps / unit_ps))
        one, farm, rounds = (
            measured(*words, "spin", f"{instructions},1/1", profile, load,
                     "--on", "native", "-o", folder / "out", *more
                     )["with_results_ps"] / bound_ps
            for words, more in ((["peters-syska"], ["--rounds", 1]),
                                (["farm"], []), (["peters-syska"], [])))
        row(table, f"{profile}, spin {instructions}, {size // KILO} kB", one,
            farm, most, rounds)


def at_once(schedule, instructions, originators):
    """The makespan of several originators' job."""
    done = mesh.command("run", "--json", "--mesh", "5x5", "--on", "native",
                        "--kernel", "spin", "--arg", instructions, "--profile",
                        "lvds", "--schedule", schedule, *originators)
    if done.returncode != 0:
        sys.exit(f"bench: a run failed:\n{done.stderr}")
    return json.loads(done.stdout)["measured"]["makespan_ps"]


def groups_of(table, folder, most, instructions, sizes):
    """Several originators at once beside their jobs one after the other."""
    loads = [mesh.zeros(folder / f"zeros-{size}", size * KILO)
             for size in sizes]
    unit_ps = instructions * 32_000
    bound_ps = max(sum(sizes) * KILO * unit_ps / NODES,
                   max(sizes) * KILO / (1 / unit_ps + 4 / BYTE_PS["lvds"]))
    words = [word for (x, y), load in zip(FAR[len(sizes)], loads)
             for word in ("--originator", f"{x},{y}={load}")]
    in_turn = sum(measured("peters-syska", "spin", instructions, "lvds", load,
                           "--on", "native")["makespan_ps"] for load in loads)
    star, farm = (at_once(schedule, instructions, words) / bound_ps
                  for schedule in ("star", "farm"))
    table.row(f"{' + '.join(map(str, sizes))} kB, spin {instructions}",
              f"{in_turn / bound_ps:.3f}", f"{farm:.3f}", f"{most} at most",
              f"{star:.3f}", table.verdict(True, star <= most))


def group_lines(table, folder):
    table.headings("originators, makespan over the bound, 25 native nodes",
                   "in turn", "farms", "must be", "stars", "met", shape=SHAPE)
    for row_of in GROUPS:
        groups_of(table, folder, *row_of)


def lines(table, folder):
    folder = pathlib.Path(folder)
    world_lines(table, folder)
    text_lines(table, folder)
    hybrid_lines(table, folder)
    output_lines(table, folder)
    group_lines(table, folder)


if __name__ == "__main__":
    import bench

    printed = bench.Table(False)
    with tempfile.TemporaryDirectory() as name:
        lines(printed, name)

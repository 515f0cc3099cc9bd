# SPDX-License-Identifier: Apache-2.0
"""Schedules beside each other: what auto takes beside the best; worlds that a
plan does not know, outputs and several originators, over what no schedule can
do better; farms with masters and without."""
import json
import random
import zlib

import job_bench
from measure import KILO, MEGA, PS_PER_INSTRUCTION, job

UNIT_PS = 32 * PS_PER_INSTRUCTION  # of spin 32
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


def measured(bench, schedule, profile, load, *options, **which):
    return bench.measured(*job("5x5", profile, load, "--schedule", schedule,
                               *options, **which))


def row(table, name, static, farm, most, ratio):
    """A row of two ratios, and of the one that is `most` at most."""
    table.row(name, f"{static:.3f}", f"{farm:.3f}",
              "" if most is None else f"{most} at most", f"{ratio:.3f}",
              table.verdict(most is not None, most is None or ratio <= most))


def world_lines(bench):
    bench.table.headings("makespan over the bound, 25 boards", "rounds", "farm",
                         "must be", "is", "met", shape=SHAPE)
    loads = {"32": bench.load(MEGA), "32,burst": bench.made("burst", burst)}
    for name, most, arg, options, bound_ps in WORLDS:
        ratios = [measured(bench, schedule, "t3d", loads[arg], *options,
                           arg=arg)["makespan_ps"] / bound_ps
                  for schedule in ("peters-syska", "farm")]
        row(bench.table, f"t3d, spin 32, 1 MB, {name}", *ratios, most,
            ratios[1])
    times = [measured(bench, schedule, "t3d", bench.made("fifth", fifth),
                      kernel="search", arg="free software")["makespan_ps"]
             / 10 ** 9 for schedule in ("peters-syska", "farm")]
    row(bench.table, "matches in the last fifth of 5 MB, ms, and ratio", *times,
        TEXT_PART, times[1] / times[0])


def clairvoyant_ps(bench, report, load, arg):
    """The makespan that the plan promises if it is told what a unit takes on
    average, as all nodes of this run showed."""
    told = report["measured"]
    units = sum(node["units"] for node in told["nodes"])
    calls = sum(len(node.get("rounds", [0])) for node in told["nodes"])
    entry = {"board": report["mesh"]["board"], "kernel": "search",
             "argument_bytes": len(arg),
             "argument_crc32": zlib.crc32(arg.encode()), "unit_bytes": 1,
             "compute_ps": (told["computing_ps"] - told["calls_ps"]) // units,
             "call_ps": told["calls_ps"] // max(calls, 1), "units": units}
    rates = bench.folder / f"mean-{zlib.crc32(arg.encode())}.json"
    rates.write_text(json.dumps({"rates": [entry]}))
    return bench.told("run", *job("5x5", "t3d", load, "--rates", rates,
                                  kernel="search", arg=arg)
                      )["plan"]["makespan_ps"]


def hybrid_lines(bench):
    bench.table.headings("text on 25 boards, makespan over the clairvoyant "
                         "plan", "rounds", "hybrid", "must be", "is", "met",
                         shape=SHAPE)
    for name, size, arg, most in TEXTS:
        load = bench.load(size, "search")
        reports = [bench.told("run", *job("5x5", "t3d", load, *options,
                                          kernel="search", arg=arg))
                   for options in ([], ["--schedule", "hybrid"])]
        best_ps = clairvoyant_ps(bench, reports[0], load, arg)
        ratios = [report["measured"]["makespan_ps"] / best_ps
                  for report in reports]
        row(bench.table, name, *ratios, most, ratios[1])


def output_lines(bench):
    bench.table.headings("with results over the bound, 25 native nodes",
                         "one round", "farm", "must be", "rounds", "met",
                         shape=SHAPE)
    for most, size, instructions, profile in OUTPUTS:
        load = bench.made(f"load-{size}", lambda path: path.write_bytes(
            random.Random(size).randbytes(size)))
        unit_ps = instructions * PS_PER_INSTRUCTION
        both_ps = 2 * BYTE_PS[profile] / 4
        bound_ps = max(size * unit_ps / NODES,
                       size * both_ps / (1 + both_ps / unit_ps))
        one, farm, rounds = (
            measured(bench, schedule, profile, load, "--on", "native", "-o",
                     bench.folder / "out", *more, arg=f"{instructions},1/1"
                     )["with_results_ps"] / bound_ps
            for schedule, *more in (("peters-syska", "--rounds", 1), ("farm",),
                                    ("peters-syska",)))
        row(bench.table, f"{profile}, spin {instructions}, {size // KILO} kB",
            one, farm, most, rounds)


def group_lines(bench):
    """Several originators at once beside their jobs one after the other."""
    bench.table.headings("originators, makespan over the bound, 25 native "
                         "nodes", "in turn", "farms", "must be", "stars", "met",
                         shape=SHAPE)
    for most, instructions, sizes in GROUPS:
        loads = [bench.load(size * KILO) for size in sizes]
        unit_ps = instructions * PS_PER_INSTRUCTION
        bound_ps = max(sum(sizes) * KILO * unit_ps / NODES, max(sizes) * KILO
                       / (1 / unit_ps + 4 / BYTE_PS["lvds"]))
        groups = [word for (x, y), load in zip(FAR[len(sizes)], loads)
                  for word in ("--originator", f"{x},{y}={load}")]
        which = {"arg": str(instructions)}
        in_turn = sum(
            measured(bench, "peters-syska", "lvds", load, "--on", "native",
                     **which)["makespan_ps"] for load in loads)
        star, farm = (
            measured(bench, schedule, "lvds", None, "--on", "native", *groups,
                     **which)["makespan_ps"] / bound_ps
            for schedule in ("star", "farm"))
        bench.table.row(
            f"{' + '.join(map(str, sizes))} kB, spin {instructions}",
            f"{in_turn / bound_ps:.3f}", f"{farm:.3f}", f"{most} at most",
            f"{star:.3f}", bench.table.verdict(True, star <= most))


def lines(bench):
    world_lines(bench)
    hybrid_lines(bench)
    output_lines(bench)
    group_lines(bench)


# ---- what auto takes ----

WITHIN = 1.03
AUTO_SHAPE = "{:47} {:13} {:>9} {:13} {:>9} {:>7} {:>9}  {}"

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
    ("a last quarter that was dear, 1 MB", "spin", "32,burst", burst,
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


def auto_row(bench, size, name, kernel, arg, load, profile, *options):
    if not isinstance(load, int):
        suffix = {"conv": ".png", "fir": ".wav"}.get(kernel, "")
        load = bench.made(f"{load.__name__}{suffix}", load)
    else:
        load = bench.load(load, kernel)
    which = {"kernel": kernel, "arg": arg}
    alone_ps = bench.measured(*job("1x1", profile, load, **which))["answer_ps"]
    compared = bench.told("compare",
                          *job(size, profile, load, *options, **which))
    best = min(compared["schedules"], key=lambda entry: entry["answer_ps"])
    chosen = ["--schedule", "auto", *options]
    if KNOWN in name:
        rates = bench.folder / f"known-{kernel}-{arg}.json"
        chosen += ["--rates", rates]
        bench.told("run", *job(size, profile, load, *chosen, **which))
    auto = bench.told("run", *job(size, profile, load, *chosen, **which))
    auto_ps = auto["measured"]["answer_ps"]
    ratio = auto_ps / min(best["answer_ps"], alone_ps, auto_ps)
    bench.table.row(f"{name}, {size} {profile}", auto["choices"][0]["schedule"],
                    f"{auto_ps / 10 ** 6:.1f}",
                    f"{best['schedule']}, {best['rounds']}",
                    f"{best['answer_ps'] / 10 ** 6:.1f}", f"{ratio:.3f}",
                    f"{alone_ps / 10 ** 6:.1f}",
                    bench.table.verdict(True, ratio <= WITHIN))


def auto_lines(bench):
    bench.table.headings("situation", "auto takes", "us", "best is", "us",
                         "of best", "one board", "met", shape=AUTO_SHAPE)
    for size, *which in [("5x5", *each) for each in SITUATIONS] + TREES:
        auto_row(bench, size, *which)


# ---- farms with masters ----

LEVELS_SHAPE = "{:41} {:>9}" + " {:>7}" * 6 + "  {:>7}  {}"
COLUMNS = [("peters-syska",), ("farm", "--levels", "1"),
           ("farm", "--levels", "2")]
# Instructions for a unit, and what the makespan of two levels on 625 boards is
# at most.
SPINS = [("200", 1.30), ("2000", 1.05), ("10000", 1.02), ("500", None),
         ("50", None)]
# Whose one worker is 8 times slower than anybody knows.
SLOW = ("--inject", "slow8@1,3")


def level_row(bench, size, arg, slow, most):
    """Makespans and answers of COLUMNS over the bound, which is that all boards
    compute from the first moment to the last."""
    width, height = map(int, size.split("x"))
    bound_ps = (MEGA * int(arg) * PS_PER_INSTRUCTION
                / (width * height - (7 / 8 if slow else 0)))
    told = [bench.measured(*job(size, "t3d", bench.load(MEGA), "--schedule",
                                *column, *slow, arg=arg))
            for column in COLUMNS]
    masters = told[-1]["makespan_ps"] / bound_ps
    bench.table.row(
        f"{width * height}, spin {arg}{', one 8 times slower' * bool(slow)}",
        f"{bound_ps / 10 ** 9:.2f} ms",
        *[f"{one[key] / bound_ps:.3f}" for key in ("makespan_ps", "answer_ps")
          for one in told],
        "" if most is None else f"{most}",
        bench.table.verdict(most is not None, most is None or masters <= most))


def level_lines(bench):
    bench.table.headings("1 MB, t3d, makespans and answers over the bound",
                         "bound", *["rounds", "farm", "masters"] * 2, "at most",
                         "met", shape=LEVELS_SHAPE)
    for size in bench.words or ["25x25"]:
        for arg, most in SPINS:
            level_row(bench, size, arg, (), most if size == "25x25" else None)
        level_row(bench, size, "2000", SLOW, None)

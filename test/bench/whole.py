# SPDX-License-Identifier: Apache-2.0
"""Whole runs of spin 32 and of searches: makespans against plans and bounds,
speed-ups of the answer, and what planning takes."""
from fractions import Fraction

from measure import KILO, MEGA, PS_PER_INSTRUCTION, fail, job, log
import mesh

PS_PER_US = 10 ** 6
PATTERN = "free software"

# What it is, how many times as fast as one board at least; kernel, argument,
# bytes (None: of `make run`), size, profile.
ANSWERS = [
    ("make run: search, 237 kB, 25, t3d", 8,
     "search", PATTERN, None, "5x5", "t3d"),
    ("spin 32, 1 MB, 25, t3d", 24, "spin", "32", MEGA, "5x5", "t3d"),
    ("search, 8 MB, 25, t3d", 15, "search", PATTERN, 8 * MEGA, "5x5", "t3d"),
    ("search, 8 MB, 25, lvds", 1.55,
     "search", PATTERN, 8 * MEGA, "5x5", "lvds"),
    ("spin 32, 1 MB, 625, t3d", 400, "spin", "32", MEGA, "25x25", "t3d"),
    ("spin 32, 8 MB, 625, t3d", 570, "spin", "32", 8 * MEGA, "25x25", "t3d"),
    ("spin 32, 8 MB, 625, lvds", 50.5,
     "spin", "32", 8 * MEGA, "25x25", "lvds"),
]

# Makespan of the best rounds over the bound, at most: size, profile, bytes.
BOUNDS = [
    ("5x5", "t3d", 100 * KILO, 1.009), ("5x5", "lvds", 100 * KILO, 1.025),
    ("25x25", "t3d", 100 * KILO, 1.30), ("25x25", "t3d", MEGA, 1.05),
    ("25x25", "t3d", 8 * MEGA, 1.01), ("25x25", "lvds", 100 * KILO, 1.07),
    ("25x25", "lvds", MEGA, 1.01), ("25x25", "lvds", 8 * MEGA, 1.002),
]
ROUNDS = ("auto", 2, 3, 4, 6, 9)
PHASES = {"5x5": "2", "25x25": "4"}

# Results of a few bytes after the makespan, at most, in us.
RESULTS_US = {"5x5": 60, "25x25": 150}
# Instructions on the critical path, at most: planning one round, any rounds.
PLANNING = {1: 3000, "auto": 8000}
# Jobs whose planning costs other instructions: bytes, at most.
PLANS = [("lvds, 1 MB", MEGA, {"5x5": 13_000, "25x25": 16_000}),
         ("lvds, 100 kB", 100 * KILO, {"5x5": 10_000, "25x25": 12_000})]
LOADS = {"5x5": [("lvds", MEGA), ("lvds", 8 * MEGA), ("t3d", MEGA),
                 ("t3d", 8 * MEGA)],
         "25x25": [("lvds", 8 * MEGA), ("lvds", MEGA), ("t3d", MEGA),
                   ("t3d", 8 * MEGA)]}
MAKESPANS = "{:35} {:>9} {:>15}  {}"
ROUNDS_GAIN = {"5x5": None, "25x25": Fraction(1, 4)}  # at least


def spin(bench, size, profile, bytes_, rounds=1):
    return bench.told("run", *job(size, profile, bench.load(bytes_),
                                  "--rounds", rounds))


def watched(*words, **options):
    """A run with its wall time, and its peak of memory if that is asked for."""
    log(" ", *words)
    done = mesh.Watched(*words, **options)
    if done.returncode != 0:
        fail(f"{words} failed:\n{done.stderr}")
    return done


def makespan_row(bench, size, profile, bytes_, rounds=1):
    report = spin(bench, size, profile, bytes_, rounds)
    measured, rounds = report["measured"], report["plan"]["rounds"]
    overhead = measured["overhead_vs_plan"]
    spread = measured["spread_ps"] / measured["makespan_ps"]
    bench.table.row(
        f"{report['mesh']['nodes']} boards, {profile}, {bytes_ // MEGA} MB"
        + f", {rounds} rounds" * (rounds > 1), f"{overhead:+.3%}",
        f"{spread:.3%}", bench.table.verdict(
            True, -0.001 <= overhead <= 0.01 and spread <= 0.01))


def makespan_lines(bench):
    """What software costs beside the plan, which is -0.1 to 1 %; and how far
    finish times are apart, which is 1 % at most."""
    bench.table.headings("makespan vs plan, -0.1 .. +1 %", "measured",
                         "spread, <= 1 %", "met", shape=MAKESPANS)
    for size in bench.sizes():
        for which in [*LOADS[size], ("t3d", MEGA, "auto")]:
            makespan_row(bench, size, *which)


def rounds_lines(bench, size):
    """What several rounds gain over one, as planned and as measured; what comes
    before the scatter and after the makespan."""
    table, least = bench.table, ROUNDS_GAIN[size]
    reports = {rounds: spin(bench, size, "t3d", MEGA, rounds)
               for rounds in PLANNING}
    name = f"{reports[1]['mesh']['nodes']} boards, t3d, 1 MB"
    planned, measured = (
        1 - Fraction(reports["auto"][part]["makespan_ps"],
                     reports[1][part]["makespan_ps"])
        for part in ("plan", "measured"))
    table.line(f"{name}: planned gain of rounds", None,
               f"{float(planned):.2%}")
    table.line(f"{name}: measured gain of rounds",
               f"{float(least):.0%} at least" if least else None,
               f"{float(measured):.2%}", not least or measured >= least)
    table.figure(f"{name}: difference of gains",
                 float(100 * abs(planned - measured)), "{:.2f}", most=2,
                 unit=" points")
    for rounds, most in PLANNING.items():
        table.figure(f"{size} boards, rounds {rounds}: planning, instructions",
                     reports[rounds]["plan"]["planning_ps"]
                     // PS_PER_INSTRUCTION, most=most)
    for name, bytes_, most in PLANS:
        plan = spin(bench, size, "lvds", bytes_, "auto")["plan"]
        table.figure(f"{size} boards, {name}: planning, instructions",
                     plan["planning_ps"] // PS_PER_INSTRUCTION,
                     most=most[size])
    told = reports["auto"]["measured"]
    table.figure(f"{size} boards: results of 8 bytes after makespan",
                 (told["with_results_ps"] - told["makespan_ps"]) / PS_PER_US,
                 "{:.1f}", most=RESULTS_US[size], unit=" us")


def lines(bench):
    makespan_lines(bench)
    bench.table.headings("what", "must be", "measured", "met")
    for size in bench.sizes():
        rounds_lines(bench, size)


# ---- from order to answer ----

def answer_lines(bench):
    bench.table.headings("from order to answer", "must be", "measured", "met")
    for name, least, kernel, arg, bytes_, size, profile in ANSWERS:
        if size in bench.sizes():
            told = bench.measured(*job(size, profile,
                                       bench.load(bytes_, kernel),
                                       kernel=kernel, arg=arg))
            bench.table.figure(f"{name}: answer over one board's",
                               told["answer_speedup"], "{:.4g}", least=least)
    bound_lines(bench)


def bound_lines(bench):
    """Of the best rounds of a plan that is made beforehand: with `--phases`
    nothing goes out ahead of it, and the makespan has no planning in it. The
    bound is compare's, of native nodes: boards only run peters-syska."""
    for size, profile, bytes_, most in BOUNDS:
        if size not in bench.sizes():
            continue
        words = [size, profile, bench.load(bytes_)]
        bound = bench.told("compare", *job(*words, "--on", "native"))
        # What auto takes has the shortest answer, planning included.
        reports = [bench.told("run", *job(*words, "--phases", PHASES[size],
                                          "--rounds", rounds), infeasible=True)
                   for rounds in ROUNDS]
        makespan_ps = min(report["measured"]["makespan_ps"]
                          for report in reports if report is not None)
        bench.table.figure(
            f"{size} boards, {profile}, {bytes_ // KILO} kB: makespan over "
            "bound", makespan_ps / bound["lower_bound"]["makespan_ps"],
            "{:.4f}", most=most)

# SPDX-License-Identifier: Apache-2.0
"""Whole runs of spin 32 and of searches: makespans against plans and bounds,
speed-ups of the answer, and what software, images and repeats take."""
import json
import subprocess
import time
from fractions import Fraction

from measure import KILO, LIMIT_S, MEGA, PS_PER_INSTRUCTION, fail, job, log
import busy
import mesh
import model
import torus

PS_PER_US = 10 ** 6
IMAGE_BYTES = 64 * 1024  # as linker/mps2.ld allows
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
# Runs as (busy, traced): of one job, whose timelines must be equal.
REPEATS = {"5x5": [(False, False), (False, True), (True, False), (True, True),
                   (False, False)],
           "25x25": [(False, False), (True, True)]}
LOADS = {"5x5": [("lvds", MEGA), ("lvds", 8 * MEGA), ("t3d", MEGA),
                 ("t3d", 8 * MEGA)],
         "25x25": [("lvds", 8 * MEGA), ("lvds", MEGA), ("t3d", MEGA),
                   ("t3d", 8 * MEGA)]}
MAKESPANS = "{:35} {:>9} {:>14} {:>15}  {}"
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


def repeat_lines(bench, size):
    """The same job beside busy cores and without, traced and not."""
    profile, bytes_ = LOADS[size][0]
    runs, digests = [], set()
    for is_busy, traced in REPEATS[size]:
        path = bench.folder / "report.json"
        trace = ["--trace", bench.folder / "trace.json"] if traced else []
        with busy.cores(2 if is_busy else 0):
            runs.append(watched(
                "run", *job(size, profile, bench.load(bytes_), "--rounds", 1,
                            "--report", path, *trace),
                memory=is_busy and size != "5x5"))
        digests.add(json.loads(path.read_text())["timeline_sha256"])
    bench.table.line(f"{size}: one timeline in {len(runs)} runs", "1 digest",
                     f"{len(digests)} digest" + "s" * (len(digests) > 1),
                     len(digests) == 1)
    if size == "25x25":
        bench.table.figure("625 boards, 8 MB, boot to report, wall",
                           runs[0].wall_s, "{:.1f}", most=60, unit=" s")
        bench.table.figure("625 boards, peak of memory",
                           runs[1].peak_bytes / 2 ** 30, "{:.2f}", most=12,
                           unit=" GiB")


def bare_makespan(report):
    """The plan that knows the hardware's startup only, in fractions."""
    profile = report["profile"]
    side = report["mesh"]["width"]
    startups = [profile["startup_ps"] + profile["hop_delay_ps"] * (len(
        torus.circuit(side, phase, (0, 0), 0).nodes) - 1)
        for phase in range(1, torus.phases_of(side) + 1)]
    compute = Fraction(report["plan"]["compute_ps_per_unit"])
    transfer = profile["transfer_ps_per_byte"]
    plans = [model.solve(report["load"]["units"], compute,
                         [transfer] * phases, startups[:phases])
             for phases in range(len(startups) + 1)]
    return min(plan.makespan for plan in plans if plan.feasible)


def makespan_row(bench, size, profile, bytes_, rounds=1):
    report = spin(bench, size, profile, bytes_, rounds)
    measured, rounds = report["measured"], report["plan"]["rounds"]
    overhead = measured["overhead_vs_plan"]
    spread = measured["spread_ps"] / measured["makespan_ps"]
    bare = "" if rounds > 1 else format(float(
        measured["makespan_ps"] / bare_makespan(report) - 1), "+.3%")
    bench.table.row(
        f"{report['mesh']['nodes']} boards, {profile}, {bytes_ // MEGA} MB"
        + f", {rounds} rounds" * (rounds > 1), f"{overhead:+.3%}", bare,
        f"{spread:.3%}", bench.table.verdict(
            True, -0.001 <= overhead <= 0.01 and spread <= 0.01))


def makespan_lines(bench):
    """What software costs beside the plan, which is -0.1 to 1 %, and beside one
    of bare hardware; and how far finish times are apart, which is 1 % at
    most."""
    bench.table.headings("makespan vs plan, -0.1 .. +1 %", "measured",
                         "bare hardware", "spread, <= 1 %", "met",
                         shape=MAKESPANS)
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


def compare_lines(bench, profile):
    """Every schedule beside the others: its makespan, and its time from order
    to answer as a ratio to the earliest one's."""
    table = bench.table
    report = bench.told("compare", *job("25x25", profile, bench.load(MEGA)))
    first, *others = report["schedules"]
    name = f"{report['mesh']['nodes']} boards, {profile}, 1 MB"
    bound = {**report["lower_bound"], "schedule": "lower bound", "rounds": 1}
    for entry in [*report["schedules"], bound]:
        table.line(f"{name}: {entry['schedule']}"
                   + f", {entry['rounds']} rounds" * (entry["rounds"] > 1),
                   None, f"{entry['makespan_ps'] / 1e9:.3f} ms, answer "
                   f"{entry.get('ratio', bound['part_of_best']):.3f}")
    ahead = min(entry["makespan_ps"] for entry in others)
    # 1 %: where communication does not matter, all are alike.
    table.line(f"{name}: others' makespans, ratio", "0.99 at least",
               f"{ahead / first['makespan_ps']:.3f}",
               100 * first["makespan_ps"] <= 101 * ahead)


def hop_lines(table, report):
    """From message complete to the first four sends queued, by layer."""
    costs = {}
    for node in report["measured"]["nodes"]:
        if node["layer"] < report["plan"]["phases"]:
            costs.setdefault(node["layer"], []).append(
                (node["hop_ps"] - node["received_ps"]) // PS_PER_INSTRUCTION)
    for layer, values in sorted(costs.items()):
        low, high = min(values), max(values)
        table.line(f"{report['mesh']['nodes']} boards, layer {layer}: "
                   "software of a hop, instructions",
                   "300 aimed at" if layer > 0 else None,
                   f"{low}" if low == high else f"{low} .. {high}",
                   layer == 0 or high <= 300, aim=True)


def image_bytes(firmware):
    """Bytes of text and data."""
    words = subprocess.run(
        ["arm-none-eabi-size", str(firmware)], check=True, timeout=LIMIT_S,
        capture_output=True, text=True).stdout.splitlines()[1].split()
    return int(words[0]) + int(words[1])


def image_lines(bench):
    make = ["make", "-s", "-C", mesh.ROOT]
    build = bench.folder / "records"
    alone = build / "mps2_an385" / "firmware.elf"
    subprocess.run([*make, f"BUILD={build}", "KERNELS=records", alone],
                   check=True, timeout=LIMIT_S, stdout=subprocess.DEVNULL)
    for kernels, image in (("all kernels", mesh.FIRMWARE),
                           ("records only", alone)):
        bench.table.figure(f"image with {kernels}: text and data, bytes",
                           image_bytes(image), most=IMAGE_BYTES)
    stack = spin(bench, "5x5", "lvds", MEGA)["measured"]["stack"]
    bench.table.figure("stack: most used by a board, bytes",
                       stack["used_bytes"], most=stack["bytes"])


def make_run_line(bench):
    """As a user types it, everything built."""
    quiet = {"check": True, "timeout": LIMIT_S, "stdin": subprocess.DEVNULL,
             "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for _ in range(2):
        start = time.monotonic()
        subprocess.run(["make", "-s", "-C", mesh.ROOT, "run"], **quiet)
    bench.table.figure("25 boards, `make run`, wall",
                       time.monotonic() - start, "{:.1f}", most=10, unit=" s")


def conflict_lines(bench):
    """In one round none may wait for another; in several they may."""
    runs = [report for key, report in bench.known.items()
            if key[0] == "run" and "spin" in key]
    for several in (False, True):
        reports = [report for report in runs
                   if (report["plan"]["rounds"] > 1) == several]
        conflicts = sum(report["network"]["circuit_conflicts"]
                        for report in reports)
        bench.table.line(f"circuit conflicts in all {len(reports)} runs of "
                         + ("several rounds" if several else "one round"),
                         None if several else "0", str(conflicts),
                         several or conflicts == 0)


def lines(bench):
    makespan_lines(bench)
    bench.table.headings("what", "must be", "measured", "met")
    make_run_line(bench)
    for size in bench.sizes():
        repeat_lines(bench, size)
        hop_lines(bench.table, spin(bench, size, *LOADS[size][0]))
        rounds_lines(bench, size)
    if bench.large:
        for profile in ("lvds", "t3d"):
            compare_lines(bench, profile)
    conflict_lines(bench)
    image_lines(bench)


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

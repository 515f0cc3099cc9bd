# SPDX-License-Identifier: Apache-2.0
"""Measures every promised number, and tells which are met.

Exit status 0 if all could be measured: what misses its goal is marked NO in the
table. `--quick` leaves 625 boards out; `--markdown` prints a table in Markdown.
A plain run of everything also writes its lines into test/bench/README.md.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import answers  # noqa: E402
import boot  # noqa: E402
import busy  # noqa: E402
import chip  # noqa: E402
import choices  # noqa: E402
import host_speed  # noqa: E402
import job_bench  # noqa: E402
import mesh  # noqa: E402
import model  # noqa: E402  (of the oracle, whose path mesh adds)
import page  # noqa: E402
import planner  # noqa: E402
import policies  # noqa: E402
import ranks  # noqa: E402
import references  # noqa: E402
import relay  # noqa: E402
import torus  # noqa: E402

PS_PER_INSTRUCTION = 32_000
MEGA = 10 ** 6
IMAGE_BYTES = 64 * 1024  # as linker/mps2.ld allows
SPIN = "32"


class Table:
    """Lines of: what, must be, measured, met. `must` None: for reading. Or
    of other columns, where headings() says so."""

    SHAPE = "{:55} {:16} {:>19}  {}"

    def __init__(self, markdown):
        self.markdown = markdown
        self.missed = 0
        self.shape = self.SHAPE
        self.lines = []  # as printed

    def print(self, line=""):
        self.lines.append(line)
        print(line, flush=True)

    def headings(self, *words, shape=SHAPE):
        if self.lines:
            self.print()
        self.shape = shape
        self.row(*words)
        if self.markdown:
            self.print("|" + "---|" * len(words))

    def row(self, *words):
        if self.markdown:
            self.print("| " + " | ".join(words) + " |")
        else:
            self.print(self.shape.format(*words).rstrip())

    def verdict(self, must, met, aim=False):
        """Whether it is met, in words; what is not is counted."""
        self.missed += not met and not aim
        return ("yes" if met else "NO") if must else ""

    def line(self, what, must, measured, met=True, aim=False):
        """An aim is shown as a goal is, and not counted when it is missed."""
        self.row(what, must or "", measured, self.verdict(must, met, aim))


def log(*words):
    print(*words, file=sys.stderr, flush=True)


class Bench:
    """All runs."""

    def __init__(self, table, folder):
        self.table = table
        self.folder = folder
        self.reports = []
        self.known = {}

    def load(self, bytes_):
        path = self.folder / f"load-{bytes_}"
        if not path.exists():
            mesh.zeros(path, bytes_)
        return path

    def words(self, size, profile, bytes_, *args):
        """Of a command that runs a job."""
        return ["--json", "--mesh", size, "--kernel", "spin", "--arg",
                SPIN, "--profile", profile, *args, self.load(bytes_)]

    def run(self, size, profile, bytes_, *args, rounds=1, memory=False):
        """The report, and the run's wall time and peak of memory."""
        log(f"  {size} {profile} {bytes_} bytes, rounds {rounds} ...")
        watched = mesh.Watched("run", "--rounds", rounds,
                               *self.words(size, profile, bytes_, *args),
                               memory=memory)
        if watched.returncode != 0:
            sys.exit(f"bench: a run failed:\n{watched.stderr}")
        report = json.loads(watched.stdout)
        self.reports.append(report)
        self.known[size, profile, bytes_, rounds] = report
        return report, watched

    def report(self, size, profile, bytes_, rounds=1):
        """Of a run that was made already, or of one made now."""
        report = self.known.get((size, profile, bytes_, rounds))
        return report or self.run(size, profile, bytes_, rounds=rounds)[0]

    def repeat(self, size, profile, bytes_, schedule):
        """Runs as the schedule says: (busy, traced) each; all of them."""
        results = []
        for is_busy, traced in schedule:
            trace = (["--trace", self.folder / "trace.json"] if traced
                     else [])
            with busy.cores(2 if is_busy else 0):
                results.append(self.run(size, profile, bytes_, *trace,
                                        memory=is_busy and size != "5x5"))
        digests = {report["timeline_sha256"] for report, _ in results}
        self.table.line(
            f"{size}: one timeline in {len(results)} runs", "1 digest",
            f"{len(digests)} digest" + "s" * (len(digests) > 1),
            len(digests) == 1)
        return results


def bare_makespan(report):
    """The plan that knows the hardware's startup only, in fractions."""
    profile = report["profile"]
    side = report["mesh"]["width"]
    startups = []
    for phase in range(1, torus.phases_of(side) + 1):
        hops = len(torus.circuit(side, phase, (0, 0), 0).nodes) - 1
        startups.append(profile["startup_ps"]
                        + profile["hop_delay_ps"] * hops)
    compute = Fraction(report["plan"]["compute_ps_per_unit"])
    transfer = profile["transfer_ps_per_byte"]
    plans = [model.solve(report["load"]["units"], compute,
                         [transfer] * phases, startups[:phases])
             for phases in range(len(startups) + 1)]
    return min(plan.makespan for plan in plans if plan.feasible)


def makespan_lines(table, report):
    measured = report["measured"]
    name = (f"{report['mesh']['nodes']} boards, "
            f"{report['profile']['name']}, "
            f"{report['load']['bytes'] // MEGA} MB")
    rounds = report["plan"]["rounds"]
    if rounds > 1:
        name += f", {rounds} rounds"
    overhead = measured["overhead_vs_plan"]
    table.line(f"{name}: makespan vs plan", "-0.1 .. +1 %",
               f"{overhead:+.3%}", -0.001 <= overhead <= 0.01)
    if rounds == 1:
        bare = Fraction(measured["makespan_ps"]) / bare_makespan(report) - 1
        table.line(f"{name}: vs plan of bare hardware", None,
                   f"{float(bare):+.3%}")
    spread = Fraction(measured["spread_ps"], measured["makespan_ps"])
    table.line(f"{name}: spread of finish times", "1 % at most",
               f"{float(spread):.3%}", spread <= Fraction(1, 100))


def percent(value):
    return f"{float(value):.2%}"


def rounds_lines(bench, table, size, least=None):
    """What several rounds gain over one, as planned and as measured."""
    one, several = (bench.report(size, "t3d", MEGA, rounds)
                    for rounds in (1, "auto"))
    makespan_lines(table, several)
    name = f"{one['mesh']['nodes']} boards, t3d, 1 MB"
    planned, measured = (
        1 - Fraction(several[part]["makespan_ps"], one[part]["makespan_ps"])
        for part in ("plan", "measured"))
    table.line(f"{name}: planned gain of rounds", None, percent(planned))
    table.line(f"{name}: measured gain of rounds",
               f"{float(least):.0%} at least" if least else None,
               percent(measured), not least or measured >= least)
    apart = abs(planned - measured)
    table.line(f"{name}: difference of gains", "2 points at most",
               f"{float(100 * apart):.2f} points",
               apart <= Fraction(2, 100))
    for rounds, report in (("1", one), ("auto", several)):
        planning = report["plan"]["planning_ps"] // PS_PER_INSTRUCTION
        most = torus.phases_of(report["mesh"]["width"])
        table.line(f"planning, N <= {most}, rounds {rounds}, instructions",
                   None, f"{planning}")


def compare_lines(bench, table, size, profile):
    """Every schedule beside the others: its makespan, and its time from order
    to answer as a ratio to the earliest one's."""
    log(f"  compare {size} {profile} ...")
    done = mesh.command("compare", *bench.words(size, profile, MEGA),
                        timeout=900)
    if done.returncode != 0:
        sys.exit(f"bench: compare failed:\n{done.stderr}")
    report = json.loads(done.stdout)
    first, *others = report["schedules"]
    name = f"{report['mesh']['nodes']} boards, {profile}, 1 MB"
    for entry in report["schedules"]:
        several = entry["rounds"] > 1
        table.line(f"{name}: {entry['schedule']}"
                   + f", {entry['rounds']} rounds" * several, None,
                   f"{entry['makespan_ps'] / 1e9:.3f} ms, "
                   f"answer {entry['ratio']:.3f}")
    bound = report["lower_bound"]
    table.line(f"{name}: lower bound", None,
               f"{bound['makespan_ps'] / 1e9:.3f} ms, "
               f"answer {bound['part_of_best']:.3f}")
    ahead = min(entry["makespan_ps"] for entry in others)
    # 1 %: where communication does not matter, all are alike.
    table.line(f"{name}: others' makespans, ratio", "0.99 at least",
               f"{ahead / first['makespan_ps']:.3f}",
               100 * first["makespan_ps"] <= 101 * ahead)


def simulate_line(table):
    log("  simulate 5^10 nodes ...")
    watched = mesh.Watched("simulate", "--torus", "3125", "--load", "1G",
                           "--startup", "4.85us", "--transfer", "3.3ns",
                           "--compute", "1us")
    if watched.returncode != 0:
        sys.exit(f"bench: simulate failed:\n{watched.stderr}")
    table.line("simulate 5^10 nodes, wall", None,
               f"{watched.wall_s:.1f} s")
    table.line("simulate 5^10 nodes, peak of memory", None,
               f"{watched.peak_bytes / 2 ** 30:.2f} GiB")


def hop_lines(table, report):
    """From message complete to the first four sends queued, by layer."""
    costs = {}
    for node in report["measured"]["nodes"]:
        if node["layer"] < report["plan"]["phases"]:
            ps = node["hop_ps"] - node["received_ps"]
            costs.setdefault(node["layer"], []).append(
                ps // PS_PER_INSTRUCTION)
    for layer, values in sorted(costs.items()):
        low, high = min(values), max(values)
        shown = f"{low}" if low == high else f"{low} .. {high}"
        table.line(f"{report['mesh']['nodes']} boards, layer {layer}: "
                   "software of a hop, instructions",
                   "300 aimed at" if layer > 0 else None, shown,
                   layer == 0 or high <= 300, aim=True)


def image_bytes(firmware):
    """Text and data."""
    words = subprocess.run(
        ["arm-none-eabi-size", str(firmware)], check=True, timeout=60,
        capture_output=True, text=True).stdout.splitlines()[1].split()
    return int(words[0]) + int(words[1])


def image_with(folder, kernel):
    """Of an image with one kernel."""
    build = folder / kernel
    firmware = build / "mps2_an385" / "firmware.elf"
    log(f"  an image with {kernel} only ...")
    subprocess.run(["make", "-s", "-C", str(mesh.ROOT), f"BUILD={build}",
                    f"KERNELS={kernel}", str(firmware)], check=True,
                   timeout=300, stdout=subprocess.DEVNULL)
    return image_bytes(firmware)


def image_lines(bench, table, report):
    for kernels, flash in (
            ("all kernels", image_bytes(mesh.FIRMWARE)),
            ("records only", image_with(bench.folder, "records"))):
        table.line(f"image with {kernels}: text and data, bytes",
                   f"{IMAGE_BYTES} at most", f"{flash}", flash <= IMAGE_BYTES)
    stack = report["measured"]["stack"]
    used, size = stack["used_bytes"], stack["bytes"]
    table.line("stack: most used by a board, bytes", f"{size} at most",
               f"{used}", used < size)


def make_run_line(table):
    """As a user types it, everything built."""
    make = ["make", "-s", "-C", str(mesh.ROOT), "run"]
    quiet = {"check": True, "timeout": 600, "stdin": subprocess.DEVNULL,
             "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    log("  make run ...")
    subprocess.run(make, **quiet)
    start = time.monotonic()
    subprocess.run(make, **quiet)
    wall_s = time.monotonic() - start
    table.line("25 boards, `make run`, wall", "10 s at most",
               f"{wall_s:.1f} s", wall_s < 10)


def small(bench, table):
    make_run_line(table)
    schedule = [(False, False), (False, True), (True, False), (True, True),
                (False, False)]
    (first, _), *_ = bench.repeat("5x5", "lvds", MEGA, schedule)
    reports = [first] + [bench.run("5x5", profile, bytes_)[0]
                         for profile, bytes_ in [("lvds", 8 * MEGA),
                                                 ("t3d", MEGA),
                                                 ("t3d", 8 * MEGA)]]
    for report in reports:
        makespan_lines(table, report)
    hop_lines(table, first)
    rounds_lines(bench, table, "5x5")
    simulate_line(table)
    return first


def large(bench, table):
    (first, quiet), (_, busy) = bench.repeat(
        "25x25", "lvds", 8 * MEGA, [(False, False), (True, True)])
    table.line("625 boards, 8 MB, boot to report, wall", "60 s at most",
               f"{quiet.wall_s:.1f} s", quiet.wall_s < 60)
    gib = busy.peak_bytes / 2 ** 30
    table.line("625 boards, peak of memory", "12 GiB at most",
               f"{gib:.2f} GiB", 0 < gib < 12)
    reports = [first] + [bench.run("25x25", profile, bytes_)[0]
                         for profile, bytes_ in [("lvds", MEGA),
                                                 ("t3d", MEGA),
                                                 ("t3d", 8 * MEGA)]]
    for report in reports:
        makespan_lines(table, report)
    hop_lines(table, first)
    rounds_lines(bench, table, "25x25", Fraction(1, 4))
    for profile in ("lvds", "t3d"):
        compare_lines(bench, table, "25x25", profile)


def conflict_lines(bench, table):
    """In one round none may wait for another; in several they may."""
    for several in (False, True):
        reports = [report for report in bench.reports
                   if (report["plan"]["rounds"] > 1) == several]
        conflicts = sum(report["network"]["circuit_conflicts"]
                        for report in reports)
        table.line("circuit conflicts in all " + str(len(reports)) + " runs "
                   + ("of several rounds" if several else "of one round"),
                   None if several else "0", str(conflicts),
                   several or conflicts == 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true",
                        help="leave out 625 boards")
    parser.add_argument("--kernels", action="store_true",
                        help="of these lines only")
    parser.add_argument("--markdown", action="store_true",
                        help="print a Markdown table")
    options = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        table = Table(options.markdown)
        bench = Bench(table, pathlib.Path(folder))
        references.lines(bench, table)
        job_bench.lines(bench, table, not options.quick)
        if options.kernels:
            return
        first = small(bench, table)
        if not options.quick:
            large(bench, table)
        host_speed.lines(table, folder)
        conflict_lines(bench, table)
        image_lines(bench, table, first)
        relay.lines(table)
        planner.lines(table)
        answers.lines(table, folder, not options.quick)
        choices.lines(table, folder)
        policies.lines(table, folder)
        ranks.lines(table, folder, not options.quick)
        boot.lines(table, ["5x5"] if options.quick else ["5x5", "25x25"])
        boards = len(table.lines)
        table.headings("what", "must be", "measured", "met")
        chip.lines(table)
    if not options.quick and not options.markdown:
        where = page.where(mesh.ROOT, mesh.QEMU)
        page.write("bench", [where, "", *table.lines[:boards]])
        page.write("chip", [where, "", *table.lines[boards:]])
    log(f"bench: {time.monotonic() - start:.0f} s, "
        f"{table.missed} goals missed (NO)")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""From order to answer: speed-ups over one board's answer, makespans over the
bound that no plan passes, and what planning and results take.

usage: answers.py [--quick], which leaves 625 boards out"""
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "lib")]

import mesh  # noqa: E402

KILO, MEGA = 10 ** 3, 10 ** 6
PS_PER_INSTRUCTION = 32_000
PS_PER_US = 10 ** 6
PATTERN = "free software"
LICENSES = mesh.BUILD / "licenses.txt"

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
# Instructions on the critical path: planning one round, any rounds.
PLANNING = {"5x5": (3000, 8000), "25x25": (3000, 8000)}


def log(*words):
    print(*words, file=sys.stderr, flush=True)


def load_of(folder, kernel, bytes_):
    """Zeros for a kernel that does not look at them, else English."""
    if bytes_ is None:
        return LICENSES
    path = folder / f"{kernel}-{bytes_}"
    if path.exists():
        return path
    if kernel == "spin":
        return mesh.zeros(path, bytes_)
    english = LICENSES.read_bytes()
    path.write_bytes((english * (bytes_ // len(english) + 1))[:bytes_])
    return path


def words_of(folder, kernel, arg, bytes_, size, profile, *options):
    """Of a command with this job."""
    argument = [] if arg is None else ["--arg", arg]
    return ["--json", "--mesh", size, "--kernel", kernel, *argument,
            "--profile", profile, *options, load_of(folder, kernel, bytes_)]


def told_by(command, words):
    """What the command prints, or None where so many rounds are infeasible, or
    have no plan on such a torus."""
    log(f"  {command}", *words[1:-1], words[-1].name, "...")
    done = mesh.command(command, *words, timeout=900)
    if done.returncode == 0:
        return json.loads(done.stdout)
    if "infeasible" in done.stderr or "must be 1 or auto" in done.stderr:
        return None
    sys.exit(f"bench: a {command} failed:\n{done.stderr}")


def answer_lines(table, folder, large):
    for name, least, *job in ANSWERS:
        if job[3] == "25x25" and not large:
            continue
        measured = told_by("run", words_of(folder, *job))["measured"]
        speedup = measured["answer_speedup"]
        table.line(f"{name}: answer over one board's", f"{least} at least",
                   f"{speedup:.4g}", speedup >= least)


def bound_lines(table, folder, large):
    """Of the best rounds of a plan that is made beforehand: with `--phases`
    nothing goes out ahead of it, and the makespan has no planning in it. The
    bound is compare's, of native nodes: boards only run peters-syska."""
    for size, profile, bytes_, most in BOUNDS:
        if size == "25x25" and not large:
            continue
        job = words_of(folder, "spin", "32", bytes_, size, profile)
        bound_ps = told_by("compare", ["--on", "native", *job])["lower_bound"]
        # What auto takes has the shortest answer, planning included.
        reports = [told_by("run", ["--phases", PHASES[size], "--rounds", rounds,
                                   *job]) for rounds in ROUNDS]
        makespan_ps = min(report["measured"]["makespan_ps"]
                          for report in reports if report is not None)
        ratio = makespan_ps / bound_ps["makespan_ps"]
        table.line(f"{size} boards, {profile}, {bytes_ // KILO} kB: makespan "
                   "over bound", f"{most} at most", f"{ratio:.4f}",
                   ratio <= most)


def software_lines(table, folder, large):
    """What comes before the scatter and after the makespan."""
    for size in ["5x5", "25x25"] if large else ["5x5"]:
        for rounds, most in zip((1, "auto"), PLANNING[size]):
            report = told_by("run", words_of(
                folder, "spin", "32", MEGA, size, "t3d", "--rounds", rounds))
            measured = report["measured"]
            planning = report["plan"]["planning_ps"] // PS_PER_INSTRUCTION
            table.line(f"{size} boards, rounds {rounds}: planning, "
                       "instructions", f"{most} at most", f"{planning}",
                       planning <= most)
        late_us = (measured["with_results_ps"]
                   - measured["makespan_ps"]) / PS_PER_US
        most = RESULTS_US[size]
        table.line(f"{size} boards: results of 8 bytes after makespan",
                   f"{most} us at most", f"{late_us:.1f} us", late_us <= most)


def lines(table, folder, large):
    folder = pathlib.Path(folder)
    table.headings("from order to answer", "must be", "measured", "met")
    answer_lines(table, folder, large)
    software_lines(table, folder, large)
    bound_lines(table, folder, large)


if __name__ == "__main__":
    import bench

    printed = bench.Table(False)
    with tempfile.TemporaryDirectory() as name:
        lines(printed, name, "--quick" not in sys.argv[1:])

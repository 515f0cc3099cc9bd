# SPDX-License-Identifier: Apache-2.0
"""What faults cost: nodes that die at random times, that are dead before the
job, that hang; jobs that are killed and resumed; and what is paid when nothing
fails."""
import random
import statistics
import subprocess
import time

from measure import KILO, MEGA, fail, job
import mesh

SEED = 39
PS_PER_S = 10 ** 12
COMPUTE_PS = 32 * 32_000  # of a unit of spin 32
PROFILES = {"t3d": 3300, "lvds": 80_000}  # and ps a byte
# Size, deaths, nodes, mean and worst growth of the makespan at most.
DEATHS = [("5x5", 100, .085, .25), ("25x25", 100, .025, .25)]
# Answers of spin 32 on 5x5 native nodes, ps, as they were before jobs survived
# faults. Bytes, profile.
BEFORE = {(100 * KILO, "t3d"): 4_183_947_444,
          (MEGA, "t3d"): 41_586_556_176,
          (8 * MEGA, "t3d"): 332_689_710_192,
          (100 * KILO, "lvds"): 4_225_062_328,
          (MEGA, "lvds"): 41_626_542_808,
          (8 * MEGA, "lvds"): 332_745_007_072}


def nodes_of(size):
    width, height = map(int, size.split("x"))
    return [(x, y) for x in range(width) for y in range(height)][1:]


def told(bench, size, profile, *words, rounds=1, bytes_=8 * MEGA):
    return bench.told("run", *job(size, profile, bench.load(bytes_), "--on",
                                  "native", "--rounds", rounds, *words))


def growth(report, plain):
    """Of the makespan, with all waves."""
    after = report.get("recovery", report["measured"])["makespan_ps"]
    return after / plain["measured"]["makespan_ps"] - 1


def by_chance(bench, size, profile, kind, count):
    """Seed and report of so many jobs, in each of which one node dies."""
    plain = told(bench, size, profile)
    for seed in range(count):
        rng = random.Random(f"{SEED} {size} {seed}")
        x, y = rng.choice(nodes_of(size))
        time_ps = rng.randrange(plain["measured"]["makespan_ps"])
        report = told(bench, size, profile, "--inject",
                      f"{kind}@{x},{y}@{time_ps}ps")
        if report["result"] != plain["result"]:
            fail("seed", seed, "another result")
        yield f"{kind}@{x},{y}@{time_ps // MEGA}us", report, plain


def worst_and_mean(bench, what, values, mean, worst):
    """A line for the mean and one for the worst, with what it was."""
    bench.table.figure(f"{what}: mean", statistics.mean(
        100 * value for value, _ in values), "{:.2f}", 100 * mean, unit=" %")
    value, name = max(values)
    bench.table.figure(f"  worst, {name}", 100 * value, "{:.1f}", 100 * worst,
                       unit=" %")


def death_lines(bench):
    for size, count, mean, worst in DEATHS:
        for profile in PROFILES:
            values = [(growth(report, plain), name) for name, report, plain
                      in by_chance(bench, size, profile, "die", count)]
            worst_and_mean(bench, f"one of {len(nodes_of(size)) + 1} dies, "
                           f"{profile}, makespan longer", values, mean, worst)


def missing_lines(bench):
    """What the originator's ports and 24 nodes need is the bound."""
    for profile, transfer_ps in PROFILES.items():
        bound_ps = 8 * MEGA * max(COMPUTE_PS / 24, 1 / (
            1 / COMPUTE_PS + 4 / transfer_ps))
        found = max(
            (told(bench, "5x5", profile, "--inject", f"die@{x},{y}@0",
                  rounds="auto")["measured"]["makespan_ps"] / bound_ps,
             f"{x},{y}") for x, y in nodes_of("5x5"))
        bench.table.figure(f"dead before the job, {profile}, of the bound: "
                           f"worst, {found[1]}", found[0], "{:.3f}", 1.05)


def hang_lines(bench):
    for profile in PROFILES:
        found = max((report["measured"]["answer_ps"]
                     / (5 * plain["measured"]["answer_ps"] + PS_PER_S), name)
                    for name, report, plain in by_chance(
                        bench, "5x5", profile, "hang", 100))
        bench.table.figure(
            f"one of 25 hangs, {profile}, answer of 5 planned + 1 s: worst, "
            f"{found[1]}", found[0], "{:.3f}", 1)


def subtree_lines(bench):
    """A node dies while all compute: what its own subtree has is lost. The
    pattern's layers have one volume each, but for a unit."""
    for size, count in ("5x5", 24), ("25x25", 100):
        for profile in PROFILES:
            plain = told(bench, size, profile)
            nodes = plain["measured"]["nodes"]
            volume = {one["layer"]: one["volume_units"]
                      for one in plain["plan"]["layers"]}
            start, end = (f(one[name] for one in nodes) for f, name in (
                (max, "compute_start_ps"), (min, "finished_ps")))
            chosen = random.Random(SEED).sample(
                [one for one in nodes if one["layer"] > 0], count)
            found = []
            for one in chosen:
                when = plain["measured"]["preparing_ps"] + (start + end) // 2
                at = f"{one['x']},{one['y']}"
                report = told(bench, size, profile, "--inject",
                              f"die@{at}@{when}ps")
                found.append((report["recovery"]["units"]
                              / (volume[one["layer"]] + 1), at))
            bench.table.figure(
                f"units lost of the subtree's, {len(nodes)} nodes, {profile}: "
                f"worst, {max(found)[1]}", max(found)[0], "{:.3f}", 1)


def repeated_s(words, kept, until_s):
    """Starts a run, kills it after so long, and tells how many seconds of its
    work no checkpoint has."""
    start = time.time()
    with subprocess.Popen(words, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        time.sleep(until_s)
        end = time.time()
        process.kill()
    return end - (kept.stat().st_mtime if kept.exists() else start)


def resumed_lines(bench):
    """16 batches on boards, killed at 20 times. The host's own time counts, so
    nothing else may run."""
    rng, worst_s, exact = random.Random(SEED), 0, 0
    kept = bench.folder / "kept"
    words = [mesh.QUINCUNX, "run", "--json", *map(str, job(
        "5x5", "t3d", bench.load(8 * MEGA), "--batch", "500000",
        "--checkpoint", kept, arg="400,1/50", kernel="spin")),
             "-o", str(bench.folder / "out")]
    start = time.monotonic()
    subprocess.run(words, capture_output=True, check=True)
    whole_s = time.monotonic() - start
    plain = (bench.folder / "out").read_bytes()
    for _ in range(20):
        worst_s = max(worst_s, repeated_s(words, kept, rng.uniform(0, whole_s)))
        subprocess.run(words, capture_output=True, check=True)
        exact += (bench.folder / "out").read_bytes() == plain
    bench.table.figure("16 batches, killed at 20 random times: exact", exact,
                       least=20)
    bench.table.figure("  most that is repeated, of a batch and a second",
                       worst_s / (1 + whole_s / 16), "{:.2f}", 1)


def before_lines(bench):
    for (bytes_, profile), before_ps in BEFORE.items():
        now_ps = told(bench, "5x5", profile, rounds="auto",
                      bytes_=bytes_)["measured"]["answer_ps"]
        bench.table.figure(
            f"nothing fails, {bytes_ // KILO} kB, {profile}: later than before",
            100 * (now_ps / before_ps - 1), "{:.3f}", .3, unit=" %")


def lines(bench):
    bench.table.headings("when boards die (spin 32, 8 MB)", "must be",
                         "measured", "met", shape="{:70} {:14} {:>10}  {}")
    before_lines(bench)
    death_lines(bench)
    missing_lines(bench)
    hang_lines(bench)
    subtree_lines(bench)
    resumed_lines(bench)

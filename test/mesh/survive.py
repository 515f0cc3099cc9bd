#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random faults during random jobs: `make faults SEEDS=1000`.

Each seed draws a mesh, a kernel with its load, a schedule, and one to five nodes
and up to five links that die at random times. Result and output must be those
of the kernel's twin, no node that lives may be called dead, and the same
command line must do the same again. Every tenth seed runs on boards. Prints a
line for each seed that fails, and how many passed.
"""
import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import traceback
from unittest import mock

import hypothesis
import hypothesis.strategies as st

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import any_job  # noqa: E402

PORTS = "east", "north", "west", "south"
# Kernels whose answers tell which units were computed are drawn most.
KERNELS = [any_job.stats] * 5 + [any_job.search] * 2 + [any_job.spin] * 2 + [
    any_job.records, any_job.dictionary, any_job.fir, any_job.conv,
    any_job.matvec, any_job.channels]
SCHEDULES = ["peters-syska"] * 5 + [*any_job.SHARES[1:], "farm", "farm",
                                    "hybrid"]
SIZES = {"native": [(5, 5)] * 3 + [(6, 4), (7, 5), (8, 6), (9, 9)],
         "qemu": [(5, 5), (5, 5), (4, 3)]}
BOARDS_EACH = 10  # one of so many seeds runs on boards
SAID_EACH = 50


def large(draw, most):
    """Units of a load of which every node gets some."""
    return draw(st.integers(most, 8 * most))


def task_of(kernel, seed):
    """A kernel's task, the same whenever it is drawn by this seed."""
    found = []

    @hypothesis.seed(seed)
    @hypothesis.settings(max_examples=3, database=None, deadline=None,
                         phases=[hypothesis.Phase.generate],
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(st.composite(
        lambda draw: kernel(draw, random.Random(seed), 1))())
    def keep(task):
        found.append(task)

    with mock.patch.object(any_job, "sizes", large):
        keep()
    return found[-1]


def draw(seed, on):
    """A job without faults, and the generator that draws the rest."""
    rng = random.Random(seed)
    task = task_of(rng.choice(KERNELS), seed)
    schedule = rng.choice(SCHEDULES)
    size = (5, 5) if schedule == "hybrid" else rng.choice(SIZES[on])
    options = {"profile": rng.choice(["t3d", "lvds"]), "rounds": "auto"}
    if schedule in ("peters-syska", "nearest", "star"):
        options["rounds"] = rng.choice([1, 1, 2, 5, "auto"])
    if schedule == "farm":
        options["installment"] = rng.choice([1, 4, 50])
        if task.outputs is None:
            options["levels"] = rng.choice(["auto", 1, 2])
    if schedule == "hybrid" and rng.random() < .5:
        options["reserve"] = rng.randint(5, 60)
    if task.suffix is not None and rng.random() < .2:
        units = len(task.loads[0]) // task.unit
        options["batch"] = max(1, units // rng.randint(2, 4))
    if task.unit > 1:
        options["unit"] = task.unit
    place = rng.randrange(size[0]), rng.randrange(size[1])
    return any_job.Job(task, size, [place], on, options, {}, {}, {}, set(),
                       schedule), rng


def faults(job, rng, answer_ps):
    """{("die", x, y) or ("cut", x, y, port): time in ps}."""
    def when():
        return 0 if rng.random() < .1 else rng.randrange(
            1, int(1.1 * answer_ps))

    nodes = [(x, y) for x in range(job.size[0]) for y in range(job.size[1])]
    if rng.random() < .5:  # the originator, more often than others
        nodes += job.places * (len(nodes) // 3)
    found = {(rng.choice(["die", "die", "hang", "fault"]), *at): when()
             for at in dict.fromkeys(rng.sample(nodes, rng.randint(1, 5)))}
    for _ in range(rng.randint(0, 5)):
        found["cut", *rng.choice(nodes), rng.choice(PORTS[:2])] = when()
    return found


def check_the_living(report, ordered):
    """Who is called dead was ordered to be, and is named with its time."""
    for fault in report.get("faults", []):
        assert any(fault["when_ps"] == time_ps and at[1:3] == (
            fault["x"], fault["y"]) and at[3:] == (
                (fault["port"],) if fault["what"] == "link" else ())
                   for at, time_ps in ordered.items()), fault


def check_losses(report):
    """Faults are found after they happen; what was lost counts for one."""
    told = report.get("faults", [])
    assert all(one["how"] == "ordered" or one["when_ps"] <= one.get(
        "found_ps", one["when_ps"]) for one in told), told
    assert sum(one["units"] for one in told) == report.get(
        "recovery", {"units": 0})["units"], told


def run(job, folder, injections=()):
    """Words and the finished run, with as many rounds as the load allows."""
    words = [*any_job.words_of(job, folder), "--quiet", *injections]
    done = any_job.Run(words, folder)
    if done.status == 1 and "infeasible" in done.stderr:
        job.options["rounds"] = "auto"
        return run(job, folder, injections)
    assert (done.status, done.stderr) == (0, ""), (words, done.stderr)
    return words, done


def survives(seed, folder, on):
    """The report of a job with faults, all of which is checked."""
    job, rng = draw(seed, on)
    plain = json.loads(run(job, folder)[1].stdout)
    ordered = faults(job, rng, plain["measured"]["answer_ps"])
    injections = [f"{kind}@{','.join(map(str, at))}@{time_ps}ps"
                  for (kind, *at), time_ps in ordered.items()]
    words, first = run(job, folder, [word for one in injections
                                     for word in ("--inject", one)])
    report = json.loads(first.stdout)
    any_job.check_results(job, report, first.outputs)
    check_the_living(report, ordered)
    check_losses(report)
    any_job.check_it_is_repeated(first, any_job.Run(words, folder))
    return report


def trial(seed, on="native"):
    """The report, and None or what went wrong."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return survives(seed, pathlib.Path(folder), on), None
        except (AssertionError, subprocess.TimeoutExpired):
            job, _ = draw(seed, on)
            return None, (f"{on} {job.size} {job.task.kernel} "
                          f"{job.task.arg[:40]} {job.schedule} {job.options} "
                          + traceback.format_exc()[-2000:])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--on", choices=["native", "qemu"],
                        help="all there; else one of ten on boards")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def main():
    options = arguments()
    print(f"seeds {options.first} to {options.first + options.seeds - 1}",
          flush=True)
    with concurrent.futures.ProcessPoolExecutor(options.workers) as pool:
        runs = {pool.submit(trial, seed, options.on or (
            "qemu" if seed % BOARDS_EACH == 0 else "native")): seed
                for seed in range(options.first,
                                  options.first + options.seeds)}
        failed, waves = [], 0
        for count, run in enumerate(
                concurrent.futures.as_completed(runs), 1):
            report, wrong = run.result()
            waves += (report or {}).get("recovery", {}).get("waves", 0)
            if wrong:
                failed.append(runs[run])
                print(f"seed {runs[run]}: {wrong}", flush=True)
            if count % SAID_EACH == 0:
                print(f"{count} of {options.seeds} jobs, {len(failed)} failed",
                      flush=True)
    print(f"random faults: {options.seeds - len(failed)} jobs exact, in {waves}"
          f" waves; {len(failed)} failed: {sorted(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

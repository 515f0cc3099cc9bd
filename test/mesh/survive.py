# SPDX-License-Identifier: Apache-2.0
"""Random faults during random jobs: `survive.py SEEDS [FIRST [ON]]`.

Each seed draws a job of any kernel and policy, and up to five nodes and five
links that die at random times. The result and the output must be those of the
kernel's twin in Python. Prints a line for each seed that fails, and how many
passed; ON is native or qemu.
"""
import json
import pathlib
import random
import sys
import tempfile

import hypothesis
from hypothesis import strategies as st

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import any_job  # noqa: E402
import twins  # noqa: E402

PORTS = "east", "north", "west", "south"
SCHEDULES = ("peters-syska", "peters-syska", "binomial", "equal", "farm",
             "farm", "masters", "hybrid", "hybrid")
SIZES = [(5, 5), (5, 5), (6, 4), (7, 5), (9, 9)]


def long_search(rng, letters=b"abcdefghij"):
    """Few offsets, over more units than any_job's."""
    load = bytes(rng.choices(letters, k=rng.randint(50_000, 400_000)))
    counts, offsets = twins.counts_and_offsets(load, [b"abcd"])
    return any_job.Task("search", b"abcd".hex(), "", [load], [
        {"count": counts[0]}], None)


def long_spin(rng):
    """With an output, over more units than any_job's, or without."""
    units = rng.randint(20_000, 200_000)
    ratio = rng.choice(["", "1/4", "3/7"])
    output = twins.spun(units, ratio) if ratio else None
    return any_job.Task("spin", "8," + ratio if ratio else "32", "",
                        [rng.randbytes(units)], [{"units": units}],
                        [output] if ratio else None)


def drawn(kernel, rng):
    """What hypothesis draws third of all tasks of the kernel."""
    found = []

    @st.composite
    def task(draw):
        return kernel(draw, rng, 1)

    @hypothesis.seed(rng.getrandbits(32))
    @hypothesis.settings(max_examples=3, deadline=None, database=None,
                         phases=[hypothesis.Phase.generate],
                         suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(task())
    def keep(one):
        found.append(one)

    keep()
    return found[-1]


def draw_task(rng):
    if rng.random() < .5:
        return rng.choice([long_search, long_spin, long_spin])(rng)
    return drawn(rng.choice(any_job.KERNELS), rng)


def draw(seed, on="native"):
    """A job, and a function that draws the words of faults, given how long the
    job takes."""
    rng = random.Random(seed)
    schedule = rng.choice(SCHEDULES)
    small = schedule == "hybrid" or on == "qemu"
    size = (5, 5) if small else rng.choice(SIZES)
    task = draw_task(rng)
    options = {"profile": rng.choice(["t3d", "lvds"])}
    if schedule == "peters-syska":
        options["rounds"] = rng.choice(["auto", "1", "1"])
    if schedule == "masters":
        schedule = "farm"
        if task.outputs is None:
            options["levels"] = 2
    if schedule == "hybrid" and rng.random() < .5:
        options["reserve"] = rng.randint(5, 60)
    if task.unit > 1:
        options["unit"] = task.unit
    nodes = [(x, y) for x in range(size[0]) for y in range(size[1])]
    if rng.random() < .5:
        nodes = nodes[:1] * (len(nodes) // 3) + nodes

    def faults(answer_us):
        chosen = dict.fromkeys(rng.sample(nodes, rng.randint(1, 5)))
        found = [f"{rng.choice(['die', 'die', 'hang', 'fault'])}@{x},{y}@"
                 f"{rng.uniform(0, 1.1 * answer_us):.3f}us" for x, y in chosen]
        cuts = {(x, y, port): None for x, y, port in (
            (*rng.choice(nodes), rng.choice(PORTS[:2]))
            for _ in range(rng.randint(0, 5)))}
        found += [f"cut@{x},{y},{port}@{rng.uniform(0, answer_us):.3f}us"
                  for x, y, port in cuts]
        return [word for one in found for word in ("--inject", one)]

    return any_job.Job(task, size, [(0, 0)], on, options, {}, {}, {}, set(),
                       schedule), faults


def trial(seed, folder, on="native"):
    """None, or what went wrong."""
    job, faults = draw(seed, on)
    words = any_job.words_of(job, folder)
    plain = any_job.Run(words, folder)
    if plain.status != 0:
        return f"{words}: without faults: {plain.stderr}"
    words += faults(json.loads(plain.stdout)["measured"]["answer_ps"] / 1e6)
    first = any_job.Run(words, folder)
    if first.status != 0:
        return f"{words}: {first.stderr}"
    report = json.loads(first.stdout)
    try:
        any_job.check_results(job, report, first.outputs)
    except AssertionError as wrong:
        return f"{words}: {str(wrong)[:200] or 'another result'}"
    again = any_job.Run(words, folder)
    if json.loads(again.stdout)["timeline_sha256"] != report[
            "timeline_sha256"]:
        return f"{words}: another timeline when repeated"
    return None


def main():
    seeds, first = (int(word) for word in (sys.argv[1:3] + ["1"])[:2])
    on = sys.argv[3] if len(sys.argv) > 3 else "native"
    failed = 0
    for seed in range(first, first + seeds):
        with tempfile.TemporaryDirectory() as folder:
            wrong = trial(seed, pathlib.Path(folder), on)
        if wrong:
            failed += 1
            print(f"seed {seed}: {wrong}", flush=True)
    print(f"{seeds - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

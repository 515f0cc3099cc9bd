# SPDX-License-Identifier: Apache-2.0
"""Bits that change in boards' memory: `flips.py TRIALS [SEED]`.

Each trial runs a job three times: without a flip, with one and no check, and
with the flip and --check-load=yes. Half of the flips are in the load and in
results, the others anywhere in the memory of jobs. A checked job must end with
the right result, or fail; or the flip was in the kernel's own state.
Prints what became of the trials. Exit status 1: a wrong result was reported as
right.
"""
import collections
import json
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import mesh  # noqa: E402

KERNELS = (("search", "a"), ("stats", ""), ("spin", "8"), ("spin", "8,1/4"))
SCHEDULES = "peters-syska", "peters-syska", "binomial", "farm", "hybrid"
BEGIN, END = 0x20000, 0x1000000
# struct scatter_memory lies at the end: the own result, the one that comes in;
# last the kernel's state.
HEAD, RESULT = 8, 16384
WORK = 4096 + 16 + 68
MEMORY = 40_192


def draw(rng):
    """The words of a job, the length of its load, and whether it has rounds."""
    width, height = rng.choice([(5, 5), (5, 5), (6, 4)])
    schedule = rng.choice(SCHEDULES)
    if schedule == "hybrid" and (width, height) != (5, 5):
        schedule = "farm"
    kernel, arg = rng.choice(KERNELS)
    words = ["--mesh", f"{width}x{height}", "--kernel", kernel,
             "--schedule", schedule, "--profile", rng.choice(["t3d", "lvds"])]
    words += ["--arg", arg] if arg else []
    return words, rng.randint(1_000, 60_000), (width, height)


def place(rng, size, nodes, memory):
    """An offset, and whether it is in the kernel's state."""
    begin = END - memory
    if rng.random() < 0.5:
        if rng.random() < 0.6:
            share = size if nodes == 1 else 4 * size // nodes + 1_000
            return BEGIN + rng.randrange(min(size, share)), False
        at = rng.choice([begin, begin + HEAD + RESULT])
        return at + rng.randrange(rng.choice([64, 64, 2_200])), False
    at = rng.choice([BEGIN + rng.randrange(size + 1_000),
                     begin + rng.randrange(memory)])
    return at, at >= END - WORK


def run(words, load, on):
    done = mesh.command("run", "--on", on, "--json", *words, load)
    found = json.loads(done.stdout) if done.returncode == 0 else None
    return found, done.stderr


def trial(rng, folder, on, memory):
    """The words, and what became of the run without and with checks."""
    words, size, (width, height) = draw(rng)
    load = folder / "load"
    load.write_bytes(rng.randbytes(size))
    plain, error = run(words, load, on)
    assert plain, (words, error)
    x, y = rng.randrange(width), rng.randrange(height)
    if rng.random() < 0.3:
        x, y = 0, 0
    offset, own = place(rng, size, 1 if (x, y) == (0, 0) else width * height,
                        memory)
    at_us = rng.uniform(0, 1.1 * plain["measured"]["answer_ps"] / 1e6)
    words += ["--inject",
              f"flip@{x},{y},{offset:#x}.{rng.randrange(8)}@{at_us:.3f}us"]
    ends = []
    for check in "no", "yes":
        found, error = run([*words, f"--check-load={check}"], load, on)
        ends.append("ended with an error" if found is None else
                    "wrong" if found["result"] != plain["result"] else
                    "computed again" if "damaged memory" in error
                    or "recovery" in found else "right")
    if own and ends[1] == "wrong":
        ends[1] = "wrong by the kernel's state"
    return words, ends


def main():
    trials, seed = (int(word) for word in (sys.argv[1:] + ["1"])[:2])
    on = sys.argv[3] if len(sys.argv) > 3 else "native"
    counts = collections.Counter()
    print(f"flips.py {trials} {seed} {on}")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(trials):
            rng = random.Random(f"{seed} {number}")
            words, ends = trial(rng, pathlib.Path(folder), on, MEMORY)
            counts[tuple(ends)] += 1
            if ends[1] not in ("right", "computed again"):
                print(f"trial {number}: {' '.join(words)}: {ends}", flush=True)
    print("  trials  without checks       with --check-load")
    for (unchecked, checked), count in counts.most_common():
        print(f"{count:8}  {unchecked:20} {checked}")
    return any(checked == "wrong" for _, checked in counts)


if __name__ == "__main__":
    sys.exit(main())

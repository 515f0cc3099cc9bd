# SPDX-License-Identifier: Apache-2.0
"""Bits that change in boards' memory: `flips.py TRIALS [SEED]`.

Each trial runs a job without a flip, then with one: without checks, with
--check-load=yes, and with --verify if one of these was wrong. Half of the flips
are in the load or in results, at a time when the node waits for a message and
has them still to read; so most of them change what is computed. The others are
in the kernel's state, and anywhere in the memory of jobs. Three of ten trials
run on boards. A checked job must end with the right result, or fail, unless the
flip was in the kernel's state; with --verify always.

The flips reach a node's window only: code, stack and what a board's program
knows of the job lie in another memory. Prints what became of the trials.
Exit status 1: a wrong result was reported as right, or a job did not end.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import mesh  # noqa: E402

KERNELS = (("search", "a"), ("stats", ""), ("spin", "8"), ("spin", "8,1/4"))
SCHEDULES = "peters-syska", "peters-syska", "binomial", "farm", "hybrid"
SIZES = {"native": [(5, 5), (5, 5), (6, 4)], "qemu": [(5, 5), (4, 3)]}
# Messages begin at BEGIN, one behind the other. struct scatter_memory lies at
# the end: the kernel's state, later a child's message, the head of a node's own
# result, and the result.
BEGIN, END = 0x20000, 0x1000000
MEMORY = END - 40_192
STATE, STATE_END = MEMORY + 3_208, MEMORY + 7_304
INCOMING, RESULT = STATE_END, MEMORY + 23_800
HEAD = 16      # bytes of a message's head
TABLES = 96    # most bytes before the load in most parts
ORDER = 600    # most bytes before the load in an order
NOT_LATE_PS = 1_000_000  # a node reads a part a little before its last byte
HARMLESS = "right", "computed again", "refused"

Trial = collections.namedtuple("Trial", "words place ends")


def draw(rng, on):
    """The words of a job, the length of its load, and the mesh's size."""
    width, height = rng.choice(SIZES[on])
    schedule = rng.choice(SCHEDULES)
    if schedule == "hybrid" and (width, height) != (5, 5):
        schedule = "farm"
    kernel, arg = rng.choice(KERNELS)
    words = ["--mesh", f"{width}x{height}", "--kernel", kernel,
             "--schedule", schedule, "--profile", rng.choice(["t3d", "lvds"])]
    words += ["--arg", arg] if arg else []
    return words, rng.randint(1_000, 60_000), (width, height)


def arrivals(report):
    """(node, index, circuits that end at the node by time) of each message."""
    found = collections.defaultdict(list)
    for circuit in sorted(report["circuits"], key=lambda one: one["end_ps"]):
        found[circuit["destination"]].append(circuit)
    return [(node, i, ends) for node, ends in found.items()
            for i in range(len(ends))]


def wait(rng, report, index, ends):
    """A time after the order at which a node waits for a message, ps."""
    order_ps = -report["measured"]["preparing_ps"]
    from_ps = ends[index - 1]["end_ps"] if index > 0 else order_ps
    to_ps = max(ends[index]["end_ps"] - NOT_LATE_PS, from_ps + 1)
    return max(rng.uniform(from_ps, to_ps) - order_ps, 1)


def in_load(rng, report, size):
    """A node, an offset in its part of the load, and a time, ps."""
    parts = [one for one in arrivals(report)
             if one[2][one[1]]["kind"] == "part"
             and one[2][one[1]]["bytes"] > 2 * TABLES]
    if not parts or rng.random() < 1 / 3:
        return 0, BEGIN + ORDER + rng.randrange(size - ORDER), 0
    node, index, ends = rng.choice(parts)
    before = sum(-(-one["bytes"] // 8) * 8 for one in ends[:index])
    part = ends[index]["bytes"]
    return (node, BEGIN + before + rng.randrange(TABLES, part),
            wait(rng, report, index, ends))


def in_result(rng, report):
    """The same for a node's own result, or one that comes in."""
    results = [one for one in arrivals(report)
               if one[2][one[1]]["kind"] == "result"]
    if not results:
        return (0, RESULT + rng.randrange(64),
                rng.uniform(0, report["measured"]["answer_ps"]))
    node, index, ends = rng.choice(results)
    at = rng.randrange(min(ends[index]["bytes"], 2_200) - HEAD)
    return (node, rng.choice([RESULT, INCOMING + HEAD]) + at,
            wait(rng, report, index, ends))


def anywhere(rng, report, size, nodes):
    """The same for the kernel's state, or any memory of jobs."""
    offset = rng.choice([STATE + rng.randrange(64),
                         BEGIN + rng.randrange(size + 1_000),
                         rng.randrange(MEMORY, END)])
    return (rng.choice([0, rng.randrange(nodes)]), offset,
            rng.uniform(0, 1.1 * report["measured"]["answer_ps"]))


def flip(rng, report, size, nodes):
    """A flip's place in words, its node, offset, and time, ps."""
    chance = rng.random()
    if chance < 0.3:
        return "load", *in_load(rng, report, size)
    if chance < 0.5:
        return "result", *in_result(rng, report)
    node, offset, time_ps = anywhere(rng, report, size, nodes)
    place = "kernel's state" if STATE <= offset < STATE_END else "elsewhere"
    return place, node, offset, time_ps


def on_native(words):
    """There a kernel that crashes by its state ends the command, which names
    it; a board takes a fault."""
    return "native" in words


def run(words, folder):
    """The report or None, the output, and what was said."""
    output = folder / "output"
    if any("/" in word for word in words):
        words = [*words, "-o", output]
    done = mesh.command("run", "--json", *words, folder / "load")
    crashed = on_native(words) and "crashed on native node" in done.stderr
    assert done.returncode in (0, 1) or crashed, (words, done)
    assert done.returncode == 0 or done.stderr, (words, done)
    report = json.loads(done.stdout) if done.returncode == 0 else None
    return report, output.read_bytes() if output in words else b"", done.stderr


def end_of(plain, words, folder):
    """What became of a run with a flip. A kernel may loop by its state; nothing
    ends a native node that does."""
    try:
        report, output, error = run(words, folder)
    except subprocess.TimeoutExpired:
        return "hangs"
    if report is None:
        return "refused"
    if (report["result"], output) != (plain[0]["result"], plain[1]):
        return "wrong"
    again = "damaged memory" in error or "recovery" in report
    return "computed again" if again else "right"


def trial(rng, folder, on):
    """What became of a job with a flip, without and with checks."""
    words, size, (width, height) = draw(rng, on)
    words = ["--on", on, *words]
    (folder / "load").write_bytes(rng.randbytes(size))
    plain = run([*words, "--check-load=yes"], folder)
    assert plain[0], (words, plain[2])
    place, node, offset, time_ps = flip(rng, plain[0], size, width * height)
    words += ["--inject", f"flip@{node % width},{node // width},{offset:#x}."
              f"{rng.randrange(8)}@{time_ps / 1e6:.3f}us"]
    ends = [end_of(plain, [*words, f"--check-load={check}"], folder)
            for check in ("no", "yes")]
    check = "yes" if ends[1] == "wrong" else "no"
    ends += [end_of(plain, [*words, f"--check-load={check}", "--verify"],
                    folder) if "wrong" in ends else "-"]
    return Trial(words, place, ends)


def is_failure(done):
    """Whether a wrong result was reported as right, or a job did not end, that
    must not."""
    return done.ends[2] == "wrong" or done.place != "kernel's state" and (
        done.ends[1] == "wrong" or "hangs" in done.ends)


def numbered(seed, number):
    on = "qemu" if number % 10 < 3 else "native"
    with tempfile.TemporaryDirectory() as folder:
        done = trial(random.Random(f"{seed} {number}"), pathlib.Path(folder),
                     on)
    if is_failure(done) or done.ends[1] not in HARMLESS:
        print(f"trial {number}: {' '.join(done.words)}: {done.place}: "
              f"{done.ends}", flush=True)
    return on, done


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    print(f"flips.py {asked.trials} {asked.seed}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(asked.workers) as pool:
        found = list(pool.map(lambda number: numbered(asked.seed, number),
                              range(asked.trials)))
    counts = collections.Counter((on, done.place, *done.ends)
                                 for on, done in found)
    print("  trials  on      flip in         without checks  --check-load    "
          "--verify")
    for row, count in sorted(counts.items()):
        print(f"{count:8}  {row[0]:6}  {row[1]:14}  {row[2]:14}  {row[3]:14}  "
              f"{row[4]}")
    return any(is_failure(done) for _, done in found)


if __name__ == "__main__":
    sys.exit(main())

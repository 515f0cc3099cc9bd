# SPDX-License-Identifier: Apache-2.0
"""Random faults during random jobs: `survive.py SEEDS [FIRST]`.

Each seed draws a mesh, a kernel, a schedule, and up to five nodes and five
links that die at random times. The result must be that of the same job without
faults. Prints a line for each seed that fails, and how many passed.
"""
import json
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import mesh  # noqa: E402

PORTS = "east", "north", "west", "south"
KERNELS = (("search", "a"), ("stats", ""), ("search", "a"), ("spin", "32"),
           ("spin", "8,1/4"))
SCHEDULES = ("peters-syska", "peters-syska", "binomial", "farm", "equal",
             "hybrid")


def draw(seed):
    """The words of a command without faults, and a function that draws those,
    given how long the job takes."""
    rng = random.Random(seed)
    width, height = rng.choice([(5, 5), (5, 5), (6, 4), (7, 5), (9, 9)])
    schedule = rng.choice(SCHEDULES)
    if schedule == "hybrid" and (width, height) != (5, 5):
        schedule = "farm"
    kernel, arg = rng.choice(KERNELS)
    rounds = schedule == "peters-syska" and rng.choice(["auto", "1", "1"])
    words = ["--mesh", f"{width}x{height}", "--kernel", kernel,
             "--schedule", schedule,
             "--profile", rng.choice(["t3d", "lvds"])]
    words += ["--arg", arg] if arg else []
    words += ["--rounds", rounds] if rounds else []
    nodes = [(x, y) for x in range(width) for y in range(height)][1:]

    def faults(answer_us):
        chosen = rng.sample(nodes, rng.randint(1, 5))
        found = [f"{rng.choice(['die', 'die', 'hang', 'fault'])}@{x},{y}@"
                 f"{rng.uniform(0, 1.1 * answer_us):.3f}us" for x, y in chosen]
        cuts = {(x, y, port): None for x, y, port in (
            (*rng.choice(nodes), rng.choice(PORTS[:2]))
            for _ in range(rng.randint(0, 5)))}
        found += [f"cut@{x},{y},{port}@{rng.uniform(0, answer_us):.3f}us"
                  for x, y, port in cuts]
        return [word for one in found for word in ("--inject", one)]

    return words, faults, rng.randint(2_000, 400_000)


def run(words, load, on):
    done = mesh.command("run", "--on", on, "--json", *words, load)
    if done.returncode != 0:
        return None, done.stderr
    return json.loads(done.stdout), done.stderr


def trial(seed, folder, on="native"):
    """None, or what went wrong."""
    words, faults, size = draw(seed)
    load = folder / "load"
    load.write_bytes(random.Random(seed).randbytes(size))
    plain, error = run(words, load, on)
    if plain is None:
        return f"{words}: without faults: {error}"
    words += faults(plain["measured"]["answer_ps"] / 1e6)
    found, error = run(words, load, on)
    if found is None:
        return f"{words}: {error}"
    if found["result"] != plain["result"]:
        return f"{words}: {found['result']} and not {plain['result']}"
    again, error = run(words, load, on)
    if again["timeline_sha256"] != found["timeline_sha256"]:
        return f"{words}: another timeline when repeated"
    return None


def main():
    seeds, first = (int(word) for word in (sys.argv[1:] + ["1"])[:2])
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + seeds):
            wrong = trial(seed, pathlib.Path(folder))
            if wrong:
                failed += 1
                print(f"seed {seed}: {wrong}", flush=True)
    print(f"{seeds - failed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())

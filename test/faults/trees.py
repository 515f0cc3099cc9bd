#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trees around every single hole of 5x5 and 25x25, and around holes by chance:
`make faults SEEDS=1000`. Prints the phases, and what the longest search took;
ends with status 1 if a tree is wrong, has too many phases or takes a second."""
import argparse
import collections
import pathlib
import random
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name)
                for name in ("lib", "oracle")]
import around  # noqa: E402
import core  # noqa: E402

SMALL, LARGE = (5, 5), (25, 25)


def single(size):
    return ((size, (0, 0), holes) for holes in around.singles(size, (0, 0)))


def by_chance(rng, count, size, nodes, links):
    for _ in range(count):
        originator = rng.choice(around.all_nodes(size))
        yield size, originator, around.drawn(rng, size, originator, nodes,
                                             links)


def campaign(name, cases, most):
    """Whether all trees have `most` phases at most, each within a second."""
    phases, longest_s = collections.Counter(), 0
    for case in cases:
        try:
            found, seconds, _ = around.judge(core.library().calls, *case)
        except Exception:
            print("wrong:", *case, file=sys.stderr)
            raise
        phases[found] += 1
        longest_s = max(longest_s, seconds)
    told = ", ".join(f"{n} of {count}" for n, count in sorted(phases.items()))
    print(f"{name:<34} {sum(phases.values()):>5} trees, phases: {told}; "
          f"longest search {longest_s:.2f} s", flush=True)
    return max(phases) <= most and longest_s < 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1999)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    return 0 if all([
        campaign("5x5, every single hole", single(SMALL), 3),
        campaign("5x5, 1 node and 1 link", by_chance(
            rng, args.seeds, SMALL, 1, 1), 4),
        campaign("up to 9x9, any holes", (around.any_case(
            rng) for _ in range(args.seeds)), 228),
        campaign("25x25, 5 nodes and 5 links", by_chance(
            rng, args.seeds, LARGE, 5, 5), 5),
        campaign("25x25, every single hole", single(LARGE), 5)]) else 1


if __name__ == "__main__":
    sys.exit(main())

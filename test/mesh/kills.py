#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Boards with serial ports, one of which dies: `kills.py RUNS [SEED]`.

Each run searches a text on modelled stm32f405 (test/boards/chip), whose time is
that of real boards. One board, never the originator, whose console is the only
one, loses its power at a random time between the order and the end of the same
run without a death. The result must be exact. Prints how much longer each run
takes, in boards' time. Exit status 1: a run failed, or took --most seconds
longer.
"""
import argparse
import json
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))
import chip_bench  # noqa: E402

PIECES = [b"needle"] + 9 * [b"hay ", b"stack\n", b"need "]
PROFILE = "startup = 1ns\ntransfer = 1ps\nhop_delay = 0\n"  # all take part
MOST_US = 900_000_000


class Job:
    """A text to search on width x height boards."""

    def __init__(self, rng, folder, width, height, pieces):
        self.size = width, height
        text = b"".join(rng.choice(PIECES) for _ in range(pieces))
        self.offsets = [at for at in range(len(text))
                        if text.startswith(b"needle", at)][:1024]
        self.load, self.profile = folder / "load", folder / "profile"
        self.load.write_bytes(text)
        self.profile.write_text(PROFILE)

    def run(self, victim=None, after_us=0):
        """The finished run, and its time from the order on, us. Board `victim`
        dies so long after the order."""
        with chip_bench.started(*self.size) as it:
            (ordered, *_), began_us = it.ordered(), []

            def dies():
                if not began_us and ordered():
                    began_us.append(it.now_us())
                return began_us and (victim is None
                                     or it.now_us() > began_us[0] + after_us)
            ends = ("stats",) if victim is None else ("power", str(victim),
                                                      "off")
            done = it.host(
                "run", "--mesh", "{}x{}".format(*self.size), "--profile",
                self.profile, "--json", "--kernel", "search", "--arg", "needle",
                self.load, steps=[(dies, ends)], us=MOST_US)
            return done, it.now_us() - began_us[0]

    def is_exact(self, done):
        return done.returncode == 0 and (
            json.loads(done.stdout)["result"]["offsets"] == self.offsets)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--size", default="5x5")
    parser.add_argument("--pieces", type=int, default=12_000)
    parser.add_argument("--most", type=float, default=60.0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    width, height = map(int, options.size.split("x"))
    good = 0
    with tempfile.TemporaryDirectory() as folder:
        job = Job(rng, pathlib.Path(folder), width, height, options.pieces)
        done, whole_us = job.run()
        assert job.is_exact(done), done
        print(f"kills.py {options.runs} {options.seed} --size {options.size}: "
              f"{whole_us / 1e6:.1f} s without a death", flush=True)
        for _ in range(options.runs):
            victim = rng.randrange(1, width * height)
            after_us = rng.random() * whole_us
            done, took_us = job.run(victim, after_us)
            exact = job.is_exact(done)
            more_s = (took_us - whole_us) / 1e6
            good += exact and more_s <= options.most
            print(f"board {victim % width},{victim // width} dies after "
                  f"{after_us / 1e6:4.1f} s: {more_s:+5.1f} s, "
                  f"{'exact' if exact else done.stderr}", flush=True)
    print(f"boards killed: {good} of {options.runs} exact, and at most "
          f"{options.most:g} s longer")
    return good < options.runs


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""`quincunx model farm` against a farm that hands out unit by unit."""
import math
import random
import statistics
from fractions import Fraction as F

import papers
from papers_runs import near, planned

TABLE = [[15, 8, 3, 2, 1, 1, 1, 1], [8, 3, 2, 1, 1], [5, 2, 1, 1, 1],
         [4, 1, 1, 1]]


def test_the_printed_table(tmp_path):
    """And no other factors give it. First chunks are of the whole load, not of
    what those before have left."""
    for factor in ("2", "1.982", "2.048", "73/36", "1.98", "2.05", "auto"):
        got = planned(tmp_path, "farm", [[1], [2], [3], [4]], load=64,
                      factor=factor)
        assert (got["chunks"] == TABLE) == (
            factor not in ("1.98", "2.05", "auto"))
        assert got.get("factor_exact") == (
            None if factor == "auto" else str(F(factor)))
        if factor == "2":
            assert (got["ends"], got["makespan"]) == ([32, 30, 30, 28], 32)
            assert near(got["lower_bound"], F(768, 25))
    got = planned(tmp_path, "farm", [[2], [5]], load=64, factor=1)
    assert got["chunks"] == [[46], [18]]


def test_the_factor_from_the_times(tmp_path):
    """Not below 1: one deal for all, and the rest one by one."""
    for load, times in ((64, (1, 2, 3, 4)), (9600, (1, 1.5, 4)), (9, (2, 2)),
                        (2, (1, 9))):
        want = (math.log(load) ** (statistics.pstdev(times)
                                   / statistics.mean(times)))
        for options in ({}, {"factor": "auto"}):
            got = planned(tmp_path, "farm", [[t] for t in times], load=load,
                          **options)
            assert near(got["factor"], max(want, 1), 14)
            assert "factor_exact" not in got


def test_chunks_are_those_of_a_naive_farm(tmp_path):
    rng = random.Random(6)
    for _ in range(80):
        times = [F(rng.randint(1, 12), rng.choice((1, 2, 5)))
                 for _ in range(rng.randint(1, 6))]
        load = rng.randint(1, 150)
        factor = F(rng.randint(8, 40), 8)
        got = planned(tmp_path, "farm", [[t] for t in times], load=load,
                      factor=factor)
        chunks, ends = papers.farm(times, load, factor)
        assert got["chunks"] == chunks, (times, load, factor)
        assert sum(map(sum, chunks)) == load
        assert all(near(g, w, 14) for g, w in zip(got["ends"], ends))
        assert near(got["makespan"], max(ends), 14)
        assert got["makespan"] >= got["lower_bound"] * (1 - 1e-12)
        assert near(got["rate"] * got["makespan"], load, 14)


def test_many_workers_and_a_long_load(tmp_path):
    rng = random.Random(1)
    times = [[F(rng.randint(100, 999), 100)] for _ in range(1000)]
    got = planned(tmp_path, "farm", times, load=10 ** 6)
    assert sum(map(sum, got["chunks"])) == 10 ** 6
    for (t,), row, end in zip(times, got["chunks"], got["ends"]):
        assert near(end, t * sum(row)) or not row
        assert row == sorted(row, reverse=True) or min(row) == 1
    assert got["makespan"] < got["lower_bound"] + 10


def test_numbers_of_files(tmp_path):
    """Integers, decimals, fractions and exponents; comments and blanks."""
    for word, value in (("3", 3), ("0.25", .25), (".5", .5), ("7/4", 1.75),
                        ("4e2", 400), ("2.5E-1", .25), ("1e+1", 10),
                        ("00012", 12), ("6/04", 1.5),
                        ("# all\n\n \t\n 2 # one\r\n", 2)):
        got = planned(tmp_path, "farm", [[word]], load=1)
        assert got["makespan"] == value, word

# SPDX-License-Identifier: Apache-2.0
"""`quincunx model results` against all vertices of all linear programmes."""
import itertools
import random
from fractions import Fraction as F

import pytest

import papers
from papers_runs import near, planned

KINDS = ("lifo", "fifo", "optimal")


def check(plan, workers, ratio, load):
    """Shares, orders and idle times are a schedule that ends when it says."""
    shares, makespan = plan["shares"], plan["makespan"]
    takers = [i + 1 for i, share in enumerate(shares) if share > 0]
    assert sorted(plan["sent"]) == sorted(plan["collected"]) == takers
    assert plan["chunks"] == [[share] if share else [] for share in shares]
    assert near(sum(shares), load, 11) and min(shares) >= 0
    assert near(plan["rate"] * makespan, load, 11)
    times = [(float(c), float(e)) for c, e in workers]
    arrived, clock = {}, 0.0
    for i in plan["sent"]:
        clock += times[i - 1][0] * shares[i - 1]
        arrived[i] = clock + times[i - 1][1] * shares[i - 1]
    begin = makespan - ratio * sum(c * a for (c, _), a in zip(times, shares))
    assert begin >= clock * (1 - 1e-11)  # nothing is collected before
    for i in plan["collected"]:
        assert abs(begin - arrived[i] - plan["idle"][i - 1]) < makespan * 1e-9
        begin += ratio * times[i - 1][0] * shares[i - 1]
    assert near(begin, makespan, 11)
    assert sum(idle > makespan * 1e-9 for idle in plan["idle"]) <= 1
    assert min(plan["idle"]) >= 0


def test_neither_lifo_nor_fifo_is_optimal(tmp_path):
    workers = [(1, 5), (2, 3), (3, 4)]
    got = planned(tmp_path, "results", workers, load=100, ratio="1/2")
    assert [got[kind]["makespan_exact"] for kind in KINDS] == [
        "66300/217", "59800/191", "31200/103"]
    assert got["optimal"]["sent"] == [1, 2, 3]
    assert got["optimal"]["collected"] == [2, 3, 1]
    assert got["lifo"]["collected"] == got["lifo"]["sent"][::-1]
    assert got["fifo"]["collected"] == got["fifo"]["sent"]
    for kind in KINDS:
        check(got[kind], workers, .5, 100)


def draw(rng, size):
    return [(F(rng.randint(1, 12), rng.choice((1, 2, 3))),
             F(rng.randint(1, 30), rng.choice((1, 4)))) for _ in range(size)]


@pytest.mark.boards
def test_no_other_vertex_ends_earlier(tmp_path):
    """Of all orders of up to five workers; of six only FIFO."""
    rng = random.Random(6)
    for size in 20 * [1, 2, 3] + [4, 5, 6, 6]:
        workers = draw(rng, size)
        ratio = F(rng.randint(0, 12), rng.choice((4, 8)))
        if size == 6:
            ratio = F(1, 4) if ratio > 1 else 1 + ratio
        load = F(rng.randint(1, 200), 3)
        got = planned(tmp_path, "results", workers, load=load, ratio=ratio)
        assert got["optimal"]["exact"] == (size < 6)
        for kind in KINDS if size < 6 else KINDS[1:2]:
            want = papers.best_collection(workers, ratio, load,
                                          papers.order_pairs(size, kind))
            assert near(got[kind]["makespan"], want, 9), (workers, ratio, kind)
            check(got[kind], workers, float(ratio), float(load))


def test_more_workers_are_searched(tmp_path):
    """LIFO is a star; what is found is no worse than LIFO and FIFO, no better
    than a bound, and always the same."""
    rng, better = random.Random(3), 0
    for size, ratio in itertools.product((6, 7, 8), (F(0), F(1, 4), F(3, 2))):
        workers = draw(rng, size)
        runs = [planned(tmp_path, "results", workers, load=60, ratio=ratio)
                for _ in range(2)]
        got, star = runs[0], planned(
            tmp_path, "star", [((1 + ratio) * c, e) for c, e in workers],
            load=60)
        ends = [got[kind]["makespan"] for kind in KINDS]
        for kind in KINDS:
            check(got[kind], workers, float(ratio), 60)
        assert runs[0] == runs[1] and not got["optimal"]["exact"]
        assert near(ends[0], star["makespan"])
        assert (papers.collection_bound(workers, ratio, 60) * (1 - F(1, 10**12))
                <= ends[2] <= min(ends) * (1 + 1e-12))
        better += ends[2] < min(ends[:2]) * (1 - 1e-6)
    assert better > 2


def test_many_workers_have_lifo_and_fifo(tmp_path):
    for size, ratio in ((150, F(1, 2)), (100, F(3)), (1000, F(1))):
        workers = draw(random.Random(9), size)
        got = planned(tmp_path, "results", workers, load=1000, ratio=ratio)
        for kind in KINDS if size < 1000 else ("fifo",):
            check(got[kind], workers, float(ratio), 1000)
        assert got["optimal"]["makespan"] == min(
            got[kind]["makespan"] for kind in KINDS)


def test_of_equal_ends_the_least_computing_is_taken(tmp_path):
    """A full link: any shares that nobody is late with end together, and none
    that differs by a thousandth of two workers computes less."""
    rng, found = random.Random(10), 0
    for _ in range(8):
        times = [F(rng.randint(1, 8), 4) for _ in range(3)]
        got = planned(tmp_path, "results", [(1, w) for w in times], load=60,
                      ratio=1)["optimal"]
        if got["makespan"] > 120:
            continue
        found += 1
        for a, b in itertools.permutations(range(3), 2):
            shares = list(map(F, got["shares"]))
            shares[a] -= F(60, 1000)
            shares[b] += F(60, 1000)
            fits = any(
                all(sum(x * u for x, u in zip(row, shares)) <= 120
                    for row in papers.collect_rows(
                        [(F(1), w) for w in times], F(1), sent, back)[:3])
                for sent, back in papers.order_pairs(3, "optimal"))
            assert min(shares) < 0 or times[b] >= times[a] or not fits
    assert found > 2


def test_without_results_it_is_a_star(tmp_path):
    workers = [(2, 3), (1, 4), (3, 1)]
    got = planned(tmp_path, "results", workers, load=10, ratio=0)
    star = planned(tmp_path, "star", workers, load=10)
    for kind in KINDS:
        assert got[kind]["makespan_exact"] == star["makespan_exact"]

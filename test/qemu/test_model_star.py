# SPDX-License-Identifier: Apache-2.0
"""`quincunx model star` against brute force in fractions and a simulation."""
import itertools
import random
from fractions import Fraction as F

import pytest

import papers
from papers_runs import model, near, planned


def draw(rng, count, startups=True, high=12):
    def number(low):
        return F(rng.randint(low, high), rng.choice((1, 1, 2, 3, 10)))
    return [(number(1), number(1), *((number(0), number(0)) if startups
                                     else (F(0), F(0))))
            for _ in range(count)]


def sends_of(plan):
    """[(worker from 0, units)] in time's order."""
    return [(i - 1, plan["chunks"][i - 1][r]) for r in range(plan["rounds"])
            for i in plan["order"]]


def check(plan, workers, load, master=0):
    """A plan's numbers agree, and carried out it ends when it says. Returns
    the workers, from 0, that wait after their first chunk."""
    sends = sends_of(plan)
    floats = [tuple(map(float, row)) for row in workers]
    end, waited = papers.run_star(floats, sends)
    assert min(units for _, units in sends) > 0
    assert sorted(set(plan["order"])) == sorted(plan["order"])
    assert near(sum(map(sum, plan["chunks"])) + plan["master_units"], load, 9)
    assert [near(sum(row), share, 9)
            for row, share in zip(plan["chunks"], plan["shares"])]
    assert all(near(when, plan["makespan"], 9) for when in end.values())
    assert near(plan["rate"] * plan["makespan"], load, 9)
    assert near(plan["master_units"] * float(master), plan["makespan"], 9) \
        or not master
    return waited


# ---- printed examples ----

def test_a_lane_and_a_computing_master(tmp_path):
    got = planned(tmp_path, "star", [(1, 2, 1), (1, 4, 1), (1, 8, 1)],
                  load=40, master=2)
    assert got["makespan_exact"] == "11050/277"
    assert got["order"] == [1, 2, 3]
    assert near(got["master_units"], F(5525, 277))
    for row, want in zip(got["chunks"], (3591, 1381, 583)):
        assert len(row) == 1 and near(row[0], F(want, 277))


def test_the_faster_link_goes_first(tmp_path):
    got = planned(tmp_path, "star", [(4, 1), (1, 1)], load=6)
    assert got["makespan"] == 10
    assert got["order"] == [2, 1]
    assert got["chunks"] == [[1], [5]]


def test_startups_decide_who_takes_part(tmp_path):
    for load, makespan, order in ((10, "106/5", [1, 2]),
                                  (100, "313/2", [1, 3, 2])):
        got = planned(tmp_path, "star",
                      [(1, 2, 1, 1), (2, 1, 2, 1), (1, 3, 5, 0)], load=load)
        assert (got["makespan_exact"], got["order"]) == (makespan, order)


def test_two_installments(tmp_path):
    got = planned(tmp_path, "star", [("1/4", 1)] * 2, load=100, installments=2)
    assert got["makespan_exact"] == "11625/209"
    for row, want in zip(got["chunks"], ((2900, 8000), (3600, 6400))):
        assert all(near(g, F(w, 209)) for g, w in zip(row, want))


def test_uniform_rounds(tmp_path):
    got = planned(tmp_path, "star", [(".05", 1, ".5", ".25")] * 4, load=1000,
                  installments="umr")
    assert got["rounds"] == 4
    assert abs(got["makespan"] - 252.716747) < 1e-6
    assert abs(got["chunks"][0][0] - 3.733974) < 1e-6


def test_equal_periods(tmp_path):
    got = planned(tmp_path, "star", [(1, 4, 1, 1), (2, 4, 1, 1), (4, 4, 1, 1)],
                  load="1e4", installments="periodic")
    assert got["rate_limit_exact"] == "9/16"
    assert F(got["rate_exact"]) == F(10000, 18800)
    assert got["period_exact"] == "400/3"
    assert (got["rounds"], got["makespan"]) == (141, 18800)
    # Of 140 periods that hold the load; the paper's are uncut, and those of
    # the first two workers 1/w of a period less all startups.
    least, most = F(10000, 140) * 4 / 9, (F(400, 3) - 4) / 4
    assert near(got["chunks"][0][0], least) and least < most


# ---- one round ----

def test_no_order_of_any_subset_ends_earlier(tmp_path):
    rng = random.Random(8)
    for number in range(120):
        workers = draw(rng, 5 if number % 30 == 0 else rng.randint(1, 4),
                       rng.random() < .8)
        load = F(rng.randint(1, 60), rng.choice((1, 7)))
        master = F(rng.randint(1, 9), 2) if rng.random() < .5 else 0
        options = {"master": master} if master else {}
        got = planned(tmp_path, "star", workers, load=load, **options)
        want = papers.best_star(workers, load, master)
        assert F(got["makespan_exact"]) == want, (workers, load, master)
        if got["order"]:
            check(got, workers, load, master)


def test_many_workers_end_together(tmp_path):
    rng = random.Random(0)
    for count, startups in itertools.product((8, 13, 40), (False, True)):
        workers = draw(rng, count, startups)
        got = planned(tmp_path, "star", workers, load=500, master=3)
        assert got["order_by"] == ("rule" if startups else "best")
        check(got, workers, 500, 3)
        if not startups:
            assert sorted(got["order"]) == list(range(1, count + 1))
            order = [i - 1 for i in got["order"]]
            links = [workers[i][0] for i in order]
            assert links == sorted(links)
            want, _ = papers.one_round(workers, order, F(500), F(3))
            assert near(got["makespan"], want)


def test_no_single_worker_is_better_elsewhere(tmp_path):
    """Of more workers than are searched: moved, taken out or taken in."""
    rng = random.Random(11)
    for _ in range(15):
        workers = draw(rng, rng.randint(8, 10))
        load = F(rng.choice((5, 30, 200)))
        got = planned(tmp_path, "star", workers, load=load)
        order = [i - 1 for i in got["order"]]
        for i in range(len(workers)):
            rest = [j for j in order if j != i]
            others = [rest[:p] + [i] + rest[p:] for p in range(len(rest) + 1)]
            for other in others + ([rest] if rest else []):
                makespan, shares = papers.one_round(workers, other, load, 0)
                assert (makespan >= got["makespan"] * (1 - 1e-11)
                        or min(shares) <= 0)


def test_a_fast_master_needs_nobody(tmp_path):
    got = planned(tmp_path, "star", [(1, 1, 9)], load=2, master=1)
    assert (got["makespan"], got["order"], got["chunks"]) == (2, [], [[]])


# ---- installments ----

def test_installments_keep_link_and_workers_busy(tmp_path):
    rng = random.Random(2)
    feasible = 0
    for rounds in 30 * (2, 3, 5):
        workers = [draw(rng, 1, rng.random() < .5, 4)[0]] * rng.randint(1, 4)
        if rng.random() < .3:
            workers = draw(rng, 2, False)
        master = rng.choice((0, 5))
        options = {"master": 5} if master else {}
        done = model(tmp_path, "star", workers, load=400, installments=rounds,
                     **options)
        if done.returncode == 2:
            assert "the largest feasible M" in done.stderr
            continue
        got = planned(tmp_path, "star", workers, load=400,
                      installments=rounds, **options)
        feasible += 1
        assert not check(got, workers, 400, master)
        clock, ends = 0.0, {}
        for i, units in sends_of(got):
            g, w, startup, latency = map(float, workers[i])
            clock += startup + g * units
            # A chunk comes when the one before ends.
            assert i not in ends or near(clock, ends[i], 9)
            ends[i] = clock + latency + w * units
    assert feasible > 24


def check_umr(tmp_path, worker, count, load, master):
    """Against the oracle; returns the plan, and who waits in it."""
    workers = [worker] * count
    options = {"master": master} if master else {}
    got = planned(tmp_path, "star", workers, load=load, installments="umr",
                  **options)
    best = planned(tmp_path, "star", workers, load=load, **options)
    want = (1, best["makespan"])
    one = papers.one_round(workers, range(count), load, master)
    assert want[1] <= float(one[0]) * (1 + 1e-12) or min(one[1]) < 0
    found = papers.umr(count, worker, load, master, 8)
    if found is not None and found[1] < want[1]:
        want = found
    if got["rounds"] <= 8:
        assert got["rounds"] == want[0], (worker, count, load)
        assert near(got["makespan"], want[1]), (worker, count, load)
    else:
        assert got["makespan"] < want[1]
    waited = set()
    if got["order"]:
        waited = check(got, workers, load, master)
        assert got["rounds"] == 1 or count - 1 not in waited
    return got, waited


def test_uniform_rounds_are_the_best_number_of_them(tmp_path):
    rng = random.Random(3)
    several = busy = falling = 0
    for _ in range(60):
        worker = (F(rng.randint(1, 20), 100), F(rng.randint(1, 30), 10),
                  F(rng.randint(0, 10), 10), F(rng.randint(0, 10), 10))
        count, master = rng.randint(1, 4), rng.choice((0, 4))
        if rng.random() < .6:
            g = worker[1] / count * F(rng.randint(60, 110), 100)
            worker = (g, *worker[1:])
        got, waited = check_umr(tmp_path, worker, count,
                                F(rng.randint(20, 2000)), master)
        if got["rounds"] > 1:
            several += 1
            first, second = (got["chunks"][0] + [0])[:2]
            busy += not waited
            falling += got["rounds"] > 2 and second < first
    assert several > 25 and min(busy, falling) >= 8


@pytest.mark.parametrize("worker,count,load", [
    (("13/50", 1, "9/10", "31/10"), 3, 69),
    (("9/25", 1, "1/2", "31/10"), 3, 65),
    (("333/1000", "9/5", 1, "33/10"), 4, 62),
    (("473/2000", "11/10", "3/10", "8/5"), 4, 18),
    (("147/250", "12/5", "1/2", "14/5"), 4, 55)])
def test_uniform_rounds_for_which_some_wait(tmp_path, worker, count, load):
    """The last ones but one wait for the last round, the first do not."""
    _, waited = check_umr(tmp_path, tuple(map(F, worker)), count, F(load), 0)
    assert waited in ({1}, {2}, {1, 2}) and 0 < len(waited) < count - 1


def test_uniform_rounds_that_do_not_grow(tmp_path):
    """The ratio w/(P g) is 1, or near it: workers wait, but not the last."""
    for worker in ((1, 4, 0, 0), (1, 4, "1/10", "2/5"), (1, 3, "1/10", 0),
                   (1, 1, 0, 0), (1, "41/10", "1/10", 0)):
        got, _ = check_umr(tmp_path, tuple(map(F, worker)), 4, F(10), 0)
        assert got["rounds"] > 1


def test_two_uniform_rounds_that_are_equal(tmp_path):
    """Carried out: no later than M rounds of 10/(4 M) units for each."""
    got = planned(tmp_path, "star", [(1, 4)] * 4, load=10, installments="umr")
    for rounds in (2, got["rounds"]):
        sends = [(i, F(10, 4 * rounds)) for _ in range(rounds)
                 for i in range(4)]
        end, _ = papers.run_star([(F(1), F(4), 0, 0)] * 4, sends)
        assert max(end.values()) == 10 * (1 + F(1, rounds))
        assert got["makespan"] < max(end.values())
    assert got["rounds"] == 64


def test_many_uniform_rounds_of_many_workers(tmp_path):
    for worker in ((F(1, 999), F(997, 998), F(1, 9997), F(1, 3)),
                   (F(1, 999), F(7, 8), F(0), F(0))):
        got = planned(tmp_path, "star", [worker] * 1000, load=10 ** 6,
                      installments="umr")
        check(got, [worker] * 1000, 10 ** 6)


def test_periods_fill_the_link_or_all_workers(tmp_path):
    rng = random.Random(4)
    for _ in range(30):
        workers = draw(rng, rng.randint(1, 8))
        got = planned(tmp_path, "star", workers, load=5000,
                      installments="periodic", master=7)
        rate, link = F(1, 7), F(1)
        for g, w, _, _ in sorted(workers):
            units = min(1 / w, link / g)
            rate, link = rate + units, link - units * g
        assert F(got["rate_limit_exact"]) == rate
        period = got["period"]
        assert near(got["rate"] * got["makespan"], 5000)
        used = [(workers[i - 1], got["chunks"][i - 1][0])
                for i in got["order"]]
        assert sum(float(w[2] + w[0] * F(a)) for w, a in used) <= period + 1e-9
        assert all(float(w[3] + w[1] * F(a)) <= period + 1e-9 for w, a in used)
        assert got["master_units"] <= got["rounds"] * period / 7 * (1 + 1e-12)
        assert near(sum(got["shares"]) + got["master_units"], 5000)
        for row, share in zip(got["chunks"], got["shares"]):
            assert near(sum(row) * (got["rounds"] - 1), share)
        # One period less would not hold the load.
        startups = sum(w[2] + w[3] for w, _ in used)
        room = (period - float(startups)) * float(rate - F(1, 7))
        assert (room * (got["rounds"] - 2) + (got["rounds"] - 1) * period / 7
                < 5000 * (1 + 1e-12))
        assert near(got["makespan"], period * got["rounds"])
        assert got["makespan"] >= 5000 / rate


@pytest.mark.parametrize("master", [None, 3])
def test_short_loads_in_periods_are_no_more_than_the_load(tmp_path, master):
    """Rate, shares and the master's units are of the load, as elsewhere."""
    options = {"master": master} if master else {}
    got = planned(tmp_path, "star", [(1, 1, 100, 0)], load=1,
                  installments="periodic", **options)
    # A period lasts twice the startup.
    assert got["period"] == 200
    assert got["rounds"] == (1 if master else 2)
    assert got["makespan"] == 200 * got["rounds"]
    assert near(got["rate"], F(1, 200 * got["rounds"]))
    assert got["rate_limit"] == 1 + (1 / 3 if master else 0)
    assert (got["shares"], got["master_units"], got["chunks"]) == (
        ([0], 1, [[]]) if master else ([1], 0, [[1]]))


def test_equal_links_are_served_by_startups(tmp_path):
    """Rising g, then rising G w - g W, then as in the file."""
    rng = random.Random(13)
    for _ in range(20):
        workers = [(F(rng.randint(1, 2)), F(rng.randint(1, 5)),
                    F(rng.randint(0, 3)), F(rng.randint(0, 3)))
                   for _ in range(9)]
        got = planned(tmp_path, "star", workers, load=10 ** 6, master=10 ** 6,
                      installments="periodic")
        want = sorted(range(9), key=lambda i, of=workers: (
            of[i][0], of[i][2] * of[i][1] - of[i][0] * of[i][3], i))
        assert got["order"] == [i + 1 for i in want][:len(got["order"])]


# ---- large files ----

def test_a_thousand_workers(tmp_path):
    rng = random.Random(6)
    workers = [tuple(F(rng.randint(1, 9999), 1000) for _ in range(4))
               for _ in range(1000)]
    for mode in (1, "periodic"):
        got = planned(tmp_path, "star", workers, load=10000, installments=mode)
        if mode == 1:
            check(got, workers, 10000)

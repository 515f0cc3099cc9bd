# SPDX-License-Identifier: Apache-2.0
"""`quincunx model star` against brute force in fractions, and carried out."""
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


def check(plan, workers, load, master=0):
    """A plan's numbers agree, and carried out it ends when it says. Returns
    [(worker from 0, when its chunks come, when it has computed them)]."""
    order = [i - 1 for i in plan["order"]]
    chunks = [plan["chunks"][i] for i in order]
    ran = papers.run_star([tuple(map(float, row)) for row in workers], order,
                          chunks)
    assert min(map(min, chunks)) > 0 and len(set(order)) == len(order)
    assert near(sum(map(sum, plan["chunks"])) + plan["master_units"], load, 9)
    assert [near(sum(row), share, 9)
            for row, share in zip(plan["chunks"], plan["shares"])]
    assert all(near(ends[-1], plan["makespan"], 9) for _, _, ends in ran)
    assert near(plan["rate"] * plan["makespan"], load, 9)
    assert near(plan["master_units"] * float(master), plan["makespan"], 9) \
        or not master
    return ran


def waiting(ran):
    """Who waits after its first chunk: floats are rounded."""
    return {i for i, came, ends in ran if any(
        later - end > later / 10 ** 11 for later, end in zip(came[1:], ends))}


# ---- printed examples ----

EXAMPLES = [
    # A lane, and a master that computes.
    ([(1, 2, 1), (1, 4, 1), (1, 8, 1)], {"load": 40, "master": 2},
     {"makespan_exact": "11050/277", "order": [1, 2, 3],
      "master_units": F(5525, 277),
      "chunks": [[F(n, 277)] for n in (3591, 1381, 583)]}),
    # The faster link goes first.
    ([(4, 1), (1, 1)], {"load": 6},
     {"makespan": 10, "order": [2, 1], "chunks": [[1], [5]]}),
    # Startups decide who takes part; a fast master needs nobody.
    ([(1, 2, 1, 1), (2, 1, 2, 1), (1, 3, 5, 0)], {"load": 10},
     {"makespan_exact": "106/5", "order": [1, 2]}),
    ([(1, 2, 1, 1), (2, 1, 2, 1), (1, 3, 5, 0)], {"load": 100},
     {"makespan_exact": "313/2", "order": [1, 3, 2]}),
    ([(1, 1, 9)], {"load": 2, "master": 1},
     {"makespan": 2, "order": [], "chunks": [[]]}),
    ([("1/4", 1)] * 2, {"load": 100, "installments": 2},
     {"makespan_exact": "11625/209",
      "chunks": [[F(2900, 209), F(8000, 209)],
                 [F(3600, 209), F(6400, 209)]]}),
    ([(".05", 1, ".5", ".25")] * 4, {"load": 1000, "installments": "umr"},
     {"rounds": 4, "makespan": 252.716747}),
    ([(1, 4, 1, 1), (2, 4, 1, 1), (4, 4, 1, 1)],
     {"load": "1e4", "installments": "periodic"},
     {"rate_limit_exact": "9/16", "rate": F(10000, 18800),
      "period_exact": "400/3", "rounds": 141, "makespan": 18800}),
    # Loads that are less than a period's; it lasts twice the startup.
    ([(1, 1, 100, 0)], {"load": 1, "installments": "periodic"},
     {"period": 200, "rounds": 2, "makespan": 400, "rate": F(1, 400),
      "rate_limit": 1, "shares": [1], "master_units": 0, "chunks": [[1]]}),
    ([(1, 1, 100, 0)], {"load": 1, "installments": "periodic", "master": 3},
     {"period": 200, "rounds": 1, "makespan": 200, "rate": F(1, 200),
      "rate_limit": F(4, 3), "shares": [0], "master_units": 1,
      "chunks": [[]]})]


def agrees(got, want):
    if isinstance(want, list):
        return len(got) == len(want) and all(map(agrees, got, want))
    return got == want if isinstance(want, str) else near(got, want, 8)


def test_examples(tmp_path):
    for workers, options, wanted in EXAMPLES:
        got = planned(tmp_path, "star", workers, **options)
        for key, want in wanted.items():
            assert agrees(got[key], want), (workers, key, got[key])


# ---- one round ----

def test_no_order_of_any_subset_ends_earlier(tmp_path):
    rng = random.Random(8)
    for number in range(60):
        workers = draw(rng, 5 if number == 30 else rng.randint(1, 4),
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
    for count, startups in itertools.product((8, 40), (False, True)):
        workers = draw(rng, count, startups)
        got = planned(tmp_path, "star", workers, load=500, master=3)
        assert got["order_by"] == ("rule" if startups else "best")
        check(got, workers, 500, 3)
        if not startups:
            order = [i - 1 for i in got["order"]]
            assert sorted(order) == list(range(count))
            links = [workers[i][0] for i in order]
            assert links == sorted(links)
            want, _ = papers.one_round(workers, order, F(500), F(3))
            assert near(got["makespan"], want)


def test_no_single_worker_is_better_elsewhere(tmp_path):
    """Of more workers than are searched: moved, taken out or taken in."""
    rng = random.Random(11)
    for _ in range(8):
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


# ---- installments ----

def test_installments_keep_link_and_workers_busy(tmp_path):
    """A chunk comes when the one before ends."""
    rng = random.Random(2)
    feasible = 0
    for rounds in 15 * (2, 3, 5):
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
        for _, came, ends in check(got, workers, 400, master):
            assert all(near(later, end, 9)
                       for later, end in zip(came[1:], ends))
    assert feasible > 12


# g w G W, workers, load, master: the best number of rounds of equal chunks but
# for the last, and its makespan, by brute force of who waits for the last one.
UNIFORM = [
    ("2/25 19/10 4/5 1/5", 3, 154, 4, 3, "618856832/7165907"),
    ("1/5 1/10 7/10 2/5", 2, 983, 0, 3, "42431/210"),
    ("17/100 13/10 0 1", 1, 1230, 0, 4, "40510832783/25267830"),
    ("1/100 14/5 2/5 9/10", 2, 1872, 4, 2, "197272088/101521"),
    ("1/5 9/5 0 3/10", 4, 339, 4, 6, "434870224/3129767"),
    ("6/25 6/5 2/5 1", 4, 383, 4, 7, "314915504/2661007"),
    ("3/25 3/5 1/2 1/2", 3, 234, 4, 5, "2501154/50489"),
    ("9/50 29/10 1/10 1/5", 2, 1670, 4, 5, "489082992730140/275056699271"),
    ("13/800 1/10 1/10 1", 4, 94, 4, 1, "38696470136/8405931601"),
    # Some wait for the last round, but not the last worker.
    ("13/50 1 9/10 31/10", 3, 69, 0, 2, "13106202/362675"),
    ("9/25 1 1/2 31/10", 3, 65, 0, 3, "12453247/340872"),
    ("333/1000 9/5 1 33/10", 4, 62, 0, 2, "1556212637/36409500"),
    ("473/2000 11/10 3/10 8/5", 4, 18, 0, 2, "786397793/78399000"),
    # The ratio w/(P g) is 1, or near it.
    ("1 4 1/10 2/5", 4, 10, 0, 4, "25114/1845"),
    ("1 3 1/10 0", 4, 10, 0, 4, "3649193/306250"),
    ("1 41/10 1/10 0", 4, 10, 0, 5, "16975841628003/1325247411686"),
    ("1 4 0 0", 4, 10, 0, 64, None), ("1 1 0 0", 4, 10, 0, None, None)]


def test_uniform_rounds_are_the_best_number_of_them(tmp_path):
    several = 0
    for worker, count, load, master, rounds, makespan in UNIFORM:
        workers = [tuple(map(F, worker.split()))] * count
        options = {"master": master} if master else {}
        got = planned(tmp_path, "star", workers, load=load,
                      installments="umr", **options)
        assert got["rounds"] == rounds or rounds is None and (
            got["rounds"] > 1), worker
        assert makespan is None or near(got["makespan"], F(makespan)), worker
        waited = waiting(check(got, workers, load, master))
        assert got["rounds"] == 1 or count - 1 not in waited
        several += 0 < len(waited) < count - 1
    assert several >= 4


def test_periods_fill_the_link_or_all_workers(tmp_path):
    """Equal links are served by rising G w - g W, then as in the file."""
    rng = random.Random(4)
    for _ in range(20):
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
        assert all(float(time) <= period + 1e-9 for time in (
            sum(w[2] + w[0] * F(a) for w, a in used),
            *(w[3] + w[1] * F(a) for w, a in used)))
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
        equal = [(F(1), *map(F, row[1:])) for row in workers]
        order = planned(tmp_path, "star", equal, load=10 ** 6,
                        installments="periodic")["order"]
        assert order == [i + 1 for i in sorted(range(len(equal)), key=lambda i,
                         of=equal: (of[i][2] * of[i][1] - of[i][3], i))
                         ][:len(order)]


@pytest.mark.boards
def test_a_thousand_workers(tmp_path):
    rng = random.Random(6)
    unlike = [tuple(F(rng.randint(1, 9999), 1000) for _ in range(4))
              for _ in range(1000)]
    alike = [(F(1, 999), F(997, 998), F(1, 9997), F(1, 3))] * 1000
    free = [(F(1, 999), F(7, 8), F(0), F(0))] * 1000  # of startups
    for workers, load, mode in ((unlike, 10000, 1), (unlike, 10000,
                                                     "periodic"),
                                (alike, 10 ** 6, "umr"),
                                (free, 10 ** 6, "umr")):
        got = planned(tmp_path, "star", workers, load=load, installments=mode)
        if mode != "periodic":
            check(got, workers, load)

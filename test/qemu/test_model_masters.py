# SPDX-License-Identifier: Apache-2.0
"""`quincunx model masters` against its definition, transfer by transfer."""
import random
from fractions import Fraction as F

import papers
from papers_runs import near, planned

GAMMA = F(1, 80)
# The paper's table I: x, beta, T, class.
CASES = {
    "case1": ([600] + 7 * [0], F(1, 300), "2", 1),
    "case2a": ([600] + 7 * [0], F(1, 600), "85/72", 2),
    "case2b": ([500] + 6 * [15] + [10], F(1, 300), "5/3", 2),
    "case3": ([150, 150, 100, 100, 50, 50, 0, 0], F(1, 300), "53/48", 3),
}


def masters(tmp_path, held, beta, gamma=GAMMA, alpha=F(1, 10), scale=1):
    return planned(tmp_path, "masters", [[x] for x in held], startup=alpha,
                   transfer=beta, compute=gamma, scale=scale)


def test_the_printed_cases(tmp_path):
    """How far above the bound; for a hundred times the load, it falls with
    1/sqrt(C), log(C)/C and 1/C."""
    for case, low, high, printed in (
            ("case1", 9.9, 10.1, 7.947e-3), ("case2a", 60, 90, None),
            ("case2b", 60, 90, None), ("case3", 99.9, 100.1, None)):
        held, beta, bound, number = CASES[case]
        got = masters(tmp_path, held, beta)
        assert (got["lower_bound_exact"], got["class"]) == (bound, number)
        one, other = (masters(tmp_path, held, beta, scale=scale)
                      for scale in ("1e4", "1e6"))
        assert low < one["excess"] / other["excess"] < high
        assert printed is None or abs(one["excess"] / printed - 1) < 1e-3
        for plan in (got, one, other):
            assert near(plan["over_bound"], 1 + plan["excess"])
            assert near(plan["makespan"],
                        plan["lower_bound"] * plan["over_bound"])


def draw(rng):
    count = rng.randint(2, 7)
    held = [F(rng.choice((0, 0, 1, 1, 2, 5)) * rng.randint(0, 40), 4)
            for _ in range(count)]
    held[rng.randrange(count)] += 30
    gamma = F(rng.randint(1, 40), 40)
    return held, gamma * F(rng.randint(1, 11), 10), gamma


def check_transfers(got, held, beta, gamma, time):
    """Nobody has two transfers at a time, or more than T to do."""
    length = float(beta) * max(got["sent"] + got["received"])
    for i, x in enumerate(held):
        mine = sorted((t["start"], t["start"] + float(beta) * t["units"])
                      for t in got["transfers"] if i + 1 in (t["from"],
                                                             t["to"]))
        for (_, end), (start, _) in zip(mine, mine[1:]):
            assert end <= start + 1e-9 * length
        assert not mine or mine[-1][1] <= length * (1 + 1e-9)
        sent, received = got["sent"][i], got["received"][i]
        assert not (sent and received) and sent <= x * (1 + 1e-12)
        assert near(sum(t["units"] for t in got["transfers"]
                        if i + 1 in (t["from"], t["to"])), sent + received)
        assert (float(gamma) * (float(x) - sent + received)
                + float(beta) * (sent + received)) <= time * (1 + 1e-12)


def test_basic_rounds_are_the_shortest(tmp_path):
    rng = random.Random(5)
    case3, beta3, _, _ = CASES["case3"]
    cases = [(*draw(rng), 1) for _ in range(60)] + [
        (case3, beta3, GAMMA, scale) for scale in (1, 5)]
    for held, beta, gamma, scale in cases:
        got = masters(tmp_path, held, beta, gamma, scale=scale)
        time = papers.masters_time(held, beta, gamma) * scale
        assert near(got["lower_bound"], time), (held, beta, gamma)
        check_transfers(got, [x * scale for x in held], beta, gamma,
                        float(time))
        # Masters send no more than they must: their computing ends at T.
        for x, sent in zip(held, got["sent"]):
            assert held is not case3 or sent == 0 or near(
                float(gamma) * (x * scale - sent) + float(beta) * sent, time)


# x, (beta, gamma, alpha), scale, class, rounds, makespan: the best of all
# numbers of rounds by bisection of what workers idle at least.
ROUNDS = [
    ("63/2 125/4 9/4", "1/80 1/8 3", 20, 3, 1, 63.29838709677419),
    ("17/4 30 0", "37/80 37/40 4/3", 300, 2, 7, 5252.336796532372),
    ("39 0 0 0", "1/100 1/10 1", 300, 2, 3, 349.6706281833616),
    ("0 151/4 0", "29/100 29/40 7/3", 300, 2, 7, 4456.881904604812),
    ("5 9/2 135/2", "147/400 21/40 4/3", 300, 3, 3, 8061.043478260869),
    ("0 5 185/4 15", "27/100 9/20 1", 300, 3, 3, 3962.5714285714284),
    ("37 7 3/4 5", "29/200 29/40 4/3", 300, 3, 2, 3306.75),
    ("3 0 157/4 17/4", "1/200 1/40 2", 20, 2, 1, 14.321759259259258)]


def test_rounds_are_the_best_of_all_numbers(tmp_path):
    for held, costs, scale, number, rounds, makespan in ROUNDS:
        beta, gamma, alpha = map(F, costs.split())
        got = masters(tmp_path, held.split(), beta, gamma, alpha, scale)
        assert (got["class"], got["rounds"]) == (number, rounds), held
        assert near(got["makespan"], makespan, 9)
        assert len(got["parts"]) == rounds and near(sum(got["parts"]), 1)


def test_no_node_sends_if_that_ends_later(tmp_path):
    """Alone the one that holds all needs 100 units of time, scaled."""
    for alpha, scale, alone in (
            (50, 1, True), (50, 9, False), (F(1, 2), F(1, 100), True),
            (1000, 10, True), (F(1, 2), 1, False)):
        got = masters(tmp_path, [100, 0, 0], F(1, 10), F(1), alpha, scale)
        assert (got["rounds"] == 0) == alone == (got["parts"] == [])
        assert near(got["makespan"], 100 * scale) if alone else (
            got["makespan"] < 100 * scale)
    got = masters(tmp_path, [7, 0], F(1), F(1, 2))
    assert (got["makespan"], got["rounds"], got["transfers"]) == (3.5, 0, [])
    assert masters(tmp_path, [5, 5], F(1, 3), F(1))["transfers"] == []

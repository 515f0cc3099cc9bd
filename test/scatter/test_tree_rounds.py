# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/tree_rounds.c: its plans are carried out event by event in exact
fractions (test/oracle/execute.py), at random trees.

QUINCUNX_SEED chooses the cases, QUINCUNX_TREE_ROUNDS how many.
"""
import os
import random
from fractions import Fraction

import core as library
import tree_plan
from tree_plan import Costs

SEED = int(os.environ.get("QUINCUNX_SEED", "2003"))
CASES = int(os.environ.get("QUINCUNX_TREE_ROUNDS", "300"))


def grown(rng, parents):
    return tree_plan.grown(
        parents, lambda: (rng.randrange(4), 0, rng.randint(1, 3), 0))


def random_tree(rng):
    nodes = rng.choice([2, 3, 5, 8, 13, 30])
    kind = rng.choice(["star", "chain", "any", "any"])
    return grown(rng, [None] + [
        0 if kind == "star" else i if kind == "chain" and i < 5
        else rng.randrange(i + 1) for i in range(nodes - 1)])


def random_costs(rng):
    """From ports that are the limit to nodes that are."""
    compute = rng.choice([14000, 256000, 1024000])
    transfer = rng.choice([0, 3300, 80000, 1900000])
    software = rng.random() < 0.7
    return Costs(
        rng.choice([300, 20000, 100000, 1000000]), compute, transfer,
        rng.choice([0, 5000000, 20000000]), rng.choice([0, 100000]),
        rng.choice([0, 16 * transfer]),
        4000000 * software, 6300000 * software, 1600000 * software, 0,
        rng.choice([1, 2, 4, 4]), rng.random() < 0.2, False)


def planned(core, branches, slow, costs, least, most, **software):
    raw = tree_plan.pack([b._replace(first=s)
                          for b, s in zip(branches, slow)])
    return library.tree_rounds(core, raw, library.tree_job(costs), least,
                               most, **software)


def shares_of(load, tables):
    """Own shares of each round; every unit is given exactly once."""
    out, at = [], 0
    for number, table in enumerate(tables):
        assert table[0] == number
        firsts = table[1:]
        if number == 0:
            firsts[0] = 0
        assert firsts[0] == at
        at = firsts[-1]
        out.append([b - a for a, b in zip(firsts, firsts[1:])])
        assert min(out[-1]) >= 0
    assert at == load
    return out


def carried_out(plan, branches, slow, costs, round_end=0, overhead=0):
    """(the plan's tree, when each of its nodes ends)."""
    _, rounds, makespan, begin, raw, tables = plan
    shares = shares_of(costs.load, tables)
    left = tree_plan.unpack(raw)
    for i, branch in enumerate(left):  # ranges are the first table's
        assert branch.first == (0 if i == 0 else tables[0][1 + i])
        assert branch.first + branch.units == tables[0][1 + i + branch.nodes]
    last = max(b.phase for b in left)
    tree = tree_plan.Tree(*tree_plan.pruned(branches, slow, last), costs,
                          round_end=round_end)
    assert len(tree.branches) == len(left) and len(begin) == rounds
    assert begin == sorted(begin) and begin[0] == 0 and begin[-1] < makespan
    return tree, tree.last_ends(shares, overhead)


def whole_units(tree, rounds):
    """By how much whole units may delay the end: one on each circuit of a
    chain, and one that is computed, in each round."""
    return (sum(tree.rates) + max(node.unit for node in tree.nodes)
            ) * 2 * rounds


def test_random_trees(core):
    """Carried out, plans take as long as planned, and the originator computes
    to their end; the best number of rounds never takes longer than one; and
    several rounds are found where they pay."""
    rng = random.Random(SEED)
    found = 0
    for number in range(CASES):
        branches, costs = random_tree(rng), random_costs(rng)
        slow = [rng.choice([0, 0, 1, 3]) for _ in branches]
        software = {"round_end": rng.choice([0, 5500000]),
                    "overhead": rng.choice([0, 2000000])}
        fixed = rng.random() < 0.5
        least, most = (rng.randint(2, 6),) * 2 if fixed else (2, 16)
        plan = planned(core, branches, slow, costs, least, most, **software)
        if plan is None:
            continue
        one, rounds, makespan, *_ = plan
        if rounds == 1:
            assert makespan == one
            continue
        found += 1
        assert least <= rounds <= most
        tree, ends = carried_out(plan, branches, slow, costs, **software)
        slack = whole_units(tree, rounds)
        soonest = makespan * Fraction(980, 1000) - slack
        latest = makespan * Fraction(1005, 1000) + slack
        assert soonest <= ends[0] <= max(ends) <= latest, (SEED, number, costs)
        assert fixed or makespan < one
    assert found > CASES // 5


def test_stars_of_unequal_boards(core):
    """At most 3 % longer than the best similar rounds of the same star, of
    which nodes that pass nothing on never wait."""
    for ports, transfer in ((1, 3300), (2, 80000), (4, 80000)):
        rng = random.Random(f"{SEED} {ports} {transfer}")
        branches = [b._replace(port=i % 4) for i, b in
                    enumerate(grown(rng, [None] + [0] * 12))]
        slow = [rng.randrange(4) for _ in branches]
        costs = Costs(50000, 1024000, transfer, 10000000, ports=ports)
        best, _ = tree_plan.Tree(branches, slow, costs).similar(50000, 16, 7)
        one, _, makespan, *_ = planned(core, branches, slow, costs, 2, 16)
        assert makespan <= min(one, best * Fraction(103, 100)), (ports,
                                                                 transfer)


def test_sends_that_can_be_queued(core):
    """So many rounds that the originator queues all sends."""
    rng = random.Random(SEED)
    branches = grown(rng, [None] + [0] * 12)
    costs = Costs(50000, 1024000, 80000, 10000000)
    found = [planned(core, branches, [0] * 13, costs, 2, 16, sends=sends)[1]
             for sends in (12 * 16, 12 * 3, 12 * 2, 12 * 2 - 1)]
    assert found[0] > 3 and found[1:] == [3, 2, 1]


def test_what_has_one_round(core):
    """Loads of few units, equal shares, and the originator alone."""
    pair = grown(random.Random(SEED), [None, 0])
    long = Costs(10000, 1000000, 1, 1)
    for tree, costs in ((pair, long._replace(load=8)),
                        (pair, long._replace(equal=True)), (pair[:1], long)):
        tree = [tree[0]._replace(nodes=len(tree)), *tree[1:]]
        plan = planned(core, tree, [0] * len(tree), costs, 2, 16)
        assert plan[0] == plan[2] and plan[1] == 1

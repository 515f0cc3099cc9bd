# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/tree*.c against exact fractions, at random (test/oracle).

QUINCUNX_SEED chooses the cases, QUINCUNX_TREES how many.
"""
import itertools
import os
import random
from fractions import Fraction

import pytest

import core as library
import parts
import tree_plan
from core import Size
from tree_plan import Branch, Costs
from values import limited, log_uniform

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
CASES = int(os.environ.get("QUINCUNX_TREES", "400"))
UNITS_MAX = 2 ** 32 - 1
TIME_MAX = 2 ** 40
STARTUP_MAX = 2 ** 36 - 1
MAKESPAN_MAX = 2 ** 63
NEAR = Fraction(1, 2 ** 23)  # of what the originator takes alone
GRID = 2 ** 600              # of numbers that would become too long
EXACT_NODES = 30
ONE = [Branch(0, 0, 1, 0, 0, 0, 0, 0)]
PAIR = [Branch(0, 0, 2, 0, 0, 0, 0, 0), Branch(0, 0, 1, 0, 0, 1, 1, 0)]
GOOD = Costs(1000, 1000, 1000)
SOFTWARE = ("startup", "hop", "branch", "parse", "send", "start", "begin")


# ---- trees ----

def grown(rng, parents, phases):
    """With any paths of up to 9 hops a leg."""
    def way():
        turn = rng.choice([0, 0, 1, 2])
        return (rng.randrange(4), turn, rng.randint(1, 9),
                rng.randint(1, 9) if turn else 0)

    return tree_plan.grown(parents, way, phases)


def random_tree(rng):
    nodes = rng.choice([1, 2, 3, 5, 8, 13, 30])
    parents, phases = [None], [0]
    for i in range(1, nodes):
        parents.append(rng.randrange(i))
        phases.append(phases[parents[i]] + rng.choice([1, 1, 1, 2, 5]))
    return grown(rng, parents, phases)


def chain(rng, nodes=None):
    nodes = nodes or rng.randint(2, 40)
    return grown(rng, [None, *range(nodes - 1)], list(range(nodes)))


def star(rng):
    nodes = rng.randint(2, 60)
    return grown(rng, [None] + [0] * (nodes - 1),
                 [0] + [1 + i // 4 for i in range(nodes - 1)])


def real_tree(core, name, *size):
    return tree_plan.wire(library.branches_of(
        library.tree(core, name, *size)[1]))[0]


def draw_real_tree(core, rng):
    return real_tree(core, rng.choice(["scatter", "scatter", "binomial",
                                       "nearest", "star"]),
                     rng.randint(1, 9), rng.randint(1, 9))


def draw_tree(core, rng):
    kind = rng.choice([random_tree, random_tree, random_tree, chain, star,
                       None, None, None])
    return kind(rng) if kind else draw_real_tree(core, rng)


# ---- costs ----

def draw_costs(rng, branches):
    load = limited(log_uniform(rng, 1, 2 ** 32), 1, UNITS_MAX)
    if rng.random() < .1:
        load = rng.choice([1, 2, 3, 25, UNITS_MAX - 1, UNITS_MAX])
    compute = limited(log_uniform(rng, 1, TIME_MAX), 1,
                      min(TIME_MAX, MAKESPAN_MAX // 16 // load))
    if rng.random() < .5:
        # So that phases more or less fit whatever the load is.
        compute = max(compute, limited(1e12 / load, 1, TIME_MAX))
    transfer = limited(compute * log_uniform(rng, 1e-6, 1e3), 0, TIME_MAX)
    if rng.random() < .1:
        transfer = rng.choice([0, compute, 2 * compute])
    alone = load * compute / len(branches)

    def cost(often):
        if rng.random() > often:
            return 0
        return limited(log_uniform(rng, 1e-6 * alone + 1, alone + 2), 0,
                       STARTUP_MAX)

    return Costs(load, compute, min(transfer, TIME_MAX), cost(.7), cost(.4),
                 cost(.2) // len(branches), cost(.3), cost(.3), cost(.3),
                 cost(.3), ports=rng.choice([1, 2, 4, 4]),
                 store_and_forward=rng.random() < .3,
                 equal=rng.random() < .2)


def draw_slow(rng, branches):
    if rng.random() < .5:
        return [0] * len(branches)
    return [rng.choice([0, 0, 1, 2, 3]) for _ in branches]


# ---- one case ----

def run_plan(core, branches, slow, costs):
    """(error, makespan, phases, branches that are left)."""
    given = tree_plan.pack(b._replace(first=s)
                           for b, s in zip(branches, slow))
    error, makespan, phases, room = library.tree_plan(
        core, given, library.tree_job(costs))
    left = tree_plan.unpack(room)
    return error, makespan, phases, left[:left[0].nodes]


def check_ranges(branches, load):
    """Contiguous, nested, all of the load."""
    assert branches[0].first == 0 and branches[0].units == load
    for i, branch in enumerate(branches):
        at = branch.first
        end = branch.first + branch.units
        below = list(tree_plan.children(branches, i))
        if below:
            at = branches[below[0]].first
            assert branch.first <= at
        for child in below:
            assert branches[child].first == at
            at += branches[child].units
        assert not below or at == end
        assert end <= load


def near_of(branches, slow, costs):
    """How far from exact a number of units may be."""
    tree = tree_plan.Tree(branches, slow, costs)
    alone = costs.load + Fraction(tree.nodes[0].before, tree.nodes[0].unit)
    return NEAR * alone + Fraction(1, 2 ** 30)


def check_units(tree, branches, shares, near):
    """Ranges begin at the floors of the shares' sums, and those of every
    subtree are within one unit of the exact."""
    load, position = tree.costs.load, Fraction(0)
    for i, (branch, share) in enumerate(zip(branches, shares)):
        low, high = ((position + by) // 1 for by in (-near, near))
        assert min(max(low, 0), load) <= branch.first <= high, (
            branch, float(position))
        position += share
        exact = sum(shares[i:i + tree.branches[i].nodes])
        assert abs(branch.units - exact) < 1 + 2 * near
    assert abs(position - load) < Fraction(1, 2 ** 300)


def equal_shares(branches, load):
    firsts = [load * i // len(branches) for i in range(len(branches) + 1)]
    return [b - a for a, b in zip(firsts, firsts[1:])]


def shortest(branches, slow, costs):
    """The makespan of the plan, however long it is."""
    if costs.equal:
        return max(tree_plan.Tree(branches, slow, costs).ends(
            equal_shares(branches, costs.load)))
    for phases in range(max(b.phase for b in branches), -1, -1):
        tree = tree_plan.Tree(*tree_plan.pruned(branches, slow, phases),
                              costs, GRID)
        makespan, shares = tree.solve()
        if min(shares) >= -near_of(branches, slow, costs):
            return makespan
    return 0


def check_case(core, branches, slow, costs):
    """Whether some phases were left out."""
    error, makespan, phases, left = run_plan(core, branches, slow, costs)
    if error == library.ERR_RANGE:
        most = MAKESPAN_MAX // 2 if costs.equal else MAKESPAN_MAX * 0.999
        assert shortest(branches, slow, costs) >= most
        return False
    assert error == 0
    grid = GRID if len(branches) > EXACT_NODES and not costs.equal else None
    most = max(b.phase for b in branches)
    near = near_of(branches, slow, costs)
    check_ranges(left, costs.load)
    pruned, slower = tree_plan.pruned(branches, slow, phases)
    assert [b[2:] for b in left] == [b[2:] for b in pruned]
    tree = tree_plan.Tree(pruned, slower, costs, grid)
    if costs.equal:
        assert phases == most
        shares = equal_shares(left, costs.load)
        assert [b.first for b in left] == [0, *itertools.accumulate(
            shares[:-1])]
        exact = max(tree.ends(shares))
    else:
        for more in range(most, phases, -1):
            assert min(tree_plan.Tree(
                *tree_plan.pruned(branches, slow, more), costs,
                grid).solve()[1]) <= near, more
        exact, shares = tree.solve()
        assert min(shares) >= -near
        ends = tree.ends(shares)
        assert max(ends) - min(ends) <= (0 if grid is None else 1e-99)
        check_units(tree, left, shares, near)
    assert makespan < MAKESPAN_MAX
    assert abs(makespan - exact) <= exact * NEAR + 2
    return phases < most


def check(core, branches, slow, costs, what=""):
    try:
        return check_case(core, branches, slow, costs)
    except AssertionError as error:
        raise AssertionError(f"QUINCUNX_SEED={SEED} {what}: {costs} "
                             f"slow={slow} tree={branches}"
                             ) from error


# ---- the plans ----

def bounded(branches, costs):
    """Whether no time can leave 64 bits."""
    hops = max(b.hops + b.hops_after for b in branches)
    return costs.load * costs.transfer * (
        hops if costs.store_and_forward else 1) * (
            len(branches) if costs.equal else 1) < MAKESPAN_MAX


@pytest.mark.parts(3)
def test_random_plans(core, part):
    rng = random.Random(f"{SEED} {part}")
    cuts = checked = 0
    while checked < CASES:
        branches = draw_tree(core, rng)
        costs = draw_costs(rng, branches)
        if costs.equal and not bounded(branches, costs):
            continue
        cuts += check(core, branches, draw_slow(rng, branches), costs,
                      f"part {part} case {checked}")
        checked += 1
    assert checked // 20 < cuts < checked * 3 // 4


def test_plans_at_the_limit(core):
    """The startup with which somebody gets just nothing, and next to it."""
    rng = random.Random(f"{SEED} limit")
    cuts = checked = 0
    while checked < 40:
        branches = draw_tree(core, rng)
        costs = draw_costs(rng, branches)._replace(equal=False, branch=0)
        slow = draw_slow(rng, branches)
        if not 2 <= len(branches) <= EXACT_NODES:
            continue
        # Every share is affine in the startup.
        none, some = (tree_plan.Tree(branches, slow,
                                     costs._replace(startup=startup)
                                     ).solve()[1] for startup in (0, 10 ** 6))
        if min(none) <= 0:
            continue
        limit = min(10 ** 6 * a / (a - b) for a, b in zip(none, some)
                    if b < a)
        if limit >= STARTUP_MAX - 2:
            continue
        for near in (-1, 0, 1, 2):
            costs = costs._replace(startup=max(0, int(limit) + near))
            cuts += check(core, branches, slow, costs, "limit")
        checked += 1
    assert checked // 2 < cuts


@pytest.mark.parametrize("name, side", parts.cases([
    ("scatter", 15), ("binomial", 15), ("nearest", 31), ("star", 31)], 1))
def test_large_trees(core, name, side):
    rng = random.Random(f"{SEED} large {name} {side}")
    branches = real_tree(core, name, side, side)
    for ports in (1, 4):
        check(core, branches, draw_slow(rng, branches),
              Costs(10 ** 6, 10 ** 6, 3300, 4850 * 1000, 10 ** 5, 10 ** 4,
                    ports=ports, store_and_forward=ports == 1), name)


def extremes(rng):
    """(costs, slow of the originator): loads and times at their ends; and what
    costs more units than a word holds, for which a slow one may wait."""
    for load, equal, (compute, startup) in itertools.product(
            (1, 2, UNITS_MAX), (False, True),
            ((1, 0), (1, 10 ** 6), (1000, 10), (2 ** 28, 10))):
        yield Costs(load, compute, compute // 100, startup, equal=equal), 0
    for change in (
            {"load": 2 ** 20, "compute": TIME_MAX, "transfer": TIME_MAX},
            {field: STARTUP_MAX for field in SOFTWARE},
            {"compute": 2 ** 24, "transfer": 2 ** 40 - 1}):
        yield GOOD._replace(**change), 0
    for startup, slow in itertools.product(
            (2 ** 32 - 1, 2 ** 32, 2 ** 34 + 12345, 2 ** 35), range(4)):
        stored = rng.random() < .5
        yield Costs(UNITS_MAX, 1, 65535 * stored, startup,
                    store_and_forward=stored), slow


def test_extremes(core):
    rng = random.Random(f"{SEED} load")
    for costs, slow in extremes(rng):
        for branches in (random_tree(rng), star(rng), chain(rng),
                         draw_real_tree(core, rng)):
            check(core, branches, [slow] + [0] * (len(branches) - 1), costs)
    whole = chain(rng, tree_plan.PHASES_MAX + 1)
    for transfer in (0, 10):
        check(core, whole, [0] * len(whole),
              Costs(UNITS_MAX, 1000, transfer, 10 ** 4))
    # W(s) = p s - q with q < 0: parts that are short for their software.
    branches = [Branch(0, 0, 5, 0, 0, 0, 0, 0)] + [
        Branch(0, 0, 1, 0, 0, 1, hops, 0) for hops in (2, 8, 3, 8)]
    slow = [0, 0, 2, 0, 0]
    costs = Costs(701005, 725, 1689, 692, 404, 203, send=448, begin=1505667,
                  ports=1, store_and_forward=True)
    assert tree_plan.Tree(branches, slow, costs).lines()[0][1] < 0
    check(core, branches, slow, costs)


def test_one_node(core):
    """It waits for its software, and not for begin(), which others have."""
    for slow, software in itertools.product(range(4), (0, 12345)):
        costs = Costs(1000, 7, 9, 11, parse=software, start=5 * software,
                      begin=10 ** 9)
        check(core, ONE, [slow], costs)
        makespan = run_plan(core, ONE, [slow], costs)[1]
        assert 0 <= ((7000 + 6 * software) << slow) - makespan <= 1


def test_slower_than_the_slowest(core):
    """A shift that no order may carry counts as the greatest."""
    costs = Costs(9000, 100, 1)
    for shift in (4, 77, UNITS_MAX):
        assert run_plan(core, PAIR, [0, shift], costs) == run_plan(
            core, PAIR, [0, 3], costs)


CANNOT_BE_PLANNED = [
    ({"load": 0}, library.ERR_EMPTY), ({"compute": 0}, library.ERR_RANGE),
    ({"load": 1, "compute": TIME_MAX + 1}, library.ERR_RANGE),
    ({"compute": TIME_MAX, "transfer": TIME_MAX + 1}, library.ERR_RANGE),
    ({"load": UNITS_MAX, "compute": 2 ** 31 + 1}, library.ERR_RANGE),
    *[({field: value}, library.ERR_RANGE) for field in SOFTWARE
      for value in (STARTUP_MAX + 1, 2 ** 64 - 1)],
    *[({field: 2 ** 64 - 1}, library.ERR_RANGE)
      for field in ("compute", "transfer")],
    *[({"ports": ports}, library.ERR_RANGE) for ports in (0, 3, 5, 8, 255)]]


def test_numbers_that_cannot_be_planned(core):
    branches = star(random.Random(SEED))
    slow = [0] * len(branches)
    for equal, (change, error) in itertools.product((False, True),
                                                    CANNOT_BE_PLANNED):
        costs = GOOD._replace(equal=equal)
        assert run_plan(core, branches, slow, costs)[0] == 0
        assert run_plan(core, branches, slow, costs._replace(
            **change))[0] == error, (equal, change)


def test_times_that_are_too_long(core):
    """2^63 ps; 2^35 units before the originator computes, whatever the load
    is; and circuits of 2^36 units, for which nobody can wait unless shares are
    equal."""
    long, equal = Costs(2 ** 22 + 8, TIME_MAX, 0), Costs(
        2 ** 22 + 8, TIME_MAX, 0, equal=True)
    cases = [(ONE, [1], long, True), (ONE, [3], long, True),
             (PAIR, [1, 0], long, False), (PAIR, [1, 0], equal, True),
             (PAIR, [2, 1], equal, True),
             (PAIR, [0, 0], equal._replace(load=2 ** 22), False)]
    for load, (software, fails) in itertools.product(
            (1, UNITS_MAX), ((2 ** 35 - 1, False),
                             (2 ** 35 + 2 ** 7, True))):
        half = software // 2
        cases += [(ONE, [0], Costs(load, 1, 0, **fields), fails) for fields in
                  ({"start": software}, {"parse": software},
                   {"parse": half, "start": half + 1})]
        cases.append((PAIR, [0, 0], Costs(load, 1, 0, send=software), fails))
    for branches, slow, costs, fails in cases:
        assert run_plan(core, branches, slow, costs)[0] == (
            library.ERR_RANGE if fails else 0), (slow, costs)
    for costs in (Costs(2 ** 22, TIME_MAX, 0), long):
        check(core, ONE, [costs is long], costs)
    for change in ("startup", "branch"):
        costs = Costs(UNITS_MAX, 1, 0, hop=1, **{change: STARTUP_MAX})
        assert run_plan(core, PAIR, [3, 0], costs)[2] == 0
        check(core, PAIR, [3, 0], costs._replace(equal=True))


# ---- what is a tree ----

def promised(data, size):
    """What tree_valid() promises of what it accepts, from its header."""
    if len(data) < 16 or len(data) % 16 or len(data) > 15625 * 16:
        return False
    branches = tree_plan.unpack(data)
    root = branches[0]
    if root.nodes != len(branches) or root.phase != 0:
        return False
    side = max(size)
    # end of the subtree, its phase, the phase of its last child
    above = [[root.nodes, 0, 0]]
    for i, b in enumerate(branches[1:], 1):
        while above and above[-1][0] == i:
            above.pop()
        if not above:
            return False
        end, phase, last = above[-1]
        if (b.nodes < 1 or i + b.nodes > end or b.phase <= phase
                or b.phase < last or b.phase > tree_plan.PHASES_MAX
                or b.port > 3 or b.turn > 2 or not 1 <= b.hops <= side):
            return False
        if b.turn and not 1 <= b.hops_after <= side:
            return False
        above[-1][2] = b.phase
        above.append([i + b.nodes, b.phase, 0])
    return True


def valid(core, data, size):
    return core.tree_valid(data, len(data), Size(*size))


def test_damaged_trees(core):
    rng = random.Random(f"{SEED} damage")
    accepted = refused = 0
    for _ in range(150):
        size = rng.randint(1, 9), rng.randint(1, 9)
        name = rng.choice(["scatter", "binomial", "nearest", "star"])
        data = tree_plan.pack(real_tree(core, name, *size))
        assert promised(data, size) and valid(core, data, size)
        for _ in range(50):
            bad = bytearray(data)
            for _ in range(rng.choice([1, 1, 2, 5])):
                at = rng.randrange(len(bad) // 16) * 16 + rng.choice(
                    [8, 8, 9, 10, 11, 11, 12, 13, 14, 15, 0, 5])
                bad[at] = rng.choice([bad[at] ^ 1 << rng.randrange(8),
                                      rng.randrange(256), bad[at] + 1 & 255,
                                      bad[at] - 1 & 255])
            if rng.random() < .1:
                bad = bad[:rng.randrange(len(bad) + 1)]
            got = valid(core, bytes(bad), size)
            assert got == promised(bytes(bad), size), (size, bytes(bad))
            accepted += got
            refused += not got
    assert accepted > 300 and refused > 1500
    nodes = 15625
    flat = [Branch(0, 0, nodes, 0, 0, 0, 0, 0)] + [
        Branch(0, 0, 1, 0, 0, tree_plan.PHASES_MAX, 1, 0)] * (nodes - 1)
    assert valid(core, tree_plan.pack(flat), (125, 125))
    flat[0] = flat[0]._replace(nodes=nodes + 1)
    assert not valid(core, tree_plan.pack([*flat, flat[1]]), (125, 125))

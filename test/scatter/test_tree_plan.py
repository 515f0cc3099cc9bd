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
CASES = int(os.environ.get("QUINCUNX_TREES", "800"))
UNITS_MAX = 2 ** 32 - 1
TIME_MAX = 2 ** 40
STARTUP_MAX = 2 ** 36 - 1
MAKESPAN_MAX = 2 ** 63
NEAR = Fraction(1, 2 ** 23)  # of what the originator takes alone
GRID = 2 ** 600              # of numbers that would become too long
EXACT_NODES = 30
ONE = [Branch(0, 0, 1, 0, 0, 0, 0, 0)]
PAIR = [Branch(0, 0, 2, 0, 0, 0, 0, 0), Branch(0, 0, 1, 0, 0, 1, 1, 0)]


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


def chain(rng):
    nodes = rng.randint(2, 40)
    return grown(rng, [None, *range(nodes - 1)], list(range(nodes)))


def star(rng):
    nodes = rng.randint(2, 60)
    return grown(rng, [None] + [0] * (nodes - 1),
                 [0] + [1 + i // 4 for i in range(nodes - 1)])


def binomial(rng):
    bits = rng.randint(1, 5)
    nodes = rng.randint(2, 2 ** bits)
    return grown(rng, [None] + [i & (i - 1) for i in range(1, nodes)],
                 [0] + [bits - (i & -i).bit_length() + 1
                        for i in range(1, nodes)])


def real_tree(core, rng, name=None, side_max=8):
    name = name or rng.choice(["scatter", "scatter", "binomial", "nearest",
                               "star"])
    size = rng.randint(1, side_max), rng.randint(1, side_max)
    _, raw = library.tree(core, name, *size)
    return tree_plan.wire(library.branches_of(raw))[0]


def draw_tree(core, rng):
    kind = rng.choice([random_tree, random_tree, random_tree, chain, star,
                       binomial, None, None])
    return kind(rng) if kind else real_tree(core, rng)


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
        core, given, library.tree_input(costs))
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


def structure(branches):
    return [b[2:] for b in branches]


def near_of(branches, slow, costs):
    """How far from exact a number of units may be."""
    tree = tree_plan.Tree(branches, slow, costs)
    alone = costs.load + Fraction(tree.nodes[0].before, tree.nodes[0].unit)
    return NEAR * alone + Fraction(1, 2 ** 30)


def check_floors(branches, shares, load, near):
    position = Fraction(0)
    for branch, share in zip(branches, shares):
        low, high = ((position + by) // 1 for by in (-near, near))
        assert min(max(low, 0), load) <= branch.first <= high, (
            branch, float(position))
        position += share
    assert position == load or abs(position - load) < Fraction(1, 2 ** 300)


def check_volumes(tree, branches, shares, near):
    """Of every subtree within one unit of the exact."""
    for i, branch in enumerate(branches):
        exact = sum(shares[i:i + tree.branches[i].nodes])
        assert abs(branch.units - exact) < 1 + 2 * near


def shortest(branches, slow, costs):
    """The makespan of the plan, however long it is."""
    if costs.equal:
        tree = tree_plan.Tree(branches, slow, costs)
        firsts = [costs.load * i // len(branches)
                  for i in range(len(branches) + 1)]
        return max(tree.ends([b - a for a, b in zip(firsts, firsts[1:])]))
    most = max(b.phase for b in branches)
    for phases in range(most, -1, -1):
        tree = tree_plan.Tree(*tree_plan.pruned(branches, slow, phases),
                              costs, GRID)
        makespan, shares = tree.solve()
        if min(shares) >= -near_of(branches, slow, costs):
            return makespan
    return 0


def check_case(core, branches, slow, costs):
    error, makespan, phases, left = run_plan(core, branches, slow, costs)
    if error == library.ERR_RANGE:
        most = MAKESPAN_MAX // 2 if costs.equal else MAKESPAN_MAX * 0.999
        assert shortest(branches, slow, costs) >= most
        return False
    assert error == 0
    grid = GRID if len(branches) > EXACT_NODES else None
    most = max(b.phase for b in branches)
    near = near_of(branches, slow, costs)
    check_ranges(left, costs.load)
    if costs.equal:
        tree = tree_plan.Tree(branches, slow, costs)
        assert phases == most
        assert structure(left) == structure(branches)
        firsts = [costs.load * i // len(left) for i in range(len(left))]
        assert [b.first for b in left] == firsts
        shares = [b - a for a, b in zip(firsts, firsts[1:] + [costs.load])]
        exact = max(tree.ends(shares))
    else:
        for more in range(most, phases, -1):
            tree = tree_plan.Tree(*tree_plan.pruned(branches, slow, more),
                                  costs, grid)
            assert min(tree.solve()[1]) <= near, more
        pruned, slower = tree_plan.pruned(branches, slow, phases)
        assert structure(left) == structure(pruned)
        tree = tree_plan.Tree(pruned, slower, costs, grid)
        exact, shares = tree.solve()
        assert min(shares) >= -near
        ends = tree.ends(shares)
        assert max(ends) - min(ends) <= (0 if grid is None else 1e-99)
        check_floors(left, shares, costs.load, near)
        check_volumes(tree, left, shares, near)
    assert makespan < MAKESPAN_MAX
    assert abs(makespan - exact) <= exact * NEAR + 2
    return phases < most


def check(core, branches, slow, costs, what=""):
    try:
        return check_case(core, branches, slow, costs)
    except AssertionError as error:
        raise AssertionError(f"QUINCUNX_SEED={SEED} {what}: {costs} "
                             f"slow={slow} tree={structure(branches)}"
                             ) from error


# ---- the plans ----

def bounded(branches, costs):
    """Whether no time can leave 64 bits."""
    hops = max(b.hops + b.hops_after for b in branches)
    return costs.load * costs.transfer * (
        hops if costs.store_and_forward else 1) * (
            len(branches) if costs.equal else 1) < MAKESPAN_MAX


@pytest.mark.parts(4)
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
    while checked < 150:
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
    ("scatter", 31), ("nearest", 31), ("binomial", 31), ("scatter", 25),
    ("star", 31)], 4))
def test_large_trees(core, name, side):
    rng = random.Random(f"{SEED} large {name} {side}")
    _, raw = library.tree(core, name, side, side)
    branches = tree_plan.wire(library.branches_of(raw))[0]
    for ports in (1, 4):
        check(core, branches, draw_slow(rng, branches),
              Costs(10 ** 6, 10 ** 6, 3300, 4850 * 1000, 10 ** 5, 10 ** 4,
                    ports=ports, store_and_forward=ports == 1), name)


def test_chain_of_all_phases(core):
    rng = random.Random(f"{SEED} chain")
    nodes = tree_plan.PHASES_MAX + 1
    branches = grown(rng, [None, *range(nodes - 1)], list(range(nodes)))
    for transfer in (0, 1, 10):
        check(core, branches, [0] * nodes,
              Costs(UNITS_MAX, 1000, transfer, 10 ** 4))


def test_extreme_loads(core):
    rng = random.Random(f"{SEED} load")
    for load, equal, compute, startup in itertools.product(
            (1, 2, 7, UNITS_MAX - 1, UNITS_MAX), (False, True),
            (1, 1000, 2 ** 28), (0, 10, 10 ** 6)):
        for branches in (random_tree(rng), star(rng), chain(rng),
                         real_tree(core, rng)):
            check(core, branches, [0] * len(branches),
                  Costs(load, compute, compute // 100, startup, equal=equal))


def test_one_node(core):
    for slow in range(4):
        for software in (0, 12345):
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


GOOD = Costs(1000, 1000, 1000)
SOFTWARE = ("startup", "hop", "branch", "parse", "send", "start", "begin")


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


def test_numbers_at_the_edge(core):
    rng = random.Random(SEED)
    for change in (
            {"load": 2 ** 20, "compute": TIME_MAX, "transfer": TIME_MAX},
            {"load": UNITS_MAX, "compute": 2 ** 28},
            {field: STARTUP_MAX for field in SOFTWARE},
            {"compute": 2 ** 24, "transfer": 2 ** 40 - 1}):
        for branches in (star(rng), chain(rng), random_tree(rng)):
            check(core, branches, [0] * len(branches), GOOD._replace(**change))


def test_costs_of_more_units_than_a_word_holds(core):
    """A slow originator may wait so long for help."""
    rng = random.Random(f"{SEED} long")
    for startup, slow in itertools.product(
            (2 ** 32 - 1, 2 ** 32, 2 ** 33, 2 ** 34 + 12345, 2 ** 35),
            range(4)):
        for branches in (star(rng), random_tree(rng), chain(rng)):
            for transfer, stored in ((0, False), (65535, True)):
                check(core, branches, [slow] + [0] * (len(branches) - 1),
                      Costs(UNITS_MAX, 1, transfer, startup,
                            store_and_forward=stored))


def test_a_tree_that_takes_something_in_no_time(core):
    """W(s) = p s - q with q < 0: parts that are short for their software."""
    branches = [Branch(0, 0, 5, 0, 0, 0, 0, 0)] + [
        Branch(0, 0, 1, 0, 0, 1, hops, 0) for hops in (2, 8, 3, 8)]
    slow = [0, 0, 2, 0, 0]
    costs = Costs(701005, 725, 1689, 692, 404, 203, send=448, begin=1505667,
                  ports=1, store_and_forward=True)
    assert tree_plan.Tree(branches, slow, costs).lines()[0][1] < 0
    check(core, branches, slow, costs)


def test_makespans_that_are_too_long(core):
    costs = Costs(2 ** 22, TIME_MAX, 0)
    check(core, ONE, [0], costs)
    check(core, ONE, [1], costs._replace(load=2 ** 22 - 1))
    costs = costs._replace(load=2 ** 22 + 8)
    assert run_plan(core, ONE, [1], costs)[0] == library.ERR_RANGE
    assert run_plan(core, ONE, [3], costs)[0] == library.ERR_RANGE
    assert run_plan(core, PAIR, [1, 0], costs)[0] == 0
    equal = costs._replace(equal=True)
    assert run_plan(core, PAIR, [0, 0], equal._replace(load=2 ** 22))[:2] == (
        0, 2 ** 61)
    assert run_plan(core, PAIR, [1, 0], equal)[0] == library.ERR_RANGE
    assert run_plan(core, PAIR, [2, 1], equal)[0] == library.ERR_RANGE


def test_software_that_is_too_long(core):
    """2^35 units before the originator computes, whatever the load is."""
    for load, (software, error) in itertools.product(
            (1, 5, UNITS_MAX), ((2 ** 35 - 1, 0),
                                (2 ** 35 + 2 ** 7, library.ERR_RANGE))):
        for fields in ({"start": software}, {"parse": software},
                       {"parse": software // 2, "start": software // 2 + 1}):
            assert run_plan(core, ONE, [0], Costs(load, 1, 0, **fields))[
                0] == error, (load, fields)
        assert run_plan(core, PAIR, [0, 0], Costs(load, 1, 0, send=software))[
            0] == error, load


def test_circuits_that_are_too_long(core):
    """2^36 units: nobody can wait for that, unless shares are equal."""
    for change in ("startup", "branch"):
        costs = Costs(UNITS_MAX, 1, 0, hop=1, **{change: STARTUP_MAX})
        assert run_plan(core, PAIR, [3, 0], costs)[2] == 0
        check(core, PAIR, [3, 0], costs._replace(equal=True))


def test_work_fits_any_tree(core):
    """What is known of a node takes 72 bytes."""
    for nodes in (1, 2, 961, 15625):
        assert core.tree_work_bytes(nodes) == 496 + nodes * 72


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
    for _ in range(400):
        size = rng.randint(1, 9), rng.randint(1, 9)
        name = rng.choice(["scatter", "binomial", "nearest", "star"])
        branches = tree_plan.wire(library.branches_of(
            library.tree(core, name, *size)[1]))[0]
        data = tree_plan.pack(branches)
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
            assert got == promised(bytes(bad), size), (
                size, tree_plan.unpack(bytes(bad)) if len(bad) % 16 == 0
                else bad)
            accepted += got
            refused += not got
    assert accepted > 1000 and refused > 5000


def test_no_tree_is_too_large(core):
    nodes = 15625
    flat = [Branch(0, 0, nodes, 0, 0, 0, 0, 0)] + [
        Branch(0, 0, 1, 0, 0, 240, 1, 0)] * (nodes - 1)
    assert valid(core, tree_plan.pack(flat), (125, 125))
    flat[0] = flat[0]._replace(nodes=nodes + 1)
    flat.append(flat[1])
    assert not valid(core, tree_plan.pack(flat), (125, 125))

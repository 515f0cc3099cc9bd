# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/one_round.c and split.c against exact arithmetic, at random.

The oracle is in integers, forward; of fewer plans, the volumes are split as
boards split them and carried out (test/oracle/execute.py), and no other number
of phases is better (test/oracle/model.py, the paper's backward solution).

QUINCUNX_SEED chooses the cases, QUINCUNX_CASES how many.
"""
import ctypes
import itertools
import os
import random
from dataclasses import dataclass
from fractions import Fraction

import pytest

import core as library
import execute
import model
from core import Job, Plan, Split
from values import limited, log_uniform

UNITS_MAX = 2 ** 32 - 1
TIME_MAX = 2 ** 40
STARTUP_MAX = 2 ** 50
LOAD_MAX = 2 ** 63
# What scatter/plan/one_round.h promises of a volume, of a share of N phases,
# and of the last volume of a plan that counts as feasible.
EPSILON = Fraction(1, 2 ** 27)
SHARE_SNAP = Fraction(1, 2 ** 28)
FEASIBLE = Fraction(1, 2 ** 30)

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
CASES = int(os.environ.get("QUINCUNX_CASES", "5000"))


def share_epsilon(phases):
    return SHARE_SNAP + (1 + 4 * phases) * EPSILON


@dataclass
class Case:
    """One input, as numbers; results: (P, Q)."""

    load: int
    compute: int
    transfer: int
    startups: list
    results: tuple = (0, 0)

    def job(self):
        given = Job(load_units=self.load, compute_ps=self.compute,
                    transfer_ps=self.transfer, phases=len(self.startups))
        given.results_numerator, given.results_denominator = self.results
        given.startup_ps[:len(self.startups)] = self.startups
        return given

    def plan(self, core):
        """(error, Plan)."""
        plan = Plan()
        return core.planner_plan(plan, self.job()), plan

    @property
    def ways(self):
        """Each unit's way there and back, and the unit of both, 1/Q."""
        numerator, denominator = self.results
        return (numerator + denominator, denominator) if denominator else (
            1, 1)

    @property
    def transfers(self):
        """What a unit costs in each phase, in 1/Q ps."""
        return [self.transfer * self.ways[0]] * len(self.startups)


def draw_costs(rng):
    """(load, compute, transfer): rho from 1e-9 to 1e3, and 0."""
    load = limited(log_uniform(rng, 1, 2 ** 32), 1, UNITS_MAX)
    if rng.random() < .1:
        load = rng.choice([1, 2, 5, 25, 3125, UNITS_MAX, UNITS_MAX - 1])
    compute = limited(log_uniform(rng, 1, TIME_MAX), 1,
                      min(TIME_MAX, LOAD_MAX // load))
    rho = log_uniform(rng, 1e-9, 1e3)
    transfer = limited(compute * rho, 0, TIME_MAX)
    if rng.random() < .2:
        # Ratios that divide, so that volumes hit integers.
        transfer = limited(compute * rng.choice([0, 1, 2, 3, 5, 15]), 0,
                           TIME_MAX)
    return load, compute, transfer


def startup_at_limit(load, compute, transfer, phases):
    """The startup with which `phases` are just feasible."""
    q = 5 + Fraction(transfer, compute)
    return load * compute * (q - 1) / (q ** phases - 1)


def draw_startups(rng, load, compute, transfer, count):
    kind = rng.randrange(5)
    if kind == 0 or count == 0:
        return [0] * count
    if kind == 1:
        # As hops add up: the coarse phases take longer.
        one = log_uniform(rng, 1, max(2, load * compute / 10))
        return [limited(one * (1 + 5 ** -(i // 2)), 0, STARTUP_MAX)
                for i in range(count)]
    if kind == 2:
        return [limited(log_uniform(rng, 1, max(2, load * compute)), 0,
                        STARTUP_MAX) for _ in range(count)]
    # The very limit of some number of phases, or next to it.
    limit = startup_at_limit(load, compute, transfer, rng.randint(1, count))
    near = int(limit) + rng.choice([0, 0, 0, 1, -1, 2, -2, rng.randrange(99)])
    return [limited(near, 0, STARTUP_MAX)] * count


def draw_tie(rng):
    """A load whose v_N is an integer or zero at the limit."""
    factor = rng.choice([1, 2, 3, 5, 7, 10, 100])
    compute = rng.choice([1, 7, 1000, 999983])
    q = rng.choice([5, 6, 7, 10, 20])
    load, g = rng.choice([0, 1, 2, 3]), rng.randrange(factor + 1)
    phases = 0
    while (load + g) * q <= UNITS_MAX and phases < 20:
        load = load * q + g
        phases += 1
    load = limited(load + rng.choice([0, 0, 1, -1]), 1, UNITS_MAX)
    return Case(load, compute, compute * (q - 5), [g * compute] * phases)


def draw_results(rng):
    if rng.random() < .6:
        return rng.choice([(0, 0), (rng.randrange(1001), 0)])
    return rng.choice([(0, 1), (1, 2), (1, 1), (1000, 1), (1, 1000),
                       (rng.randrange(1001), rng.randrange(1, 1001))])


def draw(rng):
    if rng.random() < .15:
        return draw_tie(rng)
    load, compute, transfer = draw_costs(rng)
    count = rng.choice([2, 4, 6, 8, 10, 10, rng.randrange(21)])
    startups = draw_startups(rng, load, compute, transfer, count)
    case = Case(load, compute, transfer, startups, draw_results(rng))
    if count > 0 and rng.random() < .1:
        push_to_limit(rng, case)
    return case


def push_to_limit(rng, case):
    """The last startup just what is left for it, or next to that."""
    last = forward(case)[-1]
    left = last[0] * case.compute // last[1]
    if len(forward(case)) == len(case.startups) and left >= 0:
        case.startups[-1] = limited(left + rng.choice([0, 0, 1, -1]), 0,
                                    STARTUP_MAX)


# ---- the oracle in integers ----

def forward(case, slack=0):
    """[(numerator, denominator)] of v_0, v_1, ... while v_i >= -slack."""
    compute = case.compute * case.ways[1]
    volumes = [(case.load, 1)]
    for startup, transfer in zip(case.startups, case.transfers):
        above, below = volumes[-1]
        above = above * compute - startup * case.ways[1] * below
        below *= 5 * compute + transfer
        if above < -slack * below:
            break
        volumes.append((above, below))
    return volumes


def shares_of(volumes):
    """Numerators of v_i and a_i over one denominator, and that."""
    whole = volumes[-1][1]
    common = [above * (whole // below) for above, below in volumes]
    shares, children = [], 0
    for volume in reversed(common):
        shares.append(volume - children)
        children += 4 * volume
    return common, shares[::-1], whole


def floors_agree(value, above, below, epsilon):
    """Whether value is floor(above / below), give or take epsilon."""
    exact, rest = divmod(above, below)
    if value == exact:
        return True
    if rest == 0:
        return False
    slack = epsilon.numerator * below
    return (value == exact + 1 and (below - rest) * epsilon.denominator
            <= slack or value == exact - 1 and rest * epsilon.denominator
            <= slack or exact < 0 == value)


def check_integers(core, case):
    """A plan against the oracle in integers; and every volume that a node of a
    layer may receive can be split into floors and ceilings."""
    error, plan = case.plan(core)
    feasible = len(forward(case)) - 1
    volumes = forward(case, FEASIBLE)
    want = plan.phases
    assert error == 0 and feasible <= want <= len(volumes) - 1
    common, shares, whole = shares_of(volumes[:want + 1])
    slack = share_epsilon(want)
    parts = below = 0
    for layer in range(want, -1, -1):
        floor, own = plan.volume_units[layer], plan.share_units[layer]
        assert floors_agree(floor, common[layer], whole, EPSILON)
        assert floors_agree(own, shares[layer], whole, slack)
        assert 0 <= floor - own - below <= parts + (layer == 0)
        below += 4 * floor
        parts += 4
    # Within slack of the compute time of a unit, rounded down.
    off = plan.makespan_ps * whole - shares[0] * case.compute
    assert (abs(off) * slack.denominator
            <= slack.numerator * case.compute * whole
            + whole * slack.denominator)


def splitter(core, plan):
    """The C function as execute.by_classes() wants it."""

    def split(layer, units):
        parts = Split()
        assert core.torus_split(parts, plan.volume_units, plan.share_units,
                                 plan.phases, layer, units)
        assert 0 <= parts.share_units - plan.share_units[layer] <= 1
        return parts.share_units, [
            (phase, port,
             plan.volume_units[phase]
             + (4 * (phase - layer - 1) + port < parts.extra_units))
            for phase in range(layer + 1, plan.phases + 1)
            for port in range(4)]

    return split


def check_carried_out(core, case):
    """Split as boards split it, a plan has every unit once, on all nodes, and
    ends when it says, give or take a unit of each circuit. Fewer phases end
    later, but for what numbers are rounded."""
    check_integers(core, case)
    error, plan = case.plan(core)
    if error:
        return
    transfers = [Fraction(one, case.ways[1]) for one in case.transfers]
    nodes, shares, many = execute.by_classes(
        case.load, case.compute, transfers, case.startups,
        splitter(core, plan))
    assert sum(map(int.__mul__, shares, many)) == case.load
    assert sum(many) == 5 ** plan.phases
    slack = share_epsilon(20) * case.compute + 1
    longer = execute.last_end(nodes, [shares]) - plan.makespan_ps
    assert -slack <= longer
    assert longer <= sum(transfers[:plan.phases]) + case.compute + slack
    best = model.best(case.load, case.compute, transfers, case.startups)
    assert abs(plan.makespan_ps - best.makespan) <= slack


def check_all(core, cases, check=check_integers):
    """Tells which case it was."""
    for case in cases:
        try:
            check(core, case)
        except AssertionError as error:
            raise AssertionError(f"QUINCUNX_SEED={SEED}: {case}") from error


# ---- cases next to integers ----

def draw_near_integers(rng):
    """A load that fives divide, and a transfer that hardly matters: rounding a
    volume to an integer must not cost a share its sign."""
    phases = rng.randrange(1, 21)
    load = min(UNITS_MAX, rng.choice([1, 1, 2, 3, 7])
               * 5 ** rng.randrange(1, min(13, phases) + 1))
    compute = limited(log_uniform(rng, 1e7, 1e12), 1, LOAD_MAX // load)
    transfer = limited(compute * log_uniform(rng, 1e-10, 1e-6), 1, TIME_MAX)
    return Case(load, compute, transfer,
                [rng.choice([0, 0, 1])] * phases,
                results=rng.choice([(0, 0), (1, 1)]))


def draw_share_near_integer(rng):
    """v_2 is an integer, v_1 and a_1 lie up to 40e-9 below one: rounding a
    share up must not take more than there is."""
    compute = 10 ** 9
    last, share = rng.randrange(1000), rng.randrange(1, 1000)
    middle = (4 * last + share) * compute - rng.randrange(41)
    load = middle * 5 // compute + rng.randrange(1, 1000)
    return Case(load, compute, 0, [load * compute - 5 * middle,
                                   middle - 5 * last * compute]
                if middle >= 5 * last * compute else [0, 0])


@pytest.mark.parts(4)
def test_random_plans(core, part):
    """In integers; every fiftieth of the usual ones is carried out."""
    rng = random.Random(f"{SEED} {part}")
    cases = [draw(rng) for _ in range(CASES)]
    check_all(core, cases)
    check_all(core, cases[:CASES // 50], check_carried_out)
    for special in (draw_near_integers, draw_share_near_integer):
        check_all(core, [special(rng) for _ in range(CASES // 4)])


def test_examples(core):
    """Of the theory; a share of just one unit, of which the arithmetic is low;
    and small worlds: some loads to 60, some ratios, all phases to 5."""
    cases = [Case(load, compute, transfer, [startup] * phases)
             for load, compute, transfer, startup, phases in (
                 (100, 3, 3, 3, 2), (1000, 10, 1, 20, 3), (42, 7, 7, 42, 2),
                 (36, 1000, 1000, 0, 2), (10 ** 6, 10 ** 6, 3300, 4850000, 5))]
    cases += [Case(3125, 10 ** 8, 1, [0] * 20)]
    cases += [Case(16, 283799286873, 283799286873,
                   [204808271658, 64367237117])]
    cases += [Case(load, 2, transfer, [startup] * 5)
              for load, transfer, startup in itertools.product(
                  range(1, 61, 2), (0, 1, 7), (0, 1, 6, 12))]
    check_all(core, cases, check_carried_out)


def test_ends_of_the_ranges(core):
    check_all(core, [
        Case(load, compute, transfer, [startup] * 20, results)
        for load in (1, 2, 2 ** 23, UNITS_MAX)
        for compute in (1, 3, 2 ** 31, 2 ** 31 + 1, TIME_MAX)
        if load * compute <= LOAD_MAX
        for transfer in (0, 1, TIME_MAX)
        for startup in (0, 1, compute, STARTUP_MAX)
        for results in ((0, 0), (0, 1), (1, 1000), (1000, 1))])
    check_all(core, [
        Case(2 ** 23, TIME_MAX, TIME_MAX, [STARTUP_MAX] * 20),
        Case(UNITS_MAX, 2 ** 31, TIME_MAX, [0] * 20),
        Case(UNITS_MAX, 1, 0, []), Case(1, 1, 0, [0] * 20)],
        check_carried_out)


def test_numbers_that_cannot_be_planned(core):
    good = (1000, 1000, 1000, [1000] * 4)
    assert Case(*good).plan(core)[0] == 0
    assert Case(0, *good[1:]).plan(core)[0] == library.ERR_EMPTY
    for bad in ((1000, 0, 1, []), (1, TIME_MAX + 1, 1, []),
                (1, 1, TIME_MAX + 1, []), (1, 1, 1, [STARTUP_MAX + 1]),
                (UNITS_MAX, 2 ** 31 + 1, 1, []), (3, 2 ** 63 // 3 + 1, 1, []),
                (1, 1, 1, [0], (1001, 1)), (1, 1, 1, [0], (1, 1001))):
        assert Case(*bad).plan(core)[0] == library.ERR_RANGE, bad
    assert core.planner_plan(Plan(), Job(
        load_units=9, compute_ps=9, phases=21)) == library.ERR_RANGE


def test_numbers_of_every_phase_have_ranges(core):
    """Also of phases behind one that is not feasible; of phases that the torus
    does not have they do not matter."""
    for phase in range(3):
        given, plan = Case(10, 1, 1, [1000] * 3).job(), Plan()
        assert core.planner_plan(plan, given) == plan.phases == 0
        for value, error in ((STARTUP_MAX, 0),
                             (STARTUP_MAX + 1, library.ERR_RANGE)):
            given.startup_ps[phase] = value
            given.phases = 3
            assert core.planner_plan(plan, given) == error
            given.phases = phase
            assert core.planner_plan(plan, given) == 0


def test_a_volume_that_a_node_does_not_get_is_not_split(core):
    """V = 100 of the theory: floors, or one more for each part."""
    plan = Case(100, 3, 3, [3] * 2).plan(core)[1]
    parts = Split()
    for layer, units in itertools.product(range(3), (*range(131), UNITS_MAX)):
        least = plan.share_units[layer] + 4 * sum(
            plan.volume_units[layer + 1:3])
        fits = least <= units <= least + 1 + 4 * (2 - layer)
        assert core.torus_split(
            parts, plan.volume_units, plan.share_units, 2, layer,
            units) == fits
    alone = (ctypes.c_uint32 * 1)(UNITS_MAX)
    assert core.torus_split(parts, alone, alone, 0, 0, UNITS_MAX)
    assert parts.share_units == UNITS_MAX

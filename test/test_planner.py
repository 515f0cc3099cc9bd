# SPDX-License-Identifier: Apache-2.0
"""scatter/planner.c and split.c against exact fractions, at random.

QUINCUNX_SEED chooses the cases, QUINCUNX_CASES how many.
"""
import ctypes
import os
import random
from fractions import Fraction

import pytest

import core as library
import model
from core import Input, Plan, Split

UNITS_MAX = 2 ** 32 - 1
TIME_MAX = 2 ** 40
STARTUP_MAX = 2 ** 50
LOAD_MAX = 2 ** 63
# A volume within 2^-26 of an integer becomes that integer; the layers below
# inherit a fifth of what that moved it: 2^-26 (1 + 1/5 + 1/25 + ...).
EPSILON = Fraction(5, 4) / 2 ** 26

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
CASES = int(os.environ.get("QUINCUNX_CASES", "20000"))
BATCHES = 8


class Case:
    """One input, as numbers."""

    def __init__(self, load, compute, transfer, startups, want=None):
        self.load = load
        self.compute = compute
        self.transfer = transfer
        self.startups = startups
        self.want = want

    def __repr__(self):
        return (f"load={self.load} compute={self.compute} "
                f"transfer={self.transfer} startups={self.startups} "
                f"want={self.want}")

    def plan(self, core):
        """(error, Plan)."""
        given = Input(self.load, self.compute, self.transfer,
                      phases_max=len(self.startups))
        for i, startup in enumerate(self.startups):
            given.startup_ps[i] = startup
        if self.want is not None:
            given.phases_fixed = 1
            given.phases_want = self.want
        plan = Plan()
        return core.planner_plan(plan, given), plan

    def exact(self, phases):
        return model.solve(self.load, self.compute,
                           [self.transfer] * phases, self.startups[:phases])


def log_uniform(rng, low, high):
    return low * (high / low) ** rng.random()


def limited(value, low, high):
    return max(low, min(high, int(value)))


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


def draw(rng):
    if rng.random() < .15:
        return draw_tie(rng)
    load, compute, transfer = draw_costs(rng)
    count = rng.choice([2, 4, 6, 8, 10, 10, rng.randrange(21)])
    startups = draw_startups(rng, load, compute, transfer, count)
    want = rng.randrange(21) if rng.random() < .2 else None
    return Case(load, compute, transfer, startups, want)


def check_floor(value, exact, epsilon):
    """The floor; a value within epsilon of an integer counts as that one."""
    low = (exact - epsilon).__floor__()
    high = (exact + epsilon).__floor__()
    assert max(low, 0) <= value <= max(high, 0)
    if exact.denominator == 1:
        assert value == exact


def splitter(core, plan):
    """The C function as model.simulate wants it."""

    def split(layer, units):
        parts = Split()
        assert core.split_volume(parts, plan.volume_units, plan.share_units,
                                 plan.phases, layer, units) == 0
        return parts.own_units, [
            (phase, port,
             plan.volume_units[phase]
             + (4 * (phase - layer - 1) + port < parts.extra_units))
            for phase in range(layer + 1, plan.phases + 1)
            for port in range(4)]

    return split


def check_tree(case, plan, split):
    """Every part of every node: floor or floor + 1; all add up to V."""
    classes = [{} for _ in range(plan.phases + 1)]
    classes[0][case.load] = 1
    kept = 0
    for layer, volumes in enumerate(classes):
        assert sum(volumes.values()) == (4 * 5 ** (layer - 1) if layer else 1)
        for units, nodes in volumes.items():
            own, parts = split(layer, units)
            assert 0 <= own - plan.share_units[layer] <= 1
            kept += nodes * own
            total = own
            for phase, _, sent in parts:
                assert 0 <= sent - plan.volume_units[phase] <= 1
                total += sent
                below = classes[phase]
                below[sent] = below.get(sent, 0) + nodes
            assert total == units
    assert kept == case.load


def check_plan(core, case, thorough):
    error, plan = case.plan(core)
    count = len(case.startups)
    most = plan.phases_feasible
    exact = case.exact(most)
    assert exact.shares[-1] >= -EPSILON
    if most < count:
        assert case.exact(most + 1).shares[-1] < EPSILON
    if thorough:
        chosen = model.best(case.load, case.compute, [case.transfer] * count,
                            case.startups)
        if abs(chosen.shares[-1]) > EPSILON:
            assert most >= chosen.phases
        if most != chosen.phases:
            longer = exact.makespan - chosen.makespan
            assert abs(longer) <= 81 * EPSILON * case.compute
    if case.want is not None and case.want > most:
        assert error == library.ERR_PHASES
        return
    assert error == 0
    if case.want is not None:
        exact = case.exact(case.want)
    assert plan.phases == exact.phases
    # A share is a volume less four times each of those below.
    share_epsilon = (1 + 4 * plan.phases) * EPSILON
    for layer in range(plan.phases + 1):
        check_floor(plan.volume_units[layer], exact.volumes[layer], EPSILON)
        check_floor(plan.share_units[layer], exact.shares[layer],
                    share_epsilon)
    slack = share_epsilon * case.compute
    assert abs(plan.makespan_ps - exact.makespan) <= slack + 1
    split = splitter(core, plan)
    check_tree(case, plan, split)
    last = model.simulate(case.load, case.compute,
                          [case.transfer] * plan.phases, case.startups, split)
    longer = last - exact.makespan
    assert -slack <= longer
    assert longer <= plan.phases * case.transfer + case.compute + slack


def test_oracle_agrees_with_the_theory():
    model.self_check()


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_plans(core, batch):
    rng = random.Random(SEED * BATCHES + batch)
    for number in range(batch, CASES, BATCHES):
        case = draw(rng)
        try:
            check_plan(core, case, thorough=number // BATCHES % 5 == 0)
        except AssertionError as error:
            raise AssertionError(
                f"QUINCUNX_SEED={SEED}, case {number}: {case}") from error


@pytest.mark.parametrize("load, tau, alpha, sigma, phases", [
    (100, 1, 1, 1, 2), (1000, Fraction(1, 10), 2, 1, 3), (42, 1, 6, 1, 2),
    (36, 1, 0, 1, 2), (10 ** 6, Fraction(33, 10 ** 10),
                       Fraction(485, 10 ** 8), 10 ** 6, 5)])
def test_examples_of_the_theory(core, load, tau, alpha, sigma, phases):
    scale = 10 ** 12
    check_plan(core, Case(load, int(Fraction(scale, sigma) / 10 ** 3)
                          if sigma == 1 else scale // sigma,
                          int(tau * scale) // (1000 if sigma == 1 else 1),
                          [int(alpha * scale)
                           // (1000 if sigma == 1 else 1)] * phases, phases),
               thorough=True)


def test_every_small_world(core):
    """All loads to 60, some ratios, all phases to 5, all startups to 12."""
    for load in range(1, 61):
        for transfer in (0, 1, 2, 7):
            for startup in (0, 1, 2, 6, 12):
                check_plan(core, Case(load, 2, transfer, [startup] * 5),
                           thorough=load % 10 == 0)


def test_volumes_that_are_nearly_integers(core):
    """Where rounding a volume to an integer must not cost a share its sign."""
    check_plan(core, Case(3125, 10 ** 8, 1, [0] * 20), thorough=True)
    rng = random.Random(SEED)
    for _ in range(max(1, CASES // 20)):
        phases = rng.randrange(1, 21)
        load = min(UNITS_MAX, rng.choice([1, 1, 2, 3, 7])
                   * 5 ** rng.randrange(1, min(13, phases) + 1))
        compute = limited(log_uniform(rng, 1e7, 1e12), 1, LOAD_MAX // load)
        transfer = limited(compute * log_uniform(rng, 1e-10, 1e-6), 1,
                           TIME_MAX)
        case = Case(load, compute, transfer,
                    [rng.choice([0, 0, 1])] * phases)
        try:
            check_plan(core, case, thorough=False)
        except AssertionError as error:
            raise AssertionError(f"QUINCUNX_SEED={SEED}: {case}") from error


def test_node_by_node_equals_by_classes(core):
    """Every node of 625 on its own; sums and shares as in the classes."""
    case = Case(98765, 1000, 77, [5000] * 4)
    error, plan = case.plan(core)
    assert error == 0 and plan.phases == 4
    kept = model.leaves(case.load, splitter(core, plan))
    assert len(kept) == 625
    assert sum(units for _, units in kept) == case.load
    for layer, units in kept:
        assert 0 <= units - plan.share_units[layer] <= 1


def test_numbers_that_cannot_be_planned(core):
    good = (1000, 1000, 1000, [1000] * 4)
    assert Case(*good).plan(core)[0] == 0
    assert Case(0, *good[1:]).plan(core)[0] == library.ERR_EMPTY
    for bad in ((1000, 0, 1, []), (1, TIME_MAX + 1, 1, []),
                (1, 1, TIME_MAX + 1, []), (1, 1, 1, [STARTUP_MAX + 1]),
                (UNITS_MAX, 2 ** 31 + 1, 1, [])):
        assert Case(*bad).plan(core)[0] == library.ERR_RANGE, bad
    for edge in ((2 ** 23, TIME_MAX, TIME_MAX, [STARTUP_MAX] * 20),
                 (UNITS_MAX, 2 ** 31, TIME_MAX, [0] * 20),
                 (UNITS_MAX, 1, 0, []), (1, 1, 0, [0] * 20)):
        check_plan(core, Case(*edge), thorough=True)
    plan = Input(1000, 1000, 1000, phases_max=21)
    assert core.planner_plan(ctypes.byref(Plan()),
                             ctypes.byref(plan)) == library.ERR_RANGE

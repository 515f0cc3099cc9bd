# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/rounds.c against exact numbers, at random.

The oracle (test/oracle/rounds.py) has the plans of all numbers of rounds; of
the planner's choice it says whether it is feasible and how much later it ends
than the best.

QUINCUNX_SEED chooses the cases, QUINCUNX_CASES how many.
"""
import ctypes
import dataclasses
import itertools
import os
import random
from fractions import Fraction

import pytest

import core as library
import execute
import optimum
import rounds as oracle
import split
from core import Job, Plan, RoundsPlan
from rounds import GRID, Costs
from values import limited, log_uniform

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
CASES = int(os.environ.get("QUINCUNX_CASES", "1200"))

UNITS_MAX = 2 ** 32 - 1
TIME_MAX = 2 ** 40
STARTUP_MAX = 2 ** 50
LOAD_MAX = 2 ** 63
RHO_MAX = 128
# What scatter/plan/rounds.h promises of a volume or a share: of the load, of
# as many times it as it has x, and of a unit.
OF_LOAD, OF_LAST = Fraction(1, 2 ** 26), Fraction(1, 2 ** 35)
OF_UNIT = Fraction(1, 2 ** 7)


def given(costs, wait=0):
    job = Job(load_units=costs.load, compute_ps=costs.compute,
              transfer_ps=costs.transfer, phases=len(costs.startups),
              queue_ps=costs.queue, round_ps=costs.pause // 3,
              merge_ps=costs.pause - costs.pause // 3, begin_ps=costs.begin,
              overhead_ps=costs.lead, wait_ps=wait)
    for i, startup in enumerate(costs.startups):
        job.startup_ps[i] = startup
    return job


def plan_of(core, costs, least, most, time=2 ** 64 - 1, wait=0):
    """(error, RoundsPlan, time with what rounds cost in ps); what the plan
    does not write, spoils it."""
    plan, time = RoundsPlan(), ctypes.c_uint64(time)
    ctypes.memset(ctypes.byref(plan), 0xff, ctypes.sizeof(plan))
    error = core.rounds_plan(plan, time, given(costs, wait), least, most)
    return error, plan, time.value


# ---- cases ----

def draw_usual(rng):
    """As boards have them: 32 ns an instruction, a header of 100 bytes."""
    phases = rng.choice([1, 2, 2, 3, 4, 4, 4, 6, 8, 10])
    compute = limited(log_uniform(rng, 32e3, 32e6), 1, TIME_MAX)
    transfer = rng.choice([0, 3300, 80_000, 1_900_000])
    one = log_uniform(rng, 1e5, 1e8)
    startups = tuple(int(one * (1 + 5 ** -(i // 2))) + 100 * transfer
                     for i in range(phases))
    instructions = [rng.randrange(1, 400) * 32_000 for _ in range(3)]
    begin = limited(log_uniform(rng, 1e6, 1e8), 0, STARTUP_MAX)
    load = limited(log_uniform(rng, 1000, 1.6e7), 1, UNITS_MAX)
    return Costs(load, compute, transfer, startups, instructions[0],
                 instructions[1], begin, instructions[2])


def draw_wide(rng):
    """All that the ranges allow, with what several rounds suit."""
    phases = rng.randint(1, 10)
    load = limited(log_uniform(rng, 1, 2 ** 32), 1, UNITS_MAX)
    compute = limited(log_uniform(rng, 1, TIME_MAX), 1,
                      min(TIME_MAX, LOAD_MAX // load))
    rho = rng.choice([0, 1, 2, 5, log_uniform(rng, 1e-9, 1),
                      log_uniform(rng, 1e-3, 30),
                      log_uniform(rng, 1, RHO_MAX)])
    transfer = limited(compute * rho, 0,
                       min(TIME_MAX, RHO_MAX * compute - 1))
    unit = log_uniform(rng, 1e-6, 1) * load * compute

    def some():
        return rng.choice([0, limited(unit * rng.random() / 100, 0,
                                      STARTUP_MAX)])

    scale = unit / rng.choice([1, 1e2, 1e4, 1e6])
    startups = tuple(limited(scale * rng.random(), 0, STARTUP_MAX)
                     for _ in range(phases))
    return Costs(load, compute, transfer, rng.choice([startups,
                                                      (0,) * phases]),
                 some(), some(), some(), some())


def draw(rng):
    return rng.choice([draw_usual, draw_wide])(rng)


# ---- checks ----

def slack_of(exact):
    """By how many units a volume or a share may be off."""
    return exact.costs.load * max(
        OF_LOAD, (exact.load_slope + 1) * OF_LAST) + OF_UNIT


def check_floor(value, exact, slack):
    """exact and slack in 1 / GRID units."""
    assert max((exact - slack) // GRID, 0) <= value <= max(
        (exact + slack) // GRID, 0)


def check_table(core, costs, exact, plan):
    number, phases = exact.rounds, len(costs.startups)
    slack = slack_of(exact)
    assert (plan.phases, plan.rounds) == (phases, number)
    assert abs(plan.makespan_ps * GRID - exact.own * costs.compute) <= (
        slack * costs.compute + 1) * GRID
    assert sum(plan.round_units[:number]) == costs.load
    own = plan.share_units[0][0]
    # What the floors of N volumes a round leave, and what these are off.
    rest = 4 * phases * number * slack.__ceil__()
    assert -rest <= own - exact.own // GRID <= rest
    full, off = True, int(slack * GRID)
    for r in range(number):
        for j in range(1, phases + 1):
            check_floor(plan.volume_units[r][j], exact.volumes[r][j - 1], off)
            check_floor(plan.share_units[r][j], exact.shares[r][j - 1],
                        4 * off)
            assert plan.volume_units[r][j] >= 1
        assert plan.volume_units[r][0] == plan.round_units[r]
        sent = plan.round_units[r] - (own if r == 0 else 0)
        extra = sent - 4 * sum(plan.volume_units[r][1:phases + 1])
        assert 0 <= extra <= (4 * phases if full else 0)
        full = extra == 4 * phases
        assert r == 0 or plan.share_units[r][0] == 0
        split.check(core, plan, r)


def objective(exact):
    """In ps; each round costs the originator a unit at most."""
    costs = exact.costs
    return exact.own * costs.compute // GRID + exact.rounds * (
        costs.lead + costs.compute + costs.queue)


def in_range(exact):
    """Whether the planner's numbers hold this plan's: see rounds.h."""
    costs = exact.costs
    load_ps = costs.load * costs.compute
    levels = len(costs.startups) * (
        (5 + costs.transfer // costs.compute).bit_length() - 1)
    return (levels <= 30 and exact.largest_base < costs.load * 2 ** 12
            and exact.load_slope * 4 < 2 ** (12 + levels)
            and max(costs.startups + (costs.queue, costs.pause, costs.begin,
                                      costs.lead)) <= load_ps)


def check_case(core, costs, most):
    """What rounds_plan() chooses from 2 to `most`; whether there is any."""
    plans = oracle.solve(costs, most)[1:]
    certain = [p for p in plans
               if in_range(p) and p.feasible_within(-slack_of(p))]
    error, plan, time = plan_of(core, costs, 2, most)
    assert error in (0, library.ERR_PHASES)
    if error:
        assert not certain
        return False
    exact = plans[plan.rounds - 2]
    slack = slack_of(exact)
    assert abs(time - objective(exact)) <= (
        slack * costs.compute + plan.rounds + 1)
    assert exact.feasible_within(slack)
    check_table(core, costs, exact, plan)
    for other in certain:
        assert objective(exact) <= objective(other) + 1 + (
            slack + slack_of(other)) * costs.compute, other.rounds
    return True


def check(core, costs, most):
    try:
        return check_case(core, costs, most)
    except AssertionError as error:
        raise AssertionError(f"QUINCUNX_SEED={SEED}: up to {most} rounds of "
                             f"{costs}") from error


# ---- plans ----

def test_the_oracle_is_carried_out():
    """Feasible plans of the recursion end when they say, and no node idles:
    they are those of optimum.py, which knows nothing of the recursion."""
    rng = random.Random(f"carried {SEED}")
    feasible, near = 0, Fraction(1, 2 ** 200)
    for _ in range(100):
        phases, number = rng.choice([(1, 16), (2, 8), (3, 5), (4, 4), (6, 2),
                                     (2, 3), (1, 4), (3, 2)])
        compute, transfer = rng.randint(1, 999), rng.randint(0, 1500)
        startups = tuple(rng.randint(0, 3000) for _ in range(phases))
        load = int(10 ** rng.uniform(1, 8))
        exact = oracle.solve(Costs(load, compute, transfer, startups),
                             number)[-1]
        nodes = execute.layers(Fraction(compute), [transfer] * phases,
                               startups)
        plan = optimum.Tree(nodes).rounds(load, number)
        if plan is None:
            assert not exact.feasible
            continue
        assert abs(Fraction(exact.own * compute, GRID) - plan.makespan) < near
        for mine, shares in zip(exact.shares, plan.shares):
            assert all(abs(Fraction(one, GRID) - other) < near
                       for one, other in zip(mine, shares[1:]))
        times = execute.execute(nodes, plan.shares)
        assert set(times.ended[-1]) == {plan.makespan}
        assert [ends[1:] for ends in times.ended[:-1]] == [
            came[1:] for came in times.received[1:]]
        feasible += exact.feasible
    assert feasible > 10


@pytest.mark.parts(3)
def test_random_plans(core, part):
    rng = random.Random(f"rounds {SEED} {part}")
    feasible = sum(check(core, draw(rng), rng.choice([2, 3, 4, 6, 8, 16]))
                   for _ in range(CASES))
    assert feasible > CASES // 5


def test_examples_in_integers(core):
    """Theory: transfer = compute, no startup, volumes that are integers; and
    N = 1, R = 3, rho = 1, g = 6, q = 1, p = 2, b = 1, l = 3, so v_3 = x, v_2 =
    x + 5, v_1 = x + 9, a_0 = 4 x + 26, V = 16 x + 82."""
    software = Costs(114, 1000, 1000, (6000,), 1000, 2000, 1000, 3000)
    for costs, own, volumes in (
            (Costs(11, 7, 7, (0,)), 3, [[1], [1]]),
            (Costs(276, 2 ** 40, 2 ** 40, (0, 0)), 56, [[41, 7], [6, 1]]),
            (software, 34, [[11], [7], [2]])):
        number = len(volumes)
        error, plan, time = plan_of(core, costs, number, number)
        assert error == 0
        assert abs(plan.makespan_ps - own * costs.compute) <= (
            own * costs.compute / 2 ** 26)
        assert [list(plan.volume_units[r][1:len(row) + 1])
                for r, row in enumerate(volumes)] == volumes
        assert sum(plan.round_units[:number]) == costs.load
        assert plan.share_units[0][0] == own
    # Rounds cost l + q and a unit each; less must be known than that already.
    assert time == 34000 + 3 * 5000
    assert plan_of(core, software, 3, 3, time)[0] == library.ERR_PHASES
    assert plan_of(core, software, 3, 3, time + 1)[::2] == (0, time)
    # The ports are busy while the originator computes seven units more.
    wait, other = 7 * software.compute + 999, plan
    longer = dataclasses.replace(software, load=software.load + 7)
    error, plan, late = plan_of(core, longer, 3, 3, time + wait + 1, wait)
    assert (error, late, plan.makespan_ps) == (0, time + wait,
                                               other.makespan_ps + wait)
    assert plan.share_units[0][0] == other.share_units[0][0] + 7
    assert plan.round_units[0] == other.round_units[0] + 7
    assert list(plan.round_units[1:3]) == list(other.round_units[1:3])
    assert plan_of(core, longer, 3, 3, time + wait, wait)[0] == (
        library.ERR_PHASES)


def test_one_round_in_the_form_of_several(core):
    one = Plan(phases=1, makespan_ps=77)
    one.volume_units[:2], one.share_units[:2] = (50, 9), (14, 9)
    plan = RoundsPlan()
    core.rounds_of_one(plan, one, 50)
    assert (plan.phases, plan.rounds, plan.makespan_ps) == (1, 1, 77)
    assert (plan.round_units[0], plan.volume_units[0][1],
            plan.share_units[0][0]) == (50, 9, 14)


# Fixed costs alone are all of the load or nearly so, x < 0; begin() takes 5.3e6
# units off the deepest volume, so 125 times as much off v_1; nodes of layer 1
# lack 25 units, of 10^9.
HARD = [Costs(100, 1000, 1000, (1000, 1000)), Costs(5, 1000, 0, (0, 0)),
        Costs(10 ** 9, 10 ** 6, 0, (0,) * 4, queue=10 ** 9,
              begin=53 * 10 ** 11),
        Costs(10 ** 9, 1, 0, (0, 0), queue=100, pause=25),
        Costs(1111, 380357, 3300, (76388925,), 12320000, 1952000, 2002881,
              8896000),
        Costs(11013, 42243, 80000, (78577519,), 4480000, 2016000, 4550265,
              5536000)]


def test_edges(core):
    """The ends of all ranges, each with each; and what is hardly feasible."""
    for costs, most in itertools.product(HARD, (2, 3, 16)):
        check(core, costs, most)
    found = 0
    for load, compute, rho, phases in itertools.product(
            (1, 2, 25, 2 ** 31, UNITS_MAX), (1, 2, 2 ** 31, TIME_MAX),
            (0, Fraction(1, 10 ** 9), 1, 100, RHO_MAX - 1), (1, 2, 10)):
        if load * compute <= LOAD_MAX:
            found += check(core, Costs(
                load, compute, min(TIME_MAX, int(compute * rho)),
                (0,) * phases), 16)
    assert found > 20
    most = STARTUP_MAX
    for startups, software in ((10 * (most,), 4 * (most,)),
                               (3 * (most,), 4 * (0,)), *(
                                   (3 * (0,), (i * (0,) + (most,) + 3 * (0,)
                                               )[:4]) for i in range(4))):
        check(core, Costs(UNITS_MAX, 2 ** 31, 2 ** 31, startups, *software),
              16)


def test_loads_of_small_worlds(core):
    """Every third load up to 400 in some worlds."""
    found = 0
    for (transfer, startup), phases, load in itertools.product(
            ((0, 2), (1, 0), (7, 1), (2, 5)), (1, 2, 3), range(1, 401, 3)):
        found += check(core, Costs(load, 2, transfer, (startup,) * phases, 1,
                                   1, 1, 1), 4)
    assert found > 250


GOOD = dict(load=10 ** 6, compute=1000, transfer=100, startups=(5000, 5000))

BAD = [(dict(load=0), library.ERR_EMPTY)] + [
    (changed, library.ERR_RANGE) for changed in (
        dict(compute=0), dict(compute=TIME_MAX + 1, transfer=0, load=1),
        dict(compute=2 ** 33, load=2 ** 31), dict(startups=(1,) * 11),
        dict(transfer=RHO_MAX * 1000 + 1), dict(transfer=TIME_MAX),
        dict(startups=(5000, STARTUP_MAX + 1)), dict(queue=STARTUP_MAX + 1),
        dict(pause=3 * STARTUP_MAX + 3), dict(begin=STARTUP_MAX + 1),
        dict(lead=STARTUP_MAX + 1))] + [
    (dict(startups=()), library.ERR_PHASES)]


def test_numbers_that_cannot_be_planned(core):
    for changed, want in BAD:
        assert plan_of(core, Costs(**{**GOOD, **changed}), 2, 3)[0] == want, (
            changed)
    for least, most in ((0, 3), (1, 3), (3, 2), (2, 17), (17, 17), (0, 0)):
        assert plan_of(core, Costs(**GOOD), least, most)[0] == (
            library.ERR_RANGE)
    assert plan_of(core, Costs(**GOOD), 2, 3)[0] == 0

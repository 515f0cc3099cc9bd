# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/rounds.c against exact numbers, at random.

The oracle (test/oracle/rounds.py) searches all numbers of rounds in exact
numbers; of the planner's choice it says whether it is feasible and how much
later it ends than the best.

QUINCUNX_SEED chooses the cases, QUINCUNX_CASES how many.
"""
import ctypes
import itertools
import os
import random
from fractions import Fraction

import pytest

import core as library
import execute
import model
import optimum
import rounds as oracle
import split
from core import Input, Plan, RoundsInput, RoundsPlan
from rounds import Costs
from values import limited, log_uniform

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
CASES = int(os.environ.get("QUINCUNX_CASES", "2000"))

UNITS_MAX = 2 ** 32 - 1
TIME_MAX = 2 ** 40
STARTUP_MAX = 2 ** 50
LOAD_MAX = 2 ** 63
RHO_MAX = 128
# What scatter/plan/rounds.h promises of a volume or a share: of the load, of
# as many times it as it has x, and of a unit.
OF_LOAD, OF_LAST = Fraction(1, 2 ** 26), Fraction(1, 2 ** 35)
OF_UNIT = Fraction(1, 2 ** 7)


def given(costs, least, most):
    """The planner's input; it refers to another structure, which it keeps."""
    base = Input(load_units=costs.load, compute_ps=costs.compute,
                 transfer_ps=costs.transfer,
                 phases_max=library.ROUNDS_PHASES_MAX,
                 phases_want=len(costs.startups), phases_fixed=1)
    for i, startup in enumerate(costs.startups):
        base.startup_ps[i] = startup
    return RoundsInput(
        base=ctypes.pointer(base), queue_ps=costs.queue,
        between_rounds_ps=costs.pause, begin_ps=costs.begin,
        round_overhead_ps=costs.lead, rounds_min=least, rounds_max=most)


def plan_of(core, costs, least, most, time=2 ** 64 - 1):
    """(error, RoundsPlan, time with what rounds cost in ps); what the plan
    does not write, spoils it."""
    plan, time = RoundsPlan(), ctypes.c_uint64(time)
    ctypes.memset(ctypes.byref(plan), 0xff, ctypes.sizeof(plan))
    error = core.rounds_plan(plan, time, given(costs, least, most))
    return error, plan, time.value


def best(core, costs, least, most):
    """(error, R, makespan in ps)"""
    error, plan, _ = plan_of(core, costs, least, most)
    return error, plan.rounds, plan.makespan_ps


def table(core, costs, number):
    return plan_of(core, costs, number, number)[:2]


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


def draw_at_limit(rng):
    """The smallest or largest load that so many rounds can take, or next."""
    costs = rng.choice([draw_usual, draw_wide])(rng)
    number = rng.randint(2, 8)
    top = min(UNITS_MAX, LOAD_MAX // costs.compute)
    loads = [limited(log_uniform(rng, 1, top), 1, top) for _ in range(8)]

    def feasible(load):
        return oracle.solve(Costs(**dict(vars(costs), load=load)),
                            number)[-1].feasible

    fine = [load for load in loads if feasible(load)]
    poor = [load for load in loads + [1, top] if not feasible(load)]
    if not fine or not poor:
        return costs
    good, bad = rng.choice(fine), rng.choice(poor)
    while abs(good - bad) > 1:
        middle = (good + bad) // 2
        if feasible(middle):
            good = middle
        else:
            bad = middle
    load = rng.choice([good, bad]) + rng.choice([-1, 0, 0, 1])
    return Costs(**dict(vars(costs), load=limited(load, 1, top)))


def draw(rng):
    kind = rng.random()
    if kind < .04:
        return draw_at_limit(rng)
    return draw_usual(rng) if kind < .5 else draw_wide(rng)


# ---- checks ----

def slack_of(exact):
    """By how many units a volume or a share may be off."""
    return exact.costs.load * max(
        OF_LOAD, (exact.load_slope + 1) * OF_LAST) + OF_UNIT


def check_floor(value, exact, slack):
    """exact: a pair of integers, numerator and denominator."""
    exact = Fraction(*exact)
    assert max((exact - slack).__floor__(), 0) <= value <= max(
        (exact + slack).__floor__(), 0)


def check_table(core, costs, exact, plan):
    number, phases = len(exact.rounds), len(costs.startups)
    slack = slack_of(exact)
    assert (plan.phases, plan.rounds) == (phases, number)
    assert abs(plan.makespan_ps - exact.makespan) <= (
        slack * costs.compute + 1)
    assert sum(plan.round_units[:number]) == costs.load
    own = plan.share_units[0][0]
    # What the floors of N volumes a round leave, and what these are off.
    rest = 4 * phases * number * slack.__ceil__()
    assert -rest <= own - exact.own.__floor__() <= rest
    full = True
    for r in range(number):
        for j in range(1, phases + 1):
            check_floor(plan.volume_units[r][j], exact.volume(r, j), slack)
            check_floor(plan.share_units[r][j], exact.share(r, j), 4 * slack)
            assert plan.volume_units[r][j] >= 1
        assert plan.volume_units[r][0] == plan.round_units[r]
        sent = plan.round_units[r] - (own if r == 0 else 0)
        extra = sent - 4 * sum(plan.volume_units[r][1:phases + 1])
        assert 0 <= extra <= (4 * phases if full else 0)
        full = extra == 4 * phases
        assert r == 0 or plan.share_units[r][0] == 0
        split.check(core, plan, r)


def objective(costs, exact, number):
    return exact.makespan + number * (costs.lead + costs.compute
                                      + costs.queue)


def in_range(costs, exact):
    """Whether the planner's numbers hold this plan's: see rounds.h."""
    load_ps = costs.load * costs.compute
    levels = len(costs.startups) * (
        (5 + costs.transfer // costs.compute).bit_length() - 1)
    return (levels <= 30 and exact.largest_base < costs.load * 2 ** 12
            and exact.load_slope * 4 < 2 ** (12 + levels)
            and max(costs.startups + (costs.queue, costs.pause, costs.begin,
                                      costs.lead)) <= load_ps)


def check(core, costs, most):
    """What rounds_best() chooses from 2 to `most`; whether there is any."""
    plans = dict(enumerate(oracle.solve(costs, most), 1))
    del plans[1]
    values = {r: objective(costs, p, r) for r, p in plans.items()}
    certain = [r for r, p in plans.items()
               if in_range(costs, p) and p.feasible_within(-slack_of(p))]
    error, plan, time = plan_of(core, costs, 2, most)
    assert error in (0, library.ERR_PHASES)
    if error:
        assert not certain
        return False
    exact = plans[plan.rounds]
    slack = slack_of(exact)
    assert abs(time - values[plan.rounds]) <= (
        slack * costs.compute + plan.rounds + 1)
    assert exact.feasible_within(slack)
    check_table(core, costs, exact, plan)
    for r in certain:
        assert values[plan.rounds] <= (
            values[r] + (slack + slack_of(plans[r])) * costs.compute), r
    return True


# ---- plans ----

@pytest.mark.parts(3)
def test_the_oracle_is_carried_out(part):
    """Feasible plans of the recursion end when they say, and no node idles:
    they are those of optimum.py, which knows nothing of the recursion."""
    rng = random.Random(f"carried {SEED} {part}")
    feasible = 0
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
        kept = [[Fraction(*exact.share(r, j)) for j in range(1, phases + 1)]
                for r in range(number)]
        assert exact.makespan == plan.makespan
        assert [shares[1:] for shares in plan.shares] == kept
        shares = [[exact.own if r == 0 else 0, *kept[r]]
                  for r in range(number)]
        times = execute.execute(nodes, shares)
        assert set(times.ended[-1]) == {exact.makespan}
        assert [ends[1:] for ends in times.ended[:-1]] == [
            came[1:] for came in times.received[1:]]
        assert exact.feasible == (min(
            min(execute.volumes_of(nodes, row)[1:]) for row in shares) >= 1)
        feasible += exact.feasible
    assert feasible > 10


@pytest.mark.parts(4)
def test_random_plans(core, part):
    rng = random.Random(f"rounds {SEED} {part}")
    feasible = 0
    for number in range(CASES):
        costs, most = draw(rng), rng.choice([2, 3, 4, 6, 8, 16])
        try:
            feasible += check(core, costs, most)
        except AssertionError as error:
            raise AssertionError(f"QUINCUNX_SEED={SEED}, case {number}: up to "
                                 f"{most} rounds of {costs}") from error
    assert feasible > CASES // 5


# Theory: transfer = compute, no startup. (rounds, V, makespan, volumes) with
# V such that all of them are integers.
EXAMPLES = [
    (2, 11, 3, [[1], [1]]),
    (2, 276, 56, [[41, 7], [6, 1]]),
]


def test_examples_in_integers(core):
    for (number, load, makespan, volumes), compute in itertools.product(
            EXAMPLES, (1, 7, 10 ** 6, 2 ** 40)):
        costs = Costs(load, compute, compute, (0,) * len(volumes[0]))
        error, plan = table(core, costs, number)
        assert error == 0
        assert abs(plan.makespan_ps - makespan * compute) <= (
            makespan * compute / 2 ** 26)
        for r, row in enumerate(volumes):
            assert list(plan.volume_units[r][1:len(row) + 1]) == row
            assert plan.share_units[r][len(row)] == row[-1]
        assert sum(plan.round_units[:number]) == load
        assert plan.share_units[0][0] == makespan


def test_software_between_rounds(core):
    """N = 1, R = 3, rho = 1, g = 6, q = 1, p = 2, b = 1, l = 3, so v_3 = x, v_2
    = x + 5, v_1 = x + 9, a_0 = 4 x + 26, V = 16 x + 82. Rounds cost l + q and a
    unit each; a plan must take less than is known already."""
    costs = Costs(114, 1000, 1000, (6000,), 1000, 2000, 1000, 3000)
    error, plan, time = plan_of(core, costs, 3, 3)
    assert (error, time) == (0, 34000 + 3 * 5000)
    assert [plan.volume_units[r][1] for r in range(3)] == [11, 7, 2]
    assert (plan.share_units[0][0], plan.makespan_ps) == (34, 34000)
    assert plan_of(core, costs, 3, 3, time)[0] == library.ERR_PHASES
    assert plan_of(core, costs, 3, 3, time + 1)[::2] == (0, time)


def test_one_round_in_the_form_of_several(core):
    one = Plan(phases=1, makespan_ps=77)
    one.volume_units[:2], one.share_units[:2] = (50, 9), (14, 9)
    plan = RoundsPlan()
    core.rounds_of_one(plan, one, 50)
    assert (plan.phases, plan.rounds, plan.makespan_ps) == (1, 1, 77)
    assert (plan.round_units[0], plan.volume_units[0][1],
            plan.share_units[0][0]) == (50, 9, 14)


def test_example_that_is_infeasible(core):
    """N = 2, R = 2, V = 100, transfer = startup = compute: x < 0."""
    costs = Costs(100, 1000, 1000, (1000, 1000))
    assert oracle.solve(costs, 2)[1].x < 0
    assert best(core, costs, 2, 16)[0] == library.ERR_PHASES
    assert table(core, costs, 2)[0] == library.ERR_PHASES


def test_begin_takes_more_than_the_load(core):
    """5.3e6 units off the deepest volume, so 125 times as much off v_1: more
    than a quarter of the load."""
    costs = Costs(10 ** 9, MICRO, 0, (0,) * 4, queue=1000 * MICRO,
                  begin=5300000 * MICRO)
    assert not oracle.solve(costs, 2)[1].feasible
    assert table(core, costs, 2)[0] == library.ERR_PHASES
    few = Costs(5, 1000, 0, (0, 0))
    assert best(core, few, 2, 16)[0] == library.ERR_PHASES


def test_loads_that_several_rounds_leave_nothing_of(core):
    """The fixed costs alone are all of the load, or nearly so: x < 0."""
    for costs in (Costs(1111, 380357, 3300, (76388925,), 12320000, 1952000,
                        2002881, 8896000),
                  Costs(11013, 42243, 80000, (78577519,), 4480000, 2016000,
                        4550265, 5536000)):
        for most in (2, 3, 16):
            check(core, costs, most)


MICRO = 10 ** 6  # ps
T3D = {"compute": MICRO, "transfer": 3300}


def t3d(load, phases):
    return Costs(load, startups=(4_850_000,) * phases, **T3D)


def one_round(costs):
    return model.solve(costs.load, costs.compute,
                       [costs.transfer] * len(costs.startups), costs.startups)


def best_of_all(core, load, phases, most=16):
    """(makespan, N, R), in several rounds; and the best of one."""
    several = [(makespan, n, number) for n in range(1, phases + 1)
               for error, number, makespan in [best(core, t3d(load, n), 2,
                                                    most)] if error == 0]
    one = min(one_round(t3d(load, n)).makespan for n in range(phases + 1)
              if one_round(t3d(load, n)).feasible)
    return min(several, default=None), one


def test_example_of_a_t3d(core):
    several, one = best_of_all(core, 10 ** 6, 5)
    assert several[1:] == (5, 3)
    assert round(several[0] / 10000) == 91609
    assert round(float(one) / MICRO, 3) == 1166.023
    assert round(100 * (1 - several[0] / float(one)), 1) == 21.4


def test_gains_on_a_t3d(core):
    for load, phases, percent in ((10 ** 9, 5, 27.8), (10 ** 6, 4, 32.6)):
        several, one = best_of_all(core, load, phases, 8)
        assert round(100 * (1 - several[0] / float(one)), 1) == percent
    for load in (100, 1000, 10 ** 4):
        several, one = best_of_all(core, load, 5)
        assert several is None or several[0] >= one


def test_distance_to_the_lower_bound(core):
    """V = 625 without startups: at least compute; 1.512 in one round."""
    scale = 10 ** 6
    costs = Costs(625 * scale, 10000, 33, (0,) * 4)
    bound = scale * costs.compute
    assert round(float(one_round(costs).makespan / bound), 3) == 1.512
    for number, ratio in ((2, 1.174), (3, 1.076), (4, 1.036), (8, 1.002)):
        error, _, makespan = best(core, costs, number, number)
        assert (error, round(makespan / bound, 3)) == (0, ratio)


def test_edges(core):
    """The ends of all ranges, each with each."""
    found = 0
    for load in (1, 2, 25, 2 ** 31, UNITS_MAX):
        for compute in (1, 2, 2 ** 31, TIME_MAX):
            if load * compute > LOAD_MAX:
                continue
            for rho in (0, Fraction(1, 10 ** 9), 1, 100, RHO_MAX - 1):
                for phases in (1, 2, 10):
                    costs = Costs(load, compute,
                                  min(TIME_MAX, int(compute * rho)),
                                  (0,) * phases)
                    found += check(core, costs, 16)
    assert found > 20
    top = Costs(UNITS_MAX, 2 ** 31, 2 ** 31, (STARTUP_MAX,) * 10,
                STARTUP_MAX, STARTUP_MAX, STARTUP_MAX, STARTUP_MAX)
    check(core, top, 16)
    for name in ("startups", "queue", "pause", "begin", "lead"):
        changed = dict(vars(top), startups=(0,) * 3, queue=0, pause=0,
                       begin=0, lead=0)
        changed[name] = (STARTUP_MAX,) * 3 if name == "startups" else (
            STARTUP_MAX)
        check(core, Costs(**changed), 16)


def test_loads_of_small_worlds(core):
    """Every load up to 400 in some worlds."""
    found = 0
    for transfer, startup in ((0, 2), (1, 0), (2, 0), (7, 1), (2, 5)):
        for phases in (1, 2, 3):
            for load in range(1, 401):
                costs = Costs(load, 2, transfer, (startup,) * phases, 1, 1, 1,
                              1)
                found += check(core, costs, 4)
    assert found > 1000


GOOD = dict(load=10 ** 6, compute=1000, transfer=100, startups=(5000, 5000))

BAD = [(dict(load=0), library.ERR_EMPTY)] + [
    (changed, library.ERR_RANGE) for changed in (
        dict(compute=0), dict(compute=TIME_MAX + 1, transfer=0, load=1),
        dict(compute=2 ** 33, load=2 ** 31), dict(startups=(1,) * 11),
        dict(transfer=RHO_MAX * 1000 + 1), dict(transfer=TIME_MAX),
        dict(startups=(5000, STARTUP_MAX + 1)), dict(queue=STARTUP_MAX + 1),
        dict(pause=STARTUP_MAX + 1), dict(begin=STARTUP_MAX + 1),
        dict(lead=STARTUP_MAX + 1))]


def test_numbers_that_cannot_be_planned(core):
    for changed, want in BAD:
        costs = Costs(**{**GOOD, **changed})
        assert best(core, costs, 2, 3)[0] == want, changed
        assert table(core, costs, 2)[0] == want, changed
    costs = Costs(**GOOD)
    assert best(core, costs, 2, 3)[0] == 0
    for least, most in ((0, 3), (1, 3), (3, 2), (2, 17), (17, 17), (0, 0)):
        assert best(core, costs, least, most)[0] == library.ERR_RANGE
    assert best(core, Costs(**dict(GOOD, startups=())), 2,
                3)[0] == library.ERR_PHASES

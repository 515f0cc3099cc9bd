# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/advance.c against the inequalities of its header, in fractions.

QUINCUNX_SEED chooses networks, kernels and loads.
"""
from fractions import Fraction

import mesh
from core import Job

US = 10 ** 6
# Rounding to 1/256 of the ratio t, and to whole units.
NEAR = Fraction(1, 20)


def draw(rng):
    return Job(
        nodes=5 ** (2 * rng.randint(1, 3)),
        load_units=rng.choice([rng.randint(1, 10 ** 4),
                               rng.randint(1, 10 ** 7), 2 ** 32 - 1]),
        compute_ps=int(10 ** rng.uniform(0, 9)),
        transfer_ps=rng.choice([0, int(10 ** rng.uniform(0, 7))]),
        phases=1, startup_ps=(rng.randint(0, 100) * US,),
        plan_ps=rng.randint(0, 400) * US,
        rounds_ps=rng.randint(0, 400) * US,
        round_ps=rng.randint(0, 40) * US)


def model(given):
    """(mean, ports, work, first, arrives): C, W, a and S of the header; and how
    long before nodes are idle the rest has come, by its (1), in ps."""
    mean = given.load_units // given.nodes
    ports = Fraction(given.transfer_ps * (given.nodes - 1) * mean, 4)
    work = given.compute_ps * mean
    first = given.plan_ps + given.startup_ps[0]
    return mean, ports, work, first, lambda x: (
        x * (ports + work) - first - (1 - x) * ports)


def check_one_round(given, advance):
    """By (1), and with a unit less the rest would not come in time; or 7/8 of
    the load are less than that takes. Whether they are."""
    mean, _, _, _, arrives = model(given)
    slack = arrives(Fraction(advance.units, mean))
    assert slack <= given.nodes + 2 * (given.compute_ps + Fraction(
        given.transfer_ps * (given.nodes - 1), 2))
    assert slack >= -given.nodes or advance.units == mean // 8 * 7
    return slack < -given.nodes


def check_several_rounds(given, advance):
    """Nodes compute until the plan is ready; volumes may grow by t a round; and
    the advance is smaller than for one round."""
    mean, ports, work, first, arrives = model(given)
    units = advance.units
    assert units * given.compute_ps >= first + given.rounds_ps
    t = min(work / ports, 16)
    whole = sum(t ** k for k in range(advance.rounds + 1))
    assert units + 1 >= Fraction(mean) / whole * (1 - NEAR)
    assert arrives(Fraction(units, mean)) < 0
    assert 2 <= advance.rounds <= 15


def test_advances(core):
    """None where it does not pay."""
    rng = mesh.seeded("advance")
    found = {"late": 0, "one": 0, "several": 0}
    for _ in range(4000):
        given = draw(rng)
        advance = core.advance_of(given)
        mean, ports, work, *_ = model(given)
        assert advance.units <= mean // 8 * 7
        if ports > 2 * work + given.nodes or mean < 16:
            assert advance.units == 0
        elif ports < 2 * work - given.nodes:
            assert advance.units > 0
        if advance.units and advance.rounds == 1:
            found["one"] += 1
            found["late"] += check_one_round(given, advance)
        elif advance.units:
            found["several"] += 1
            check_several_rounds(given, advance)
    assert min(found.values()) > 100, found

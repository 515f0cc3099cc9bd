# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/advance.c against the inequalities of its header, in fractions.

QUINCUNX_SEED chooses networks, kernels and loads.
"""
from fractions import Fraction

import mesh
from core import AdvanceInput

US = 10 ** 6
# Rounding to 1/256 of the ratio t, and to whole units.
NEAR = Fraction(1, 20)


def draw(rng):
    return AdvanceInput(
        nodes=5 ** (2 * rng.randint(1, 3)),
        load_units=rng.choice([rng.randint(1, 10 ** 4),
                               rng.randint(1, 10 ** 7), 2 ** 32 - 1]),
        compute_ps=int(10 ** rng.uniform(0, 9)),
        transfer_ps=rng.choice([0, int(10 ** rng.uniform(0, 7))]),
        startups_ps=rng.randint(0, 100) * US,
        plan_ps=rng.randint(0, 400) * US,
        rounds_ps=rng.randint(0, 400) * US,
        round_ps=rng.randint(0, 40) * US)


class Model:
    """C, W, a and S of the header."""

    def __init__(self, given):
        self.mean = given.load_units // given.nodes
        self.ports = Fraction(given.transfer_ps * (given.nodes - 1)
                              * self.mean, 4)
        self.work = given.compute_ps * self.mean
        self.first = given.plan_ps + given.startups_ps

    def arrives(self, x):
        """(1): how long before nodes are idle the rest has come, in ps."""
        return x * (self.ports + self.work) - self.first - (
            1 - x) * self.ports


def test_the_rest_comes_in_time(core):
    """In one round by (1), and with a unit less it would not; or 7/8 of the
    load are less than that takes."""
    rng = mesh.seeded("advance, one round")
    found, late = 0, 0
    for _ in range(3000):
        given = draw(rng)
        model, advance = Model(given), core.advance_of(given)
        if advance.units == 0 or advance.rounds > 1:
            continue
        found += 1
        slack = model.arrives(Fraction(advance.units, model.mean))
        unit = given.compute_ps + Fraction(
            given.transfer_ps * (given.nodes - 1), 2)
        assert slack <= 2 * unit + given.nodes
        if slack < -given.nodes:
            late += 1
            assert advance.units == model.mean // 8 * 7
    assert found > 100 and late > 100


def test_several_rounds_follow(core):
    """Nodes compute until the plan is ready; volumes may grow by t a round;
    and the advance is smaller than for one round."""
    rng = mesh.seeded("advance, rounds")
    found = 0
    for _ in range(3000):
        given = draw(rng)
        model, advance = Model(given), core.advance_of(given)
        if advance.units == 0 or advance.rounds == 1:
            continue
        found += 1
        units = advance.units
        assert units * given.compute_ps >= model.first + given.rounds_ps
        t = min(model.work / model.ports, 16)
        whole = sum(t ** k for k in range(advance.rounds + 1))
        assert units + 1 >= Fraction(model.mean) / whole * (1 - NEAR)
        assert model.arrives(Fraction(units, model.mean)) < 0
        assert 2 <= advance.rounds <= 15
    assert found > 100


def test_none_where_it_does_not_pay(core):
    rng = mesh.seeded("advance, none")
    for _ in range(3000):
        given = draw(rng)
        model, advance = Model(given), core.advance_of(given)
        assert advance.units <= model.mean // 8 * 7
        if model.ports > 2 * model.work + given.nodes or model.mean < 16:
            assert advance.units == 0
        elif model.ports < 2 * model.work - given.nodes:
            assert advance.units > 0

# SPDX-License-Identifier: Apache-2.0
"""Similar rounds beside the best ones in `quincunx plan --rounds`, against
exact fractions (test/oracle/similar.py).

QUINCUNX_SEED chooses the random cases.
"""
import json
import os
import random
from fractions import Fraction

import pytest

import plans
import rounds as oracle
import similar
from execute import last_end, layers

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
US = 10 ** 6  # ps
# (N, V, compute, transfer, startup), in ps.
LVDS = (2, 10 ** 5, 1_024_000, 80_000, 5 * US)
T3D = (4, 10 ** 6, 1_024_000, 3300, 4_850_000)


def planned(case, rounds):
    """The finished process for so many rounds and exactly N phases."""
    phases, load, compute, transfer, startup = case
    return plans.command(
        "--json", torus=5 ** ((phases + 1) // 2), phases=phases, load=load,
        compute=f"{compute}ps", transfer=f"{transfer}ps",
        startup=f"{startup}ps", rounds=rounds)


def told(case, rounds):
    done = planned(case, rounds)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def exact(case, rounds):
    phases, load, compute, transfer, startup = case
    return similar.solve(load, compute, [transfer] * phases,
                         [startup] * phases, rounds)


def best(case, rounds):
    phases, load, compute, transfer, startup = case
    return oracle.solve(oracle.Costs(load, compute, transfer,
                                     (startup,) * phases), rounds)[-1]


def test_the_theory_s_losses():
    for case, rounds, loss in ((LVDS, 2, .16), (LVDS, 3, .13), (LVDS, 8, .01),
                               (T3D, 2, .03), (T3D, 3, .03), (T3D, 8, .004)):
        got = told(case, rounds)
        assert got["similar"]["rounds"] == got["rounds"] == rounds
        assert got["similar"]["loss"] * 100 == pytest.approx(loss, abs=.006)


def test_the_theory_s_makespans():
    got = told(LVDS, 2)
    assert round(got["similar"]["makespan_ps"] / US, 2) == 4678.09
    assert round(got["makespan_ps"] / US, 2) == 4670.57
    one = told(LVDS, 1)
    assert round(one["makespan_ps"] / US, 2) == 5865.21
    assert "similar" not in one


def test_the_theory_s_parts():
    got = told(T3D, 8)["similar"]["parts"]
    assert got == pytest.approx([.0271, .0304, .0369, .0497, .0753, .1261,
                                 .2270, .4276], abs=1e-4)


def test_random_similar_rounds():
    rng = random.Random(f"similar {SEED}")
    found = 0
    for _ in range(40):
        phases = rng.choice([1, 2, 3, 4])
        compute = int(10 ** rng.uniform(4, 7))
        case = (phases, int(10 ** rng.uniform(3, 7)), compute,
                int(compute * 10 ** rng.uniform(-3, .5)) + 1,
                int(10 ** rng.uniform(5, 8)))
        rounds = rng.randint(2, 6)
        want = exact(case, rounds)
        done = planned(case, rounds)
        if done.returncode:
            assert "--rounds" in done.stderr or "--phases" in done.stderr
            continue
        got = json.loads(done.stdout)
        if want is None:
            assert "similar" not in got
            continue
        found += 1
        got = got["similar"]
        assert (got["phases"], got["rounds"]) == (phases, rounds)
        assert abs(got["makespan_ps"] - want.makespan) <= (
            want.makespan / 10 ** 9 + 1)
        assert len(got["parts"]) == rounds
        for ours, theirs in zip(got["parts"], want.parts):
            assert ours == pytest.approx(float(theirs), abs=1e-4)
    assert found > 10


@pytest.mark.parametrize("case, rounds", [(LVDS, 2), (LVDS, 5), (T3D, 3)])
def test_nodes_that_pass_on_when_they_have_computed(case, rounds):
    """As boards do. The best rounds end when planned; similar ones only with
    nodes that pass a round on at once, and else later than the best."""
    phases, _, compute, transfer, startup = case
    nodes = layers(compute, [transfer] * phases, [startup] * phases)
    plan, ours = best(case, rounds), exact(case, rounds)
    rows = [[plan.own if r == 0 else Fraction(0)] + [
        Fraction(*plan.share(r, j)) for j in range(1, phases + 1)]
            for r in range(rounds)]
    assert last_end(nodes, rows) == plan.makespan
    assert last_end(nodes, ours.rounds, at_once=True) == ours.makespan
    assert last_end(nodes, ours.rounds) > 1.005 * ours.makespan

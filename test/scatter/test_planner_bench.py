# SPDX-License-Identifier: Apache-2.0
"""Limits of what a plan may cost on the board: instructions, which are the
same in every run. Wall time is test/bench/planner.py's to print."""
import pathlib
import sys
from fractions import Fraction

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import planner as bench  # noqa: E402
import rounds as oracle  # noqa: E402

PAPER = ("t3d", "t3d-1M", "small-startup", "fig3", "fig4", "hop-delays",
         "lvds", "uart", "slow-units", "fast-units")


@pytest.fixture(scope="module")
def table():
    return bench.counts()


@pytest.fixture(scope="module")
def host():
    return bench.host_library()


def test_the_clock_counts(table):
    """Nothing costs nothing but its loop and call; no twin does."""
    for (variant, _, _), (_, instructions) in table.items():
        if variant == "nothing":
            assert instructions < 20
        else:
            assert instructions > 500


def test_every_parameter_set_plans_what_was_asked_for(table):
    for parameters in PAPER:
        assert table["planner", parameters, 4][0] == 4
    for parameters in ("small-startup", "fig3", "fig4", "uart", "results",
                       "stages", "fast-units"):
        assert table["planner", parameters, 20][0] == 20


@pytest.mark.parametrize("parameters", PAPER + ("results", "stages"))
def test_four_phases_take_less_than_1300_instructions(table, parameters):
    assert table["planner", parameters, 4][1] < 1300


@pytest.mark.parametrize("parameters", PAPER + ("results", "stages", "worst"))
def test_twenty_phases_take_six_times_as_many_at_most(table, parameters):
    assert (table["planner", parameters, 20][1]
            <= 6 * table["planner", parameters, 4][1])


@pytest.mark.parametrize("phases", [4, 20])
@pytest.mark.parametrize("parameters", PAPER)
def test_double_precision_takes_five_times_as_many(table, parameters, phases):
    """With startups or without, where 0 / compute costs it little."""
    assert (table["double", parameters, phases][1]
            >= 5 * table["planner", parameters, phases][1])


def test_float_takes_more_too(table):
    for parameters in PAPER:
        for phases in (4, 20):
            ours = table["planner", parameters, phases][1]
            for variant in ("double-products", "float", "float-search"):
                assert table[variant, parameters, phases][1] > ours


# Kernel spin 32 on boards: (parameters, N_max): instructions at most.
BOARDS = {("t3d-1M", 2): 8000, ("t3d-1M", 4): 13_000, ("lvds-1M", 2): 13_000,
          ("lvds-1M", 4): 16_000, ("lvds-100k", 2): 10_000,
          ("lvds-100k", 4): 12_000}


def test_a_plan_takes_few_instructions():
    """One round and the best rounds with their tables: of boards, and whatever
    the numbers are, N <= 10 and R <= 16."""
    found, stack_bytes = bench.searches()
    assert len(found) > 24 and set(BOARDS) <= set(found)
    for key, (phases, rounds, instructions) in found.items():
        assert 1 <= phases <= key[1] and 1 <= rounds <= 16
        assert instructions < BOARDS.get(key, 70_000), key
    assert 500 < stack_bytes < 3072


# Of sets whose startups do not depend on N: all that the oracle needs.
@pytest.mark.parametrize("most", [2, 4])
@pytest.mark.parametrize("parameters, costs", [
    ("t3d", {"load": 10 ** 9, "compute": 10 ** 6, "transfer": 3300,
             "startup": 4_850_000}),
    ("spin", {"load": 4 * 10 ** 9, "compute": 10 ** 9, "transfer": 200,
              "startup": 10}),
    ("fig3", {"load": 4 * 10 ** 9, "compute": 10 ** 6, "transfer": 2 * 10 ** 6,
              "startup": 0})])
def test_the_search_finds_the_best(parameters, costs, most):
    """In exact numbers no other N and R is better by a ten-thousandth."""
    costs = dict(costs)
    startup = costs.pop("startup")
    plans = {(n, r + 1): plan for n in range(1, most + 1)
             for r, plan in enumerate(oracle.solve(oracle.Costs(
                 **costs, startups=(startup,) * n), 16))}
    best = min(plan.makespan for plan in plans.values() if plan.feasible)
    found, _ = bench.searches()
    chosen = plans[found[parameters, most][:2]]
    assert chosen.feasible
    assert chosen.makespan <= best * (1 + Fraction(1, 10 ** 4))


def test_single_precision_loses_units_near_the_limit(host):
    found = bench.misses(host, cases=600)
    assert found["planner"][0] == 0
    assert found["double"][0] == 0
    assert found["float"][0] > 30
    assert found["float-backward"][0] > 30


def test_the_solver_finds_the_same_plan(host):
    for phases in (2, 4, 10, 20):
        bench.check_solver(host, phases)

# SPDX-License-Identifier: Apache-2.0
"""Limits of what a plan may cost on the board: instructions, which are the
same in every run. Wall time is test/bench/planner.py's to print."""
import pathlib
import sys

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


def test_the_whole_search_takes_less_than_a_million():
    """Every N up to 10 with every R up to 16."""
    found, stack_bytes = bench.searches()
    assert len(found) > 8
    for phases, rounds, instructions in found.values():
        assert 1 <= phases <= 10 and 1 <= rounds <= 16
        assert 100_000 < instructions < 1_000_000
    assert 1000 < stack_bytes < 4096


# Of sets whose startups do not depend on N: all that the oracle needs.
@pytest.mark.parametrize("parameters, costs", [
    ("t3d", {"load": 10 ** 9, "compute": 10 ** 6, "transfer": 3300,
             "startup": 4_850_000}),
    ("spin", {"load": 4 * 10 ** 9, "compute": 10 ** 9, "transfer": 200,
              "startup": 10}),
    ("fig3", {"load": 4 * 10 ** 9, "compute": 10 ** 6, "transfer": 2 * 10 ** 6,
              "startup": 0})])
def test_the_search_finds_the_best(parameters, costs):
    """In exact numbers no other N and R is better."""
    startup = costs.pop("startup")
    plans = {(n, r + 1): plan for n in range(1, 11) for r, plan in enumerate(
        oracle.solve(oracle.Costs(**costs, startups=(startup,) * n), 16))}
    best = min((key for key, plan in plans.items() if plan.feasible),
               key=lambda key: plans[key].makespan)
    found, _ = bench.searches()
    assert found[parameters][:2] == best


def test_single_precision_loses_units_near_the_limit(host):
    found = bench.misses(host, cases=600)
    assert found["planner"][0] == 0
    assert found["double"][0] == 0
    assert found["float"][0] > 30
    assert found["float-backward"][0] > 30


def test_the_solver_finds_the_same_plan(host):
    for phases in (2, 4, 10, 20):
        bench.check_solver(host, phases)

# SPDX-License-Identifier: Apache-2.0
"""Several rounds along trees, on native nodes and on boards: answers, units,
and that they take as long as planned and less than one round. QUINCUNX_SEED
chooses loads.
"""
from fractions import Fraction

import pytest

import mesh

SLOW = ["--slow", "1,1=2", "--slow", "2,3=8", "--slow", "4,0=4"]
JOBS = {"7x6": ("7x6", []), "star": ("5x5", ["--schedule", "star"]),
        "slow": ("5x5", SLOW), "slow star": ("5x5", [
            "--schedule", "star", *SLOW]),
        "nearest": ("5x5", ["--schedule", "nearest"]),
        "one port": ("5x5", ["--ports", "1"]),
        "two ports": ("5x5", ["--ports", "2", *SLOW]),
        "stored": ("5x5", ["--switching", "store-and-forward"])}


def spin(load, name, rounds, *more):
    size, args = JOBS[name]
    return mesh.run(load, *args, *more, size=size, arg="32", on="native",
                    rounds=rounds)


def check_rounds(report, load):
    """Every node but the originator computes once in each round, when it has
    received and computed the rounds before; all units are computed once."""
    rounds = report["plan"]["rounds"]
    total = 0
    for node in report["measured"]["nodes"]:
        total += node["units"]
        intervals = node["rounds"]
        if (node["x"], node["y"]) == (0, 0):
            continue
        assert len(intervals) == rounds
        assert sum(i["units"] for i in intervals) == node["units"]
        assert [i["round"] for i in intervals] == list(range(rounds))
    assert total == load


@pytest.mark.parametrize("name", JOBS)
def test_as_planned_and_shorter_than_one_round(tmp_path, name):
    load = mesh.zeros(tmp_path / "load", 100000)
    one = spin(load, name, 1)["measured"]["makespan_ps"]
    best = spin(load, name, "auto")
    assert best["plan"]["rounds"] > 1
    for report in (best, spin(load, name, 2), spin(load, name, 3)):
        measured = report["measured"]
        assert abs(measured["overhead_vs_plan"]) < 0.01
        assert measured["makespan_ps"] < one
        assert report["result"] == {"units": 100000}
        check_rounds(report, 100000)


def test_7x6_comes_near_to_all_nodes_computing(tmp_path):
    """At most 1.2 times what 42 nodes take without any transfer."""
    load = mesh.zeros(tmp_path / "load", 100000)
    report = spin(load, "7x6", "auto")
    least = 100000 * report["plan"]["compute_ps_per_unit"] / 42
    assert report["measured"]["makespan_ps"] < 1.2 * least


@pytest.mark.parametrize("schedule", ["peters-syska", "star", "nearest",
                                      "farm"])
def test_volumes_count_a_round_once(tmp_path, schedule):
    """What a layer's nodes receive is their share and that of all behind."""
    load = mesh.zeros(tmp_path / "load", 100000)
    report = mesh.run(load, "--schedule", schedule, "--profile", "t3d",
                      size="4x3", arg="32", on="native", rounds="auto")
    layers = report["plan"]["layers"]
    assert layers[0]["volume_units"] == 100000
    for layer in layers:
        assert layer["volume_units"] >= layer["share_units"]
    assert round(sum(layer["nodes"] * layer["share_units"]
                     for layer in layers)) == 100000


@pytest.mark.parametrize("size, more", [("7x6", []),
                                        ("5x5", ["--slow", "0,1=8"])])
def test_boards_answer_sooner_than_with_one_round(tmp_path, size, more):
    """Planning counts, which takes no longer than the choice takes for
    granted (plan_tree_ps of boot/costs.h)."""
    load = mesh.zeros(tmp_path / "load", 1000000)
    one, best = (mesh.run(load, *more, size=size, arg="32", rounds=rounds)
                 for rounds in (1, "auto"))
    rounds = best["plan"]["rounds"]
    assert one["plan"]["rounds"] == 1 < rounds
    assert abs(best["measured"]["overhead_vs_plan"]) < 0.005
    assert (best["measured"]["answer_ps"] <
            Fraction(9, 10) * one["measured"]["answer_ps"])
    assert best["result"] == one["result"] == {"units": 1000000}
    check_rounds(best, 1000000)
    planning = [r["plan"]["planning_ps"] / r["mesh"]["nodes"] / 32000
                for r in (one, best)]
    assert planning[0] < 1000
    assert planning[1] - planning[0] < 1600 * rounds

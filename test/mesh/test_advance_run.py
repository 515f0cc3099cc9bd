# SPDX-License-Identifier: Apache-2.0
"""Jobs of which a part goes out before the rest is planned, on boards.

QUINCUNX_SEED chooses loads.
"""
import pytest

import mesh
import rounds as oracle

US = 10 ** 6


def report_of(folder, bytes_, kernel, arg, *options, rounds="auto"):
    path = folder / f"load-{bytes_}"
    if not path.exists():
        path.write_bytes(mesh.mixed(bytes_, mesh.seeded(f"advance {bytes_}")))
    return mesh.run(path, *options, size="5x5", on="qemu", kernel=kernel,
                    arg=arg, rounds=rounds)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("advance")


@pytest.mark.parametrize("bytes_, profile", [
    (10_000, "t3d"), (100_000, "t3d"), (1_000_000, "t3d"), (100_000, "lvds")])
def test_others_compute_while_it_is_planned(folder, bytes_, profile):
    """Equal parts for all others, in the first round; and the plan of the rest
    holds, so no node waits long and hardly a circuit for another."""
    report = report_of(folder, bytes_, "spin", "32", "--profile", profile)
    measured, plan = report["measured"], report["plan"]
    assert oracle.has_advance(report)
    assert measured["preparing"]["plan_ps"] == 0
    shares = [layer["rounds"][0]["share_units"] for layer in plan["layers"]]
    assert shares[0] == 0 and len(set(shares[1:])) == 1 and shares[1] > 0
    assert measured["idle_max_ps"] <= 150 * US
    assert abs(measured["overhead_vs_plan"]) < .06
    assert report["network"]["circuit_conflicts"] <= plan["rounds"]
    assert sum(n["units"] for n in measured["nodes"]) == bytes_


@pytest.mark.parametrize("rounds, options", [
    (1, ()), (2, ()), ("auto", ("--phases", "2")),
    (1, ("--schedule", "star")), (1, ("--slow", "1,2=4"))])
def test_none_where_it_was_not_asked_for(folder, rounds, options):
    report = report_of(folder, 100_000, "spin", "32", "--profile", "t3d",
                       *options, rounds=rounds)
    assert not oracle.has_advance(report)


def test_batches_and_a_known_rate(folder):
    """Of the second batch the rate is known: nothing is measured."""
    report = report_of(folder, 300_000, "spin", "32", "--profile", "t3d",
                       "--batch", "100000")
    assert report["result"]["units"] == 300_000
    assert len(report["batches"]) == 3
    assert report["measured"]["meanwhile"]["plan_ps"] > 0

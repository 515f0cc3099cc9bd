# SPDX-License-Identifier: Apache-2.0
"""Farms, of one level and with masters, and planned rounds whose rest is given
to who asks (hybrid): nodes end together where a plan does not.

What they compute is right: test_any_job.py. QUINCUNX_SEED chooses loads.
"""
import json

import pytest

import mesh

UNITS = 10 ** 6
INSTRUCTION_PS = 32_000
BYTE_PS = {"lvds": 80_000, "t3d": 3300}


def run(*words, **options):
    options = {"mesh": "5x5", "on": "native", "kernel": "spin", "arg": "32",
               "profile": "t3d", "schedule": "farm", **options}
    given = [word for name, value in options.items()
             for word in (f"--{name}", str(value))]
    done = mesh.command("run", "--json", *given, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def ratio(report, instructions, nodes, less_ps=0):
    """The makespan in times of all these nodes computing a million units."""
    bound_ps = (UNITS * instructions * INSTRUCTION_PS - less_ps) / nodes
    return report["measured"]["makespan_ps"] / bound_ps


@pytest.fixture(name="load")
def fixture_load(tmp_path):
    return mesh.zeros(tmp_path / "load", UNITS)


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_as_planned(load, on):
    assert ratio(run(load, on=on), 32, 25) <= 1.05


def test_a_board_that_nobody_knows_is_slow(load):
    """Shares take 7.7 times as long; from the middle on, 1.35. With masters
    2,1 is one, and 2,2 one of its workers."""
    report = run("--inject", "slow8@1,1", load, on="qemu")
    assert ratio(report, 32, 24 + 1 / 8) <= 1.10
    report = run("--inject", "slow4@1,1@20ms", load, on="qemu")
    assert ratio(report, 32, 24 + 1 / 4, 20e9 * 3 / 4) <= 1.35
    for at in ("2,1", "2,2"):
        report = run("--inject", f"slow8@{at}", load, arg="200", levels=2)
        assert ratio(report, 200, 24 + 1 / 8) <= 1.03


@pytest.mark.parametrize("instructions, units, profile, most", [
    (32, 10 ** 6, "lvds", 1.10), (32, 10 ** 5, "lvds", 1.25),
    (200, 10 ** 6, "lvds", 1.03), (32, 10 ** 6, "t3d", 1.02)])
def test_outputs_come_back_meanwhile(tmp_path, instructions, units, profile,
                                     most):
    """An output as long as the input: the ports take both ways."""
    report = run("-o", tmp_path / "out", mesh.zeros(tmp_path / "load", units),
                 arg=f"{instructions},1/1", profile=profile)
    unit_ps, byte_ps = instructions * INSTRUCTION_PS, BYTE_PS[profile]
    bound = max(units * unit_ps / 25, 2 * units * byte_ps / 4
                / (1 + 2 * byte_ps / (4 * unit_ps)))
    assert report["measured"]["with_results_ps"] <= most * bound


# ---- masters ----

@pytest.mark.parametrize("at, what, says", [
    ("2,1", "die", "died"), ("2,2", "fault", "fault")])
def test_a_master_or_worker_that_dies_is_named(load, at, what, says):
    done = mesh.command("run", "--mesh", "5x5", "--kernel", "spin", "--arg",
                        "2000", "--schedule", "farm", "--levels", "2",
                        "--inject", f"{what}@{at}", load)
    assert (done.returncode, done.stdout) == (1, "")
    first = done.stderr.splitlines()[0]
    assert f"node {at}" in first and says in first


@pytest.mark.parametrize("instructions, most", [(200, 1.08), (2000, 1.02)])
def test_625_nodes_end_together(load, instructions, most):
    report = run(load, mesh="25x25", arg=instructions)
    assert ratio(report, instructions, 625) <= most
    for node in report["measured"]["nodes"]:
        assert node["idle_ps"] <= node["finished_ps"] - node["received_ps"]


def test_levels_that_are_chosen(tmp_path):
    """Two from 100 nodes on; one with outputs, which masters do not pass on."""
    load = mesh.zeros(tmp_path / "load", 30_000)
    for size, arg, levels in (("5x5", "32", 1), ("25x25", "32", 2),
                              ("25x25", "32,1/1", 1)):
        chosen, given = (run(load, mesh=size, arg=arg, levels=value)
                         for value in ("auto", levels))
        assert chosen["timeline_sha256"] == given["timeline_sha256"], size


# ---- hybrid ----

def test_shares_of_uneven_cost(tmp_path):
    """The last quarter is three times as dear. All of it on demand, the nodes
    end together; planned, who has it ends at twice the bound."""
    load = tmp_path / "burst"
    load.write_bytes(bytes(750_000) + b"\xff" * 250_000)
    planned, asked = (run(load, arg="32,burst", on="qemu", **options)
                      for options in ({"schedule": "peters-syska"},
                                      {"schedule": "hybrid", "reserve": 30}))
    assert ratio(planned, 1.5 * 32, 25) > 1.9
    assert ratio(asked, 1.5 * 32, 25) < 1.04


def test_nothing_is_reserved_where_nothing_varies(load):
    hybrid, planned = (run(load, schedule=schedule)["measured"]["makespan_ps"]
                       for schedule in ("hybrid", "peters-syska"))
    assert hybrid == planned

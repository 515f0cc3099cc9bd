# SPDX-License-Identifier: Apache-2.0
"""Nodes that are dead before the job (`--inject die@X,Y@0`): the plan leaves
them out, the others compute all of the load as fast as so many nodes can."""
import json

import pytest

import mesh

SPIN, INSTRUCTION_PS = 32, 32000
# Of t3d and lvds.
TRANSFER_PS = {"t3d": 3300, "lvds": 80000}


def run(load, nodes, *options, **more):
    dead = [word for x, y in nodes for word in ("--inject", f"die@{x},{y}@0")]
    return mesh.run(load, *dead, *options, **{
        "arg": SPIN, "on": "native", "size": "5x5", **more})


def over_bound(report, nodes, profile):
    """The makespan over what the originator's ports and `nodes` nodes need."""
    units, compute_ps = report["load"]["units"], SPIN * INSTRUCTION_PS
    bound_ps = max(units * compute_ps / nodes, units / (
        1 / compute_ps + 4 / TRANSFER_PS[profile]))
    return report["measured"]["makespan_ps"] / bound_ps


def missing(report):
    return [tuple(at) for at in report["mesh"].get("missing", [])]


@pytest.mark.parametrize("profile", sorted(TRANSFER_PS))
def test_24_nodes_are_as_fast_as_24_can_be(tmp_path, profile):
    load = mesh.zeros(tmp_path / "load", 8_000_000)
    for at in [(1, 0), (0, 4), (3, 0), (2, 1), (2, 2)]:
        report = run(load, [at], "--profile", profile, rounds="auto")
        assert missing(report) == [at]
        assert report["result"]["units"] == 8_000_000
        assert .999 <= over_bound(report, 24, profile) <= 1.05
        units = {(n["x"], n["y"]): n["units"]
                 for n in report["measured"]["nodes"]}
        assert units.pop(at, 0) == 0 and min(units.values()) > 0


def test_rounds_around_holes_of_25x25(tmp_path):
    """Late phases of a round are not in the way of the next one's first."""
    load = mesh.zeros(tmp_path / "load", 8_000_000)
    nodes = [(x, y) for x in range(25) for y in range(25) if x or y]
    rng = mesh.seeded("missing")
    for _ in range(3):
        holes = rng.sample(nodes, 5)
        report = run(load, holes, "--profile", "t3d", size="25x25",
                     rounds="auto")
        assert over_bound(report, 620, "t3d") <= 1.05


def test_compare_counts_the_living(tmp_path):
    """In its bound; and has one row for each tree."""
    load = mesh.zeros(tmp_path / "load", 100_000)
    line = ["compare", "--json", "--mesh", "5x5", "--on", "native", "--profile",
            "t3d", "--kernel", "spin", "--arg", SPIN, load]
    plain, less = (json.loads(mesh.command(*line, *more).stdout) for more in (
        [], ["--inject", "die@2,1@0"]))
    most, least = (table["lower_bound"]["makespan_ps"]
                   for table in (less, plain))
    assert most / least == pytest.approx(25 / 24, rel=.01)
    assert {row["schedule"] for row in less["schedules"]} == {
        "peters-syska", "equal", "farm"}


def test_compare_of_several_originators(tmp_path):
    load = mesh.zeros(tmp_path / "load", 50_000)
    table = json.loads(mesh.command(
        "compare", "--json", "--mesh", "5x5", "--on", "native", "--kernel",
        "spin", "--arg", SPIN, "--originator", f"0,0={load}", "--originator",
        f"2,2={load}", "--inject", "cut@1,1,east@0", "--inject",
        "die@3,3@0").stdout)
    assert {row["schedule"] for row in table["schedules"]} == {"star", "farm"}
    assert all(row["makespan_ps"] >= table["lower_bound"]["makespan_ps"]
               for row in table["schedules"])


def test_who_cannot_be_reached_is_left_out(tmp_path):
    """On a ring, all between two dead nodes; with both neighbours dead the
    originator computes alone. A farm also leaves out nodes to which the
    originator has no path of its own."""
    load = mesh.zeros(tmp_path / "load", 100_000)
    report = run(load, [(1, 0), (4, 0)], size="6x1")
    assert missing(report) == [(1, 0), (2, 0), (3, 0), (4, 0)]
    assert report["result"]["units"] == 100_000
    report = run(load, [(1, 0), (5, 0)], size="6x1")
    assert len(missing(report)) == 5
    assert report["measured"]["nodes"][0]["units"] == 100_000
    holes = [(1, 0), (4, 0), (0, 1)]
    assert missing(run(load, holes)) == holes
    assert set(missing(run(load, holes, "--schedule", "farm"))) > set(holes)


def test_masters_reach_their_workers(tmp_path):
    """Of a farm of two levels on 12x12, many of whose nodes are dead."""
    load = mesh.zeros(tmp_path / "load", 1_000_000)
    rng = mesh.seeded("missing")
    for _ in range(4):
        holes = rng.sample([(x, y) for x in range(1, 12) for y in range(12)],
                           20)
        report = run(load, holes, "--schedule", "farm", "--levels", 2,
                     size="12x12", rounds="auto")
        assert set(missing(report)) >= set(holes)
        assert report["result"]["units"] == 1_000_000
        units = {(n["x"], n["y"]): n["units"]
                 for n in report["measured"]["nodes"]}
        assert all(units.get(at, 0) == 0 for at in missing(report))


def test_boards(tmp_path):
    """As native nodes: 24 of 25, and the same timeline each time."""
    load = mesh.zeros(tmp_path / "load", 1_000_000)
    one, two = (run(load, [(1, 0)], "--profile", "t3d", on="qemu",
                    rounds="auto") for _ in range(2))
    assert one["timeline_sha256"] == two["timeline_sha256"]
    assert one["result"]["units"] == 1_000_000
    assert over_bound(one, 24, "t3d") <= 1.05

# SPDX-License-Identifier: Apache-2.0
"""A load that is dealt out (scatter/engine/deal.c): who gets which block, by a
dealer who gives units one at a time; results of every kernel are exact. (Any
load and mesh: test_any_job.py; what nodes refuse: test/fuzz/.)"""
import random

import numpy
import pytest
from core import Branch, Coord, Size

import mesh
import twins

AHEAD_BYTES = 16 + 12  # header, head; with the job 36 more, once
JOB_BYTES = 36
ROUNDS_MAX = 16


def dealt(units, nodes, rounds):
    """Units of each block: one after the other gets one more."""
    blocks = [0] * (nodes * rounds)
    for unit in range(units):
        blocks[unit % len(blocks)] += 1
    return blocks


def places(core, size):
    """Node i of the dealing: its place in the tree of the announcement."""
    room = (Branch * (size[0] * size[1]))()
    assert core.schedule_farm(room, Size(*size), Coord(0, 0)) >= 0
    return [branch.at.y * size[0] + branch.at.x for branch in room]


def saved(report, nodes, rounds):
    """Units that each block of the originator has less; on native nodes, whose
    software takes no time, none."""
    units = report["plan"]["load_units"]
    own = (report["measured"]["nodes"][0]["units"]
           - report["plan"]["measured_units"])
    if report["mesh"]["on"] == "native":
        return 0
    return next(less for less in range(units)
                if sum(dealt(units + less * rounds, nodes, rounds)[::nodes])
                - less * rounds == own)


def check_blocks(core, report, size):
    plan, order = report["plan"], places(core, size)
    nodes, rounds = len(order), plan["rounds"]
    less = saved(report, nodes, rounds)
    blocks = dealt(plan["load_units"] + less * rounds, nodes, rounds)
    blocks[::nodes] = [units - less for units in blocks[::nodes]]
    parts = [c for c in report["circuits"] if c["kind"] == "part"]
    got = {(c["round"], c["destination"]): c["bytes"] for c in parts}
    assert len(got) == len(parts) == sum(
        bool(units) for i, units in enumerate(blocks) if i % nodes)
    unit = report["load"]["bytes"] // report["load"]["units"]
    for block, units in enumerate(blocks):
        turn, i = divmod(block, nodes)
        if i > 0 and units > 0:
            assert got[turn, order[i]] == (
                units * unit + AHEAD_BYTES + (turn == 0) * JOB_BYTES)
    for node in report["measured"]["nodes"]:
        index = node["y"] * size[0] + node["x"]
        measured = plan["measured_units"] if index == 0 else 0
        assert node["units"] - measured == sum(
            blocks[order.index(index)::nodes])


def run(load, size, on="native", rounds="auto", **options):
    return mesh.run(load, "--schedule", "deal", "--profile", "t3d",
                    size="{}x{}".format(*size), on=on, rounds=rounds,
                    **options)


@pytest.mark.parametrize("size", [(5, 5), (6, 4), (1, 3)])
@pytest.mark.parametrize("rounds", ["auto", 1, 3, ROUNDS_MAX])
def test_blocks_and_results(core, tmp_path, size, rounds):
    rng = mesh.seeded(f"deal {size} {rounds}")
    data = bytes(rng.choices(b"ab", k=rng.randrange(5000, 60_000)))
    check_kernels(core, tmp_path, data, size, rounds, "native")


@pytest.mark.boards
@pytest.mark.parametrize("rounds", ["auto", 3])
def test_boards(core, tmp_path, rounds):
    data = bytes(random.Random(5).choices(b"ab", k=30_000))
    check_kernels(core, tmp_path, data, (5, 5), rounds, "qemu")


def check_kernels(core, tmp_path, data, size, rounds, on):
    load = tmp_path / "load"
    load.write_bytes(data)
    spun = run(load, size, on, rounds, arg="200")
    assert spun["result"] == {"units": len(data)}
    check_blocks(core, spun, size)
    found = run(load, size, on, rounds, kernel="search", arg=b"abbab")
    assert found["result"] == mesh.search_result(data, b"abbab")
    said = run(load, size, on, rounds, kernel="stats", arg="type=u8")
    for name, value in twins.stats(numpy.frombuffer(data, "u1")).items():
        assert said["result"][name] == pytest.approx(value, rel=1e-11)


def test_few_units(core, tmp_path):
    """Nodes without a unit hear nothing; more rounds than units of each are
    refused."""
    for units in (1, 2, 7, 24, 25, 49):
        load = mesh.zeros(tmp_path / "load", units)
        report = run(load, (5, 5), arg="100000")
        assert report["result"] == {"units": units}
        if report["plan"]["active_nodes"] > 1:
            check_blocks(core, report, (5, 5))
    done = mesh.command("run", "--mesh", "5x5", "--on", "native", "--kernel",
                        "spin", "--arg", "99", "--schedule", "deal",
                        "--rounds", 2, load)
    assert (done.returncode, done.stdout) == (1, "")
    assert "infeasible" in done.stderr


def test_rounds_that_pay(tmp_path):
    """Sixteen; or fewer, each longer than what a round costs."""
    for arg, rounds in (("20000", ROUNDS_MAX), ("8", 1)):
        report = run(mesh.zeros(tmp_path / "load", 20_000), (5, 5), arg=arg)
        assert report["plan"]["rounds"] == rounds

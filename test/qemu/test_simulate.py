# SPDX-License-Identifier: Apache-2.0
"""`quincunx simulate`: against an event simulation in Python, node by node,
and at sizes where only its own checks and the exact model can tell.

QUINCUNX_SEED chooses the random cases.
"""
import json
import os
import random
import re
import resource
import subprocess
from fractions import Fraction

import pytest

import mesh
import simulate
import torus
from core import BUILD
from plans import BASE, best_plan, command
from values import in_ps

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))


def simulated(*flags, **options):
    """The JSON object of a run that must pass all its checks."""
    done = command("--json", *flags, subcommand="simulate", **options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    got = json.loads(done.stdout)
    assert set(got["checks"].values()) == {True}
    assert len(got["checks"]) == 7
    assert ("per_node" in got) == ("--per-node" in flags)
    return got


def costs(options):
    """(side, load, compute, startup, transfer, hop delay) of the options."""
    given = {"hop_delay": "0", **BASE, **options}
    return (int(given["torus"]), int(given["load"]),
            *(in_ps(given[name]) for name in
              ("compute", "startup", "transfer", "hop_delay")))


def check_totals(got, options):
    """What must hold of any size, from the options and exact fractions."""
    side, load, compute, _, transfer, _ = costs(options)
    want = best_plan(options)
    bound = want.phases * transfer + compute
    assert got["torus"]["side"] == side
    assert got["torus"]["nodes"] == side * side
    assert got["load_units"] == got["units_total"] == load
    assert got["phases"] == want.phases and got["rounds"] == 1
    assert got["nodes_reached"] == 5 ** want.phases
    assert got["link_disjoint"] is True and got["first_overlap"] is None
    assert abs(got["model_makespan_ps"] - want.makespan) <= Fraction(1, 2)
    assert got["makespan_bound_ps"] == bound
    assert want.makespan <= got["makespan_ps"] <= want.makespan + bound
    finish = got["finish"]
    assert finish["latest_ps"] == got["makespan_ps"]
    assert finish["spread_ps"] == finish["latest_ps"] - finish["earliest_ps"]
    circuits = got["nodes_reached"] - 1
    assert got["event_kinds"] == {
        "circuits_set_up": circuits, "circuits_ended": circuits,
        "nodes_finished": circuits + 1}
    assert got["events"] == 3 * circuits + 1
    check_layers(got, want)
    return want


def check_layers(got, want):
    assert len(got["layers"]) == want.phases + 1
    for i, layer in enumerate(got["layers"]):
        assert layer["layer"] == i
        assert layer["nodes"] == (4 * 5 ** (i - 1) if i else 1)
        for key, exact in (("volume_units", want.volumes[i]),
                           ("share_units", want.shares[i])):
            least, most = layer[key]
            assert exact.__floor__() <= least <= most
            assert most <= exact.__floor__() + 1
    for key, end in (("earliest_ps", 0), ("latest_ps", 1)):
        ends = [layer["finished_ps"][end] for layer in got["layers"]]
        assert got["finish"][key] == (max if end else min)(ends)


def check_nodes(got, want):
    """Every node against the oracle's; and the layers' extremes."""
    nodes = {(node["x"], node["y"]):
             simulate.Node(node["layer"], node["volume_units"], node["units"],
                           node["received_ps"], node["finished_ps"])
             for node in got["per_node"]}
    assert len(nodes) == len(got["per_node"])
    assert nodes == want.nodes
    for layer in got["layers"]:
        here = [node for node in nodes.values()
                if node.layer == layer["layer"]]
        for key, name in (("volume_units", "volume"),
                          ("share_units", "share"),
                          ("received_ps", "received"),
                          ("finished_ps", "finished")):
            values = [getattr(node, name) for node in here]
            assert layer[key] == [min(values), max(values)]


def check_conflicts(got, want, side):
    assert got["conflicts"] == want.conflicts
    first = got["first_conflict"]
    if want.first is None:
        assert first is None
        return
    at = tuple(first["link"]["at"])
    way = {"east": torus.EAST, "north": torus.NORTH}[first["link"]["way"]]
    assert simulate.Meeting(
        first["time_ps"], first["phase"], first["other_phase"],
        tuple(first["source"]),
        ["east", "north", "west", "south"].index(first["port"]),
        frozenset([at, *torus.walk(side, at, way, 1)])) == want.first


def check(originator=(0, 0), **options):
    """Against the oracle, node by node; returns the JSON object."""
    got = simulated("--per-node",
                    originator="%d,%d" % originator, **options)
    side, load, compute, startup, transfer, hop_delay = costs(options)
    plan, want = simulate.run(side, load, compute, startup, transfer,
                              hop_delay, options.get("phases"), originator)
    check_totals(got, options)
    assert got["torus"]["originator"] == list(originator)
    assert got["phases"] == plan.phases
    assert got["event_kinds"]["circuits_set_up"] == want.circuits
    check_nodes(got, want)
    check_conflicts(got, want, side)
    return got


def test_hundred_units_of_theory():
    got = check(torus=5, load=100, startup="1s", transfer="1s",
                compute="1s")
    assert got["makespan_ps"] == 25 * 10 ** 12
    assert sorted(node["units"] for node in got["per_node"]) == sorted(
        [23] + 4 * [6] + 13 * [3] + 7 * [2])


@pytest.mark.parametrize("side, originator, options", [
    (1, (0, 0), {}), (5, (0, 0), {}), (5, (3, 4), {"load": 7}),
    (5, (4, 0), {"phases": 1}), (5, (1, 1), {"phases": 0}),
    (25, (0, 0), {}), (25, (24, 11), {"load": 98765}),
    (25, (12, 3), {"phases": 3}), (25, (7, 8), {"hop_delay": "100ns"}),
    (25, (0, 24), {"startup": "0", "transfer": "0"}),
    (25, (9, 9), {"startup": "0", "load": 321, "transfer": "1us"}),
    (25, (2, 0), {"load": 2 ** 32 - 1}),
    (25, (2, 0), {"load": 2 ** 32 - 1, "compute": "3ps", "startup": "1ps"}),
    (25, (5, 5), {"transfer": "80ns", "startup": "5us"}),
    (125, (124, 61), {"load": 5 * 10 ** 6})])
def test_every_node_is_the_oracles(side, originator, options):
    check(originator, torus=side, **options)


def test_random_costs():
    rng = random.Random(SEED)
    for _ in range(60):
        side = rng.choice([5, 5, 25])
        options = {
            "torus": side, "load": int(10 ** rng.uniform(0, 9.6)),
            "startup": f"{int(10 ** rng.uniform(0, 11))}ps",
            "transfer": f"{int(10 ** rng.uniform(0, 8))}ps",
            "compute": f"{int(10 ** rng.uniform(3, 9))}ps"}
        if rng.random() < .3:
            options["hop_delay"] = f"{int(10 ** rng.uniform(0, 9))}ps"
        if rng.random() < .2:
            options["startup"] = "0"
        originator = rng.randrange(side), rng.randrange(side)
        try:
            check(originator, **options)
        except AssertionError as error:
            raise AssertionError(
                f"QUINCUNX_SEED={SEED}: {originator} {options}") from error


@pytest.mark.parametrize("options", [
    {"load": 1}, {"load": 3, "hop_delay": "1ps"}, {"load": 40}])
def test_conflicts_wait_as_the_oracles_do(options):
    """Volumes below one unit and no startup: siblings drift far apart."""
    got = check((3, 120), torus=125, startup="0", transfer="1us",
                compute="1us", **options)
    assert got["conflicts"] > 0


@pytest.mark.parametrize("load", [10 ** 6, 10 ** 9, 2 ** 32 - 1])
@pytest.mark.parametrize("side", [25, 125, 625])
def test_no_conflict_with_a_startup(side, load):
    options = {"torus": side, "load": load}
    got = simulated(originator=f"{side - 1},{side // 2}", **options)
    check_totals(got, options)
    assert got["conflicts"] == 0 and got["first_conflict"] is None


@pytest.mark.boards
def test_ten_million_nodes():
    """5^10 nodes; the limits are the ones asked for, not what is usual."""
    options = {"torus": 3125, "load": 4 * 10 ** 9}
    got = simulated(originator="1562,3124", **options)
    want = check_totals(got, options)
    assert want.phases == 10 and got["nodes_reached"] == 5 ** 10
    assert got["conflicts"] == 0
    assert got["peak_rss_bytes"] < 2 ** 30


def test_runs_are_the_same():
    runs = [simulated("--per-node", torus=125) for _ in range(2)]
    for run in runs:
        assert run.pop("wall_s") > 0
        assert run.pop("peak_rss_bytes") > 0
    assert runs[0] == runs[1]


def test_memory_is_its_own():
    """Not that of whoever starts it, here more than it needs itself."""
    ballast = bytearray(b"x") * (64 << 20)
    got = simulated(torus=5)
    assert 2 ** 20 < got["peak_rss_bytes"] < len(ballast) // 4


def test_a_profile_stands_for_its_times():
    got, want = (simulated(torus=5, **options) for options in (
        {"startup": None, "transfer": None, "profile": "t3d"},
        {"startup": "4.85us", "transfer": "3.3ns"}))
    for one in (got, want):
        one.pop("wall_s")
        one.pop("peak_rss_bytes")
    assert got == want


def test_a_split_that_loses_units_fails():
    line = [BUILD / "test" / "simulate-lossy"] + [
        f"--{name}={value}" for name, value in BASE.items()]
    done = subprocess.run([*line, "--json"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 1
    got = json.loads(done.stdout)
    assert got["units_total"] < got["load_units"]
    assert [name for name, passed in got["checks"].items()
            if not passed] == ["units_total", "makespan"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.findall(r"^FAILED +(.*)$", done.stdout, re.MULTILINE) == [
        "the units computed are the load",
        "the makespan is the model's, up to the bound"]


def test_no_memory_is_a_failure():
    limit = 256 << 20
    done = mesh.command(
        "simulate", "--json", *(f"--{name}={value}" for name, value in
                                {**BASE, "torus": 3125}.items()),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                              (limit, limit)))
    assert done.returncode == 1
    assert not done.stdout
    assert "no memory for 9765625 nodes" in done.stderr

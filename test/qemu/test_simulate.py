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

import model
import simulate
import torus
from core import BUILD
from values import in_ps

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
BASE = {"torus": "25", "load": "1000000", "startup": "4.85us",
        "transfer": "3.3ns", "compute": "1us"}


def command(program, *flags, more=None, **options):
    """The finished process; options override BASE, None leaves one out."""
    line = [*program, *flags]
    for name, value in {**BASE, **options}.items():
        if value is not None:
            line += ["--" + name.replace("_", "-"), str(value)]
    return subprocess.run(line, capture_output=True, text=True, check=False,
                          timeout=120, **(more or {}))


@pytest.fixture(scope="session")
def program(quincunx):
    return [quincunx, "simulate"]


def simulated(program, *flags, **options):
    """The JSON object of a run that must pass all its checks."""
    done = command(program, "--json", *flags, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    got = json.loads(done.stdout)
    assert set(got["checks"].values()) == {True}
    assert len(got["checks"]) == 7
    return got


def costs(options):
    """(side, load, compute, startup, transfer, hop delay) of the options."""
    given = {"hop_delay": "0", **BASE, **options}
    return (int(given["torus"]), int(given["load"]),
            *(in_ps(given[name]) for name in
              ("compute", "startup", "transfer", "hop_delay")))


def check_totals(got, options):
    """What must hold of any size, from the options and exact fractions."""
    side, load, compute, startup, transfer, hop_delay = costs(options)
    transfers, startups = model.costs(torus.phases_of(side) // 2, startup,
                                      transfer, hop_delay)
    if "phases" in options:
        count = int(options["phases"])
        want = model.solve(load, compute, transfers[:count], startups[:count])
    else:
        want = model.best(load, compute, transfers, startups)
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


def check(program, originator=(0, 0), **options):
    """Against the oracle, node by node; returns the JSON object."""
    got = simulated(program, "--per-node",
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


def test_hundred_units_of_theory(program):
    got = check(program, torus=5, load=100, startup="1s", transfer="1s",
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
def test_every_node_is_the_oracles(program, side, originator, options):
    check(program, originator, torus=side, **options)


def test_random_costs(program):
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
            check(program, originator, **options)
        except AssertionError as error:
            raise AssertionError(
                f"QUINCUNX_SEED={SEED}: {originator} {options}") from error


@pytest.mark.parametrize("options", [
    {"load": 1}, {"load": 3, "hop_delay": "1ps"}, {"load": 40}])
def test_conflicts_wait_as_the_oracles_do(program, options):
    """Volumes below one unit and no startup: siblings drift far apart."""
    got = check(program, (3, 120), torus=125, startup="0", transfer="1us",
                compute="1us", **options)
    assert got["conflicts"] > 0


@pytest.mark.parametrize("load", [10 ** 6, 10 ** 9, 2 ** 32 - 1])
@pytest.mark.parametrize("side", [25, 125, 625])
def test_no_conflict_with_a_startup(program, side, load):
    options = {"torus": side, "load": load}
    got = simulated(program, originator=f"{side - 1},{side // 2}", **options)
    check_totals(got, options)
    assert got["conflicts"] == 0 and got["first_conflict"] is None


@pytest.mark.boards
def test_ten_million_nodes(program):
    """5^10 nodes; the limits are the ones asked for, not what is usual."""
    options = {"torus": 3125, "load": 4 * 10 ** 9}
    got = simulated(program, originator="1562,3124", **options)
    want = check_totals(got, options)
    assert want.phases == 10 and got["nodes_reached"] == 5 ** 10
    assert got["conflicts"] == 0
    assert got["wall_s"] < 60
    assert got["peak_rss_bytes"] < 2 ** 30


def test_runs_are_the_same(program):
    runs = [simulated(program, "--per-node", torus=125) for _ in range(2)]
    for run in runs:
        assert run.pop("wall_s") > 0
        assert run.pop("peak_rss_bytes") > 0
    assert runs[0] == runs[1]


def test_memory_is_its_own(program):
    """Not that of whoever starts it, here more than it needs itself."""
    ballast = bytearray(b"x") * (64 << 20)
    got = simulated(program, torus=5)
    assert 2 ** 20 < got["peak_rss_bytes"] < len(ballast) // 4


def test_a_profile_stands_for_its_times(program):
    got, want = (simulated(program, torus=5, **options) for options in (
        {"startup": None, "transfer": None, "profile": "t3d"},
        {"startup": "4.85us", "transfer": "3.3ns"}))
    for one in (got, want):
        one.pop("wall_s")
        one.pop("peak_rss_bytes")
    assert got == want


def test_per_node_only_if_asked_for(program):
    assert "per_node" not in simulated(program)


@pytest.fixture(scope="module")
def lossy():
    path = BUILD / "test" / "simulate-lossy"
    assert path.exists(), f"{path} is missing: run `make test`"
    return [str(path)]


def test_a_split_that_loses_units_fails(lossy):
    done = command(lossy, "--json")
    assert done.returncode == 1
    got = json.loads(done.stdout)
    assert got["units_total"] < got["load_units"]
    assert [name for name, passed in got["checks"].items()
            if not passed] == ["units_total", "makespan"]
    done = command(lossy)
    assert done.returncode == 1
    assert re.findall(r"^FAILED +(.*)$", done.stdout, re.MULTILINE) == [
        "the units computed are the load",
        "the makespan is the model's, up to the bound"]


def test_no_memory_is_a_failure(program):
    limit = 256 << 20
    done = command(program, "--json", torus=3125, more={
        "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                 (limit, limit))})
    assert done.returncode == 1
    assert not done.stdout
    assert "no memory for 9765625 nodes" in done.stderr


def test_most_phases_are_best_but_for_whole_units(program):
    """In fractions two phases end earlier than one; of 5 whole units, one for
    each node of one phase, the second phase only costs. The help says so."""
    costs_of = {"torus": 5, "load": 5, "startup": 0, "transfer": "1us",
                "compute": "1us"}
    two, one = (simulated(program, **costs_of, **more)
                for more in ({}, {"phases": 1}))
    assert (two["phases"], two["makespan_ps"]) == (2, 3 * 10 ** 6)
    # One unit for everybody: a transfer of 1 us, 1 us of computing.
    assert one["makespan_ps"] == 2 * 10 ** 6
    assert two["model_makespan_ps"] < one["model_makespan_ps"]
    done = subprocess.run(program + ["--help"], capture_output=True,
                          text=True, check=False)
    assert "best but for the rounding to whole units" in " ".join(
        done.stdout.split())


@pytest.mark.parametrize("options, largest", [
    ({"phases": 5}, 4), ({"phases": 10 ** 19}, 4), ({"phases": 259}, 4),
    ({"phases": 4, "load": 100}, None),
    ({"phases": 1, "load": 4, "startup": "5us"}, 0),
    ({"torus": 5, "phases": 3}, 2)])
def test_infeasible_phases_name_the_largest(program, options, largest):
    side, load, compute, startup, transfer, hop_delay = costs(options)
    transfers, startups = model.costs(torus.phases_of(side) // 2, startup,
                                      transfer, hop_delay)
    want = model.feasible_phases(load, compute, transfers, startups)
    assert largest in (None, want)
    done = command(program, "--json", **options)
    assert done.returncode == 2
    assert not done.stdout
    assert "--phases" in done.stderr
    assert str(options["phases"]) in done.stderr
    words = re.findall(r"\b\d+\b", done.stderr.split("largest", 1)[1])
    assert words[0] == str(want)

# SPDX-License-Identifier: Apache-2.0
"""Several originators, each with a load and a group of nodes of its own: every
unit is computed once by a node of its group, results and outputs are those of
the loads one after the other, and all end together.

QUINCUNX_SEED chooses meshes, places, loads and speeds.
"""
import fractions
import json

import pytest

import core as library
import mesh
import tree_plan
import twins
from test_trees import costs_of

FAILED = 1
INSTRUCTION_PS = 32_000
LVDS_PS = 80_000  # a byte


def given(loads):
    """The options of {(x, y): path}, in that order."""
    return [word for (x, y), path in loads.items()
            for word in ("--originator", f"{x},{y}={path}")]


def command(loads, *words, **options):
    options = {"mesh": "5x5", "on": "native", "kernel": "spin", "arg": "8",
               **options}
    line = [word for name, value in options.items() if value is not None
            for word in (f"--{name}", str(value))]
    return mesh.command("run", "--json", *line, *given(loads), *words)


def run(loads, *words, **options):
    done = command(loads, *words, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def placed(rng, width, height, count):
    nodes = [(x, y) for x in range(width) for y in range(height)]
    return rng.sample(nodes, count)


def hops(a, b, width, height):
    away = [abs(a[0] - b[0]), abs(a[1] - b[1])]
    return min(away[0], width - away[0]) + min(away[1], height - away[1])


def test_a_larger_load_has_more_nodes(tmp_path):
    """The numbers of nodes go by the loads, where computing is the limit."""
    loads = {(0, 0): mesh.zeros(tmp_path / "large", 400_000),
             (2, 2): mesh.zeros(tmp_path / "small", 100_000)}
    report = run(loads, arg="200")
    assert [one["nodes"] for one in report["originators"]] == [20, 5]


def test_nodes_serve_originators_that_are_near(tmp_path):
    """With equal loads far apart, a node serves one no further away than the
    other, but for two or so that make the groups equal."""
    places = [(0, 0), (4, 4)]
    load = mesh.zeros(tmp_path / "load", 100_000)
    report = run(dict.fromkeys(places, load), mesh="8x8")
    wrong = 0
    for one in report["originators"]:
        own = (one["x"], one["y"])
        other = next(place for place in places if place != own)
        for share in one["shares"]:
            at = share["x"], share["y"]
            wrong += hops(at, own, 8, 8) > hops(at, other, 8, 8)
    assert wrong <= 4


def bound_ps(sizes, instructions, nodes=25):
    """What no division of the nodes can beat: all compute all the time, or one
    originator's ports do, and it computes."""
    unit_ps = instructions * INSTRUCTION_PS
    ports = fractions.Fraction(1, unit_ps) + fractions.Fraction(4, LVDS_PS)
    return max(fractions.Fraction(sum(sizes) * unit_ps, nodes),
               max(sizes) / ports)


@pytest.mark.parametrize("instructions,sizes,most", [
    (8, {(0, 0): 500_000, (2, 2): 500_000}, 1.15),
    (8, {(0, 0): 250_000, (2, 1): 250_000, (4, 2): 250_000,
         (1, 3): 250_000}, 1.12),
    (32, {(0, 0): 750_000, (2, 2): 250_000}, 1.08)])
def test_all_end_together(tmp_path, instructions, sizes, most):
    loads = {place: mesh.zeros(tmp_path / f"{place}", size)
             for place, size in sizes.items()}
    report = run(loads, arg=instructions, profile="lvds")
    first = report["plan"]["layers"][0]
    assert first["nodes"] == len(sizes)
    assert round(first["nodes"] * first["volume_units"]) == sum(sizes.values())
    ratio = report["measured"]["makespan_ps"] / bound_ps(sizes.values(),
                                                         instructions)
    assert 1 <= ratio <= most


def exact_plan(core, report, one, options):
    """What one originator should have planned in one round: the last phase,
    the makespan, and the share of each node, in fractions."""
    size = report["mesh"]["width"], report["mesh"]["height"]
    members = [(share["x"], share["y"]) for share in one["shares"]]
    _, raw = library.group_star(core, *size, (one["x"], one["y"]), members)
    branches, at = tree_plan.wire(library.branches_of(raw))
    costs = costs_of(
        report["profile"],
        one["load"]["units"] - one["plan"]["measured_units"],
        one["plan"]["compute_ps_per_unit"], options["ports"],
        options["switching"] == "store-and-forward")
    phases, _, makespan, shares = tree_plan.plan(
        branches, [0] * len(branches), costs, 2 ** 300,
        one["plan"]["phases"] + 1)
    inside = [i for i, b in enumerate(branches) if b.phase <= phases]
    return phases, makespan, {at[i]: share
                              for i, share in zip(inside, shares)}


@pytest.mark.parts(3)
def test_each_plans_its_own_group(core, tmp_path, part):
    """One round along each star against the exact plan: the makespan to 2^-23
    of it, and shares to a unit."""
    for case in range(10 * part, 10 * part + 10):
        check_plans(core, tmp_path, mesh.seeded(f"originators plan {case}"))


def check_plans(core, tmp_path, rng):
    width, height = rng.randint(2, 9), rng.randint(2, 9)
    places = placed(rng, width, height, rng.randint(2, 4))
    loads = {place: mesh.zeros(tmp_path / f"{place}",
                               rng.randint(5000, 100_000))
             for place in places}
    options = {"ports": rng.choice([1, 2, 4]),
               "switching": rng.choice(["circuit", "store-and-forward"])}
    report = run(loads, mesh=f"{width}x{height}", rounds=1, **options,
                 arg=rng.choice([8, 32, 200]),
                 profile=rng.choice(["t3d", "lvds"]))
    for one in report["originators"]:
        phases, makespan, shares = exact_plan(core, report, one, options)
        assert one["plan"]["phases"] == phases
        assert abs(one["plan"]["makespan_ps"] - makespan) <= (
            makespan / 2 ** 23 + 2)
        for share in one["shares"]:
            at = share["x"], share["y"]
            units = share["units"]
            if at == (one["x"], one["y"]):
                units -= one["plan"]["measured_units"]
            assert abs(units - shares.get(at, 0)) <= 1 + makespan / 2 ** 23 / (
                one["plan"]["compute_ps_per_unit"])


# ---- outputs ----

@pytest.mark.parametrize("on, schedule", [("native", "star"),
                                          ("qemu", "farm")])
def test_outputs_are_in_the_order_of_the_options(tmp_path, on, schedule):
    """A spin's output goes by the places of its units in their load."""
    rng = mesh.seeded("originators outputs")
    sizes = {place: 3 * rng.randint(300, 3000)
             for place in placed(rng, 5, 5, 3)}
    loads = {place: mesh.zeros(tmp_path / f"{place}", size)
             for place, size in sizes.items()}
    run(loads, "-o", tmp_path / "all", on=on, schedule=schedule, arg="3,2/3")
    expected = [twins.spun(size, "2/3") for size in sizes.values()]
    assert (tmp_path / "all").read_bytes() == b"".join(expected)
    files = [tmp_path / f"out{i}" for i in range(3)]
    run(loads, *(word for file in files for word in ("-o", file)), on=on,
        schedule=schedule, arg="3,2/3")
    assert [file.read_bytes() for file in files] == expected


# ---- repeated, large ----

def test_rates_are_read_and_kept(tmp_path):
    rates = tmp_path / "rates.json"
    loads = {(0, 0): mesh.zeros(tmp_path / "a", 50000),
             (2, 2): mesh.zeros(tmp_path / "b", 50000)}
    first = run(loads, "--rates", rates)
    again = run(loads, "--rates", rates)
    assert first["plan"]["measured_units"] > 0
    assert again["plan"]["measured_units"] == 0
    assert again["plan"]["rate_from"] == str(rates)
    assert len(json.loads(rates.read_text())["rates"]) == 1


def test_compare(tmp_path):
    """Schedules with groups, and the bound."""
    sizes = {(0, 0): 60_000, (2, 2): 20_000}
    loads = {place: mesh.zeros(tmp_path / f"{place}", size)
             for place, size in sizes.items()}
    done = mesh.command("compare", "--json", "--mesh", "5x5", "--on", "native",
                        "--kernel", "spin", "--arg", "8", *given(loads))
    assert (done.returncode, done.stderr) == (0, "")
    table = json.loads(done.stdout)
    assert [row["schedule"] for row in table["schedules"]] == [
        "star", "star", "farm"]
    assert table["schedules"][0]["timeline_sha256"] == run(loads)[
        "timeline_sha256"]
    assert table["result"]["units"] == 80_000
    bound = table["lower_bound"]
    assert bound["set_by"] == "ports"
    assert abs(bound["makespan_ps"] / bound_ps(sizes.values(), 8) - 1) < .01
    for row in table["schedules"]:
        assert row["makespan_ps"] >= bound["makespan_ps"]


# ---- failures ----

def test_a_node_that_fails_is_named(tmp_path):
    loads = {(0, 0): mesh.zeros(tmp_path / "a", 50_000),
             (2, 2): mesh.zeros(tmp_path / "b", 50_000)}
    done = command(loads, on="qemu", inject="assert@2,3")
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "node 2,3: assertion failed" in done.stderr


# ---- one alone ----

def test_a_single_one_is_as_ever(tmp_path):
    """X,Y=FILE given once is X,Y and INPUT."""
    load = mesh.zeros(tmp_path / "load", 1000)
    one = run({(1, 1): load})
    ever = run({}, "--originator", "1,1", load)
    assert one["timeline_sha256"] == ever["timeline_sha256"]
    assert one["mesh"]["originator"] == [1, 1]
    assert "originators" not in one

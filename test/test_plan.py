# SPDX-License-Identifier: Apache-2.0
"""`quincunx plan` against the exact model.

QUINCUNX_SEED chooses the random cases.
"""
import json
import os
import random
import re
import subprocess
from fractions import Fraction

import pytest

import model
import torus

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
PS = {"s": 10 ** 12, "ms": 10 ** 9, "us": 10 ** 6, "ns": 10 ** 3, "ps": 1}
BASE = {"torus": "25", "load": "1000000", "startup": "4.85us",
        "transfer": "3.3ns", "compute": "1us"}


def in_ps(text):
    number, unit = re.fullmatch(r"([\d.]+)([a-z]*)", text).groups()
    return int(Fraction(number) * PS[unit or "ps"])


def command(quincunx, *flags, **options):
    """The finished process; options override BASE, None leaves one out."""
    line = [quincunx, "plan", *flags]
    for name, value in {**BASE, **options}.items():
        if value is not None:
            line += ["--" + name.replace("_", "-"), str(value)]
    return subprocess.run(line, capture_output=True, text=True, check=False,
                          timeout=60)


def planned(quincunx, *flags, **options):
    done = command(quincunx, "--json", *flags, **options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def exact_costs(options):
    """(power, load, compute, transfers, startups) of the options."""
    given = {**BASE, **options}
    power = torus.phases_of(int(given["torus"])) // 2
    results = given.get("results")
    transfers, startups = model.costs(
        power, in_ps(given["startup"]), in_ps(given["transfer"]),
        in_ps(given.get("hop_delay", "0")),
        given.get("switching") == "store-and-forward",
        Fraction(results) if results is not None else None)
    return (power, int(given["load"]), in_ps(given["compute"]), transfers,
            startups)


def near(value, exact):
    return abs(Fraction(value) - exact) <= max(abs(exact), 1) / 10 ** 6


def check(quincunx, *flags, **options):
    """Plans and compares with the model; returns both."""
    got = planned(quincunx, *flags, **options)
    power, load, compute, transfers, startups = exact_costs(options)
    side = 5 ** power
    assert got["torus"] == {"side": side, "nodes": side * side}
    assert got["load_units"] == load
    assert got["rounds"] == 1
    if "phases" in options:
        n = int(options["phases"])
        want = model.solve(load, compute, transfers[:n], startups[:n])
        assert want.feasible
    else:
        want = model.best(load, compute, transfers, startups)
    assert got["phases"] == want.phases
    assert got["active_nodes"] == 5 ** want.phases
    assert isinstance(got["makespan_ps"], int)
    assert abs(got["makespan_ps"] - want.makespan) <= Fraction(1, 2)
    assert near(got["speedup"], load * compute / want.makespan)
    assert len(got["layers"]) == want.phases + 1
    for i, layer in enumerate(got["layers"]):
        assert layer["layer"] == i
        assert layer["nodes"] == (4 * 5 ** (i - 1) if i else 1)
        assert near(layer["share_units"], want.shares[i])
        assert near(layer["volume_units"], want.volumes[i])
    return got, want


def check_per_node(got, want, originator):
    """Layers of the nodes, integer shares, and their sum."""
    side = got["torus"]["side"]
    layers = {originator: 0}
    for one in torus.scatter(side, originator):
        layers[one.nodes[-1]] = one.phase
    seen = set()
    for node in got["per_node"]:
        place = node["x"], node["y"]
        assert place not in seen
        seen.add(place)
        layer = layers[place]
        assert isinstance(node["units"], int)
        if layer > want.phases:
            assert node["units"] == 0
            continue
        assert node["layer"] == layer
        assert abs(node["units"] - want.shares[layer]) <= 1
    assert len(seen) >= got["active_nodes"]
    assert seen <= set(layers)
    assert sum(node["units"] for node in got["per_node"]) == (
        got["load_units"])


def test_design_example(quincunx):
    got, _ = check(quincunx)
    assert got["phases"] == 4
    assert got["makespan_ps"] == 2436962899
    assert round(got["speedup"], 3) == 410.347


@pytest.mark.parametrize("side, speedup", [
    (5, 24.547), (25, 413.427), (125, None), (625, None)])
def test_cray_t3d(quincunx, side, speedup):
    got, _ = check(quincunx, torus=side, load=10 ** 9)
    if speedup:
        assert round(got["speedup"], 3) == speedup


def test_theory_in_seconds(quincunx):
    got, _ = check(quincunx, torus=5, load=100, startup="1s", transfer="1s",
                   compute="1s")
    assert got["makespan_ps"] == round(Fraction(71, 3) * 10 ** 12)
    got, _ = check(quincunx, torus=25, load=41, startup="6s", transfer="1s",
                   compute="1s")
    assert got["phases"] == 1
    got, _ = check(quincunx, torus=25, load=42, startup="6s", transfer="1s",
                   compute="1s")
    assert got["makespan_ps"] == 18 * 10 ** 12


@pytest.mark.parametrize("options", [
    {"hop_delay": "100ns"}, {"hop_delay": "1ms"}, {"phases": 0},
    {"phases": 1}, {"phases": 3}, {"torus": 1}, {"torus": 5, "load": 1},
    {"switching": "circuit"}, {"switching": "store-and-forward"},
    {"switching": "store-and-forward", "phases": 2},
    {"switching": "store-and-forward", "hop_delay": "100ns"},
    {"results": "1/2"}, {"results": "0/1"}, {"results": "7/3"},
    {"results": "1/2", "hop_delay": "1us"},
    {"results": "2/4", "switching": "store-and-forward"},
    {"startup": "0", "transfer": "0"}, {"startup": "0", "phases": 4},
    {"load": 2 ** 32 - 1, "compute": "1ps", "transfer": "1ps"},
    {"torus": 125, "load": 10 ** 12, "startup": "5us", "transfer": "80ns"}])
def test_options(quincunx, options):
    check(quincunx, **options)


@pytest.mark.parametrize("options, seconds", [
    ({"results": "1/2"}, Fraction(5348, 169)),
    ({"switching": "store-and-forward"}, Fraction(529, 12))])
def test_examples_of_the_extensions(quincunx, options, seconds):
    got, _ = check(quincunx, torus=5, load=100, startup="1s", transfer="1s",
                   compute="1s", phases=2, **options)
    assert got["makespan_ps"] == round(seconds * 10 ** 12)


def test_random_costs(quincunx):
    rng = random.Random(SEED)
    for _ in range(150):
        options = {
            "torus": rng.choice([5, 25, 125]),
            "load": int(10 ** rng.uniform(0, 9.6)),
            "startup": f"{int(10 ** rng.uniform(0, 12))}ps",
            "transfer": f"{int(10 ** rng.uniform(0, 8))}ps",
            "compute": f"{int(10 ** rng.uniform(3, 9))}ps"}
        if rng.random() < .3:
            options["hop_delay"] = f"{int(10 ** rng.uniform(0, 9))}ps"
        try:
            check(quincunx, **options)
        except AssertionError as error:
            raise AssertionError(
                f"QUINCUNX_SEED={SEED}: {options}") from error


def test_units_do_not_matter(quincunx):
    plain = planned(quincunx)
    assert plain == planned(quincunx, load="1M", startup="4850000ps",
                            transfer="0.0033us", compute="1000ns")
    assert planned(quincunx, load="64KiB") == planned(quincunx, load=65536)


@pytest.mark.parametrize("side, originator, options", [
    (5, (0, 0), {}), (5, (3, 4), {"phases": 1}), (5, (2, 2), {"load": 7}),
    (25, (0, 0), {}), (25, (24, 11), {"load": 98765}),
    (25, (1, 0), {"phases": 2}), (125, (60, 124), {"load": 10 ** 7}),
    (1, (0, 0), {})])
def test_per_node(quincunx, side, originator, options):
    got, want = check(quincunx, "--per-node", torus=side,
                      originator="%d,%d" % originator, **options)
    check_per_node(got, want, originator)


def test_per_node_only_if_asked_for(quincunx):
    assert "per_node" not in planned(quincunx)


def test_integer_shares_keep_the_makespan(quincunx):
    """The latest node of the integer plan, from its layer's share."""
    got, want = check(quincunx, "--per-node", torus=25)
    most = max(node["units"] for node in got["per_node"]
               if node["layer"] == 0)
    assert most <= want.shares[0] + 1


@pytest.mark.parametrize("options, largest", [
    ({"phases": 5}, 4), ({"phases": 99}, 4),
    ({"phases": 4, "load": 100}, None),
    ({"phases": 1, "load": 4, "startup": "5us"}, 0),
    ({"torus": 5, "phases": 3}, 2)])
def test_infeasible_phases_name_the_largest(quincunx, options, largest):
    _, load, compute, transfers, startups = exact_costs(options)
    want = model.feasible_phases(load, compute, transfers, startups)
    assert largest in (None, want)
    done = command(quincunx, "--json", **options)
    assert done.returncode == 2
    assert not done.stdout
    words = re.findall(r"\b\d+\b", done.stderr.split("largest", 1)[1])
    assert words[0] == str(want)


@pytest.mark.parametrize("name, value", [
    ("torus", "24"), ("torus", "0"), ("torus", "-5"), ("torus", "15625"),
    ("torus", "five"), ("load", "0"), ("load", "-1"), ("load", "1.5"),
    ("load", "10Q"), ("load", ""), ("load", "1e6"),
    ("load", "99999999999999999999"), ("startup", "5"), ("startup", "-1us"),
    ("startup", "1 us"), ("startup", "us"), ("transfer", "1h"),
    ("transfer", "1.2.3us"), ("transfer", "0.5ps"), ("compute", "0ps"),
    ("compute", "nan"), ("compute", "999999999999s"), ("hop_delay", "1"),
    ("phases", "-1"), ("phases", "x"), ("phases", "2.0"), ("rounds", "0"),
    ("rounds", "many"), ("ports", "3"), ("ports", "0"), ("results", "1/0"),
    ("results", "1"), ("results", "a/b"), ("results", "-1/2"),
    ("switching", "packet"), ("originator", "25,0"), ("originator", "0"),
    ("originator", "0,0,0"), ("originator", "-1,0")])
def test_bad_values_exit_2_and_are_named(quincunx, name, value):
    done = command(quincunx, "--json", **{name: value})
    assert done.returncode == 2
    assert not done.stdout
    assert "--" + name.replace("_", "-") in done.stderr
    assert value in done.stderr


@pytest.mark.parametrize("name", sorted(BASE))
def test_missing_options_exit_2_and_are_named(quincunx, name):
    done = command(quincunx, **{name: None})
    assert done.returncode == 2
    assert "--" + name in done.stderr


@pytest.mark.parametrize("extra", ["--bogus", "stray"])
def test_unknown_arguments_exit_2_and_are_named(quincunx, extra):
    done = command(quincunx, extra)
    assert done.returncode == 2
    assert extra in done.stderr
    assert not done.stdout


@pytest.mark.parametrize("rounds", [2, 3])
def test_several_rounds_are_exact_or_refused(quincunx, rounds):
    done = command(quincunx, "--json", torus=5, rounds=rounds)
    if done.returncode == 2:
        assert "--rounds" in done.stderr
        return
    got = json.loads(done.stdout)
    want = model.solve_rounds(
        10 ** 6, Fraction(in_ps("1us")), in_ps("3.3ns"),
        [in_ps("4.85us")] * got["phases"], rounds)
    assert abs(got["makespan_ps"] - want[0]) <= Fraction(1, 2)


@pytest.mark.parametrize("ports", [1, 2, 4])
def test_fewer_ports_are_exact_or_refused(quincunx, ports):
    done = command(quincunx, "--json", torus=5, ports=ports)
    if done.returncode == 2:
        assert ports != 4 and "--ports" in done.stderr
        return
    got = json.loads(done.stdout)
    want = model.solve_ports(10 ** 6, in_ps("1us"), in_ps("3.3ns"),
                             in_ps("4.85us"), got["phases"], ports)
    assert abs(got["makespan_ps"] - want[0]) <= Fraction(1, 2)


def test_people_can_read_it(quincunx):
    done = command(quincunx)
    assert done.returncode == 0
    assert not done.stderr
    assert "2436.962899" in done.stdout


def test_help(quincunx):
    done = subprocess.run([quincunx, "plan", "--help"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0
    for name in ("torus", "load", "startup", "transfer", "compute",
                 "hop-delay", "phases", "rounds", "ports", "results",
                 "switching", "per-node", "originator", "json"):
        assert "--" + name in done.stdout

# SPDX-License-Identifier: Apache-2.0
"""`quincunx plan` against the exact model, and plans that are carried out.

QUINCUNX_SEED chooses the random cases.
"""
import itertools
import json
import os
import random
from fractions import Fraction

import pytest

import meanwhile
import optimum
import torus
from execute import last_end, layers, results_end, volumes_of
from plans import (SECONDS, best_plan, check_similar, command, exact_costs,
                   near, places_of, planned)
from values import in_ps

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
N = "/dev/null"  # of --node-compute


def told(what):
    """An assertion's message."""
    return f"QUINCUNX_SEED={SEED}: {what}"


# ---- one round ----

def check(*flags, **options):
    """Plans and compares with the model; returns both."""
    got = planned(*flags, **options)
    power, load, compute, _, _ = exact_costs(options)
    side = 5 ** power
    want = best_plan(options)
    assert got["torus"] == {"side": side, "nodes": side * side}, options
    assert (got["load_units"], got["rounds"]) == (load, 1)
    assert ("per_node" in got) == ("--per-node" in flags)
    assert want.feasible and got["phases"] == want.phases, told(options)
    assert got["active_nodes"] == 5 ** want.phases
    assert isinstance(got["makespan_ps"], int)
    assert abs(got["makespan_ps"] - want.makespan) <= Fraction(1, 2), (
        told(options))
    assert got["speedup"] == float(load * compute / want.makespan)
    assert len(got["layers"]) == want.phases + 1
    for i, layer in enumerate(got["layers"]):
        assert layer["layer"] == i
        assert layer["nodes"] == (4 * 5 ** (i - 1) if i else 1)
        # The nearest doubles, as 71/3 is 23.666666666666668.
        assert layer["share_units"] == float(want.shares[i]), told(options)
        assert layer["volume_units"] == float(want.volumes[i])
    return got, want


OPTIONS = [
    {}, {"torus": 625, "load": 10 ** 9}, {"hop_delay": "100ns"},
    {"hop_delay": "1ms"}, {"phases": 0}, {"phases": 3}, {"torus": 1},
    {"torus": 5, "load": 1}, {"switching": "circuit"},
    {"switching": "store-and-forward"},
    {"switching": "store-and-forward", "phases": 2, "hop_delay": "100ns"},
    {"results": "1/2"}, {"results": "0/1"}, {"results": "7/3"},
    {"results": "2/4", "switching": "store-and-forward"},
    {"startup": "0", "transfer": "0"}, {"startup": "0", "phases": 4},
    {"load": 2 ** 32 - 1, "compute": "1ps", "transfer": "1ps"},
    {"torus": 125, "load": 10 ** 12, "startup": "5us", "transfer": "80ns"}]


def random_options(rng):
    options = {
        "torus": rng.choice([5, 25, 125]),
        "load": int(10 ** rng.uniform(0, 9.6)),
        "startup": f"{int(10 ** rng.uniform(0, 12))}ps",
        "transfer": f"{int(10 ** rng.uniform(0, 8))}ps",
        "compute": f"{int(10 ** rng.uniform(3, 9))}ps"}
    if rng.random() < .3:
        options["hop_delay"] = f"{int(10 ** rng.uniform(0, 9))}ps"
    return options


def test_one_round():
    rng = random.Random(SEED)
    for options in OPTIONS + [random_options(rng) for _ in range(60)]:
        check(**options)


def test_results_are_back_when_planned():
    """Carried out: phases there, and back in reverse order."""
    for results in ("1/2", "0/1", "7/3"):
        options = {"torus": 25, "results": results, "hop_delay": "1us"}
        got, want = check(**options)
        n = want.phases
        _, _, compute, transfers, startups = exact_costs(options)
        there = exact_costs({**options, "results": None})[3:]
        nodes = layers(compute, *(times[:n] for times in there))
        end = results_end(nodes, want.shares, lambda send, units: (
            startups[send.name - 1] - send.startup
            + (transfers[send.name - 1] - send.rate) * units))
        assert abs(end - got["makespan_ps"]) <= Fraction(1, 2)


# ---- several rounds ----

def pattern_tree(options, phases):
    """Nodes of one layer do alike."""
    _, _, compute, transfers, startups = exact_costs(options)
    return optimum.Tree(layers(Fraction(compute), transfers[:phases],
                               startups[:phases]))


def best_rounds(options, rounds):
    """(T, -N, the tree, optimum.Rounds) of the best number of phases, or of
    those asked for; None if nothing is feasible."""
    load, most = int(options.get("load", 10 ** 6)), 2 * exact_costs(options)[0]
    trees = [(n, pattern_tree(options, n))
             for n in ([options["phases"]] if "phases" in options
                       else range(most + 1))]
    return min(((plan.makespan, -n, tree, plan) for n, tree in trees
                if (plan := tree.rounds(load, rounds)) is not None),
               key=lambda one: one[:2], default=None)


def check_rounds(got, options, rounds):
    """Against the best plan of the equations, or where similar rounds end
    earlier against these. Whether they do."""
    want = best_rounds(options, rounds)
    load, other = got["load_units"], got.get("similar")
    assert got["rounds"] == rounds
    if other:
        check_similar(other, pattern_tree(options, other["phases"]), load)
        late = 0 if want is None else want[0] * (1 - 1e-9)
        if abs(late - other["makespan_ps"]) > 1:  # both are whole ps
            assert other["taken"] == (want is None or (
                other["makespan_ps"] < late)), told(options)
        if other["taken"]:
            assert (got["phases"], got["rounds"], got["makespan_ps"]) == (
                other["phases"], other["rounds"], other["makespan_ps"])
            return True
    makespan, phases, tree, plan = want
    assert got["phases"] == -phases
    assert abs(got["makespan_ps"] - makespan) <= Fraction(1, 2), told(options)
    volumes = [volumes_of(tree.nodes, shares) for shares in plan.shares]
    for j, layer in list(enumerate(got["layers"]))[1:]:
        for key, table in (("share_units", plan.shares),
                           ("volume_units", volumes)):
            assert near(layer[key], sum(row[j] for row in table))
            for part, row in zip(layer.get("rounds", []), table, strict=True):
                assert near(part[key], row[j])
        for part, turns in zip(layer["rounds"], plan.turns, strict=True):
            assert abs(part["received_ps"] - turns[j]) <= Fraction(1, 2)
    return False


LVDS = {"torus": 5, "phases": 2, "load": 10 ** 5, "compute": "1024ns",
        "transfer": "80ns", "startup": "5us"}
ROUNDS = [
    ({"torus": 5}, 2), ({"torus": 5, "phases": 1, "hop_delay": "10us"}, 7),
    ({"torus": 25, "phases": 4}, 3), ({"torus": 25, "hop_delay": "1us"}, 2),
    ({"torus": 25, "switching": "store-and-forward", "startup": "1us"}, 3),
    ({"torus": 5, "load": 50, "startup": "1us", "transfer": "1us"}, 2),
    ({"torus": 5, "load": 100, **SECONDS}, 2),
    ({"torus": 5, "load": 100, "phases": 2, **SECONDS}, 2),
    (LVDS, 2), (LVDS, 5)]


def random_rounds(rng):
    return {"torus": 5, "load": int(10 ** rng.uniform(1, 8)),
            "startup": f"{int(10 ** rng.uniform(0, 8))}ps",
            "transfer": f"{int(10 ** rng.uniform(0, 7))}ps",
            "compute": f"{int(10 ** rng.uniform(4, 8))}ps",
            "hop_delay": f"{int(10 ** rng.uniform(0, 6))}ps"
            }, rng.randint(2, 4)


def test_rounds():
    rng = random.Random(SEED)
    found = {True: 0, False: 0}
    for options, rounds in ROUNDS + [random_rounds(rng) for _ in range(30)]:
        done = command("--json", rounds=rounds, **options)
        if done.returncode != 0:
            assert done.returncode == 2 and "--rounds" in done.stderr
            assert best_rounds(options, rounds) is None, told(options)
            continue
        found[check_rounds(json.loads(done.stdout), options, rounds)] += 1
    assert min(found.values()) > 1 and sum(found.values()) > 15


def test_losses_of_similar_rounds():
    """As the theory has them, in percent; carried out by boards, which pass a
    round on when they have computed, they end later still."""
    tree = pattern_tree(LVDS, 2)
    for rounds, loss in ((2, .16), (3, .13), (8, .01)):
        similar = planned(rounds=rounds, **LVDS)["similar"]
        assert similar["rounds"] == rounds and not similar["taken"]
        assert similar["loss"] * 100 == pytest.approx(loss, abs=.006)
        parts = [Fraction(part) for part in similar["parts"]]
        _, shares, _ = tree.first(LVDS["load"], parts[0])
        late = last_end(tree.nodes, [[part * share for share in shares]
                                     for part in parts])
        assert rounds > 5 or late > 1.005 * similar["makespan_ps"]


@pytest.mark.parametrize("options", [
    {"torus": 5}, {"torus": 5, "load": 3000, "hop_delay": "2us"},
    {"torus": 5, "load": 400, "startup": "1us", "transfer": "100ns"},
    {"torus": 5, "load": 100, **SECONDS}, {"torus": 5, "phases": 0},
    {"torus": 5, "transfer": "80ns", "compute": "1us", "results": "1/1"},
    {"torus": 5, "transfer": "80ns", "compute": "1us", "results": "1/9",
     "load": 3000}])
def test_the_best_number_of_rounds(options):
    """By when all is computed, or results are back."""
    got = planned(rounds="auto", **options)
    found = {}
    for rounds in range(1, 17):
        done = command("--json", rounds=rounds, **options)
        if done.returncode == 0:
            one = json.loads(done.stdout)
            found[rounds] = one.get("with_results_ps", one["makespan_ps"])
    assert got.get("with_results_ps", got["makespan_ps"]) == (
        min(found.values())) == found[got["rounds"]]


def test_ties_go_to_fewer_rounds_then_to_more_phases():
    for options in ({"transfer": "0", "startup": "0", "load": 1000},
                    {**SECONDS, "startup": "6s", "load": 42}):
        got = planned(rounds="auto", torus=5, **options)
        assert (got["phases"], got["rounds"]) == (2, 1)


def test_the_largest_feasible_rounds_are_exact():
    options = {"torus": 5, "load": 2000, "phases": 2}
    largest = int(command(rounds=64, **options).stderr.rsplit(" ", 1)[1])
    assert 1 <= largest < 64
    for rounds in (largest, largest + 1):
        done = command(rounds=rounds, **options)
        assert done.returncode == 2 * (rounds > largest)
        assert (best_rounds(options, rounds) is None) == (rounds > largest)


@pytest.mark.parametrize("options", [
    {"layer_compute": "1s,1s,1s", "compute": None}, {"node_compute": N},
    {"compute_power": 1}, {"rounds": "auto"}, {"ports": 4}])
def test_infeasible_phases_of_every_model(options):
    """41 units are too few for two phases, 42 are not."""
    options = {**SECONDS, "torus": 5, "startup": "6s", **options}
    assert planned(load=42, phases=2, **options)["phases"] == 2
    assert planned(load=41, **options)["phases"] == 1
    done = command(load=41, phases=2, **options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "largest feasible N is 1" in done.stderr


# ---- units of every node ----

@pytest.mark.parametrize("side, originator, options", [
    (5, (3, 4), {"phases": 1}), (5, (2, 2), {"load": 7}), (1, (0, 0), {}),
    (25, (24, 11), {"load": 98765}), (125, (60, 124), {"load": 10 ** 7}),
    (5, (0, 0), {"rounds": 3, "load": 10 ** 5}),
    (25, (7, 24), {"rounds": 4}),
    (5, (1, 0), {"rounds": 2, "load": 100, "phases": 2, **SECONDS})])
def test_per_node(side, originator, options):
    """Each is where its layer lies, and computes its share to a unit a round;
    the originator takes what is left over of all circuits."""
    got = planned("--per-node", torus=side,
                  originator="%d,%d" % originator, **options)
    at = {originator: 0}
    for one in torus.scatter(side, originator):
        at[one.nodes[-1]] = one.phase
    assert {(n["x"], n["y"]) for n in got["per_node"]} == set(at)
    for node in got["per_node"]:
        layer = at[node["x"], node["y"]]
        if layer > got["phases"]:
            assert node["units"] == 0
            continue
        assert node["layer"] == layer
        share = got["layers"][layer]["share_units"]
        least = sum(map(int, (part["share_units"] for part in got["layers"][
            layer].get("rounds", [{"share_units": share}]))))
        assert 0 <= node["units"] - least <= got["rounds"], node
    assert sum(n["units"] for n in got["per_node"]) == got["load_units"]


# ---- nodes that differ ----

def best_of_nodes(options, compute_of, ports):
    """(makespan, -N, {name: (share, volume, received)}) of every node for
    itself, of the best feasible number of phases."""
    _, load, _, transfers, startups = exact_costs(options)
    solved = [(n, optimum.of_nodes(load, compute_of, transfers[:n],
                                   startups[:n], ports))
              for n in range(len(startups) + 1)]
    return min(((one[0], -n, one[1]) for n, one in solved if one is not None),
               key=lambda one: one[:2])


def check_nodes(got, want):
    """The layers' averages and groups against every single node."""
    makespan, phases, nodes = want
    assert got["phases"] == -phases
    assert abs(got["makespan_ps"] - makespan) <= Fraction(1, 2)
    for i, layer in enumerate(got["layers"]):
        of = sorted(triple for node, triple in nodes.items()
                    if (node[-1][0] if node else 0) == i)
        assert layer["nodes"] == len(of)
        for place, key in enumerate(["share_units", "volume_units"]):
            assert near(layer[key], sum(one[place] for one in of) / len(of))
        assert abs(layer["received_ps"] - min(one[2] for one in of)) < 1
        groups = sorted((group["share_units"], group["volume_units"],
                         group["received_ps"]) for group in layer.get(
                             "groups", []) for _ in range(group["nodes"]))
        assert len(groups) in (0, len(of))
        for group, one in zip(groups, of):
            assert near(group[0], one[0]) and near(group[1], one[1])
            assert abs(group[2] - one[2]) <= Fraction(1, 2)


@pytest.mark.parametrize("options", [
    {}, {"hop_delay": "1us"}, {"load": 20}, {"startup": "0", "transfer": "0"},
    {"transfer": "300ns", "load": 1000}, {"load": 7, "startup": "1us"},
    {"switching": "store-and-forward"}, {**SECONDS, "load": 100}])
def test_nodes_that_differ(tmp_path, options):
    """By layer, by themselves, and for fewer ports than four at once."""
    options = {"torus": 5, **options}
    usual = exact_costs(options)[2]
    for ports in (1, 2):
        got = planned(ports=ports, **options)
        assert all(layer["groups"] for layer in got["layers"])
        check_nodes(got, best_of_nodes(options, lambda _: usual, ports))
    for times in ("1us,2us,500ns", "10us,1us,3us", "1us,1s,1us"):
        if "switching" in options:
            break
        speeds = [in_ps(time) for time in times.split(",")]
        check_nodes(planned(**{**options, "layer_compute": times,
                               "compute": None}), best_of_nodes(
            options, lambda node, of=speeds: of[node[-1][0] if node else 0],
            4))
    rng, file = random.Random(SEED), tmp_path / "speeds"
    for originator in ((0, 0), (3, 1)):
        slow = {(rng.randrange(5), rng.randrange(5)):
                rng.randint(1, 5 * usual) for _ in range(9)}
        file.write_text("# x y time\n\n" + "\n".join(
            f" {x}\t{y} {time}ps # one" for (x, y), time in slow.items()))
        got = planned("--per-node", node_compute=file,
                      originator="%d,%d" % originator, **options)
        places = places_of(5, originator)
        want = best_of_nodes(options, lambda node, of=slow, at=places: of.get(
            at[node], usual), 4)
        check_nodes(got, want)
        units = {(n["x"], n["y"]): n["units"] for n in got["per_node"]}
        assert sum(units.values()) == got["load_units"]
        for node, triple in want[2].items():
            assert not node or 0 <= units[places[node]] - int(triple[0]) <= 1


def test_what_is_alike_is_the_plain_plan():
    """Equal speeds of layers or nodes, and a power of one."""
    same = {"layer_compute": "1us,1us,1us,1us,1us", "compute": None}
    for options in ({"results": "1/2"}, {"switching": "store-and-forward"}):
        assert planned(**same, **options) == planned(**options)
    for options in ({"torus": 125}, {"load": 300}, {"torus": 1}):
        want = planned("--per-node", **options)
        got = planned("--per-node", node_compute=N, **options)
        for key in ("per_node", "makespan_ps", "phases"):
            assert got[key] == want[key]
    for options in ({"load": 100}, {"phases": 2}, {"hop_delay": "1us"}):
        want, got = planned(**options), planned(compute_power="7/7", **options)
        assert got["phases"] == want["phases"]
        assert got["makespan_ps"] == pytest.approx(want["makespan_ps"])


@pytest.mark.parametrize("options", [
    {"compute_power": "3/2"}, {"compute_power": 2, "hop_delay": "100ns"},
    {"compute_power": 3, "load": 200}, {"compute_power": "8/7", "load": 50},
    {"compute_power": "3/2", "results": "1/2"},
    *({"startup": "0", **more} for more in (
        {"torus": 125, "load": 100, "transfer": "1ms", "compute_power": 8},
        {"load": 100, "transfer": "1us", "compute": "1ps",
         "compute_power": 2},
        {"torus": 9765625, "load": 1000, "transfer": "1ms",
         "compute_power": 8},
        {"load": 1000, "transfer": "0", "compute_power": 8}))])
def test_nonlinear_times_are_consistent(options):
    """The defining equations, of the plan's own shares; without startups those
    of outer layers are next to nothing."""
    flags = ["--per-node"] if "torus" not in options else []
    got = planned(*flags, **options)
    _, load, compute, transfers, startups = exact_costs(options)
    power = float(Fraction(options["compute_power"]))
    share = [layer["share_units"] for layer in got["layers"]]
    volume = [layer["volume_units"] for layer in got["layers"]]
    assert got["makespan_ps"] == pytest.approx(compute * share[0] ** power,
                                               rel=1e-6, abs=.6)
    for i in range(1, got["phases"] + 1):
        assert compute * share[i - 1] ** power == pytest.approx(
            float(startups[i - 1]) + float(transfers[i - 1]) * volume[i]
            + compute * share[i] ** power, rel=1e-9, abs=0)
        assert volume[i] == pytest.approx(
            share[i] + 4 * sum(volume[i + 1:]), rel=1e-9, abs=0)
    assert share[0] + 4 * sum(volume[1:]) == pytest.approx(load)
    if "startup" in options:
        assert len(share) == torus.phases_of(got["torus"]["side"]) + 1
    else:
        assert got["speedup"] == pytest.approx(
            compute * load ** power / got["makespan_ps"])
    if flags:
        assert sum(node["units"] for node in got["per_node"]) == load


# ---- fewer ports at once ----

def test_more_phases_of_fewer_ports():
    for ports in (1, 2):
        got = planned(torus=25, load=10 ** 7, ports=ports, phases=3)
        _, nodes = optimum.pattern(lambda _: 10 ** 6, [3300] * 3,
                                   [4850000] * 3, ports)
        want, _ = optimum.Tree(nodes, 2 ** 200).solve(10 ** 7)
        assert abs(got["makespan_ps"] - want) <= Fraction(1, 2)
    # An infeasible N may have the smaller makespan.
    options = {"torus": 5, "load": 20, "ports": 1, **SECONDS}
    best = planned(**options)["phases"]
    done = command(phases=best + 1, **options)
    assert done.returncode == 2
    assert f"largest feasible N is {best}" in done.stderr


@pytest.mark.parametrize("side, ports, load", [
    (5, 1, 10 ** 4), (5, 2, 9973), (25, 1, 10 ** 7), (125, 2, 10 ** 8)])
def test_per_node_of_fewer_ports(side, ports, load):
    """Shares by group are floors or one more, and their sum is the load; the
    first ports, east, north, west, south, get more."""
    got = planned("--per-node", torus=side, ports=ports, load=load,
                  originator=f"{side // 2},1")
    kept = {}
    for node in got["per_node"]:
        kept.setdefault(node["layer"], []).append(node["units"])
    assert sum(map(sum, kept.values())) == load
    for i, layer in enumerate(got["layers"]):
        floors = sorted(int(group["share_units"]) for group in layer["groups"]
                        for _ in range(group["nodes"]))
        for units, floor in zip(sorted(kept.pop(i)), floors):
            assert floor <= units <= floor + (1 if i else 4 * got["phases"])
    assert not any(map(sum, kept.values()))
    units = {(n["x"], n["y"]): n["units"] for n in planned(
        "--per-node", torus=5, ports=1, phases=1)["per_node"]}
    order = [units[one.nodes[-1]] for one in torus.scatter(5, (0, 0), 1)]
    assert order == sorted(order, reverse=True) and order[0] > order[3]


# ---- rounds whose results return ----

def collected(options, plan):
    """When results are back that return when all is computed."""
    _, _, _, transfers, startups = exact_costs({**options, "results": None})
    return plan["makespan_ps"] + sum(
        startup + transfer * Fraction(options["results"])
        * Fraction(layer["volume_units"]) for startup, transfer, layer
        in zip(startups, transfers, plan["layers"][1:]))


def test_rounds_collect_results_when_all_is_computed():
    """Phase by phase, where few rounds cannot return them meanwhile: on 625
    boards, whose first ports would have to take back too much in each."""
    for rounds, results, switching in ((2, "1/1", "circuit"),
                                       (5, "5/2", "store-and-forward")):
        plain = {"torus": "25", "compute": "900ns", "transfer": "80ns",
                 "switching": switching, "rounds": rounds}
        options = {**plain, "results": results}
        want, got = planned(**plain), planned(**options)
        assert near(got.pop("with_results_ps"), collected(options, want))
        assert got.pop("results_return") == "at the end"
        got.pop("meanwhile_planned_for", None)
        want.pop("similar")
        assert got == want


def meanwhile_costs(options):
    """Of the oracle, for rounds whose results return meanwhile."""
    _, load, compute, transfers, startups = exact_costs(
        {**options, "results": None})
    return meanwhile.Costs(load, compute, transfers[0],
                           transfers[0] * Fraction(options["results"]),
                           tuple(startups), sum(startups), 0, 0, 0, 0)


@pytest.mark.parametrize("rounds, results", itertools.product(
    (3, 7, 16, "auto"), ("1/1", "1/3", "5/2")))
def test_rounds_return_results_meanwhile(rounds, results):
    """On 25 boards: as exact numbers have it for some factor between rounds;
    before results that are collected, and those of one round if it may be. A
    port that takes results in sends its next round later."""
    options = {"torus": "5", "compute": "900ns", "transfer": "80ns"}
    plain = planned(rounds=rounds, **options)
    options["results"] = results
    got, costs = planned(rounds=rounds, **options), meanwhile_costs(options)
    times = [meanwhile.time(costs, meanwhile.parts(got["rounds"], factor))[0]
             for factor in meanwhile.FACTORS]
    if got["results_return"] == "at the end":
        assert rounds == 3 and got["with_results_ps"] <= 1.01 * min(times)
        return
    assert got["results_return"] == "meanwhile"
    assert got["makespan_ps"] == got["with_results_ps"]
    assert got["makespan_ps"] < collected(options, plain)
    if rounds == "auto":
        assert got["makespan_ps"] < planned(**options)["makespan_ps"]
    else:
        assert got["rounds"] == rounds
    assert min(abs(got["makespan_ps"] / time - 1) for time in times) < 1e-4
    assert sum(layer["nodes"] * Fraction(layer["share_units"])
               for layer in got["layers"]) == costs.load
    came = [layer["rounds"] for layer in got["layers"][1:]]
    volumes = [[Fraction(part["volume_units"]) for part in parts]
               for parts in zip(*came)]
    for r, now in enumerate(meanwhile.begins(costs, volumes)):
        for phase, volume in enumerate(volumes[r]):
            now += costs.startups[phase] + costs.transfer * volume
            assert abs(came[phase][r]["received_ps"] - now) <= 1


def test_what_results_return_meanwhile_for():
    """A limit is named; just below it there is none."""
    for options, allowed in (
            ({"rounds": 17}, "at most 16 rounds"),
            ({"load": 2 ** 32}, "at most 4294967295 units"),
            ({"switching": "store-and-forward"}, "circuits"),
            ({"transfer": "2s", "startup": "0", "load": 10 ** 4,
              "compute": "1s"}, "1.1 s")):
        options = {"torus": 5, "transfer": "80ns", "compute": "1024ns",
                   "rounds": 16, "results": "1/1", **options}
        assert allowed in planned(**options)["meanwhile_planned_for"]
        below = {**options, "rounds": 16, "switching": "circuit",
                 "load": min(options.get("load", 10 ** 6), 2 ** 32 - 1),
                 "transfer": "80ns"}
        assert "meanwhile_planned_for" not in planned(**below)


def test_no_results_before_any_can_be_there():
    """A circuit holds its links both ways: four ports that send a unit and
    take its output in, and the originator's own units. With transfers of few
    picoseconds, of which an output takes a part."""
    rng = random.Random(f"bound {SEED}")
    several = 0
    for _ in range(30):
        transfer, compute = rng.randint(1, 5), rng.randint(1, 20)
        results = Fraction(rng.randint(1, 9), rng.randint(1, 9))
        got = planned(torus=5, load=10 ** 6, startup="0",
                      transfer=f"{transfer}ps", compute=f"{compute}ps",
                      results=f"{results.numerator}/{results.denominator}",
                      rounds=rng.choice([3, 8, 16, "auto"]))
        rate = Fraction(1, compute) + 4 / ((1 + results) * transfer)
        several += got.get("results_return") == "meanwhile"
        assert got.get("with_results_ps", got["makespan_ps"]) >= (
            10 ** 6 / rate - 1), (transfer, compute, results)
    assert several > 2


# ---- what is given, and its limits ----

def test_units_of_what_is_given(tmp_path):
    """Those of times do not matter; a unit may be several bytes; a profile
    stands for the times that no option gives."""
    plain = planned()
    assert plain == planned(load="1M", startup="4850000ps",
                            transfer="0.0033us", compute="1000ns")
    assert planned(load="64KiB") == planned(load=65536)
    want, got = planned(load=250000), planned(load="1000000B", unit=4)
    assert got.pop("unit_bytes") == 4 and got == want
    assert planned(load="1MiB", unit=1024)["load_units"] == 1024
    assert planned(load="1000", unit=1024)["load_units"] == 1000
    path = tmp_path / "links"
    path.write_text("startup = 7us\ntransfer = 11ns\nhop_delay = 13ns\n")
    times = {"startup": "7us", "transfer": "11ns", "hop_delay": "13ns"}
    for given, same in (
            ({}, times), ({"unit": 4}, {**times, "transfer": "44ns",
                                        "unit": 4}),
            ({"unit": 4, "transfer": "1ns", "hop_delay": "0"},
             {"startup": "7us", "transfer": "1ns", "unit": 4})):
        assert command("--json", profile=path, **{
            "startup": None, "transfer": None, **given}).stdout == command(
                "--json", **same).stdout


def test_the_largest_torus():
    options = {"torus": 5 ** 10, "load": 10 ** 15, "hop_delay": "10ns"}
    got, want = check(**options)
    assert want.phases > 10
    assert got["torus"]["nodes"] == 5 ** 20
    assert planned(originator="9765624,3125",
                   **options)["originator"] == [9765624, 3125]
    groups = {"torus": 3125, "load": 10 ** 12, "ports": 1}
    assert "groups" not in planned(**groups)["layers"][1]
    for flags, given, words in (
            (["--per-node"], options, ["--torus '9765625'", "3125"]),
            (["--per-node"], groups, ["--per-node", "--ports '1'"]),
            ([], {**options, "node_compute": N}, ["--node-compute", "625"]),
            ([], {**options, "originator": "9765625,0"},
             ["9765624,9765624"]),
            ([], {**options, "hop_delay": "10s"},
             ["--hop-delay '10s'", "2^64"])):
        done = command(*flags, **given)
        assert (done.returncode, done.stdout) == (2, "")
        for word in words:
            assert word in done.stderr


def test_the_json_has_what_was_given():
    usual = {"startup_ps": 4850000, "hop_delay_ps": 0, "transfer_ps": 3300,
             "compute_ps": 10 ** 6, "node_compute": None,
             "compute_power": None, "phases": None, "rounds": 1, "ports": 4,
             "results": None, "switching": "circuit"}
    for options, changed in (
            ({"results": "2/4", "hop_delay": "1ns", "rounds": "auto"},
             {"hop_delay_ps": 1000}), ({"compute_power": "3/2"}, {}),
            ({"switching": "store-and-forward", "ports": 2, "phases": 1}, {}),
            ({"node_compute": N, "torus": 1, "startup": f"{2 ** 63}ps"},
             {"startup_ps": 2 ** 63}),
            ({"layer_compute": "1us", "torus": 1, "compute": None},
             {"layer_compute_ps": [10 ** 6]})):
        want = {**usual, **{key: value for key, value in options.items()
                            if key in usual}, **changed}
        if "layer_compute" in options:
            want.pop("compute_ps")
        assert json.loads(command("--json", **options).stdout)[
            "inputs"] == want

# SPDX-License-Identifier: Apache-2.0
"""`quincunx plan` against the exact model.

QUINCUNX_SEED chooses the random cases.
"""
import json
import os
import random
from fractions import Fraction

import pytest

import meanwhile
import optimum
import similar
import torus
from execute import last_end, layers, results_end, volumes_of
from plans import (SECONDS, best_plan, command, exact_costs, near, places_of,
                   planned)
from values import in_ps

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
L = ",".join(["1us"] * 5)  # of --layer-compute
N = "/dev/null"  # of --node-compute


def check(*flags, **options):
    """Plans and compares with the model; returns both."""
    got = planned(*flags, **options)
    power, load, compute, _, _ = exact_costs(options)
    side = 5 ** power
    assert got["torus"] == {"side": side, "nodes": side * side}
    assert got["load_units"] == load
    assert got["rounds"] == 1
    assert ("per_node" in got) == ("--per-node" in flags)
    want = best_plan(options)
    assert want.feasible
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


def test_design_example():
    got, _ = check()
    assert got["phases"] == 4
    assert got["makespan_ps"] == 2436962899
    assert round(got["speedup"], 3) == 410.347


def test_cray_t3d():
    for side, speedup in ((5, 24.547), (25, 413.427), (125, None),
                          (625, None)):
        got, _ = check(torus=side, load=10 ** 9)
        assert speedup in (None, round(got["speedup"], 3))


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
def test_options(options):
    check(**options)


def test_examples_of_the_extensions():
    for options, seconds in (
            ({"results": "1/2"}, Fraction(5348, 169)),
            ({"switching": "store-and-forward"}, Fraction(529, 12))):
        got, _ = check(torus=5, load=100, phases=2, **SECONDS, **options)
        assert got["makespan_ps"] == round(seconds * 10 ** 12)


def test_results_are_back_when_planned():
    """Carried out: phases there, and back in reverse order."""
    for results in ("1/2", "0/1", "7/3"):
        options = {"torus": 25, "results": results, "hop_delay": "1us"}
        got, want = check(**options)
        _, _, compute, transfers, startups = exact_costs(options)
        there = exact_costs({**options, "results": None})[3:]
        nodes = layers(compute, *there)[:want.phases + 1]
        nodes = [node._replace(lanes=tuple(
            lane._replace(sends=lane.sends[:want.phases - i])
            for lane in node.lanes)) for i, node in enumerate(nodes)]
        end = results_end(nodes, want.shares, lambda send, units: (
            startups[send.name - 1] - send.startup
            + (transfers[send.name - 1] - send.rate) * units))
        assert abs(end - got["makespan_ps"]) <= Fraction(1, 2)


def test_random_costs():
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
            check(**options)
        except AssertionError as error:
            raise AssertionError(
                f"QUINCUNX_SEED={SEED}: {options}") from error


def test_units_do_not_matter():
    plain = planned()
    assert plain == planned(load="1M", startup="4850000ps",
                            transfer="0.0033us", compute="1000ns")
    assert planned(load="64KiB") == planned(load=65536)


@pytest.mark.parametrize("side, originator, options", [
    (5, (0, 0), {}), (5, (3, 4), {"phases": 1}), (5, (2, 2), {"load": 7}),
    (25, (0, 0), {}), (25, (24, 11), {"load": 98765}),
    (25, (1, 0), {"phases": 2}), (125, (60, 124), {"load": 10 ** 7}),
    (1, (0, 0), {})])
def test_per_node(side, originator, options):
    got, want = check("--per-node", torus=side,
                      originator="%d,%d" % originator, **options)
    check_per_node(got, want, originator)


def solve_rounds(load, compute, transfers, startups, count):
    """(T, volumes of each round and phase, what layers keep), or None."""
    nodes = layers(Fraction(compute), transfers, startups)
    plan = optimum.Tree(nodes).rounds(load, count)
    if plan is None:
        return None
    return (plan.makespan,
            [volumes_of(nodes, shares)[1:] for shares in plan.shares],
            [shares[1:] for shares in plan.shares])


def best_rounds(options, phases, rounds):
    """(N, R, (T, volumes, kept)): the smallest T over all pairs given.

    Ties to fewer rounds, then to more phases; None if nothing is feasible.
    """
    _, load, compute, transfers, startups = exact_costs(options)
    found = []
    for n in phases:
        for r in rounds:
            if n == 0:
                solved = (load * compute, [[]], [[]]) if r == 1 else None
            else:
                solved = solve_rounds(load, compute, transfers[:n],
                                      startups[:n], r)
            if solved is not None:
                found.append((solved[0], r, -n, solved))
    if not found:
        return None
    _, r, n, solved = min(found)
    return -n, r, solved


def best_similar(options, phases, rounds):
    """(T, N, R, the plan) of the best similar rounds, all of which have a part
    of the load; None if there are none."""
    _, load, compute, transfers, startups = exact_costs(options)
    found = [(plan.makespan, n, r, plan) for n in phases for r in rounds
             if n > 0 and r > 1 and (plan := similar.solve(
                 load, compute, transfers[:n], startups[:n], r)) is not None
             and plan.parts[-1] > 0]
    return min(found, key=lambda one: one[0]) if found else None


def check_similar(got, want, equations):
    """A plan of similar rounds; what it says of the equations."""
    makespan, phases, rounds, plan = want
    assert (got["phases"], got["rounds"]) == (phases, rounds)
    assert got["similar"]["taken"] and got["similar"]["loss"] == 0
    assert abs(got["makespan_ps"] - makespan) <= 1 + makespan / 10 ** 9
    assert got["speedup"] == pytest.approx(
        float(got["load_units"] / plan.shares[0]))
    if equations is None:
        assert "equations" not in got
    else:
        assert abs(got["equations"]["makespan_ps"] - equations[2][0]) <= (
            Fraction(1, 2))
    end = 0
    for layer, volume, share in zip(got["layers"], plan.volumes, plan.shares):
        assert layer["volume_units"] == pytest.approx(float(volume), rel=1e-6)
        assert layer["share_units"] == pytest.approx(float(share), rel=1e-6)
    for r, part in enumerate(got["similar"]["parts"]):
        assert part == pytest.approx(float(plan.parts[r]), abs=1e-6)
        for layer in got["layers"][1:]:
            one = layer["rounds"][r]
            assert one["volume_units"] == pytest.approx(
                part * layer["volume_units"])
            assert one["share_units"] == pytest.approx(
                part * layer["share_units"])
            assert end <= one["received_ps"] <= got["makespan_ps"]
            end = one["received_ps"]


def check_best(got, options, allowed, rounds):
    """Similar rounds if they are earlier than all by the equations. Returns
    these, or None if the plan is similar."""
    want = best_rounds(options, allowed, rounds)
    other = best_similar(options, allowed, rounds)
    if other is not None and (want is None
                              or other[0] < want[2][0] * (1 - 1e-9)):
        check_similar(got, other, want)
        return None
    assert not got.get("similar", {}).get("taken")
    check_rounds(got, want)
    return want


def check_rounds(got, want):
    phases, rounds, (makespan, volumes, kept) = want
    assert (got["phases"], got["rounds"]) == (phases, rounds)
    assert abs(got["makespan_ps"] - makespan) <= Fraction(1, 2)
    total = sum(layer["nodes"] * Fraction(layer["share_units"])
                for layer in got["layers"])
    assert near(total, got["load_units"])
    for j, layer in enumerate(got["layers"][1:]):
        assert near(layer["volume_units"], sum(v[j] for v in volumes))
        assert near(layer["share_units"], sum(k[j] for k in kept))
        if rounds == 1:
            assert "rounds" not in layer
            continue
        assert len(layer["rounds"]) == rounds
        for r, part in enumerate(layer["rounds"]):
            assert near(part["volume_units"], volumes[r][j])
            assert near(part["share_units"], kept[r][j])
        assert layer["received_ps"] == layer["rounds"][0]["received_ps"]
    if rounds > 1:
        own = got["layers"][0]["rounds"]
        assert own[0]["share_units"] == got["layers"][0]["share_units"]
        for r, part in enumerate(own):
            assert near(part["volume_units"], 4 * sum(volumes[r]))


def feasible(options, allowed, rounds):
    """Whether there are so many rounds, by the equations or similar ones."""
    return (best_rounds(options, allowed, [rounds]) is not None
            or best_similar(options, allowed, [rounds]) is not None)


def check_received(got, options, want):
    """Every round's receipts: the phases one after the other."""
    _, _, _, transfers, startups = exact_costs(options)
    now = Fraction(0)
    for r, volumes in enumerate(want[2][1]):
        for j, volume in enumerate(volumes):
            now += startups[j] + transfers[j] * volume
            part = got["layers"][j + 1]["rounds"][r]
            assert abs(part["received_ps"] - now) <= Fraction(1, 2)


@pytest.mark.parametrize("options, seconds", [
    ({"torus": 5, "load": 11, "startup": "0", "phases": 1}, 3),
    ({"torus": 5, "load": 100, "startup": "0", "phases": 2},
     Fraction(14, 69) * 100)])
def test_theory_of_rounds(options, seconds):
    got = planned(rounds=2, **{**SECONDS, **options})
    assert got["makespan_ps"] == round(seconds * 10 ** 12)


@pytest.mark.parametrize("rounds", [1, 2, 3, 7])
@pytest.mark.parametrize("options", [
    {"torus": 5}, {"torus": 5, "phases": 1, "hop_delay": "10us"},
    {"torus": 25, "phases": 4}, {"torus": 25, "hop_delay": "1us"},
    {"torus": 25, "switching": "store-and-forward", "startup": "1us"},
    {"torus": 5, "load": 50, "startup": "1us", "transfer": "1us"}])
def test_rounds(rounds, options):
    phases = exact_costs(options)[0] * 2
    if rounds == 7:  # elimination is cubic in rounds * phases
        options = {**options, "phases": options.get("phases", 9) % 2 + 1}
    allowed = [options["phases"]] if "phases" in options else range(phases + 1)
    done = command("--json", rounds=rounds, **options)
    if not feasible(options, allowed, rounds):
        assert done.returncode == 2 and "--rounds" in done.stderr
        return
    got = json.loads(done.stdout)
    want = check_best(got, options, allowed, [rounds])
    if rounds > 1 and want is not None:
        check_received(got, options, want)


@pytest.mark.parametrize("options", [
    {"torus": 5}, {"torus": 5, "phases": 1},
    {"torus": 5, "load": 3000, "hop_delay": "2us"},
    {"torus": 5, "load": 400, "startup": "1us", "transfer": "100ns"},
    {"torus": 5, "load": 10, "startup": "5us"}, {"torus": 1},
    {"torus": 5, "phases": 0}])
def test_best_rounds(options):
    phases = exact_costs(options)[0] * 2
    allowed = [options["phases"]] if "phases" in options else range(phases + 1)
    check_best(planned(rounds="auto", **options), options, allowed,
               range(1, 17))


def test_ties_go_to_fewer_rounds_then_to_more_phases():
    got = planned(rounds="auto", torus=5, transfer="0",
                  startup="0", load=1000)
    assert (got["phases"], got["rounds"]) == (2, 1)
    got = planned(rounds="auto", torus=5, load=42,
                  **{**SECONDS, "startup": "6s"})
    assert (got["phases"], got["rounds"]) == (2, 1)
    assert got["makespan_ps"] == 18 * 10 ** 12


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


def test_random_rounds():
    rng = random.Random(SEED)
    several = 0
    for _ in range(40):
        options = {
            "torus": 5, "load": int(10 ** rng.uniform(1, 8)),
            "startup": f"{int(10 ** rng.uniform(0, 8))}ps",
            "transfer": f"{int(10 ** rng.uniform(0, 7))}ps",
            "compute": f"{int(10 ** rng.uniform(4, 8))}ps",
            "hop_delay": f"{int(10 ** rng.uniform(0, 6))}ps"}
        rounds = rng.randint(2, 4)
        done = command("--json", rounds=rounds, **options)
        try:
            if not feasible(options, range(3), rounds):
                assert done.returncode == 2
            else:
                several += 1
                check_best(json.loads(done.stdout), options, range(3),
                           [rounds])
        except AssertionError as error:
            raise AssertionError(
                f"QUINCUNX_SEED={SEED}: {rounds} {options}") from error
    assert several > 5


def test_the_largest_feasible_rounds_are_exact():
    options = {"torus": 5, "load": 2000, "phases": 2}
    done = command("--json", rounds=64, **options)
    largest = int(done.stderr.rsplit(" ", 1)[1])
    assert 1 <= largest < 64
    assert feasible(options, [2], largest)
    for rounds in range(largest + 1, largest + 4):
        assert not feasible(options, [2], rounds)


@pytest.mark.parametrize("rounds, alone", [("auto", Fraction(71, 3)),
                                           (2, Fraction(312, 11))])
def test_similar_rounds_that_end_earlier_are_the_plan(rounds, alone):
    """No more than 1.7 % are left to the two phases and rounds without this
    shape, whose volumes are 76/5 and 3, then 1 and 0: they end after 116/5."""
    options = {"torus": 5, "load": 100, **SECONDS}
    got = planned(rounds=rounds, **options)
    check_best(got, options, range(3), range(1, 17) if rounds == "auto"
               else [rounds])
    assert got["similar"]["taken"]
    assert got["equations"]["makespan_ps"] == round(alone * 10 ** 12)
    assert Fraction(116, 5) * 10 ** 12 < got["makespan_ps"] < (
        Fraction(237, 10) * 10 ** 12)


def test_similar_rounds_where_the_equations_have_none():
    options = {"torus": 5, "load": 100, "phases": 2, **SECONDS}
    got = planned("--per-node", rounds=2, **options)
    assert check_best(got, options, [2], [2]) is None
    assert "equations" not in got
    assert sum(node["units"] for node in got["per_node"]) == 100


def test_similar_rounds_are_carried_out_as_planned():
    """By nodes that pass a round on when it comes, event by event."""
    rng = random.Random(f"carried {SEED}")
    several = 0
    for _ in range(60):
        options = {"torus": 5, "load": rng.randint(20, 300),
                   "startup": f"{rng.randint(200, 2000)}ns",
                   "transfer": f"{rng.randint(500, 3000)}ns",
                   "compute": "1us"}
        got = planned(rounds="auto", **options)
        if not got["similar"].get("taken"):
            continue
        several += 1
        rows = [[Fraction(part["share_units"]) for part in parts] for parts in
                zip(*(layer["rounds"] for layer in got["layers"]))]
        n = got["phases"]
        _, _, compute, transfers, startups = exact_costs(options)
        end = last_end(layers(compute, transfers[:n], startups[:n]), rows,
                       at_once=True)
        assert abs(end - got["makespan_ps"]) < 1 + end / 10 ** 9
    assert several > 5


def simulated(got, side, originator):
    """per_node again, by the rule as the header states it."""
    phases, rounds = got["phases"], got["rounds"]
    exact = [layer["rounds"] for layer in got["layers"]]
    floor = [[int(part["volume_units"]) for part in parts] for parts in exact]
    keep = [[int(part["share_units"]) for part in parts] for parts in exact]
    kept = {}
    incoming = {}
    parts = [(r, j, port) for r in range(rounds)
             for j in range(1, phases + 1) for port in range(4)]
    left = got["load_units"] - keep[0][0] - sum(
        floor[j][r] for r, j, _ in parts)
    kept[originator] = keep[0][0] + max(0, left - len(parts))
    for rank, (r, j, port) in enumerate(parts):
        child = torus.circuit(side, j, originator, port).nodes[-1]
        incoming[child, r] = (j, floor[j][r] + (rank < left))
    for r in range(rounds):
        todo = [key for key in incoming if key[1] == r]
        for place, _ in todo:
            layer, units = incoming[place, r]
            below = [(j, port) for j in range(layer + 1, phases + 1)
                     for port in range(4)]
            left = units - keep[layer][r] - sum(floor[j][r] for j, _ in below)
            assert 0 <= left <= len(below) + 1
            for rank, (j, port) in enumerate(below):
                child = torus.circuit(side, j, place, port).nodes[-1]
                incoming[child, r] = (j, floor[j][r] + (rank < left))
                todo.append((child, r))
            kept[place] = kept.get(place, 0) + keep[layer][r] + (
                left > len(below))
    return kept


@pytest.mark.parametrize("side, originator, options", [
    (5, (0, 0), {"rounds": 3, "load": 10 ** 5}),
    (25, (7, 24), {"rounds": 4})])
def test_per_node_of_rounds_follows_the_rule(side, originator,
                                             options):
    got = planned("--per-node", torus=side,
                  originator="%d,%d" % originator, **options)
    want = simulated(got, side, originator)
    assert {(n["x"], n["y"]): n["units"] for n in got["per_node"]} == {
        **{(x, y): 0 for x in range(side) for y in range(side)}, **want}


def check_nodes(got, nodes, makespan, load):
    """Averages of layers against the shares of every single node."""
    assert abs(got["makespan_ps"] - makespan) <= Fraction(1, 2)
    assert got["layers"][0]["volume_units"] == load
    for i, layer in enumerate(got["layers"]):
        want = [triple for node, triple in nodes.items()
                if (node[-1][0] if node else 0) == i]
        for place, key in enumerate(["share_units", "volume_units"]):
            assert near(layer[key], sum(one[place] for one in want)
                        / len(want))
        assert abs(layer["received_ps"] - min(one[2] for one in want)) < 1


def best_of_nodes(options, compute_of=None, ports=4):
    """(makespan, -N, {name: (share, volume, received)}) of every node for
    itself, of the best feasible number of phases."""
    _, load, compute, transfers, startups = exact_costs(options)
    found = []
    for n in range(len(startups) + 1):
        solved = optimum.of_nodes(load, compute_of or (lambda _: compute),
                                  transfers[:n], startups[:n], ports)
        if solved is not None:
            found.append((solved[0], -n, solved[1]))
    return min(found, key=lambda one: one[:2])


@pytest.mark.parametrize("times", ["1us,1us,1us", "1us,2us,500ns",
                                   "10us,1us,3us", "1us,1s,1us", "1ps,1s,1s"])
@pytest.mark.parametrize("options", [
    {}, {"hop_delay": "1us"}, {"load": 20}, {"startup": "0", "transfer": "0"}])
def test_layer_speeds(times, options):
    options = {"torus": 5, **options}
    speed = [in_ps(time) for time in times.split(",")]
    got = planned(**options, layer_compute=times, compute=None)
    makespan, phases, nodes = best_of_nodes(
        options, lambda node: speed[node[-1][0] if node else 0])
    assert got["phases"] == -phases
    check_nodes(got, nodes, makespan, got["load_units"])


def test_layer_speeds_with_results():
    """Equal speeds: the plan without --layer-compute, results included."""
    for options in ({"results": "1/2"}, {"switching": "store-and-forward"}):
        want = planned(**options)
        got = planned(compute=None,
                      layer_compute=",".join(["1us"] * 5), **options)
        assert got == want


@pytest.mark.parametrize("originator", [(0, 0), (3, 1)])
@pytest.mark.parametrize("options", [
    {}, {"hop_delay": "1us"}, {"load": 50}, {"transfer": "300ns"}])
def test_node_speeds(tmp_path, originator, options):
    rng = random.Random(SEED)
    options = {"torus": 5, "originator": "%d,%d" % originator, **options}
    slow = {(rng.randrange(5), rng.randrange(5)): rng.randint(1, 5 * 10 ** 6)
            for _ in range(9)}
    file = tmp_path / "speeds"
    file.write_text("# x y time\n\n" + "\n".join(
        f" {x}\t{y} {time}ps # one" for (x, y), time in slow.items()))
    got = planned("--per-node", node_compute=file, **options)
    places = places_of(5, originator)
    makespan, phases, nodes = best_of_nodes(
        options, lambda node: slow.get(places[node], 10 ** 6))
    assert got["phases"] == -phases
    check_nodes(got, nodes, makespan, got["load_units"])
    units = {(n["x"], n["y"]): n["units"] for n in got["per_node"]}
    assert sum(units.values()) == got["load_units"]
    for node, triple in nodes.items():
        if node:
            assert 0 <= units[places[node]] - int(triple[0]) <= 1


def test_equal_node_speeds_are_the_plain_plan(tmp_path):
    file = tmp_path / "speeds"
    file.write_text("")
    for options in ({"torus": 125}, {"torus": 25, "load": 300},
                    {"torus": 1}):
        want = planned("--per-node", **options)
        got = planned("--per-node", node_compute=file, **options)
        assert got["per_node"] == want["per_node"]
        assert got["makespan_ps"] == want["makespan_ps"]
        assert got["phases"] == want["phases"]


def test_theory_of_a_nonlinear_time():
    got = planned(torus=5, load=100, phases=2, compute_power=2,
                  **SECONDS)
    assert [round(layer["share_units"], 9) for layer in got["layers"]] == [
        6.317001536, 4.391982715, 3.805753380]


@pytest.mark.parametrize("options", [
    {"compute_power": "3/2"}, {"compute_power": 2, "hop_delay": "100ns"},
    {"compute_power": 3, "load": 200}, {"compute_power": "8/7", "load": 50},
    {"compute_power": "3/2", "results": "1/2"},
    *({"startup": "0", **more} for more in (
        {"torus": 625, "load": 1, "transfer": "1us", "compute_power": 2},
        {"torus": 125, "load": 100, "transfer": "1ms", "compute_power": 8},
        {"load": 100, "transfer": "1us", "compute": "1ps",
         "compute_power": 2},
        {"torus": 3125, "load": 10, "transfer": "1ns",
         "compute_power": "7/2"},
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


def test_numbers_are_the_nearest_doubles():
    """71/3 is 23.666666666666668, and not the double below."""
    got = planned(torus=5, load=100, phases=2, **SECONDS)
    assert got["layers"][0]["share_units"] == float(Fraction(71, 3))
    for load in range(100, 160):
        got, want = check(torus=25, load=load, **{
            **SECONDS, "startup": "0"})
        assert got["speedup"] == float(load * 10 ** 12 / want.makespan)
        for i, layer in enumerate(got["layers"]):
            assert layer["share_units"] == float(want.shares[i])
            assert layer["volume_units"] == float(want.volumes[i])


def test_power_of_one_is_the_plain_plan():
    for options in ({}, {"load": 100}, {"phases": 2}, {"hop_delay": "1us"}):
        want = planned(**options)
        got = planned(compute_power="7/7", **options)
        assert got["phases"] == want["phases"]
        assert got["makespan_ps"] == pytest.approx(want["makespan_ps"])


def test_units_of_several_bytes():
    want = planned(load=250000)
    got = planned(load="1000000B", unit=4)
    assert got.pop("unit_bytes") == 4
    assert got == want
    assert planned(load="1MiB", unit=1024)["load_units"] == 1024
    assert planned(load="1000", unit=1024)["load_units"] == 1000


PROFILE = "startup = 7us\ntransfer = 11ns\nhop_delay = 13ns\n"


@pytest.mark.parametrize("given, same", [
    ({}, {"startup": "7us", "transfer": "11ns", "hop_delay": "13ns"}),
    ({"unit": 4}, {"startup": "7us", "transfer": "44ns", "hop_delay": "13ns",
                   "unit": 4}),
    ({"unit": 4, "transfer": "1ns", "hop_delay": "0"},
     {"startup": "7us", "transfer": "1ns", "unit": 4}),
    ({"startup": "1us"},
     {"startup": "1us", "transfer": "11ns", "hop_delay": "13ns"})])
def test_a_profile_stands_for_its_times(tmp_path, given, same):
    """But for those that an option gives."""
    path = tmp_path / "links"
    path.write_text(PROFILE)
    done = command("--json", profile=path,
                   **{"startup": None, "transfer": None, **given})
    assert done.returncode == 0, done.stderr
    assert done.stdout == command("--json", **same).stdout


def collected(options, results, plan):
    """When results are back that return when all is computed."""
    _, _, _, transfers, startups = exact_costs(options)
    return plan["makespan_ps"] + sum(
        startup + transfer * Fraction(results)
        * Fraction(layer["volume_units"]) for startup, transfer, layer
        in zip(startups, transfers, plan["layers"][1:]))


@pytest.mark.parametrize("results", ["2/1", "1/1", "1/9"])
@pytest.mark.parametrize("options", [
    {"transfer": "3.3ns", "compute": "13.7ns"},
    {"transfer": "80ns", "compute": "1024ns"},
    {"transfer": "80ns", "compute": "1024ns", "load": 3000},
    {"transfer": "80ns", "compute": "1024ns", "phases": 1}])
def test_no_number_of_rounds_has_results_earlier(results, options):
    options = {"torus": 5, "startup": "5us", "results": results, **options}
    got = planned(rounds="auto", **options)
    found = {}
    for rounds in range(1, 17):
        done = command("--json", rounds=rounds, **options)
        if done.returncode == 0:
            found[rounds] = json.loads(done.stdout)["with_results_ps"]
    assert got["with_results_ps"] == min(found.values())
    assert got["rounds"] == min(found, key=found.get)
    assert len(found) > 5


@pytest.mark.parametrize("options, allowed", [
    ({"rounds": 17}, "at most 16 rounds"),
    ({"load": 2 ** 32}, "at most 4294967295 units"),
    ({"switching": "store-and-forward"}, "circuits"),
    ({"transfer": "2s", "startup": "0", "load": 10 ** 4,
      "compute": "1s"}, "1.1 s")])
def test_what_results_return_meanwhile_for(options, allowed):
    """A limit is named; just below it there is none."""
    options = {"torus": 5, "transfer": "80ns", "compute": "1024ns",
               "rounds": 16, "results": "1/1", **options}
    assert allowed in planned(**options)["meanwhile_planned_for"]
    below = {**options, "rounds": 16, "switching": "circuit",
             "load": min(int(options.get("load", 10 ** 6)), 2 ** 32 - 1),
             "transfer": "80ns"}
    assert "meanwhile_planned_for" not in planned(**below)


@pytest.mark.parametrize("switching", ["circuit", "store-and-forward"])
@pytest.mark.parametrize("rounds", [2, 5, "auto"])
@pytest.mark.parametrize("results", ["1/1", "1/3", "5/2", "0/1"])
def test_rounds_collect_results_when_all_is_computed(rounds, results,
                                                     switching):
    """Phase by phase; one round, in which results overlap, if it is as early
    and may be; or many rounds that return them meanwhile. On 625 boards, whose
    first ports would have to take back too much in each of few rounds."""
    options = {"torus": "25", "compute": "900ns", "transfer": "80ns",
               "switching": switching}
    one = planned(results=results, **options)
    got = planned(rounds=rounds, results=results, **options)
    numbers = range(2, 17) if rounds == "auto" else [rounds]
    late, plain = min(((collected(options, results, plan), plan) for plan in
                       (planned(rounds=number, **options)
                        for number in numbers)), key=lambda pair: pair[0])
    got.pop("meanwhile_planned_for", None)
    one.pop("meanwhile_planned_for", None)
    if rounds == "auto" and (got["results_return"], got["rounds"] > 1) == (
            "meanwhile", True):
        assert got["with_results_ps"] < min(late, one["makespan_ps"])
    elif rounds == "auto" and one["makespan_ps"] <= late:
        assert got == one
    else:
        assert near(got.pop("with_results_ps"), late)
        assert got.pop("results_return") == "at the end"
        plain.pop("similar")
        assert got == plain


@pytest.mark.parametrize("rounds", [2, 3, 7, 16, "auto"])
@pytest.mark.parametrize("results", ["1/1", "1/3", "5/2"])
def test_rounds_return_results_meanwhile(rounds, results):
    """On 25 boards: as exact numbers have it for some factor between rounds;
    before results that are collected, and those of one round if it may be."""
    options = {"torus": "5", "compute": "900ns", "transfer": "80ns"}
    plain = planned(rounds=rounds, **options)
    got = planned(rounds=rounds, results=results, **options)
    _, load, compute, transfers, startups = exact_costs(options)
    back = Fraction(sum(startups))
    costs = meanwhile.Costs(load, compute, transfers[0],
                            int(transfers[0] * Fraction(results)),
                            tuple(startups), back, 0, 0, 0, 0)
    times = [meanwhile.time(costs, meanwhile.parts(got["rounds"], factor))[0]
             for factor in meanwhile.FACTORS]
    if got["results_return"] == "at the end":
        assert rounds in (2, 3)
        assert got["with_results_ps"] <= 1.01 * min(times)
        return
    assert got["results_return"] == "meanwhile"
    assert got["makespan_ps"] == got["with_results_ps"]
    assert got["makespan_ps"] < plain["makespan_ps"] + back + sum(
        transfers[0] * Fraction(results) * Fraction(layer["volume_units"])
        for layer in plain["layers"][1:])
    if rounds == "auto":
        one = planned(results=results, **options)
        assert got["makespan_ps"] < one["makespan_ps"]
    else:
        assert got["rounds"] == rounds
    assert min(abs(got["makespan_ps"] / time - 1) for time in times) < 1e-4
    assert sum(layer["nodes"] * Fraction(layer["share_units"])
               for layer in got["layers"]) == load


def meanwhile_costs(options):
    """Of the oracle, for rounds whose results return meanwhile."""
    _, load, compute, transfers, startups = exact_costs(
        {**options, "results": None})
    return meanwhile.Costs(load, compute, transfers[0],
                           transfers[0] * Fraction(options["results"]),
                           tuple(startups), sum(startups), 0, 0, 0, 0)


@pytest.mark.parametrize("options", [
    {"torus": 5, "load": 999654, "startup": "13.96us", "hop_delay": "100ns",
     "transfer": "80ns", "compute": "1024ns", "results": "1/1"},
    {"torus": 5, "transfer": "80ns", "compute": "900ns", "results": "1/3"},
    {"torus": 5, "transfer": "80ns", "compute": "300ns", "results": "5/2"}])
def test_receipts_wait_for_results_in_between(options):
    """A port that takes results in sends its next round later: so 25 boards
    with the first options got the last of 16 rounds at 27.1 ms."""
    got = planned(rounds=16, **options)
    assert got["results_return"] == "meanwhile"
    costs = meanwhile_costs(options)
    layers = [layer["rounds"] for layer in got["layers"][1:]]
    volumes = [[Fraction(part["volume_units"]) for part in parts]
               for parts in zip(*layers)]
    late = end = 0
    for r, now in enumerate(meanwhile.begins(costs, volumes)):
        late += r > 0 and now > end + 1
        for phase, volume in enumerate(volumes[r]):
            now += costs.startups[phase] + costs.transfer * volume
            assert abs(layers[phase][r]["received_ps"] - now) <= 1
        end = now
    assert late > 0


def test_no_results_before_any_can_be_there():
    """A circuit holds its links both ways: four ports that send a unit and
    take its output in, and the originator's own units. With transfers of few
    picoseconds, of which an output takes a part."""
    rng = random.Random(f"bound {SEED}")
    several = 0
    for _ in range(60):
        transfer, compute = rng.randint(1, 5), rng.randint(1, 20)
        results = Fraction(rng.randint(1, 9), rng.randint(1, 9))
        rounds = rng.choice([3, 8, 16, "auto"])
        got = planned(torus=5, load=10 ** 6, startup="0",
                      transfer=f"{transfer}ps", compute=f"{compute}ps",
                      results=f"{results.numerator}/{results.denominator}",
                      rounds=rounds)
        rate = Fraction(1, compute) + 4 / ((1 + results) * transfer)
        several += got.get("results_return") == "meanwhile"
        assert got.get("with_results_ps", got["makespan_ps"]) >= (
            10 ** 6 / rate - 1), (transfer, compute, results, rounds)
    assert several > 5


def test_units_of_time_do_not_matter_with_results():
    """An output of half a picosecond, and of half a nanosecond."""
    for load, results in ((10 ** 6, "1/2"), (10 ** 5, "2/7")):
        one, other = (planned(torus=5, load=load, startup="0",
                              transfer=f"1{unit}", compute=f"12{unit}",
                              results=results, rounds=8)
                      for unit in ("ps", "ns"))
        assert one["results_return"] == "meanwhile"
        assert one["rounds"] == other["rounds"]
        assert one["makespan_ps"] == pytest.approx(
            other["makespan_ps"] / 1000, rel=1e-4)


def check_groups(got, nodes):
    """The layers' averages and groups against every single node."""
    for i, layer in enumerate(got["layers"]):
        want = sorted(triple for node, triple in nodes.items()
                      if (node[-1][0] if node else 0) == i)
        assert layer["nodes"] == len(want)
        for place, key in enumerate(["share_units", "volume_units"]):
            assert near(layer[key], sum(one[place] for one in want)
                        / len(want))
        assert abs(layer["received_ps"] - min(one[2] for one in want)) < 1
        groups = sorted(
            (group["share_units"], group["volume_units"],
             group["received_ps"])
            for group in layer["groups"] for _ in range(group["nodes"]))
        assert len(groups) == len(want)
        for group, one in zip(groups, want):
            assert near(group[0], one[0]) and near(group[1], one[1])
            assert abs(group[2] - one[2]) <= Fraction(1, 2)


@pytest.mark.parametrize("ports", [1, 2])
@pytest.mark.parametrize("options", [
    {}, {"hop_delay": "1us"}, {"load": 20}, {"transfer": "1us", "load": 1000},
    {"startup": "0", "transfer": "0"}, {"load": 7, "startup": "1us"},
    {"switching": "store-and-forward"}, {**SECONDS, "load": 100}])
def test_fewer_ports(ports, options):
    options = {"torus": 5, **options}
    got = planned(ports=ports, **options)
    makespan, phases, nodes = best_of_nodes(options, None, ports)
    assert got["phases"] == -phases
    assert abs(got["makespan_ps"] - makespan) <= Fraction(1, 2)
    check_groups(got, nodes)


@pytest.mark.parametrize("ports", [1, 2])
def test_more_phases_of_fewer_ports(ports):
    for phases in (3, 4):
        got = planned(torus=25, load=10 ** 7, ports=ports,
                      phases=phases)
        _, nodes = optimum.pattern(lambda _: 10 ** 6, [3300] * phases,
                                   [4850000] * phases, ports)
        want, _ = optimum.Tree(nodes, 2 ** 200).solve(10 ** 7)
        assert abs(got["makespan_ps"] - want) <= Fraction(1, 2)
        total = sum(layer["nodes"] * Fraction(layer["share_units"])
                    for layer in got["layers"])
        assert near(total, 10 ** 7)


def test_feasibility_decides_phases_of_fewer_ports():
    """An infeasible N may have the smaller makespan."""
    options = {"torus": 5, "load": 20, "ports": 1, **SECONDS}
    best = planned(**options)["phases"]
    done = command("--json", phases=best + 1, **options)
    assert done.returncode == 2
    assert f"largest feasible N is {best}" in done.stderr


@pytest.mark.parametrize("side, ports, load", [
    (5, 1, 10 ** 4), (5, 2, 9973), (25, 1, 10 ** 7), (25, 2, 10 ** 7),
    (125, 2, 10 ** 8)])
def test_per_node_of_fewer_ports(side, ports, load):
    """Shares by group are floors or one more, and their sum is the load."""
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


def test_first_ports_get_more():
    """Batches go east, north, west, south."""
    got = planned("--per-node", torus=5, ports=1, phases=1)
    units = {(n["x"], n["y"]): n["units"] for n in got["per_node"]}
    order = [units[one.nodes[-1]] for one in torus.scatter(5, (0, 0), 1)]
    assert order == sorted(order, reverse=True) and order[0] > order[3]


def test_too_many_groups():
    options = {"torus": 3125, "load": 10 ** 12, "ports": 1}
    assert "groups" not in planned(**options)["layers"][1]
    done = command("--per-node", **options)
    assert done.returncode == 2
    assert "--per-node" in done.stderr and "--ports '1'" in done.stderr


def test_the_largest_torus():
    options = {"torus": 5 ** 10, "load": 10 ** 15, "hop_delay": "10ns"}
    got, want = check(**options)
    assert want.phases > 10
    assert got["torus"]["nodes"] == 5 ** 20
    assert planned(originator="9765624,3125",
                   **options)["originator"] == [9765624, 3125]
    for flags, extra, words in (
            (["--per-node"], {}, ["--per-node", "--torus '9765625'", "3125"]),
            ([], {"node_compute": N}, ["--node-compute", "625"]),
            ([], {"originator": "9765625,0"}, ["9765624,9765624"]),
            ([], {"hop_delay": "10s"}, ["--hop-delay '10s'", "2^64"])):
        done = command(*flags, **{**options, **extra})
        assert (done.returncode, done.stdout) == (2, "")
        for word in words:
            assert word in done.stderr


def given(**options):
    return json.loads(command("--json", **options).stdout)["inputs"]


def test_the_json_has_what_was_given(tmp_path):
    usual = {"startup_ps": 4850000, "hop_delay_ps": 0, "transfer_ps": 3300,
             "compute_ps": 10 ** 6, "node_compute": None,
             "compute_power": None, "phases": None, "rounds": 1, "ports": 4,
             "results": None, "switching": "circuit"}
    assert given() == usual
    assert given(rounds="auto", results="2/4", phases=2,
                 hop_delay="1ns") == {
        **usual, "rounds": "auto", "results": "2/4", "phases": 2,
        "hop_delay_ps": 1000}
    assert given(switching="store-and-forward", ports=2, torus=5
                 ) == {**usual, "switching": "store-and-forward", "ports": 2}
    assert given(compute_power="3/2") == {
        **usual, "compute_power": "3/2"}
    file = tmp_path / "speeds"
    file.write_text("")
    assert given(node_compute=file) == {
        **usual, "node_compute": str(file)}
    usual.pop("compute_ps")
    assert given(torus=5, compute=None,
                 layer_compute="1us,2us,3ns") == {
        **usual, "layer_compute_ps": [10 ** 6, 2 * 10 ** 6, 3000]}
    assert given(torus=1, startup=f"{2 ** 63}ps",
                 )["startup_ps"] == 2 ** 63

# SPDX-License-Identifier: Apache-2.0
"""`quincunx plan --rounds` with --node-compute or --ports, against exact
fractions (test/oracle/node_rounds.py).

QUINCUNX_SEED chooses the random cases.
"""
import json
import os
import random
import re
import subprocess
from collections import namedtuple
from fractions import Fraction

import pytest

import model
import node_rounds
import torus

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
US = 10 ** 6  # ps
# Times in ps; `speeds`: {(x, y): compute time}, of nodes unlike the others.
Case = namedtuple("Case", "load compute transfer startup ports speeds switching"
                  " hop originator")
LVDS = Case(10 ** 5, 1_024_000, 80_000, 5 * US, 4, None, "circuit", 0, (0, 0))
SLOW = LVDS._replace(speeds={(1, 0): 8 * US, (2, 3): 2 * US, (4, 4): US // 2})
NEAREST = 1e-12  # of a makespan: 15 digits, but for what is summed up


def planned(quincunx, case, rounds, tmp_path, *flags, side=5, phases=None):
    """The finished process."""
    line = [quincunx, "plan", "--torus", str(side), "--load", str(case.load),
            "--compute", f"{case.compute}ps",
            "--transfer", f"{case.transfer}ps",
            "--startup", f"{case.startup}ps", "--hop-delay", f"{case.hop}ps",
            "--switching", case.switching, "--rounds", str(rounds),
            "--originator", "%d,%d" % case.originator, *flags]
    if case.ports != 4:
        line += ["--ports", str(case.ports)]
    if case.speeds is not None:
        file = tmp_path / "speeds"
        file.write_text("".join(f"{x} {y} {time}ps\n" for (x, y), time in
                                case.speeds.items()))
        line += ["--node-compute", str(file)]
    if phases is not None:
        line += ["--phases", str(phases)]
    return subprocess.run(line, capture_output=True, text=True, check=False,
                          timeout=120)


def told(*args, **kwargs):
    done = planned(*args[:4], "--json", *args[4:], **kwargs)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def places_of(side, originator, phases):
    """Coordinates of every node of the oracle."""
    places, grown = {(): originator}, [()]
    for phase in range(1, phases + 1):
        fresh = [node + ((phase, port),) for node in grown
                 for port in range(4)]
        for node in fresh:
            places[node] = torus.circuit(side, phase, places[node[:-1]],
                                         node[-1][1]).nodes[-1]
        grown += fresh
    return places


def mesh_of(case, phases, side=5):
    power = torus.phases_of(side) // 2
    transfers, startups = model.costs(
        power, case.startup, case.transfer, case.hop,
        case.switching == "store-and-forward")
    places = places_of(side, case.originator, phases)
    speeds = case.speeds or {}
    return node_rounds.Mesh(
        case.load, lambda node: speeds.get(places[node], case.compute),
        transfers[:phases], startups[:phases], case.ports)


def near(got, exact, scale):
    return abs(Fraction(got) - exact) <= scale / 10 ** 11 + Fraction(1, 10 ** 9)


def check(got, mesh, plan):
    """The command's plan against the exact one."""
    rounds = len(plan.shares)
    assert got["rounds"] == rounds
    assert abs(got["makespan_ps"] - plan.makespan) <= (
        Fraction(1, 2) + plan.makespan * Fraction(NEAREST))
    alone = mesh.load * mesh.unit[()]
    assert got["speedup"] == pytest.approx(float(alone / plan.makespan))
    volumes = [mesh.volumes(own) for own in plan.shares]
    for i, layer in enumerate(got["layers"]):
        nodes = [n for n in mesh.nodes if (n[-1][0] if n else 0) == i]
        assert layer["nodes"] == len(nodes)
        if i == 0:
            assert layer["volume_units"] == mesh.load
            assert near(layer["share_units"], plan.makespan / mesh.unit[()],
                        mesh.load)
            continue
        for key, table in (("share_units", plan.shares),
                           ("volume_units", volumes)):
            exact = [sum(one[n] for n in nodes) / len(nodes) for one in table]
            assert near(layer[key], sum(exact), mesh.load)
            for part, want in zip(layer["rounds"], exact, strict=True):
                assert near(part[key], want, mesh.load)
        for part, turns in zip(layer["rounds"], plan.turns, strict=True):
            first = min(turns[n] for n in nodes)
            assert abs(part["received_ps"] - first) <= 1


def test_the_oracle():
    node_rounds.self_check()


CASES = [
    SLOW, SLOW._replace(originator=(3, 1)), SLOW._replace(hop=US),
    SLOW._replace(switching="store-and-forward"),
    SLOW._replace(transfer=300_000), LVDS._replace(ports=2),
    LVDS._replace(ports=1), LVDS._replace(ports=1, transfer=5000),
    LVDS._replace(ports=2, switching="store-and-forward", hop=US),
    LVDS._replace(ports=2, transfer=0), LVDS._replace(ports=2, startup=0),
    LVDS._replace(ports=2, load=300)]


@pytest.mark.parametrize("phases", [1, 2])
@pytest.mark.parametrize("rounds", [2, 3, 5])
@pytest.mark.parametrize("case", CASES)
def test_rounds_are_the_exact_ones(quincunx, tmp_path, case, rounds, phases):
    """And nobody of them is ever idle, where each does as boards do."""
    mesh = mesh_of(case, phases)
    plan = mesh.solve(rounds)
    done = planned(quincunx, case, rounds, tmp_path, "--json", phases=phases)
    if plan is None:
        assert (done.returncode, done.stdout) == (2, "")
        most = max(r for r in range(1, rounds) if mesh.solve(r) is not None)
        assert f"--rounds '{rounds}'" in done.stderr
        assert f"largest feasible R is {most}\n" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout), mesh, plan)
    receipts, end = mesh.carry_out([turn[()] for turn in plan.turns],
                                   plan.shares)
    assert end == plan.makespan and receipts == plan.turns


def random_case(rng):
    compute = int(10 ** rng.uniform(4, 7))
    case = Case(int(10 ** rng.uniform(2, 7)), compute,
                int(compute * 10 ** rng.uniform(-3, -.5)) + 1,
                int(10 ** rng.uniform(4, 8)), rng.choice([1, 2, 4]), None,
                rng.choice(["circuit", "circuit", "store-and-forward"]),
                rng.choice([0, 0, US]),
                (rng.randrange(5), rng.randrange(5)))
    if case.ports == 4:
        case = case._replace(speeds={
            (rng.randrange(5), rng.randrange(5)):
            compute * rng.randint(5, 80) // 10 for _ in range(9)})
    return case


def test_random_rounds(quincunx, tmp_path):
    rng = random.Random(f"node rounds {SEED}")
    found = 0
    for _ in range(60):
        case, rounds = random_case(rng), rng.randint(2, 5)
        plans = [(mesh_of(case, n), mesh_of(case, n).solve(rounds))
                 for n in (1, 2)]
        plans = [one for one in plans if one[1] is not None]
        done = planned(quincunx, case, rounds, tmp_path, "--json")
        try:
            if not plans:
                assert done.returncode == 2 and "largest" in done.stderr
                continue
            found += 1
            check(json.loads(done.stdout),
                  *min(plans, key=lambda one: one[1].makespan))
        except AssertionError as error:
            raise AssertionError(
                f"QUINCUNX_SEED={SEED}: {rounds} {case}") from error
    assert found > 20


@pytest.mark.parametrize("case", [SLOW, LVDS._replace(ports=1),
                                  LVDS._replace(ports=2, load=300),
                                  SLOW._replace(load=40)])
def test_auto_is_the_best_of_all(quincunx, tmp_path, case):
    got = told(quincunx, case, "auto", tmp_path)
    times = []
    for rounds in range(1, 17):
        done = planned(quincunx, case, rounds, tmp_path, "--json")
        if done.returncode == 0:
            times.append((json.loads(done.stdout)["makespan_ps"], rounds))
    least = min(times)
    assert got["makespan_ps"] == least[0]
    assert got["rounds"] == least[1]


def test_rounds_that_gain_nothing(quincunx, tmp_path):
    """Ties go to fewer rounds, then to more phases."""
    free = SLOW._replace(transfer=0, startup=0, load=1000)
    got = told(quincunx, free, "auto", tmp_path)
    assert (got["phases"], got["rounds"]) == (2, 1)
    assert got == {**told(quincunx, free, 1, tmp_path),
                   "similar": got["similar"], "inputs": got["inputs"]}


@pytest.mark.parametrize("case, side", [
    (LVDS, 25), (LVDS._replace(transfer=3300), 25),
    (LVDS._replace(load=10 ** 7), 125)])
def test_equal_nodes_are_the_pattern(quincunx, tmp_path, case, side):
    """Both plans and similar rounds are what nodes that are alike get; where
    the pattern takes similar rounds, its best ones without them."""
    for rounds in (2, 3, "auto"):
        want = told(quincunx, case, rounds, tmp_path, side=side)
        got = told(quincunx, case._replace(speeds={}), rounds, tmp_path,
                   side=side)
        assert not got["similar"]["taken"]
        taken = want["similar"]["taken"]
        best = want["equations"] if taken else want
        assert got["phases"] == best["phases"]
        assert got["rounds"] == best["rounds"]
        assert abs(got["makespan_ps"] - best["makespan_ps"]) <= 1
        for ours, theirs in zip(got["layers"], [] if taken else want["layers"],
                                strict=not taken):
            for a, b in zip([ours] + ours["rounds"],
                            [theirs] + theirs["rounds"], strict=True):
                assert a["share_units"] == pytest.approx(b["share_units"])
                assert a["volume_units"] == pytest.approx(b["volume_units"])
                assert abs(a["received_ps"] - b["received_ps"]) <= 1
        assert got["similar"]["rounds"] == want["similar"]["rounds"]
        assert abs(got["similar"]["makespan_ps"]
                   - want["similar"]["makespan_ps"]) <= 1
        assert got["similar"]["parts"] == pytest.approx(
            want["similar"]["parts"], abs=1e-9)


def check_similar(got, mesh):
    """One of the plans that there are, in which nobody idles, and of them the
    one with the least first part."""
    parts = [Fraction(part) for part in got["parts"]]
    count = len(parts)
    assert count == got["rounds"]
    assert abs(sum(parts) - 1) < 1e-9
    makespan, shares, start = mesh.first(parts[0])
    assert abs(got["makespan_ps"] - makespan) <= 1 + makespan / 10 ** 12
    if count == 1:
        return
    begins = [0] * count  # the lanes say when the rounds begin
    _, end = mesh.carry_out(
        begins, [{n: part * share for n, share in shares.items()}
                 for part in parts], at_once=True)
    assert abs(end - makespan) <= makespan / 10 ** 9
    assert start[()] == 0
    found = mesh.parts(parts[0] * Fraction(1 - 10 ** -6), count)
    assert found is None or sum(found[1]) < 1
    found = mesh.parts(parts[0] * Fraction(1 + 10 ** -6), count)
    assert found is not None and sum(found[1]) == 1
    for ours, theirs in zip(parts[1:-1], found[1][1:-1]):
        assert abs(ours - theirs) < 1e-4


@pytest.mark.parametrize("phases", [1, 2])
@pytest.mark.parametrize("rounds", [2, 3, 4])
@pytest.mark.parametrize("case", [
    SLOW, SLOW._replace(hop=US, originator=(2, 2)), LVDS._replace(ports=2),
    LVDS._replace(ports=1), SLOW._replace(switching="store-and-forward")])
def test_similar_rounds(quincunx, tmp_path, case, rounds, phases):
    done = planned(quincunx, case, rounds, tmp_path, "--json", phases=phases)
    if done.returncode != 0:  # then there is nothing to print them beside
        assert mesh_of(case, phases).solve(rounds) is None
        return
    got = json.loads(done.stdout)
    similar = got["similar"]
    assert (similar["phases"], similar["rounds"]) == (phases, rounds)
    check_similar(similar, mesh_of(case, phases))
    assert similar["loss"] == pytest.approx(
        similar["makespan_ps"] / got["makespan_ps"] - 1, abs=1e-12)


@pytest.mark.parametrize("case", [SLOW, LVDS._replace(ports=1)])
def test_the_best_similar_rounds(quincunx, tmp_path, case):
    """Of all numbers of rounds and phases, with what is left out early."""
    best = told(quincunx, case, "auto", tmp_path)["similar"]
    times = []
    for phases in (1, 2):
        for rounds in range(2, 17):
            done = planned(quincunx, case, rounds, tmp_path, "--json",
                           phases=phases)
            if done.returncode == 0:
                times.append(json.loads(done.stdout)["similar"]["makespan_ps"])
    assert best["makespan_ps"] <= min(times)
    check_similar(best, mesh_of(case, best["phases"]))


@pytest.mark.parametrize("case, rounds, side", [
    (SLOW, 3, 5), (SLOW._replace(originator=(7, 24)), 2, 25),
    (LVDS._replace(ports=1, load=999983), 2, 5),
    (LVDS._replace(ports=2, originator=(3, 1)), "auto", 25)])
def test_per_node(quincunx, tmp_path, case, rounds, side):
    got = told(quincunx, case, rounds, tmp_path, "--per-node", side=side)
    units = {(n["x"], n["y"]): n["units"] for n in got["per_node"]}
    assert len(units) == side * side
    assert sum(units.values()) == case.load
    if side != 5:
        for layer in got["layers"]:
            of = [n["units"] for n in got["per_node"]
                  if n["layer"] == layer["layer"]]
            mean = Fraction(sum(of), len(of))
            assert abs(mean - Fraction(layer["share_units"])) <= (
                got["rounds"] + 1)
        return
    mesh = mesh_of(case, got["phases"])
    places = places_of(side, case.originator, got["phases"])
    plan = mesh.solve(got["rounds"])
    for node in mesh.nodes[1:]:
        floors = sum(own[node].__floor__() for own in plan.shares)
        assert 0 <= units[places[node]] - floors <= got["rounds"]


@pytest.mark.parametrize("ports", [1, 2])
def test_shares_next_to_integers(quincunx, tmp_path, ports):
    """Each share is below 40 units by less than 2^-30 and counts as 40. Volumes
    are below by more, and yet must be enough."""
    case = LVDS._replace(ports=ports, load=1000, compute=2 ** 35, transfer=0,
                         startup=1)
    got = told(quincunx, case, 2, tmp_path, "--per-node", phases=2)
    assert [n["units"] for n in got["per_node"]] == [40] * 25


def test_people_can_read_it(quincunx, tmp_path):
    done = planned(quincunx, SLOW, 3, tmp_path)
    assert done.returncode == 0
    assert "3 rounds" in done.stdout
    assert re.search(r"^similar +\d+\.\d{6} us \([+-]\d+\.\d{4} %\) with \d "
                     r"phases and .* 3 rounds:\n +0\.\d{4} 0\.\d{4} 0\.\d{4}$",
                     done.stdout, re.MULTILINE), done.stdout


@pytest.mark.parametrize("side, flags", [
    (3125, ["--ports", "1"]), (3125, ["--ports", "2"]),
    (9765625, ["--ports", "2"]), (3125, ["--node-compute", "/dev/null"])])
def test_tori_that_are_too_large(quincunx, tmp_path, side, flags):
    done = planned(quincunx, LVDS, 2, tmp_path, *flags, side=side)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"--torus '{side}'" in done.stderr
    assert "1 to 625" in done.stderr and flags[0] in done.stderr


def test_infeasible_phases_name_the_largest(quincunx, tmp_path):
    case = LVDS._replace(ports=2, load=41, compute=10 ** 12, startup=6 * 10
                         ** 12, transfer=10 ** 12)
    done = planned(quincunx, case, "auto", tmp_path, phases=2)
    feasible = max(n for n in range(3) if mesh_of(case, n).solve(1))
    assert feasible < 2
    assert (done.returncode, done.stdout) == (2, "")
    assert f"largest feasible N is {feasible} " in done.stderr

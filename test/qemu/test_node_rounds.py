# SPDX-License-Identifier: Apache-2.0
"""`quincunx plan --rounds` with --node-compute or --ports, against exact
fractions (test/oracle/optimum.py) that are carried out (execute.py).

QUINCUNX_SEED chooses the random cases.
"""
import json
import os
import random
from collections import namedtuple
from fractions import Fraction

import pytest

import optimum
import plans
from execute import execute, volumes_of

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
US = 10 ** 6  # ps
# Times in ps; `speeds`: {(x, y): compute time}, of nodes unlike the others.
Case = namedtuple("Case", "load compute transfer startup ports speeds switching"
                  " hop originator")
LVDS = Case(10 ** 5, 1_024_000, 80_000, 5 * US, 4, None, "circuit", 0, (0, 0))
SLOW = LVDS._replace(speeds={(1, 0): 8 * US, (2, 3): 2 * US, (4, 4): US // 2})
NEAREST = 1e-12  # of a makespan: 15 digits, but for what is summed up


def options_of(case, side=5):
    return {"torus": side, "load": case.load, "compute": f"{case.compute}ps",
            "transfer": f"{case.transfer}ps", "startup": f"{case.startup}ps",
            "hop_delay": f"{case.hop}ps", "switching": case.switching}


def planned(case, rounds, tmp_path, *flags, side=5, phases=None):
    """The finished process."""
    options = options_of(case, side)
    if case.speeds is not None:
        options["node_compute"] = tmp_path / "speeds"
        options["node_compute"].write_text("".join(
            f"{x} {y} {time}ps\n" for (x, y), time in case.speeds.items()))
    return plans.command(
        *flags, rounds=rounds, originator="%d,%d" % case.originator,
        ports=case.ports if case.ports != 4 else None, phases=phases,
        **options)


def told(*args, **kwargs):
    done = planned(*args[:3], "--json", *args[3:], **kwargs)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Mesh(optimum.Tree):
    """The exact nodes of a case, by name."""

    def __init__(self, case, phases):
        self.load = case.load
        _, _, _, transfers, startups = plans.exact_costs(options_of(case))
        self.places = plans.places_of(5, case.originator, phases)
        speeds = case.speeds or {}
        self.names, nodes = optimum.pattern(
            lambda name: speeds.get(self.places[name], case.compute),
            transfers[:phases], startups[:phases], case.ports)
        super().__init__(nodes)

    def layer(self, number):
        """Indices of a layer's nodes."""
        return [i for i, name in enumerate(self.names)
                if (name[-1][0] if name else 0) == number]

    def plan(self, count):
        return self.rounds(self.load, count)


def near(got, exact, scale):
    return abs(Fraction(got) - exact) <= scale / 10 ** 11 + Fraction(1, 10 ** 9)


def check(got, tree, plan):
    """The command's plan against the exact one."""
    rounds = len(plan.shares)
    assert got["rounds"] == rounds
    assert abs(got["makespan_ps"] - plan.makespan) <= (
        Fraction(1, 2) + plan.makespan * Fraction(NEAREST))
    alone = tree.load * tree.nodes[0].unit
    assert got["speedup"] == pytest.approx(float(alone / plan.makespan))
    volumes = [volumes_of(tree.nodes, own) for own in plan.shares]
    for number, layer in enumerate(got["layers"]):
        nodes = tree.layer(number)
        assert layer["nodes"] == len(nodes)
        if number == 0:
            assert layer["volume_units"] == tree.load
            assert near(layer["share_units"],
                        plan.makespan / tree.nodes[0].unit, tree.load)
            continue
        for key, table in (("share_units", plan.shares),
                           ("volume_units", volumes)):
            exact = [sum(one[i] for i in nodes) / len(nodes) for one in table]
            assert near(layer[key], sum(exact), tree.load)
            for part, want in zip(layer["rounds"], exact, strict=True):
                assert near(part[key], want, tree.load)
        for part, turns in zip(layer["rounds"], plan.turns, strict=True):
            assert abs(part["received_ps"] - min(turns[i] for i in nodes)) <= 1


CASES = [
    SLOW._replace(originator=(3, 1)), SLOW._replace(hop=US),
    SLOW._replace(switching="store-and-forward"),
    SLOW._replace(transfer=300_000), LVDS._replace(ports=2),
    LVDS._replace(ports=1, transfer=5000),
    LVDS._replace(ports=2, switching="store-and-forward", hop=US),
    LVDS._replace(ports=2, transfer=0), LVDS._replace(ports=2, startup=0),
    LVDS._replace(ports=2, load=300)]


@pytest.mark.parametrize("case", CASES)
def test_rounds_are_the_exact_ones(tmp_path, case):
    """And no node is ever idle, where each does as boards do. Similar rounds
    beside them are feasible, and lose what is said."""
    for rounds, phases in ((2, 1), (2, 2), (5, 2)):
        tree = Mesh(case, phases)
        plan = tree.plan(rounds)
        done = planned(case, rounds, tmp_path, "--json", phases=phases)
        if plan is None:
            assert (done.returncode, done.stdout) == (2, "")
            most = max(r for r in range(1, rounds) if tree.plan(r) is not None)
            assert f"--rounds '{rounds}'" in done.stderr
            assert f"largest feasible R is {most}\n" in done.stderr
            continue
        assert done.returncode == 0, done.stderr
        got = json.loads(done.stdout)
        check(got, tree, plan)
        similar = got.get("similar")
        assert similar or case.transfer == 0
        if similar:
            assert (similar["phases"], similar["rounds"]) == (phases, rounds)
            plans.check_similar(similar, tree, case.load)
            assert similar["loss"] == pytest.approx(
                similar["makespan_ps"] / got["makespan_ps"] - 1, abs=1e-12)
        times = execute(tree.nodes, plan.shares,
                        [turn[0] for turn in plan.turns])
        assert times.received == plan.turns
        assert set(times.ended[-1]) == {plan.makespan}


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


def test_random_rounds(tmp_path):
    rng = random.Random(f"node rounds {SEED}")
    found = 0
    for _ in range(20):
        case, rounds = random_case(rng), rng.randint(2, 5)
        found_plans = [(tree, plan) for tree in (Mesh(case, 1), Mesh(case, 2))
                       if (plan := tree.plan(rounds)) is not None]
        done = planned(case, rounds, tmp_path, "--json")
        try:
            if not found_plans:
                assert done.returncode == 2 and "largest" in done.stderr
                continue
            found += 1
            check(json.loads(done.stdout),
                  *min(found_plans, key=lambda one: one[1].makespan))
        except AssertionError as error:
            raise AssertionError(
                f"QUINCUNX_SEED={SEED}: {rounds} {case}") from error
    assert found > 6


@pytest.mark.parametrize("case", [SLOW, LVDS._replace(ports=1),
                                  LVDS._replace(ports=2, load=300)])
def test_auto_is_the_best_of_all(tmp_path, case):
    """Of all numbers of rounds, and similar ones with what is left out
    early."""
    got = told(case, "auto", tmp_path)
    times, others = [], []
    for rounds in range(1, 17):
        done = planned(case, rounds, tmp_path, "--json")
        if done.returncode == 0:
            one = json.loads(done.stdout)
            times.append((one["makespan_ps"], rounds))
            if rounds > 1:
                others.append(one["similar"]["makespan_ps"])
    assert (got["makespan_ps"], got["rounds"]) == min(times)
    assert got["similar"]["makespan_ps"] <= min(others)


def test_rounds_that_gain_nothing(tmp_path):
    """Ties go to fewer rounds, then to more phases."""
    free = SLOW._replace(transfer=0, startup=0, load=1000)
    got = told(free, "auto", tmp_path)
    assert (got["phases"], got["rounds"]) == (2, 1)
    assert got == {**told(free, 1, tmp_path),
                   "similar": got["similar"], "inputs": got["inputs"]}


@pytest.mark.parametrize("case, rounds, side", [
    (SLOW, 3, 5), (SLOW._replace(originator=(7, 24)), 2, 25),
    (LVDS._replace(ports=1, load=999983), 2, 5),
    (LVDS._replace(ports=2, originator=(3, 1)), "auto", 25)])
def test_per_node(tmp_path, case, rounds, side):
    got = told(case, rounds, tmp_path, "--per-node", side=side)
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
    tree = Mesh(case, got["phases"])
    plan = tree.plan(got["rounds"])
    for i, name in list(enumerate(tree.names))[1:]:
        floors = sum(own[i].__floor__() for own in plan.shares)
        assert 0 <= units[tree.places[name]] - floors <= got["rounds"]


@pytest.mark.parametrize("ports", [1, 2])
def test_shares_next_to_integers(tmp_path, ports):
    """Each share is 40 units, and rounding makes it less."""
    case = LVDS._replace(ports=ports, load=1000, transfer=0, startup=0)
    got = told(case, 2, tmp_path, "--per-node", phases=2)
    assert [n["units"] for n in got["per_node"]] == [40] * 25


def test_infeasible_phases_name_the_largest(tmp_path):
    case = LVDS._replace(ports=2, load=41, compute=10 ** 12, startup=6 * 10
                         ** 12, transfer=10 ** 12)
    done = planned(case, "auto", tmp_path, phases=2)
    feasible = max(n for n in range(3) if Mesh(case, n).plan(1))
    assert feasible < 2
    assert (done.returncode, done.stdout) == (2, "")
    assert f"largest feasible N is {feasible} " in done.stderr

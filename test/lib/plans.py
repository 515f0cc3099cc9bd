# SPDX-License-Identifier: Apache-2.0
"""`quincunx plan`, and its options as exact numbers."""
import json
from fractions import Fraction

import mesh
import model
import torus
from execute import last_end
from values import in_ps

BASE = {"torus": "25", "load": "1000000", "startup": "4.85us",
        "transfer": "3.3ns", "compute": "1us"}
SECONDS = {"startup": "1s", "transfer": "1s", "compute": "1s"}


def command(*flags, subcommand="plan", **options):
    """The finished process; options override BASE, None leaves one out."""
    line = [subcommand, *flags]
    for name, value in {**BASE, **options}.items():
        if value is not None:
            line += ["--" + name.replace("_", "-"), value]
    return mesh.command(*line)


def planned(*flags, **options):
    """The plan, without what was given, which differs from plan to plan."""
    done = command("--json", *flags, **options)
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    got.pop("inputs")
    return got


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
    return (power, int(given["load"]), in_ps(given["compute"] or "0"),
            transfers, startups)


def best_plan(options):
    """The model's plan: of so many phases as asked for, or the best one."""
    _, load, compute, transfers, startups = exact_costs(options)
    if "phases" not in options:
        return model.best(load, compute, transfers, startups)
    n = int(options["phases"])
    return model.solve(load, compute, transfers[:n], startups[:n])


def places_of(side, originator, phases=None):
    """Coordinates of every node of optimum.pattern(), by its name."""
    places, grown = {(): originator}, [()]
    for phase in range(1, (phases or torus.phases_of(side)) + 1):
        fresh = [node + ((phase, port),) for node in grown
                 for port in range(4)]
        for node in fresh:
            places[node] = torus.circuit(side, phase, places[node[:-1]],
                                         node[-1][1]).nodes[-1]
        grown += fresh
    return places


def near(value, exact):
    return abs(Fraction(value) - exact) <= max(abs(exact), 1) / 10 ** 6


def check_similar(got, tree, load):
    """Similar rounds of a plan on the nodes of an optimum.Tree: carried out by
    nodes that pass each round on when it comes, they end when they say; and
    with a first part that is less so many rounds do not suffice."""
    parts = [Fraction(part) for part in got["parts"]]
    count = len(parts)
    assert count == got["rounds"] and abs(sum(parts) - 1) < 1e-9
    makespan, shares, _ = tree.first(load, parts[0])
    assert abs(got["makespan_ps"] - makespan) <= 1 + makespan / 10 ** 9
    if count == 1 or parts[0] < 1e-6:  # too near to the oracle's steps
        return
    end = last_end(tree.nodes, [[part * share for share in shares]
                                for part in parts], at_once=True)
    assert abs(end - makespan) <= makespan / 10 ** 8
    found = tree.parts(load, parts[0] * Fraction(1 - 10 ** -6), count)
    assert found is None or sum(found[1]) < 1
    found = tree.parts(load, parts[0] * Fraction(1 + 10 ** -6), count)
    assert found is not None and sum(found[1]) == 1

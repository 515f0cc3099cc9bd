# SPDX-License-Identifier: Apache-2.0
"""`quincunx sizes` against optima of the same trees, in fractions."""
import json
import subprocess
from fractions import Fraction

import pytest

from guard import GUARD_S
import core as library
import model
import optimum
import tree
import tree_plan
from execute import Lane, Node, Send

# Times in ps: (load, startup, transfer, compute).
T3D = (1000000, 4850000, 3300, 1000000)
CASES = [T3D, (1000, 0, 10, 1000), (1000, 5000, 0, 1000), (77, 0, 0, 3),
         (500, 20000, 900, 1000), (40, 3000, 1000, 1000), (1, 7, 7, 7),
         (300, 100000, 5000, 1000), (10 ** 9, 10 ** 6, 8 * 10 ** 4, 10 ** 5)]


def command(quincunx, *flags):
    return subprocess.run([quincunx, "sizes", *flags], capture_output=True,
                          text=True, check=False, timeout=GUARD_S)


def sizes(quincunx, case, *flags):
    """{(width, height): row} of the JSON."""
    load, startup, transfer, compute = case
    done = command(quincunx, "--json", "--load", str(load), "--startup",
                   f"{startup}ps", "--transfer", f"{transfer}ps", "--compute",
                   f"{compute}ps", *flags)
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    assert (got["load_units"], got["startup_ps"], got["transfer_ps"],
            got["compute_ps"]) == case
    return {(row["width"], row["height"]): row for row in got["sizes"]}


def branches_of(core, size):
    _, raw = library.tree(core, "scatter", *size)
    return [tree.Branch(*fields) for fields in library.branches_of(raw)]


def can_process(size, case, time):
    """Theory 1.5: what a torus can at most process by `time`."""
    load, startup, transfer, compute = case
    ports = tree.growth(*size) - 1
    alone = time / compute
    if ports == 0:
        return alone
    sent = Fraction(0)
    if time > startup:
        sent = (ports * (time - startup) / transfer if transfer
                else Fraction(load))
    nodes, start, others = 1, Fraction(0), Fraction(0)
    while startup and start + startup < time and nodes < size[0] * size[1]:
        others += Fraction(startup) * (nodes - 1) / compute
        start += startup
        nodes = min(nodes * (ports + 1), size[0] * size[1])
    if not startup:
        nodes = size[0] * size[1]
    others += (time - start) * (nodes - 1) / compute
    return alone + min(sent, others)


def even(size, case):
    """The makespan of layers of any number of nodes: every node that is active
    serves its part of layer i in phase i."""
    load, startup, transfer, compute = case
    nodes, growth = size[0] * size[1], tree.growth(*size)
    best = None
    for phases in range(tree.least_phases(*size) + 1):
        active = [min(growth ** i, nodes) for i in range(phases + 1)]
        layers = [active[0]] + [b - a for a, b in zip(active, active[1:])]
        sends = tuple(Send(i, startup, transfer, many=Fraction(
            layers[i], active[i - 1])) for i in range(1, phases + 1))
        makespan, shares = optimum.Tree([
            Node(compute, (Lane(sends[i:]),)) for i in range(phases + 1)
        ]).solve(load)
        if min(shares) >= 0:
            best = makespan
    return best


def close(value, exact):
    return abs(Fraction(value) - exact) <= exact / 10 ** 9


@pytest.mark.parametrize("case", CASES)
def test_makespans_and_bounds(quincunx, core, case):
    rows = sizes(quincunx, case, "--all", "--max", "6")
    assert len(rows) == 21
    for size, row in rows.items():
        branches = branches_of(core, size)
        assert row["nodes"] == len(branches)
        assert row["phases"] == max(branch.phase for branch in branches)
        load, startup, transfer, compute = case
        phases, _, makespan, shares = tree_plan.plan(
            tree_plan.wire(branches)[0], [0] * len(branches),
            tree_plan.Costs(load, compute, transfer, startup))
        assert row["phases_used"] == phases, size
        assert row["nodes_used"] == len(shares)
        assert close(row["makespan_ps"], makespan), size
        assert close(row["even_ps"], even(size, case)), size
        bound = Fraction(row["bound_ps"])
        grain = Fraction(1, 10 ** 9)
        assert can_process(size, case, bound * (1 - grain)) < case[0]
        assert can_process(size, case, bound * (1 + grain)) >= case[0]
        assert close(row["ratio"] * row["bound_ps"],
                     Fraction(row["makespan_ps"]))
        assert row["ratio"] > 1 - 1e-9


def test_powers_of_five_are_as_planned(quincunx):
    """The closed form of the paper's scatter; and what stands beside it."""
    rows = sizes(quincunx, T3D, "--max", "25")
    for power in (0, 1, 2):
        side = 5 ** power
        load, startup, transfer, compute = T3D
        want = model.best(load, compute,
                          *model.costs(power, startup, transfer))
        row = rows[side, side]
        assert close(row["even_ps"], want.makespan)
        assert close(row["makespan_ps"], want.makespan)
        assert row["phases"] == row["phases_used"] == 2 * power
        assert row["nearest"] == {"side": side, "ratio": row["ratio"]}
    near = {size: row["nearest"]["side"] for size, row in rows.items()}
    assert [near[n, n] for n in (2, 3, 11, 12, 24)] == [1, 5, 5, 25, 25]


@pytest.mark.boards
def test_the_whole_range_in_one_round(quincunx):
    """One round takes at most twice the bound."""
    rows = sizes(quincunx, T3D, "--all")
    assert len(rows) == 31 * 32 // 2
    assert set(rows) == {(w, h) for w in range(1, 32)
                         for h in range(w, 32)}
    for size, row in rows.items():
        assert row["phases"] == tree.least_phases(*size)
        assert 1 <= row["ratio"] < 2, size
        assert row["makespan_ps"] < 1.01 * row["even_ps"], size


def test_pairs_of_circuits(quincunx, core):
    rows = sizes(quincunx, T3D, "--all", "--max", "14")
    for size, row in rows.items():
        pairs, unordered = tree.shared_pairs(
            tree.check(*size, (0, 0), branches_of(core, size)))
        assert (row["pairs_shared"], row["pairs_unordered"]) == (
            len(pairs), len(unordered)), size
    assert sum(row["pairs_unordered"] for row in rows.values()) > 0


def test_squares_unless_all_are_asked_for(quincunx):
    rows = sizes(quincunx, T3D, "--max", "9")
    assert list(rows) == [(w, h) for w in range(1, 10)
                          for h in (w, w + 1) if h <= 9]


def test_what_is_given_is_told_exactly(quincunx):
    """Whole numbers in JSON, as of all commands."""
    case = (9007199254740993, 4850001, 1234567, 1000000)
    got = json.loads(command(
        quincunx, "--json", "--max", "1", "--load", str(case[0]), "--startup",
        "4850001ps", "--transfer", "1234567ps", "--compute", "1us").stdout)
    found = [got[key] for key in ("load_units", "startup_ps", "transfer_ps",
                                  "compute_ps")]
    assert found == list(case)
    assert {type(value) for value in found} == {int}
    most = 2 ** 64 - 1
    assert json.loads(command(quincunx, "--json", "--max", "1", "--load",
                              str(most)).stdout)["load_units"] == 2.0 ** 64

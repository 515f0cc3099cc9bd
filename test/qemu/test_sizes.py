# SPDX-License-Identifier: Apache-2.0
"""`quincunx sizes` against linear systems over the same trees, in fractions."""
import json
import subprocess
from fractions import Fraction

import pytest

import core as library
import model
import tree

OPTIONS = ("--load", "--startup", "--transfer", "--compute")
# Times in ps: (load, startup, transfer, compute).
T3D = (1000000, 4850000, 3300, 1000000)
CASES = [T3D, (1000, 0, 10, 1000), (1000, 5000, 0, 1000), (77, 0, 0, 3),
         (500, 20000, 900, 1000), (40, 3000, 1000, 1000), (1, 7, 7, 7),
         (300, 100000, 5000, 1000), (10 ** 9, 10 ** 6, 8 * 10 ** 4, 10 ** 5)]


def command(quincunx, *flags):
    return subprocess.run([quincunx, "sizes", *flags], capture_output=True,
                          text=True, check=False, timeout=60)


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


def scatter(core, size):
    """[(phase, port, parent's index)] of the nodes of the library's tree."""
    branches = branches_of(core, size)
    above, nodes = [], []
    for index, branch in enumerate(branches):
        while above and above[-1][1] <= index:
            above.pop()
        nodes.append((branch.phase, branch.port,
                      above[-1][0] if above else None))
        above.append((index, index + branch.nodes))
    return nodes


def equal_finish(nodes, case):
    """Shares with which all finish together, as one linear system.

    For every node but the root: compute a_parent' = startup + transfer v +
    compute a, where v is the node's subtree and the left side belongs to who
    was served before it on the same port, or to the parent: what they have
    left when they are done with receiving.
    """
    load, startup, transfer, compute = case
    size = len(nodes)
    inside = [{i} for i in range(size)]
    for i in range(size - 1, 0, -1):
        inside[nodes[i][2]] |= inside[i]
    rows = [[1] * size + [load]]
    for i, (phase, port, parent) in enumerate(nodes):
        if parent is None:
            continue
        earlier = [(p, j) for j, (p, q, up) in enumerate(nodes)
                   if up == parent and q == port and p < phase]
        row = [Fraction(0)] * size + [Fraction(startup)]
        row[max(earlier)[1] if earlier else parent] += compute
        row[i] -= compute
        for j in inside[i]:
            row[j] -= transfer
        rows.append(row)
    return model.eliminate(rows)


def best_shares(nodes, case):
    """With as many phases as leave nobody less than nothing."""
    phases = max(phase for phase, _, _ in nodes)
    while True:
        kept = [i for i, node in enumerate(nodes) if node[0] <= phases]
        place = {index: i for i, index in enumerate(kept)}
        used = [(nodes[i][0], nodes[i][1], place.get(nodes[i][2]))
                for i in kept]
        shares = equal_finish(used, case)
        if min(shares) >= 0:
            return phases, shares
        phases -= 1


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
    """Layers of any number of nodes, as one linear system.

    Layer i is served in phase i, by everybody; unknown are the layers' shares.
    """
    load, startup, transfer, compute = case
    nodes, growth = size[0] * size[1], tree.growth(*size)
    best = None
    for phases in range(tree.least_phases(*size) + 1):
        active = [min(growth ** i, nodes) for i in range(phases + 1)]
        layers = [active[0]] + [b - a for a, b in zip(active, active[1:])]
        rows = [[*layers, load]]
        for i in range(1, phases + 1):
            # All below a node of layer i, per node that was active in it.
            row = [Fraction(0)] * (phases + 1) + [Fraction(startup)]
            row[i - 1] += compute
            row[i] -= compute + transfer
            for j in range(i + 1, phases + 1):
                row[j] -= transfer * Fraction(layers[j], active[i])
            rows.append(row)
        shares = model.eliminate(rows)
        if min(shares) >= 0:
            best = shares[0] * compute
    return best


def close(value, exact):
    return abs(Fraction(value) - exact) <= exact / 10 ** 9


@pytest.mark.parametrize("case", CASES)
def test_makespans_and_bounds(quincunx, core, case):
    rows = sizes(quincunx, case, "--all", "--max", "6")
    assert len(rows) == 21
    for size, row in rows.items():
        nodes = scatter(core, size)
        assert row["nodes"] == len(nodes)
        assert row["phases"] == max(node[0] for node in nodes)
        phases, shares = best_shares(nodes, case)
        assert row["phases_used"] == phases, size
        assert row["nodes_used"] == len(shares)
        assert close(row["makespan_ps"], shares[0] * case[3]), size
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
    """Whole numbers in JSON, as of all commands; no digit lost in the text."""
    case = (9007199254740993, 4850001, 1234567, 1000000)
    got = json.loads(command(
        quincunx, "--json", "--max", "1", "--load", str(case[0]), "--startup",
        "4850001ps", "--transfer", "1234567ps", "--compute", "1us").stdout)
    found = [got[key] for key in ("load_units", "startup_ps", "transfer_ps",
                                  "compute_ps")]
    assert found == list(case)
    assert {type(value) for value in found} == {int}
    done = command(quincunx, "--max", "1", "--load", "1234567", "--startup",
                   "4850001ps", "--transfer", "1234567ps", "--compute", "1us")
    assert done.stdout.startswith(
        "Load 1234567 units. Startup 4.850001 us, transfer 1234.567 ns a "
        "unit, compute 1 us a unit.\n")
    done = command(quincunx, "--max", "1", "--load", "1", "--startup", "0",
                   "--transfer", "20ps")
    assert done.stdout.startswith(
        "Load 1 unit. Startup 0 us, transfer 0.02 ns a unit, ")
    most = 2 ** 64 - 1
    assert str(most) in command(quincunx, "--max", "1", "--load",
                                str(most)).stdout
    assert json.loads(command(quincunx, "--json", "--max", "1", "--load",
                              str(most)).stdout)["load_units"] == 2.0 ** 64

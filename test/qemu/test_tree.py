# SPDX-License-Identifier: Apache-2.0
"""Trees of qemu/schedule/ on every torus of 1x1 to 31x31; `make test` has
those of 1x1 to 14x14.

QUINCUNX_SEED chooses the originators.
"""
import itertools
import os
import random
from collections import Counter

import pytest

import core as library
import parts
import tree
from core import Coord, Size

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
SIDE_MAX = 31
QUICK_MAX = 14
SOME_SIZES = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 9), (7, 1), (2, 5), (3, 3),
              (4, 6), (5, 5), (8, 8), (6, 11), (13, 21), (31, 2)]


def grow(core, name, size, originator=(0, 0)):
    """(phases, branches) as the oracle's tuples."""
    phases, raw = library.tree(core, name, *size, originator)
    assert phases >= 0, (name, size)
    return phases, [tree.Branch(*fields)
                    for fields in library.branches_of(raw)]


def originators(size, count):
    rng = random.Random(f"{SEED} {size}")
    return [(rng.randrange(size[0]), rng.randrange(size[1]))
            for _ in range(count)]


def check_scatter(core, size):
    """One tree walked, two others compared; (phases, circuits)."""
    one, other = originators(size, 2)
    phases, branches = grow(core, "scatter", size, one)
    circuits = tree.check(*size, one, branches)
    assert phases == max(branch.phase for branch in branches)
    by = other[0] - one[0], other[1] - one[1]
    want = phases, tree.shifted(*size, branches, by)
    assert grow(core, "scatter", size, other) == want, (size, one, other)
    return phases, circuits


@pytest.mark.parametrize("most", parts.cases([QUICK_MAX, SIDE_MAX], 1))
def test_every_size_is_a_scatter_over_disjoint_circuits(core, most):
    """No scatter has fewer phases, that of a mirrored torus is mirrored, and
    circuits that share a link are nearly always ordered."""
    shared = unordered = 0
    for width, height in itertools.combinations_with_replacement(
            range(1, most + 1), 2):
        kinds = []
        for size in ((width, height), (height, width)):
            phases, circuits = check_scatter(core, size)
            assert phases == tree.least_phases(*size), size
            kinds.append(Counter((c.phase, len(c.links)) for c in circuits))
            pairs, bad = tree.shared_pairs(circuits)
            shared += len(pairs)
            unordered += len(bad)
        assert kinds[0] == kinds[1], size
    assert shared > (4000 if most < SIDE_MAX else 100_000)
    assert unordered <= 0.004 * shared


@pytest.mark.parametrize("size", [
    (60, 25), pytest.param((33, 40), marks=pytest.mark.boards), (125, 1)])
def test_larger_sizes(core, size):
    """A sample of those up to 125x125: disjoint circuits, at most 6 phases."""
    phases, circuits = check_scatter(core, size)
    assert tree.least_phases(*size) <= phases <= 6
    assert len(circuits) == size[0] * size[1] - 1


@pytest.mark.parametrize("side", parts.cases([1, 5, 25, 125], 3))
def test_powers_of_five_follow_the_pattern(core, side):
    size = Size(side, side)
    originator = originators((side, side), 1)[0]
    phases, branches = grow(core, "scatter", (side, side), originator)
    assert phases == core.torus_phases(size)
    circuits = tree.check(side, side, originator, branches)
    for branch, circuit in zip(branches[1:], circuits):
        role = core.torus_role_of(size, Coord(*originator),
                                  Coord(branch.x, branch.y))
        assert (role.layer, role.port) == (branch.phase, branch.port)
        assert (role.parent.x, role.parent.y) == circuit.source
        path = core.torus_phase_path(size, branch.phase, branch.port)
        assert branch[4:] == (path.port, path.turn, path.hops,
                              path.hops_after)
    # On 125x125 two whole phases lie between those that causes do not order.
    bad = tree.shared_pairs(circuits)[1]
    assert len(bad) == (96 if side == 125 else 0)
    circuits.sort()
    assert {(circuits[a].phase in (1, 2), circuits[b].phase in (5, 6))
            for a, b in bad} <= {(True, True)}


def test_other_sizes_have_no_scatter(core):
    for size in ((126, 1), (1, 126), (126, 125)):
        assert library.tree(core, "scatter", *size) is None


def baseline(core, name, size, disjoint):
    """(phases, branches, circuits) from a random originator."""
    originator = originators(size, 1)[0]
    phases, branches = grow(core, name, size, originator)
    return (phases, branches, originator,
            tree.check(*size, originator, branches, disjoint))


@pytest.mark.parametrize("size", SOME_SIZES)
def test_binomial(core, size):
    width, height = size
    phases, branches, (x, y), circuits = baseline(
        core, "binomial", size, False)
    assert 2 ** phases >= width * height > 2 ** phases // 2

    def rank(node):
        return (node[1] - y) % height * width + (node[0] - x) % width

    # Subtrees are contiguous in rank, the sender's own part first.
    for branch, c in zip(branches[1:], circuits):
        step = 2 ** (phases - c.phase)
        assert rank(c.receiver) == rank(c.source) + step
        assert rank(c.source) % (2 * step) == 0
        assert branch.nodes == min(step, width * height - rank(c.receiver))
        assert len(c.links) == tree.distance(*size, c.source, c.receiver)
        if c.source[0] != c.receiver[0]:
            assert branch.port in (0, 2)
    assert len({(c.source, c.phase) for c in circuits}) == len(circuits)


@pytest.mark.parametrize("size", SOME_SIZES)
def test_nearest(core, size):
    phases, branches, originator, circuits = baseline(
        core, "nearest", size, True)
    assert phases == size[0] // 2 + size[1] // 2
    for c in circuits:
        assert c.phase == tree.distance(*size, originator, c.receiver)
        assert len(c.links) == 1
    # Nobody would rather have another parent.
    nodes = {(b.x, b.y): b.nodes for b in branches}
    layer = {(b.x, b.y): b.phase for b in branches}
    for branch, c in zip(branches[1:], circuits):
        others = [node for node in nodes
                  if layer[node] == c.phase - 1
                  and tree.distance(*size, node, c.receiver) == 1]
        assert c.source in others
        assert nodes[c.source] <= min(nodes[n] for n in others) + branch.nodes


def shortest_ports(size, originator, node):
    """Out of which a shortest path with one turn at most leads."""
    ports = set()
    for axis, side in enumerate(size):
        ahead = (node[axis] - originator[axis]) % side
        if 0 < 2 * ahead <= side:
            ports.add(axis)  # east or north
        if 2 * ahead >= side > 1:
            ports.add(axis + 2)
    return frozenset(ports)


def shortest_queue(choices):
    """The least length of the longest queue: for each set of ports, who has no
    other port (Hall's theorem, every port taking as many)."""
    least = 0
    for count in range(1, 5):
        for ports in itertools.combinations(range(4), count):
            bound = sum(choice <= set(ports) for choice in choices)
            least = max(least, -(-bound // count))
    return least


def check_star(size, originator, members, raw):
    """Over shortest paths, near nodes first; the longest queue of a port."""
    root, *branches = [tree.Branch(*fields)
                       for fields in library.branches_of(raw)]
    assert root == (*originator, len(members) + 1, 0, 0, 0, 0, 0)
    assert {(b.x, b.y) for b in branches} == members
    queues = [[], [], [], []]
    for branch in branches:
        at = branch.x, branch.y
        end, links = tree.walk(*size, originator, branch)
        assert end == at and branch.nodes == 1
        assert len(links) == tree.distance(*size, originator, at)
        queues[branch.port].append((branch.phase, len(links)))
    for queue in map(sorted, queues):
        assert [phase for phase, _ in queue] == list(
            range(1, len(queue) + 1))
        assert queue == sorted(queue, key=lambda one: one[1])
    return max(map(len, queues))


@pytest.mark.parametrize("size", SOME_SIZES)
def test_stars(core, size):
    """Of all nodes; of some, out of ports as equal as these allow."""
    rng = random.Random(f"{SEED} group {size}")
    nodes = [(x, y) for x in range(size[0]) for y in range(size[1])]
    for number in range(41 if len(nodes) < 100 else 5):
        originator = rng.choice(nodes)
        members = set(nodes if number == 0 else
                      rng.sample(nodes, rng.randint(0, len(nodes))))
        members.discard(originator)
        phases, raw = (library.tree(core, "star", *size, originator)
                       if number == 0 else library.group_star(
                           core, *size, originator, members))
        least = shortest_queue([shortest_ports(size, originator, at)
                                for at in members])
        assert phases == check_star(size, originator, members, raw)
        assert phases == least or number == 0 and phases <= least + 1


# ---- the checker ----

def test_the_checker_finds_what_is_wrong(core):
    good = grow(core, "scatter", (7, 6))[1]

    def refused(bad, why, originator=(0, 0)):
        with pytest.raises(tree.Wrong, match=why):
            tree.check(7, 6, originator, bad)

    index = max(range(1, len(good)), key=lambda i: good[i].nodes)
    for field, change, why in (
            ("x", 1, "path ends|reached twice"), ("phase", -1, ""),
            ("port", 1, ""), ("turn", 3, "port or turn"),
            ("hops", 2, "path ends"), ("nodes", 1, ""),
            ("phase", 9, "before its parent")):
        value = getattr(good[index], field) + change
        refused([*good[:index], good[index]._replace(**{field: value}),
                 *good[index + 1:]], why)
    sources = [None, *(circuit.source for circuit in
                       tree.check(7, 6, (0, 0), good))]
    index = next(i for i in range(1, len(good) - 1)
                 if good[i].nodes == good[i + 1].nodes == 1
                 and sources[i] == sources[i + 1])
    refused([*good[:index], good[index + 1], good[index], *good[index + 2:]],
            "order of children")
    refused(good[:-1] + [good[-1]._replace(x=good[1].x, y=good[1].y)],
            "reached twice")
    refused(good[:-1], "not all nodes")
    refused(good, "root", (1, 0))
    # East, and north round the corner over the same first link: no.
    bad = [tree.Branch(*fields) for fields in (
        (0, 0, 4, 0, 0, 0, 0, 0), (1, 0, 2, 1, 0, 0, 1, 0),
        (3, 0, 1, 2, 2, 0, 2, 0), (2, 0, 1, 2, 0, 0, 2, 0))]
    with pytest.raises(tree.Wrong, match="held twice"):
        tree.check(4, 1, (0, 0), bad)


def test_the_oracle_sees_unordered_pairs():
    """Two nodes that know nothing of each other, across the same link."""
    first = tree.Circuit(1, (0, 0), (0, 1), 1, [1])
    other = tree.Circuit(1, (0, 0), (1, 0), 0, [0])
    across = tree.Circuit(2, (0, 1), (2, 0), 3, [1, 0, 2])
    back = tree.Circuit(2, (1, 0), (4, 0), 2, [0, 8])
    queued = tree.Circuit(2, (0, 0), (2, 1), 0, [0, 2, 4])
    assert tree.shared_pairs([first, other, across]) == (
        {(0, 2), (1, 2)}, {(1, 2)})
    assert tree.shared_pairs([first, other, back]) == ({(1, 2)}, set())
    assert tree.shared_pairs([first, other, queued]) == ({(1, 2)}, set())

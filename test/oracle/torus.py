# SPDX-License-Identifier: Apache-2.0
"""The Peters-Syska scatter on explicit coordinates, unit step by unit step.

Independent of torus/: no formula for a node's parent, the scatter is grown
phase by phase from the originator. A node is (x, y); an undirected link is the
frozen pair of its ends, which has two names only on sides of 1 and 2.
"""
from collections import namedtuple

EAST, NORTH, WEST, SOUTH = range(4)
MOVES = {EAST: (1, 0), NORTH: (0, 1), WEST: (-1, 0), SOUTH: (0, -1)}
LEFT_OF = {EAST: NORTH, NORTH: WEST, WEST: SOUTH, SOUTH: EAST}

Circuit = namedtuple("Circuit", "phase source port nodes")
Circuit.__doc__ = "nodes: every node on the way, both ends included."


def walk(side, start, port, count):
    """The nodes after each of `count` unit steps."""
    x, y = start
    dx, dy = MOVES[port]
    nodes = []
    for _ in range(count):
        x, y = x + dx, y + dy
        if x == side:
            x = 0
        if y == side:
            y = 0
        if x < 0:
            x = side - 1
        if y < 0:
            y = side - 1
        nodes.append((x, y))
    return nodes


def phases_of(side):
    """2k on 5^k; ValueError on any other side."""
    power = 0
    while 5 ** power < side:
        power += 1
    if 5 ** power != side:
        raise ValueError(f"{side} is not a power of five")
    return 2 * power


def circuit(side, phase, source, port):
    step = (phase + 1) // 2
    far = 5 ** (phases_of(side) // 2 - step)
    nodes = [source] + walk(side, source, port, far)
    if phase % 2:
        nodes += walk(side, nodes[-1], LEFT_OF[port], 2 * far)
    return Circuit(phase, source, port, nodes)


def scatter(side, originator, phases=None):
    """All circuits, phase by phase; a node is active after its phase."""
    if phases is None:
        phases = phases_of(side)
    active = [originator]
    circuits = []
    for phase in range(1, phases + 1):
        fresh = [circuit(side, phase, source, port)
                 for source in active for port in range(4)]
        active = active + [c.nodes[-1] for c in fresh]
        circuits += fresh
    return circuits


def links(one):
    """Undirected links of a circuit, in order."""
    return [frozenset(pair) for pair in zip(one.nodes, one.nodes[1:])]


def self_check():
    """Counts and coordinates that were worked out by hand."""
    first = scatter(5, (0, 0), 1)
    assert [c.nodes[-1] for c in first] == [(1, 2), (3, 1), (4, 3), (2, 4)]
    for side, counts in ((5, [12, 20]), (25, [60, 100, 300, 500])):
        circuits = scatter(side, (0, 0))
        reached = [c.nodes[-1] for c in circuits]
        assert len(set(reached)) == len(reached) == side * side - 1
        for phase, count in enumerate(counts, 1):
            used = [k for c in circuits if c.phase == phase
                    for k in links(c)]
            assert len(used) == len(set(used)) == count

# SPDX-License-Identifier: Apache-2.0
"""Every oracle agrees with the theory's examples, worked out by hand; and the
optimum of a tree, carried out, is one."""
import importlib
import itertools
import random
from fractions import Fraction

import pytest

import optimum
import torus
from execute import Lane, Node, Send, execute, last_end, neighbours


@pytest.mark.parametrize("name", ["execute", "model", "optimum", "torus"])
def test_the_oracle_agrees_with_the_theory(name):
    importlib.import_module(name).self_check()


def random_tree(rng):
    """Nodes of any tree, with lanes, software and startups; a unit takes longer
    to compute than to reach any node, else an optimum may leave nodes out."""
    lanes = [{} for _ in range(rng.randint(2, 9))]
    for i in range(1, len(lanes)):
        lanes[rng.randrange(i)].setdefault(rng.randrange(2), []).append(
            Send(i, rng.randint(0, 9), rng.randint(0, 5)))
    return [Node(rng.randint(50, 90), tuple(
        Lane(tuple(sends), rng.randint(0, 3)) for sends in of.values()),
                 rng.randint(0, 5)) for of in lanes]


def test_no_neighbour_of_an_optimum_ends_earlier():
    """Carried out, all nodes end together; and whatever a node gives to
    another, one of them or of those behind it ends later."""
    rng, found = random.Random(34), 0
    while found < 60:
        nodes = random_tree(rng)
        makespan, shares = optimum.Tree(nodes).solve(rng.randint(10, 10 ** 3))
        if min(shares) < 0:
            continue
        found += 1
        assert set(execute(nodes, [shares]).ended[0]) == {makespan}
        for step in (1, Fraction(1, 1000)):
            for other in neighbours(shares, step):
                assert last_end(nodes, [other]) > makespan


def test_no_circuit_of_the_scatter_waits():
    """Carried out with every link, on 5x5 and 25x25 nodes, in whole units."""
    for side, load in ((5, 100), (25, 10 ** 5)):
        phases = torus.phases_of(side)
        names, nodes = optimum.pattern(lambda _: 10, [2] * phases,
                                       [30] * phases)
        places, linked = {(): (side - 1, 1)}, []
        for name, node in zip(names, nodes):
            lanes = []
            for lane in node.lanes:
                ways = [torus.circuit(side, send.name[-1][0], places[name],
                                      send.name[-1][1]) for send in lane.sends]
                places.update((send.name, way.nodes[-1])
                              for send, way in zip(lane.sends, ways))
                lanes.append(Lane(tuple(
                    send._replace(links=tuple(torus.links(way)))
                    for send, way in zip(lane.sends, ways))))
            linked.append(node._replace(lanes=tuple(lanes)))
        makespan, shares = optimum.Tree(nodes).solve(load)
        sums = [0, *itertools.accumulate(shares)]
        for given in (shares, [b.__floor__() - a.__floor__()
                               for a, b in zip(sums, sums[1:])]):
            times = execute(linked, [given])
            assert len(set(places.values())) == side * side
            assert not times.conflicts
            assert given is not shares or set(times.ended[0]) == {makespan}

# SPDX-License-Identifier: Apache-2.0
"""The scatter with its links, independent of qemu/model/simulate.c.

Geometry from oracle/torus.py (unit steps), exact shares and laminar splits from
oracle/model.py (fractions), carried out by execute.py. A node is (x, y); a link
is the frozen pair of its ends.
"""
from collections import namedtuple
from fractions import Fraction
from functools import lru_cache

import execute
import model
import torus
from execute import Lane, Send

Node = namedtuple("Node", "layer volume share received finished")
Meeting = namedtuple("Meeting", "time phase other source port link")
Outcome = namedtuple("Outcome", "nodes circuits conflicts first")


def carry_out(side, plan, startup, hop_delay, transfer, originator, load):
    """Outcome of a model.Plan; times are integers."""
    split = lru_cache(None)(
        lambda layer, units: model.split_laminar(plan, layer, units))
    places, layers, volumes = [originator], [0], [load]
    nodes, shares = [], []
    for place, layer, units in zip(places, layers, volumes):  # they grow
        own, parts = split(layer, units)
        lanes = [[], [], [], []]
        for phase, port, sent in sorted(parts):
            one = torus.circuit(side, phase, place, port)
            links = torus.links(one)
            lanes[port].append(Send(len(places), startup
                                    + len(links) * hop_delay, transfer, links,
                                    phase))
            places.append(one.nodes[-1])
            layers.append(phase)
            volumes.append(sent)
        shares.append(own)
        nodes.append(execute.Node(int(plan.compute), tuple(
            Lane(tuple(lane)) for lane in lanes), place=place[::-1]))
    if len(set(places)) != len(places):
        raise ValueError("a node is reached twice")
    times = execute.execute(nodes, [shares])
    first = None
    if times.conflicts:
        one = times.conflicts[0]
        first = Meeting(one.time, one.send.name, one.other.name,
                        places[one.node], one.lane, one.link)
    return Outcome(dict(zip(places, map(
        Node, layers, volumes, shares, times.received[0],
        times.ended[0]))),
                   len(places) - 1, len(times.conflicts), first)


def run(side, load, compute, startup, transfer, hop_delay=0, phases=None,
        originator=(0, 0)):
    """(plan, Outcome): `phases` None takes the best plan."""
    transfers, startups = model.costs(torus.phases_of(side) // 2, startup,
                                      transfer, hop_delay)
    if phases is None:
        plan = model.best(load, compute, transfers, startups)
    else:
        plan = model.solve(load, compute, transfers[:phases],
                           startups[:phases])
    return plan, carry_out(side, plan, startup, hop_delay, transfer,
                           originator, load)


def self_check():
    """The hundred units of the theory."""
    plan, outcome = run(5, 100, 1, 1, 1)
    kept = sorted((node.layer, node.share) for node in outcome.nodes.values())
    assert kept == sorted([(0, 23)] + 4 * [(1, 6)] + 13 * [(2, 3)]
                          + 7 * [(2, 2)])
    assert max(node.finished for node in outcome.nodes.values()) == 25
    assert plan.makespan == Fraction(71, 3)
    assert (outcome.circuits, outcome.conflicts) == (24, 0)

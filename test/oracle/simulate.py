# SPDX-License-Identifier: Apache-2.0
"""The scatter as an event simulation, independent of qemu/model/simulate.c.

Geometry from oracle/torus.py (unit steps), exact shares and laminar splits
from oracle/model.py (fractions), events in a heap. A node is (x, y); a link is
the frozen pair of its ends. The rules at one time, in this order: circuits
that end release their links and deliver; circuits that wait are tried again,
oldest first; new ones are asked for by node (row by row), then port.
"""
import heapq
from collections import namedtuple
from fractions import Fraction
from functools import lru_cache

import model
import torus

Node = namedtuple("Node", "layer volume share received finished")
Meeting = namedtuple("Meeting", "time phase other source port link")
Outcome = namedtuple("Outcome", "nodes circuits conflicts first")


class Simulation:
    """One run; `plan` is a model.Plan, times are integers."""

    def __init__(self, side, plan, startup, hop_delay, transfer, originator):
        self.side, self.plan = side, plan
        self.startup, self.hop_delay = startup, hop_delay
        self.transfer = transfer
        self.originator = originator
        self.heap, self.order = [], 0
        self.nodes = {}
        self.holder = {}   # link: the phase of who holds it
        self.waiting = []
        self.circuits = self.conflicts = 0
        self.first = None
        self.split = lru_cache(None)(
            lambda layer, units: model.split_laminar(plan, layer, units))

    def receive(self, now, place, layer, units):
        """The new requests: (row, column, port, queue of (phase, units))."""
        if place in self.nodes:
            raise ValueError(f"{place} is reached twice")
        own, parts = self.split(layer, units)
        compute = int(self.plan.compute)
        self.nodes[place] = Node(layer, units, own, now, now + own * compute)
        queues = [[], [], [], []]
        for phase, port, sent in sorted(parts):
            queues[port].append((phase, sent))
        x, y = place
        return [(y, x, port, queue) for port, queue in enumerate(queues)
                if queue]

    def try_to_grant(self, now, request):
        """The first link that is held, or None after the set-up."""
        y, x, port, queue = request
        phase, units = queue[0]
        one = torus.circuit(self.side, phase, (x, y), port)
        links = torus.links(one)
        for link in links:
            if link in self.holder:
                return link
        for link in links:
            self.holder[link] = phase
        end = now + (self.startup + len(links) * self.hop_delay
                     + units * self.transfer)
        self.order += 1
        self.circuits += 1
        heapq.heappush(self.heap, (end, self.order, request, one))
        return None

    def ask(self, now, request):
        link = self.try_to_grant(now, request)
        if link is not None:
            self.conflicts += 1
            self.waiting.append(request)
            y, x, port, queue = request
            if self.first is None:
                self.first = Meeting(now, queue[0][0], self.holder[link],
                                     (x, y), port, link)

    def end_all(self, now):
        """All circuits that end now; the requests that follow from them."""
        requests = []
        ended = []
        while self.heap and self.heap[0][0] == now:
            ended.append(heapq.heappop(self.heap)[2:])
        for (y, x, port, queue), one in ended:
            for link in torus.links(one):
                del self.holder[link]
            phase, units = queue.pop(0)
            requests += self.receive(now, one.nodes[-1], phase, units)
            if queue:
                requests.append((y, x, port, queue))
        return requests

    def run(self, load):
        requests = self.receive(0, self.originator, 0, load)
        now = 0
        while requests or self.heap:
            for request in sorted(requests):
                self.ask(now, request)
            if self.heap:
                now = self.heap[0][0]
            requests = self.end_all(now)
            self.waiting = [request for request in self.waiting
                            if self.try_to_grant(now, request) is not None]
        if self.waiting:
            raise ValueError("circuits wait for ever")
        return Outcome(self.nodes, self.circuits, self.conflicts, self.first)


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
    return plan, Simulation(side, plan, startup, hop_delay, transfer,
                            originator).run(load)


def self_check():
    """The hundred units of the theory, and two circuits that do meet."""
    plan, outcome = run(5, 100, 1, 1, 1)
    kept = sorted((node.layer, node.share) for node in outcome.nodes.values())
    assert kept == sorted([(0, 23)] + 4 * [(1, 6)] + 13 * [(2, 3)]
                          + 7 * [(2, 2)])
    assert max(node.finished for node in outcome.nodes.values()) == 25
    assert plan.makespan == Fraction(71, 3)
    assert (outcome.circuits, outcome.conflicts) == (24, 0)
    # The way of the first is held until 7; the second asks at 3, gets it then.
    held = Simulation(5, plan, 0, 0, 1, (0, 0))
    held.ask(0, (0, 0, torus.EAST, [(2, 7)]))
    held.ask(3, (0, 1, torus.WEST, [(2, 2)]))
    assert (held.conflicts, held.circuits) == (1, 1)
    assert held.first.time == 3 and held.first.source == (1, 0)
    held.holder.clear()
    assert held.try_to_grant(7, held.waiting[0]) is None
    assert sorted(entry[0] for entry in held.heap) == [7, 9]


if __name__ == "__main__":
    self_check()
    print("simulate: agrees with the worked example")

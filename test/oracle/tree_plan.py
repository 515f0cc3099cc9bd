# SPDX-License-Identifier: Apache-2.0
"""Shares of any tree so that all nodes finish together, in fractions.

The equations of scatter/plan/tree.h, by node speeds. Times in picoseconds, from
the root's start. Independent of scatter/: what solve() finds is carried out by
execute.py, which knows no line and no time left, only who sends what when.
"""
import struct
from collections import namedtuple

import optimum
from execute import Lane, Node, Send, execute

BRANCH = struct.Struct("<IIHBBHH")
PHASES_MAX = 226

# turn and port share a byte on the wire
Branch = namedtuple(
    "Branch", "units first nodes port turn phase hops hops_after")
Costs = namedtuple(
    "Costs", "load compute transfer startup hop branch parse send start "
             "begin ports store_and_forward equal")
Costs.__new__.__defaults__ = (0, 0, 0, 0, 0, 0, 0, 4, False, False)


def pack(branches):
    return b"".join(
        BRANCH.pack(b.units, b.first, b.nodes, b.port | b.turn << 4, b.phase,
                    b.hops, b.hops_after) for b in branches)


def unpack(data):
    return [Branch(units, first, nodes, byte & 15, byte >> 4, phase, hops,
                   after)
            for units, first, nodes, byte, phase, hops, after
            in BRANCH.iter_unpack(data)]


def children(branches, index):
    at, end = index + 1, index + branches[index].nodes
    while at < end:
        yield at
        at += branches[at].nodes


def wire(branches):
    """A tree of schedule/tree.h, (x, y, nodes, phase, port, turn, hops, after)
    each, as an order has it: children by rising phase; and its nodes."""
    out, at = [], []

    def copy(index):
        x, y, nodes, phase, port, turn, hops, after = branches[index]
        out.append(Branch(0, 0, nodes, port, turn, phase, hops, after))
        at.append((x, y))
        below, child = [], index + 1
        while child < index + nodes:
            below.append(child)
            child += branches[child][2]
        for child in sorted(below, key=lambda i: branches[i][3:5]):
            copy(child)

    copy(0)
    return out, at


def pruned(branches, slow, last):
    """What is left without the phases beyond `last`; the indices kept."""
    kept = [i for i, b in enumerate(branches) if b.phase <= last]
    before = [0]
    for branch in branches:
        before.append(before[-1] + (branch.phase <= last))
    out = [branches[i]._replace(
        nodes=before[i + branches[i].nodes] - before[i]) for i in kept]
    return out, [slow[i] for i in kept]


class Tree(optimum.Tree):
    """A tree with its costs, which say who may send when, and how long that
    takes; plan.h's `ports` other than 4: lanes take children in turn."""

    def __init__(self, branches, slow, costs, grid=None, round_end=0):
        self.branches, self.slow, self.costs = branches, slow, costs
        self.below = [list(children(branches, i))
                      for i in range(len(branches))]
        super().__init__([self.node(i, round_end)
                          for i in range(len(branches))], grid)

    def send(self, index):
        c, b = self.costs, self.branches[index]
        hops = b.hops + (b.hops_after if b.turn else 0)
        stages = hops if c.store_and_forward else 1
        return Send(index, stages * (c.startup + c.branch * b.nodes)
                    + c.hop * hops, c.transfer * stages)

    def node(self, index, round_end):
        """Software of a slow board is slow too."""
        c, slow = self.costs, self.slow[index]
        lanes = {}
        for place, child in enumerate(self.below[index]):
            lane = (self.branches[child].port if c.ports == 4
                    else place % c.ports)
            first = (c.parse + c.send * (place + 1)) << slow
            lanes.setdefault(lane, Lane([], first)).sends.append(
                self.send(child))
        return Node(c.compute << slow, tuple(lanes.values()),
                    (c.parse + c.send * len(self.below[index]) + c.start
                     + (c.begin if index else 0)) << slow,
                    round_end << slow)

    def solve(self, load=None, factor=1):
        return super().solve(load or self.costs.load, factor)

    def ends(self, shares):
        """When every node ends, given what each keeps."""
        return execute(self.nodes, [shares]).ended[0]

    def last_ends(self, rounds, overhead=0):
        """When every node ends at last, if node i computes rounds[r][i]. Each
        further round costs the originator its sends and an overhead."""
        again = len(self.below[0]) * self.costs.send + overhead
        return execute(self.nodes, rounds,
                       again=again << self.slow[0]).ended[-1]


def plan(branches, slow, costs, grid=None, most=None):
    """(phases, Tree, makespan, shares) with as many phases as are feasible,
    tried from `most` down."""
    last = max(b.phase for b in branches)
    last = last if most is None else min(last, most)
    while True:
        tree = Tree(*pruned(branches, slow, last), costs, grid)
        makespan, shares = tree.solve()
        if min(shares) >= 0:
            return last, tree, makespan, shares
        if last == 0:
            return None
        last -= 1


def grown(parents, way, phases=None):
    """The tree in preorder; parents[i] < i, siblings by rising phase; without
    phases, each child of a node one later. way() is a path: port, turn, hops,
    hops after."""
    below = [[] for _ in parents]
    for i, parent in enumerate(parents[1:], 1):
        below[parent].append(i)
    out = []

    def copy(i, phase):
        at = len(out)
        port, turn, hops, after = way() if i else (0, 0, 0, 0)
        out.append(Branch(0, 0, 1, port, turn, phase, hops, after))
        for place, child in enumerate(sorted(
                below[i], key=lambda j: phases[j] if phases else 0)):
            copy(child, phases[child] if phases else phase + 1 + place)
        out[at] = out[at]._replace(nodes=len(out) - at)

    copy(0, 0)
    return out

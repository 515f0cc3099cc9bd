# SPDX-License-Identifier: Apache-2.0
"""Shares of any tree so that all nodes finish together, in fractions.

The equations of scatter/plan/tree.h, by node speeds. Times in picoseconds, from
the root's start. Independent of scatter/: what solve() finds is checked by
simulate(), which knows no line and no time left, only who sends what when.
"""
import struct
from collections import namedtuple
from fractions import Fraction

BRANCH = struct.Struct("<IIHBBHH")
PHASES_MAX = 240

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


class Tree:
    """A tree with its costs: who may send when, and how long that takes.

    Without a grid all is exact. Large trees' numbers would have very many
    digits: theirs are integers, in units of 1 / grid, each off by a few.
    """

    def __init__(self, branches, slow, costs, grid=None):
        self.branches = branches
        self.slow = slow
        self.costs = costs
        self.grid = grid
        self.below = [list(children(branches, i))
                      for i in range(len(branches))]

    def times(self, a, b):
        return a * b if self.grid is None else a * b // self.grid

    def over(self, a, b):
        if self.grid is None:
            return Fraction(a) / b
        return a * self.grid // b

    def hops(self, index):
        b = self.branches[index]
        return b.hops + (b.hops_after if b.turn else 0)

    def stages(self, index):
        return self.hops(index) if self.costs.store_and_forward else 1

    def startup(self, index):
        c = self.costs
        return (self.stages(index)
                * (c.startup + c.branch * self.branches[index].nodes)
                + c.hop * self.hops(index))

    def rate(self, index):
        return self.costs.transfer * self.stages(index)

    def unit(self, index):
        return self.costs.compute << self.slow[index]

    def lanes(self, index):
        """(first send's place, children) of each queue."""
        found = {}
        for place, child in enumerate(self.below[index]):
            lane = (self.branches[child].port if self.costs.ports == 4
                    else place % self.costs.ports)
            found.setdefault(lane, (place, []))[1].append(child)
        return found.values()

    def queued(self, index, place):
        """Software of a slow board is slow too."""
        c = self.costs
        return (c.parse + c.send * (place + 1)) << self.slow[index]

    def computes(self, index):
        c = self.costs
        return (c.parse + c.send * len(self.below[index]) + c.start
                + (c.begin if index else 0)) << self.slow[index]

    def lines(self):
        """(p, q) of every subtree: with s left it takes p s - q."""
        one = self.grid or 1
        lines = [None] * len(self.branches)
        for i in reversed(range(len(self.branches))):
            p = self.over(one, self.unit(i) * one)
            q = p * self.computes(i)
            for place, queue in self.lanes(i):
                # What is left for the next: slope s - offset.
                slope, offset = one, self.queued(i, place) * one
                for child in queue:
                    pc, qc = lines[child]
                    by = one + self.rate(child) * pc
                    slope = self.over(slope, by)
                    offset = self.over(
                        offset + self.startup(child) * one
                        - self.rate(child) * qc, by)
                    p += self.times(pc, slope)
                    q += self.times(pc, offset) + qc
            lines[i] = p, q
        return lines

    def solve(self):
        """(makespan, own shares), whatever their signs."""
        one = self.grid or 1
        lines = self.lines()
        p, q = lines[0]
        left = [None] * len(self.branches)
        left[0] = self.over(self.costs.load * one + q, p)
        shares = []
        for i in range(len(self.branches)):
            shares.append(Fraction(left[i] - self.computes(i) * one,
                                   self.unit(i) * one))
            for place, queue in self.lanes(i):
                s = left[i] - self.queued(i, place) * one
                for child in queue:
                    pc, qc = lines[child]
                    s = self.over(s - self.startup(child) * one
                                  + self.rate(child) * qc,
                                  one + self.rate(child) * pc)
                    left[child] = s
        return Fraction(left[0], one), shares

    def simulate(self, shares):
        """When every node ends, given what everybody keeps."""
        volumes = list(shares)
        for i in reversed(range(len(shares))):
            volumes[i] += sum(volumes[child] for child in self.below[i])
        received, ends = [0] * len(shares), []
        for i, share in enumerate(shares):
            ends.append(received[i] + self.computes(i)
                        + share * self.unit(i))
            for place, queue in self.lanes(i):
                now = received[i] + self.queued(i, place)
                for child in queue:
                    now += (self.startup(child)
                            + self.rate(child) * volumes[child])
                    received[child] = now
        return ends


def floors(tree):
    """Ranges of equal shares: where each begins."""
    nodes = len(tree.branches)
    return [tree.costs.load * i // nodes for i in range(nodes)]


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


def two_layers(layers=2):
    """The scatter of 5x5: a knight of 3 hops, then a cross of 1."""
    def grow(phase):
        out = []
        for later in range(phase + 1, layers + 1):
            for port in range(4):
                below = grow(later)
                turn, after = ((1, 2) if later == 1 else (0, 0))
                out += [Branch(0, 0, 1 + len(below), port, turn, later, 1,
                               after)] + below
        return out

    below = grow(0)
    return [Branch(0, 0, 1 + len(below), 0, 0, 0, 0, 0)] + below


def self_check():
    """Examples that were worked out by hand."""
    one = Branch(0, 0, 2, 0, 0, 0, 0, 0)
    leaf = Branch(0, 0, 1, 0, 0, 1, 1, 0)
    _, _, makespan, shares = plan([one, leaf], [0, 0], Costs(30, 1, 1))
    assert makespan == 20 and shares == [20, 10]
    both = two_layers()
    slow = [b.phase for b in both]
    examples = [  # tree, slow, costs, makespan
        (two_layers(1), [0] * 5, Costs(100, 1, 1, 1), Fraction(34)),
        (two_layers(1), [0] * 5, Costs(100, 1, 1, 1, ports=2), Fraction(41)),
        (two_layers(1), [0] * 5, Costs(100, 1, 1, 1, ports=1),
         Fraction(1649, 31)),
        (both, [0] * 25, Costs(100, 1, 1, 1), Fraction(71, 3)),
        (both, slow, Costs(100, 1, 2, 2), 2 * Fraction(264, 13)),
        (both, [0] * 25, Costs(100, 1, 1, 1, store_and_forward=True),
         Fraction(529, 12))]
    for branches, slower, costs, want in examples:
        tree = Tree(branches, slower, costs)
        makespan, shares = tree.solve()
        assert makespan == want, (costs, makespan)
        assert set(tree.simulate(shares)) == {makespan}
        assert sum(shares) == costs.load

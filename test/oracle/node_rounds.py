# SPDX-License-Identifier: Apache-2.0
"""Several rounds over nodes that differ, in exact fractions: speeds of single
nodes, and 1, 2 or 4 ports at once. A node is the tuple of the (phase, port)s
that lead to it. carry_out() knows no equation: it takes what everybody computes
in each round and says who receives when. Independent of qemu/model/.
"""
from collections import namedtuple
from fractions import Fraction

Plan = namedtuple("Plan", "makespan turns shares")  # [round][node]
STEPS = 40  # of a bisection


class Mesh:
    """All nodes of so many phases. Times in ps; transfers[i], startups[i] of
    phase i + 1; compute_of(node) a unit."""

    def __init__(self, load, compute_of, transfers, startups, ports=4):
        self.load = load
        self.transfers = [Fraction(t) for t in transfers]
        self.startups = [Fraction(s) for s in startups]
        self.ports = ports
        self.nodes = [()]
        for phase in range(1, len(startups) + 1):
            self.nodes += [node + ((phase, port),) for node in self.nodes
                           for port in range(4)]
        self.unit = {node: Fraction(compute_of(node)) for node in self.nodes}
        below = {node: [] for node in self.nodes}
        for node in self.nodes[1:]:
            below[node[:-1]].append(node)
        # A lane's children in the order of sending; port p + ports goes behind
        # port p.
        self.lanes = {node: [[c for c in sorted(below[node],
                                                key=lambda c: c[-1])
                              if c[-1][1] % ports == lane]
                             for lane in range(ports)] for node in self.nodes}
        self.upwards = sorted(self.nodes, key=len, reverse=True)

    def startup(self, node):
        return self.startups[node[-1][0] - 1]

    def transfer(self, node):
        return self.transfers[node[-1][0] - 1]

    def volumes(self, shares):
        """What everybody receives, of what everybody computes."""
        out = {}
        for node in self.upwards:
            out[node] = shares[node] + sum(
                out[child] for lane in self.lanes[node] for child in lane)
        return out

    def lines(self, ahead, factor=1):
        """(p, q): with s left, a subtree takes p s - q. A send holds its lane
        for `ahead` and its transfer times `factor`."""
        out = {}
        for node in self.upwards:
            p, q = 1 / self.unit[node], Fraction(0)
            for lane in self.lanes[node]:
                slope, offset = Fraction(1), Fraction(0)
                for child in lane:
                    pc, qc = out[child]
                    by = 1 + factor * self.transfer(child) * pc
                    slope /= by
                    offset = (offset - ahead[child]
                              + factor * self.transfer(child) * qc) / by
                    p, q = p + pc * slope, q - pc * offset + qc
            out[node] = p, q
        return out

    def left(self, root, lines, ahead, factor=1):
        """What everybody has left if the originator has `root`."""
        out = {(): Fraction(root)}
        for node in self.nodes:  # parents first
            for lane in self.lanes[node]:
                at = out[node]
                for child in lane:
                    p, q = lines[child]
                    at = (at - ahead[child]
                          + factor * self.transfer(child) * q) / (
                              1 + factor * self.transfer(child) * p)
                    out[child] = at
        return out

    def least(self, lines, ahead, wanted):
        """The least of the originator's with which nobody has less than
        `wanted`: everybody's is a straight line of the originator's."""
        zero = self.left(0, lines, ahead)
        one = self.left(1, lines, ahead)
        return max([Fraction(0)] + [
            (wanted[node] - zero[node]) / (one[node] - zero[node])
            for node in self.nodes[1:]])

    def wanted(self, lines, after=None):
        """The least that each must have left: to receive nothing negative, and,
        of a round with one after it, for the lanes to be free again."""
        out = {}
        for node in self.nodes:
            for lane in self.lanes[node]:
                sent = Fraction(0)
                for child in lane:
                    p, q = lines[child]
                    if after is not None:
                        sent += self.startup(child) + after[child]
                    out[child] = max(Fraction(0), q / p, sent)
        return out

    def rounds(self, count, last=None):
        """[times of everybody between its turns] of all rounds, where the
        originator has `last` in the last one; None: the least."""
        ahead = {node: self.startup(node) for node in self.nodes[1:]}
        found, moved = [], None
        for _ in range(count):
            lines = self.lines(ahead)
            least = self.least(lines, ahead, self.wanted(lines, moved))
            if moved is None and last is not None:
                least = last
            left = self.left(least, lines, ahead)
            found.insert(0, left)
            volumes = self.volumes({n: left[n] / self.unit[n]
                                    for n in self.nodes})
            moved = {n: self.transfer(n) * volumes[n] for n in self.nodes[1:]}
            ahead = {n: -m for n, m in moved.items()}
        return found

    def taken(self, rounds):
        return sum(left[n] / self.unit[n] for left in rounds
                   for n in self.nodes)

    def solve(self, count):
        """The plan of so many rounds, or None. What all take is piecewise
        linear in the last round's time, so secants arrive exactly."""
        if count > 1 and len(self.nodes) == 1:
            return None
        low = self.rounds(count)
        if self.taken(low) > self.load:
            return None
        ends = [(low[-1][()], self.taken(low))]
        high = self.load * self.unit[()]
        ends.append((high, self.taken(self.rounds(count, high))))
        found = low
        for trial in range(99):
            (a, taken_a), (b, taken_b) = ends
            if taken_a == self.load:
                break
            part = (Fraction(1, 2) if trial % 4 == 3 else
                    (self.load - taken_a) / (taken_b - taken_a))
            at = a + part * (b - a)
            found = self.rounds(count, at)
            taken = self.taken(found)
            ends[taken > self.load] = at, taken
        else:
            raise ValueError("the secant does not arrive")
        makespan = sum(left[()] for left in found)
        turns, after = [], {n: makespan for n in self.nodes}
        for left in reversed(found):
            after = {n: after[n] - left[n] for n in self.nodes}
            turns.insert(0, after)
        shares = [{n: left[n] / self.unit[n] for n in self.nodes}
                  for left in found]
        return Plan(makespan, turns, shares)

    def carry_out(self, begins, shares, at_once=False):
        """(receipts[round][node], last end). The originator does not send round
        r before begins[r]; all others take a round in when they have computed
        the one before, or `at_once` when it comes."""
        receipts = [{(): Fraction(b)} for b in begins]
        done = {n: Fraction(0) for n in self.nodes}
        free = {}
        for came, own in zip(receipts, shares):
            volumes = self.volumes(own)
            for node in self.nodes:
                turn = came[node]
                if node and not at_once:
                    turn = max(turn, done[node])
                for number, lane in enumerate(self.lanes[node]):
                    now = max(turn, free.get((node, number), 0))
                    for child in lane:
                        now += (self.startup(child)
                                + self.transfer(child) * volumes[child])
                        came[child] = now
                    free[node, number] = now
                if node:
                    done[node] = max(came[node], done[node]) + (
                        own[node] * self.unit[node])
        done[()] = sum(own[()] for own in shares) * self.unit[()]
        return receipts, max(done.values())

    def first(self, part):
        """(T, shares of all rounds, starts) of similar rounds whose first part
        is this one; None if somebody receives less than nothing."""
        ahead = {node: self.startup(node) for node in self.nodes[1:]}
        lines = self.lines(ahead, part)
        p, q = lines[()]
        makespan = (self.load + q) / p
        left = self.left(makespan, lines, ahead, part)
        shares = {n: left[n] / self.unit[n] for n in self.nodes}
        if min(left.values()) < 0 or min(self.volumes(shares).values()) < 0:
            return None
        return makespan, shares, {n: makespan - left[n] for n in self.nodes}

    def arrivals(self, part, volumes, free):
        """Receipts of one more round of this part, each passed on at once, and
        when lanes are free behind it."""
        came, ends = {(): Fraction(0)}, {}
        for node in self.nodes:
            for number, lane in enumerate(self.lanes[node]):
                now = max(came[node], free.get((node, number), 0))
                for child in lane:
                    now += (self.startup(child)
                            + part * self.transfer(child) * volumes[child])
                    came[child] = now
                ends[node, number] = now
        return came, ends

    def parts(self, first, count):
        """(T, parts) of similar rounds, each as large as comes in time; the
        parts' sum is less than 1 if these rounds do not suffice."""
        solved = self.first(first)
        if solved is None:
            return None
        makespan, shares, start = solved
        volumes = self.volumes(shares)
        _, free = self.arrivals(first, volumes, {})
        found, done = [first], first

        def late(part):
            came, _ = self.arrivals(part, volumes, free)
            return any(came[n] > start[n] + done * (makespan - start[n])
                       for n in self.nodes[1:])

        for _ in range(1, count):
            low, high = 0, 1 << STEPS
            if not late(1 - done):
                low = high
            while high - low > 1:
                middle = (low + high) // 2
                if late((1 - done) * Fraction(middle, 1 << STEPS)):
                    high = middle
                else:
                    low = middle
            part = (1 - done) * Fraction(low, 1 << STEPS)
            if part == 0:
                break
            _, free = self.arrivals(part, volumes, free)
            found.append(part)
            done += part
            if done == 1:
                break
        return makespan, found


def self_check():
    """One child, by hand. Startup 1, transfer 1, compute 2, load 40."""
    mesh = Mesh(4000, lambda n: 40 + len(n), [1, 1], [1, 2], 1)
    pair = Mesh(40, lambda _: 2, [1], [1], 1)
    pair.nodes = [(), ((1, 0),)]
    pair.lanes = {(): [[((1, 0),)]], ((1, 0),): [[]]}
    pair.upwards = [((1, 0),), ()]
    # Two halves: the child has the first at 11, computes it until 31 and has
    # the second at 22.
    receipts, end = pair.carry_out([0, 0], [{(): 20, ((1, 0),): 10},
                                            {(): 0, ((1, 0),): 10}])
    assert [came[(1, 0),] for came in receipts] == [11, 22] and end == 51
    # One round: 2 a = 40 - a ... T = 2 (40 - a) = 1 + a + 2 a.
    plan = pair.solve(1)
    assert plan.makespan == Fraction(80 - 2 * Fraction(79, 5))
    # Two: the first keeps the lane busy as long as the second takes, 1 + b.
    plan = pair.solve(2)
    b = plan.shares[1][(1, 0),]
    assert 2 * plan.shares[0][(1, 0),] == 1 + b
    for rounds in (1, 2, 3):
        plan = mesh.solve(rounds)
        begins = [turn[()] for turn in plan.turns]
        receipts, end = mesh.carry_out(begins, plan.shares)
        assert end == plan.makespan
        assert receipts == plan.turns

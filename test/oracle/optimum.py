# SPDX-License-Identifier: Apache-2.0
"""Plans with which all nodes of a tree end together, in exact numbers.

Trees are execute.py's, and execute() judges these plans. The time that a node
has left when it receives is s; its subtree takes W(s) = p s - q units in it.
"""
from collections import namedtuple
from fractions import Fraction

from execute import Lane, Node, Send, execute, layers, volumes_of

# turns[r][i]: when node i takes round r in; shares[r][i]: what it computes.
Rounds = namedtuple("Rounds", "makespan turns shares")
STEPS = 40  # of a bisection


class Tree:
    """Nodes with numbers that are exact, or with a grid integers in units of
    1 / grid, where those of large trees would have very many digits."""

    def __init__(self, nodes, grid=None):
        self.nodes, self.grid = nodes, grid
        self.one = grid or 1
        self.startups, self.rates = [0] * len(nodes), [0] * len(nodes)
        for node in nodes:
            for lane in node.lanes:
                for send in lane.sends:
                    self.startups[send.to] = send.startup
                    self.rates[send.to] = send.rate

    def times(self, a, b):
        return a * b if self.grid is None else a * b // self.grid

    def over(self, a, b):
        return Fraction(a) / b if self.grid is None else a * self.grid // b

    def lines(self, ahead=None, factor=1):
        """(p, q) of every node. A send to node i holds its lane for ahead[i],
        or the startup, and for its transfer `factor` times."""
        ahead = self.startups if ahead is None else ahead
        one, lines = self.one, [None] * len(self.nodes)
        for i in reversed(range(len(lines))):
            node = self.nodes[i]
            p = self.over(one, node.unit * one)
            q = p * node.before
            for lane in node.lanes:
                # What is left for the next send: slope s - offset.
                slope, offset = one, lane.queued * one
                for send in lane.sends:
                    pc, qc = lines[send.to]
                    rate = factor * send.rate
                    by = one + rate * pc
                    slope = self.over(slope, by)
                    offset = self.over(
                        offset + ahead[send.to] * one - rate * qc, by)
                    p += send.many * self.times(pc, slope)
                    q += send.many * (self.times(pc, offset) + qc)
            lines[i] = p, q
        return lines

    def left(self, root, lines, ahead=None, factor=1):
        """What every node has left if the originator has `root`."""
        ahead = self.startups if ahead is None else ahead
        left = [root] + [None] * (len(self.nodes) - 1)
        for i, node in enumerate(self.nodes):
            for lane in node.lanes:
                s = left[i] - lane.queued * self.one
                for send in lane.sends:
                    p, q = lines[send.to]
                    rate = factor * send.rate
                    s = self.over(s - ahead[send.to] * self.one + rate * q,
                                  self.one + rate * p)
                    left[send.to] = s
        return left

    def solve(self, load, factor=1):
        """(makespan, shares) of one round, whatever their signs."""
        lines = self.lines(None, factor)
        p, q = lines[0]
        left = self.left(self.over(load * self.one + q, p), lines, None,
                         factor)
        return Fraction(left[0], self.one), [
            Fraction(s - node.before * self.one, node.unit * self.one)
            for s, node in zip(left, self.nodes)]

    # ---- several rounds without software ----

    def shares(self, left):
        return [s / node.unit for s, node in zip(left, self.nodes)]

    def wanted(self, lines, after):
        """The least that each node must have left: it receives nothing
        negative, and before a round of which receivers take after[i] ps its
        parent's lane is free again."""
        out = [Fraction(0)] * len(self.nodes)
        for node in self.nodes:
            for lane in node.lanes:
                sent = Fraction(0)
                for send in lane.sends:
                    p, q = lines[send.to]
                    if after is not None:
                        sent += send.startup + after[send.to]
                    out[send.to] = max(out[send.to], q / p, sent)
        return out

    def turns_left(self, count, last=None):
        """What every node has left from its turn to the next one, in each
        round, if the originator has `last` in the last one; None: the least
        with which nobody has less than is wanted."""
        ahead, found, moved = self.startups, [], None
        for _ in range(count):
            lines = self.lines(ahead)
            root = last
            if moved is not None or last is None:
                zero, one = (self.left(Fraction(s), lines, ahead)
                             for s in (0, 1))
                root = max([Fraction(0)] + [
                    (want - a) / (b - a) for want, a, b in
                    list(zip(self.wanted(lines, moved), zero, one))[1:]])
            left = self.left(root, lines, ahead)
            found.insert(0, left)
            moved = [rate * units for rate, units in zip(
                self.rates, volumes_of(self.nodes, self.shares(left)))]
            ahead = [-m for m in moved]
        return found

    def taken(self, rounds):
        return sum(volumes_of(self.nodes, self.shares(left))[0]
                   for left in rounds)

    def rounds(self, load, count):
        """The plan of so many rounds, or None. What all take is piecewise
        linear in the last round's time, so secants arrive exactly."""
        if count > 1 and len(self.nodes) == 1:
            return None
        found = self.turns_left(count)
        if self.taken(found) > load:
            return None
        ends = [(found[-1][0], self.taken(found))]
        high = load * self.nodes[0].unit
        ends.append((high, self.taken(self.turns_left(count, high))))
        for trial in range(99):
            (a, taken_a), (b, taken_b) = ends
            if taken_a == load:
                break
            part = (Fraction(1, 2) if trial % 4 == 3 else
                    (load - taken_a) / (taken_b - taken_a))
            at = a + part * (b - a)
            found = self.turns_left(count, at)
            taken = self.taken(found)
            ends[taken > load] = at, taken
        else:
            raise ValueError("the secant does not arrive")
        makespan = sum(left[0] for left in found)
        turns, after = [], [makespan] * len(self.nodes)
        for left in reversed(found):
            after = [a - b for a, b in zip(after, left)]
            turns.insert(0, after)
        return Rounds(makespan, turns, [self.shares(left) for left in found])

    # ---- similar rounds: round r has the part r_r of what a node gets ----

    def first(self, load, part):
        """(T, shares of all rounds, when nodes begin) if the first part is this
        one; None if a node receives less than nothing."""
        makespan, shares = self.solve(load, part)
        if min(shares + volumes_of(self.nodes, shares)) < 0:
            return None
        return makespan, shares, [makespan - share * node.unit for share, node
                                  in zip(shares, self.nodes)]

    def parts(self, load, first, count):
        """(T, parts), each as large as comes in time, to 2^-40; the parts' sum
        is less than 1 if so many rounds do not suffice."""
        solved = self.first(load, first)
        if solved is None:
            return None
        makespan, *numbers = solved
        # Short numbers: whoever compares such plans does so to 2^-20.
        shares, start = ([Fraction(round(x * 2 ** 64), 2 ** 64) for x in of]
                         for of in numbers)
        found, done = [first], first

        def late(part):
            """By how much the latest receipt comes too late."""
            came = execute(self.nodes, [[p * a for a in shares] for p in
                                        [*found, part]], at_once=True).received
            return max(now - begin - done * (makespan - begin)
                       for now, begin in list(zip(came[-1], start))[1:])

        while len(found) < count and done < 1:
            # Convex in the part: where a chord meets 0, nothing is late.
            low, high = 0, 1 << STEPS
            ends = [late(0), late(1 - done)]
            if ends[1] <= 0:
                low = high
            while ends[0] <= 0 and high - low > 1:
                at = low + max(1, int((high - low) * -ends[0]
                                      / (ends[1] - ends[0])))
                for middle in (min(at, high - 1), (low + high) // 2):
                    if low < middle < high:
                        now = late((1 - done) * Fraction(middle, 1 << STEPS))
                        low, high = (middle, high) if now <= 0 else (
                            low, middle)
                        ends[now > 0] = now
            if low == 0:
                break
            found.append((1 - done) * Fraction(low, 1 << STEPS))
            done += found[-1]
        return makespan, found

    def similar(self, load, count, steps=STEPS):
        """(T, parts) with the least first part, to 2^-steps, with which no more
        rounds than `count` suffice; None if there is none."""
        low, high, found = 0, 1 << steps, None
        while high - low > 1:
            middle = (low + high) // 2
            plan = self.parts(load, Fraction(middle, 1 << steps), count)
            if plan is not None and sum(plan[1]) == 1:
                high, found = middle, plan
            else:
                low = middle
        return found


def pattern(unit_of, transfers, startups, ports=4):
    """(names, nodes) of the pattern, each node for itself: its name is the
    (phase, port)s that lead to it. With fewer than 4 ports at once, port p +
    ports goes behind port p."""
    names = [()]
    for phase in range(1, len(startups) + 1):
        names += [name + ((phase, port),) for name in names
                  for port in range(4)]
    index = {name: i for i, name in enumerate(names)}
    below = [[] for _ in names]
    for name in names[1:]:
        below[index[name[:-1]]].append(name)
    nodes = []
    for name, children in zip(names, below):
        lanes = [[] for _ in range(ports)]
        for child in sorted(children, key=lambda c: c[-1]):
            phase, port = child[-1]
            lanes[port % ports].append(Send(
                index[child], Fraction(startups[phase - 1]),
                Fraction(transfers[phase - 1]), (), child))
        nodes.append(Node(Fraction(unit_of(name)),
                          tuple(Lane(tuple(lane)) for lane in lanes)))
    return names, nodes


def of_nodes(load, unit_of, transfers, startups, ports=4):
    """(makespan, {name: (share, volume, received)}) of the pattern in one
    round; None if it is not feasible."""
    names, nodes = pattern(unit_of, transfers, startups, ports)
    makespan, shares = Tree(nodes).solve(load)
    volumes = volumes_of(nodes, shares)
    if min(shares + volumes) < 0:
        return None
    times = execute(nodes, [shares])
    assert set(times.ended[0]) == {makespan}
    return makespan, dict(zip(names, zip(shares, volumes, times.received[0])))


def self_check():
    """Sections 1.4 and 1.6 of the theory, and plans that are carried out."""
    f = Fraction

    def rounds(load, startup, phases, count, transfer=1, compute=1):
        nodes = layers(f(compute), [f(transfer)] * phases,
                       [f(startup)] * phases)
        return nodes, Tree(nodes).rounds(load, count)

    for load, phases, makespan, volumes in (
            (11, 1, 3, [[1], [1]]),
            (1, 2, f(14, 69), [[f(41, 276), f(7, 276)],
                               [f(1, 46), f(1, 276)]])):
        nodes, plan = rounds(load, 0, phases, 2)
        assert plan.makespan == makespan
        assert [volumes_of(nodes, shares)[1:]
                for shares in plan.shares] == volumes
    assert rounds(100, 1, 2, 2)[1] is None
    for ports, makespan in ((1, f(1649, 31)), (2, 41), (4, 34)):
        assert of_nodes(100, lambda _: 1, [1], [1], ports)[0] == makespan
    assert of_nodes(100, lambda _: 1, [1, 1], [1, 1])[0] == f(71, 3)
    # Two, one and no slower nodes behind one lane, in four similar rounds.
    lane = Tree([Node(f(unit), lanes) for unit, lanes in (
        (2, (Lane(tuple(Send(i, f(1), f(1)) for i in (1, 2, 3))),)),
        (2, ()), (4, ()), (8, ()))])
    makespan, parts = lane.similar(40, 16, 14)
    assert abs(makespan - f("35.134")) < f(1, 100)
    for part, want in zip(parts, ("0.4736", "0.3204", "0.1735", "0.0325"),
                          strict=True):
        assert abs(part - f(want)) < f(1, 1000)
    # Nodes that differ, of one port: no lane and no node ever idles.
    _, nodes = pattern(lambda name: 40 + len(name), [1, 1], [1, 2], 1)
    for count in (1, 2, 3):
        plan = Tree(nodes).rounds(4000, count)
        times = execute(nodes, plan.shares, [turn[0] for turn in plan.turns])
        assert times.received == plan.turns
        assert set(times.ended[-1]) == {plan.makespan}

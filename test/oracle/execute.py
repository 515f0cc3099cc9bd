# SPDX-License-Identifier: Apache-2.0
"""The executor of plans: who sends when, and who computes until when.

A plan is a tree of nodes, the order of their sends, and what each node computes
in each round. execute() carries it out event by event and gives times. It plans
nothing and knows no equation, so every planner is judged by it: the plan is
feasible, ends when the planner says, and no neighbour of it ends earlier.

Times and units are any exact numbers. Node 0 is the originator; a node stands
behind all that send to it. A node that several send to is a class of nodes
which do alike: it has received when the last of them has, which is exact for
the last end, since no time ever falls where another one rises.
"""
import heapq
from collections import deque, namedtuple
from fractions import Fraction

# to: the receiver. A circuit takes the startup, and the rate for each unit; it
# waits while a circuit holds one of its links. name: what the caller calls it;
# many: so many receivers that do alike, each out of a port of its own.
Send = namedtuple("Send", "to startup rate links name many",
                  defaults=[(), None, 1])
# Sends of one port, one after the other; time from a turn's begin until they
# are queued.
Lane = namedtuple("Lane", "sends queued", defaults=[0])
# unit: compute time of a unit, or a function of the units. A turn computes
# `before` after its begin, and lasts until `after` the last unit.
Node = namedtuple("Node", "unit lanes before after", defaults=[(), 0, 0])
# received[r][i], ended[r][i]: of round r at node i; the originator's rounds
# all end with its last unit. conflicts: (time, holder, who waits), in order.
Times = namedtuple("Times", "received ended conflicts")


def computing(node, units):
    return node.unit(units) if callable(node.unit) else units * node.unit


def volumes_of(nodes, shares):
    """Units that each node receives, if it computes its share."""
    out = list(shares)
    for i in reversed(range(len(nodes))):
        out[i] += sum(send.many * out[send.to]
                      for lane in nodes[i].lanes for send in lane.sends)
    return out


class _Run:
    def __init__(self, nodes, rounds, at_once):
        self.nodes, self.rounds, self.at_once = nodes, rounds, at_once
        self.volumes = [volumes_of(nodes, shares) for shares in rounds]
        self.received = [[None] * len(nodes) for _ in rounds]
        self.ended = [[None] * len(nodes) for _ in rounds]
        senders = [0] * len(nodes)
        for node in nodes:
            for lane in node.lanes:
                for send in lane.sends:
                    senders[send.to] += 1
        self.missing = [list(senders) for _ in rounds]
        self.next = [0] * len(nodes)
        self.free = [0] * len(nodes)
        self.heap, self.count = [], 0
        self.queues = {}  # (node, lane): [(ready, send, round)], the first runs
        self.asking, self.waiting = [], []
        self.holders, self.conflicts = {}, []

    def at(self, time, action, *arguments):
        self.count += 1
        heapq.heappush(self.heap, (time, self.count, action, arguments))

    def queue_sends(self, i, r, now):
        for number, lane in enumerate(self.nodes[i].lanes):
            if not lane.sends:
                continue
            queue = self.queues.setdefault((i, number), deque())
            if not queue:
                self.ask(now + lane.queued, (i, number), now)
            queue.extend((now + lane.queued, send, r) for send in lane.sends)

    def ask(self, ready, key, now):
        if ready <= now:
            self.asking.append(key)
        else:
            self.at(ready, self.ask, ready, key)

    def compute(self, i, r, now):
        node = self.nodes[i]
        self.ended[r][i] = (now + node.before
                            + computing(node, self.rounds[r][i]))
        self.free[i] = self.ended[r][i] + node.after
        self.next[i] = r + 1

    def turn(self, i, now):
        """Takes the next round in, if it is there."""
        r = self.next[i]
        if r < len(self.rounds) and self.received[r][i] is not None and (
                self.free[i] <= now):
            self.queue_sends(i, r, now)
            self.compute(i, r, now)
            self.at(self.free[i], self.turn, i)

    def arrive(self, i, r, now):
        self.missing[r][i] -= 1
        if self.missing[r][i] > 0:
            return
        self.received[r][i] = now
        if self.at_once:
            self.queue_sends(i, r, now)
            self.compute(i, r, max(now, self.free[i]))
        else:
            self.turn(i, now)

    def grant(self, key, now):
        """The link that is held, or None after the set-up."""
        _, send, r = self.queues[key][0]
        for link in send.links:
            if link in self.holders:
                return link
        self.holders.update(dict.fromkeys(send.links, send))
        self.at(now + send.startup + send.rate * self.volumes[r][send.to],
                self.end, key)
        return None

    def end(self, key, now):
        queue = self.queues[key]
        _, send, r = queue.popleft()
        for link in send.links:
            del self.holders[link]
        self.arrive(send.to, r, now)
        if queue:
            self.ask(queue[0][0], key, now)

    def serve(self, now):
        """Those that wait are tried again, then new requests."""
        self.waiting = [key for key in self.waiting
                        if self.grant(key, now) is not None]
        asking, self.asking = sorted(self.asking), []
        for key in asking:
            link = self.grant(key, now)
            if link is not None:
                self.waiting.append(key)
                self.conflicts.append((now, self.holders[link].to,
                                       self.queues[key][0][1].to))

    def run(self):
        while self.heap:
            now, due = self.heap[0][0], []
            while self.heap and self.heap[0][0] == now:
                due.append(heapq.heappop(self.heap)[2:])
            for action, arguments in due:
                action(*arguments, now)
            self.serve(now)
        if self.waiting:
            raise ValueError("circuits wait for ever")


def execute(nodes, rounds, begins=None, again=0, at_once=False):
    """Times, if node i computes rounds[r][i] units in round r.

    A node takes a round in when it has received it and its turn before is over;
    then it queues its sends and computes. With at_once it sends when it has
    received. The originator queues round r at begins[r], or `again` after the
    round before, and computes all its shares then.
    """
    run = _Run(nodes, rounds, at_once)
    if begins is None:
        begins = [r * again for r in range(len(rounds))]
    own = sum(shares[0] for shares in rounds)
    end = (nodes[0].before + (len(rounds) - 1) * again
           + computing(nodes[0], own))
    for r, begin in enumerate(begins):
        run.received[r][0], run.ended[r][0] = begin, end
        run.at(begin, run.queue_sends, 0, r)
    run.run()
    return Times(run.received, run.ended, run.conflicts)


def last_end(nodes, rounds, **options):
    """When the last node has computed."""
    return max(max(ends) for ends in execute(nodes, rounds, **options).ended)


def results_end(nodes, shares, back):
    """When the originator has all results of one round: every node has its
    children's and its own, then the lane to it is its parent's, whose last
    child returns first. back(send, volume): time of a result's circuit."""
    done = list(execute(nodes, [shares]).ended[0])
    volumes = volumes_of(nodes, shares)
    for i in reversed(range(len(nodes))):
        for lane in nodes[i].lanes:
            now = 0
            for send in reversed(lane.sends):
                now = max(now, done[send.to]) + back(send, volumes[send.to])
            done[i] = max(done[i], now)
    return done[0]


# ---- nodes of the pattern ----

def layers(compute, transfers, startups):
    """Nodes of the pattern, one for each layer: those of a layer do alike if
    they compute as much. Node i sends to every layer behind it."""
    sends = [Send(j, startup, transfer, (), j, 4) for j, (startup, transfer) in
             enumerate(zip(startups, transfers), 1)]
    return [Node(compute, (Lane(tuple(sends[i:])),))
            for i in range(len(sends) + 1)]


def by_classes(load, compute, transfers, startups, split):
    """(nodes, their shares, how many nodes each stands for) of one round of the
    pattern in whole units: nodes of a layer that receive as much do alike.
    split(layer, units) -> (own, [(phase, port, units)])."""
    classes = [{load: 1}] + [{} for _ in startups]
    parts, many = {}, []
    for layer, found in enumerate(classes):
        for units, nodes in found.items():
            parts[layer, units] = own, below = split(layer, units)
            many.append(nodes)
            if own + sum(part[2] for part in below) != units:
                raise ValueError(f"layer {layer} loses some of {units}")
            for phase, _, sent in below:
                classes[phase][sent] = classes[phase].get(sent, 0) + nodes
    index = {key: i for i, key in enumerate(parts)}
    nodes = []
    for _, below in parts.values():
        lanes = [[] for _ in range(4)]
        for phase, port, sent in sorted(below):
            lanes[port].append(Send(index[phase, sent], startups[phase - 1],
                                    transfers[phase - 1], (), phase))
        nodes.append(Node(compute, tuple(Lane(tuple(lane)) for lane in lanes)))
    return nodes, [own for own, _ in parts.values()], many


# ---- judging a plan ----

def neighbours(shares, step=1):
    """Shares that differ from these by `step` units of one node that another
    one gets: all pairs of node 0 and each other, and of nodes side by side."""
    pairs = {(0, i) for i in range(1, len(shares))} | {
        (i, i + 1) for i in range(1, len(shares) - 1)}
    for a, b in sorted(pairs):
        for giver, taker in ((a, b), (b, a)):
            if shares[giver] >= step:
                other = list(shares)
                other[giver] -= step
                other[taker] += step
                yield other


def self_check():
    """Examples of the theory that were worked out by hand."""
    f = Fraction
    # Section 1.1, V = 100 and all 1; store and forward of section 1.6.
    for costs, shares, end in (
            ((1, [1, 1], [1, 1]), (f(71, 3), f(37, 6), f(31, 12)), f(71, 3)),
            ((1, [3, 1], [3, 1]), (f(529, 12), f(113, 24), f(89, 48)),
             f(529, 12))):
        assert set(execute(layers(*costs), [shares]).ended[0]) == {end}
    # Section 1.4: two rounds without a pause.
    times = execute(layers(1, [1], [0]), [[3, 1], [0, 1]])
    assert times.received == [[0, 1], [0, 2]] and times.ended[1] == [3, 3]
    # Section 1.6: one port and two, results of half the load, p(x) = x^2.
    for ports, batch, end in ((1, 4, f(1649, 31)), (2, 2, 41)):
        ends, left = [end], end
        for _ in range(batch):  # left after it: a of whoever was served
            left = (left - 1) / f(2)
            ends += [left] * ports
        nodes = [Node(1, tuple(Lane(tuple(Send(1 + lane + ports * b, 1, 1)
                                          for b in range(batch)))
                               for lane in range(ports)))] + 4 * [Node(1)]
        assert set(execute(nodes, [ends]).ended[0]) == {end}
    volumes = 100, f(196, 13), f(340, 169)
    shares = [v - 4 * sum(volumes[i + 1:]) for i, v in enumerate(volumes)]
    assert results_end(layers(1, [1, 1], [1, 1]), shares,
                       lambda send, units: 1 + units / 2) == f(5348, 169)
    shares = 6.317001536, 4.391982715, 3.805753380
    ends = execute(layers(lambda x: x * x, [1, 1], [1, 1]), [shares]).ended[0]
    assert max(ends) - min(ends) < 1e-7
    # Two halves, one after the other: a child has the first after 1 + 10,
    # computes it until 31, and has the second at 22. A turn's end of 3.
    for after, end in ((0, 51), (3, 54)):
        pair = [Node(2, (Lane((Send(1, 1, 1),)),)), Node(2, (), 0, after)]
        times = execute(pair, [[0, 10], [20, 10]])
        assert times.received == [[0, 11], [0, 22]]
        assert times.ended[1] == [40, end]
    # The way of the first is held until 7; the second asks at 3, ends at 9.
    nodes = [Node(1, (Lane((Send(1, 0, 1, ("a", "b")),)),
                      Lane((Send(2, 0, 1, ("b",)),), 3))), Node(1), Node(1)]
    times = execute(nodes, [[0, 7, 2]])
    assert times.received == [[0, 7, 9]] and times.conflicts == [(3, 1, 2)]

# SPDX-License-Identifier: Apache-2.0
"""Rounds of the pattern whose outputs return meanwhile, in exact fractions: a
port of the originator and the nodes behind it, event by event, as the drawing
in scatter/plan/meanwhile.h says; independent of scatter/plan/."""
from dataclasses import dataclass
from fractions import Fraction
from math import comb

import model

FACTORS = [Fraction(n, 4) for n in (5, 6, 8, 12, 16)]


@dataclass(frozen=True)
class Costs:
    """Of a job: units, and times in ps."""

    load: int
    compute: int
    transfer: int
    output: int
    startups: tuple  # of each phase
    back: int  # of a turn's circuits, but for their bytes
    software: int  # of a node in each round, merging left out
    own: int  # the same of the originator
    merge: int  # for each child, in each round
    wait: int  # before the first send

    @property
    def phases(self):
        return len(self.startups)

    @property
    def others(self):
        """Units of all nodes but one."""
        return self.load - self.load // 5 ** self.phases


def parts(rounds, factor):
    """What a round has of all: it grows to the middle, and then falls."""
    weights = [factor ** min(r, rounds - 1 - r) for r in range(rounds)]
    return [weight / sum(weights) for weight in weights]


def behind(phases):
    """The part of the nodes behind a port that lie d behind the first: as
    choices of d + 1 phases of N and one of four ports for each."""
    nodes = [comb(phases, d + 1) * 4 ** (d + 1) for d in range(phases)]
    return [Fraction(count, sum(nodes)) for count in nodes]


def end(costs, shape):
    """When the last output is there."""
    rounds = len(shape)
    into, out = (Fraction(ps * costs.others, 4)
                 for ps in (costs.transfer, costs.output))
    work = Fraction(costs.compute * costs.load, 5 ** costs.phases)
    depth = behind(costs.phases)
    port, node, left, computed = Fraction(costs.wait), Fraction(0), 1, []
    turn = 0
    while turn < rounds:
        sent = len(computed)
        if sent == rounds or (turn < sent and computed[turn] <= port):
            returns = sum(depth[d] * shape[turn - d]
                          for d in range(min(turn + 1, costs.phases)))
            port = max(port, computed[turn]) + costs.back + returns * out
            left -= returns
            turn += 1
        else:
            port += sum(costs.startups) + shape[sent] * into
            node = (max(node, port) + costs.software + costs.merge
                    + shape[sent] * work)
            computed.append(node)
    return port + (costs.phases - 1) * costs.back + left * out


def begins(costs, volumes):
    """When the port begins to send each round: volumes[r] are the units of its
    circuits, phase by phase, and all nodes behind it compute alike."""
    nodes = Fraction(5 ** costs.phases - 1, 4)
    units = [sum(map(Fraction, of)) for of in volumes]
    depth = behind(costs.phases)
    port, found, computed, turn = Fraction(costs.wait), [], [], 0
    for r, moved in enumerate(units):
        while turn < r and computed[turn] <= port:
            back = sum(depth[d] * units[turn - d]
                       for d in range(min(turn + 1, costs.phases)))
            port += costs.back + costs.output * back
            turn += 1
        found.append(port)
        port += sum(costs.startups) + costs.transfer * moved
        computed.append(max([port, *computed[-1:]])
                        + costs.compute * moved / nodes)
    return found


def merges(costs, rounds):
    """Units that a node of each layer computes less, and the sum of all: for
    every child of every round one merge."""
    each = rounds * costs.merge // costs.compute
    layers = [4 * (costs.phases - i) * each for i in range(costs.phases + 1)]
    below = [0] * (costs.phases + 2)
    for i in range(costs.phases, -1, -1):
        layers[i] += below[i + 1]
        below[i] = below[i + 1] + 4 * layers[i]
    return layers


def time(costs, shape):
    """(time with results, units of all others): the originator takes more, off
    the others, where its own share would end before the last output comes."""
    rounds = len(shape)
    less = merges(costs, rounds)
    first = (costs.startups[0] + costs.wait
             + rounds * max(0, costs.software - costs.own))
    plan = model.solve(costs.load + less[0], costs.compute,
                       [costs.transfer * shape[0]] * costs.phases,
                       [first, *costs.startups[1:]])
    own_ps, last_ps = plan.makespan, end(costs, shape)
    volumes = [v - cut for v, cut in zip(plan.volumes, less)]
    if last_ps <= own_ps:
        return own_ps, volumes
    unit_ps = Fraction(
        max(Fraction(costs.compute * costs.load, 5 ** costs.phases),
            Fraction((costs.transfer + costs.output) * costs.others, 4)),
        costs.others)
    units = min(Fraction(last_ps - own_ps) / (costs.compute + unit_ps),
                Fraction(costs.others, 2))
    return (last_ps - units * unit_ps,
            [v * (1 - units / costs.others) for v in volumes])

# SPDX-License-Identifier: Apache-2.0
"""Similar rounds of the pattern and of stars in exact fractions.

Every volume and share of round r is r_r times what the node gets in all; the
equations are those of qemu/model/similar.h, written from the seed of the theory
and not from similar.c.
"""
from dataclasses import dataclass
from fractions import Fraction

import execute
import tree_plan

STEPS = 40  # of the bisection


@dataclass(frozen=True)
class Similar:
    """Times in ps; volumes and shares of layers 0..N in all rounds."""

    makespan: Fraction
    volumes: tuple
    shares: tuple
    parts: tuple

    @property
    def rounds(self):
        """What each layer computes in each round."""
        return [[part * a for a in self.shares] for part in self.parts]


def first(load, compute, transfers, startups, part):
    """One round with the transfer times `part`: (T, volumes, receipts)."""
    volumes, receipts = [Fraction(load)], [Fraction(0)]
    for transfer, startup in zip(transfers, startups):
        rate = Fraction(transfer) * part
        volumes.append((volumes[-1] - Fraction(startup) / compute)
                       / (5 + rate / compute))
        receipts.append(receipts[-1] + startup + rate * volumes[-1])
    own = load - 4 * sum(volumes[1:])
    return own * compute, volumes, receipts


def parts_of(load, compute, transfers, startups, rounds, part):
    """Of all rounds, as large as come in time; None if these do not suffice."""
    makespan, volumes, receipts = first(load, compute, transfers, startups,
                                        part)
    if volumes[-1] < 0:
        return None
    parts, end = [part], receipts[-1]
    for _ in range(1, rounds):
        done = sum(parts)
        most = [1 - done]
        for j in range(1, len(volumes)):
            dry = receipts[j] + done * (makespan - receipts[j])
            moved = sum(t * v for t, v in zip(transfers[:j], volumes[1:]))
            most.append((dry - end - sum(startups[:j])) / moved)
        parts.append(min(most))
        if parts[-1] < 0:
            return None
        end += sum(startups) + parts[-1] * sum(
            t * v for t, v in zip(transfers, volumes[1:]))
    return parts if sum(parts) == 1 else None


def solve(load, compute, transfers, startups, rounds):
    """The least first part for which so many rounds suffice; None if none."""
    low, high = 0, 1 << STEPS
    if rounds == 1:
        low = high - 1
    while high - low > 1:
        middle = (low + high) // 2
        if parts_of(load, compute, transfers, startups, rounds,
                    Fraction(middle, 1 << STEPS)):
            high = middle
        else:
            low = middle
    part = Fraction(high, 1 << STEPS)
    parts = parts_of(load, compute, transfers, startups, rounds, part)
    if parts is None or (rounds > 1 and part == 1):
        return None
    makespan, volumes, _ = first(load, compute, transfers, startups, part)
    shares = [v - 4 * sum(volumes[i + 1:]) for i, v in enumerate(volumes)]
    return Similar(makespan, tuple(volumes), tuple(shares), tuple(parts))


def star(tree, first):
    """(makespan, r_1 ..) of similar rounds of a star without software, as many
    as it takes, if the first one's part is so large; None if they never end."""
    solved = tree.first(tree.costs.load, first)
    if solved is None:
        return None
    makespan, shares, start = solved
    parts, done = [first], first
    queues = [lane.sends for lane in tree.nodes[0].lanes]
    ends = [start[queue[-1].to] for queue in queues]
    while done < 1:
        part = 1 - done
        for queue, end in zip(queues, ends):
            ahead = moved = 0
            for send in queue:
                ahead += send.startup
                moved += send.rate * shares[send.to]
                dry = start[send.to] + done * (makespan - start[send.to])
                part = min(part, (dry - end - ahead) / moved)
        if part <= 0 or len(parts) == 16:
            return None
        for i, queue in enumerate(queues):
            ends[i] += sum(send.startup + part * send.rate * shares[send.to]
                           for send in queue)
        parts.append(part)
        done += part
    return makespan, parts


def best_star(tree, steps=400):
    """The least makespan of similar rounds, to a part in `steps` of r_1."""
    found = [star(tree, Fraction(i, steps)) for i in range(1, steps + 1)]
    return min((x for x in found if x is not None), key=lambda x: x[0])


def self_check():
    """One lane, computed by hand in fractions; and carried out."""
    tree = tree_plan.lane([0, 0, 1, 2], 40)
    makespan, shares = tree.solve()
    assert makespan == Fraction(11050, 277) and sum(shares) == 40
    assert tree.last_end([shares]) == makespan
    assert tree.first(40, Fraction(1, 3))[0] == Fraction(187382, 5557)
    makespan, parts = best_star(tree, 10000)
    assert abs(makespan - Fraction("35.134")) < Fraction(1, 100)
    assert len(parts) == 4
    for part, want in zip(parts, ("0.4736", "0.3204", "0.1735", "0.0325")):
        assert abs(part - Fraction(want)) < Fraction(1, 1000)
    shares = tree.first(40, parts[0])[1]
    assert execute.last_end(
        tree.nodes, [[part * share for share in shares] for part in parts],
        at_once=True) == makespan

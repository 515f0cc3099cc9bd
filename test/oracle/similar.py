# SPDX-License-Identifier: Apache-2.0
"""Similar rounds in exact fractions, and rounds carried out node by node.

Every volume and share of round r is r_r times what the node gets in all; the
equations are those of qemu/model/similar.h, written from the seed of the theory
and not from similar.c. carry_out() knows no equation: it takes volumes and
shares, and says when the last node ends.
"""
import itertools
from dataclasses import dataclass
from fractions import Fraction

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
        """(volumes, shares) of each round."""
        return [([part * v for v in self.volumes],
                 [part * a for a in self.shares]) for part in self.parts]


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


def carry_out(rounds, compute, transfers, startups, at_once):
    """When the last node ends: rounds of (volumes, shares) by layer.

    A node is one of all sets of phases that its load came through. It takes a
    round in when it has computed the one before, or `at_once` when it comes;
    then it sends phase after phase out of each port, and computes its share.
    """
    phases = len(startups)
    arrivals = {(): [Fraction(0)] * len(rounds)}
    last = Fraction(0)
    for size in range(phases + 1):
        for node in itertools.combinations(range(1, phases + 1), size):
            layer = node[-1] if node else 0
            done = free = Fraction(0)
            for r, (volumes, shares) in enumerate(rounds):
                ready = max(arrivals[node][r], done)
                sent = arrivals[node][r] if at_once or not node else ready
                free = max(free, sent)
                for j in range(layer + 1, phases + 1):
                    free += startups[j - 1] + transfers[j - 1] * volumes[j]
                    arrivals.setdefault(node + (j,), []).append(free)
                done = ready + shares[layer] * compute
            last = max(last, done)
    return last

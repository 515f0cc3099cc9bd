# SPDX-License-Identifier: Apache-2.0
"""Naive twins of qemu/theory in fractions: brute force, event by event."""
import itertools
from fractions import Fraction

import numpy

from execute import Lane, Node, Send, execute

# ---- stars: workers are (g, w, G, W) ----


def affine_shares(workers, order, makespan):
    """What each of the order takes if all end at the makespan, in turn."""
    shares, clock = [], Fraction(0)
    for i in order:
        g, w, startup, latency = workers[i]
        share = (makespan - clock - startup - latency) / (g + w)
        shares.append(share)
        clock += startup + g * share
    return shares


def one_round(workers, order, load, master):
    """(makespan, shares) with which all of the order end together."""
    def taken(makespan):
        return (sum(affine_shares(workers, order, makespan))
                + (makespan / master if master else 0))
    at_0, at_1 = taken(Fraction(0)), taken(Fraction(1))
    makespan = (load - at_0) / (at_1 - at_0)
    return makespan, affine_shares(workers, order, makespan)


def best_star(workers, load, master):
    """The least makespan of all orders of all subsets."""
    best = load * master if master else None
    for count in range(1, len(workers) + 1):
        for order in itertools.permutations(range(len(workers)), count):
            makespan, shares = one_round(workers, order, load, master)
            if min(shares) >= 0 and (best is None or makespan < best):
                best = makespan
    return best


def run_star(workers, order, chunks):
    """Carries out what each worker of the order gets in every round, one after
    the other on one link: [(worker, when its chunks come, when each is
    computed)]."""
    sends = tuple(Send(1 + place, workers[i][2], workers[i][0])
                  for place, i in enumerate(order))
    nodes = [Node(0, (Lane(sends),))] + [
        Node(workers[i][1], (), workers[i][3]) for i in order]
    rounds = [[0, *row] for row in zip(*chunks)]
    times = execute(nodes, rounds, [0] * len(rounds))
    return [(i, [row[place] for row in times.received],
             [row[place] for row in times.ended])
            for place, i in enumerate(order, 1)]


# ---- results: workers are (C, E) ----


def collect_rows(workers, ratio, sent, collected):
    """Limits [coefficients.., 1] of the units in a time of 1: of each worker,
    then of the port."""
    size = len(workers)
    rows = []
    for i in range(size):
        row = [Fraction(0)] * size + [Fraction(1)]
        for j in sent[:sent.index(i) + 1]:
            row[j] += workers[j][0]
        for j in collected[collected.index(i):]:
            row[j] += ratio * workers[j][0]
        row[i] += workers[i][1]
        rows.append(row)
    return rows + [[(1 + ratio) * c for c, _ in workers] + [Fraction(1)]]


def best_collection(workers, ratio, load, pairs):
    """The least makespan of these pairs of orders, to 1e-9: all vertices of
    each programme."""
    size = len(workers)
    tight = numpy.array(list(itertools.combinations(range(2 * size + 1),
                                                    size)))
    right = numpy.array([1.] * (size + 1) + [0.] * size)[tight][..., None]
    times = [(float(c), float(e)) for c, e in workers]
    most = 0
    for sent, collected in pairs:
        rows = numpy.array(collect_rows(times, float(ratio), sent, collected),
                           float)[:, :-1]
        systems = numpy.vstack([rows, numpy.eye(size)])[tight]
        one = abs(numpy.linalg.det(systems)) > 1e-9
        units = numpy.linalg.solve(systems[one], right[one])[..., 0]
        fit = ((units @ rows.T < 1 + 1e-11) & (units.min(1) > -1e-11)[:, None]
               ).all(1)
        most = max(most, units[fit].sum(1).max())
    return float(load) / most


def collection_bound(workers, ratio, load):
    """No pair of orders ends earlier: each worker and the port have time for
    no more than their own transfers and computing."""
    port, units = Fraction(1), Fraction(0)
    for c, e in sorted(workers):
        both = (1 + ratio) * c
        share = min(1 / (both + e), port / both)
        port, units = port - both * share, units + share
    return load / units


def order_pairs(size, kind):
    for sent in itertools.permutations(range(size)):
        if kind == "lifo":
            yield sent, sent[::-1]
        elif kind == "fifo":
            yield sent, sent
        else:
            for collected in itertools.permutations(range(size)):
                yield sent, collected


# ---- farm: times of a unit ----


def farm(times, load, factor):
    """The chunks of each worker, handed out one by one."""
    rate = sum(1 / t for t in times)
    chunks = [[] for _ in times]
    free = [Fraction(0)] * len(times)
    asks = set(range(len(times)))
    left = load

    def picked(i):
        """Whether i gets one if the units that are left go one by one to who
        completes the next one first."""
        clock = {j: free[j] for j in asks}
        for _ in range(left):
            j = min(clock, key=lambda k: (clock[k] + times[k], k))
            if j == i:
                return True
            clock[j] += times[j]
        return False

    first = list(range(len(times)))
    while left > 0:
        of = load if first else left
        i = first.pop(0) if first else min(asks, key=lambda k: (free[k], k))
        units = min(left, int(of / factor / times[i] / rate + Fraction(1, 2)))
        if units == 0 and picked(i):
            units = 1
        if units == 0:
            asks.discard(i)
            continue
        chunks[i].append(units)
        left -= units
        free[i] += units * times[i]
    return chunks, free


# ---- masters ----


def masters_time(held, beta, gamma):
    """The least T, by the definition: what must be sent can be received."""
    def surplus(time):
        """What workers could take more than masters must give."""
        value = Fraction(0)
        for x in held:
            if gamma * x > time:
                value -= (gamma * x - time) / (gamma - beta)
            else:
                value += (time - gamma * x) / (gamma + beta)
        return value
    if beta >= gamma:
        return gamma * max(held)
    marks = sorted({Fraction(0), *(gamma * x for x in held)})
    time = marks[-1]
    for low, high in zip(marks, marks[1:]):
        if surplus(low) < 0 <= surplus(high):
            time = low - surplus(low) * (high - low) / (surplus(high)
                                                        - surplus(low))
    return max(time, beta * max(held))

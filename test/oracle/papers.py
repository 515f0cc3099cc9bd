# SPDX-License-Identifier: Apache-2.0
"""Naive twins of qemu/papers in fractions: brute force, event by event."""
import itertools
from fractions import Fraction

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


def run_star(workers, sends):
    """Carries out sends [(worker, units)], one after the other on one link.

    Returns when each worker ends, and whether one waited after its first
    chunk (a 10^-11th of the time does not count: floats are rounded)."""
    link, end, waited = 0, {}, False
    for i, units in sends:
        g, w, startup, latency = workers[i]
        link += startup + g * units
        waited |= i in end and link - end[i] > link / 10 ** 11
        end[i] = max(end.get(i, 0), link) + latency + w * units
    return end, waited


def umr(count, worker, load, master, most):
    """(M, T): the least T of M >= 2 rounds by (10) to (12) whose chunks, the
    last ones fitted, let all end together and nobody wait; None if none does.
    """
    g, w, startup, latency = worker
    found = None
    for rounds in range(2, most + 1):
        rows = [(Fraction(1), Fraction(0))]
        for _ in range(rounds - 1):
            slope, offset = rows[-1]
            rows.append((slope * w / (count * g),
                         (offset * w + latency - count * startup)
                         / (count * g)))

        def fitted(first, rows=rows):
            """[round][worker] and T: a last round with which all end at T."""
            chunks = [[a * first + b] * count for a, b in rows[:-1]]
            begin = [(i + 1) * (startup + g * first) for i in range(count)]
            a, b = rows[-1]
            mean = a * first + b
            middle = sum(begin) / count
            chunks.append([mean + (middle - begin[i]) / w
                           for i in range(count)])
            total = sum(column[0] for column in chunks)
            return chunks, begin[0] + len(rows) * latency + w * total

        def given(first, fitted=fitted):
            chunks, end = fitted(first)
            return sum(map(sum, chunks)) + (end / master if master else 0)
        at_0, at_1 = given(Fraction(0)), given(Fraction(1))
        first = (load - at_0) / (at_1 - at_0)
        chunks, makespan = fitted(first)
        sends = [(i, units) for row in chunks for i, units in enumerate(row)]
        if min(units for _, units in sends) <= 0:
            continue
        end, waited = run_star([worker] * count, sends)
        if not waited and set(end.values()) == {makespan}:
            if found is None or makespan < found[1]:
                found = rounds, makespan
    return found


# ---- results: workers are (C, E) ----


def solve(rows):
    """The solution of a square system [coefficients.., right side]; None if
    there is not exactly one."""
    rows = [row[:] for row in rows]
    size = len(rows)
    for i in range(size):
        pivot = next((r for r in range(i, size) if rows[r][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(size):
            if r != i and rows[r][i] != 0:
                factor = rows[r][i]
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] for row in rows]


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
    """The least makespan of these pairs of orders: all vertices of each
    programme."""
    size = len(workers)
    axes = [[Fraction(int(i == j)) for j in range(size)] + [Fraction(0)]
            for i in range(size)]
    most = Fraction(0)
    for sent, collected in pairs:
        rows = collect_rows(workers, ratio, sent, collected)
        for tight in itertools.combinations(rows + axes, size):
            units = solve(list(tight))
            if (units is not None and sum(units) > most and min(units) >= 0
                    and all(sum(a * u for a, u in zip(row, units)) <= 1
                            for row in rows)):
                most = sum(units)
    return load / most


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


def masters_stocks(held, network, plan):
    """[(x', w, w')] of who receives in the basic round of a plan, unscaled."""
    beta, gamma, time = network
    length = max(map(max, zip(plan["sent"], plan["received"]))) * beta
    stocks = []
    for i, x in enumerate(held):
        mine = sorted((t["start"], t["units"]) for t in plan["transfers"]
                      if t["to"] == i + 1)
        if not mine:
            continue
        used, used_most, clock = 0, 0, 0
        for start, units in mine:
            used += (start - clock) / gamma
            used_most = max(used_most, used)
            used -= units
            clock = start + beta * units
        used += (length - clock) / gamma
        received = sum(units for _, units in mine)
        idle = time - gamma * (x + received) - beta * received
        stocks.append((x + idle / gamma, used, max(used, used_most)))
    return stocks

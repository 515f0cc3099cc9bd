# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/farm.c against its rule of slices, and in farms that give chunks
out demand by demand.

QUINCUNX_SEED chooses loads, speeds and the order of demands.
"""
import heapq
from fractions import Fraction

import mesh
from core import Farm, FarmMember, Job

ONE = 65536


def fresh():
    return FarmMember(speed=ONE, chunk_units=0)


def start(core, **given):
    given.setdefault("ports", 4)
    given.setdefault("transfer_ps", 1)
    given.setdefault("most_units", given["load_units"])
    farm = Farm()
    core.farm_init(farm, Job(**given))
    return farm


def close(units, exact):
    """Whole units; the speed counts as whole 65536ths."""
    return abs(units - exact) <= 2 + exact / 2 ** 10


def test_slices_with_masters(core):
    """A quarter of the shortest chunk of the last n + 1, 2 n + 1, .. and later;
    before there are as many, of the shortest at all."""
    for case in range(60):
        rng = mesh.seeded(f"farm slices {case}")
        nodes = rng.randint(2, 30)
        farm = start(core, load_units=2 ** 31, nodes=nodes,
                     compute_ps=rng.choice([1, rng.randint(1, 2 ** 40)]),
                     demand_ps=rng.randint(0, 10 ** 8),
                     served=rng.randint(1, 600),
                     installment=rng.choice([1, 4, rng.randint(1, 250)]))
        assert farm.masters
        members = [fresh() for _ in range(nodes)]
        own = FarmMember(speed=rng.randint(1, 2 ** 20))
        times = []
        for _ in range(rng.randint(1, 100)):
            member = rng.choice(members)
            core.farm_measured(farm, member, 1000,
                               rng.randint(10 ** 6, 10 ** 9))
            core.farm_next(farm, member)
            if member.chunk_units == 0 or farm.left == 0:
                break
            times.append(Fraction(member.chunk_units, member.speed))
        else:
            whole = len(times) // nodes
            shortest = min(times[max(0, (whole - 1) * nodes - 1):] if whole
                           else times)
            left = farm.left
            units = core.farm_slice(farm, own)
            assert farm.left == left - units
            assert units == left or close(
                units, max(shortest * own.speed / 4, 1))


def run(core, farm, given, unit_ps):
    """Every worker holds one chunk in stock; the originator (0) computes slices
    and serves in between. Result: ends, and units of each."""
    nodes, call_ps = given["nodes"], given.get("call_ps", 0)
    members = [fresh() for _ in range(nodes)]
    units, ends, stock = [0] * nodes, [0] * nodes, {}
    waiting = []  # (time, worker, chunk before: its units and time)
    now = 0

    def give(worker):
        last = members[worker].chunk_units
        chunk = core.farm_next(farm, members[worker])
        assert chunk <= given.get("most_units", 2 ** 32)
        assert last == 0 or chunk <= 4 * last
        begin = max(now, ends[worker])
        if chunk:
            ends[worker] = begin + chunk * unit_ps[worker] + call_ps
            units[worker] += chunk
            heapq.heappush(waiting, (begin, worker, stock.get(worker)))
            stock[worker] = (chunk, chunk * unit_ps[worker] + call_ps)

    for worker in range(1, nodes):
        now += given["demand_ps"]
        give(worker)
    while farm.left or waiting:
        if waiting and waiting[0][0] <= now:
            _, worker, last = heapq.heappop(waiting)
            now += given["demand_ps"]
            if last:
                core.farm_measured(farm, members[worker], *last)
            give(worker)
        elif farm.left:
            slice_units = core.farm_slice(farm, members[0])
            took = slice_units * unit_ps[0] + call_ps
            core.farm_measured(farm, members[0], slice_units, took)
            units[0] += slice_units
            now += took
            ends[0] = now
        else:
            now = waiting[0][0]
    return ends, units


def test_a_farm_ends_together(core):
    """1 M units of 1 us on 25 nodes of which only the originator's speed is
    known: at most 5 % longer than what all take if none ever waits; and what
    some chunks take beside their units."""
    for slow, call_us, most in (
            ({}, 0, 105), ({3: 8}, 0, 105), ({0: 8}, 0, 105),
            ({i: 1 << i % 3 for i in range(25)}, 0, 105), ({}, 20, 104),
            ({}, 400, 120), ({3: 8}, 400, 120), ({}, 2000, 160)):
        unit_ps = [1024000 * slow.get(i, 1) for i in range(25)]
        given = {"load_units": 10 ** 6, "compute_ps": unit_ps[0],
                 "demand_ps": 17_600_000, "nodes": 25, "installment": 4,
                 "call_ps": call_us * 10 ** 6}
        ends, units = run(core, start(core, **given), given, unit_ps)
        assert sum(units) == given["load_units"]
        bound = given["load_units"] / sum(Fraction(1, p) for p in unit_ps)
        assert max(ends) <= bound * Fraction(most, 100), (slow, call_us)


def test_no_unit_is_lost(core):
    """Nor is a chunk more than a node may have, or four times its last."""
    for case in range(100):
        rng = mesh.seeded(f"farm {case}")
        given = {"load_units": rng.randint(1, 10 ** 5),
                 "compute_ps": rng.choice([1, rng.randint(1, 10 ** 7),
                                           rng.randint(1, 2 ** 40)]),
                 "demand_ps": rng.randint(1, 10 ** 9),
                 "most_units": rng.choice([2 ** 32 - 1,
                                           rng.randint(1, 10 ** 5)]),
                 "nodes": rng.randint(1, 30),
                 "installment": rng.choice([1, 2, 4, rng.randint(1, 250)])}
        unit_ps = [max(1, int(given["compute_ps"] * rng.uniform(.1, 10)))
                   for _ in range(given["nodes"])]
        ends, units = run(core, start(core, **given), given, unit_ps)
        assert sum(units) == given["load_units"], case
        assert all(end == 0 or share > 0 for end, share in zip(ends, units))


def test_installment_where_the_transfer_is_dear(core):
    """25 units of 1.024 us at once, or a unit every transfer / 4."""
    for transfer_ps, installment in ((3300, 4), (80000, 3), (13000, 4),
                                     (20000, 3)):
        farm = start(core, load_units=10 ** 6, compute_ps=1024000,
                     demand_ps=17600000, nodes=25, transfer_ps=transfer_ps,
                     installment=0)
        assert farm.installment == installment, transfer_ps

# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/farm.c against the rule in exact fractions, and in farms that
are simulated event by event.

QUINCUNX_SEED chooses loads, speeds and the order of demands.
"""
import heapq
from fractions import Fraction

import mesh
from core import Farm, FarmInput, FarmMember

ONE = 65536


def fresh():
    return FarmMember(speed=ONE, chunk_units=0)


def start(core, **given):
    given.setdefault("ports", 4)
    given.setdefault("transfer_ps", 1)
    given.setdefault("most_units", given["load_units"])
    farm = Farm()
    core.farm_init(farm, FarmInput(**given))
    return farm


def draw(rng):
    return {"load_units": rng.choice([1, rng.randint(1, 100),
                                      rng.randint(1, 2 ** 32 - 1)]),
            "compute_ps": rng.choice([1, rng.randint(1, 10 ** 7),
                                      rng.randint(1, 2 ** 40)]),
            "demand_ps": rng.randint(0, 2 ** 32 - 1),
            "most_units": rng.choice([2 ** 32 - 1, rng.randint(1, 10 ** 5)]),
            "nodes": rng.choice([1, 2, rng.randint(1, 30), 15625]),
            "installment": rng.choice([1, 2, 4, rng.randint(1, 250)])}


def close(units, exact):
    """Whole units; the speed counts as whole 65536ths."""
    return abs(units - exact) <= 2 + exact / 2 ** 10


def check_slices(core, rng):
    """A quarter of the shortest chunk of the last n + 1, 2 n + 1, .. and later;
    before there are as many, of the shortest at all."""
    given = {**draw(rng), "served": rng.randint(1, 600)}
    given["nodes"] = rng.randint(2, 30)
    given["load_units"] = 2 ** 31
    given["demand_ps"] = rng.randint(0, 10 ** 8)
    farm = start(core, **given)
    assert farm.masters
    members = [fresh() for _ in range(given["nodes"])]
    own = FarmMember(speed=rng.randint(1, 2 ** 20))
    times = []
    for _ in range(rng.randint(1, 100)):
        member = rng.choice(members)
        core.farm_measured(farm, member, 1000, rng.randint(10 ** 6, 10 ** 9))
        core.farm_next(farm, member)
        if member.chunk_units == 0 or farm.left == 0:
            return
        times.append(Fraction(member.chunk_units, member.speed))
    whole = len(times) // given["nodes"]
    since = max(0, (whole - 1) * given["nodes"] - 1)
    shortest = min(times[since:]) if whole else min(times)
    left = farm.left
    units = core.farm_slice(farm, own)
    assert farm.left == left - units
    assert close(units, max(shortest * own.speed / 4, 1)) or units == left


def test_slices_with_masters(core):
    for case in range(60):
        check_slices(core, mesh.seeded(f"farm slices {case}"))


def run(core, farm, given, unit_ps, late_ps=0):
    """Every worker holds one chunk in stock; the originator (0) computes slices
    and serves in between. Result: ends, and units of each."""
    nodes = given["nodes"]
    given.setdefault("most_units", 2 ** 32 - 1)
    members = [fresh() for _ in range(nodes)]
    units = [0] * nodes
    ends = [0] * nodes
    waiting = []  # (time, worker, chunk before: its units and time)
    now = 0
    stock = {}

    def give(worker, at):
        last = members[worker].chunk_units
        chunk = core.farm_next(farm, members[worker])
        assert chunk <= given["most_units"]
        assert last == 0 or chunk <= 4 * last
        begin = max(at, ends[worker])
        if chunk:
            ends[worker] = begin + chunk * unit_ps[worker]
            units[worker] += chunk
            heapq.heappush(waiting, (begin, worker, stock.get(worker)))
            stock[worker] = (chunk, chunk * unit_ps[worker])

    for worker in range(1, nodes):
        now += given["demand_ps"]
        give(worker, now)
    while farm.left or waiting:
        if waiting and waiting[0][0] <= now:
            _, worker, last = heapq.heappop(waiting)
            now += given["demand_ps"]
            if last:
                core.farm_measured(farm, members[worker], *last)
            give(worker, now + late_ps)
        elif farm.left:
            slice_units = core.farm_slice(farm, members[0])
            core.farm_measured(farm, members[0], slice_units,
                               slice_units * unit_ps[0])
            units[0] += slice_units
            now += slice_units * unit_ps[0]
            ends[0] = now
        else:
            now = waiting[0][0]
    return ends, units


def test_a_farm_ends_together(core):
    """1 M units of 1 us on 25 nodes of which only the originator's speed is
    known: at most 5 % longer than what all take if none ever waits."""
    for slow in ({}, {3: 8}, {0: 8}, {i: 1 << i % 3 for i in range(25)}):
        unit_ps = [1024000 * slow.get(i, 1) for i in range(25)]
        given = {"load_units": 10 ** 6, "compute_ps": unit_ps[0],
                 "demand_ps": 17_600_000, "nodes": 25, "installment": 4}
        ends, units = run(core, start(core, **given), given, unit_ps)
        assert sum(units) == given["load_units"]
        bound = given["load_units"] / sum(Fraction(1, p) for p in unit_ps)
        assert max(ends) <= bound * Fraction(105, 100), slow


def test_no_unit_is_lost(core):
    """Nor is a chunk more than a node may have, or four times its last."""
    for case in range(100):
        rng = mesh.seeded(f"farm {case}")
        given = {**draw(rng), "nodes": rng.randint(1, 30)}
        given["load_units"] = rng.randint(1, 10 ** 5)
        given["demand_ps"] = rng.randint(1, 10 ** 9)
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

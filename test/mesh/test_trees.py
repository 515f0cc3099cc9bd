# SPDX-License-Identifier: Apache-2.0
"""Runs along trees: any torus, schedules, ports, switching, slow nodes.

Answers are compared with a naive search, units of each node and makespans with
the exact plan (test/oracle/tree_plan.py). QUINCUNX_SEED chooses loads,
originators and patterns. No more than 64 boards at once.
"""
import itertools
import json
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

import core as library
import mesh
import parts
import tree_plan
from tree_plan import Costs

SCHEDULES = {"peters-syska": "scatter", "equal": "scatter",
             "binomial": "binomial", "nearest": "nearest", "star": "star"}
EQUAL = ("equal", "binomial")
# Their circuits of a phase share no link, whatever the size.
DISJOINT = ("peters-syska", "equal", "nearest")
SIDE_MAX = 31
WAITED_MAX = 0.06  # of the makespan: what waiting for links may cost
GRID = 2 ** 300  # of numbers that would become too long
HEAD_BYTES = (mesh.defined("CIRCUIT_HEADER_BYTES", "hal/circuit.h")
              + mesh.defined("WIRE_JOB_BYTES", "scatter/wire/wire.h"))
BRANCH_BYTES = mesh.defined("TREE_BRANCH_BYTES", "scatter/plan/tree.h")


def grow(core, schedule, width, height, originator):
    """Branches as they travel, and where each of them is."""
    _, raw = library.tree(core, SCHEDULES[schedule], width, height,
                          originator)
    return tree_plan.wire(library.branches_of(raw))


def shifts_of(slow, at):
    return [{1: 0, 2: 1, 4: 2, 8: 3}[slow.get(node, 1)] for node in at]


def job(path, size, *args, schedule="peters-syska", ports=4, stored=False,
        slow=None, originator=(0, 0), kernel="spin", arg="8", on="native"):
    """The report of a run."""
    line = ["--schedule", schedule, "--ports", ports, "--originator",
            "{},{}".format(*originator), "--switching",
            "store-and-forward" if stored else "circuit", *args]
    for (x, y), factor in (slow or {}).items():
        line += ["--slow", f"{x},{y}={factor}"]
    return mesh.run(path, *line, size="{}x{}".format(*size), kernel=kernel,
                    arg=arg, on=on)


def check_report(report, size, load):
    """What holds of any run; the units of every node."""
    units = mesh.units_of(report)
    width, height = size
    assert (report["mesh"]["width"], report["mesh"]["height"]) == size
    assert set(units) <= {(x, y) for x in range(width)
                          for y in range(height)}
    assert sum(units.values()) == load == report["load"]["units"]
    assert report["network"]["retries"] == 0
    for node in report["measured"]["nodes"]:
        assert (0 <= node["received_ps"] <= node["compute_start_ps"]
                <= node["finished_ps"]), node
    measured = report["measured"]
    assert measured["makespan_ps"] == max(
        n["finished_ps"] for n in measured["nodes"])
    assert measured["with_results_ps"] >= measured["makespan_ps"]
    return units


def costs_of(profile, load, compute, ports, stored, equal=False):
    """What a tree's plan counts with on native nodes."""
    transfer = profile["transfer_ps_per_byte"]
    return Costs(load, compute, transfer,
                 profile["startup_ps"] + transfer * HEAD_BYTES,
                 profile["hop_delay_ps"], transfer * BRANCH_BYTES, ports=ports,
                 store_and_forward=stored, equal=equal)


def check_spin(core, path, size, schedule, **options):
    """A native run against the exact plan; software costs nothing there."""
    load = path.stat().st_size
    report = job(path, size, schedule=schedule, **options)
    check_report(report, size, load)
    assert report["result"] == {"units": load}
    units, load = mesh.shares_of(report), report["plan"]["load_units"]
    originator = options.get("originator", (0, 0))
    if size in ((1, 1), (5, 5)) and schedule == "peters-syska" and (
            not set(options) - {"originator"}):
        return report  # goes along the pattern: test_run.py
    branches, at = grow(core, schedule, *size, originator)
    slow = shifts_of(options.get("slow") or {}, at)
    compute = report["plan"]["compute_ps_per_unit"] >> slow[0]
    costs = costs_of(report["profile"], load, compute,
                     options.get("ports", 4), options.get("stored", False),
                     schedule in EQUAL)
    if costs.equal:
        tree = tree_plan.Tree(branches, slow, costs)
        nodes = len(branches)
        firsts = [load * i // nodes for i in range(nodes + 1)]
        shares = [b - a for a, b in zip(firsts, firsts[1:])]
        makespan = max(tree.ends(shares))
        inside = range(len(branches))
    else:
        phases, _, makespan, shares = tree_plan.plan(
            branches, slow, costs, GRID, report["plan"]["phases"] + 1)
        assert phases == report["plan"]["phases"]
        inside = [i for i, b in enumerate(branches) if b.phase <= phases]
    near = Fraction(load + 1, 2 ** 23)
    assert abs(report["plan"]["makespan_ps"] - makespan) <= (
        makespan / 2 ** 23 + 2)
    begin = Fraction(0)
    for i, share in zip(inside, shares):
        end = begin + share
        # A range ends at the floor of where it exactly ends.
        assert abs(units.get(at[i], 0) - (end // 1 - begin // 1)) <= (
            abs(end - round(end)) < near) + (abs(begin - round(begin)) < near)
        begin = end
    return report


def compare(report, within=0.01):
    """Measured against planned, of a run whose circuits never waited."""
    assert abs(report["measured"]["overhead_vs_plan"]) <= within, (
        report["mesh"], report["measured"]["overhead_vs_plan"])


# ---- native nodes ----

SIZES = [(1, 1), (1, 2), (2, 1), (2, 2), (1, 31), (31, 1), (2, 31), (31, 2),
         (3, 4), (5, 5), (6, 6), (7, 3), (9, 10), (16, 16), (30, 29)]
VARIANTS = {"four ports": {}, "two ports": {"ports": 2},
            "one port": {"ports": 1}, "stored": {"stored": True},
            "one port, stored": {"ports": 1, "stored": True}}


@pytest.fixture(scope="module")
def spun(loads):
    return loads(mesh.seeded("spin").randbytes(100_000))


# 375 cases; one in 7 has all values of each list.
@pytest.mark.parametrize("step", parts.cases([1, 7], [7]))
def test_native(core, spun, step):
    for size, schedule, variant in list(itertools.product(
            SIZES, SCHEDULES, VARIANTS))[::step]:
        chance = mesh.seeded(f"{size} {schedule} {variant}")
        originator = chance.randrange(size[0]), chance.randrange(size[1])
        report = check_spin(core, spun, size, schedule, originator=originator,
                            **VARIANTS[variant])
        if report["network"]["circuit_conflicts"] == 0 and (
                variant in ("four ports", "stored")):
            compare(report)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_largest_torus(core, spun, schedule):
    report = check_spin(core, spun, (31, 31), schedule, originator=(17, 4))
    if schedule in DISJOINT:
        compare(report, 0.02)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("size", [(5, 5), (8, 11)])
def test_slow_nodes(core, spun, size, schedule):
    """The originator too; who is slower gets less, in proportion."""
    chance = mesh.seeded(f"slow {size} {schedule}")
    nodes = [(x, y) for x in range(size[0]) for y in range(size[1])]
    slow = {node: chance.choice([2, 4, 8]) for node in
            chance.sample(nodes, (len(nodes) + 2) // 3)}
    originator = chance.choice(nodes)
    slow[chance.choice([originator, nodes[0]])] = 4
    report = check_spin(core, spun, size, schedule, slow=slow,
                        originator=originator)
    if report["network"]["circuit_conflicts"] == 0:
        compare(report)
    if schedule in EQUAL:
        units = mesh.shares_of(report).values()
        assert max(units) - min(units) <= 1
        return
    if report["network"]["circuit_conflicts"] > 0:
        return
    end = report["plan"]["makespan_ps"]
    unit = report["plan"]["compute_ps_per_unit"] // slow.get(originator, 1)
    shares = mesh.shares_of(report)
    for node in report["measured"]["nodes"]:
        factor = slow.get((node["x"], node["y"]), 1)
        time = end - node["compute_start_ps"]
        share = shares[node["x"], node["y"]]
        assert abs(share - time / unit / factor) <= (
            3 + 0.01 * time / unit / factor)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_fewer_units_than_nodes(core, loads, schedule):
    for count, size, ports in ((1, (5, 5), 4), (2, (6, 4), 1),
                               (7, (31, 31), 4), (100, (31, 31), 1)):
        check_spin(core, loads(bytes(count)), size, schedule,
                   originator=(3, 2), ports=ports)


def test_nothing_is_found_behind_the_end(loads):
    """Memory that nothing was written to is zero; it is not the load."""
    for length, schedule in zip(range(1000, 1008), [*SCHEDULES] * 2):
        report = job(loads(b"a" * (length - 1) + b"q"), (7, 3),
                     schedule=schedule, kernel="search", arg=b"q\0")
        assert report["result"]["count"] == 0


def announced_late(path):
    """Whether announcements are still under way when the scatter begins: on
    native nodes, where planning takes no time, its first circuits may wait for
    them."""
    events = json.loads(path.read_text())["traceEvents"]
    begin = min((e["ts"] for e in events if e.get("cat") == "scatter"),
                default=0)
    return any(e.get("cat") == "announce" and e["ts"] + e["dur"] > begin
               for e in events)


@pytest.mark.parametrize("width, height", parts.cases(
    [(125, 25), (56, 56)], 1))
def test_larger_sizes_keep_their_plan(tmp_path, width, height):
    """Several rounds of 3,125 and 3,136 native nodes: hardly anybody waits."""
    load = mesh.zeros(tmp_path / "load", 10_000_000)
    report = job(load, (width, height), "--profile", "t3d", "--rounds", "auto",
                 arg="32")
    assert report["result"] == {"units": 10_000_000}
    assert report["plan"]["phases"] <= 6
    assert report["network"]["circuit_conflicts"] <= 4
    assert abs(report["measured"]["overhead_vs_plan"]) <= 0.002


@pytest.mark.boards
def test_1600_boards(tmp_path):
    """Their answer, and the plan that they keep."""
    load = mesh.zeros(tmp_path / "load", 10_000_000)
    report = job(load, (40, 40), "--profile", "t3d", arg="32", on="qemu")
    check_report(report, (40, 40), 10_000_000)
    assert report["result"] == {"units": 10_000_000}
    assert abs(report["measured"]["overhead_vs_plan"]) <= 0.02


@pytest.mark.parametrize("step", parts.cases([33, 1], [33]))
def test_every_size(spun, tmp_path, step):
    """All 961, or one in 33: the answer, no unit lost, the plan kept; who
    waited."""
    chance = mesh.seeded("every size")
    jobs = [((w, h), (chance.randrange(w), chance.randrange(h)))
            for w in range(1, SIDE_MAX + 1) for h in range(1, SIDE_MAX + 1)]
    jobs = jobs[::step]

    def one(task):
        size, originator = task
        trace = tmp_path / "{}x{}".format(*size)
        report = job(spun, size, "--trace", trace, originator=originator)
        late = announced_late(trace)
        trace.unlink()
        return report, late

    waited, lates, worst = {}, 0, (0, (0, 0))
    with ThreadPoolExecutor(2) as pool:
        for (size, _), (report, late) in zip(jobs, pool.map(one, jobs)):
            check_report(report, size, 100_000)
            assert report["result"] == {"units": 100_000}
            conflicts = report["network"]["circuit_conflicts"]
            lates += late
            if conflicts and not late:
                waited[size] = conflicts
            off = report["measured"]["overhead_vs_plan"]
            worst = max(worst, (off, size))
            assert -0.001 <= off <= 0.001 or conflicts, (size, off)
    print(f"worst {worst[0]} on {worst[1]}; {lates} announced late; "
          f"{len(waited)} of {len(jobs)} sizes have conflicts, "
          f"{sum(waited.values())} in all: {waited}")
    assert len(waited) <= len(jobs) // 30
    assert worst[0] <= WAITED_MAX, worst


# ---- boards ----

BOARDS = [((5, 5), "peters-syska", {"ports": 2}),
          ((5, 5), "star", {}), ((5, 5), "nearest", {"stored": True}),
          ((5, 5), "equal", {}), ((5, 5), "binomial", {}),
          ((7, 3), "peters-syska", {}), ((7, 3), "nearest", {"ports": 1}),
          ((1, 9), "peters-syska", {}), ((1, 9), "star", {}),
          ((6, 6), "peters-syska", {}), ((2, 2), "peters-syska", {}),
          ((6, 6), "peters-syska", {"slow": {(0, 0): 2, (3, 3): 8,
                                             (5, 1): 4}})]


@pytest.mark.parametrize("size,schedule,options", parts.cases(
    BOARDS, [BOARDS[2], BOARDS[5], BOARDS[-1]]))
def test_boards_keep_the_plan(loads, size, schedule, options):
    data = mesh.seeded("boards").randbytes(300_000)
    reports = [job(loads(data), size, schedule=schedule, on="qemu", arg="32",
                   originator=(size[0] - 1, 1), **options) for _ in range(2)]
    report = reports[0]
    units = check_report(report, size, 300_000)
    assert report["result"] == {"units": 300_000}
    assert report["timeline_sha256"] == reports[1]["timeline_sha256"]
    if schedule in EQUAL:
        units = mesh.shares_of(report)
        assert max(units.values()) - min(units.values()) <= 1
    if report["network"]["circuit_conflicts"] == 0:
        # The plan does not know that slow boards' software is slow too.
        compare(report, 0.02 if "slow" in options else 0.01)
    native = job(loads(data), size, schedule=schedule, arg="32",
                 originator=(size[0] - 1, 1), **options)
    assert native["plan"]["phases"] == report["plan"]["phases"]

# SPDX-License-Identifier: Apache-2.0
"""Whole runs: answers, plans and times of native nodes and QEMU boards.

Results are compared with a naive search, plans with exact fractions
(test/oracle/model.py). QUINCUNX_SEED chooses loads and patterns. Runs are of
one round, except those of 625 boards that search; test_rounds_run.py has more.
Nothing here asserts wall time. Three meshes of 625 boards are booted, and
shared.
"""
import itertools
import json
from fractions import Fraction

import pytest

import mesh
import model
import parts
import rounds as oracle
import torus

MEMORY_MAX = 12 * 2 ** 30


def check_shares(report):
    """No unit lost, and no node more than one off its layer's others."""
    units = mesh.units_of(report)
    plan = report["plan"]
    assert len(units) == len(report["measured"]["nodes"])
    assert sum(units.values()) == report["load"]["units"]
    assert report["load"]["units"] == report["load"]["bytes"]
    originator = tuple(report["mesh"]["originator"])
    layers = {originator: 0}
    for circuit in torus.scatter(report["mesh"]["width"], originator,
                                 plan["phases"]):
        layers[circuit.nodes[-1]] = circuit.phase
    assert len(layers) == plan["active_nodes"]
    assert set(units) <= set(layers)
    for node in report["measured"]["nodes"]:
        assert node["layer"] == layers[node["x"], node["y"]]
    # In each round nobody is more than one off its layer's others.
    rounds = plan["rounds"]
    units = mesh.shares_of(report)
    for layer, planned in enumerate(plan["layers"]):
        here = [units.get(n, 0) for n, its in layers.items() if its == layer]
        assert len(here) == planned["nodes"]
        assert max(here) - min(here) <= rounds, layer
        for got in here:
            assert abs(got - planned["share_units"]) <= rounds, layer


def hops_of(side, phase):
    return len(torus.circuit(side, phase, (0, 0), 0).nodes) - 1


TABLE_ENTRY_BYTES = 8


def check_plan(report):
    """The originator's integers against the equations in fractions.

    Of one round; of several: test_rounds.py.
    """
    plan = report["plan"]
    if plan["rounds"] > 1:
        return
    startups = plan["startup_ps"]
    phases = plan["phases"]
    load = plan["load_units"]
    assert load == report["load"]["units"] - plan["measured_units"]
    compute = Fraction(plan["compute_ps_per_unit"])
    transfer = plan["transfer_ps_per_unit"]
    assert transfer == report["profile"]["transfer_ps_per_byte"]
    assert len(startups) == phases
    side = report["mesh"]["width"]
    # From one layer's beginning to compute to the next one's: the originator
    # has queued all phases by then.
    behind = [plan["overhead_ps"]] + [0] * phases
    for phase, startup in enumerate(startups, 1):
        assert startup + behind[phase - 1] >= (report["profile"]["startup_ps"]
                                               + report["profile"][
                                                   "hop_delay_ps"]
                                               * hops_of(side, phase))
    exact = model.solve(load, compute, [transfer] * phases, startups)
    assert exact.feasible
    makespan = exact.makespan + plan["overhead_ps"]
    # The originator's share, to so many parts of a unit (one_round.h).
    parts = (1 + 4 * phases) / Fraction(2 ** 27)
    assert abs(plan["makespan_ps"] - makespan) <= 2 + compute * parts
    for layer, share, volume in zip(plan["layers"], exact.shares,
                                    exact.volumes):
        assert abs(Fraction(layer["share_units"]) - share) < 1
        assert abs(Fraction(layer["volume_units"]) - volume) < 1
    assert len(plan["layers"]) == phases + 1
    for fewer in range(phases):
        worse = model.solve(load, compute, [transfer] * fewer,
                            startups[:fewer])
        assert worse.makespan >= exact.makespan
    if 2 <= phases < torus.phases_of(side):
        # Phases from the second on differ by their hops only; with one more,
        # every part has one more entry of both tables (scatter/wire/wire.h).
        delay = report["profile"]["hop_delay_ps"]
        further = startups[-1] + delay * (hops_of(side, phases + 1)
                                          - hops_of(side, phases))
        more = model.solve(load, compute, [transfer] * (phases + 1),
                           [startup + TABLE_ENTRY_BYTES * transfer
                            for startup in startups + [further]])
        # Whole units may end later by one of them and its transfers.
        assert (not more.feasible or exact.makespan - more.makespan
                <= compute + (phases + 1) * transfer)


def check_times(report):
    """Nobody computes before it has received, or ends before it begins."""
    measured = report["measured"]
    last = max(n["finished_ps"] for n in measured["nodes"])
    first = min(n["finished_ps"] for n in measured["nodes"])
    assert measured["makespan_ps"] == last
    assert measured["spread_ps"] == last - first
    assert measured["with_results_ps"] >= last
    planned = report["plan"]["makespan_ps"]
    assert measured["overhead_vs_plan"] == pytest.approx(
        (last - planned) / planned, abs=1e-9)
    for n in measured["nodes"]:
        assert (0 <= n["received_ps"] <= n["compute_start_ps"]
                <= n["finished_ps"]), n


def check(report):
    check_shares(report)
    check_plan(report)
    check_times(report)
    assert report["network"]["circuit_conflicts"] <= 4 * (
        report["plan"]["rounds"] - 1)
    assert report["network"]["retries"] == 0


def check_search(loads, data, pattern, *args, **options):
    """Runs it, checks all that holds of any run; the report."""
    report = mesh.run(loads(data), *args, kernel="search", arg=pattern,
                      **options)
    assert report["result"] == mesh.search_result(data, pattern)
    check(report)
    return report


# ---- search: the answer ----

# ---- originators ----

def test_every_originator_native(loads):
    data = mesh.mixed(30_000, mesh.seeded("originators"))
    path = loads(data)
    want = mesh.search_result(data, b"the")
    first = None
    for x in range(5):
        for y in range(5):
            report = mesh.run(path, "--originator", f"{x},{y}",
                              kernel="search", arg="the", on="native")
            assert report["result"] == want
            assert report["mesh"]["originator"] == [x, y]
            check(report)
            times = sorted((n["layer"], n["units"], n["finished_ps"])
                           for n in report["measured"]["nodes"])
            first = first or times
            assert times == first, (x, y)


# ---- small and odd loads ----

@pytest.mark.parametrize("size, sizes", [
    ("5x5", (1, 2, 4, 5, 6, 24, 25, 26, 999)),
    ("25x25", (1, 5, 24, 126, 624, 625, 626, 999))])
def test_small_loads(loads, size, sizes):
    """So slow a kernel that every byte is worth sending."""
    for bytes_ in sizes:
        report = mesh.run(loads(bytes(bytes_)), size=size, arg="100000",
                          on="native")
        assert report["result"] == {"units": bytes_}
        assert report["plan"]["phases"] > 0 or bytes_ < 5
        check(report)


@pytest.mark.parametrize("kernel, arg, bytes_, profile", [
    ("spin", "32", 26, "lvds"), ("search", "free software", 20_000, "lvds")])
def test_a_load_too_small_for_a_mesh_costs_no_more_on_one(
        loads, kernel, arg, bytes_, profile):
    """Of so few units, 2048 at most, the other boards do not even hear."""
    text = mesh.text(bytes_, mesh.seeded("too small"))
    alone, report = [mesh.run(loads(text), "--profile", profile, size=size,
                              kernel=kernel, arg=arg, rounds="auto")
                     for size in ("1x1", "5x5")]
    assert report["result"] == alone["result"]
    assert report["network"]["messages"] == (0 if bytes_ <= 2048 else 24)
    assert (report["measured"]["answer_ps"]
            <= 1.03 * alone["measured"]["answer_ps"])


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_exactly_the_phases_asked_for(loads, on):
    path = loads(bytes(60_000))
    planned = []
    for phases in range(3):
        report = mesh.run(path, "--phases", str(phases), arg="32", on=on)
        assert report["plan"]["phases"] == phases
        assert len(report["measured"]["nodes"]) == 5 ** phases
        check(report)
        planned.append(report["measured"]["makespan_ps"])
    assert planned == sorted(planned, reverse=True)


def test_plans_of_many_depths(loads):
    """Fewer phases than the mesh has are the best where startups weigh."""
    for profile, bytes_ in [
            ("t3d", 100), ("t3d", 1500), ("t3d", 20_000), ("t3d", 100_000),
            ("lvds", 400), ("lvds", 6000), ("lvds", 100_000), ("uart", 100),
            ("uart", 1500), ("uart", 20_000)]:
        path = loads(bytes(bytes_))
        report = mesh.run(path, "--profile", profile, size="25x25", arg="32",
                          on="native")
        check(report)
        phases = report["plan"]["phases"]
        if phases < 4:
            done = mesh.command("run", "--mesh", "25x25", "--kernel", "spin",
                                "--arg", "32", "--on", "native", "--profile",
                                profile, "--phases", phases + 1, path)
            assert done.returncode == 1
            assert f"at most {phases} phases" in done.stderr


# ---- repeatable ----

def test_another_timeline_has_another_digest(loads):
    path = loads(bytes(50_000))
    digests = {mesh.run(path, *args, arg="32",
                        on="native")["timeline_sha256"]
               for args in ([], ["--originator", "1,0"], ["--phases", "1"],
                            ["--profile", "t3d"])}
    assert len(digests) == 4


def test_a_hop_ends_before_computing_starts(loads):
    """A node's first sends are queued after its receipt, before its work."""
    report = mesh.run(loads(bytes(200_000)), arg="32", on="native")
    for n in report["measured"]["nodes"]:
        assert n["received_ps"] <= n["hop_ps"] <= n["compute_start_ps"], n


# ---- makespan against the plan ----

def check_makespan(report, most=1.001):
    """`most`: times the planned speed-up."""
    check(report)
    measured = report["measured"]
    print(f"overhead_vs_plan {measured['overhead_vs_plan']:+.5%}, "
          f"spread {measured['spread']:.5%}")
    assert -0.001 <= measured["overhead_vs_plan"] <= 0.01
    assert measured["spread"] <= 0.01
    ideal = report["plan"]["speedup"]
    assert 0.98 * ideal <= measured["speedup"] <= most * ideal


@pytest.mark.parametrize("bytes_, profile", parts.cases(
    itertools.product([10 ** 6, 8 * 10 ** 6], ["t3d", "lvds"]),
    [(10 ** 6, "t3d"), (8 * 10 ** 6, "lvds")]))
def test_makespan_of_25_boards(loads, profile, bytes_):
    report = mesh.run(loads(bytes(bytes_)), "--profile", profile, arg="32")
    assert report["plan"]["phases"] == 2
    assert report["result"] == {"units": bytes_}
    check_makespan(report)


def test_late_results_wait_for_their_slot(loads, tmp_path):
    """Results of two phases are never on their way at the same time, however
    much later some nodes end."""
    chance = mesh.seeded("late results")
    trace = tmp_path / "trace"
    # The first units, by which the kernel is measured, are of both kinds.
    both = b"".join(chance.randbytes(16) + b"a" * 16 for _ in range(200))
    data = both + chance.randbytes(250_000) + b"a" * 250_000
    report = check_search(loads, data, b"aaaa", "--trace", trace, "--profile",
                          "lvds")
    assert report["measured"]["spread"] > 0.05
    assert report["network"]["circuit_conflicts"] == 0
    circuits = [(e["ts"], e["ts"] + e["dur"], e["args"]["phase"])
                for e in json.loads(trace.read_text())["traceEvents"]
                if e.get("cat") == "gather" and "bytes" in e["args"]]
    assert [sum(p == phase for *_, p in circuits) for phase in (1, 2)] == [
        4, 20]
    for begin, end, phase in circuits:
        assert not any(other != phase and at < end and begin < until
                       for at, until, other in circuits)
    begins = [begin for begin, _, phase in circuits if phase == 2]
    assert max(begins) - min(begins) > 3 * max(
        end - begin for begin, end, phase in circuits if phase == 2)


def test_short_slots_follow_each_other(loads, tmp_path):
    """A slot on 5x5 is a circuit with 256 bytes, t3d: a few matches are no
    longer, and leave in a slot of their phase after one frame or more."""
    trace = tmp_path / "trace"
    text = mesh.text(237_000, mesh.seeded("short slots"))
    report = check_search(loads, text, b"free software", "--trace", trace,
                          "--profile", "t3d", rounds="auto")
    frame_ps = 2 * (4_850_000 + 3300 * (16 + 256) + 1000)
    begins = sorted(e["args"]["request_ps"]
                    for e in json.loads(trace.read_text())["traceEvents"]
                    if e.get("cat") == "gather" and "bytes" in e["args"]
                    and e["args"]["phase"] == 2)
    frames = [round((begin - begins[0]) / frame_ps) for begin in begins]
    assert len(set(frames)) >= 2 and frames[-1] <= 8
    for begin, frame in zip(begins, frames):
        # Slots are rounded up, to a step of 256 ps.
        assert 0 <= begin - begins[0] - frame * frame_ps <= frame * 2 * 256
    assert report["network"]["circuit_conflicts"] == 0


@pytest.mark.parametrize("profile, most_us", [("t3d", 75), ("lvds", 75)])
def test_short_results_are_soon_back(tmp_path, profile, most_us):
    """8 bytes of each of 25 boards, merged twice on their way."""
    load = mesh.zeros(tmp_path / "load", 1_000_000)
    measured = mesh.run(load, "--profile", profile, arg="32", rounds="auto")[
        "measured"]
    late_ps = measured["with_results_ps"] - measured["makespan_ps"]
    assert 0 < late_ps <= most_us * 10 ** 6


@pytest.mark.parametrize("slow", parts.cases(range(6), [1, 4]))
def test_order_when_some_nodes_are_late(loads, slow):
    """A sixth of the load takes six times as long; offsets stay in order.

    A late node sends its result in a later frame; then a child of an earlier
    phase may come in through the same port before it.
    """
    pattern = b"baaaaaaa"
    data = bytearray(b"c" * 240_000)
    data[slow * 40_000:(slow + 1) * 40_000] = b"a" * 40_000
    for at in range(100, len(data) - 100, 251):
        data[at:at + len(pattern)] = pattern
    report = check_search(loads, bytes(data), pattern)
    assert report["result"]["offsets_complete"]
    assert report["measured"]["spread"] > 0.05


# ---- 625 boards ----

@pytest.fixture(scope="module")
def large(loads):
    """8 MB: text and noise, with a quarter that matches everywhere."""
    chance = mesh.seeded("625 boards")
    half = bytearray(mesh.mixed(6_000_000, chance))
    pattern = b"aaaaaaa"
    for _ in range(300):
        at = chance.randrange(len(half))
        half[at:at + len(pattern)] = pattern
    data = bytes(half[:5_000_000]) + b"a" * 2_000_000 + bytes(half[5_000_000:])
    return loads(data[:8_000_000]), data[:8_000_000], pattern


@pytest.fixture(scope="module")
def quiet_625(large):
    path, _, pattern = large
    watched = mesh.Watched("run", "--json", "--mesh", "25x25", "--kernel",
                           "search", "--profile", "t3d", "--arg-hex",
                           pattern.hex(), path)
    assert watched.returncode == 0, watched.stderr
    print(f"625 boards: {watched.wall_s:.1f} s, "
          f"peak {watched.peak_bytes / 2 ** 30:.2f} GiB")
    return watched, json.loads(watched.stdout)


@pytest.mark.boards
def test_625_boards_find_what_a_naive_search_finds(large, quiet_625):
    _, data, pattern = large
    report = quiet_625[1]
    assert report["result"] == mesh.search_result(data, pattern)
    assert report["result"]["count"] > 1_900_000
    check(report)
    assert report["plan"]["phases"] == 4
    assert len(report["measured"]["nodes"]) == 625
    rounds = report["plan"]["rounds"]
    assert rounds > 1
    assert report["network"]["messages"] == (rounds + 2) * 624
    for n in report["measured"]["nodes"]:
        assert len(n["rounds"]) == (rounds if n["layer"] else 1)
    assert oracle.ranges(report)[-1][2] == rounds - 1


@pytest.mark.boards
def test_625_boards_agree_with_native_nodes(large, quiet_625):
    path, _, pattern = large
    native = mesh.run(path, "--profile", "t3d", size="25x25", kernel="search",
                      arg=pattern, on="native", rounds="auto")
    assert native["result"] == quiet_625[1]["result"]


@pytest.mark.boards
def test_625_boards_memory(quiet_625):
    watched = quiet_625[0]
    assert watched.boards in (625, 626)  # the zygote, if it was seen
    assert 2 ** 28 < watched.peak_bytes < MEMORY_MAX


@pytest.mark.boards
def test_625_boards_repeat_themselves(large, quiet_625, tmp_path):
    """Again, with a trace, in as many rounds."""
    path, _, pattern = large
    trace = tmp_path / "trace.json"
    again = mesh.run(path, "--trace", trace, "--profile", "t3d", size="25x25",
                     kernel="search", arg=pattern, rounds="auto")
    quiet = dict(quiet_625[1])
    for report in (quiet, again):
        report.pop("wall_s")
        report.pop("memory")
        report.pop("command")
    assert again == quiet
    with trace.open(encoding="utf-8") as file:
        assert json.load(file)["traceEvents"]


@pytest.mark.boards
def test_makespan_of_625_boards(loads):
    report = mesh.run(loads(bytes(10 ** 6)), "--profile", "t3d",
                      size="25x25", arg="32")
    assert report["plan"]["phases"] == 4
    check_makespan(report, most=1.003)

# SPDX-License-Identifier: Apache-2.0
"""Runs along trees end when their plans say: any torus, schedules, ports,
switching, slow nodes, one round and several. (Results, units, repetition:
test_any_job.py; the plans themselves: test/scatter/test_tree_plan.py.)

QUINCUNX_SEED chooses sizes and originators. No more than 64 boards at once, but
for one mesh.
"""
import pytest

import mesh

SLOW = "--slow 1,1=2 --slow 2,3=8 --slow 4,0=4"


def run(load, line, **options):
    return mesh.run(load, *line.split(), **{"arg": "32", "on": "native",
                                            **options})


@pytest.fixture(name="load")
def fixture_load(tmp_path):
    return mesh.zeros(tmp_path / "load", 100_000)


# ---- native nodes ----

# By what part the makespan may differ from the plan.
NATIVE = [
    ("3x4", "--schedule equal", .01), ("2x31", "--schedule nearest", .01),
    ("9x10", "--schedule star --originator 4,7", .01),
    ("16x16", "--schedule binomial --switching store-and-forward", .01),
    ("30x29", "", .01), ("5x5", "--ports 2", .01),
    ("6x6", "--schedule nearest --ports 1", .01),
    ("31x2", "--switching store-and-forward --ports 1", .01),
    ("31x31", "--originator 17,4", .02),
    ("31x31", "--originator 17,4 --schedule nearest", .02),
    ("5x5", SLOW, .01), ("8x11", f"{SLOW} --schedule star", .01),
    ("5x5", f"{SLOW} --schedule equal --slow 0,0=4", .01),
    ("7x3", "--unit 8 --ports 1", .01),
    ("5x5", "--unit 8 --schedule nearest --slow 1,2=4", .01)]


def test_native_nodes_end_when_planned(load):
    for size, line, most in NATIVE:
        report = run(load, line, size=size)
        off = report["measured"]["overhead_vs_plan"]
        print(f"{size} {line}: {off:+.5f}")
        assert abs(off) <= most, (size, line)


def test_outputs_are_back_when_planned(load, tmp_path):
    for size, line, ratio in [
            ("7x4", "", "1/1"), ("31x2", "", "3/7"),
            ("6x6", "--ports 1", "2/1"),
            ("5x5", "--slow 0,0=2 --slow 4,4=8", "1/2"),
            ("5x5", "--switching store-and-forward", "3/7"),
            ("5x5", "--schedule star", "2/1")]:
        report = run(load, f"{line} --originator 0,1 -o {tmp_path / 'out'}",
                     size=size, arg=f"32,{ratio}")
        assert abs(report["measured"]["overhead_vs_plan"]) <= .02, (size, line)


@pytest.mark.parametrize("size, line", [
    ("7x6", ""), ("5x5", "--schedule star"), ("5x5", SLOW),
    ("5x5", "--ports 1"), ("5x5", "--switching store-and-forward")])
def test_rounds_are_as_planned_and_shorter_than_one(load, size, line):
    one, two, best = (run(load, line, size=size, rounds=rounds)
                      for rounds in (1, 2, "auto"))
    assert best["plan"]["rounds"] > 1
    for report in two, best:
        assert abs(report["measured"]["overhead_vs_plan"]) < .01
        assert (report["measured"]["makespan_ps"]
                < one["measured"]["makespan_ps"])
        rounds = list(range(report["plan"]["rounds"]))
        for node in report["measured"]["nodes"]:
            if (node["x"], node["y"]) != (0, 0):
                assert [part["round"] for part in node["rounds"]] == rounds
    if size == "7x6":  # near to all nodes that compute without any transfer
        least = 100_000 * best["plan"]["compute_ps_per_unit"] / 42
        assert best["measured"]["makespan_ps"] < 1.2 * least


def test_volumes_count_a_round_once(load):
    """What a layer's nodes receive is their share and that of all behind."""
    for schedule in "peters-syska", "star", "nearest", "farm":
        report = run(load, f"--schedule {schedule} --profile t3d", size="4x3",
                     rounds="auto")
        layers = report["plan"]["layers"]
        assert layers[0]["volume_units"] == 100_000
        for layer in layers:
            assert layer["volume_units"] >= layer["share_units"]
        assert round(sum(layer["nodes"] * layer["share_units"]
                         for layer in layers)) == 100_000


def test_nothing_is_found_behind_the_end(loads):
    """Memory that nothing was written to is zero; it is not the load."""
    for length, schedule in zip(range(1000, 1004), [
            "peters-syska", "binomial", "nearest", "star"]):
        report = run(loads(b"a" * (length - 1) + b"q"),
                     f"--schedule {schedule}", size="7x3", kernel="search",
                     arg=b"q\0")
        assert report["result"]["count"] == 0


def test_any_size(load):
    """Of 30 sizes up to 31 x 31: what waiting for links costs, for those of
    announcements that are under way when the scatter begins, is little."""
    chance = mesh.seeded("any size")
    for _ in range(30):
        size = chance.randint(1, 31), chance.randint(1, 31)
        at = "{},{}".format(*map(chance.randrange, size))
        report = run(load, f"--originator {at}", arg="8",
                     size="{}x{}".format(*size))
        conflicts = report["network"]["circuit_conflicts"]
        off = report["measured"]["overhead_vs_plan"]
        print(size, at, f"{conflicts} conflicts, {off:+.4f}")
        assert -.001 <= off <= (.02 if conflicts else .001), (size, at)


def test_larger_sizes_keep_their_plan(tmp_path):
    """Several rounds of 3,125 native nodes: hardly anybody waits."""
    load = mesh.zeros(tmp_path / "large", 2_000_000)
    report = run(load, "--profile t3d", size="125x25", rounds="auto")
    assert report["plan"]["phases"] <= 6
    assert report["network"]["circuit_conflicts"] <= 4
    assert abs(report["measured"]["overhead_vs_plan"]) <= .002


# ---- boards ----

def test_boards_keep_the_plan(tmp_path):
    """That does not know that slow boards' software is slow, too."""
    load = mesh.zeros(tmp_path / "board-load", 300_000)
    for size, line, most in [
            ("5x5", "--schedule nearest --switching store-and-forward", .01),
            ("5x5", "--schedule binomial", .01), ("7x3", "", .01),
            ("6x6", "--slow 0,0=2 --slow 3,3=8 --slow 5,1=4", .02)]:
        report = run(load, f"{line} --originator 4,1", size=size, on="qemu")
        assert abs(report["measured"]["overhead_vs_plan"]) <= most, (
            size, line)
        native = run(load, f"{line} --originator 4,1", size=size)
        assert native["plan"]["phases"] == report["plan"]["phases"]


def test_boards_answer_sooner_than_with_one_round(tmp_path):
    """Planning counts, which takes no longer than the choice takes for
    granted (plan_tree_ps of boot/costs.h)."""
    load = mesh.zeros(tmp_path / "board-load", 1_000_000)
    one, best = (run(load, "--slow 0,1=8", on="qemu", rounds=rounds)
                 for rounds in (1, "auto"))
    rounds = best["plan"]["rounds"]
    assert one["plan"]["rounds"] == 1 < rounds
    assert abs(best["measured"]["overhead_vs_plan"]) < .005
    assert best["measured"]["answer_ps"] < .9 * one["measured"]["answer_ps"]
    planning = [r["plan"]["planning_ps"] / r["mesh"]["nodes"] / 32000
                for r in (one, best)]
    assert planning[0] < 1000
    assert planning[1] - planning[0] < 1600 * rounds


@pytest.mark.boards
def test_1600_boards(load):
    """More than 1024 files are open: their answer."""
    report = run(load, "--profile t3d", size="40x40", on="qemu", arg="1000")
    assert report["result"] == {"units": 100_000}
    assert report["network"]["retries"] == 0

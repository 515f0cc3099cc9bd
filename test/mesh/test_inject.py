# SPDX-License-Identifier: Apache-2.0
"""Boards that are slower than planned: `--inject`."""
import json

import pytest

import mesh

AT = (1, 2)
MS_PS = 10 ** 9
WHERE = ["qemu", "native"]
# A board that becomes slow has an image of its own, in which reading the clock
# takes an instruction or two more.
CLOSE = 1e-3


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    return mesh.zeros(tmp_path_factory.mktemp("inject") / "load", 100_000)


@pytest.fixture(scope="module")
def plain(load):
    return {on: run(load, on=on) for on in WHERE}


def run(load, *injections, on, rounds=1, more=()):
    args = [word for one in injections for word in ("--inject", one)]
    return mesh.run(load, "--profile", "t3d", *args, *more, on=on, arg="32",
                    rounds=rounds)


def node_of(report, at=AT):
    return next(n for n in report["measured"]["nodes"]
                if (n["x"], n["y"]) == at)


def computing(report, at=AT):
    node = node_of(report, at)
    return node["finished_ps"] - node["compute_start_ps"]


def software(report):
    """From the volume's last byte to the kernel's start: what is left then."""
    node = node_of(report)
    return node["compute_start_ps"] - node["received_ps"]


def check_same_plan(report, plain):
    assert report["plan"] == plain["plan"]
    assert ([node["units"] for node in report["measured"]["nodes"]]
            == [node["units"] for node in plain["measured"]["nodes"]])


@pytest.mark.parametrize("times, on", [(8, "qemu"), (4, "native")])
def test_slow_from_the_start(load, plain, times, on):
    report = run(load, f"slow{times}@1,2", on=on)
    check_same_plan(report, plain[on])
    assert report["measured"]["computing_ps"] == pytest.approx(
        plain[on]["measured"]["computing_ps"], rel=CLOSE)
    assert computing(report) == pytest.approx(times * computing(plain[on]),
                                              rel=1e-5)
    assert software(report) >= times * software(plain[on])
    assert report["injected"] == [{"kind": f"slow{times}", "x": 1, "y": 2,
                                   "from_ps": 0}]
    for node in plain[on]["measured"]["nodes"]:
        at = (node["x"], node["y"])
        assert at == AT or computing(report, at) == computing(plain[on], at)


@pytest.mark.parametrize("on", WHERE)
def test_slow_from_a_time_on(load, plain, on):
    """Until then as fast as ever; what is left takes so many times as long. A
    time later by d is computed at full speed: a node that becomes four times
    slower ends 3 d earlier, to the tick of 40 ns (160 ns when slow)."""
    whole = computing(plain[on])
    start_ps = (plain[on]["measured"]["preparing_ps"]
                + node_of(plain[on])["compute_start_ps"])
    for times, before in (8, whole // 10), (2, whole * 9 // 10):
        report = run(load, f"slow{times}@1,2@{start_ps + before}ps", on=on)
        check_same_plan(report, plain[on])
        assert computing(report) == pytest.approx(
            before + times * (whole - before), rel=CLOSE)
        assert report["injected"][0]["from_ps"] == start_ps + before
    first, second = (
        computing(run(load, f"slow4@1,2@{start_ps + ms * MS_PS}ps", on=on))
        for ms in (1, 2))
    assert abs(first - second - 3 * MS_PS) <= 4 * 160_000
    for time, factor in ("1ps", 8), ("81ns", 8), ("100s", 1):
        report = run(load, f"slow8@1,2@{time}", on=on)
        assert computing(report) == pytest.approx(factor * whole, rel=CLOSE)


def test_several_and_their_repetition(load):
    """In each of two runs, of boards: with one that becomes slow amid its work,
    and with the times told in the report. A picosecond's tick later is another
    timeline."""
    first, second, other = (
        run(load, "slow8@1,2@1.7ms", "slow2@4,4", f"slow4@0,0@{us}us",
            on="qemu", rounds="auto") for us in (2000, 2000, 2001))
    assert first["timeline_sha256"] == second["timeline_sha256"]
    assert first["timeline_sha256"] != other["timeline_sha256"]
    assert [(i["kind"], i["x"], i["y"], i["from_ps"])
            for i in first["injected"]] == [
                ("slow8", 1, 2, 1_700_000_000), ("slow2", 4, 4, 0),
                ("slow4", 0, 0, 2_000_000_000)]


@pytest.mark.boards
def test_becoming_slow_while_it_waits(load):
    """In the middle of a wait, between two rounds, or in software: any time
    gives a makespan between those of slow from the start and never."""
    least, last = (run(load, *words, on="qemu", rounds=2)["measured"][
        "makespan_ps"] for words in ((), ("slow8@1,2",)))
    for us in range(50, 450, 130):
        makespan = run(load, f"slow8@1,2@{us}us", on="qemu", rounds=2)[
            "measured"]["makespan_ps"]
        assert least < makespan <= last * (1 + CLOSE)
        last = makespan


@pytest.mark.parametrize("on", WHERE)
def test_an_originator_measures_itself(load, plain, on):
    report = run(load, "slow4@0,0", on=on)
    assert report["plan"]["compute_ps_per_unit"] == pytest.approx(
        4 * plain[on]["plan"]["compute_ps_per_unit"], rel=.01)


def test_rates_of_a_slow_originator_are_not_kept(load, tmp_path):
    rates = tmp_path / "rates"
    run(load, "slow4@0,0@1ms", on="native", more=["--rates", rates])
    assert not rates.exists()
    run(load, "slow4@1,0", on="native", more=["--rates", rates])
    kept = rates.read_text()
    assert len(json.loads(kept)["rates"]) == 1
    run(load, "slow8@0,0", on="native", more=["--rates", rates])
    assert rates.read_text() == kept


def test_compare_names_them(load):
    """The bound is one of the mesh as it would be without them."""
    args = ["compare", "--json", "--mesh", "5x5", "--on", "native", "--kernel",
            "spin", "--arg", "8", load]
    plain, report = (json.loads(mesh.command(*args, *more).stdout) for more in (
        [], ["--inject", "slow8@1,2", "--inject", "slow2@3,3@2ms"]))
    assert [i["kind"] for i in report["injected"]] == ["slow8", "slow2"]
    assert "injected" not in plain
    assert report["lower_bound"]["compute_ps_per_unit"] == pytest.approx(
        plain["lower_bound"]["compute_ps_per_unit"], rel=.01)
    for slow, fast in zip(report["schedules"], plain["schedules"]):
        assert slow["makespan_ps"] > fast["makespan_ps"]

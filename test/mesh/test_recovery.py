# SPDX-License-Identifier: Apache-2.0
"""What a run tells of nodes and links that died: faults, waves, and when it
ends instead."""
import json
import random

import pytest

import mesh
from test_faults import line, run, survives

PS_PER_US = 10 ** 6


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    return mesh.zeros(tmp_path_factory.mktemp("recovery") / "load", 50_000)


def waves(report):
    return report["recovery"]["each"]


def adds_up(report):
    """Whatever was lost was computed again, for a fault, in order."""
    lost = sum(fault["units"] for fault in report["faults"])
    given = sum(wave["units"] for wave in waves(report))
    again = sum(wave["missing_units"] for wave in waves(report))
    assert lost == given == report["recovery"]["units"]
    assert given - again <= report["load"]["units"]
    assert report["recovery"]["waves"] == len(waves(report))
    ends = [0, *(wave["end_ps"] for wave in waves(report))]
    assert all(wave["start_ps"] >= end
               for wave, end in zip(waves(report), ends))
    assert report["measured"]["answer_ps"] == ends[-1]
    parts = report["average_node_ps"].values()
    assert sum(parts) == ends[-1] and min(parts) >= 0


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_faults_are_told(load, on):
    report = survives(load, on, "die@2,3@200us", "cut@0,0,east@0",
                      "hang@4,4@150us", "die@1,1@100s")
    adds_up(report)
    dead, cut, hung = report["faults"]
    assert (dead["what"], dead["x"], dead["y"], dead["when_ps"]) == (
        "node", 2, 3, 200 * PS_PER_US)
    assert (cut["what"], cut["port"], cut["how"], cut["found_ps"]) == (
        "link", "east", "ordered", 0)
    assert "port" not in dead and (hung["x"], hung["y"]) == (4, 4)
    for fault, how in (dead, "unreached"), (hung, "stopped"):
        assert fault["how"] in (how, "asked")
        assert (fault["when_ps"] < fault["found_ps"]
                <= waves(report)[0]["start_ps"])
    assert dead["units"] + hung["units"] > cut["units"] == 0


@pytest.mark.parametrize("fault, how", [
    ("die@3,1@200us", "unreached"), ("hang@3,1@200us", "stopped"),
    ("fault@2,2@200us", "stopped"), ("cut@0,0,east@20us", "unreached")])
def test_how_a_fault_was_found(load, fault, how):
    """Its units are those of all waves; nobody else is told of."""
    report = survives(load, "native", fault, more=["--rounds", "1"])
    adds_up(report)
    [one] = report["faults"]
    assert one["how"] == how and one["when_ps"] < one["found_ps"]
    assert one["units"] > 0


def test_who_is_met_and_costs_nothing(load):
    """A result that finds the link cut goes the other way around its ring."""
    report = survives(load, "native", "cut@0,0,north@200us", "die@3,1@300us",
                      more=["--rounds", "1"])
    adds_up(report)
    cut, dead = report["faults"]
    assert (cut["how"], cut["units"]) == ("unreached", 0) < (
        dead["how"], dead["units"])


@pytest.mark.parametrize("us", [30, 200, 1500])
def test_the_originators_units_are_those_of_its_order(load, us):
    report = survives(load, "native", f"hang@0,0@{us}us", "die@2,2@250us")
    adds_up(report)
    assert report["faults"][0]["units"] == 50_000
    assert report["recovery"]["originators"] == [[1, 0]]


def test_what_nobody_met_is_told_as_such(load):
    """The cut link comes before the answer, and nobody sends over it any
    more."""
    plain = survives(load, "native", "die@1,2@200us")
    when_ps = plain["measured"]["answer_ps"] - 1
    report = survives(load, "native", "die@1,2@200us",
                      f"cut@3,3,north@{when_ps}ps")
    assert report["faults"][1] == {
        "what": "link", "x": 3, "y": 3, "port": "north", "when_ps": when_ps,
        "how": "unknown", "units": 0}


def amid(wave, part):
    return round(wave["start_ps"] + part * (wave["end_ps"] - wave["start_ps"]))


@pytest.mark.parametrize("seed", range(4))
def test_a_fault_during_recovery_and_during_the_recovery_of_that(load, seed):
    rng = random.Random(seed)
    nodes = rng.sample([(x, y) for x in range(5) for y in range(5)][1:], 3)
    faults = []
    at_ps = 200 * PS_PER_US
    for x, y in nodes:
        faults.append(f"die@{x},{y}@{at_ps}ps")
        report = survives(load, "native", *faults, more=["--rounds", "1"])
        adds_up(report)
        at_ps = amid(waves(report)[-1], 0.5)
    assert len(report["faults"]) == 3


@pytest.mark.parametrize("most, faults, met", [
    (0, ["die@2,3@200us", "cut@0,0,east@0"], 1),
    (1, ["die@2,3@200us", "hang@1,2@200us"], 2)])
def test_more_faults_than_allowed_end_the_run(load, most, faults, met):
    words = line(load, "native", *faults, more=["--survive", str(most)])
    done = mesh.command(*words)
    assert (done.returncode, done.stdout) == (1, "")
    *lost, last = done.stderr.splitlines()
    assert len(lost) == len(faults)
    assert lost[0].startswith(
        "quincunx: lost node 2,3 at 200.0 us, found at ")
    assert last == (f"quincunx: --survive {most}: the job has met {met} fault"
                    + "s" * (met > 1))
    survives(load, "native", *faults, more=["--survive", str(met)])


def test_all_boards_dead_are_named(load):
    done = mesh.command(*line(load, "native", "die@0,0@200us",
                              "hang@1,0@100us",
                              size="2x1"))
    assert (done.returncode, done.stdout) == (1, "")
    for told in "node 0,0 at 200.0 us", "node 1,0 at 100.0 us":
        assert f"quincunx: lost {told}, " in done.stderr


def test_the_trace_shows_them(load, tmp_path):
    trace = tmp_path / "trace"
    report = survives(load, "native", "die@2,3@200us", "cut@0,0,east@0",
                      more=["--rounds", "1", "--trace", trace])
    events = json.loads(trace.read_text())["traceEvents"]
    tracks = {event["tid"]: event["args"]["name"] for event in events
              if event["name"] == "thread_name"}
    shown = [(tracks[event["tid"]].split()[0], event["name"],
              round(event["ts"] * PS_PER_US))
             for event in events if event["ph"] == "i"]
    dead, cut = report["faults"]
    assert shown == [("2,3", "node lost", dead["when_ps"]),
                     ("2,3", "node found", dead["found_ps"]),
                     ("0,0", "east lost", cut["when_ps"])]
    assert [(round(event["ts"] * PS_PER_US), event["args"]["units"])
            for event in events if event.get("cat") == "wave"] == [
                (wave["start_ps"], wave["units"]) for wave in waves(report)]


@pytest.mark.parametrize("profile", ["t3d", "lvds"])
def test_a_death_while_all_compute_costs_one_subtree(tmp_path, profile):
    """Of every node of 5x5, its switch with it. A subtree of the pattern has
    its layer's volume, or a unit more."""
    whole = mesh.zeros(tmp_path / "whole", 2_000_000)
    more = ["--profile", profile, "--rounds", "1"]
    plain = run(whole, "native", more=more)
    nodes = plain["measured"]["nodes"]
    volume = {one["layer"]: one["volume_units"]
              for one in plain["plan"]["layers"]}
    begin, end = (max(one["compute_start_ps"] for one in nodes),
                  min(one["finished_ps"] for one in nodes))
    assert begin < end
    time_ps = plain["measured"]["preparing_ps"] + (begin + end) // 2
    for one in nodes:
        if one["layer"] > 0:
            report = run(whole, "native", f"die@{one['x']},{one['y']}@"
                         f"{time_ps}ps", more=more)
            assert report["result"] == plain["result"]
            assert 0 < report["recovery"]["units"] <= volume[
                one["layer"]] + 1

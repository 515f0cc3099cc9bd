# SPDX-License-Identifier: Apache-2.0
"""Nodes that stop and links that are cut when `--inject` says so."""
import json

import pytest

import mesh
import survive

PS_PER_US = 10 ** 6


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    return mesh.zeros(tmp_path_factory.mktemp("faults") / "load", 50_000)


def line(load, on, *injections, size="5x5", more=()):
    faults = [word for one in injections for word in ("--inject", one)]
    return ["run", "--mesh", size, "--on", on, "--profile", "t3d", "--kernel",
            "spin", "--arg", "32", "--json", *more, *faults, load]


def run(load, on, *injections, **how):
    done = mesh.command(*line(load, on, *injections, **how))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_what_comes_after_the_answer_changes_nothing(load, on):
    """A picosecond before it, too: all others have sent their results, and a
    circuit that is granted ends whole."""
    plain = plainly(load, on)
    last_ps = plain["measured"]["answer_ps"] - 1
    report = run(load, on, f"die@1,2@{last_ps}ps", f"hang@4,4@{last_ps}ps",
                 f"cut@0,0,west@{last_ps}ps", "fault@2,2@100s")
    assert report["timeline_sha256"] == plain["timeline_sha256"]
    assert [(fault["kind"], fault.get("port"), fault["from_ps"])
            for fault in report["injected"]] == [
                ("die", None, last_ps), ("hang", None, last_ps),
                ("cut", "west", last_ps), ("fault", None, 10 ** 14)]


PLAIN = {}


def plainly(load, on, **how):
    """The report without faults, of a run that several tests share."""
    key = repr((load, on, how))
    if key not in PLAIN:
        PLAIN[key] = run(load, on, **how)
    return PLAIN[key]


def survives(load, on, *injections, **how):
    """The report of a run with faults: its result is that without."""
    plain = plainly(load, on, **how)
    report = run(load, on, *injections, **how)
    assert report["result"] == plain["result"]
    assert report["timeline_sha256"] != plain["timeline_sha256"]
    return report


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_the_exact_result_although_nodes_stop(load, on):
    """Amid their work, and the same when repeated."""
    faults = "hang@3,3@500us", "die@1,2@150us", "cut@0,4,north@0"
    first = survives(load, on, *faults)
    assert run(load, on, *faults)["timeline_sha256"] == (
        first["timeline_sha256"])


def test_times_go_on_over_all_batches(load):
    more = ["--batch", "20000"]
    batches = run(load, "native", more=more)["batches"]
    assert len(batches) == 3
    first_ps = batches[0]["preparing_ps"] + batches[0]["with_results_ps"]
    survives(load, "native", f"assert@2,2@{first_ps + 200 * PS_PER_US}ps",
             more=more)


@pytest.mark.parametrize("size, line_more", [
    ("4x3", []), ("5x5", ["--schedule", "farm"]),
    ("5x5", ["--schedule", "hybrid"]), ("5x5", ["--rounds", "3"]),
    ("2x1", ["--switching", "store-and-forward"])])
def test_of_any_policy(load, size, line_more):
    survives(load, "native", "die@1,0@200us", size=size, more=line_more)


def took_over(report):
    """Who held the load in the end; the report names the same node."""
    heirs = report["recovery"]["originators"]
    assert report["mesh"]["originator"] in heirs
    return heirs


@pytest.mark.parametrize("on", ["native", "qemu"])
@pytest.mark.parametrize("fault", ["die", "hang", "fault", "assert"])
def test_the_originator_stops(load, on, fault):
    """Amid its work; then the next one does, shortly before the end."""
    one = f"{fault}@0,0@150us"
    first = survives(load, on, one)
    assert took_over(first) == [[1, 0]]
    assert first["recovery"]["units"] == 50_000
    faults = one, f"{fault}@1,0@{first['recovery']['makespan_ps'] - 10**8}ps"
    first = survives(load, on, *faults)
    assert took_over(first) == [[1, 0], [4, 0]]
    assert first["recovery"]["units"] == 2 * 50_000
    assert run(load, on, *faults)["timeline_sha256"] == (
        first["timeline_sha256"])


def test_the_originator_is_dead_before_the_job(load):
    report = survives(load, "native", "die@0,0@0", "die@1,0@0")
    assert took_over(report) == [[4, 0]]
    assert report["recovery"]["waves"] == 0


def test_preferred_originators_come_first(load):
    more = [word for at in ("0,0", "2,2", "1,3") for word in ("--originator",
                                                              at)]
    assert run(load, "native", more=more)["mesh"]["originator"] == [0, 0]
    faults = "hang@0,0@100us", "die@2,2@50us"
    assert took_over(survives(load, "native", faults[0], more=more)) == [
        [2, 2]]
    assert took_over(survives(load, "native", *faults, more=more)) == [[1, 3]]


@pytest.mark.parametrize("size, line_more", [
    ("4x3", []), ("5x5", ["--schedule", "farm"]),
    ("5x5", ["--schedule", "hybrid"]), ("5x5", ["--rounds", "3"]),
    ("5x5", ["--arg", "8,1/4"]), ("2x1", ["--switching",
                                          "store-and-forward"])])
def test_the_originator_stops_in_any_policy(load, size, line_more):
    took_over(survives(load, "native", "hang@0,0@400us", "die@1,0@200us"
                       if size == "5x5" else "cut@0,0,east@1s", size=size,
                       more=line_more))


def test_the_originator_stops_in_or_between_batches(load):
    """At each tenth of the second one's time, and of the time before it."""
    more = ["--batch", "20000"]
    batches = run(load, "native", more=more)["batches"]
    first_ps = batches[0]["preparing_ps"] + batches[0]["with_results_ps"]
    for tenth in range(1, 20, 3):
        report = survives(load, "native",
                          f"die@0,0@{first_ps * tenth // 10}ps", more=more)
        assert report["recovery"]["originators"] == [[1, 0]]


def test_one_node_lives(load):
    """In the end: each of the others held the load, and died amid its job."""
    faults, at, ps = [], "0,0", 100 * PS_PER_US
    for heir in [1, 0], [0, 1], [1, 1]:
        faults.append(f"die@{at}@{ps}ps")
        report = survives(load, "native", *faults, size="2x2")
        assert took_over(report)[-1] == heir
        at = f"{heir[0]},{heir[1]}"
        ps = report["recovery"]["makespan_ps"] - 100 * PS_PER_US
    assert len(report["recovery"]["originators"]) == 3


def test_nobody_lives(load):
    """All die, one after the other, and the last amid its job."""
    places = "0,0", "1,0", "0,1", "1,1"
    faults = [f"hang@{at}@{100 + 200 * i}us" for i, at in enumerate(places)]
    done = mesh.command(*line(load, "native", *faults, size="2x2"))
    assert done.returncode == 1
    told = done.stderr.splitlines()
    assert [one.split(" us,")[0] for one in told] == [
        f"quincunx: lost node {at} at {100 + 200 * i}.0"
        for i, at in enumerate(places)] + ["quincunx: no node lives any more"]


PLACES = "0,0", "2,2", "4,1"


@pytest.mark.parametrize("schedule", ["star", "farm"])
@pytest.mark.parametrize("faults", [
    ["die@3,3@400us"], ["die@2,2@300us"], ["hang@4,1@2ms", "die@1,1@100us"],
    ["cut@0,0,east@100us", *(f"die@{at}@700us" for at in PLACES)]])
def test_several_originators(tmp_path, schedule, faults):
    """Each one's load is computed, whoever dies; and written as it was, one
    behind the other. Another node gives out what an originator that died had."""
    loads = []
    for i, at in enumerate(PLACES):
        path = tmp_path / f"load{i}"
        path.write_bytes(mesh.seeded(f"several {i}").randbytes(60_000 + 99 * i))
        loads += ["--originator", f"{at}={path}"]
    reports = []
    for name, more in (("whole", []), ("lost", faults)):
        done = mesh.command(
            "run", "--mesh", "5x5", "--on", "native", "--kernel", "spin",
            "--arg", "32,1/4", "--schedule", schedule, *loads, "--json", "-o",
            tmp_path / name, *(word for one in more
                               for word in ("--inject", one)))
        assert (done.returncode, done.stderr) == (0, "")
        reports.append(json.loads(done.stdout))
    whole, lost = reports
    assert whole["result"] == lost["result"]
    assert ((tmp_path / "whole").read_bytes()
            == (tmp_path / "lost").read_bytes())
    dead = [at for at in PLACES if any(f"@{at}@" in one for one in faults)]
    assert len(lost["recovery"]["originators"]) >= len(dead)


@pytest.mark.parametrize("seed", [*range(1, 13), 44, 553])
def test_random_faults(seed):
    _, wrong = survive.trial(seed)
    assert wrong is None

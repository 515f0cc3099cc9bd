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
    plain = run(load, on)
    last_ps = plain["measured"]["answer_ps"] - 1
    report = run(load, on, f"die@1,2@{last_ps}ps", f"hang@4,4@{last_ps}ps",
                 f"cut@0,0,west@{last_ps}ps", "fault@2,2@100s")
    assert report["timeline_sha256"] == plain["timeline_sha256"]
    assert [(fault["kind"], fault.get("port"), fault["from_ps"])
            for fault in report["injected"]] == [
                ("die", None, last_ps), ("hang", None, last_ps),
                ("cut", "west", last_ps), ("fault", None, 10 ** 14)]


def survives(load, on, *injections, **how):
    """The report of a run with faults: its result is that without."""
    plain = run(load, on, **how)
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


@pytest.mark.parametrize("seed", range(1, 13))
def test_random_faults(tmp_path, seed):
    assert survive.trial(seed, tmp_path) is None

# SPDX-License-Identifier: Apache-2.0
"""`quincunx compare`: the same as single runs, side by side; the bound."""
import json
from fractions import Fraction

import pytest

import mesh
import model
import parts

SCHEDULES = ["peters-syska", "equal", "binomial", "nearest", "star", "farm",
             "hybrid"]


def expected(several=True, pattern=True, stars=True):
    """Schedules, and whether in several rounds: two with the best rounds and
    with one; hybrid, where there is the pattern, as the job says. `stars`:
    several rounds of a star are better than one."""
    twice = {"peters-syska"} | ({"star"} if stars else set())
    return [(name, rounds) for name in SCHEDULES
            if pattern or name != "hybrid"
            for rounds in ([True, False] if several and name in twice
                           else [several and name == "hybrid"])]


PROFILE = {"t3d": (4850000, 3300), "lvds": (5100000, 80000)}


def compare(load, *args, size="5x5", kernel="spin", arg="32", on="native",
            profile="lvds"):
    return mesh.command("compare", "--mesh", size, "--kernel", kernel, "--arg",
                        arg, "--on", on, "--profile", profile, *args, load)


def compared(load, *args, **options):
    done = compare(load, "--json", *args, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def check_bound(report, ports=4):
    bound = report["lower_bound"]
    startup, transfer = map(Fraction, PROFILE[report["profile"]["name"]])
    compute = Fraction(bound["compute_ps_per_unit"])
    load = report["load"]["units"]
    nodes = report["mesh"]["nodes"]
    time = Fraction(bound["makespan_ps"])
    args = (nodes, ports, compute, startup, transfer)
    slack = 1 + time / 10 ** 9
    assert model.reached(time - slack, *args) < load
    assert model.reached(time + slack, *args) >= load
    best = min(entry["answer_ps"] for entry in report["schedules"])
    assert best >= min(entry["makespan_ps"]
                       for entry in report["schedules"]) >= time
    assert bound["part_of_best"] == pytest.approx(float(time / best))
    assert bound["computing_part_of_best"] == pytest.approx(
        float(load * compute / nodes / best))
    sent = max(Fraction(0), load - best / compute)
    assert bound["sending_part_of_best"] == pytest.approx(
        float(sent * transfer / ports / best))


def check_entries(report):
    entries = report["schedules"]
    best = min(entries, key=lambda entry: entry["answer_ps"])
    assert report["best"] == best["schedule"]
    for entry in entries:
        ratio = Fraction(entry["answer_ps"], best["answer_ps"])
        assert entry["ratio"] == pytest.approx(float(ratio))
        assert entry["within_1_percent"] == (ratio <= Fraction(101, 100))
        assert entry["answer_ps"] > entry["with_results_ps"]
        assert entry["with_results_ps"] >= entry["makespan_ps"]
    return [(entry["schedule"], entry["rounds"] > 1) for entry in entries]


@pytest.mark.parametrize("on", parts.cases(["qemu", "native"], ["native"]))
def test_it_is_the_single_runs(tmp_path, on):
    """Several rounds, and then one round with every schedule."""
    load = mesh.zeros(tmp_path / "load", 100000)
    report = compared(load, on=on)
    # On boards planning rounds of a star takes longer than they gain.
    assert check_entries(report) == expected(stars=on == "native")
    check_bound(report)
    assert report["lower_bound"]["set_by"] == "nodes"
    assert report["result"] == {"units": 100000}
    for entry in report["schedules"]:
        alone = mesh.run(load, "--profile", "lvds", "--schedule",
                         entry["schedule"], arg="32", on=on,
                         rounds="auto" if entry["rounds_chosen"] else 1)
        measured = alone["measured"]
        for key in ("answer_ps", "makespan_ps"):
            assert entry[key] == measured[key]
        assert entry["answer_speedup"] * entry["answer_ps"] == pytest.approx(
            report["one_board_ps"])
        assert report["one_board_ps"] == pytest.approx(
            measured["one_board_ps"], rel=.01)
        assert entry["with_results_ps"] == measured["with_results_ps"]
        assert entry["planned_makespan_ps"] == alone["plan"]["makespan_ps"]
        assert entry["active_nodes"] == len(measured["nodes"]) == 25
        assert entry["circuit_conflicts"] == alone["network"][
            "circuit_conflicts"]
        assert entry["timeline_sha256"] == alone["timeline_sha256"]
        for key in ("mesh", "profile", "kernel", "load", "result"):
            assert alone[key] == report[key]


@pytest.mark.parametrize("args", [["--rounds", "1"], ["--ports", "1"],
                                  ["--switching", "store-and-forward"],
                                  ["--originator", "3,1"]])
def test_options_of_the_job(tmp_path, args):
    report = compared(mesh.zeros(tmp_path / "load", 20000), *args)
    several = args[0] != "--rounds"
    pattern = args[0] not in ("--ports", "--switching")
    # With one port one round of a star is the best.
    assert check_entries(report) == expected(several, pattern,
                                             args[0] != "--ports")
    if args[0] != "--switching":
        check_bound(report, 1 if args[0] == "--ports" else 4)
        assert report["lower_bound"]["set_by"] == (
            "ports" if args[0] == "--ports" else "nodes")
    assert report["mesh"]["originator"] == (
        [3, 1] if args[0] == "--originator" else [0, 0])


# ---- what is left out, or fails (test/refused/compare.txt: the rest) ----

def test_what_has_no_place(tmp_path):
    """A star has 256 phases on 32x32 boards, a tree at most 226; a hybrid
    chooses its phases."""
    for args, out in ((["--mesh", "32x32"], {"star", "hybrid"}),
                      (["--phases", "1"], {"hybrid"})):
        done = compare(mesh.zeros(tmp_path / "load", 20_000), "--json", *args)
        assert done.returncode == 0 and "is left out" in done.stderr
        assert {one["schedule"] for one in json.loads(done.stdout)[
            "schedules"]} == set(SCHEDULES) - out


def test_the_bound_counts_outputs(tmp_path):
    """Links carry them back over the same ports: V = T / w + P (T - startup) /
    (g + o), which more than all nodes' computing sets here."""
    load = mesh.zeros(tmp_path / "load", 1_000_000)
    report = compared(load, arg="8,1/1")
    bound = report["lower_bound"]
    compute = Fraction(bound["compute_ps_per_unit"])
    startup, transfer = map(Fraction, PROFILE["lvds"])
    exact = ((10 ** 6 + 4 * startup / (2 * transfer))
             / (1 / compute + 4 / (2 * transfer)))
    assert bound["set_by"] == "ports"
    assert bound["makespan_ps"] == pytest.approx(float(exact), rel=1e-6)
    best = min(entry["with_results_ps"] for entry in report["schedules"])
    assert bound["makespan_ps"] <= best < bound["makespan_ps"] * 1.05

# SPDX-License-Identifier: Apache-2.0
"""Outputs of P/Q bytes for each unit, and units of several bytes.

Outputs are compared byte for byte with what one loop over the input writes,
plans with exact fractions (test/oracle/model.py), times with the plan.
"""
import collections
import itertools
import json
from fractions import Fraction

import pytest

import mesh
import model
import parts
import torus
from twins import spun as twin

RATIOS = ["1/1", "1/2", "3/7", "2/1"]
LOADS = [1, 2, 24, 25, 26, 1000, 100_000]
BOARD_LOADS = [1, 26, 100_000]  # a second each; native nodes have all
# Of a result's message: header, length and spin's result; each chunk of output
# has its own head, and up to three bytes of padding.
RESULT_BYTES = mesh.defined("CIRCUIT_HEADER_BYTES", "hal/circuit.h") + 4 + 8
CHUNK_BYTES = mesh.defined("WIRE_OUTPUT_CHUNK_BYTES", "scatter/wire/wire.h")
PAD_BYTES = 3
RATIO_MAX = 1000  # of the planner's P and Q: scatter/plan/one_round.h
GUARD = Fraction(129, 128)  # of the makespan: after it uncounted outputs leave


@pytest.fixture(name="job")
def fixture_job(tmp_path):
    """Runs spin on a load of zeros; the report and the output, or None."""
    def start(bytes_, ratio, *args, instructions=32, **options):
        load = mesh.zeros(tmp_path / "load", bytes_)
        out = tmp_path / "out"
        out.unlink(missing_ok=True)
        report = mesh.run(load, "-o", out, *args,
                          arg=f"{instructions},{ratio}", **options)
        return report, out.read_bytes()

    return start


@pytest.fixture(name="load")
def fixture_load(tmp_path):
    path = tmp_path / "load"
    path.write_bytes(bytes(1000))
    return path


# ---- the plan ----

def counted(report, ratio):
    """Output for each byte sent, with terms that are not too large."""
    unit_bytes = report["load"]["bytes"] // report["load"]["units"]
    p, q = (Fraction(ratio) / unit_bytes).as_integer_ratio()
    while p > RATIO_MAX or q > RATIO_MAX:
        p, q = (p + 1) // 2, (q + 1) // 2
    return Fraction(p, q)


def solved(report, ratio, startups):
    """The paper's equations, with what goes back over each circuit too."""
    plan = report["plan"]
    transfer = plan["transfer_ps_per_unit"] * (1 + counted(report, ratio))
    return model.solve(plan["load_units"], plan["compute_ps_per_unit"],
                       [transfer] * len(startups), startups)


def hops_of(report, phase):
    return len(torus.circuit(report["mesh"]["width"], phase, (0, 0),
                             0).nodes) - 1


def check_plan(report, ratio):
    """Of one round, its times and shares to a unit, and the best of all."""
    plan, profile = report["plan"], report["profile"]
    startups = plan["startup_ps"]
    unit_bytes = report["load"]["bytes"] // report["load"]["units"]
    assert plan["rounds"] == 1 and len(startups) == plan["phases"]
    assert plan["transfer_ps_per_unit"] == (
        profile["transfer_ps_per_byte"] * unit_bytes)
    for phase, startup in enumerate(startups, 1):
        assert startup >= 2 * (
            profile["startup_ps"]
            + profile["hop_delay_ps"] * hops_of(report, phase))
    exact = solved(report, ratio, startups)
    assert exact.feasible
    # The originator's share, to so many parts of a unit (one_round.h).
    parts = (1 + 4 * plan["phases"]) / Fraction(2 ** 27)
    assert abs(plan["makespan_ps"] - plan["overhead_ps"] - exact.makespan) <= (
        2 + plan["compute_ps_per_unit"] * parts)
    for layer, share in zip(plan["layers"], exact.shares):
        assert abs(Fraction(layer["share_units"]) - share) < 1
    for fewer in range(plan["phases"]):
        assert solved(report, ratio,
                      startups[:fewer]).makespan >= exact.makespan


def rounding_ps(report, ratio):
    """What whole units and bytes add to a plan. A volume of
    every phase is at most one unit too large, a share too."""
    plan = report["plan"]
    unit = plan["transfer_ps_per_unit"] * (1 + counted(report, ratio))
    byte = report["profile"]["transfer_ps_per_byte"]
    return plan["compute_ps_per_unit"] + plan["phases"] * (unit + byte)


def below(report, phase):
    """Nodes of a subtree that is sent to in this phase."""
    return 5 ** (report["plan"]["phases"] - phase)


def padding_ps(report):
    """All circuits are planned as if every chunk had to be padded."""
    return PAD_BYTES * report["profile"]["transfer_ps_per_byte"] * sum(
        below(report, phase)
        for phase in range(1, report["plan"]["phases"] + 1))


def returns_ps(report, ratio):
    """What all outputs take at most, phase after phase."""
    plan, profile = report["plan"], report["profile"]
    total = 0
    for phase in range(1, plan["phases"] + 1):
        units = plan["layers"][phase]["volume_units"] + plan["rounds"]
        chunks = plan["rounds"] * below(report, phase)
        bytes_ = (RESULT_BYTES + chunks * (CHUNK_BYTES + PAD_BYTES)
                  + Fraction(units) * Fraction(ratio) + 1)
        total += (profile["startup_ps"]
                  + profile["hop_delay_ps"] * hops_of(report, phase)
                  + profile["transfer_ps_per_byte"] * bytes_)
    return total


def check_times(report, ratio):
    """The last node ends, and the last output is there, when planned to."""
    plan, measured = report["plan"], report["measured"]
    assert measured["with_results_ps"] >= measured["makespan_ps"]
    if report["load"]["units"] >= 100_000:
        # The plan takes the rate of the first units for that of all.
        off = abs(measured["calibration_error"]) + 0.002
        assert abs(measured["overhead_vs_plan"]) <= 0.002 + off
        assert measured["with_results_ps"] <= 1.02 * plan["makespan_ps"]
    if report["mesh"]["on"] == "native":  # where software takes no time
        most = (rounding_ps(report, ratio) + measured["makespan_ps"]
                * abs(measured["calibration_error"]))
        assert abs(measured["makespan_ps"] - plan["makespan_ps"]) <= most
        assert abs(measured["with_results_ps"] - plan["makespan_ps"]) <= (
            most + padding_ps(report))


def check_times_of_rounds(report, ratio):
    """Outputs come back when the last node is planned to have ended."""
    plan, measured = report["plan"], report["measured"]
    if report["load"]["units"] >= 100_000:
        assert abs(measured["overhead_vs_plan"]) <= 0.01
    late = max(0, measured["makespan_ps"] - plan["makespan_ps"])
    assert plan["makespan_ps"] <= measured["with_results_ps"]
    if report["mesh"]["on"] == "native":
        assert measured["with_results_ps"] <= (
            plan["makespan_ps"] * GUARD + late + returns_ps(report, ratio))


def check_times_of_meanwhile(report):
    """The last output is there when planned, and the last node has ended."""
    plan, measured = report["plan"], report["measured"]
    late = measured["with_results_ps"] - plan["makespan_ps"]
    assert measured["makespan_ps"] <= measured["with_results_ps"]
    if report["load"]["units"] >= 100_000:
        assert abs(late) <= 0.1 * plan["makespan_ps"]


def outputs_sent(report):
    """Messages of outputs that return meanwhile: one for each round but the
    last of every node, and one more of who has children."""
    plan = report["plan"]
    layers = [layer["nodes"] for layer in plan["layers"]]
    if plan["outputs_return"] != "meanwhile":
        return 0
    return (plan["rounds"] - 1) * sum(layers[1:]) + sum(layers[1:-1])


def check(report, ratio):
    """All that holds of any run with an output on the pattern."""
    load, rounds = report["load"], report["plan"]["rounds"]
    want = load["units"] * Fraction(ratio) // 1
    assert report["result"] == {"units": load["units"], "output_bytes": want}
    assert sum(mesh.units_of(report).values()) == load["units"]
    if rounds == 1:
        check_plan(report, ratio)
        check_times(report, ratio)
    elif report["plan"]["outputs_return"] == "meanwhile":
        check_times_of_meanwhile(report)
    else:
        check_times_of_rounds(report, ratio)
    active = len(report["measured"]["nodes"])
    messages = report["network"]["messages"]
    assert messages == (mesh.announced(report) + (rounds + 1) * (active - 1)
                        + outputs_sent(report))
    # What returns meanwhile shares links with what goes out.
    assert report["network"]["circuit_conflicts"] <= (
        4 * (rounds - 1) + outputs_sent(report) * 3)
    assert report["network"]["retries"] == 0


# ---- the output ----

def checked(job, units, ratio, *args, **options):
    """The report of a job whose output is right, or None where so many rounds
    of so few units are infeasible."""
    try:
        report, output = job(units, ratio, *args, **options)
    except AssertionError as error:
        if options["rounds"] == "auto" or "infeasible" not in str(error):
            raise
        return None
    assert output == twin(units, ratio), units
    assert options["rounds"] in ("auto", report["plan"]["rounds"])
    check(report, ratio)
    return report


@pytest.mark.parametrize("size, ratio", parts.every(5, itertools.product(
    ["1x1", "5x5", "25x25"], RATIOS)))
def test_output_of_native_nodes(job, size, ratio):
    side = int(size.split("x")[0])
    for units in LOADS:
        one, two, three, best = (
            checked(job, units, ratio, "--originator",
                    f"{side - 1},{side // 2}", size=size, on="native",
                    rounds=rounds) for rounds in (1, 2, 3, "auto"))
        assert one is not None
        if side > 1 and units >= 100_000:
            assert None not in (two, three)
        if (best["plan"]["measured_units"] != one["plan"]["measured_units"]
                or mesh.announced(best) == 0):
            # Too small for a mesh: the originator did all.
            assert best["plan"]["phases"] == 0
            assert (best["measured"]["answer_ps"]
                    <= one["measured"]["answer_ps"])
        elif best["plan"]["rounds"] == 1:
            assert best["timeline_sha256"] == one["timeline_sha256"]
        else:
            assert (best["plan"]["makespan_ps"] < one["plan"]["makespan_ps"])


@pytest.mark.parametrize("ratio, rounds", parts.cases([
    *((ratio, rounds) for ratio in RATIOS for rounds in (1, "auto")),
    *(("3/7", rounds) for rounds in (2, 3, 16))],
    [("1/2", 1), ("2/1", "auto"), ("3/7", 3)]))
def test_output_of_boards(job, ratio, rounds):
    for units in BOARD_LOADS:
        report = checked(job, units, ratio, rounds=rounds)
        assert report is not None or units < 100_000


def test_extreme_ratios(job):
    for size, ratio in (("5x5", "1/1000"), ("5x5", "1000/1"),
                        ("5x5", "1000/999"), ("25x25", "997/1000")):
        for bytes_ in (1, 999, 1001, 5003):
            checked(job, bytes_, ratio, size=size, on="native", rounds=1)


def test_as_many_phases_as_shorten_the_makespan(job):
    """From a load that is not worth sending to one spread over all nodes."""
    for instructions in (1, 1000, 100_000):
        checked(job, 2000, "3/7", instructions=instructions, on="native",
                rounds=1)


def test_phases_that_are_asked_for(job):
    for phases in range(5):
        report = checked(job, 20_000, "3/7", "--phases", phases, size="25x25",
                         on="native", rounds=1)
        assert report["plan"]["phases"] == phases
        assert len(report["measured"]["nodes"]) == 5 ** phases


def test_parents_end_when_their_childrens_outputs_have_come(job, tmp_path):
    """Layer after layer, on native nodes, whose software takes no time."""
    trace = tmp_path / "trace"
    report, _ = job(100_000, "1/1", "--trace", trace, size="25x25",
                    on="native")
    ends = collections.defaultdict(set)
    for node in report["measured"]["nodes"]:
        ends[node["layer"]].add(node["finished_ps"])
    for layer in range(report["plan"]["phases"]):
        assert max(ends[layer + 1]) < min(ends[layer])
    comes = [e["args"] for e in json.loads(trace.read_text())["traceEvents"]
             if e.get("cat") == "gather"]
    assert len(comes) == 624
    # The parent's share and the child's are each off by a unit at most.
    slack = (rounding_ps(report, "1/1") + padding_ps(report)
             + report["plan"]["compute_ps_per_unit"])
    for e in comes:
        end = max(ends[e["phase"] - 1])
        assert abs(e["end_ps"] - end) <= slack, (e, end)


# ---- where it goes ----

def test_file_that_takes_nothing(load, tmp_path):
    """The run is done: it is still told."""
    bad = "/dev/full"
    done = mesh.command("run", "--json", "--mesh", "5x5", "--kernel", "spin",
                        "--arg", "32,3/7", "--on", "native", "-o", bad, load,
                        cwd=tmp_path)
    assert done.returncode == 1
    assert f"quincunx: {bad}: " in done.stderr
    assert json.loads(done.stdout)["result"] == {
        "units": 1000, "output_bytes": 428}
    assert sorted(tmp_path.iterdir()) == [load]


def most_at_once(load, bytes_, *words):
    """What a node's memory takes of a load, as the message says that refuses
    all of it in one batch."""
    done = mesh.command("run", *words, "--batch", bytes_, "--kernel", "spin",
                        "--on", "native", mesh.zeros(load, bytes_))
    assert (done.returncode, done.stdout) == (1, "")
    assert f"--batch {bytes_}" in done.stderr and str(load) in done.stderr
    return int(done.stderr.split("takes ")[1].split()[0])


@pytest.mark.parametrize("size, on, rounds, least, ratio", parts.cases([
    (*what, ratio) for ratio in ("1000/999", "1/1000", "1000/1") for what in [
        ("5x5", "qemu", 1, 16_590_000), ("1x1", "native", 1, 16_590_000),
        ("5x5", "native", "auto", 16_580_000),
        ("7x4", "native", 1, 16_580_000)]], 4))
def test_largest_load_whose_output_fits(job, load, size, on, rounds, least,
                                        ratio):
    """In one batch; one byte more would go in two."""
    words = ["--rounds", rounds, "--arg", f"1,{ratio}", "--mesh", size]
    most = most_at_once(load, 64 * 2 ** 20, *words)
    assert most_at_once(load, most + 1, *words) == most
    report, output = job(most, ratio, instructions=1, size=size, on=on,
                         rounds=rounds)
    assert "batches" not in report
    wanted = most * Fraction(ratio) // 1
    assert len(output) == wanted and most + wanted > least
    period = twin(256, "1/1")
    assert output == (period * (wanted // 256 + 1))[:wanted]
    if size != "7x4":
        assert report["network"]["circuit_conflicts"] == 0


# ---- what is refused ----

# ---- along trees ----

TREES = [("7x4", []), ("1x5", []), ("31x2", []), ("6x6", ["--ports", "1"]),
         *[("5x5", options) for options in (
             ["--slow", "1,2=4"], ["--slow", "0,0=2", "--slow", "4,4=8"],
             ["--ports", "2"], ["--ports", "1"],
             ["--switching", "store-and-forward"],
             ["--switching", "store-and-forward", "--ports", "1"],
             *[["--schedule", name] for name in (
                 "equal", "star", "nearest", "binomial")])]]


@pytest.mark.parametrize("number, tree", enumerate(TREES))
def test_outputs_along_trees_are_back_as_planned(job, number, tree):
    size, options = tree
    for rounds in (1, "auto"):
        report, output = job(100_000, RATIOS[number % 4], "--originator",
                             "0,1", *options, size=size, on="native",
                             rounds=rounds)
        assert output == twin(100_000, RATIOS[number % 4])
        active = len(report["measured"]["nodes"])
        assert report["network"]["messages"] == (
            mesh.announced(report)
            + (report["plan"]["rounds"] + 1) * (active - 1))
        if report["network"]["circuit_conflicts"] == 0:
            assert abs(report["measured"]["overhead_vs_plan"]) <= 0.02


# ---- units of several bytes ----

def test_units_along_trees(tmp_path):
    load = mesh.zeros(tmp_path / "load", 120_000)
    for options in (["--ports", "1"], ["--slow", "1,2=4"],
                    ["--schedule", "nearest"],
                    ["--switching", "store-and-forward"]):
        report = mesh.run(load, "--unit", 8, *options, on="native", arg="500")
        assert report["result"] == {"units": 15_000}
        assert abs(report["measured"]["overhead_vs_plan"]) <= 0.01, options

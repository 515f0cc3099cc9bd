# SPDX-License-Identifier: Apache-2.0
"""Jobs over the mesh, against a search of Python's own; and when layers began
and ended, against the plan that was made of measured values."""
import json
import math
import subprocess
import time

import pytest

import mesh
import rig

PATTERN = "static"
SPIN = 20_000  # instructions a byte
# Of 100 circuits so many may be later than what the tolerance takes them to
# be: it adds up the largest of several.
SIGMAS = 3


def check(report, data, pattern=PATTERN):
    assert report["load"]["bytes"] == len(data)
    nodes = report["measured"]["nodes"]
    assert sum(node["units"] for node in nodes) == len(data)
    want = mesh.search_result(data, pattern.encode())
    assert {key: report["result"][key] for key in want} == want


def load_of(mesh_up, size, name):
    data = mesh.text(size, mesh.seeded(name))
    return data, mesh_up.load(data)


@pytest.mark.parametrize("size", [1, 24_000])
def test_search(mesh_up, size):
    data, load = load_of(mesh_up, size, f"hil {size}")
    check(mesh_up.run(load, arg=PATTERN), data)


# ---- the plan ----

def spin(mesh_up, load):
    """A job that takes longer for a byte than the links, by measured values;
    None if the image has no such kernel."""
    done = mesh_up.command(*mesh_up.run_line(
        load, kernel="spin", arg=SPIN, profile=mesh_up.profile))
    if done.returncode != 0 and "no such kernel" in done.stderr:
        return None
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["result"]["units"] == report["load"]["bytes"]
    return report


@pytest.fixture(scope="module", name="planned")
def fixture_planned(mesh_up):
    """A job with a plan of measured values; where the image has no spin, it is
    a search, which stays on one board."""
    data, load = load_of(mesh_up, 60_000, "hil plan")
    mesh_up.measure()
    start = time.monotonic()
    report = spin(mesh_up, load)
    if report is None:
        report = mesh_up.run(load, arg=PATTERN, profile=mesh_up.profile)
        check(report, data)
    report["elapsed_ps"] = (time.monotonic() - start) * 1e12
    return report


def tolerance_ps(calibration, layer, volume_bytes, elapsed_ps):
    """Of a start in this layer: so many circuits one after the other, each as
    uncertain as the fit and as late as repeats were; and the error of a clock,
    which one exchange tells: half of how late that is, and what it drifted
    since, at most in as long as the command took."""
    measured = calibration["measured"]
    late = calibration["repeats"]["late_95_percent_ps"] / 2  # of one of two
    circuit = (late + SIGMAS * measured["residual_rms_ps"] / 2
               + measured["startup_ps"]["ci95"]
               + 4 * measured["hop_delay_ps"]["ci95"]
               + volume_bytes * measured["transfer_ps_per_byte"]["ci95"])
    drift_ppm = max((abs(clock["drift_ppm"]["value"])
                     + clock["drift_ppm"]["ci95"]
                     for clock in calibration["clocks"]), default=0)
    return layer * circuit + late + drift_ppm * 1e-6 * elapsed_ps


def compared(report, calibration):
    """(what, planned, measured first, last, tolerance), times in ps."""
    plan, nodes = report["plan"], report["measured"]["nodes"]
    rows = []
    most = 0
    for planned in plan["layers"]:
        layer = planned["layer"]
        own = [n for n in nodes if n["layer"] == layer and n["units"] > 0]
        if not own:
            continue
        most = tolerance_ps(calibration, layer, planned["volume_units"],
                            report["elapsed_ps"])
        starts = [n["received_ps"] for n in own]
        rows.append((f"layer {layer} starts", planned["received_ps"],
                     min(starts), max(starts), most))
        compute = planned["share_units"] * plan["compute_ps_per_unit"]
        ends = [n["finished_ps"] for n in own]
        # What computing differs by is the mesh's, not the circuits'.
        spread = compute * abs(report["measured"]["calibration_error"])
        rows.append((f"layer {layer} finishes", plan["makespan_ps"],
                     min(ends), max(ends), most + SIGMAS * spread))
    return rows


def test_every_layer_keeps_to_the_plan(mesh_up, planned, notes):
    if mesh_up.mesh not in ("1x1", "5x5", "25x25"):
        pytest.skip("plans of a tree tell no layer's start; 1x1, 5x5 and "
                    "25x25 have them")
    rows = compared(planned, mesh_up.measure())
    notes.add("makespan vs plan, calibrated",
              f"{planned['measured']['overhead_vs_plan']:+.2%}")
    if len(rows) < 4:
        pytest.skip("by the measured times one board keeps the load: flash "
                    "KERNELS='search spin'")
    wrong = []
    for what, plan, first, last, tolerance in rows:
        off = max(abs(first - plan), abs(last - plan))
        fine = off <= tolerance
        if not fine:
            wrong.append(what)
        said = "within" if fine else "beyond"
        notes.add(what, f"{rig.time_text(first)}",
                  f"to {rig.time_text(last)}",
                  f"plan {rig.time_text(plan)}, {said} "
                  f"+- {rig.time_text(tolerance)}")
    assert not mesh_up.timed or not wrong


def test_the_time_that_a_kernel_takes(mesh_up, planned, notes):
    """Of a unit: as the plan takes it, and as the nodes' own clocks say."""
    plan = planned["plan"]["compute_ps_per_unit"]
    each = [(n["finished_ps"] - n["compute_start_ps"]) / n["units"]
            for n in planned["measured"]["nodes"] if n["units"] > 100]
    mean = sum(each) / len(each)
    spread = math.sqrt(sum((e - mean) ** 2 for e in each)
                       / max(1, len(each) - 1))
    kernel = planned["kernel"]
    notes.add(f"{kernel}, a byte: planned", rig.time_text(plan))
    notes.add(f"{kernel}, a byte: measured", rig.time_text(mean),
              f"+- {rig.time_text(2 * spread)}",
              f"over {len(each)} boards")
    # What a byte of a text takes depends on the text.
    assert not mesh_up.timed or kernel != "spin" or (
        min(each) > 0 and abs(mean / plan - 1) < 0.05 + 2 * spread / mean)


def test_a_host_that_dies_leaves_a_mesh_that_works(mesh_up):
    """The report that nobody fetched does not become another job's. The
    console alone takes 5 s of a load for boards."""
    _, first = load_of(mesh_up, 45_000, "hil first")
    with subprocess.Popen(
            [mesh.QUINCUNX, *map(str, mesh_up.run_line(first, arg=PATTERN))],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.STDOUT) as process:
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(2)
        finally:
            process.kill()
    data, load = load_of(mesh_up, 8_000, "hil second")
    end = time.monotonic() + rig.CIRCUITS_S
    while (done := mesh_up.command(*mesh_up.run_line(
            load, arg=PATTERN))).returncode != 0:
        # The job went on without its host.
        assert time.monotonic() < end, done.stderr
        time.sleep(0.5)
    check(json.loads(done.stdout), data)


def test_the_mesh_rests_after_all_that(mesh_up):
    """The board has not faulted, waits for the next job, and its console says
    that nothing is on."""
    with mesh_up.console() as console:
        assert "record=none" in console.ask("fault")[0]
        assert rig.words(console.ask("report")[0])["state"] == "none"
        assert console.values("ps")["state"] == "waiting"

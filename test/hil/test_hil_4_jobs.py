# SPDX-License-Identifier: Apache-2.0
"""Jobs over the mesh, against a search of Python's own; and when layers began
and ended, against the plan that was made of measured values."""
import collections
import json
import math
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


def test_search_of_what_lies_across_every_boundary(mesh_up):
    """Twelve equal bytes at a time: neighbours share some of them."""
    data = b"ab" * 700
    check(mesh_up.run(mesh_up.load(data), arg="babababababa"), data,
          "babababababa")


def test_search_in_batches(mesh_up):
    data, load = load_of(mesh_up, 9_000, "hil batches")
    report = mesh_up.run(load, "--batch", 5_001, arg=PATTERN)
    check(report, data)
    units = [batch["units"] for batch in report["batches"]]
    assert sum(units) == len(data) and max(units) <= 5_001 and len(units) == 2


def test_a_run_is_silent_but_for_answers(mesh_up):
    """The console says nothing that the host has not asked for, from before
    the job until after it."""
    data, load = load_of(mesh_up, 8_000, "hil silence")
    line = mesh_up.run_line(load, arg=PATTERN)
    with mesh_up.console() as console, rig.Tap(console) as tap:
        line[line.index("--port") + 1] = tap.path
        done = mesh_up.command(*line)
        time.sleep(1)
    assert (done.returncode, done.stderr) == (0, "")
    check(json.loads(done.stdout), data)
    asked, begun = collections.Counter(), None
    for is_asked, raw in tap.lines:
        text = raw.rpartition(b"*")[0].decode()
        if is_asked:
            asked[text.split()[0]] += 1
            continue
        first, tag = text.split()[0], "@" + rig.words(text).get("tag", "")
        if begun is None:
            assert first in ("ok", "err") and asked[tag] > 0, raw
            asked[tag] -= 1
            begun = tag if "until=end" in text else None
        elif first == "end":
            assert tag == begun, raw
            begun = None
    assert begun is None and not tap.left[False]


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
    """A job with a plan of measured values; on emulated boards with one that
    spreads it, since by their times a board would keep everything, as it does
    on all boards if it is a search."""
    data, load = load_of(mesh_up, 24_000 if mesh_up.emulated else 60_000,
                         "hil plan")
    mesh_up.measure()
    start = time.monotonic()
    report = None if mesh_up.emulated else spin(mesh_up, load)
    if report is None:
        profile = None if mesh_up.emulated else mesh_up.profile
        report = mesh_up.run(load, arg=PATTERN, profile=profile)
        check(report, data)
    report["elapsed_ps"] = (time.monotonic() - start) * 1e12
    return report


def test_a_run_with_what_was_measured(mesh_up):
    """`run --plan-profile` takes the file of `calibrate`."""
    mesh_up.measure()
    data, load = load_of(mesh_up, 8_000, "hil measured")
    report = mesh_up.run(load, "--plan-profile", mesh_up.profile, arg=PATTERN)
    check(report, data)
    assert report["plan_profile"]["name"] == "measured"


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
    if not mesh_up.is_pattern:
        pytest.skip("plans of a tree tell no layer's start; 1x1, 5x5 and "
                    "25x25 have them")
    rows = compared(planned, mesh_up.measure())
    notes.add("makespan vs plan, calibrated",
              f"{planned['measured']['overhead_vs_plan']:+.2%}", "",
              "not asserted: emulated" if mesh_up.emulated else "")
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
                  f"+- {rig.time_text(tolerance)}"
                  + ("; not asserted: emulated" if mesh_up.emulated else ""))
    assert mesh_up.emulated or not wrong


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
              f"over {len(each)} boards"
              + ("; not asserted: emulated" if mesh_up.emulated else ""))
    assert mesh_up.emulated or (
        min(each) > 0 and abs(mean / plan - 1) < 0.05 + 2 * spread / mean)


def test_the_mesh_rests_after_all_that(mesh_up):
    """No board has faulted, everyone waits for the next job, and the console
    says that nothing is on."""
    with mesh_up.console() as console:
        assert "record=none" in console.ask("fault")[0]
        assert rig.words(console.ask("report")[0])["state"] == "none"
        assert console.values("ps")["state"] == "waiting"
    for at in sorted(mesh_up.tty):
        with mesh_up.console(at) as console:
            assert console.values("ps")["state"] == "waiting", at
            assert "record=none" in console.ask("fault")[0], at

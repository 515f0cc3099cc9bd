# SPDX-License-Identifier: Apache-2.0
"""`run --schedule auto`: what it takes, and what it knows of a mesh from an
earlier run."""
import json
import re
import subprocess

import pytest

import mesh
from core import BUILD
from guard import GUARD_S


def run(load, line="", **options):
    return mesh.run(load, *f"--schedule auto {line}".split(),
                    **{"on": "native", "arg": "32", "rounds": "auto",
                       **options})


@pytest.mark.parametrize("size, arg, profile, units, schedule", [
    ("5x5", "32", "t3d", 100_000, "hybrid"),  # nothing varies: the pattern
    ("5x5", "32,1/1", "lvds", 100_000, "hybrid"),  # outputs return meanwhile
    ("7x6", "32", "t3d", 20_000, "equal"),  # planning would be
    ("7x6", "32", "lvds", 100_000, "farm")])
def test_it_is_the_named_one(tmp_path, size, arg, profile, units, schedule):
    """On boards, where planning and demands take time."""
    load = mesh.zeros(tmp_path / "load", units)
    line = f"--profile {profile}"
    if "," in arg:
        line += f" -o {tmp_path / 'out'}"
    chosen, named = (run(load, line + more, size=size, arg=arg, on="qemu")
                     for more in ("", f" --schedule {schedule}"))
    told = chosen["choices"]
    assert told[0]["schedule"] == schedule
    expected = [choice["expected_answer_ps"] for choice in told]
    assert expected == sorted(expected)
    assert len(set(choice["schedule"] for choice in told)) == (
        5 if size == "5x5" else 6)  # one board, which the pattern does itself
    assert "choices" not in named
    assert (chosen["measured"]["answer_ps"]  # but for samples
            < named["measured"]["answer_ps"] * 1.01)


def test_a_board_that_was_slow_in_an_earlier_run(tmp_path):
    """No plan knows it; the file of --rates does."""
    load = mesh.zeros(tmp_path / "load", 200_000)
    rates = tmp_path / "rates.json"
    first, second = (run(
        load, f"--profile t3d --rates {rates} --inject slow8@1,1", on="qemu")
        for _ in range(2))
    assert first["choices"][0]["schedule"] == "hybrid"
    assert second["choices"][0]["schedule"] == "farm"
    assert (second["measured"]["answer_ps"]
            < first["measured"]["answer_ps"] / 4)
    entry, = json.loads(rates.read_text("utf-8"))["rates"]
    assert 700 < entry["slowest_percent"] < 900


# On native nodes, where a choice that forgets startups, hops, store and
# forward, or that native nodes have no software, is 20 % to 640 % late.
@pytest.mark.parametrize("size, arg, line", [
    ("7x6", "8", "--profile uart"),
    ("7x6", "8", "--profile uart --switching store-and-forward"),
    ("5x5", "32", "--profile uart --ports 1"),
    ("5x5", "8,1/1", "--profile lvds --switching store-and-forward"),
    ("7x6", "8", "--profile t3d --ports 1"),
    ("4x4", "32", "--profile lvds"),
    ("7x6", "8,1/1", "--profile uart")])
def test_few_choices_are_late(tmp_path, size, arg, line):
    load = mesh.zeros(tmp_path / "load", 100_000)
    chosen = run(load, line, size=size, arg=arg)["measured"]["answer_ps"]
    done = mesh.command("compare", "--json", "--on", "native", "--kernel",
                        "spin", "--mesh", size, "--arg", arg, *line.split(),
                        load)
    best = min(entry["answer_ps"]
               for entry in json.loads(done.stdout)["schedules"])
    assert chosen <= best * 1.05


# Where a tree took 2 to 9 times as long as one board, since planning it, or
# results in slots of the longest, took more than the load.
@pytest.mark.parametrize("size, on, profile, kernel, arg, units, options", [
    ("4x4", "qemu", "t3d", "spin", "8", 500, ""),
    ("4x4", "qemu", "lvds", "stats", "type=u8", 2000, "--slow 1,0=2"),
    ("3x3", "qemu", "uart", "spin", "8,1/1", 3000, "--ports 1"),
    ("7x5", "native", "lvds", "search", "free software", 3000, ""),
    ("7x7", "native", "uart", "stats", "type=u8", 4000, ""),
    ("6x7", "native", "lvds", "stats", "type=u8", 1600, ""),
    ("5x2", "native", "uart", "spin", "8,1/1", 20_000, "")])
def test_never_later_than_one_board(tmp_path, size, on, profile, kernel, arg,
                                    units, options):
    load = mesh.zeros(tmp_path / "load", units)
    which = {"on": on, "kernel": kernel, "arg": arg, "rounds": "auto"}
    line = f"--profile {profile}"
    one = mesh.run(load, *line.split(), size="1x1", **which)
    for more in ("", " --schedule auto"):
        report = mesh.run(load, *f"{line} {options}{more}".split(), size=size,
                          **which)
        assert report["result"] == one["result"]
        assert (report["measured"]["answer_ps"]
                < one["measured"]["answer_ps"] * 1.05), more
    assert report["choices"][0]["schedule"] == "one board"
    assert [node["units"] for node in report["measured"]["nodes"]
            if node["units"]] == [units]


def test_results_along_a_tree_are_short(tmp_path):
    """Their slots were as long as the longest result, and the time that boards
    take to merge: 2.8 times as long as a farm's."""
    load = mesh.zeros(tmp_path / "load", 60_000)
    which = {"size": "6x6", "kernel": "stats", "arg": "type=u8",
             "on": "native", "rounds": "auto"}
    tree, farm = (mesh.run(load, "--profile", "t3d", "--schedule", schedule,
                           **which)["measured"]["answer_ps"]
                  for schedule in ("auto", "farm"))
    assert tree < farm * 1.05


def test_the_first_slot_waits_for_a_share_of_one_unit_more(tmp_path):
    """Shares are whole units; who missed its slot waited for all others."""
    load = mesh.zeros(tmp_path / "load", 400)
    told = run(load, "--profile lvds --schedule nearest", size="6x5")
    assert told["measured"]["answer_ps"] < 105e6


def test_a_result_that_grows(tmp_path):
    """With one match in six bytes slots along a tree are long."""
    load = tmp_path / "load"
    load.write_bytes(b"some e's in a line of others\n" * 500)
    options = ["--kernel", "search", "--arg", "(?|)e|the|is", "--profile",
               "lvds", "--mesh", "3x3", "--on", "native", "--json", load]
    auto, farm = (json.loads(mesh.command(
        "run", "--schedule", schedule, *options).stdout)["measured"]
        for schedule in ("auto", "farm"))
    assert auto["answer_ps"] <= farm["answer_ps"] * 1.03


# ---- loads that are dear in places ----

def dear(load, kernel, said, *options):
    """A run of a kernel that says so, or does not; and what people read."""
    words = [BUILD / "test/dear", "run", "--firmware", BUILD / "test/dear.elf",
             "--mesh", "5x5", "--profile", "t3d", "--kernel", kernel, "--arg",
             said, *options, load]
    done = subprocess.run([*map(str, words), "--report", load.parent / "r"],
                          check=True, capture_output=True, text=True,
                          timeout=GUARD_S)
    return json.loads((load.parent / "r").read_text()), done.stdout


@pytest.mark.boards
def test_dear_data(tmp_path):
    """No plan knows what a unit takes; a farm, or most of the load on demand,
    need not. The remark of a plan says why it was wrong."""
    load = mesh.zeros(tmp_path / "load", 512)
    said, _ = dear(load, "mandelbrot", "y", "--schedule", "auto")
    unsaid, unsaid_text = dear(load, "mandelbrot", "n", "--schedule", "auto")
    planned, text = dear(load, "mandelbrot", "n", "--rounds", "1")
    assert said["result"] == unsaid["result"] == planned["result"]
    assert [choice["schedule"] for choice in said["choices"]] == ["farm"]
    assert "The load is dear in places" in unsaid_text
    for report in (said, unsaid):
        assert (report["measured"]["answer_ps"] * 2
                < planned["measured"]["answer_ps"])
    assert re.search(r"Units of \d,\d took [\d.]+ times those of \d,\d: the "
                     r"load\s+is\s+dear\s+in\s+places", text)


@pytest.mark.parametrize("size, least", [("5x5", 13), ("3x2", 5)])
def test_dear_samples(tmp_path, size, least):
    """A fifth of the rows has twelve times as many values, and no first unit
    tells: 25 boards computed 8.5 times as fast as one, six 2.3 times."""
    load = tmp_path / "load"
    load.write_bytes(b"".join((600 if 2000 < i < 3200 else 50).to_bytes(
        2, "little") for i in range(6000)))
    told, text = dear(load, "sparse", "n", "--unit", "2", "--schedule", "auto",
                      "--mesh", size)
    assert told["measured"]["answer_speedup"] > least
    assert ("Samples of the load" in text) == (size == "3x2")


@pytest.mark.boards
def test_a_fixed_cost_of_a_run(tmp_path):
    """0.4 ms, beside 3.6 ms of each board: plans know it, none is worse than
    one of one round, and auto takes no samples for it."""
    load = tmp_path / "load"
    load.write_bytes(b"\x32\0" * 6000)
    (one, _), (best, text), (auto, _), (farm, _) = (
        dear(load, "sparse", "n" + 20 * "x", "--unit", "2", *options)
        for options in (["--rounds", "1"], [], ["--schedule", "auto"],
                        ["--schedule", "farm"]))
    for report, off in (one, .01), (best, .01), (auto, .01), (farm, .06):
        assert abs(report["measured"]["overhead_vs_plan"]) < off
    assert float(re.search(r"planned to take ([\d.]+) % of one", text)[1]) < 100
    answers = [told["measured"]["answer_ps"] for told in (auto, best, one)]
    assert answers[0] < 1.02 * answers[1] < answers[2]


def test_when_a_farm_is_planned_to_end(tmp_path):
    load = mesh.zeros(tmp_path / "load", 100_000)
    for size, arg, line in [
            ("5x5", "32", "--profile lvds --switching store-and-forward"),
            ("5x5", "8,1/1", "--profile lvds"),
            ("5x5", "32", "--profile uart"),
            ("7x6", "32", "--profile t3d --slow 1,2=4"),
            ("4x4", "8", "--profile lvds --ports 1")]:
        report = run(load, f"{line} --schedule farm", size=size, arg=arg)
        assert report["plan"]["makespan_ps"] == pytest.approx(
            report["measured"]["makespan_ps"], rel=0.05), (size, line)


def test_when_nobody_knows_when_a_farm_ends(tmp_path):
    """Of several originators that store and forward."""
    load = mesh.zeros(tmp_path / "load", 50_000)
    done = mesh.command(
        "run", *"--json --mesh 5x5 --on native --kernel spin --arg 32 "
        "--schedule farm --switching store-and-forward".split(),
        "--originator", f"0,0={load}", "--originator", f"2,2={load}")
    report = json.loads(done.stdout)
    assert report["plan"]["makespan_ps"] == 0
    assert report["measured"]["overhead_vs_plan"] == 0

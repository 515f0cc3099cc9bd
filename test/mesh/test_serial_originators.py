# SPDX-License-Identifier: Apache-2.0
"""Several originators on boards with serial ports: the loads travel over the
mesh from one console, or over consoles of their own. Every unit is computed
once by a node of its group, outputs are exact, and what fails is named. The
boards are modelled ones, whose time the command shares."""
import json
import re

import pytest

import mesh
import twins
from chip_bench import KERNELS, START_US, check_sound, started

PROFILE = "startup = 150us\ntransfer = 5us\nhop_delay = 300us\n"
LOADS = {(0, 0): 600, (1, 1): 300}
# A node sets its clock by when a message came.
CLOCKS_PS = 10 ** 9


def line_of(it, folder, sizes, *words, arg="3000,2/3"):
    """The words of a run; a load's units are what spin makes of their places
    (test/lib/twins.py)."""
    (folder / "profile").write_text(PROFILE)
    words = ["--json", "--mesh", f"{it.width}x{it.height}", "--kernel", "spin",
             "--arg", arg, "--profile", folder / "profile", *words]
    for (x, y), units in sizes.items():
        path = folder / f"load-{x}-{y}"
        path.write_bytes(mesh.seeded("serial originators").randbytes(units))
        words += ["--originator", f"{x},{y}={path}"]
    return words


def check(report, sizes):
    """Every unit is computed once, by nodes of its group."""
    seen = []
    for one, (place, units) in zip(report["originators"], sizes.items(),
                                   strict=True):
        assert (one["x"], one["y"]) == place
        assert one["result"]["units"] == one["load"]["units"] == units
        assert sum(share["units"] for share in one["shares"]) == units
        nodes = [(share["x"], share["y"]) for share in one["shares"]]
        assert place in nodes
        seen += nodes
        times = one["measured"]
        assert 0 < times["makespan_ps"] < times["with_results_ps"] + CLOCKS_PS
        assert 0 < times["with_results_ps"] <= times["answer_ps"] < 10 ** 12
    assert len(seen) == len(set(seen)) == report["mesh"]["nodes"]


def run(it, folder, sizes, *words, board=0):
    out = folder / "out"
    done = it.host("run", *line_of(it, folder, sizes, *words, "-o", out),
                   board=board)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    check(report, sizes)
    assert out.read_bytes() == b"".join(
        twins.spun(units, "2/3") for units in sizes.values())
    check_sound(it, console=False)  # of a board that was reset
    return report


@pytest.mark.parametrize("side, schedule, places", [
    pytest.param(2, "farm", [(0, 0), (1, 1)], marks=pytest.mark.boards),
    (3, "star", [(1, 2), (0, 0), (2, 1)])])
def test_one_console(tmp_path, side, schedule, places):
    """The first originator is where the console is, wherever that is. All
    boards take part."""
    rng = mesh.seeded(f"serial originators {side} {schedule}")
    sizes = {place: 3 * rng.randint(100, 300) for place in places}
    x, y = places[0]
    with started(side, side, image=KERNELS) as it:
        report = run(it, tmp_path, sizes, "--schedule", schedule,
                     board=x + side * y)
        assert all(node["units"] > 0 for node in report["measured"]["nodes"])


@pytest.mark.boards
def test_a_load_that_just_fits(tmp_path):
    """It goes through the memory of the console's node, which is as large."""
    with started(2, 2, image=KERNELS) as it:
        def give(units):
            sizes = {(0, 0): 100, (1, 1): units}
            return sizes, it.host("run", *line_of(it, tmp_path, sizes,
                                                  arg="6"))
        _, done = give(130_000)
        assert (done.returncode, done.stdout) == (1, "")
        most = re.search(r"must have 1 to (\d+)", done.stderr)
        assert (f"--originator '1,1={tmp_path}/load-1-1': has 130000"
                in done.stderr)
        sizes, done = give(int(most[1]))
        assert (done.returncode, done.stderr) == (0, "")
        check(json.loads(done.stdout), sizes)


def test_a_console_for_each(tmp_path):
    """In the wrong order, the first one's node is not where the first
    originator is said to be."""
    with started(2, 2, image=KERNELS) as it:
        run(it, tmp_path, LOADS, "--port", it.port(3), "--schedule", "farm")
        done = it.host("run", "--port", it.port(3), *line_of(
            it, tmp_path, {(0, 0): 100, (0, 1): 100}))
        assert (done.returncode, done.stdout) == (1, "")
        assert (f"--port {it.port(3)}: is the console of board 1,1, not of "
                "the originator 0,1") in done.stderr


@pytest.mark.boards
def test_an_originator_that_fails(tmp_path):
    """It is named; the next job is right again."""
    with started(2, 2, image=KERNELS) as it:
        it.ask("inject hang", 3)
        done = it.host("run", *line_of(it, tmp_path, LOADS, "--watchdog", 3))
        assert (done.returncode, done.stdout) == (1, "")
        assert "the report of the originator at 1,1 is missing" in done.stderr
        assert re.search(r"^1,1 ", done.stderr, re.M), "no states"
        it.command("type", 3, "reset")
        it.run(START_US)
        run(it, tmp_path, LOADS)


def test_a_kernel_that_the_image_lacks(tmp_path):
    """Both say so, each by its name."""
    sizes = {(0, 0): 500, (1, 0): 500}
    with started(2, 1) as it:
        done = it.host("run", *line_of(it, tmp_path, sizes))
    assert (done.returncode, done.stdout) == (1, "")
    for x, y in sizes:
        assert (f"the originator at {x},{y}, of {tmp_path}/load-{x}-{y} gave "
                "up: no such kernel") in done.stderr

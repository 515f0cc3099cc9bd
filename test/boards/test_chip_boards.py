# SPDX-License-Identifier: Apache-2.0
"""The flashed image on modelled boards (test/boards/chip):
discovery with crystals as they come, many times, a job over damaged links,
plans against what they become. `make test-boards` runs them."""
import json

import pytest

import mesh
import twins
from chip_bench import (HELD_CYCLES_MAX, KERNELS, PORTS, START_US, Bench,
                        check_sound)

pytestmark = pytest.mark.boards

PPM = 100       # what crystals are off by, at most
DAMAGE = 0.01   # of all bytes


def boards(side, chance, **options):
    """Boards with crystals of their own, that are about to start."""
    it = Bench(side, side, power=False, **options)
    for board in range(side * side):
        it.set(board, "hse_ppm", round(chance.uniform(-PPM, PPM), 2))
    it.command("power", "all", "on")
    it.up(START_US + chance.randrange(1000))
    return it


@pytest.mark.parametrize("side, times", [(2, 10), (5, 2)])
def test_discovery(side, times):
    for number in range(times):
        chance = mesh.seeded(f"chip discovery {side} {number}")
        with boards(side, chance) as it:
            assert it.discover() == []
            assert it.held() <= HELD_CYCLES_MAX
            check_sound(it)


# ---- jobs ----

def run(it, folder, data, *words, steps=()):
    """The report of a job that succeeds."""
    load = folder / "load"
    load.write_bytes(data)
    done = it.host("run", "--mesh", f"{it.width}x{it.height}", "--json",
                   *words, load, steps=steps)
    assert (done.returncode, done.stderr) == (0, "")
    check_sound(it)
    return json.loads(done.stdout)


def test_a_search_is_right(tmp_path):
    """Over links of which all damage some bytes."""
    chance = mesh.seeded("chip search")
    data = mesh.text(3000, chance)
    with boards(3, chance) as it:
        worse = [("damage", "all", port, DAMAGE) for port in PORTS]
        report = run(it, tmp_path, data, "--profile", "emulated", "--kernel",
                     "search", "--arg", "the",
                     steps=[it.ordered(*worse)])
        assert report["result"] == mesh.search_result(data, b"the")
        ports = [it.counters(board)[port] for board in range(9)
                 for port in PORTS]
        assert any(port["damaged"] + port["mended"] for port in ports)


def test_a_job_takes_as_long_as_planned(tmp_path):
    """By a profile that the boards were measured for."""
    chance = mesh.seeded("chip plan")
    data, output = mesh.text(3000, chance), tmp_path / "output"
    profile = tmp_path / "profile"
    with boards(2, chance, image=KERNELS) as it:
        done = it.host("calibrate", "--mesh", "2x2", "-o", profile)
        assert done.returncode == 0, done.stderr
        measured = run(it, tmp_path, data, "--profile", profile, "--kernel",
                       "spin", "--arg", "20000,2/3", "-o", output)["measured"]
    assert output.read_bytes() == twins.spun(len(data), "2/3")
    assert abs(measured["overhead_vs_plan"]) <= 0.03
    # How the order came to the originator is not counted.
    assert measured["preparing_ps"] < measured["answer_ps"] / 10
    assert measured["answer_speedup"] > 2

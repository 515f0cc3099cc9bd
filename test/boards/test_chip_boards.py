# SPDX-License-Identifier: Apache-2.0
"""The flashed image on modelled boards (test/boards/chip), many times:
discovery with crystals as they come, jobs of several kernels over sound and
damaged links, plans against what they become. `make test-boards` runs them."""
import json

import pytest

import mesh
from chip_bench import (HELD_CYCLES_MAX, KERNELS, PORTS, START_US, Bench,
                        check_sound, opposite, step)

pytestmark = pytest.mark.boards

DISCOVERIES = 20
PPM = 100       # what crystals are off by, at most
DAMAGE = 0.01   # of all bytes
PATTERN = b"the"
SPIN = 500      # instructions a byte
SIDE = 56       # of the picture
OVERHEAD = 0.03
GAUSS = {(dx, dy): (2 - abs(dx)) * (2 - abs(dy))
         for dx in (-1, 0, 1) for dy in (-1, 0, 1)}


def boards(width, height, chance, **options):
    """Boards with crystals of their own, that are about to start."""
    it = Bench(width, height, power=False, **options)
    for board in range(width * height):
        it.set(board, "hse_ppm", round(chance.uniform(-PPM, PPM), 2))
        it.set(board, "seed", chance.randrange(1, 1 << 31))
    it.command("power", "all", "on")
    it.up(START_US + chance.randrange(1000))
    return it


def check_discovery(side, number):
    chance = mesh.seeded(f"chip discovery {side} {number}")
    with boards(side, side, chance) as it:
        assert it.discover() == []
        assert it.held() <= HELD_CYCLES_MAX
        check_sound(it)


@pytest.mark.parametrize("side", [2, 5])
def test_discovery(side):
    for number in range(DISCOVERIES):
        check_discovery(side, number)


# ---- jobs ----

def blurred(samples):
    """The kernel conv's `gauss`: sums of 16ths, rounded; beyond the border is
    the nearest sample."""
    def at(x, y):
        return samples[min(max(y, 0), SIDE - 1) * SIDE
                       + min(max(x, 0), SIDE - 1)]
    return bytes((sum(weight * at(x + dx, y + dy)
                      for (dx, dy), weight in GAUSS.items()) + 8) // 16
                 for y in range(SIDE) for x in range(SIDE))


class Task:
    """A kernel's load, the words of `run` for it, and whether what came of it
    is right."""

    def __init__(self, kernel, folder, chance):
        self.kernel = kernel
        self.data = mesh.text(SIDE * SIDE, chance)
        self.load, self.output = folder / "load.pgm", folder / "output.pgm"
        head = b"P5\n%d %d\n255\n" % (SIDE, SIDE) if kernel == "conv" else b""
        self.load.write_bytes(head + self.data)
        self.arg = {"search": PATTERN.decode(), "conv": "filter=gauss",
                    "spin": f"{SPIN},2/3"}[kernel]

    def words(self):
        line = ["--kernel", self.kernel, "--arg", self.arg, "--json"]
        if self.kernel != "search":
            line += ["-o", self.output]
        return line + [self.load]

    def check(self, report):
        if self.kernel == "search":
            assert report["result"] == mesh.search_result(self.data, PATTERN)
        elif self.kernel == "conv":
            assert self.output.read_bytes()[-len(self.data):] == blurred(
                self.data)
        else:
            assert report["result"]["units"] == len(self.data)
            assert self.output.read_bytes() == bytes(
                (31 * i + 7) % 256 for i in range(len(self.data) * 2 // 3))


def check_job(it, task, *options, steps=()):
    """Runs it; the report of a job whose result is right."""
    done = it.host("run", "--mesh", f"{it.width}x{it.height}", *options,
                   *task.words(), steps=steps)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    task.check(report)
    return report


# 20 jobs: each kind on both meshes, and those of 2x2 again.
JOBS = [(side, kernel, damage, number) for number in range(2)
        for side in (2, 3) for kernel in ("search", "conv", "spin")
        for damage in (0, DAMAGE)
        if number == 0 or side == 2] + [(3, "search", DAMAGE, 1),
                                        (3, "search", DAMAGE, 2)]


def check_any_job(folder, side, kernel, damage, number):
    chance = mesh.seeded(f"chip job {side} {kernel} {damage} {number}")
    task = Task(kernel, folder, chance)
    with boards(side, side, chance, image=KERNELS) as it:
        worse = [("damage", "all", port, damage) for port in PORTS]
        report = check_job(it, task, "--profile", "emulated",
                           steps=[it.ordered(*worse)])
        units = [node["units"] for node in report["measured"]["nodes"]]
        assert sum(units) == len(task.data) > max(units)
        ports = [it.counters(board)[port] for board in range(side * side)
                 for port in PORTS]
        assert any(port["damaged"] + port["mended"] for port in ports) == (
            damage > 0)
        check_sound(it)


@pytest.mark.parametrize("side, kernel, damage, number", JOBS)
def test_a_job_is_right(tmp_path, side, kernel, damage, number):
    check_any_job(tmp_path, side, kernel, damage, number)


def planned_job(folder, side):
    """What was measured of a job, planned by a profile that the boards were
    measured for."""
    chance = mesh.seeded(f"chip plan {side}")
    task = Task("spin", folder, chance)
    task.arg = "20000,2/3"
    with boards(side, side, chance, image=KERNELS) as it:
        profile = folder / "profile"
        done = it.host("calibrate", "--mesh", f"{side}x{side}", "-o", profile)
        assert done.returncode == 0, done.stderr
        report = check_job(it, task, "--profile", profile)
        check_sound(it)
        return report["measured"]


@pytest.mark.parametrize("side", [2, 3])
def test_a_job_takes_as_long_as_planned(tmp_path, side):
    measured = planned_job(tmp_path, side)
    assert abs(measured["overhead_vs_plan"]) <= OVERHEAD
    # How the order came to the originator is not counted.
    assert measured["preparing_ps"] < measured["answer_ps"] / 10
    assert measured["answer_speedup"] > side


def test_a_board_that_is_unplugged_while_it_computes(tmp_path):
    """The command ends by itself, and names it by its neighbours."""
    chance = mesh.seeded("chip unplugged")
    task = Task("spin", tmp_path, chance)
    task.arg = "20000,2/3"
    victim = 4
    heard = []

    def received():
        return sum(usart["received"]
                   for usart in it.stats()[victim]["usarts"])

    def has_its_part():
        heard.append(received())
        return heard[-1] > heard[0] + len(task.data) // 20

    with boards(3, 3, chance, image=KERNELS) as it:
        done = it.host(
            "run", "--mesh", "3x3", "--profile", "emulated", "--watchdog", 3,
            *task.words(), steps=[
                it.ordered(),
                (has_its_part, *(("unplug", victim, p) for p in PORTS))])
        assert (done.returncode, done.stdout) == (1, "")
        assert "no report came in time" in done.stderr
        for port in PORTS:
            x, y = step(1, 1, port, 3, 3)
            assert f"({x},{y}) {opposite(port)}: nobody answers" in done.stderr
        check_sound(it)

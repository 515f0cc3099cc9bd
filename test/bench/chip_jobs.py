# SPDX-License-Identifier: Apache-2.0
"""What modelled boards (test/boards/chip) do again and again: find their mesh,
do jobs, start from any crystal. The checks are those of
test/boards/test_chip_boards.py, counted here."""
import pathlib
import tempfile

import test_chip_boards as boards
from chip_bench import Bench

MEGA = 1_000_000
START_US = 500_000
BATCH_BYTES = 104_000
CRYSTALS_MHZ = (4, 8, 12, 16, 25, 26)


def passed(check, *arguments):
    """Whether a check of the tests holds."""
    try:
        check(*arguments)
    except AssertionError:
        return False
    return True


def count_line(table, what, results):
    count = sum(results)
    table.line(f"chip: {what}", f"{len(results)} of {len(results)}",
               f"{count} of {len(results)}", count == len(results))


def starts_right(settings, clock, crystal_mhz, clock_mhz):
    """Whether a board says that, and its clock is so fast."""
    with Bench(1, 1, power=False, **settings) as it:
        it.command("power", "all", "on")
        it.up(START_US)
        said, stats = it.values("ident"), it.stats()[0]
        return (said["clock"] == clock
                and said["crystal_hz"] == str(crystal_mhz * MEGA)
                and abs(stats["core_hz"] / MEGA - clock_mhz) < 0.001
                and not it.complaints())


def start_lines(table):
    count_line(table, "crystals of 4, 8, 12, 16, 25, 26 MHz: 168 MHz", [
        starts_right({"hse_hz": mhz * MEGA}, "hse-pll", mhz, 168)
        for mhz in CRYSTALS_MHZ])
    count_line(table, "no crystal, a PLL that never locks: said so", [
        starts_right({"hse": "none"}, "hsi-pll", 0, 168),
        starts_right({"pll_dead": 1}, "hsi", 8, 16)])
    with Bench(1, 1) as it:
        it.up(START_US)
        room = int(it.values("ident")["room"])
    table.line("chip: memory for a batch, bytes", f"{BATCH_BYTES} at least",
               str(room), room >= BATCH_BYTES)


def job_lines(table, folder):
    count_line(table, "jobs on 2x2, 3x3, half of them 1 % damaged: exact", [
        passed(boards.check_any_job, folder, *job)
        for job in boards.JOBS])
    for side in (2, 3):
        measured = boards.planned_job(folder, side)
        overhead = measured["overhead_vs_plan"]
        table.line(f"chip: spin on {side}x{side}, calibrated: against plan",
                   "within 3 %", f"{overhead * 100:+.2f}%",
                   abs(overhead) <= boards.OVERHEAD)


def lines(table):
    start_lines(table)
    for side in (2, 5):
        count_line(table, f"mesh {side} {side}, crystals 100 ppm off: sound", [
            passed(boards.check_discovery, side, number)
            for number in range(boards.DISCOVERIES)])
    with tempfile.TemporaryDirectory() as folder:
        job_lines(table, pathlib.Path(folder))

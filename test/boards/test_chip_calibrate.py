# SPDX-License-Identifier: Apache-2.0
"""`quincunx calibrate` on modelled boards (test/boards/chip), and what it
cannot see: how long bytes were on a wire, and how far the crystals are off.
That jobs take as long as its values say: test_chip_boards.py."""
import json
import re

import pytest

import chip_bench
from chip_bench import START_US, Bench, check_sound

pytestmark = pytest.mark.boards

BYTE = 0.01
# Errors of clocks, in halves of the 95 % intervals that the program prints: of
# 3 offsets and 3 drifts, whose errors one run of another image moves.
HALVES = 3
READINGS = 12  # of all clocks: one is up to 5 us off, as boards poll
HSE_PPM = (20, 50, -50, -10)
EAST_PIN = 22  # PB6: hal/stm32f405/pins/generic.h
SILENCE_US = 50  # within a message, interrupts make pauses of up to 13 us


def clocks(it):
    """What all boards say the time is, asked at the same time."""
    boards = range(it.width * it.height)
    for board in boards:
        it.heard.pop(board, None)
        it.command("type", board, "clock")
    it.run(20_000)
    return [int(re.match(r"ok ps=(\d+)", it.heard[board])[1])
            for board in boards]


def burst_us(it, count):
    """How long a message of `count` bytes occupies the wire to the east, from
    the first byte after the circuit was set up."""
    it.command("watch")
    line = it.ask(f"ping E1 {count} 1")[1]
    assert chip_bench.words(line)["error"] == "0", line
    runs, last = [], None
    for us, board, pin, _ in it.command("watch")["seen"]:
        if (board, pin) == (0, EAST_PIN):
            if last is None or us - last > SILENCE_US:
                runs.append([us, us])
            runs[-1][1] = last = us
    return max(end - begin for begin, end in runs)


def test_what_is_measured_is_true():
    with Bench(2, 2, power=False) as it:
        for board, ppm in enumerate(HSE_PPM):
            it.set(board, "hse_ppm", ppm)
        it.command("power", "all", "on")
        it.up(START_US)
        done = it.host("calibrate", "--mesh", "2x2", "--json")
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        core_hz = [board["core_hz"] for board in it.stats()]
        byte_us = (burst_us(it, 4000) - burst_us(it, 1000)) / 3000
        readings = [clocks(it) for _ in range(READINGS)]
        check_sound(it)
    report = json.loads(done.stdout)
    said_ps = report["measured"]["transfer_ps_per_byte"]["value"]
    assert said_ps / 1e6 == pytest.approx(byte_us, rel=BYTE)
    zero_ps = min(row["t1_ps"] for row in report["rows"])
    assert len(report["clocks"]) == 3
    for clock in report["clocks"]:
        node = clock["x"] + 2 * clock["y"]
        drift = core_hz[node] / core_hz[0] - 1
        # The offset when it was measured, from those of some time after.
        offset_ps = sum(at[node] - at[0] - drift * (at[0] - zero_ps)
                        for at in readings) / READINGS
        for name, true in (("offset_ps", offset_ps),
                           ("drift_ppm", drift * 1e6)):
            said = clock[name]
            assert abs(said["value"] - true) <= HALVES * said["ci95"], clock

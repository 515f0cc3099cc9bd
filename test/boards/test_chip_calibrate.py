# SPDX-License-Identifier: Apache-2.0
"""`quincunx calibrate` on modelled boards (test/boards/chip), and what it
cannot see: how long bytes were on a wire, and how far the crystals are off.
That jobs take as long as its values say: test_chip_boards.py."""
import json
import re

import pytest

import chip_bench
from chip_bench import START_US, Bench

pytestmark = pytest.mark.boards

BYTE = 0.01
# Errors of clocks, in halves of the 95 % intervals that the program prints: of
# 3 offsets and 3 drifts, whose errors one run of another image moves.
HALVES = 3
HSE_PPM = (20, 50, -50, -10)
EAST_PIN = 22  # PB6: hal/stm32f405/pins/generic.h
SILENCE_US = 12  # 2 bytes of 2 Mbaud


class Calibrated:
    """A mesh of side x side boards that was calibrated."""

    def __init__(self, side=2):
        self.side = side
        with Bench(side, side, power=False) as it:
            for board in range(side * side):
                it.set(board, "hse_ppm", HSE_PPM[board % len(HSE_PPM)])
            it.command("power", "all", "on")
            it.up(START_US)
            done = it.host("calibrate", "--mesh", f"{side}x{side}", "--json")
            assert (done.returncode, done.stderr) == (0, ""), done.stderr
            self.report = json.loads(done.stdout)
            self.core_hz = [board["core_hz"] for board in it.stats()]
            self.clock_ps = clocks(it)
            self.bursts_us = {n: burst_us(it, n) for n in (1000, 4000)}
            self.overruns, self.complaints = it.overruns(), it.complaints()

    def said_us(self, name):
        return self.report["measured"][name]["value"] / 1e6

    def wire_byte_us(self):
        """Of long messages, what one byte more takes on the wire."""
        return (self.bursts_us[4000] - self.bursts_us[1000]) / 3000

    def clock_errors(self):
        """[((error, 95 % interval's half) of the offset in us, the same of the
        drift in ppm), ..] of each clock; offsets some time after they were
        measured."""
        zero_ps = min(row["t1_ps"] for row in self.report["rows"])
        found = []
        for clock in self.report["clocks"]:
            node = clock["x"] + self.side * clock["y"]
            drift = self.core_hz[node] / self.core_hz[0] - 1
            offset_ps = (self.clock_ps[node] - self.clock_ps[0]
                         - drift * (self.clock_ps[0] - zero_ps))
            said_ps, said_ppm = clock["offset_ps"], clock["drift_ppm"]
            found.append((
                ((said_ps["value"] - offset_ps) / 1e6, said_ps["ci95"] / 1e6),
                (said_ppm["value"] - drift * 1e6, said_ppm["ci95"])))
        return found


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
    found = Calibrated()
    assert found.complaints == []
    assert found.overruns == 0
    assert found.wire_byte_us() == pytest.approx(
        found.said_us("transfer_ps_per_byte"), rel=BYTE)
    errors = found.clock_errors()
    assert len(errors) == 3
    for error, half in [pair for clock in errors for pair in clock]:
        assert abs(error) <= HALVES * half, errors

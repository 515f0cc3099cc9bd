# SPDX-License-Identifier: Apache-2.0
"""`quincunx calibrate` on modelled boards (test/chip), against what it cannot
see: when the boards' programs sent and received by the time that all boards
share, when bytes were on the wires, and how far the crystals are off."""
import json
import re

import numpy
import pytest

import test_chip
from chip_bench import IMAGE, symbols

SIDE = 2
HSE_PPM = (20, 50, -50, -10)
# Where the programs of the originator and of a probed node are when a message
# is handed over, and when one has been received.
SENDS, ORIGINATOR_HAS, NODE_HAS = "circuit_send", "circuit_drain", "probe_serve"
REPEATS, SIZES = 5, 6
STARTUP_US, HOP_US, BYTE = 10, 5, 0.01
OFFSET_US, DRIFT_PPM = 5, 2
EAST_PIN = 22  # PB6: hal/stm32f405/pins/generic.h


class Calibrated:
    """Modelled boards that were calibrated, what was told, and when what
    happened: [(us, board, function), ..]."""

    def __init__(self):
        names = {name: at for at, name in symbols(IMAGE.with_suffix(".elf"))}
        marks = {names[n]: n for n in (SENDS, ORIGINATOR_HAS, NODE_HAS)}
        crystals = [("set", board, "hse_ppm", ppm)
                    for board, ppm in enumerate(HSE_PPM)]
        with test_chip.bench(SIDE, SIDE, *crystals) as it:
            it.command("mark", *marks)
            done = it.host("calibrate", "--mesh", f"{SIDE}x{SIDE}", "--json")
            assert (done.returncode, done.stderr) == (0, "")
            self.report = json.loads(done.stdout)
            self.passed = sorted(
                (us, board, marks[at])
                for us, board, at in it.command("marked")["marked"])
            it.command("mark")
            self.core_hz = [board["core_hz"] for board in it.stats()]
            self.clock_ps = clocks(it)
            self.bursts = {n: burst_us(it, n) for n in (1000, 2500, 4000)}
            test_chip.check_sound(it)
        self.rows = sorted(self.report["rows"], key=lambda row: row["t1_ps"])

    def measured_us(self, name):
        return self.report["measured"][name]["value"] / 1e6


def clocks(it):
    """What all boards say the time is, asked at the same time."""
    boards = range(SIDE * SIDE)
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
    assert test_chip.ping(it, f"E1 {count} 1")[0]["error"] == "0"
    starts = [us for us, board, pin, _ in it.command("watch")["seen"]
              if (board, pin) == (0, EAST_PIN)]
    runs, last = [], None
    for us in starts:
        if last is None or us - last > 12:  # two bytes
            runs.append([us, us])
        runs[-1][1] = last = us
    return max(end - begin for begin, end in runs)


@pytest.fixture(name="found", scope="module")
def fixture_found():
    return Calibrated()


def exchanges(passed):
    """[(node, forth us, back us), ..]: of each probe and its answer."""
    found, begun = [], None
    for us, board, what in passed:
        if board == 0 and what == SENDS:
            begun = [us]
        elif board == 0 and what == ORIGINATOR_HAS:
            if begun and len(begun) == 4:
                sent, node, received, answered = begun
                found.append((node, received - sent, us - answered))
            begun = None
        elif board != 0 and begun and what == NODE_HAS:
            begun += [board, us]
        elif board != 0 and begun and what == SENDS:
            begun.append(us)
    return found[-SIZES * REPEATS * (SIDE * SIDE - 1):]


def test_the_circuits_values_are_the_true_ones(found):
    """Startup, hop and byte fit what messages took from program to program:
    the shortest of each probe's repeats."""
    ways = exchanges(found.passed)
    assert len(ways) == len(found.rows)
    shortest = {}
    for (node, forth, back), row in zip(ways, found.rows):
        assert node == row["x"] + SIDE * row["y"]
        probe = node, row["hops"], row["bytes"]
        shortest[probe] = min(shortest.get(probe, 1e9), (forth + back) / 2)
    startup, hop, byte = numpy.linalg.lstsq(
        [(1, hops, bytes_) for _, hops, bytes_ in shortest],
        list(shortest.values()), rcond=None)[0]
    assert len(shortest) == SIZES * (SIDE * SIDE - 1)
    assert abs(found.measured_us("startup_ps") - startup) <= STARTUP_US
    assert abs(found.measured_us("hop_delay_ps") - hop) <= HOP_US
    assert found.measured_us("transfer_ps_per_byte") == pytest.approx(
        byte, rel=BYTE)


def test_a_message_takes_what_the_values_say(found):
    """Any probe, repeated or not: its share of a startup and all."""
    ways = exchanges(found.passed)
    for (_, forth, back), row in zip(ways, found.rows):
        said = (found.measured_us("startup_ps")
                + found.measured_us("hop_delay_ps") * row["hops"]
                + found.measured_us("transfer_ps_per_byte") * row["bytes"])
        for way in (forth, back):
            assert way == pytest.approx(said, abs=0.01 * said + 20)


def test_a_byte_takes_what_it_does_on_the_wire(found):
    assert (found.bursts[4000] - found.bursts[1000]) / 3000 == pytest.approx(
        found.measured_us("transfer_ps_per_byte"), rel=BYTE)
    assert (found.bursts[2500] - found.bursts[1000]) / 1500 == pytest.approx(
        found.measured_us("transfer_ps_per_byte"), rel=BYTE)


def test_the_clocks_are_the_true_ones(found):
    """Where they will be some time after, and how they drift: both beside the
    originator's."""
    zero_ps = min(row["t1_ps"] for row in found.rows)
    assert len(found.report["clocks"]) == SIDE * SIDE - 1
    for clock in found.report["clocks"]:
        node = clock["x"] + SIDE * clock["y"]
        drift = found.core_hz[node] / found.core_hz[0] - 1
        assert abs(clock["drift_ppm"]["value"] - drift * 1e6) <= DRIFT_PPM
        late_ps = found.clock_ps[0] - zero_ps
        offset_ps = found.clock_ps[node] - found.clock_ps[0] - drift * late_ps
        assert abs(clock["offset_ps"]["value"] - offset_ps) / 1e6 <= OFFSET_US

# SPDX-License-Identifier: Apache-2.0
"""What `quincunx calibrate` says of modelled boards (test/boards/chip), and
what it cannot see: when their programs sent and received by the time that all
boards share, how long bytes were on a wire, and how far the crystals are
off."""
import json
import re

import numpy

import chip_bench
from chip_bench import IMAGE, Bench, symbols

START_US = 50_000
HSE_PPM = (20, 50, -50, -10)
# Where the programs of the originator and of a probed node are when a message
# is handed over, and when one has been received.
SENDS, ORIGINATOR_HAS, NODE_HAS = "circuit_send", "circuit_drain", "probe_serve"
EAST_PIN = 22  # PB6: hal/stm32f405/pins/generic.h
SILENCE_US = 12  # 2 bytes of 2 Mbaud
FITTED = ("startup_ps", "hop_delay_ps", "transfer_ps_per_byte")


class Calibrated:
    """A mesh of side x side boards that was calibrated."""

    def __init__(self, side=2):
        self.side = side
        names = symbols(IMAGE)
        marks = {names[n] & ~1: n for n in (SENDS, ORIGINATOR_HAS, NODE_HAS)}
        with Bench(side, side, power=False) as it:
            for board in range(side * side):
                it.set(board, "hse_ppm", HSE_PPM[board % len(HSE_PPM)])
            it.command("power", "all", "on")
            it.up(START_US)
            it.command("mark", *marks)
            done = it.host("calibrate", "--mesh", f"{side}x{side}", "--json")
            assert (done.returncode, done.stderr) == (0, ""), done.stderr
            self.report = json.loads(done.stdout)
            self.passed = sorted(
                (us, board, marks[at])
                for us, board, at in it.command("marked")["marked"])
            it.command("mark")
            self.core_hz = [board["core_hz"] for board in it.stats()]
            self.clock_ps = clocks(it)
            self.bursts = {n: burst_us(it, n) for n in (1000, 4000)}
            self.overruns, self.complaints = it.overruns(), it.complaints()
        self.rows = sorted(self.report["rows"], key=lambda row: row["t1_ps"])
        # Those before are the messages that set the nodes' clocks.
        self.ways = exchanges(self.passed)[-len(self.rows):]

    def node(self, row):
        return row["x"] + self.side * row["y"]

    def said_us(self, name):
        return self.report["measured"][name]["value"] / 1e6

    def true_us(self):
        """What fits the times from program to program, the shortest of each
        probe's repeats: as FITTED."""
        shortest = {}
        for (_, forth, back), row in zip(self.ways, self.rows):
            probe = self.node(row), row["hops"], row["bytes"]
            shortest[probe] = min(shortest.get(probe, 1e9), (forth + back) / 2)
        fit = numpy.linalg.lstsq(
            [(1, hops, bytes_) for _, hops, bytes_ in shortest],
            list(shortest.values()), rcond=None)[0]
        return dict(zip(FITTED, fit))

    def wire_byte_us(self):
        """Of long messages, what one byte more takes on the wire."""
        return (self.bursts[4000] - self.bursts[1000]) / 3000

    def clock_errors(self):
        """[((error, 95 % interval's half) of the offset in us, the same of the
        drift in ppm), ..] of each clock; offsets some time after they were
        measured."""
        zero_ps = min(row["t1_ps"] for row in self.rows)
        found = []
        for clock in self.report["clocks"]:
            node = self.node(clock)
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


def exchanges(passed):
    """[(node, us forth, us back), ..] of each probe and its answer."""
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
    return found

# SPDX-License-Identifier: Apache-2.0
"""Kernel channels: a sweep of calcium channels, bit for bit as a twin in NumPy
that draws a whole number for each channel, and as the model says."""
import csv
import fractions
import math
import struct

import numpy
import pytest
from hypothesis import given, settings, strategies as st

import mesh
from kernels import Job1, Refused

USAGE = 2
ONE = 1 << 32
MOST = ONE - 1
HALF, REVERSAL = -5_000_000, 60_000_000  # nV


# ---- the twin: chance ----

def philox(counter, key):
    """Philox4x32-10 of counters of four arrays."""
    a, b, c, d = (numpy.asarray(x, numpy.uint64) for x in counter)
    k0, k1 = key
    low, up = numpy.uint64(MOST), numpy.uint64(32)
    for _ in range(10):
        first = a * numpy.uint64(0xd2511f53)
        second = c * numpy.uint64(0xcd9e8d57)
        a, b, c, d = ((second >> up) ^ b ^ numpy.uint64(k0), second & low,
                      (first >> up) ^ d ^ numpy.uint64(k1), first & low)
        k0, k1 = (k0 + 0x9e3779b9) % ONE, (k1 + 0xbb67ae85) % ONE
    return a, b, c, d


@pytest.mark.parametrize("counter, key, words", [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((MOST,) * 4, (MOST,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
     (0xa4093822, 0x299f31d0), "d16cfe09 94fdcceb 5001e420 24126ea1")])
def test_the_twins_chance_is_philox(counter, key, words):
    """The known answers that come with its authors' library."""
    got = philox([[c] for c in counter], key)
    assert " ".join(f"{int(w[0]):08x}" for w in got) == words


def numbers(value, steps, groups, key):
    """A 32-bit number for each step and channel."""
    step, group = numpy.meshgrid(numpy.arange(steps), numpy.arange(groups),
                                 indexing="ij")
    lanes = numpy.arange(32, dtype=numpy.uint64)
    out = numpy.zeros((steps, groups, 32), numpy.uint64)
    for block in range(8):
        words = philox([numpy.full_like(step, value), step, group,
                        numpy.full_like(step, block)], key)
        for i, word in enumerate(words):
            bit = (word[:, :, None] >> lanes) & numpy.uint64(1)
            out |= bit << numpy.uint64(31 - 4 * block - i)
    return out.reshape(steps, groups * 32)


# ---- the twin: probabilities, in integers as the kernel documents them ----

def power_of_2(x):
    """2^-x, both in 2^-32."""
    t = x % ONE * 2977044472 >> 32
    value = MOST
    for n in range(12, 0, -1):
        value = MOST - (t * value >> 32) // n
    return value >> (x >> 32) if x >> 32 < 32 else 0


def probabilities(voltage):
    powers = abs(voltage - HALF) * 12994641697 >> 24
    ratio, root = power_of_2(powers), power_of_2(powers // 2)
    changed = MOST - power_of_2(20654427 * (ONE + ratio) // (root | 1))
    more = (changed << 31) // ((ONE + ratio) >> 1)
    return ((more, changed - more) if voltage >= HALF
            else (changed - more, more))


def exact(voltage):
    """The same as real numbers."""
    a = math.exp((voltage - HALF) / 16e6)
    changed = -math.expm1(-(a + 1 / a) / 300)
    return changed * a / (a + 1 / a), changed / a / (a + 1 / a)


@pytest.mark.parametrize("voltage", [
    *range(-200_000_000, 200_000_001, 7_654_321), HALF - 1, HALF, HALF + 1])
def test_probabilities_are_the_models(voltage):
    """To two parts in 10^6; and to 2^-30 where they are next to nothing."""
    for got, want in zip(probabilities(voltage), exact(voltage)):
        assert abs(got / ONE - want) < 2e-6 * want + 2 ** -30


class Twin:
    """A whole sweep, channel by channel."""

    def __init__(self, first, last, values, base=-80_000_000, channels=10000,
                 steps=1000, peak=None, seed=0):
        self.first, self.last, self.values = first, last, values
        self.base, self.channels, self.steps = base, channels, steps
        self.peak = -(-steps * 6 // 10) if peak is None else peak
        self.seed = seed
        self.lead = (steps - self.peak) // 2
        self.groups = -(-channels // 32)
        self.open = [self.simulate(value) for value in range(values)]

    def voltage(self, value):
        if self.values == 1:
            return self.first
        low, high = sorted((self.first, self.last))
        at = value if self.first <= self.last else self.values - 1 - value
        return low + (high - low) * at // (self.values - 1)

    def simulate(self, value):
        """Whether a channel is open after a step: steps x channels."""
        key = (self.seed % ONE, self.seed >> 32)
        chance = numbers(value, self.steps, self.groups,
                         key)[:, :self.channels]
        open_ = numpy.zeros(self.channels, bool)
        history = numpy.zeros((self.steps, self.channels), bool)
        rates = {True: probabilities(self.voltage(value)),
                 False: probabilities(self.base)}
        for step in range(self.steps):
            opens, closes = rates[
                self.lead <= step < self.lead + self.peak]
            open_ = open_ ^ (chance[step] < numpy.where(
                open_, numpy.uint64(closes), numpy.uint64(opens)))
            history[step] = open_
        return history

    def at_peak(self, value):
        """Open steps of every channel at the peak voltage, and else."""
        all_ = self.open[value].sum(axis=0)
        peak = self.open[value][self.lead:self.lead + self.peak].sum(axis=0)
        return peak, all_ - peak

    def argument(self, pieces, output):
        return struct.pack("<IIiiiIIIIIQ", self.values, pieces, self.first,
                           self.last, self.base, self.channels, self.steps,
                           self.lead, self.peak, output, self.seed)

    def units(self, pieces):
        """What each unit's output says."""
        out = b""
        for value in range(self.values):
            peak, base = self.at_peak(value)
            for piece in range(pieces):
                begin = 32 * (piece * self.groups // pieces)
                end = 32 * ((piece + 1) * self.groups // pieces)
                mine = peak[begin:end].astype(object)
                parts = [int(mine[i:i + 16].sum())
                         for i in range(0, len(mine), 16)]
                out += struct.pack("<QQQ", sum(parts),
                                   int(base[begin:end].sum()),
                                   sum(p * p for p in parts))
        return out

    def result(self, units):
        peak, base = (sum(int(self.at_peak(v)[i].sum())
                          for v in range(self.values)) for i in (0, 1))
        return [units, self.values * self.channels * self.steps, peak, base]

    def csv(self):
        lines = ["voltage_mV,open_fraction,mean_pA,sd_pA,charge_fC"]
        for value in range(self.values):
            peak, base = self.at_peak(value)
            drive = self.voltage(value) - REVERSAL
            sums = [int(n) for n in peak.reshape(-1, 16).sum(axis=1)]
            total, count = sum(sums), len(sums)
            spread = fractions.Fraction(
                count * sum(n * n for n in sums) - total ** 2, count - 1)
            # 20 pS: 1 nV is 2e-20 A.
            part = fractions.Fraction(2, 10 ** 8 * self.peak)  # nV to pA
            charge = fractions.Fraction(2, 10 ** 10)           # nV to fC
            lines.append(",".join((
                text(fractions.Fraction(self.voltage(value), 10 ** 6)),
                text(fractions.Fraction(total, self.channels * self.peak)),
                text(total * drive * part),
                text(fractions.Fraction(
                    math.isqrt(int(spread * (drive * part * 10 ** 6) ** 2)),
                    10 ** 6)),
                text((total * drive + int(base.sum())
                      * (self.base - REVERSAL)) * charge))))
        return "\n".join(lines) + "\n"


def text(number):
    """Six decimals, the half away from 0."""
    scaled = int(abs(number) * 10 ** 6 + fractions.Fraction(1, 2))
    sign = "-" if number < 0 and scaled else ""
    return f"{sign}{scaled // 10 ** 6}.{scaled % 10 ** 6:06}"


# ---- by hand ----

def run(twin, pieces, cuts=(), order=None, output=1):
    job = Job1("channels", twin.argument(pieces, output), 0)
    units = twin.values * pieces
    result, out = job.scattered(b"", units, list(cuts), order)
    assert list(struct.unpack("<4Q", result)) == twin.result(units)
    assert out == (twin.units(pieces) if output else b"")


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_any_sweep_any_cut_any_order(data):
    draw = data.draw
    volt = st.integers(-200_000_000, 200_000_000)
    steps = draw(st.integers(1, 25))
    twin = Twin(draw(volt), draw(volt), draw(st.integers(1, 5)), draw(volt),
                16 * draw(st.integers(1, 12)), steps,
                draw(st.integers(1, steps)), draw(st.integers(0, 2 ** 64 - 1)))
    pieces = draw(st.integers(1, twin.groups))
    units = twin.values * pieces
    cuts = draw(st.lists(st.integers(0, units), max_size=5))
    run(twin, pieces, cuts, draw(st.permutations(range(len(cuts) + 1))),
        draw(st.integers(0, 1)))


def test_every_cut_and_every_number_of_pieces():
    twin = Twin(-60_000_000, 60_000_000, 3, channels=80 + 32, steps=12)
    for pieces in (1, 2, 3, 4):
        for first in range(3 * pieces + 1):
            for second in range(first, 3 * pieces + 1):
                run(twin, pieces, [first, second])


def test_more_steps_than_a_half_word_counts():
    """Open nearly always: 16 channels for more than 4095 steps."""
    run(Twin(200_000_000, 200_000_000, 1, channels=32, steps=9000, peak=8500),
        1)


GOOD = (2, 1, -60_000_000, 60_000_000, -80_000_000, 64, 10, 2, 6, 0, 7)


@pytest.mark.parametrize("at, value", [
    (0, 0), (0, 1_000_001), (1, 0), (1, 3), (2, -200_000_001),
    (3, 200_000_001), (4, -2 ** 31), (5, 0), (5, 8), (5, 72), (5, 100_016),
    (6, 0), (6, 100_001), (7, 5), (7, 2 ** 32 - 1), (8, 0), (8, 11), (9, 2)])
def test_begin_refuses(at, value):
    words = list(GOOD)
    Job1("channels", struct.pack("<IIiiiIIIIIQ", *words), 0)
    words[at] = value
    with pytest.raises(Refused):
        Job1("channels", struct.pack("<IIiiiIIIIIQ", *words), 0)


def test_begin_refuses_other_lengths_and_data():
    good = struct.pack("<IIiiiIIIIIQ", *GOOD)
    for arg, unit in ((good[:-1], 0), (good + b"\0", 0), (b"", 0), (good, 1)):
        with pytest.raises(Refused):
            Job1("channels", arg, unit)
    job = Job1("channels", good, 0)
    result, _ = job.run(b"", 0, 1)
    for bad in (b"", result[:-1], result + b"\0"):
        with pytest.raises(Refused):
            job.merge(result, bad)


# ---- whole runs ----

def sweep(arg, *args, size="1x1", on="native", rounds=1):
    done = mesh.command("run", "--json", "--mesh", size, "--kernel",
                        "channels", "--on", on, "--rounds", rounds, "--arg",
                        arg, *args)
    assert done.returncode == 0, done.stderr
    return mesh.json.loads(done.stdout)


ARG = "voltage=-60:60:31,channels=496,steps=100,seed=3000000000000"


@pytest.fixture(scope="module")
def twin():
    return Twin(-60_000_000, 60_000_000, 31, channels=496, steps=100,
                seed=3_000_000_000_000)


@pytest.mark.parametrize("size, on, rounds, originator", [
    ("1x1", "native", 1, "0,0"), ("5x5", "native", "auto", "0,0"),
    ("25x25", "native", 1, "3,24"), ("7x4", "native", 1, "6,0"),
    ("1x1", "qemu", 1, "0,0"), ("5x5", "qemu", "auto", "4,1")])
def test_runs_say_what_the_twin_says(twin, tmp_path, size, on, rounds,
                                     originator):
    out = tmp_path / "curve.csv"
    for extra in (["-o", out], []):
        report = sweep(ARG, "--originator", originator, *extra, size=size,
                       on=on, rounds=rounds)
        said = report["result"]
        units, *sums = twin.result(report["load"]["units"])
        assert [said[name] for name in (
            "pieces", "channel_steps", "open_at_peak_voltage",
            "open_at_base_voltage")] == [units, *sums]
    assert out.read_text() == twin.csv()


@pytest.fixture(name="many_values", scope="module")
def fixture_many_values():
    """The curve of 1000 values: what takes long is made once."""
    return Twin(-60_000_000, 60_000_000, 1000, channels=32, steps=1).csv()


@pytest.mark.parametrize("size, on", [("5x5", "native"), ("25x25", "native"),
                                      ("5x5", "qemu")])
def test_rounds(tmp_path, many_values, size, on):
    """Units that are short enough, and startups long enough, for several."""
    sweep("voltage=-60:60:1000,channels=32,steps=1", "-o", tmp_path / "out",
          "--profile", "uart", size=size, on=on, rounds=3)
    assert (tmp_path / "out").read_text() == many_values


@pytest.mark.parametrize("arg, words", [
    ("voltage=20:-20.5:4,base=-100.25,channels=48,steps=31,peak=30",
     (20_000_000, -20_500_000, 4, -100_250_000, 48, 31, 30)),
    ("voltage=0.000001:0.000001:1,channels=32,steps=1",
     (1, 1, 1, -80_000_000, 32, 1, None)),
    ("voltage=-.5:199.999999:2,channels=32,steps=7",
     (-500_000, 199_999_999, 2, -80_000_000, 32, 7, None))])
def test_curves_of_other_sweeps(tmp_path, arg, words):
    sweep(arg, "-o", tmp_path / "out")
    assert (tmp_path / "out").read_text() == Twin(*words).csv()


def test_the_curve_is_the_models(tmp_path):
    """Thousands of channels, long enough to settle: the open fraction is the
    model's within five standard errors, and the spread is as between
    independent channels."""
    out = tmp_path / "curve.csv"
    sweep("voltage=-25:35:7,channels=10000,steps=2000,peak=1900", "-o", out,
          size="5x5")
    with out.open() as stream:
        for row in csv.DictReader(stream):
            volt = float(row["voltage_mV"])
            opens, closes = exact(volt * 1e6)
            lasts = opens / (opens + closes)
            keep = 1 - opens - closes
            settled = sum(1 - keep ** (n + 1) for n in range(1900)) / 1900
            mean = 0.02 * (volt - 60) * 10000 * lasts * settled
            error = float(row["sd_pA"])
            assert abs(float(row["mean_pA"]) - mean) < 5 * error
            # Of one channel's mean: correlated over (1 + keep) / (1 - keep)
            # steps, but for the rise.
            spread = (0.02 * abs(volt - 60) * 100 * math.sqrt(
                lasts * (1 - lasts) * (1 + keep) / (1 - keep) / 1900))
            if 0.1 < lasts < 0.8:
                assert 0.85 * spread < error < 1.15 * spread


# ---- what is refused ----

@pytest.mark.parametrize("arg, key", [
    ("channels=320", "voltage"), ("voltage", "voltage"),
    ("voltage=-60:60", "voltage"), ("voltage=-60:60:0", "voltage"),
    ("voltage=-60:60:1", "voltage"), ("voltage=-60:60:1000001", "voltage"),
    ("voltage=-201:60:5", "voltage"), ("voltage=-60:200.1:5", "voltage"),
    ("voltage=1.2345678:2:5", "voltage"), ("voltage=a:b:c", "voltage"),
    ("voltage=-:1:2", "voltage"), ("voltage=1e1:20:2", "voltage"),
    ("voltage=-60:60:5,base=x", "base"), ("voltage=0:1:2,base=-1000", "base"),
    ("voltage=0:1:2,channels=0", "channels"),
    ("voltage=0:1:2,channels=100", "channels"),
    ("voltage=0:1:2,channels=100016", "channels"),
    ("voltage=0:1:2,channels", "channels"),
    ("voltage=0:1:2,steps=0", "steps"), ("voltage=0:1:2,steps=-5", "steps"),
    ("voltage=0:1:2,steps=100001", "steps"),
    ("voltage=0:1:2,peak=1001", "peak"), ("voltage=0:1:2,peak=0", "peak"),
    ("voltage=0:1:2,seed=18446744073709551616", "seed"),
    ("voltage=0:1:2,seed= 1", "seed"), ("voltage=0:1:2,colour=1", "colour")])
def test_a_bad_argument_is_refused(arg, key):
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "channels", "--on",
                        "native", "--arg", arg)
    assert done.returncode == USAGE
    assert "--arg" in done.stderr and key in done.stderr
    assert "must be" in done.stderr


def test_instructions_a_step():
    """Of 32 channels: two blocks of chance and what is around them."""
    report = sweep("voltage=-60:60:7,channels=640,steps=300", on="qemu")
    cost = (report["measured"]["makespan_ps"] / 32000 * 32
            / report["result"]["channel_steps"])
    print(f"{cost:.1f} instructions for a step of 32 channels")
    assert cost < 290


@pytest.mark.parametrize("rounds", [1])
def test_speedup_on_25_boards(rounds):
    report = sweep("voltage=-60:60:121,channels=1600,steps=200", size="5x5",
                   on="qemu", rounds=rounds)
    print(f"speedup {report['measured']['speedup']:.2f}")
    assert report["measured"]["speedup"] >= 24
    assert abs(report["measured"]["overhead_vs_plan"]) <= 0.02

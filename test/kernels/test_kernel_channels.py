# SPDX-License-Identifier: Apache-2.0
"""Kernel channels: a sweep of calcium channels, bit for bit as a twin in NumPy
that draws a whole number for each channel, and as the model says."""
import csv
import math
import struct

import pytest
from hypothesis import given, settings, strategies as st

import mesh
from kernels import Job1, cut_anywhere
from twin_channels import HALF, MOST, ONE, Twin, philox, probabilities


# ---- the twin ----

def test_the_twins_chance_is_philox():
    """The known answers that come with its authors' library."""
    for counter, key, words in (
            ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
            ((MOST,) * 4, (MOST,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
            ((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344),
             (0xa4093822, 0x299f31d0), "d16cfe09 94fdcceb 5001e420 24126ea1")):
        got = philox([[c] for c in counter], key)
        assert " ".join(f"{int(w[0]):08x}" for w in got) == words


def exact(voltage):
    """The same as real numbers."""
    a = math.exp((voltage - HALF) / 16e6)
    changed = -math.expm1(-(a + 1 / a) / 300)
    return changed * a / (a + 1 / a), changed / a / (a + 1 / a)


def test_probabilities_are_the_models():
    """To two parts in 10^6; and to 2^-30 where they are next to nothing."""
    for voltage in (*range(-200_000_000, 200_000_001, 7_654_321), HALF - 1,
                    HALF, HALF + 1):
        for got, want in zip(probabilities(voltage), exact(voltage)):
            assert abs(got / ONE - want) < 2e-6 * want + 2 ** -30, voltage


# ---- by hand ----

def check(twin, pieces, output, told):
    assert told == (struct.pack("<4Q", *twin.result(twin.values * pieces)),
                    twin.units(pieces) if output else b"")


def run(twin, pieces, cuts=()):
    job = Job1("channels", twin.argument(pieces, 1), 0)
    check(twin, pieces, 1, job.scattered(b"", twin.values * pieces,
                                         list(cuts)))


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
    output = draw(st.integers(0, 1))
    job = Job1("channels", twin.argument(pieces, output), 0)
    check(twin, pieces, output, cut_anywhere(data, job, b"", twin.values
                                             * pieces))


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


@pytest.mark.parametrize("size, on", [("1x1", "native"), ("5x5", "qemu")])
def test_runs_say_what_the_twin_says(twin, tmp_path, size, on):
    out = tmp_path / "curve.csv"
    for extra in (["-o", out], []):
        report = sweep(ARG, *extra, size=size, on=on, rounds="auto")
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


@pytest.mark.parametrize("size, on", [("25x25", "native"), ("5x5", "qemu")])
def test_rounds(tmp_path, many_values, size, on):
    """Units that are short enough, and startups long enough, for several."""
    sweep("voltage=-60:60:1000,channels=32,steps=1", "-o", tmp_path / "out",
          "--profile", "uart", size=size, on=on, rounds=3)
    assert (tmp_path / "out").read_text() == many_values


def test_curves_of_other_sweeps(tmp_path):
    for arg, words in (
            ("voltage=20:-20.5:4,base=-100.25,channels=48,steps=31,peak=30",
             (20_000_000, -20_500_000, 4, -100_250_000, 48, 31, 30)),
            ("voltage=0.000001:0.000001:1,channels=32,steps=1",
             (1, 1, 1, -80_000_000, 32, 1, None)),
            ("voltage=-.5:199.999999:2,channels=32,steps=7",
             (-500_000, 199_999_999, 2, -80_000_000, 32, 7, None))):
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

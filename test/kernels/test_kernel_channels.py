# SPDX-License-Identifier: Apache-2.0
"""Kernel channels: a sweep of calcium channels, bit for bit as a twin in NumPy
that draws a whole number for each channel, and as the model says."""
import math
import struct

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


def test_more_steps_than_a_half_word_counts():
    """Open nearly always: 16 channels for more than 4095 steps."""
    twin = Twin(200_000_000, 200_000_000, 1, channels=32, steps=9000,
                peak=8500)
    check(twin, 1, 1, Job1("channels", twin.argument(1, 1), 0).run(b"", 0, 1))


# ---- whole runs ----

def test_curves_of_other_sweeps(tmp_path):
    for arg, words in (
            ("voltage=20:-20.5:4,base=-100.25,channels=48,steps=31,peak=30",
             (20_000_000, -20_500_000, 4, -100_250_000, 48, 31, 30)),
            ("voltage=0.000001:0.000001:1,channels=32,steps=1",
             (1, 1, 1, -80_000_000, 32, 1, None)),
            ("voltage=-.5:199.999999:2,channels=32,steps=7",
             (-500_000, 199_999_999, 2, -80_000_000, 32, 7, None))):
        done = mesh.command("run", "--mesh", "1x1", "--kernel", "channels",
                            "--on", "native", "--arg", arg, "-o",
                            tmp_path / "out")
        assert done.returncode == 0, done.stderr
        assert (tmp_path / "out").read_text() == Twin(*words).csv()

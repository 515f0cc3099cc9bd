# SPDX-License-Identifier: Apache-2.0
"""kernels/fir.c and its files, against NumPy."""
import math
import struct

import numpy
import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from twins import design, fir as twin, read_wav, write_wav


# ---- the kernel by itself ----

def packed(taps):
    return struct.pack(f"<{len(taps)}h", *taps)


SAMPLES = (st.sampled_from([-32768, -32767, -1, 0, 1, 32767])
           | st.integers(-32768, 32767))


def as_the_twin(samples, taps):
    want, saturated = twin(samples, taps)
    return struct.pack("<Q", saturated), want.tobytes()


@pytest.mark.parts(4)
@given(st.lists(SAMPLES, min_size=1, max_size=13), st.integers(1, 3),
       st.integers(0, 40), st.data())
@settings(max_examples=100, deadline=None)
def test_any_cut_gives_the_same(taps, channels, frames, data):
    samples = numpy.array(data.draw(st.lists(
        SAMPLES, min_size=frames * channels, max_size=frames * channels)),
        numpy.int64).reshape(-1, channels)
    one = kernels.Job1("fir", packed(taps), 2 * channels)
    assert kernels.cut_anywhere(data, one, samples.astype("<i2").tobytes(),
                                frames) == as_the_twin(samples, taps)


def test_lengths():
    """Also where the filter is longer than the sound."""
    chance = numpy.random.default_rng(mesh.SEED)
    for taps in (1, 2, 4, 5, 32, 33, 500, 999, 1000):
        tap = [int(t) for t in chance.integers(-9000, 9000, taps)]
        one = kernels.Job1("fir", packed(tap), 4)
        for frames in (1, 3, 4, 16, 17, 50, 999, 1500):
            samples = chance.integers(-32768, 32768, (frames, 2))
            assert one.scattered(samples.astype("<i2").tobytes(), frames, [
                frames // 3, frames // 2]) == as_the_twin(samples, tap), (
                    taps, frames)


# ---- runs ----

def check(path, arg, taps, **options):
    out = path.with_name("out.wav")
    report = mesh.run(path, "-o", out, kernel="fir", arg=arg, size="1x1",
                      **options)
    samples, rate = read_wav(path)
    want, saturated = twin(samples, taps)
    got, got_rate = read_wav(out)
    assert got_rate == rate and numpy.array_equal(got, want)
    assert report["result"]["saturated"] == saturated


@pytest.fixture(scope="module", name="noise")
def fixture_noise(tmp_path_factory):
    """3000 frames of noise at 8 kHz, as loud as can be, of two channels."""
    chance = numpy.random.default_rng(mesh.SEED)
    samples = chance.integers(-32768, 32768, (3000, 2))
    samples[100:300] = 32767
    samples[500:700] = -32768
    return write_wav(tmp_path_factory.mktemp("fir") / "noise.wav", samples)


def text_of(path, taps):
    """Taps as a file that comes to these numbers."""
    path.write_text("# taps\n" + "\n".join(str(t / 32768) for t in taps)
                    + "\n", encoding="ascii")
    return f"file={path}"


def test_designs(noise):
    for arg, wanted in (
            ("low=1000", {"taps": 33, "high": 1000}),
            ("low=1000,taps=32", {"taps": 32, "high": 1000}),
            ("taps=255,high=1500.5", {"taps": 255, "low": 1500.5}),
            ("band=300:3000,taps=100", {"taps": 100, "low": 300,
                                        "high": 3000}),
            ("low=3999,taps=3", {"taps": 3, "high": 3999}),
            ("high=40,taps=999", {"taps": 999, "low": 40})):
        check(noise, arg, design(rate=8000, **wanted), on="native")


ON_THE_EDGE = [
    [16384, 16384, 16384, 16383], [16384] * 4, [-32768, -32767, 0, 0] * 2,
    [-32768, -32768, 0, 0] * 2, [32767, 0, 0, 0] * 16,
    [32767, 0, 0, 1] * 15 + [0, 0, 0, 1], [-32768], [5000, -4000] * 500,
    [8191] * 64, [8192] * 64]


def test_sums_on_the_edge_of_32_bits(noise):
    """On a board, whose code is another than the host's."""
    for taps in ON_THE_EDGE:
        check(noise, text_of(noise.with_name("taps.txt"), taps), taps)


def test_channels_and_lengths_on_a_board(tmp_path):
    chance = numpy.random.default_rng(mesh.SEED)
    taps = design(31, 44100, high=5000)
    for channels, frames in ((1, 1), (1, 5), (1, 1001), (3, 50), (64, 20)):
        path = write_wav(tmp_path / "a.wav", chance.integers(
            -32768, 32768, (frames, channels)), 44100)
        check(path, "low=5000,taps=31", taps)


def test_designs_let_pass_what_they_say():
    """Within 0.1 dB; what they stop is 50 dB down."""
    for wanted, passes, stops in (({"high": 2000}, 500, 6000),
                                  ({"low": 2000}, 6000, 500),
                                  ({"low": 4000, "high": 9000}, 6000, 500)):
        taps = numpy.array(design(255, 48000, **wanted)) / 32768
        gain = {tone: 20 * math.log10(abs((taps * numpy.exp(
            2j * numpy.pi * tone / 48000 * numpy.arange(255))).sum()))
                for tone in (passes, stops)}
        assert abs(gain[passes]) < 0.1 and gain[stops] < -50


def test_taps_at_the_limits(noise):
    """-1 and the largest below 1; blanks, comments, no newline at the end."""
    path = noise.with_name("limits.txt")
    path.write_bytes(b"-1 # least\r\n\t0.99998\r\n+.5e0")
    check(noise, f"file={path}", [-32768, 32767, 16384], on="native")

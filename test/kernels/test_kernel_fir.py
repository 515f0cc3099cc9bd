# SPDX-License-Identifier: Apache-2.0
"""kernels/fir.c and its files, against NumPy."""
import json
import math
import struct

import numpy
import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
import sounds
from twins import design, fir as twin, packed, read_wav, write_wav


# ---- the kernel by itself ----

def argument(taps, bits):
    """Q15 taps, and the bytes of a sample unless it has 2."""
    return struct.pack(f"<{len(taps)}h", *taps) + (
        b"" if bits == 16 else bytes([bits // 8]))


SAMPLES = (st.sampled_from([-32768, -32767, -1, 0, 1, 32767])
           | st.integers(-32768, 32767))
BITS = st.sampled_from([8, 16, 24, 32])


def as_the_twin(samples, taps, bits):
    want, saturated = twin(samples, taps, bits)
    return struct.pack("<Q", saturated), packed(want, bits)


@pytest.mark.parts(4)
@given(st.lists(SAMPLES, min_size=1, max_size=13), BITS, st.integers(1, 3),
       st.integers(0, 40), st.data())
@settings(max_examples=150, deadline=None)
def test_any_cut_gives_the_same(taps, bits, channels, frames, data):
    least, most = -(1 << bits - 1), (1 << bits - 1) - 1
    samples = numpy.array(data.draw(st.lists(
        st.sampled_from([least, least + 1, -1, 0, 1, most])
        | st.integers(least, most), min_size=frames * channels,
        max_size=frames * channels)), numpy.int64).reshape(-1, channels)
    one = kernels.Job1("fir", argument(taps, bits), bits // 8 * channels)
    assert kernels.cut_anywhere(data, one, packed(samples, bits), frames) == (
        as_the_twin(samples, taps, bits))


def test_lengths():
    """Also where the filter is longer than the sound."""
    chance = numpy.random.default_rng(mesh.SEED)
    for taps in (1, 2, 4, 5, 32, 33, 500, 999, 1000):
        tap = [int(t) for t in chance.integers(-9000, 9000, taps)]
        for frames in (1, 3, 4, 16, 17, 50, 999, 1500):
            bits = int(chance.choice([8, 16, 24, 32]))
            one = kernels.Job1("fir", argument(tap, bits), bits // 4)
            samples = chance.integers(-(1 << bits - 1), 1 << bits - 1,
                                      (frames, 2))
            got = one.scattered(packed(samples, bits), frames,
                                [frames // 3, frames // 2])
            assert got == as_the_twin(samples, tap, bits), (taps, frames, bits)


def test_sums_of_the_largest_products():
    """A thousand of -2^31 times -2^15, 57 bits: clipped, not wrapped."""
    for sign, bits in ((-1, 32), (1, 32), (-1, 24), (1, 8)):
        taps = [-32768] * 1000
        samples = numpy.full((1200, 1), sign << bits - 1 if sign < 0 else (
            1 << bits - 1) - 1)
        one = kernels.Job1("fir", argument(taps, bits), bits // 8)
        assert one.run(packed(samples, bits), 0, 1200) == as_the_twin(
            samples, taps, bits)


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


# An output's suffix, and what it becomes of 8, 16, 24, 32 bits and float, as
# libsndfile numbers kinds of files and encodings. None: it is refused.
OUTPUTS = {
    "wav": (0x10005, 0x10002, 0x10003, 0x10004, 0x10006),
    "aiff": (0x20001, 0x20002, 0x20003, 0x20004, 0x20006),
    "aif": (0x20001, 0x20002, 0x20003, 0x20004, 0x20006),
    "au": (0x30001, 0x30002, 0x30003, 0x30004, 0x30006),
    "flac": (0x170001, 0x170002, 0x170003, None, None),
    "caf": (0x180001, 0x180002, 0x180003, 0x180004, 0x180006),
    "w64": (0xb0005, 0xb0002, 0xb0003, 0xb0004, 0xb0006),
    "rf64": (0x220005, 0x220002, 0x220003, 0x220004, 0x220006)}


@pytest.mark.parametrize("form", ["wav", "flac", "aiff"])
def test_outputs_have_the_samples_of_the_input(tmp_path, form):
    """Bit for bit, in every kind of file, at the input's rate."""
    chance = numpy.random.default_rng(mesh.SEED)
    taps = design(31, 48000, high=5000)
    own = OUTPUTS[form]
    for place, bits in enumerate((8, 16, 24, 32, 32)):
        if own[place] is None:
            continue
        whole = chance.integers(-2**31, 2**31, (300, 3)).astype(numpy.int32)
        if place == 4:  # float: half as loud, so that nothing saturates
            whole = whole / 2.0**32
        path = tmp_path / f"a{place}.{form}"
        assert sounds.write(path, whole, own[place], 48000)
        samples, _ = sounds.taken(path)
        want, saturated = twin(samples, taps, bits)
        for suffix in chance.choice([*OUTPUTS, "x"], 3, False):
            becomes = OUTPUTS.get(suffix, own)[place]
            out = tmp_path / f"out.{suffix}"
            words = ("run", "--json", "--mesh", "3x3", "--on", "native",
                     "--kernel", "fir", "--arg", "low=5000,taps=31", "-o", out,
                     path)
            out.unlink(missing_ok=True)
            done = mesh.command(*words)
            if becomes is None:
                assert done.returncode == 2 and not out.exists(), words
                assert "such a file cannot hold 3 channels" in done.stderr
                continue
            assert done.returncode == 0, (words, done.stderr)
            got, info = sounds.read(out)
            assert (info.format, info.rate) == (becomes, 48000), words
            if place == 4:
                assert numpy.array_equal(
                    sounds.read(out, numpy.float64)[0],
                    (want / 2.0**31).astype(numpy.float32)), words
            else:
                assert numpy.array_equal(
                    got.astype(numpy.int64) >> 32 - bits, want), words
            result = json.loads(done.stdout)["result"]
            assert result["saturated"] == saturated, words


def test_wide_samples_on_a_board(tmp_path):
    """Its code is another than the host's."""
    chance = numpy.random.default_rng(mesh.SEED)
    taps = design(31, 8000, high=1000)
    for form, bits in ((0x10005, 8), (0x10003, 24), (0x10004, 32)):
        path, out = tmp_path / "a.wav", tmp_path / "out.wav"
        sounds.write(path, chance.integers(-2**31, 2**31, (500, 3)).astype(
            numpy.int32), form)
        samples, _ = sounds.taken(path)
        report = mesh.run(path, "-o", out, kernel="fir", size="2x2",
                          arg="low=1000,taps=31")
        want, saturated = twin(samples, taps, bits)
        assert numpy.array_equal(sounds.taken(out)[0], want), bits
        assert report["result"]["saturated"] == saturated


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

# SPDX-License-Identifier: Apache-2.0
"""kernels/stats.c and its files, against fractions, NumPy and sox."""
import math
import re
import struct
import subprocess
import wave

import numpy
import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from twins import BINS, TYPES, stats as twin, stats_of_many as numpy_twin


def check(result, want):
    """A run's result; its real numbers are printed with 12 digits."""
    for name, value in want.items():
        if name in ("mean", "variance"):
            assert result[name] == pytest.approx(float(value), rel=1e-11), name
        else:
            assert result[name] == value, name


# ---- the kernel by itself ----

def wire(values, code):
    """The result as kernels/stats.c describes it."""
    size, offset = code % 16, 0
    if code >= 16:
        offset = 1 << 8 * size - 1
    raw = [value % (1 << 8 * size) for value in values]
    bins = [0] * BINS
    for value in raw:
        bins[value >> 8 * size - 8] += 1
    out = struct.pack("<I256I", code, *bins)
    if size == 1:
        return out
    shifted = [value + offset for value in values]
    squares = sum(value * value for value in shifted)
    return out + struct.pack("<IIQQI", min(shifted, default=2**32 - 1),
                             max(shifted, default=0), sum(shifted),
                             squares % 2**64, squares >> 64)


@pytest.mark.parts(4)
@given(st.sampled_from(sorted(TYPES)), st.integers(1, 3), st.integers(0, 24),
       st.data())
@settings(max_examples=100, deadline=None)
def test_any_cut_and_order_gives_the_same(name, per_unit, units, data):
    code, kind = TYPES[name]
    low, high = (int(numpy.iinfo(kind).min), int(numpy.iinfo(kind).max))
    values = data.draw(st.lists(
        st.sampled_from([low, low + 1, -1 if low else 1, 0, high - 1, high])
        | st.integers(low, high), min_size=units * per_unit,
        max_size=units * per_unit))
    one = kernels.Job1("stats", bytes([code]), code % 16 * per_unit)
    load = numpy.array(values, kind).tobytes()
    assert kernels.cut_anywhere(data, one, load, units) == (
        wire(values, code), b"")


def test_every_tail_and_alignment_of_bytes():
    """The eights and what is left over of them, from any address."""
    one = kernels.Job1("stats", b"\x01")
    load = bytes(range(60))
    for first in range(16):
        for units in range(40):
            got, _ = one.run(load, first, units)
            assert got == wire(list(load[first:first + units]), 1)


def test_sums_beyond_64_bits_are_exact():
    """As after 2^20 merges: each result is added to itself."""
    one = kernels.Job1("stats", b"\x04", 4)
    result, _ = one.run(b"\xff" * 4 * 1000, 0, 1000)
    for _ in range(20):
        result = one.merge(result, result)
    assert result == struct.pack("<I256I", 4, *[0] * 255, 1000 << 20) + (
        struct.pack("<II", 2**32 - 1, 2**32 - 1)
        + (((2**32 - 1) * 1000) << 20).to_bytes(8, "little")
        + (((2**32 - 1)**2 * 1000) << 20).to_bytes(12, "little"))


# ---- runs ----

def run(path, *args, arg="", **options):
    return mesh.run(path, *args, kernel="stats", arg=arg, **options)["result"]


@pytest.fixture(scope="module", name="noise")
def fixture_noise(tmp_path_factory):
    """40,000 bytes: half text, half noise."""
    path = tmp_path_factory.mktemp("stats") / "noise"
    path.write_bytes(mesh.mixed(40_000, mesh.seeded("stats")))
    return path


def test_default_type(noise):
    check(run(noise, on="native"), numpy_twin(numpy.fromfile(noise, "u1")))


def test_no_digits_are_lost(tmp_path):
    path = tmp_path / "values"
    for values, name in (
            ([2**31 - 1] * 999 + [2**31 - 2], "s32"),
            ([-2**31] * 999 + [-2**31 + 1], "s32"),
            ([-2**31, 2**31 - 1] * 500, "s32"), ([2**32 - 1] * 7 + [0], "u32"),
            ([2**32 - 1] * 1000, "u32"), ([-1] * 999 + [0], "s16"),
            ([0], "s8"), ([-128], "s8"), ([1, 2], "u16")):
        code, kind = TYPES[name]
        numpy.array(values, kind).tofile(path)
        check(run(path, arg=f"type={name}", size="1x1", on="native"),
              twin(values, code % 16 * 8, code >= 16))


def sox(*words):
    subprocess.run(["sox", "-D", *map(str, words)], check=True)


def sound(path, bits, channels=1, seconds=0.25):
    """A chord of sines, that uses most of the range."""
    sox("-n", "-r", 22050, "-b", bits, "-c", channels, path, "synth", seconds,
        "sine", 440, "synth", "sine", "mix", 1000, "gain", -2)
    return path


@pytest.mark.parametrize("bits, channels, kind", [
    (8, 1, "u1"), (16, 2, "<i2"), (32, 3, "<i4")])
def test_wav_files(tmp_path, bits, channels, kind):
    path = sound(tmp_path / "a.wav", bits, channels)
    raw = tmp_path / "a.raw"
    sox(path, *(["-e", "unsigned"] if bits == 8 else []), raw)
    samples = numpy.fromfile(raw, kind)
    assert samples.size == channels * 5512
    check(run(path, on="native"), numpy_twin(samples))


def test_as_sox_says(tmp_path):
    path = sound(tmp_path / "a.wav", 16)
    told = subprocess.run(["sox", path, "-n", "stat"], capture_output=True,
                          text=True, check=True).stderr
    want = {name.strip(): float(value) for name, value in
            re.findall(r"^([A-Z][^:]+): +(-?[\d.]+)$", told, re.M)}
    got = run(path, on="native")
    rms = math.sqrt(int(got["sum_of_squares"][0]) / got["count"]) / 32768
    assert got["count"] == want["Samples read"]
    assert got["max"] / 32768 == pytest.approx(want["Maximum amplitude"],
                                               abs=1e-5)
    assert got["min"] / 32768 == pytest.approx(want["Minimum amplitude"],
                                               abs=1e-5)
    assert got["mean"] / 32768 == pytest.approx(want["Mean    amplitude"],
                                                abs=1e-5)
    assert rms == pytest.approx(want["RMS     amplitude"], abs=1e-5)


def test_a_named_type_reads_a_wav_as_raw_bytes(tmp_path):
    path = sound(tmp_path / "a.wav", 16)
    check(run(path, arg="type=u8", on="native"),
          numpy_twin(numpy.fromfile(path, "u1")))


# ---- chunks ----

def with_chunk(whole, at, size, content):
    """The sound's bytes, with one chunk more at byte `at`."""
    return (whole[:at] + b"LIST" + size.to_bytes(4, "little") + content
            + whole[at:])


def test_chunks_around_the_samples(tmp_path):
    """What they hold, or are cut off behind the samples, changes nothing."""
    path = sound(tmp_path / "a.wav", 16, seconds=0.01)
    whole = path.read_bytes()
    plain = run(path, on="native")
    for changed in (
            with_chunk(whole, 36, 12, b"INFOabcd\0\0\0\0"),
            with_chunk(whole, 36, 3, b"odd\0"),
            with_chunk(whole, len(whole), 12, b"INFOabcd\0\0\0\0"),
            with_chunk(whole, len(whole), 0xffffff04, b"\xff" * 50),
            whole + b"x"):
        path.write_bytes(changed)
        assert run(path, on="native") == plain


def test_odd_number_of_bytes(tmp_path):
    """The chunk's padding is no sample."""
    path = tmp_path / "a.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 1, 8000, 0, "NONE", None))
        file.writeframes(b"\x01\x02\xff")
    path.write_bytes(path.read_bytes() + b"\0")
    check(run(path, on="native"), twin([1, 2, 255], 8, False))

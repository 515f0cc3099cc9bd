# SPDX-License-Identifier: Apache-2.0
"""kernels/stats.c and its files, against fractions and NumPy."""
import struct
import wave

import numpy
import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from twins import BINS, TYPES, stats


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

def run(path, arg=""):
    return mesh.run(path, kernel="stats", arg=arg, size="1x1",
                    on="native")["result"]


def test_no_digits_are_lost(tmp_path):
    path = tmp_path / "values"
    for values, name in (
            ([2**31 - 1] * 999 + [2**31 - 2], "s32"),
            ([-2**31] * 999 + [-2**31 + 1], "s32"),
            ([2**32 - 1] * 7 + [0], "u32"), ([2**32 - 1] * 1000, "u32"),
            ([-1] * 999 + [0], "s16"), ([0], "s8")):
        samples = numpy.array(values, TYPES[name][1])
        samples.tofile(path)
        check(run(path, f"type={name}"), stats(samples))


def sound(path, samples):
    """A row a frame, a column a channel."""
    with wave.open(str(path), "wb") as file:
        file.setparams((samples.shape[1], samples.itemsize, 8000, 0, "NONE",
                        None))
        file.writeframes(samples.tobytes())
    return path.read_bytes()


@pytest.mark.parametrize("channels, kind", [(1, "u1"), (2, "<i2"),
                                            (3, "<i4")])
def test_wav_files(tmp_path, channels, kind):
    """Also with chunks around the samples, one cut off behind them, or bytes
    that are no chunk; with a type that is named, all are raw bytes."""
    path = tmp_path / "a.wav"
    chance = numpy.random.default_rng(mesh.SEED)
    least, most = numpy.iinfo(kind).min, numpy.iinfo(kind).max
    samples = chance.integers(least, most, (501, channels), kind, True)
    whole = sound(path, samples)
    assert len(whole) % 2 == samples.nbytes % 2
    check(run(path, "type=u8"), stats(numpy.frombuffer(whole, "u1")))
    whole += b"\0" * (len(whole) % 2)  # the chunk's padding is no sample
    for at, size, content in (
            (36, 12, b"INFOabcd\0\0\0\0"), (36, 3, b"odd\0"),
            (len(whole), 12, b"INFOabcd\0\0\0\0"),
            (len(whole), 0xffffff04, b"\xff" * 50)):
        path.write_bytes(whole[:at] + b"LIST" + size.to_bytes(4, "little")
                         + content + whole[at:])
        check(run(path), stats(samples.reshape(-1)))

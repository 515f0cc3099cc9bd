# SPDX-License-Identifier: Apache-2.0
"""kernels/stats.c and its files, against fractions and NumPy."""
import struct
import subprocess
import wave

import numpy
import pytest
from hypothesis import given, settings, strategies as st

import kernels
import mesh
from guard import GUARD_S
from twins import BINS, TYPES, stats


def check(result, want):
    """A run's result; its real numbers are printed with 12 digits."""
    for name, value in want.items():
        if isinstance(value, float):
            assert result[name] == pytest.approx(value, rel=1e-11), name
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

def run(path, arg="", *more):
    return mesh.run(path, *more, kernel="stats", arg=arg, size="1x1",
                    on="native")["result"]


def remarks(path, arg):
    return " ".join(mesh.run(path, kernel="stats", arg=arg, size="1x1",
                             on="native")["remarks"])


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
    that are no chunk; as it is, all are raw bytes."""
    path = tmp_path / "a.wav"
    chance = numpy.random.default_rng(mesh.SEED)
    least, most = numpy.iinfo(kind).min, numpy.iinfo(kind).max
    samples = chance.integers(least, most, (501, channels), kind, True)
    whole = sound(path, samples)
    assert len(whole) % 2 == samples.nbytes % 2
    check(run(path, "", "--as-is"), stats(numpy.frombuffer(whole, "u1")))
    name = {"u1": "u8", "<i2": "s16", "<i4": "s32"}[kind]
    check(run(path, f"type={name}"), stats(samples.reshape(-1)))
    whole += b"\0" * (len(whole) % 2)  # the chunk's padding is no sample
    for at, size, content in (
            (36, 12, b"INFOabcd\0\0\0\0"), (36, 3, b"odd\0"),
            (len(whole), 12, b"INFOabcd\0\0\0\0"),
            (len(whole), 0xffffff04, b"\xff" * 50)):
        path.write_bytes(whole[:at] + b"LIST" + size.to_bytes(4, "little")
                         + content + whole[at:])
        check(run(path), stats(samples.reshape(-1)))


def words(size, count):
    return size.to_bytes(4, "little") + count.to_bytes(4, "little")


def test_headers_that_leave_something_open(tmp_path):
    """All to the file's end is taken, which a remark says; the rate does not
    matter."""
    path = tmp_path / "a.wav"
    samples = numpy.arange(-150, 150, dtype="<i2").reshape(-1, 2)
    whole = sound(path, samples)
    for size in (0, 0x7ffff000, 0x80000000, 0xffffffff):
        path.write_bytes(whole[:40] + size.to_bytes(4, "little") + whole[44:])
        check(run(path), stats(samples.reshape(-1)))
        assert "leaves its length open" in remarks(path, "")
    more = b"LIST\22\0\0\0INFOISFT\0\0\0\x40Lavf\0\0"  # longer than it
    long = b"ds64" + words(28, 0) + words(0, 600) + bytes(16)
    wide = b"64" + whole[4:12] + long + whole[12:40] + b"\xff" * 4 + whole[44:]
    for data in (whole[:36] + more + whole[36:], whole[:24] + bytes(4)
                 + whole[28:], whole[:24] + b"\xff" * 4 + whole[28:],
                 b"RF" + wide, b"BW" + wide):
        path.write_bytes(data)
        check(run(path), stats(samples.reshape(-1)))
    form = (b"\0\2" + bytes(4) + b"\0\x10\x40\x0b\xfa" + bytes(7)
            + b"SSND" + bytes(12))  # as FFmpeg writes it into a pipe
    path.write_bytes(b"FORM\0\0\0\0AIFFCOMM\0\0\0\x12" + form
                     + samples.byteswap().tobytes())
    check(run(path), stats(samples.reshape(-1)))
    assert "gives another length" in remarks(path, "")
    path.write_bytes(whole + b"data" + words(4, 0x30002))
    check(run(path), stats(numpy.array([2, 3], "<i2")))
    assert "has several data chunks: the last" in remarks(path, "type=s16")


@pytest.mark.parametrize("suffix, kinds", [
    ("aiff", "i1 i2 i4"), ("au", "i1 i2 i4"), ("flac", "i1 i2"),
    ("aifc", "i2")])
def test_other_sounds(tmp_path, suffix, kinds):
    chance = numpy.random.default_rng(mesh.SEED)
    for kind in map(numpy.dtype, kinds.split()):
        samples = chance.integers(numpy.iinfo(kind).min, numpy.iinfo(kind).max,
                                  (501, 2), kind, True)
        path = tmp_path / f"a.{suffix}"
        subprocess.run(
            ["sox", "-D", "-t", "raw", "-e", "signed", "-b",
             str(8 * kind.itemsize), "-c", "2", "-r", "8000", "-", path],
            input=samples.tobytes(), check=True, timeout=GUARD_S)
        check(run(path), stats(samples.reshape(-1)))


def test_sounds_that_are_not_taken(tmp_path):
    """Their bytes are counted if a type is named, which a remark says."""
    path = tmp_path / "a"
    path.write_bytes(b"ADIF" + bytes(range(200)))
    check(run(path, "type=u8"),
          stats(numpy.frombuffer(path.read_bytes(), "u1")))
    assert "is AAC, all of whose bytes" in remarks(path, "type=u8")

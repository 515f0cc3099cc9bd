# SPDX-License-Identifier: Apache-2.0
"""kernels/stats.c and its files, against fractions, NumPy and sox."""
import fractions
import math
import re
import struct
import subprocess
import wave

import hypothesis
import hypothesis.strategies as st
import numpy
import pytest

import kernels
import mesh
import parts

# name: the kernel's argument, NumPy's type
TYPES = {"u8": (1, "u1"), "s8": (17, "i1"), "u16": (2, "<u2"),
         "s16": (18, "<i2"), "u32": (4, "<u4"), "s32": (20, "<i4")}
BINS = 256


def twin(values, bits, signed):
    """What is to be said of these integers, exactly."""
    low = -(1 << bits - 1) if signed else 0
    bins = [0] * BINS
    for value in values:
        bins[(value - low) >> bits - 8] += 1
    count, total = len(values), sum(values)
    squares = sum(value * value for value in values)
    mean = fractions.Fraction(total, count)
    return {"count": count, "min": min(values), "max": max(values),
            "mean": mean,
            "variance": fractions.Fraction(squares, count) - mean * mean,
            "sum": [str(total)], "sum_of_squares": [str(squares)],
            "histogram": bins}


def numpy_twin(samples):
    """The same by NumPy, for many samples."""
    bits, signed = 8 * samples.itemsize, samples.dtype.kind == "i"
    low = -(1 << bits - 1) if signed else 0
    bins = numpy.bincount((samples.astype(numpy.int64) - low) >> bits - 8,
                          minlength=BINS)
    whole = samples.astype(object)
    return {"count": samples.size, "min": int(samples.min()),
            "max": int(samples.max()), "mean": samples.mean(),
            "variance": samples.var(), "sum": [str(whole.sum())],
            "sum_of_squares": [str((whole * whole).sum())],
            "histogram": [int(n) for n in bins]}


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


@st.composite
def jobs(draw):
    name = draw(st.sampled_from(sorted(TYPES)))
    code, kind = TYPES[name]
    low, high = (int(numpy.iinfo(kind).min), int(numpy.iinfo(kind).max))
    per_unit = draw(st.integers(1, 3))
    units = draw(st.integers(0, 24))
    values = draw(st.lists(st.sampled_from([low, low + 1, -1 if low else 1, 0,
                                            high - 1, high])
                           | st.integers(low, high),
                           min_size=units * per_unit,
                           max_size=units * per_unit))
    cuts = draw(st.lists(st.integers(0, units), max_size=6))
    order = draw(st.permutations(range(len(cuts) + 1)))
    return name, per_unit, values, cuts, order


@pytest.mark.parts(4)
@hypothesis.given(jobs())
@hypothesis.settings(max_examples=100, deadline=None)
def test_any_cut_and_order_gives_the_same(job):
    name, per_unit, values, cuts, order = job
    code, kind = TYPES[name]
    size = code % 16
    one = kernels.Job1("stats", bytes([code]), size * per_unit)
    load = numpy.array(values, kind).tobytes()
    units = len(values) // per_unit
    result, output = one.scattered(load, units, cuts, order)
    assert output == b""
    assert result == wire(values, code)


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


@pytest.mark.parametrize("arg, unit", [
    (b"", 1), (b"\x01\x01", 1), (b"\x00", 1), (b"\x03", 3), (b"\x08", 8),
    (b"\x10", 1), (b"\x21", 1), (b"\xff", 1), (b"\x02", 1), (b"\x02", 3),
    (b"\x04", 6), (b"\x01", 0)])
def test_begin_refuses(arg, unit):
    with pytest.raises(kernels.Refused):
        kernels.Job1("stats", arg, unit)


@pytest.mark.parametrize("change", [
    lambda r: r[:-1], lambda r: r + b"\0", lambda r: b"",
    lambda r: b"\x12" + r[1:]])
def test_merge_refuses(change):
    one = kernels.Job1("stats", b"\x02", 2)
    result, _ = one.run(b"1234", 0, 2)
    with pytest.raises(kernels.Refused):
        one.merge(result, change(result))


# ---- runs ----

def run(path, *args, arg="", **options):
    return mesh.run(path, *args, kernel="stats", arg=arg, **options)["result"]


@pytest.fixture(scope="module", name="noise")
def fixture_noise(tmp_path_factory):
    """40,000 bytes: half text, half noise."""
    path = tmp_path_factory.mktemp("stats") / "noise"
    path.write_bytes(mesh.mixed(40_000, mesh.seeded("stats")))
    return path


@pytest.mark.parametrize("name", sorted(TYPES))
def test_types_of_raw_files(noise, name):
    samples = numpy.fromfile(noise, TYPES[name][1])
    check(run(noise, arg=f"type={name}", on="native"), numpy_twin(samples))


def test_default_type(noise):
    check(run(noise, on="native"), numpy_twin(numpy.fromfile(noise, "u1")))


MESHES = [
    ("native", "1x1", "0,0", 1), ("native", "5x5", "3,2", 3),
    ("native", "5x5", "0,0", "auto"), ("native", "25x25", "24,1", "auto"),
    ("native", "7x4", "6,3", 1), ("qemu", "1x1", "0,0", 1),
    ("qemu", "5x5", "0,0", 1), ("qemu", "5x5", "4,1", 3),
    ("qemu", "5x5", "2,2", "auto")]


@pytest.mark.parametrize("name, on, size, originator, rounds", parts.cases(
    [(name, *mesh_) for name in ("u8", "s16", "s32") for mesh_ in MESHES],
    lambda case: case[1:3] != ("qemu", "5x5") or case[::4] == ("s16", "auto")))
def test_the_mesh_does_not_matter(noise, name, on, size, originator, rounds):
    samples = numpy.fromfile(noise, TYPES[name][1])
    got = run(noise, "--originator", originator, arg=f"type={name}", on=on,
              size=size, rounds=rounds)
    check(got, numpy_twin(samples))


@pytest.mark.parametrize("values, name", [
    ([2**31 - 1] * 999 + [2**31 - 2], "s32"),
    ([-2**31] * 999 + [-2**31 + 1], "s32"),
    ([-2**31, 2**31 - 1] * 500, "s32"), ([2**32 - 1] * 7 + [0], "u32"),
    ([2**32 - 1] * 1000, "u32"), ([-1] * 999 + [0], "s16"),
    ([0], "s8"), ([-128], "s8"), ([1, 2], "u16")])
def test_no_digits_are_lost(tmp_path, values, name):
    code, kind = TYPES[name]
    path = tmp_path / "values"
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


def test_instructions_a_byte(tmp_path):
    path = tmp_path / "load"
    path.write_bytes(mesh.mixed(200_000, mesh.seeded("stats, counted")))
    report = mesh.run(path, kernel="stats", arg="", size="1x1")
    assert report["measured"]["makespan_ps"] / 32_000 / 200_000 <= 5


# ---- what is refused ----

def refused(status, path, arg, *words):
    done = mesh.command("run", "--mesh", "5x5", "--on", "native", "--kernel",
                        "stats", "--arg", arg, path)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arg", ["u8", "type=", "type=u7", "type=U8", "type",
                                 "type=u8,", "type=u8 ", "typ=u8"])
def test_bad_argument(noise, arg):
    refused(2, noise, arg, f"--arg '{arg}'", "type=u8, s8, u16, s16")


def test_part_of_a_sample(tmp_path):
    path = tmp_path / "seven"
    path.write_bytes(b"1234567")
    refused(1, path, "type=s32", str(path), "7 bytes", "multiple of 4")


def test_no_samples(tmp_path):
    path = tmp_path / "none"
    path.write_bytes(b"")
    refused(1, path, "", str(path), "is empty")
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", None))
    refused(1, path, "", str(path), "is empty")


def test_truncated_wav(tmp_path):
    """Wherever it ends: never a result of what is left."""
    whole = sound(tmp_path / "a.wav", 16, seconds=0.01).read_bytes()
    path = tmp_path / "b.wav"
    for size in (12, 16, 20, 35, 36, 40, 43, 44, 45, 46, 100, len(whole) - 2,
                 len(whole) - 1):
        path.write_bytes(whole[:size])
        refused(1, path, "", str(path))
    path.write_bytes(whole[:44 + 2 * 100])
    refused(1, path, "", str(path), "truncated", "220 frames", "after 100")


def with_chunk(whole, at, size, content):
    """The sound's bytes, with one chunk more at byte `at`."""
    return (whole[:at] + b"LIST" + size.to_bytes(4, "little") + content
            + whole[at:])


def test_chunk_longer_than_the_file(tmp_path):
    """libsndfile goes on for minutes in the one that the fuzzer found."""
    whole = sound(tmp_path / "a.wav", 16, seconds=0.01).read_bytes()
    assert whole[36:40] == b"data"
    path = tmp_path / "b.wav"
    for size in (0xffffff04, len(whole) - 36 + 13, 2 ** 31):
        path.write_bytes(with_chunk(whole, 36, size, b"INFOabcd\0\0\0\0"))
        refused(1, path, "", str(path), "chunk at byte 36", "longer than")
    path.write_bytes(whole[:36] + bytes.fromhex(
        "4c49535404ffffffffb9fffff7ffffff"))
    refused(1, path, "", str(path), "chunk at byte 36", "longer than")


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


@pytest.mark.parametrize("options", [
    ("-b", 24), ("-e", "floating-point", "-b", 32), ("-e", "a-law")])
def test_other_samples(tmp_path, options):
    path = tmp_path / "a.wav"
    sox("-n", "-r", 8000, *options, path, "synth", 0.01, "sine", 440)
    refused(1, path, "", str(path), "WAV header", "8, 16 or 32 bits")


def test_odd_length(tmp_path):
    """A data chunk that is not a whole number of frames."""
    whole = bytearray(sound(tmp_path / "a.wav", 16, 2, 0.01).read_bytes())
    whole[40:44] = struct.pack("<I", 6)
    path = tmp_path / "b.wav"
    path.write_bytes(whole[:50])
    refused(1, path, "", str(path), "6 bytes", "multiple of 4")


def test_odd_number_of_bytes(tmp_path):
    """The chunk's padding is no sample."""
    path = tmp_path / "a.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 1, 8000, 0, "NONE", None))
        file.writeframes(b"\x01\x02\xff")
    path.write_bytes(path.read_bytes() + b"\0")
    check(run(path, on="native"), twin([1, 2, 255], 8, False))


def test_a_directory(tmp_path):
    refused(1, tmp_path, "", str(tmp_path), "directory")

# SPDX-License-Identifier: Apache-2.0
"""kernels/fir.c and its files, against NumPy and sox."""
import math
import pathlib
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

TAPS_MAX = 1000


def twin(samples, taps):
    """Output and how many of it saturate, in exact integers: a row for each
    frame, a column for each channel."""
    ahead = (len(taps) - 1) // 2
    if len(samples) == 0:
        return samples.astype("<i2"), 0
    columns = []
    for channel in samples.T.astype(numpy.int64):
        whole = numpy.convolve(channel, numpy.array(taps, numpy.int64))
        columns.append(whole[ahead:ahead + len(channel)])
    values = (numpy.stack(columns, axis=1) + (1 << 14)) >> 15
    out = numpy.clip(values, -32768, 32767)
    return out.astype("<i2"), int((out != values).sum())


def design(taps, rate, low=None, high=None):
    """The windowed sinc of qemu/format/fir.c, in Q15."""
    start = 0 if low is None else low / (rate / 2)
    end = 1 if high is None else high / (rate / 2)
    where = (0 if low is None else 1 if high is None else (start + end) / 2)
    m = numpy.arange(taps) - (taps - 1) / 2
    ideal = end * numpy.sinc(end * m) - start * numpy.sinc(start * m)
    tap = numpy.hamming(taps) * ideal
    tap /= (tap * numpy.cos(numpy.pi * m * where)).sum()
    return [int(value) for value in numpy.round(tap * 32768)]


# ---- the kernel by itself ----

def packed(taps):
    return struct.pack(f"<{len(taps)}h", *taps)


SAMPLES = (st.sampled_from([-32768, -32767, -1, 0, 1, 32767])
           | st.integers(-32768, 32767))


@st.composite
def jobs(draw):
    taps = draw(st.lists(SAMPLES, min_size=1, max_size=13))
    channels = draw(st.integers(1, 3))
    frames = draw(st.integers(0, 40))
    samples = draw(st.lists(SAMPLES, min_size=frames * channels,
                            max_size=frames * channels))
    cuts = draw(st.lists(st.integers(0, frames), max_size=5))
    order = draw(st.permutations(range(len(cuts) + 1)))
    return taps, channels, samples, cuts, order


def scattered(taps, samples, cuts, order=None):
    one = kernels.Job1("fir", packed(taps), 2 * samples.shape[1])
    result, output = one.scattered(samples.astype("<i2").tobytes(),
                                   len(samples), cuts, order)
    return (numpy.frombuffer(output, "<i2").reshape(samples.shape),
            struct.unpack("<Q", result)[0])


@pytest.mark.parts(4)
@hypothesis.given(jobs())
@hypothesis.settings(max_examples=100, deadline=None)
def test_any_cut_gives_the_same(job):
    taps, channels, flat, cuts, order = job
    samples = numpy.array(flat, numpy.int64).reshape(-1, channels)
    want, saturated = twin(samples, taps)
    got, counted = scattered(taps, samples, cuts, order)
    assert (got == want).all()
    assert counted == saturated


@pytest.mark.parametrize("frames", [1, 3, 4, 16, 17, 50, 999, 1500])
@pytest.mark.parametrize("taps", [1, 2, 4, 5, 32, 33, 500, 999, 1000])
def test_lengths(taps, frames):
    """Also where the filter is longer than the sound."""
    chance = numpy.random.default_rng(mesh.SEED)
    tap = [int(t) for t in chance.integers(-9000, 9000, taps)]
    samples = chance.integers(-32768, 32768, (frames, 2))
    want, saturated = twin(samples, tap)
    got, counted = scattered(tap, samples, [frames // 3, frames // 2])
    assert (got == want).all()
    assert counted == saturated


def test_one_at_each_place_gives_the_taps():
    """Rounding: half of a tap is what it is at 16384, upwards."""
    samples = numpy.zeros((9, 1), numpy.int64)
    samples[4] = 16384
    got, _ = scattered([3, -3, 4, -4, 5], samples, [])
    assert got[:, 0].tolist() == [0, 0, 2, -1, 2, -2, 3, 0, 0]


@pytest.mark.parametrize("arg, unit", [
    (b"", 2), (b"\1", 2), (b"\1\2\3", 2), (b"\0" * 2 * (TAPS_MAX + 1), 2),
    (b"\1\2", 0), (b"\1\2", 1), (b"\1\2", 3), (b"\1\2", 65536)])
def test_begin_refuses(arg, unit):
    with pytest.raises(kernels.Refused):
        kernels.Job1("fir", arg, unit)


def test_merge_refuses():
    one = kernels.Job1("fir", b"\1\2", 2)
    for bad in (b"", bytes(7), bytes(9)):
        with pytest.raises(kernels.Refused):
            one.merge(bytes(8), bad)


# ---- runs ----

def write_wav(path, samples, rate=8000):
    with wave.open(str(path), "wb") as file:
        file.setparams((samples.shape[1], 2, rate, 0, "NONE", None))
        file.writeframes(samples.astype("<i2").tobytes())
    return path


def read_wav(path):
    """Samples and rate."""
    with wave.open(str(path), "rb") as file:
        assert file.getsampwidth() == 2
        flat = numpy.frombuffer(file.readframes(file.getnframes()), "<i2")
        return flat.reshape(-1, file.getnchannels()), file.getframerate()


def run(path, arg, *args, **options):
    """Output, rate, result."""
    out = path.with_name("out.wav")
    report = mesh.run(path, "-o", out, *args, kernel="fir", arg=arg, **options)
    samples, rate = read_wav(out)
    out.unlink()
    return samples, rate, report["result"]


def check(path, arg, taps, *args, **options):
    samples, rate = read_wav(path)
    want, saturated = twin(samples, taps)
    got, got_rate, result = run(path, arg, *args, **options)
    assert got_rate == rate
    assert got.shape == want.shape
    assert (got == want).all()
    assert result["saturated"] == saturated


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


@pytest.mark.parametrize("arg, wanted", [
    ("low=1000", {"taps": 33, "high": 1000}),
    ("low=1000,taps=32", {"taps": 32, "high": 1000}),
    ("taps=255,high=1500.5", {"taps": 255, "low": 1500.5}),
    ("band=300:3000,taps=100", {"taps": 100, "low": 300, "high": 3000}),
    ("low=3999,taps=3", {"taps": 3, "high": 3999}),
    ("high=40,taps=1000", None),
    ("high=40,taps=999", {"taps": 999, "low": 40})])
def test_designs(noise, arg, wanted):
    if wanted is None:
        refused(2, noise, arg, "odd")
    else:
        check(noise, arg, design(rate=8000, **wanted), on="native")


FILTERS = [
    ("low=1000,taps=32", {"taps": 32, "high": 1000}),
    ("band=300:3000,taps=301", {"taps": 301, "low": 300, "high": 3000})]
MESHES = [
    ("native", "1x1", "0,0", 1), ("native", "5x5", "3,2", 3),
    ("native", "5x5", "0,0", "auto"), ("native", "25x25", "24,1", "auto"),
    ("native", "7x4", "6,3", 1), ("qemu", "1x1", "0,0", 1),
    ("qemu", "5x5", "0,0", 1), ("qemu", "5x5", "4,1", 2),
    ("qemu", "5x5", "2,2", "auto")]


@pytest.mark.parametrize("arg, wanted, on, size, originator, rounds",
                         parts.cases(
    [(*one, *mesh_) for one in FILTERS for mesh_ in MESHES],
    lambda case: case[2:4] != ("qemu", "5x5") or (
        case[5] == "auto" and case[:2] == FILTERS[1])))
def test_the_mesh_does_not_matter(noise, arg, wanted, on, size, originator,
                                  rounds):
    check(noise, arg, design(rate=8000, **wanted), "--originator", originator,
          on=on, size=size, rounds=rounds)


ON_THE_EDGE = [
    [16384, 16384, 16384, 16383], [16384, 16384, 16384, 16383] * 8,
    [16384, 16384, 16384, 16384], [-32768, -32767, 0, 0] * 2,
    [-32768, -32768, 0, 0] * 2, [32767] * 8, [-32768, 32767] * 20,
    [32767, 0, 0, 0] * 16, [32767, 0, 0, 1] * 15 + [0, 0, 0, 1],
    [32767, 0, 0, 1] * 18, [0] * 7, [1], [-32768], [20000, -20000, 20000],
    [5000, -4000] * 500, [3, 2, 1] * 11, [8191] * 64, [8192] * 64]


@pytest.mark.parametrize("taps", ON_THE_EDGE, ids=lambda t: f"{len(t)}:{t[0]}")
def test_sums_on_the_edge_of_32_bits(noise, taps):
    """On a board, whose code is another than the host's."""
    check(noise, text_of(noise.with_name("taps.txt"), taps), taps, size="1x1")


@pytest.mark.parametrize("channels, frames", [
    (1, 1), (1, 2), (1, 5), (1, 31), (1, 64), (1, 1001), (2, 77), (3, 50),
    (8, 33), (64, 20)])
def test_channels_and_lengths_on_a_board(tmp_path, channels, frames):
    chance = numpy.random.default_rng(mesh.SEED + channels)
    path = write_wav(tmp_path / "a.wav",
                     chance.integers(-32768, 32768, (frames, channels)), 44100)
    check(path, "low=5000,taps=31", design(31, 44100, high=5000), size="1x1")


def test_instructions_a_tap(tmp_path):
    chance = numpy.random.default_rng(mesh.SEED)
    path = write_wav(tmp_path / "a.wav",
                     chance.integers(-20000, 20000, (20000, 1)))
    report = mesh.run(path, kernel="fir", arg="low=1000,taps=32", size="1x1")
    assert report["measured"]["makespan_ps"] / 32_000 / 20000 / 32 <= 2


# ---- as others say ----

def sox(*words):
    subprocess.run(["sox", "-D", *map(str, words)], check=True)


def test_a_tone_passes_and_another_does_not(tmp_path):
    path = tmp_path / "a.wav"
    sox("-n", "-r", 48000, "-b", 16, path, "synth", 0.5, "sine", 500, "synth",
        "sine", "mix", 6000, "gain", -3)
    for arg, passes, stops in (("low=2000,taps=255", 500, 6000),
                               ("high=2000,taps=255", 6000, 500),
                               ("band=4000:9000,taps=255", 6000, 500)):
        got, _, _ = run(path, arg, on="native")
        before = abs(numpy.fft.rfft(read_wav(path)[0][2000:22000, 0]))
        after = abs(numpy.fft.rfft(got[2000:22000, 0]))
        gain = {tone: 20 * math.log10(after[round(tone * 20000 / 48000)]
                                      / before[round(tone * 20000 / 48000)])
                for tone in (passes, stops)}
        assert abs(gain[passes]) < 0.1
        assert gain[stops] < -50


@pytest.mark.parametrize("taps", [31, 101])
def test_as_sox_does(tmp_path, taps):
    """But for its own rounding, which may differ by one."""
    path = tmp_path / "a.wav"
    sox("-n", "-r", 44100, "-b", 16, "-c", 2, path, "synth", 0.2, "pinknoise",
        "gain", -6)
    tap = design(taps, 44100, low=500, high=8000)
    arg = text_of(tmp_path / "taps.txt", tap)
    got, _, _ = run(path, arg, on="native")
    out = tmp_path / "sox.wav"
    sox(path, out, "fir", tmp_path / "taps.txt")
    want, _ = read_wav(out)
    assert got.shape == want.shape
    assert abs(got.astype(int) - want).max() <= 1


# ---- what is refused ----

def refused(status, path, arg, *words):
    out = pathlib.Path(path).with_name("refused.wav")
    done = mesh.command("run", "--mesh", "5x5", "--on", "native", "--kernel",
                        "fir", "--arg", arg, "-o", out, path)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    for word in words:
        assert word in done.stderr
    assert done.stderr.count("\n") == 1
    assert not out.exists()


@pytest.mark.parametrize("arg, why", [
    ("1000", "low=HZ, high=HZ or band="), ("lo=3", "low=HZ"),
    ("low", "low=HZ"), ("taps=5", "low=HZ"), ("low=", "frequency in Hz"),
    ("low=x", "frequency in Hz"), ("low=-1", "frequency in Hz"),
    ("low=0", "frequency in Hz"), ("low=nan", "frequency in Hz"),
    ("low=inf", "frequency in Hz"), ("low=10Hz", "frequency in Hz"),
    ("high=1:2", "frequency in Hz"), ("band=1000", "LO:HI"),
    ("band=2000:1000", "LO:HI"), ("band=1000:1000", "LO:HI"),
    ("band=1:2:3", "LO:HI"), ("low=1,high=2", "one filter"),
    ("low=9,taps=2", "3 to 1000"), ("low=9,taps=1001", "3 to 1000"),
    ("low=9,taps=+5", "3 to 1000"), ("low=9,taps=5x", "3 to 1000"),
    ("low=9,taps=99999999999999999999", "3 to 1000"),
    ("high=9,taps=32", "odd"), ("file=", "name a file"),
    ("file=x,taps=3", "its own number"),
    ("low=4000", "below 4000 Hz"), ("high=4000", "below 4000 Hz"),
    ("band=1:5000", "below 4000 Hz")])
def test_bad_argument(noise, arg, why):
    refused(2, noise, arg, f"--arg '{arg}'", why)


def test_a_designed_tap_that_overflows(noise):
    """Almost everything passes: the middle tap is 1 or above."""
    refused(2, noise, "high=0.001,taps=3", "tap 1 would be", "Q15")


@pytest.mark.parametrize("text, line, tap, why", [
    ("1.0", 1, 0, "Q15"), ("0.5\n\n# no\n 1", 4, 1, "Q15"),
    ("0.1 0.2 0.99999", 1, 2, "Q15"), ("0.1 -1.00002", 1, 1, "Q15"),
    ("0.1\n1e300", 2, 1, "Q15"), ("nan", 1, 0, "Q15"), ("inf", 1, 0, "Q15"),
    ("0.1\nabc", 2, 1, "number"), ("0.1,0.2", 1, 0, "number"),
    ("0.1\n0.2;", 2, 1, "number"), ("0 " * 1001, 1, 1000, "1000")])
def test_bad_taps(noise, text, line, tap, why):
    path = noise.with_name("bad.txt")
    path.write_text(text, encoding="ascii")
    refused(1, noise, f"file={path}", str(path), f"line {line}: tap {tap} ",
            why)


def test_taps_at_the_limits(noise):
    """-1 and the largest below 1; blanks, comments, no newline at the end."""
    path = noise.with_name("limits.txt")
    path.write_bytes(b"-1 # least\r\n\t0.99998\r\n+.5e0")
    check(noise, f"file={path}", [-32768, 32767, 16384], on="native")


@pytest.mark.parametrize("content, why", [
    (b"", "no taps"), (b"# only\n", "no taps"), (b"0.5\0 0.5", "no text")])
def test_no_taps(noise, content, why):
    path = noise.with_name("none.txt")
    path.write_bytes(content)
    refused(1, noise, f"file={path}", str(path), why)


def test_no_file_of_taps(noise):
    refused(1, noise, "file=/nowhere/taps", "/nowhere/taps", "No such file")


def test_truncated_sound(noise):
    whole = noise.read_bytes()
    path = noise.with_name("short.wav")
    for size in (0, 11, 12, 30, 43, 44, 45, 48, 1000, len(whole) - 1):
        path.write_bytes(whole[:size])
        refused(1, path, "low=1000", str(path))
    path.write_bytes(whole[:44 + 4 * 1000 + 3])
    refused(1, path, "low=1000", str(path), "truncated", "3000 frames",
            "after 1000")


def test_no_sound(noise):
    path = noise.with_name("empty.wav")
    write_wav(path, numpy.zeros((0, 1)))
    refused(1, path, "low=1000", str(path), "is empty")
    path.write_text("no sound at all", encoding="ascii")
    refused(1, path, "low=1000", str(path), "no WAV file")


@pytest.mark.parametrize("bits", [8, 24, 32])
def test_other_samples(noise, bits):
    path = noise.with_name("other.wav")
    sox(noise, "-b", bits, path)
    refused(1, path, "low=1000", str(path), "16 bits")


def test_output_that_cannot_be_written(noise):
    done = mesh.command("run", "--mesh", "5x5", "--on", "native", "--kernel",
                        "fir", "--arg", "low=1000", "-o", "/dev/full", noise)
    assert done.returncode == 1
    assert "/dev/full: No space left" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""stats and fir of sounds as people have them: of all kinds that libsndfile
writes, with headers that lie, and cut anywhere. Oracles: libsndfile called by
hand, sox, NumPy, and the samples themselves."""
import hashlib
import json
import pathlib
import struct
import subprocess

import numpy
import pytest

import mesh
import sounds
import twins
from guard import GUARD_S

FIELD = pathlib.Path(__file__).with_name("field")
PLAIN = (600, 155375)

# What stats counts, and the sum, of each wav_NAME.wav; else what is refused.
COUNTED = dict.fromkeys(
    "avgbytes_0 bits12_in_16 blockalign_0 ch8 data_size_0 data_size_ffffffff "
    "data_size_sox_7ffff000 extensible16 extensible_oversize "
    "extensible_valid0 extensible_valid12 fmt18 id3_after junk_first "
    "list_after_data list_odd_padded list_truncated_sub list_zero_big "
    "list_zero_marker plain rate_0 rate_384k rf64 riff_size_0 "
    "riff_size_wrong tag_after_riff windows_debris36".split(), PLAIN) | {
        "ch64": (576, 2728), "empty_data": (0, 0), "s32": (600, 10182656000),
        "float": (600, 10182656000), "s24_odd": (599, 37829376),
        "truncated_1byte": (599, 147771), "two_data": (300, 108297),
        "u8_odd": (599, 76949), "u8_odd_nopad": (599, 76949),
        "bext_odd_unpadded": "the chunk at byte 648 is longer than the file",
        "lower_case_riff": "cannot be read as a sound"}
# Remarks on what the user may not expect.
REMARKS = {"data_size_0": "leaves its length open",
           "data_size_ffffffff": "leaves its length open",
           "data_size_sox_7ffff000": "leaves its length open",
           "truncated_1byte": "1200 bytes of samples, 1199 are there; 599",
           "two_data": "has several data chunks: the last was taken",
           "float": "(32 bit float) became 32-bit integers: full scale, 1.0, "
                    "is 2^31; 0 beyond it were clipped"}
# The sha256 of the filtered samples begins so.
FILTERED = "c7a5e4c4a8157c69"


def ask(kernel, path, arg="", *more):
    """(status, report or None, standard error) of a run on few nodes."""
    done = mesh.command("run", "--json", "--mesh", "2x2", "--on", "native",
                        "--kernel", kernel, *(["--arg", arg] if arg else []),
                        *more, path)
    return (done.returncode, json.loads(done.stdout) if done.stdout else None,
            done.stderr)


def counted(report):
    """(count, sum) of stats."""
    result = report["result"]
    return result["count"], int(result.get("sum", ["0"])[0])


def test_every_file_of_the_field_has_a_row():
    assert {path.stem for path in FIELD.glob("wav_*")} == {
        "wav_" + name for name in COUNTED}
    assert {path.stem for path in FIELD.glob("taps_*")} == {
        "taps_" + name for name in TAPS}


@pytest.mark.parametrize("names", [sorted(COUNTED)[0::3],
                                   sorted(COUNTED)[1::3],
                                   sorted(COUNTED)[2::3]], ids="abc")
def test_stats_of_the_field(names):
    for name in names:
        status, report, error = ask("stats", FIELD / f"wav_{name}.wav")
        if isinstance(COUNTED[name], str):
            assert status == 1 and COUNTED[name] in error, name
            continue
        assert (status, error) == (0, ""), name
        assert counted(report) == COUNTED[name], name
        said = " ".join(report["remarks"])
        assert REMARKS.get(name, "") in said, name
        assert name in REMARKS or f"wav_{name}" not in said, name


def test_type_of_a_sound():
    """Its samples are counted, not its header."""
    path = FIELD / "wav_plain.wav"
    assert counted(ask("stats", path, "type=s16")[1]) == PLAIN
    status, _, error = ask("stats", path, "type=u8")
    assert status == 2 and "samples of" in error and "are s16" in error


# ---- fir ----

# Taps of the field: those of taps_lf.txt, or the words of a refusal.
TAPS = dict.fromkeys(
    "brackets comma_lines commas cr crlf exponent lf long17 matlab_col "
    "np_savetxt octave percent_comment plus semicolons spaces utf16".split(),
    FILTERED) | {
        "decimal_comma": "line 1: tap 0 is '0,25'; a comma separates taps; a "
                         "fraction has a point",
        "one": "line 1: tap 0 is '1.0'; Q15 holds -1 to below 1",
        "q15": "line 1: tap 0 is '8192'; Q15 holds -1 to below 1"}


def filtered(path, arg, out):
    status, _, error = ask("fir", path, arg, "-o", out)
    if status != 0:
        assert not out.exists()
        return error
    assert error == ""
    raw = (sounds.read(out)[0] >> 16).astype("<i2").tobytes()
    return hashlib.sha256(raw).hexdigest()[:16]


def test_taps_of_the_field(tmp_path):
    for name, want in TAPS.items():
        got = filtered(FIELD / "wav_plain.wav",
                       f"file={FIELD / f'taps_{name}.txt'}",
                       tmp_path / f"{name}.wav")
        assert got == want or (want != FILTERED and want in got), name


@pytest.mark.parametrize("name", [
    "data_size_0", "data_size_ffffffff", "data_size_sox_7ffff000",
    "list_truncated_sub", "rf64", "rate_0"])
def test_fir_of_the_field(tmp_path, name):
    assert filtered(FIELD / f"wav_{name}.wav",
                    f"file={FIELD / 'taps_lf.txt'}",
                    tmp_path / "o.wav") == FILTERED


def test_a_rate_of_0_is_refused_where_it_counts(tmp_path):
    for arg in ("low=1000", "high=1000", "band=1:2"):
        assert "header: the sample rate is 0 Hz or invalid" in filtered(
            FIELD / "wav_rate_0.wav", arg, tmp_path / "o.wav")


def test_fir_of_8_bits(tmp_path):
    taps = [8192, 16384, 8192]
    out = tmp_path / "o.wav"
    status, _, _ = ask("fir", FIELD / "wav_u8_odd.wav",
                       f"file={FIELD / 'taps_lf.txt'}", "-o", out)
    want, _ = twins.fir(sounds.taken(FIELD / "wav_u8_odd.wav")[0], taps, 8)
    assert status == 0 and numpy.array_equal(sounds.taken(out)[0], want)


# ---- all kinds ----

def some_formats():
    """Each kind of file and each encoding at least once. RAW has no header,
    SD2 a second file."""
    seen = {0x40000, 0x160000}
    for row in sounds.every_format():
        parts = {row[0] & sounds.TYPE, row[0] & sounds.SUB}
        if not parts <= seen and not {0x40000, 0x160000} & parts:
            seen |= parts
            yield row


FORMATS = list(some_formats())
PARTS = 3


@pytest.mark.parametrize("part", range(PARTS))
def test_every_kind_that_libsndfile_writes(tmp_path, part):
    """Containers and encodings: integers as they are, others by the rule. SD2
    has its samples' form in a second file."""
    chance = numpy.random.default_rng(mesh.SEED)
    seen = 0
    for form, channels, rate, suffix in FORMATS[part::PARTS]:
        path = tmp_path / f"{form:x}.{suffix}"
        wave = chance.integers(-2**30, 2**30, (150, channels))
        wave = wave / 2.0**31 if form & sounds.SUB in (6, 7) else (
            wave.astype(numpy.int32))
        if not sounds.write(path, wave, form, rate):
            continue
        want, bits = sounds.taken(path)
        # SDS apart the oracle is what was written.
        if form & sounds.SUB in sounds.WHOLE and form >> 16 != 0x11:
            assert numpy.array_equal(want[:len(wave)],
                                     wave.astype(int) >> 32 - bits), path
        if form & sounds.SUB == 5:
            want = want + 128
        status, report, error = ask("stats", path)
        assert (status, error) == (0, ""), path
        assert counted(report) == (want.size, want.sum()), path
        seen += 1
    assert seen >= 12


@pytest.mark.parametrize("suffix", ["ogg", "gsm", "wve", "au"])
def test_lossy_sounds_as_sox_reads_them(tmp_path, suffix):
    """16 bits, mu-law too, are those of sox; fir makes a WAV of them."""
    path = tmp_path / f"a.{suffix}"
    made = numpy.random.default_rng(mesh.SEED).integers(
        -9000, 9000, 1600).astype("<i2").tobytes()
    raw = ["-t", "raw", "-e", "signed", "-b", "16", "-c", "1", "-r", "8000"]
    subprocess.run(["sox", "-D", *raw, "-", *(
        ["-e", "mu-law"] if suffix == "au" else []), path], input=made,
                   check=True, timeout=GUARD_S)
    done = subprocess.run(["sox", "-D", path, *raw, "-"], check=True,
                          capture_output=True, timeout=GUARD_S)
    want = numpy.frombuffer(done.stdout, "<i2")
    status, report, _ = ask("stats", path)
    assert status == 0 and counted(report) == (want.size, want.sum())
    out = tmp_path / "o.flac"
    status, _, error = ask("fir", path, "low=1000,taps=9", "-o", out)
    assert (status, error) == (0, "")
    got, _ = twins.fir(want.reshape(-1, 1), twins.design(9, 8000, high=1000))
    assert numpy.array_equal(sounds.read(out)[0] >> 16, got)


def test_lossy_inputs_become_wav(tmp_path):
    path, out = tmp_path / "a.ogg", tmp_path / "out"
    assert sounds.write(path, numpy.zeros((500, 2)), 0x200060, 48000)
    _, report, _ = ask("fir", path, "low=1000", "-o", out)
    assert "The output is WAV (Microsoft), Signed 16 bit PCM." in report[
        "remarks"]
    assert sounds.read(out)[1].format == 0x10002


# ---- lengths in headers ----

OPEN = (0, 0x7f000000, 0x7ffff000, 0x7fffffff, 0x80000000, 0xffffffff)
# Kind: where lengths stand, behind which mark, and how they are packed.
LENGTHS = {"wav": [(b"data", 4, "<I")], "au": [(b".snd", 8, ">I")],
           "aiff": [(b"SSND", 4, ">I"), (b"COMM", 10, ">I")],
           "caf": [(b"data", 4, ">q")], "w64": [(b"data", 16, "<Q")]}
NUMBERS = {"wav": 0x10002, "au": 0x30002, "aiff": 0x20002, "caf": 0x180002,
           "w64": 0xb0002, "flac": 0x170002}


@pytest.fixture(scope="module", name="wave")
def fixture_wave():
    return numpy.random.default_rng(mesh.SEED).integers(
        -2**31, 2**31, (150, 2)).astype(numpy.int32)


def total(wave, frames=None):
    values = wave[:frames].astype(int) >> 16
    return values.size, values.sum()


@pytest.mark.parametrize("suffix", sorted(LENGTHS))
def test_open_lengths_last_to_the_end(tmp_path, wave, suffix):
    path = tmp_path / f"a.{suffix}"
    assert sounds.write(path, wave, NUMBERS[suffix])
    whole = path.read_bytes()
    for size in OPEN + ((-1,) if suffix == "caf" else ()):
        file = bytearray(whole)
        for mark, behind, form in LENGTHS[suffix]:
            at = whole.index(mark) + behind
            file[at:at + struct.calcsize(form)] = struct.pack(form, size)
        path.write_bytes(file)
        status, report, error = ask("stats", path)
        assert (status, error) == (0, ""), size
        assert counted(report) == total(wave), size
        if suffix != "w64":
            assert "length" in " ".join(report["remarks"]), size


@pytest.mark.parametrize("suffix", sorted(NUMBERS))
def test_files_cut_at_every_97th_byte(tmp_path, wave, suffix):
    """The frames that are there, which a remark says, or a message; never an
    output of another length."""
    path, out = tmp_path / f"a.{suffix}", tmp_path / "out.wav"
    assert sounds.write(path, wave, NUMBERS[suffix])
    whole = path.read_bytes()
    for size in range(len(whole) % 97 + 97 * (30 if suffix == "caf" else 0),
                      len(whole), 97):
        path.write_bytes(whole[:size])
        out.unlink(missing_ok=True)
        status, report, error = ask("fir", path, "low=1000", "-o", out)
        assert status in (0, 1), error
        if status == 1:
            assert str(path) in error and not out.exists()
            continue
        frames = sounds.read(out)[1].frames
        assert frames < len(wave)
        assert any(word in " ".join(report["remarks"])
                   for word in ("cut short", "another length")), size


@pytest.mark.parametrize("form, suffix", [
    (0x170002, "flac"), (0x200060, "ogg"), (0x230082, "mp3")])
def test_packed_sounds_that_end_early_or_go_on(tmp_path, form, suffix):
    """A remark tells that a file is cut, or that its second stream is left
    out, with the frames that were taken."""
    path = tmp_path / f"a.{suffix}"
    wave = numpy.random.default_rng(mesh.SEED).normal(0, .1, (30000, 2))
    assert sounds.write(path, wave, form, 48000)
    whole = path.read_bytes()
    for data, words in ((whole[:len(whole) * 9 // 10], "is cut short"),
                        (2 * whole, "has several streams: the first was")):
        if suffix != "ogg" and data > whole:
            continue
        path.write_bytes(data)
        status, report, _ = ask("stats", path)
        assert status == 0  # libmpg123 prints a warning of its own
        count = report["result"]["count"]
        assert 0 < count < 60000 or data > whole and count == 60000
        assert any(f"{path} {words}" in remark and f"{count // 2} " in remark
                   for remark in report["remarks"])


def test_what_libsndfile_does_not_know_is_told(tmp_path, wave):
    """Floats of 16 bits; rates that FLAC has not, before the job."""
    path = tmp_path / "a.wav"
    assert sounds.write(path, wave, 0x10002, 700_000)
    taps = FIELD / "taps_lf.txt"
    status, _, error = ask("fir", path, f"file={taps}", "-o",
                           tmp_path / "o.flac")
    assert status == 2 and "16 bits at 700000 Hz; .wav, .aiff" in error
    file = bytearray(path.read_bytes())
    file[20] = 3
    path.write_bytes(file)
    status, _, error = ask("stats", path)
    assert status == 1 and "its encoding, bits, sample rate or" in error


def test_claims_of_gigabytes(tmp_path, wave):
    """Of a small file: what is there."""
    for suffix, places in LENGTHS.items():
        path = tmp_path / f"a.{suffix}"
        assert sounds.write(path, wave, NUMBERS[suffix])
        file = bytearray(path.read_bytes())
        mark, behind, form = places[0]
        at = file.index(mark) + behind
        file[at:at + struct.calcsize(form)] = struct.pack(form, 2_000_000_000)
        path.write_bytes(file)
        status, report, _ = ask("stats", path)
        assert status == 0 and counted(report) == total(wave), suffix


# ---- real numbers ----

def test_reals_are_rounded_and_clipped(tmp_path):
    """Halves go to the even integer; 1.0 is the greatest, and is not counted
    as clipped."""
    path = tmp_path / "a.wav"
    wave = numpy.array([0.5, -1.0, 1.0, 1.5, -7.0, 2.5 * 2**-31, 3.5 * 2**-31,
                        4.5 * 2**-31, 1e-30]).reshape(-1, 1)
    for form in (0x10006, 0x10007):
        sounds.write(path, wave, form)
        _, report, _ = ask("stats", path)
        assert counted(report) == (9, sum((
            2**30, -2**31, 2**31 - 1, 2**31 - 1, -2**31, 2, 4, 4)))
        assert "; 2 beyond it were clipped" in " ".join(report["remarks"])


@pytest.mark.parametrize("value, name", [
    (float("nan"), "NaN"), (float("inf"), "infinite"),
    (float("-inf"), "infinite")])
def test_what_is_no_number_is_refused_with_its_place(tmp_path, value, name):
    path = tmp_path / "a.aiff"
    wave = numpy.zeros((700, 3))
    wave[600, 1] = value
    for form in (0x20006, 0x20007):
        sounds.write(path, wave, form)
        for kernel, arg in (("stats", ""), ("fir", "low=1000")):
            status, _, error = ask(kernel, path, arg)
            assert status == 1 and (
                f"a.aiff: frame 600, channel 1: is {name}; must be a finite "
                "number") in error


def test_many_channels_and_any_rate(tmp_path):
    chance = numpy.random.default_rng(mesh.SEED)
    for channels, rate in ((1, 1), (2, 384000), (3, 2_000_000), (255, 8000),
                           (1024, 48000)):
        path, out = tmp_path / "a.wav", tmp_path / "out.wav"
        wave = chance.integers(-2**31, 2**31, (40, channels)).astype(
            numpy.int32)
        assert sounds.write(path, wave, 0x10003, rate)
        path_taps = FIELD / "taps_lf.txt"
        status, _, error = ask("fir", path, f"file={path_taps}", "-o", out)
        assert (status, error) == (0, "")
        want, _ = twins.fir(wave.astype(int) >> 8, [8192, 16384, 8192], 24)
        assert numpy.array_equal(sounds.taken(out)[0], want), channels
        assert sounds.read(out)[1].rate == rate


def test_a_silence_that_expands_too_far_is_refused(tmp_path):
    """The limit is named: 64 MiB, or 100 times the file."""
    path = tmp_path / "a.flac"
    assert sounds.write(path, numpy.zeros((12_000_000, 2), numpy.int32),
                        0x170003, 48000)
    status, _, error = ask("stats", path)
    assert status == 1
    assert "expands to more than 67108864 bytes, 64 MiB" in error


@pytest.mark.parametrize("form", ["-b 8", "-b 16", "-b 32 -e float"])
@pytest.mark.parametrize("frames", [1, 3, 5, 601])
def test_aiff_has_as_many_frames_as_went_in(tmp_path, form, frames):
    """libsndfile counts the pad of an odd number of bytes, and what is left of
    a header with a chunk of peaks."""
    source, out = tmp_path / "in.wav", tmp_path / "out.aiff"
    subprocess.run(["sox", "-D", "-r", "8000", "-n", "-c", "1", *form.split(),
                    source, "synth", "1", "sine", "440", "trim", "0",
                    f"{frames}s"], check=True)
    taps = tmp_path / "taps"
    taps.write_text("0.5\n")
    status, _, errors = ask("fir", source, f"file={taps}", "-o", out)
    assert status == 0, errors
    said = subprocess.run(["soxi", "-s", out], check=True, text=True,
                          capture_output=True).stdout
    assert int(said) == frames
    status, report, errors = ask("stats", out)
    assert report["result"]["count"] == frames, errors


def test_a_headerless_codec_becomes_wav(tmp_path):
    source, out = tmp_path / "in.gsm", tmp_path / "out"
    subprocess.run(["sox", "-n", "-r", "8000", "-c", "1", source, "synth",
                    "0.2", "sine", "440"], check=True)
    taps = tmp_path / "taps"
    taps.write_text("0.5\n")
    assert ask("fir", source, f"file={taps}", "-o", out)[0] == 0
    assert out.read_bytes()[:4] == b"RIFF"
    assert ask("fir", source, f"file={taps}", "-o", tmp_path / "x.gsm")[0] == 2


def test_a_name_of_a_sound_whose_bytes_are_none(tmp_path):
    path = tmp_path / "page.wav"
    path.write_bytes(b"<!DOCTYPE html><p>Not found.")
    status, report, _ = ask("stats", path)
    assert (status, report["result"]["count"]) == (0, 28)
    assert any("is no sound, as its name says" in text
               for text in report["remarks"])

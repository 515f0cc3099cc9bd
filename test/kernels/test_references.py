# SPDX-License-Identifier: Apache-2.0
"""What the kernels cost on the board beside plain programs for the same jobs:
that these do the same, and that the kernels take fewer instructions."""
import csv
import decimal
import hashlib
import math
import pathlib
import struct
import sys
import zlib

import numpy
import pytest

import mesh
from test_kernel_channels import philox

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import job_bench  # noqa: E402
import references as bench  # noqa: E402

PAIRS = [(name, reference) for name, several in bench.NAMES.items()
         for reference in several]


@pytest.fixture(name="folder", scope="module")
def fixture_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("references")


@pytest.fixture(name="measured", scope="module")
def fixture_measured(folder):
    """(job, table) of a kernel."""
    known = {}

    def measured(name):
        if name not in known:
            one = bench.job(folder, name)
            known[name] = one, bench.measure(name, one)
        return known[name]

    return measured


def test_every_kernel_has_a_reference():
    """But spin, which is nobody's job."""
    names = {path.stem for path in (mesh.ROOT / "kernels").glob("*.c")}
    assert set(bench.NAMES) == set(job_bench.KERNELS) == names - {"spin"}


@pytest.mark.parametrize("name, reference", PAIRS)
def test_the_reference_does_the_same_job(measured, name, reference):
    one, table = measured(name)
    assert set(table) == {"kernel", *bench.NAMES[name]}
    assert bench.agrees(name, reference, one, table)


@pytest.mark.parametrize("name, reference", PAIRS)
def test_the_kernel_takes_fewer_instructions(measured, name, reference):
    _, table = measured(name)
    assert table["kernel"].instructions < table[reference].instructions


@pytest.mark.parametrize("name", bench.NAMES)
def test_the_kernel_costs_what_it_costs_in_a_job(folder, measured, name):
    """The image's own, on a mesh of one board; and no more than it may."""
    one, table = measured(name)
    alone = (table["kernel"].instructions / one.units
             / job_bench.KERNELS[name][2])
    assert bench.job_count(folder, name) == pytest.approx(alone, rel=.01)
    most = job_bench.KERNELS[name][1]
    assert most is None or alone <= most


# ---- what the result must be ----

def values(one, kind):
    return numpy.frombuffer(one.load, kind).astype(numpy.int64)


def search(one):
    at = [i for i in range(len(one.load)) if one.load.startswith(one.arg, i)]
    return struct.pack(f"<IQ{min(len(at), 1024)}I", 1, len(at),
                       *at[:1024]), b""


def records(one):
    rows = csv.reader(one.load.decode().splitlines())
    prices = [int(decimal.Decimal(row[2]) * 100) for row in rows]
    cheap = [price for price in prices if price < 5000]
    return struct.pack("<QqiIqq", len(cheap), sum(cheap), 0, 2, min(cheap),
                       max(cheap)), b""


def stats(one):
    bins = numpy.bincount(values(one, "u1"), minlength=256)
    return struct.pack("<I256I", 1, *bins), b""


def fir(one):
    """32 taps: 15 samples ahead."""
    taps = numpy.frombuffer(one.arg, "<i2").astype(numpy.int64)
    exact = numpy.convolve(values(one, "<i2"), taps)[15:][:one.units]
    exact = (exact + (1 << 14)) >> 15
    limited = numpy.clip(exact, -32768, 32767)
    return (struct.pack("<Q", (limited != exact).sum()),
            limited.astype("<i2").tobytes())


def conv(one):
    image = numpy.pad(values(one, "u1").reshape(1000, 1000), 1, "edge")
    total = sum(by * image[y:y + 1000, x:x + 1000]
                for y, row in enumerate(((1, 2, 1), (2, 4, 2), (1, 2, 1)))
                for x, by in enumerate(row))
    return b"", ((total + 8) // 16).astype("u1").tobytes()


def matvec(one):
    matrix = values(one, "<i4").reshape(one.units, -1)
    vector = numpy.frombuffer(one.arg[4:], "<i4").astype(numpy.int64)
    return b"", (matrix @ vector).astype("<i8").tobytes()


def dictionary(one):
    """The sixth word alone: the other one is not in the part that is run."""
    words = one.load.split()
    assert hashlib.sha256(words[5]).digest() in one.arg
    return struct.pack("<QQIIB9s", len(words), 1, 2 ** 32 - 1, 50, 9,
                       words[5]), b""


@pytest.mark.parametrize("name, want", [
    (want.__name__, want) for want in (search, records, stats, fir, conv,
                                       matvec, dictionary)])
def test_the_board_has_the_right_result(measured, name, want):
    one, table = measured(name)
    result, output = map(zlib.crc32, want(one))
    assert (table["kernel"].result_crc, table["kernel"].output_crc) == (
        result, output)


def sweep(value, voltage_nv):
    """Open channels after each step, of 1600 in groups of 32."""
    chances = []
    for v in (-80e6, voltage_nv):
        above = (v + 5e6) / 8e6
        a = math.exp(above / 2)
        changed = 1 - math.exp(-(a + 1 / a) / 300)
        often = 1 / (1 + math.exp(-above))
        chances.append([int(p * changed * 2 ** 32) for p in (often,
                                                             1 - often)])
    group, block = numpy.meshgrid(numpy.arange(50), numpy.arange(8),
                                  indexing="ij")
    is_open = numpy.zeros((50, 8, 4), bool)
    counts = []
    for step in range(100):
        drawn = numpy.stack(philox(
            [numpy.full_like(group, value), numpy.full_like(group, step),
             group, block], (0, 0)), axis=2)
        opens, closes = chances[20 <= step < 80]
        is_open ^= drawn < numpy.where(is_open, closes, opens)
        counts.append(int(is_open.sum()))
    return counts


def test_channels_one_by_one_are_as_the_model_says(measured):
    _, table = measured("channels")
    counts = [sweep(value, -60e6 + 5e6 * value) for value in range(25)]
    peak = sum(sum(count[20:80]) for count in counts)
    everywhere = sum(sum(count) for count in counts)
    assert struct.unpack("<4Q", struct.pack(
        "<8I", *table["one-by-one"].words)) == (
            325, 25 * 1600 * 100, peak, everywhere - peak)


# ---- the check itself ----

@pytest.mark.parametrize("name, reference", PAIRS)
def test_another_result_is_seen(measured, name, reference):
    one, table = measured(name)
    words = [(word * 102 // 100) for word in table[reference].words]
    for other in (table[reference]._replace(result_crc=1, words=words),
                  table[reference]._replace(output_crc=1, words=words)):
        assert not bench.agrees(name, reference, one,
                                {**table, reference: other})

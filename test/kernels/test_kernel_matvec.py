# SPDX-License-Identifier: Apache-2.0
"""A matrix times a vector: against whole numbers, against NumPy, on meshes,
and with files that are no such thing."""
import itertools
import struct

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
import mesh
from twins import matvec as numpy_says


# ---- the definition ----

def int32(matrix, vector):
    """Of lists of whole numbers."""
    return [sum(a * b for a, b in zip(row, vector)) for row in matrix]


def q15(matrix, vector):
    """Sums of n / 2^15 times n / 2^15: to the nearest n / 2^15, then to what
    16 bits hold."""
    return [min(max((total + 2 ** 14) // 2 ** 15, -2 ** 15), 2 ** 15 - 1)
            for total in int32(matrix, vector)]


KINDS = {"i": (4, "q", int32), "h": (2, "h", q15)}


def packed(numbers, kind):
    return struct.pack(f"<{len(numbers)}{kind}", *numbers)


def argument(vector, kind):
    return bytes([KINDS[kind][0], 0, 0, 0]) + packed(vector, "i")


def job_of(vector, kind):
    return kernels.Job1("matvec", argument(vector, kind),
                        KINDS[kind][0] * len(vector))


def result_of(matrix, vector, kind):
    _, out, definition = KINDS[kind]
    return packed([(n + 2 ** 63) % 2 ** 64 - 2 ** 63
                   for n in definition(matrix, vector)], out)


# ---- one node, and every way to cut a load ----

@st.composite
def products(draw):
    kind = draw(st.sampled_from("ih"))
    bits = 8 * KINDS[kind][0] - 1
    elements = st.one_of(
        st.integers(-2 ** bits, 2 ** bits - 1), st.integers(-3, 3),
        st.sampled_from([-2 ** bits, 2 ** bits - 1, 2 ** (bits - 1)]))
    columns, rows = draw(st.integers(1, 11)), draw(st.integers(1, 9))
    lines = st.lists(elements, min_size=columns, max_size=columns)
    return kind, draw(st.lists(lines, min_size=rows,
                               max_size=rows)), draw(lines)


@pytest.mark.parts(4)
@settings(max_examples=125, deadline=None)
@given(product=products(), data=st.data())
def test_any_product_cut_anywhere(product, data):
    kind, matrix, vector = product
    load = b"".join(packed(row, kind) for row in matrix)
    assert kernels.cut_anywhere(data, job_of(vector, kind), load, len(
        matrix)) == (b"", result_of(matrix, vector, kind))


def test_every_range():
    chance = mesh.seeded("matvec")
    for kind, columns in itertools.product("ih", range(1, 10)):
        bits = 8 * KINDS[kind][0] - 1
        *matrix, vector = ([chance.randrange(-2 ** bits, 2 ** bits)
                            for _ in range(columns)] for _ in range(8))
        load = b"".join(packed(row, kind) for row in matrix)
        want = result_of(matrix, vector, kind)
        size = len(want) // 7
        job = job_of(vector, kind)
        for first in range(8):
            for end in range(first, 8):
                assert job.run(load, first, end - first)[1] == want[
                    first * size:end * size]


def test_q15_rounds_and_saturates():
    half = 2 ** 14
    for a, b, want in ((1, half, 1), (1, half - 1, 0), (-1, half, 0),
                       (-1, half + 1, -1), (-2 ** 15, -2 ** 15, 2 ** 15 - 1),
                       (3, half, 2), (-3, half, -1)):
        assert q15([[a]], [b]) == [want]
        assert job_of([b], "h").run(packed([a], "h"), 0, 1)[1] == packed(
            [want], "h")
    # Only the end is limited, not what comes before.
    row, vector = [2 ** 15 - 1] * 4 + [-2 ** 15] * 4, [2 ** 15 - 1] * 8
    assert job_of(vector, "h").run(packed(row, "h"), 0, 1)[1] == packed(
        q15([row], vector), "h") == packed([-4], "h")


def test_the_longest_rows():
    for kind, columns in (("i", 16383), ("h", 16383)):
        least = -2 ** (8 * KINDS[kind][0] - 1)
        job = job_of([least] * columns, kind)
        for element in (least, 1 - least - 2):
            row = [element] * columns
            assert job.run(packed(row, kind), 0, 1)[1] == result_of(
                [row], [least] * columns, kind)


# ---- files ----

def arrays(kind, rows, columns):
    """A matrix and a vector, of which some Q15 rows saturate."""
    chance = numpy.random.default_rng(mesh.SEED)
    low, high = {"<i4": (-2 ** 31, 2 ** 31), "<i2": (-2 ** 15, 2 ** 15)}[kind]
    matrix = chance.integers(low, high, (rows, columns)).astype(kind)
    vector = chance.integers(low, high, columns).astype(kind)
    if kind == "<i4":
        vector //= 1 << 12
    else:
        vector //= 8
        matrix[::7] = numpy.where(vector < 0, low, high - 1)
        matrix[3::7] = numpy.where(vector < 0, high - 1, low)
    return matrix, vector


@pytest.fixture(name="saved", scope="module", params=["<i4", "<i2"])
def fixture_saved(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("matvec")
    matrix, vector = arrays(request.param, 1201, 37)
    numpy.save(folder / "matrix.npy", matrix)
    numpy.save(folder / "a,vector.npy", vector)
    want = numpy_says(matrix, vector)
    if request.param == "<i2":
        assert {want.max(), want.min()} == {2 ** 15 - 1, -2 ** 15}
    return folder, want


def check_run(saved, out, *args, **options):
    folder, want = saved
    mesh.run(folder / "matrix.npy", "-o", out, *args, kernel="matvec",
             arg=f"vector={folder}/a,vector.npy", **options)
    got = numpy.load(out)
    assert got.dtype == want.dtype and numpy.array_equal(got, want)


def test_the_longest_vector_goes_out(tmp_path):
    for kind, columns in (("<i4", 16383), ("<i2", 16383)):
        matrix, vector = arrays(kind, 30, columns)
        numpy.save(tmp_path / "matrix.npy", matrix)
        numpy.save(tmp_path / "a,vector.npy", vector)
        check_run((tmp_path, numpy_says(matrix, vector)),
                  tmp_path / "out.npy", size="5x5", on="native")


def test_numpy_is_not_taken_from_here(tmp_path):
    """A file of that name in the working folder is not run."""
    (tmp_path / "numpy.py").write_text("raise SystemExit(99)\n")
    numpy.save(tmp_path / "matrix.npy", numpy.arange(12, dtype="<i4").reshape(
        3, 4))
    numpy.save(tmp_path / "vector.npy", numpy.arange(4, dtype="<i4"))
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "matvec", "--on",
                        "native", "--arg", "vector=vector.npy", "-o",
                        "out.npy", "matrix.npy", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert numpy.load(tmp_path / "out.npy").tolist() == [14, 38, 62]

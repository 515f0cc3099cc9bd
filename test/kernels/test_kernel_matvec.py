# SPDX-License-Identifier: Apache-2.0
"""A matrix times a vector: against whole numbers, against NumPy, on meshes,
and with files that are no such thing."""
import pickle
import struct

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
import mesh
import parts


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
    rows = len(matrix)
    cuts = data.draw(st.lists(st.integers(0, rows), max_size=5))
    load = b"".join(packed(row, kind) for row in matrix)
    result, output = job_of(vector, kind).scattered(load, rows, cuts)
    assert result == b""
    assert output == result_of(matrix, vector, kind)


@pytest.mark.parametrize("kind", "ih")
@pytest.mark.parametrize("columns", range(1, 10))
def test_every_range(kind, columns):
    chance = mesh.seeded(f"matvec {kind} {columns}")
    bits = 8 * KINDS[kind][0] - 1

    def line(n):
        return [chance.randrange(-2 ** bits, 2 ** bits) for _ in range(n)]

    matrix, vector = [line(columns) for _ in range(7)], line(columns)
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


def test_arguments_that_are_refused():
    good = argument([1, 2, 3], "i")
    kernels.Job1("matvec", good, 12)
    kernels.Job1("matvec", b"\2" + good[1:], 6)
    for bad, unit in ((good, 4), (good, 6), (b"\2" + good[1:], 12),
                      (good, 0), (good[:-1], 11), (good[:4], 0), (b"", 0),
                      (b"\3" + good[1:], 12), (b"\0" + good[1:], 12),
                      (b"\4\1\0\0" + good[4:], 12),
                      (b"\4\0\0\1" + good[4:], 12),
                      (b"\2\0\0\0abc", 3), (b"\4\0\0\0abcdef", 6)):
        with pytest.raises(kernels.Refused):
            kernels.Job1("matvec", bad, unit)


@settings(max_examples=300, deadline=None)
@given(arg=st.binary(max_size=40), unit=st.integers(0, 40))
def test_no_argument_upsets_it(arg, unit):
    try:
        kernels.Job1("matvec", arg, unit)
    except kernels.Refused:
        pass


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


def numpy_says(matrix, vector):
    total = matrix.astype("<i8") @ vector.astype("<i8")
    if matrix.dtype == numpy.dtype("<i4"):
        return total
    return numpy.clip((total + 2 ** 14) >> 15, -2 ** 15,
                      2 ** 15 - 1).astype("<i2")


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


@pytest.mark.parametrize("size,rounds", [
    ("1x1", 1), ("5x5", 1), ("5x5", 3), ("5x5", "auto"), ("25x25", 1),
    ("7x4", 1)])
def test_native_meshes(saved, tmp_path, size, rounds):
    check_run(saved, tmp_path / "out.npy", size=size, on="native",
              rounds=rounds)


@pytest.mark.parametrize("size,rounds,originator", parts.cases([
    ("1x1", 1, "0,0"), ("5x5", "auto", "2,3"), ("5x5", 1, "0,0"),
    ("4x3", 1, "3,1")], 2))
def test_boards(saved, tmp_path, size, rounds, originator):
    check_run(saved, tmp_path / "out.npy", "--originator", originator,
              size=size, rounds=rounds)


def test_the_longest_vector_goes_out(tmp_path):
    for kind, columns in (("<i4", 16383), ("<i2", 16383)):
        matrix, vector = arrays(kind, 30, columns)
        numpy.save(tmp_path / "matrix.npy", matrix)
        numpy.save(tmp_path / "a,vector.npy", vector)
        check_run((tmp_path, numpy_says(matrix, vector)),
                  tmp_path / "out.npy", size="5x5", on="native")


# ---- bad input ----

def refused(status, *words, matrix, vector=None, arg=None):
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "matvec", "--on",
                        "native", "--arg", arg or f"vector={vector}", matrix)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("quincunx: ")
    assert len(done.stderr.splitlines()) == 1
    for word in words:
        assert str(word) in done.stderr, done.stderr


GOOD = numpy.arange(12, dtype="<i4").reshape(3, 4)
LINE = numpy.arange(4, dtype="<i4")


def saved_as(path, array, **options):
    numpy.save(path, array, **options)
    return path


@pytest.mark.parametrize("array,words", [
    (GOOD.astype("<f8"), ["<f8", "float64", "<i4"]),
    (GOOD.astype(">i4"), [">i4", "<i4"]),
    (GOOD.astype("<u4"), ["<u4"]),
    (GOOD.astype("<i8"), ["<i8"]),
    (numpy.array([[1, "x"]], dtype=object), ["Python objects"]),
    (numpy.asfortranarray(GOOD), ["Fortran order", "ascontiguousarray"]),
    (LINE, ["(4,)", "2 dimensions"]),
    (GOOD.reshape(3, 2, 2), ["(3, 2, 2)", "2 dimensions"]),
    (GOOD[:0], ["(0, 4)", "empty"]),
    (GOOD[:, :0], ["(3, 0)", "empty"]),
    (numpy.zeros(2, dtype=[("a", "<i4")]), ["[('a', '<i4')]"]),
])
def test_arrays_of_another_kind(tmp_path, array, words):
    matrix = saved_as(tmp_path / "matrix.npy", array)
    vector = saved_as(tmp_path / "vector.npy", LINE)
    refused(1, matrix, *words, matrix=matrix, vector=vector)


@pytest.mark.parametrize("array,words", [
    (LINE.astype("<i2"), ["int16", "int32"]),
    (numpy.arange(5, dtype="<i4"), ["5 elements", "4 columns"]),
    (GOOD, ["(3, 4)", "1 dimensions"]),
    (LINE.astype("c8"), ["<c8"]),
])
def test_vectors_of_another_kind(tmp_path, array, words):
    matrix = saved_as(tmp_path / "matrix.npy", GOOD)
    vector = saved_as(tmp_path / "vector.npy", array)
    refused(1, vector, *words, matrix=matrix, vector=vector)


def test_files_that_are_none(tmp_path):
    matrix = saved_as(tmp_path / "matrix.npy", GOOD)
    vector = saved_as(tmp_path / "vector.npy", LINE)
    good = matrix.read_bytes()
    for name, data, words in (
            ("empty", b"", ["numpy reads no .npy"]),
            ("text", b"1,2,3\n", ["magic"]),
            ("pickle", pickle.dumps(GOOD), ["magic"]),
            ("head", good[:40], ["numpy reads no .npy"]),
            ("short", good[:-1], ["47 bytes", "(3, 4) has 48"]),
            ("long", good + b"x", ["49 bytes", "(3, 4) has 48"]),
            ("version", good[:6] + b"\3" + good[7:], ["3.0"]),
            ("junk", good[:10] + b"{" * 118, ["numpy reads no .npy"]),
            ("huge", good.replace(b"(3, 4), ", b"(2**9,),"), ["npy"])):
        path = tmp_path / name
        path.write_bytes(data)
        refused(1, path, *words, matrix=path, vector=vector)
        refused(1, path, matrix=matrix, vector=path)
    refused(1, tmp_path / "none", "No such file", matrix=matrix,
            vector=tmp_path / "none")
    refused(1, tmp_path, "directory", matrix=matrix, vector=tmp_path)


def test_sums_of_64_bits_are_refused(tmp_path):
    """Exactly from 2^63 on; the row is told."""
    matrix = numpy.array([[1, 1], [-2 ** 31, -2 ** 31], [0, 0]], "<i4")
    path = saved_as(tmp_path / "matrix.npy", matrix)
    vector = saved_as(tmp_path / "vector.npy",
                      numpy.array([-2 ** 31, -2 ** 31], "<i4"))
    refused(1, path, "row 1", "2^63", matrix=path, vector=vector)
    fits = numpy.array([-2 ** 31, 2 ** 31 - 2], "<i4")
    numpy.save(vector, fits)
    mesh.run(path, "-o", tmp_path / "out.npy", kernel="matvec", on="native",
             arg=f"vector={vector}", size="1x1")
    assert numpy.load(tmp_path / "out.npy").tolist() == int32(
        matrix.tolist(), fits.tolist())


def test_too_many_columns(tmp_path):
    for kind, columns in (("<i4", 16384), ("<i2", 16384)):
        matrix = saved_as(tmp_path / "matrix.npy",
                          numpy.zeros((2, columns), kind))
        vector = saved_as(tmp_path / "vector.npy", numpy.zeros(columns, kind))
        refused(1, matrix, columns, "16383", matrix=matrix, vector=vector)


@pytest.mark.parametrize("arg", ["", "vector", "vector=", "v.npy",
                                 "matrix=v.npy"])
def test_bad_arguments(tmp_path, arg):
    matrix = saved_as(tmp_path / "matrix.npy", GOOD)
    refused(2, "--arg", "vector=FILE", matrix=matrix, arg=arg or " ")


def test_numpy_is_not_taken_from_here(tmp_path):
    """A file of that name in the working folder is not run."""
    (tmp_path / "numpy.py").write_text("raise SystemExit(99)\n")
    saved_as(tmp_path / "matrix.npy", GOOD)
    saved_as(tmp_path / "vector.npy", LINE)
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "matvec", "--on",
                        "native", "--arg", "vector=vector.npy", "-o",
                        "out.npy", "matrix.npy", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert numpy.load(tmp_path / "out.npy").tolist() == [14, 38, 62]

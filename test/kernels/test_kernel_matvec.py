# SPDX-License-Identifier: Apache-2.0
"""Matrix products: the kernel by hand against whole numbers; files against
NumPy where they hold whole numbers, else against fractions, within the bound
that is printed."""
import fractions
import io
import itertools
import json
import re
import struct
import subprocess

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
import mesh
from twins import matvec as twin

# kind: bytes of an element.
KINDS = {"<i4": 4, "<i2": 2}
WHOLE, INSIDE = 1, 2


def job_of(vectors, kind, flags=0):
    """Of an array of vectors, which are rows of it."""
    vectors = numpy.atleast_2d(vectors)
    head = struct.pack("<BBH", KINDS[kind], flags, len(vectors) - 1)
    return kernels.Job1("matvec", head + vectors.astype("<i4").tobytes(),
                        vectors.shape[1] * KINDS[kind])


def run(matrix, vector, kind):
    """A row of whole numbers."""
    row, vector = numpy.array([matrix], kind), numpy.array(vector, kind)
    output = job_of(vector, kind).run(row.tobytes(), 0, 1)[1]
    return int.from_bytes(output, "little", signed=True)


# ---- one node, and every way to cut a load ----

@st.composite
def products(draw):
    kind = draw(st.sampled_from(sorted(KINDS)))
    bits = 8 * KINDS[kind] - 1
    elements = st.one_of(
        st.integers(-2 ** bits, 2 ** bits - 1), st.integers(-3, 3),
        st.sampled_from([-2 ** bits, 2 ** bits - 1, 2 ** (bits - 1)]))
    columns, rows = draw(st.integers(1, 19)), draw(st.integers(1, 9))
    lines = st.lists(elements, min_size=columns, max_size=columns)
    matrix = draw(st.lists(lines, min_size=rows, max_size=rows))
    return kind, numpy.array(matrix, kind), numpy.array(draw(lines), kind)


@pytest.mark.parts(4)
@settings(max_examples=150, deadline=None)
@given(product=products(), data=st.data())
def test_any_product_cut_anywhere(product, data):
    kind, matrix, vector = product
    assert kernels.cut_anywhere(data, job_of(vector, kind), matrix.tobytes(),
                                len(matrix)) == (
        b"", twin(matrix, vector).tobytes())


@pytest.mark.parts(4)
@settings(max_examples=100, deadline=None)
@given(product=products(), count=st.integers(1, 5), inside=st.booleans(),
       data=st.data())
def test_any_vectors_cut_anywhere(product, count, inside, data):
    """Several vectors, in the argument or at the begin of each unit."""
    kind, matrix, vector = product
    vectors = numpy.stack([numpy.roll(vector, i) for i in range(count)])
    want = matrix.astype("<i8") @ vectors.T.astype("<i8")
    load = matrix.tobytes()
    if inside:  # units of two rows
        load = vectors.astype("<i4").tobytes() + load[:vector.nbytes] * 2
        job = kernels.Job1("matvec", struct.pack(
            "<BBHI", KINDS[kind], WHOLE | INSIDE, count - 1, len(vector)),
            len(load))
        load, want = load * 3, numpy.tile(want[0], 6)
        assert kernels.cut_anywhere(data, job, load, 3)[1] == want.tobytes()
    else:
        assert kernels.cut_anywhere(data, job_of(vectors, kind, WHOLE), load,
                                    len(matrix)) == (b"", want.tobytes())


def test_q15_rounds_and_saturates():
    half = 2 ** 14
    for a, b, want in ((1, half, 1), (1, half - 1, 0), (-1, half, 0),
                       (-1, half + 1, -1), (-2 ** 15, -2 ** 15, 2 ** 15 - 1),
                       (3, half, 2), (-3, half, -1)):
        assert run([a], [b], "<i2") == want
    # Only the end is limited, not what comes before.
    assert run([2 ** 15 - 1] * 4 + [-2 ** 15] * 4, [2 ** 15 - 1] * 8,
               "<i2") == -4


def test_the_longest_rows():
    columns = 16383
    for kind in KINDS:
        least = -2 ** (8 * KINDS[kind] - 1)
        for element in (least, -least - 1):
            total = columns * least * element
            want = (min(max((total + 2 ** 14) >> 15, least), -least - 1)
                    if kind == "<i2" else
                    struct.unpack("<q", struct.pack("<Q", total % 2 ** 64))[0])
            assert run([element] * columns, [least] * columns, kind) == want


# ---- files ----

def product(folder, matrix, right, more="", size="3x2", key="vector"):
    """The product of two arrays, or of a file and an array; and the bound of
    its error that is printed, None if there is none."""
    for name, array in (("m.npy", matrix), ("v.npy", right)):
        if isinstance(array, bytes):
            (folder / name).write_bytes(array)
        else:
            numpy.save(folder / name, array)
    report = mesh.run(folder / "m.npy", "-o", folder / "o.npy", size=size,
                      kernel="matvec", on="native",
                      arg=f"{key}={folder}/v.npy{more}")
    bound = re.search(r"max \|error\| <= (\S+) for", " ".join(report["remarks"]))
    return numpy.load(folder / "o.npy"), bound and fractions.Fraction(bound[1])


def exactly(array):
    """Its elements as fractions; a long double has 64 bits."""
    def fraction(x):
        if array.dtype.itemsize < 16:
            return fractions.Fraction(x.item())
        mantissa, exponent = numpy.frexp(x)
        parts = divmod(mantissa * 2 ** 32, 1)
        return ((int(parts[0]) + fractions.Fraction(int(parts[1] * 2 ** 32),
                                                    2 ** 32))
                * fractions.Fraction(2) ** (int(exponent) - 32))
    out = numpy.empty(array.shape, object)
    out.ravel()[:] = [fraction(x) for x in array.ravel()]
    return out


def check(folder, matrix, right, more="", key="vector", size="3x2"):
    """That the product is exact, or within its bound."""
    got, bound = product(folder, matrix, right, more, key=key, size=size)
    want = exactly(matrix) @ exactly(right)
    assert (got.dtype.kind == "f") == (bound is not None)
    assert got.shape == numpy.shape(want)
    error = max((abs(x - y) for x, y in zip(
        exactly(got).ravel(), numpy.ravel(want))), default=0)
    assert error <= (bound or 0), (matrix.dtype, right.dtype, error, bound)
    return got, bound


TYPES = "b1 i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 f16".split()


def drawn(chance, kind, shape):
    kind = kind.lstrip("<")
    if kind[0] == "f":
        return (chance.normal(size=shape) * 2.0 ** chance.integers(-9, 9)
                ).astype(kind)
    bits = min(8 * int(kind[1:]), 25)
    low = -2 ** (bits - 1) if kind[0] == "i" else 0
    return chance.integers(low, 2 if kind == "b1" else low + 2 ** bits, shape
                           ).astype(kind)


def test_pairs_of_types(tmp_path):
    """A seventh of them, in either order of bytes and of indices."""
    chance = numpy.random.default_rng(mesh.SEED)
    pairs = list(itertools.product(TYPES, repeat=2))[mesh.SEED % 7::7]
    for i, (one, other) in enumerate(pairs):
        matrix, vector = drawn(chance, one, (4, 9)), drawn(chance, other, 9)
        if i % 2 and one != "f16":
            matrix = matrix.astype(matrix.dtype.newbyteorder())
        if i % 3 == 0 and other != "f16":
            vector = vector.astype(vector.dtype.newbyteorder())
        if i % 5 < 2:
            matrix = numpy.asfortranarray(matrix)
        got = check(tmp_path, matrix, vector, ",int16=whole", size="1x1")[0]
        assert got.dtype == (
            "<f8" if "f" in one + other else
            "<u8" if "u8" in (one, other) and "i" not in one + other
            else "<i8")


@pytest.mark.parametrize("bits, most", [("", 2e-6), (",bits=15", .2),
                                        (",bits=53", 1e-12)])
def test_bits_of_floats(tmp_path, bits, most):
    """A bound is not much more than what is needed; there is no sign of it."""
    chance = numpy.random.default_rng(mesh.SEED)
    matrix, vector = chance.normal(size=(30, 800)), chance.normal(size=800)
    _, bound = check(tmp_path, matrix, vector, bits)
    assert 0 < bound < most


def test_floats_that_are_whole_numbers_have_no_error(tmp_path):
    chance = numpy.random.default_rng(mesh.SEED)
    matrix = chance.integers(-999, 999, (9, 40)).astype("f4") / 64
    for vector in (numpy.ones(40), numpy.zeros(40), numpy.arange(40) * 2. ** 99,
                   numpy.arange(40) * 5e-324):
        assert check(tmp_path, matrix, vector)[1] in (
            0, fractions.Fraction("2.48e-324"))
    # Large and small ones in a file: beyond the bits that are kept.
    assert check(tmp_path, matrix, numpy.array([1e30, 1e-30] * 20))[1] > 0
    assert check(tmp_path, numpy.full((2, 2), 2 ** -1074),
                 numpy.array([.3, .7]))[1] > 0
    # Long doubles reach further than float64.
    wide = numpy.array([[1, 2]], "f16") * numpy.longdouble(2) ** -9000
    assert check(tmp_path, wide, wide[0] / 3)[1] > 0
    assert product(tmp_path, numpy.full((1, 2), 1e300), numpy.full(2, 1e300)
                   )[0].tolist() == [numpy.inf]


def test_whole_numbers_to_the_last_bit(tmp_path):
    """Of 64 bits; beyond them the product is float64, off by half a bit of 53
    and not more than is said."""
    most, least = 2 ** 63 - 1, -2 ** 63
    for matrix, vector, kind in (
            (numpy.array([[most], [least + 1]]), numpy.array([1]), "<i8"),
            (numpy.array([[most, 1]]), numpy.array([1, 1], "u1"), "<f8"),
            (numpy.array([[2 ** 64 - 1]], "u8"), numpy.array([True]), "<u8"),
            (numpy.array([[2 ** 32 - 1]], "u4"),
             numpy.array([2 ** 32 - 1], "u4"), "<u8"),
            (numpy.array([[2 ** 31 - 1] * 2], "i4"),
             numpy.array([-2 ** 31] * 2, "i4"), "<i8"),
            (numpy.array([[-2 ** 31] * 2], "i4"),
             numpy.array([-2 ** 31] * 2, "i4"), "<f8"),
            (numpy.array([[most, least]] * 3), numpy.array([least, least]),
             "<f8"), (numpy.array([[2 ** 64 - 1] * 9], "u8"),
                      numpy.array([2 ** 64 - 1] * 9, "u8"), "<f8")):
        assert check(tmp_path, matrix, vector)[0].dtype == kind


def test_shapes_are_those_of_numpy(tmp_path):
    for left, right, key, want in (
            ((3, 4), (4,), "vector", (3,)), ((3, 4), (4, 1), "vector", (3,)),
            ((3, 4), (1, 4), "vector", (3,)), ((1, 4), (4,), "matrix", (1,)),
            ((3, 4), (4, 1), "matrix", (3, 1)), ((4,), (4,), "vector", ()),
            ((3, 4), (4, 2), "vector", (3, 2)), ((4,), (4, 2), "matrix", (2,)),
            ((3, 1), (1, 5), "matrix", (3, 5)), ((3, 1), (1, 1), "vector",
                                                 (3,)),
            ((2, 3, 4), (4, 2), "matrix", (2, 3, 2)),
            ((4, 0), (0,), "vector", (4,)), ((4, 0), (0, 2), "matrix",
                                             (4, 2)),
            ((0, 4), (4,), "vector", (0,)), ((3, 4), (4, 0), "matrix", (3, 0)),
            ((0, 0), (0, 0), "matrix", (0, 0)), ((0, 2, 3), (3, 2), "vector",
                                                 (0, 2, 2))):
        matrix = numpy.arange(numpy.prod(left, dtype=int), dtype="i4")
        other = numpy.arange(numpy.prod(right, dtype=int), dtype="i4") - 3
        matrix, other = matrix.reshape(left), other.reshape(right)
        flat = other if key == "matrix" or right[-1] == 2 else other.ravel()
        for form in (matrix, numpy.asfortranarray(matrix)):
            got, _ = product(tmp_path, form, other, key=key, size="2x1")
            assert got.shape == want
            assert numpy.array_equal(got, matrix @ flat)


@pytest.mark.parametrize("left, right", [
    ("<i4", "<i4"), ("<f8", "<f4"), ("<i2", "<i2"), ("<i8", "<i8")])
def test_right_operands_beyond_an_argument(tmp_path, left, right):
    """Units are blocks then, whose sums are added up: of large matrices, of
    long rows, and where a row makes many elements. Q15 is rounded once."""
    chance = numpy.random.default_rng(mesh.SEED)
    for rows, length, columns in ((37, 200, 90), (3, 17_000, 1), (5, 1, 9000)):
        matrix = drawn(chance, left, (rows, length))
        other = drawn(chance, right, (length, columns))
        got, bound = product(tmp_path, matrix, other)
        want = matrix.astype(float) @ other.astype(float)
        if left == "<i2":
            want = numpy.clip((matrix.astype("i8") @ other.astype("i8")
                               + 2 ** 14) >> 15, -2 ** 15, 2 ** 15 - 1)
        assert got.dtype.kind == ("f" if "f" in left else "i")
        assert numpy.abs(got.reshape(want.shape) - want).max() <= (
            float(bound or 0) + numpy.abs(want).max() * 1e-13 * ("2" not in
                                                                 left))


def test_the_longest_vector_goes_out(tmp_path):
    chance = numpy.random.default_rng(mesh.SEED)
    for kind in KINDS:
        low = -2 ** (8 * KINDS[kind] - 1)
        matrix = chance.integers(low, -low, (30, 16383)).astype(kind)
        vector = chance.integers(low // 4096, -low // 4096, 16383).astype(kind)
        numpy.save(tmp_path / "matrix.npy", matrix)
        numpy.save(tmp_path / "a,vector.npy", vector)
        mesh.run(tmp_path / "matrix.npy", "-o", tmp_path / "out.npy",
                 kernel="matvec", arg=f"vector={tmp_path}/a,vector.npy",
                 size="5x5", on="native")
        got, want = numpy.load(tmp_path / "out.npy"), twin(matrix, vector)
        assert got.dtype == want.dtype and numpy.array_equal(got, want)


def test_boards_multiply_as_native_nodes(tmp_path):
    chance = numpy.random.default_rng(mesh.SEED)
    for matrix, other in ((chance.normal(size=(40, 33)),
                           chance.normal(size=(33, 3))),
                          (drawn(chance, "u1", (20, 1000)),
                           drawn(chance, "i8", (1000, 20)))):
        files = []
        for on in ("qemu", "native"):
            numpy.save(tmp_path / "m.npy", matrix)
            numpy.save(tmp_path / "v.npy", other)
            mesh.run(tmp_path / "m.npy", "-o", tmp_path / "o.npy", size="2x2",
                     kernel="matvec", on=on, arg=f"matrix={tmp_path}/v.npy")
            files.append((tmp_path / "o.npy").read_bytes())
        assert files[0] == files[1]
        assert numpy.allclose(numpy.load(tmp_path / "o.npy"), matrix @ other)


def test_long_doubles_of_other_processors_are_refused(tmp_path):
    """Of 128 bits: 1, as AArch64 has it."""
    numpy.save(tmp_path / "v.npy", numpy.zeros(1, "f16"))
    data = (tmp_path / "v.npy").read_bytes()[:-2] + b"\xff\x3f"
    (tmp_path / "v.npy").write_bytes(data)
    done = mesh.command(
        "run", "--mesh=1x1", "--on=native", "--kernel=matvec",
        f"--arg=vector={tmp_path}/v.npy", tmp_path / "v.npy")
    assert done.returncode == 1 and "must be finite" in done.stderr


def test_outputs_are_written_as_numpy_writes_them(tmp_path):
    for shape in ((), (7,), (2, 3, 4), (1,) * 20):
        matrix = numpy.ones(shape + (2,), "i4")
        got = product(tmp_path, matrix, numpy.ones(2, "i4"), size="1x1")[0]
        out = io.BytesIO()
        numpy.save(out, got)
        assert (tmp_path / "o.npy").read_bytes() == out.getvalue()


def test_no_interpreter_is_needed(tmp_path):
    """With nothing on the PATH, and files of NumPy's name at hand."""
    (tmp_path / "numpy.py").write_text("raise SystemExit(99)\n")
    numpy.save(tmp_path / "matrix.npy", numpy.arange(12, dtype="<i4").reshape(
        3, 4))
    numpy.save(tmp_path / "vector.npy", numpy.arange(4, dtype="<i4"))
    done = subprocess.run(
        [mesh.QUINCUNX, "run", "--mesh", "1x1", "--kernel", "matvec", "--on",
         "native", "--arg", "vector=vector.npy", "-o", "out.npy", "--json",
         "matrix.npy"], cwd=tmp_path, env={"PATH": "/nowhere"},
        capture_output=True, text=True, check=True, timeout=mesh.GUARD_S)
    assert done.stderr == "" and json.loads(done.stdout)
    assert numpy.load(tmp_path / "out.npy").tolist() == [14, 38, 62]

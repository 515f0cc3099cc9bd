# SPDX-License-Identifier: Apache-2.0
"""A matrix times a vector: against whole numbers."""
import struct

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
import mesh
from twins import matvec as twin

# kind: bytes of an element.
KINDS = {"<i4": 4, "<i2": 2}


def job_of(vector, kind):
    head = bytes([KINDS[kind], 0, 0, 0])
    return kernels.Job1("matvec", head + vector.astype("<i4").tobytes(),
                        vector.nbytes)


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
    columns, rows = draw(st.integers(1, 11)), draw(st.integers(1, 9))
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

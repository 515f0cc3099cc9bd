# SPDX-License-Identifier: Apache-2.0
"""Matrices as people have them: what NumPy reads is multiplied, and the rest
is refused without an output."""
import hashlib
import io
import pathlib

import numpy
import pytest

import mesh

FIELD = pathlib.Path(__file__).parent / "field"
V, V2 = "npy_v_i4.npy", "npy_vec_i2.npy"

# INPUT, vector: the product's type, and the begin of its SHA-256 if another
# program computed that; else NumPy does.
PRODUCTS = {
    (f"npy_{name}.npy", V): ("<i8", "c847d7c90b0586d9") for name in (
        "v1", "v2", "v3", "fortran", "big_endian", "i8", "i2", "align16",
        "bare_i4", "big_header", "equals_i4", "header_order", "int32_name",
        "py2_long", "shape_trailing_comma", "trailing_bytes", "unaligned")
} | {
    ("npy_v1.npy", f"npy_{name}.npy"): ("<i8", "c847d7c90b0586d9")
    for name in ("vec_col", "vec_be", "vec_fortran_true_1d", "vec_i2",
                 "vec_i8", "vec_q15")
} | {
    ("npy_f8.npy", V): ("<f8", None), ("npy_u1.npy", V): ("<i8", None),
    ("npy_bool.npy", V): ("<i8", None), ("npy_1d.npy", "npy_1d.npy"): (
        "<i8", None), ("npy_i8.npy", V2): ("<i8", None),
    ("npy_f8.npy", "npy_vec_i8.npy"): ("<f8", None)}

REFUSED = {
    "0d": "has shape ()", "double_quotes": "has the shape '[10, 4]'",
    "npz_renamed": "is an archive", "structured": "records",
    "truncated": "has 159 bytes of data from byte 128 on; shape (10, 4) has "
                 "160", "3d": "has shape (4,), so 4 elements for each row"}


def run(folder, name, vector, *words):
    """Status, messages and the output's path."""
    out = folder / "out.npy"
    out.unlink(missing_ok=True)
    return mesh.command(
        "run", "--mesh", "2x1", "--on", "native", "--kernel", "matvec",
        "--arg", f"vector={vector}", "-o", out, *words, name, cwd=FIELD), out


def test_every_file_has_a_row():
    named = {name for pair in PRODUCTS for name in pair} | {
        f"npy_{name}.npy" for name in REFUSED} | {
        "npy_empty_0x4.npy", "npy_empty_4x0.npy", "npy_fortran_1col.npy"}
    assert {path.name for path in FIELD.glob("npy_*")} == named


@pytest.mark.parametrize("name, vector", PRODUCTS)
def test_what_numpy_reads_is_multiplied(tmp_path, name, vector):
    kind, digest = PRODUCTS[name, vector]
    done, path = run(tmp_path, name, vector)
    assert (done.returncode, done.stderr) == (0, "")
    got = numpy.load(path)
    right = numpy.load(FIELD / vector).ravel()
    assert got.dtype == kind and numpy.array_equal(
        got, numpy.load(FIELD / name).astype(kind) @ right.astype(kind))
    if digest is not None:
        assert hashlib.sha256(got.tobytes()).hexdigest()[:16] == digest
    if "trailing" in name and "comma" not in name:
        assert f"{name}: " in done.stdout and "left out" in done.stdout


def test_one_column_and_q15(tmp_path):
    numpy.save(tmp_path / "seven.npy", numpy.array([7], "<i4"))
    done, path = run(tmp_path, "npy_fortran_1col.npy", tmp_path / "seven.npy")
    assert done.returncode == 0
    assert numpy.array_equal(numpy.load(path), 7 * numpy.load(
        FIELD / "npy_fortran_1col.npy")[:, 0])
    done, path = run(tmp_path, "npy_i2.npy", V2)
    assert done.returncode == 0 and "is Q15" in done.stdout
    total = numpy.load(FIELD / "npy_i2.npy").astype(int) @ numpy.load(
        FIELD / V2)
    assert numpy.array_equal(numpy.load(path), total + 2 ** 14 >> 15)


@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_does_not_multiply_is_refused(tmp_path, name):
    done, path = run(tmp_path, f"npy_{name}.npy", V)
    assert done.returncode == 1 and not path.exists()
    assert f"npy_{name}.npy: {REFUSED[name]}" in done.stderr.replace(
        f"{V}: ", f"npy_{name}.npy: ") if name == "3d" else (
        REFUSED[name] in done.stderr)


def test_files_cut_anywhere_are_refused(tmp_path):
    """After every 97th byte, and in the header after every 5th."""
    whole = (FIELD / "npy_f8.npy").read_bytes()
    for at in [*range(1, 128, 5), *range(97, len(whole), 97), len(whole) - 1]:
        (tmp_path / "cut.npy").write_bytes(whole[:at])
        done, path = run(tmp_path, tmp_path / "cut.npy", V)
        assert done.returncode == 1 and not path.exists()
        assert f"{tmp_path}/cut.npy: " in done.stderr


def test_headers_of_other_writers(tmp_path):
    """Such as those of C++, Java and JavaScript, which are shorter, or written
    otherwise; NumPy reads all of them."""
    data = numpy.arange(6, dtype="<f4").reshape(2, 3)
    numpy.save(tmp_path / "v.npy", numpy.array([1, 2, 3]))
    for text in ("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                 "{'descr':'<f4','fortran_order':False,'shape':(2,3)}",
                 "{'descr': u'<f4', 'fortran_order': False, 'shape': (2L, 3L)}",
                 "{\"descr\": \"<f4\", \"fortran_order\": False, "
                 "\"shape\": (2, 3)}",
                 "{'shape': (2, 3), 'fortran_order': False, 'descr': 'f4'}",
                 "{'descr': '=f4', 'fortran_order': False, 'shape': (2,3,), }",
                 "{'descr': 'float32', 'fortran_order': False, "
                 "'shape': (2, 3), }", "{ 'descr' : '<f4' , 'fortran_order' : "
                 "False , 'shape' : (2, 3) , }"):
        for end in ("", "\n", " " * 300 + "\n"):
            head = (text + end).encode()
            file = (b"\x93NUMPY\1\0" + len(head).to_bytes(2, "little") + head
                    + data.tobytes())
            assert numpy.array_equal(numpy.load(io.BytesIO(file)), data)
            (tmp_path / "m.npy").write_bytes(file)
            done, path = run(tmp_path, tmp_path / "m.npy", tmp_path / "v.npy")
            assert (done.returncode, done.stderr) == (0, ""), text
            assert numpy.load(path).tolist() == [8, 26]

# SPDX-License-Identifier: Apache-2.0
"""Reads and writes .npy files for qemu/format/npy.c, from stdin to stdout.

    product BYTES   stdin: the matrix's file, BYTES long, then the vector's;
                    stdout: element bytes, rows, columns (u32), both arrays
    vector BYTES    stdin: integers of BYTES bytes; stdout: a file

Exit status 0; or 10 and 11 for what is wrong with the first and the second
file, 12 if there is no numpy, with the reason on stdout.
"""
import io
import struct
import sys

FIRST, SECOND, NO_NUMPY = 10, 11, 12

try:
    import numpy
except ImportError as error:
    sys.stdout.write(str(error))
    sys.exit(NO_NUMPY)


class Refused(Exception):
    """Why a file is not used."""


def header(file):
    """(shape, in Fortran order, dtype), whatever they are."""
    try:
        version = numpy.lib.format.read_magic(file)
        read = {(1, 0): numpy.lib.format.read_array_header_1_0,
                (2, 0): numpy.lib.format.read_array_header_2_0}
        if version not in read:
            raise Refused("is .npy of version {}.{}; must be 1.0 or 2.0"
                          .format(*version))
        return read[version](file)
    except Refused:
        raise
    except Exception as error:  # numpy promises no kind
        lines = str(error).splitlines() or [type(error).__name__]
        raise Refused("numpy reads no .npy file here: " + lines[0])


def load(data, dimensions):
    """The array of a file's bytes."""
    file = io.BytesIO(data)
    shape, fortran, dtype = header(file)
    if dtype.hasobject:
        raise Refused("holds Python objects, which are not loaded; must be "
                      "int32 or int16")
    if dtype.str not in ("<i4", "<i2"):
        raise Refused(f"is of type {dtype.str} ({dtype}); must be <i4 (int32)"
                      " or <i2 (int16, for Q15)")
    if len(shape) != dimensions:
        raise Refused(f"has shape {shape}; must have {dimensions} dimensions")
    if 0 in shape:
        raise Refused(f"has shape {shape}: it is empty")
    if fortran and dimensions > 1:
        raise Refused("is in Fortran order; must be in C order, as "
                      "numpy.ascontiguousarray() makes it")
    want = dtype.itemsize
    for size in shape:
        want *= size
    start = file.tell()
    if len(data) - start != want:
        raise Refused(f"has {len(data) - start} bytes of data from byte "
                      f"{start} on; shape {shape} has {want}")
    return numpy.frombuffer(data, dtype, offset=start).reshape(shape)


def check_sums(matrix, vector):
    """That no sum of products, in any order, goes beyond 63 bits."""
    most = max(abs(int(matrix.min())), abs(int(matrix.max())))
    if most * sum(abs(n) for n in vector.tolist()) < 2 ** 63:
        return
    sums = numpy.abs(matrix.astype(float)) @ numpy.abs(vector.astype(float))
    row = int(sums.argmax())
    # The sum of at most 2^14 products is off by far less than this.
    if sums[row] >= 2.0 ** 63 * (1 - 2.0 ** -30):
        raise Refused(f"row {row}: the absolute values of its products with "
                      "the vector add up to 2^63 or more")


def product(data, size):
    """What is read, for C."""
    status = FIRST
    try:
        matrix = load(data[:size], 2)
        status = SECOND
        vector = load(data[size:], 1)
        if vector.dtype != matrix.dtype:
            raise Refused(f"is of type {vector.dtype}; the matrix is of "
                          f"type {matrix.dtype}")
        if len(vector) != matrix.shape[1]:
            raise Refused(f"has {len(vector)} elements; the matrix has "
                          f"{matrix.shape[1]} columns")
        status = FIRST
        if matrix.dtype.itemsize == 4:
            check_sums(matrix, vector)
        head = struct.pack("<III", matrix.dtype.itemsize, *matrix.shape)
        return 0, [head, matrix.tobytes(), vector.tobytes()]
    except Refused as error:
        return status, [str(error).encode()]


def main(mode, number):
    data = sys.stdin.buffer.read()
    status, parts = 0, []
    if mode == "product":
        status, parts = product(data, int(number))
    else:
        file = io.BytesIO()
        numpy.lib.format.write_array(
            file, numpy.frombuffer(data, "<i" + number), version=(1, 0))
        parts = [file.getvalue()]
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.flush()
    return status


sys.exit(main(*sys.argv[1:]))

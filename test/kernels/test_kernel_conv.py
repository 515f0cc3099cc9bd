# SPDX-License-Identifier: Apache-2.0
"""Convolution: against its definition in exact integers; files of pictures.
"""
import itertools
import struct
import subprocess
import zlib

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernels
import mesh
from twins import (BORDERS, FILTERS, GAUSS, GAUSS5, filtered, linear, median,
                   sobel)


def argument(width, height, square=None, divisor=1, offset=0,
             border="replicate"):
    """As at the top of kernels/conv.c: Sobel without a square; a side stands
    for the median."""
    side = (square if isinstance(square, int)
            else 3 if square is None else int(len(square) ** 0.5))
    head = struct.pack(
        "<BBBBII", side,
        1 if square is None else 2 if isinstance(square, int) else 0,
        list(BORDERS).index(border), 0, width, height)
    if square is None or isinstance(square, int):
        return head
    return head + struct.pack("<iI", offset, divisor) + struct.pack(
        f"<{side * side}h", *square)


def wanted(plane, square, divisor, offset, border="replicate"):
    return (sobel(plane, border) if square is None
            else median(plane, square, border) if isinstance(square, int)
            else linear(plane, square, divisor, offset, border))


# ---- one node, and every way to cut a load ----

SMALL = st.integers(-60, 60)
ANY = st.integers(-32768, 32767)
SQUARES = st.one_of(
    st.none(), st.sampled_from([3, 5, 7]),
    *(st.lists(numbers, min_size=n, max_size=n)
      for numbers in (st.integers(-9, 19), SMALL, ANY) for n in (9, 25, 49)),
    st.sampled_from([square for square, _, _ in FILTERS.values()]))


@st.composite
def images(draw):
    """Planes of one size, of 8 or 16 bits."""
    width, height = draw(st.integers(1, 16)), draw(st.integers(1, 9))
    planes = draw(st.sampled_from([1, 3]))
    kind = draw(st.sampled_from(["u1", "<u2"]))
    most = numpy.iinfo(kind).max
    samples = draw(st.sampled_from([0, 1, 127, 128, most - 1, most])
                   | st.integers(0, most))
    few = draw(st.integers(0, 2 ** 32))
    plane = numpy.random.default_rng(few).integers(
        0, most + 1, (planes, height, width), kind)
    plane[plane % 5 == few % 5] = samples
    return plane


@pytest.mark.parts(4)
@settings(max_examples=150, deadline=None)
@given(image=images(), square=SQUARES, divisor=st.integers(1, 300),
       offset=st.integers(-255, 255), border=st.sampled_from(sorted(BORDERS)),
       data=st.data())
def test_any_image_cut_anywhere(image, square, divisor, offset, border, data):
    _, height, width = image.shape
    job = kernels.Job1("conv", argument(width, height, square, divisor,
                                        offset, border), image.itemsize)
    assert kernels.cut_anywhere(data, job, image.tobytes(), image.size) == (
        b"", b"".join(wanted(p, square, divisor, offset, border).tobytes()
                      for p in image))


@pytest.mark.parametrize("kind", ["u1", "<u2"])
@pytest.mark.parametrize("border", sorted(BORDERS))
def test_every_range(kind, border):
    """All beginnings and ends, so that rows' tails are of every length."""
    for square, (width, height, planes) in itertools.product(
            [None, GAUSS, GAUSS5, [300] * 9, [1] * 49, 3],
            [(1, 5, 1), (2, 3, 3), (5, 1, 1), (9, 3, 1)]):
        count = width * height * planes
        load = mesh.seeded("ranges").randbytes(
            count * numpy.dtype(kind).itemsize)
        image = numpy.frombuffer(load, kind).reshape(planes, height, width)
        want = b"".join(wanted(p, square, 16, 0, border).tobytes()
                        for p in image)
        job = kernels.Job1("conv", argument(width, height, square, 16,
                                            border=border), image.itemsize)
        for first in range(count + 1):
            for end in range(first, count + 1, 1 if kind == "u1" else 3):
                assert job.run(load, first, end - first)[1] == want[
                    first * image.itemsize:end * image.itemsize]


@pytest.mark.parametrize("kind", ["u1", "<u2"])
def test_the_sums_reach_their_bounds(kind):
    """257 times 255 is what 16 bits hold; one more takes the other way. Sums
    of 16-bit samples need more than 32 bits."""
    most = numpy.iinfo(kind).max
    flat = numpy.full((4, 9), most, kind)
    step = numpy.where(numpy.arange(36).reshape(4, 9) % 2, most, 0).astype(
        kind)
    for square in ([257] + [0] * 8, [0] * 4 + [-257] + [0] * 4,
                   [29] * 8 + [25], [-129, 128] + [0] * 7, [258] + [0] * 8,
                   [-32768] * 9, [32767] * 25, [-32768, 32767] * 4 + [1],
                   [32767] * 49, [-32768] * 49):
        for plane in (flat, step):
            for divisor, offset in ((1, 0), (1 << 20, most), (255, -most)):
                job = kernels.Job1("conv", argument(9, 4, square, divisor,
                                                    offset), plane.itemsize)
                assert job.run(plane.tobytes(), 0, 36)[1] == linear(
                    plane, square, divisor, offset).tobytes()


# ---- files ----

def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


def png(width, height, depth, colour, rows, *chunks):
    """A PNG by hand; rows are bytes without their filter."""
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunks)
            + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def png_of(image):
    return png(image.shape[1], image.shape[0], 8, 2 * (image.ndim == 3),
               [row.tobytes() for row in image])


def pnm_of(image):
    return (f"P{5 if image.ndim == 2 else 6}\n{image.shape[1]} "
            f"{image.shape[0]}\n255\n".encode() + image.tobytes())


GREY, RGB = (numpy.random.default_rng(mesh.SEED).integers(
    0, 256, shape, "u1") for shape in ((51, 103), (37, 40, 3)))
IDENTITY = "coefficients=0:0:0:0:1:0:0:0:0"


def ran(folder, data, *args, out="out.pnm", **options):
    """The file of the output of a run on this file of bytes."""
    (folder / "load").write_bytes(data)
    mesh.run(folder / "load", "-o", folder / out, *args, kernel="conv",
             on="native", **options)
    return (folder / out).read_bytes()


def test_given_coefficients(tmp_path):
    square = [-2, -1, 0, -1, 1, 1, 0, 1, 2]
    text = "coefficients=" + ":".join(map(str, square))
    for more, divisor, offset in ((",shift=3", 8, 0),
                                  (",divisor=7,offset=-20", 7, -20)):
        assert ran(tmp_path, png_of(GREY), arg=text + more) == pnm_of(
            linear(GREY, square, divisor, offset))


@pytest.mark.parametrize("data, want", [
    (png(4, 2, 2, 0, [b"\x1b", b"\xe4"]), [[0, 85, 170, 255],
                                           [255, 170, 85, 0]]),
    (png(3, 1, 8, 3, [b"\0\2\1"],
         chunk(b"PLTE", bytes([1, 2, 3, 9, 8, 7, 250, 0, 5]))),
     [[[1, 2, 3], [250, 0, 5], [9, 8, 7]]]),
    (png(3, 1, 8, 3, [b"\0\2\1"],
         chunk(b"PLTE", bytes([1, 2, 3, 9, 8, 7, 250, 0, 5])),
         chunk(b"tRNS", b"\xff\xff")),
     [[[1, 2, 3], [250, 0, 5], [9, 8, 7]]]),
    (png(3, 1, 8, 0, [b"\x10\x80\xf0"],
         chunk(b"gAMA", struct.pack(">I", 100000))), [[0x10, 0x80, 0xf0]]),
    (b"P2 # grey\n3 1\n255\n1 22 # row\n255 # row\n#\n", [[1, 22, 255]]),
    (b"P3\n1\n1 255\n1 2 3\n", [[[1, 2, 3]]]),
    (b"P5\n# a\n3 1 255\nabc", [[97, 98, 99]])],
    ids=["few bits are spread", "palettes become RGB",
         "opaque palettes", "gamma changes nothing",
         "plain grey", "plain RGB", "comments"])
def test_kinds_of_files(tmp_path, data, want):
    assert ran(tmp_path, data, arg=IDENTITY, size="1x1") == pnm_of(
        numpy.array(want, "u1"))


def test_interlaced_is_read(tmp_path):
    laced = subprocess.run(
        ["convert", "png:-", "-interlace", "PNG", "png:-"], input=png_of(GREY),
        capture_output=True, check=True).stdout
    assert laced[28] == 1
    assert ran(tmp_path, laced, arg=IDENTITY) == pnm_of(GREY)


def test_png_and_pnm_in_and_out(tmp_path):
    for image, kind, name in ((GREY, "pgm", "gauss5"), (RGB, "ppm", "sobel"),
                              (GREY, "pgm", "gauss"), (RGB, "ppm", "sharpen")):
        want = filtered(image, name)
        for data, out in ((png_of(image), "out.pnm"),
                          (pnm_of(image), f"out.{kind}")):
            assert ran(tmp_path, data, arg=f"filter={name}",
                       out=out) == pnm_of(want)
        made = ran(tmp_path, pnm_of(image), arg=f"filter={name}",
                   out="out.PNG")
        assert made.startswith(b"\x89PNG")
        assert ran(tmp_path, made, arg=IDENTITY) == pnm_of(want)

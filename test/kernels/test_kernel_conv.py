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
from twins import FILTERS, GAUSS, GAUSS5, filtered, linear, sobel


def argument(width, height, square=None, divisor=1, offset=0):
    """As at the top of kernels/conv.c; Sobel without a square."""
    side = 3 if square is None else int(len(square) ** 0.5)
    head = struct.pack("<BBHII", side, square is None, 0, width, height)
    if square is None:
        return head
    return head + struct.pack("<iI", divisor // 2 + offset * divisor,
                              divisor) + struct.pack(f"<{side * side}h",
                                                     *square)


# ---- one node, and every way to cut a load ----

SMALL = st.integers(-60, 60)
ANY = st.integers(-32768, 32767)
SQUARES = st.one_of(
    st.none(),
    *(st.lists(numbers, min_size=n, max_size=n)
      for numbers in (st.integers(-9, 19), SMALL, ANY) for n in (9, 25)),
    st.sampled_from([square for square, _, _ in FILTERS.values()]))
SAMPLES = st.sampled_from([0, 1, 127, 128, 254, 255]) | st.integers(0, 255)


@st.composite
def images(draw):
    """Planes of one size."""
    width, height = draw(st.integers(1, 14)), draw(st.integers(1, 7))
    planes = draw(st.sampled_from([1, 3]))
    count = width * height * planes
    samples = draw(st.lists(SAMPLES, min_size=count, max_size=count))
    return numpy.array(samples, "u1").reshape(planes, height, width)


@pytest.mark.parts(4)
@settings(max_examples=100, deadline=None)
@given(image=images(), square=SQUARES, divisor=st.integers(1, 300),
       offset=st.integers(-255, 255), data=st.data())
def test_any_image_cut_anywhere(image, square, divisor, offset, data):
    _, height, width = image.shape
    job = kernels.Job1("conv", argument(width, height, square, divisor,
                                        offset))
    want = [sobel(p) if square is None else linear(p, square, divisor, offset)
            for p in image]
    assert kernels.cut_anywhere(data, job, image.tobytes(), image.size) == (
        b"", b"".join(p.tobytes() for p in want))


def test_every_range():
    """All beginnings and ends, so that rows' tails are of every length."""
    for square, (width, height, planes) in itertools.product(
            [None, GAUSS, GAUSS5, [300] * 9],
            [(1, 5, 1), (2, 3, 3), (5, 1, 1), (9, 3, 1)]):
        count = width * height * planes
        load = mesh.seeded("ranges").randbytes(count)
        image = numpy.frombuffer(load, "u1").reshape(planes, height, width)
        want = b"".join(
            (sobel(p) if square is None else linear(p, square, 16)).tobytes()
            for p in image)
        job = kernels.Job1("conv", argument(width, height, square, 16))
        for first in range(count + 1):
            for end in range(first, count + 1):
                assert job.run(load, first, end - first)[1] == want[first:end]


def test_the_sums_reach_their_bounds():
    """257 times 255 is what 16 bits hold; one more takes the other way."""
    flat = numpy.full((4, 9), 255, "u1")
    step = numpy.where(numpy.arange(36).reshape(4, 9) % 2, 255, 0).astype("u1")
    for square in ([257] + [0] * 8, [0] * 4 + [-257] + [0] * 4,
                   [29] * 8 + [25], [-129, 128] + [0] * 7, [258] + [0] * 8,
                   [-32768] * 9, [32767] * 25, [-32768, 32767] * 4 + [1]):
        for plane in (flat, step):
            for divisor, offset in ((1, 0), (1 << 20, 255), (255, -255)):
                job = kernels.Job1("conv", argument(9, 4, square, divisor,
                                                    offset))
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

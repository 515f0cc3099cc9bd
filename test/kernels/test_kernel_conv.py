# SPDX-License-Identifier: Apache-2.0
"""Convolution: against its definition in exact integers, against ImageMagick,
on meshes, and with files that are none."""
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
import parts

GAUSS = [1, 2, 1, 2, 4, 2, 1, 2, 1]
GAUSS5 = [a * b for a in (1, 4, 6, 4, 1) for b in (1, 4, 6, 4, 1)]
FILTERS = {"gauss": (GAUSS, 16, 0), "gauss5": (GAUSS5, 256, 0),
           "sharpen": ([0, -1, 0, -1, 5, -1, 0, -1, 0], 1, 0)}


# ---- the definition ----

def sums(plane, square):
    """Of products with an odd square that is not mirrored, in whole numbers;
    beyond the border is the nearest sample."""
    side = int(len(square) ** 0.5)
    reach = side // 2
    height, width = plane.shape
    total = numpy.zeros((height, width), dtype=object)
    for dy, dx in itertools.product(range(side), repeat=2):
        rows = numpy.clip(numpy.arange(height) + dy - reach, 0, height - 1)
        columns = numpy.clip(numpy.arange(width) + dx - reach, 0, width - 1)
        total += plane[rows][:, columns].astype(object) * square[
            dy * side + dx]
    return total


def linear(plane, square, divisor=1, offset=0):
    value = (sums(plane, square) + divisor // 2) // divisor + offset
    return numpy.clip(value, 0, 255).astype("u1")


def sobel(plane):
    gx = sums(plane, [-1, 0, 1, -2, 0, 2, -1, 0, 1])
    gy = sums(plane, [-1, -2, -1, 0, 0, 0, 1, 2, 1])
    return numpy.minimum(abs(gx) + abs(gy), 255).astype("u1")


def filtered(image, name):
    """Of an array (height, width) or (height, width, 3)."""
    if image.ndim == 3:
        return numpy.stack([filtered(image[:, :, i], name)
                            for i in range(3)], axis=2)
    return sobel(image) if name == "sobel" else linear(image, *FILTERS[name])


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
    planes, height, width = image.shape
    count = image.size
    job = kernels.Job1("conv", argument(width, height, square, divisor,
                                        offset))
    cuts = data.draw(st.lists(st.integers(0, count), max_size=5))
    want = [sobel(p) if square is None else linear(p, square, divisor, offset)
            for p in image]
    result, output = job.scattered(image.tobytes(), count, cuts)
    assert result == b""
    assert output == b"".join(p.tobytes() for p in want)


@pytest.mark.parametrize("square", [None, GAUSS, GAUSS5, [300] * 9],
                         ids=["sobel", "gauss", "gauss5", "wide"])
@pytest.mark.parametrize("width,height,planes", [
    (1, 5, 1), (2, 3, 3), (5, 1, 1), (6, 4, 1), (9, 3, 1), (13, 2, 3)])
def test_every_range(square, width, height, planes):
    """All beginnings and ends, so that rows' tails are of every length."""
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


def test_arguments_that_are_refused():
    good = argument(3, 4, GAUSS, 16)
    kernels.Job1("conv", good)
    kernels.Job1("conv", argument(3, 4))
    for at, value in ((0, 4), (0, 0), (0, 5), (1, 2), (1, 1), (2, 1), (3, 1),
                      (7, 0x40), (15, 0x7f), (16, 0), (18, 0x11), (4, 0)):
        bad = bytearray(good)
        bad[at] = value
        if (at, value) == (16, 0):
            bad[16:20] = bytes(4)
        with pytest.raises(kernels.Refused):
            kernels.Job1("conv", bad)
    for bad in (good[:-1], good + b"\0", good[:12], b"", argument(3, 4) +
                b"\0", argument(0, 4), argument(3, 0),
                argument(1 << 15, 1 << 15)):
        with pytest.raises(kernels.Refused):
            kernels.Job1("conv", bad)
    with pytest.raises(kernels.Refused):
        kernels.Job1("conv", good, unit_bytes=3)


@settings(max_examples=300, deadline=None)
@given(arg=st.binary(max_size=80), unit=st.integers(0, 4))
def test_no_argument_upsets_it(arg, unit):
    try:
        kernels.Job1("conv", arg, unit)
    except kernels.Refused:
        pass


# ---- files ----

def convert(*words, load=b""):
    """ImageMagick's output."""
    return subprocess.run(["convert", *map(str, words)], input=load,
                          capture_output=True, check=True).stdout


def write_image(path, image):
    kind = "gray" if image.ndim == 2 else "rgb"
    convert("-size", f"{image.shape[1]}x{image.shape[0]}", "-depth", 8,
            kind + ":-", path, load=image.tobytes())


def read_image(path, shape):
    kind = "gray" if len(shape) == 2 else "rgb"
    samples = convert(path, "-depth", 8, kind + ":-")
    return numpy.frombuffer(samples, "u1").reshape(shape)


def picture(width, height, name, rgb=False):
    """Waves, a block with sharp edges, and noise in one corner."""
    chance = mesh.seeded(name)
    y, x = numpy.mgrid[0:height, 0:width]
    planes = []
    for i in range(3 if rgb else 1):
        plane = 127 + 100 * numpy.sin(x / 9 + i) * numpy.cos(y / 7)
        plane[height // 4:height // 2, width // 3:width // 2] = 250 - 90 * i
        noise = numpy.frombuffer(
            chance.randbytes((height // 4) * (width // 4)), "u1")
        plane[:height // 4, :width // 4] = noise.reshape(height // 4, -1)
        planes.append(plane.astype("u1"))
    return numpy.stack(planes, axis=2) if rgb else planes[0]


@pytest.fixture(name="grey", scope="module")
def fixture_grey(tmp_path_factory):
    image = picture(203, 101, "grey")
    path = tmp_path_factory.mktemp("conv") / "grey.png"
    write_image(path, image)
    return path, image


@pytest.fixture(name="rgb", scope="module")
def fixture_rgb(tmp_path_factory):
    image = picture(90, 67, "rgb", rgb=True)
    path = tmp_path_factory.mktemp("conv") / "rgb.png"
    write_image(path, image)
    return path, image


def ran(path, image, out, *args, **options):
    """The image of a run."""
    mesh.run(path, "-o", out, *args, kernel="conv", **options)
    return read_image(out, image.shape)


@pytest.mark.parametrize("where, name", parts.every(
    3, itertools.product([("1x1", 1), ("5x5", "auto"), ("25x25", 1),
                          ("25x25", "auto"), ("7x4", 1)],
                         ["sobel", *FILTERS])))
def test_native_meshes(grey, rgb, tmp_path, where, name):
    size, rounds = where
    for path, image in (grey, rgb):
        got = ran(path, image, tmp_path / "out.png", size=size, on="native",
                  arg="filter=" + name, rounds=rounds)
        assert numpy.array_equal(got, filtered(image, name))


@pytest.mark.parametrize("name,size,rounds,originator", parts.cases([
    ("sobel", "1x1", 1, "0,0"), ("gauss5", "5x5", "auto", "2,4"),
    ("sharpen", "4x3", 1, "1,2"), ("sobel", "5x5", 1, "0,0"),
    ("gauss", "5x5", 3, "3,1")], 3))
def test_boards(grey, rgb, tmp_path, name, size, rounds, originator):
    for path, image in (grey, rgb):
        got = ran(path, image, tmp_path / "out.png", "--originator",
                  originator, size=size, arg="filter=" + name, rounds=rounds)
        assert numpy.array_equal(got, filtered(image, name))


def test_given_coefficients(grey, tmp_path):
    path, image = grey
    square = [-2, -1, 0, -1, 1, 1, 0, 1, 2]
    text = "coefficients=" + ":".join(map(str, square))
    for more, divisor, offset in (("", 1, 0), (",shift=3", 8, 0),
                                  (",divisor=7,offset=-20", 7, -20),
                                  (",offset=128,shift=0", 1, 128)):
        got = ran(path, image, tmp_path / "out.png", arg=text + more,
                  on="native")
        assert numpy.array_equal(got, linear(image, square, divisor, offset))


@pytest.mark.parametrize("name", FILTERS)
def test_imagemagick_says_the_same(grey, rgb, tmp_path, name):
    """In 16 bits, of which ours must be the nearest 8."""
    square = FILTERS[name][0]
    side = int(len(square) ** 0.5)
    for path, image in (grey, rgb):
        theirs = numpy.frombuffer(convert(
            path, "-define", "convolve:scale=!", "-morphology", "Correlate",
            f"{side}x{side}: " + " ".join(map(str, square)), "-depth", 16,
            "-endian", "LSB", ("gray" if image.ndim == 2 else "rgb") + ":-"),
            "<u2").reshape(image.shape) / 257
        ours = ran(path, image, tmp_path / "out.png", arg="filter=" + name,
                   on="native")
        assert abs(ours - theirs).max() < 0.51


def test_a_picture_twice_is_the_same_file(grey, tmp_path):
    for out in ("a.png", "b.png"):
        ran(*grey, tmp_path / out, arg="filter=sobel", on="native",
            size="5x5" if out == "a.png" else "1x1")
    assert (tmp_path / "a.png").read_bytes() == (
        tmp_path / "b.png").read_bytes()


# ---- kinds of PNG ----

def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


def png(width, height, depth, colour, rows, *chunks):
    """A PNG by hand; rows are bytes without their filter."""
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunks)
            + chunk(b"IDAT", data) + chunk(b"IEND", b""))


IDENTITY = "coefficients=0:0:0:0:1:0:0:0:0"


def through(tmp_path, data, shape):
    """What the identity makes of a file."""
    (tmp_path / "in.png").write_bytes(data)
    image = numpy.zeros(shape, "u1")
    return ran(tmp_path / "in.png", image, tmp_path / "out.png", size="1x1",
               arg=IDENTITY, on="native").tolist()


def test_grey_of_few_bits_is_spread(tmp_path):
    data = png(4, 2, 2, 0, [b"\x1b", b"\xe4"])
    assert through(tmp_path, data, (2, 4)) == [[0, 85, 170, 255],
                                               [255, 170, 85, 0]]


def test_palettes_become_rgb(tmp_path):
    data = png(3, 1, 8, 3, [b"\0\2\1"],
               chunk(b"PLTE", bytes([1, 2, 3, 9, 8, 7, 250, 0, 5])))
    assert through(tmp_path, data, (1, 3, 3)) == [[[1, 2, 3], [250, 0, 5],
                                                   [9, 8, 7]]]


def test_gamma_changes_nothing(tmp_path):
    data = png(3, 1, 8, 0, [b"\x10\x80\xf0"],
               chunk(b"gAMA", struct.pack(">I", 100000)))
    assert through(tmp_path, data, (1, 3)) == [[0x10, 0x80, 0xf0]]


def test_interlaced_is_read(grey, tmp_path):
    path, image = grey
    convert(path, "-interlace", "PNG", tmp_path / "laced.png")
    assert (tmp_path / "laced.png").read_bytes()[28] == 1
    got = ran(tmp_path / "laced.png", image, tmp_path / "out.png",
              arg=IDENTITY, on="native")
    assert numpy.array_equal(got, image)


# ---- PGM and PPM ----

def test_pnm_in_and_out(grey, rgb, tmp_path):
    for path, image in (grey, rgb):
        kind = "pgm" if image.ndim == 2 else "ppm"
        for suffix, out in ((kind, "pnm"), (kind, "png"), ("png", kind)):
            load = tmp_path / ("in." + suffix)
            convert(path, load)
            got = ran(load, image, tmp_path / ("out." + out), on="native",
                      arg="filter=sobel")
            assert numpy.array_equal(got, filtered(image, "sobel"))
        assert (tmp_path / "out.pnm").read_bytes() == (
            f"P{5 if kind == 'pgm' else 6}\n{image.shape[1]} "
            f"{image.shape[0]}\n255\n".encode()
            + filtered(image, "sobel").tobytes())


def test_plain_pnm_and_comments(tmp_path):
    for text, want in ((b"P2 # grey\n3 1\n255\n1 22 255\n \n", [[1, 22, 255]]),
                       (b"P3\n1\n1 255\n1 2 3\n", [[[1, 2, 3]]]),
                       (b"P5\n# a\n3 1 255\nabc", [[97, 98, 99]])):
        assert through(tmp_path, text, numpy.shape(want)) == want


@pytest.mark.parametrize("data,words", [
    (b"P5\n2 2\n255\nabc", ["row 1", "End of file"]),
    (b"P5 90 2 255 " + bytes(179), ["row 1"]),
    (b"P6\n2 2\n255\nabcdefghijk", ["row 1"]),
    (b"P6\n2 2\n255\nabcdefghijklm", ["row 2", "more behind"]),
    (b"P5\n2 2\n65535\nabcdefgh", ["row 0", "maximum", "255"]),
    (b"P5\n2 2\n15\nabcd", ["maximum", "255"]),
    (b"P4\n8 1\na", ["PBM"]), (b"P1\n1 1\n1", ["PBM"]),
    (b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nMAXVAL 255\nTUPLTYPE GRAYSCALE\n"
     b"ENDHDR\na", ["PAM"]),
    (b"P5\n0 2\n255\n", ["row 0"]), (b"P5", ["row 0"]),
    (b"P5\n-2 2\n255\nabcd", ["row 0"]), (b"P5\nx", ["row 0"]),
    (b"P5\n99999999 99999999\n255\na", ["row 0"]),
    (b"P5\n99999999999 1\n255\na", ["row 0"]),
    (b"P2\n2 1\n255\n1 256", ["row 0"]), (b"P2\n2 1\n255\n1", ["row 0"]),
])
def test_bad_pnm(tmp_path, data, words):
    path = tmp_path / "bad.pgm"
    path.write_bytes(data)
    refused(1, path, *words, load=path)


def test_names_must_fit_the_image(grey, rgb, tmp_path):
    refused(2, "grey", ".ppm", load=grey[0], out=tmp_path / "out.ppm")
    refused(2, "RGB", ".pgm", load=rgb[0], out=tmp_path / "out.pgm")


# ---- bad input ----

def refused(status, *words, load, arg="filter=sobel", out=None):
    more = [] if out is None else ["-o", out]
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "conv", "--on",
                        "native", "--arg", arg, *more, load)
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("quincunx: ")
    assert len(done.stderr.splitlines()) == 1
    for word in words:
        assert str(word) in done.stderr, done.stderr


GOOD = png(2, 2, 8, 0, [b"ab", b"cd"])


@pytest.mark.parametrize("data,words", [
    (b"", ["empty"]),
    (b"GIF89a no image", ["no image"]),
    (GOOD[:20], ["byte 20:", "ends within the image"]),
    (GOOD[:-13], ["byte", "ends within the image"]),
    (GOOD[:-4], ["byte", "ends within the image"]),
    (GOOD[:43] + b"~" + GOOD[44:], ["byte", "IDAT"]),
    (GOOD[:20] + b"~" + GOOD[21:], ["byte", "IHDR", "CRC"]),
    (png(2, 2, 8, 0, [b"ab"]), ["byte", "Not enough image data"]),
    (png(2, 1, 16, 0, [b"abcd"]), ["16 bits"]),
    (png(2, 1, 8, 6, [b"abcdabcd"]), ["alpha"]),
    (png(2, 1, 8, 4, [b"abcd"]), ["alpha"]),
    (png(2, 1, 8, 0, [b"ab"], chunk(b"tRNS", b"\0a")), ["transparent"]),
    (png(0, 1, 8, 0, [b""]), ["byte"]),
    (png(40000, 40000, 8, 0, [b""]), ["2^30"]),
    (png(2, 1, 8, 7, [b"ab"]), ["byte"]),
])
def test_bad_images(tmp_path, data, words):
    path = tmp_path / "bad.png"
    path.write_bytes(data)
    refused(1, path, *words, load=path)


@pytest.mark.parametrize("arg,word", [
    ("", "filter="), ("filter", "sobel, gauss"), ("filter=box", "sobel"),
    ("sobel", "filter="), ("filter=sobel,filter=gauss", "once"),
    ("coefficients=1:2:3", "9 or 25"), ("coefficients=", "whole numbers"),
    ("coefficients=1:1:1:1:1:1:1:1:x", "whole numbers"),
    ("coefficients=1:1:1:1:1:1:1:1:", "whole numbers"),
    ("coefficients=1:1:1:1:1:1:1:1:32768", "32767"),
    ("coefficients=1:1:1:1:1:1:1:1: 1", "whole numbers"),
    ("coefficients=" + ":".join(["1"] * 26), "not more"),
    ("coefficients=" + ":".join(["1"] * 16), "9 or 25"),
    ("filter=gauss,divisor=3", "with coefficients"),
    (IDENTITY + ",divisor=0", "1 to 1048576"),
    (IDENTITY + ",divisor=1048577", "1 to 1048576"),
    (IDENTITY + ",shift=21", "0 to 20"),
    (IDENTITY + ",shift", "0 to 20"),
    (IDENTITY + ",shift=1,divisor=2", "once"),
    (IDENTITY + ",offset=256", "-255 to 255"),
    (IDENTITY + ",size=3", "filter="),
    (IDENTITY + ",filter=sobel", "once"),
])
def test_bad_arguments(grey, arg, word):
    refused(2, "--arg", word, load=grey[0], arg=arg)


@pytest.mark.parametrize("name", ["out.gif", "out", ".png/", "png"])
def test_names_that_say_no_kind(grey, tmp_path, name):
    refused(2, name, ".png", load=grey[0], out=str(tmp_path) + "/" + name)
    assert not list(tmp_path.iterdir())


def test_an_output_that_cannot_be_written(grey, tmp_path):
    done = mesh.command("run", "--mesh", "1x1", "--kernel", "conv", "--on",
                        "native", "--arg", "filter=sobel", "-o",
                        tmp_path / "none" / "out.png", grey[0])
    assert done.returncode == 1
    assert "none/out.png" in done.stderr

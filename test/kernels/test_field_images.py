# SPDX-License-Identifier: Apache-2.0
"""Images as people have them: files of every kind that conv takes, what it
says of them, and damaged ones."""
import hashlib
import itertools
import pathlib
import struct
import subprocess
import zlib

import numpy
import pytest

import mesh
from twins import BORDERS, filtered, median

FIELD = pathlib.Path(__file__).parent / "field"
PLAIN, RGB, BITS, ONE = ("1461b896e7ad8cf6", "7d17db618f6e4524",
                         "0c7b94f0ec30d984", "85c5c3513b2f93d7")
WIDE, PALETTE = "7f27feafc99ccb21", "c594a27c1feba7cf"

# File: the beginning of the SHA-256 of its samples after filter=gauss, or the
# message; and words of a remark.
RIGHT = {
    "1x1.pgm": "ca358758f6d27e6c", "bmp.bmp": "is BMP; must be PNG",
    "h1.pgm": "5c38bc6800bed94b", "jpeg.jpg": "6c2aad1288de8617",
    "jpeg_named_png.png": "6c2aad1288de8617", "out_jpg.png": PLAIN,
    "out_upper.png": PLAIN, "p2_comment_in_raster.pgm": PLAIN,
    "p2_leading_comment.pgm": "is no image", "p2_plain.pgm": PLAIN,
    "p4.pbm": BITS, "p5_comment_after_magic.pgm": PLAIN,
    "p5_comment_after_maxval.pgm": PLAIN,
    "p5_comment_after_number.pgm": PLAIN, "p5_comment_cr.pgm": PLAIN,
    "p5_comment_line_after_maxval.pgm": "row 9: there is more behind",
    "p5_crlf_header.pgm": PLAIN,
    "p5_crlf_header_full.pgm": "row 9: there is more behind",
    "p5_maxval15.pgm": "9015d51d0378daaa", "p5_maxval65535.pgm": WIDE,
    "p5_one_line.pgm": PLAIN, "p5_over_maxval.pgm": "row 0: Plane 0 sample",
    "p5_short_by_one.pgm": "row 8: End of file",
    "p5_trailing_newline.pgm": PLAIN, "p5_two_comments.pgm": PLAIN,
    "p5_two_images.pgm": (PLAIN, "what is behind its first image is left out"),
    "p7_gray.pam": PLAIN, "pf.pfm": "is PFM", "plain.pgm": PLAIN,
    "plain.ppm": RGB, "png_adam7_1wide.png": ONE, "png_adam7_grey.png": PLAIN,
    "png_adam7_rgb.png": RGB, "png_anc_bad_crc.png": PLAIN,
    "png_apng.png": PLAIN,
    "png_bad_adler.png": "byte 178: IDAT: incorrect data check",
    "png_bad_iccp.png": PLAIN,
    "png_bomb.png": "byte 41: the image has more than 2^30 - 1 samples",
    "png_cgbi.png": "byte 24: CgBI", "png_empty_idat_first.png": PLAIN,
    "png_extra_idat.png": PLAIN, "png_gama.png": PLAIN, "png_grey1.png": BITS,
    "png_grey16.png": WIDE, "png_idat_1byte.png": PLAIN,
    "png_idat_bad_crc.png": "byte 182: IDAT: CRC error",
    "png_itxt_bad_crc_after.png": PLAIN, "png_named_upper.PNG": PLAIN,
    "png_no_iend.png": (PLAIN, "without an IEND chunk"),
    "png_palette4.png": PALETTE, "png_palette8.png": PALETTE,
    "png_palette_all_grey.png": "647a276b7ec4e895",
    "png_palette_index_out.png": "757c9efe88c66837",
    "png_palette_trns.png": ("9ad07d42190d392f", "is carried through"),
    "png_palette_trns_opaque.png": (PALETTE, "opaque everywhere, is left out"),
    "png_plain.png": PLAIN, "png_rgb_plte_hint.png": RGB,
    "png_rgba_opaque.png": (RGB, "opaque everywhere, is left out"),
    "png_sbit.png": PLAIN, "png_trailing_4k_zero.png": PLAIN,
    "png_trailing_bytes.png": PLAIN, "png_trailing_zip.png": PLAIN,
    "tiff.tif": PLAIN, "w1.pgm": ONE}


def conv(path, out, arg="filter=gauss", size="1x1"):
    return mesh.command("run", "--mesh", size, "--on", "native", "--kernel",
                        "conv", "--arg", arg, "-o", out, path)


def read_pam(path):
    """An array of height, width and, unless it is 1, channels."""
    head, _, data = path.read_bytes().partition(b"ENDHDR\n")
    words = dict(line.split(b" ", 1) for line in head.splitlines()
                 if b" " in line)
    kind = "u1" if int(words[b"MAXVAL"]) == 255 else ">u2"
    return numpy.frombuffer(data, kind).reshape(
        [int(words[b"HEIGHT"]), int(words[b"WIDTH"]),
         int(words[b"DEPTH"])]).squeeze(2 * (words[b"DEPTH"] == b"1") or ())


def pam_of(image):
    """The bytes of a PAM."""
    deep = image.reshape(*image.shape[:2], -1)
    kind = ["GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"]
    most = numpy.iinfo(image.dtype).max
    return (f"P7\nWIDTH {deep.shape[1]}\nHEIGHT {deep.shape[0]}\n"
            f"DEPTH {deep.shape[2]}\nMAXVAL {most}\n"
            f"TUPLTYPE {kind[deep.shape[2] - 1]}\nENDHDR\n".encode()
            + deep.astype(deep.dtype.newbyteorder(">")).tobytes())


def expected(image, name="gauss", border="replicate"):
    """Filtered colours, and the alpha as it was."""
    image = image.astype(image.dtype.newbyteorder("="))
    if image.ndim == 2 or image.shape[2] == 3:
        return filtered(image, name, border)
    return numpy.concatenate([filtered(image[:, :, :-1], name, border),
                              image[:, :, -1:]], axis=2)


def test_the_table_has_all_files():
    assert sorted(path.name for path in FIELD.glob("img_*")) == sorted(
        f"img_{name}" for name in RIGHT)


@pytest.mark.parametrize("name", RIGHT)
def test_what_people_have(tmp_path, name):
    right, *said = ([RIGHT[name]] if isinstance(RIGHT[name], str)
                    else RIGHT[name])
    done = conv(FIELD / f"img_{name}", tmp_path / "out.pam")
    if " " in right:
        assert (done.returncode, done.stdout) == (1, "")
        assert f"img_{name}: {right}" in done.stderr
        assert not list(tmp_path.iterdir())
        return
    assert done.returncode == 0, done.stderr
    data = (tmp_path / "out.pam").read_bytes().partition(b"ENDHDR\n")[2]
    assert hashlib.sha256(data).hexdigest()[:16] == right
    for words in said:
        assert words in " ".join(done.stdout.split())


def test_16_bits_are_filtered_as_16_bits():
    """The sums above are those of this twin."""
    plain = (FIELD / "img_plain.pgm").read_bytes()[-117:]
    wide = numpy.frombuffer(plain, "u1").reshape(9, 13).astype("u2") * 257
    assert hashlib.sha256(expected(wide).astype(">u2").tobytes()
                          ).hexdigest()[:16] == WIDE


def some(shape, kind="u1"):
    return numpy.random.default_rng(mesh.SEED).integers(
        0, numpy.iinfo(kind).max + 1, shape, kind)


@pytest.mark.parametrize("channels, kind, suffix", [
    *itertools.product([1, 2, 3, 4], ["u1", "u2"], ["png", "TIF", "pam"]),
    *itertools.product([1, 3], ["u1", "u2"], ["pnm"])])
def test_every_shape_in_every_kind(tmp_path, channels, kind, suffix):
    """What is written is read again, here by ImageMagick, too."""
    image = some((11, 17, channels)[:2 + (channels > 1)], kind)
    (tmp_path / "in.pam").write_bytes(pam_of(image))
    out, again = tmp_path / f"out.{suffix}", tmp_path / "again.pam"
    assert conv(tmp_path / "in.pam", out, "filter=gauss3",
                "2x2").returncode == 0
    want = expected(image)
    assert conv(out, again, "coefficients=0:0:0:0:1:0:0:0:0").returncode == 0
    assert numpy.array_equal(read_pam(again), want)
    plain = subprocess.run(
        ["convert", out, "-depth", str(8 * image.itemsize), "-type",
         "TrueColorAlpha", "rgba:-"], capture_output=True, check=True).stdout
    theirs = numpy.frombuffer(plain, f"<{kind}").reshape(11, 17, 4)
    mine = want.reshape(11, 17, -1)
    assert numpy.array_equal(theirs[:, :, :3], numpy.broadcast_to(
        mine[:, :, :1 if channels < 3 else 3], (11, 17, 3)))
    if channels % 2 == 0:
        assert numpy.array_equal(theirs[:, :, 3], mine[:, :, -1])


# How ImageMagick makes a file of RGB noise, and bits of the samples.
MADE = {
    "jpeg": ("a.jpg", [], 8), "grey jpeg": ("a.jpg", ["-colorspace", "Gray"],
                                            8),
    "progressive": ("a.jpg", ["-interlace", "JPEG"], 8),
    "4:1:1": ("a.jpg", ["-sampling-factor", "4x1"], 8),
    "odd sampling": ("a.jpg", ["-sampling-factor", "3x1,1x1,1x1"], 8),
    "lzw": ("a.tif", ["-compress", "LZW"], 8),
    "zip 16": ("a.tif", ["-compress", "Zip", "-depth", "16"], 16),
    "big endian": ("a.tif", ["-endian", "MSB", "-depth", "16"], 16),
    "bigtiff": ("tiff64:a.tif", [], 8),
    "planes": ("a.tif", ["-interlace", "plane"], 8),
    "tiles": ("a.tif", ["-define", "tiff:tile-geometry=32x16"], 8),
    "tiles 16": ("a.tif", ["-define", "tiff:tile-geometry=16x32", "-depth",
                           "16"], 16),
    "jpeg in tiff": ("a.tif", ["-compress", "JPEG", "-quality", "90"], 8),
    "palette tiff": ("a.tif", ["-posterize", "2", "-type", "Palette"], 8),
    "fax": ("a.tif", ["-monochrome", "-compress", "Group4"], 8),
    "min is white": ("a.tif", ["-colorspace", "Gray", "-define",
                               "quantum:polarity=min-is-white"], 8),
    "4 bits": ("a.tif", ["-colorspace", "Gray", "-depth", "4"], 8),
    "12 bits": ("a.tif", ["-colorspace", "Gray", "-depth", "12"], 16),
    "rgba png": ("a.png", ["-alpha", "set", "-channel", "A", "-fx", "i/w"],
                 8),
    "png 16": ("png64:a.png", ["-depth", "16"], 16),
    "interlaced": ("a.png", ["-interlace", "PNG"], 8),
    "bits": ("png:a.png", ["-monochrome", "-depth", "1"], 8),
    "pbm": ("a.pbm", ["-compress", "none", "-monochrome"], 8)}


@pytest.mark.parametrize("made", MADE)
def test_files_of_other_programs(tmp_path, made):
    name, how, bits = MADE[made]
    (tmp_path / "in.pam").write_bytes(pam_of(some((37, 51, 3))))
    subprocess.run(["convert", "in.pam", *how, name], cwd=tmp_path,
                   check=True, capture_output=True)
    path = tmp_path / name.rpartition(":")[2]
    plain = subprocess.run(
        ["convert", path, "-depth", str(bits), "-type", "TrueColorAlpha",
         "rgba:-"], capture_output=True, check=True).stdout
    want = expected(numpy.frombuffer(plain, f"<u{bits // 8}").reshape(
        37, 51, 4), "sobel")
    done = conv(path, tmp_path / "out.pam", "filter=sobel", "3x3")
    assert done.returncode == 0, done.stderr
    got = read_pam(tmp_path / "out.pam").reshape(37, 51, -1)
    assert got.itemsize * 8 == bits
    colours = got[:, :, :3 if got.shape[2] > 2 else 1]
    assert numpy.array_equal(
        numpy.broadcast_to(colours, (37, 51, 3)), want[:, :, :3])
    assert (got.shape[2] % 2 == 0) == (made == "rgba png")
    if made == "rgba png":
        assert numpy.array_equal(got[:, :, 3], want[:, :, 3])


def test_the_kind_of_the_output(tmp_path):
    """Without a suffix that of the input; a PNG for a JPEG."""
    (tmp_path / "in.pgm").write_bytes(b"P5 9 9 255\n" + bytes(range(81)))
    marks = {"pgm": b"P5", "png": b"\x89PNG", "pam": b"P7", "tif": b"II*",
             "tiff": b"II*", "jpg": b"\xff\xd8\xff", "JPEG": b"\xff\xd8\xff"}
    for suffix, mark in marks.items():
        path, same = tmp_path / f"a.{suffix}", tmp_path / "same"
        assert conv(tmp_path / "in.pgm", path).returncode == 0
        assert path.read_bytes().startswith(mark)
        assert conv(path, same).returncode == 0
        assert same.read_bytes().startswith(
            b"\x89PNG" if suffix in ("jpg", "JPEG") else mark)
    sizes = []
    for quality in ("", ",quality=90", ",quality=1", ",quality=100"):
        conv(tmp_path / "in.pgm", tmp_path / "q.jpg", "filter=gauss" + quality)
        sizes.append((tmp_path / "q.jpg").stat().st_size)
    assert sizes[0] == sizes[1] and sizes[2] < sizes[1] < sizes[3]


def test_alpha_is_kept_or_dropped(tmp_path):
    image = some((9, 14, 4))
    path, out = tmp_path / "in.pam", tmp_path / "out.pam"
    path.write_bytes(pam_of(image))
    for arg, want, said in (
            ("", expected(image), "carried through unchanged; alpha=drop"),
            (",alpha=keep", expected(image), "carried through unchanged"),
            (",alpha=drop", expected(image[:, :, :3]),
             "its alpha channel is left out")):
        done = conv(path, out, "filter=gauss" + arg)
        assert numpy.array_equal(read_pam(out), want)
        assert said in " ".join(done.stdout.split())


@pytest.mark.parametrize("border", sorted(BORDERS))
def test_borders_and_medians(tmp_path, border):
    for image in (some((6, 9)), some((2, 5, 3), "u2")):
        path, out = tmp_path / "in.pam", tmp_path / "out.pam"
        path.write_bytes(pam_of(image))
        assert conv(path, out, f"filter=gauss5,border={border}",
                    "2x3").returncode == 0
        assert numpy.array_equal(read_pam(out),
                                 expected(image, "gauss5", border))
        assert conv(path, out, f"median=5,border={border}",
                    "2x3").returncode == 0
        planes = image.reshape(*image.shape[:2], -1)
        assert numpy.array_equal(
            read_pam(out).reshape(planes.shape), numpy.stack(
                [median(planes[:, :, i], 5, border)
                 for i in range(planes.shape[2])], axis=2))


@pytest.mark.parametrize("more", ["3 4", "P2 1 1 255 7", "x"])
def test_only_the_first_image_of_a_plain_file(tmp_path, more):
    """As netpbm reads it, with a remark."""
    (tmp_path / "in.pgm").write_text(f"P2 2 1 255\n1 2\n{more}\n")
    done = conv(tmp_path / "in.pgm", tmp_path / "out.pam",
                "coefficients=0:0:0:0:1:0:0:0:0")
    assert "behind its first image is left out" in " ".join(
        done.stdout.split())
    assert read_pam(tmp_path / "out.pam").tolist() == [[1, 2]]


def test_a_palette_of_16_bits_is_rounded(tmp_path):
    """Of 8 bits it is as it is: some programs store such ones."""
    for colours, want in (([65535, 65407, 128, 129], [255, 255, 0, 1]),
                          ([255, 128, 1, 0], [255, 128, 1, 0])):
        entries = b"".join(struct.pack("<HHII", *row) for row in (
            (256, 3, 1, 4), (257, 3, 1, 1), (258, 3, 1, 2), (259, 3, 1, 1),
            (262, 3, 1, 3), (273, 4, 1, 8), (277, 3, 1, 1), (278, 3, 1, 1),
            (279, 4, 1, 1), (320, 3, 12, 138)))
        (tmp_path / "in.tif").write_bytes(
            b"II*\0\x0c\0\0\0\x1b\0\0\0" + struct.pack("<H", 10) + entries
            + bytes(4) + struct.pack("<12H", *colours * 3))
        assert conv(tmp_path / "in.tif", tmp_path / "out.pam",
                    "coefficients=0:0:0:0:1:0:0:0:0").returncode == 0
        assert read_pam(tmp_path / "out.pam").tolist() == [
            [[sample] * 3 for sample in want]]


def test_every_maximum(tmp_path):
    """Scaled to 8 or 16 bits, halves up."""
    for most in (1, 2, 34, 100, 254, 256, 1000, 65534):
        full = 255 if most < 256 else 65535
        values = numpy.unique(numpy.linspace(0, most, 40).astype("i8"))
        (tmp_path / "in.pgm").write_text(
            f"P2 {values.size} 1 {most}\n" + " ".join(map(str, values)))
        assert conv(tmp_path / "in.pgm", tmp_path / "out.pam",
                    "coefficients=0:0:0:0:1:0:0:0:0").returncode == 0
        assert numpy.array_equal(read_pam(tmp_path / "out.pam")[0], (
            2 * values * full + most) // (2 * most))


# ---- bad input ----

def is_refused(tmp_path, data, name="bad"):
    """Whether these bytes are refused, with their name and no output."""
    (tmp_path / name).write_bytes(data)
    done = conv(tmp_path / name, tmp_path / "out.pam")
    assert done.returncode == 1, (name, len(data), done.stderr)
    assert done.stderr.startswith("quincunx: ") and name in done.stderr
    assert done.stderr.count("\n") == 1 and done.stdout == ""
    assert not (tmp_path / "out.pam").exists()


@pytest.mark.parametrize("suffix", ["png", "ppm", "pam", "jpg", "tif"])
def test_cut_short(tmp_path, suffix):
    """At every 97th byte, and one byte before the end."""
    (tmp_path / "in.pam").write_bytes(pam_of(some((16, 21, 3))))
    path = tmp_path / f"whole.{suffix}"
    assert conv(tmp_path / "in.pam", path).returncode == 0
    data = path.read_bytes()
    end = len(data) - (12 if suffix == "png" else 2)
    for cut in [*range(0, end, 97), end - 1]:
        is_refused(tmp_path, data[:cut])


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


def png(width, height, rows, depth=8, colour=0):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(
        ">IIBBBBB", width, height, depth, colour, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def tiff(**tags):
    """A TIFF of one row of 4 bytes, with other tags."""
    numbers = {"width": 256, "height": 257, "bits": 258, "packed": 259,
               "colour": 262, "at": 273, "samples": 277, "rows": 278,
               "bytes": 279, "format": 339}
    values = {"width": 4, "height": 1, "bits": 8, "packed": 1, "colour": 1,
              "at": 8, "samples": 1, "rows": 1, "bytes": 4, "format": 1,
              **tags}
    return (b"II*\0\x0c\0\0\0abcd" + struct.pack("<H", len(numbers))
            + b"".join(struct.pack("<HHII", numbers[name], 4, 1, values[name])
                       for name in numbers) + bytes(4))


@pytest.mark.parametrize("data", [
    png(0, 1, b""), png(2 ** 31 - 1, 2 ** 31 - 1, b""),
    png(46340, 46340, bytes(99)), png(11585, 11586, bytes(99)),
    png(4, 4, bytes(7)), png(4, 4, bytes(20), 3), png(4, 4, bytes(20), 8, 5),
    b"P5 0 9 255\n", b"P5 9 0 255\n", b"P5 1 1 0\na", b"P5 1 1 65536\naa",
    b"P5 2147483647 2147483647 255\na", b"P5 -1 1 255\na", b"P6 1 1 255\nab",
    b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 2000000000\nMAXVAL 255\nENDHDR\nab",
    b"P7\nWIDTH 1\nHEIGHT 1\nDEPTH 1\nENDHDR\nab", b"P7\n", b"P7", b"P1",
    b"\xff\xd8\xff\xd9", b"\xff\xd8\xff" + bytes(999),
    b"II*\0\xff\xff\xff\xff", b"MM\0*\0\0\0\x04\0\0",
    tiff(width=0), tiff(height=0), tiff(width=2 ** 31, height=2 ** 31),
    tiff(height=2 ** 27), tiff(bits=32), tiff(bits=16, format=3),
    tiff(format=2), tiff(bits=0), tiff(at=999999),
    tiff(samples=60000), tiff(packed=77), tiff(colour=99),
    tiff(width=2 ** 29 + 1)])
def test_wrong_sizes(tmp_path, data):
    is_refused(tmp_path, data)


def test_a_small_file_of_many_pixels(tmp_path):
    """Is refused by the limit that its message names."""
    bomb = png(1000, 1000, bytes(1001 * 1000))
    path = tmp_path / "bomb"
    path.write_bytes(bomb)
    assert len(bomb) < 2000
    assert conv(path, tmp_path / "out", "filter=gauss,pixels=1000000"
                ).returncode == 0
    done = conv(path, tmp_path / "out2", "filter=gauss,pixels=999999")
    assert done.returncode == 1 and not (tmp_path / "out2").exists()
    assert done.stderr.endswith(
        "byte 41: the image has 1000000 pixels; at most 999999 are read "
        "unless pixels=N allows more\n")

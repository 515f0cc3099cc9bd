# SPDX-License-Identifier: Apache-2.0
"""The files that every row of a table of refused input has beside it."""
import bz2
import functools
import gzip
import hashlib
import io
import os
import pathlib
import pickle
import random
import shutil
import struct
import zipfile
import zlib

import numpy

import flash_image
from core import BUILD


def saved(array):
    """An array as a file of numpy."""
    out = io.BytesIO()
    numpy.save(out, array)
    return out.getvalue()


def sound(frames, channels=2, bits=16, kind=1, rate=8000, more=b""):
    """A WAV file; kinds: 1 whole numbers, 3 floats, 6 A-law."""
    block = channels * bits // 8
    head = struct.pack("<HHIIHH", kind, channels, rate, rate * block, block,
                       bits)
    body = (b"WAVEfmt " + struct.pack("<I", len(head)) + head + more + b"data"
            + struct.pack("<I", len(frames)) + frames)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def sounds(noise):
    """WAV files of other samples, cut anywhere, with chunks that are none."""
    whole, small = sound(noise), noise[:240]
    found = {f"wav-{size}": whole[:size] for size in (
        12, 16, 20, 35, 36, 40, 43, 44, 46, 100, 6043)}
    for size in (0xffffff04, 2 ** 31, len(whole) - 23):
        chunk = b"LIST" + struct.pack("<I", size) + b"INFOabcd\0\0\0\0"
        found[f"chunk-{size}.wav"] = sound(noise, more=chunk)
    for bits in (8, 24, 32):
        found[f"{bits}-bits.wav"] = sound(small, bits=bits)
    return found | {
        "sound.wav": whole, "short.wav": whole[:3000],
        "silent.wav": sound(b""),
        "many.wav": sound(noise[:130], 65), "slow.wav": sound(noise, rate=1),
        "odd.wav": sound(b"123456"), "floats.wav": sound(small, 2, 32, 3),
        "a-law.wav": sound(small, 2, 8, 6),
        "mp3.wav": sound(small, kind=0x55),
        "fuzzed.wav": whole[:36] + bytes.fromhex(
            "4c49535404ffffffffb9fffff7ffffff")}


def chunk(kind, data, crc=0):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data) ^ crc))


def png(width, height, bits, kind, rows, *chunks, crc=0):
    """An image of these rows, without filters."""
    head = struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + b"".join(chunks)
            + chunk(b"IDAT", data, crc) + chunk(b"IEND", b""))


def pictures():
    good = png(2, 2, 8, 0, [b"ab", b"cd"])
    return {
        "cut-20.png": good[:20], "cut-56.png": good[:-13],
        "idat.png": png(2, 2, 8, 0, [b"ab", b"cd"], crc=1),
        "ihdr.png": good[:20] + b"~" + good[21:],
        "row.png": png(2, 2, 8, 0, [b"ab"]),
        "16-bits.png": png(2, 1, 16, 0, [b"abcd"]),
        "rgba.png": png(2, 1, 8, 6, [b"abcdabcd"]),
        "ya.png": png(2, 1, 8, 4, [b"abcd"]),
        "trns.png": png(2, 1, 8, 0, [b"ab"], chunk(b"tRNS", b"\0a")),
        "clear.png": png(2, 1, 8, 3, [b"\0\1"], chunk(b"PLTE", b"abcdef"),
                         chunk(b"tRNS", b"\xff\xfe")),
        "zero.png": png(0, 1, 8, 0, [b""]),
        "kind.png": png(2, 1, 8, 7, [b"ab"]),
        "huge.png": png(40000, 40000, 8, 0, [b""]),
        "wide.png": png(20000, 20000, 8, 0, [b""]),
        "long.pgm": b"P5\n70000 1\n255\n" + bytes(70000)}


def arrays():
    matrix = numpy.ones((40, 9), dtype="<i4")
    good = saved(matrix)
    inf, nan = (matrix.astype("<f4") for _ in range(2))
    inf[1, 0], nan[39, 8] = -numpy.inf, numpy.nan
    named = {
        "matrix": matrix, "vector": matrix[0], "row": matrix[:1],
        "no-rows": matrix[:0],
        "objects": numpy.array([[1, "x"]], "O"), "nan": nan, "inf": inf,
        "records": numpy.zeros(9, "i4,f4"), "complex": matrix.astype("<c16"),
        "text": matrix.astype("U"), "date": matrix.astype("M8[s]"),
        "five": matrix[0, :5], "none": numpy.int32(7),
        "three": matrix[0].reshape(9, 1, 1),
        "inf-vector": numpy.array([1, 1, numpy.inf] * 3),
        "tall": numpy.ones((60_000, 1), "u1"),
        "tall-row": numpy.ones((1, 60_000), "u1")}

    def other(old, new):
        return good.replace(old, new.ljust(len(old)))

    shape = b"(40, 9), }" + b" " * 40
    return {f"{name}.npy": saved(array) for name, array in named.items()} | {
        "pickle": pickle.dumps(matrix), "npy-short": good[:-1],
        "npy-9": good[:9], "npy-head": good[:90],
        "npy-version": good[:6] + b"\4" + good[7:],
        "npy-junk": good[:10] + b"{" * 118, "npy-zip.npy": b"PK\3\4" + good,
        "npy-order": other(b"False", b"0"),
        "npy-list": other(b"(40, 9)", b"[40, 9]"),
        "npy-scalar": other(b"(40, 9)", b"(360)"),
        "npy-minus": other(b"(40, 9)", b"(-4, 9)"),
        "npy-33": other(shape, b"(" + b"1," * 33 + b")}"),
        "npy-2gb": other(shape, b"(40000000, 9), }"),
        "npy-wide": other(shape, b"(8589934592, 8589934592, 0), }"),
        "npy-long": other(shape, b"(0, 1152921504606846976), }"),
        "npy-none": other(shape, b"(1152921504606846976, 0), }"),
        "npy-0": other(shape, b"(0, 0), }"),
        "npy-2e18": other(shape, b"(1999999999999999999, 9), }"),
        "npy-1e19": other(shape, b"(9999999999999999999, 0), }"),
        "npy-f16-be": other(b"<i4", b">f16")}


def archives():
    """Compressed files that are damaged, too much or not one."""
    packed, out = gzip.compress(b"abcabc"), io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("a\33", "b"):
            file.writestr(name, b"abc")
    short = bz2.compress(b"abc"), b"\4\"M\x18`@\x82\3\0\0\x80abc\0\0\0\0"
    return {
        "more.bz2": short[0] + b"more", "more.lz4": short[1] + b"more text",
        "cut.zip": out.getvalue()[:34], "head.zip": b"PK\3\4" + bytes(40),
        "sum.gz": packed[:-8] + b"abcd" + packed[-4:], "cut.gz": packed[:-5],
        "more.gz": packed + b"\0\0abc",
        "bomb.gz": gzip.compress(bytes(1 << 20)) * 65,
        "deep.gz": functools.reduce(lambda data, _: gzip.compress(data),
                                    range(5), b"abc"),
        "several.zip": out.getvalue(), "none.zip": b"PK\5\6" + bytes(18),
        "cut.xz": b"\xfd7zXZ\0\0\4", "empty.gz": gzip.compress(b"")}


@functools.cache
def made():
    """Bytes by name."""
    noise = random.Random(5).randbytes(6000)
    return {
        "load": b"abcabc" * 200,
        "firmware.elf": flash_image.good(),
        "few": b"few",
        "empty": b"",
        "bytes": noise,
        "words": b"".join(b"word%d\n" % i for i in range(500)),
        "256-patterns": b"".join(b"p%d\n" % i for i in range(256)),
        "digests": hashlib.sha256(b"word77").hexdigest().encode() + b"\n",
        "2049-digests": b"".join(b"%064x\n" % i for i in range(2049)),
        "table.csv": b"id,name,price\n" + b"".join(
            b'%d,"it""em %d",%d.25\n' % (i, i, i) for i in range(300)),
        "all-bytes.csv": b"a,b\n" + bytes(
            c for c in range(256) if c not in b'\n\r",') + b',1\n"\n",2\n',
        "grey.pgm": b"P5 60 100 255\n" + noise,
        "short.pgm": b"P5 60 100 255\n" + noise[:3000],
        "rgb.ppm": b"P6 40 50 255\n" + noise,
        **archives(), **sounds(noise), **pictures(), **arrays()}


def make(folder):
    """Brings a folder to its first state: the files, an empty folder, a link
    and a hard link to the load, and firmware of both kinds of boards, of which
    the slow form lacks."""
    folder = pathlib.Path(folder)
    keep = {*made(), "folder", "link", "hard", "board.elf", "serial.elf"}
    for entry in folder.iterdir():
        if entry.name not in keep:
            (shutil.rmtree if entry.is_dir() else os.unlink)(entry)
    for name, content in made().items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
    (folder / "folder").mkdir(exist_ok=True)
    if not (folder / "link").exists():
        (folder / "link").symlink_to("load")
        os.link(folder / "load", folder / "hard")
        for name, board in (("board", "mps2_an385"), ("serial", "stm32f405")):
            image = BUILD / board / "firmware.elf"
            assert image.exists(), f"{image} is missing: run `make`"
            shutil.copy(image, folder / f"{name}.elf")

# SPDX-License-Identifier: Apache-2.0
"""First inputs of the fuzzer, small and valid: python3 seeds.py FOLDER

A file read-KERNEL.NAME has parts with lines "%%" between: --arg, INPUT and one
more file, which @ in --arg stands for (test/fuzz/kernels.c).
"""
import bz2
import gzip
import hashlib
import lzma
import pathlib
import struct
import sys
import zlib

IMAGES = pathlib.Path(__file__).parents[1] / "kernels" / "field"
TEXT = (b"It is a truth universally acknowledged, that a single man in "
        b"possession of a good fortune, must be in want of a wife.\n") * 3
WORDS = b"alpha\nbeta\r\ngamma\n\ndelta\nan apple\n" + b"w" * 255 + b"\nlast"
TABLE = (b"name,price,note\n"
         b"bolt,1.50,plain\n"
         b'"nut, M3",-0.25,"with ""quotes"" and\na newline"\n'
         b"washer,+12,\r\n"
         b"\n"
         b"plate,007.125,last")


def digest(word):
    return hashlib.sha256(word).hexdigest().encode()


def chunk(kind, data):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
         (1, 0, 2, 2), (0, 1, 1, 2)]


def rows(columns, lines, bits, filters=5):
    """Lines of so many bits a pixel, each with its filter's number."""
    size = (columns * bits + 7) // 8
    return b"".join(bytes([y % filters]) + bytes(x * 7 + y & 255
                                                 for x in range(size))
                    for y in range(lines) if columns > 0)


def png(kind, width, height, depth=8, more=b"", interlaced=0):
    """kind: 0 grey, 2 RGB, 3 palette, 4 grey with alpha."""
    bits = depth * {0: 1, 2: 3, 3: 1, 4: 2}[kind]
    data = rows(width, height, bits)
    if interlaced:
        data = b"".join(rows((width - x + dx - 1) // dx,
                             (height - y + dy - 1) // dy, bits)
                        for x, y, dx, dy in ADAM7)
    if kind == 3:
        data = bytes(byte & 0x11 for byte in data)
    head = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0,
                       interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more
            + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def wav(channels, bits, frames, more=b"", form=1):
    data = bytes(i * 37 & 255 for i in range(frames * channels * bits // 8))
    head = struct.pack("<HHIIHH", form, channels, 8000,
                       8000 * channels * bits // 8, channels * bits // 8, bits)
    if form == 0xfffe:
        head += struct.pack("<HHIH14s", 22, bits, 3, 1,
                            bytes.fromhex("000000001000800000aa00389b71"))
    body = (b"WAVEfmt " + struct.pack("<I", len(head)) + head + more
            + b"data" + struct.pack("<I", len(data)) + data)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def npy(descr, shape, values, version=1, fortran=False):
    head = (f"{{'descr': '{descr}', 'fortran_order': {fortran}, "
            f"'shape': {shape}, }}").encode()
    width = 2 if version == 1 else 4
    head += b" " * (-(len(head) + 8 + width + 1) % 64) + b"\n"
    form = {"i4": "i", "i2": "h", "u8": "Q", "f2": "e", "f4": "f", "f8": "d",
            "b1": "?"}[descr[1:]]
    return (b"\x93NUMPY" + bytes([version, 0])
            + len(head).to_bytes(width, "little") + head
            + struct.pack(f"{descr[0].replace('|', '<')}{len(values)}{form}",
                          *values))


WAV = wav(2, 16, 9)
AIFF = (b"FORM\0\0\0\0AIFFCOMM\0\0\0\x12\0\1\0\0\0\x08\0\x10\x40\x0b\xfa"
        + bytes(7) + b"SSND\0\0\0\x18" + bytes(24))
FLAC = bytes.fromhex(  # 16 samples, by SoX
    "664c61438000002204800480000013000013"
    "01f400f000000010723fb66277bdd858f13ff135dd9dfe75"
    "fff86408000fce16fc7cfca1fd10003ffe5d62")
LZ4 = b"\4\"M\x18`@\x82\3\0\0\x80abc\0\0\0\0"
PALETTE = chunk(b"PLTE", bytes(range(48)))
PGM = b"P5\n# comment\n6 5\n255\n" + bytes(range(30))
PPM = b"P6 4 3 255\n" + bytes(range(36))
PLAIN = b"P2\n3 2\n255\n1 2 3\n4 5 255\n"
SEEDS = {
    "search.one": [b"is", TEXT],
    "search.long": [b"universally", TEXT],
    "search.several": [b"(?i|)TRUTH|man|of a", TEXT],
    "search.lines": [b"(?i,lines)is", TEXT],
    "search.u64": [b"(?offsets=u64|)is|TRUTH", TEXT],
    "search.hashes": [b"(?offsets|)" + b"|".join(
        b"%c" % (33 + i) * (1 + i % 5) for i in range(60) if i != 91), TEXT],
    "search.file": [b"(?f)@", TEXT, b"that\r\nwant\n"],
    "search.folded": [b"(?if)@", TEXT, b"IT IS\n"],
    # More than the result lists; fewer, and one more than may be given.
    "search.many": [b"a", b"a" * 1500],
    "search.fewer": [b"a", b"ab" * 900],
    "dictionary.many": [digest(b"w" * 255), (b"w" * 255 + b"\n") * 9],
    "conv.many": [b"coefficients=" + b":".join([b"1"] * 26), PGM],
    "dictionary.arg": [digest(b"beta") + b"," + digest(b""), WORDS],
    "dictionary.file": [b"digests=@", WORDS,
                        digest(b"delta") + b"  delta\n\n"
                        + digest(b"last") + b"\r\n" + digest(b"w" * 255)],
    "dictionary.salted": [b"digests=@,salt=x,salt-at=front", WORDS,
                          b"#\nuser:" + digest(b"delta") + b"\n"
                          + digest(b"last") + b":salt\nSHA256 (a) = "
                          + digest(b"beta")],
    "dictionary.sha1": [b"digests=" + b"a" * 40 + b",hash=sha1", WORDS],
    "dictionary.md5": [b"c" * 32 + b":salt," + b"b" * 32, WORDS],
    "records.number": [b"name=price,op=ge,value=-0.5", TABLE],
    "records.text": [b"name=name,op=begins,value=bo,sum=price", TABLE],
    "records.contains": [b"name=note,op=contains,value=quotes,rows=yes",
                         TABLE],
    "records.order": [b"name=note,op=ne,value=plain,sum=price,type=text,"
                      b"sep=;,rows=no", TABLE.replace(b",", b";")],
    "records.and": [b"name=price,op=ge,value=1,and,name=name,op=ne,value=bo,"
                    b"rows=yes", TABLE.replace(b"1", b"NA")],
    "records.by": [b"by=name,sum=price", TABLE],
    "records.forms": [b"sum=2,sep=;,decimal=,,quote=',escape=^,comment=#,"
                      b"skip=1,header=no,missing=skip",
                      b"-\n#\n'a^'b';1.234,5e1\n;-\n0x1f;0x1f\nx"],
    "records.guess": [b"sum=b", b"#\na,b\nr,'x,y',\"1,234\"\n"
                      b"r,\"a\\\"b\",2\n"],
    "records.empty": [b"name=note,op=eq,value=", TABLE],
    "fir.low": [b"low=1000,taps=9", wav(2, 16, 60)],
    "fir.high": [b"high=1000", wav(1, 16, 100)],
    "fir.band": [b"band=500:1500,taps=12", wav(1, 16, 50)],
    "fir.file": [b"file=@", wav(3, 16, 20, b"LIST\x04\0\0\0abcd"),
                 b"# taps\n0.5 -0.25\n1e-3\t0.999 -1\n"],
    "stats.raw": [b"", TEXT],
    "stats.u8": [b"type=s8", bytes(range(256))],
    "stats.s16": [b"type=s16", bytes(range(200))],
    "stats.u32": [b"type=u32", bytes(range(0, 240, 3))],
    "stats.wav8": [b"", wav(1, 8, 40)],
    "stats.wav16": [b"", wav(2, 16, 20, form=0xfffe)],
    "stats.wav32": [b"", wav(1, 32, 20)],
    "stats.open": [b"", WAV[:40] + b"\xff" * 4 + WAV[44:]],
    "stats.rf64": [b"", b"RF64" + WAV[4:12] + b"ds64\x1c\0\0\0" + bytes(8)
                   + b"\x24" + bytes(19) + WAV[12:40] + b"\xff" * 4
                   + WAV[44:]],
    "stats.aiff": [b"", AIFF], "stats.flac": [b"", FLAC],
    "stats.wav24": [b"", wav(1, 24, 20)], "stats.real": [b"", wav(
        1, 32, 20, form=3)], "fir.wide": [b"low=1000,taps=9", wav(1, 24, 60)],
    "stats.caf": [b"", b"caff\0\1\0\0desc" + bytes(7) + b"\x20" + struct.pack(
        ">d4s5I", 8000, b"lpcm", 0, 2, 1, 1, 16) + b"data" + b"\xff" * 8
                  + bytes(12)],
    "stats.law": [b"", wav(2, 8, 20, form=7)],
    "stats.au": [b"", struct.pack(">4s5I", b".snd", 24, 8, 3, 8000, 1)
                 + bytes(8)],
    "search.packed": [b"(?if)@", gzip.compress(TEXT), bz2.compress(b"THAT\n")],
    "search.lz4": [b"b", LZ4], "search.wide": [b"(?f)@", TEXT.decode().encode(
        "utf-16"), "is\r\nis\x1a".encode("utf-32-be")],
    "dictionary.packed": [b"digests=@", lzma.compress(WORDS),
                          bz2.compress(digest(b"beta"))],
    "records.wide": [b"name=price,op=le,value= 2 ",
                     ("\ufeffsep=,\r" + TABLE.decode()).encode("utf-16-le")],
    "records.odd": [b"name=price,op=ge,value=1",
                    b'name;"price"\n "a";\xc2\xa01\0\n'],
    "channels.all": [b"voltage=-40:20.5:4,base=-80,channels=64,steps=20,"
                     b"peak=12,seed=7"],
    "channels.one": [b"voltage=0:0:1,channels=48,steps=9"],
    "channels.falling": [b"voltage=10:-90:3,channels=32,steps=5"],
    "conv.grey": [b"filter=gauss5", png(0, 9, 7)],
    "conv.rgb": [b"filter=sobel", png(2, 8, 6)],
    "conv.palette": [b"filter=sharpen", png(3, 5, 5, 4, PALETTE)],
    "conv.bits": [b"filter=gauss", png(0, 19, 4, 1, interlaced=1)],
    "conv.alpha": [b"filter=gauss", png(4, 3, 3)],
    "conv.pgm": [b"coefficients=1:2:3:-4:5:6:7:8:9,divisor=37,offset=-3", PGM],
    "conv.ppm": [b"coefficients=" + b":".join([b"300"] * 25) + b",shift=11",
                 PPM],
    "conv.plain": [b"filter=sobel", PLAIN],
    "conv.median": [b"median=3,border=zero", PGM],
    "conv.wide": [b"filter=gauss5,border=reflect,alpha=drop",
                  b"P7\nWIDTH 5\nHEIGHT 2\nDEPTH 2\nMAXVAL 999\n"
                  b"TUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n" + b"\2\x99" * 20],
    "conv.jpeg": [b"filter=sobel", (IMAGES / "img_jpeg.jpg").read_bytes()],
    "conv.tiff": [b"filter=gauss", (IMAGES / "img_tiff.tif").read_bytes()],
    "matvec.int": [b"vector=@", npy("<i4", "(3, 2)", range(6)),
                   npy("<i4", "(2,)", [5, -7])],
    "matvec.q15": [b"vector=@",
                   npy("<i2", "(4, 9)", range(-18, 18), version=2),
                   npy("<i2", "(9,)", range(0, 9000, 1000))],
    "matvec.floats": [b"vector=@,bits=15",
                      npy(">f8", "(2, 3)", [.5, 1e300, -3, 4, 5, 1e-9], 3),
                      npy("<f2", "(1, 3)", [1, -.25, 65504])],
    "matvec.matrix": [b"matrix=@,int16=whole",
                      npy("<u8", "(2, 3)", [2 ** 64 - 1, *range(5)], 1, True),
                      npy("|b1", "(3, 4)", [1, 0] * 6)],
    "matvec.block": [b"matrix=@,bits=53",
                     npy("<f4", "(1, 1)", [-7.25]),
                     npy("<f8", "(1, 0)", [])],
    "spin.plain": [b"100", TEXT[:40]],
    "spin.output": [b"3,5/4", TEXT[:40]],
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, parts in SEEDS.items():
        (folder / f"read-{name}").write_bytes(b"\n%%\n".join(parts))


main()

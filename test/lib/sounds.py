# SPDX-License-Identifier: Apache-2.0
"""libsndfile, called by hand: files of every kind that it writes, and the
samples of any file that it opens."""
import ctypes
import ctypes.util

import numpy

LIBRARY = ctypes.CDLL(ctypes.util.find_library("sndfile"))
READ, WRITE = 0x10, 0x20
MAJORS, MAJOR, SUBTYPES, SUBTYPE = 0x1030, 0x1031, 0x1032, 0x1033
CLIPPING = 0x10c0
SUB, TYPE = 0xffff, 0x0fff0000
# Encodings that give back the integers that were written; their bits.
WHOLE = {1: 8, 2: 16, 3: 24, 4: 32, 5: 8, 0x41: 16, 0x42: 24, 0x50: 8,
         0x51: 16}
ALAC = {0x71: 24, 0x72: 24, 0x73: 32}  # the library writes noise wrongly
REAL = {6: 32, 7: 32, 0x60: 16, 0x64: 16, 0x82: 16}


class Info(ctypes.Structure):
    _fields_ = [("frames", ctypes.c_int64), ("rate", ctypes.c_int),
                ("channels", ctypes.c_int), ("format", ctypes.c_int),
                ("sections", ctypes.c_int), ("seekable", ctypes.c_int)]


class Kind(ctypes.Structure):
    _fields_ = [("format", ctypes.c_int), ("name", ctypes.c_char_p),
                ("suffix", ctypes.c_char_p)]


for call in ("sf_open", "sf_strerror"):
    getattr(LIBRARY, call).restype = ctypes.c_void_p
for call in ("readf_int", "readf_double", "writef_int", "writef_double"):
    function = getattr(LIBRARY, "sf_" + call)
    function.restype = ctypes.c_int64
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64]
LIBRARY.sf_close.argtypes = [ctypes.c_void_p]
LIBRARY.sf_command.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
                               ctypes.c_int]


def kinds(count, one):
    many = ctypes.c_int()
    LIBRARY.sf_command(None, count, ctypes.byref(many), 4)
    for number in range(many.value):
        kind = Kind(number)
        LIBRARY.sf_command(None, one, ctypes.byref(kind), ctypes.sizeof(kind))
        yield kind.format, kind.name.decode(), (kind.suffix or b"").decode()


def every_format():
    """(format, channels, rate, suffix) of all that it writes: kinds of
    files and encodings. Some take one channel or certain rates only."""
    for major, _, suffix in kinds(MAJORS, MAJOR):
        for minor, _, _ in kinds(SUBTYPES, SUBTYPE):
            for channels, rate in ((2, 48000), (1, 48000), (1, 8000)):
                info = Info(0, rate, channels, major | minor)
                if LIBRARY.sf_format_check(ctypes.byref(info)):
                    yield major | minor, channels, rate, suffix
                    break


def write(path, samples, form, rate=8000):
    """Writes samples, integers of 32 bits or doubles, a row a frame. Returns
    whether the library can."""
    info = Info(0, rate, samples.shape[1], form)
    file = LIBRARY.sf_open(str(path).encode(), WRITE, ctypes.byref(info))
    if not file:
        return False
    LIBRARY.sf_command(file, CLIPPING, None, 1)
    samples = numpy.ascontiguousarray(samples)
    one = "int" if samples.dtype == numpy.int32 else "double"
    wrote = getattr(LIBRARY, "sf_writef_" + one)(file, samples.ctypes.data,
                                                 len(samples))
    LIBRARY.sf_close(file)
    return wrote == len(samples)


def read(path, kind=numpy.int32):
    """Samples, integers at the upper end of 32 bits or doubles, and Info."""
    info = Info()
    file = LIBRARY.sf_open(str(path).encode(), READ, ctypes.byref(info))
    if not file:
        return None, info
    one = "int" if kind == numpy.int32 else "double"
    parts = []
    while not parts or len(parts[-1]) > 0:
        block = numpy.zeros((4096, info.channels), kind)
        got = getattr(LIBRARY, "sf_readf_" + one)(file, block.ctypes.data,
                                                  len(block))
        parts.append(block[:max(got, 0)])
    LIBRARY.sf_close(file)
    return numpy.concatenate(parts), info


def taken(path):
    """A file's samples as the product takes them, by the rule that
    qemu/format/sound.h states, and their bits."""
    whole, info = read(path)
    encoding = info.format & SUB
    if encoding in REAL:
        bits = REAL[encoding]
        full = 2.0 ** (bits - 1)
        values = numpy.rint(read(path, numpy.float64)[0] * full)
        return numpy.clip(values, -full, full - 1).astype(numpy.int64), bits
    bits = WHOLE.get(encoding, ALAC.get(encoding, 16))
    return whole.astype(numpy.int64) >> (32 - bits), bits

# SPDX-License-Identifier: Apache-2.0
"""Twins of the kernels: what each must say of a load, by the plainest program
that says it. (records and channels: twin_records.py, twin_channels.py.)"""
import fractions
import hashlib
import itertools
import wave

import numpy

from mesh import occurrences

# ---- search ----


def folded(data, folds):
    """With the capitals of ASCII as small letters, if case does not count."""
    return data.lower() if folds else data


def counts_and_offsets(data, patterns, folds=False):
    """How often each pattern occurs, and all offsets, ascending."""
    data = folded(data, folds)
    found = [occurrences(data, folded(pattern, folds)) for pattern in patterns]
    return [len(one) for one in found], sorted(itertools.chain(*found))


# ---- spin ----

def spun(units, ratio):
    """The output of P/Q bytes a unit: byte i is the low byte of 31 i + 7."""
    p, q = map(int, ratio.split("/"))
    return bytes((31 * i + 7) % 256 for i in range(-(-units * p // q)))


def burst(data, unit=1):
    """The units of a load where those that begin with 128 or more count
    three."""
    return len(data) // unit + 2 * sum(byte >= 128 for byte in data[::unit])


# ---- dictionary ----

WORD_MAX = 255


def lines(load):
    """(offset, word) of every line."""
    at = 0
    while at < len(load):
        end = load.find(b"\n", at)
        word = load[at:] if end < 0 else load[at:end]
        yield at, word[:-1] if end >= 0 and word[-1:] == b"\r" else word
        at = len(load) if end < 0 else end + 1


def found(load, digests):
    words = [(at, word) for at, word in lines(load) if len(word) <= WORD_MAX]
    return len(words), [(at, word) for at, word in words
                        if hashlib.sha256(word).digest() in digests]


# ---- stats ----

# name: the kernel's argument, NumPy's type
TYPES = {"u8": (1, "u1"), "s8": (17, "i1"), "u16": (2, "<u2"),
         "s16": (18, "<i2"), "u32": (4, "<u4"), "s32": (20, "<i4")}
BINS = 256
PERCENTILES = {"p1": 1, "p5": 5, "p25": 25, "median": 50, "p75": 75, "p95": 95,
               "p99": 99}


def percentiles(samples, bins, bits, low):
    """NumPy's where a bin is a value; else the least and the greatest value
    that they can be."""
    if bits == 8:
        return {name: float(numpy.percentile(samples.astype(float), percent))
                for name, percent in PERCENTILES.items()}
    found, ends, wide = {}, numpy.cumsum(bins), 1 << bits - 8
    for name, percent in PERCENTILES.items():
        place = fractions.Fraction(percent * (samples.size - 1), 100)
        first, last = (int(numpy.searchsorted(ends, at, "right")) for at in (
            place.numerator // place.denominator,
            -(-place.numerator // place.denominator)))
        found[name + "_from"] = max(first * wide + low, int(samples.min()))
        found[name + "_to"] = min(last * wide + wide - 1 + low,
                                  int(samples.max()))
    return found


def stats(samples, bits=None):
    """What is to be said of these integers, exactly."""
    signed = samples.dtype.kind == "i"
    bits = bits or 8 * samples.itemsize
    low = -(1 << bits - 1) if signed else 0
    bins = numpy.bincount((samples.astype(numpy.int64) - low) >> bits - 8,
                          minlength=BINS)
    whole, count = samples.astype(object), samples.size
    total, squares = whole.sum(), (whole * whole).sum()
    mean = fractions.Fraction(total, count)
    return {"count": count, "min": int(samples.min()),
            "max": int(samples.max()), "mean": float(mean),
            "variance": float(fractions.Fraction(squares, count) - mean ** 2),
            "sum": [str(total)], "sum_of_squares": [str(squares)],
            "histogram": [int(n) for n in bins],
            **percentiles(samples, bins, bits, low)}


# ---- fir ----

def fir(samples, taps, bits=16):
    """Output and how many of it saturate, in exact integers: a row for each
    frame, a column for each channel."""
    ahead = (len(taps) - 1) // 2
    kind = f"<i{bits // 8}" if bits != 24 else "<i4"
    if len(samples) == 0:
        return samples.astype(kind), 0
    columns = []
    for channel in samples.T.astype(numpy.int64):
        whole = numpy.convolve(channel, numpy.array(taps, numpy.int64))
        columns.append(whole[ahead:ahead + len(channel)])
    values = (numpy.stack(columns, axis=1) + (1 << 14)) >> 15
    out = numpy.clip(values, -(1 << bits - 1), (1 << bits - 1) - 1)
    return out.astype(kind), int((out != values).sum())


def packed(samples, bits):
    """Signed samples of so many bits, little-endian."""
    whole = numpy.ascontiguousarray(samples, "<i4").view("u1")
    return whole.reshape(-1, 4)[:, :bits // 8].tobytes()


def design(taps, rate, low=None, high=None):
    """The windowed sinc of qemu/format/fir.c, in Q15."""
    start = 0 if low is None else low / (rate / 2)
    end = 1 if high is None else high / (rate / 2)
    where = (0 if low is None else 1 if high is None else (start + end) / 2)
    m = numpy.arange(taps) - (taps - 1) / 2
    ideal = end * numpy.sinc(end * m) - start * numpy.sinc(start * m)
    tap = numpy.hamming(taps) * ideal
    tap /= (tap * numpy.cos(numpy.pi * m * where)).sum()
    return [int(value) for value in numpy.round(tap * 32768)]


def write_wav(path, samples, rate=8000):
    with wave.open(str(path), "wb") as file:
        file.setparams((samples.shape[1], 2, rate, 0, "NONE", None))
        file.writeframes(samples.astype("<i2").tobytes())
    return path


def read_wav(path):
    """Samples and rate."""
    with wave.open(str(path), "rb") as file:
        assert file.getsampwidth() == 2
        flat = numpy.frombuffer(file.readframes(file.getnframes()), "<i2")
        return flat.reshape(-1, file.getnchannels()), file.getframerate()


# ---- conv ----

GAUSS = [1, 2, 1, 2, 4, 2, 1, 2, 1]
GAUSS5 = [a * b for a in (1, 4, 6, 4, 1) for b in (1, 4, 6, 4, 1)]
FILTERS = {"gauss": (GAUSS, 16, 0), "gauss5": (GAUSS5, 256, 0),
           "sharpen": ([0, -1, 0, -1, 5, -1, 0, -1, 0], 1, 0)}


FILTERS["gauss3"] = FILTERS["gauss"]
BORDERS = {"replicate": "edge", "reflect": "reflect", "zero": "constant"}


def neighbours(plane, side, border="replicate"):
    """The side * side planes of a sample's neighbours, row by row."""
    height, width = plane.shape
    wide = numpy.pad(plane, side // 2, BORDERS[border])
    return [wide[y:y + height, x:x + width]
            for y, x in itertools.product(range(side), repeat=2)]


def sums(plane, square, border="replicate"):
    """Of products with an odd square that is not mirrored, in whole
    numbers."""
    side = int(len(square) ** 0.5)
    return sum(values.astype(object) * int(c) for values, c in zip(
        neighbours(plane, side, border), square))


def linear(plane, square, divisor=1, offset=0, border="replicate"):
    value = (sums(plane, square, border) + divisor // 2) // divisor + offset
    return numpy.clip(value, 0, numpy.iinfo(plane.dtype).max).astype(
        plane.dtype)


def sobel(plane, border="replicate"):
    gx = sums(plane, [-1, 0, 1, -2, 0, 2, -1, 0, 1], border)
    gy = sums(plane, [-1, -2, -1, 0, 0, 0, 1, 2, 1], border)
    return numpy.minimum(abs(gx) + abs(gy), numpy.iinfo(
        plane.dtype).max).astype(plane.dtype)


def median(plane, side, border="replicate"):
    return numpy.sort(neighbours(plane, side, border), axis=0)[
        side * side // 2]


def filtered(image, name, border="replicate"):
    """Of an array (height, width) or (height, width, channels)."""
    if image.ndim == 3:
        return numpy.stack([filtered(image[:, :, i], name, border)
                            for i in range(image.shape[2])], axis=2)
    return (sobel(image, border) if name == "sobel"
            else linear(image, *FILTERS[name], border))


# ---- matvec ----

def matvec(matrix, vector):
    """Whole numbers of 64 bits; of Q15, rounded and limited to 16."""
    total = matrix.astype("<i8") @ vector.astype("<i8")
    if matrix.dtype == numpy.dtype("<i4"):
        return total
    return numpy.clip((total + 2 ** 14) >> 15, -2 ** 15,
                      2 ** 15 - 1).astype("<i2")

# SPDX-License-Identifier: Apache-2.0
"""All kernels by hand: arguments that begin() refuses, results that merge()
refuses, and that no bytes upset either."""
import struct

import pytest
from hypothesis import given, settings, strategies as st

import kernels


def records(wide=0, groups=0, longest=10, label=255, sums=0, **condition):
    return struct.pack("<4B2H2I", 44, 10, 2 * sums, wide, 0, groups, longest,
                       label) + condition_of(**condition)


def condition_of(op=2, numbers=0, decimals=0, value=b"x", size=None):
    """A condition of records, whose value is said to have `size` bytes."""
    return struct.pack("<H6B", 0, op, numbers, decimals,
                       len(value) if size is None else size, 0,
                       0) + value + bytes(-len(value) % 4)


def search(*patterns, flags=0, tail=bytes(3)):
    """Patterns, each behind its length."""
    return bytes([flags]) + b"".join(
        bytes([len(pattern)]) + pattern for pattern in patterns) + tail


RECORDS = records()
MATVEC = struct.pack("<I3i", 4, 1, 2, 3)
CONV = struct.pack("<BBHIIiI9h", 3, 0, 0, 3, 4, 1, 16, 1, 2, 1, 2, 4, 2, 1, 2,
                   1)
SOBEL = struct.pack("<BBHII", 3, 1, 0, 3, 4)
SWEEP = (2, 1, -60_000_000, 60_000_000, -80_000_000, 64, 10, 2, 6, 0, 7)

DIGESTS = bytes(8) + struct.pack("<II", 1, 0) + b"a" * 32

# kernel: an argument and a unit's bytes that are accepted, and a load.
GOOD = {
    "search": (search(b"a", b"b"), 1, b"abba"), "stats": (b"\x02", 2, b"1234"),
    "fir": (b"\1\2", 2, b"1234"), "conv": (CONV, 1, bytes(12)),
    "matvec": (MATVEC, 12, bytes(24)),
    "records": (RECORDS, 1, b"x\ny\n"),
    "dictionary": (DIGESTS, 1, b"a\nb\na\n"),
    "channels": (struct.pack("<IIiiiIIIIIQ", *SWEEP), 0, b"")}


def conv(at, *values):
    """The argument with other bytes."""
    return CONV[:at] + bytes(values) + CONV[at + len(values):]


def sweep(at, value):
    words = list(SWEEP)
    words[at] = value
    return struct.pack("<IIiiiIIIIIQ", *words)


REFUSED = {
    "search": [(arg, 1) for arg in (
        b"", b"\0", search(), search(b""), search(b"a", b""),
        search(b"a", b"", b"b"), search(b"a", tail=b""),
        search(b"a", tail=bytes(2)), search(b"a", tail=bytes(4)),
        search(b"a", tail=b"b\0\0\0"), b"\1\xffa\0\0\0", b"\1\2a\0\0\0",
        b"\1\1a\2bc\0\0", search(*[b"a"] * 256))]
    + [(search(b"a"), 0), (search(b"a", flags=2), 2 ** 32 - 1)],
    "stats": [(b"", 1), (b"\x01\x01", 1), (b"\x00", 1), (b"\x03", 4),
              (b"\x08", 8), (b"\x10", 1), (b"\x21", 1), (b"\xff", 1),
              (b"\x02", 1), (b"\x02", 3), (b"\x04", 6), (b"\x01", 0)],
    "fir": [(b"", 2), (b"\1", 2), (b"\1\2\3", 2), (bytes(2002), 2),
            (b"\1\2", 0), (b"\1\2", 1), (b"\1\2", 3), (b"\1\2", 65536)],
    "conv": [(arg, 1) for arg in (
        conv(0, 4), conv(0, 0), conv(0, 5), conv(1, 3), conv(1, 1), conv(2, 4),
        conv(0, 9), conv(1, 2), conv(13, 1), conv(14, 255),
        conv(3, 1), conv(7, 0x40), conv(15, 0x7f), conv(16, 0, 0, 0, 0),
        conv(18, 0x11), conv(4, 0), CONV[:-1], CONV + b"\0", CONV[:12], b"",
        SOBEL + b"\0", SOBEL[:4] + bytes(4) + SOBEL[8:],
        SOBEL[:8] + bytes(4), SOBEL[:4] + struct.pack("<II", 1 << 15,
                                                      1 << 15))]
    + [(CONV, 3)],
    "matvec": [(MATVEC, 4), (MATVEC, 6), (b"\2" + MATVEC[1:], 13),
               (MATVEC, 0), (MATVEC[:-1], 11), (MATVEC[:4], 0), (b"", 0),
               (b"\3" + MATVEC[1:], 12), (b"\0" + MATVEC[1:], 12),
               (b"\4\2\0\0" + MATVEC[4:], 12), (b"\4\4\0\0" + MATVEC[4:], 12),
               (b"\4\0\1\0" + MATVEC[4:], 12), (b"\4\0\0\1" + MATVEC[4:], 12),
               (MATVEC, 12 * 8192), (b"\2\0\0\0abc", 3),
               (b"\4\0\0\0abcdef", 6),
               # Units that begin with their vectors: columns, then sizes.
               *[(struct.pack("<BBHI", 4, 3, 1, columns), unit)
                 for columns, unit in ((3, 24), (3, 30), (3, 37), (0, 36),
                                       (2 ** 30, 36), (2 ** 31 + 3, 36))]],
    "records": [(arg, 1) for arg in (
        b"", RECORDS[:15], RECORDS[:16], RECORDS[:-1], RECORDS + b"x",
        records(wide=20), records(wide=1, groups=586), records(groups=410),
        records(longest=2 ** 20 + 1), records(sums=1, label=19),
        records(wide=1, numbers=1, value=bytes(8)),
        records(decimals=19), records(numbers=1, value=bytes(7)),
        records(op=16, numbers=1, value=bytes(8)), records(op=16, value=b""),
        records(size=5), RECORDS + 8 * condition_of())]
    + [(RECORDS, 0), (RECORDS, 65536)],
    "dictionary": [(arg, 1) for arg in (
        b"", b"x" * 31, b"x" * 33, DIGESTS[:-1], DIGESTS + b"\0",
        bytes(8) + struct.pack("<II", 2, 0) + b"a" * 64,
        bytes(8) + struct.pack("<II", 2, 0) + b"b" * 32 + b"a" * 32)],
    "channels": [(sweep(at, value), 0) for at, value in (
        (0, 0), (0, 1_000_001), (1, 0), (1, 3), (2, -200_000_001),
        (3, 200_000_001), (4, -2 ** 31), (5, 0), (5, 8), (5, 72),
        (5, 100_016), (6, 0), (6, 100_001), (7, 5), (7, 2 ** 32 - 1), (8, 0),
        (8, 11), (9, 2))]
    + [(GOOD["channels"][0][:-1], 0), (GOOD["channels"][0] + b"\0", 0),
       (b"", 0), (GOOD["channels"][0], 1)]}


def begun(name):
    """A job that is accepted, and the result of its load."""
    arg, unit, load = GOOD[name]
    job = kernels.Job1(name, arg, unit)
    return job, job.run(load, 0, len(load) // unit if unit else 1)[0]


@pytest.mark.parametrize("name", GOOD)
def test_begin_refuses(name):
    begun(name)
    for arg, unit in REFUSED[name]:
        with pytest.raises(kernels.Refused):
            kernels.Job1(name, arg, unit)
            pytest.fail(f"accepted: {arg} with units of {unit}")


@pytest.mark.parametrize("name", sorted(set(GOOD) - {"conv", "matvec"}))
def test_merge_refuses(name):
    job, result = begun(name)
    job.merge(result, result)
    bad = [b"", result[:-1], result + b"\0"]
    if name == "stats":
        bad.append(b"\x12" + result[1:])
    if name == "records":
        bad.append(result[:8] + b"\1" + result[9:])
    for one in bad:
        with pytest.raises(kernels.Refused):
            job.merge(result, one)
            pytest.fail(f"accepted: {one}")


@settings(max_examples=200, deadline=None)
@given(name=st.sampled_from(sorted(GOOD)), arg=st.binary(max_size=200),
       head=st.integers(0, 60), unit=st.integers(0, 40))
def test_no_argument_upsets_a_kernel(name, arg, head, unit):
    """Any bytes, and such as begin like an argument; of texts also a run."""
    is_text = name in ("search", "records")
    for one in (arg, GOOD[name][0][:head] + arg):
        try:
            job = kernels.Job1(name, one, 1 if is_text else unit)
        except kernels.Refused:
            continue
        if is_text:
            job.scattered(one * 2, 2 * len(one), [len(one)])


@settings(max_examples=200, deadline=None)
@given(name=st.sampled_from(sorted(GOOD)), raw=st.binary(max_size=200),
       head=st.integers(0, 30))
def test_no_result_upsets_a_kernel(name, raw, head):
    """Any bytes, and such as begin like a result."""
    job, result = begun(name)
    for one in (raw, result[:head] + raw, bytes(16) + b"\xff" * 4 + raw):
        try:
            job.merge(result, one)
        except kernels.Refused:
            pass

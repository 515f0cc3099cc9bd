# SPDX-License-Identifier: Apache-2.0
"""What the kernels' jobs cost on the board, beside the same jobs written
plainly (test/bench/kernels/references.h): on the files that the bench makes,
which the board's program finds in its memory."""
import hashlib
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import typing
import wave
import zlib

import numpy

HERE = pathlib.Path(__file__).resolve().parent
for path in (HERE, HERE.parent / "lib"):
    if str(path) not in sys.path:
        sys.path.insert(0, str(path))
import job_bench  # noqa: E402
import mesh  # noqa: E402

IMAGE = mesh.BUILD / "test" / "references.elf"
PSRAM = 0x21000000
HEAD_BYTES = 32
PS_PER_INSTRUCTION = 32_000

# What a reference is, for people; the first is the one to compare with.
NAMES = {
    "search": {"memmem": "newlib's memmem",
               "memmem-by-two": "the same, with our flags"},
    "records": {"state-machine": "state machine of bytes"},
    "stats": {"sums": "histogram and sums",
              "histogram": "histogram alone"},
    "fir": {"direct": "direct sum"},
    "conv": {"direct": "nine products"},
    "matvec": {"direct": "direct sum"},
    "dictionary": {"fips-180-4": "as FIPS 180-4 has it"},
    "channels": {"one-by-one": "channel by channel"},
}


class Job(typing.NamedTuple):
    """As a kernel gets it."""
    arg: bytes
    load: bytes
    units: int
    unit_bytes: int = 1


class Line(typing.NamedTuple):
    """Of the program's table."""
    instructions: int
    result_crc: int
    output_crc: int
    words: tuple  # the result's first ones


# ---- the bench's jobs, with their arguments in the kernels' form ----

def search(path):
    load = path.read_bytes()
    return Job(b"free software", load, len(load))


def records(path):
    """name=price,op=lt,value=50 of prices with two decimals."""
    load = path.read_bytes().split(b"\n", 1)[1]
    longest = max(map(len, load.splitlines(keepends=True)))
    less, number_and_sum, column = 1, 3, 2
    return Job(struct.pack("<9Iq", ord(","), 0, less, number_and_sum, column,
                           0, 2, 2, longest, 5000), load, len(load))


def stats(path):
    load = path.read_bytes()
    return Job(b"\1", load, len(load))


def fir(path, taps=32, pass_hz=1000):
    """A windowed sinc that lets low frequencies pass."""
    with wave.open(str(path)) as file:
        load = file.readframes(file.getnframes())
        part = pass_hz / (file.getframerate() / 2)
    tap = numpy.hamming(taps) * numpy.sinc(
        part * (numpy.arange(taps) - (taps - 1) / 2))
    tap = numpy.round(tap / tap.sum() * 32768).astype("<i2")
    return Job(tap.tobytes(), load, len(load) // 2, 2)


def conv(path):
    load = subprocess.run(["convert", path, "-depth", "8", "gray:-"],
                          check=True, timeout=60, capture_output=True).stdout
    width = height = 1000
    gauss = (1, 2, 1, 2, 4, 2, 1, 2, 1)
    return Job(struct.pack("<BBHIIiI9h", 3, 0, 0, width, height, 8, 16,
                           *gauss), load, len(load))


def matvec(path):
    matrix = numpy.load(path)
    return Job(b"\4\0\0\0" + matrix[0].tobytes(), matrix.tobytes(),
               len(matrix), matrix[0].nbytes)


def dictionary(path):
    """A tenth of the words: all take seconds."""
    words = path.read_bytes().split()
    load = b"".join(word + b"\n" for word in words[:len(words) // 10])
    digests = sorted(hashlib.sha256(words[i]).digest()
                     for i in (5, len(words) // 2))
    return Job(b"".join(digests), load, len(load))


def channels(_):
    """voltage=-60:60:25,channels=1600,steps=100, in 13 pieces a value."""
    values, pieces, steps, peak = 25, 13, 100, 60
    return Job(struct.pack("<IIiiiIIIIIQ", values, pieces, -60_000_000,
                           60_000_000, -80_000_000, 1600, steps,
                           (steps - peak) // 2, peak, 0, 0),
               b"", values * pieces, 0)


JOBS = {"search": search, "records": records, "stats": stats, "fir": fir,
        "conv": conv, "matvec": matvec, "dictionary": dictionary,
        "channels": channels}


def job(folder, name):
    """The bench's, of its file, which is made where it is not there."""
    *_, make, file, _, _ = job_bench.KERNELS[name]
    if make is None:
        return JOBS[name](None)
    if not (folder / file).exists():
        make(folder / file)
    return JOBS[name](folder / file)


# ---- on the board ----

def image_of(name, one):
    """The bytes that the program looks for, as its file says."""
    padding = bytes(-len(one.arg) % 4)
    return (struct.pack("<16s4I", name.encode(), one.unit_bytes, one.units,
                        len(one.arg), HEAD_BYTES + len(one.arg + padding))
            + one.arg + padding + one.load)


def measure(name, one):
    """{"kernel" or a reference's name: Line}."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(image_of(name, one))
        file.flush()
        done = subprocess.run(
            [mesh.QEMU, "-M", "mps2-an385", "-nodefaults", "-display",
             "none", "-icount", "shift=5,sleep=off,align=off",
             "-chardev", "stdio,id=out",
             "-semihosting-config", "enable=on,target=native,chardev=out",
             "-device", f"loader,file={file.name},addr={PSRAM:#x},"
             "force-raw=on", "-kernel", IMAGE],
            capture_output=True, text=True, timeout=300,
            stdin=subprocess.DEVNULL, check=True)
    lines = [line.split() for line in done.stdout.splitlines()
             if not line.startswith("#")]
    return {first: Line(*map(int, numbers[:3]), tuple(map(int, numbers[3:])))
            for first, *numbers in lines}


# ---- whether a reference does the same job ----

def sums(one):
    """What the reference of stats has besides: of unsigned bytes."""
    values = numpy.frombuffer(one.load, "u1").astype(numpy.uint64)
    return struct.pack("<IIQQ", values.min(), values.max(), values.sum(),
                       (values * values).sum())


def same_channels(ours, other):
    """Other numbers: as many steps, and as many open to a part in 200."""
    ours, other = (numpy.array(line.words[::2]) for line in (ours, other))
    return ((ours[:2] == other[:2]).all()
            and (200 * abs(ours - other) <= ours).all())


def agrees(name, reference, one, table):
    """Whether a reference has the kernel's result and output; whether these
    are right is test/kernels/'s to say."""
    ours, other = table["kernel"], table[reference]
    if name == "channels":
        return same_channels(ours, other)
    output = (zlib.crc32(sums(one)) if reference == "sums"
              else ours.output_crc)
    return (other.result_crc, other.output_crc) == (ours.result_crc, output)


def counts(folder, name):
    """{"kernel" or a reference's name: instructions a unit of the bench's}."""
    one = job(folder, name)
    table = measure(name, one)
    for reference in NAMES[name]:
        if not agrees(name, reference, one, table):
            sys.exit(f"bench: {name}: reference {reference} does another job")
    units = one.units * job_bench.KERNELS[name][2]
    return {line: found.instructions / units for line, found in table.items()}


def build():
    """The program, where it is not built."""
    subprocess.run(["make", "-s", "-C", mesh.ROOT,
                    f"BUILD={os.path.relpath(mesh.BUILD, mesh.ROOT)}",
                    os.path.relpath(IMAGE, mesh.ROOT)], check=True,
                   timeout=300, stdout=subprocess.DEVNULL)


# ---- the table ----

SHAPE = "{:40} {:>7} {:>9} {:>6}  {:13} {:4} {}"


def job_count(folder, name):
    """Instructions a unit of the whole job, by the image on one board."""
    report = job_bench.run(folder, name, "1x1", "lvds")
    units = report["load"]["units"] * job_bench.KERNELS[name][2]
    return report["measured"]["one_board_ps"] / PS_PER_INSTRUCTION / units


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def rows(table, folder, name):
    what, most, *_ = job_bench.KERNELS[name]
    ours = job_count(folder, name)
    must = None if most is None else f"{most} at most"
    first = [f"{name}: {what}", number(ours)]
    verdict = [must or "", table.verdict(must, most is None or ours <= most)]
    counted = counts(folder, name)
    for reference, shown in NAMES[name].items():
        theirs = counted[reference]
        table.row(*first, number(theirs), f"{theirs / ours:.2f}", *verdict,
                  shown)
        first = verdict = ["", ""]
    if ours >= min(counted[reference] for reference in NAMES[name]):
        sys.exit(f"bench: {name}: a reference takes fewer instructions")


def lines(bench, table):
    """Every kernel beside its references; only ours must be anything."""
    build()
    table.headings("instructions on the board", "ours", "reference", "ratio",
                   "ours must be", "met", "the reference is", shape=SHAPE)
    for name in NAMES:
        rows(table, bench.folder, name)

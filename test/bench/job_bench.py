# SPDX-License-Identifier: Apache-2.0
"""The kernels' jobs: what they cost on one board; how close 25 boards come to
the plan."""
import hashlib
import pathlib
import random
import subprocess

import numpy

from measure import MEGA, PS_PER_INSTRUCTION, job

SHAPE = "{:35} {:>9} {:>9} {:>14} {:>14}  {}"
ONE_BOARD = "{:35} {:>12} {:>12} {:>9}  {}"


def text(path):
    """English, about 240 kB of it, as often as it takes."""
    licenses = sorted(pathlib.Path("/usr/share/common-licenses").iterdir())
    part = b"".join(p.read_bytes() for p in licenses if not p.is_symlink())
    path.write_bytes((part * (MEGA // len(part) + 1))[:MEGA])


def table(path):
    rng = random.Random(4180)
    with path.open("w", encoding="ascii") as file:
        file.write("id,name,price,quantity\n")
        while file.tell() < MEGA:
            file.write(f"{rng.randint(10 ** 6, 10 ** 7 - 1)},"
                       f"item {rng.randint(100, 999)},"
                       f"{rng.randint(10, 99)}.{rng.randint(10, 99)},"
                       f"{rng.randint(10, 99)}\n")


def samples(path):
    rng = numpy.random.default_rng(8)
    path.write_bytes(rng.integers(0, 256, MEGA, dtype=numpy.uint8).tobytes())


def sound(path):
    subprocess.run(
        ["sox", "-R", "-n", "-r", "48000", "-b", "16", "-c", "1", path, "synth",
         f"{MEGA // 2}s", "whitenoise"],
        check=True, timeout=60, capture_output=True)


def picture(path):
    subprocess.run(["convert", "-size", "1000x1000", "-seed", "7",
                    "plasma:grey20-grey80", "-colorspace", "Gray", "-depth",
                    "8", path], check=True, timeout=60, capture_output=True)


def matrix(path, columns=250):
    """A megabyte of int32; the columns are told apart by the file's name."""
    rng = numpy.random.default_rng(31)
    values = rng.integers(-10 ** 6, 10 ** 6,
                          (MEGA // 4 // columns, columns), dtype=numpy.int32)
    numpy.save(path, values)
    numpy.save(path.with_name("vector.npy"), values[0])


def short_rows(path):
    """Whole rows cannot be cut: 30 of 250 a node are too few to plan with."""
    matrix(path, 32)


def words(path):
    rng = random.Random(180)
    letters = "abcdefghijklmnopqrstuvwxyz"
    lines = ["".join(rng.choices(letters, k=9)) for _ in range(MEGA // 10)]
    path.write_text("\n".join(lines) + "\n", encoding="ascii")
    digests = [hashlib.sha256(lines[i].encode()).hexdigest()
               for i in (5, len(lines) // 2)]
    path.with_name("digests").write_text("\n".join(digests) + "\n",
                                         encoding="ascii")


# kernel: what is counted, at most, how many of these a unit has, how the input
# is made (None: there is none), its name, the argument, with an output. The
# sweep of channels: 325 units are 50 groups of 32 at 25 voltages, 100 steps.
KERNELS = {
    "search": ("a byte, 'free software'", 2.5, 1, text, "text",
               "free software", None),
    "records": ("a byte", 12, 1, table, "table.csv",
                "name=price,op=lt,value=50", None),
    "stats": ("a byte of 8 bits", 5, 1, samples, "samples", "type=u8", None),
    "fir": ("a tap and sample, 32 taps", 2, 32, sound, "sound.wav",
            "low=1000,taps=32", "out.wav"),
    "conv": ("a pixel, 3x3 grey", 20, 1, picture, "picture.png",
             "filter=gauss", "out.png"),
    "matvec": ("a multiply-accumulate", 3, 250, matrix, "matrix.npy",
               "vector={folder}/vector.npy", "out.npy"),
    "dictionary": ("a word of one SHA-256 block", 3200, .1, words, "words",
                   "digests={folder}/digests", None),
    "channels": ("a step of 32 channels", None, 25 * 50 * 100 / 325, None,
                 None, "voltage=-60:60:25,channels=1600,steps=100", None),
}

# Where 25 boards share it.
SHARED = {"matvec": (short_rows, "short.npy")}


def run(bench, name, size, profile, *options, arg=None, shared=None):
    """The report of a kernel's job; `shared`: with the load for 25 boards."""
    *_, make, file, given, output = KERNELS[name]
    if name in SHARED and (size != "1x1" if shared is None else shared):
        make, file = SHARED[name]
    if output is not None:
        options += ("-o", bench.folder / output)
    return bench.told("run", *job(
        size, profile, make and bench.made(file, make), *options, kernel=name,
        arg=(arg or given).format(folder=bench.folder)))


def cost_lines(bench):
    """Instructions of whole jobs on one board."""
    bench.table.headings("instructions on the board", "must be", "measured",
                         "met")
    for name, (what, most, count, *_) in KERNELS.items():
        report = run(bench, name, "1x1", "lvds")
        counted = report["load"]["units"] * count
        bench.table.figure(
            f"{name}: {what}", report["measured"]["computing_ps"]
            / PS_PER_INSTRUCTION / counted, "{:.4g}", most=most)


def one_board_lines(bench):
    """What larger meshes call one board, over the answer of a mesh 1x1."""
    bench.table.headings("one board, by its mesh", "must be", "answer, ms",
                         "off", "met", shape=ONE_BOARD)
    jobs = {name: lambda size, name=name: run(bench, name, size, "t3d",
                                              shared=True)
            for name in KERNELS}
    for kernel, bytes_, arg in (("spin", MEGA, "32"), ("spin", 10_000, "32"),
                                ("search", None, "free software")):
        jobs[f"{kernel}, {bytes_ or 237_320} bytes"] = (
            lambda size, kernel=kernel, bytes_=bytes_, arg=arg: bench.told(
                "run", *job(size, "t3d", bench.load(bytes_, kernel),
                            kernel=kernel, arg=arg)))
    for name, told in jobs.items():
        alone = told("1x1")["measured"]["answer_ps"]
        for size in ["1x1", "3x3", "6x6", "7x6", *bench.sizes()]:
            got = told(size)["measured"]
            off = got["one_board_ps"] / alone - 1
            bench.table.row(
                f"{name}, {size}", "1 % at most",
                f"{got['answer_ps'] / 10 ** 9:.3f}", f"{off:+.3%}",
                bench.table.verdict(True, abs(off) <= .01))


def plan_lines(bench):
    """With the rate that the originator measures on the first units, and with
    that of a run before."""
    bench.table.headings("25 boards, 1 MB, makespan vs plan", "measured",
                         "known", "known must be", "answer's gain", "met",
                         shape=SHAPE)
    for name in KERNELS:
        for profile in ("lvds", "t3d"):
            rates = bench.folder / f"rates-{name}-{profile}.json"
            measured, known = (run(bench, name, "5x5", profile, "--rates",
                                   rates)["measured"] for _ in range(2))
            off = known["overhead_vs_plan"]
            gain = 1 - known["answer_ps"] / measured["answer_ps"]
            bench.table.row(f"{name}, {profile}",
                            f"{measured['overhead_vs_plan']:+.2%}",
                            f"{off:+.2%}", "within 2 %", f"{gain:.2%}",
                            bench.table.verdict(True, abs(off) <= .02))


def lines(bench):
    cost_lines(bench)
    one_board_lines(bench)
    plan_lines(bench)

# SPDX-License-Identifier: Apache-2.0
"""The kernels' jobs: what they cost on one board, beside plain C; how close 25
boards come to the plan."""
import hashlib
import json
import pathlib
import random
import struct
import subprocess

import numpy

import mesh
from measure import KILO, LIMIT_S, MEGA, PS_PER_INSTRUCTION, fail, job

COSTS = "{:35} {:>9} {:>8} {:>8} {:>8} {:>8} {:>7}  {}"

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


# ---- the cheapest and the dearest that a kernel meets, and plain C ----

def zeros(path):
    path.write_bytes(bytes(100 * KILO))


def noise(path):
    """100 kB of printable letters."""
    path.write_bytes(bytes(random.Random(3).choices(range(97, 123),
                                                    k=100 * KILO)))


def patterns(path):
    """255 of 8 letters."""
    rng = random.Random(255)
    path.write_text("".join("".join(rng.choices(
        "abcdefghijklmnopqrstuvwxyz", k=8)) + "\n" for _ in range(255)),
        encoding="ascii")


def some_text(path):
    text(path)
    path.write_bytes(path.read_bytes()[:100 * KILO])


def some_table(path):
    table(path)
    path.write_text("".join(path.read_text("ascii").splitlines(True)[:4000]),
                    encoding="ascii")


def wide_table(path):
    """Few cells of long words."""
    path.write_text("id,text\n" + "".join(
        f"{i % 10},{'word ' * 40}\n" for i in range(500)), encoding="ascii")


def long_numbers(path):
    """Of 30 digits, for sums of groups."""
    rng = random.Random(30)
    path.write_text("group,number\n" + "".join(
        f"{i % 50},{rng.randrange(10 ** 29, 10 ** 30)}\n"
        for i in range(3000)), encoding="ascii")


def wave(bits, path):
    subprocess.run(
        ["sox", "-R", "-n", "-r", "48000", "-b", str(bits), "-c", "1", path,
         "synth", f"{100 * KILO // (bits // 8)}s", "whitenoise"],
        check=True, timeout=60, capture_output=True)


def small_picture(depth, path):
    subprocess.run(["convert", "-size", "200x200", "-seed", "7",
                    "plasma:grey20-grey80", "-colorspace", "Gray", "-depth",
                    str(depth), path], check=True, timeout=60,
                   capture_output=True)


def floats(path):
    rng = numpy.random.default_rng(31)
    numpy.save(path, rng.normal(size=(40, 250)))
    numpy.save(path.with_name("reals.npy"), rng.normal(size=250))


def long_words(path):
    path.write_text(("w" * 255 + "\n") * 400, encoding="ascii")
    path.with_name("long-digests").write_text("ab" * 32 + "\n",
                                              encoding="ascii")


def some_words(path):
    words(path)
    path.write_bytes(path.read_bytes()[:100 * KILO])


# kernel: the cheapest and the dearest case, each as (how the input is made, its
# name, the argument, how many of the counted things a unit has), or None.
ENDS = {
    "search": ((noise, "noise", "quincunx board", 1),
               (noise, "noise", "(?f){folder}/patterns", 1)),
    "records": ((wide_table, "wide.csv", "name=id,op=lt,value=5", 1),
                (long_numbers, "long.csv", "by=group,sum=number", 1)),
    "stats": (None, (lambda path: wave(24, path), "24.wav", "", 1)),
    "fir": ((lambda path: wave(16, path), "16.wav", "low=1000,taps=63", 63),
            (lambda path: wave(24, path), "24.wav", "low=1000,taps=32", 32)),
    "conv": (None, (lambda path: small_picture(16, path), "16.png",
                    "median=5", 1)),
    "matvec": (None, (floats, "floats.npy",
                      "vector={folder}/reals.npy,bits=53", 250)),
    "dictionary": (None, (long_words, "long-words",
                    "digests={folder}/long-digests", 1 / 256)),
}


def some_rows(path):
    matrix(path.with_name("matrix.npy"))
    path.write_bytes(numpy.load(path.with_name("matrix.npy"))[:100].tobytes())


TAPS = numpy.hamming(32) / numpy.hamming(32).sum() * 32768
# kernel: that of plain.c, how its load is made, the load's name, the argument,
# bytes of a unit, and how many of the counted things one has.
PLAIN = {
    "search": ("search", some_text, "some-text", b"\x0dfree software", 1, 1),
    "records": ("records", some_table, "some.csv", b"5000\0", 1, 1),
    "stats": ("stats", noise, "noise", b"", 1, 1),
    "fir": ("fir", noise, "noise", TAPS.astype("<i2").tobytes(), 2, 32),
    "conv": ("conv", zeros, "zeros", struct.pack(
        "<11i", 250, 16, 1, 2, 1, 2, 4, 2, 1, 2, 1), 1, 1),
    "matvec": ("matvec", some_rows, "some-rows", bytes(range(250)) * 4, 1000,
               250),
    "dictionary": ("sha256", some_words, "some-words", bytes(32), 1, .1)}


def plain_cost(bench, kernel):
    """Instructions that plain C takes for a counted thing."""
    name, make, file, arg, unit, count = PLAIN[kernel]
    words = ["run", "--json", "--firmware", mesh.BUILD / "test/dear.elf",
             "--mesh", "1x1", "--profile", "lvds", "--kernel",
             f"plain_{name}", "--unit", unit, *(
                 ["--arg-hex", arg.hex()] if arg else ["--arg", "x"]),
             bench.made(file, make)]
    done = mesh.subprocess.run(
        [mesh.BUILD / "test/dear", *map(str, words)], check=False,
        capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        fail(f"plain {name} failed:\n{done.stderr}")
    return cost(json.loads(done.stdout), count)


def cost(report, count):
    """Instructions for a counted thing, of which a unit has `count`."""
    return (report["measured"]["computing_ps"] / PS_PER_INSTRUCTION
            / report["load"]["units"] / count)


def end_cost(bench, name, case):
    make, file, arg, count = case
    bench.made("patterns", patterns)
    output = KERNELS[name][6]
    return cost(bench.told("run", *job(
        "1x1", "lvds", bench.made(file, make), *(
            ["-o", bench.folder / output] if output else []),
        kernel=name, arg=arg.format(folder=bench.folder))), count)


def cost_lines(bench):
    """Instructions of whole jobs on one board, and of plain C for the usual
    one."""
    bench.table.headings("instructions on the board", "must be", "usual",
                         "best", "worst", "plain C", "of ours", "met",
                         shape=COSTS)
    for name, (what, most, count, *_) in KERNELS.items():
        usual = cost(run(bench, name, "1x1", "lvds"), count)
        ends = [f"{end_cost(bench, name, case):.4g}" if case else ""
                for case in ENDS.get(name, (None, None))]
        plain = plain_cost(bench, name) if name in PLAIN else 0
        bench.table.row(
            f"{name}: {what}", f"{most} at most" if most else "",
            f"{usual:.4g}", *ends, f"{plain:.4g}" if plain else "",
            f"{plain / usual:.2f}" if plain else "",
            bench.table.verdict(most, most is None or usual <= most))


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
    one_board_lines(bench)
    plan_lines(bench)

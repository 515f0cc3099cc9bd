# SPDX-License-Identifier: Apache-2.0
"""What auto takes in situations that nobody picked, beside the best of all
schedules and one board; and loads that are dear in places."""
import json
import math
import random
import struct

import mesh
from measure import KILO, LIMIT_S, MEGA, fail, job

SITUATIONS = 60
SEED = 35
WITHIN = 1.03
WORST = 1.25
PART = .9  # of all situations that are to be within that
DEFAULT = 1.03  # of one board, at most
SHAPE = "{:57} {:13} {:>9} {:16} {:>9} {:>7} {:>7}  {}"

# What a unit takes by the kernel and its argument, in instructions, roughly.
KERNELS = [("search", "free software", .5), ("search", "(?|)e|the|is", 20),
           ("stats", "type=u8", 4.4), ("spin", "8", 8), ("spin", "32", 32),
           ("spin", "200", 200), ("spin", "2000", 2000),
           ("spin", "8,1/1", 8), ("spin", "200,1/1", 200),
           ("spin", "2000,1/4", 2000)]
BOARDS = ["5x5", "5x5", "4x4", "6x3", "3x3", "5x4", "2x2", "7x3", "1x6"]
WORK = 64 * MEGA  # instructions that emulated boards carry out


def situation(rng):
    """The words of a command, and whether nodes are native."""
    native = rng.random() < .6
    size = (f"{rng.randint(2, 8)}x{rng.randint(2, 7)}" if native
            else rng.choice(BOARDS))
    kernel, arg, unit = rng.choice(KERNELS)
    most = min(MEGA, (100 if native else 1) * WORK // unit)
    bytes_ = round(math.exp(rng.uniform(math.log(200), math.log(most))))
    options = ["--on", "native" if native else "qemu"]
    if rng.random() < .2:
        width, height = map(int, size.split("x"))
        at = rng.randrange(1, width * height)
        options += ["--slow", f"{at % width},{at // width}="
                              f"{rng.choice([2, 4, 8])}"]
    if rng.random() < .15:
        options += ["--ports", rng.choice(["1", "2"])]
    return (size, rng.choice(["t3d", "t3d", "lvds", "lvds", "uart"]), bytes_,
            options, {"kernel": kernel, "arg": arg})


def answers(bench, size, profile, load, options, which):
    """Of auto: its choice and answer, that of the default; the best schedule
    and its answer, one board among them, and that of one board."""
    on = options[:2]
    alone_ps = bench.measured(*job("1x1", profile, load, *on, **which)
                              )["answer_ps"]
    compared = bench.told("compare",
                          *job(size, profile, load, *options, **which))
    best = min(compared["schedules"], key=lambda entry: entry["answer_ps"])
    named = f"{best['schedule']}, {best['rounds']}"
    best_ps = best["answer_ps"]
    if alone_ps < best_ps:
        named, best_ps = "one board", alone_ps
    default_ps = bench.measured(*job(size, profile, load, *options, **which)
                                )["answer_ps"]
    auto = bench.told("run", *job(size, profile, load, "--schedule", "auto",
                                  *options, **which))
    return (auto["choices"][0]["schedule"], auto["measured"]["answer_ps"],
            default_ps, named, best_ps, alone_ps)


def random_row(bench, drawn):
    """How many times as long as the best auto takes, and the default as one
    board."""
    size, profile, bytes_, options, which = drawn
    load = bench.load(bytes_, which["kernel"])
    taken, auto_ps, default_ps, best, best_ps, alone_ps = answers(
        bench, size, profile, load, options, which)
    ratio = auto_ps / min(best_ps, auto_ps)
    beside = default_ps / alone_ps
    name = (f"{which['kernel']} {which['arg']}, {bytes_ / KILO:.1f} kB, "
            f"{size} {profile} {' '.join(options[1:])}".replace("--", ""))
    bench.table.row(name, taken, f"{auto_ps / 10 ** 6:.1f}", best,
                    f"{best_ps / 10 ** 6:.1f}", f"{ratio:.3f}",
                    f"{beside:.3f}",
                    bench.table.verdict(True, ratio <= WITHIN
                                        and beside <= DEFAULT, aim=True))
    return ratio, beside


def random_lines(bench):
    """Words: [SITUATIONS [SEED]]."""
    defaults = [SITUATIONS, SEED]
    count, seed = map(int, [*bench.words, *defaults[len(bench.words):]])
    rng = random.Random(f"{seed} choices")
    bench.table.headings(f"situations of seed {seed}", "auto takes", "us",
                         "best is", "us", "of best", "default", "met",
                         shape=SHAPE)
    rows = [random_row(bench, situation(rng)) for _ in range(count)]
    ratios = [ratio for ratio, _ in rows]
    bench.table.headings("what", "must be", "measured", "met")
    bench.table.figure("auto within 3 % of the best",
                       sum(ratio <= WITHIN for ratio in ratios), "{}",
                       least=math.ceil(PART * count), unit=f" of {count}")
    bench.table.figure("auto, worst, of the best", max(ratios), "{:.3f}",
                       most=WORST)
    bench.table.figure("default, worst, of one board",
                       max(beside for _, beside in rows), "{:.3f}",
                       most=DEFAULT)


# ---- loads that are dear in places ----

DEAR_MOST = 1.15
DEAR_SHAPE = "{:46} {:13} {:>9} {:16} {:>9} {:>7}  {}"
SCHEDULES = ["peters-syska", "equal", "nearest", "star", "farm", "hybrid"]


def rows(path):
    """As many values as a row of a matrix has: most few, some thousands, which
    lie beside each other."""
    rng = random.Random(17)
    lengths = [min(4000, int(20 / (1 - rng.random()) ** .6)
                   * (12 if 2000 < i < 3200 else 1)) for i in range(6000)]
    path.write_bytes(struct.pack(f"<{len(lengths)}H", *lengths))


def numbers(count):
    return lambda path: path.write_bytes(bytes(count))


# Kernel, its load and bytes of a unit.
DEAR = [("mandelbrot", numbers(512), 1), ("queens", numbers(1000), 1),
        ("sparse", rows, 2)]


def dear_ps(kernel, said, size, load, unit, *options):
    """The report of a run with the bench's own kernels."""
    words = job(size, "t3d", load, "--unit", unit, *options, kernel=kernel,
                arg="y" if said else "n")
    done = mesh.subprocess.run(
        [mesh.BUILD / "test/dear", "run", "--json", "--firmware",
         mesh.BUILD / "test/dear.elf", *map(str, words)], check=False,
        capture_output=True, text=True, timeout=LIMIT_S)
    if done.returncode != 0:
        fail(f"{kernel} {options} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def dear_lines(bench):
    """Where the kernel says so (y), and where it does not (n)."""
    bench.table.headings("dear data", "auto takes", "us", "best is", "us",
                         "of best", "met", shape=DEAR_SHAPE)
    for size in ("5x5", "6x4"):
        for kernel, make, unit in DEAR:
            load = bench.made(f"dear-{kernel}", make)
            known = {schedule: dear_ps(kernel, False, size, load, unit,
                                       "--schedule", schedule)
                     ["measured"]["answer_ps"] for schedule in SCHEDULES
                     if size == "5x5" or schedule != "hybrid"}
            best = min(known, key=known.get)
            for said in (True, False):
                auto = dear_ps(kernel, said, size, load, unit, "--schedule",
                               "auto")
                auto_ps = auto["measured"]["answer_ps"]
                ratio = auto_ps / known[best]
                bench.table.row(
                    f"{kernel}, {size}, {'said' if said else 'not said'}",
                    auto["choices"][0]["schedule"], f"{auto_ps / 10 ** 6:.1f}",
                    best, f"{known[best] / 10 ** 6:.1f}", f"{ratio:.3f}",
                    bench.table.verdict(True, ratio <= DEAR_MOST))

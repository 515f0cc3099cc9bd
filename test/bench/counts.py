# SPDX-License-Identifier: Apache-2.0
"""Instructions on a board, counted by an emulator: the kernels' jobs beside the
same jobs written plainly (kernels/references.h), plans (planner/board.c), and
calls of the software switch (relay/board.c). And what plans in floating point
lose, and the time of a solver on the host."""
import ctypes
import functools
import hashlib
import random
import struct
import subprocess
import tempfile
import typing
import wave
import zlib
from fractions import Fraction

import numpy

import job_bench
from measure import PS_PER_INSTRUCTION, counted, fail
import model
import rounds
from core import BUILD, Input, PHASES_MAX, Plan

PSRAM = 0x21000000
HEAD_BYTES = 32

# What a reference is, for people; the first is the one to compare with.
NAMES = {
    "search": {"memmem": "newlib's memmem"},
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
    """A line of the program's table."""
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


# ---- on the board ----

def measure(name, one):
    """{"kernel" or a reference's name: Line}; the program finds the job in its
    memory."""
    padding = bytes(-len(one.arg) % 4)
    with tempfile.NamedTemporaryFile() as file:
        file.write(struct.pack(
            "<16s4I", name.encode(), one.unit_bytes, one.units, len(one.arg),
            HEAD_BYTES + len(one.arg + padding))
            + one.arg + padding + one.load)
        file.flush()
        lines = counted("references.elf", "-device", f"loader,file={file.name},"
                        f"addr={PSRAM:#x},force-raw=on")
    return {first: Line(*map(int, numbers[:3]), tuple(map(int, numbers[3:])))
            for first, *numbers in lines}


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


def counts(bench, name):
    """{"kernel" or a reference's name: instructions a unit of the bench's}."""
    *_, a_unit, make, file, _, _ = job_bench.KERNELS[name]
    one = JOBS[name](make and bench.made(file, make))
    table = measure(name, one)
    for reference in NAMES[name]:
        if not agrees(name, reference, one, table):
            fail(f"{name}: reference {reference} does another job")
    return {line: found.instructions / (one.units * a_unit)
            for line, found in table.items()}


SHAPE = "{:40} {:>7} {:>9} {:>6}  {:13} {:4} {}"


def job_count(bench, name):
    """Instructions a unit of the whole job, by the image on one board."""
    report = job_bench.run(bench, name, "1x1", "lvds")
    units = report["load"]["units"] * job_bench.KERNELS[name][2]
    return report["measured"]["one_board_ps"] / PS_PER_INSTRUCTION / units


def number(value):
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def kernel_rows(bench, name):
    """A kernel beside its references; only ours must be anything."""
    what, most, *_ = job_bench.KERNELS[name]
    ours, others = job_count(bench, name), counts(bench, name)
    must = "" if most is None else f"{most} at most"
    first = [f"{name}: {what}", number(ours)]
    verdict = [must, bench.table.verdict(must, most is None or ours <= most)]
    for reference, shown in NAMES[name].items():
        theirs = others[reference]
        bench.table.row(*first, number(theirs), f"{theirs / ours:.2f}",
                        *verdict, shown)
        first = verdict = ["", ""]
        if ours >= theirs:
            fail(f"{name}: a reference takes fewer instructions")


def kernel_lines(bench):
    bench.table.headings("instructions on the board", "ours", "reference",
                         "ratio", "ours must be", "met", "the reference is",
                         shape=SHAPE)
    for name in NAMES:
        kernel_rows(bench, name)


# ---- calls of the switch ----

# (what a call does, its name in the table, instructions at most: a tenth
# above what was counted)
CALLS = [
    ("a byte comes in and is passed on", "passed-byte", 40),
    ("a byte is pending", "passed-pending", 35),
    ("a byte is taken", "passed-taken", 28),
    ("a frame's first bytes", "passed-start", 180),
    ("a frame's end", "passed-end", 40),
    ("a byte is read", "read-byte", 100),
    ("a set-up hop", "setup-hop", 1650),
    ("a release's hop", "release-hop", 610),
    ("a set-up arrives", "setup-arrives", 2900),
    ("240 bytes made into a frame", "frame-made", 6800),
    ("240 bytes arrive", "data-arrives", 3400),
    ("the last bytes of a message arrive", "last-arrives", 6700),
    ("an answer arrives, and frames are made", "answer-arrives", 13800),
    ("a byte of a bad line, mended frames", "bad-line-arrives", 28100),
    ("a frame of a bad line is made", "bad-line-made", 7000),
    ("a message is queued", "send", 1380),
    ("a tick, nothing to do", "tick-idle", 150),
    ("a tick, two circuits held", "tick-held", 170),
    ("a tick, four sources go back", "tick-back", 29200)]
# Of three contents: in one circuit, in two, to the middle: 4 messages and those
# of 4 sources, of ten frames each.
MESSAGES, FRAMES = 3 * (1 + 2 + 1 + 4), 10


def relay_lines(bench):
    """Of messages that all arrived, counted exactly."""
    bench.table.headings("what", "must be", "measured", "met")
    printed = counted("relay_bench.elf", shift=10)
    found = {name: tuple(map(int, words)) for name, *words in printed
             if name != "all"}
    last = found["last-arrives"][0]
    if (["all", "arrived"] not in printed or found["nops"] != (1, 1000, 1000)
            or last != MESSAGES
            or found["data-arrives"][0] + last < MESSAGES * FRAMES):
        fail("the relay's calls are not counted as they must be")
    for what, name, most in CALLS:
        calls, total, worst = found[name]
        bench.table.line(f"relay: instructions, {what}", f"{most} at most",
                         f"{total / calls:.0f}, at most {worst}",
                         0 < worst <= most)


# ---- plans ----

STARTUP_MAX_PS = 2 ** 50

# Parameters of circuits without results, which all the twins can plan.
PLAIN = ("t3d", "t3d-1M", "small-startup", "fig3", "fig4", "hop-delays",
         "lvds", "uart", "slow-units", "fast-units")


@functools.cache
def plans():
    """What planner/board.c counts: {(variant, parameters, phases asked for):
    (planned, instructions)} of plans; {(parameters, N_max): (N, R,
    instructions)} of searches; their bytes of stack."""
    lines = counted("planner_bench.elf")
    table = {(variant, parameters, int(asked)): tuple(map(int, numbers))
             for variant, parameters, asked, *numbers in
             (line for line in lines if line[0] != "stack")}
    found = {key[1:]: value for key, value in table.items()
             if key[0] == "search"}
    stack_bytes, = [int(line[2]) for line in lines if line[0] == "stack"]
    return ({key: value for key, value in table.items() if key[0] != "search"},
            found, stack_bytes)


def host_library():
    host = ctypes.CDLL(str(BUILD / "test" / "planner_bench.so"))
    double_p = ctypes.POINTER(ctypes.c_double)
    float_p = ctypes.POINTER(ctypes.c_float)
    input_p = ctypes.POINTER(Input)
    host.solver_plan.argtypes = [double_p, input_p, ctypes.c_uint]
    host.time_ns.argtypes = [input_p, ctypes.c_uint, ctypes.c_bool]
    host.time_ns.restype = ctypes.c_double
    host.twin_float_backward.argtypes = [float_p, input_p, ctypes.c_uint]
    host.twin_float_backward.restype = None
    for name in ("planner_plan", "twin_double"):
        getattr(host, name).argtypes = [ctypes.POINTER(Plan), input_p]
    return host


def input_of(load, compute, transfer, startup, phases):
    given = Input(load_units=load, compute_ps=compute, transfer_ps=transfer,
                  phases_max=phases)
    for i in range(phases):
        given.startup_ps[i] = startup
    return given


def draw_near_limit(rng):
    """A plan whose last share is a small part of what it could be."""
    while True:
        phases = rng.randint(1, 10)
        load = int(1000 * (2 ** 32 / 1000) ** rng.random())
        compute = 10 ** 6
        transfer = int(compute * 10 ** rng.uniform(-6, 1))
        q = 5 + Fraction(transfer, compute)
        limit = load * compute * (q - 1) / (q ** phases - 1)
        startup = int(limit * (1 - Fraction(10) ** rng.randint(-6, -1)))
        if startup <= STARTUP_MAX_PS:
            return load, compute, transfer, startup, phases


def misses(host, cases=3000, seed=1999):
    """{variant: (plans with a share off by more than a unit, the worst)}."""
    rng = random.Random(seed)
    found = dict.fromkeys(("planner", "double", "float-backward"), (0, 0))
    for _ in range(cases):
        load, compute, transfer, startup, phases = draw_near_limit(rng)
        exact = model.solve(load, compute, [transfer] * phases,
                            [startup] * phases).shares
        given = input_of(load, compute, transfer, startup, phases)
        shares = (ctypes.c_float * (PHASES_MAX + 1))()
        host.twin_float_backward(shares, given, phases)
        got = {"float-backward": [Fraction(x) for x in shares]}
        for name, function in (("planner", host.planner_plan),
                               ("double", host.twin_double)):
            plan = Plan()
            function(plan, given)
            # Floors: half a unit more is the middle of what they stand for.
            got[name] = [x + Fraction(1, 2) for x in plan.share_units]
            if plan.phases != phases:
                got[name] = [Fraction(0)] * (phases + 1)
        for name, (plans, worst) in found.items():
            off = max(abs(a - b) for a, b in zip(got[name], exact))
            found[name] = plans + (off > 1), max(worst, float(off))
    return found


def check_solver(host, phases):
    """The input of a plan that GLPK finds, too."""
    given = input_of(10 ** 9, 10 ** 6, 3300, 10, phases)
    plan = Plan()
    shares = (ctypes.c_double * (PHASES_MAX + 1))()
    assert host.planner_plan(plan, given) == 0 and plan.phases == phases
    assert host.solver_plan(shares, given, phases) == 0
    for ours, theirs in zip(plan.share_units[:phases + 1], shares):
        assert abs(theirs - ours - .5) < .51 + 1e-7 * theirs
    return given


def solver_ratios(host):
    """[(phases, planner ns, solver ns)]."""
    rows = []
    for phases in (2, 4, 10, 20):
        given = check_solver(host, phases)
        rows.append((phases, host.time_ns(given, 20000, False),
                     host.time_ns(given, 200, True)))
    return rows


# Sets of parameters of kernel spin 32 on boards, and N at most: instructions at
# most; all others may take OTHERS.
SEARCHES = {("t3d-1M", 2): 8000, ("t3d-1M", 4): 13_000, ("lvds-1M", 2): 13_000,
            ("lvds-1M", 4): 16_000, ("lvds-100k", 2): 10_000,
            ("lvds-100k", 4): 12_000}
OTHERS = 70_000
# Of sets whose startups do not depend on N: all that the oracle needs.
COSTS = {"t3d": (10 ** 9, 10 ** 6, 3300, 4_850_000),
         "spin": (4 * 10 ** 9, 10 ** 9, 200, 10),
         "fig3": (4 * 10 ** 9, 10 ** 6, 2 * 10 ** 6, 0)}


def above_the_best(parameters, most, chosen):
    """By what part a plan with that N and R is later than the exact best."""
    load, compute, transfer, startup = COSTS[parameters]
    plans = {(n, r + 1): plan for n in range(1, most + 1)
             for r, plan in enumerate(rounds.solve(rounds.Costs(
                 load=load, compute=compute, transfer=transfer,
                 startups=(startup,) * n), 16))}
    best = min(plan.makespan for plan in plans.values() if plan.feasible)
    return plans[chosen].makespan / best - 1


def planner_lines(bench):
    """What the board's plans may cost."""
    table, (cost, found, stack_bytes) = bench.table, plans()
    ours = {key[1:]: value[1] for key, value in cost.items()
            if key[0] == "planner"}
    table.figure("planner: instructions, 4 phases", max(
        value for (name, asked), value in ours.items()
        if asked == 4 and name != "worst"), most=1299)
    table.figure("planner: 20 phases over 4", max(
        value / ours[name, 4] for (name, asked), value in ours.items()
        if asked == 20), "{:.2f}", most=6)
    for name, least in (("double", 5), ("double-products", 1)):
        table.figure(f"planner: {name} over ours, least", min(
            cost[name, one, asked][1] / ours[one, asked]
            for one in PLAIN for asked in (4, 20)), "{:.2f}", least=least)
    others = max(instructions for key, (_, _, instructions) in found.items()
                 if key not in SEARCHES)
    for what, most, value in [
            *((f"{name}, N <= {least}", limit, found[name, least][2])
              for (name, least), limit in SEARCHES.items()),
            ("all others", OTHERS, others)]:
        table.figure(f"planner: instructions of the search, {what}", value,
                     most=most)
    table.figure("planner: the search's plan over the best", float(100 * max(
        above_the_best(name, most, found[name, most][:2])
        for name in COSTS for most in (2, 4))), "{:.4f}", most=0.01, unit=" %")
    table.figure("planner: stack of a search, bytes", stack_bytes, most=3071)
    host = host_library()
    for name, (off, _) in misses(host, cases=600).items():
        exact = name in ("planner", "double")
        table.figure(f"planner: 600 plans near the limit, {name} off by a unit",
                     off, **{"most": 0} if exact else {"least": 30})
    for phases, mine, solver in solver_ratios(host):
        table.figure(f"planner: {phases} phases, GLPK's simplex over ours",
                     solver / mine, "{:.0f}")


def planner_table(bench):
    """All that planner/board.c counts, and more random plans."""
    say, (cost, found, stack_bytes) = bench.table.print, plans()
    others = ("double", "double-products")
    say(f"{'instructions on the board':27}{'planner':>8}"
        + "".join(f"{name:>24}" for name in others))
    for parameters in dict.fromkeys(key[1] for key in cost):
        for asked in (4, 20):
            planned, ours = cost["planner", parameters, asked]
            row = f"{parameters:18} N = {planned:2}   {ours:8}"
            for name in others if parameters in PLAIN else ():
                theirs = cost[name, parameters, asked][1]
                row += f"{theirs:15} ({theirs / ours:5.1f} x)"
            say(row)
    say(f"\nthe best N with the best R of 1 to 16 and its tables, in "
        f"{stack_bytes} bytes of stack")
    for (parameters, most), (phases, several, instructions) in found.items():
        say(f"{parameters:18} N <= {most:2}: N = {phases:2}, R = {several:2}"
            f"{instructions:10} instructions")
    host = host_library()
    say("\n3000 random plans near the limit of what is feasible: a share off "
        "by more than a unit")
    for name, (off, worst) in misses(host).items():
        say(f"{name:15} in {off:4} plans, the worst by {worst:.3g} units")
    say("\nGLPK's simplex on the host for the same plan")
    for phases, ours, theirs in solver_ratios(host):
        say(f"N = {phases:2}   planner {ours:7.0f} ns   GLPK "
            f"{theirs / 1000:7.1f} us   {theirs / ours:6.0f} x")

# SPDX-License-Identifier: Apache-2.0
"""Instructions on a board, counted by an emulator: the kernels' jobs beside the
same jobs written plainly (kernels/references.h), plans (planner/board.c), and
calls of the software switch (relay/board.c). And what plans in floating point
lose, and the time of a solver on the host."""
import ctypes
import ctypes.util
import functools
import hashlib
import random
import struct
import subprocess
import tempfile
import time
import typing
import wave
import zlib
from fractions import Fraction

import numpy

import job_bench
from measure import PS_PER_INSTRUCTION, counted, fail
import model
from core import BUILD, Input, Plan

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


JOBS = {"search": search, "records": records, "stats": stats, "fir": fir,
        "conv": conv, "matvec": matvec, "dictionary": dictionary}


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
    return {first: Line(*map(int, numbers)) for first, *numbers in lines}


def sums(one):
    """What the reference of stats has besides: of unsigned bytes."""
    values = numpy.frombuffer(one.load, "u1").astype(numpy.uint64)
    return struct.pack("<IIQQ", values.min(), values.max(), values.sum(),
                       (values * values).sum())


def agrees(reference, one, table):
    """Whether a reference has the kernel's result and output; whether these
    are right is test/kernels/'s to say."""
    ours, other = table["kernel"], table[reference]
    output = (zlib.crc32(sums(one)) if reference == "sums"
              else ours.output_crc)
    return (other.result_crc, other.output_crc) == (ours.result_crc, output)


def counts(bench, name):
    """{"kernel" or a reference's name: instructions a unit of the bench's}."""
    *_, a_unit, make, file, _, _ = job_bench.KERNELS[name]
    one = JOBS[name](bench.made(file, make))
    table = measure(name, one)
    for reference in NAMES[name]:
        if not agrees(reference, one, table):
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
GLP_LO, GLP_FX, GLP_SF_AUTO = 2, 5, 0x80
P, I, D = ctypes.c_void_p, ctypes.c_int, ctypes.c_double
GLPK = {"glp_add_cols": [P, I], "glp_add_rows": [P, I],
        "glp_set_col_bnds": [P, I, I, D, D], "glp_set_obj_coef": [P, I, D],
        "glp_set_row_bnds": [P, I, I, D, D], "glp_copy_prob": [P, P, I],
        "glp_set_mat_row": [P, I, I, P, P], "glp_scale_prob": [P, I],
        "glp_simplex": [P, P], "glp_get_col_prim": [P, I]}

# Parameters of circuits without results, which all the twins can plan.
PLAIN = ("t3d", "t3d-1M", "small-startup", "fig3", "fig4", "hop-delays",
         "lvds", "uart", "slow-units", "fast-units")


@functools.cache
def plans():
    """What planner/board.c counts: {(variant, parameters, phases asked for):
    (planned, instructions)}."""
    return {(variant, parameters, int(asked)): tuple(map(int, numbers))
            for variant, parameters, asked, *numbers in
            counted("planner_bench.elf")}


def host_library():
    host = ctypes.CDLL(str(BUILD / "test" / "planner_bench.so"))
    host.planner_time_ns.restype = ctypes.c_double
    for name in ("planner_plan", "twin_double"):
        getattr(host, name).argtypes = [ctypes.POINTER(Plan),
                                        ctypes.POINTER(Input)]
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


def float_backward(load, compute, transfer, startup, phases):
    """The paper's own way, backwards, in single precision: a_i = k_i a_N + l_i
    and a_N from the sum (equations (1) to (5))."""
    one, five = numpy.float32(1), numpy.float32(5)
    rho, setup = transfer / compute, startup / compute
    terms = [(one, one - one)]
    volume_k, volume_l = terms[0]
    for _ in range(phases):
        k, below = terms[0]
        terms.insert(0, (k + rho * volume_k, below + rho * volume_l + setup))
        volume_k, volume_l = ((five + rho) * volume_k,
                              (five + rho) * volume_l + setup)
    last = (load - volume_l) / volume_k
    return [Fraction(float(k * last + below)) for k, below in terms]


def misses(host, cases=3000, seed=1999):
    """{variant: (plans with a share off by more than a unit, the worst)}."""
    rng = random.Random(seed)
    found = dict.fromkeys(("planner", "double", "float-backward"), (0, 0))
    for _ in range(cases):
        load, compute, transfer, startup, phases = draw_near_limit(rng)
        exact = model.solve(load, compute, [transfer] * phases,
                            [startup] * phases).shares
        given = input_of(load, compute, transfer, startup, phases)
        got = {"float-backward": float_backward(
            *map(numpy.float32, (load, compute, transfer, startup)), phases)}
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


def program_of(glpk, given, phases):
    """The paper's linear system as a programme for GLPK: shares a_i and volumes
    v_i of all layers are the unknowns, equations (1) to (5) the rows, the
    makespan is the goal."""
    problem = glpk.glp_create_prob()
    compute = given.compute_ps
    rows = [({phases + 2 + i: 1, i + 1: -1,
              **{phases + 2 + j: -4 for j in range(i + 1, phases + 1)}}, 0)
            for i in range(phases + 1)]  # v_i = a_i + 4 sum v_j (j > i)
    rows += [({i: 1, i + 1: -1, phases + 2 + i: -given.transfer_ps / compute},
              given.startup_ps[i - 1] / compute)
             for i in range(1, phases + 1)]  # a_{i-1} = g_i + rho v_i + a_i
    rows.append(({phases + 2: 1}, given.load_units))
    glpk.glp_add_cols(problem, 2 * (phases + 1))
    glpk.glp_add_rows(problem, len(rows))
    for i in range(1, 2 * (phases + 1) + 1):
        glpk.glp_set_col_bnds(problem, i, GLP_LO, 0.0, 0.0)
    glpk.glp_set_obj_coef(problem, 1, 1.0)
    for i, (row, bound) in enumerate(rows, 1):
        glpk.glp_set_mat_row(
            problem, i, len(row), (ctypes.c_int * (len(row) + 1))(0, *row),
            (ctypes.c_double * (len(row) + 1))(0, *row.values()))
        glpk.glp_set_row_bnds(problem, i, GLP_FX, float(bound), float(bound))
    return problem


def solver_ratios(host, runs=200):
    """[(phases, planner ns, solver ns)], the least of each: GLPK copies, scales
    and solves a programme, whose shares are the planner's."""
    glpk = ctypes.CDLL(ctypes.util.find_library("glpk"))
    glpk.glp_create_prob.restype = ctypes.c_void_p
    glpk.glp_get_col_prim.restype = ctypes.c_double
    for name, kinds in GLPK.items():
        getattr(glpk, name).argtypes = kinds
    glpk.glp_term_out(0)
    rows = []
    for phases in (2, 4, 10, 20):
        given, plan = input_of(10 ** 9, 10 ** 6, 3300, 10, phases), Plan()
        assert host.planner_plan(plan, given) == 0 and plan.phases == phases
        problem, copy = program_of(glpk, given, phases), glpk.glp_create_prob()
        solver_ns = []
        for _ in range(runs):
            start = time.perf_counter_ns()
            glpk.glp_copy_prob(copy, problem, 0)
            glpk.glp_scale_prob(copy, GLP_SF_AUTO)
            assert glpk.glp_simplex(copy, None) == 0
            solver_ns.append(time.perf_counter_ns() - start)
        for i, ours in enumerate(plan.share_units[:phases + 1], 1):
            theirs = glpk.glp_get_col_prim(copy, i)
            assert abs(theirs - ours - .5) < .51 + 1e-7 * theirs
        rows.append((phases, min(
            host.planner_time_ns(ctypes.byref(given), 1000)
            for _ in range(runs)), min(solver_ns)))
    return rows


def planner_lines(bench):
    """What the board's plans may cost."""
    table, cost = bench.table, plans()
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
    say, cost = bench.table.print, plans()
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
    host = host_library()
    say("\n3000 random plans near the limit of what is feasible: a share off "
        "by more than a unit")
    for name, (off, worst) in misses(host).items():
        say(f"{name:15} in {off:4} plans, the worst by {worst:.3g} units")
    say("\nGLPK's simplex on the host for the same plan")
    for phases, ours, theirs in solver_ratios(host):
        say(f"N = {phases:2}   planner {ours:7.0f} ns   GLPK "
            f"{theirs / 1000:7.1f} us   {theirs / ours:6.0f} x")

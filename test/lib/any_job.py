# SPDX-License-Identifier: Apache-2.0
"""Any job on any mesh: jobs() draws one, carried_out() runs it twice, check()
tells what holds of every run."""
import dataclasses
import json
import os
import struct
import pathlib
import random
import select
import shlex
import subprocess
import tempfile

import hypothesis
import hypothesis.strategies as st
import numpy
import pytest

import mesh
import twin_channels
import twin_records
import twins
from guard import GUARD_S

INSTRUCTION_PS = 32_000
HEADER_BYTES = 16  # of a message
FACTORS = [1, 2, 4, 8]
SHOWN = ["--trace", "out.trace", "--gantt", "out.svg"]  # changes nothing
SHARES = ["peters-syska", "equal", "binomial", "nearest", "star"]
HOSTS = ("wall_s", "memory", "command")  # what two runs may differ in


def hidden(**options):
    """A member that is too long to be printed."""
    return dataclasses.field(repr=False, **options)


@dataclasses.dataclass
class Task:
    """A kernel's part of a job: of each load what is to come of it."""
    kernel: str
    arg: str
    suffix: str        # of the input's name; None: there is no input
    loads: list = hidden()    # bytes of each input's file
    results: list = hidden()  # of each load, as a report has it
    outputs: list = hidden()  # bytes of each output's file; None: no output
    unit: int = 1
    files: dict = hidden(default_factory=dict)  # name: bytes
    even_ps: int = None  # what every unit takes, if all take the same


@dataclasses.dataclass
class Job:
    task: Task
    size: tuple
    places: list       # of the originators
    on: str
    options: dict
    slow: dict         # {(x, y): factor}, as the plan knows
    injected: dict     # as it does not
    dead: dict         # {(x, y): kind}, nodes that stop before the job
    cut: set           # {((x, y), port)}, links that are down
    schedule: str


# ---- kernels ----

def sizes(draw, most):
    return draw(st.one_of(st.integers(1, 30), st.integers(1, most // 20),
                          st.integers(1, most)))


def spin(draw, chance, count):
    unit = draw(st.sampled_from([1, 1, 2, 7]))
    instructions = draw(st.sampled_from([8, 32, 3000]))
    more = draw(st.sampled_from(["", ",1/1", ",3/7", ",5/2", ",1/1000",
                                 ",burst"]))
    units = [sizes(draw, 40_000) for _ in range(count)]
    loads = [chance.randbytes(unit * n) for n in units]
    results, outputs = [{"units": n} for n in units], None
    if more == ",burst":
        results = [{"units": twins.burst(load, unit)} for load in loads]
    elif more:
        outputs = [twins.spun(n, more[1:]) for n in units]
        for result, output in zip(results, outputs):
            result["output_bytes"] = len(output)
    return Task("spin", f"{instructions}{more}", "", loads, results, outputs,
                unit, even_ps=None if more else instructions * INSTRUCTION_PS)


def search(draw, chance, count):
    letters = draw(st.sampled_from([b"ab", b"a", b"aAbB\n ",
                                    bytes(range(256))]))
    unit = draw(st.sampled_from([1, 1, 3]))
    loads = [bytes(chance.choices(letters, k=unit * sizes(draw, 20_000)))
             for _ in range(count)]
    folds = draw(st.booleans())
    lengths = st.integers(1, 20) | st.just(79)
    patterns = [bytes(chance.choices(letters, k=draw(lengths)))
                for _ in range(draw(st.integers(1, 3)))]
    unused = next(bytes([b]) for b in b"|,;:!$%&=<>~#"
                  if bytes([b]) not in b"".join(patterns))
    output = draw(st.booleans())
    options = [b"i"] * folds + [b"offsets=u64"] * output
    arg = b"(?" + b",".join(options) + unused * (len(patterns) > 1) + b")"
    listed = patterns  # those that are listed twice count once
    patterns = list({p.lower() if folds else p: p for p in patterns}.values())
    results, outputs = [], []
    for load in loads:
        counts, offsets = twins.counts_and_offsets(load, patterns, folds)
        most = (252 // 4 - 2 * len(counts) if output else mesh.OFFSETS_MAX)
        result = {"count": sum(counts), "offsets": offsets[:most],
                  "offsets_complete": len(offsets) <= most}
        if len(patterns) > 1:
            result["counts"] = counts
        if output:
            result["output_bytes"] = -(-len(load) // 8)
        results.append(result)
        places = sorted(set(offsets))
        outputs.append(struct.pack(f"<{len(places)}Q", *places))
    return Task("search", (arg + unused.join(listed)).hex(), "", loads,
                results, outputs if output else None, unit)


def stats(draw, chance, count):
    name = draw(st.sampled_from(sorted(twins.TYPES)))
    kind = numpy.dtype(twins.TYPES[name][1])
    loads = [chance.randbytes(kind.itemsize * sizes(draw, 10_000))
             for _ in range(count)]
    return Task("stats", f"type={name}", "", loads, [
        twins.stats(numpy.frombuffer(load, kind)) for load in loads],
        None)


def dictionary(draw, chance, count):
    words = [bytes(chance.choices(b"abc", k=chance.choice([0, 1, 5, 60, 130])))
             for _ in range(200)]
    loads = [b"\n".join(chance.choices(words, k=sizes(draw, 600))) + b"\na"
             for _ in range(count)]
    digests = {twins.hashlib.sha256(word).digest()
               for word in [b"a", *words[:5]]}
    results, outputs = [], []
    for load in loads:
        number, hits = twins.found(load, digests)
        results.append({"words": number, "count": len(hits)})
        outputs.append("".join(
            f"{twins.hashlib.sha256(word).hexdigest()}:{word.decode()}\n"
            for _, word in hits).encode())
    return Task("dictionary", "digests=digests", "", loads, results,
                outputs if draw(st.booleans()) else None,
                files={"digests": "\n".join(
                    digest.hex() for digest in digests).encode()})


def records(draw, chance, count):
    loads, results, outputs = [], [], []
    op, value = draw(st.sampled_from([("lt", b"40"), ("ge", b"12.5")]))
    for _ in range(count):
        load = b'name,"n"\n' + b"".join(
            b"%s,%d.%d\n" % (chance.choice([b"a", b'"b,"', b'"c\nd"', b""]),
                             chance.randint(-60, 60), chance.randint(0, 9))
            for _ in range(sizes(draw, 1000)))
        twin = twin_records.Twin(load, b"n", op, value, True, b"n")
        loads.append(load)
        outputs.append(twin.output)
        results.append({**twin.result()})
    return Task("records", f"name=n,op={op},value={value.decode()}", ".csv",
                loads, results, outputs)


def fir(draw, chance, count):
    taps, channels = draw(st.sampled_from([3, 32])), draw(st.integers(1, 2))
    loads, results, outputs = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a.wav")
        for _ in range(count):
            frames = sizes(draw, 5000)
            samples = numpy.frombuffer(chance.randbytes(
                2 * channels * frames), "<i2").reshape(-1, channels)
            got, saturated = twins.fir(samples, twins.design(taps, 8000,
                                                             high=1000))
            loads.append(twins.write_wav(path, samples).read_bytes())
            outputs.append(twins.write_wav(path, got).read_bytes())
            results.append({"saturated": saturated})
    return Task("fir", f"low=1000,taps={taps}", ".wav", loads, results,
                outputs)


def conv(draw, chance, count):
    name = draw(st.sampled_from(["gauss", "gauss5", "sharpen", "sobel"]))
    width = draw(st.integers(1, 60))
    loads, outputs = [], []
    for _ in range(count):
        height = -(-sizes(draw, 3000) // width)
        plane = numpy.frombuffer(chance.randbytes(width * height),
                                 "u1").reshape(height, width)
        head = b"P5\n%d %d\n255\n" % (width, height)
        loads.append(head + plane.tobytes())
        outputs.append(head + twins.filtered(plane, name).tobytes())
    return Task("conv", f"filter={name}", ".pgm", loads, [{}] * count, outputs)


def matvec(draw, chance, count):
    columns, loads, outputs = draw(st.integers(1, 40)), [], []
    kind = draw(st.sampled_from(["<i4", "<i2"]))
    vector = numpy.array(chance.choices(range(-99, 99), k=columns), kind)
    for _ in range(count):
        rows = sizes(draw, 400)
        matrix = numpy.array(chance.choices(
            range(-30_000, 30_000), k=rows * columns), kind).reshape(rows, -1)
        loads.append(saved(matrix))
        outputs.append(saved(twins.matvec(matrix, vector)))
    return Task("matvec", "vector=vector.npy", ".npy", loads,
                [{}] * count, outputs, files={"vector.npy": saved(vector)})


def saved(array):
    out = tempfile.SpooledTemporaryFile()
    numpy.save(out, array)
    out.seek(0)
    return out.read()


def channels(draw, _, count):
    assert count == 1
    values, seed = draw(st.integers(2, 8)), draw(st.integers(0, 3))
    twin = twin_channels.Twin(-60_000_000, 60_000_000, values, channels=64,
                              steps=20, seed=seed)
    names = ("channel_steps", "open_at_peak_voltage", "open_at_base_voltage")
    return Task("channels", f"voltage=-60:60:{values},channels=64,steps=20,"
                f"seed={seed}", None, [b""],
                [dict(zip(names, twin.result(0)[1:]))], [twin.csv().encode()])


KERNELS = [spin, search, stats, dictionary, records, fir, conv, matvec,
           channels]


# ---- jobs ----

def node(size):
    return st.tuples(st.integers(0, size[0] - 1), st.integers(0, size[1] - 1))


def some_nodes(size, most):
    """{(x, y): factor} of a few nodes, more often of none."""
    return st.just({}) | st.dictionaries(
        node(size), st.sampled_from(FACTORS[1:]),
        max_size=min(most, size[0] * size[1]))


SIZES = st.tuples(st.integers(1, 8), st.integers(1, 8)) | st.sampled_from(
    [(5, 5)] * 6 + [(25, 25), (1, 31), (12, 11)])


@st.composite
def jobs(draw, on):
    """A job that the command takes; rounds may be too many for its load."""
    schedule = draw(st.sampled_from([*SHARES, "farm", "farm", "hybrid"]))
    if on == "qemu":
        size = (5, 5) if schedule == "hybrid" else (3, 3)
    else:
        size = draw(st.sampled_from([(5, 5)] * 6 + [(1, 1), (25, 25)])
                    if schedule == "hybrid" else SIZES)
    kernel = draw(st.sampled_from(KERNELS))
    several = (schedule in ("star", "farm") and kernel is not channels
               and draw(st.integers(0, 2)) == 2)
    places = draw(st.lists(node(size), min_size=1, unique=True,
                           max_size=min(4, size[0] * size[1]) if several
                           else 1))
    task = kernel(draw, random.Random(draw(st.integers(0, 3))), len(places))
    options = {"profile": draw(st.sampled_from(["t3d", "lvds", "uart",
                                                "emulated"]))}
    slow = {}
    if schedule != "hybrid":
        slow = draw(some_nodes(size, 3))
        options["ports"] = draw(st.sampled_from([4, 4, 1, 2]))
        options["switching"] = draw(st.sampled_from(
            ["circuit", "circuit", "store-and-forward"]))
    injected = {at: factor for at, factor in draw(some_nodes(size, 2)).items()
                if at not in slow}
    dead = draw(st.just({}) | st.dictionaries(
        node(size), st.sampled_from(["die", "die", "hang", "fault", "assert"]),
        max_size=size[0]))
    dead = {at: kind for at, kind in dead.items()
            if at not in {*places, *slow, *injected}}
    cut = draw(st.just(set()) | st.sets(st.tuples(
        node(size), st.sampled_from(["east", "north"])), max_size=3))
    rounds = ["auto", 1]
    if schedule in SHARES and schedule not in ("equal", "binomial"):
        rounds += [2, 3, 16]
    options["rounds"] = draw(st.sampled_from(rounds))
    if schedule == "farm":
        options["installment"] = draw(st.sampled_from([4, 1, 2, 250]))
        if len(places) == 1 and task.outputs is None:
            options["levels"] = draw(st.sampled_from(["auto", 1, 2]))
    if schedule == "hybrid" and draw(st.booleans()):
        options["reserve"] = draw(st.integers(1, 90))
    if len(places) == 1 and task.suffix is not None and draw(
            st.integers(0, 3)) == 3:
        options["batch"] = draw(st.integers(1, 4)) * max(
            1, len(task.loads[0]) // task.unit // 5)
    if task.unit > 1:
        options["unit"] = task.unit
    return Job(task, size, places, on, options, slow, injected, dead, cut,
               schedule)


def words_of(job, folder):
    """The command line, its files written down."""
    task = job.task
    for name, content in task.files.items():
        (folder / name).write_bytes(content)
    words = ["run", "--json", "--mesh", "{}x{}".format(*job.size), "--on",
             job.on, "--kernel", task.kernel, "--schedule", job.schedule,
             "--arg-hex" if task.kernel == "search" else "--arg",
             task.arg]
    for name, value in job.options.items():
        words += [f"--{name}", str(value)]
    for (x, y), factor in job.slow.items():
        words += ["--slow", f"{x},{y}={factor}"]
    for (x, y), factor in job.injected.items():
        words += ["--inject", f"slow{factor}@{x},{y}"]
    for (x, y), kind in job.dead.items():
        words += ["--inject", f"{kind}@{x},{y}@0"]
    for (x, y), port in sorted(job.cut):
        words += ["--inject", f"cut@{x},{y},{port}@0"]
    for i, ((x, y), load) in enumerate(zip(job.places, task.loads)):
        name, where = f"load{i}{task.suffix}", f"{x},{y}"
        if task.suffix is not None:
            (folder / name).write_bytes(load)
            if len(job.places) > 1:
                where += f"={name}"
            else:
                words.append(name)
        words += ["--originator", where]
        if task.outputs is not None:
            other = ".csv" if task.suffix is None else ".bin"
            words += ["-o", f"out{i}{task.suffix or other}"]
    return words


def session_of(pid):
    stat = mesh.stat_of(pid)
    return stat and int(stat[3])


def stays(pid):
    """Whether a process does not end, however long one waits."""
    try:
        ends = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    try:
        return not select.select([ends], [], [], GUARD_S)[0]
    finally:
        os.close(ends)


class Run:
    """A finished process, what it has left behind, and the files of its
    outputs."""

    def __init__(self, words, folder):
        before = set(os.listdir("/dev/shm"))
        there = set(folder.iterdir())
        process = subprocess.Popen(
            [mesh.QUINCUNX, *words], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True, env={**os.environ, "TMPDIR": str(folder)})
        with process:
            self.stdout, self.stderr = process.communicate(timeout=GUARD_S)
        self.status = process.returncode
        self.processes = [pid for pid in mesh.pids()
                          if session_of(pid) == process.pid and stays(pid)]
        self.shared = [name for name in set(os.listdir("/dev/shm")) - before
                       if "quincunx" in name]
        new = set(folder.iterdir()) - there
        outputs = sorted(path for path in new if path.name.startswith("out"))
        self.outputs = [path.read_bytes() for path in outputs
                        if path.suffix not in (".trace", ".svg")]
        self.files = new - set(outputs)
        for path in outputs:
            path.unlink()


def carried_out(job):
    """The report of a run that is repeated, or None where its rounds are too
    many for the load; all that holds of it is checked."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        words = words_of(job, folder)
        hypothesis.note("quincunx " + shlex.join(words) + "\nloads of "
                        + ", ".join(f"{len(one)} bytes, {one[:60]}"
                                    for one in job.task.loads))
        first = Run(words, folder)
        check_nothing_is_left(first)
        if first.status == 1 and job.options["rounds"] not in ("auto", 1):
            assert "infeasible" in first.stderr, first.stderr
            assert (first.stdout, first.outputs) == ("", [])
            return None
        assert (first.status, first.stderr) == (0, "")
        report = json.loads(first.stdout)
        again = Run([*words, *SHOWN], folder)
        check_it_is_repeated(first, again)
        check(job, report, first.outputs)
        return report


# ---- what holds of any run ----

def check_nothing_is_left(run):
    assert run.processes == []
    assert run.shared == []
    assert run.files == set()


def check_it_is_repeated(first, again):
    check_nothing_is_left(again)
    reports = [{name: value for name, value in json.loads(run.stdout).items()
                if name not in HOSTS} for run in (first, again)]
    assert reports[0]["timeline_sha256"] == reports[1]["timeline_sha256"]
    assert reports[0] == reports[1]
    assert first.outputs == again.outputs


def check_result(told, wanted):
    for name, value in wanted.items():
        if isinstance(value, float):
            assert told[name] == pytest.approx(value, rel=1e-11), name
        else:
            assert told[name] == value, name


def check_results(job, report, outputs):
    task = job.task
    if len(job.places) == 1:
        check_result(report["result"], task.results[0])
    else:
        for one, place, wanted in zip(report["originators"], job.places,
                                      task.results):
            assert (one["x"], one["y"]) == place
            check_result(one["result"], wanted)
    assert outputs == (task.outputs or [])


def check_units(job, report):
    """Every unit is computed once, by a node of the mesh; of several
    originators by a node of the load's group, and each node has one group."""
    nodes = report["measured"]["nodes"]
    units = report["load"]["units"]
    assert all(0 <= n["x"] < job.size[0] and 0 <= n["y"] < job.size[1]
               for n in nodes)
    assert sum(n["units"] for n in nodes) == units
    missing = {tuple(at) for at in report["mesh"].get("missing", [])}
    assert missing >= set(job.dead) and (job.dead or job.cut or not missing)
    assert not any(n["units"] for n in nodes if (n["x"], n["y"]) in missing)
    assert len({(n["x"], n["y"]) for n in nodes}) == len(nodes)
    if job.task.kernel in ("spin", "search"):
        assert units * job.task.unit == sum(map(len, job.task.loads))
    seen = []
    for one in report.get("originators", []):
        assert sum(s["units"] for s in one["shares"]) == one["load"]["units"]
        seen += [(s["x"], s["y"]) for s in one["shares"]]
        assert (one["x"], one["y"]) in seen[-one["nodes"]:]
    if len(job.places) > 1:
        assert len(set(seen)) == len(seen)
        assert len(seen) + len(missing) == report["mesh"]["nodes"]
    for n in nodes:
        parts = n.get("rounds", [])
        assert all(a["compute_end_ps"] <= b["compute_start_ps"]
                   for a, b in zip(parts, parts[1:]))


def check_times(job, report):
    """Each node's times are in order, the mesh's are those of the last one,
    and no port carries two circuits at once."""
    measured, batches = report["measured"], report.get("batches", [])
    nodes = measured["nodes"]
    for n in nodes:
        assert (0 <= n["received_ps"] <= n["compute_start_ps"]
                <= n["finished_ps"]), n
    assert max(n["finished_ps"] for n in nodes) <= measured["makespan_ps"]
    if not batches and len(job.places) == 1:
        assert measured["makespan_ps"] == max(n["finished_ps"] for n in nodes)
        assert measured["spread_ps"] <= measured["makespan_ps"]
    assert measured["makespan_ps"] <= measured["with_results_ps"]
    if not batches:
        assert measured["answer_ps"] == (measured["preparing_ps"]
                                         + measured["with_results_ps"])
    assert measured["answer_ps"] >= measured["with_results_ps"]
    for key in ("makespan_ps", "with_results_ps"):
        assert not batches or measured[key] == sum(b[key] for b in batches)
    assert sum(b["units"] for b in batches) in (0, report["load"]["units"])


def check_network(report):
    """What ports sent is the messages, and what their circuits took; of batches
    ports tell the last one alone."""
    network, circuits = report["network"], report["circuits"]

    def sent(name):
        return sum(port[name] for port in network["ports"])

    if "batches" in report:
        return
    assert len(circuits) == network["messages"] == sent("sent_messages")
    assert sent("sent_bytes") == sum(c["bytes"] for c in circuits) == (
        network["payload_bytes"] + HEADER_BYTES * network["messages"])
    assert sent("busy_ps") == sum(c["end_ps"] - c["grant_ps"]
                                  for c in circuits)
    assert sent("stall_ps") == sum(c["grant_ps"] - c["request_ps"]
                                   for c in circuits)


def check_speed(job, report):
    """Nobody computes faster than it can: all nodes all the time are the
    bound of the makespan, if all units take the same."""
    even_ps = job.task.even_ps
    if even_ps is None or "batches" in report or len(job.places) > 1:
        return
    factors = {**job.slow, **job.injected}
    nodes = job.size[0] * job.size[1]
    speed = nodes - len(factors) + sum(1 / f for f in factors.values())
    left = report["load"]["units"] - report["plan"]["measured_units"]
    assert report["measured"]["makespan_ps"] * speed >= left * even_ps * .999


def check(job, report, outputs):
    """All that holds of any run, whatever the mesh, the load and the way."""
    assert (report["mesh"]["width"], report["mesh"]["height"]) == job.size
    check_results(job, report, outputs)
    check_units(job, report)
    check_times(job, report)
    check_speed(job, report)
    check_network(report)
    if job.on == "native":
        assert report["network"]["retries"] == 0

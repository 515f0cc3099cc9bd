# SPDX-License-Identifier: Apache-2.0
"""Which commands make which golden text: CASES maps the name of each file of
this folder to its steps (golden.py)."""
import hashlib
import json
import os
import pathlib
import re
import struct
import sys
import types
import unittest.mock

import checks
import core
import fake_mesh
import golden

sys.path.append(str(core.ROOT / "qemu" / "pictures"))
import figures  # noqa: E402  (of the pictures, whose path is added)

# ---- what commands read ----


def chance(seed):
    """Numbers that are the same everywhere, whatever Python's random is."""
    while True:
        seed = seed * 48271 % (2 ** 31 - 1)
        yield seed


def text(size):
    words = b"cat bird\nfree software needle copy of the license".split(b" ")
    out, numbers = b"", chance(7)
    while len(out) < size:
        out += words[next(numbers) % len(words)] + b" "
    return out[:size]


def table(rows):
    numbers = chance(11)
    lines = ["city,price"]
    for i in range(rows):
        lines.append(f"{('Basel', 'Bern', 'Chur')[next(numbers) % 3]},"
                     f"{next(numbers) % 400 - 50}")
    return "\n".join(lines).encode() + b"\n"


def npy(shape, numbers):
    """Of int32; the header is as numpy writes it."""
    head = (f"{{'descr': '<i4', 'fortran_order': False, 'shape': "
            f"({', '.join(map(str, shape))},), }}").encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return (b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head
            + struct.pack(f"<{len(numbers)}i", *numbers))


def wav(samples):
    data = struct.pack(f"<{len(samples)}h", *samples)
    return (b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt "
            + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16) + b"data"
            + struct.pack("<I", len(data)) + data)


DIGESTS = ",".join(hashlib.sha256(word).hexdigest()
                   for word in (b"cat", b"cow"))

FILES = {
    "text": text(20_000), "short": text(3_000), "tiny": b"cat",
    "zeros": bytes(100_000), "many": bytes(1_000_000),
    "table.csv": table(300), "words": b"dog\ncat\nbird\n" * 20,
    "m.npy": npy((6, 4), list(range(24))), "v.npy": npy((4,), [1, -2, 3, 4]),
    "sound.wav": wav([n % 2000 - 1000 for _, n in zip(range(400), chance(3))]),
    "image.pgm": b"P5 40 30 255\n" + bytes(range(200)) * 6,
    "star": b"1 3\n2 4 1\n1/2 5 1 2\n",
    "dear": b"1 3\n2 4 500\n1/2 5 1 2\n", "workers": b"1\n2\n3/2\n",
    "results": b"1 4\n2 3\n1 5\n", "held": b"10\n0\n25\n5\n",
    "six": b"1 5\n2 3\n3 4\n1 9\n2 6\n4 1\n",
    "nodes.txt": b"1 0 2us\n3 2 4us\n",
    "slow.profile": b"startup = 20us\ntransfer = 1us\nhop_delay = 2us\n",
}


def files(folder):
    """Writes them, and a gnuplot that keeps its script in the picture."""
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    (folder / "bin").mkdir()
    plot = folder / "bin" / "gnuplot"
    plot.write_text("#!/bin/sh\necho '<svg>'; cat; echo '</svg>'\n")
    plot.chmod(0o755)


# ---- boards behind a console, made up ----

def behind(console, *lines, size=(3, 2), shown=lambda row: True):
    """A step: commands for the mesh that `console` made of one; those rows of
    what they print that are to be shown."""
    def step(folder):
        with fake_mesh.Mesh(*size) as bench:
            console(bench)
            text = "\n".join(golden.said(line, folder, (
                "--port", bench.pty.path)) for line in lines)
        return "".join(row for row in text.splitlines(True) if shown(row))
    return step


def lost(bench):
    bench.found = False


def older(bench):
    bench.node[1, 0].version_byte = 1


def failing(bench):
    """Every error of hal/err.h, and some that is none; every waypoint."""
    for number, node in enumerate(bench.node.values()):
        node.error, node.doing = -number, (2, number % 9, 1)
        if 24 <= number <= 26:
            node.breach, node.job = (8192, number - 23, 12), b"demo"


def alike(_):
    pass


def odd(bench):
    """No two nodes have the same to say."""
    node = bench.node
    node[1, 0].crc, node[1, 0].version = 0x1234ABCD, "v1.1"
    node[2, 0].clock, node[2, 0].clock_hz = "hsi", 16_000_000
    node[2, 0].crystal_hz, node[2, 0].room = 0, 80_000
    node[0, 1].supply_mv, node[0, 1].celsius = 0, fake_mesh.NO_CELSIUS
    node[0, 1].faults, node[0, 1].reset = 2, "watchdog"
    node[1, 1].dead = True
    node[2, 1].place, node[2, 1].uid = (0, 1), node[0, 1].uid


def at_work(bench):
    node = bench.node
    node[0, 0].doing, node[0, 0].kind = (3, 2, 0), 16
    node[0, 0].ports, node[0, 0].last = 2, (6, 0, 4096)
    node[1, 0].doing, node[1, 0].job = (4, 5, 3), b"search"
    node[1, 0].still_ms = 61_234
    node[2, 0].doing, node[2, 0].ports = (3, 3, 0), 0x5F
    node[2, 0].last, node[2, 0].error = (1, -5, 16), -20
    node[0, 1].record = 3, 0x8001234, 0x8005679, 1 << 16
    node[0, 1].faults, node[0, 1].doing = 1, (8, 0, 0)
    node[1, 1].record, node[1, 1].faults = (3, 16, 21, 1 << 16), 4
    node[1, 1].check = checks.place_of("hal/serial/mailbox.c", 2047)
    node[1, 1].jobs = 7
    node[2, 1].placed = False


def failed(bench):
    bench.node[0, 0].record = 3, 16, 21, 1 << 16
    bench.node[0, 0].check = checks.place_of("scatter/engine/core.c", 12)


def miswired(bench):
    bench.faults = [
        "x=0 y=1 port=east fault=miswired to_x=1 to_y=0 to_port=south",
        "x=1 y=0 port=south fault=miswired to_x=0 to_y=1 to_port=east",
        "x=0 y=0 port=west fault=missing", "x=1 y=0 port=east fault=missing",
        "x=1 y=1 port=north fault=noisy count=5",
        "x=0 y=0 port=east fault=size count=6"]


def counted(bench):
    bench.node[1, 0].counters[3] = [*range(1, 11), 10 ** 6, *range(12, 16)]


def gone(bench):
    bench.node[2, 1].dead = True


def silent(bench):
    bench.knows_peeks = False


# ---- parts of a file that are telling ----

def elements_of(folder, name, shown):
    """Of a chart, those lines in which the pattern is found, and the first
    shape of each colour."""
    text = re.sub(r"(?m)^(<g.*\n<rect.*\n)(?:<rect.*\n)*", r"\1",
                  (folder / name).read_text())
    return "".join(line for line in text.splitlines(True)
                   if re.search(shown, line))


def corners_of(folder, name):
    """Of a chart's bands, how many corners the areas of each colour have."""
    return "".join(
        f"{colour} {len(re.findall(r'[0-9.]+,[0-9.]+ ', shapes))}\n"
        for colour, shapes in re.findall(r"(?s)<g fill='(#\w+)'[^>]*>(.*?)</g>",
                                         (folder / name).read_text()))


def titles_of_figures(folder):
    """What the paper's figures say of themselves, whatever their plans."""
    (folder / "figures").mkdir()
    planner = figures.Planner(None, lambda *_, **__: types.SimpleNamespace(
        stdout='{"phases": 0, "rounds": 1, "makespan_ps": 1}'))
    with unittest.mock.patch.dict(os.environ, golden.environment(folder, "")):
        list(figures.draw(planner, [], folder / "figures"))
    rows = [row for path in sorted((folder / "figures").iterdir())
            for row in path.read_text().replace(", '", ",\n'").splitlines()
            if re.match("#|series|set (title|[xy]?label)", row)]
    return "".join(f"{row}\n" for row in dict.fromkeys(rows))


def names_of_trace(folder, name, shown=""):
    """Of a trace, each kind of event in which the pattern is found once, with
    what is said about it."""
    events = json.loads((folder / name).read_text())["traceEvents"]
    said = {f"{e['ph']}  {e.get('cat', '')}  {e['name']}  "
            + " ".join(e.get("args", {})) for e in events
            if re.search(shown, e.get("cat", ""))}
    return "".join(f"{one}\n" for one in sorted(
        {re.sub(r"\d+", "N", one) for one in said}))


SHARED = re.compile(r"^ {2,6}-.*\n|^[A-Z].*\n(?:.+\n)*\n", re.M)


def helps(folder):
    """The help of every subcommand, which fits 80 columns, with each option
    and most paragraphs in a line; what several share is shown once."""
    text, shown = golden.said("quincunx --help", folder), set()
    for name in SUBCOMMANDS:
        said = golden.said(f"quincunx help {name}", folder)
        assert max(map(len, said.splitlines())) < 80, name
        said = re.sub(r"\n( {20,}|(?=[a-z(]))", " ", said)
        text += "\n" + SHARED.sub(
            lambda found: "" if found[0] in shown else found[0], said)
        shown |= set(SHARED.findall(said))
    return re.sub(r"\n\n+(?!\$)", "\n", text)


SCRIPTS = re.compile(r"<script>\n(.*?)</script>", re.S)


def page(name, *steps, since="(", until="\0"):
    """What a page shows, after what its reader does (JavaScript)."""
    def step(folder):
        html = (folder / name).read_text("utf-8")
        (folder / "page.js").write_text("\n".join([
            f"const PAGE = {json.dumps(html)};",
            (golden.HERE / "page.js").read_text("utf-8"),
            SCRIPTS.search(html)[1], *steps, "tell();"]), "utf-8")
        done = golden.start(["node", "page.js"], folder)
        assert done.returncode == 0, done.stderr.decode()
        text = since + done.stdout.decode().partition(until)[0].partition(
            since)[2]
        return f"(page) {name} {' '.join(steps)}\n{text}"
    return step


# ---- commands in short ----

def run(words, load="text"):
    return f"quincunx run --mesh 5x5 --on native {words} {load}"


def spin(words, load="text"):
    return run(f"--kernel spin --arg 32 {words}", load)


def farm(size):
    """How many bytes nodes pass on: none where there are no masters."""
    return (f"quincunx run --mesh {size} --on native --kernel spin --arg 32 "
            "--schedule farm zeros | grep ^network")


SUBCOMMANDS = ["run", "plan", "html", "boards", "compare", "calibrate",
               "certificate", "model", "flash", "flash-map",
               "console", "ps", "mesh", "nodes", "links",
               "identify", "reset", "kernels"]

PLAN = "quincunx plan --torus 5 --load 20000 --compute 1us"
QUIET = " > summary"
FAULTS = "--inject hang@2,2@100us --inject cut@0,0,east@90us"
# Of a summary: verdict and remarks, head, times, layers, lines, what was found.
HEAD = " | parts 1 2"
FOUND = r" | parts 1 6 | grep ^\d|; \d|=|^  [c.]"
FILE = r" | parts 1 6 7 | grep ^\d|=|^output"
LONG_SEARCH = (f"--kernel search --arg '{'no ' * 26}' --rounds 1 "
               "--batch 500000 --rates rates.json --verbose")
TOLD = "--mesh 5x5 --kernel spin --arg 32"

CASES = {
    "help": [helps],
    "kernels": ["quincunx kernels"],
    "run": [
        run("--kernel search --arg 'free software'"),
        run("--kernel search --arg cat --report r.json --html r.html --trace "
            "r.trace --gantt r.svg", "text short") + " | parts 2 6 7 8",
        spin("--profile t3d --originator 2,3 --verbose") + " | parts 2 3 5 6",
        spin("--rounds 1 --phases 1") + " | parts 1",
        spin("--plan-profile slow.profile") + HEAD,
        "quincunx run --mesh 1x1 --on native --kernel spin --arg 5 tiny "
        "| parts 1 4 5",
        "quincunx run --mesh 4x3 --on native --kernel search --arg dog text "
        "| parts 1 6",
        spin("--batch 8000 --rates rates.json --verbose") + " | grep ^batches",
        spin("--rounds 2 --rates rates.json --verbose")
        + " | grep ^preparing",
        run(LONG_SEARCH, "many") + QUIET,
        run(LONG_SEARCH, "many") + " | grep ^preparing"],
    "run_schedules": [
        spin("--schedule farm --verbose") + " | parts 1 4",
        farm("10x10"), farm("11x9"),
        spin("--schedule auto") + " | parts 2 3",
        "quincunx run --mesh 5x5 --on native --kernel spin --arg 3000,3/7 "
        "--rounds 2 -o out --verbose short | grep ^results",
        "quincunx run --mesh 5x5 --on native --kernel search --arg cat "
        "--originator 0,0=text --originator 2,2=short --verbose "
        "| parts 1 2 6 7 8 9"],
    "run_faults": [
        spin("--inject slow8@1,1 --verbose") + HEAD,
        spin("--inject slow2@0,1@3ms " + " ".join(
            f"--inject slow4@{x},3" for x in range(4)), "many") + HEAD,
        spin("--slow 1,2=4 --ports 1") + " | parts 1",
        spin("--inject die@1,0@0 --inject die@4,0@0 --inject die@0,1@0 "
             "--schedule farm") + HEAD,
        spin("--inject assert@2,2"),
        spin("--inject fault@2,2"),
        spin(FAULTS),
        spin(FAULTS + " --survive 1"),
        spin("--inject die@2,2@100s --inject cut@0,0,east@7s --verbose")
        + " | parts 2"],
    "run_kernels": [
        run("--kernel records --arg name=city,op=eq,value=Bern,sum=price",
            "table.csv") + FOUND,
        run("--kernel stats --arg type=u8", "short") + FOUND,
        run(f"--kernel dictionary --arg {DIGESTS}", "words") + FOUND,
        run("--kernel conv --arg filter=sobel -o out.pgm", "image.pgm") + FILE,
        run("--kernel conv --arg filter=gauss", "image.pgm") + QUIET,
        run("--kernel fir --arg low=1000 -o out.wav", "sound.wav") + FILE,
        run("--kernel matvec --arg vector=v.npy -o out.npy", "m.npy") + FILE,
        run("--kernel channels --arg voltage=-60:60:7,channels=160,steps=50 "
            "-o out.csv", "") + FILE],
    "run_boards": [
        f"told outcome serial repeats stacks idle ranks -- {TOLD} --rounds 2 "
        "text | parts 1 2 3 5",
        f"told outcome boards late-plan idle repeats -- {TOLD} --rounds 2 text "
        "| parts 1",
        f"told outcome advance -- {TOLD} --rounds 2 text | grep ^meanwhile"],
    "plan": [
        f"{PLAN} --profile t3d",
        f"{PLAN} --profile t3d --per-node --originator 1,2 "
        "| grep layer|^ +1 ",
        f"{PLAN} --startup 5us --transfer 80ns --hop-delay 100ns --rounds auto "
        "| parts 1 3 4",
        "quincunx plan --torus 5 --load 300 --compute 1us --profile lvds "
        "--rounds auto | parts 4",
        f"{PLAN} --profile lvds --rounds 3 --results 1/2 | parts 4",
        f"{PLAN} --profile lvds --results 1/2 --phases 1 | parts 1 3",
        f"{PLAN} --profile lvds --rounds 2 --ports 1 | parts 2 3 5",
        f"{PLAN} --profile lvds --node-compute nodes.txt | grep makespan",
        f"{PLAN} --profile lvds --switching store-and-forward | grep makespan",
        f"{PLAN} --profile lvds --rounds 20 --results 1/2 | parts 4"],
    "compare": [
        "quincunx compare --mesh 6x5 --on native --kernel spin --arg 32,1/1 "
        "many",
        "quincunx compare --mesh 5x5 --on native --kernel spin --arg 32 text "
        "| grep hybrid|bound|%",
        "quincunx compare --mesh 5x5 --on native --kernel spin --arg 8,1/1 "
        "--ports 1 zeros | parts 2",
        "quincunx compare --mesh 5x5 --on native --kernel spin --arg 32 "
        "--phases 1 zeros" + QUIET,
        "quincunx compare --mesh 6x5 --on native --kernel spin --arg 1000 "
        "--profile t3d tiny | parts 2"],
    "calibrate": [
        "told calibration", "told calibration boards doubt",
        "quincunx calibrate --mesh 5x5 --on native --profile uart -o m.profile "
        "| grep uart",
        "cat m.profile"],
    "model": [
        "quincunx model star star --load 40",
        "quincunx model star dear --load 40 | grep served",
        "quincunx model star star --load 40 --master 2 --installments 2 "
        "| grep rounds|served|master|:",
        "quincunx model star star --load 40 --installments periodic "
        "| grep period|limit|:",
        "quincunx model results results --load 40 --ratio 1/2",
        "quincunx model results six --load 40 --ratio 1/2",
        "quincunx model farm workers --load 100",
        "quincunx model farm workers --load 100 --factor 2 | grep factor",
        "quincunx model masters held --compute 3 --startup 1 --transfer 1/2",
        "quincunx model masters held --compute 3 --startup 1 --transfer 50"],
    "certificate": [
        "quincunx certificate --torus 5 --originator 1,0 --phase 1"],
    "page": [
        "quincunx run --mesh 2x2 --on native --kernel search --html a.html "
        "--arg 'cat cat bird' text" + QUIET,
        page("a.html", "choose(1);", "setTime(endPs / 2);"),
        "quincunx compare --mesh 2x2 --on native --kernel spin --arg 32 --html "
        "b.html short" + QUIET,
        page("b.html", since="All schedules\n", until="The mesh\n"),
        spin(FAULTS + " --html c.html") + QUIET,
        page("c.html", "choose(12);", "setTime(endPs / 2);",
             since="Node 2,2\n", until="Planned and measured\n")],
    "progress": ["told progress auto", "told progress plain",
                 "told progress line", "told progress none"],
    "figures": [titles_of_figures],
    "chart": [
        spin("--phases 1 --rounds 2 --gantt a.svg --trace a.trace") + QUIET,
        lambda folder: elements_of(folder, "a.svg", ""),
        lambda folder: names_of_trace(folder, "a.trace"),
        "quincunx run --mesh 25x25 --on native --kernel spin --arg 32 "
        "--rounds 1 --gantt b.svg many" + QUIET,
        lambda folder: elements_of(folder, "b.svg", "layer|node|cross"),
        "quincunx run --mesh 3x1 --on native --kernel spin --arg 32 "
        "--gantt c.svg --originator 0,0=text --originator 1,0=short" + QUIET,
        lambda folder: elements_of(folder, "c.svg", "layer"),
        "quincunx run --mesh 10x5 --on native --kernel spin --arg 32 "
        "--profile t3d --ports 2 --gantt d.svg many" + QUIET,
        lambda folder: corners_of(folder, "d.svg"),
        spin(FAULTS + " --gantt e.svg --trace e.trace") + QUIET,
        lambda folder: elements_of(folder, "e.svg", "wave|lost|d55e00"),
        lambda folder: names_of_trace(folder, "e.trace", "fault|wave")],
    "boards": [
        behind(older, "quincunx nodes", size=(2, 1)),
        behind(lost, "quincunx nodes", "quincunx reset 5,0 --mesh 3x2"),
        behind(at_work, "quincunx ps --firmware none | grep looked",
               "quincunx ps --firmware text | grep looked"),
        behind(failing, "quincunx ps", size=(5, 7),
               shown=lambda row: not re.match(r" +unknown e|.,[2-6] ", row)),
        behind(odd, "quincunx nodes", "quincunx mesh",
               "quincunx console mesh 3 2",
               "quincunx identify 1,0", "quincunx reset 1,1",
               "quincunx identify --seconds 9 2,1"),
        behind(odd, "quincunx ps",
               shown=lambda row: re.search("fault:|says|well|answer", row)),
        behind(at_work, "quincunx ps"),
        behind(failed, "quincunx console fault"),
        behind(miswired, "quincunx mesh", size=(2, 2)),
        behind(miswired, "quincunx mesh --svg -", size=(2, 2),
               shown=lambda row: re.search(
                   '(title|to|wrong|fault|gap|noisy|miswired)"', row)),
        behind(alike, "quincunx mesh --svg -", size=(1, 1),
               shown=lambda row: re.match(r"[.a-z,]+\{|<(svg|rect)", row)),
        behind(alike, "quincunx mesh", "quincunx identify all --seconds 1",
               "quincunx identify 2,1 --off"),
        behind(counted, "quincunx links", size=(2, 1)),
        behind(silent, "quincunx ps", "quincunx links", "quincunx reset all",
               size=(2, 1)),
        behind(gone, "quincunx links --prometheus",
               shown=lambda row: re.search("# HELP|node_up|ages_total cou|"
                                           '_(sent|noise).*x="2",y="0",port="e',
                                           row))],
    "run_qemu": [
        "quincunx run --mesh 3x3 --kernel search --arg cat --profile t3d "
        "--rounds 2 --verbose text | parts 1 2 5",
        "quincunx run --mesh 2x1 --kernel spin --arg 100 --inject fault@1,0 "
        "text",
        "quincunx run --mesh 2x1 --kernel spin --arg 100 --inject die@1,0 "
        "text",
        "quincunx boards --mesh 1x1"],
}

# Times of emulated boards, which a compiler moves: numbers may be off by a part
# of themselves, and the bar is not compared.
NEAR = {"run_qemu": 0.03}

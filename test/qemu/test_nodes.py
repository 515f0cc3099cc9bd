# SPDX-License-Identifier: Apache-2.0
"""A bench's bring-up: `nodes`, `links`, `mesh`, `identify`, `reset` and the
sweep of `ps`, on meshes that are made up. What they print:
test/golden/boards.txt; how boards answer: test/hal/test_console.py."""
import base64
import binascii
import json
import os
import re
import shutil
import struct
import subprocess
import termios
import xml.etree.ElementTree as tree

import pytest

import fake_mesh
import mesh
from guard import GUARD_S

FIRMWARE = mesh.BUILD / "stm32f405" / "firmware.elf"


def nodes_of(done):
    return {(node["x"], node["y"]): node for node in json.loads(done.stdout)}


@pytest.fixture(name="bench")
def fixture_bench():
    with fake_mesh.Mesh(5, 5) as bench:
        yield bench


# ---- who nodes are ----

def test_nodes_that_are_alike(bench):
    """One has a chip without measurements."""
    bench.node[1, 1].crystal_hz, bench.node[1, 1].supply_mv = 0, 0
    bench.node[1, 1].celsius = fake_mesh.NO_CELSIUS
    done = bench.call("nodes", "--json")
    assert done.stderr == ""
    nodes = nodes_of(done)
    assert len(nodes) == 25
    assert [nodes[1, 1][key] for key in (
        "crystal_hz", "supply_mv", "celsius")] == [None] * 3
    assert nodes[3, 2] == {
        "x": 3, "y": 2, "answers": True, "paths": nodes[3, 2]["paths"],
        "unique_id": "001100220000000300000002", "image_crc": "CAFE0001",
        "version": "v1.2-3-g0123456", "placed": True, "clock": "hse-pll",
        "clock_hz": 168000000, "crystal_hz": 8000121, "reset": "power",
        "faults": 0, "uptime_ms": 123456, "memory_bytes": 67368,
        "supply_mv": 3297, "celsius": 27, "differs": [], "fit": True}


def test_a_node_that_stands_out():
    """From most nodes, the originator's too. Crystals are measured: 2 % is no
    other one."""
    for field, value, mark in (
            ("crc", 0xCAFE0002, "image"), ("clock", "hsi-pll", "clock"),
            ("clock_hz", 16_000_000, "clock"), ("room", 80_000, "memory"),
            ("crystal_hz", 8_170_000, "crystal"),
            ("crystal_hz", 8_150_000, None), ("reset", "watchdog", "reset"),
            ("faults", 2, "reset"), ("place", (3, 3), "place"),
            ("uid", (0x00110022, 0, 0), "twice")):
        for at in ((2, 3), (0, 0)) if mark == "image" else ((2, 3),):
            with fake_mesh.Mesh(5, 5) as bench:
                setattr(bench.node[at], field, value)
                done = bench.call("nodes", "--json")
            assert done.returncode == (mark is not None)
            expected = {at: [mark]} if mark else {}
            if mark == "twice":
                expected[0, 0] = ["twice"]
            assert {place: node["differs"] for place, node in
                    nodes_of(done).items() if node["differs"]} == expected


def test_an_emulated_clock_is_no_difference(bench):
    for node in bench.node.values():
        node.clock = "emulated"
    assert bench.call("mesh").returncode == 0


# ---- runs ----

def test_a_run_refuses_a_mixed_mesh(bench, loads):
    line = ["--mesh", "5x5", "--kernel", "search", "--arg", "a",
            loads(b"a load")]

    def runs(_=None):
        return any(text.startswith("run ") for text in bench.asked)

    for field, value, words in (
            ("crc", 0x1234ABCD,
             "its image has CRC 1234ABCD, the originator's CAFE0001"),
            ("clock", "hsi-pll",
             "its clock is hsi-pll at 168000000 Hz, not hse-pll")):
        bench.asked.clear()
        before = getattr(bench.node[2, 3], field)
        setattr(bench.node[2, 3], field, value)
        done = bench.call("run", *line)
        assert (done.returncode, done.stdout) == (1, "")
        assert f"node 2,3: {words}" in done.stderr
        assert "--allow-mixed" in done.stderr and not runs()
        _, said = bench.clocked(runs, "run", "--allow-mixed", *line)
        assert words in said and runs()
        setattr(bench.node[2, 3], field, before)


# ---- what an originator says no to ----

def answering(bench, answers):
    """Its console gives these rows, an error at their end, to a command."""
    rows = bench.rows

    def say(text):
        name, *words = text.split(" ")
        answer = answers.get(name)
        return (rows(text) if answer is None else
                answer(*words) if callable(answer) else answer)
    bench.rows = say


RUN = ["run", "--mesh", "2x2", "--kernel", "search", "--arg", "a"]
OTHER = "quincunx: the originator at 1,1 "


def test_the_originator_refuses(loads):
    load = loads(b"a load")
    two = [*RUN, f"--originator=0,0={load}", f"--originator=1,1={load}"]
    for args, command, error, told in (
            (["mesh"], "mesh", "busy", "the originator does not look for its "
             "mesh: busy: it is in a job; `quincunx reset' ends that\n"),
            (["mesh"], "mesh", "no", "does not look for its mesh: no\n"),
            ([*RUN, load], "mesh", "no", "does not look for its mesh: no\n"),
            ([*RUN, "--watchdog=1", load], "run", "busy",
             "quincunx: the originator takes no order\n"),
            (two, "run", "no", "quincunx: the order of the originator at 1,1 "
             "was not passed on\n"),
            *[([name, "1,1"], name, "argument",
               f"quincunx: node 1,1 does not obey `{name}': argument\n")
              for name in ("identify", "reset")]):
        with fake_mesh.Mesh(2, 2) as bench:
            answering(bench, {command: ([], error)})
            done = bench.call(*args)
        assert (done.returncode, done.stdout) == (1, "")
        assert told in done.stderr


def test_a_load_that_does_not_fit_its_boards(loads, bench):
    """Of another originator: its load goes out in one batch."""
    small, large = loads(b"a load"), loads(bytes(1_000_000))
    done = bench.call("run", "--mesh", "5x5", "--kernel", "search", "--arg",
                      "a", f"--originator=0,0={small}",
                      f"--originator=1,1={large}")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        rf"quincunx: --originator '1,1={large}': has 1000000 units; must have "
        r"1 to \d{4,6}, as these boards' memory takes\n", done.stderr)


def reporting(bench, reports):
    """Whoever is told to run has the next of these to say: kind, bytes."""
    ready = []

    def begin(*_):
        ready.extend(reports[:1])
        del reports[:1]
        return "next=0"

    def put(at, data):
        return f"next={int(at) + len(base64.b64decode(data))}"

    def report():
        return "state=waiting" if not ready else (
            f"state=ready bytes={len(ready[0][1])} kind={ready[0][0]} job=1")

    def get(at, _):
        data = base64.b64encode(ready.pop()[1]).decode()
        return f"at={at} data={data}"
    answering(bench, {"run": begin, "put": put, "report": report, "get": get})


def test_reports_that_are_not_what_was_asked_for(loads):
    """Answers to errands are of kind 14, to probes of kind 9."""
    load = loads(b"a load")
    two = [*RUN, f"--originator=0,0={load}", f"--originator=1,1={load}"]
    calibrate = ["calibrate", "--mesh", "2x2"]
    dead = 14, struct.pack("<iI", fake_mesh.DEAD_LINK, 0)
    passed_on, a_report = (14, bytes(8)), (3, b"report")
    for args, reports, told in (
            (two, [dead], f"{OTHER}cannot be given its order: dead link\n"),
            (two, [passed_on, dead],
             f"{OTHER}cannot be told to begin: dead link\n"),
            (two, [passed_on, a_report, dead],
             f"{OTHER}sends no report: dead link\n"),
            (calibrate, [a_report], "the originator does not measure\n"),
            (calibrate, [(9, bytes(8))],
             "the originator's report of its probes is malformed\n"),
            ([*RUN, load], [a_report], "the originator ended without a rep")):
        with fake_mesh.Mesh(2, 2) as bench:
            reporting(bench, reports)
            done = bench.call(*args)
        assert (done.returncode, reports) == (1, [])
        assert told in done.stderr


def test_a_node_that_leaves_a_job(loads):
    """It is asked for before the watchdog's time is over, once the originator
    waits for it; one that computes, or an error of before, ends no job."""
    for error, placed, originator, why in (
            (-22, True, (1, 2, 0), "a result, an output or a halo is not as"),
            (-3, True, (1, 2, 0), "a message is longer than the room that is"),
            (-10, True, (1, 2, 0), "the load does not fit the node's memory"),
            (0, False, (1, 2, 0), "it has been reset"),
            (-22, True, (4, 5, 0), None), (0, True, (1, 2, 0), None)):
        with fake_mesh.Mesh(2, 2) as bench:
            reporting(bench, [])
            first, other = bench.node[0, 0], bench.node[1, 1]
            first.doing, first.job, first.still_ms = originator, b"search", 900

            def goes_on(until_s, since=[0], bench=bench, other=other,
                        last=(error, placed)):
                if any(text.startswith("run ") for text in bench.asked):
                    other.error, other.placed = last
                # A 16th of its time at most; for an answer it waits a second.
                pauses = until_s - since[0] < 0.97
                since[0] = until_s if pauses else since[0]
                return pauses

            status, said = bench.clocked(goes_on, *RUN, "--watchdog", "15",
                                         loads(b"a load"))
        assert status == 1
        assert ("quincunx: no report came in time" in said) == (why is None)
        assert (f"quincunx: node 1,1 has left the job: {why}" in said) == (
            why is not None), said


# ---- the sweep ----

def paths_to(bench, page=fake_mesh.IDENTITY):
    return [path for asked, path in bench.peeks if asked == page]


def test_a_mesh_is_asked_by_few_requests(bench):
    """Ring by ring at first, then at once."""
    assert bench.call("nodes").returncode == 0
    for page, requests in ((2, 4), (3, 1)):
        assert len([text for text in bench.asked
                    if text.startswith(f"peeks {page}")]) == requests
    firsts = [path[0] for path in paths_to(bench) if path != "."]
    assert {firsts.count(letter) for letter in "ENWS"} <= {4, 5, 6, 7, 8}


def test_a_dead_board(bench):
    bench.node[1, 0].dead = True
    done = bench.call("nodes", "--json")
    assert done.returncode == 1
    nodes = nodes_of(done)
    assert [at for at, node in nodes.items() if not node["answers"]] == [(1, 0)]
    assert nodes[1, 0]["why"] == "dead link"
    assert nodes[1, 0]["paths"] == ["E1", "W4"]
    assert max(len(node["paths"]) for node in nodes.values()) == 2
    through = [path for path in paths_to(bench)
               if path in ("E1", "W4") or re.match("E[2-4]", path)]
    assert sorted(through) == ["E1", "W4"], "nobody is asked past it"


def test_what_is_cut_is_gone_round(bench):
    """A cable, a row of boards; without neighbours nobody else is asked."""
    for cut in (0, 0, "E"), (2, 2, "N"), (4, 1, "E"):
        bench.cut = {cut}
        nodes = nodes_of(bench.call("nodes", "--json"))
        assert all(it["answers"] for it in nodes.values()), cut
        assert sum(len(it["paths"]) > 1 for it in nodes.values()) <= 1
    bench.cut = {(0, 0, letter) for letter in "ENWS"}
    bench.peeks.clear()
    done = bench.call("ps")
    assert done.returncode == 1
    assert sorted(paths_to(bench, fake_mesh.STATE)) == [
        ".", "E1", "N1", "S1", "W1"]
    assert "2,2    no answer: no way left to it\n" in done.stdout
    bench.cut = set()
    for x in range(5):
        bench.node[x, 1].dead = True
    nodes = nodes_of(bench.call("nodes", "--json"))
    assert {at for at, node in nodes.items() if not node["answers"]} == {
        (x, 1) for x in range(5)}


def test_a_held_way_is_waited_for(bench):
    bench.node[1, 0].busy = 3
    assert bench.call("nodes").returncode == 0
    bench.node[1, 0].busy = 1000
    done = bench.call("nodes")
    assert done.returncode == 1
    assert "1,0    no answer: busy" in done.stdout


def test_every_size():
    for size in ((1, 1), (1, 2), (2, 1), (3, 2), (9, 4)):
        with fake_mesh.Mesh(*size) as bench:
            bench.originator = (size[0] - 1, size[1] // 2)
            nodes = nodes_of(bench.call("nodes", "--json"))
            assert len(nodes) == size[0] * size[1]
            assert all(node["answers"] for node in nodes.values())


# ---- commands ----

def test_identify(bench):
    """Commands wait for a peek of before."""
    bench.busy_commands = 2
    for args, blinks in ((["2,3"], {(2, 3): 10}),
                         (["all", "--seconds", "3600"],
                          dict.fromkeys(bench.node, 3600)),
                         (["--off", "all"], dict.fromkeys(bench.node, 0))):
        assert bench.call("identify", *args).returncode == 0
        assert {at: node.blinks for at, node in bench.node.items()
                if node.blinks is not None} == blinks


def test_reset_all(bench):
    """The originator last, no node before one that is behind it."""
    order = []
    for at, node in bench.node.items():
        node.restart = lambda at=at, node=node: (
            order.append(at), fake_mesh.Node.restart(node))
    bench.told = lambda words, what: fake_mesh.Mesh.told(
        bench, words, lambda node: node.restart())
    done = bench.call("reset", "all")
    assert done.returncode == 0, done.stderr
    assert re.match("25 boards were reset, and back after ", done.stdout)
    assert len(order) == 25 and order[-1] == (0, 0)
    far = [min(x, 5 - x) + min(y, 5 - y) for x, y in order]
    assert far == sorted(far, reverse=True)


@pytest.mark.boards
def test_reset_of_who_does_not_come_back(bench):
    bench.node[2, 3].comes_back = False
    done = bench.call("reset", "2,3")
    assert done.returncode == 1 and done.stdout == ""
    assert ("node 2,3 was told to reset itself, but is not back after 20 s"
            in done.stderr)


def test_commands_for_who_does_not_answer(bench):
    """It is dead, or a cable was moved: another board is at the path's end."""
    bench.node[2, 0].dead = True
    bench.node[3, 3].place = (2, 2)
    for command in "identify", "reset":
        for place, told in (
                ("2,0", "node 2,0 does not answer: dead link; tried E2, W3\n"),
                ("3,3", "the board at 3,3 takes itself to be 2,2")):
            done = bench.call(command, place)
            assert (done.returncode, done.stdout) == (1, "")
            assert told in done.stderr
        assert bench.node[3, 3].blinks is None
        assert bench.node[3, 3].resets == 0
    bench.node[3, 3].place = (3, 3)
    for command in "identify", "reset":
        done = bench.call(command, "all")
        assert (done.returncode, "node 2,0 does not answer" in done.stderr,
                done.stdout[:10]) == (1, True, "24 boards ")


# ---- links ----

def test_a_table_fits_its_terminal():
    for columns, lines in (59, 4), (200, 1):
        here, there = os.openpty()
        termios.tcsetwinsize(there, (24, columns))
        with fake_mesh.Mesh(1, 1) as bench:
            bench.call("nodes", out=there)
        os.close(there)
        text = os.read(here, 4096).decode().partition("\r\n1 of")[0]
        assert text.count("\r\n") == 2 * lines - 1
        assert max(map(len, text.split("\r\n"))) <= columns


def test_links(bench):
    bench.node[1, 2].counters[3] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_000_000,
                                    12, 13, 14, 15]
    node = nodes_of(bench.call("links", "--json"))[1, 2]
    assert node["ports"]["south"] == {
        "sent_messages": 1, "received_messages": 2, "relayed_frames": 3,
        "refused": 4, "retries": 5, "retransmitted": 6, "damaged": 7,
        "lost": 8, "broken": 9, "mended": 10, "bytes_in": 1000000,
        "bytes_out": 12, "overruns": 13, "framings": 14, "noises": 15,
        "errors_per_mb": 25.0}


def test_links_again_and_again():
    """What is counted between readings; a board that starts again counts from
    0; a counter may wrap."""
    with fake_mesh.Mesh(2, 3) as bench:
        counters = bench.node[1, 2].counters
        counters[0][10], counters[1][10] = 2 ** 32 - 1000, 5000

        def wait(until_s):
            if until_s == 1:
                counters[0][10], counters[1][10] = 1000, 300
            return until_s == 1

        status, said = bench.clocked(wait, "links", "--json", "--watch", "1",
                                     "--count", "1")
        assert status == 0, said
        first, second = [json.loads(line) for line in said.splitlines()]
        assert first[0]["ports"]["east"]["per_second"] == {}
        ports = next(one for one in second if (one["x"], one["y"]) == (1, 2))[
            "ports"]
        assert [ports[port]["per_second"]["bytes_in"]
                for port in ("east", "north", "west")] == [2000, 300, 0]
        _, said = bench.clocked(lambda until_s: until_s == 3, "links",
                                "--watch", "3", "--count", "1")
    assert "\na second, of the last 3.0 s:\n" in said


# ---- the picture ----

FAULTS = [
    "x=1 y=1 port=east fault=miswired to_x=2 to_y=0 to_port=south",
    "x=2 y=0 port=south fault=miswired to_x=1 to_y=1 to_port=east",
    "x=0 y=0 port=west fault=missing", "x=4 y=0 port=east fault=missing",
    "x=3 y=3 port=north fault=noisy count=5",
    "x=0 y=0 port=east fault=size count=6"]


def svg_of(path):
    root = tree.parse(path).getroot()
    by_class = {}
    for it in root.iter():
        by_class.setdefault(it.get("class"), []).append(it)
    return by_class


def test_a_picture(bench, tmp_path):
    """Of a good mesh, and of one of which a board is missing."""
    done = bench.call("mesh", "--svg", tmp_path / "a.svg")
    assert done.returncode == 0, done.stderr
    drawn = svg_of(tmp_path / "a.svg")
    assert {kind: len(drawn[kind]) for kind in (
        "cable", "node", "first", "to", "place")} == {
            "cable": 100, "node": 24, "first": 1, "to": 20, "place": 25}
    assert not {"gap", "noisy", "miswired", "wrong", "fault", "absent"} & set(
        drawn)
    bench.faults = [f"x={x} y={y} port={port} fault=missing" for x, y, port in (
        (1, 2, "east"), (3, 2, "west"), (2, 1, "north"), (2, 3, "south"))]
    bench.call("mesh", "--svg", tmp_path / "a.svg")
    assert len(svg_of(tmp_path / "a.svg")["absent"]) == 1
    found = json.loads(bench.call("mesh", "--json").stdout)
    assert [node for node in found["nodes"] if node["missing"]] == [
        {"x": 2, "y": 2, "missing": True}]


def test_the_mesh_for_programs(bench):
    bench.faults = FAULTS
    found = json.loads(bench.call("mesh", "--json").stdout)
    assert not found["right"]
    assert found["mesh"] == {"width": 5, "height": 5, "originator": [0, 0]}
    assert found["faults"][0] == {
        "x": 1, "y": 1, "port": "east", "fault": "miswired",
        "to": {"x": 2, "y": 0, "port": "south"}, "count": 0,
        "text": "(1,1) east: leads to (2,0) south, not to (2,1) west"}
    states = {(link["from"]["x"], link["from"]["y"], link["from"]["port"]):
              link["state"] for link in found["links"]}
    assert len(states) == 50
    assert {at: state for at, state in states.items() if state != "good"} == {
        (1, 1, "east"): "miswired", (2, 4, "north"): "miswired",
        (4, 0, "east"): "missing", (3, 3, "north"): "noisy"}
    bench.faults = []
    bench.node[2, 3].crc = 5
    found = json.loads(bench.call("mesh", "--json").stdout)
    assert found["right"]
    assert [(node["x"], node["y"]) for node in found["nodes"]
            if node["unfit"]] == [(2, 3)]


# ---- what nodes have to say ----

def test_every_error_has_a_text(bench):
    codes = re.findall(r"^ +ERR_\w+ = -(\d+)", (
        mesh.ROOT / "hal" / "err.h").read_text(encoding="utf-8"), re.M)
    assert len(codes) > 20
    for some in codes[:20], codes[20:]:
        for node, number in zip(bench.node.values(), some, strict=False):
            node.error = -int(number)
        assert "unknown error" not in bench.call("ps").stdout


def test_a_console_that_is_silent(bench):
    bench.silent = True
    status, said = bench.clocked(lambda _: True, "nodes", "--mesh", "5x5")
    assert status == 1
    assert "no good reply to 'ident' in 5 tries of 2000 ms" in said


def test_addresses_of_a_fault(bench, tmp_path):
    """Are looked up in the image; without binutils, or with ones that fail,
    they stay bare, in words."""
    said = subprocess.run(["arm-none-eabi-nm", FIRMWARE], check=True,
                          capture_output=True, text=True).stdout
    at = int(re.search(r"^(\w+) T boot_fault_record$", said, re.M)[1], 16)
    bench.node[1, 1].record = (3, at, at + 5, 1 << 16)
    bench.node[1, 1].faults = 1
    # Of what is behind the vectors and the identity.
    bench.node[1, 1].crc = binascii.crc32(
        FIRMWARE.with_suffix(".bin").read_bytes()[0x188 + 32:])
    done = bench.call("ps", "--firmware", FIRMWARE)
    assert re.search(r"^       pc: boot_fault_record at "
                     r"boot/cortex_m/fault\.c:\d+$", done.stdout, re.M)
    failing = tmp_path / "arm-none-eabi-addr2line"
    for script in None, "exit 1":
        if script:
            failing.write_text(f"#!{shutil.which('sh')}\n{script}\n")
            failing.chmod(0o755)
        done = subprocess.run(
            [mesh.QUINCUNX, "ps", "--port", bench.pty.path, "--firmware",
             FIRMWARE], capture_output=True, text=True, timeout=GUARD_S,
            check=False, env={**os.environ, "PATH": str(tmp_path)})
        assert ("not looked up: arm-none-eabi-addr2line, of "
                "binutils-arm-none-eabi, does not run") in done.stdout

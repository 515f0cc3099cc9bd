# SPDX-License-Identifier: Apache-2.0
"""The console: its lines, a node's host port, the commands, the client."""
import base64
import contextlib
import ctypes as c
import fcntl
import functools
import os
import random
import re
import socket
import struct
import subprocess
import termios
import threading

import pytest

import chip_bench
import console as k
import fake_mesh
from core import BUILD
from guard import GUARD_S

QUINCUNX = BUILD / "quincunx"
TIOCGEXCL = 0x80045440  # asm-generic/ioctls.h: is it exclusive?


# ---- lines ----

def test_base64_is_rfc_4648():
    """It takes exactly what encodes something, and in one way only."""
    rng = random.Random(2)
    out = c.create_string_buffer(200)
    for size in list(range(97)) * 3:
        data = rng.randbytes(size)
        length = k.LIB.line_base64(out, data, size)
        text = base64.b64encode(data)
        assert out.raw[:length] == text
        assert k.LIB.line_base64_read(out, size, text, length) == size
        assert out.raw[:size] == data
        if size:
            assert k.LIB.line_base64_read(out, size - 1, text, length) == -1
    taken = 0
    for _ in range(20000):
        text = bytes(rng.choice(b"AQZagz059+/=" + b"-_ .\0\xff" * (i % 2))
                     for i in range(rng.randrange(9)))
        try:
            want = base64.b64decode(text, validate=True)
            fine = base64.b64encode(want) == text
        except ValueError:
            fine = False
        count = k.LIB.line_base64_read(out, 16, text, len(text))
        assert count == (len(want) if fine else -1), text
        assert not fine or out.raw[:count] == want
        taken += fine
    assert taken > 1000


def some_line(rng):
    """Mostly good, and everything that is wrong with lines."""
    text = bytes(rng.choice(b"abcXYZ019 @+/=*") for _ in
                 range(rng.choice([1, 3, 20, 199, 200, 201, 206, 300])))
    plain = text.replace(b"*", b"x")
    at = rng.randrange(len(text))
    return rng.choice([
        *3 * [plain + k.mark(plain)], plain + k.mark(plain).lower(), text,
        text + b"*%04x" % rng.randrange(0x10000), b"*" + plain + k.mark(plain),
        text[:at] + bytes([rng.randrange(256)]) + text[at + 1:]
    ]) + rng.choice([b"\n", b"\r", b"\r\n", b"\n\n"])


def test_lines_are_judged_as_written_down():
    for seed in range(8):
        rng = random.Random(seed)
        stream = b"".join(some_line(rng) for _ in range(400))
        lines = k.Lines()
        want = [said for raw in re.split(rb"[\r\n]", stream)[:-1]
                if (said := k.judged(raw))]
        cut = functools.partial(rng.randrange, 1, 300)
        assert lines.all(stream, cut=cut) == want, seed
        told = [status for status, _ in want]
        assert set(told) | {k.DAMAGED} == {k.TEXT, k.LONG, k.CRC, k.CONTROL,
                                           k.DAMAGED}, seed
        for status in range(1, 7):
            assert lines.reader.count[status] == told.count(status), seed


def test_no_single_bit_makes_another_request():
    """Of a program's line, with another one behind it."""
    wanted = b"@7 put 96 aGVsbG8gd29ybGQhIQ=="
    second = b"@8 ident"
    stream = k.line(wanted) + k.line(second)
    for bit in range(8 * len(k.line(wanted))):
        damaged = bytearray(stream)
        damaged[bit // 8] ^= 1 << bit % 8
        # A CRC that became a line is no command.
        texts = [text for status, text in k.Lines().all(bytes(damaged))
                 if status == k.TEXT and not re.fullmatch(b"[0-9A-F]{4}",
                                                          text)]
        if damaged.upper() == stream.upper() and bit // 8 > len(wanted):
            assert texts == [wanted, second]  # a digit's case
        else:
            assert texts in ([second], [], [wanted]), damaged
            assert texts != [wanted] or bit // 8 >= len(wanted)


def test_half_a_line_is_waited_for_so_long():
    """1 ms, also where the clock wraps."""
    for start in (0, 2 ** 32 - 500):
        lines = k.Lines(half_us=1000)
        for came, later, told in [
                (b"ide", 0, (k.NONE, b"")), (b"n", 999, (k.NONE, b"")),
                (b"", 1998, (k.NONE, b"")), (b"", 1999, (k.HALF, b"")),
                (b"", 9999, (k.NONE, b"")),
                (b"ident\n", 9999, (k.TEXT, b"ident"))]:
            lines.push(came)
            assert lines.take((start + later) % 2 ** 32) == told, later


def test_an_overrun_damages_its_line_only():
    lines = k.Lines()
    lines.push(200 * b"a good\n" + b"x")
    assert [lines.take() for _ in range(147)] == 146 * [
        (k.TEXT, b"a good")] + [(k.NONE, b"")]
    assert lines.all(b"behind\nlast\n") == [(k.DAMAGED, b""),
                                            (k.TEXT, b"last")]
    assert lines.reader.lost == 1401 - 1024


# ---- the host's port ----

def test_mailbox_does_as_a_simple_model():
    """Puts at random offsets, of what belongs there."""
    rng = random.Random(5)
    outcomes = set()
    for _ in range(300):
        size = rng.randrange(1, 60)
        capacity = rng.choice([size, size + 5, max(1, size - 1)])
        message = rng.randbytes(size)
        room = c.create_string_buffer(capacity + 8)
        box = k.Mailbox()
        k.LIB.mailbox_init(box)
        assert k.LIB.mailbox_announce(box, size, 1, 2) == k.ERR_PORT_BUSY
        k.LIB.mailbox_open(box, room, capacity)
        assert k.LIB.mailbox_put(box, 0, message, 1) == k.ERR_PORT_BUSY
        assert k.LIB.mailbox_announce(box, 0, 1, 2) == k.ERR_EMPTY
        error = k.LIB.mailbox_announce(box, size, 1, 2)
        if size > capacity:
            assert error == k.ERR_BUFFER
            continue
        assert error == 0
        if size > 1:  # announced anew, nothing of an old one is kept
            assert k.LIB.mailbox_put(box, 0, b"?", 1) == 0
            assert k.LIB.mailbox_announce(box, size, 1, 2) == 0
        filled = 0
        while filled < size:
            at = rng.randrange(size + 3)
            count = rng.randrange(12)
            piece = message[at:at + count].ljust(count, b"?")
            want = (k.ERR_BUFFER if at + count > size
                    else k.ERR_RANGE if at > filled else 0)
            assert k.LIB.mailbox_put(box, at, piece, count) == want
            outcomes.add(want)
            if want == 0:
                filled = max(filled, at + count)
            assert box.filled_bytes == filled
        assert room.raw == message + bytes(len(room) - size)
        assert getattr(box, "in") == k.MAILBOX_FULL
        assert k.LIB.mailbox_announce(box, size, 1, 2) == k.ERR_PORT_BUSY
        # Its last reply was lost, and the node has taken it meanwhile.
        k.LIB.mailbox_open(box, room, capacity)
        assert k.LIB.mailbox_put(box, size - 1, b"?", 1) == 0
        assert k.LIB.mailbox_put(box, size, b"?", 1) == k.ERR_PORT_BUSY
        assert room.raw[:size] == message
    assert outcomes == {0, k.ERR_BUFFER, k.ERR_RANGE}


# ---- the commands, of modelled boards ----

@pytest.fixture(scope="module", name="bench")
def bench_fixture():
    """3x2 boards that know where they are."""
    with chip_bench.started(3, 2) as bench:
        assert bench.discover() == []
        yield bench


def rows(bench, text):
    """The rows of a good reply."""
    first, *rest, last = bench.ask(text)
    assert first == "ok until=end", (text, first)
    assert last == f"end rows={len(rest)}"
    return rest


def page(bench, words):
    """The bytes that a peek tells."""
    data, = rows(bench, f"peek {words}")
    return base64.b64decode(data.removeprefix("data="))


def test_a_node_tells_who_it_is(bench):
    commands = [row.split(" ")[0] for row in rows(bench, "help")]
    assert commands == ["help", "ident", "ps", "links", "counters", "mesh",
                        "ping", "peek", "peeks", "identify", "run", "put",
                        "report", "get", "done", "clock", "trace", "fault",
                        "inject", "reset"]
    told = bench.values("ident")
    version = told.pop("version")
    crc = int(told.pop("image_crc"), 16)
    assert told == {
        "board": "stm32f405", "mesh": "1358966786", "width": "3",
        "height": "2", "x": "0", "y": "0", "originator": "0,0",
        "unique_id": "003100003436470E35373138", "reset": "power",
        "clock": "hse-pll", "clock_hz": "168000000", "crystal_hz": "8000000",
        "room": "122880"}
    assert page(bench, "W1 3")[4:-1].decode() == version
    said = struct.unpack("<4B12xIIIIIHhHH20s", page(bench, "N1 2"))
    assert said == (2, 1, 0, 1, crc, 168_000_000, 8_000_000, 122_880, said[8],
                    3300, 25, 0, said[12], b"hse-pll\0power".ljust(20, b"\0"))
    told = bench.values("ps")
    assert 1000 < int(told.pop("stack_used_bytes")) < 12288
    assert int(told.pop("uptime_ms")) >= int(told.pop("still_ms")) >= 0
    assert told == {
        "state": "waiting", "waypoint": "order", "error": "0", "placed": "1",
        "x": "0", "y": "0", "job": "0", "kernel": "-", "round": "0",
        "from": "-", "kind": "0", "sending": "-", "jobs": "0", "faults": "0",
        "stack_bytes": "12288"}
    assert rows(bench, "ps")[:2] == rows(bench, "peek 0")[:2]
    assert rows(bench, "trace") == []
    first, second = (int(chip_bench.words(bench.ask("clock")[0])["ps"])
                     for _ in range(2))
    assert 10 ** 11 < first < second
    assert bench.ask("fault") == ["ok record=none"]
    assert bench.ask("inject none") == ["ok"]


def test_what_the_ports_have_seen(bench):
    assert rows(bench, "links") == [
        "port=east test=good x=1 y=0 to=west",
        "port=north test=good x=0 y=1 to=south",
        "port=west test=good x=2 y=0 to=east",
        "port=south test=good x=0 y=1 to=north"]
    bench.command("lose", 1, "west", 0.01)
    assert " fault=noisy " in bench.discover()[0]
    assert rows(bench, "links")[0] == "port=east test=noisy x=1 y=0 to=west"
    bench.command("lose", 1, "west", 0)
    assert rows(bench, "mesh 3 2 0 0") == []
    assert bench.ask("counters clear") == ["ok"]
    first, second = rows(bench, "ping W1 700 2")
    assert first.startswith("circuit=0 error=0 setup_ns=")
    assert second.startswith("circuit=1 error=0 ")
    told = chip_bench.words(first)
    assert 200_000 < int(told["setup_ns"]) < 700 * 5000 < int(told["total_ns"])
    bench.ask("@1 ident")
    told = bench.counters()
    for port in chip_bench.PORTS:
        assert told[port]["bytes_out"] >= (1400 if port == "west" else 0)
        assert told[port]["damaged"] == told[port]["dma_failures"] == 0
        assert told[port]["sent_messages"] == 2 * (port == "west"), port
    assert told["console"] == {"lines": 2, "long": 0, "crc": 1, "control": 0,
                               "damaged": 0, "half": 0, "lost_bytes": 0}


PATHS = {".": (0, 0), "E1": (1, 0), "e2": (2, 0), "W1": (2, 0), "N1": (0, 1),
         "s1": (0, 1), "E1N1": (1, 1), "W1S1": (2, 1), "n1e2": (2, 1),
         "S1W1": (2, 1), "E2S1": (2, 1), "W2N1": (1, 1)}


def test_paths_lead_where_they_should(bench):
    """One after the other; and all at once, each in its row."""
    for path, end in PATHS.items():
        legs = re.sub(r"(?<=\d)(?=\D)", " ", path.strip("."))
        assert tuple(page(bench, f"{legs} 2")[2:4]) == end, path
        if legs:
            said, = rows(bench, f"ping {legs} 10 1")
            assert " error=0 " in said, path
    found = {}
    for row in rows(bench, "peeks 2 " + ",".join(PATHS)):
        told = chip_bench.words(row)
        if "at" in told:
            assert int(told["at"]) not in found
            found[int(told["at"])] = tuple(
                base64.b64decode(told["data"])[2:4])
    assert [found[i] for i in range(len(PATHS))] == list(PATHS.values())
    assert list(found) != sorted(found)


def test_other_nodes_do_what_they_are_told(bench):
    said = rows(bench, "identify E1 N1 3600")
    assert said[0] == ("state=waiting waypoint=message error=0 placed=1 x=1 "
                       "y=1 job=0")
    assert "reset=" not in " ".join(said)
    assert rows(bench, "reset N1")[0].endswith("placed=1 x=0 y=1 job=0")
    bench.run(100_000)
    assert b"software" in page(bench, "N1 2")
    assert rows(bench, "peek N1 0")[0].endswith("placed=0 x=0 y=0 job=0")
    assert rows(bench, "mesh 3 2") == []


WRONG_WORDS = [
    "mesh", "mesh 5", "mesh 0 5", "mesh 5 0", "mesh 5 5 1", "mesh 5 5 5 0",
    "mesh 5 5 0 5", "mesh 3126 1", "mesh 5 5 0 0 0 0", "mesh 5 5 0 0 256",
    "mesh x 5", "mesh -1 5",
    "mesh 4294967297 5", "ping E2 1", "ping E0 1 1", "ping X2 1 1",
    "ping E 1 1", "ping E2 W1 1 1", "ping E2 E1 1 1", "ping E2 65536 1",
    "ping E2 N1 N1 1 1", "run 1 2", "run 1 256 1", "run 1 1 65536",
    "run 2147483648 1 1", "run 1 1 0", "put 0", "put x QUJD", "put 0 QUJ",
    "put 0 QUJD=",
    "put 0 QUJD QUJD", "put 4294967296 QUJD", "get 0", "get 0 97", "get 0 x",
    "peek", "peek E1", "peek E1 128", "peek E1 E1 0", "peek X1 0", "peek E0 0",
    "peek E1 N1 0 0", "inject", "inject hangs", "inject none x",
    "peeks", "peeks 0", "peeks 128 .", "peeks 0 E1,", "peeks 0 ,E1",
    "peeks 0 E1,,W1", "peeks 0 E1E1", "peeks 0 E1W1", "peeks 0 E0",
    "peeks 0 E1N", "peeks 0 ..", "peeks 0 .E1", "peeks 0 E1 E2",
    "peeks 0 E3126", "peeks 0 E4294967297", "peeks 0 " + 33 * ".,",
    "peeks 0 " + ",".join(33 * ["E1"]), "identify", "identify E1",
    "identify E1 3601", "identify E1 W1 5", "identify E1 -1",
    "counters all", "fault all", "help me", "done 1", "reset now", "reset E",
    "reset E1 E1", "reset E1 N1 N1", "report 1", "clock 2",
    "put 0 " + 132 * "A"]
WRONG_LINES = {
    "Help": "command ?", "hel": "command ?", "helpx": "command ?",
    k.line(b"@").decode()[:-1]: "command ?",
    k.line(b"@x ident").decode()[:-1]: "command ?",
    k.line(b"@1").decode()[:-1]: "command tag=1 ?",
    k.line(b"@4294967296 ident").decode()[:-1]: "command ?",
    "ident*0000": "crc wrong", "@1 ident": "crc wrong", "*": "crc wrong",
    201 * "a": "long line", 900 * "a": "long line",
    "id\x07ent": "control byte", "id\xe4": "control byte"}


def test_what_is_wrong_is_refused(bench):
    for text in WRONG_WORDS:
        assert bench.ask(text) == ["err argument ?"], text
    assert bench.ask("mesh 256 1") == ["err node error=-12"]
    for text, told in WRONG_LINES.items():
        assert bench.ask(text) == [f"err {told}"], text
    assert bench.ask("  fault ") == ["ok record=none"]


def test_who_does_not_answer_is_waited_for(bench):
    """Every 25 ms it is told; another line ends it."""
    bench.command("power", 1, "off")
    assert bench.ask("peek E1 0")[1:] == ["end rows=0 err=node error=-5"]
    said = rows(bench, "peeks 0 E1,W1")
    assert said.count("waiting=1") > 3 and "at=0 error=-5" in said
    assert said[0].startswith("at=1 data=")
    bench.heard.clear()
    bench.command("type", 0, "peeks 0 E1")
    assert [bench.line(0) for _ in range(2)] == ["ok until=end", "waiting=1"]
    bench.command("type", 0, "fault")
    while (said := bench.line(0)) == "waiting=1":
        pass
    assert re.fullmatch(r"end rows=\d+ err=late result", said)
    assert bench.line(0) == "ok record=none"


# ---- messages, and what takes long ----

def test_a_mesh_is_found_or_given_up():
    board = k.Board()
    row = "x=0 y=0 port=east fault=size"
    assert board.ask("mesh 6 2") == ["ok until=end", row, row,
                                     "end rows=2 err=faults found"]
    assert board.ask("mesh 7 5") == ["err node error=-1"]
    assert board.ask("mesh 8 1") == ["ok until=end",
                                     "end rows=0 err=late result"]


def test_a_message_and_its_report():
    message = random.Random(7).randbytes(250)
    board = k.Board()

    def put(at, size):
        text = base64.b64encode(message[at:at + size]).decode()
        return board.ask(f"put {at} {text}")[0]

    assert board.ask("report") == ["ok state=none"]
    assert put(0, 3) == "err busy now"
    assert board.ask("get 0 5") == ["err busy now"]
    assert board.ask("run 70001 9 77") == ["err space room=70000"]
    assert board.ask("run 0 9 77") == ["err node error=-9"]
    assert board.ask("run 250 9 77") == ["ok room=70000 next=0"]
    assert put(0, 96) == "ok next=96"
    assert put(192, 58) == "err gap next=96"
    assert put(0, 96) == "ok next=96"
    assert put(90, 96) == "ok next=186"
    assert board.ask("put 200 " + base64.b64encode(bytes(51)).decode()) \
        == ["err space room=250"]
    assert put(186, 64) == "ok next=250"
    for text in ("run 10 1 1", "mesh 5 5", "ping E1 1 1"):
        board.node.waits = 3
        assert board.ask(text) == ["err busy now"]
    assert put(186, 64) == "ok next=250"
    while (said := board.ask("report")) == ["ok state=running"]:
        pass
    assert said == ["ok state=ready bytes=250 kind=10 job=77"]
    said = b""
    while len(said) < 250:
        told = chip_bench.words(board.ask(f"get {len(said)} 96")[0])
        assert told["at"] == str(len(said))
        said += base64.b64decode(told["data"], validate=True)
    assert said == message[::-1]
    assert board.ask("get 251 1") == ["err space room=250"]
    assert board.ask("get 250 1") == ["ok at=250 data="]
    assert board.ask("done") == ["ok"]
    assert board.ask("report") == ["ok state=none"]


def test_done_said_twice_by_a_program_counts_once():
    board = k.Board()
    done = k.line(b"@9 done").decode().strip()
    for _ in range(2):
        board.ask("run 1 1 1")
        board.ask("put 0 QQ==")
        while "ready" not in board.ask("report")[0]:
            pass
        assert board.ask(done) == ["ok tag=9"]
    assert "ready" in board.ask("report")[0]
    assert board.ask("done") == ["ok"]
    assert board.ask("report") == ["ok state=none"]


# ---- the client ----

@contextlib.contextmanager
def client_of(answer, **settings):
    """A client of what answers by a script."""
    with k.scripted(answer) as wire, k.Client(wire, **settings) as client:
        yield client


def test_client_with_a_good_board():
    """Nothing is asked twice."""
    with k.wired(k.Board()) as wire, k.Client(wire) as client:
        assert client.ask("report") == (True, "", ["ok state=none"])
        ok, code, lines = client.ask("mesh 6 5")
        assert (ok, code, len(lines), lines[0]) == (False, "faults", 6, "ok")
        assert client.ask("get 0 1") == (False, "busy", ["err busy now"])
        assert client.receive() is None
        message = random.Random(8).randbytes(20000)
        assert client.send(message, 200, 60000) == 0
        assert client.send(message, 200, 60000) == 1
        assert client.receive_soon() == (message[::-1], 201, 60000)
        counters = client.counters
        assert (counters.retries, counters.damaged, counters.refused,
                counters.late, counters.stale) == (0, 0, 0, 0, 0)


def test_a_port_that_takes_a_little_at_a_time():
    """All bytes go out, in order; with nobody to take them, the wait ends."""
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    k.LIB.fake_clock_set(0, 0)
    serial = k.LIB.console_port_attach(theirs.detach(), b"socket")
    data = random.Random(7).randbytes(100_000)
    taken = bytearray()

    def take():
        while len(taken) < len(data):
            taken.extend(ours.recv(1000))

    with ours:
        ours.settimeout(GUARD_S)
        taker = threading.Thread(target=take, daemon=True)
        taker.start()
        assert k.LIB.console_port_write(serial, data, len(data), 30_000) == 0
        taker.join(GUARD_S)
        assert taken == data
        k.LIB.fake_clock_set(0, k.FOR_EVER)
        assert k.LIB.console_port_write(serial, data, len(data), 50) == 1
        k.LIB.console_port_close(serial)


def test_client_over_a_line_that_damages():
    """Two faults in a thousand bytes each way: what arrives is right."""
    for seed in range(4):
        rng = random.Random(seed)
        with k.wired(k.Board(), k.noise(seed, 0.002),
                     k.noise(seed + 100, 0.002)) as wire, \
                k.Client(wire, tries=1000) as client:
            for size in (1, 96, 97, 2500):
                message = rng.randbytes(size)
                assert client.send(message, 1, size) == 0
                assert client.receive_soon() == (message[::-1], 2, size)
                assert len(client.ask("mesh 6 9")[2]) == 10
            counters = client.counters
            assert counters.retries > 0 and counters.damaged > 0


OK = k.good("ok tag=TAG")
ROWS = [k.good("ok tag=TAG until=end"), k.line(b"a=1"), k.line(b"b=2"),
        k.good("end tag=TAG rows=2")]


def test_client_asks_again():
    """And takes a reply's rows whole, or not at all."""
    for answers in [
            # Nothing, half a line, a damaged one, then a good one.
            [[], [OK]],
            [[b"ok tag="], [b"\n", OK]],
            [[b"ok tag=1*0000\n"], [OK]],
            [[lambda tag: b"ok x=1 tag=" + tag + b"\n"], [OK]],
            [[b"\xff\0\x07\n"], [OK]],
            [[300 * b"x" + b"\n"], [OK]],
            # The board found the request damaged.
            [[k.line(b"err crc wrong")], [OK]],
            # What belongs to somebody else.
            [[k.line(b"ok tag=5"), k.line(b"err busy tag=6 x"),
              k.line(b"row=1"), k.line(b"end tag=5 rows=0"), OK]],
            *([[ROWS[i] for i in first], ROWS] for first in (
                [0, 1, 2], [0, 1, 3], [0, 3], [1, 2, 3], [0, 1, 1, 2, 3]))]:
        asked = []

        def answer(text, count, answers=answers, asked=asked):
            asked.append(text)
            return answers[min(count, len(answers) - 1)]

        with client_of(answer, wait_ms=100) as client:
            assert client.ask("some words") == (
                True, "", ["ok", "a=1", "b=2"] if answers[-1] == ROWS
                else ["ok"]), answers
        assert set(asked) == {"some words"}
        assert len(asked) >= len(answers)


def test_client_gives_a_silent_board_up():
    """After its tries, not before."""
    with client_of(lambda *_: [], wait_ms=50, tries=3) as client:
        with pytest.raises(k.Failed, match=(
                "socket: no good reply to 'ident' in 3 tries of 50 ms: "
                "nothing came")):
            client.ask("ident")
        assert 150 <= k.LIB.fake_clock_ns() / 1e6 <= 153
        with pytest.raises(k.Failed):
            client.receive()


def test_client_gives_a_babbler_up():
    """Who speaks without an end, a millisecond each time."""
    def babble(wire):
        k.LIB.fake_clock_set(k.LIB.fake_clock_ns() + 10 ** 6, k.FOR_EVER)
        wire.write(k.line(b"ok tag=5") + b"nonsense\n" + k.line(b"x=1"))

    with k.Wire(babble) as wire, \
            k.Client(wire, wait_ms=50, tries=3) as client:
        with pytest.raises(k.Failed, match="ms: what came is none"):
            client.ask("ident")


def test_a_board_that_stops_in_the_middle():
    """Of a message: the byte is told, in bounded time."""
    for count in 0, 1, 5:
        def answer(text, number, count=count):
            if number > count:
                return []
            if text.startswith("run"):
                return [k.good("ok tag=TAG room=9999 next=0")]
            at, data = text.split(" ")[1:]
            size = len(base64.b64decode(data))
            return [k.good(f"ok tag=TAG next={int(at) + size}")]

        with client_of(answer, wait_ms=500, tries=3) as client:
            with pytest.raises(k.Failed, match=(
                    f"socket: does not take byte {96 * count} of 5000")):
                client.send(bytes(5000), 1, 1)


NONSENSE = [
    ("ok tag=TAG room=9999", "socket: at byte 0 of 5000",
     lambda client: client.send(bytes(5000), 1, 1), [
         "err node tag=TAG error=-3", "ok tag=TAG", "ok tag=TAG next=5001",
         "ok tag=TAG next=x", "ok tag=TAG at=0 data=QUJD"]),
    ("ok tag=TAG state=ready bytes=3 kind=1 job=1", "socket: ",
     lambda client: client.receive(), [
         "err space tag=TAG room=3", "ok tag=TAG", "ok tag=TAG at=0 data=",
         "ok tag=TAG at=0 data=QU", "ok tag=TAG at=1 data=QUJD",
         "ok tag=TAG at=x data=QUJD", "ok tag=TAG at=4294967295 data=QUJD"])]


def test_client_believes_no_nonsense():
    for begin, why, call, answers in NONSENSE:
        for answer in answers:
            def serve(text, _, begin=begin, answer=answer):
                return [k.good(begin if re.match("run|report", text)
                               else answer)]

            with client_of(serve, wait_ms=50, tries=3) as client:
                with pytest.raises(k.Failed, match=why):
                    call(client)


# ---- ports ----

def test_a_port_that_goes_away():
    with k.Wire(lambda wire: wire.ours.close()) as wire, \
            k.Client(wire) as client:
        with pytest.raises(k.Failed, match="^socket: the port has gone"):
            client.ask("ident")

    def serve(pty):
        pty.read(5)
        os.close(pty.slave)
        os.close(pty.master)

    with k.Pty(serve) as pty, k.Client(pty.path) as client:
        with pytest.raises(k.Failed, match=f"{pty.path}: the port has gone"):
            client.ask("ident")


def test_ports_that_are_none(tmp_path):
    """A link is what it leads to, as the names in /dev/serial/by-id."""
    link = tmp_path / "by-id"
    link.symlink_to("/dev/null")
    for port in (link, tmp_path, "/dev/null"):
        with pytest.raises(k.Failed, match=f"^{port}: that is no serial port"):
            k.Client(str(port))


def test_a_port_is_busy_until_it_is_closed():
    """Then for nobody, not only not for root, who may open an exclusive one."""
    with k.Pty(lambda pty: None) as pty:
        with k.Client(pty.path):
            with pytest.raises(k.Failed, match="the port is busy"):
                k.Client(pty.path)
        # Without O_NOCTTY it becomes the terminal of a pytest that leads its
        # session and has none, which ends by SIGHUP when the port closes.
        port = os.open(pty.path, os.O_RDONLY | os.O_NOCTTY)
        try:
            exclusive = fcntl.ioctl(port, TIOCGEXCL, b"\0" * 4)
        finally:
            os.close(port)
    assert exclusive == b"\0" * 4


def test_who_is_refused_changes_nothing():
    """Neither what came in for the owner nor how the port is set."""
    ours, theirs = os.openpty()
    try:
        settings = termios.tcgetattr(theirs)
        settings[3] &= ~termios.ICANON
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
        settings = termios.tcgetattr(theirs)
        fcntl.flock(theirs, fcntl.LOCK_EX)
        os.write(ours, b"what is unread")
        with pytest.raises(k.Failed, match="the port is busy"):
            k.Client(os.ttyname(theirs))
        assert os.read(theirs, 99) == b"what is unread"
        assert termios.tcgetattr(theirs) == settings
    finally:
        os.close(ours)
        os.close(theirs)


# ---- the command ----

def test_command_line(tmp_path):
    """At a port, or at what leads to one."""
    board, link = k.Board(), tmp_path / "by-id"

    def serve(pty):
        while not pty.over:
            pty.write(board.type(pty.read()))

    with k.Pty(serve) as pty:
        link.symlink_to(pty.path)
        for port, words, status, out, err in [
                (link, "report", 0, "ok state=none\n", ""),
                (pty.path, "mesh 6 1", 1, "ok\nx=0 y=0 port=east fault=size\n",
                 f"quincunx: {pty.path}: 'mesh 6 1': faults\n"),
                (pty.path, "what", 1, "err command ?\n", None)]:
            done = subprocess.run(
                [QUINCUNX, "console", "--port", port, *words.split()],
                capture_output=True, text=True, check=False, timeout=GUARD_S)
            assert (done.returncode, done.stdout) == (status, out)
            assert err is None or done.stderr == err


def test_a_batch_must_fit_the_board_that_is_there(tmp_path):
    """Which says so: `room=67368`."""
    load = tmp_path / "load"
    load.write_bytes(bytes(70_000))
    with fake_mesh.Mesh(5, 5) as bench:
        done = bench.call("run", "--mesh", "5x5", "--kernel", "search",
                          "--arg", "x", "--batch", "66000", load)
    assert (done.returncode, done.stdout) == (1, "")
    most = re.fullmatch(
        r"quincunx: --batch 66000: a node's memory takes (\d+) units of "
        rf"{re.escape(str(load))} at most\n", done.stderr)
    assert most and 60_000 < int(most[1]) <= 65_999, done.stderr

# SPDX-License-Identifier: Apache-2.0
"""The console: its lines, a node's host port, the commands, the client."""
import base64
import binascii
import contextlib
import ctypes as c
import fcntl
import functools
import os
import random
import re
import shutil
import socket
import subprocess
import termios
import threading

import pytest

import console as k
import mesh
from core import BUILD, ROOT
from guard import GUARD_S

QUINCUNX = BUILD / "quincunx"
TIOCGEXCL = 0x80045440  # asm-generic/ioctls.h: is it exclusive?


# ---- lines ----

def test_crc_is_the_one_of_ccitt():
    assert k.LIB.line_crc(0xFFFF, b"123456789", 9) == 0x29B1
    rng = random.Random(1)
    for _ in range(300):
        text = rng.randbytes(rng.randrange(40))
        first = rng.randrange(0x10000)
        assert (k.LIB.line_crc(first, text, len(text))
                == binascii.crc_hqx(text, first))


def test_base64_is_rfc_4648():
    out = c.create_string_buffer(200)
    rng = random.Random(2)
    for size in list(range(97)) * 3:
        data = rng.randbytes(size)
        length = k.LIB.line_base64(out, data, size)
        assert out.raw[:length] == base64.b64encode(data)
        back = c.create_string_buffer(size + 1)
        text = base64.b64encode(data)
        assert k.LIB.line_base64_read(back, size, text, len(text)) == size
        assert back.raw[:size] == data
        if size:
            assert k.LIB.line_base64_read(back, size - 1, text,
                                          len(text)) == -1


def test_base64_takes_nothing_else():
    """Exactly what encodes something, and in one way only."""
    rng = random.Random(3)
    some = b"AQZagz059+/="
    taken = 0
    for _ in range(20000):
        text = bytes(rng.choice(some + b"-_ .\0\xff" * (i % 2))
                     for i in range(rng.randrange(9)))
        try:
            want = base64.b64decode(text, validate=True)
            fine = base64.b64encode(want) == text
        except ValueError:
            fine = False
        out = c.create_string_buffer(16)
        count = k.LIB.line_base64_read(out, 16, text, len(text))
        assert count == (len(want) if fine else -1), text
        taken += fine
        if fine:
            assert out.raw[:count] == want
    assert taken > 1000


def some_line(rng):
    """Mostly good, and everything that is wrong with lines."""
    text = bytes(rng.choice(b"abcXYZ019 @+/=*") for _ in
                 range(rng.choice([1, 3, 20, 199, 200, 201, 206, 300])))
    kind = rng.randrange(8)
    if kind < 3:
        text = text.replace(b"*", b"x")
        text += k.mark(text)
    if kind == 3:
        text += b"*%04x" % rng.randrange(0x10000)
    if kind == 4:
        text = text.replace(b"*", b"x") + b"*%04x" % binascii.crc_hqx(
            text.replace(b"*", b"x"), 0xFFFF)
    if kind == 6:
        text = b"*" + text[:9].replace(b"*", b"x")
        text += k.mark(text)
    if kind == 5:
        at = rng.randrange(len(text))
        text = text[:at] + bytes([rng.randrange(256)]) + text[at + 1:]
    return text + rng.choice([b"\n", b"\r", b"\r\n", b"\n\n"])


def test_lines_are_judged_as_written_down():
    for seed in range(8):
        rng = random.Random(seed)
        stream = b"".join(some_line(rng) for _ in range(400))
        lines = k.Lines()
        want = k.judged_all(stream)
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
    assert k.Lines().all(stream) == [(k.TEXT, wanted), (k.TEXT, second)]
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
                (b"ide", 0, (k.NONE, b"")), (b"", 999, (k.NONE, b"")),
                (b"n", 999, (k.NONE, b"")), (b"", 1998, (k.NONE, b"")),
                (b"", 1999, (k.HALF, b"")), (b"", 9999, (k.NONE, b"")),
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
    for _ in range(5000):
        assert lines.all(b"after it\n") == [(k.TEXT, b"after it")]


# ---- the host's port ----

def mailbox():
    box = k.Mailbox()
    k.LIB.mailbox_init(c.byref(box))
    return box, c.byref(box)


def test_mailbox_does_as_a_simple_model():
    """Puts at random offsets, of what belongs there."""
    rng = random.Random(5)
    outcomes = set()
    for _ in range(300):
        size = rng.randrange(1, 60)
        capacity = rng.choice([size, size + 5, max(1, size - 1)])
        message = rng.randbytes(size)
        room = c.create_string_buffer(capacity + 8)
        box, ref = mailbox()
        assert k.LIB.mailbox_announce(ref, size, 1, 2) == k.ERR_PORT_BUSY
        k.LIB.mailbox_open(ref, room, capacity)
        assert k.LIB.mailbox_put(ref, 0, message, 1) == k.ERR_PORT_BUSY
        assert k.LIB.mailbox_announce(ref, 0, 1, 2) == k.ERR_EMPTY
        error = k.LIB.mailbox_announce(ref, size, 1, 2)
        if size > capacity:
            assert error == k.ERR_BUFFER
            continue
        assert error == 0
        filled = 0
        while filled < size:
            at = rng.randrange(size + 3)
            count = rng.randrange(12)
            piece = message[at:at + count].ljust(count, b"?")
            want = (k.ERR_BUFFER if at + count > size
                    else k.ERR_RANGE if at > filled else 0)
            assert k.LIB.mailbox_put(ref, at, piece, count) == want
            outcomes.add(want)
            if want == 0:
                filled = max(filled, at + count)
            assert box.filled_bytes == filled
        assert room.raw[:size] == message
        assert room.raw[size:] == bytes(len(room) - size)
        assert getattr(box, "in") == 3
        assert k.LIB.mailbox_announce(ref, size, 1, 2) == k.ERR_PORT_BUSY
        # Its last reply was lost, and the node has taken it meanwhile.
        k.LIB.mailbox_open(ref, room, capacity)
        assert k.LIB.mailbox_put(ref, size - 1, b"?", 1) == 0
        assert k.LIB.mailbox_put(ref, size, b"?", 1) == k.ERR_PORT_BUSY
        assert room.raw[:size] == message
    assert outcomes == {0, k.ERR_BUFFER, k.ERR_RANGE}


def test_a_message_begun_anew_keeps_nothing_of_the_old_one():
    room = c.create_string_buffer(10)
    _, ref = mailbox()
    k.LIB.mailbox_open(ref, room, 10)
    assert k.LIB.mailbox_announce(ref, 4, 1, 1) == 0
    assert k.LIB.mailbox_put(ref, 0, b"old", 3) == 0
    assert k.LIB.mailbox_announce(ref, 4, 1, 1) == 0
    assert k.LIB.mailbox_put(ref, 3, b"x", 1) == k.ERR_RANGE
    assert k.LIB.mailbox_put(ref, 0, b"news", 4) == 0
    assert room.raw[:4] == b"news"
    k.LIB.mailbox_open(ref, room, 10)
    assert k.LIB.mailbox_announce(ref, 4, 1, 1) == 0
    k.LIB.mailbox_close(ref)
    assert k.LIB.mailbox_put(ref, 0, b"late", 4) == k.ERR_PORT_BUSY


def test_segments_are_read_as_one():
    rng = random.Random(6)
    for _ in range(300):
        pieces = [rng.randbytes(rng.choice([0, 1, 2, 7]))
                  for _ in range(rng.randrange(7))]
        whole = b"".join(pieces)
        segments = (k.Segment * 6)(*[k.Segment(
            data=c.cast(p, c.c_void_p), bytes=len(p)) for p in pieces])
        box, ref = mailbox()
        out = c.create_string_buffer(64)
        assert k.LIB.mailbox_get(ref, out, 0, 1) == k.ERR_PORT_BUSY
        k.LIB.mailbox_offer(ref, segments, len(pieces), 4, 5)
        assert box.out_bytes == len(whole)
        for at in range(len(whole) + 2):
            size = rng.randrange(50)
            count = k.LIB.mailbox_get(ref, out, at, size)
            if at > len(whole):
                assert count == k.ERR_BUFFER
            else:
                assert out.raw[:count] == whole[at:at + size]
                assert count == len(whole[at:at + size])
        k.LIB.mailbox_done(ref)
        assert k.LIB.mailbox_get(ref, out, 0, 1) == k.ERR_PORT_BUSY


# ---- the commands ----

@pytest.fixture(scope="module", name="board")
def board_fixture():
    with k.Board() as board:
        yield board


def rows(board, text):
    """The rows of a good reply."""
    first, *rest, last = board.ask(text)
    assert first == "ok until=end"
    assert last == f"end rows={len(rest)}"
    return rest


def test_help_lists_every_command(board):
    names = [row.split(" ")[0] for row in rows(board, "help")]
    assert names == ["help", "ident", "ps", "links", "counters", "mesh",
                     "ping", "peek", "peeks", "identify", "run", "put",
                     "report", "get", "done", "clock", "trace", "fault",
                     "inject", "reset"]


TOLD = {
    "ident": {
        "board": "stm32f405", "version": "v1.2-3-g0123456", "mesh": "77",
        "width": "5", "height": "4", "x": "3", "y": "2", "originator": "1,0",
        "unique_id": "00110022DEADBEEF00000007", "image_crc": "CAFE0001",
        "reset": "watchdog", "clock": "hse-pll", "clock_hz": "168000000",
        "crystal_hz": "8000123", "room": "50000"},
    "ps": {
        "state": "computing", "waypoint": "kernel", "error": "-5",
        "stack_bytes": "8192", "stack_used_bytes": "1234", "uptime_us": "55",
        "circuits": "12", "last_bytes": "96", "last_error": "-2",
        "port": "north"}}


def test_ident_and_ps(board):
    for text, told in TOLD.items():
        assert k.words(" ".join(rows(board, text))) == told


def test_links(board):
    assert rows(board, "links") == [
        "port=east test=good x=0 y=9 to=west",
        "port=north test=good x=1 y=9 to=south",
        "port=west test=good x=2 y=9 to=east", "port=south test=silent"]


def test_counters_and_their_clearing():
    with k.Board() as board:
        board.ask("nonsense")
        board.ask("@1 ident")
        told = rows(board, "counters")
        for port, row in zip(("east", "north", "west", "south"), told):
            assert row.startswith(f"port={port} n0=")
        assert k.words(told[2])["nd"] == "2013"
        assert told[4] == ("port=console lines=2 long=0 crc=1 control=0 "
                           "damaged=0 half=0 lost_bytes=0")
        assert board.ask("counters clear") == ["ok"]
        told = rows(board, "counters")
        assert k.words(told[2])["nd"] == "2000"
        assert k.words(told[4])["crc"] == "0"
        assert board.ask("counters all") == ["err argument ?"]


def test_the_longest_values_fit_their_lines():
    with k.Board("--full") as board:
        for text in ("ident", "ps", "links", "counters", "fault", "trace"):
            for tag in ("", "@4294967295 "):
                request = k.line(f"{tag}{text}".encode())[:-1].decode()
                first, *told, last = board.ask(request)
                assert first.startswith("ok") and first.endswith("until=end")
                assert re.search(rf"rows={len(told)}$", last)
                assert ("tag=4294967295" in first) == (tag != "")
                assert max(map(len, told)) <= k.TEXT_MAX
        names = [word for row in rows(board, "counters")[:2]
                 for word in k.words(row)]
        assert names == ["port", *(f"n{i}" for i in range(7)),
                         "port", "n7", "n8", "n9", "na", "nb", "nc", "nd"]
        words = k.words(" ".join(rows(board, "fault")))
        assert words == {f"n{i:x}": "FFFFFFFF" for i in range(15)}


def test_a_fault_is_forgotten():
    with k.Board("--full") as board:
        assert rows(board, "fault") != []
        assert board.ask("fault all") == ["err argument ?"]
        assert board.ask("fault clear") == ["ok record=none"]
        assert board.ask("fault") == ["ok record=none"]


def test_trace_and_clock_and_no_fault(board):
    assert board.ask("fault") == ["ok record=none"]
    assert rows(board, "trace") == [
        f"ps={2 ** 64 - 1 - i} kind=3 detail=4 value={i}" for i in range(20)]

    first, second = (int(k.words(board.ask("clock")[0])["ps"])
                     for _ in range(2))
    assert first < second


def test_discovery_tells_faults_by_place(board):
    assert board.ask("mesh 6 5") == [
        "ok until=end", "x=4 y=0 port=west fault=miswired to_x=2 to_y=3 "
        "to_port=north", "x=4 y=1 port=west fault=size count=7",
        "end rows=2 err=faults found"]
    assert board.ask("mesh 5 5 4 4") == ["ok until=end", "end rows=0"]
    assert board.ask("mesh 7 5") == ["err node error=-1"]
    assert board.ask("mesh 9 5") == ["ok until=end",
                                     "end rows=0 err=node error=-5"]


WRONG_WORDS = [
    "mesh", "mesh 5", "mesh 0 5", "mesh 5 0", "mesh 5 5 1", "mesh 5 5 5 0",
    "mesh 5 5 0 5", "mesh 3126 1", "mesh 5 5 0 0 0 0", "mesh 5 5 0 0 256",
    "mesh x 5", "mesh -1 5",
    "mesh 4294967297 5", "ping E2 1", "ping E0 1 1", "ping X2 1 1",
    "ping E 1 1", "ping E2 W1 1 1", "ping E2 E1 1 1", "ping E2 65536 1",
    "ping E2 N1 N1 1 1", "run 1 2", "run 1 256 1", "run 1 1 65536",
    "run 2147483648 1 1", "put 0", "put x QUJD", "put 0 QUJ", "put 0 QUJD=",
    "put 0 QUJD QUJD", "put 4294967296 QUJD", "get 0", "get 0 97", "get 0 x",
    "peek", "peek E1", "peek E1 128", "peek E1 E1 0", "peek X1 0", "peek E0 0",
    "peek E1 N1 0 0", "inject", "inject hangs", "inject none x",
    "peeks", "peeks 0", "peeks 128 .", "peeks 0 E1,", "peeks 0 ,E1",
    "peeks 0 E1,,W1", "peeks 0 E1E1", "peeks 0 E1W1", "peeks 0 E0",
    "peeks 0 E1N", "peeks 0 ..", "peeks 0 .E1", "peeks 0 E1 E2",
    "peeks 0 E3126", "peeks 0 E4294967297", "peeks 0 " + 33 * ".,",
    "peeks 0 " + ",".join(33 * ["E1"]), "identify", "identify E1",
    "identify E1 3601", "identify E1 W1 5", "identify E1 -1",
    "help me", "done 1", "reset now", "reset E", "reset E1 E1",
    "reset E1 N1 N1", "report 1", "clock 2",
    "put 0 " + 132 * "A"]


WRONG_COMMANDS = ["Help", "hel", "helpx", "x", "@", "@x ident",
                  "@1", "@4294967296 ident"]


def test_wrong_words_and_commands_are_refused(board):
    for text in WRONG_WORDS:
        assert board.ask(text) == ["err argument ?"], text
    for text in WRONG_COMMANDS:
        request = k.line(text.encode())[:-1].decode()
        said = board.ask(request)
        assert re.fullmatch(r"err command( tag=1)? \?", said[0]), said


DAMAGED_LINES = [
    (b"ident*0000", "err crc wrong"), (b"@1 ident", "err crc wrong"),
    (201 * b"a", "err long line"), (5000 * b"a", "err long line"),
    (b"id\x07ent", "err control byte"), (b"id\xc3\xa4", "err control byte"),
    (b"id\0ent", "err damaged line"), (b"*", "err crc wrong")]


def test_damaged_lines_are_told(board):
    for raw, said in DAMAGED_LINES:
        board.write(raw + b"\n")
        assert board.read_line() == said
        assert board.ask("fault") == ["ok record=none"]


def test_half_a_line_is_told():
    with k.Board("--speed", "100") as board:
        board.write(b"iden")
        assert board.read_line() == "err half line"
        assert board.ask("fault") == ["ok record=none"]


def test_ends_of_lines_and_blanks(board):
    board.write(b"\r\n\n\r  fault \r\n")
    assert board.read_line() == "ok record=none"
    assert board.ask("inject none") == ["ok"], "more was said"


PINGS = [
    ("E2", (0, 2, 0, 0)), ("n50", (-1, 50, 0, 0)), ("W3 S4", (-2, 3, 1, 4)),
    ("W3 N4", (-2, 3, 2, 4)), ("E1 N2", (0, 1, 1, 2)),
    ("E1 S2", (0, 1, 2, 2)), ("S1 E2", (-3, 1, 1, 2)),
    ("S1 W2", (-3, 1, 2, 2)), ("N1 E9", (-1, 1, 2, 9))]


def test_ping_asks_for_its_path(board):
    for path, told in PINGS:
        port, hops, turn, after = told
        assert rows(board, f"ping {path} 700 3") == [
            f"circuit={i} error={port} setup_ns={hops} total_ns=700 "
            f"retries={turn * 10000 + after}" for i in range(3)]


def test_peek_asks_for_its_path(board):
    for path, (port, hops, turn, after) in [
            ("", (0, 0, 0, 0)), ("E2 ", (0, 2, 0, 0)),
            ("s3 e1 ", (3, 3, 1, 1))]:
        for page in (0, 1, 4):
            assert rows(board, f"peek {path}{page}") == [
                f"row={i} out={port} hops={hops} turn={turn} after={after}"
                for i in range(page)]


def test_peeks_that_fail(board):
    assert board.ask("peek E101 0") == ["err busy now"]
    assert board.ask("peek E60 0") == ["ok until=end",
                                       "end rows=0 err=node error=-5"]


def told(rows_of_peeks):
    """{index: (page, argument, hops)} or the error's number."""
    found = {}
    for row in rows_of_peeks:
        words = k.words(row)
        if "waiting" in words:
            continue
        assert int(words["at"]) not in found
        page = base64.b64decode(words["data"]) if "data" in words else None
        found[int(words["at"])] = (
            int(words["error"]) if page is None else
            (page[0], int.from_bytes(page[1:5], "little"), page[5]))
    return found


def test_many_peeks_at_once(board):
    """Each in its row, those of one port one after the other."""
    said = rows(board, "peeks 2 E3,.,n2W4,E1,E60,s7,W250,w1")
    assert told(said) == {0: (2, 0, 3), 1: (2, 0, 0), 2: (2, 0, 2),
                          3: (2, 0, 1), 4: -5, 5: (2, 0, 7), 6: -1,
                          7: (2, 0, 1)}
    order = [int(k.words(row)["at"]) for row in said if "at=" in row]
    east = [at for at in order if at in (0, 1, 3, 4)]  # "." is east's too
    assert east == [0, 1, 3, 4]
    assert order != sorted(order)


def test_as_many_peeks_as_there_may_be(board):
    said = told(rows(board, "peeks 5 " + ",".join(32 * ["N1"])))
    assert said == {i: (5, 0, 1) for i in range(32)}


def test_peeks_tell_that_they_wait():
    """Every 25 ms; a port that stays busy, or a node that does not answer, is
    given up in the end."""
    with k.Board("--speed", "50") as board:
        board.write(b"peeks 0 E99,W1,S101\n")
        assert board.read_line() == "ok until=end"
        said = []
        while not said or not said[-1].startswith("end"):
            said.append(board.read_line())
        assert told(said[:-1]) == {1: (0, 0, 1)}
        assert said.count("waiting=1") > 20
        assert said[-1] == f"end rows={len(said) - 1} err=late result"


def test_another_line_ends_peeks(board):
    board.write(b"peeks 0 E99\n")
    assert board.read_line() == "ok until=end"
    assert board.read_line() == "waiting=1"
    board.write(b"fault\n")
    while (said := board.read_line()) == "waiting=1":
        pass
    assert re.fullmatch(r"end rows=\d+ err=late result", said)
    assert board.read_line() == "ok record=none"


COMMANDS = [
    ("identify 0", 128, 0, (0, 0, 0, 0)),
    ("identify E2 3600", 128, 3600, (0, 2, 0, 0)),
    ("identify s3 e1 10", 128, 10, (3, 3, 1, 1)),
    ("reset W2", 129, 0x21545352, (2, 2, 0, 0)),
    ("reset n1 w2", 129, 0x21545352, (1, 1, 1, 2))]


def test_commands_for_other_nodes(board):
    for text, command, argument, path in COMMANDS:
        assert rows(board, text) == [
            f"command={command} argument={argument} row=0 out={path[0]} "
            f"hops={path[1]} turn={path[2]} after={path[3]}"]


def test_inject(board):
    for what in ("none", "fault", "hang", "die", "assert"):
        assert board.ask(f"inject {what}") == ["ok"]


def test_what_never_ends_is_given_up():
    with k.Board("--speed", "100") as board:
        assert board.ask("ping E60 1 1") == ["ok until=end",
                                             "end rows=0 err=late result"]
        assert board.ask("mesh 8 1") == ["ok until=end",
                                         "end rows=0 err=late result"]
        assert board.ask("ping E101 1 1") == ["ok until=end",
                                              "end rows=0 err=node error=-1"]


def test_a_message_and_its_report():
    message = random.Random(7).randbytes(250)
    with k.Board() as board:
        assert board.ask("report") == ["ok state=none"]
        assert board.ask("put 0 QUJD") == ["err busy now"]
        assert board.ask("get 0 5") == ["err busy now"]
        assert board.ask("run 70001 9 77") == ["err space room=70000"]
        assert board.ask("run 0 9 77") == ["err node error=-9"]
        assert board.ask("run 250 9 77") == ["ok room=70000 next=0"]

        def put(at, size):
            text = base64.b64encode(message[at:at + size]).decode()
            return board.ask(f"put {at} {text}")[0]

        assert put(0, 96) == "ok next=96"
        assert put(192, 58) == "err gap next=96"
        assert put(0, 96) == "ok next=96"
        assert put(90, 96) == "ok next=186"
        assert board.ask("put 200 " + base64.b64encode(bytes(51)).decode()) \
            == ["err space room=250"]
        assert put(186, 64) == "ok next=250"
        assert board.ask("report") == ["ok state=running"]
        assert board.ask("run 10 1 1") == ["err busy now"]
        assert board.ask("mesh 5 5") == ["err busy now"]
        assert board.ask("ping E1 1 1") == ["err busy now"]
        assert put(186, 64) == "ok next=250"
        while (said := board.ask("report")) == ["ok state=running"]:
            pass
        assert said == ["ok state=ready bytes=250 kind=10 job=77"]
        said = b""
        while len(said) < 250:
            told = k.words(board.ask(f"get {len(said)} 96")[0])
            assert told["at"] == str(len(said))
            said += base64.b64decode(told["data"], validate=True)
        assert said == message[::-1]
        assert board.ask("get 251 1") == ["err space room=250"]
        assert board.ask("get 250 1") == ["ok at=250 data="]
        assert board.ask("done") == ["ok"]
        assert board.ask("report") == ["ok state=none"]


def test_done_said_twice_by_a_program_counts_once():
    with k.Board() as board:
        def run():
            board.ask("run 1 1 1")
            board.ask("put 0 QQ==")
            while "ready" not in board.ask("report")[0]:
                pass

        done = k.line(b"@9 done")[:-1].decode()
        run()
        assert board.ask(done) == ["ok tag=9"]
        run()
        assert board.ask(done) == ["ok tag=9"]
        assert "ready" in board.ask("report")[0]
        assert board.ask("done") == ["ok"]
        assert board.ask("report") == ["ok state=none"]


def test_reset_answers_first():
    """A reply that does not leave holds no reset up."""
    for how, status in [((), 3), (("--stuck",), 4)]:
        with k.Board(*how) as board:
            assert board.ask("reset") == ["ok"]
            assert board.process.wait(GUARD_S) == status, how


# ---- the client ----

@contextlib.contextmanager
def client_of(answer, **settings):
    """A client of what answers by a script."""
    with k.scripted(answer) as wire, k.Client(wire, **settings) as client:
        yield client


def test_client_with_a_good_board():
    """However busy the host is: nothing is asked twice."""
    with k.Board() as board, k.Pty(k.between(board)) as pty, \
            k.Client(pty.path, wait_ms=20_000, rows_ms=20_000) as client:
        assert client.ask("fault") == (True, "", ["ok record=none"])
        ok, code, lines = client.ask("links")
        assert (ok, code, len(lines), lines[0]) == (True, "", 5, "ok")
        assert client.ask("mesh 6 5")[:2] == (False, "faults")
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


def talk_over_a_line_that_damages(seed):
    to_board, to_host = k.Noise(seed, 0.002), k.Noise(seed + 100, 0.002)
    rng = random.Random(seed)
    with k.Board() as board, k.damaging(board, to_board, to_host) as wire, \
            k.Client(wire, tries=1000) as client:
        for size in (1, 96, 97, 2500):
            message = rng.randbytes(size)
            assert client.send(message, 1, size) == 0
            assert client.receive_soon() == (message[::-1], 2, size)
            ok, _, lines = client.ask("ident")
            assert ok and k.words(" ".join(lines))["clock_hz"] == "168000000"
        assert to_board.faults > 3 and to_host.faults > 3
        counters = client.counters
        assert counters.retries > 0 and counters.damaged > 0


def test_client_over_a_line_that_damages():
    """Two faults in a thousand bytes each way: what arrives is right."""
    for seed in range(4):
        talk_over_a_line_that_damages(seed)


OK = "ok tag=TAG"
ROWS = [k.good("ok tag=TAG until=end"), k.line(b"a=1"), k.line(b"b=2"),
        k.good("end tag=TAG rows=2")]


@pytest.mark.parametrize("answers", [
    # Nothing, half a line, a damaged one, then a good one.
    [[], [k.good(OK)]],
    [[b"ok tag="], [b"\n", k.good(OK)]],
    [[b"ok tag=1*0000\n"], [k.good(OK)]],
    [[lambda tag: b"ok x=1 tag=" + tag + b"\n"], [k.good(OK)]],
    [[b"\xff\0\x07\n"], [k.good(OK)]],
    [[300 * b"x" + b"\n"], [k.good(OK)]],
    # The board found the request damaged.
    [[k.line(b"err crc wrong")], [k.good(OK)]],
    # What belongs to somebody else.
    [[k.line(b"ok tag=5"), k.line(b"err busy tag=6 x"), k.line(b"row=1"),
      k.line(b"end tag=5 rows=0"), k.good(OK)]]])
def test_client_asks_again(answers):
    asked = []

    def answer(text, count):
        asked.append(text)
        return answers[min(count, len(answers) - 1)]

    with client_of(answer, wait_ms=100) as client:
        assert client.ask("some words") == (True, "", ["ok"])
    assert set(asked) == {"some words"}
    assert len(asked) >= len(answers)


@pytest.mark.parametrize("first", [
    [0, 1, 2], [0, 1, 3], [0, 3], [1, 2, 3], [0, 1, 1, 2, 3], []])
def test_client_takes_rows_whole_or_not_at_all(first):
    def answer(_, count):
        return [ROWS[i] for i in first] if count == 0 else ROWS

    with client_of(answer, wait_ms=100) as client:
        assert client.ask("list") == (True, "", ["ok", "a=1", "b=2"])


def test_client_takes_a_late_reply_of_an_earlier_try():
    """The other one is then nobody's."""
    def answer(_, count):
        return [[], [k.good(OK), k.good(OK)]][count] if count < 2 else [
            k.good(OK)]

    with client_of(answer) as client:
        assert client.ask("slow") == (True, "", ["ok"])
        assert client.ask("next") == (True, "", ["ok"])
        assert client.counters.retries == 1


def test_client_gives_a_silent_board_up():
    """After its tries, not before."""
    with client_of(lambda *_: [], wait_ms=50, tries=3) as client:
        with pytest.raises(k.Failed, match=(
                "socket: no good reply to 'ident' in 3 tries of 50 ms")):
            client.ask("ident")
        assert 150 <= k.LIB.fake_clock_ns() / 1e6 <= 153
        with pytest.raises(k.Failed):
            client.send(b"abc", 1, 1)
        with pytest.raises(k.Failed):
            client.receive()


def test_client_gives_a_babbler_up():
    """Who speaks without an end, a millisecond each time."""
    def babble(wire):
        k.LIB.fake_clock_set(k.LIB.fake_clock_ns() + 10 ** 6, k.FOR_EVER)
        wire.send(k.line(b"ok tag=5") + b"nonsense\n" + k.line(b"x=1"))

    with k.Wire(babble) as wire, \
            k.Client(wire, wait_ms=50, tries=3) as client:
        with pytest.raises(k.Failed, match="no good reply"):
            client.ask("ident")


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_board_that_stops_in_the_middle(count):
    """Of a message: the byte is told, in bounded time."""
    def answer(text, number):
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


def test_a_port_that_goes_away():
    with k.scripted(lambda *_: wire.ours.close() or []) as wire, \
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


@pytest.mark.parametrize("begin, why, call, answers", NONSENSE,
                         ids=["sending", "receiving"])
def test_client_believes_no_nonsense(begin, why, call, answers):
    for answer in answers:
        def serve(text, _, answer=answer):
            return [k.good(begin if re.match("run|report", text) else answer)]

        with client_of(serve, wait_ms=50, tries=3) as client:
            with pytest.raises(k.Failed, match=why):
                call(client)


# ---- ports ----

def test_ports_that_are_none(tmp_path):
    plain = tmp_path / "file"
    plain.write_text("x")
    for port, why in [("/dev/nowhere", "there is no such port"),
                      (str(plain), "that is no serial port"),
                      (str(tmp_path), "that is no serial port"),
                      ("/dev/null", "that is no serial port")]:
        with pytest.raises(k.Failed, match=f"^{port}: {why}"):
            k.Client(port)


def test_a_link_is_what_it_leads_to(tmp_path):
    """As the names in /dev/serial/by-id: pseudo-terminals, and what is none."""
    link = tmp_path / "by-id"
    link.symlink_to("/dev/null")
    with pytest.raises(k.Failed, match=f"^{link}: that is no serial port"):
        k.Client(str(link))
    with k.Board() as board, k.Pty(k.between(board)) as pty:
        link.unlink()
        link.symlink_to(pty.path)
        with k.Client(str(link)) as client:
            assert client.ask("ident")[0]


def test_a_port_that_is_busy():
    with k.Pty(lambda pty: None) as pty:
        with k.Client(pty.path):
            with pytest.raises(k.Failed, match="the port is busy"):
                k.Client(pty.path)
        k.Client(pty.path).__exit__()


def test_a_port_that_was_closed_is_free():
    """For anybody, not only for root, who may open an exclusive one."""
    with k.Pty(lambda pty: None) as pty:
        with k.Client(pty.path):
            pass
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


def command(*args):
    return subprocess.run([QUINCUNX, "console", *args], capture_output=True,
                          text=True, check=False, timeout=GUARD_S)


def test_command_line():
    with k.Board() as board, k.Pty(k.between(board)) as pty:
        done = command("--port", pty.path, "links")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[:2] == [
            "ok", "port=east test=good x=0 y=9 to=west"]
        done = command("--port", pty.path, "mesh", "6", "5")
        assert done.returncode == 1
        assert done.stdout.count("fault=miswired to_x=2") == 1
        assert done.stdout.count("fault=size") == 1
        assert done.stderr == f"quincunx: {pty.path}: 'mesh 6 5': faults\n"
        done = command("--port", pty.path, "nonsense")
        assert done.returncode == 1
        assert done.stdout == "err command ?\n"


def test_a_wrong_mesh_is_told_in_words(tmp_path):
    load = tmp_path / "load"
    load.write_text("x")
    with k.Board() as board, k.Pty(k.between(board)) as pty:
        done = mesh.command("run", "--port", pty.path, "--mesh", "6x5",
                            "--kernel", "search", "--arg", "x", load,
                            timeout=GUARD_S)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "quincunx: the mesh is not a 6x5 torus:",
        "  (4,0) west: leads to (2,3) north, not to (3,0) east",
        "  (4,1) west: the mesh is 7 nodes high, not 5"]


def test_a_batch_must_fit_the_board_that_is_there(tmp_path):
    """Which says so: `room=50000`."""
    load = tmp_path / "load"
    load.write_bytes(bytes(70_000))
    with k.Board() as board, k.Pty(k.between(board)) as pty:
        done = mesh.command("run", "--port", pty.path, "--mesh", "5x5",
                            "--kernel", "search", "--arg", "x", "--batch",
                            "60000", load, timeout=GUARD_S)
    assert (done.returncode, done.stdout) == (1, "")
    most = re.fullmatch(
        r"quincunx: --batch 60000: a node's memory takes (\d+) units of "
        rf"{re.escape(str(load))} at most\n", done.stderr)
    assert most and 45_000 < int(most[1]) <= 50_000


# ---- size ----

SIZES = {"hal/line/line.c": 1400, "hal/serial/mailbox.c": 450,
         "boot/shell/shell.c": 1250, "boot/shell/commands.c": 4600}


@pytest.mark.skipif(shutil.which("arm-none-eabi-gcc") is None,
                    reason="arm-none-eabi-gcc is not installed")
@pytest.mark.parametrize("name", SIZES)
def test_size_on_a_board(name, tmp_path):
    """Bytes of flash on a Cortex-M4, strings with them; no data of its own."""
    out = tmp_path / "out.o"
    subprocess.run(
        ["arm-none-eabi-gcc", "-std=c11", "-Os", "-mcpu=cortex-m4", "-mthumb",
         f"-I{ROOT}", "-c", ROOT / name, "-o", out], check=True)
    told = subprocess.run(["arm-none-eabi-size", out], check=True, text=True,
                          capture_output=True).stdout.split("\n")[1].split()
    text, data, bss = map(int, told[:3])
    assert text <= SIZES[name] and data == bss == 0

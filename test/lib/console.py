# SPDX-License-Identifier: Apache-2.0
"""The console's lines once more, a node's console as a process, a serial line
that damages, and the host's client through ctypes."""
import binascii
import contextlib
import ctypes as c
import os
import random
import re
import select
import socket
import subprocess
import threading
import tty

from core import BUILD
from described import Library
from guard import GUARD_S

NONE, TEXT, LONG, CRC, CONTROL, DAMAGED, HALF = range(7)
TEXT_MAX, RING, DATA_MAX = 200, 1024, 96
ERR_PORT_BUSY, ERR_BUFFER, ERR_EMPTY, ERR_RANGE = -2, -3, -9, -12
PROGRAM = BUILD / "test" / "console-board"
FOR_EVER = 2 ** 64 - 1


# ---- lines ----

def mark(text):
    """The `*` and what is behind it."""
    return b"*%04X" % binascii.crc_hqx(text, 0xFFFF)


def line(text):
    return text + mark(text) + b"\n"


def unmark(raw):
    """The text of a reply; every one has a CRC."""
    found = re.fullmatch(rb"([ -)+-~]*)(\*[0-9A-F]{4})", raw)
    assert found and mark(found[1]) == found[2], raw
    return found[1].decode()


def judged(raw):
    """(status, text) of a line without its end; None: nothing is told."""
    if raw[:1] == b"*":
        return CRC, b""
    for at, byte in enumerate(raw):
        if byte == 0:
            return DAMAGED, b""
        if not 0x20 <= byte < 0x7F:
            return CONTROL, b""
        if at >= TEXT_MAX + 5:
            return LONG, b""
    if not raw:
        return None
    if b"*" in raw or raw[:1] == b"@":
        found = re.fullmatch(rb"([^*]+)(\*[0-9A-Fa-f]{4})", raw)
        if not found or mark(found[1]) != found[2].upper():
            return CRC, b""
        raw = found[1]
    return (LONG, b"") if len(raw) > TEXT_MAX else (TEXT, raw)


def judged_all(stream):
    """What comes of whole lines."""
    lines = re.split(rb"[\r\n]", stream)[:-1]
    return [said for raw in lines if (said := judged(raw))]


CONSOLE = Library(BUILD / "test" / "console.so")
LIB = CONSOLE.calls
Reader, Mailbox, Segment, Reply, Counters = map(CONSOLE.struct, (
    "line_reader", "mailbox", "mailbox_segment", "console_reply",
    "console_counters"))


class Lines:
    """hal/line/line.h's reader."""

    def __init__(self, half_us=1000):
        self.reader = Reader()
        LIB.line_init(c.byref(self.reader), half_us)

    def push(self, data):
        for byte in data:
            LIB.line_push(c.byref(self.reader), byte)

    def take(self, now_us=0):
        status = LIB.line_take(c.byref(self.reader), c.c_uint32(now_us))
        return status, self.reader.text if status == TEXT else b""

    def all(self, data, now_us=0, cut=lambda: 64):
        """Everything that comes of the bytes, pushed in pieces."""
        said = []
        while data:
            size = cut()
            self.push(data[:size])
            data = data[size:]
            while (one := self.take(now_us))[0] != NONE:
                said.append(one)
        return said


# ---- a node's console ----

class Board:
    """build/test/console-board, spoken to over pipes."""

    def __init__(self, *args):
        self.process = subprocess.Popen(
            [PROGRAM, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            bufsize=0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        if self.process.wait(GUARD_S) not in (0, 3, 4):
            raise AssertionError(f"it ended with {self.process.returncode}")

    def write(self, data):
        self.process.stdin.write(data)

    def read_line(self):
        raw = b""
        while not raw.endswith(b"\n"):
            assert select.select([self.process.stdout], [], [], GUARD_S)[0], raw
            byte = self.process.stdout.read(1)
            assert byte, raw
            raw += byte
        return unmark(raw[:-1])

    def ask(self, text):
        """The reply's lines: one, or until `end`."""
        self.write(text.encode() + b"\n")
        lines = [self.read_line()]
        while "until=end" in lines[0] and not lines[-1].startswith("end"):
            lines.append(self.read_line())
        return lines


def words(text):
    """The KEY=VALUE words."""
    return dict(word.split("=", 1) for word in text.split(" ") if "=" in word)


# ---- a line between host and board ----

class Pty:
    """A pseudo-terminal. `serve` has its master's end, in a thread: serve(pty)
    with pty.read(seconds) and pty.write(bytes), until pty.over."""

    def __init__(self, serve):
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)
        self.over = False
        self.failed = None
        self.thread = threading.Thread(target=self._run, args=(serve,))
        self.thread.start()

    def _run(self, serve):
        try:
            serve(self)
        except Exception as error:  # pylint: disable=broad-except
            self.failed = error

    def read(self, seconds=0.02):
        if not select.select([self.master], [], [], seconds)[0]:
            return b""
        return os.read(self.master, 4096)

    def write(self, data):
        os.write(self.master, data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()
        for end in (self.master, self.slave):
            try:
                os.close(end)
            except OSError:
                pass
        if self.failed:
            raise self.failed


class Noise:
    """Damages bytes by a seed: flips a bit, drops, doubles, or cuts off what is
    left of a line, its end too."""

    def __init__(self, seed, rate):
        self.random = random.Random(seed)
        self.rate = rate
        self.faults = 0
        self.cutting = False

    def __call__(self, data):
        out = bytearray()
        for byte in data:
            if self.cutting:
                self.cutting = byte != 10
            elif self.random.random() >= self.rate:
                out.append(byte)
            else:
                self.faults += 1
                kind = self.random.randrange(4)
                if kind == 0:
                    out.append(byte ^ 1 << self.random.randrange(8))
                elif kind == 1:
                    out += bytes([byte, byte])
                elif kind == 2:
                    self.cutting = byte != 10
        return bytes(out)


def between(board, to_board=bytes, to_host=bytes):
    """Serves a board's console on a pseudo-terminal."""
    def serve(pty):
        pipe = board.process.stdout
        while not pty.over:
            ready = select.select([pty.master, pipe], [], [], 0.02)[0]
            if pty.master in ready:
                board.write(to_board(os.read(pty.master, 256)))
            if pipe in ready:
                data = os.read(pipe.fileno(), 256)
                if not data:
                    return
                pty.write(to_host(data))
    return serve


class Wire:
    """A socket to whoever serves it when the client has nothing to read, in the
    client's own time: serve(socket) is called before that goes on."""

    def __init__(self, serve):
        self.ours, theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.port = theirs.detach()
        self.failed = None

        def idle():
            try:
                serve(self.ours)
            except Exception as error:  # pylint: disable=broad-except
                self.failed = error

        self.idle = c.CFUNCTYPE(None)(idle)

    def __enter__(self):
        LIB.fake_clock_listen(self.idle)
        LIB.fake_clock_set(0, FOR_EVER)
        return self

    def __exit__(self, *_):
        LIB.fake_clock_listen(c.CFUNCTYPE(None)())
        LIB.fake_clock_set(0, 0)
        self.ours.close()
        if self.failed:
            raise self.failed


def replies(answer):
    """A function that takes bytes as they come, and gives what is said to each
    line that they end: answer(text, count), bytes; `text` is without tag and
    CRC, or None if it is damaged. TAG stands for the tag."""
    left, count = b"", 0

    def feed(data):
        nonlocal left, count
        left += data
        while b"\n" in left:
            raw, left = left.split(b"\n", 1)
            if not raw:
                continue
            status, text = judged(raw)
            tag, text = (text.split(b" ", 1) if status == TEXT
                         else (b"", b""))
            for one in answer(text.decode() if status == TEXT else None,
                              count):
                yield one(tag[1:]) if callable(one) else one
            count += 1
    return feed


def scripted(answer):
    """A wire to one who gives these replies."""
    feed = replies(answer)

    def serve(wire):
        with contextlib.suppress(BlockingIOError):
            for one in feed(wire.recv(1 << 16)):
                wire.send(one)
    return Wire(serve)


def scripted_pty(answer):
    """A pseudo-terminal at whose other end these replies are given."""
    feed = replies(answer)

    def serve(pty):
        while not pty.over:
            for one in feed(pty.read()):
                pty.write(one)
    return Pty(serve)


def damaging(board, to_board, to_host):
    """A wire to a board's console. The board is asked for as long as it has
    something to say, and a moment longer."""
    def serve(wire):
        pipe = board.process.stdout
        told = False
        while not told and (ready := select.select([wire, pipe], [], [],
                                                   0.1)[0]):
            if wire in ready:
                board.write(to_board(wire.recv(256)))
            if pipe in ready:
                data = to_host(os.read(pipe.fileno(), 256))
                told = bool(data)
                wire.send(data)
    return Wire(serve)


def good(text):
    """A line to be said with the tag in it."""
    return lambda tag: line(text.replace("TAG", tag.decode()).encode())


# ---- the client ----

class Failed(Exception):
    """What console_why() says."""


class Client:
    def __init__(self, port, wait_ms=300, tries=5, rows_ms=2000):
        why = c.create_string_buffer(320)
        if isinstance(port, Wire):
            port = port.port
        else:
            LIB.fake_clock_set(0, 0)  # until something comes
        if isinstance(port, int):
            serial = LIB.console_port_attach(port, b"socket")
        else:
            serial = LIB.console_port_open(why, port.encode(), 115200)
        if not serial:
            raise Failed(why.value.decode())
        self.console = LIB.console_open(serial)
        LIB.console_patience(self.console, wait_ms, rows_ms, tries)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        LIB.console_close(self.console)

    @property
    def counters(self):
        return LIB.console_counters(self.console).contents

    def _check(self, status):
        if status < 0:
            raise Failed(LIB.console_why(self.console).decode())
        return status

    def ask(self, command):
        """(ok, code, lines)"""
        reply = Reply()
        try:
            self._check(LIB.console_request(self.console, reply,
                                            command.encode()))
            return (reply.ok, reply.code.decode(),
                    [reply.line[i].decode() for i in range(reply.lines)])
        finally:
            LIB.console_reply_free(c.byref(reply))

    def send(self, data, kind, job):
        return self._check(LIB.console_send(self.console, data, len(data),
                                            kind, job))

    def receive(self):
        """(data, kind, job), or None if there is none."""
        data, size = c.c_void_p(), c.c_uint32()
        kind, job = c.c_uint8(), c.c_uint16()
        if self._check(LIB.console_receive(
                self.console, c.byref(data), c.byref(size), c.byref(kind),
                c.byref(job))):
            return None
        out = c.string_at(data.value, size.value)
        free = c.CDLL(None).free
        free.argtypes = [c.c_void_p]
        free(data)
        return out, kind.value, job.value

    def receive_soon(self):
        """The report, once the board has computed it."""
        while (got := self.receive()) is None:
            pass
        return got

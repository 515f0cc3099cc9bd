# SPDX-License-Identifier: Apache-2.0
"""The console's lines once more, a node's console, a serial line that damages,
and the host's client, through ctypes."""
import binascii
import contextlib
import ctypes as c
import os
import random
import re
import select
import socket
import tty
from concurrent import futures

from core import BUILD
from described import Library

NONE, TEXT, LONG, CRC, CONTROL, DAMAGED, HALF = range(7)
TEXT_MAX, DATA_MAX = 200, 96
ERR_PORT_BUSY, ERR_BUFFER, ERR_EMPTY, ERR_RANGE = -2, -3, -9, -12
MAILBOX_CLOSED, MAILBOX_FULL = 0, 3
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


CONSOLE = Library(BUILD / "test" / "console.so")
LIB = CONSOLE.calls
Reader, Mailbox, Segment, Reply, Shell, Node, *_ = map(CONSOLE.struct, (
    "line_reader", "mailbox", "circuit_segment", "console_reply", "shell",
    "serial_node", "console_counters"))


class Lines:
    """hal/line/line.h's reader."""

    def __init__(self, half_us=1000):
        self.reader = Reader()
        LIB.line_init(self.reader, half_us)

    def push(self, data):
        for byte in data:
            LIB.line_push(self.reader, byte)

    def take(self, now_us=0):
        status = LIB.line_take(self.reader, now_us)
        return status, self.reader.text if status == TEXT else b""

    def all(self, data, cut=lambda: 64):
        """Everything that comes of the bytes, pushed in pieces."""
        said = []
        while data:
            size = cut()
            self.push(data[:size])
            data = data[size:]
            while (one := self.take())[0] != NONE:
                said.append(one)
        return said


# ---- a node's console ----

class Board:
    """A node's console (boot/shell) in this process, in a time of its own. In
    a mesh it finds as many faults as that is high; it cannot begin one of
    width 7, and never ends one of width 8. A message comes back reversed, in
    three pieces, of the next kind, once `report` was asked for twice."""

    def __init__(self):
        self.said, self.now_us, self.node = b"", 0, Node()
        self.lines, self.box, self.shell = Lines(10 ** 7), Mailbox(), Shell()
        self.memory = c.create_string_buffer(70_000)
        LIB.mailbox_init(self.box)
        LIB.shell_init(self.shell, self.node, self.lines.reader, self.box)

    def use_mailbox(self):
        box, state = self.box, getattr(self.box, "in")
        if state == MAILBOX_FULL:
            whole = self.memory.raw[:box.announced_bytes][::-1]
            self.pieces = [whole[:1], whole[1:2], whole[2:]]
            LIB.mailbox_close(box)
            self.node.waits = 3
        elif self.node.waits == 1:
            segments = [Segment(c.cast(piece, c.c_void_p), len(piece))
                        for piece in self.pieces]
            LIB.mailbox_offer(box, (Segment * 3)(*segments),
                              box.in_kind + 1, box.in_job)
            self.node.waits = 0
        elif state == MAILBOX_CLOSED and self.node.waits == box.out == 0:
            LIB.mailbox_open(box, self.memory, len(self.memory))

    def type(self, data):
        """What it says to these bytes."""
        self.said = b""
        for at in range(0, len(data) + 1, TEXT_MAX):
            self.lines.push(data[at:at + TEXT_MAX])
            self.use_mailbox()
            while size := LIB.shell_poll(self.shell, self.now_us):
                self.said += self.shell.out.text[:size]
                self.use_mailbox()
        return self.said

    def ask(self, text):
        """The reply's lines: one, or until `end`, however late they come."""
        said = self.type(text.encode() + b"\n")
        while not re.match(rb"(?!.*until=end).+\n|(.*\n)+end .*\n", said):
            self.now_us += 1_000_000
            said += self.type(b"")
        return [unmark(raw) for raw in said.splitlines()]


# ---- a line between host and board ----

class Pty:
    """A pseudo-terminal. `serve` has its master's end, in a thread: serve(pty)
    with pty.read(seconds) and pty.write(bytes), until pty.over."""

    def __init__(self, serve):
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.path = os.ttyname(self.slave)
        self.over = False
        self.pool = futures.ThreadPoolExecutor(1)
        self.served = self.pool.submit(serve, self)

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
        self.pool.shutdown()
        for end in (self.master, self.slave):
            with contextlib.suppress(OSError):
                os.close(end)
        self.served.result()


def noise(seed, rate):
    """A function that damages bytes: flips a bit, drops or doubles."""
    rng = random.Random(seed)

    def damaged(byte):
        if rng.random() >= rate:
            return [byte]
        flipped = byte ^ 1 << rng.randrange(8)
        return rng.choice([[], [byte, byte], [flipped]])
    return lambda data: bytes(sum(map(damaged, data), []))


class Wire:
    """A socket to whoever serves it when the client has nothing to read, in
    the client's own time: serve(wire), with wire.read() and wire.write(bytes),
    is called before that goes on."""

    def __init__(self, serve):
        self.ours, theirs = socket.socketpair()
        self.ours.setblocking(False)
        self.port = theirs.detach()
        self.failed = None

        def idle():
            try:
                serve(self)
            except Exception as error:  # pylint: disable=broad-except
                self.failed = error

        self.idle = c.CFUNCTYPE(None)(idle)

    def read(self):
        with contextlib.suppress(BlockingIOError):
            return self.ours.recv(1 << 16)
        return b""

    def write(self, data):
        self.ours.sendall(data)

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
        *lines, left = (left + data).split(b"\n")
        for raw in filter(None, lines):
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
    return Wire(lambda wire: wire.write(b"".join(feed(wire.read()))))


def scripted_pty(answer):
    """A pseudo-terminal at whose other end these replies are given."""
    feed = replies(answer)

    def serve(pty):
        while not pty.over:
            for one in feed(pty.read()):
                pty.write(one)
    return Pty(serve)


def wired(board, to_board=bytes, to_host=bytes):
    """A wire to a board's console."""
    return Wire(lambda wire: wire.write(to_host(
        board.type(to_board(wire.read())))))


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
            serial = LIB.console_port_attach(port.port, b"socket")
        else:
            LIB.fake_clock_set(0, 0)  # until something comes
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

# SPDX-License-Identifier: Apache-2.0
"""What of a window goes to rank 0, qemu/ranks/patch.h, whatever the window or
the patch has in it; and how nodes are shared out, qemu/ranks/share.h."""
import ctypes as c
import struct

import pytest

import mesh
from core import BUILD
from described import Library

PARTS = Library(BUILD / "test" / "ranks_parts.so")
Window, Entry, Node, Log = map(PARTS.struct, (
    "window", "window_entry", "node", "node_log"))
WINDOW, MESSAGES = 1 << 24, 0x20000
STATUS = Node.status.offset
RESPONSE, QUEUED, DONE, FORM, ENTRY, LOG, INJECTION = (
    getattr(Window, name).offset for name in (
        "response", "queued", "done", "form", "entry", "log", "injection"))
ENTRY_BYTES = c.sizeof(Entry)
ENTRIES = Window.entry.size // ENTRY_BYTES
EVENTS = LOG + Log.event.offset
# What a node may write, hal/window/window.h.
NODES = [(STATUS, RESPONSE), (QUEUED, DONE), (FORM, INJECTION),
         (MESSAGES, WINDOW)]
KNOWN = 512
MAPS = {"cores": 0, "even": 1, "rows": 2}


@pytest.fixture(name="lib", scope="module")
def fixture_lib():
    return PARTS.calls


def window():
    return bytearray(WINDOW)


def made(lib, from_, copy):
    patch = PARTS.struct("patch")()
    lib.patch_make(patch, Window.from_buffer(from_), Window.from_buffer(copy))
    return c.string_at(patch.data, patch.bytes) if patch.bytes else b""


def apply(lib, copy, data):
    return lib.patch_apply(Window.from_buffer(copy), bytes(data), len(data))


def queue(win, entry):
    """Queues an entry, of 80 bytes."""
    at = struct.unpack_from("<I", win, QUEUED)[0]
    place = ENTRY + at % ENTRIES * ENTRY_BYTES
    win[place:place + ENTRY_BYTES] = entry.ljust(ENTRY_BYTES, b"\0")
    struct.pack_into("<I", win, QUEUED, at + 1)


def send(ports, head, shared, body, stride=0):
    """A struct window_send; body: of port 0."""
    return (struct.pack("<QIBBH", 5, 6, ports, 0, 7)
            + struct.pack("<II", *head) + struct.pack("<II", *shared)
            + struct.pack("<II", *body) + bytes(24)
            + struct.pack("<HHBBHII", 1, 0, 0, 9, 0, stride, 0))


def test_all_that_the_fabric_reads(lib):
    chance = mesh.seeded("patch")
    win, copy, far = window(), window(), window()
    for _ in range(50):
        for begin, end in ((STATUS, RESPONSE), (FORM, ENTRY)):
            win[begin:end] = chance.randbytes(end - begin)
        events = chance.randrange(1, 512)
        struct.pack_into("<II", win, LOG, events, chance.randrange(1 << 32))
        win[EVENTS:INJECTION] = chance.randbytes(INJECTION - EVENTS)
        head, shared, body = ((MESSAGES + k * 4096 + chance.randrange(99),
                               chance.randrange(1, 2000)) for k in range(3))
        for at, size in (head, shared, body):
            win[at:at + size] = chance.randbytes(size)
        to_host = chance.random() < 0.3
        queue(win, send(1 << 4 if to_host else 1, head, shared, body))
        data = made(lib, win, copy)
        assert apply(lib, far, data)
        assert far == copy
        at = struct.unpack_from("<I", win, QUEUED)[0] - 1
        place = ENTRY + at % ENTRIES * ENTRY_BYTES
        parts = [(STATUS, RESPONSE - STATUS), (QUEUED, 4), (FORM, 176),
                 (place, ENTRY_BYTES), (LOG, 8 + events * 16), head, shared]
        whole = [head, shared, body] if to_host else []
        for begin, size in [(begin, size if begin < MESSAGES
                             else min(size, KNOWN))
                            for begin, size in parts] + whole:
            assert far[begin:begin + size] == win[begin:begin + size]
        assert made(lib, win, copy) == b""


def test_noise(lib):
    """Whatever a board writes: no byte goes that is not a node's, and none of a
    message's body; nor does a patch of noise write elsewhere."""
    win, copy = window(), window()
    win[MESSAGES:MESSAGES + 9000] = b"x" * 9000
    queue(win, send(1, (MESSAGES, 12), (0, 0), (MESSAGES + 12, 8000)))
    assert len(made(lib, win, copy)) < 200
    chance = mesh.seeded("noise")
    for _ in range(30):
        win, copy, far = window(), window(), window()
        win[:INJECTION] = chance.randbytes(INJECTION)
        struct.pack_into("<I", win, QUEUED, chance.choice(
            (0, 3, ENTRIES, ENTRIES + 1, 1 << 31)))
        assert apply(lib, far, made(lib, win, copy))
        assert far == copy
        for _ in range(60):
            apply(lib, far, chance.randbytes(chance.randrange(1, 200)))
        for begin, end in ((0, STATUS), (RESPONSE, QUEUED), (DONE, FORM),
                           (INJECTION, MESSAGES)):
            assert not any(far[begin:end])


def run_of(at, words):
    return struct.pack("<I", at // 4 | len(words) // 4 << 22) + words


def test_where_a_patch_may_write(lib):
    for at, size, good in [
            (STATUS, 8, True), (STATUS - 4, 4, False), (STATUS - 4, 8, False),
            (RESPONSE - 4, 4, True), (RESPONSE - 4, 8, False),
            (QUEUED, 8, True), (QUEUED, 12, False), (DONE, 4, False),
            (FORM, 400, True), (INJECTION, 4, False), (INJECTION - 4, 8, False),
            (MESSAGES - 4, 8, False), (MESSAGES, 4000, True),
            (WINDOW - 4, 4, True), (WINDOW - 4, 8, False), (0, 4, False)]:
        copy = window()
        assert apply(lib, copy, run_of(at, b"\xff" * size)) == good, at
        assert sum(copy) == (255 * size if good else 0), at
    for cut in (b"\0", struct.pack("<I", STATUS // 4),
                struct.pack("<I", STATUS // 4 | 1 << 22),
                run_of(STATUS, bytes(8))[:-1]):
        assert not apply(lib, window(), cut)


# ---- who has which nodes ----

def shared_out(lib, size, cores, name):
    first = (c.c_uint32 * (len(cores) + 1))()
    lib.share_out(first, PARTS.struct("torus_size")(*size), len(cores),
                  (c.c_uint32 * len(cores))(*cores), MAPS[name])
    return list(first)


def test_shares(lib):
    chance = mesh.seeded("shares")
    for case in range(900):
        name = list(MAPS)[case % len(MAPS)]
        size = chance.randrange(1, 126), chance.randrange(1, 126)
        cores = [chance.randrange(1, 65)
                 for _ in range(chance.randrange(2, 20))]
        first = shared_out(lib, size, cores, name)
        nodes = size[0] * size[1]
        assert first[0] == 0 and first[-1] == nodes and first[1] > 0
        each = size[0] if name == "rows" else 1
        weights = [1] * len(cores) if name == "even" else cores
        for rank, weight in enumerate(weights):
            count = first[rank + 1] - first[rank]
            fair = nodes * weight / sum(weights)
            assert count % each == 0 and abs(count - fair) < each
        table = (c.c_uint32 * len(first))(*first)
        for node in {0, nodes - 1, chance.randrange(nodes)}:
            rank = lib.share_rank_of(table, node)
            assert first[rank] <= node < first[rank + 1]

# SPDX-License-Identifier: Apache-2.0
"""The console of an originator and a mesh of boards behind it, made up: of any
size, with any images, clocks, dead boards and cables, and at once."""
import base64
import re
import struct
import subprocess
import tempfile

import clocked
import console as k
import guard
import mesh

VERSION = 2  # PEEK_VERSION
STATE, COUNTS, IDENTITY, IMAGE, EAST = range(5)
NO_CELSIUS = -32768
DEAD_LINK, BUSY = -5, -2
STEPS = {"E": (1, 0), "N": (0, 1), "W": (-1, 0), "S": (0, -1)}
BACK = {"E": "W", "N": "S", "W": "E", "S": "N"}


class Node:
    def __init__(self, x, y):
        self.at = (x, y)
        self.placed = True
        self.place = (x, y)
        self.uid = (0x00110022, x, y)
        self.crc = 0xCAFE0001
        self.version = "v1.2-3-g0123456"
        self.clock, self.clock_hz = "hse-pll", 168_000_000
        self.crystal_hz = 8_000_100 + 7 * x
        self.room = 67_368
        self.uptime_ms = 123_456
        self.supply_mv = 3300 - x
        self.celsius = 25 + y
        self.faults = 0
        self.error = 0  # of the last job
        self.start = 7
        self.reset = "power"
        self.dead = False
        self.busy = 0  # peeks that are refused
        self.version_byte = VERSION
        self.record = None  # (exception, pc, lr, cfsr)
        self.breach = 0, 0, 0  # first unit, units, bytes
        self.doing = 1, 2, 0  # state, waypoint, round
        self.ports = 15  # that it waits at; << 4: that it sends out of
        self.kind = 0  # of the message that is waited for
        self.last = 255, 0, 0  # circuit: port, error, bytes
        self.still_ms, self.jobs = 5, 0
        self.job = b""  # its kernel, while one runs
        self.check = 0  # of the record
        self.counters = [[100 * port + i for i in range(15)]
                         for port in range(4)]
        self.blinks = None
        self.resets = 0
        self.comes_back = True

    def restart(self):
        self.resets += 1
        self.start += 1
        self.placed = False
        self.uptime_ms = 5
        self.dead = not self.comes_back

    def state(self):
        exception, pc, lr, cfsr = self.record or (0, *self.breach)
        flags = (self.placed | (2 if self.job else 0)
                 | (4 if self.record else 0))
        state, waypoint, turn = self.doing
        port, error, size = self.last
        return struct.pack(
            "<BBBbBBBxBBBBbBHIIIHHIII12sHxx", self.version_byte, state,
            waypoint, self.error, flags, *self.place, turn, self.ports,
            self.kind, port, error, exception, self.faults, size,
            self.uptime_ms, self.still_ms, 1000, self.jobs, pc, lr, cfsr,
            self.job, self.check)

    def identity(self):
        names = f"{self.clock}\0{self.reset}\0".encode()
        return struct.pack(
            "<BBBB3IIIIIIHhHH20s", self.version_byte, self.placed, *self.place,
            *self.uid, self.crc, self.clock_hz, self.crystal_hz, self.room,
            self.uptime_ms, self.supply_mv, self.celsius, self.faults,
            self.start, names)

    def page(self, page):
        if page == IDENTITY:
            return self.identity()
        if page == IMAGE:
            return bytes([self.version_byte, 0, 0, 0]) \
                + self.version.encode()[:60]
        if page == COUNTS:
            return bytes([self.version_byte, 0, 0, 0]) + bytes(40)
        if page >= EAST:
            return bytes([self.version_byte, 0, 0, 0]) \
                + struct.pack("<15I", *self.counters[page - EAST])
        return self.state()


class Mesh:
    def __init__(self, width, height):
        self.size = (width, height)
        self.originator = (0, 0)
        self.node = {(x, y): Node(x, y)
                     for x in range(width) for y in range(height)}
        self.cut = set()  # (x, y, letter), of either end
        self.faults = []  # rows of `mesh`
        self.found = True  # the mesh
        self.asked = []  # requests
        self.peeks = []  # (page, path)
        self.knows_peeks = True
        self.silent = False
        self.busy_commands = 0

    def walk(self, path):
        """The node at the end of "E2N1"; None: nobody answers."""
        x, y = self.originator
        for letter, hops in re.findall(r"([ENWS])(\d+)", path):
            for _ in range(int(hops)):
                cut = (x, y, letter) in self.cut
                x = (x + STEPS[letter][0]) % self.size[0]
                y = (y + STEPS[letter][1]) % self.size[1]
                if cut or (x, y, BACK[letter]) in self.cut \
                        or self.node[x, y].dead:
                    return None
        return self.node[x, y]

    def rows(self, text):
        """(rows, error) of a command; a text: `ok` with it; None: `ok`."""
        name, *words = text.split(" ")
        if name == "ident":
            width, height = self.size if self.found else (0, 0)
            x, y = self.originator if self.found else (0, 0)
            own = self.node[self.originator]
            return [f"width={width} height={height} x={x} y={y}",
                    f"image_crc={own.crc:08X} room={own.room}"], None
        if name == "peeks":
            return [self.peek(i, int(words[0]), path) for i, path in
                    enumerate(words[1].split(","))] + ["waiting=0"], None
        if name == "fault":
            node = self.node[self.originator]
            return [f"pc={node.record[1]:X} lr={node.record[2]:X}",
                    f"check={node.check:X}"], None
        if name == "mesh":
            self.found = True
            return self.faults, "faults found" if self.faults else None
        if name == "identify":
            return self.told(words[:-1], lambda node: setattr(
                node, "blinks", int(words[-1])))
        if name == "reset" and words:
            return self.told(words, Node.restart)
        if name == "reset":
            self.node[self.originator].restart()
        return None

    def peek(self, index, page, path):
        self.peeks.append((page, path))
        node = self.walk(path)
        if node is None:
            return f"at={index} error={DEAD_LINK}"
        if node.busy:
            node.busy -= 1
            return f"at={index} error={BUSY}"
        data = base64.b64encode(node.page(page)).decode()
        return f"at={index} data={data}"

    def told(self, words, what):
        node = self.walk("".join(words))
        if node is None:
            return [], f"node error={DEAD_LINK}"
        what(node)
        return ["state=waiting"], None

    def answer(self, text, _):
        if text is None or self.silent:
            return []
        self.asked.append(text)
        if self.busy_commands and text.split(" ")[0] in ("identify", "reset"):
            self.busy_commands -= 1
            return [k.good("err busy tag=TAG now")]
        if text.startswith("peeks") and not self.knows_peeks:
            return [k.good("err command tag=TAG ?")]
        said = self.rows(text)
        if said is None or isinstance(said, str):
            return [k.good(f"ok tag=TAG {said or ''}".rstrip())]
        rows, error = said
        return [k.good("ok tag=TAG until=end"), *map(k.good, rows),
                k.good(f"end tag=TAG rows={len(rows)}"
                       + (f" err={error}" if error else ""))]

    def __enter__(self):
        self.pty = k.scripted_pty(self.answer)
        return self

    def __exit__(self, *error):
        self.pty.__exit__(*error)

    def call(self, command, *args, out=subprocess.PIPE):
        return subprocess.run(
            [mesh.QUINCUNX, command, "--port", self.pty.path,
             *map(str, args)], stdout=out, stderr=subprocess.PIPE, text=True,
            timeout=guard.GUARD_S, check=False)

    def clocked(self, grants, command, *args):
        """Status and output of a call by a clock that goes on to a time, in
        seconds, for which the command waits, where `grants` says so."""
        with tempfile.TemporaryFile("w+") as said, clocked.Clocked(
                command, "--port", self.pty.path, *args, stdout=said,
                stderr=said) as process:
            # No pipe: nobody would read it meanwhile, and it holds 64 KiB.
            while (until_s := process.waits_until()) is not None:
                if grants(until_s):
                    process.let(until_s)
            status = process.wait()
            said.seek(0)
            return status, said.read()

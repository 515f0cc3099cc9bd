# SPDX-License-Identifier: Apache-2.0
"""The ROM boot loader of an STM32F405 on a port (port.c) for a real stm32flash
to talk to: the protocol of ST's application note AN3155, with the flash behind
it as RM0090, 3.4 has it. `faults` is what is wrong with it."""
import contextlib
import socket
import struct
import threading

FLASH = 0x08000000
SECTORS = [16] * 4 + [64] + [128] * 7  # KiB
UNIQUE = 0x1FFF7A10
SIZE = 0x1FFF7A22
ACK, NACK = b"\x79", b"\x1f"
INIT = 0x7F
GET, VERSION, GET_ID = 0x00, 0x01, 0x02
READ, GO, WRITE, EXTENDED_ERASE = 0x11, 0x21, 0x31, 0x44
VERSION_3_1 = 0x31


class Loader(threading.Thread):
    """`kind`:  loader   as it should be
                silent   an adapter with nothing behind it
                garbage  something that answers, but no boot loader
                mute     a loader that says nothing more after `after` bytes
                damage   one that answers with a wrong byte after so many
                locked   read protection is on: memory commands get a NACK

    After `hold` events it does nothing more until the event `go_on` is set."""

    def __init__(self, path, kind="loader", device=0x413, kib=1024,
                 unique=None, stuck=None, after=0, hold=None):
        super().__init__(daemon=True)
        self.kind, self.device, self.after = kind, device, after
        self.stuck = stuck  # an address whose bits cannot be programmed
        self.flash = bytearray(b"\xff" * kib * 1024)
        self.memory = {FLASH: self.flash, 0x1FFF7A00: bytearray(
            b"\xff" * 16 + (unique or bytes(range(12))) + b"\xff" * 6
            + struct.pack("<H", kib) + b"\xff" * 220)}
        self.events = []  # erased sectors, written addresses, go
        self.hold, self.held = hold, threading.Event()
        self.go_on = threading.Event()
        self.waiting = self.answer = b""
        self.heard = self.said = 0
        self.initialised = False
        self.path = path
        path.symlink_to("/dev/null")
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(f"{path}.port")
        self.listening.listen()
        self.connection = None
        self.start()

    # ---- bytes ----

    def get(self, count):
        data = self.connection.recv(count, socket.MSG_WAITALL)
        if len(data) < count:
            raise EOFError
        return data

    def take(self, count):
        """That many bytes; EOFError when it is over."""
        while len(self.waiting) < count:
            what, size = struct.unpack("=cI", self.get(5))
            if what == b"w":
                self.waiting += self.get(size)
            elif what == b"f":
                self.answer = b""
            else:
                some, self.answer = self.answer[:size], self.answer[size:]
                self.connection.sendall(struct.pack("=I", len(some)) + some)
        got, self.waiting = self.waiting[:count], self.waiting[count:]
        self.heard += count
        return got

    def say(self, data):
        late = max(0, min(len(data), self.after - self.said))
        self.said += len(data)
        if self.kind == "mute":
            data = data[:late]
        elif self.kind == "damage" and late < len(data):
            data = (data[:late] + bytes([data[late] ^ 0x55])
                    + data[late + 1:])
            self.after = 1 << 60
        self.answer += data

    def run(self):
        with contextlib.suppress(OSError):
            while True:
                self.connection, _ = self.listening.accept()
                self.waiting = self.answer = b""
                with self.connection, contextlib.suppress(EOFError, OSError):
                    while True:
                        self.command(self.take(1)[0])

    def event(self, text):
        self.events.append(text)
        if len(self.events) == self.hold:
            self.held.set()
            self.go_on.wait()

    # ---- commands ----

    def command(self, first):
        if self.kind == "silent":
            return
        if self.kind == "garbage":
            self.say(b"ready\r\n")
            return
        if first == INIT and not self.initialised:
            self.say(ACK)
            self.initialised = True
            return
        # A second INIT is half a command: it takes another byte to get a NACK.
        if not self.initialised or self.take(1)[0] != first ^ 0xFF:
            self.say(NACK)
            return
        does = {GET: self.get_commands, VERSION: self.version,
                GET_ID: self.get_id,
                READ: self.read, WRITE: self.write,
                EXTENDED_ERASE: self.erase}.get(first)
        if first == GO:
            self.event("go")  # and no more: nobody is to ask for it
        if does is None or (self.kind == "locked" and first in (
                READ, WRITE, EXTENDED_ERASE)):
            self.say(NACK)
            return
        self.say(ACK)
        does()

    def get_commands(self):
        known = bytes([GET, VERSION, GET_ID, READ, GO, WRITE, EXTENDED_ERASE,
                       0x63, 0x73, 0x82, 0x92])
        self.say(bytes([len(known), VERSION_3_1]) + known + ACK)

    def version(self):
        self.say(bytes([VERSION_3_1, 0, 0]) + ACK)

    def get_id(self):
        self.say(b"\x01" + struct.pack(">H", self.device) + ACK)

    def address(self):
        """What is sent is trusted: a real stm32flash makes its checksums."""
        found = struct.unpack(">I", self.take(5)[:4])[0]
        if self.find(found, 1) is None:
            self.say(NACK)
            return None
        self.say(ACK)
        return found

    def find(self, address, count):
        """(memory, offset), if there are so many bytes."""
        for base, memory in self.memory.items():
            if base <= address and address + count <= base + len(memory):
                return memory, address - base
        return None

    def read(self):
        address = self.address()
        if address is None:
            return
        count = self.take(2)[0]
        place = self.find(address, count + 1)
        if place is None:
            self.say(NACK)
            return
        memory, offset = place
        self.say(ACK + bytes(memory[offset:offset + count + 1]))

    def write(self):
        address = self.address()
        if address is None:
            return
        count = self.take(1)[0]
        data = self.take(count + 2)[:-1]
        place = self.find(address, count + 1)
        if place is None:
            self.say(NACK)
            return
        memory, offset = place
        for at, byte in enumerate(data):
            if address + at != self.stuck:
                memory[offset + at] &= byte
        self.event(f"write {address:#x}")
        self.say(ACK)

    def erase(self):
        head = self.take(2)
        count = struct.unpack(">H", head)[0]
        pages = struct.unpack(f">{count + 1}H", self.take(2 * (count + 1)))
        self.take(1)
        for page in pages:
            start = sum(SECTORS[:page]) * 1024
            size = SECTORS[page] * 1024
            self.flash[start:start + size] = b"\xff" * size
            self.event(f"erase {page}")
        self.say(ACK)

    def stop(self):
        self.go_on.set()
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self.join()

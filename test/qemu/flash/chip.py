# SPDX-License-Identifier: Apache-2.0
"""An STM32F405 as a debug probe sees it, for a real OpenOCD to talk to.

What OpenOCD's remote_bitbang driver sends over a unix socket is taken as the
levels of TCK, TMS and TDI (0.12 has no SWD there); behind them are the debug
port (ARM IHI 0031), one memory access port, and as much of the core's debug
registers (ARMv7-M Architecture Reference Manual, C1) and of the flash's
(RM0090, 3.9) as programming needs. No instruction is executed.
"""
import contextlib
import socket
import struct
import threading

FLASH, FLASH_BYTES = 0x08000000, 1 << 20
SECTORS = [16] * 4 + [64] + [128] * 7  # KiB

AP_IDR, CPUID = 0x24770011, 0x410FC241
IDCODE, SIZE = 0xE0042000, 0x1FFF7A20
DHCSR, DEMCR = 0xE000EDF0, 0xE000EDFC
AIRCR = 0xE000ED0C
KEYR, SR, CR = 0x40023C04, 0x40023C0C, 0x40023C10
KEYS = [0x45670123, 0xCDEF89AB]
LOCK, STRT, PG, SER = 1 << 31, 1 << 16, 1, 2
ERRORS = 0xF0


class Chip:
    """The memory and the registers, and what is wrong with it. At the event
    `hold` it does nothing more until `go_on` is set."""

    def __init__(self, stuck=None, hold=None):
        self.hold, self.held = hold, threading.Event()
        self.go_on = threading.Event()
        self.flash = bytearray(b"\xff" * FLASH_BYTES)
        self.registers = {0xE000ED00: CPUID, 0xE0002000: 0x260,
                          0xE0001000: 0x40000000, IDCODE: 0x10076413,
                          SIZE: 1024 << 16 | 0xFFFF}
        self.stuck = stuck  # an address whose bits cannot be programmed
        self.events = []    # erased sectors, resets, unlocking
        self.reset(False)
        self.events.clear()

    def reset(self, caught):
        self.halted = caught
        self.was_reset = True
        self.registers[CR] = LOCK
        self.registers[SR] = 0
        self.keys = []
        self.events.append("reset halt" if caught else "reset run")

    # ---- 32-bit words as the bus has them ----

    def read(self, address):
        if FLASH <= address < FLASH + FLASH_BYTES:
            return struct.unpack_from("<I", self.flash, address - FLASH)[0]
        if address == DHCSR:
            value = (self.registers.get(DHCSR, 0) & 0xF | 1 << 16
                     | self.halted << 17 | self.was_reset << 25)
            self.was_reset = False
            return value
        return self.registers.get(address, 0)

    def write(self, address, value, size):
        """`size` bytes of the lanes that the address says."""
        if FLASH <= address < FLASH + FLASH_BYTES:
            self.program(address - FLASH, value, size)
        else:
            self.write_register(address, value)

    def program(self, offset, value, size):
        if not self.registers[CR] & PG:
            self.registers[SR] |= 0x80
            return
        for i in range(size):
            if self.stuck != FLASH + offset + i:
                self.flash[offset + i] &= value >> 8 * ((offset + i) % 4)

    def write_register(self, address, value):
        if address == DHCSR:
            if value >> 16 == 0xA05F:
                self.registers[DHCSR] = value & 0xF
                self.halted = bool(value & 2 and value & 1)
        elif address == AIRCR:
            if value >> 16 == 0x05FA and value & 4:
                self.reset(bool(self.registers.get(DEMCR, 0) & 1))
        elif address == KEYR:
            self.keys = (self.keys + [value])[-2:]
            if self.keys == KEYS:
                self.registers[CR] &= ~LOCK
                self.events.append("unlock")
                if self.hold == "unlock":
                    self.held.set()
                    self.go_on.wait()
        elif address == SR:
            self.registers[SR] &= ~(value & ERRORS | 1)
        elif address == CR:
            self.control(value)
        else:
            self.registers[address] = value

    def control(self, value):
        if self.registers[CR] & LOCK:
            return
        self.registers[CR] = value & ~STRT
        if value & STRT and value & SER:
            sector = value >> 3 & 0xF
            start = sum(SECTORS[:sector]) * 1024
            size = SECTORS[sector] * 1024
            self.flash[start:start + size] = b"\xff" * size
            self.events.append(f"erase {sector}")


class AccessPort:
    """AP 0: what the debug port's registers reach."""

    def __init__(self, chip):
        self.chip = chip
        self.csw = self.tar = self.result = 0

    def size(self):
        return 1 << (self.csw & 3)

    def data(self, value=None):
        address = self.tar
        if self.csw >> 4 & 3:
            self.tar = self.tar + self.size() & 0xFFFFFFFF
        if value is None:
            return self.chip.read(address & ~3)
        self.chip.write(address, value, self.size())
        return 0

    def read(self, register):
        if register == 0x00:
            return self.csw | 0x40
        if register == 0x04:
            return self.tar
        if register == 0x0C:
            return self.data()
        if 0x10 <= register < 0x20:
            return self.chip.read((self.tar & ~0xF) + (register - 0x10))
        return {0xF8: 0xE00FF003, 0xFC: AP_IDR}.get(register, 0)

    def write(self, register, value):
        if register == 0x00:
            # No packed transfers.
            self.csw = value & ~0x20
        elif register == 0x04:
            self.tar = value
        elif register == 0x0C:
            self.data(value)
        elif 0x10 <= register < 0x20:
            self.chip.write((self.tar & ~0xF) + (register - 0x10), value, 4)


class DebugPort:
    """The scans that reach it (ARM IHI 0031, 3.4): 35 bits, which are RnW,
    two of address, data; back come 3 of acknowledgement and the data of the
    read before."""

    OK = 2

    def __init__(self, chip):
        self.ap = AccessPort(chip)
        self.select = self.status = self.result = 0

    def capture(self):
        return self.result << 3 | self.OK

    def update(self, is_ap, scanned):
        address, value = (scanned >> 1 & 3) << 2, scanned >> 3
        if scanned & 1:
            self.result = (self.read_ap if is_ap else self.read)(address)
        elif is_ap:
            if not self.select >> 24:
                self.ap.write(self.select & 0xF0 | address, value)
        elif address == 0x4:
            self.status = value & 0x50000F00
        elif address == 0x8:
            self.select = value

    def read_ap(self, address):
        return (0 if self.select >> 24
                else self.ap.read(self.select & 0xF0 | address))

    def read(self, address):
        if address == 0x4:
            return self.status | (self.status & 0x50000000) << 1
        return 0


class Wire:
    """JTAG: two taps, the boundary scan's before the debug port's."""

    ABORT, DPACC, APACC, IDCODE, BYPASS = 0x8, 0xA, 0xB, 0xE, 0xF
    CPU_ID, SCAN_ID = 0x4BA00477, 0x06413041
    # IEEE 1149.1: the state that follows, for TMS 0 and 1.
    NEXT = {"reset": ("idle", "reset"), "idle": ("idle", "select dr"),
            "select dr": ("capture dr", "select ir"),
            "select ir": ("capture ir", "reset"),
            **{f"{state} {kind}": (f"{zero} {kind}", one if " " in one
                                   or one == "idle" else f"{one} {kind}")
               for kind in ("dr", "ir") for state, zero, one in (
                   ("capture", "shift", "exit1"), ("shift", "shift", "exit1"),
                   ("exit1", "pause", "update"), ("pause", "pause", "exit2"),
                   ("exit2", "shift", "update"))},
            "update dr": ("idle", "select dr"),
            "update ir": ("idle", "select dr")}

    def __init__(self, port):
        self.port = port
        self.state = "reset"
        self.to_reset()
        self.register = self.length = 0

    def to_reset(self):
        self.ir, self.scan_ir = self.IDCODE, 0x01

    def level(self):
        return self.register & 1

    def rising(self, tms, tdi):
        if self.state.startswith("shift"):
            self.register = self.register >> 1 | tdi << self.length - 1
        elif self.state == "capture dr":
            self.capture_dr()
        elif self.state == "capture ir":
            self.register, self.length = 0b00001_0001, 9
        self.state = self.NEXT[self.state][tms]
        if self.state == "reset":
            self.to_reset()
        elif self.state == "update ir":
            self.ir, self.scan_ir = self.register & 0xF, self.register >> 4
        elif self.state == "update dr" and self.ir in (self.DPACC, self.APACC):
            self.port.update(self.ir == self.APACC,
                             self.register & (1 << 35) - 1)

    def capture_dr(self):
        near, length = {self.IDCODE: (self.CPU_ID, 32),
                        self.DPACC: (self.port.capture(), 35),
                        self.APACC: (self.port.capture(), 35),
                        self.ABORT: (0, 35)}.get(self.ir, (0, 1))
        far, more = (self.SCAN_ID, 32) if self.scan_ir == 1 else (0, 1)
        self.register, self.length = near | far << length, length + more


class Server(threading.Thread):
    """Serves one OpenOCD after another until stopped."""

    def __init__(self, chip, path):
        super().__init__(daemon=True)
        self.wire = Wire(DebugPort(chip))
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(str(path))
        self.listening.listen()
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                self.serve(connection)

    def serve(self, connection):
        clock = 0
        while True:
            commands = connection.recv(65536)
            if not commands:
                return
            answer = bytearray()
            for command in commands:
                if 0x30 <= command <= 0x37:  # 0 to 7: TCK, TMS, TDI
                    rises = command >= 0x34 and not clock
                    clock = command >= 0x34
                    if rises:
                        self.wire.rising(command >> 1 & 1, command & 1)
                elif command == 0x52:  # R: what is TDO?
                    answer.append(0x30 + self.wire.level())
                elif command == 0x51:  # Q
                    return
            if answer:
                connection.sendall(answer)

    def stop(self):
        self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()

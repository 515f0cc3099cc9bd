# SPDX-License-Identifier: Apache-2.0
"""The board stm32f405: what is QEMU's netduinoplus2 alone, faults, and its
images. Its drivers are on the chip's model: test_chip_drivers.py."""
import re
import socket
import struct
import subprocess

import pytest

from core import BUILD, QEMU, ROOT, qemu_version
from guard import GUARD_S

# Headers of pins, and the test's image for each.
PINS = sorted(path.stem for path in
              (ROOT / "hal" / "stm32f405" / "pins").glob("*.h"))
IMAGES = {pins: BUILD / "test" / f"stm32f405-{pins}.elf" for pins in PINS}
IMAGE = IMAGES["generic"]
FIRMWARE = BUILD / "stm32f405" / "firmware.elf"
EAST, NORTH, WEST, SOUTH = range(4)
# The chip's 64 KiB of core-coupled memory, which QEMU has since 8.0.
HAS_CCM = int((re.search(r"version (\d+)", qemu_version(QEMU) or "")
               or [0, 0])[1]) >= 8
LIMIT = 88 * 1024


def header(pins):
    return (ROOT / "hal" / "stm32f405" / "pins" / f"{pins}.h").read_text()


# Ports in the order of QEMU's -serial 0 to 5, which are USART 1 to 6.
SERIALS = (EAST, NORTH, WEST, "console", None, SOUTH)


class Board:
    """One emulated board with the test's image."""

    def __init__(self):
        self.ports, theirs = {}, []
        command = [QEMU, "-M", "netduinoplus2", "-nodefaults",
                   "-display", "none", "-kernel", str(IMAGE)]
        for number, name in enumerate(SERIALS):
            if name is None:
                command += ["-serial", "null"]
                continue
            self.ports[name], other = socket.socketpair()
            self.ports[name].settimeout(GUARD_S)
            theirs.append(other)
            command += ["-chardev",
                        f"socket,id=s{number},fd={other.fileno()}",
                        "-serial", f"chardev:s{number}"]
        self.console = self.ports["console"]
        self.heard = b""
        self.qemu = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            pass_fds=[end.fileno() for end in theirs])
        for end in theirs:
            end.close()

    def line(self):
        while b"\n" not in self.heard:
            more = self.console.recv(4096)
            assert more, self.qemu.stderr.read()
            self.heard += more
        line, _, self.heard = self.heard.partition(b"\n")
        return line.decode()

    def lines(self, last):
        """Up to the line `last`, without it."""
        lines = []
        while (line := self.line()) != last:
            lines.append(line)
        return lines

    def say(self, text):
        self.console.sendall(text.encode() + b"\n")

    def ask(self, text):
        self.say(text)
        return self.line()

    def numbers(self, text):
        """The answer `name key value key value ...` as a dictionary."""
        words = self.ask(text).split()
        assert words[0] == text.split()[0]
        return dict(zip(words[1::2], map(int, words[2::2])))

    def hear(self, port, count):
        got = b""
        while len(got) < count:
            more = self.ports[port].recv(count - len(got))
            assert more
            got += more
        return got

    def close(self):
        self.qemu.kill()
        self.qemu.wait()
        self.qemu.stderr.close()
        for end in self.ports.values():
            end.close()


@pytest.fixture(name="board")
def fixture_board():
    board = Board()
    board.banner = board.lines("ready")
    yield board
    board.close()


def symbols(image=IMAGE):
    """Name: (address, bytes)."""
    listing = subprocess.run(
        ["arm-none-eabi-nm", "-S", image], capture_output=True, text=True,
        check=True).stdout
    return {words[-1]: (int(words[0], 16),
                        int(words[1], 16) if len(words) == 4 else 0)
            for words in map(str.split, listing.splitlines())}


# ---- what it says when it starts ----


def test_banner(board):
    said = board.banner
    assert said[:5] == [
        "quincunx stm32f405", "reset unknown",
        "clocks emulated core 168000000 timer 1000000000",
        f"memory ccm {'yes' if HAS_CCM else 'no'} id none", "place - - - -"]
    # 84 MHz and 42 MHz are whole multiples of 2 MHz; no DMA here.
    assert said[5:9] == [f"port {n} baud 2000000 interrupts" for n in range(4)]


def test_the_emulator_is_known_after_a_reset_too(board):
    """QEMU 10 has registers of the clock tree, which keep what is written."""
    board.say("reset")
    assert board.lines("ready")[2].startswith("clocks emulated ")


# ---- pins ----


def compiled(folder, text):
    """What the compiler says of a header of pins."""
    path = folder / "hal" / "stm32f405" / "pins" / "mine.h"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return subprocess.run(
        ["arm-none-eabi-gcc", "-std=c11", "-fsyntax-only", "-DPINS=mine",
         f"-I{folder}", f"-I{ROOT}", "-x", "c", "-"],
        input='#include "hal/stm32f405/pins.h"\n', text=True,
        capture_output=True, check=False)


@pytest.mark.parametrize("old, new, words", [
    ("TX PA2", "TX PA3", "cannot send on that pin"),
    ("TX PC6", "TX PD6", "cannot send on that pin"),
    ("RX PB7", "RX PB6", "cannot receive on that pin"),
    ("EAST_USART 1", "EAST_USART 7", "cannot send on that pin"),
    ("CONSOLE_USART 4", "CONSOLE_USART 3", "a USART is there twice"),
    ("WEST_TX PB10", "WEST_TX PC10", "a pin is there twice"),
    ("WEST_RX PB11", "WEST_RX PC11", "a pin is there twice"),
    ("LED PC1", "LED PA3", "the LED's pin is a port's"),
    ("LED PC1", "LED PA13", "PA13, PA14"),
    ("LED_LIT 1", "LED_LIT 2", "is 0 or 1"),
    ("#define PINS_NORTH_RX PA3\n", "", "PINS_NORTH_RX")])
def test_pins_that_cannot_be(tmp_path, old, new, words):
    good = header("generic").replace(
        "#endif", "#define PINS_LED PC1\n#define PINS_LED_LIT 1\n#endif")
    assert compiled(tmp_path, good).returncode == 0
    assert old in good
    done = compiled(tmp_path, good.replace(old, new))
    assert done.returncode != 0 and words in done.stderr


def test_no_such_pins():
    done = subprocess.run(["make", "-n", "-C", ROOT, "PINS=nucleo", "help"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "PINS='nucleo' must be one of: core407ve feather405" in done.stderr


# ---- ports ----


def test_ports_without_dma(board):
    """Bytes come in and go out at their port, by interrupts. An overrun is
    told after the byte that is whole: QEMU lets a program set ORE, which it
    never does itself."""
    for port in range(4):
        sent = bytes((port * 50 + 7 * i) % 256 for i in range(60))
        assert board.ask(f"send {port} {sent.hex()}") == "ok"
        assert board.hear(port, len(sent)) == sent
        assert board.ask(f"overrun {port}") == "ok"
        board.ports[port].sendall(b"\x55")
        assert board.line() == f"in {port} 55"
        assert board.line() == f"error {port}"
        assert board.ask(f"clear {port}") == "ok"
        board.ports[port].sendall(b"\x66")
        assert board.line() == f"in {port} 66"
        counters = board.numbers(f"counters {port}")
        assert counters.pop("attended") > 0 and counters.pop("most") == 1
        assert counters == {
            "in": 2, "out": 60, "overruns": 1, "framings": 0, "noises": 0,
            "bursts": 0, "failures": 0}


# ---- memory ----


CCM = (0x10000000, 0x1000fffc)


@pytest.mark.parametrize("address", [
    *([] if HAS_CCM else CCM), 0x10010000, 0x1fff7a10, 0x20040000, 0x60000000])
def test_a_probe_of_what_is_not_there_says_so(board, address):
    assert board.ask(f"probe {address:x}") == "probe no 00000000"
    # And again: the fault's traces are gone.
    assert board.ask(f"probe {address:x}") == "probe no 00000000"


@pytest.mark.skipif(not HAS_CCM, reason="QEMU 7 has no CCM")
@pytest.mark.parametrize("address", CCM)
def test_a_probe_finds_the_ccm(board, address):
    assert board.ask(f"probe {address:x}") == "probe yes 00000000"


def test_a_probe_of_what_is_there_reads_it(board):
    assert board.ask("probe 8000188") == "probe yes 58434e51"
    assert board.ask("probe 2001fffc").startswith("probe yes")


# ---- faults ----


def fault_of(lines):
    found = [line for line in lines if line.startswith("fault")]
    assert len(found) <= 1
    if not found:
        return None
    words = found[0].split()
    return {key: int(value, 10 if key in ("exception", "count") else 16)
            for key, value in zip(words[1::2], words[2::2])}


def within(address, name):
    start, size = symbols()[name]
    return start & ~1 <= address < (start & ~1) + size


def test_a_fault_is_remembered_over_a_reset(board):
    board.say("load 30000000")
    fault = fault_of(board.lines("ready"))
    # ARMv7-M, B3.2.15: a precise bus error, and its address; hard fault.
    assert fault["exception"] == 3
    assert fault["cfsr"] == 1 << 9 | 1 << 15
    assert fault["bfar"] == 0x30000000
    assert fault["count"] == 1
    assert within(fault["pc"], "command_load")
    assert 0x20000000 < fault["sp"] <= symbols()["boot_stack_end"][0]
    board.say("reset")
    assert fault_of(board.lines("ready")) == fault
    board.say("load 30000004")
    again = fault_of(board.lines("ready"))
    assert (again["bfar"], again["count"]) == (0x30000004, 2)
    assert board.ask("forget") == "ok"
    board.say("reset")
    assert fault_of(board.lines("ready")) is None


@pytest.mark.parametrize("below", [0, 1])
def test_a_fault_keeps_the_stack_pointer(board, below):
    """That of before the fault, also where the processor moved on to a
    multiple of 8 before it stacked its frame (ARMv7-M, B1.5.7)."""
    board.say(f"trap {below}")
    lines = board.lines("ready")
    sp = next(int(line.split()[1], 16) for line in lines
              if line.startswith("sp "))
    assert sp % 8 == 4 * below
    assert fault_of(lines)["sp"] == sp


def test_an_overflow_of_the_stack_is_remembered(board):
    board.say("overflow")
    fault = fault_of(board.lines("ready"))
    # Bus error, its address valid: the first below the memory; stacking too.
    assert fault["cfsr"] & (1 << 9 | 1 << 12 | 1 << 15) != 0
    assert 0x1ffffe00 <= fault["bfar"] < 0x20000000
    assert board.ask("send 0 41") == "ok"
    assert board.hear(EAST, 1) == b"A"


def test_the_end_of_the_program_is_remembered(board):
    board.say("exit")
    fault = fault_of(board.lines("ready"))
    assert fault["exception"] == 0 and fault["count"] == 1
    assert within(fault["pc"], "exit") or within(fault["pc"], "_exit")


# ---- the image ----

# RM0090, table 62: what is behind which interrupt.
HANDLERS = {14: "serial_west_dma_interrupt",
            15: "serial_console_late_interrupt",
            17: "serial_north_dma_interrupt",
            28: "timer_compare_interrupt",
            37: "serial_east_interrupt", 38: "serial_north_interrupt",
            39: "serial_west_interrupt", 52: "serial_console_interrupt",
            69: "serial_south_dma_interrupt", 70: "serial_east_dma_interrupt",
            71: "serial_south_interrupt"}


@pytest.mark.parametrize("image", [IMAGE, FIRMWARE], ids=["test", "firmware"])
def test_vectors(image):
    flash = image.with_suffix(".bin").read_bytes()
    vectors = struct.unpack_from("<98I", flash)
    names = symbols(image)
    assert vectors[0] == names["boot_stack_end"][0]
    assert vectors[1] == names["boot_reset"][0] | 1
    assert vectors[15] == names["timer_tick_interrupt"][0] | 1
    assert {n - 16: v for n, v in enumerate(vectors) if n >= 16 and v} == {
        n: names[name][0] | 1 for n, name in HANDLERS.items()}
    for n in (2, 3, 4, 5, 6, 11, 12, 14):
        assert vectors[n] == names["boot_fault_entry"][0] | 1


def test_images_tell_their_board_and_pins():
    for image, pins in [(FIRMWARE, "generic"),
                        *((IMAGES[pins], pins) for pins in PINS)]:
        flash = image.with_suffix(".bin").read_bytes()
        assert struct.unpack_from("<4s6H16s", flash, 0x188) == (
            b"QNCX", 2, 405, *[0xffff] * 4, pins.encode().ljust(16, b"\0"))
    assert len(FIRMWARE.with_suffix(".bin").read_bytes()) <= LIMIT
    assert FIRMWARE.with_suffix(".hex").exists()

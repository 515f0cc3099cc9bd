# SPDX-License-Identifier: Apache-2.0
"""The board stm32f405: its drivers on QEMU's netduinoplus2, the same chip; what
that has not is on the chip's model: test_chip_drivers.py."""
import contextlib
import re
import socket
import struct
import subprocess
import time
import zlib

import pytest

import parts
from chip_bench import sequence
from core import BUILD, QEMU, ROOT, qemu_version

# Headers of pins, and the test's image for each.
PINS = sorted(path.stem for path in
              (ROOT / "hal" / "stm32f405" / "pins").glob("*.h"))
IMAGES = {pins: BUILD / "test" / f"stm32f405-{pins}.elf" for pins in PINS}
IMAGE = IMAGES["generic"]
FIRMWARE = BUILD / "stm32f405" / "firmware.elf"
EAST, NORTH, WEST, SOUTH = range(4)
PORTS = {"EAST": EAST, "NORTH": NORTH, "WEST": WEST, "SOUTH": SOUTH,
         "CONSOLE": "console"}
PATIENCE_S = 60
# The chip's 64 KiB of core-coupled memory, which QEMU has since 8.0.
HAS_CCM = int((re.search(r"version (\d+)", qemu_version(QEMU) or "")
               or [0, 0])[1]) >= 8
LIMIT = 88 * 1024


def header(pins):
    return (ROOT / "hal" / "stm32f405" / "pins" / f"{pins}.h").read_text()


def serials(pins):
    """Ports in the order of QEMU's -serial 0 to 5, which are USART 1 to 6."""
    found = {int(number): PORTS[name] for name, number in re.findall(
        r"#define PINS_([A-Z]+)_USART (\d)", header(pins))}
    return [found.get(number) for number in range(1, 7)]


class Board:
    """One emulated board; `joined` gives ports sockets of others' making."""

    def __init__(self, image=IMAGE, joined=None, pins="generic"):
        self.ports, theirs = {}, []
        command = [QEMU, "-M", "netduinoplus2", "-nodefaults",
                   "-display", "none", "-kernel", str(image)]
        for number, name in enumerate(serials(pins)):
            if name is None:
                command += ["-serial", "null"]
                continue
            other = (joined or {}).get(name)
            if other is None:
                self.ports[name], other = socket.socketpair()
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
        until = time.monotonic() + PATIENCE_S
        while b"\n" not in self.heard:
            left = until - time.monotonic()
            assert left > 0, f"silence after {self.heard}"
            self.console.settimeout(left)
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
        assert words[0] == text.split()[0].replace("blocks", "told")
        return {key: int(value, 16 if key == "crc" else 10)
                for key, value in zip(words[1::2], words[2::2])}

    def hear(self, port, count):
        got = b""
        self.ports[port].settimeout(PATIENCE_S)
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


@pytest.fixture(name="start")
def fixture_start():
    boards = []

    def start(*arguments, **options):
        boards.append(Board(*arguments, **options))
        return boards[-1]

    yield start
    for board in boards:
        board.close()


@pytest.fixture(name="board")
def fixture_board(start):
    board = start()
    board.lines("ready")
    return board


def symbols(image=IMAGE):
    """Name: (address, bytes)."""
    listing = subprocess.run(
        ["arm-none-eabi-nm", "-S", image], capture_output=True, text=True,
        check=True).stdout
    return {words[-1]: (int(words[0], 16),
                        int(words[1], 16) if len(words) == 4 else 0)
            for words in map(str.split, listing.splitlines())}


# ---- what it says when it starts ----


def test_banner(start):
    said = start(IMAGE).lines("ready")
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


def first_answer(board, request):
    """To a request that is made until the firmware listens: before, it is
    lost, or a part of it, or heard twice; on a busy host it may come too
    late."""
    whole = re.compile(rb"^ok (?:(?!^end).)*?^end(?! rows=0 err=late).*?\n",
                       re.MULTILINE | re.DOTALL)
    until = time.monotonic() + PATIENCE_S
    board.console.settimeout(1)
    while not (found := whole.search(board.heard)):
        assert time.monotonic() < until, board.heard
        board.say(request)
        with contextlib.suppress(TimeoutError):
            while not whole.search(board.heard):
                more = board.console.recv(4096)
                assert more, board.qemu.stderr.read()
                board.heard += more
    return found[0].decode()


def test_firmware_answers_on_the_console(start):
    said = first_answer(start(FIRMWARE), "ident")
    for words in ("board=stm32f405", "width=0 height=0", "reset=unknown",
                  "clock_hz=168000000"):
        assert words in said


def test_firmware_tells_its_status(start):
    """What it has no device for is not read: that would be a fault, and a
    reset before the answer."""
    assert "at=0 data=" in first_answer(start(FIRMWARE), "peeks 2 .")


# ---- pins ----


@pytest.mark.parametrize("pins", PINS)
def test_an_image_for_other_pins(start, pins):
    """Its vectors and USARTs are those that the header names."""
    board = start(IMAGES[pins], pins=pins)
    board.lines("ready")
    for port in range(4):
        board.ports[port].sendall(b"\x5a")
        assert board.line() == f"in {port} 5a"
        sent = bytes(range(40))
        assert board.ask(f"send {port} {sent.hex()}") == "ok"
        assert board.hear(port, len(sent)) == sent
    # hal/image.h: the name stands 16 bytes behind the identity's begin.
    name = bytes.fromhex("".join(
        board.ask(f"probe {0x8000198 + at:x}").split()[-1]
        for at in range(0, 16, 4)))
    name = b"".join(name[at:at + 4][::-1] for at in range(0, 16, 4))
    assert name == pins.encode().ljust(16, b"\0")


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


def test_bytes_come_in_at_the_port_they_came_to(board):
    sent = bytes(range(0, 256, 5))
    for port in range(4):
        board.ports[port].sendall(sent)
        for byte in sent:
            assert board.line() == f"in {port} {byte:02x}"
        assert board.numbers(f"counters {port}")["in"] == len(sent)


def test_bytes_go_out_of_the_port_they_are_for(board):
    for port in range(4):
        sent = bytes((port * 50 + 7 * i) % 256 for i in range(60))
        assert board.ask(f"send {port} {sent.hex()}") == "ok"
        assert board.hear(port, len(sent)) == sent
        counters = board.numbers(f"counters {port}")
        assert counters.pop("attended") > 0 == counters.pop("most")
        assert counters == {
            "in": 0, "out": len(sent), "overruns": 0, "framings": 0,
            "noises": 0, "bursts": 0, "failures": 0}


@pytest.mark.parametrize("port", range(4))
def test_an_overrun_is_told_after_the_byte_that_is_whole(board, port):
    """QEMU lets a program set ORE, which it never does itself."""
    assert board.ask(f"overrun {port}") == "ok"
    board.ports[port].sendall(b"\x55")
    assert board.line() == f"in {port} 55"
    assert board.line() == f"error {port}"
    assert board.ask(f"clear {port}") == "ok"
    board.ports[port].sendall(b"\x66")
    assert board.line() == f"in {port} 66"
    counters = board.numbers(f"counters {port}")
    assert (counters["in"], counters["overruns"]) == (2, 1)


def exchange(links, blocks):
    """Both ends of each link, (board, port) twice, send so many blocks of 64
    bytes; then nothing is missing."""
    ends = [end for link in links for end in link]
    for board in {id(board): board for board, _ in ends}.values():
        assert board.ask("exchange") == "ok"
    for board, port in ends:
        assert board.ask(f"blocks {port} {blocks}") == "ok"
    until = time.monotonic() + PATIENCE_S
    for (board, port), (_, other) in [
            pair for link in links for pair in (link, link[::-1])]:
        while True:
            told = board.numbers(f"told {port}")
            if told["blocks"] == told["acknowledged"] == blocks:
                break
            assert time.monotonic() < until, told
            time.sleep(0.05)
        assert told["wrong"] == 0
        assert told["crc"] == zlib.crc32(sequence(other, 64 * blocks))
        # 65 bytes for a block, one for an answer.
        counters = board.numbers(f"counters {port}")
        assert counters["in"] == counters["out"] == 66 * blocks
        assert counters["overruns"] == 0


def line():
    """Both ends of a line, of which each takes 556 bytes before it blocks."""
    ends = socket.socketpair()
    for end in ends:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 212992)
        assert end.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) >= 425984
    return ends


@pytest.mark.parametrize("blocks", parts.cases([200, 1600], 1))
def test_two_boards_exchange_both_ways_at_once(start, blocks):
    here, there = line()
    left = start(joined={EAST: here})
    right = start(joined={WEST: there})
    for board in (left, right):
        board.lines("ready")
    exchange([((left, EAST), (right, WEST))], blocks)


def test_four_ports_work_at_once(start):
    pairs = [(port, (port + 2) % 4, *line()) for port in range(4)]
    left = start(joined={port: end for port, _, end, _ in pairs})
    right = start(joined={port: end for _, port, _, end in pairs})
    for board in (left, right):
        board.lines("ready")
    exchange([((left, port), (right, other)) for port, other, _, _ in pairs],
             100)


# ---- time ----


def test_time_goes_on(board):
    before = board.numbers("time")
    time.sleep(0.2)
    after = board.numbers("time")
    assert after["us"] - before["us"] >= 200000
    assert after["ticks"] > before["ticks"]
    # Ticks of 1 ms may be lost here, but there are never more.
    assert after["ticks"] <= after["us"] // 1000 + 2
    for time_ in (before, after):
        # Moved forward by 1000 s, never back, while it goes on.
        moved, again = time_["moved_us"], time_["again_us"]
        assert 10 ** 9 <= moved <= again < (1000 + PATIENCE_S) * 10 ** 6
        assert time_["clock_us"] <= time_["us"]
        # All but the interrupts' part: the bound is the test's.
        assert 0 < time_["stack"] < 1024


def test_time_goes_on_when_the_counter_wraps(board):
    found = re.fullmatch(r"wrap before (\w{16}) after (\w{16})",
                         board.ask("wrap"))
    before, after = int(found[1], 16), int(found[2], 16)
    assert before >> 32 == 0 and after >> 32 == 1
    assert 1200000 * 4 <= after - before < PATIENCE_S * 4 * 10 ** 6


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
    """That of before the fault, also where the processor moved on to a multiple
    of 8 before it stacked its frame (ARMv7-M, B1.5.7)."""
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


def test_image_tells_its_board_and_keeps_its_budget():
    flash = FIRMWARE.with_suffix(".bin").read_bytes()
    assert struct.unpack_from("<4s6H16s", flash, 0x188) == (
        b"QNCX", 2, 405, *[0xffff] * 4, b"generic".ljust(16, b"\0"))
    assert len(flash) <= LIMIT
    assert FIRMWARE.with_suffix(".hex").exists()

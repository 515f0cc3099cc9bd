# SPDX-License-Identifier: Apache-2.0
"""The board stm32f405's drivers on the model of its chip (test/boards/chip),
with the test image (test/boards/stm32f405/main.c) of each header of pins. What
must be there is taken from the headers, by this file's own reading, and from
the manual."""
import re
import struct
import subprocess
import zlib

import pytest

from chip_bench import CORE_HZ, PORTS, Bench, symbols
from core import BUILD, ROOT

HEADERS = ROOT / "hal" / "stm32f405" / "pins"
PINS = sorted(path.stem for path in HEADERS.glob("*.h"))
CONSOLE = 4
START_US, LINE_US, PRINT_US = 300_000, 2_000_000, 60_000
BYTE_US = 5.0  # at 2 Mbaud, 8N1
GPIO, GPIO_BYTES, MODER, PUPDR, ODR = 0x40020000, 0x400, 0x00, 0x0c, 0x14
AHB1ENR = 0x40023830  # bits 0 to 8: GPIOA to GPIOI have a clock
OUTPUT, ALTERNATE, PULL_UP = 1, 2, 1
# RM0090, 8.4.1: of the debug port after a reset.
DEBUG = {"A13", "A14", "A15", "B3", "B4"}
MEGA = 10 ** 6


class Header:
    """What a header of pins says."""

    def __init__(self, pins):
        text = (HEADERS / f"{pins}.h").read_text(encoding="utf-8")
        said = dict(re.findall(r"^#define PINS_(\w+) (.+)$", text, re.M))
        self.pins = pins
        self.usart, self.tx, self.rx = {}, {}, {}
        for index, name in enumerate((*PORTS, "console")):
            usart, tx, rx = said[name.upper()].split(", ")
            self.usart[index] = int(usart)
            self.tx[index], self.rx[index] = tx[1:], rx[1:]
        self.led = said.get("LED", "").removeprefix("P")
        self.lit = int(said.get("LED_LIT", 1))

    def wiring(self):
        """For the model."""
        return {name: (self.tx[index], self.rx[index])
                for index, name in enumerate((*PORTS, "console"))}


class Board(Bench):
    """Boards with the test image, which have begun; the first one's console."""

    def __init__(self, pins="generic", width=1, start=True, **settings):
        self.header = Header(pins)
        super().__init__(width, 1,
                         image=BUILD / "test" / f"stm32f405-{pins}.bin",
                         pins=self.header.wiring(), **settings)
        self.banner = self.begins() if start else []

    def begins(self, board=0):
        """Until it is ready: the lines before that."""
        if "ready" not in self.heard.get(board, ""):
            assert self.run(START_US, board, "ready"), self.heard
        self.run(1000)
        lines = self.heard.pop(board).splitlines()
        assert lines[-1] == "ready"
        return [line for line in lines[:-1] if line]

    def say(self, text, board=0, us=PRINT_US):
        """The lines that come of it, in so much time after the first."""
        self.heard.pop(board, None)
        self.command("type", board, text)
        assert self.run(LINE_US, board, r"\n"), text
        self.run(us)
        return self.heard.pop(board).splitlines()

    def ends(self, text):
        """What the board says when it has started again after this."""
        self.heard.pop(0, None)
        self.command("type", 0, text)
        self.run(4 * MEGA, 0, "ready")  # the watchdog takes 1.3 to 3.8 s
        return self.begins()

    def numbers(self, text, board=0):
        """The answer `name key value key value ...` as a dictionary."""
        said = self.say(text, board, us=1000)[0].split()
        return dict(zip(said[1::2], map(int, said[2::2])))

    def counters(self, port=0, board=0):
        return self.numbers(f"counters {port}", board)

    def register(self, address):
        return self.command("read", 0, address)["word"]

    def field(self, pin, offset, bits=2):
        """A pin's bits in a register of its bank."""
        bank = GPIO + GPIO_BYTES * (ord(pin[0]) - ord("A"))
        return (self.register(bank + offset) >> bits * int(pin[1:])
                & (1 << bits) - 1)

    def seen(self):
        """(time in us, board, pin, byte) of what was sent since."""
        return [(us, board, f"{chr(ord('A') + pin // 16)}{pin % 16}", byte)
                for us, board, pin, byte in self.command("watch")["seen"]]

    def usart(self, port, board=0):
        """The model's figures of a port's."""
        return self.stats()[board]["usarts"][self.header.usart[port] - 1]

    def sends(self, port, data):
        """Out of a port, to the opposite one of the same board."""
        assert self.say(f"send {port} {data.hex()}")[1:] == told(
            (port + 2) % 4, data)


@pytest.fixture(name="start")
def fixture_start():
    """Starts boards; in the end the model has no complaint that was not
    expected."""
    boards = []

    def start(*arguments, **options):
        boards.append(Board(*arguments, **options))
        boards[-1].expected = []
        return boards[-1]

    yield start
    try:
        for board in boards:
            assert [entry[1] for entry in board.complaints()] == board.expected
    finally:
        for board in boards:
            board.close()


def told(port, data):
    return [f"in {port} {byte}" for byte in data]


def data_of(port, count=60):
    return bytes((port * 50 + 7 * i + 1) % 256 for i in range(count))


# ---- each header of pins ----


def check_pins(board):
    """The header's are used, and no others."""
    header = board.header
    ours = {*header.tx.values(), *header.rx.values()}
    assert len(ours) == 10
    clocked = board.register(AHB1ENR)
    banks = [bank for bit, bank in enumerate("ABCDEFGHI") if clocked >> bit & 1]
    assert banks == sorted({pin[0] for pin in ours | {header.led} if pin})
    for pin in (f"{bank}{number}" for bank in banks for number in range(16)):
        mode = board.field(pin, MODER)
        assert (mode == OUTPUT) == (pin == header.led), pin
        if pin in ours:
            assert mode == ALTERNATE, pin
            assert board.field(pin, PUPDR) == PULL_UP, pin
        else:
            assert (mode != 0) == (pin in DEBUG | {header.led}), pin


def check_led(board):
    header, edges = board.header, board.stats()[0]["edges"]
    if header.led:
        assert edges == 1 - header.lit  # high before it was an output
    for on, changes in (("1", 1), ("1", 0), ("0", 1), ("0", 0), ("1", 1)):
        board.say(f"led {on}", us=1000)
        now = board.stats()[0]["edges"]
        assert now - edges == (changes if header.led else 0)
        edges = now
        if header.led:
            assert board.field(header.led, ODR, 1) == (
                header.lit if on == "1" else 1 - header.lit)


@pytest.mark.parametrize("pins", PINS)
def test_it_starts(start, pins):
    board = start(pins, uid="00112233445566778899AABB")
    assert board.banner == [
        "quincunx stm32f405", "reset power",
        f"clocks hse-pll core {CORE_HZ} timer {CORE_HZ // 2}",
        "memory ccm yes id 00112233445566778899AABB", "place - - - -",
        *(f"port {port} baud 2000000 dma" for port in range(4)),
        f"port 4 baud {round(CORE_HZ / 4 / 365)} interrupts"]
    stats = board.stats()[0]
    assert (stats["core_hz"], stats["misread"]) == (CORE_HZ, 0)
    used = {board.header.usart[port]: 500.0 for port in range(4)}
    used[board.header.usart[CONSOLE]] = pytest.approx(1e9 / 115200, rel=0.002)
    assert [usart["bit_ns"] for usart in stats["usarts"]] == [
        used.get(number, 0.0) for number in range(1, 7)]
    flash = (BUILD / "test" / f"stm32f405-{pins}.bin").read_bytes()
    assert struct.unpack_from("<4s6H16s", flash, 0x188) == (  # hal/image.h
        b"QNCX", 2, 405, *[0xffff] * 4, pins.encode().ljust(16, b"\0"))
    check_pins(board)
    check_led(board)


@pytest.mark.parametrize("pins", PINS)
def test_a_port_sends_and_receives_on_its_pins(start, pins):
    """Two boards: what leaves one's TX comes in at the other's opposite port;
    bytes of 60 are a burst, one behind the other, of one stay single. A poll
    every 50 us takes ten of them."""
    board = start(pins, width=2)
    board.begins(1)
    for port in range(4):
        board.seen()
        there = 1 if port in (0, 2) else 0  # north and south: a ring of one
        sent = data_of(port)
        lines = board.say(f"send {port} {sent.hex()}")
        heard = lines[1:] if there == 0 else \
            board.heard.pop(1).splitlines()
        assert heard == told((port + 2) % 4, sent)
        bytes_ = [entry for entry in board.seen()
                  if entry[2] != board.header.tx[CONSOLE]]
        assert [entry[1:] for entry in bytes_] == \
            [(0, board.header.tx[port], byte) for byte in sent]
        gaps = [b[0] - a[0] for a, b in zip(bytes_, bytes_[1:])]
        assert gaps == pytest.approx([BYTE_US] * 59, abs=1e-6)
        assert board.counters(port)["bursts"] == 1
        board.say(f"send {port} 5a")
        assert board.counters(port)["bursts"] == 1
        assert board.counters(port)["out"] == 61
        arrived = board.counters((port + 2) % 4, there)
        assert arrived["in"] == 61 and arrived["overruns"] == 0
        assert 9 <= arrived["most"] <= 12


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


def test_pins_that_cannot_be(tmp_path):
    good = (HEADERS / "generic.h").read_text().replace(
        "#endif", "#define PINS_LED PC1\n#define PINS_LED_LIT 1\n#endif")
    assert compiled(tmp_path, good).returncode == 0
    for old, new, said in (
            ("2, PA2,", "2, PA3,", "cannot send on that pin"),
            ("PB6, PB7", "PB6, PB6", "cannot receive on that pin"),
            ("EAST 1", "EAST 7", "cannot send on that pin"),
            ("CONSOLE 4", "CONSOLE 3", "a USART is there twice"),
            ("WEST 3, PB10", "WEST 3, PC10", "a pin is there twice"),
            ("PB10, PB11", "PB10, PC11", "a pin is there twice"),
            ("LED PC1", "LED PA3", "the LED's pin is a port's"),
            ("LED PC1", "LED PA13", "PA13, PA14"),
            ("LED_LIT 1", "LED_LIT 2", "is 0 or 1"),
            ("#define PINS_NORTH 2, PA2, PA3\n", "", "PINS_NORTH")):
        assert old in good
        done = compiled(tmp_path, good.replace(old, new))
        assert done.returncode != 0 and said in done.stderr, new


def test_no_such_pins():
    done = subprocess.run(["make", "-n", "-C", ROOT, "PINS=nucleo", "help"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "PINS='nucleo' must be one of: core407ve feather405" in done.stderr


# ---- clocks ----


@pytest.mark.parametrize("mhz", range(4, 27))
def test_a_crystal_of_whole_megahertz_is_found(start, mhz):
    """With the worst of HSI by which it is measured: data sheet, 5.3.9, at 25
    degrees; and anywhere, up to 12 MHz."""
    for ppm in (-39_000, 40_000) if mhz <= 12 else (-10_000, 10_000):
        board = start(hse_hz=mhz * MEGA, hsi_ppm=ppm)
        assert board.banner[2].startswith(f"clocks hse-pll core {CORE_HZ} ")
        assert board.stats()[0]["core_hz"] == CORE_HZ
        assert board.stats()[0]["misread"] == 0


@pytest.mark.parametrize("settings, clock, hz", [
    *(({"hse_hz": mhz * MEGA, "hsi_ppm": 5000}, "hsi-pll", CORE_HZ * 1.005)
      for mhz in (3, 27, 32)),
    ({"hse": "none", "hsi_ppm": -10_000}, "hsi-pll", CORE_HZ * 0.99),
    ({"hse": "external", "hsi_ppm": 10_000}, "hse-pll", CORE_HZ)])
def test_other_crystals_are_left_alone(start, settings, clock, hz):
    """A clock at the crystal's pin is one."""
    board = start(**settings)
    assert board.banner[2].startswith(f"clocks {clock} core {CORE_HZ} ")
    assert board.stats()[0]["core_hz"] == pytest.approx(hz)
    board.sends(0, data_of(0))


def test_without_the_pll(start):
    """It answers all the same, and its ports have their baud."""
    for hse in ("crystal", "none"):
        board = start(hse=hse, pll_dead=1)
        assert board.banner[2] == "clocks hsi core 16000000 timer 16000000"
        assert board.banner[5:9] == [f"port {port} baud 2000000 dma"
                                     for port in range(4)]
        assert board.stats()[0]["core_hz"] == 16 * MEGA
        assert board.stats()[0]["misread"] == 0
        for port in range(4):
            board.sends(port, data_of(port))


def test_a_boot_loader_may_have_set_all_up(start):
    """With the PLL on, the processor runs from it, and is no emulator; streams
    are in the middle of something."""
    for settings in ({}, {"hse": "none"}, {"hse": "external"}):
        board = start(**settings)
        before = board.banner
        for port in range(4):
            board.say(f"pour {port} 60000", us=0)
        after = board.ends("again")
        assert [line for line in after if line != "reset unknown"] \
            == [line for line in before if line != "reset power"]
        assert board.stats()[0]["resets"] == 0
        assert board.stats()[0]["core_hz"] == CORE_HZ
        for port in range(4):
            board.sends(port, data_of(port, 20))


def test_the_chip_is_never_taken_for_an_emulator(start):
    """Whatever it starts from: power, its pin, software, the watchdog."""
    board = start()
    board.command("reset", 0)
    for cause, text in ("pin", None), ("software", "reset"), \
            ("watchdog", "deaf 5000000"):
        lines = board.begins() if text is None else board.ends(text)
        assert lines[1] == f"reset {cause}"
        assert lines[2].startswith("clocks hse-pll ")
    assert board.stats()[0]["resets"] == 3


# ---- ports ----


def sequence(port, count):
    """What test/boards/stm32f405/main.c pours out of a port."""
    return bytes((i * 167 + (i >> 8) * 59 + (i >> 16) * 7 + port) & 255
                 for i in range(count))


def check_poured(board, port, there, count):
    """So many bytes came over a cable, and as they were sent."""
    counters = board.counters((port + 2) % 4, there)
    assert counters["in"] == counters["poured"] == count
    assert counters["crc"] == zlib.crc32(sequence(port, count))
    assert counters["overruns"] == counters["failures"] == 0


@pytest.mark.parametrize("settings", [{}, {"pll_dead": 1}], ids=["168", "16"])
def test_four_ports_at_once(start, settings):
    """Both ways at 2 Mbaud, without a pause; the same at 16 MHz with fewer
    ports."""
    board, count = start(**settings), 12_000
    ports = range(4) if not settings else (0, 2)
    for port in ports:
        board.say(f"pour {port} {count}", us=0)
    board.run(count * BYTE_US + PRINT_US)
    for port in ports:
        check_poured(board, port, 0, count)
        counters = board.counters(port)
        assert counters["out"] == count
        assert counters["bursts"] == -(-count // 64)


def test_bytes_wait_while_nobody_takes_them(start):
    """Two ms without interrupts are 400 bytes of a line."""
    board = start(width=2)
    board.begins(1)
    board.say("pour 1 1", us=0)  # only counted from now on
    for port in (0, 2):
        board.say(f"pour {port} 1200", board=1, us=0)
    board.say("deaf 2000")
    for port in (0, 2):
        check_poured(board, port, 0, 1200)


def test_bytes_that_found_no_room_are_told(start):
    """Those of more than a ring of 512, which are gone."""
    board = start(width=2)
    board.begins(1)
    board.say("pour 1 1", us=0)  # only counted from now on
    for port in (0, 2):
        board.say(f"pour {port} 1200", board=1, us=0)
    said = board.say("deaf 3000")
    for port in (0, 2):
        assert f"error {port}" in said
        assert board.counters(port)["in"] < 1200 - 512


def test_the_last_bytes_do_not_wait_for_a_poll(start):
    """Silence of a byte's time tells of them (IDLE): an answer to a block goes
    out so long after the block's end, and what it takes to make it."""
    board = start()
    assert board.say("answer") == ["ok"]
    waits = []
    for i in range(20):
        board.seen()
        board.say(f"send 0 {'55' * 60}0a", us=2000 + 7 * i)
        seen = board.seen()
        block = [us for us, _, pin, _ in seen if pin == board.header.tx[0]]
        answer = [us for us, _, pin, _ in seen if pin == board.header.tx[2]]
        assert (len(block), len(answer)) == (61, 1)
        waits.append(answer[0] - (block[-1] + BYTE_US))
    assert BYTE_US < max(waits) < 4 * BYTE_US, waits


@pytest.mark.parametrize("baud, ports", [
    (9600, range(4)), (115200, range(4)), (5_250_000, range(4)),
    (10_500_000, (0, 3))])
def test_bauds(start, baud, ports):
    """RM0090, 30.3.4: 8 clocks of 84 MHz (USART1 and 6) or of 42 for a bit."""
    board = start()
    said = board.say(f"bauds {baud}", us=1000)[0].split()[2::2]
    for port in ports:
        exact = 1e9 / board.usart(port)["bit_ns"]
        assert exact == pytest.approx(baud, rel=0.002)
        assert int(said[port]) == pytest.approx(exact, abs=1)
    if len(ports) == 4:
        for port in ports:
            board.sends(port, data_of(port, 8))


# ---- bad lines ----


def test_bytes_of_another_baud_have_framing_errors(start):
    """Two crystals, 5.5 % apart. What is read is passed on all the same."""
    board = start(width=2, power=False, start=False)
    board.set(0, "hse_ppm", -27_000)
    board.set(1, "hse_ppm", 27_500)
    board.command("power", "all", "on")
    board.begins(0)
    board.begins(1)
    board.say(f"send 2 {'55' * 60}", board=1)
    lines = board.heard.pop(0).splitlines()
    counters = board.counters(0)
    assert 20 < counters["framings"] == counters["in"] == len(lines)
    assert counters["overruns"] == 0


def test_the_console_overruns_and_says_so(start):
    """A byte waits while nobody takes it; those behind it are lost."""
    board = start()
    board.command("type", 0, "deaf 3000")
    lines = board.say("x" * 100)
    assert lines == ["ok", "error 4", "no such command"]
    assert board.counters(CONSOLE)["overruns"] == 1
    assert board.usart(CONSOLE)["overruns"] > 20
    assert board.say("led 0") == ["ok"]


def test_a_failed_burst_ends_dma_for_sending(start):
    """RM0090, 10.3.18: a bus error. What it had is lost; the port goes on
    without DMA."""
    board = start()
    for port in range(4):
        board.command("fail", 0)
        assert board.say(f"send {port} {data_of(port).hex()}") == ["ok"]
        counters = board.counters(port)
        assert (counters["failures"], counters["bursts"]) == (1, 1)
        board.sends(port, data_of(port))
        assert board.counters(port)["bursts"] == 1


# ---- time ----


@pytest.mark.parametrize("settings", [{}, {"hse": "none"}, {"pll_dead": 1}],
                         ids=["crystal", "oscillator", "without-pll"])
def test_time_is_the_chip_s(start, settings):
    board = start(**settings)
    board.counters()
    before = board.counters()
    passed = board.now_us()
    board.run(500_000)
    passed = board.now_us() - passed
    after = board.counters()
    us = after["us"] - before["us"]
    assert us == pytest.approx(passed, abs=20_000)  # what the console takes
    assert after["ticks"] - before["ticks"] == pytest.approx(us / 1000, abs=1.5)
    assert 0 < after["stack"] < 1024


def test_an_alarm_is_on_time(start):
    """If it is late already, its compare does not match any more."""
    board = start()
    for _ in range(20):
        assert 0 <= board.numbers("alarm 100")["late_us"] <= 2
        board.run(137)
    for ago in (1, 50, 1000):
        assert ago <= board.numbers(f"alarm -{ago}")["late_us"] <= ago + 5


def test_time_goes_on_when_the_counter_wraps(start):
    board = start()
    said = board.say("wrap", us=2 * MEGA)[0].split()
    assert said[:6] == "wrap before 0 after 1 ticks".split()
    assert 1_200_000 * 4 <= int(said[6]) <= 1_200_050 * 4


@pytest.mark.parametrize("lsi_hz", [17000, 32000, 47000])
def test_the_watchdog_ends_a_hang(start, lsi_hz):
    """2 s after it was last fed, by an oscillator of 32 kHz; else in proportion
    (hal/stm32f405/timer.h)."""
    due_us = 2 * MEGA * 32000 / lsi_hz
    board = start(lsi_hz=lsi_hz)
    board.run(2 * due_us)
    assert board.stats()[0]["resets"] == 0
    board.command("type", 0, "hang")
    board.run(0.97 * due_us)
    assert board.stats()[0]["resets"] == 0
    board.run(0.06 * due_us)
    assert board.stats()[0]["resets"] == 1
    assert "reset watchdog" in board.begins()


# ---- memory and faults ----


def test_a_probe_tells_what_is_there(start):
    """And leaves no trace of its fault where nothing is."""
    board = start()
    nowhere = 0x10010000, 0x1fff7a00, 0x20040000, 0x60000000
    for address in nowhere * 2:
        assert board.say(f"probe {address:x}", us=1000) == [
            "probe no 00000000"]
    assert board.say("probe 8000188", us=1000) == ["probe yes 58434E51"]
    for address in 0x1000fffc, 0x2001fffc:
        assert board.say(f"probe {address:x}", us=1000)[0].startswith(
            "probe yes ")
    board.expected = [f"nothing is at {address:08x}" for address in nowhere]


def fault_of(lines):
    words_ = next(line for line in lines if line.startswith("fault")).split()
    return {key: int(value, 10 if key in ("exception", "count") else 16)
            for key, value in zip(words_[1::2], words_[2::2])}


def test_a_fault_is_remembered_over_a_reset(start):
    """ARMv7-M, B3.2.15: a precise bus error and its address; a hard fault."""
    board = start()
    names = symbols(BUILD / "test" / "stm32f405-generic.bin")
    fault = fault_of(board.ends("load 30000000"))
    assert (fault["exception"], fault["count"]) == (3, 1)
    assert fault["cfsr"] == 1 << 9 | 1 << 15
    assert fault["bfar"] == 0x30000000
    assert 0 <= fault["pc"] - (names["command_load"] & ~1) < 64
    assert fault_of(board.ends("reset")) == fault
    again = fault_of(board.ends("load 30000004"))
    assert (again["bfar"], again["count"]) == (0x30000004, 2)
    assert fault_of(board.ends("exit"))["exception"] == 0
    board.expected = ["nothing is at 30000000", "nothing is at 30000004"]


@pytest.mark.parametrize("below", [0, 1])
def test_a_fault_keeps_the_stack_pointer(start, below):
    """That of before the fault, also where the processor moved on to a
    multiple of 8 before it stacked its frame (ARMv7-M, B1.5.7)."""
    lines = start().ends(f"trap {below}")
    sp = next(int(line.split()[1], 16) for line in lines
              if line.startswith("sp "))
    assert sp % 8 == 4 * below
    assert fault_of(lines)["sp"] == sp

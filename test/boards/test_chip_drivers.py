# SPDX-License-Identifier: Apache-2.0
"""The board stm32f405's drivers on the model of its chip (test/boards/chip),
with the test image (test/boards/stm32f405/main.c) of each header of pins. What
must be there is taken from the headers, by this file's own reading, and from
the manual."""
import re
import zlib

import pytest

from chip_bench import CORE_HZ, PORTS, Bench, sequence, words
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
# RM0090, table 62: of USART 1 to 6, and of the stream that it sends by.
IRQS = {1: (37, 70), 2: (38, 17), 3: (39, 14), 4: (52, 15), 5: (53, 47),
        6: (71, 69)}
MEGA = 10 ** 6
PAINT = 0xdeadbeef  # boot/cortex_m/reset.c: stack that nobody has used


class Header:
    """What a header of pins says."""

    def __init__(self, pins):
        text = (HEADERS / f"{pins}.h").read_text(encoding="utf-8")
        said = dict(re.findall(r"^#define PINS_(\w+) (\w+)$", text, re.M))
        self.pins = pins
        self.usart, self.tx, self.rx = {}, {}, {}
        for index, name in enumerate((*PORTS, "console")):
            self.usart[index] = int(said[f"{name.upper()}_USART"])
            self.tx[index] = said[f"{name.upper()}_TX"].removeprefix("P")
            self.rx[index] = said[f"{name.upper()}_RX"].removeprefix("P")
        self.led = said.get("LED", "").removeprefix("P")
        self.lit = int(said.get("LED_LIT", 1))

    def wiring(self):
        """For the model."""
        return {name: (self.tx[index], self.rx[index])
                for index, name in enumerate((*PORTS, "console"))}


class Board(Bench):
    """Boards with the test image, which have begun; the first one's console."""

    def __init__(self, pins="generic", width=1, height=1, start=True,
                 wiring=None, power=True, **settings):
        self.header = Header(pins)
        super().__init__(width, height,
                         image=BUILD / "test" / f"stm32f405-{pins}.bin",
                         pins=wiring or self.header.wiring(), power=power,
                         **settings)
        self.banner = []
        if start:
            self.banner = self.begins()

    def begins(self, board=0):
        """Until it is ready: the lines before that."""
        if "ready" not in self.heard.get(board, ""):
            assert self.run(START_US, board, "ready"), self.heard
        self.run(1000)
        lines = self.heard.pop(board).splitlines()
        assert lines[-1] == "ready"
        return lines[:-1]

    def say(self, text, board=0, us=PRINT_US):
        """The lines that come of it, in so much time after the first."""
        self.heard.pop(board, None)
        self.command("type", board, text)
        assert self.run(LINE_US, board, r"\n"), text
        self.run(us)
        return self.heard.pop(board).splitlines()

    def numbers(self, text, board=0):
        """The answer `name key value key value ...` as a dictionary."""
        said = self.say(text, board, us=1000)[0].split()
        return {key: int(value, 16 if key == "crc" else 10)
                for key, value in zip(said[1::2], said[2::2])}

    def counters(self, port=0, board=0):
        return self.numbers(f"counters {port}", board)

    def field(self, pin, offset):
        """Two bits of a pin's in a register of its bank."""
        bank = GPIO + GPIO_BYTES * (ord(pin[0]) - ord("A"))
        word = self.command("read", 0, bank + offset, 1)["words"][0]
        return word >> 2 * int(pin[1:]) & 3

    def level(self, pin):
        bank = GPIO + GPIO_BYTES * (ord(pin[0]) - ord("A"))
        word = self.command("read", 0, bank + ODR, 1)["words"][0]
        return word >> int(pin[1:]) & 1

    def seen(self):
        """(time in us, board, pin, byte) of what was sent since."""
        return [(us, board, f"{chr(ord('A') + pin // 16)}{pin % 16}", byte)
                for us, board, pin, byte in self.command("watch")["seen"]]

    def usart(self, port, board=0):
        """The model's figures of a port's."""
        return self.stats()[board]["usarts"][self.header.usart[port] - 1]


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
            board.__exit__()


def told(port, data):
    return [f"in {port} {byte:02x}" for byte in data]


def data_of(port, count=60):
    return bytes((port * 50 + 7 * i + 1) % 256 for i in range(count))


# ---- start ----


@pytest.mark.parametrize("pins", PINS)
def test_it_starts(start, pins):
    board = start(pins, uid="00112233445566778899aabb")
    assert board.banner == [
        "quincunx stm32f405", "reset power",
        f"clocks hse-pll core {CORE_HZ} timer {CORE_HZ // 2}",
        "memory ccm yes id 00112233445566778899aabb", "place - - - -",
        *(f"port {port} baud 2000000 dma" for port in range(4)),
        f"port 4 baud {round(CORE_HZ / 4 / 365)} interrupts"]
    assert board.stats()[0]["core_hz"] == CORE_HZ
    assert board.stats()[0]["misread"] == 0
    used = {board.header.usart[port]: 500.0 for port in range(4)}
    for number, usart in enumerate(board.stats()[0]["usarts"], 1):
        if number == board.header.usart[CONSOLE]:
            assert usart["bit_ns"] == pytest.approx(1e9 / 115200, rel=0.002)
        else:
            assert usart["bit_ns"] == used.get(number, 0.0)


@pytest.mark.parametrize("pins", PINS)
def test_the_header_s_pins_are_used_and_no_others(start, pins):
    board = start(pins)
    header = board.header
    ours = {*header.tx.values(), *header.rx.values()}
    assert len(ours) == 10
    clocked = board.command("read", 0, AHB1ENR, 1)["words"][0]
    banks = [bank for bit, bank in enumerate("ABCDEFGHI") if clocked >> bit & 1]
    assert banks == sorted({pin[0] for pin in ours | {header.led} if pin})
    for bank in banks:
        for number in range(16):
            pin = f"{bank}{number}"
            mode = board.field(pin, MODER)
            assert (mode == OUTPUT) == (pin == header.led), pin
            if pin in ours:
                assert mode == ALTERNATE, pin
                assert board.field(pin, PUPDR) == PULL_UP, pin
            else:
                assert (mode != 0) == (pin in DEBUG | {header.led}), pin


@pytest.mark.parametrize("pins", PINS)
def test_interrupts_are_as_urgent_as_they_should_be(start, pins):
    """RM0090, 12.1.1: four bits. A byte's, then the ports', the console's; the
    ports' poll and alarm (TIM2, 28) are as urgent as the ports'."""
    board = start(pins)
    urgency = {28: 0x10}
    for port, number in board.header.usart.items():
        late = 0x10 if port < CONSOLE else 0x40
        urgency.update(zip(IRQS[number], (0x00, late)))
    for irq, must in urgency.items():
        word = int(board.say(f"probe {0xe000e400 + irq // 4 * 4:x}",
                             us=1000)[0].split()[2], 16)
        assert word >> 8 * (irq % 4) & 0xff == must, irq


def test_the_firmware_s_memory():
    """Its stack and its node lie in core-coupled memory: all of the RAM but
    what DMA needs is for messages."""
    with Bench(1, 1, hse_hz=12 * MEGA) as board:
        board.run(START_US)
        said = words(board.ask("ident")[3])
        assert said["room"] == str(120 * 1024)
        assert said["crystal_hz"] == str(12 * MEGA)
        assert said["clock"] == "hse-pll"
        depth = (12 * 1024 - 16) // 4  # of words; linker/stm32f405.ld
        stack = board.command("read", 0, 0x10000000, depth)["words"]
        assert stack[0] == stack[depth // 4] == PAINT
        assert PAINT not in stack[-8:]
        assert not board.complaints()


# ---- clocks ----


@pytest.mark.parametrize("mhz", range(4, 27))
def test_a_crystal_of_whole_megahertz_is_found(start, mhz):
    """With the worst of HSI by which it is measured: data sheet, 5.3.9, at 25
    degrees; and anywhere, up to 12 MHz."""
    for ppm in (-39_000, -10_000, 0, 10_000, 40_000):
        if mhz > 12 and abs(ppm) > 10_000:
            continue
        board = start(hse_hz=mhz * MEGA, hsi_ppm=ppm)
        assert board.banner[2].startswith(f"clocks hse-pll core {CORE_HZ} ")
        assert board.stats()[0]["core_hz"] == CORE_HZ
        assert board.stats()[0]["misread"] == 0


@pytest.mark.parametrize("hz", [3 * MEGA, 27 * MEGA, 32 * MEGA])
def test_other_crystals_are_left_alone(start, hz):
    board = start(hse_hz=hz, hsi_ppm=5000)
    assert board.banner[2].startswith(f"clocks hsi-pll core {CORE_HZ} ")
    assert board.stats()[0]["core_hz"] == pytest.approx(CORE_HZ * 1.005)


def test_a_clock_at_the_crystal_s_pin(start):
    board = start(hse="external", hse_hz=8 * MEGA, hsi_ppm=10_000)
    assert board.banner[2].startswith("clocks hse-pll ")
    assert board.stats()[0]["core_hz"] == CORE_HZ


def test_without_a_crystal(start):
    board = start(hse="none", hsi_ppm=-10_000)
    assert board.banner[2].startswith(f"clocks hsi-pll core {CORE_HZ} ")
    assert board.stats()[0]["core_hz"] == CORE_HZ * 0.99
    assert board.say(f"send 0 {data_of(0).hex()}")[1:] == told(2, data_of(0))


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
            assert board.usart(port)["bit_ns"] == 500.0
        sent = data_of(0, 20)
        assert board.say(f"send 0 {sent.hex()}")[1:] == told(2, sent)


def test_every_wait_ends(start):
    """hal/stm32f405/clocks.h: a quarter of a second; and the banner's time."""
    board = start(hse="none", pll_dead=1, start=False)
    assert board.run(250_000, 0, "quincunx")


def test_a_boot_loader_may_have_set_the_clocks_up(start):
    """With the PLL on, the processor runs from it, and is no emulator."""
    for settings in ({}, {"hse": "none"}, {"hse": "external"}):
        board = start(**settings)
        before = board.banner
        board.command("type", 0, "again")
        after = board.begins()
        assert [line for line in after if line not in ("", "reset unknown")] \
            == [line for line in before if line != "reset power"]
        assert board.stats()[0]["resets"] == 0
        assert board.stats()[0]["core_hz"] == CORE_HZ
        sent = data_of(3, 20)
        assert board.say(f"send 3 {sent.hex()}")[1:] == told(1, sent)


def test_a_boot_loader_may_have_used_dma(start):
    """Streams that it has left in the middle of something."""
    board = start()
    board.say("exchange", us=0)
    for port in range(4):
        board.say(f"blocks {port} 60000", us=0)
    board.command("type", 0, "again")
    board.begins()
    for port in range(4):
        sent = data_of(port, 40)
        assert board.say(f"send {port} {sent.hex()}")[1:] == told(
            (port + 2) % 4, sent)


def test_the_chip_is_never_taken_for_an_emulator(start):
    """Whatever it starts from: power, its pin, software, the watchdog."""
    board = start()
    causes = [board.banner[1]]
    for way in ("pin", "software", "watchdog"):
        if way == "pin":
            board.command("reset", 0)
        else:
            board.command("type", 0,
                          "reset" if way == "software" else "deaf 5000000")
            board.run(4 * MEGA, 0, "ready")  # it bites after 1.3 to 3.8 s
        lines = [line for line in board.begins() if line]
        causes.append(lines[1])
        assert lines[2].startswith("clocks hse-pll ")
    assert causes == ["reset power", "reset pin", "reset software",
                      "reset watchdog"]
    assert board.stats()[0]["resets"] == 3


# ---- ports ----


@pytest.mark.parametrize("pins", PINS)
def test_a_port_sends_and_receives_on_its_pins(start, pins):
    """Two boards: what leaves one's TX comes in at the other's opposite port;
    bytes of 60 are a burst, one behind the other, of one stay single."""
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


@pytest.mark.parametrize("pins", PINS)
def test_nothing_comes_in_at_other_pins(start, pins):
    """The same with two ports' cables exchanged: no port hears what is not at
    its own pin. With the console's cable elsewhere nobody answers."""
    header = Header(pins)
    wiring = header.wiring()
    wiring["west"], wiring["south"] = \
        (wiring["west"][0], wiring["south"][1]), \
        (wiring["south"][0], wiring["west"][1])
    board = start(pins, wiring=wiring)
    sent = data_of(0, 8)
    assert board.say(f"send 0 {sent.hex()}")[1:] == told(3, sent)
    assert board.say(f"send 1 {sent.hex()}")[1:] == told(2, sent)
    wiring = header.wiring()
    wiring["console"] = (wiring["console"][0], "E15")
    board = start(pins, wiring=wiring)
    board.command("type", 0, "time")
    assert not board.run(LINE_US, 0, r"\n")


def test_a_port_without_a_cable_is_silent(start):
    """The pull-up holds its line; the model complains of an input that
    floats when its USART starts."""
    board = start(start=False, power=False)
    for name in PORTS:
        board.command("unplug", 0, name)
    board.command("power", 0, "on")
    board.begins()
    board.say(f"send 0 {data_of(0).hex()}")
    board.run(200_000)
    for port in range(4):
        counters = board.counters(port)
        assert counters["in"] == counters["framings"] == \
            counters["noises"] == 0
        assert board.usart(port)["received"] == 0


def exchanged(board, ports, blocks):
    """Ports of one board send so many blocks of 64 bytes to each other, all at
    once: nothing is missing. The most that came in one call."""
    assert board.say("exchange", us=0) == ["ok"]
    for port in ports:
        board.say(f"blocks {port} {blocks}", us=0)
    board.run(blocks * 66 * BYTE_US * 4 + PRINT_US)
    most = 0
    for port in ports:
        numbers = board.numbers(f"told {port}")
        assert numbers["blocks"] == numbers["acknowledged"] == blocks
        assert numbers["wrong"] == 0
        other = (port + 2) % 4
        assert numbers["crc"] == zlib.crc32(sequence(other, 64 * blocks))
        counters = board.counters(port)
        assert counters["in"] == counters["out"] == 66 * blocks
        assert counters["overruns"] == counters["failures"] == 0
        assert counters["bursts"] > blocks / 2
        most = max(most, counters["most"])
    return most


@pytest.mark.parametrize("pins", PINS)
def test_four_ports_at_once(start, pins):
    """Both ways at 2 Mbaud."""
    assert exchanged(start(pins), range(4), 300) < 512


def test_bytes_without_a_pause_are_polled_for(start):
    """Every 50 us, in which ten come. Silence comes behind the last."""
    board = start()
    board.say(f"send 0 {data_of(0).hex()}")
    assert 9 <= board.counters(2)["most"] <= 12


def test_the_last_bytes_do_not_wait_for_a_poll(start):
    """Silence of a byte's time tells of them (IDLE): an answer to a block goes
    out so long after the block's end, and what it takes to make it."""
    board = start()
    board.say("exchange", us=0)
    waits = []
    for i in range(20):
        board.seen()
        board.say("blocks 0 1", us=2000 + 7 * i)
        seen = board.seen()
        block = [us for us, _, pin, _ in seen if pin == board.header.tx[0]]
        answer = [us for us, _, pin, byte in seen
                  if pin == board.header.tx[2] and byte == ord("A")]
        assert (len(block), len(answer)) == (65, 1)
        waits.append(answer[0] - (block[-1] + BYTE_US))
    assert BYTE_US < max(waits) < 4 * BYTE_US, waits


@pytest.mark.parametrize("at_mhz", ["168", "16"])
def test_bytes_wait_while_nobody_takes_them(start, at_mhz):
    """Two ms without interrupts are 400 bytes of a line."""
    board = start(pll_dead=int(at_mhz == "16"))
    assert board.say("exchange", us=0) == ["ok"]
    for port in range(4):
        board.say(f"blocks {port} 20", us=0)
    board.say("deaf 2000")
    for port in range(4):
        numbers = board.numbers(f"told {port}")
        assert numbers["blocks"] == numbers["acknowledged"] == 20
        assert board.counters(port)["overruns"] == 0


@pytest.mark.parametrize("baud, ports", [
    (9600, range(4)), (115200, range(4)), (1 * MEGA, range(4)),
    (5_250_000, range(4)), (10_500_000, (0, 3))])
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
            sent = data_of(port, 8)
            assert board.say(f"send {port} {sent.hex()}")[1:] == \
                told((port + 2) % 4, sent)


def test_the_last_byte_has_left(start):
    """Not before its stop bit is over; ticks of 250 ns. Nor much later: the
    board hears itself, and its handlers take their time."""
    board = start()
    for port in range(4):
        ticks = board.numbers(f"left {port}")["ticks"]
        assert 20 - 1 <= ticks <= 80
    board = start()
    board.say("bauds 9600")
    ticks = board.numbers("left 0")["ticks"]
    assert 4 * 10 * MEGA / 9600 - 20 <= ticks <= 4 * 10 * MEGA / 9600 + 40


# ---- bad lines ----


def test_doubtful_bytes_of_a_port_are_bytes(start):
    board = start()
    board.command("doubt", 0, "east", 1)
    sent = data_of(0)
    assert board.say(f"send 0 {sent.hex()}")[1:] == told(2, sent)
    counters = board.counters(2)
    assert (counters["in"], counters["noises"]) == (60, 60)
    assert counters["framings"] == counters["overruns"] == 0


def test_doubtful_bytes_of_the_console_are_zeros(start):
    """So the line is none, and its end is not seen."""
    board = start()
    board.command("doubt", 0, "console", 1)
    board.command("type", 0, "time")
    assert not board.run(LINE_US, 0, r"\n")
    board.command("doubt", 0, "console", 0)
    assert board.say("time") == ["no such command"]
    counters = board.counters(CONSOLE)
    assert counters["noises"] == len("time\n")


def test_damaged_and_lost_bytes(start):
    board = start()
    board.command("damage", 0, "north", 1)
    sent = data_of(1)
    lines = board.say(f"send 1 {sent.hex()}")[1:]
    assert len(lines) == 60
    for line, byte in zip(lines, sent):
        port, value = line.split()[1:]
        assert port == "3" and bin(int(value, 16) ^ byte).count("1") == 1
    board.command("lose", 0, "west", 1)
    assert board.say(f"send 2 {sent.hex()}") == ["ok"]
    assert board.counters(0)["in"] == 0
    board.command("lose", 0, "west", 0.5)
    lines = board.say(f"send 2 {sent.hex()}")[1:]
    assert 10 < len(lines) < 50
    left = iter(told(0, sent))
    assert all(line in left for line in lines)  # in their order
    for port in range(4):
        assert board.counters(port)["overruns"] == 0


def test_bytes_of_another_baud_have_framing_errors(start):
    """Two crystals, 5.5 % apart: where one board has a stop bit the other finds
    the next byte's start. What is read is passed on all the same."""
    board = start(width=2, power=False, start=False)
    board.set(0, "hse_ppm", -27_000)
    board.set(1, "hse_ppm", 27_500)
    board.command("power", "all", "on")
    board.begins(0)
    board.begins(1)
    board.say(f"send 2 {'55' * 60}", board=1)
    lines = board.heard.pop(0).splitlines()
    counters = board.counters(0)
    assert 20 < counters["framings"] <= counters["in"] <= 60
    assert len(lines) == counters["in"] == board.usart(0)["received"]
    assert counters["overruns"] == 0


def test_the_console_overruns_and_says_so(start):
    """A byte waits while nobody takes it; those behind it are lost."""
    board = start()
    board.command("type", 0, "deaf 3000")
    lines = board.say("x" * 100)
    assert lines == ["ok", "error 4", "no such command"]
    counters = board.counters(CONSOLE)
    assert counters["overruns"] == 1
    assert board.usart(CONSOLE)["overruns"] > 20
    assert board.say("led 0") == ["ok"]


@pytest.mark.parametrize("port", range(4))
def test_a_failed_burst_ends_dma_for_sending(start, port):
    """RM0090, 10.3.18: a bus error. What it had is lost; the port goes on
    without DMA."""
    board = start()
    board.expected = ["DMA: it does not reach this memory"]
    board.say(f"fail {port}")
    counters = board.counters(port)
    assert (counters["failures"], counters["bursts"]) == (1, 1)
    lost = board.counters((port + 2) % 4)["in"]
    assert 25 < lost < 60
    sent = data_of(port)
    assert board.say(f"send {port} {sent.hex()}")[1:] == \
        told((port + 2) % 4, sent)
    assert board.counters(port)["bursts"] == 1
    assert board.counters((port + 2) % 4)["in"] == lost + 60


# ---- LED and time ----


@pytest.mark.parametrize("pins", PINS)
def test_the_led(start, pins):
    board = start(pins)
    header = board.header
    edges = board.stats()[0]["edges"]
    if header.led:
        assert board.level(header.led) == 1 - header.lit
        assert edges == 1 - header.lit  # high before it was an output
    for on, changes in (("1", 1), ("1", 0), ("0", 1), ("0", 0), ("1", 1)):
        board.say(f"led {on}", us=1000)
        now = board.stats()[0]["edges"]
        assert now - edges == (changes if header.led else 0)
        edges = now
        if header.led:
            assert board.level(header.led) == (
                header.lit if on == "1" else 1 - header.lit)


@pytest.mark.parametrize("settings", [{}, {"hse": "none"}, {"pll_dead": 1}],
                         ids=["crystal", "oscillator", "without-pll"])
def test_time_is_the_chip_s(start, settings):
    board = start(**settings)
    board.numbers("time")
    before = board.numbers("time")
    passed = board.command("now")["now_us"]
    board.run(500_000)
    passed = board.command("now")["now_us"] - passed
    after = board.numbers("time")
    us = after["us"] - before["us"]
    assert us == pytest.approx(passed, abs=20_000)  # what the console takes
    assert after["ticks"] - before["ticks"] == pytest.approx(us / 1000, abs=1.5)
    assert 0 < after["stack"] < 1024


def test_an_alarm_is_on_time(start):
    board = start()
    for _ in range(20):
        assert 0 <= board.numbers("alarm 100")["late_us"] <= 2
        board.run(137)


def test_an_alarm_that_is_late_already(start):
    """Its compare does not match any more."""
    board = start()
    for ago in (1, 50, 1000):
        assert ago <= board.numbers(f"alarm -{ago}")["late_us"] <= ago + 5


def test_time_goes_on_when_the_counter_wraps(start):
    board = start()
    found = re.fullmatch(r"wrap before (\w{16}) after (\w{16})",
                         board.say("wrap", us=2 * MEGA)[0])
    before, after = int(found[1], 16), int(found[2], 16)
    assert before >> 32 == 0 and after >> 32 == 1
    assert 1_200_000 * 4 <= after - before <= 1_200_050 * 4


# ---- the watchdog ----


@pytest.mark.parametrize("lsi_hz", [17000, 32000, 47000])
def test_the_watchdog_ends_a_hang(start, lsi_hz):
    """2 s after it was last fed, by an oscillator of 32 kHz; else in proportion
    (hal/stm32f405/watchdog.h)."""
    due_us = 2 * MEGA * 32000 / lsi_hz
    board = start(lsi_hz=lsi_hz)
    board.run(3 * due_us)
    assert board.stats()[0]["resets"] == 0
    board.command("type", 0, "hang")
    board.run(0.97 * due_us)
    assert board.stats()[0]["resets"] == 0
    board.run(0.06 * due_us)
    assert board.stats()[0]["resets"] == 1
    assert "reset watchdog" in board.begins()

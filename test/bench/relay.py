# SPDX-License-Identifier: Apache-2.0
"""What the software switch costs a relay, and how fast its lines may be.

Instructions are counted by an emulator (test/bench/relay). What is assumed of
the processor at 168 MHz: CYCLES an instruction (wait states of the flash, taken
branches, loads), and EXCEPTION_CYCLES for each interrupt: 12 to enter a handler
and 12 to leave it (Cortex-M4 TRM, ARM 100166, 3.9.1), also where the processor
goes from one to the next in fewer.
"""
import functools
import pathlib
import re
import subprocess
import sys
from fractions import Fraction

TEST = pathlib.Path(__file__).resolve().parent.parent
if str(TEST) not in sys.path:
    sys.path.insert(0, str(TEST))
from core import BUILD, QEMU  # noqa: E402

IMAGE = BUILD / "test" / "relay_bench.elf"
DRIVER = TEST.parent / "hal" / "stm32f405"

CLOCK_HZ = 168_000_000
CYCLES = Fraction(13, 10)
EXCEPTION_CYCLES = 24
BITS = 10  # of a byte, 8N1
PORTS = 4
# RM0090, 30.3.4: 8 clocks of 84 and of 42 MHz for a bit.
HARDWARE_BAUD = {"USART1 and 6": 10_500_000, "USART2 and 3": 5_250_000}


def number_in(name, header):
    """A number that a source defines."""
    text = (DRIVER / header).read_text(encoding="utf-8")
    return int(re.search(rf"#define {name} (\d+)u", text)[1])


def default_baud():
    return number_in("SERIAL_PORT_BAUD", "serial.h")


def queue_bytes():
    return number_in("QUEUE_BYTES", "serial.c")


@functools.cache
def board_lines():
    """What test/bench/relay/board.c prints, in words."""
    done = subprocess.run(
        [QEMU, "-M", "mps2-an385", "-nodefaults", "-display",
         "none", "-icount", "shift=10,sleep=off,align=off",
         "-chardev", "stdio,id=out",
         "-semihosting-config", "enable=on,target=native,chardev=out",
         "-kernel", IMAGE], capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL, check=True)
    return [line.split() for line in done.stdout.splitlines()
            if not line.startswith("#")]


class Figure:
    """Of one kind of call."""

    def __init__(self, calls, total, worst):
        self.calls, self.total, self.worst = calls, total, worst
        self.mean = Fraction(total, calls)


def figures():
    """{name: Figure}; drivers: {("quick" or "late", bytes at once): Figure}."""
    table = {}
    for name, *words in board_lines():
        if name == "load":
            table[words[1], int(words[0])] = Figure(*map(int, words[2:]))
        elif name != "all":
            table[name] = Figure(*map(int, words))
    return table


# ---- what follows for the lines ----

def byte_cycles(baud):
    """Between two bytes of a line."""
    return Fraction(CLOCK_HZ * BITS, baud)


def cycles(instructions, interrupts=1):
    return instructions * CYCLES + interrupts * EXCEPTION_CYCLES


def load_cycles(table, at_once):
    """For one byte in and out at each of the four ports."""
    quick, late = table["quick", at_once], table["late", at_once]
    return cycles(quick.total + late.total,
                  quick.calls + late.calls) / (quick.calls // PORTS)


def load_baud(table, at_once):
    """At which the processor does nothing else."""
    return CLOCK_HZ * BITS / load_cycles(table, at_once)


def longest_call(table):
    """Of those that come from a line: its name and Figure."""
    names = ("passed-start", "passed-end", "passed-taken", "setup-hop",
             "release-hop", "setup-arrives", "data-arrives", "last-arrives",
             "answer-arrives", "frame-made")
    return max(((name, table[name]) for name in names),
               key=lambda entry: entry[1].worst)


def hold_up_cycles(table):
    """The longest that bytes may wait in a queue: all ports have the longest
    call to make just after the longest tick."""
    return (cycles(table["tick-back"].worst)
            + PORTS * cycles(longest_call(table)[1].worst))


def queue_baud(table):
    """At which a queue holds what comes in meanwhile."""
    return CLOCK_HZ * BITS * queue_bytes() / hold_up_cycles(table)


def fetch_baud(table):
    """At which a byte is fetched before the next, behind those of all other
    ports."""
    worst = max(table["quick", at_once].worst for at_once in (1, 8, 32))
    return CLOCK_HZ * BITS / (PORTS * cycles(worst))


def unqueued_baud(table):
    """Were there no queue: the longest call within a byte's time."""
    return CLOCK_HZ * BITS / cycles(longest_call(table)[1].worst)


# ---- lines of the bench ----

def megabaud(baud):
    return f"{float(baud) / 1e6:.2f} Mbaud"


def shown(figure):
    return f"{float(figure.mean):.0f}, at most {figure.worst}"


def cost_lines(table, found):
    for what, name in (
            ("a byte comes in and is passed on", "passed-byte"),
            ("a byte is pending", "passed-pending"),
            ("a byte is taken", "passed-taken"),
            ("a frame's first bytes", "passed-start"),
            ("a frame's end", "passed-end"),
            ("a set-up hop", "setup-hop"),
            ("a release's hop", "release-hop"),
            ("240 bytes made into a frame", "frame-made"),
            ("240 bytes arrive", "data-arrives"),
            ("the last bytes of a message arrive", "last-arrives"),
            ("an answer arrives, and frames are made", "answer-arrives"),
            ("a byte of a bad line, mended frames", "bad-line-arrives"),
            ("a frame of a bad line is made", "bad-line-made"),
            ("a message is queued", "send"),
            ("a tick, two circuits held", "tick-held"),
            ("a tick, four sources go back", "tick-back")):
        table.line(f"relay: instructions, {what}", None, shown(found[name]))
    for at_once in (1, 8, 32):
        late = found["late", at_once]
        quick = found["quick", at_once]
        a_byte = quick.mean + Fraction(late.total, quick.calls)
        table.line("relay: instructions a byte, with the drivers, "
                   f"{at_once} at once", None, f"{float(a_byte):.0f}")


def lines(table):
    found = figures()
    name, longest = longest_call(found)
    must = default_baud()
    cost_lines(table, found)
    table.line("relay: the longest call, " + name, None,
               f"{longest.worst} instr., "
               f"{float(cycles(longest.worst) / byte_cycles(must)):.0f} bytes")
    for at_once in (1, 8):
        table.line(f"relay: four ports, {at_once} bytes at once, largest", None,
                   megabaud(load_baud(found, at_once)))
    for what, baud in (("four ports, 32 bytes at once", load_baud(found, 32)),
                       ("every byte is fetched in time", fetch_baud(found)),
                       ("the queues hold the longest wait",
                        queue_baud(found))):
        table.line(f"relay: {what}, largest", f"{megabaud(must)} or more",
                   megabaud(baud), baud >= must)
    table.line("relay: the same without queues", None,
               megabaud(unqueued_baud(found)))
    for what, baud in HARDWARE_BAUD.items():
        table.line(f"relay: {what} can do", None, megabaud(baud))

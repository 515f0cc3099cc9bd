# SPDX-License-Identifier: Apache-2.0
"""Instructions that the software switch takes for a call, counted by an
emulator (test/bench/relay/board.c)."""
import functools
import pathlib
import subprocess
import sys
from fractions import Fraction

TEST = pathlib.Path(__file__).resolve().parent.parent
if str(TEST / "lib") not in sys.path:
    sys.path.insert(0, str(TEST / "lib"))
from core import BUILD, QEMU  # noqa: E402

IMAGE = BUILD / "test" / "relay_bench.elf"


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
    """{name: Figure}"""
    return {name: Figure(*map(int, words)) for name, *words in board_lines()
            if name != "all"}


def shown(figure):
    return f"{float(figure.mean):.0f}, at most {figure.worst}"


def lines(table):
    found = figures()
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

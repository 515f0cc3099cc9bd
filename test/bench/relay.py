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


# (what a call does, its name in the table, instructions at most: a tenth
# above what was counted)
CALLS = [
    ("a byte comes in and is passed on", "passed-byte", 40),
    ("a byte is pending", "passed-pending", 35),
    ("a byte is taken", "passed-taken", 28),
    ("a frame's first bytes", "passed-start", 180),
    ("a frame's end", "passed-end", 40),
    ("a byte is read", "read-byte", 100),
    ("a set-up hop", "setup-hop", 1650),
    ("a release's hop", "release-hop", 610),
    ("a set-up arrives", "setup-arrives", 2900),
    ("240 bytes made into a frame", "frame-made", 6800),
    ("240 bytes arrive", "data-arrives", 3400),
    ("the last bytes of a message arrive", "last-arrives", 6700),
    ("an answer arrives, and frames are made", "answer-arrives", 13800),
    ("a byte of a bad line, mended frames", "bad-line-arrives", 28100),
    ("a frame of a bad line is made", "bad-line-made", 7000),
    ("a message is queued", "send", 1380),
    ("a tick, nothing to do", "tick-idle", 150),
    ("a tick, two circuits held", "tick-held", 170),
    ("a tick, four sources go back", "tick-back", 29200)]
# Of three contents: in one circuit, in two, to the middle: 4 messages and those
# of 4 sources, of ten frames each.
MESSAGES, FRAMES = 3 * (1 + 2 + 1 + 4), 10


def figures():
    """{name: Figure}, of messages that all arrived, counted exactly."""
    found = {name: Figure(*map(int, words)) for name, *words in board_lines()
             if name != "all"}
    nops, last = found["nops"], found["last-arrives"]
    if (["all", "arrived"] not in board_lines()
            or (nops.calls, nops.total, nops.worst) != (1, 1000, 1000)
            or last.calls != MESSAGES
            or found["data-arrives"].calls + last.calls < MESSAGES * FRAMES):
        sys.exit("bench: the relay's calls are not counted as they must be")
    return found


def lines(table):
    found = figures()
    for what, name, most in CALLS:
        table.line(f"relay: instructions, {what}", f"{most} at most",
                   f"{float(found[name].mean):.0f}, at most "
                   f"{found[name].worst}", 0 < found[name].worst <= most)

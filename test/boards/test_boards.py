# SPDX-License-Identifier: Apache-2.0
"""Boards that do not come up, or not as they should; signals in the moment
before a wait.

A program that is found as qemu-system-arm stands in for QEMU: it looks at the
window that it inherits, does what a test asks of the board in that place, and
becomes the real QEMU everywhere else.
"""
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

import mesh
from guard import GUARD_S

REAL = shutil.which(mesh.QEMU)

# What a stand-in sees: the descriptors of qemu/fabric/qemu_boards.c and the
# beginning of the window, as hal/window/window.h has them.
STAND_IN = """#!{python} -ES
import mmap, os, struct, sys, time
DOORBELL, WINDOW = 3, 4
window = mmap.mmap(WINDOW, 4096)
x, y = struct.unpack_from("<HH", window, 20)
def become_qemu():
    os.execv({real!r}, ["qemu-system-arm", *sys.argv[1:]])
if "%d,%d" % (x, y) not in {places!r}:
    become_qemu()
{script}
"""

EVERYWHERE = [f"{x},{y}" for y in range(5) for x in range(5)]


class Bench:
    """A mesh whose boards are stand-ins, and what it leaves behind."""

    def __init__(self, folder):
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.firmware = folder / "image.elf"
        shutil.copy(mesh.FIRMWARE, self.firmware)
        self.load = folder / "load"
        self.load.write_bytes(bytes(20_000))
        self.env = mesh.with_path(self.bin, os.environ["PATH"])

    def stand_in(self, script, *places):
        """Boards in these places do what the script says."""
        path = self.bin / "qemu-system-arm"
        path.write_text(STAND_IN.format(
            python=sys.executable, real=REAL, places=places, script=script))
        path.chmod(0o755)

    def run(self, *args, **env):
        """The finished launcher; its boards must all be gone."""
        done = subprocess.run(
            [mesh.QUINCUNX, "run", "--mesh", "5x5", "--kernel", "spin",
             "--arg", "32", "--firmware", self.firmware, *args, self.load],
            timeout=GUARD_S, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, env={**self.env, **env})
        assert mesh.until(lambda: not self.boards(), GUARD_S), self.boards()
        return done

    def boards(self):
        """Processes with this image on their command line, stand-ins too."""
        found = []
        for pid in mesh.pids():
            if os.fsencode(self.firmware) in mesh.words_of(pid):
                found.append(pid)
        return found


@pytest.fixture(name="bench")
def fixture_bench(tmp_path):
    it = Bench(tmp_path)
    yield it
    for pid in it.boards():
        os.kill(pid, signal.SIGKILL)


def failed(done, *words):
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    for word in words:
        assert word in done.stderr, (word, done.stderr)


def test_a_stand_in_that_only_becomes_qemu(bench):
    """Nothing that the others find is the stand-in's doing."""
    bench.stand_in("become_qemu()", *EVERYWHERE)
    done = bench.run()
    assert done.returncode == 0, done.stderr


# ---- boards that never come up ----

def test_no_board_comes_up(bench):
    """The watchdog waits for the first of them, too."""
    bench.stand_in("time.sleep(1000)", *EVERYWHERE)
    done = bench.run("--watchdog", "2")
    failed(done, "0 of 25 boards came up", "within 2 s (--watchdog)",
           "node 0,0 did not come up")


LAST_WORDS = """
usual = "qemu-system-arm: warning: nic lan9118.0 has no peer"
for i in range(2000):
    print(usual, file=sys.stderr)
    if i % 100 == 0:
        print("line", i, "of the last words", file=sys.stderr)
sys.exit(3)
"""


def test_last_words_are_whole_lines_without_what_is_usual(bench):
    bench.stand_in(LAST_WORDS, "3,1")
    err = bench.run().stderr
    _, found, words = err.partition("last words of the boards' QEMUs:\n")
    lines = words.splitlines()
    assert found and lines[-1] == "line 1900 of the last words"
    assert len(lines) > 3
    assert all(re.fullmatch(r"line \d+ of the last words", line)
               for line in lines)


def test_one_board_does_not_come_up(bench):
    """It is named, and no other."""
    bench.stand_in("time.sleep(1000)", "3,1")
    done = bench.run("--watchdog", "3")
    failed(done, "24 of 25 boards came up", "node 3,1 did not come up")
    others = [place for place in EVERYWHERE if place != "3,1"]
    assert not [p for p in others if f"node {p} " in done.stderr]


# ---- boards that write what they like ----

# Rings again and again, with one more send queued, a part of four bytes for the
# east; and says all the while, for a moment, that 2^31 are.
FICKLE = """
import threading
window = mmap.mmap(WINDOW, 1 << 20)
send = struct.pack("<QIBBH12IHHBBHII", 0, 0, 1, 0, 1, 0x80000, 4, *[0] * 10,
                   1, 0, 0, 1, 0, 0, 0)
for i in range(1024):
    window[616 + 80 * i:616 + 80 * i + len(send)] = send
queued = bytes(4)
def flip():
    while True:
        window[432:436] = queued
        window[432:436] = b"\\0\\0\\0\\x80"
        window[432:436] = queued
        for _ in range(20):
            pass
threading.Thread(target=flip, daemon=True).start()
for sequence in range(1, 100000):
    queued = struct.pack("<I", sequence)
    time.sleep(0.0005)
    window[112:144] = struct.pack("<QIIIIII", sequence, 1, 1, 0x80000, 4096, 0,
                                  sequence)
    os.write(DOORBELL, b"!")
    time.sleep(0.0005)
"""


def test_a_board_that_changes_what_it_queued(bench):
    """It is read once: what was checked is what is taken. The job is long
    enough for the board to be looked at often; a run that never sees the wrong
    number gets stuck, since this board returns no result."""
    bench.stand_in(FICKLE, "2,2")
    said = [bench.run("--arg", "100000", "--watchdog", "20") for _ in range(4)]
    for done in said:
        failed(done, "node 2,2")
    assert any("queued a send that makes no sense" in done.stderr
               for done in said)


# Queues one send for the east, whose head and shared segments are given.
BEYOND = """
window = mmap.mmap(WINDOW, 1 << 20)
send = struct.pack("<QIBBH12IHHBBHII", 0, 0, 1, 0, 1, {head}, {shared},
                   *[0] * 8, 1, 0, 0, 1, 0, 0, 0)
window[616:616 + len(send)] = send
window[432:436] = struct.pack("<I", 1)
window[112:144] = struct.pack("<QIIIIII", 0, 1, 1, 0x80000, 4096, 0, 1)
os.write(DOORBELL, b"!")
time.sleep(1000)
"""


@pytest.mark.parametrize("head, shared", [
    ("0x00fffffc, 8", "0, 0"),           # its end is beyond the window
    ("0x01000000, 4", "0, 0"),           # all of it
    ("0xfffffffc, 8", "0, 0"),           # and the sum is small again
    ("0x0001fffc, 4", "0, 0"),           # in what is not for messages
    ("0, 4", "0, 0"),
    ("0x80000, 4", "0x00fffffc, 8"),
    ("0x20000, 0xfe0000", "0x20000, 0xfe0000")])  # longer than the window
def test_a_send_from_outside_of_the_window(bench, head, shared):
    bench.stand_in(BEYOND.format(head=head, shared=shared), "2,2")
    failed(bench.run("--watchdog", "20"), "node 2,2",
           "queued a send that makes no sense")


def test_a_send_from_within_the_window(bench):
    """Up to its last byte: then the watchdog ends the run."""
    bench.stand_in(BEYOND.format(head="0x00fffffc, 4", shared="0x20000, 4"),
                   "2,2")
    done = bench.run("--watchdog", "2")
    failed(done)
    assert "makes no sense" not in done.stderr


# ---- boards whose QEMU ends ----

def test_qemu_that_ends_at_once(bench):
    """Its exit status and its own words are told."""
    bench.stand_in("os.write(2, b'no such machine, it says\\n')\n"
                   "os._exit(3)", "2,2")
    failed(bench.run(), "node 2,2 died", "its QEMU exited with status 3",
           "no such machine, it says")


def test_qemu_that_ends_a_little_after_its_socket(bench):
    """The launcher sees the socket first and waits for the process."""
    bench.stand_in("os.close(DOORBELL)\ntime.sleep(0.2)\nos._exit(5)", "2,2")
    failed(bench.run(), "node 2,2 died", "its QEMU exited with status 5")


def test_qemu_that_lives_on_without_its_socket(bench):
    """Not waited for without an end, and ended with all others."""
    bench.stand_in("os.close(DOORBELL)\ntime.sleep(1000)", "2,2")
    done = bench.run()
    failed(done, "node 2,2 died")
    assert "its QEMU" not in done.stderr


def test_qemu_that_cannot_be_executed(bench):
    path = bench.bin / "qemu-system-arm"
    path.write_text("#!/nowhere/interpreter\n")
    path.chmod(0o755)
    failed(bench.run(PATH=str(bench.bin)), "died: its process is gone",
           "qemu-system-arm could not be executed")


# ---- a window of another kind ----

WORD = ("at = {at}\n"
        "word, = struct.unpack_from('<I', window, at)\n"
        "struct.pack_into('<I', window, at, word + 1)\n"
        "become_qemu()")
OTHER = pytest.mark.parametrize("at", [0, 4], ids=["magic", "version"])


@OTHER
def test_a_node_with_another_window(bench, at):
    """circuit_open() refuses it: the node gives up, and says why."""
    bench.stand_in(WORD.format(at=at), "1,2")
    failed(bench.run("--watchdog", "10"), "node 1,2 gave up",
           "state: failed (another firmware version)")


@OTHER
def test_an_originator_with_another_window(bench, at):
    bench.stand_in(WORD.format(at=at), "0,0")
    failed(bench.run("--watchdog", "10"),
           "the originator 0,0 ended without a report",
           "state: failed (another firmware version)")


@pytest.mark.parametrize("at, place, said, hint", [
    (12, "0,1", "a message of another mesh, job or version",
     "a message of an earlier job, or of a board with another image"),
    (20, "2,4", "a part for another place in the pattern",
     "boards disagree about where they are")], ids=["mesh", "x"])
def test_a_node_that_takes_itself_for_another(bench, at, place, said, hint):
    """Its window has another mesh, or another place, which waits at the same
    port for a part of another phase: the cause is named, and what to do."""
    bench.stand_in(WORD.format(at=at), place)
    failed(bench.run("--watchdog", "10"), f"node {place} gave up",
           f"state: failed ({said})", f"hint: {hint}")


# ---- signals just before a wait ----

# The launcher has looked whether it was interrupted and is about to wait, for
# boards that will not ring: a signal that comes now must end the wait.
JUST_BEFORE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>

typedef int wait_call(struct pollfd *, nfds_t, const struct timespec *,
                      const sigset_t *);

int ppoll(struct pollfd *of, nfds_t count, const struct timespec *left,
          const sigset_t *mask)
{
    wait_call *call = (wait_call *)dlsym(RTLD_NEXT, "ppoll");

    if (mask != 0 && count > 0 && poll(of, count, 1000) == 0) {
        raise(%d);
    }
    return call(of, count, left, mask);
}
"""
SIGNALS = pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM,
                                          signal.SIGHUP])


def just_before(folder, how):
    """A library that sends the launcher a signal in that moment."""
    source, library = folder / "before.c", folder / "before.so"
    source.write_text(JUST_BEFORE % how)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source],
                   check=True, timeout=GUARD_S)
    return str(library)


def interrupted(done):
    assert done.returncode == 130, done.stderr
    assert done.stdout == ""
    assert "interrupted" in done.stderr
    assert "came up" not in done.stderr and "hangs" not in done.stderr


@SIGNALS
def test_signal_just_before_waiting_for_boards(bench, tmp_path, how):
    bench.stand_in("time.sleep(1000)", *EVERYWHERE)
    interrupted(bench.run("--watchdog", "20",
                          LD_PRELOAD=just_before(tmp_path, how)))


def test_signal_just_before_waiting_for_a_node(bench, tmp_path):
    """All boards are up, and one of them hangs."""
    interrupted(bench.run("--watchdog", "20", "--inject", "hang@1,2",
                          LD_PRELOAD=just_before(tmp_path, signal.SIGINT)))

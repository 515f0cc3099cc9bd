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

EVERYWHERE = [f"{x},{y}" for y in range(3) for x in range(3)]


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

    def run(self, *args, size="3x3", **env):
        """The finished launcher; its boards must all be gone."""
        done = subprocess.run(
            [mesh.QUINCUNX, "run", "--mesh", size, "--kernel", "spin",
             "--arg", "32", "--firmware", self.firmware, *args, self.load],
            timeout=GUARD_S, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL, env={**self.env, **env})
        assert mesh.until(lambda: not self.boards(), GUARD_S), self.boards()
        return done

    def boards(self):
        """Processes with this image on their command line, stand-ins too."""
        return [pid for pid in mesh.pids()
                if os.fsencode(self.firmware) in mesh.words_of(pid)]


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


# ---- boards that never come up ----

def test_no_board_comes_up(bench):
    """The watchdog waits for the first of them, too. With stand-ins that only
    become QEMU all is well."""
    bench.stand_in("become_qemu()", *EVERYWHERE)
    done = bench.run()
    assert done.returncode == 0, done.stderr
    bench.stand_in("time.sleep(1000)", *EVERYWHERE)
    failed(bench.run("--watchdog", "2"), "0 of 9 boards came up",
           "within 2 s (--watchdog)", "node 0,0 did not come up")


def test_one_board_does_not_come_up(bench):
    """It is named, and no other."""
    bench.stand_in("time.sleep(1000)", "2,1")
    done = bench.run("--watchdog", "3")
    failed(done, "8 of 9 boards came up", "node 2,1 did not come up")
    assert done.stderr.count("node ") == 1


# Of the others none is heard: QEMU writes a line in pieces, and those of one
# board may come into the middle of another's.
LAST_WORDS = """
if (x, y) != (2, 1):
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    become_qemu()
usual = "qemu-system-arm: warning: nic lan9118.0 has no peer"
for i in range(2000):
    print(usual, file=sys.stderr)
    if i % 100 == 0:
        print("line", i, "of the last words", file=sys.stderr)
sys.exit(3)
"""


def test_last_words_are_whole_lines_without_what_is_usual(bench):
    bench.stand_in(LAST_WORDS, *EVERYWHERE)
    err = bench.run().stderr
    _, found, words = err.partition("last words of the boards' QEMUs:\n")
    lines = words.splitlines()
    assert found and lines[-1] == "line 1900 of the last words"
    assert len(lines) > 3
    assert [line for line in lines if not re.fullmatch(
        r"line \d+ of the last words", line)] == []


# ---- boards whose QEMU ends ----

def test_qemu_that_ends(bench):
    """Its exit status and its own words are told, also where the launcher sees
    its socket end first and waits for the process: not without an end."""
    for script, *told in (
            ("os.write(2, b'no such machine, it says\\n')\nos._exit(3)",
             "its QEMU exited with status 3", "no such machine, it says"),
            ("os.close(DOORBELL)\ntime.sleep(0.2)\nos._exit(5)",
             "its QEMU exited with status 5"),
            ("os.close(DOORBELL)\ntime.sleep(1000)",)):
        bench.stand_in(script, "2,2")
        done = bench.run()
        failed(done, "node 2,2 died", *told)
        assert ("its QEMU" in done.stderr) == bool(told)


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


@pytest.mark.boards
def test_a_window_of_another_version(bench):
    """circuit_open() refuses its magic number or version: the node gives up,
    and says why."""
    for at in 0, 4:
        for place, told in (
                ("1,2", "node 1,2 gave up"),
                ("0,0", "the originator 0,0 ended without a report")):
            bench.stand_in(WORD.format(at=at), place)
            failed(bench.run("--watchdog", "10"), told,
                   "state: failed (another firmware version)")


@pytest.mark.boards
def test_a_node_that_takes_itself_for_another(bench):
    """Its window has another mesh, or another place, which waits at the same
    port for a part of another phase: the cause is named, and what to do."""
    for at, place, state, hint in (
            (12, "0,1", "failed (a message of another mesh, job or version)",
             "a message of an earlier job"),
            (20, "2,4", "waiting (a part for another place in the pattern)",
             "boards disagree about where they are")):
        bench.stand_in(WORD.format(at=at), place)
        failed(bench.run("--watchdog", "10", size="5x5"),
               f"node {place} gave up", f"state: {state}", f"hint: {hint}")


# ---- signals just before a wait ----

# The launcher has looked whether it was interrupted and is about to wait, for
# boards that will not ring: a signal that comes now must end the wait.
JUST_BEFORE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

typedef int wait_call(struct pollfd *, nfds_t, const struct timespec *,
                      const sigset_t *);

int ppoll(struct pollfd *of, nfds_t count, const struct timespec *left,
          const sigset_t *mask)
{
    wait_call *call = (wait_call *)dlsym(RTLD_NEXT, "ppoll");

    if (strcmp(program_invocation_short_name, "quincunx") == 0 && count > 1
        && poll(of, count, 1000) == 0) {
        raise(%d);
    }
    return call(of, count, left, mask);
}
"""


def test_signal_just_before_waiting(bench, tmp_path):
    """For boards; and once all are up, for a node that hangs."""
    source, library = tmp_path / "before.c", tmp_path / "before.so"
    for how, script, *inject in (
            (signal.SIGHUP, "time.sleep(1000)"),
            (signal.SIGINT, "become_qemu()", "--inject", "hang@1,2")):
        source.write_text(JUST_BEFORE % how)
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source],
                       check=True, timeout=GUARD_S)
        bench.stand_in(script, *EVERYWHERE)
        done = bench.run("--watchdog", "20", *inject, LD_PRELOAD=str(library))
        assert (done.returncode, done.stdout) == (130, ""), done.stderr
        assert "interrupted" in done.stderr
        assert "came up" not in done.stderr and "hangs" not in done.stderr

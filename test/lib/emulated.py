# SPDX-License-Identifier: Apache-2.0
"""A mesh of emulated boards that `quincunx boards` runs, and its consoles."""
import os
import re
import select
import shutil
import signal
import string
import subprocess

import mesh
from guard import GUARD_S

IMAGE = mesh.BUILD / "test" / "wired.elf"
PORTS = ("east", "north", "west", "south")


def opposite(port):
    return PORTS[(PORTS.index(port) + 2) % 4]


class Console:
    """The far side of a board's terminal."""

    def __init__(self, name):
        self.fd = os.open(name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.heard = b""

    def close(self):
        os.close(self.fd)

    def say(self, text):
        os.write(self.fd, text.encode())

    def lines(self, count, seconds=GUARD_S):
        """The next lines; fewer if nothing comes for so long."""
        while self.heard.count(b"\n") < count and select.select(
                [self.fd], [], [], seconds)[0]:
            self.heard += os.read(self.fd, 65536)
        *lines, _ = self.heard.split(b"\n", count)
        self.heard = self.heard[sum(len(line) + 1 for line in lines):]
        return [line.decode(errors="replace") for line in lines]

    def await_answer(self):
        """Asks until the board answers, each time by another letter and after
        twice as long; from then on it only waits for what the last question
        brings. Drops what the board said until then."""
        pause_s, answers = 0.5, False
        for letter in string.ascii_uppercase[:10]:
            self.say("!" + letter)
            while lines := self.lines(1, GUARD_S if answers else pause_s):
                if lines == ["!" + letter]:
                    return
                answers = answers or lines[0].startswith("!")
            pause_s *= 2
        raise AssertionError("the board does not answer")


class Boards:
    """The launcher, as a context; ended by the end of its standard input."""

    def __init__(self, folder, *args, size="2x2", image=IMAGE, env=None):
        self.image = folder / "image.elf"
        shutil.copy(image, self.image)
        self.line = [mesh.QUINCUNX, "boards", "--mesh", size, "--firmware",
                     str(self.image), *map(str, args)]
        self.env = env
        self.process = None
        self.tty = {}
        self.consoles = []

    def __enter__(self):
        self.process = subprocess.Popen(
            self.line, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env=self.env)
        for line in self.process.stdout:
            found = re.fullmatch(r"console (\d+),(\d+) (/dev/\S+)\n", line)
            if found:
                self.tty[int(found[1]), int(found[2])] = found[3]
            if "; Ctrl-C ends " in line:
                break
        return self

    def __exit__(self, *_):
        for console in self.consoles:
            console.close()
        self.process.kill()
        self.process.communicate(timeout=GUARD_S)
        gone = self.gone()
        for pid in self.pids():
            os.kill(pid, signal.SIGKILL)
        assert gone, "boards outlived their launcher"

    def console(self, *at):
        console = Console(self.tty[at])
        self.consoles.append(console)
        return console

    def up(self):
        """A console for each terminal, once its board answers."""
        consoles = {at: self.console(*at) for at in self.tty}
        for console in consoles.values():
            console.await_answer()
        return consoles

    def pids(self):
        return mesh.boards_with(self.image)

    def await_all(self, count):
        assert mesh.until(lambda: len(self.pids()) == count), self.pids()

    def pid(self, *at):
        """The process of one board."""
        name = b"board-%d-%d" % at
        for pid in self.pids():
            if name in mesh.words_of(pid):
                return pid
        return None

    def gone(self):
        return mesh.until(lambda: not self.pids(), GUARD_S)

    def end(self):
        """Ends standard input; (exit status, stdout's rest, stderr)."""
        out, err = self.process.communicate(timeout=GUARD_S)
        return self.process.returncode, out, err

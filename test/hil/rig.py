# SPDX-License-Identifier: Apache-2.0
"""A mesh of boards on a bench, or in its place modelled ones
(test/boards/chip), whose times are a chip's."""
import binascii
import contextlib
import json
import os
import pathlib
import select
import shutil
import stat
import subprocess
import tempfile
import threading
import time
import tty

import serial

import chip_bench
import mesh
from notes import time_text  # noqa: F401

BUILD = mesh.BUILD
BAUD = 115200
# What the host may wait for: a board's start; one answer of a board that is
# idle; one of discovery or circuits; a whole command.
MODEL_S = 0.01  # of modelled boards, between two looks at their console
BOOT_S, ANSWER_S, CIRCUITS_S, COMMAND_S = 60, 20, 120, 600


def environment(name, default):
    return os.environ.get("QUINCUNX_HIL_" + name) or default


class Unusable(Exception):
    """No tests can be run at this port."""


def mode_of(port):
    try:
        return os.stat(port).st_mode
    except OSError as error:
        raise Unusable(error.strerror) from error


def is_pseudo_terminal(port):
    """Linux, Documentation/admin-guide/devices.txt: majors 136 to 143."""
    return mode_of(port) and 136 <= os.major(os.stat(port).st_rdev) <= 143


class Silence(AssertionError):
    """No answer in time."""


class Damaged(AssertionError):
    """A line without a good CRC."""


def mark(text):
    return b"*%04X" % binascii.crc_hqx(text, 0xFFFF)


def words(text):
    """The KEY=VALUE words."""
    return dict(word.split("=", 1) for word in text.split(" ") if "=" in word)


class Console:
    """A board's console by pyserial, and nothing of ours."""

    def __init__(self, port, settle=True):
        self.port = serial.Serial(port, BAUD, timeout=0.1, exclusive=True,
                                  write_timeout=ANSWER_S)
        self.heard = b""
        if settle:
            self.write(b"\n")  # ends what somebody left there
            self.drain()

    def close(self):
        self.port.close()

    def write(self, data):
        self.port.write(data)

    def drain(self, seconds=0.3):
        """Everything until nothing comes for so long, at most 5 s."""
        end = time.monotonic() + 5
        last = time.monotonic()
        while time.monotonic() < min(end, last + seconds):
            if self.port.read(4096):
                last = time.monotonic()
        self.heard = b""

    def raw(self, seconds=ANSWER_S):
        """The next line's bytes, without its end."""
        end = time.monotonic() + seconds
        while b"\n" not in self.heard:
            if time.monotonic() > end:
                raise Silence(f"nothing in {seconds} s but {self.heard!r}")
            self.heard += self.port.read(max(1, self.port.in_waiting))
        line, _, self.heard = self.heard.partition(b"\n")
        return line

    def line(self, seconds=ANSWER_S):
        """The next line's text; its CRC must be there and right."""
        raw = self.raw(seconds)
        text, star, digits = raw.rpartition(b"*")
        if not star or mark(text) != star + digits:
            raise Damaged(f"{raw!r}")
        return text.decode()

    def rows(self, seconds=ANSWER_S):
        """A whole reply: its first line, its rows, its end ('' if it has
        none)."""
        first, rows = self.line(seconds), []
        if "until=end" not in first:
            return first, rows, ""
        while not (row := self.line(seconds)).startswith("end"):
            rows.append(row)
        assert words(row)["rows"] == str(len(rows)), (row, rows)
        return first, rows, row

    def awake(self):
        """Asks until the board answers; what it says when it starts is no
        line with a CRC."""
        end = time.monotonic() + BOOT_S
        while time.monotonic() < end:
            self.write(b"\nclock\n")
            with contextlib.suppress(Silence, Damaged):
                while not self.line(2).startswith("ok ps="):
                    pass
                return True
        return False

    def ask(self, text, seconds=ANSWER_S):
        self.write(text.encode() + b"\n")
        return self.rows(seconds)

    def values(self, text):
        """All KEY=VALUE words of a reply that is fine."""
        first, rows, last = self.ask(text)
        assert first.startswith("ok") and "err=" not in last, (first, last)
        return {key: value for row in rows
                for key, value in words(row).items()}


class Model:
    """Modelled boards, no faster than the host, which live in a thread; the
    first one's console is a pseudo-terminal."""

    def __init__(self, width, height):
        self.boards = chip_bench.Bench(width, height,
                                       image=chip_bench.KERNELS)
        self.boards.up()
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        self.port = os.ttyname(self.slave)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        asked = b""
        while not self.over.is_set():
            if select.select([self.master], [], [], MODEL_S)[0]:
                asked += os.read(self.master, 4096)
            *lines, asked = asked.split(b"\n")
            for line in lines:
                self.boards.command("type", 0, line.decode("latin-1"))
            self.boards.run(MODEL_S * 1e6)
            os.write(self.master, self.boards.heard.pop(0, "").encode())

    def stop(self):
        self.over.set()
        self.thread.join()
        self.boards.close()
        os.close(self.slave)
        os.close(self.master)


class Bench:
    """The mesh that the tests are about."""

    def __init__(self, port, size):
        self.size = tuple(map(int, size.split("x")))
        self.mesh = size
        self.profile = None  # once measured: its file
        self.calibration = None  # .. and all that was measured
        self.model = None if port else Model(*self.size)
        self.port = port or self.model.port
        # Boards at a pseudo-terminal are emulated: they have the host's time.
        self.timed = self.model is not None or not is_pseudo_terminal(port)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=BUILD, prefix="hil-"))
        try:
            self.await_board()
        except Unusable:
            self.stop()
            raise

    def await_board(self):
        if self.model is None and not stat.S_ISCHR(mode_of(self.port)):
            raise Unusable("no serial port")
        try:
            console = Console(self.port, settle=False)
        except serial.SerialException as error:
            raise Unusable(
                f"{self.port} is busy, or no port: {error}") from error
        with contextlib.closing(console):
            if not console.awake():
                raise Unusable(f"no answer at {self.port} in {BOOT_S} s")

    def stop(self):
        shutil.rmtree(self.folder)
        if self.model is not None:
            self.model.stop()

    # ---- talking to it ----

    @property
    def nodes(self):
        width, height = self.size
        return [(x, y) for y in range(height) for x in range(width)]

    @contextlib.contextmanager
    def console(self):
        console = Console(self.port)
        try:
            yield console
        finally:
            console.close()

    def command(self, *args, seconds=COMMAND_S):
        """The finished process; it must end in time by itself."""
        return subprocess.run(
            [mesh.QUINCUNX, *map(str, args)], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, check=False, timeout=seconds)

    def run_line(self, load, *args, kernel="search", arg="software",
                 profile=None):
        return ["run", "--json", "--port", self.port, "--mesh", self.mesh,
                "--rounds", "1", "--kernel", kernel, "--arg", arg,
                "--profile", profile or "emulated", "--watchdog",
                60 if self.model is None else 600, *args, load]

    def run(self, load, *args, **options):
        """The report of a job that succeeds."""
        done = self.command(*self.run_line(load, *args, **options))
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout)

    def measure(self):
        """What `quincunx calibrate` measures, once; its profile is a file."""
        if self.calibration is None:
            self.profile = self.folder / "measured"
            done = self.command(
                "calibrate", "--json", "--port", self.port, "--mesh",
                self.mesh, "--repeat", 8, "-o", self.profile)
            assert done.returncode == 0, done.stderr
            self.calibration = json.loads(done.stdout)
        return self.calibration

    def load(self, data):
        path = self.folder / f"load-{len(data)}"
        path.write_bytes(data)
        return path

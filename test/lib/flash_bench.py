# SPDX-License-Identifier: Apache-2.0
"""What tests of `quincunx flash` have before them: an image, a map, and
stand-ins that do as they are told (test/qemu/bench)."""
import contextlib
import json
import os
import signal
import subprocess

import pytest

import clocked
import flash_image
import mesh
from core import ROOT
from guard import GUARD_S

STAND_IN = ROOT / "test" / "qemu" / "flash" / "stand_in.py"
FAILED, INTERRUPTED = 1, 130
AGAIN = "half written: flash it again"


def heed_signals():
    """Also those that these tests' own parent ignores."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Bench:
    """A folder with an image, a map, and the stand-ins' answers."""

    def __init__(self, folder):
        self.folder = folder
        self.image = folder / "firmware.elf"
        self.image.write_bytes(flash_image.good())
        self.map = folder / "mesh.csv"
        self.answers = {}
        self.programs = {}
        for name in ("openocd", "dfu-util", "stm32flash"):
            (folder / name).symlink_to(STAND_IN)
            self.programs[name] = folder / name

    def write_map(self, boards):
        rows = [f"{probe},{x},{y}\n" for probe, x, y in boards]
        self.map.write_text("probe,x,y\n" + "".join(rows))

    def port(self, number=0, **answer):
        """A serial port with a boot loader behind it."""
        path = self.folder / f"tty{number}"
        if not path.is_symlink():
            path.symlink_to("/dev/null")
        self.answers[str(path)] = answer
        return path

    def flash(self, name):
        """What that board's flash holds; None if nothing was written there."""
        path = self.folder / f"flash-{name}"
        return path.read_bytes() if path.exists() else None

    def words(self, args):
        (self.folder / "answers.json").write_text(json.dumps(self.answers))
        programs = [f"--{name}={path}" for name, path in self.programs.items()]
        return ["flash", "--board", "stm32f405", *programs,
                f"--usb={self.folder}/usb", *map(str, args), str(self.image)]

    def plug(self, serial, mode=0o600):
        """A USB device; what is plugged in is known from then on."""
        (self.folder / "node").touch()
        (self.folder / "node").chmod(mode)
        device = self.folder / "usb" / "1-2"
        device.mkdir(parents=True)
        (device / "serial").write_text(f"{serial}\n")
        (device / "uevent").write_text(
            f"MAJOR=189\nDEVNAME=..{self.folder}/node\n")

    def environment(self):
        return {**os.environ, "FLASH_STAND_IN": str(self.folder)}

    @contextlib.contextmanager
    def started(self, *args, before=()):
        with subprocess.Popen(
                [*before, mesh.QUINCUNX, *self.words(args)], text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, preexec_fn=heed_signals,
                env=self.environment()) as process:
            yield process
            process.kill()

    def clocked(self, *args):
        """The command by a clock that goes as far as it is let."""
        return clocked.Clocked(*self.words(args), env=self.environment())

    def run(self, *args, before=()):
        with self.started(*args, before=before) as process:
            out, err = process.communicate(timeout=GUARD_S)
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def one(self, *args, probe="A1"):
        return self.run("--probe", probe, *args)

    def mesh(self, *args):
        return self.run("--map", self.map, *args)

    def log(self):
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def all(self, what):
        return [event[what] for event in self.log() if what in event]

    def await_faults(self, count=1):
        """Until so many stand-ins are where they are to go wrong."""
        mesh.until(lambda: len(self.all("at_fault")) == count)

    def close(self):
        pids = {event["pid"] for event in self.log()} | set(self.all("child"))
        mesh.until(lambda: not any(map(mesh.alive, pids)))
        for words in self.all("asked"):
            if "-U" in words:  # dfu-util's, to a folder of the command's own
                assert not os.path.exists(os.path.dirname(words[-1]))


@pytest.fixture(name="bench")
def fixture_bench(tmp_path):
    """No process is left, and no folder of the command's own."""
    it = Bench(tmp_path)
    yield it
    it.close()


def failed(done, *words):
    """A run that failed, and said all this."""
    assert (done.returncode, done.stdout) == (FAILED, ""), done.stderr
    for word in words:
        assert str(word) in done.stderr, (word, done.stderr)


def refused(done, *words):
    """The same in one line, before any board is touched."""
    failed(done, *words)
    assert done.stderr.startswith("quincunx: ")
    assert len(done.stderr.splitlines()) == 1, done.stderr

# SPDX-License-Identifier: Apache-2.0
"""A bench of modelled boards (test/boards/chip), driven in their own time."""
import contextlib
import json
import os
import re
import subprocess
import tempfile

from core import BUILD
from guard import GUARD_S

MODEL = BUILD / "test" / "chip"
QUINCUNX = str(BUILD / "quincunx")
IMAGE = BUILD / "stm32f405" / "firmware.bin"
KERNELS = BUILD / "test" / "chip-kernels.bin"  # the same with spin
PORTS = ("east", "north", "west", "south")
CORE_HZ = 168_000_000
CONSOLE_USART = 4  # of a bare chip: hal/stm32f405/pins/generic.h
# Of the firmware's interrupts: hal/stm32f405/interrupts.h.
LEVEL_PORTS = 1
# 0.15 ms: bytes of a line of 2 Mbaud find room for 2.56 ms.
HELD_CYCLES_MAX = 25_200
# Time in microseconds that a board's start (with a clock that never comes), an
# answer, and discovery may take.
BOOT_US, ANSWER_US, MESH_US = 500_000, 2_000_000, 60_000_000
START_US = 50_000  # of boards with a sound crystal of 8 MHz
# Bytes at the originator's console before a load arrives there: `run` has
# found the mesh by then, which needs some hundred.
ORDERED_BYTES = 1000
# How often conditions of a host's steps are looked at; how long boards may
# live while one command runs.
LOOK_US, COMMAND_US = 10_000, 120_000_000


def step(x, y, port, width, height):
    """Where a port of a torus leads to."""
    dx, dy = {"east": (1, 0), "north": (0, 1), "west": (-1, 0),
              "south": (0, -1)}[port]
    return (x + dx) % width, (y + dy) % height


def opposite(port):
    return PORTS[(PORTS.index(port) + 2) % 4]


def words(line):
    """The KEY=VALUE words of a console's line."""
    return dict(word.split("=", 1)
                for word in line.split("*")[0].split() if "=" in word)


class Bench:
    """The model's process; a context that ends it."""

    def __init__(self, width, height, image=IMAGE, pins=None, power=True,
                 **settings):
        self.width, self.height = width, height
        self.process = subprocess.Popen(
            [MODEL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.heard, self.ports = {}, []
        self.folder = tempfile.TemporaryDirectory()
        try:
            self.make(image, pins or {}, settings)
            if power:
                self.command("power", "all", "on")
        except BaseException:
            self.close()
            raise

    def make(self, image, pins, settings):
        self.command("image", image)
        for port, (tx, rx) in pins.items():
            self.command("pins", port, tx, rx)
        self.command("boards", self.width * self.height)
        for key, value in settings.items():
            self.set("all", key, value)
        self.command("torus", self.width, self.height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=GUARD_S)
        self.process.stdout.close()
        self.folder.cleanup()

    def command(self, *line):
        text = " ".join(map(str, line))
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise AssertionError(f"{text}: the model ended with status "
                                 f"{self.process.wait()}")
        return json.loads(answer)

    def set(self, board, key, value):
        self.command("set", board, key, value)

    def run(self, us, board=None, text=None):
        """Lives for so long, or until the board's console says the text."""
        stop = () if text is None else (board, text)
        answer = self.command("run", us, *stop)
        for name, heard in answer["heard"].items():
            self.heard[int(name)] = self.heard.get(int(name), "") + heard
        return answer["said"]

    def line(self, board, us=ANSWER_US):
        """The next line of a console, without its CRC; None: too late."""
        if "\n" not in self.heard.get(board, ""):
            self.run(us, board, r"\n")
        line, end, rest = self.heard.get(board, "").partition("\n")
        if not end:
            return None
        self.heard[board] = rest
        return line.split("*")[0]

    def ask(self, request, board=0, us=ANSWER_US):
        """What a console answers: its lines."""
        self.heard.pop(board, None)
        self.command("type", board, request)
        lines = [self.line(board, us)]
        while lines[-1] is not None and "until=end" in lines[0] and \
                not lines[-1].startswith("end"):
            lines.append(self.line(board, us))
        if lines[-1] is None:
            raise AssertionError(f"no answer to {request!r}: {lines}")
        return lines

    def values(self, request, board=0):
        """All KEY=VALUE words of an answer's rows."""
        lines = self.ask(request, board)
        assert lines[0].startswith("ok"), lines
        return {key: value for line in lines[1:-1]
                for key, value in words(line).items()}

    def up(self, us=BOOT_US):
        """Lives until all boards have started; what came before is forgotten
        by `stats`."""
        self.run(us)
        self.command("forget")

    def discover(self, board=0, us=MESH_US):
        """Has that board find the mesh; the faults that it names."""
        lines = self.ask(f"mesh {self.width} {self.height}", board, us)
        assert lines[0].startswith("ok"), lines
        return lines[1:-1]

    def port(self, board=0):
        """The name of a board's console, for the host's --port."""
        path = f"{self.folder.name}/{board}"
        if path not in self.ports:
            self.command("listen", board, path)
            self.ports.append(path)
        return path

    def begin(self, *words):
        """A command of build/quincunx whose output goes to files: `out`,
        `err`. What it says after seconds of real time it says not."""
        files = [tempfile.TemporaryFile("w+") for _ in range(2)]
        process = subprocess.Popen(
            [QUINCUNX, *map(str, words)], stdin=subprocess.DEVNULL,
            stdout=files[0], stderr=files[1],
            env={**os.environ, "QUINCUNX_PROGRESS": "none"})
        process.out, process.err = files
        return process

    def live(self, process, steps=(), us=COMMAND_US):
        """Boards live as the process asks them to, and so long at most, until
        it has ended. Steps, [(condition, command ..), ..]: in their order,
        each when its condition is true, commands are given to the model; one
        that can be called is. Result: the finished process."""
        end_us, steps = self.now_us() + us, list(steps)
        try:
            while process.poll() is None:
                answer = self.command("host", LOOK_US)
                assert answer["now_us"] <= end_us, f"{process.args}: late"
                if answer["lived"] and steps and steps[0][0]():
                    for command in steps.pop(0)[1:]:
                        if callable(command):
                            command()
                        else:
                            self.command(*command)
        finally:
            process.kill()
            process.wait()
            self.command("host", 0)
        said = [read_again(file) for file in (process.out, process.err)]
        assert not steps, f"{process.args} ended before a step: {said}"
        return subprocess.CompletedProcess(
            process.args, process.returncode, *said)

    def host(self, command, *args, board=0, steps=(), us=COMMAND_US):
        """Runs a command of build/quincunx at a console, as live() does."""
        return self.live(
            self.begin(command, "--port", self.port(board), *args), steps, us)

    def ordered(self, *commands, board=0):
        """A step: once `run` has found the mesh, before the load is spread."""
        before = self.console_bytes(board)
        return (lambda: self.console_bytes(board) > before + ORDERED_BYTES,
                *commands)

    def console_bytes(self, board=0):
        """How many bytes the console's USART has received."""
        return self.stats()[board]["usarts"][CONSOLE_USART - 1]["received"]

    def stats(self):
        return self.command("stats")["boards"]

    def complaints(self):
        """What the manual forbids, and the image did: of all boards."""
        return [(i, entry["text"], hex(entry["pc"]))
                for i, board in enumerate(self.stats())
                for entry in board["complaints"]]

    def overruns(self, console=True):
        """Bytes that USARTs lost. A board that starts hears its console for
        1 ms before it can take anything."""
        return sum(usart["overruns"] for board in self.stats()
                   for i, usart in enumerate(board["usarts"])
                   if console or i != CONSOLE_USART - 1)

    def held(self, level=LEVEL_PORTS):
        """The most cycles for which a handler of this urgency had to wait."""
        return max(board["held"][level] for board in self.stats())

    def now_us(self):
        return self.command("now")["now_us"]

    def counters(self, board=0):
        """{port: {counter: value}} of the console's `counters`."""
        found, port = {}, None
        for line in self.ask("counters", board)[1:-1]:
            entry = words(line)
            port = entry.pop("port", port)
            found.setdefault(port, {}).update(
                (key, int(value)) for key, value in entry.items())
        return found


@contextlib.contextmanager
def started(width, height, *commands, us=START_US, **settings):
    """Boards that have started, after these commands."""
    with Bench(width, height, power=False, **settings) as it:
        for command in commands:
            it.command(*command)
        if not any(command[0] == "power" for command in commands):
            it.command("power", "all", "on")
        it.up(us)
        yield it


def check_sound(it, console=True):
    """The image did nothing that the manual forbids, and lost no byte."""
    assert it.complaints() == []
    assert it.overruns(console) == 0


def read_again(file):
    """All of a file that another process wrote to, which is closed."""
    with file:
        file.seek(0)
        return file.read()


def symbols(image):
    """{name: address} of an image's program."""
    listing = subprocess.run(
        ["arm-none-eabi-nm", image.with_suffix(".elf")], capture_output=True,
        text=True, check=True).stdout
    return {name: int(address, 16) for address, name in
            re.findall(r"^(\w{8}) \w (\w+)(?:\.lto_priv\.\d+)?$", listing,
                       re.M)}

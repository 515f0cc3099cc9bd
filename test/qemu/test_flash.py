# SPDX-License-Identifier: Apache-2.0
"""`quincunx flash` against a stand-in for OpenOCD, and a real OpenOCD. The ROM
boot loaders: test_flash_loader.py."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import time

import pytest

import mesh

HERE = pathlib.Path(__file__).resolve().parent / "flash"
sys.path.insert(0, str(HERE))

import chip  # noqa: E402  (of the folder flash)
import image  # noqa: E402

USAGE, FAILED, INTERRUPTED = 2, 1, 130
STEPS = ["connect", "identity", "program", "verify", "reset", "done"]


def heed_signals():
    """Also those that these tests' own parent ignores."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Bench:
    """A folder with an image, a map, and the stand-in's answers."""

    def __init__(self, folder):
        self.folder = folder
        self.image = folder / "firmware.elf"
        self.image.write_bytes(image.good())
        self.map = folder / "mesh.csv"
        self.answers = {}
        self.openocd = HERE / "openocd.py"

    def write_map(self, boards):
        rows = [f"{probe},{x},{y}\n" for probe, x, y in boards]
        self.map.write_text("probe,x,y\n" + "".join(rows))

    def line(self, args):
        (self.folder / "answers.json").write_text(json.dumps(self.answers))
        return [mesh.QUINCUNX, "flash", "--board", "stm32f405", "--openocd",
                str(self.openocd), *map(str, args), str(self.image)]

    def start(self, *args, before=()):
        return subprocess.Popen(
            [*before, *self.line(args)], stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=heed_signals,
            env={**os.environ, "FLASH_STAND_IN": str(self.folder)})

    def run(self, *args, timeout=60):
        with self.start(*args) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            finally:
                process.kill()
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def one(self, *args, probe="A1"):
        return self.run("--probe", probe, *args)

    def mesh(self, *args):
        return self.run("--map", self.map, *args)

    def log(self):
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def begun(self):
        return [e["begun"] for e in self.log() if "begun" in e]

    def nothing_left(self):
        pids = ({e["pid"] for e in self.log()}
                | {e["child"] for e in self.log() if "child" in e})
        assert mesh.until(lambda: not any(map(mesh.alive, pids)), 60)


@pytest.fixture(name="bench")
def fixture_bench(tmp_path):
    it = Bench(tmp_path)
    yield it
    it.nothing_left()


def refused(done, status, *words):
    """Exit status, silence on stdout, one line of error with these words."""
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("quincunx: ")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    for word in words:
        assert str(word) in done.stderr, (word, done.stderr)


# ---- one board ----

def test_one_board(bench):
    done = bench.one()
    assert (done.returncode, done.stderr) == (0, "")
    assert "probe A1: programmed, verified and started" in done.stdout
    assert "IDCODE 0x10076413, 1024 KiB" in done.stdout
    assert "1 of 1 boards flashed" in done.stdout
    assert [e["step"] for e in bench.log() if "step" in e] == STEPS


def test_what_openocd_is_asked(bench):
    """Every word, in its order."""
    assert bench.one("--interface", "cmsis-dap", probe="Ab:1.2_3-4"
                     ).returncode == 0
    asked = [e["asked"] for e in bench.log() if "asked" in e]
    words = [tuple(word) for word in asked[0]
             if not word[1].startswith("echo {")]
    assert len(asked) == 1
    assert words[:6] == [
        ("-c", "gdb_port disabled; tcl_port disabled; telnet_port disabled"),
        ("-f", "interface/cmsis-dap.cfg"),
        ("-c", "transport select swd"),
        ("-c", "adapter serial Ab:1.2_3-4"),
        ("-f", "target/stm32f4x.cfg"),
        ("-c", "init")]
    assert "read_memory 0xe0042000 32 1" in words[6][1]
    assert "read_memory 0x1fff7a22 16 1" in words[6][1]
    assert "read_memory 0x1fff7a10 32 3" in words[6][1]
    assert "($id & 0xfff) != 0x413" in words[7][1]
    assert "$kib < 1 || $kib > 1024" in words[8][1]
    assert words[9] == ("-c", "reset init")
    assert "{flash write_image erase /proc/self/fd/3 0 elf}" in words[10][1]
    assert "{verify_image /proc/self/fd/3 0 elf}" in words[11][1]
    assert words[12:] == [("-c", "reset run"), ("-c", "shutdown")]


@pytest.mark.parametrize("interface, transport", [
    ("stlink", "hla_swd"), ("stlink-dap", "dapdirect_swd"),
    ("cmsis-dap", "swd"), ("jlink", "swd")])
def test_the_transport_goes_with_the_interface(bench, interface, transport):
    assert bench.one("--interface", interface).returncode == 0
    asked = dict(reversed(e) for e in bench.log()[0]["asked"])
    assert f"interface/{interface}.cfg" in asked
    assert f"transport select {transport}" in asked


def test_what_was_checked_is_what_is_written(bench):
    """The file is replaced while the first board is being flashed."""
    before = hashlib.sha256(bench.image.read_bytes()).hexdigest()
    bench.write_map([("A", 0, 0), ("B", 1, 0)])
    bench.answers = {"A": {"take": 0.2}}
    with bench.start("--map", bench.map, "--jobs", "1") as process:
        assert mesh.until(bench.begun, 60)
        bench.image.write_bytes(b"not the image any more")
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert [e["image"] for e in bench.log() if "image" in e] == [before] * 4


# ---- a board that fails ----

WORDS = {"connect": "does not answer", "identity": "nothing was written",
         "program": "programming failed", "verify": "does not read back",
         "reset": "not started"}


@pytest.mark.parametrize("step", STEPS[:-1])
def test_a_failure_is_told_with_its_step(bench, step):
    bench.answers = {"A1": {"fail": step, "says": ["Info : so far",
                                                   "Error: because"]}}
    done = bench.one()
    assert (done.returncode, done.stdout) == (FAILED, "")
    first, *rest = done.stderr.splitlines()
    assert first.startswith("quincunx: probe A1: ") and WORDS[step] in first
    assert "exit status 1" in first
    assert ("flash it again" in first) == (step in ("program", "verify"))
    assert rest == ["    Info : so far", "    Error: because",
                    "quincunx: 0 of 1 boards flashed; 1 failed, "
                    "0 interrupted, 0 not begun"]


def test_only_the_last_lines_are_told(bench):
    lines = [f"line {i} " + 300 * "x" for i in range(1000)]
    bench.answers = {"A1": {"fail": "program", "says": lines}}
    done = bench.one()
    told = done.stderr.splitlines()[1:-1]
    assert [line.split()[1] for line in told] == [
        str(i) for i in range(992, 1000)]
    assert max(map(len, told)) <= 4 + 199


def test_what_cannot_be_printed_is_not(bench):
    bench.answers = {"A1": {"fail": "connect",
                            "says": ["\x1b[31mred\x00\x07\u00e9"]}}
    done = bench.one()
    assert "    ?[31mred????" in done.stderr.splitlines()


def test_leaving_early_with_status_0_is_a_failure(bench):
    bench.answers = {"A1": {"fail": "verify", "status": 0}}
    done = bench.one()
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert WORDS["verify"] in done.stderr


def test_done_with_status_1_is_a_failure(bench):
    bench.answers = {"A1": {"fail": "done", "status": 1}}
    done = bench.one()
    assert (done.returncode, done.stdout) == (FAILED, "")


def test_death_by_a_signal(bench):
    bench.answers = {"A1": {"fail": "program", "signal": signal.SIGSEGV}}
    done = bench.one()
    assert done.returncode == FAILED
    assert "OpenOCD ended by signal 11" in done.stderr


@pytest.mark.parametrize("more", [
    {}, {"deaf": True}, {"child": True}, {"deaf": True, "child": True}])
def test_a_hang_is_ended(bench, more):
    bench.answers = {"A1": {"fail": "program", "hang": True, **more}}
    start = time.monotonic()
    done = bench.one("--timeout", "1")
    assert 1 <= time.monotonic() - start < 60
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "did not end within 1 s" in done.stderr
    bench.nothing_left()


def test_a_process_left_behind_is_ended(bench):
    bench.answers = {"A1": {"fail": "program", "child": True}}
    assert bench.one().returncode == FAILED
    bench.nothing_left()


def test_no_such_openocd(bench):
    bench.openocd = bench.folder / "no-such-program"
    done = bench.one()
    assert done.returncode == FAILED
    assert f"{bench.openocd}: No such file" in done.stderr


# ---- a mesh ----

BOARDS = [(f"S{x}{y}", x, y) for y in range(5) for x in range(5)]


def test_a_mesh(bench):
    bench.write_map(BOARDS)
    done = bench.mesh()
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(bench.begun()) == sorted(b[0] for b in BOARDS)
    for line, (probe, x, y) in enumerate(BOARDS, 2):
        assert (f"board {x},{y} (probe {probe}, {bench.map}:{line}): "
                "programmed, verified and started") in done.stdout
    assert "25 of 25 boards flashed" in done.stdout


def at_once(log):
    """The most that were at work at one time."""
    most = now = 0
    for event in sorted(log, key=lambda e: e["at"]):
        now += ("begun" in event) - ("ended" in event)
        most = max(most, now)
    return most


@pytest.mark.parametrize("args, most", [
    ((), 4), (("--jobs", "1"), 1), (("--jobs", "7"), 7)])
def test_so_many_at_a_time(bench, args, most):
    boards = BOARDS[:10]
    bench.write_map(boards)
    bench.answers = {probe: {"await": most} for probe, _, _ in boards}
    assert bench.mesh(*args).returncode == 0
    assert at_once(bench.log()) == most


def test_the_first_error_stops_what_has_not_begun(bench):
    """B fails at once; A and C, at work then, are let finish; D waits."""
    bench.write_map([("A", 0, 0), ("B", 1, 0), ("C", 0, 1), ("D", 1, 1)])
    bench.answers = {"A": {"take": 0.3}, "C": {"take": 0.3}, "B": {
        "fail": "identity", "says": ["Error: this is no STM32F405/407"]}}
    done = bench.mesh("--jobs", "3")
    assert done.returncode == FAILED
    assert set(bench.begun()) == {"A", "B", "C"}
    assert {line.split()[1] for line in done.stdout.splitlines()} == {
        "0,0", "0,1"}
    assert f"board 1,0 (probe B, {bench.map}:3): not known" in done.stderr
    assert "    Error: this is no STM32F405/407" in done.stderr
    assert done.stderr.endswith(
        "2 of 4 boards flashed; 1 failed, 0 interrupted, 1 not begun\n")


# ---- an end from outside ----

@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM,
                                 signal.SIGHUP])
@pytest.mark.parametrize("more", [{}, {"deaf": True, "child": True}])
def test_interrupted(bench, how, more):
    bench.write_map(BOARDS)
    bench.answers = {probe: {"fail": "program", "hang": True, **more}
                     for probe, _, _ in BOARDS}
    with bench.start("--map", bench.map) as process:
        assert mesh.until(lambda: sum("at_fault" in e for e in bench.log())
                          == 4, 20)
        process.send_signal(how)
        start = time.monotonic()
        out, err = process.communicate(timeout=60)
    assert time.monotonic() - start < 60
    assert (process.returncode, out) == (INTERRUPTED, "")
    assert err.count(": interrupted; half written: flash it again") == 4
    assert "0 failed, 4 interrupted, 21 not begun" in err
    assert len(bench.begun()) == 4
    bench.nothing_left()


def test_a_hangup_that_is_ignored(bench):
    bench.answers = {"A1": {"fail": "program", "hang": True}}
    with bench.start("--probe", "A1", before=["nohup"]) as process:
        assert mesh.until(lambda: any("at_fault" in e for e in bench.log()),
                          60)
        process.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert "half written: flash it again" in err


def test_nobody_reads_what_is_told(bench):
    """All boards are written; that nobody heard of it is an error."""
    bench.write_map(BOARDS)
    with bench.start("--map", bench.map) as process:
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(20) == FAILED
    assert err == "quincunx: standard output: Broken pipe\n"
    assert [e["step"] for e in bench.log() if "step" in e].count("done") \
        == len(BOARDS)


def test_killed(bench):
    bench.answers = {"A1": {"fail": "program", "hang": True}}
    with bench.start("--probe", "A1") as process:
        assert mesh.until(lambda: any("at_fault" in e for e in bench.log()),
                          60)
        process.kill()
        process.communicate(timeout=60)
    bench.nothing_left()


# ---- images ----

def segments(*parts):
    return image.elf([image.segment(*part) for part in parts])


FLASH, RAM = image.FLASH, image.RAM
BAD_IMAGES = {
    "empty": (b"", "not an ELF file"),
    "text": (b"hello " * 100, "not an ELF file"),
    "raw": (image.code(), "not an ELF file"),
    "x86": (image.elf([image.segment(FLASH, image.code())],
                      machine=image.X86_64), "another machine"),
    "64 bits": (image.elf([image.segment(FLASH, image.code())], wide=2),
                "another machine"),
    "big-endian": (image.elf([image.segment(FLASH, image.code())], order=2),
                   "another machine"),
    "object": (image.elf([image.segment(FLASH, image.code())],
                         kind=image.OBJECT), "not been linked"),
    "at 0": (segments((0, image.code())),
             "is an image for another board: it loads 1024 bytes at "
             "0x00000000"),
    "in RAM": (segments((RAM, image.code())), "another board"),
    "below": (segments((FLASH, image.code()), (FLASH - 4, bytes(8))),
              "another board"),
    "beyond": (segments((FLASH, image.code()),
                        (FLASH + image.FLASH_BYTES - 4, bytes(8))),
               "another board"),
    "wraps": (segments((FLASH, image.code()), (0xFFFFFFFC, bytes(8))),
              "another board"),
    "overlap": (segments((FLASH, image.code()), (FLASH + 1023, bytes(8))),
                "loads 0x080003ff twice"),
    "65 segments": (segments((FLASH, image.code()), *[
        (FLASH + 0x1000 + 16 * i, bytes(16)) for i in range(64)]),
                    "over 64 segments"),
    "no segment": (image.elf([]), "loads nothing"),
    "nothing to load": (image.elf([image.segment(
        FLASH, image.code(), kind=image.EXIDX)]), "loads nothing"),
    "table beyond the file": (image.elf([image.segment(FLASH, b"")],
                                        count=9), "no table of segments"),
    "cut off": (image.good()[:-1], "is cut off"),
    "offset beyond": (image.elf([image.segment(
        FLASH, image.code(), offset=0xFFFFFFF0)]), "is cut off"),
    "no vectors": (segments((FLASH + 0x4000, image.code())),
                   "no vector table at 0x08000000"),
    "half a vector table": (segments((FLASH, image.code()[:7])),
                            "no vector table"),
    "stack in flash": (segments((FLASH, image.code(stack=FLASH + 64))),
                       "stack pointer 0x08000040"),
    "stack at 0": (segments((FLASH, image.code(stack=0))), "stack pointer"),
    "stack below": (segments((FLASH, image.code(stack=RAM))),
                    "stack pointer"),
    "stack beyond": (segments((FLASH, image.code(
        stack=RAM + image.RAM_BYTES + 4))), "stack pointer"),
    "odd stack": (segments((FLASH, image.code(stack=RAM + 6))),
                  "stack pointer"),
    "even reset": (segments((FLASH, image.code(reset=FLASH + 8))),
                   "reset vector 0x08000008"),
    "reset in RAM": (segments((FLASH, image.code(reset=RAM + 9))),
                     "reset vector"),
    "reset beyond": (segments((FLASH, image.code(reset=FLASH + 1025))),
                     "reset vector"),
    "reset at 0": (segments((FLASH, image.code(reset=0))), "reset vector"),
}


@pytest.mark.parametrize("name", BAD_IMAGES)
def test_bad_images(bench, name):
    data, words = BAD_IMAGES[name]
    bench.image.write_bytes(data)
    refused(bench.one(), FAILED, bench.image, words)
    assert bench.log() == []


def test_every_cut_of_an_image_is_refused(bench):
    """Each length shorter than the file; none may touch a board."""
    data = image.good(64)
    for length in range(0, len(data), 5):
        bench.image.write_bytes(data[:length])
        refused(bench.one(), FAILED, bench.image)
    assert bench.log() == []


GOOD_IMAGES = {
    "full": image.elf([image.segment(FLASH, image.code(image.FLASH_BYTES))]),
    "two segments": segments((FLASH, image.code()),
                             (FLASH + 0x20000, bytes(100))),
    "nothing to load in RAM": segments((RAM, b""), (FLASH, image.code())),
    "side by side": segments((FLASH, image.code()), (FLASH + 1024, bytes(8))),
    "64 segments": segments((FLASH, image.code()), *[
        (FLASH + 0x1000 + 16 * i, bytes(16)) for i in range(63)]),
    "small stack": segments((FLASH, image.code(stack=RAM + 4))),
}


@pytest.mark.parametrize("name", GOOD_IMAGES)
def test_good_images(bench, name):
    bench.image.write_bytes(GOOD_IMAGES[name])
    done = bench.one()
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("size, kib", [
    (1024, 1), (1025, 2), (512 * 1024, 512), (image.FLASH_BYTES, 1024)])
def test_the_flash_must_hold_the_image(bench, size, kib):
    bench.image.write_bytes(image.good(size))
    assert bench.one().returncode == 0
    asked = "\n".join(value for _, value in bench.log()[0]["asked"])
    assert f"$kib < {kib} ||" in asked


def test_the_image_of_another_board(bench):
    """Not made up: what `make` builds for the emulated board."""
    bench.image = mesh.FIRMWARE
    refused(bench.one(), FAILED, "another board", "0x00000000", "stm32f405")


@pytest.mark.parametrize("kind", ["missing", "folder", "pipe"])
def test_no_image(bench, kind):
    bench.image = bench.folder / "other.elf"
    if kind == "folder":
        bench.image.mkdir()
    elif kind == "pipe":
        os.mkfifo(bench.image)
    refused(bench.one(), FAILED, bench.image)


# ---- coordinates in the image ----

IDENTITY = 0x188


def with_identity(board=405, version=2, magic=b"QNCX", pins=b"generic"):
    return segments((FLASH + 0x8000, bytes(40)), (FLASH, image.with_identity(
        pins, board=board, version=version, magic=magic)))


@pytest.mark.parametrize("size, args", [
    ((3, 2), ("--partial",)), ((5, 4), ("--partial", "--mesh", "5x4"))])
def test_coordinates_are_set(bench, size, args):
    """Eight bytes of each board's image are its own, and no other."""
    bench.image.write_bytes(with_identity())
    bench.write_map([("A", 0, 0), ("B", 2, 1), ("C", 0, 1)])
    assert bench.mesh("--set-coordinates", *args).returncode == 0
    plain = bench.image.read_bytes()
    at = plain.index(b"QNCX") + 8
    for probe, x, y in [("A", 0, 0), ("B", 2, 1), ("C", 0, 1)]:
        assert (bench.folder / f"written-{probe}").read_bytes() == (
            plain[:at] + struct.pack("<4H", x, y, *size) + plain[at + 8:])


def test_coordinates_are_not_set_unasked(bench):
    bench.image.write_bytes(with_identity())
    assert bench.one().returncode == 0
    assert (bench.folder / "written-A1").read_bytes() == with_identity()


def test_no_place_for_coordinates(bench):
    bench.write_map([("A", 0, 0)])
    refused(bench.mesh("--set-coordinates"), FAILED, bench.image,
            "no place for --set-coordinates")
    bench.image.write_bytes(image.good(IDENTITY + 31))
    refused(bench.mesh("--set-coordinates"), FAILED, "no place")
    assert bench.log() == []


@pytest.mark.parametrize("wrong", [{"board": 385}, {"version": 1},
                                   {"version": 3}])
def test_an_identity_of_another_board(bench, wrong):
    bench.image.write_bytes(with_identity(**wrong))
    refused(bench.one(), FAILED, bench.image, "another board")
    assert bench.log() == []


# ---- maps ----

HEAD = "probe,x,y\n"
BAD_MAPS = {
    "empty": ("", 1, "no board"),
    "header only": (HEAD, 1, "no board"),
    "no probe": ("x,y\n0,0\n", 1, "no column 'probe'"),
    "no x": ("probe,y\nA,0\n", 1, "no column 'x'"),
    "no y": ("probe,x\nA,0\n", 1, "no column 'y'"),
    "no header": ("A,0,0\nB,1,0\n", 1, "no column 'probe'"),
    "x twice": ("probe,x,y,x\nA,0,0,0\n", 1, "column 'x' is there twice"),
    "short": (HEAD + "A,0,0\nB,1\n", 3, "has no y"),
    "no number": (HEAD + "A,0,0\nB,one,0\n", 3, "x 'one'"),
    "negative": (HEAD + "A,0,-1\n", 2, "y '-1'"),
    "fraction": (HEAD + "A,0.5,0\n", 2, "x '0.5'"),
    "no x there": (HEAD + "A,,0\n", 2, "has no x"),
    "too large": (HEAD + "A,3125,0\n", 2, "must be 0 to 3124"),
    "much too large": (HEAD + "A,0,99999999999999999999\n", 2, "must be"),
    "same place": (HEAD + "A,0,0\nB,1,0\nC,0,0\n", 4,
                   "0,0 is on line 2 already"),
    "same probe": (HEAD + "A,0,0\nB,1,0\n\nB,0,1\n", 5,
                   "probe B is on line 3 already"),
    "no serial": (HEAD + ",0,0\n", 2, "has no probe, port or dfu"),
    "two ways": ("probe,port\nA,/dev/null\n", 2,
                 "has a probe and a port: a board is reached one way"),
    "bad port": ("port\nttyUSB0\n", 2, "port 'ttyUSB0': must be a serial"),
    "bad dfu": ("dfu\nA B\n", 2, "dfu 'A B': must be a DFU device's"),
    "bad unique": ("probe,unique\nA,12ab\n", 2, "24 hexadecimal digits"),
    "no hexadecimal": ("probe,unique\nA," + 23 * "0" + "g\n", 2,
                       "24 hexadecimal digits"),
    "same unique": ("probe,unique\nA," + 24 * "a" + "\nB," + 24 * "A" + "\n",
                    3, f"unique {24 * 'a'} is on line 2 already"),
    "same port": ("port,x,y\n/dev/tty,0,0\n/dev/tty,1,0\n", 3,
                  "port /dev/tty is on line 2 already"),
    "bad pins": ("probe,pins\nA,My Board\n", 2, "pins 'My Board': must be"),
    "long pins": ("probe,pins\nA," + 16 * "a" + "\n", 2, "1 to 15"),
    "bad interface": ("probe,interface\nA,ftdi\n", 2,
                      "interface 'ftdi': must be stlink, "),
    "interface of a port": ("port,interface\n/dev/tty,jlink\n", 2,
                            "has an interface, but no probe"),
    "serial for Tcl": (HEAD + "[exit],0,0\n", 2, "probe '[exit]'"),
    "serial in quotes": (HEAD + '"A\nB",0,0\n', 2, "probe 'A"),
    "long serial": (HEAD + 64 * "A" + ",0,0\n", 2, "1 to 63"),
    "zero byte": (HEAD + "A\0B,0,0\n", 2, "zero byte"),
    "quote not closed": (HEAD + 'A,0,0\n"B,1,0\n', 3, "quote"),
    "text behind a quote": (HEAD + '"A"B,0,0\n', 2, "not CSV"),
    "holes": (HEAD + "A,0,0\nB,2,1\nC,0,1\n", 3,
              "makes a 3x2 mesh, and 3 of its nodes have no board: 1,0 2,0 "
              "1,1 (--partial"),
    "many holes": (HEAD + "A,0,0\nB,3124,3124\n", 3,
                   "9765623 of its nodes have no board: 1,0 2,0 3,0 4,0 5,0 "
                   "6,0 7,0 8,0 ..."),
}


@pytest.mark.parametrize("name", BAD_MAPS)
def test_bad_maps(bench, name):
    text, line, words = BAD_MAPS[name]
    bench.map.write_bytes(text.encode())
    done = bench.mesh()
    if name == "serial in quotes":
        done.stderr = done.stderr.replace("'A\nB'", "'A B'")
    refused(done, FAILED, f"{bench.map}:{line}: ", words)
    assert bench.log() == []


GOOD_MAPS = {
    "one": HEAD + "A,0,0\n",
    "no newline at the end": HEAD + "A,0,0\nB,1,0",
    "CRLF": "probe,x,y\r\nA,0,0\r\nB,1,0\r\n",
    "byte order mark": "\ufeff" + HEAD + "A,0,0\nB,1,0\n",
    "byte order mark and quotes":
        "\ufeff" + '"probe","x","y"\r\n"A","0","0"\r\n',
    "quotes": '"probe","x","y"\n"A","0","0"\n',
    "other order and columns": "y,note,x,probe\n0,\"a\n,b\",1,B\n0,,0,A\n",
    "other ways without a name":
        "probe,port,dfu,unique,pins,interface,x,y\nA,,,,,,0,0\n",
    "blanks": "probe, x, y\n\nA, 0, 0\n\n  \nB, 1, 0\n",
}


@pytest.mark.parametrize("name", GOOD_MAPS)
def test_good_maps(bench, name):
    bench.map.write_bytes(GOOD_MAPS[name].encode())
    done = bench.mesh()
    assert (done.returncode, done.stderr) == (0, "")
    assert "board 0,0 (probe A, " in done.stdout
    assert ("board 1,0 (probe B, " in done.stdout) == (
        "B" in bench.begun())


def test_holes_are_allowed_if_asked_for(bench):
    bench.write_map([("A", 0, 0), ("B", 2, 1), ("C", 0, 1)])
    done = bench.mesh("--partial")
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(bench.begun()) == ["A", "B", "C"]


def test_boards_whose_place_is_not_known(bench):
    """They are named by their unique number, or by how they are reached."""
    bench.map.write_text(f"probe,unique\nA,{24 * 'B'}\nC,\n")
    bench.answers = {"A": {"unique": 24 * "b"}}
    done = bench.mesh("--jobs", "1")
    assert (done.returncode, done.stderr) == (0, "")
    first, second, _ = done.stdout.splitlines()
    assert first.startswith(
        f"board {24 * 'b'} (probe A, {bench.map}:2): programmed")
    assert second.startswith(f"probe C ({bench.map}:3): programmed")
    refused(bench.mesh("--set-coordinates"), FAILED, "no place")
    bench.image.write_bytes(with_identity())
    refused(bench.mesh("--set-coordinates"), FAILED, f"{bench.map}:2",
            "has no x and y for --set-coordinates")


def test_probes_of_several_kinds(bench):
    bench.map.write_text("probe,interface\nA,jlink\nB,\nC,cmsis-dap\n")
    assert bench.mesh("--interface", "stlink-dap").returncode == 0
    asked = {e["begun"]: dict(reversed(word) for word in e["asked"])
             for e in bench.log() if "asked" in e}
    for probe, kind in (("A", "jlink"), ("B", "stlink-dap"),
                        ("C", "cmsis-dap")):
        assert f"interface/{kind}.cfg" in asked[probe]


# ---- pins and unique numbers ----

def test_pins_of_the_map(bench):
    """Told before any board is touched."""
    bench.image.write_bytes(with_identity(pins=b"pyboard"))
    bench.map.write_text("probe,pins\nA,pyboard\nB,feather405\n")
    refused(bench.mesh(), FAILED, f"probe B ({bench.map}:3): ",
            "has the pins 'feather405', but the image is for 'pyboard' "
            "(make PINS=feather405)")
    bench.image.write_bytes(image.good())
    refused(bench.mesh(), FAILED, "but the image tells none (make PINS=")
    assert bench.log() == []
    bench.map.write_text("probe,pins\nA,pyboard\nB,\n")
    bench.image.write_bytes(with_identity(pins=b"pyboard"))
    assert bench.mesh().returncode == 0


def test_what_is_asked_of_the_image_in_the_board(bench):
    bench.image.write_bytes(with_identity(pins=b"pyboard"))
    assert bench.one().returncode == 0
    assert bench.one("--force-pins").returncode == 0
    first, second = [json.dumps(e["asked"]) for e in bench.log()
                     if "asked" in e]
    assert "$pins ne {pyboard}" in first and "$pins" not in second


def test_outside_of_the_mesh(bench):
    bench.write_map([("A", 0, 0), ("B", 1, 0), ("C", 2, 0)])
    refused(bench.mesh("--mesh", "2x1"), FAILED, f"{bench.map}:4:",
            "x '2': must be 0 to 1")
    refused(bench.mesh("--mesh", "2x1", "--partial"), FAILED,
            f"{bench.map}:4:")
    refused(bench.mesh("--mesh", "3x2"), FAILED, f"{bench.map}:4:",
            "makes a 3x2 mesh", "0,1 1,1 2,1")
    assert bench.log() == []
    assert bench.mesh("--mesh", "3x1").returncode == 0


def test_a_map_of_too_many_boards(bench):
    bench.write_map([(f"P{i}", i % 100, i // 100) for i in range(4097)])
    refused(bench.mesh("--partial"), FAILED, f"{bench.map}:4098:",
            "over 4096 boards")


def test_no_map(bench):
    refused(bench.mesh(), FAILED, bench.map, "No such file")


# ---- a real OpenOCD ----

REAL = pytest.mark.skipif(shutil.which("openocd") is None,
                          reason="openocd is not installed")


@REAL
@pytest.mark.parametrize("interface", ["stlink", "stlink-dap", "cmsis-dap",
                                       "jlink"])
def test_a_real_openocd_finds_no_such_probe(bench, interface):
    """All that comes before was understood; what it says is passed on."""
    bench.openocd = "openocd"
    done = bench.one("--interface", interface, probe="NoSuchProbe:1")
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "the probe or the board behind it does not answer" in done.stderr
    assert re.search(r"^    Error: (open failed|unable to find a matching "
                     r"CMSIS-DAP device|Invalid serial number)", done.stderr,
                     re.MULTILINE)


class Emulated:
    """A real OpenOCD whose cmsis-dap is a wire to an emulated chip: there is
    no SWD on that wire, nor memory for OpenOCD's own loader to run in."""

    CONFIG = """adapter driver remote_bitbang
remote_bitbang host {socket}
set WORKAREASIZE 0
proc transport {{what args}} {{
    if {{$what eq "select"}} {{ return jtag }}
    {{*}}[list "transport $what"]
}}
"""

    def __init__(self, bench, **faults):
        self.bench = bench
        self.chip = chip.Chip(**faults)
        self.server = chip.Server(self.chip, bench.folder / "wire")
        scripts = bench.folder / "interface"
        scripts.mkdir()
        (scripts / "cmsis-dap.cfg").write_text(
            self.CONFIG.format(socket=bench.folder / "wire"))
        bench.openocd = bench.folder / "openocd"
        bench.openocd.write_text("#!/bin/sh\necho $$ > "
                                 f"{bench.folder}/pid\nexec openocd -s "
                                 f'{bench.folder} "$@"\n')
        bench.openocd.chmod(0o755)

    ARGS = ("--interface", "cmsis-dap", "--timeout", "300")

    def run(self, *args):
        return self.bench.run("--probe", "A1", *self.ARGS, *args, timeout=400)

    def untouched(self):
        return not self.chip.events and set(self.chip.flash) == {0xFF}


@pytest.fixture(name="emulated")
def fixture_emulated(bench):
    made = []

    def make_one(**faults):
        made.append(Emulated(bench, **faults))
        return made[-1]

    yield make_one
    for one in made:
        one.server.stop()


@pytest.mark.boards
@REAL
def test_a_real_openocd_programs_a_chip(bench, emulated):
    """Every byte, in one sector and no other; then the chip runs."""
    bench.image.write_bytes(image.good(64))
    it = emulated()
    before = bytes(0xFF - i % 251 for i in range(chip.FLASH_BYTES))
    it.chip.flash[:] = before
    done = it.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert "IDCODE 0x10076413, 1024 KiB" in done.stdout
    assert it.chip.flash[:64] == image.code(64)
    assert it.chip.flash[16 << 10:] == before[16 << 10:]
    assert [e for e in it.chip.events if e.startswith("erase")] == ["erase 0"]
    assert it.chip.events[-1] == "reset run" and not it.chip.halted


@REAL
@pytest.mark.parametrize("faults, words", [
    ({"idcode": 0x10016419}, "this is no STM32F405/407"),
    ({"idcode": 0x20036411}, "this is no STM32F405/407"),
    ({"idcode": 0}, "this is no STM32F405/407"),
    ({"kib": 512}, "the flash must have 513 KiB for this image"),
    ({"kib": 2048}, "and at most 1024")])
def test_a_real_openocd_leaves_another_chip_alone(bench, emulated, faults,
                                                  words):
    bench.image.write_bytes(image.good(512 * 1024 + 1))
    it = emulated(**faults)
    done = it.run()
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "nothing was written" in done.stderr and words in done.stderr
    assert it.untouched()


OTHER = b"QNCX" + struct.pack("<6H16s", 2, 405, *[0xFFFF] * 4, b"feather405")


@REAL
@pytest.mark.parametrize("held, words", [
    (OTHER, "the image in this board is for the pins 'feather405', this one "
            "for 'generic' (--force-pins writes it all the same)"),
    (OTHER[:8] + b"\x03" + OTHER[9:16] + b"$x [a]\x07\xff".ljust(16, b"\0"),
     "for the pins '$x[a]', this one")], ids=["feather405", "strange"])
def test_a_real_openocd_tells_other_pins(bench, emulated, held, words):
    bench.image.write_bytes(image.elf([image.segment(
        FLASH, image.with_identity(b"generic"))]))
    it = emulated()
    it.chip.flash[IDENTITY:IDENTITY + 32] = held
    before = bytes(it.chip.flash)
    done = it.run()
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "nothing was written" in done.stderr and words in done.stderr
    assert it.chip.flash == before and not it.chip.events


UNIQUE = "002000313431470a37363834"
MEMORY = """proc read_memory {address width count} {
    switch $address {
        0xe0042000 {return 0x10076413}
        0x1fff7a22 {return 1024}
        0x1fff7a10 {return {0x200031 0x3431470a 0x37363834}}
        0x08000188 {return {%s}}
    }
    error "nothing at $address"
}"""


@REAL
@pytest.mark.parametrize("held, args, fine", [
    (OTHER, (), False), (OTHER, ("--force-pins",), True),
    (OTHER.replace(b"feather405", b"generic\0\0\0"), (), True),
    (OTHER.replace(b"feather405", b"generic2\0\0"), (), False),
    (b"QNCX\x01" + OTHER[5:], (), True), (b"other" + OTHER[5:], (), True),
    (32 * b"\xff", (), True)], ids=[
        "other", "forced", "same", "longer", "version 1", "none", "erased"])
def test_a_real_openocd_compares_pins(bench, held, args, fine):
    """Its own Tcl, with a memory made up: no chip is written."""
    bench.image.write_bytes(with_identity())
    bench.map.write_text(f"probe,unique\nA1,{UNIQUE}\n")
    assert bench.mesh(*args).returncode == 0
    asked = bench.log()[0]["asked"]
    first = next(i for i, word in enumerate(asked) if "set id" in word[1])
    last = asked.index(["-c", "echo {quincunx-step program}"])
    words = " ".join(f"{word:#x}" for word in struct.unpack("<8I", held))
    done = subprocess.run(
        ["openocd", "-c", MEMORY % words, *sum(asked[first:last], []),
         "-c", "shutdown"], capture_output=True, text=True, timeout=60,
        check=False)
    assert f"1024 KiB, unique {UNIQUE}" in done.stderr
    assert (done.returncode == 0) == fine, done.stderr
    assert ("for the pins" in done.stderr) != fine


@REAL
def test_a_real_openocd_tells_the_unique_number(bench, emulated):
    bench.image.write_bytes(image.good(64))
    it = emulated()
    it.chip.registers.update({0x1FFF7A10: 0x00200031, 0x1FFF7A14: 0x3431470A,
                              0x1FFF7A18: 0x37363834})
    bench.map.write_text(f"probe,unique\nA1,{UNIQUE[:-1]}5\n")
    done = bench.run("--map", bench.map, *it.ARGS, timeout=400)
    assert done.returncode == FAILED and it.untouched()
    assert f"this chip's unique number is {UNIQUE}, not" in done.stderr
    assert f"1024 KiB, unique {UNIQUE}\n" in done.stderr


@REAL
@pytest.mark.boards
def test_a_chip_that_does_not_verify_is_left_without_vectors(bench, emulated):
    bench.image.write_bytes(image.good(64))
    it = emulated(stuck=chip.FLASH + 0x11)
    done = it.run()
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "its flash does not read back as written" in done.stderr
    assert "checksum mismatch" in done.stderr
    assert set(it.chip.flash) == {0xFF} and it.chip.halted
    assert it.chip.events[-1] == "erase 0"


@REAL
def test_a_real_openocd_is_interrupted(bench, emulated):
    bench.image.write_bytes(image.good(64))
    it = emulated()
    with bench.start("--probe", "A1", *it.ARGS) as process:
        assert mesh.until(lambda: "unlock" in it.chip.events, 60)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED
    assert "interrupted; half written: flash it again" in err
    assert not mesh.alive(int((bench.folder / "pid").read_text()))


# ---- make ----

def make(bench, *args):
    (bench.folder / "answers.json").write_text(json.dumps(bench.answers))
    return subprocess.run(
        ["make", "-s", "-C", mesh.ROOT, f"OPENOCD={bench.openocd}",
         f"BUILD={mesh.BUILD.relative_to(mesh.ROOT)}", *args],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "FLASH_STAND_IN": str(bench.folder)})


@REAL  # it would be installed
def test_make_flash(bench):
    done = make(bench, "flash", "BOARD=stm32f405", "PROBE=A1",
                f"IMAGE={bench.image}", "INTERFACE=jlink")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 boards flashed" in done.stdout
    assert bench.begun() == ["A1"]
    assert ["-f", "interface/jlink.cfg"] in bench.log()[0]["asked"]


@REAL
def test_make_flash_mesh(bench):
    bench.write_map([("A", 0, 0), ("B", 1, 1)])
    done = make(bench, "flash-mesh", f"MAP={bench.map}",
                f"IMAGE={bench.image}", "FLASH_OPTIONS=--partial")
    assert done.returncode == 0, done.stderr
    assert sorted(bench.begun()) == ["A", "B"]


@REAL
@pytest.mark.parametrize("args, words", [
    (("PORT=/dev/null", "STM32FLASH=/bin/false"), "port /dev/null: "),
    (("DFU=A1", "DFU_UTIL=/bin/false"), "dfu A1: no ROM boot loader"),
    (("DFU=A1", "PROBE=A2"), "a board is reached one way")])
def test_make_flash_other_ways(bench, args, words):
    done = make(bench, "flash", f"IMAGE={bench.image}", *args)
    assert done.returncode == 2 and words in done.stderr
    assert bench.log() == []


@pytest.mark.parametrize("args, words", [
    (("flash",), "PROBE=serial, PORT=/dev/ttyUSB0 or DFU=serial"),
    (("flash", "BOARD=stm32f405"), "PROBE="),
    (("flash", "BOARD=", "PROBE=A"), "BOARD="),
    (("flash-mesh",), "MAP=mesh.csv"),
    (("flash-mesh", "BOARD=stm32f405"), "MAP=")])
def test_make_needs_to_know_which_board(bench, args, words):
    done = make(bench, *args)
    assert done.returncode == 2
    assert words in done.stderr
    assert bench.log() == []


def test_make_looks_for_the_map_before_it_builds(bench, tmp_path):
    for name in ("none.csv", "it's none.csv"):
        done = make(bench, "flash-mesh", f"MAP={tmp_path / name}",
                    "BUILD=/nowhere")
        assert done.returncode == 2
        assert f"MAP '{tmp_path / name}': there is no such file" in done.stderr
        assert "make flash-map" in done.stderr


# ---- usage ----

@pytest.mark.parametrize("args, words", [
    ((), "either --probe SERIAL, --port TTY, --dfu SERIAL or --map FILE"),
    (("--probe", "A", "--port", "/dev/null"), "a board is reached one way"),
    (("--dfu", "A", "--probe", "A"), "a board is reached one way"),
    (("--port", "ttyUSB0"), "--port 'ttyUSB0'"),
    (("--port", "/dev/" + 255 * "a"), "at most 255"),
    (("--dfu", "A;B"), "--dfu 'A;B'"),
    (("--probe", "A", "--stm32flash", ""), "--stm32flash ''"),
    (("--probe", "A", "--dfu-util", 1024 * "a"), "at most 1023"),
    (("--probe", "A", "--map", "m.csv"), "either --probe"),
    (("--probe", ""), "--probe ''"),
    (("--probe", "A B"), "--probe 'A B'"),
    (("--probe", "$x"), "--probe '$x'"),
    (("--probe", "a;b"), "--probe 'a;b'"),
    (("--probe", "\u00e9"), "--probe"),
    (("--probe", 64 * "a"), "1 to 63"),
    (("--probe", "A", "--partial"), "--map FILE"),
    (("--probe", "A", "--mesh", "5x5"), "--map FILE"),
    (("--probe", "A", "--set-coordinates"), "--map FILE"),
    (("--probe", "A", "--board", "mps2_an385"), "--board 'mps2_an385'"),
    (("--probe", "A", "--jobs", "0"), "--jobs '0'"),
    (("--probe", "A", "--jobs", "65"), "--jobs '65'"),
    (("--probe", "A", "--timeout", "0"), "--timeout '0'"),
    (("--probe", "A", "--timeout", "1h"), "--timeout '1h'"),
    (("--probe", "A", "--interface", "x.cfg]"), "--interface 'x.cfg]'"),
    (("--probe", "A", "--openocd", ""), "--openocd ''"),
    (("--probe", "A", "--openocd", 1024 * "a"), "at most 1023"),
    (("--probe", "A", "one.elf"), "only one IMAGE"),
    (("--map", "m.csv", "--mesh", "5"), "--mesh '5'"),
])
def test_wrong_usage(bench, args, words):
    refused(bench.run(*args), USAGE, words)
    assert bench.log() == []


@pytest.mark.parametrize("args, words", [
    (["--probe", "A", "x.elf"], "needs --board"),
    (["--board", "stm32f405", "--probe", "A"], "needs IMAGE")])
def test_what_is_required(args, words):
    refused(mesh.command("flash", *args), USAGE, words)

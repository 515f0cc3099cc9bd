# SPDX-License-Identifier: Apache-2.0
"""`quincunx flash` through the ROM boot loader: a real stm32flash at an
emulated loader, and a stand-in for dfu-util."""
import itertools
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
import parts

HERE = pathlib.Path(__file__).resolve().parent / "flash"
sys.path.insert(0, str(HERE))

import image  # noqa: E402  (of the folder flash)
import loader  # noqa: E402

USAGE, FAILED, INTERRUPTED = 2, 1, 130
UNIQUE = bytes.fromhex("31002000 0a473134 34383637")
UNIQUE_TEXT = "002000313431470a37363834"
FLASH = image.FLASH
NOTHING = "nothing was written"
LATE = re.compile("Failed to read ACK|init device, timeout|did not end within")


class Bench:
    """A folder with an image, emulated loaders and DFU devices."""

    def __init__(self, folder):
        self.folder = folder
        self.image = folder / "firmware.elf"
        self.flash = image.with_identity(b"generic", 20001)
        self.image.write_bytes(image.elf([image.segment(FLASH, self.flash)]))
        self.map = folder / "mesh.csv"
        self.loaders, self.devices = [], {}
        self.stm32flash = HERE / "stm32flash.py"
        self.dfu_util = HERE / "dfu_util.py"

    def loader(self, **faults):
        self.loaders.append(loader.Loader(**faults))
        return self.loaders[-1]

    def line(self, args):
        (self.folder / "devices.json").write_text(json.dumps(self.devices))
        return [mesh.QUINCUNX, "flash", "--board", "stm32f405",
                "--stm32flash", str(self.stm32flash),
                "--dfu-util", str(self.dfu_util), *map(str, args),
                str(self.image)]

    def start(self, *args):
        def heed():
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        return subprocess.Popen(
            self.line(args), stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed,
            env={**os.environ, "FLASH_STAND_IN": str(self.folder)})

    def run_once(self, *args, timeout=60):
        with self.start(*args) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            finally:
                process.kill()
        return subprocess.CompletedProcess(args, process.returncode, out, err)

    def run(self, *args):
        """stm32flash waits for half a second: where others keep this machine
        busy, an emulated loader may be later than that. Once more, then."""
        for _ in range(4):
            done = self.run_once(*args)
            if not LATE.search(done.stderr) or not self.loaders or any(
                    it.kind != "loader" for it in self.loaders):
                break
            for it in self.loaders:
                it.reset()
        return done

    def log(self):
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def dfu_flash(self, serial):
        path = self.folder / f"flash-{serial}"
        return path.read_bytes() if path.exists() else None

    def nothing_left(self):
        pids = {event["pid"] for event in self.log()}
        assert mesh.until(lambda: not any(map(mesh.alive, pids)), 60)
        for one in self.loaders:
            one.stop()


@pytest.fixture(name="bench")
def fixture_bench(tmp_path):
    before = set(pathlib.Path("/tmp").glob("quincunx-flash-*"))
    it = Bench(tmp_path)
    yield it
    it.nothing_left()
    assert set(pathlib.Path("/tmp").glob("quincunx-flash-*")) <= before


REAL = pytest.mark.skipif(shutil.which("stm32flash") is None,
                          reason="stm32flash is not installed")

# ---- a serial port ----


@REAL
def test_a_real_stm32flash_programs_a_chip(bench):
    """Every byte, and no sector more than the image takes."""
    it = bench.loader(unique=UNIQUE)
    before = bytes(0xFF - i % 251 for i in range(len(it.flash)))
    it.flash[:] = before
    done = bench.run("--port", it.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"port {it.path}: programmed and verified in " in done.stdout
    assert (f"(ID 0x413, 1024 KiB, unique {UNIQUE_TEXT}); set BOOT0 low and "
            "reset it") in done.stdout
    assert "1 of 1 boards flashed" in done.stdout
    assert it.flash[:20001] == bench.flash
    assert it.flash[32 << 10:] == before[32 << 10:]
    assert [e for e in it.events if e.startswith("erase")] == [
        "erase 0", "erase 1"]
    assert not [e for e in it.events if e.startswith("go")]


@REAL
def test_a_chip_of_512_kib(bench):
    it = bench.loader(kib=512)
    done = bench.run("--port", it.path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "512 KiB" in done.stdout and it.flash[:20001] == bench.flash


@REAL
def test_our_firmware(bench):
    """What make builds, with gaps and all."""
    elf = mesh.BUILD / "stm32f405" / "firmware.elf"
    bench.image = elf
    it = bench.loader()
    done = bench.run("--port", it.path)
    assert (done.returncode, done.stderr) == (0, "")
    flat = elf.with_suffix(".bin").read_bytes()
    assert it.flash[:len(flat)] == flat


@REAL
@pytest.mark.parametrize("faults, words", [
    ({"kind": "silent"}, "Failed to init device, timeout"),
    ({"kind": "garbage"}, "Failed to init device"),
    ({"kind": "mute"}, "Failed to init device"),
    ({"kind": "damage"}, "Failed to init device")])
def test_an_adapter_that_is_no_boot_loader(bench, faults, words):
    it = bench.loader(**faults)
    done = bench.run("--port", it.path)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert (f"quincunx: port {it.path}: no ROM boot loader answers there "
            "(BOOT0 high, BOOT1 low, then reset)") in done.stderr
    assert words in done.stderr and not it.events
    assert "0 of 1 boards flashed; 1 failed" in done.stderr


@REAL
@pytest.mark.parametrize("faults, words", [
    ({"device": 0x419}, "this is no STM32F405/407: device ID 0x419, not 0x413"),
    ({"device": 0x431}, "device ID 0x431"),
    ({"kind": "locked"}, "the flash cannot be read: is it protected?"),
    ({"kib": 16}, "must have 20 KiB for this image, and at most 1024")])
def test_another_chip_is_left_alone(bench, faults, words):
    it = bench.loader(**faults)
    done = bench.run("--port", it.path)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert NOTHING in done.stderr and words in done.stderr
    assert not it.events and set(it.flash) == {0xFF}


@REAL
def test_an_image_larger_than_the_flash(bench):
    bench.image.write_bytes(image.good(512 * 1024 + 1))
    it = bench.loader(kib=512)
    done = bench.run("--port", it.path)
    assert done.returncode == FAILED and not it.events
    assert "the flash must have 513 KiB for this image" in done.stderr


def other(pins, version=2):
    return b"QNCX" + struct.pack("<6H16s", version, 405, *[0xFFFF] * 4, pins)


@REAL
def test_an_image_for_other_pins(bench):
    it = bench.loader()
    it.flash[0x188:0x188 + 32] = other(b"pyboard")
    before = bytes(it.flash)
    done = bench.run("--port", it.path)
    assert done.returncode == FAILED and NOTHING in done.stderr
    assert ("the image in this board is for the pins 'pyboard', this one for "
            "'generic' (--force-pins writes it all the same)") in done.stderr
    assert it.flash == before and not it.events
    assert bench.run("--port", it.path, "--force-pins").returncode == 0
    assert it.flash[:20001] == bench.flash
    assert bench.run("--port", it.path).returncode == 0


@REAL
def test_the_chip_that_the_map_names(bench):
    it = bench.loader(unique=UNIQUE)
    bench.map.write_text(f"port,unique\n{it.path},{'0' * 24}\n")
    done = bench.run("--map", bench.map)
    assert done.returncode == FAILED and not it.events
    assert (f"board {'0' * 24} (port {it.path}, {bench.map}:2): not known to "
            "be the right board") in done.stderr
    assert (f"this chip's unique number is {UNIQUE_TEXT}, not {'0' * 24}"
            ) in done.stderr
    bench.map.write_text(f"port,unique\n{it.path},{UNIQUE_TEXT.upper()}\n")
    done = bench.run("--map", bench.map)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"board {UNIQUE_TEXT} (port {it.path}, " in done.stdout


@REAL
@pytest.mark.parametrize("at", [0x11, 20_000])
def test_a_chip_that_does_not_verify_is_left_without_vectors(bench, at):
    """One byte of it, near the image's begin or its last."""
    assert at < len(bench.flash) <= at + 20_000 and bench.flash[at] != 0xff
    it = bench.loader(stuck=FLASH + at)
    done = bench.run("--port", it.path)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert ("its flash does not read back as written (through stm32flash); "
            "half written: flash it again") in done.stderr
    assert f"0x{FLASH + at:08x} reads 0xff, not 0x{bench.flash[at]:02x}" \
        in done.stderr
    assert set(it.flash[:16384]) == {0xFF} and it.events[-1] == "erase 0"


@REAL
@pytest.mark.parametrize("after, kind", parts.every(3, itertools.product(
    [1, 5, 20, 21, 60, 150, 300, 340, 400, 700, 5000, 25000],
    ["mute", "damage"])))
def test_answers_that_are_damaged_or_cease(bench, kind, after):
    """Wherever that happens: either all is well or it is told, in time."""
    it = bench.loader(kind=kind, after=after)
    done = bench.run("--port", it.path, "--timeout", "8")
    written = it.flash[:20001] == bench.flash
    if done.returncode == 0:
        assert done.stderr == "" and written
        return
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert f"quincunx: port {it.path}: " in done.stderr
    if it.events:
        assert "half written: flash it again" in done.stderr
    if NOTHING in done.stderr:
        assert not it.events


@REAL
def test_many_at_once(bench):
    ports = [bench.loader(unique=bytes([i]) * 12) for i in range(6)]
    bench.map.write_text("port,x,y\n" + "".join(
        f"{it.path},{i % 3},{i // 3}\n" for i, it in enumerate(ports)))
    done = bench.run("--map", bench.map, "--set-coordinates")
    assert (done.returncode, done.stderr) == (0, "")
    for i, it in enumerate(ports):
        assert it.flash[:0x190] == bench.flash[:0x190]
        assert struct.unpack_from("<4H", it.flash, 0x190) == (
            i % 3, i // 3, 3, 2)
        assert it.flash[0x198:20001] == bench.flash[0x198:]
        assert f"board {i % 3},{i // 3} (port {it.path}, " in done.stdout
    assert "6 of 6 boards flashed" in done.stdout


@REAL
def test_the_first_error_stops_what_has_not_begun(bench):
    good, bad, rest = (bench.loader(), bench.loader(kind="silent"),
                       bench.loader())
    bench.map.write_text(f"port\n{good.path}\n{bad.path}\n{rest.path}\n")
    done = bench.run("--map", bench.map, "--jobs", "1")
    assert done.returncode == FAILED
    assert f"port {good.path} ({bench.map}:2): programmed" in done.stdout
    assert f"port {bad.path} ({bench.map}:3): no ROM boot" in done.stderr
    assert done.stderr.endswith(
        "1 of 3 boards flashed; 1 failed, 0 interrupted, 1 not begun\n")
    assert not rest.heard


@REAL
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(bench, how):
    it = bench.loader()
    bench.image.write_bytes(image.good(900 * 1024))
    with bench.start("--port", it.path) as process:
        assert mesh.until(lambda: len(it.events) > 20, 60)
        process.send_signal(how)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (INTERRUPTED, "")
    assert "interrupted; half written: flash it again" in err


@REAL
def test_killed(bench):
    it = bench.loader()
    bench.image.write_bytes(image.good(900 * 1024))
    with bench.start("--port", it.path) as process:
        assert mesh.until(lambda: len(it.events) > 20, 60)
        process.kill()
        process.communicate(timeout=60)


@REAL
def test_a_loader_that_stops_answering_costs_bounded_time(bench):
    it = bench.loader(kind="mute", after=500)
    start = time.monotonic()
    done = bench.run("--port", it.path, "--timeout", "1")
    assert done.returncode == FAILED and time.monotonic() - start < 60


def test_ports_that_are_not_there(bench):
    """Before any board is touched."""
    it = bench.loader()
    gone = bench.folder / "ttyUSB9"
    bench.map.write_text(f"port\n{it.path}\n{gone}\n")
    done = bench.run("--map", bench.map)
    assert done.returncode == FAILED and not it.heard
    assert done.stderr == (f"quincunx: port {gone} ({bench.map}:3): "
                           "No such file or directory\n")
    done = bench.run("--port", bench.image)
    assert done.returncode == FAILED
    assert done.stderr == f"quincunx: port {bench.image}: that is no serial " \
        "port\n"


def test_a_device_that_is_no_serial_port(bench):
    done = bench.run("--port", "/dev/null")
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "port /dev/null: no ROM boot loader answers there" in done.stderr


@pytest.mark.parametrize("args", [
    ("--port", "/dev/null"), ("--dfu", "A1")])
def test_no_such_program(bench, args):
    bench.stm32flash = bench.dfu_util = bench.folder / "no-such-program"
    done = bench.run(*args)
    assert done.returncode == FAILED
    assert f"{bench.stm32flash}: No such file" in done.stderr


# ---- USB ----

def test_dfu(bench):
    bench.devices = {"357236543131": {}, "B2": {}}
    done = bench.run("--dfu", "357236543131")
    assert (done.returncode, done.stderr) == (0, "")
    assert "dfu 357236543131: programmed and verified in " in done.stdout
    assert "(1024 KiB); set BOOT0 low and reset it" in done.stdout
    assert bench.dfu_flash("357236543131")[:20001] == bench.flash
    assert bench.dfu_flash("B2") is None
    asked = [event["asked"] for event in bench.log() if "asked" in event]
    assert [words[-2] for words in asked[1:]] == ["-U", "-D", "-U"]


@pytest.mark.parametrize("device, words", [
    ({"layout": "@Internal Flash  /0x08000000/03*016Kg,01*016Kg,01*064Kg,"
                "07*128Kg,04*016Kg,01*064Kg,07*128Kg"}, "this is no STM32F405"),
    ({"layout": "@Internal Flash   /0x08000000/512*0002Kg"},
     "this is no STM32F405/407: its flash is '@Internal Flash   /0x0800"),
    ({"layout": "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,15*128Kg"},
     "at most 1024"),
    ({"fail": "-U", "says": "dfu-util: LIBUSB_ERROR_PIPE"},
     "the flash cannot be read: is it protected?"),
    ({"cut": 1}, "the flash cannot be read")])
def test_another_dfu_device_is_left_alone(bench, device, words):
    bench.devices = {"A1": device}
    done = bench.run("--dfu", "A1")
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert NOTHING in done.stderr and words in done.stderr
    assert bench.dfu_flash("A1") is None


def test_no_such_dfu_device(bench):
    bench.devices = {"A1": {}}
    done = bench.run("--dfu", "A12")
    assert done.returncode == FAILED
    assert ("dfu A12: no ROM boot loader is there (BOOT0 high, BOOT1 low, then "
            "reset)") in done.stderr
    assert "with this serial number is plugged in" in done.stderr


def test_dfu_with_an_image_for_other_pins(bench):
    bench.devices = {"A1": {}}
    (bench.folder / "flash-A1").write_bytes(
        b"\0" * 0x188 + other(b"feather405"))
    before = bench.dfu_flash("A1")
    done = bench.run("--dfu", "A1")
    assert done.returncode == FAILED and NOTHING in done.stderr
    assert "is for the pins 'feather405', this one for 'generic'" in done.stderr
    assert bench.dfu_flash("A1") == before
    assert bench.run("--dfu", "A1", "--force-pins").returncode == 0
    assert bench.dfu_flash("A1")[:20001] == bench.flash


def test_dfu_does_not_tell_the_unique_number(bench):
    bench.devices = {"A1": {}}
    bench.map.write_text(f"dfu,unique\nA1,{UNIQUE_TEXT}\n")
    done = bench.run("--map", bench.map)
    assert done.returncode == FAILED and bench.dfu_flash("A1") is None
    assert "does not tell the chip's unique number" in done.stderr


@pytest.mark.parametrize("device, words", [
    ({"fail": "-D", "says": "dfu-util: Error during download"},
     ["programming failed", "Error during download"]),
    ({"stuck": FLASH + 0x100},
     ["does not read back as written", "0x08000100 reads 0xff"])])
def test_dfu_that_fails(bench, device, words):
    bench.devices = {"A1": device}
    done = bench.run("--dfu", "A1")
    assert (done.returncode, done.stdout) == (FAILED, "")
    for word in [*words, "half written: flash it again"]:
        assert word in done.stderr


@pytest.mark.parametrize("option", ["-l", "-D", "-U"])
def test_dfu_that_hangs(bench, option):
    bench.devices = {"A1": {"fail": option, "hang": True}}
    done = bench.run("--dfu", "A1", "--timeout", "1")
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "dfu-util did not end within 1 s" in done.stderr


def test_dfu_interrupted(bench):
    bench.devices = {"A1": {"fail": "-D", "hang": True}}
    with bench.start("--dfu", "A1") as process:
        assert mesh.until(
            lambda: any("at_fault" in event for event in bench.log()), 20)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (INTERRUPTED, "")
    assert "interrupted; half written: flash it again" in err


@pytest.mark.skipif(shutil.which("dfu-util") is None,
                    reason="dfu-util is not installed")
def test_a_real_dfu_util_knows_the_options(bench):
    """It says only that there is no such device."""
    bench.devices = {"A1": {}}
    assert bench.run("--dfu", "A1").returncode == 0
    name = bench.folder / "image"
    name.write_bytes(bench.flash)
    for words in [event["asked"] for event in bench.log()
                  if "asked" in event]:
        words[-1] = str(name) if "-D" in words else words[-1]
        done = subprocess.run(["dfu-util", *words], capture_output=True,
                              text=True, check=False, timeout=60)
        assert "invalid option" not in done.stderr
        assert "unrecognized" not in done.stderr
        if words != ["-l"]:
            assert done.returncode != 0
            assert "No DFU capable USB device" in done.stderr + done.stdout


@REAL
def test_a_mesh_that_is_reached_several_ways(bench):
    it = bench.loader()
    bench.devices = {"A1": {}}
    bench.map.write_text(f"dfu,port,x,y\nA1,,0,0\n,{it.path},1,0\n")
    done = bench.run("--map", bench.map)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"board 0,0 (dfu A1, {bench.map}:2): programmed" in done.stdout
    assert f"board 1,0 (port {it.path}, {bench.map}:3)" in done.stdout

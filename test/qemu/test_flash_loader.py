# SPDX-License-Identifier: Apache-2.0
"""`quincunx flash` through the ROM boot loader: a real stm32flash at an
emulated loader, whose time is its own, and a stand-in for dfu-util."""
import signal
import struct
import subprocess

import pytest

import flash_image as image
import mesh
from flash_bench import (AGAIN, FAILED, INTERRUPTED, failed, fixture_bench,
                         real, refused)
from guard import GUARD_S

__all__ = ["fixture_bench"]
UNIQUE = bytes.fromhex("31002000 0a473134 34383637")
UNIQUE_TEXT = "002000313431470a37363834"
FLASH = image.FLASH
NOTHING = "nothing was written"
CODE = image.with_identity(b"generic", 20001)
REAL = real("stm32flash")


@pytest.fixture(name="bench")
def fixture_bench_with_code(bench):
    bench.image.write_bytes(image.elf([image.segment(FLASH, CODE)]))
    return bench


def is_written(it):
    return it.flash[:20001] == CODE


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
    assert is_written(it) and it.flash[32 << 10:] == before[32 << 10:]
    assert [e for e in it.events if e.startswith("erase")] == [
        "erase 0", "erase 1"]
    assert not [e for e in it.events if e.startswith("go")]


@REAL
def test_our_firmware(bench):
    """What make builds, with gaps and all, for a chip of 512 KiB."""
    bench.image = mesh.BUILD / "stm32f405" / "firmware.elf"
    it = bench.loader(kib=512)
    done = bench.run("--port", it.path)
    assert (done.returncode, done.stderr) == (0, "")
    flat = bench.image.with_suffix(".bin").read_bytes()
    assert it.flash[:len(flat)] == flat and "512 KiB" in done.stdout


@REAL
def test_an_adapter_that_is_no_boot_loader(bench):
    for kind in "silent", "garbage", "mute", "damage":
        it = bench.loader(kind=kind)
        failed(bench.run("--port", it.path),
               f"quincunx: port {it.path}: no ROM boot loader answers there "
               "(BOOT0 high, BOOT1 low, then reset)", "Failed to init device",
               "0 of 1 boards flashed; 1 failed")
        assert not it.events


@REAL
def test_another_chip_is_left_alone(bench):
    for faults, words in [
            ({"device": 0x419},
             "this is no STM32F405/407: device ID 0x419, not 0x413"),
            ({"device": 0x431}, "device ID 0x431"),
            ({"kind": "locked"},
             "the flash cannot be read: is it protected?"),
            ({"kib": 16},
             "must have 20 KiB for this image, and at most 1024")]:
        it = bench.loader(**faults)
        failed(bench.run("--port", it.path), NOTHING, words)
        assert not it.events and set(it.flash) == {0xFF}
    bench.image.write_bytes(image.good(512 * 1024 + 1))
    it = bench.loader(kib=512)
    failed(bench.run("--port", it.path),
           "the flash must have 513 KiB for this image")
    assert not it.events


def other(pins, version=2):
    return b"QNCX" + struct.pack("<6H16s", version, 405, *[0xFFFF] * 4, pins)


@REAL
def test_an_image_for_other_pins(bench):
    it = bench.loader()
    it.flash[0x188:0x188 + 32] = other(b"pyboard")
    before = bytes(it.flash)
    failed(bench.run("--port", it.path), NOTHING,
           "the image in this board is for the pins 'pyboard', this one for "
           "'generic' (--force-pins writes it all the same)")
    assert it.flash == before and not it.events
    for args in ["--force-pins"], []:
        assert bench.run("--port", it.path, *args).returncode == 0
        assert is_written(it)


@REAL
def test_the_chip_that_the_map_names(bench):
    it = bench.loader(unique=UNIQUE)
    bench.map.write_text(f"port,unique\n{it.path},{'0' * 24}\n")
    failed(bench.mesh(),
           f"board {'0' * 24} (port {it.path}, {bench.map}:2): not known to "
           "be the right board",
           f"this chip's unique number is {UNIQUE_TEXT}, not {'0' * 24}")
    assert not it.events
    bench.map.write_text(f"port,unique\n{it.path},{UNIQUE_TEXT.upper()}\n")
    done = bench.mesh()
    assert (done.returncode, done.stderr) == (0, "")
    assert f"board {UNIQUE_TEXT} (port {it.path}, " in done.stdout


@REAL
def test_a_chip_that_does_not_verify_is_left_without_vectors(bench):
    """One byte of it, near the image's begin or its last."""
    for at in 0x11, 20_000:
        assert CODE[at] != 0xff
        it = bench.loader(stuck=FLASH + at)
        failed(bench.run("--port", it.path),
               "its flash does not read back as written (through stm32flash); "
               + AGAIN, f"0x{FLASH + at:08x} reads 0xff, not 0x{CODE[at]:02x}")
        assert set(it.flash[:16384]) == {0xFF} and it.events[-1] == "erase 0"


@REAL
def test_answers_that_are_damaged_or_cease(bench):
    """Wherever that happens: either all is well or it is told."""
    ends = set()
    for kind in "mute", "damage":
        for after in (1, 5, 21, 60, 150, 340, 700, 25000):
            it = bench.loader(kind=kind, after=after)
            done = bench.run("--port", it.path)
            ends.add((kind, done.returncode))
            if done.returncode == 0:
                assert done.stderr == "" and is_written(it), (kind, after)
                continue
            failed(done, f"quincunx: port {it.path}: ")
            assert not it.events or AGAIN in done.stderr, (kind, after)
            assert not it.events or NOTHING not in done.stderr, (kind, after)
    assert ("mute", FAILED) in ends and ("damage", FAILED) in ends


@REAL
def test_many_at_once(bench):
    """One of them by USB."""
    ports = [bench.loader(unique=bytes([i]) * 12) for i in range(5)]
    bench.answers = {"A1": {}}
    bench.map.write_text("dfu,port,x,y\nA1,,2,1\n" + "".join(
        f",{it.path},{i % 3},{i // 3}\n" for i, it in enumerate(ports)))
    done = bench.mesh("--set-coordinates")
    assert (done.returncode, done.stderr) == (0, "")
    flashes = [*((it.flash, f"port {it.path}, ") for it in ports),
               (dfu_flash(bench), "dfu A1, ")]
    for i, (flash, way) in enumerate(flashes):
        assert flash[:0x190] == CODE[:0x190]
        assert struct.unpack_from("<4H", flash, 0x190) == (
            i % 3, i // 3, 3, 2)
        assert flash[0x198:20001] == CODE[0x198:]
        assert f"board {i % 3},{i // 3} ({way}" in done.stdout
    assert "6 of 6 boards flashed" in done.stdout


@REAL
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_interrupted(bench, how):
    """When twenty pieces are written; nothing is left of one that is killed."""
    it = bench.loader(hold=20)
    with bench.started("--port", it.path) as process:
        assert it.held.wait(GUARD_S)
        process.send_signal(how)
        out, err = process.communicate(timeout=GUARD_S)
    if how != signal.SIGKILL:
        assert (process.returncode, out) == (INTERRUPTED, "")
        assert f"interrupted; {AGAIN}" in err


def test_ports_that_are_not_there(bench):
    """Before any board is touched."""
    it = bench.loader()
    gone = bench.folder / "ttyUSB9"
    bench.map.write_text(f"port\n{it.path}\n{gone}\n")
    refused(bench.mesh(), f"port {gone} ({bench.map}:3): No such file or "
            "directory\n")
    assert not it.heard
    refused(bench.run("--port", bench.image),
            f"port {bench.image}: that is no serial port\n")


def test_no_such_program(bench):
    """Nor a loader at a device that is no serial port."""
    failed(bench.run("--port", "/dev/null"),
           "port /dev/null: no ROM boot loader answers there")
    none = bench.folder / "no-such-program"
    bench.programs.update({"stm32flash": none, "dfu-util": none})
    for args in ["--port", "/dev/null"], ["--dfu", "A1"]:
        failed(bench.run(*args), f"{none}: No such file")


# ---- USB ----

def dfu_flash(bench, serial="A1"):
    path = bench.folder / f"flash-{serial}"
    return path.read_bytes() if path.exists() else None


def test_dfu(bench):
    bench.answers = {"357236543131": {}, "B2": {}}
    done = bench.run("--dfu", "357236543131")
    assert (done.returncode, done.stderr) == (0, "")
    assert "dfu 357236543131: programmed and verified in " in done.stdout
    assert "(1024 KiB); set BOOT0 low and reset it" in done.stdout
    assert dfu_flash(bench, "357236543131")[:20001] == CODE
    assert dfu_flash(bench, "B2") is None
    assert [words[-2] for words in bench.all("asked")[1:]] == [
        "-U", "-D", "-U"]


def test_another_dfu_device_is_left_alone(bench):
    for device, words in [
            ({"layout": "@Internal Flash  /0x08000000/03*016Kg,01*016Kg,"
                        "01*064Kg,07*128Kg,04*016Kg,01*064Kg,07*128Kg"},
             "this is no STM32F405"),
            ({"layout": "@Internal Flash   /0x08000000/512*0002Kg"},
             "this is no STM32F405/407: its flash is '@Internal Flash   "
             "/0x0800"),
            ({"layout":
              "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,15*128Kg"},
             "at most 1024"),
            ({"fail": "-U", "says": ["dfu-util: LIBUSB_ERROR_PIPE"]},
             "the flash cannot be read: is it protected?"),
            ({"cut": 1}, "the flash cannot be read")]:
        bench.answers = {"A1": device}
        failed(bench.run("--dfu", "A1"), NOTHING, words)
        assert dfu_flash(bench) is None
    bench.map.write_text(f"dfu,unique\nA1,{UNIQUE_TEXT}\n")
    bench.answers = {"A1": {}}
    failed(bench.mesh(), "does not tell the chip's unique number")
    failed(bench.run("--dfu", "A12"), "dfu A12: no ROM boot loader is there "
           "(BOOT0 high, BOOT1 low, then reset)",
           "with this serial number is plugged in")
    assert dfu_flash(bench) is None
    before = b"\0" * 0x188 + other(b"feather405")
    (bench.folder / "flash-A1").write_bytes(before)
    failed(bench.run("--dfu", "A1"), NOTHING,
           "is for the pins 'feather405', this one for 'generic'")
    assert dfu_flash(bench) == before


def test_dfu_that_fails(bench):
    for device, words in [
            ({"fail": "-D", "says": ["dfu-util: Error during download"]},
             ["programming failed", "Error during download"]),
            ({"stuck": FLASH + 0x100},
             ["does not read back as written", "0x08000100 reads 0xff"])]:
        bench.answers = {"A1": device}
        failed(bench.run("--dfu", "A1"), *words, AGAIN)


@pytest.mark.parametrize("option", ["-l", "-D"])
def test_dfu_that_hangs(bench, option):
    bench.answers = {"A1": {"fail": option, "hang": True}}
    with bench.clocked("--dfu", "A1", "--timeout", "30") as run:
        bench.await_faults()
        run.let(30)
        out, err = run.communicate(timeout=GUARD_S)
    assert (run.returncode, out) == (FAILED, "")
    assert "dfu-util did not end within 30 s" in err


@real("dfu-util")
def test_a_real_dfu_util_knows_the_options(bench):
    """It says only that there is no such device."""
    bench.answers = {"A1": {}}
    assert bench.run("--dfu", "A1").returncode == 0
    name = bench.folder / "image"
    name.write_bytes(CODE)
    for words in bench.all("asked"):
        words[-1] = str(name) if "-D" in words else words[-1]
        done = subprocess.run(["dfu-util", *words], capture_output=True,
                              text=True, check=False, timeout=GUARD_S)
        assert "invalid option" not in done.stderr
        assert "unrecognized" not in done.stderr
        if words != ["-l"]:
            assert done.returncode != 0
            assert "No DFU capable USB device" in done.stderr + done.stdout

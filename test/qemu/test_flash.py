# SPDX-License-Identifier: Apache-2.0
"""`quincunx flash` against stand-ins for OpenOCD, stm32flash and dfu-util
(flash/stand_in.py). What is refused: test/refused/flash.txt."""
import os
import re
import shutil
import signal
import struct
import subprocess

import pytest

import flash_image as image
import mesh
from flash_bench import (AGAIN, FAILED, INTERRUPTED, failed, fixture_bench,
                         refused)
from guard import GUARD_S

__all__ = ["fixture_bench"]
FLASH, RAM = image.FLASH, image.RAM
PROTECTED = "the flash cannot be read: is it protected?"
NOT_READ_BACK = "its flash does not read back as written"


def with_identity(pins=b"generic", **identity):
    """An image file that tells its pins, and what of it is in the flash."""
    code = image.with_identity(pins, 20001, **identity)
    return image.elf([image.segment(FLASH, code)]), code


def other(pins, version=2):
    """The beginning of a flash that holds an image for such pins."""
    return bytes(image.IDENTITY) + b"QNCX" + struct.pack(
        "<6H16s", version, 405, *[0xFFFF] * 4, pins)


# ---- one board ----

def test_one_board(bench):
    """What OpenOCD is asked: every word, in its order."""
    done = bench.one("--interface", "cmsis-dap", probe="Ab:1.2_3-4")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r"probe Ab:1.2_3-4: programmed, verified and started in \d+\.\d s "
        r"\(IDCODE 0x10076413, 1024 KiB, unique 0{24}\)\n"
        r"1 of 1 boards flashed\n", done.stdout)
    [asked] = bench.all("asked")
    words = [tuple(word) for word in asked
             if not word[1].startswith("echo {")]
    assert words[:6] == [
        ("-c", "gdb_port disabled; tcl_port disabled; telnet_port disabled"),
        ("-f", "interface/cmsis-dap.cfg"),
        ("-c", "transport select swd"),
        ("-c", "adapter serial Ab:1.2_3-4"),
        ("-f", "target/stm32f4x.cfg"),
        ("-c", "init")]
    assert words[9] == ("-c", "reset init")
    assert "{flash write_image erase /proc/self/fd/3 0 elf}" in words[10][1]
    assert "{verify_image /proc/self/fd/3 0 elf}" in words[11][1]
    assert words[12:] == [("-c", "reset run"), ("-c", "shutdown")]


def test_boot_loaders(bench):
    """Our firmware, with gaps and all; no other board is written."""
    bench.image = mesh.BUILD / "stm32f405" / "firmware.elf"
    flat = bench.image.with_suffix(".bin").read_bytes()
    unique = "310020000a47313434383637"
    bench.answers = {"B2": {}, "357236543131": {}}
    port = bench.port(kib=512, unique=unique)
    for way, name, told in [
            ("port", port,
             "ID 0x413, 512 KiB, unique 002000313431470a37363834"),
            ("dfu", "357236543131", "1024 KiB")]:
        done = bench.run(f"--{way}", name)
        assert (done.returncode, done.stderr) == (0, "")
        assert re.fullmatch(
            rf"{way} {name}: programmed and verified in [\d.]+ s \({told}\); "
            r"set BOOT0 low and reset it\n1 of 1 boards flashed\n",
            done.stdout)
        assert bench.flash(os.path.basename(name)) == flat
    assert bench.flash("B2") is None


def test_what_was_checked_is_what_is_written(bench):
    """The file is replaced while the first board is being flashed."""
    before = bench.image.read_bytes()
    bench.write_map([("A", 0, 0), ("B", 1, 0)])
    gate = bench.folder / "gate"
    os.mkfifo(gate)
    bench.answers = {"A": {"wait": str(gate)}}
    with bench.started("--map", bench.map, "--jobs", "1") as process:
        with gate.open("wb"):
            bench.image.write_bytes(b"not the image any more")
        assert process.wait(GUARD_S) == 0
    assert bench.flash("A") == bench.flash("B") == before


# ---- a board that fails ----

WORDS = {"connect": "the probe or the board behind it does not answer",
         "identity": "not known to be the right board; nothing was written",
         "program": "programming failed", "verify": NOT_READ_BACK,
         "reset": "programmed and verified, but not started"}


def test_a_failure_is_told_with_its_step(bench):
    """And with the last lines of what OpenOCD said, as far as they can be
    printed."""
    lines = ["Error: \x1b[31mred\x00\x07\u00e9"] + [
        f"line {i} " + 300 * "x" for i in range(7)]
    for step, words in WORDS.items():
        bench.answers = {"A1": {"fail": step, "says": 9 * ["before"] + lines}}
        done = bench.one()
        first, *rest, last = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (FAILED, "")
        assert first.startswith(
            f"quincunx: probe A1: {words} (OpenOCD's exit status 1)")
        assert (AGAIN in first) == (step in ("program", "verify"))
        assert rest[0] == "    Error: ?[31mred????"
        assert [line.split()[1] for line in rest[1:]] == list("0123456")
        assert max(map(len, rest)) == 4 + 199
        assert last == ("quincunx: 0 of 1 boards flashed; 1 failed, "
                        "0 interrupted, 0 not begun")


@pytest.mark.parametrize("number, mode, answer, words", [
    ("A1", 0o600, {"fail": "connect"},
     "the board behind the probe does not answer"),
    ("00A1", 0o000, {}, "node: udev's rules 70-quincunx.rules, which"),
    ("B1", 0o600, {}, "probe A1: is not plugged in")])
def test_a_probe_that_is_not_there(bench, number, mode, answer, words):
    """One that may not be opened, and one whose board is dead are three causes;
    but who sees no USB devices at all cannot tell."""
    bench.plug(number, mode)
    bench.answers = {"A1": answer}
    before = () if os.geteuid() else ("setpriv", "--bounding-set=-all",
                                      "--inh-caps=-all")
    done = bench.run("--probe", "A1", before=before)
    failed(done, words)
    assert ("of 1 boards" in done.stderr) == bool(answer)


def test_other_ways_to_fail(bench):
    """Processes that are left behind are ended, as the fixture sees."""
    for answer, words in [
            ({"fail": "verify", "status": 0}, WORDS["verify"]),
            ({"fail": "done"}, "its program did not end as it should"),
            ({"fail": "program", "signal": signal.SIGSEGV},
             "OpenOCD ended by signal 11"),
            ({"fail": "program", "child": True}, WORDS["program"])]:
        bench.answers = {"A1": answer}
        failed(bench.one(), words)
    bench.programs = {name: bench.folder / "none" for name in bench.programs}
    for way, name in (("probe", "A1"), ("port", bench.port()), ("dfu", "A1")):
        failed(bench.run(f"--{way}", name), f"{bench.folder}/none: No such")


NONE_THERE = "(BOOT0 high, BOOT1 low, then reset)"
SIZE = "the flash must have 20 KiB for this image, and at most 1024"
OTHER_PINS = ("the image in this board is for the pins '{}', this one for "
              "'generic' (--force-pins writes it all the same)")


@pytest.mark.parametrize("way, answer, words", [
    ("port", {"fail": "connect", "says": ["Failed to init device"]},
     ["no ROM boot loader answers there " + NONE_THERE, "Failed to init"]),
    ("port", {"device": "0x0419"},
     [WORDS["identity"], "no STM32F405/407: device ID 0x419, not 0x413"]),
    ("port", {"fail": "-r"}, [WORDS["identity"], PROTECTED]),
    ("port", {"kib": 16}, [WORDS["identity"], SIZE]),
    ("port", {"fail": "-w"}, [WORDS["program"] + " (through stm32flash)"]),
    ("port", {"stuck": 20000}, [NOT_READ_BACK + " (through stm32flash)",
                                "0x08004e20 reads 0xff, not 0xf6"]),
    ("dfu", None, ["no ROM boot loader is there " + NONE_THERE,
                   "with this serial number is plugged in"]),
    ("dfu", {"layout": "@Internal Flash   /0x08000000/512*0002Kg"},
     [WORDS["identity"], "this is no STM32F405/407: its flash is '@Internal "
      "Flash   /0x08000000/512*0002Kg'"]),
    ("dfu", {"layout": "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,"
                       "07*128Kg,04*016Kg,01*064Kg,07*128Kg"},
     ["this is no STM32F405"]),
    ("dfu", {"layout": "@Internal Flash  /0x08000000/04*016Kg,01*064Kg,"
                       "15*128Kg"}, [WORDS["identity"], SIZE]),
    ("dfu", {"fail": "-U", "says": ["LIBUSB_ERROR_PIPE"]},
     [WORDS["identity"], PROTECTED, "LIBUSB_ERROR_PIPE"]),
    ("dfu", {"cut": 1}, [WORDS["identity"], PROTECTED]),
    ("dfu", {"fail": "-D", "says": ["Error during download"]},
     [WORDS["program"], "Error during download"]),
    ("dfu", {"stuck": 256}, [NOT_READ_BACK, "0x08000100 reads 0xff"])])
def test_a_boot_loader_that_fails(bench, way, answer, words):
    """What is half written is told; through a port it is erased so far that it
    does not start."""
    bench.image.write_bytes(with_identity()[0])
    name = bench.port(**answer) if way == "port" else "A1"
    bench.answers.update({} if answer is None else {str(name): answer})
    done = bench.run(f"--{way}", name)
    failed(done, f"quincunx: {way} {name}: ", *words)
    written = words[0].startswith((WORDS["program"], NOT_READ_BACK))
    assert (AGAIN in done.stderr) == written
    asked = bench.all("asked")
    assert any("-w" in line or "-D" in line for line in asked) == written
    if way == "port" and written:
        assert asked[-1][4:8] == ["-c", "-o", "-S", "0x08000000:16384"]


def test_an_image_for_other_pins(bench):
    """By a boot loader: it stays, unless it is told to go."""
    file, code = with_identity()
    bench.image.write_bytes(file)
    for way, name in (("port", bench.port()), ("dfu", "A1")):
        bench.answers["A1"] = {}
        there = bench.folder / f"flash-{os.path.basename(name)}"
        there.write_bytes(other(b"feather405"))
        failed(bench.run(f"--{way}", name), WORDS["identity"],
               OTHER_PINS.format("feather405"))
        assert there.read_bytes() == other(b"feather405")
        for args in ["--force-pins"], []:
            assert bench.run(f"--{way}", name, *args).returncode == 0
            assert there.read_bytes() == code


def test_the_chip_that_the_map_names(bench):
    port = bench.port()
    bench.answers["A1"] = {}
    bench.map.write_text(f"port,unique\n{port},{24 * '1'}\n")
    failed(bench.mesh(),
           f"board {24 * '1'} (port {port}, {bench.map}:2): not known to be "
           f"the right board",
           f"this chip's unique number is {24 * '0'}, not {24 * '1'}")
    bench.map.write_text(f"dfu,unique\nA1,{24 * '0'}\n")
    failed(bench.mesh(), "does not tell the chip's unique number")
    assert bench.flash("tty0") is bench.flash("A1") is None


@pytest.mark.parametrize("way, tool, fail", [
    ("probe", "OpenOCD", "program"), ("port", "stm32flash", "connect"),
    ("dfu", "dfu-util", "-D")])
def test_a_hang_is_ended(bench, way, tool, fail):
    """When its time is up, not before; who is deaf, two seconds later."""
    name = bench.port() if way == "port" else "A1"
    bench.answers[str(name)] = {"fail": fail, "hang": True, "deaf": True,
                                "child": True}
    with bench.clocked(f"--{way}", name, "--timeout", "30") as run:
        bench.await_faults()
        run.let(29.9)
        while (until := run.waits_until()) < 29.9:
            pass
        assert until == 30
        run.let(30)
        if way == "probe":  # of the others the worker between is not deaf
            while run.waits_until() < 30.1:
                assert run.poll() is None
            run.let(32)
        out, err = run.communicate(timeout=GUARD_S)
    assert (run.returncode, out) == (FAILED, "")
    assert f"{tool} did not end within 30 s" in err


# ---- a mesh ----

BOARDS = [(f"S{x}{y}", x, y) for y in range(3) for x in range(3)]


@pytest.mark.parametrize("args, most", [((), 4), (("--jobs", "7"), 7)])
def test_so_many_at_a_time(bench, args, most):
    """Whoever has begun waits; as soon as one ends the next begins."""
    gates = [bench.folder / f"gate{i}" for i in range(len(BOARDS))]
    bench.write_map(BOARDS)
    for gate, (probe, _, _) in zip(gates, BOARDS):
        os.mkfifo(gate)
        bench.answers[probe] = {"wait": str(gate)}
    with bench.started("--map", bench.map, *args) as process:
        for at, gate in enumerate(gates):
            count = min(at + most, len(BOARDS))
            mesh.until(lambda: len(bench.all("begun")) >= count)
            assert sorted(bench.all("begun")) == sorted(
                probe for probe, _, _ in BOARDS[:count])
            gate.open("wb").close()
        out = process.stdout.read()
        assert process.wait(GUARD_S) == 0
    for line, (probe, x, y) in enumerate(BOARDS, 2):
        assert (f"board {x},{y} (probe {probe}, {bench.map}:{line}): "
                "programmed, verified and started") in out
    assert out.endswith("\n9 of 9 boards flashed\n")


def test_the_first_error_stops_what_has_not_begun(bench):
    """B fails at once; A and C, at work then, are let finish; D waits."""
    gates = {name: bench.folder / name for name in "AC"}
    for gate in gates.values():
        os.mkfifo(gate)
    bench.write_map([("A", 0, 0), ("B", 1, 0), ("C", 0, 1), ("D", 1, 1)])
    bench.answers = {name: {"wait": str(gate)} for name, gate in gates.items()}
    bench.answers["B"] = {"fail": "identity",
                          "says": ["Error: this is no STM32F405/407"]}
    with bench.started("--map", bench.map, "--jobs", "3") as process:
        first = process.stderr.readline()
        for gate in gates.values():
            gate.open("wb").close()
        out, err = process.stdout.read(), process.stderr.read()
        assert process.wait(GUARD_S) == FAILED
    assert set(bench.all("begun")) == {"A", "B", "C"}
    assert {line.split()[1] for line in out.splitlines()} == {"0,0", "0,1"}
    assert f"board 1,0 (probe B, {bench.map}:3): not known" in first
    assert "    Error: this is no STM32F405/407" in err
    assert err.endswith(
        "2 of 4 boards flashed; 1 failed, 0 interrupted, 1 not begun\n")


# ---- an end from outside ----

@pytest.mark.parametrize("how, more", [
    (signal.SIGHUP, {}), (signal.SIGTERM, {"deaf": True, "child": True})])
def test_interrupted(bench, how, more):
    bench.write_map(BOARDS)
    bench.answers = {probe: {"fail": "program", "hang": True, **more}
                     for probe, _, _ in BOARDS}
    with bench.clocked("--map", bench.map) as run:
        bench.await_faults(4)
        run.send_signal(how)
        if more:
            while run.waits_until() > 2:
                pass
            run.let(2)
        out, err = run.communicate(timeout=GUARD_S)
    assert (run.returncode, out) == (INTERRUPTED, "")
    assert err.count(f": interrupted; {AGAIN}") == 4
    assert "0 failed, 4 interrupted, 5 not begun" in err
    assert len(bench.all("begun")) == 4


@pytest.mark.parametrize("way, fail", [("port", "-w"), ("probe", "program")])
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_one_board_is_interrupted(bench, way, fail, how):
    """Nothing is left where the command is killed, as the fixture sees."""
    name = bench.port() if way == "port" else "A1"
    bench.answers[str(name)] = {"fail": fail, "hang": True}
    with bench.started(f"--{way}", name) as process:
        bench.await_faults()
        process.send_signal(how)
        out, err = process.communicate(timeout=GUARD_S)
    if how == signal.SIGINT:
        assert (process.returncode, out) == (INTERRUPTED, "")
        assert f"interrupted; {AGAIN}" in err


def test_a_hangup_that_is_ignored(bench):
    """As under nohup: what follows it ends the command."""
    bench.answers = {"A1": {"fail": "program", "hang": True}}
    with bench.started("--probe", "A1", before=["nohup"]) as process:
        bench.await_faults()
        process.send_signal(signal.SIGHUP)
        with open(f"/proc/{process.pid}/status", encoding="ascii") as lines:
            ignored = re.search(r"^SigIgn:\s*(\w+)$", lines.read(), re.M)[1]
        assert int(ignored, 16) >> (signal.SIGHUP - 1) & 1
        process.send_signal(signal.SIGTERM)
        assert process.wait(GUARD_S) == INTERRUPTED


def test_nobody_reads_what_is_told(bench):
    """All boards are written; that nobody heard of it tells the status."""
    bench.write_map(BOARDS[:6])
    with bench.started("--map", bench.map) as process:
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(GUARD_S) == FAILED
    assert err == ""
    assert len(bench.all("done")) == 6


# ---- images ----

def segments(*parts):
    return image.elf([image.segment(*part) for part in parts])


def at_flash(**vectors):
    return segments((FLASH, image.code(**vectors)))


def with_more(address, data=bytes(8), count=1):
    return segments((FLASH, image.code()), *[
        (address + 16 * i, data) for i in range(count)])


def one(segment=None, **file):
    """A file of one segment."""
    return image.elf([{**image.segment(FLASH, image.code()),
                       **(segment or {})}], **file)


ANOTHER = "is an image for another board: it loads 1024 bytes at 0x00000000"
BAD_IMAGES = [
    (b"", "not an ELF file"), (image.code(), "not an ELF file"),
    (one(machine=image.X86_64), "another machine"),
    (one(wide=2), "another machine"), (one(order=2), "another machine"),
    (one(kind=image.OBJECT), "not been linked"),
    (segments((0, image.code())), ANOTHER),
    (segments((RAM, image.code())), "another board"),
    *[(with_more(address), "another board") for address in (
        FLASH - 4, FLASH + image.FLASH_BYTES - 4, 0xFFFFFFFC)],
    (with_more(FLASH + 1023), "loads 0x080003ff twice"),
    (with_more(FLASH + 0x1000, count=64), "over 64 segments"),
    (image.elf([]), "loads nothing"),
    (one({"kind": image.EXIDX}), "loads nothing"),
    (one({"data": b"", "size": 0}, count=9), "no table of segments"),
    (image.good()[:-1], "is cut off"),
    (one({"offset": 0xFFFFFFF0}), "is cut off"),
    (segments((FLASH + 0x4000, image.code())), "no vector table at 0x0800000"),
    (segments((FLASH, image.code()[:7])), "no vector table"),
    *[(at_flash(stack=stack), "stack pointer") for stack in (
        FLASH + 64, 0, RAM, RAM + image.RAM_BYTES + 4, RAM + 6)],
    *[(at_flash(reset=reset), "reset vector") for reset in (
        FLASH + 8, RAM + 9, FLASH + 1025, 0)],
    *[(image.good(64)[:length], "") for length in (1, 16, 51, 83, 147)]]


def test_bad_images(bench):
    """Cut anywhere, not made up (what is built for emulated boards), or of
    another identity."""
    cases = [*BAD_IMAGES, (mesh.FIRMWARE.read_bytes(), "another board"),
             *[(with_identity(**wrong)[0], "another board") for wrong in (
                 {"board": 385}, {"version": 1}, {"version": 3})]]
    for data, words in cases:
        bench.image.write_bytes(data)
        refused(bench.one(), bench.image, words)
    bench.image.unlink()
    os.mkfifo(bench.image)
    refused(bench.one(), bench.image)
    assert bench.log() == []


def test_good_images(bench):
    """The flash must hold as many KiB as the image needs."""
    for data, kib in [
            (image.good(1024), 1), (image.good(1025), 2),
            (image.good(image.FLASH_BYTES), 1024),
            (with_more(FLASH + 0x20000), 129), (with_more(RAM, b""), 1),
            (with_more(FLASH + 0x1000, bytes(16), 63), 5),
            (at_flash(stack=RAM + 4), 1)]:
        bench.image.write_bytes(data)
        done = bench.one()
        assert done.returncode == 0, done.stderr
        asked = "\n".join(value for _, value in bench.all("asked")[-1])
        assert f"$kib < {kib} ||" in asked


# ---- maps ----

def test_coordinates_are_set(bench):
    """Eight bytes of each board's image are its own, whichever way it goes,
    and no other."""
    plain, code = with_identity()
    bench.image.write_bytes(plain)
    bench.answers["B"] = {}
    bench.map.write_text("probe,port,dfu,x,y\nA,,,0,0\n"
                         f",{bench.port()},,0,1\n,,B,2,1\n")
    for args, size in [((), (3, 2)), (("--mesh", "5x4"), (5, 4))]:
        done = bench.mesh("--set-coordinates", "--partial", *args)
        assert (done.returncode, done.stderr) == (0, "")
        for name, file, x, y in (("A", plain, 0, 0), ("tty0", code, 0, 1),
                                 ("B", code, 2, 1)):
            at = file.index(b"QNCX") + 8
            assert bench.flash(name) == (
                file[:at] + struct.pack("<4H", x, y, *size) + file[at + 8:])
    assert bench.one().returncode == 0
    assert bench.flash("A1") == plain, "unasked"
    bench.map.write_text("probe\nC\n")
    refused(bench.mesh("--set-coordinates"), f"{bench.map}:2",
            "has no x and y for --set-coordinates")


def test_good_maps(bench):
    for text, boards in [
            ("probe,x,y\nA,0,0\nB,1,0", 2),
            ("\ufeff" + '"probe","x","y"\r\n"A","0","0"\r\n"B",1,0\r\n', 2),
            ("y,note,x,probe\n0,\"a\n,b\",1,B\n0,,0,A\n", 2),
            ("probe,port,dfu,unique,pins,interface,x,y\nA,,,,,,0,0\n", 1),
            ("probe, x, y\n\nA, 0, 0\n\n  \nB, 1, 0\n", 2)]:
        bench.map.write_bytes(text.encode())
        done = bench.mesh()
        assert (done.returncode, done.stderr) == (0, ""), text
        assert "board 0,0 (probe A, " in done.stdout
        assert ("board 1,0 (probe B, " in done.stdout) == (boards == 2)
        assert f"{boards} of {boards} boards flashed" in done.stdout


def test_maps_that_tell_little_or_much(bench):
    """Boards whose place is not known are named by their unique number, or by
    how they are reached; the transport goes with the interface."""
    bench.map.write_text(f"probe,unique,interface\nA,{24 * 'B'},jlink\n"
                         "B,,\nC,,cmsis-dap\nD,,stlink\n")
    bench.answers = {"A": {"unique": 24 * "b"}}
    done = bench.mesh("--jobs", "1", "--interface", "stlink-dap")
    assert (done.returncode, done.stderr) == (0, "")
    first, second, *_ = done.stdout.splitlines()
    assert first.startswith(
        f"board {24 * 'b'} (probe A, {bench.map}:2): programmed")
    assert second.startswith(f"probe B ({bench.map}:3): programmed")
    assert [[value for option, value in asked if re.match(
        "interface|transport", value)] for asked in bench.all("asked")] == [
        [f"interface/{kind}.cfg", f"transport select {transport}"]
        for kind, transport in (
            ("jlink", "swd"), ("stlink-dap", "dapdirect_swd"),
            ("cmsis-dap", "swd"), ("stlink", "hla_swd"))]
    bench.write_map([(f"P{i}", i % 100, i // 100) for i in range(4097)])
    refused(bench.mesh("--partial"), f"{bench.map}:4098:", "over 4096 boards")


def test_pins_of_the_map(bench):
    """Told before any board is touched."""
    bench.image.write_bytes(with_identity(b"pyboard")[0])
    bench.map.write_text("probe,pins\nA,pyboard\nB,feather405\n")
    refused(bench.mesh(), f"probe B ({bench.map}:3): ",
            "has the pins 'feather405', but the image is for 'pyboard' "
            "(make PINS=feather405)")
    bench.image.write_bytes(image.good())
    refused(bench.mesh(), "but the image tells none (make PINS=")
    assert bench.log() == []
    bench.map.write_text("probe,pins\nA,pyboard\nB,\n")
    bench.image.write_bytes(with_identity(b"pyboard")[0])
    assert bench.mesh().returncode == 0


# ---- real programs ----

def real(program):
    """The mark of tests with one, which may not be installed."""
    return pytest.mark.skipif(shutil.which(program) is None,
                              reason=f"{program} is not installed")


@real("openocd")
def test_a_real_openocd_finds_no_such_probe(bench):
    """All that comes before was understood; what it says is passed on."""
    bench.programs["openocd"] = "openocd"
    for interface in "stlink", "cmsis-dap", "jlink":
        done = bench.one("--interface", interface, probe="NoSuchProbe:1")
        failed(done, WORDS["connect"])
        assert re.search(
            r"^    Error: (open failed|unable to find a matching CMSIS-DAP "
            r"device|Invalid serial number)", done.stderr, re.MULTILINE)


@pytest.mark.parametrize("program, way, told", [
    pytest.param("dfu-util", "dfu", "No DFU capable USB device",
                 marks=real("dfu-util")),
    pytest.param("stm32flash", "port", "Failed to open port",
                 marks=real("stm32flash"))])
def test_a_real_program_knows_the_options(bench, program, way, told):
    """It says only that there is no such device."""
    bench.answers["A1"] = {}
    bench.run(f"--{way}", bench.port(stuck=9) if way == "port" else "A1")
    for words in bench.all("asked"):
        words = [str(bench.image) if "/proc/self/fd" in word else word
                 for word in words]
        done = subprocess.run([program, *words], capture_output=True,
                              text=True, check=False, timeout=GUARD_S)
        assert "option" not in done.stderr, words
        if words != ["-l"]:
            assert done.returncode != 0
            assert told in done.stderr + done.stdout, words


UNIQUE = "002000313431470a37363834"
# What a real OpenOCD finds: memory, and commands of which one may fail.
CHIP = """proc read_memory {address width count} {
    switch $address {
        0xe0042000 {return %s}
        0x1fff7a22 {return %s}
        0x1fff7a10 {return {0x200031 0x3431470a 0x37363834}}
        0x08000188 {return {%s}}
    }
    error "nothing at $address"
}
proc flash {what args} {verify_image $what}
proc verify_image {what args} {
    echo "does $what"
    if {[string match {%s} $what]} {error broken}
}
proc reset {how} {}"""
OTHER, BLANK = other(b"feather405")[image.IDENTITY:], 32 * b"\xff"
STRANGE = (OTHER[:8] + b"\x03" + OTHER[9:16]
           + b"$x [a]\x07\xff".ljust(16, b"\0"))
RIGHT = "0x10076413"
WRONG_ID, KIB = "this is no STM32F405/407", "the flash must have 1 KiB"
# ID code, KiB, what is at the identity's place, options; what is told.
CHIPS = [
    ("0x20036413", 1024, BLANK, (), None), (RIGHT, 1, BLANK, (), None),
    ("0x10016419", 1024, BLANK, (), WRONG_ID),
    ("0", 1024, BLANK, (), WRONG_ID),
    (RIGHT, 0, BLANK, (), KIB), (RIGHT, 2048, BLANK, (), "and at most 1024"),
    (RIGHT, 1024, OTHER, (), OTHER_PINS.format("feather405")),
    (RIGHT, 1024, OTHER, ("--force-pins",), None),
    (RIGHT, 1024, STRANGE, (), OTHER_PINS.format("$x[a]")),
    (RIGHT, 1024, OTHER.replace(b"feather405", b"generic\0\0\0"), (), None),
    (RIGHT, 1024, OTHER.replace(b"feather405", b"generic2\0\0"), (),
     OTHER_PINS.format("generic2")),
    (RIGHT, 1024, b"QNCX\x01" + OTHER[5:], (), None),
    (RIGHT, 1024, b"other" + OTHER[5:], (), None)]


def judged(bench, idcode, kib, held, broken=""):
    """What a real OpenOCD makes of the words that were asked last, from the
    chip's check to its start, and what it does then."""
    asked = bench.all("asked")[-1]
    first = next(i for i, word in enumerate(asked) if "set id" in word[1])
    words = " ".join(f"{word:#x}" for word in struct.unpack("<8I", held))
    done = subprocess.run(
        ["openocd", "-c", CHIP % (idcode, kib, words, broken),
         *sum(asked[first:], [])],
        capture_output=True, text=True, timeout=GUARD_S, check=False)
    return done, re.findall("^does (.*)$", done.stderr, re.M)


@real("openocd")
def test_what_a_real_openocd_makes_of_the_words(bench):
    """It writes no other chip, nor one whose pins or unique number are others;
    where writing or reading back fails it erases the vectors."""
    bench.image.write_bytes(image.elf([image.segment(
        FLASH, image.with_identity(b"generic", 1000))]))
    bench.map.write_text(f"probe,unique\nA1,{UNIQUE}\n")
    for idcode, kib, held, args, told in CHIPS:
        assert bench.mesh(*args).returncode == 0
        done, does = judged(bench, idcode, kib, held)
        assert (done.returncode == 0) == (told is None), (held, done.stderr)
        assert (told or f"KiB, unique {UNIQUE}") in done.stderr, done.stderr
        assert does == (["write_image", "/proc/self/fd/3"] if told is None
                        else [])
    for broken, expected in (("write*", ["write_image"]),
                             ("/proc*", ["write_image", "/proc/self/fd/3"])):
        done, does = judged(bench, RIGHT, 1024, BLANK, broken)
        assert done.returncode != 0 and "broken" in done.stderr
        assert does == [*expected, "erase_sector"]
    bench.map.write_text(f"probe,unique\nA1,{UNIQUE[:-1]}5\n")
    assert bench.mesh().returncode == 0
    done, does = judged(bench, RIGHT, 1024, BLANK)
    assert done.returncode != 0 and does == []
    assert f"this chip's unique number is {UNIQUE}, not" in done.stderr


# ---- make ----

def make(bench, *args):
    bench.words([])  # writes the answers
    return subprocess.run(
        ["make", "-s", "-C", mesh.ROOT, f"OPENOCD={bench.programs['openocd']}",
         f"BUILD={mesh.BUILD.relative_to(mesh.ROOT)}", *args],
        capture_output=True, text=True, timeout=GUARD_S, check=False,
        env=bench.environment())


@real("openocd")  # it would be installed
def test_make_flash(bench):
    bench.write_map([("A", 0, 0), ("B", 1, 1)])
    for args in (["flash", "BOARD=stm32f405", "PROBE=A1", "INTERFACE=jlink"],
                 ["flash-mesh", f"MAP={bench.map}",
                  "FLASH_OPTIONS=--partial"]):
        done = make(bench, *args, f"IMAGE={bench.image}")
        assert done.returncode == 0, done.stderr
    assert sorted(bench.all("begun")) == ["A", "A1", "B"]
    assert ["-f", "interface/jlink.cfg"] in bench.all("asked")[0]


def test_make_needs_to_know_which_board(bench):
    name, image_of = f"{bench.folder}/it's none.csv", f"IMAGE={bench.image}"
    for args, words in [
            (("flash", image_of, "PORT=/dev/null", "STM32FLASH=/bin/false"),
             "port /dev/null: "),
            (("flash", image_of, "DFU=A1", "DFU_UTIL=/bin/false"),
             "dfu A1: no ROM boot loader"),
            (("flash",), "PROBE=serial, PORT=/dev/ttyUSB0 or DFU=serial"),
            (("flash", "BOARD=", "PROBE=A"), "BOARD="),
            (("flash-mesh",), "MAP=mesh.csv"),
            (("flash-mesh", f"MAP={name}", "BUILD=/nowhere"),
             f"MAP '{name}': there is no such file")]:
        done = make(bench, *args)
        assert done.returncode == 2 and words in done.stderr
    assert "make flash-map" in done.stderr and bench.log() == []

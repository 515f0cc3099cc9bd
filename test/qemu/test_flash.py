# SPDX-License-Identifier: Apache-2.0
"""`quincunx flash` against a stand-in for OpenOCD, and a real OpenOCD. The ROM
boot loaders: test_flash_loader.py. What is refused: test/refused/flash.txt."""
import contextlib
import hashlib
import os
import re
import signal
import struct
import subprocess

import pytest

import flash_image as image
import mesh
from flash_bench import (AGAIN, FAILED, INTERRUPTED, failed, fixture_bench,
                         real, refused)
from guard import GUARD_S

import chip  # of the folder flash, whose path flash_bench adds

__all__ = ["fixture_bench"]
STEPS = ["connect", "identity", "program", "verify", "reset", "done"]
REAL = real("openocd")


# ---- one board ----

def test_one_board(bench):
    """What OpenOCD is asked: every word, in its order."""
    done = bench.one("--interface", "cmsis-dap", probe="Ab:1.2_3-4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "probe Ab:1.2_3-4: programmed, verified and started" in done.stdout
    assert "IDCODE 0x10076413, 1024 KiB" in done.stdout
    assert "1 of 1 boards flashed" in done.stdout
    assert bench.all("step") == STEPS
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
    assert "read_memory 0xe0042000 32 1" in words[6][1]
    assert "read_memory 0x1fff7a22 16 1" in words[6][1]
    assert "read_memory 0x1fff7a10 32 3" in words[6][1]
    assert "($id & 0xfff) != 0x413" in words[7][1]
    assert "$kib < 1 || $kib > 1024" in words[8][1]
    assert words[9] == ("-c", "reset init")
    assert "{flash write_image erase /proc/self/fd/3 0 elf}" in words[10][1]
    assert "{verify_image /proc/self/fd/3 0 elf}" in words[11][1]
    assert words[12:] == [("-c", "reset run"), ("-c", "shutdown")]


def test_what_was_checked_is_what_is_written(bench):
    """The file is replaced while the first board is being flashed."""
    before = hashlib.sha256(bench.image.read_bytes()).hexdigest()
    bench.write_map([("A", 0, 0), ("B", 1, 0)])
    gate = bench.folder / "gate"
    os.mkfifo(gate)
    bench.answers = {"A": {"wait": str(gate)}}
    with bench.started("--map", bench.map, "--jobs", "1") as process:
        with gate.open("wb"):
            bench.image.write_bytes(b"not the image any more")
        assert process.wait(GUARD_S) == 0
    assert bench.all("image") == [before] * 4


# ---- a board that fails ----

WORDS = {"connect": "does not answer", "identity": "nothing was written",
         "program": "programming failed", "verify": "does not read back",
         "reset": "not started"}


@pytest.mark.parametrize("step", WORDS)
def test_a_failure_is_told_with_its_step(bench, step):
    """And with the last lines of what OpenOCD said, as far as they can be
    printed."""
    lines = ["Error: \x1b[31mred\x00\x07\u00e9"] + [
        f"line {i} " + 300 * "x" for i in range(7)]
    bench.answers = {"A1": {"fail": step, "says": 9 * ["before"] + lines}}
    done = bench.one()
    first, *rest, last = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert first.startswith("quincunx: probe A1: ") and WORDS[step] in first
    assert "exit status 1" in first
    assert ("flash it again" in first) == (step in ("program", "verify"))
    assert rest[0] == "    Error: ?[31mred????"
    assert [line.split()[1] for line in rest[1:]] == list("0123456")
    assert max(map(len, rest)) == 4 + 199
    assert last == ("quincunx: 0 of 1 boards flashed; 1 failed, "
                    "0 interrupted, 0 not begun")


def test_other_ways_to_fail(bench):
    """Processes that are left behind are ended."""
    for answer, words in [
            ({"fail": "verify", "status": 0}, WORDS["verify"]),
            ({"fail": "done", "status": 1}, "1 failed"),
            ({"fail": "program", "signal": signal.SIGSEGV},
             "OpenOCD ended by signal 11"),
            ({"fail": "program", "child": True}, WORDS["program"])]:
        bench.answers = {"A1": answer}
        failed(bench.one(), words)
    bench.programs["openocd"] = bench.folder / "no-such-program"
    failed(bench.one(), f"{bench.programs['openocd']}: No such file")


@pytest.mark.parametrize("more", [{}, {"deaf": True, "child": True}])
def test_a_hang_is_ended(bench, more):
    """When its time is up, not before; who is deaf, two seconds later."""
    bench.answers = {"A1": {"fail": "program", "hang": True, **more}}
    with bench.clocked("--probe", "A1", "--timeout", "30") as run:
        bench.await_faults()
        run.let(29.9)
        while (until := run.waits_until()) < 29.9:
            pass
        assert until == 30
        run.let(30)
        if "deaf" in more:
            while run.waits_until() < 30.1:
                assert run.poll() is None
            run.let(32)
        out, err = run.communicate(timeout=GUARD_S)
    assert (run.returncode, out) == (FAILED, "")
    assert "did not end within 30 s" in err


# ---- a mesh ----

BOARDS = [(f"S{x}{y}", x, y) for y in range(3) for x in range(3)]


def test_a_mesh(bench):
    bench.write_map(BOARDS)
    done = bench.mesh()
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(bench.all("begun")) == sorted(b[0] for b in BOARDS)
    for line, (probe, x, y) in enumerate(BOARDS, 2):
        assert (f"board {x},{y} (probe {probe}, {bench.map}:{line}): "
                "programmed, verified and started") in done.stdout
    assert "9 of 9 boards flashed" in done.stdout


@pytest.mark.parametrize("args, most", [
    ((), 4), (("--jobs", "7"), 7)])
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
        assert process.wait(GUARD_S) == 0


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
    (signal.SIGINT, {}), (signal.SIGHUP, {}),
    (signal.SIGTERM, {"deaf": True, "child": True})])
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
        _, err = process.communicate(timeout=GUARD_S)
    assert process.returncode == INTERRUPTED and AGAIN in err


def test_nobody_reads_what_is_told(bench):
    """All boards are written; that nobody heard of it is an error."""
    bench.write_map(BOARDS[:6])
    with bench.started("--map", bench.map) as process:
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(GUARD_S) == FAILED
    assert err == "quincunx: standard output: Broken pipe\n"
    assert bench.all("step").count("done") == 6


def test_killed(bench):
    """OpenOCD goes with the command, as the fixture sees."""
    bench.answers = {"A1": {"fail": "program", "hang": True}}
    with bench.started("--probe", "A1"):
        bench.await_faults()


# ---- images ----

def segments(*parts):
    return image.elf([image.segment(*part) for part in parts])


FLASH, RAM = image.FLASH, image.RAM


def at_flash(**vectors):
    return segments((FLASH, image.code(**vectors)))


def one_segment(data=image.code(), **more):
    """A file of one segment; what is `more` is the segment's or the file's."""
    of_segment = {key: more.pop(key) for key in ("kind_of", "offset")
                  if key in more}
    if "kind_of" in of_segment:
        of_segment["kind"] = of_segment.pop("kind_of")
    return image.elf([image.segment(FLASH, data, **of_segment)], **more)


BAD_IMAGES = [
    (b"", "not an ELF file"), (b"hello " * 100, "not an ELF file"),
    (image.code(), "not an ELF file"),
    (one_segment(machine=image.X86_64), "another machine"),
    (one_segment(wide=2), "another machine"),
    (one_segment(order=2), "another machine"),
    (one_segment(kind=image.OBJECT), "not been linked"),
    (segments((0, image.code())),
     "is an image for another board: it loads 1024 bytes at 0x00000000"),
    (segments((RAM, image.code())), "another board"),
    (segments((FLASH, image.code()), (FLASH - 4, bytes(8))), "another board"),
    (segments((FLASH, image.code()), (FLASH + image.FLASH_BYTES - 4,
                                      bytes(8))), "another board"),
    (segments((FLASH, image.code()), (0xFFFFFFFC, bytes(8))), "another board"),
    (segments((FLASH, image.code()), (FLASH + 1023, bytes(8))),
     "loads 0x080003ff twice"),
    (segments((FLASH, image.code()), *[
        (FLASH + 0x1000 + 16 * i, bytes(16)) for i in range(64)]),
     "over 64 segments"),
    (image.elf([]), "loads nothing"),
    (one_segment(kind_of=image.EXIDX), "loads nothing"),
    (one_segment(b"", count=9), "no table of segments"),
    (image.good()[:-1], "is cut off"),
    (one_segment(offset=0xFFFFFFF0), "is cut off"),
    (segments((FLASH + 0x4000, image.code())),
     "no vector table at 0x08000000"),
    (segments((FLASH, image.code()[:7])), "no vector table"),
    (at_flash(stack=FLASH + 64), "stack pointer 0x08000040"),
    *[(at_flash(stack=stack), "stack pointer") for stack in (
        0, RAM, RAM + image.RAM_BYTES + 4, RAM + 6)],
    (at_flash(reset=FLASH + 8), "reset vector 0x08000008"),
    *[(at_flash(reset=reset), "reset vector") for reset in (
        RAM + 9, FLASH + 1025, 0)],
    *[(image.good(64)[:length], "") for length in (
        1, 5, 16, 51, 52, 83, 84, 147)],
]


def with_identity(**identity):
    return segments((FLASH + 0x8000, bytes(40)), (
        FLASH, image.with_identity(**{"pins": b"generic", **identity})))


def test_bad_images(bench):
    """Cut anywhere, not made up (what is built for emulated boards), or of
    another identity."""
    cases = [*BAD_IMAGES, (mesh.FIRMWARE.read_bytes(), "another board"),
             *[(with_identity(**wrong), "another board") for wrong in (
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
            (image.good(512 * 1024), 512), (image.good(image.FLASH_BYTES),
                                            1024),
            (segments((FLASH, image.code()), (FLASH + 0x20000, bytes(100))),
             129),
            (segments((RAM, b""), (FLASH, image.code())), 1),
            (segments((FLASH, image.code()), (FLASH + 1024, bytes(8))), 2),
            (segments((FLASH, image.code()), *[
                (FLASH + 0x1000 + 16 * i, bytes(16)) for i in range(63)]), 5),
            (at_flash(stack=RAM + 4), 1)]:
        bench.image.write_bytes(data)
        done = bench.one()
        assert done.returncode == 0, done.stderr
        asked = "\n".join(value for _, value in bench.all("asked")[-1])
        assert f"$kib < {kib} ||" in asked


# ---- coordinates in the image ----

@pytest.mark.parametrize("size, args", [
    ((3, 2), ("--partial",)), ((5, 4), ("--partial", "--mesh", "5x4"))])
def test_coordinates_are_set(bench, size, args):
    """Eight bytes of each board's image are its own, and no other."""
    bench.image.write_bytes(with_identity())
    boards = [("A", 0, 0), ("B", 2, 1), ("C", 0, 1)]
    bench.write_map(boards)
    assert bench.mesh("--set-coordinates", *args).returncode == 0
    plain = bench.image.read_bytes()
    at = plain.index(b"QNCX") + 8
    for probe, x, y in boards:
        assert (bench.folder / f"written-{probe}").read_bytes() == (
            plain[:at] + struct.pack("<4H", x, y, *size) + plain[at + 8:])
    assert bench.one().returncode == 0
    assert (bench.folder / "written-A1").read_bytes() == plain, "unasked"
    bench.map.write_text("probe\nC\n")
    refused(bench.mesh("--set-coordinates"), f"{bench.map}:2",
            "has no x and y for --set-coordinates")


# ---- maps ----

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


def test_a_map_of_too_many_boards(bench):
    bench.write_map([(f"P{i}", i % 100, i // 100) for i in range(4097)])
    refused(bench.mesh("--partial"), f"{bench.map}:4098:", "over 4096 boards")


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


def test_probes_of_several_kinds(bench):
    """The transport goes with the interface."""
    kinds = {"A": ("jlink", "swd"), "B": ("stlink-dap", "dapdirect_swd"),
             "C": ("cmsis-dap", "swd"), "D": ("stlink", "hla_swd")}
    bench.map.write_text("probe,interface\nA,jlink\nB,\nC,cmsis-dap\n"
                         "D,stlink\n")
    assert bench.mesh("--interface", "stlink-dap").returncode == 0
    for event in bench.log():
        if "asked" in event:
            kind, transport = kinds.pop(event["begun"])
            assert ["-f", f"interface/{kind}.cfg"] in event["asked"]
            assert ["-c", f"transport select {transport}"] in event["asked"]
    assert kinds == {}


# ---- pins and unique numbers ----

def test_pins_of_the_map(bench):
    """Told before any board is touched."""
    bench.image.write_bytes(with_identity(pins=b"pyboard"))
    bench.map.write_text("probe,pins\nA,pyboard\nB,feather405\n")
    refused(bench.mesh(), f"probe B ({bench.map}:3): ",
            "has the pins 'feather405', but the image is for 'pyboard' "
            "(make PINS=feather405)")
    bench.image.write_bytes(image.good())
    refused(bench.mesh(), "but the image tells none (make PINS=")
    assert bench.log() == []
    bench.map.write_text("probe,pins\nA,pyboard\nB,\n")
    bench.image.write_bytes(with_identity(pins=b"pyboard"))
    assert bench.mesh().returncode == 0


# ---- a real OpenOCD ----

@REAL
def test_a_real_openocd_finds_no_such_probe(bench):
    """All that comes before was understood; what it says is passed on."""
    bench.programs["openocd"] = "openocd"
    for interface in "stlink", "cmsis-dap", "jlink":
        done = bench.one("--interface", interface, probe="NoSuchProbe:1")
        failed(done, "the probe or the board behind it does not answer")
        assert re.search(
            r"^    Error: (open failed|unable to find a matching CMSIS-DAP "
            r"device|Invalid serial number)", done.stderr, re.MULTILINE)


# A real OpenOCD whose cmsis-dap is a wire to an emulated chip: there is no SWD
# on that wire, nor memory for OpenOCD's own loader to run in.
CONFIG = """adapter driver remote_bitbang
remote_bitbang host {folder}/wire
set WORKAREASIZE 0
proc transport {{what args}} {{
    if {{$what eq "select"}} {{ return jtag }}
    {{*}}[list "transport $what"]
}}
"""
WIRED = ("--interface", "cmsis-dap", "--timeout", "3000")


@contextlib.contextmanager
def chip_behind(bench, **faults):
    """The chip that a real OpenOCD reaches."""
    scripts = bench.folder / "interface"
    scripts.mkdir(exist_ok=True)
    (scripts / "cmsis-dap.cfg").write_text(CONFIG.format(folder=bench.folder))
    bench.script("real-openocd", f"echo $$ > {bench.folder}/pid\n"
                 f'exec openocd -s {bench.folder} "$@"')
    bench.programs["openocd"] = bench.programs.pop("real-openocd")
    it = chip.Chip(**faults)
    server = chip.Server(it, bench.folder / "wire")
    yield it
    server.stop()
    (bench.folder / "wire").unlink()


@pytest.mark.boards
@REAL
def test_a_real_openocd_programs_a_chip(bench):
    """Every byte, in one sector and no other; then the chip runs."""
    bench.image.write_bytes(image.good(64))
    before = bytes(0xFF - i % 251 for i in range(chip.FLASH_BYTES))
    with chip_behind(bench) as it:
        it.flash[:] = before
        done = bench.one(*WIRED)
    assert (done.returncode, done.stderr) == (0, "")
    assert "IDCODE 0x10076413, 1024 KiB" in done.stdout
    assert it.flash[:64] == image.code(64)
    assert it.flash[16 << 10:] == before[16 << 10:]
    assert [e for e in it.events if e.startswith("erase")] == ["erase 0"]
    assert it.events[-1] == "reset run" and not it.halted


OTHER = b"QNCX" + struct.pack("<6H16s", 2, 405, *[0xFFFF] * 4, b"feather405")


UNIQUE = "002000313431470a37363834"
MEMORY = """proc read_memory {address width count} {
    switch $address {
        0xe0042000 {return %s}
        0x1fff7a22 {return %s}
        0x1fff7a10 {return {0x200031 0x3431470a 0x37363834}}
        0x08000188 {return {%s}}
    }
    error "nothing at $address"
}"""
STRANGE = (OTHER[:8] + b"\x03" + OTHER[9:16]
           + b"$x [a]\x07\xff".ljust(16, b"\0"))
RIGHT, BLANK = "0x10076413", 32 * b"\xff"
WRONG_ID, SIZE = "this is no STM32F405/407", "the flash must have 1 KiB"
OTHER_PINS = ("the image in this board is for the pins 'feather405', this one "
              "for 'generic' (--force-pins writes it all the same)")
# ID code, KiB, what is at the identity's place, options; what is told.
CHIPS = [
    ("0x20036413", 1024, BLANK, (), None), (RIGHT, 1, BLANK, (), None),
    ("0x10016419", 1024, BLANK, (), WRONG_ID),
    ("0x20036411", 1024, BLANK, (), WRONG_ID),
    ("0", 1024, BLANK, (), WRONG_ID),
    (RIGHT, 0, BLANK, (), SIZE), (RIGHT, 2048, BLANK, (), "and at most 1024"),
    (RIGHT, 1024, OTHER, (), OTHER_PINS),
    (RIGHT, 1024, OTHER, ("--force-pins",), None),
    (RIGHT, 1024, STRANGE, (), "for the pins '$x[a]', this one"),
    (RIGHT, 1024, OTHER.replace(b"feather405", b"generic\0\0\0"), (), None),
    (RIGHT, 1024, OTHER.replace(b"feather405", b"generic2\0\0"), (),
     "for the pins 'generic2'"),
    (RIGHT, 1024, b"QNCX\x01" + OTHER[5:], (), None),
    (RIGHT, 1024, b"other" + OTHER[5:], (), None)]


def judged(bench, idcode, kib, held):
    """What a real OpenOCD makes of the words that were asked last, up to
    programming; the memory that they read is made up."""
    asked = bench.all("asked")[-1]
    first = next(i for i, word in enumerate(asked) if "set id" in word[1])
    last = asked.index(["-c", "echo {quincunx-step program}"])
    words = " ".join(f"{word:#x}" for word in struct.unpack("<8I", held))
    return subprocess.run(
        ["openocd", "-c", MEMORY % (idcode, kib, words),
         *sum((word for word in asked[first:last]
               if word != ["-c", "reset init"]), []), "-c", "shutdown"],
        capture_output=True, text=True, timeout=GUARD_S, check=False)


@REAL
def test_a_real_openocd_leaves_another_chip_alone(bench):
    """Nor does it write one whose pins or unique number are others."""
    bench.image.write_bytes(image.elf([image.segment(
        FLASH, image.with_identity(b"generic", 1000))]))
    bench.map.write_text(f"probe,unique\nA1,{UNIQUE}\n")
    for idcode, kib, held, args, told in CHIPS:
        assert bench.mesh(*args).returncode == 0
        done = judged(bench, idcode, kib, held)
        assert (done.returncode == 0) == (told is None), (held, done.stderr)
        assert (told or f"KiB, unique {UNIQUE}") in done.stderr, done.stderr
    bench.map.write_text(f"probe,unique\nA1,{UNIQUE[:-1]}5\n")
    assert bench.mesh().returncode == 0
    done = judged(bench, RIGHT, 1024, BLANK)
    assert done.returncode != 0
    assert f"this chip's unique number is {UNIQUE}, not" in done.stderr


@REAL
@pytest.mark.boards
def test_a_chip_that_does_not_verify_is_left_without_vectors(bench):
    bench.image.write_bytes(image.good(64))
    with chip_behind(bench, stuck=chip.FLASH + 0x11) as it:
        failed(bench.one(*WIRED), "its flash does not read back as written",
               "checksum mismatch")
    assert set(it.flash) == {0xFF} and it.halted
    assert it.events[-1] == "erase 0"


@REAL
def test_a_real_openocd_is_interrupted(bench):
    """While the chip's flash is being unlocked."""
    bench.image.write_bytes(image.good(64))
    with chip_behind(bench, hold="unlock") as it:
        with bench.started("--probe", "A1", *WIRED) as process:
            assert it.held.wait(GUARD_S)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=GUARD_S)
        it.go_on.set()
    assert process.returncode == INTERRUPTED
    assert f"interrupted; {AGAIN}" in err
    assert not mesh.alive(int((bench.folder / "pid").read_text()))


# ---- make ----

def make(bench, *args):
    bench.words([])  # writes the answers
    return subprocess.run(
        ["make", "-s", "-C", mesh.ROOT, f"OPENOCD={bench.programs['openocd']}",
         f"BUILD={mesh.BUILD.relative_to(mesh.ROOT)}", *args],
        capture_output=True, text=True, timeout=GUARD_S, check=False,
        env=bench.environment())


@REAL  # it would be installed
def test_make_flash(bench):
    done = make(bench, "flash", "BOARD=stm32f405", "PROBE=A1",
                f"IMAGE={bench.image}", "INTERFACE=jlink")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 boards flashed" in done.stdout
    assert bench.all("begun") == ["A1"]
    assert ["-f", "interface/jlink.cfg"] in bench.all("asked")[0]
    bench.write_map([("A", 0, 0), ("B", 1, 1)])
    done = make(bench, "flash-mesh", f"MAP={bench.map}",
                f"IMAGE={bench.image}", "FLASH_OPTIONS=--partial")
    assert done.returncode == 0, done.stderr
    assert sorted(bench.all("begun")) == ["A", "A1", "B"]
    for args, words in [
            (("PORT=/dev/null", "STM32FLASH=/bin/false"), "port /dev/null: "),
            (("DFU=A1", "DFU_UTIL=/bin/false"), "dfu A1: no ROM boot loader")]:
        done = make(bench, "flash", f"IMAGE={bench.image}", *args)
        assert done.returncode == 2 and words in done.stderr


def test_make_needs_to_know_which_board(bench):
    for args, words in [
            (("flash",), "PROBE=serial, PORT=/dev/ttyUSB0 or DFU=serial"),
            (("flash", "BOARD=", "PROBE=A"), "BOARD="),
            (("flash-mesh",), "MAP=mesh.csv"),
            *[(("flash-mesh", f"MAP={bench.folder}/{name}", "BUILD=/nowhere"),
               f"MAP '{bench.folder}/{name}': there is no such file")
              for name in ("none.csv", "it's none.csv")]]:
        done = make(bench, *args)
        assert done.returncode == 2 and words in done.stderr
        assert ("make flash-map" in done.stderr) == ("none.csv" in words)
    assert bench.log() == []

# SPDX-License-Identifier: Apache-2.0
"""A debugger at one board of a mesh that runs, and what --gdb leaves.

The job's end is held up from outside, by a board that is stopped, so that no
test depends on how long a job or a debugger takes.
"""
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess

import pytest

import clocked
import emulated
import mesh
from guard import GUARD_S

LOAD_BYTES = 200_000
IDENTITY = "((struct window *)0x21000000)->node.identity"


def gdb(folder, *commands, node="1,2"):
    """`make gdb` in batch mode."""
    words = " ".join(f"-ex '{command.replace('$', '$$')}'"
                     for command in commands)
    return subprocess.run(
        ["make", "-s", "gdb", f"NODE={node}", f"GDB_DIR={folder}",
         f"BUILD={os.environ.get('BUILD', 'build')}",
         f"GDB_ARGS=-batch -nx {words} -ex detach"], cwd=mesh.ROOT,
        stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=GUARD_S)


def no_watchdog_barks(run):
    """A second is the watchdog's time; a hundred go by."""
    run.let(100)
    while run.waits_until() < 100:
        pass
    assert run.poll() is None


@pytest.fixture(name="job")
def fixture_job(tmp_path):
    """A run with --gdb whose last board rests until it may go on: the run, the
    board's process, and where the sockets are."""
    image, doors = tmp_path / "image.elf", tmp_path / "doors"
    shutil.copy(mesh.FIRMWARE, image)
    with clocked.Clocked(
            "run", "--json", "--mesh", "3x3", "--kernel", "spin", "--arg",
            "1000", "--watchdog", "1", "--firmware", image, f"--gdb={doors}",
            mesh.zeros(tmp_path / "load", LOAD_BYTES)) as run:
        mesh.until(lambda: len(mesh.boards_with(image)) == 9)
        last = max(mesh.boards_with(image))
        os.kill(last, signal.SIGSTOP)
        yield run, last, doors
    for pid in mesh.boards_with(image):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def test_boards_of_a_run(job):
    """The board in that place; its pc is in the image, a variable points into
    its memory. Meanwhile the others wait, and no watchdog barks. All goes on,
    and ends as without a debugger."""
    run, last, doors = job
    assert set(os.listdir(doors)) == {"image"} | {
        f"{x}-{y}" for x in range(3) for y in range(3)}
    assert doors.stat().st_mode & 0o777 == 0o700
    done = gdb(doors, "p/x $pc", "p/x (unsigned)running", f"p {IDENTITY}.x",
               f"p {IDENTITY}.y", "info symbol $pc", node="2,1")
    assert done.returncode == 0, done.stderr
    pc, running = (int(value, 16) for value in re.findall(
        r"^\$\d = (0x[0-9a-f]+)$", done.stdout, re.M))
    assert 0 < pc < 0x400000, "not in the board's code memory"
    assert 0x20000000 <= running < 0x20400000, "not in its data memory"
    assert "\n$3 = 2\n$4 = 1\n" in done.stdout
    assert "in section .text" in done.stdout
    no_watchdog_barks(run)
    os.kill(last, signal.SIGCONT)
    out, err = run.communicate(timeout=GUARD_S)
    assert run.returncode == 0, err
    assert json.loads(out)["result"] == {"units": LOAD_BYTES}
    assert not doors.exists()


# ---- boards that halt ----

@pytest.fixture(name="halted")
def fixture_halted(tmp_path):
    """A short run, in which two boards halt before their first instruction;
    what it would print and where their sockets are."""
    line = ["run", "--json", "--mesh", "3x3", "--kernel", "spin", "--arg",
            "100", mesh.zeros(tmp_path / "load", 9000)]
    doors = tmp_path / "doors"
    with clocked.Clocked(
            *line, "--watchdog", "1", f"--gdb={doors}", "--halt", "0,0",
            "--halt=2,1", "--firmware", mesh.FIRMWARE) as run:
        mesh.until(lambda: (doors / "2-2").exists())
        yield run, line, doors


def test_boards_that_halt_wait_for_their_debuggers(halted):
    """With the last board's debugger all goes on, with the times of any other
    run."""
    run, line, doors = halted
    no_watchdog_barks(run)
    for node in ("2,1", "0,0"):
        done = gdb(doors, "info symbol $pc", node=node)
        assert "boot_reset in section" in done.stdout, done.stderr
        assert run.poll() is None or node == "0,0", "0,0 still halts"
    out, err = run.communicate(timeout=GUARD_S)
    assert run.returncode == 0, err
    assert "\n2,1 waits for its debugger: make gdb NODE=2,1\n" in err
    assert err.count("waits for its debugger") == 2
    plain = mesh.command(*line)
    assert (json.loads(out)["timeline_sha256"]
            == json.loads(plain.stdout)["timeline_sha256"])


def test_faults_that_are_a_kernels(halted):
    """A breakpoint in the kernel is there before the job. A division by zero is
    a fault; a stack that has overflowed is told as that."""
    run, _, doors = halted
    assert gdb(doors, "p 1", node="2,1").returncode == 0
    done = gdb(doors, "break spin_run", "continue", "backtrace",
               "p (*(unsigned *)0xE000ED14 >> 4) & 1", "delete",
               "set $sp = 0x1fffff00", node="0,0")
    assert "Breakpoint 1, spin_run (" in done.stdout, done.stdout + done.stderr
    assert " at scatter/engine/compute.c:" in done.stdout, "the caller"
    assert "\n$1 = 1\n" in done.stdout, done.stdout + done.stderr
    run.let(1e6)
    _, err = run.communicate(timeout=GUARD_S)
    assert run.returncode == 1
    assert "the stack has overflowed" in err
    assert not doors.exists()


def test_more_halts_than_there_may_be(tmp_path):
    done = mesh.command("run", "--mesh", "3x3", "--kernel", "spin", "--arg",
                        "1", "--gdb", *["--halt=0,0"] * 33,
                        mesh.zeros(tmp_path / "load", 1))
    assert (done.returncode, done.stdout) == (2, "")
    assert "--halt '0,0': may be given 32 times" in done.stderr


# ---- STM32F405 boards ----

def test_a_board_of_a_wired_mesh(tmp_path):
    """A variable that was counted up, and one that is changed; afterwards all
    go on. No other board is there, nor is another mesh in that folder."""
    doors = tmp_path / "doors"
    with emulated.Boards(tmp_path, "--console", "all", f"--gdb={doors}",
                         size="2x2") as boards:
        consoles = boards.up()
        for letter in "ABCDE":
            consoles[1, 0].say("n" + letter)
        assert consoles[1, 1].lines(5) == ["sA", "sB", "sC", "sD", "sE"]
        done = gdb(doors, "p/x $pc", "p commands", "list reset",
                   "set var commands = 80", node="1,0")
        assert done.returncode == 0, done.stderr
        assert re.search(r"^\$1 = 0x80[0-9a-f]{5}$", done.stdout, re.M)
        assert re.search(r"^\$2 = 5$", done.stdout, re.M), done.stdout
        assert "nvic_enable" in done.stdout, "the source was not found"
        consoles[1, 0].say("nG")
        assert consoles[1, 1].lines(1) == ["sG"]
        assert "$1 = 81" in gdb(doors, "p commands", node="1,0").stdout
        for node in "2,0", "x", "", "0,0,0":
            done = gdb(doors, "p 1", node=node)
            assert done.returncode != 0 and "no such board" in done.stderr
        before = sorted(os.listdir(doors))
        done = mesh.command("boards", "--mesh", "2x2", "--firmware",
                            emulated.IMAGE, f"--gdb={doors}")
        assert (done.returncode, done.stdout) == (1, "")
        assert "another mesh is debugged there" in done.stderr
        assert sorted(os.listdir(doors)) == before
        consoles[1, 0].say("eF")
        assert consoles[0, 0].lines(1) == ["wF"]
        assert boards.end()[0] == 0
    assert not doors.exists()


def test_all_boards_stop_with_one(tmp_path):
    """While a debugger holds one, all become silent; then all answer."""
    doors = tmp_path / "doors"
    with emulated.Boards(tmp_path, "--console", "all", f"--gdb={doors}",
                         size="2x2") as boards:
        consoles = boards.up()

        def all_silent():
            for console in consoles.values():
                console.say("!?")
            return [console.lines(1, 0.3)
                    for console in consoles.values()] == [[]] * 4

        with subprocess.Popen(
                ["gdb-multiarch", "-nx", "-q", "-batch", "-ex",
                 f"target remote {doors}/1-0", "-ex", "shell echo held",
                 "-ex", "shell read line", "-ex", "detach",
                 doors / "image"], stdin=subprocess.PIPE, text=True,
                stdout=subprocess.PIPE) as debugger:
            while debugger.stdout.readline() != "held\n":
                assert debugger.poll() is None
            mesh.until(all_silent)
            debugger.stdin.write("go on\n")
            debugger.stdin.close()
            assert debugger.wait(GUARD_S) == 0
        for console in consoles.values():
            console.await_answer()


def test_what_monitors_say(tmp_path):
    """Stops that were ordered are no debugger's, however late they are
    heard; nor is a second debugger followed."""
    library = tmp_path / "halt.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-I", mesh.ROOT, "-o", library,
                    mesh.ROOT / "qemu" / "serial" / "halt.c"], check=True)
    call = ctypes.CDLL(str(library)).wired_halt_receive
    call.restype = ctypes.c_char_p
    leader = ctypes.c_uint32(2 ** 32 - 1)
    pending = [ctypes.c_uint32(0) for _ in range(3)]

    def hear(board, line):
        return call(ctypes.byref(leader), ctypes.c_uint32(board),
                    ctypes.byref(pending[board]), line)

    stop, resume = (b'{"timestamp": {}, "event": "%s"}' % word
                    for word in (b"STOP", b"RESUME"))
    answer = b'{"return": {}}'
    assert hear(0, b'{"QMP": {}}') is None
    assert hear(1, stop) == b'{"execute":"stop"}\n'
    assert hear(2, stop) is None and hear(2, resume) is None
    pending[0].value = 1
    assert hear(1, resume) == b'{"execute":"cont"}\n'
    pending[0].value += 1
    assert hear(0, stop) is None and hear(0, answer) is None
    assert hear(0, resume) is None and hear(0, answer) is None
    assert pending[0].value == 0
    assert hear(0, answer) is None and pending[0].value == 0
    assert hear(0, stop) == b'{"execute":"stop"}\n'


# ---- the directory ----

def test_what_a_killed_launcher_left_goes(tmp_path):
    """And nothing else that may lie there."""
    doors = tmp_path / "doors"
    with emulated.Boards(tmp_path, f"--gdb={doors}", size="2x2") as boards:
        boards.process.kill()
        boards.process.wait(GUARD_S)
        assert boards.gone()
    assert len(os.listdir(doors)) == 5
    (doors / "7-7").write_text("not a socket")
    (doors / "notes").write_text("somebody's")
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(doors / "others"))
    with emulated.Boards(tmp_path, f"--gdb={doors}", size="2x1") as boards:
        assert set(os.listdir(doors)) == {"0-0", "1-0", "image", "7-7",
                                          "notes", "others"}
        done = gdb(doors, "p commands", node="1,0")
        assert "$1 = 0" in done.stdout, done.stderr
        assert boards.end()[0] == 0
    assert set(os.listdir(doors)) == {"7-7", "notes", "others"}


def test_places(tmp_path):
    """A path longer than the 107 bytes that a socket's may have will do; others
    are refused, and stay."""
    doors = tmp_path / ("long-" * 40) / "doors"
    doors.parent.mkdir()
    with emulated.Boards(tmp_path, f"--gdb={doors}", size="1x1") as boards:
        assert (doors / "0-0").is_socket()
        assert boards.end()[0] == 0
    assert not doors.exists()
    (tmp_path / "file").write_text("a file")
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name, words in [("file", "Not a directory"), ("open", "must be yours"),
                        ("link", "No such file")]:
        path = tmp_path / name
        done = mesh.command("boards", "--mesh", "1x1", "--firmware",
                            emulated.IMAGE, f"--gdb={path}")
        assert (done.returncode, done.stdout) == (1, "")
        assert words in done.stderr
        assert path.is_symlink() or path.exists(), "somebody's, and removed"

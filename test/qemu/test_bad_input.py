# SPDX-License-Identifier: Apache-2.0
"""Bad input that is more than a command line: files that change or take
nothing, limits that the command itself tells, a QEMU that is none.

What a command line alone brings about is a row of test/refused.
"""
import errno
import math
import os
import re
import resource
import signal
import subprocess
from fractions import Fraction

import pytest

import mesh
import twins
from guard import GUARD_S

FAILED = 1
RUN = ["run", "--mesh", "5x5", "--on", "native", "--kernel", "spin", "--arg",
       "32,3/7"]
OUTPUTS = ["--report", "--trace", "--gantt", "--html", "-o"]


@pytest.fixture(name="load")
def fixture_load(tmp_path):
    return mesh.zeros(tmp_path / "load", 1000)


def test_an_option_more_often_than_there_is_room():
    for line, option, most, told in (
            ("boards", "--console=0,0", 961, "may be given 961 times"),
            ("boards", "--image=0,0=x", 16, "may be given 16 times"),
            ("boards", "--cut=0,0,east", 64, "64 faults are enough"),
            ("calibrate", "--node=1,1", 1024, "may be given 1024 times"),
            ("run", "--inject=slow2@1,1", 1024, "may be given 1024 times"),
            ("run", "--slow=1,1=2", 1024, "may be given 1024 times")):
        done = mesh.command(line, "--mesh=4x4", *[option] * (most + 1))
        assert (done.returncode, done.stdout) == (2, ""), option
        name, value = option.split("=", 1)
        assert done.stderr == f"quincunx: {name} '{value}': {told}\n"


# ---- the load ----

def bytes_read(pid):
    """How many bytes a process has read so far, of any file."""
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return int(re.search(r"rchar: (\d+)", file.read())[1])


def test_a_file_that_becomes_shorter_in_the_run(tmp_path):
    """Each batch is read when its turn comes: there are four million."""
    load = mesh.zeros(tmp_path / "load", 4 * 10 ** 9)
    with subprocess.Popen([mesh.QUINCUNX, "run", "--mesh", "5x5", "--on",
                           "native", "--kernel", "search", "--arg", "y",
                           "--batch", "1000", load], text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        while bytes_read(process.pid) < 10 ** 6:
            assert process.poll() is None
        os.truncate(load, 1)
        out, errors = process.communicate(timeout=GUARD_S)
    assert (process.returncode, out) == (FAILED, "")
    assert f"quincunx: {load}: could not be read to its end" in errors


def most_at_once(path, bytes_, *words):
    """What a node's memory takes of a load of single bytes, as the message says
    that refuses all of it in one batch."""
    done = mesh.command("run", *words, "--batch", bytes_,
                        mesh.zeros(path, bytes_))
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert f"--batch {bytes_}" in done.stderr and str(path) in done.stderr
    return int(done.stderr.split("takes ")[1].split()[0])


@pytest.mark.parametrize("size, on, ratio, least", [
    ("1x1", "native", None, 8_000_000), ("5x5", "qemu", None, 8_000_000),
    ("5x5", "native", Fraction(1000, 999), 16_580_000),
    ("7x4", "native", Fraction(1, 1000), 16_580_000)])
def test_the_largest_load_works_and_one_byte_more_is_refused(
        tmp_path, size, on, ratio, least):
    """In one batch. With the longest argument, whose messages are the largest,
    and a match at the very end; or with an output, which takes memory, too."""
    kernel, arg = (("search", "z" * 255) if ratio is None
                   else ("spin", f"1,{ratio}"))
    words = ["--mesh", size, "--on", on, "--kernel", kernel, "--arg", arg]
    path, out = tmp_path / "large", tmp_path / "out"
    limit = most_at_once(path, 64 * 2 ** 20, *words)
    assert most_at_once(path, limit + 1, *words) == limit
    os.truncate(path, limit)
    if ratio is None:
        with path.open("r+b") as file:
            file.seek(limit - 255)
            file.write(b"z" * 255)
        report = mesh.run(path, size=size, on=on, kernel=kernel, arg=arg)
        assert report["result"]["offsets"] == [limit - 255]
        assert least < limit < 16 * 2 ** 20
    else:
        report = mesh.run(path, "-o", out, size=size, on=on, arg=arg)
        wanted = math.ceil(limit * ratio)
        period = twins.spun(256, "1/1")
        assert out.read_bytes() == (period * (wanted // 256 + 1))[:wanted]
        assert least < limit + wanted
    assert "batches" not in report


# ---- profiles, QEMU ----

def test_profile_file_works(load, tmp_path):
    path = tmp_path / "mine"
    path.write_text("# mine\n\nstartup = 1us\ntransfer = 1ns\n"
                    "hop_delay = 0  # none\n")
    report = mesh.run(load, "--profile", path, arg="1", on="native")
    assert report["profile"] == {
        "name": "mine", "startup_ps": 10 ** 6, "transfer_ps_per_byte": 1000,
        "hop_delay_ps": 0}


@pytest.mark.parametrize("program, says", [
    (b"#!/bin/sh\necho no such machine >&2\nexit 3\n", "no such machine"),
    (b"\x7fELF nonsense", "died")])
def test_a_qemu_that_does_not_start(load, tmp_path, program, says):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "qemu-system-arm").write_bytes(program)
    (folder / "qemu-system-arm").chmod(0o755)
    done = mesh.command("run", "--mesh", "2x2", "--kernel", "spin", "--arg",
                        "1", load, env=mesh.with_path(folder))
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert says in done.stderr and "died" in done.stderr


def test_a_kernel_that_the_image_lacks(load):
    """Before any board starts, with what the image has; `run' names those."""
    line = ["run", "--mesh", "31x31", "--board", "stm32f405", "--kernel",
            "spin", "--arg", "1", load]
    image = mesh.BUILD / "stm32f405" / "firmware.elf"
    done = mesh.command(*line)
    assert (done.returncode, done.stdout, done.stderr) == (
        FAILED, "", f"quincunx: {image}: this image has no kernel 'spin', only "
        "search; `make BOARD=stm32f405 KERNELS=\"search spin\"' makes one with "
        "it\n")
    line[2] = "1x1"
    line[6] = "search"
    assert (f"\nimage     {image}, with kernels search only\n"
            in mesh.command(*line).stdout)


# ---- where results go ----

def no_room():
    """In the child: no file may grow beyond 100 bytes, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.parametrize("option", OUTPUTS)
def test_file_that_takes_nothing(load, option, tmp_path):
    """The run is done: it is still told. On a disk that is full, what was there
    stays, and nothing is left beside it."""
    done = mesh.command(*RUN, option, "/dev/full", load, cwd=tmp_path)
    assert done.returncode == FAILED
    assert "quincunx: /dev/full: " in done.stderr
    assert "measured" in done.stdout
    assert sorted(tmp_path.iterdir()) == [load]
    old = tmp_path / "old"
    old.write_text("old\n")
    done = mesh.command(*RUN, option, old, load, cwd=tmp_path,
                        preexec_fn=no_room, restore_signals=False)
    assert done.returncode == FAILED
    assert f"{old}: {os.strerror(errno.EFBIG)}" in done.stderr
    assert old.read_text() == "old\n"
    assert sorted(tmp_path.iterdir()) == [load, old]


def test_full_standard_output(load):
    for more in [], ["--json"], ["--report", "-"]:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([mesh.QUINCUNX, *RUN, *more, load],
                                  stdout=full, check=False,
                                  stderr=subprocess.PIPE, timeout=GUARD_S)
        assert done.returncode == FAILED
        assert b"quincunx: standard output: " in done.stderr

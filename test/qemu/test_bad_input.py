# SPDX-License-Identifier: Apache-2.0
"""Bad input that is more than a command line: files that change or take
nothing, limits that the command itself tells, a QEMU that is none.

What a command line alone brings about is a row of test/refused.
"""
import errno
import json
import os
import re
import resource
import signal
import subprocess

import pytest

import mesh
from guard import GUARD_S

USAGE, FAILED = 2, 1
GOOD = {"mesh": "5x5", "kernel": "search", "arg": "abc", "on": "native"}
OUTPUTS = ["report", "trace", "gantt", "html"]


@pytest.fixture(name="load")
def fixture_load(tmp_path):
    path = tmp_path / "load"
    path.write_bytes(b"abcabc" * 200)
    return path


def run(load, *args, env=None, cwd=None, **options):
    """Runs GOOD with some options changed."""
    line = ["run", *args]
    for name, value in {**GOOD, **options}.items():
        line += ["--" + name, value]
    return mesh.command(*line, load, env=env, cwd=cwd)


def refused(done, status, *words):
    """Exit status, silence on stdout, and a message with these words."""
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert done.stderr.startswith("quincunx")
    for word in words:
        assert str(word) in done.stderr, (word, done.stderr)


# ---- the load ----

def test_file_without_permission(load):
    load.chmod(0)
    if os.access(load, os.R_OK):
        pytest.skip("this user may read every file")
    refused(run(load), FAILED, load, "Permission denied")


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


def most_at_once(path, **options):
    """What a node's memory takes of a load of single bytes, as it says."""
    done = run(mesh.zeros(path, 64 * 2 ** 20), "--batch", 2 ** 32 - 1,
               **options)
    refused(done, FAILED, f"--batch {2 ** 32 - 1}", path, "at most")
    return int(done.stderr.split("takes ")[1].split()[0])


@pytest.mark.parametrize("size, on", [
    ("1x1", "native"), ("5x5", "native"), ("5x5", "qemu")])
def test_the_largest_load_works_and_one_byte_more_is_refused(
        tmp_path, size, on):
    """With the longest argument, whose messages are the largest."""
    options = {"mesh": size, "on": on, "arg": "z" * 255}
    limit = most_at_once(tmp_path / "large", **options)
    assert 8 * 10 ** 6 < limit < 16 * 2 ** 20
    path = mesh.zeros(tmp_path / "largest", limit + 1)
    refused(run(path, "--batch", limit + 1, **options), FAILED, limit + 1,
            limit)
    os.truncate(path, limit)
    with path.open("r+b") as file:
        file.seek(limit - 255)
        file.write(b"z" * 255)
    done = run(path, "--json", **options)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["result"]["offsets"] == [limit - 255]
    assert "batches" not in report


# ---- subcommands, profiles ----

def test_no_subcommand_and_one_kernel_of_the_list():
    done = mesh.command()
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "plan" in done.stderr and "run" in done.stderr
    done = mesh.command("kernels", "search")
    assert done.returncode == 0 and done.stdout in mesh.command(
        "kernels").stdout
    assert re.findall(r"^(\w+)", done.stdout, re.M) == ["search"]


def test_profile_file_works(load, tmp_path):
    path = tmp_path / "mine"
    path.write_text("# mine\n\nstartup = 1us\ntransfer = 1ns\n"
                    "hop_delay = 0  # none\n")
    done = run(load, "--json", profile=path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["profile"] == {
        "name": "mine", "startup_ps": 10 ** 6, "transfer_ps_per_byte": 1000,
        "hop_delay_ps": 0}


# ---- QEMU ----

@pytest.mark.parametrize("program, says", [
    (b"#!/bin/sh\necho no such machine >&2\nexit 3\n", "no such machine"),
    (b"\x7fELF nonsense", "died")])
def test_a_qemu_that_does_not_start(load, tmp_path, program, says):
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "qemu-system-arm").write_bytes(program)
    (folder / "qemu-system-arm").chmod(0o755)
    done = run(load, on="qemu", env=mesh.with_path(folder))
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert says in done.stderr and "died" in done.stderr


# ---- where results go ----

@pytest.mark.parametrize("option", OUTPUTS)
def test_file_that_takes_nothing(load, option, tmp_path):
    """The run is done: it is still told."""
    done = run(load, cwd=tmp_path, **{option: "/dev/full"})
    assert done.returncode == FAILED
    assert "/dev/full" in done.stderr
    assert "measured" in done.stdout
    assert sorted(tmp_path.iterdir()) == [load]


def no_room():
    """In the child: no file may grow beyond 1000 bytes, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.parametrize("option", OUTPUTS)
def test_disk_that_is_full(load, option, tmp_path):
    """What was there stays, and nothing is left beside it."""
    old = tmp_path / "old"
    old.write_text("old\n")
    done = mesh.command("run", "--mesh", "5x5", "--kernel", "search", "--arg",
                        "abc", "--on", "native", f"--{option}", old, load,
                        cwd=tmp_path, preexec_fn=no_room,
                        restore_signals=False)
    assert done.returncode == FAILED
    assert f"{old}: {os.strerror(errno.EFBIG)}" in done.stderr
    assert old.read_text() == "old\n"
    assert sorted(tmp_path.iterdir()) == [load, old]


@pytest.mark.parametrize("args", [[], ["--json"]])
def test_full_standard_output(load, args):
    line = [mesh.QUINCUNX, "run", "--mesh", "5x5", "--kernel", "search",
            "--arg", "abc", "--on", "native", *args, str(load)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(line, stdout=full, check=False,
                              stderr=subprocess.PIPE, timeout=GUARD_S)
    assert done.returncode == FAILED
    assert b"standard output" in done.stderr

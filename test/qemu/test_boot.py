# SPDX-License-Identifier: Apache-2.0
"""Boards as forks of one QEMU, and boards that start one by one: the same
boards, in less memory; and when there are no forks."""
import json
import os
import re
import shutil
import signal
import stat
import subprocess

import pytest

import clocked
import mesh
from guard import GUARD_S
from standing import Standing

# Of a QEMU that has what it takes, boards get the machine that it has made.
WITH_MACHINE = "version 7." in subprocess.run(
    [mesh.QEMU, "--version"], capture_output=True, text=True, check=True).stdout
FORKED = ("quincunx: boards are forked from one QEMU"
          + (" with its machine\n" if WITH_MACHINE
             else ", and make their machine themselves\n"))
ONE_BY_ONE = "quincunx: boards start one by one: "

JOBS = {
    "speeds": ["5x5", "spin", "--arg", "8", "--slow", "0,0=2", "--slow",
               "1,2=8", "--slow", "4,4=4", "--slow", "3,3=8"],
    "tree": ["4x3", "search", "--arg", "return", "--originator", "2,1",
             "--batch", "30000"],
    "alone": ["1x1", "search", "--arg", "return"],
}


@pytest.fixture(name="load", scope="module")
def fixture_load(loads):
    return loads(mesh.text(100_000, mesh.seeded("boot")))


def run(load, size, kernel, *options, program=mesh.QUINCUNX, **more):
    return subprocess.run(
        [program, "run", "--mesh", size, "--kernel", kernel, *options,
         "--json", load], capture_output=True, text=True, timeout=GUARD_S,
        check=False, stdin=subprocess.DEVNULL, **more)


def report_of(done):
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    del report["wall_s"], report["command"], report["memory"]
    return report


@pytest.mark.parametrize("name", JOBS)
def test_both_boots_are_the_same(load, name):
    """All of the report but the host's clock; and each is what it says."""
    forked = run(load, *JOBS[name], "--boot", "fork", "--verbose")
    alone = run(load, *JOBS[name], "--boot", "exec", "--verbose")
    assert report_of(forked) == report_of(alone)
    assert forked.stderr == FORKED
    assert alone.stderr == ONE_BY_ONE + "--boot exec\n"


def test_forks_are_the_default(load):
    """Nothing is said of it, unless it is asked for."""
    assert run(load, *JOBS["tree"]).stderr == ""
    for words in [("compare", "--mesh", "3x3", "--kernel", "spin", "--arg",
                   "1", load), ("calibrate", "--mesh", "3x3")]:
        done = mesh.command(*words, "--verbose")
        assert done.returncode == 0 and FORKED in done.stderr


# ---- when there are none ----

def test_a_qemu_that_a_script_starts(load, tmp_path):
    """The script becomes QEMU, or has it as its child: either takes the object
    along. Of a QEMU that takes none, boards start one by one; the words of one
    that would not be a zygote are dropped."""
    other = ONE_BY_ONE + "this QEMU does not take zygote.so\n"
    reports = []
    for text, said in [
            ('exec {real} "$@"', FORKED), ('{real} "$@"', FORKED),
            # as a static QEMU
            ('unset LD_PRELOAD\nexec {real} "$@"', other),
            ('case "$*" in *-readconfig*) exit 3; esac\nexec {real} "$@"',
             other)]:
        env = mesh.qemu_script(tmp_path, text)
        done = run(load, *JOBS["tree"], "--verbose", env=env)
        assert done.stderr == said, text
        reports.append(report_of(done))
    assert all(report == reports[0] for report in reports)
    env = mesh.qemu_script(tmp_path, 'exec {real} "$@" 3<&-')
    done = run(load, *JOBS["tree"], "--verbose", env=env)
    assert done.stderr.startswith(other)
    env = mesh.qemu_script(tmp_path, 'unset LD_PRELOAD\nexec {real} "$@"')
    done = run(load, "3x3", "spin", "--arg", "1", "--inject", "die@1,2",
               env=env)
    assert done.returncode == 1 and "node 1,2 died" in done.stderr
    assert "readconfig" not in done.stderr


def test_a_qemu_that_never_answers(load, tmp_path):
    """It is given thirty seconds, of the command's own time."""
    for program, name in ((clocked.PROGRAM, "quincunx"),
                          (mesh.BUILD / "zygote.so", "zygote.so")):
        shutil.copy(program, tmp_path / name)
    env = mesh.qemu_script(tmp_path, "case \"$*\" in *-readconfig*) "
                           f"exec cat {tmp_path}/none; esac\n"
                           "exec {real} \"$@\"")
    os.mkfifo(tmp_path / "none")
    size, kernel, *options = JOBS["tree"]
    with clocked.Clocked(
            "run", "--mesh", size, "--kernel", kernel, *options, "--verbose",
            "--firmware", mesh.FIRMWARE, load, env=env,
            program=tmp_path / "quincunx") as command:
        command.let(1)  # for processes that end
        with open(tmp_path / "none", "wb"):
            command.let(29)
            while command.waits_until() < 29:
                pass
            assert mesh.children_of(command.pid)
            command.let(60)
            _, err = command.communicate(timeout=GUARD_S)
    assert command.returncode == 0 and err == (
        ONE_BY_ONE + "QEMU with zygote.so did not answer within 30 s\n")


def test_where_the_object_is(load, tmp_path):
    """Beside the program, though the folder's name is a list of what is to be
    preloaded, with blanks and colons."""
    folder = tmp_path / "with blanks: and colons"
    folder.mkdir()
    shutil.copy(mesh.QUINCUNX, folder)
    line = [*JOBS["tree"], "--verbose", "--firmware", mesh.FIRMWARE]
    for said in ONE_BY_ONE + "zygote.so is not beside this program\n", FORKED:
        done = run(load, *line, program=folder / "quincunx")
        assert (done.returncode, done.stderr) == (0, said)
        shutil.copy(mesh.BUILD / "zygote.so", folder)


# ---- processes and their memory ----

def huge_pages_allowed(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        return re.search(r"^THP_enabled:\s*(\d)$", lines.read(), re.M)[1]


def look_at(standing):
    """Boards alone are the launcher's children: the zygote has ended. They have
    small pages, and their launcher what it had. Their descriptors are their
    own only: doorbell, window, log and what QEMU opens, no socket to a zygote,
    none of the object, no other board's window."""
    boards = standing.boards()
    assert sorted(mesh.children_of(standing.process.pid)) == sorted(boards)
    assert all(os.getpgid(pid) == pid for pid in boards)
    assert {huge_pages_allowed(pid) for pid in boards} == {"0"}
    assert huge_pages_allowed(standing.process.pid) == "1"
    windows = set()
    for pid in boards:
        names = {fd: os.readlink(f"/proc/{pid}/fd/{fd}")
                 for fd in os.listdir(f"/proc/{pid}/fd")}
        assert not [name for name in names.values() if "zygote" in name]
        assert names["0"] == "/dev/null"
        assert stat.S_ISSOCK(os.stat(f"/proc/{pid}/fd/3").st_mode)
        assert [fd for fd, name in names.items() if "-window" in name][:1]
        assert sum(name.startswith("socket:") for name in names.values()) == 1
        windows.add(os.stat(f"/proc/{pid}/fd/4").st_ino)
    assert len(windows) == 25
    return mesh.memory_of_all(boards)


def test_boards_that_stand(load, tmp_path):
    """Forks take less memory, counted in one moment: a page that several share
    is parted. What is expected is not much less than all take, nor much more
    than few boards of the QEMU that takes most."""
    taken = {}
    for boot in "fork", "exec":
        with Standing(tmp_path / boot, load, "--boot", boot) as standing:
            taken[boot] = look_at(standing)
            of_all = standing.memory_bytes()
        done = run(load, "5x5", "spin", "--arg", "1", "--boot", boot)
        expected = json.loads(done.stdout)["memory"]["expected_bytes"]
        assert of_all / 1.15 < expected < 2.5 * of_all
    assert taken["exec"] > 2 * taken["fork"], taken


def zygote_among(pids):
    """The one that holds the object open; None if there is none."""
    for pid in pids:
        try:
            if "zygote" in os.readlink(f"/proc/{pid}/fd/4"):
                return pid
        except OSError:
            pass
    return None


def test_a_zygote_that_is_ended(load, tmp_path):
    """While boards boot: those that there are go on, the others start one by
    one, and the job is done."""
    image = tmp_path / "image.elf"
    shutil.copy(mesh.FIRMWARE, image)
    with subprocess.Popen(
            [mesh.QUINCUNX, "run", "--mesh", "8x8", "--kernel", "spin",
             "--arg", "1", "--json", "--firmware", str(image), "--verbose",
             str(load)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True) as process:
        zygote = mesh.until(
            lambda: len(mesh.boards_with(image)) > 10
            and zygote_among(mesh.children_of(process.pid)), pause=0.005)
        os.kill(zygote, signal.SIGKILL)
        out, err = process.communicate(timeout=GUARD_S)
    assert process.returncode == 0, err
    assert err == FORKED + ONE_BY_ONE + "the zygote has ended\n"
    assert json.loads(out)["result"] == {"units": 100_000}
    assert not mesh.boards_with(image)

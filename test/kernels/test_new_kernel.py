# SPDX-License-Identifier: Apache-2.0
"""`make new-kernel`: what it writes builds, passes its own test, and is listed;
what it must not overwrite it leaves alone. And a checkout with any name."""
import json
import re
import shutil
import signal
import subprocess

import pytest

from core import BUILD, ROOT
from guard import GUARD_S

SOURCES = ("Makefile", "boot", "hal", "torus", "scatter", "kernels", "linker",
           "qemu", "test")


def make(folder, *args):
    return subprocess.run(["make", *args], cwd=folder, text=True, check=False,
                          capture_output=True, timeout=GUARD_S)


def copy_sources(folder):
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=(
                shutil.ignore_patterns("__pycache__", "*.svg")))
        else:
            shutil.copy2(source, folder / name)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The sources and what is built of the host's side of them."""
    folder = tmp_path_factory.mktemp("copy")
    copy_sources(folder)
    shutil.copytree(BUILD, folder / "build", ignore=shutil.ignore_patterns(
        "mps2_*", "stm32*", "sanitized", "chip*"))
    return folder


def test_the_skeleton_builds_and_passes_its_test(copy):
    done = make(copy, "new-kernel", "NAME=parity_2")
    assert (done.returncode, done.stderr) == (0, "")
    shown = re.search(r"^    \$ make new-kernel NAME=demo\n((?:    .*\n)*)",
                      (ROOT / "kernels" / "README.md").read_text("utf-8"),
                      re.MULTILINE)[1]
    assert done.stdout.replace("parity_2", "demo") == re.sub(
        "^    ", "", shown, flags=re.MULTILINE)
    assert "@NAME@" not in (copy / "kernels/parity_2.c").read_text()
    done = make(copy, "build/quincunx", "build/test/kernels.so")
    assert (done.returncode, done.stderr) == (0, "")
    listed = subprocess.run([copy / "build/quincunx", "kernels"], text=True,
                            capture_output=True, check=True, timeout=GUARD_S)
    assert "\nparity_2 " in "\n" + listed.stdout
    done = subprocess.run(
        ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         copy / "test/kernels/test_kernel_parity_2.py"], cwd=copy, text=True,
        capture_output=True, check=False, timeout=GUARD_S)
    assert done.returncode == 0, done.stdout


def test_names_that_are_none(copy):
    before = sorted((copy / "kernels").iterdir())
    for name in ("", "Upper", "2nd", "a-b", "a" * 16, "a b", "../x", "x;y"):
        done = make(copy, "new-kernel", f"NAME={name}")
        assert done.returncode != 0
        assert "must be 1 to 15 of a-z, 0-9 and _" in done.stderr, name
    assert sorted((copy / "kernels").iterdir()) == before


def test_what_is_there_stays(copy):
    before = (copy / "kernels/spin.c").read_bytes()
    done = make(copy, "new-kernel", "NAME=spin")
    assert done.returncode != 0
    assert "kernels/spin.c exists" in done.stderr
    assert (copy / "kernels/spin.c").read_bytes() == before


# ---- a kernel that crashes inside the command ----

@pytest.fixture(scope="module")
def wreck(copy):
    """Runs a job of test/kernels/wreck.c with this argument."""
    shutil.copy2(ROOT / "test/kernels/wreck.c", copy / "kernels/wreck.c")
    done = make(copy, "build/quincunx")
    assert done.returncode == 0, done.stderr
    (copy / "load").write_bytes(bytes(100_000))

    def run(argument):
        return subprocess.run(
            ["build/quincunx", "run", "--on", "native", "--mesh", "3x2",
             "--kernel", "wreck", "--arg", argument, "load"], cwd=copy,
            text=True, capture_output=True, check=False, timeout=GUARD_S)

    yield run
    (copy / "kernels/wreck.c").unlink()


@pytest.mark.parametrize("argument, where, ended, what", [
    ("bn", r"in begin\(\)", signal.SIGSEGV, "Segmentation fault"),
    ("bz", r"in begin\(\)", signal.SIGFPE, "Floating point exception"),
    ("bs", r"in begin\(\)", signal.SIGSEGV, "Segmentation fault"),
    ("pn", r"in report\(\)", signal.SIGSEGV, "Segmentation fault"),
    ("rn", "on native node [0-2],[01]", signal.SIGSEGV, "Segmentation fault"),
    ("rz", "on native node [0-2],[01]", signal.SIGFPE,
     "Floating point exception"),
    ("rs", "on native node [0-2],[01]", signal.SIGSEGV, "its stack is full")])
def test_a_crash_names_the_kernel_and_the_place(wreck, argument, where, ended,
                                                what):
    done = wreck(argument)
    assert done.returncode == -ended
    # Several nodes may crash at once, each in its thread: one is named.
    assert re.fullmatch(
        f"quincunx: kernel wreck crashed {where}: {what}; `gdb --args' before "
        "this command shows where\n", done.stderr), done.stderr


def test_a_kernel_that_does_not_crash_is_silent(wreck):
    done = wreck("xx")
    assert (done.returncode, done.stderr) == (0, "")


# ---- a checkout with any name ----

def test_a_path_with_blanks_and_quotes(tmp_path):
    """The firmware is compiled there, and the host command is linked and finds
    it beside itself."""
    folder = tmp_path / """it's "a" & b"""
    folder.mkdir()
    copy_sources(folder)
    shutil.copytree(BUILD / "host", folder / "build" / "host")
    shutil.copy2(BUILD / "host.flags", folder / "build")
    done = make(folder, "build/quincunx", "build/mps2_an385/firmware.elf")
    assert (done.returncode, done.stderr) == (0, "")
    (folder / "load").write_bytes(bytes(1000))
    done = subprocess.run(
        ["build/quincunx", "run", "--json", "--mesh", "2x1", "--kernel", "spin",
         "--arg", "32", "load"], cwd=folder, text=True, capture_output=True,
        check=False, timeout=GUARD_S)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["load"]["bytes"] == 1000

# SPDX-License-Identifier: Apache-2.0
"""`make new-kernel`: what it writes builds and passes its own test; what it
must not overwrite it leaves alone. And a kernel that crashes."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import zlib

import pytest

from core import BUILD, ROOT
from guard import GUARD_S


def make(folder, *args):
    return subprocess.run(["make", *args], cwd=folder, text=True, check=False,
                          capture_output=True, timeout=GUARD_S)


@pytest.fixture(scope="module", name="copy")
def fixture_copy(tmp_path_factory):
    """The sources, in a folder of any name, and the objects of command and
    kernels."""
    folder = tmp_path_factory.mktemp("copy") / """it's "a" & b"""
    left = shutil.ignore_patterns("__pycache__", "*.svg", "field")
    for name in ("boot", "hal", "torus", "scatter", "kernels", "linker",
                 "qemu", "test"):
        shutil.copytree(ROOT / name, folder / name, ignore=left)
    shutil.copy2(ROOT / "Makefile", folder)
    for name in ("host", "test/shared"):
        shutil.copytree(BUILD / name, folder / "build" / name)
    for path in (*BUILD.glob("*.flags"), *BUILD.glob("*.so*"),
                 *BUILD.glob("test/*.flags")):
        shutil.copy2(path, folder / path.relative_to(BUILD.parent))
    return folder


@pytest.fixture(scope="module", name="own")
def fixture_own(tmp_path_factory):
    return tmp_path_factory.mktemp("own")


@pytest.fixture(scope="module", name="begun")
def fixture_begun(copy, own):
    """What new-kernel says of a kernel in the tree, and of one with a format in
    a folder outside."""
    done = [make(copy, "new-kernel", "NAME=parity_2"),
            make(copy, "new-kernel", "NAME=odd", "FORMAT=1",
                 f"KERNEL_PATH={own}")]
    assert [(d.returncode, d.stderr) for d in done] == 2 * [(0, "")]
    return [d.stdout for d in done]


@pytest.fixture(scope="module", name="built")
def fixture_built(copy, own, begun):
    """All of them are built at once, with the examples of the page."""
    text = (ROOT / "kernels/README.md").read_text("utf-8")
    for code in re.findall(r"^```c\n(.*?)^```$", text, re.M | re.S):
        name = re.search(r"const struct kernel kernel_(\w+)", code)[1]
        (own / f"{name}.c").write_text(code)
    assert begun
    done = make(copy, "build/quincunx", "build/test/kernels.so",
                f"KERNEL_PATH={own}")
    assert (done.returncode, done.stderr) == (0, "")
    return copy


def test_what_is_begun(copy, begun):
    shown = re.search(r"^    \$ make new-kernel NAME=demo\n((?:    .*\n)*)",
                      (ROOT / "kernels/README.md").read_text("utf-8"),
                      re.MULTILINE)[1]
    assert begun[0].replace("parity_2", "demo") == re.sub(
        "^    ", "", shown, flags=re.MULTILINE)
    source = copy / "kernels/parity_2.c"
    assert "@" not in source.read_text()
    if shutil.which("clang-format"):
        done = subprocess.run(["clang-format", "--style", "file:" + str(
            ROOT / ".clang-format"), source], check=True, capture_output=True,
                              text=True)
        assert done.stdout == source.read_text()


def test_the_skeletons_pass_their_tests(built, own):
    done = subprocess.run(
        ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         built / "test/kernels/test_kernel_parity_2.py",
         own / "test_kernel_odd.py"], cwd=built, text=True,
        env={**os.environ, "PYTHONPATH": str(built / "test/lib")},
        capture_output=True, check=False, timeout=GUARD_S)
    assert done.returncode == 0, done.stdout


def run(copy, *args):
    done = subprocess.run(
        [copy / "build/quincunx", "run", "--json", *map(str, args)], text=True,
        capture_output=True, check=False, timeout=GUARD_S)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


def test_the_examples_of_the_page(built, tmp_path):
    """CRC-32 against zlib's, on every mesh; a picture, against itself."""
    load = tmp_path / "load"
    for data in b"123456789", b"", random.Random(38).randbytes(30_011):
        load.write_bytes(data)
        for size in "1x1", "5x5", "7x4":
            for more in [], ["--batch", 7001], ["--schedule", "farm"]:
                assert run(built, "--on", "native", "--mesh", size, "--kernel",
                           "crc", *more, load) == {"crc32": zlib.crc32(data)}
    pictures = []
    for size in "1x1", "5x5":
        image = tmp_path / f"{size}.pgm"
        run(built, "--on", "native", "--mesh", size, "--kernel", "mandel",
            "--arg", "columns=48,steps=60", "--load", 32, "--size", "48x32",
            "-o", image)
        pictures.append(image.read_bytes())
    assert pictures[0] == pictures[1]
    head, points = pictures[0][:12], pictures[0][-48 * 32:]
    assert head.split()[:3] == [b"P5", b"48", b"32"]
    # Row 16 is the real axis, where numbers above -2, up to 1/4, stay.
    assert set(points[16 * 48 + 1:16 * 48 + 36]) == {255} and points[0] < 20


# A makefile with what kernels.mk needs of the whole, of which every make takes
# a second.
SMALL = """BUILD := build
Q := @
same = yes
include kernels/kernels.mk
"""


def test_names_that_are_none_and_one_that_is_there(copy):
    def kernels():
        return {path.name: path.read_bytes()
                for path in (copy / "kernels").iterdir() if path.is_file()}

    (copy / "build/small.mk").write_text(SMALL)
    before = kernels()
    for name, said in (*((name, "must be 1 to 15 of a-z, 0-9 and _")
                         for name in ("", "Upper", "2nd", "a-b", "a" * 16,
                                      "a b", "../x", "x;y")),
                       ("spin", "kernels/spin.c exists")):
        done = make(copy, "-f", "build/small.mk", "new-kernel",
                    f"NAME={name}")
        assert done.returncode != 0 and said in done.stderr, name
    assert kernels() == before


# ---- a kernel that crashes inside the command, or asks for too much ----

def wrecked(tmp_path, argument):
    (tmp_path / "load").write_bytes(bytes(100_000))
    return subprocess.run(
        [BUILD / "test/wrecked", "run", "--on", "native", "--mesh", "3x2",
         "--kernel", "wreck", "--arg", argument, tmp_path / "load"],
        text=True, capture_output=True, check=False, timeout=GUARD_S)


def test_a_result_that_may_get_too_long(tmp_path):
    done = wrecked(tmp_path, "lx")
    assert (done.returncode, done.stderr) == (
        1, "quincunx: kernel wreck: its result may get 100000 bytes "
        "(result_bytes_max); at most 16384 are allowed\n")


@pytest.mark.parametrize("how, what", [
    ("l", r"a result has 12 bytes; the terms allow at most 8"),
    ("w", r"the output has (\d+) bytes; the terms say (\d+)"),
    ("s", r"the output has (\d+) bytes; the terms say (\d+): units were not "
          "computed"),
    ("m", r"merge\(\) refused a result of 8 bytes"),
    ("g", r"a result has 16 bytes; the terms allow at most 8")])
def test_what_does_not_keep_to_the_terms(tmp_path, how, what):
    done = wrecked(tmp_path, "o" + how)
    assert done.returncode == 1
    places = re.findall(r"node (\d),(\d)(?: gave up\n.*\n|:) *kernel wreck, "
                        r"(\d+) units? from unit (\d+) on: (.*)\n", done.stderr)
    assert places, done.stderr
    for x, y, units, first, said in places:
        assert int(x) < 3 and int(y) < 2
        assert int(first) + int(units) <= 100_000
        assert how in "mg" or (int(x), int(y)) != (0, 0)
        lengths = re.fullmatch(what, said)
        assert lengths, said
        if lengths.groups():
            got, wanted = map(int, lengths.groups())
            assert (got - wanted, wanted) == (1 if how == "w" else -1,
                                              int(units))


@pytest.mark.parametrize("argument, where, ended, what", [
    ("bn", r"in begin\(\)", signal.SIGSEGV, "Segmentation fault"),
    ("bz", r"in begin\(\)", signal.SIGFPE, "Floating point exception"),
    ("pn", r"in report\(\)", signal.SIGSEGV, "Segmentation fault"),
    ("rn", "on native node [0-2],[01]", signal.SIGSEGV, "Segmentation fault"),
    ("rs", "on native node [0-2],[01]", signal.SIGSEGV, "its stack is full"),
    ("xx", None, 0, None)])
def test_a_crash_names_the_kernel_and_the_place(tmp_path, argument, where,
                                                ended, what):
    """Of nodes that crash at once, each in its thread, one is named."""
    done = wrecked(tmp_path, argument)
    assert done.returncode == -ended
    assert re.fullmatch(
        f"quincunx: kernel wreck crashed {where}: {what}; `gdb --args' before "
        "this command shows where\n" if what else "", done.stderr), done.stderr

# SPDX-License-Identifier: Apache-2.0
"""`make new-kernel`: what it writes builds, passes its own test, and is listed;
what it must not overwrite it leaves alone."""
import re
import shutil
import subprocess

import pytest

from core import BUILD, ROOT

SOURCES = ("Makefile", "boot", "hal", "torus", "scatter", "kernels", "linker",
           "qemu", "test")


def make(folder, *args, timeout=300):
    return subprocess.run(["make", *args], cwd=folder, text=True, check=False,
                          capture_output=True, timeout=timeout)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The sources and what is built of the host's side of them."""
    folder = tmp_path_factory.mktemp("copy")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=(
                shutil.ignore_patterns("__pycache__", "pictures")))
        else:
            shutil.copy2(source, folder / name)
    shutil.copytree(BUILD, folder / "build",
                    ignore=shutil.ignore_patterns("mps2_an385", "sanitized"))
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
                            capture_output=True, check=True, timeout=60)
    assert "\nparity_2 " in "\n" + listed.stdout
    done = subprocess.run(
        ["/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider",
         copy / "test/test_kernel_parity_2.py"], cwd=copy, text=True,
        capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["", "Upper", "2nd", "a-b", "a" * 16, "a b",
                                  "../x", "x;y"])
def test_names_that_are_none(copy, name):
    before = sorted(path.name for path in (copy / "kernels").iterdir())
    done = make(copy, "new-kernel", f"NAME={name}")
    assert done.returncode != 0
    assert "must be 1 to 15 of a-z, 0-9 and _" in done.stderr
    after = sorted(path.name for path in (copy / "kernels").iterdir())
    assert after == before


def test_what_is_there_stays(copy):
    before = (copy / "kernels/spin.c").read_bytes()
    done = make(copy, "new-kernel", "NAME=spin")
    assert done.returncode != 0
    assert "kernels/spin.c exists" in done.stderr
    assert (copy / "kernels/spin.c").read_bytes() == before

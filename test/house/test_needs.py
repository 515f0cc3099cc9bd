# SPDX-License-Identifier: Apache-2.0
"""What must be installed: the table, what of it is missing, and what is done
about it on Debian, on other systems, and without a network."""
import os
import re
import shutil
import subprocess

import pytest

from core import ROOT
from guard import GUARD_S
from rules import read

SCRIPT = ROOT / "qemu" / "install" / "needs.sh"
ROWS = [line.split() for line in read("qemu/install/needs.txt").splitlines()
        if line and line[0] != "#"]
KINDS = ("program", "header", "cross", "python")
# What the script itself runs, and no package manager.
TOOLS = ("sh", "dirname", "awk", "sed", "sort", "tr", "paste", "cat", "id",
         "env", "fold", "gcc", "arm-none-eabi-gcc")
# Without /usr/lib/ccache, whose gcc would look for another one in the test's
# folder.
COMPILERS = os.pathsep.join(
    folder for folder in os.environ["PATH"].split(os.pathsep)
    if os.path.basename(folder) != "ccache")
TABLE = """# For Check Debian Fedora Arch Homebrew
build program:sh         dash       bash     bash   -
build program:no-such    one-deb    one-rpm  one    one
build header:stdio.h     libc6-dev  -        -      -
build header:no/such.h   two-deb    two-rpm  -      two
test  cross:nano.specs   newlib     -        -      -
test  cross:no.specs     three-deb  both-rpm both   -
test  python:json        python3    -        -      -
test  python:no_such     four-deb   both-rpm both   four
"""
MISSING = ["build:one-deb", "build:two-deb", "test:four-deb",
           "test:three-deb"]


class System:
    """A folder of programs, and a copy of the script with a table."""

    def __init__(self, folder):
        self.bin, self.log = folder / "bin", folder / "log"
        self.bin.mkdir()
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name, path=COMPILERS))
        self.script = folder / "needs.sh"
        shutil.copy(SCRIPT, self.script)
        (folder / "needs.txt").write_text(TABLE)

    def program(self, name, text):
        (self.bin / name).unlink(missing_ok=True)
        (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.bin / name).chmod(0o755)

    def apt(self, update="echo Hit:1 a mirror", install=":"):
        """Its log has an apt-get a line, and DEBIAN_FRONTEND."""
        self.program("apt-get", f'echo "$1 $DEBIAN_FRONTEND" >> {self.log}\n'
                     f'case $1 in update) {update} ;; *) {install} ;; esac')

    def logged(self):
        return self.log.read_text().splitlines() if self.log.exists() else []

    def needs(self, *args, **env):
        return subprocess.run(
            ["/bin/sh", self.script, *args], capture_output=True, text=True,
            timeout=GUARD_S, check=False, stdin=subprocess.DEVNULL,
            env={"PATH": str(self.bin), **env})


@pytest.fixture(name="system")
def fixture_system(tmp_path):
    return System(tmp_path)


def test_the_table():
    assert len(ROWS) > 30
    assert [row for row in ROWS if len(row) != 6
            or not re.fullmatch(rf"({'|'.join(KINDS)}):\S+", row[1])] == []
    assert {row[0] for row in ROWS} == {
        "build", "flash", "gdb", "gallery", "browser", "mpi", "test",
        "prove", "lint", "deb"}
    for column in (1, 2):
        names = [row[column] for row in ROWS]
        assert len(names) == len(set(names))
    assert all(row[2] != "-" for row in ROWS)


def test_what_is_included_is_needed():
    """Each library that the command includes has its line."""
    found = set()
    for path in (ROOT / "qemu").rglob("*.[ch]"):
        found |= set(re.findall(r"^#include <(.+\.h)>", path.read_text("utf-8"),
                                re.MULTILINE))
    done = subprocess.run(
        ["dpkg", "-S", *(f"/usr/include/{name}" for name in sorted(found))],
        capture_output=True, text=True, check=False)
    packages = {line.split(":")[0] for line in done.stdout.splitlines()}
    packages -= {"libc6-dev", "linux-libc-dev"}
    assert len(packages) > 5 and packages <= {
        row[2] for row in ROWS if row[1].startswith("header:")}


def test_what_is_missing(system):
    done = system.needs("missing")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == MISSING


def test_a_compiler_that_finds_nothing(system):
    """One that is not there, or fails: all that it would find is missing."""
    (system.bin / "arm-none-eabi-gcc").rename(system.bin / "away")
    assert system.needs("missing").stdout.split() == sorted(
        MISSING + ["test:newlib"])
    (system.bin / "away").rename(system.bin / "arm-none-eabi-gcc")
    for change in (lambda: (system.bin / "gcc").unlink(),
                   lambda: system.program("gcc", "exit 1")):
        change()
        assert system.needs("missing").stdout.split() == sorted(
            MISSING + ["build:libc6-dev"])


def test_a_compiler_of_another_name_whose_headers_lie_elsewhere(tmp_path):
    """CPPFLAGS counts, as it does for the compiler."""
    wrapper = tmp_path / "my-gcc"
    wrapper.write_text(f"#!/bin/sh\necho \"$@\" >> {tmp_path}/log\n"
                       'exec /usr/bin/gcc "$@"\n')
    wrapper.chmod(0o755)
    subprocess.run(["make", "-C", ROOT, "-n", "help", f"HOST_CC={wrapper}",
                    "CPPFLAGS=-I/a/folder"], check=True, timeout=GUARD_S,
                   stdout=subprocess.DEVNULL)
    assert "-I/a/folder -E" in (tmp_path / "log").read_text()


def test_packages_of_a_kind(system):
    assert system.needs("packages", "build", "header").stdout.split() == [
        "libc6-dev", "two-deb"]


@pytest.mark.parametrize("manager, lines", [
    ("dnf", ["  Fedora: sudo dnf install one-rpm two-rpm both-rpm"]),
    (None, ["  Fedora: dnf install one-rpm two-rpm both-rpm",
            "  Arch: pacman -S one both",
            "  Arch: no package is known for no/such.h (header)",
            "  Homebrew: brew install one two four",
            "  Homebrew: no package is known for no.specs (cross)"])])
def test_another_system_is_told_its_own_names(system, manager, lines):
    """An unknown one is told all."""
    if manager:
        system.program(manager, f"touch {system.log}")
    packages = [name.split(":")[1] for name in MISSING]
    done = system.needs("install", *packages)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"missing, by Debian's names: {' '.join(packages)}", *lines]
    assert not system.log.exists()


def test_a_sudo_that_drops_the_environment(system):
    system.apt()
    system.program("id", "echo 1000")
    system.program("sudo", f'echo sudo >> {system.log}\n'
                   'exec env -i PATH="$PATH" "$@"')
    done = system.needs("install", "one-deb")
    assert (done.returncode, done.stderr) == (0, "")
    assert system.logged() == ["sudo", "update noninteractive"] + [
        "sudo", "install noninteractive"] * 2


def how(reason, packages="    one-deb\n"):
    return (f"{reason}; as root, run:\n  apt-get update && apt-get install -y "
            f"--no-install-recommends \\\n{packages}")


def test_many_packages_are_named_once_in_lines_to_be_pasted(system):
    system.apt()
    system.program("id", "echo 1000")
    many = [f"package-of-length-{i}" for i in range(7)]
    done = system.needs("install", *many)
    lines = [" ".join(many[i:i + 3]) for i in (0, 3, 6)]
    assert done.stderr == how("packages are missing", "".join(
        f"    {line}{end}\n" for line, end in zip(lines, (" \\", " \\", ""))))
    assert max(map(len, done.stderr.splitlines())) < 80


def test_sizes_are_told_before_anything_is_installed(system):
    system.program("id", "echo 0")
    system.apt(install=(
        f'echo "$*" >> {system.log}; echo "Need to get 1,234 kB of archives."; '
        'echo "After this operation, 5,678 kB of additional disk space will be '
        'used."'))
    done = system.needs("install", "one-deb")
    assert done.stdout.splitlines()[1:3] == [
        "installing what is missing: 1,234 kB to fetch, 5,678 kB on the disk; "
        "`make DEPS=' installs nothing", "  one-deb"]
    words = [line for line in system.logged() if "--" in line]
    assert ["--assume-no" in line for line in words] == [True, False]


@pytest.mark.parametrize("user, update, install, ran, said", [
    (1000, ":", ":", [], how("packages are missing")),
    (0, "echo Err:1 a mirror; exit 100", ":", ["update"],
     how("no mirror of Debian can be reached for missing packages;\n"
         "with a network, run again")),
    # What can be had is installed all the same.
    (0, "echo Err:1 a mirror; echo Get:2 another; exit 100", ":",
     ["update", "install", "install"], None),
    (0, ":", "exit 100", ["update", "install", "install"],
     how("apt-get failed, and packages are missing"))],
    ids=["neither root nor sudo", "no network", "one mirror fails",
         "the installation fails"])
def test_apt_that_cannot(system, user, update, install, ran, said):
    """Why, and what to run, on stderr."""
    system.program("id", f"echo {user}")
    system.apt(update if update != ":" else "echo Hit:1 a mirror", install)
    done = system.needs("install", "one-deb")
    assert (done.returncode, done.stderr) == (
        (0, "") if said is None else (1, said))
    assert [line.split()[0] for line in system.logged()] == ran

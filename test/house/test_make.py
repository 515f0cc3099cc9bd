# SPDX-License-Identifier: Apache-2.0
"""The Makefile: what is missing is installed before anything is compiled,
flags that change compile again, and `make -n` only says so."""
import os
import re
import subprocess

import pytest

from core import ROOT
from mesh import QUINCUNX
from guard import GUARD_S
from rules import MAKEFILES, read

APT = """#!/bin/sh
echo "apt-get $*" >> "$(dirname "$0")/log"
echo "Hit:1 a mirror"
for word; do
    [ "$1" = update ] || touch "$(dirname "$0")/has-$word"
done
echo "apt-get ends" >> "$(dirname "$0")/log"
"""
# Finds neither header until it is installed, and is logged when it compiles.
COMPILER = """#!/bin/sh
here=$(dirname "$0")
case " $* " in *" -E "*)
    [ -e "$here/has-libpng-dev" ] || png=s/png.h/no-such.h/
    [ -e "$here/has-libunicorn-dev" ] || unicorn=s/unicorn.h/no-such.h/
    sed "$png;$unicorn" | gcc "$@"
    exit ;;
esac
echo "gcc" >> "$here/log"
exec gcc "$@"
"""


class Machine:
    """With programs that stand in for apt's, where two headers are missing."""

    def __init__(self, folder):
        self.bin, self.build = folder / "bin", folder / "build"
        self.bin.mkdir()
        for name, text in (("apt-get", APT), ("compiler", COMPILER),
                           ("sudo", '#!/bin/sh\nexec "$@"\n')):
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)

    def start(self, *args):
        """The finished make, whatever its status."""
        env = {key: value for key, value in os.environ.items()
               if key not in ("MAKEFLAGS", "MFLAGS")}
        return subprocess.run(
            ["make", "-C", ROOT, f"BUILD={self.build}",
             f"HOST_CC={self.bin}/compiler", *args], capture_output=True,
            text=True, timeout=GUARD_S, check=False,
            env={**env, "PATH": f"{self.bin}:{env['PATH']}"})

    def make(self, *args):
        done = self.start(*args)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def log(self):
        """What has run since the last look, apt-get without its options."""
        path = self.bin / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return [re.sub(r" -\S+( \S+=\S+)?", "", line) for line in lines]

    def objects(self, tree):
        return [str(self.build / tree / f"torus/{name}.o")
                for name in ("torus", "pattern")]


@pytest.fixture(name="machine")
def fixture_machine(tmp_path):
    return Machine(tmp_path)


def test_packages_come_first(machine):
    """Then those of the tests; and one that was removed is missed, without
    compiling anything again."""
    def apt(name):  # the sizes are asked for before
        return ["apt-get update", "apt-get ends", *2 * [
            f"apt-get install {name}", "apt-get ends"]]

    machine.make("-j4", *machine.objects("test/sanitized"))
    assert machine.log() == [*apt("libpng-dev"), *apt("libunicorn-dev"),
                             "gcc", "gcc"]
    (machine.bin / "has-libpng-dev").unlink()
    machine.make(*machine.objects("test/sanitized"))
    assert machine.log() == apt("libpng-dev")


def test_a_file_learns_at_once_how_far_the_tests_are(machine):
    assert "python3 -u -m pytest" in machine.make("-n", "test")


def test_without_a_network_make_test_says_what_is_missing(machine):
    """At once, and before anything else is done."""
    (machine.bin / "apt-get").write_text(
        f"#!/bin/sh\necho \"apt-get $1\" >> {machine.bin}/log\n"
        "echo Err:1 a mirror; exit 100\n")
    done = machine.start("-j2", "test")
    assert done.returncode == 2
    said, *ends = re.split(r"^make: \*\*\* ", done.stderr, flags=re.MULTILINE)
    assert re.match("no mirror of Debian can be reached .* install "
                    r".*\n    libpng-dev\n$", said, re.DOTALL) and ends
    assert machine.log() == ["apt-get update"]


def test_what_is_compiled_again(machine):
    """Nothing by -n; all with other flags, and after clean."""
    objects = machine.objects("host")
    said = machine.make("-n", *objects)
    assert "libpng-dev" in said and "-c torus/torus.c" in said
    assert machine.log() == [] and not machine.build.exists()
    machine.make(*objects)
    machine.log()
    flags = ("HOST_CFLAGS=-std=c11 -I. '-DNAME=\"a b\"'",)
    for words, compiled in ((flags, 2), (flags, 0), (("-j4", "clean"), 2)):
        machine.make(*words, *objects)
        assert machine.log() == ["gcc"] * compiled


# ---- a small tree, whose compilers write down what they were told ----

STUB = """#!/bin/sh
all=$*
while [ $# -gt 0 ]; do
    if [ "$1" = -o ]; then echo "$all" > "$2"; fi
    shift
done
"""
LEFT = ("torus/torus.c", "scatter/engine/core.c", "scatter/engine/pattern.c",
        "torus/split.c", "kernels/search.c", "hal/events.c",
        "hal/check.c", "hal/crc32.c", "hal/rows.c", "hal/inject.c",
        "hal/window/window.c", "boot/node.c", "boot/host/costs.c",
        "boot/cortex_m/memory.c", "qemu/main.c", "qemu/ranks/roll.c",
        "qemu/board/preload/forker.c", "qemu/install/needs.sh",
        "hal/stm32f405/pins/generic.h")
COMMAND, IMAGE = "build/quincunx", "build/mps2_an385/firmware.elf"


class Tree:
    """A copy of the makefiles, in a folder of any name, and few sources, all
    empty."""

    def __init__(self, folder):
        self.root = folder / """it's "a" & b"""
        for name in [*MAKEFILES, *LEFT, "README.md", "stub/gcc",
                     "stub/objcopy", "stub/size"]:
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(read(name) if name in MAKEFILES else STUB
                            if name.startswith("stub") else "")
            path.chmod(0o755)

    def run(self, *options):
        env = {key: value for key, value in os.environ.items()
               if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
        return subprocess.run(
            ["make", "-C", self.root, "HOST_CC=stub/gcc",
             "CROSS_COMPILE=stub/", "DEPS=", "MPI=0", *options, COMMAND, IMAGE],
            capture_output=True, text=True, check=False, timeout=GUARD_S,
            env=env)

    def linked(self):
        """What the command and the image were linked of."""
        done = self.run()
        assert done.returncode == 0, done.stderr
        return [(self.root / name).read_text() for name in (COMMAND, IMAGE)]

    def compiled(self):
        """The sources that a make would compile now."""
        return set(re.findall(r" -c (\S+)", self.run("-n").stdout))

    def replace(self, name, old, new):
        path = self.root / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))


@pytest.fixture(name="tree")
def fixture_tree(tmp_path):
    made = Tree(tmp_path)
    made.linked()
    return made


def test_a_source_that_is_gone_is_linked_no_more(tree):
    stray = tree.root / "torus" / "stray.c"
    stray.touch()
    assert all("torus/stray.o" in text for text in tree.linked())
    stray.unlink()
    assert not any("torus/stray.o" in text for text in tree.linked())


@pytest.mark.parametrize("name, old, new, again", [
    ("boot/boards.mk", "FAST := -O3", "FAST := -O2",
     {"kernels/search.c"}),
    ("boot/boards.mk", "memory_flags := ", "memory_flags := -O1 ",
     {"boot/cortex_m/memory.c"}),
    ("boot/mps2/mps2.mk", "looping_flags := -O2", "looping_flags := -O1",
     {"hal/window/window.c"}),
    ("boot/mps2/mps2.mk", "search_flags := -fno-schedule-insns",
     "search_flags :=", {"kernels/search.c"}),
    ("Makefile", "RELEASE := 0", "RELEASE := 1",
     {"qemu/main.c", "qemu/ranks/roll.c"})])
def test_flags_of_single_files_compile_these_again(tree, name, old, new, again):
    assert tree.compiled() == set()
    tree.replace(name, old, new)
    assert tree.compiled() == again


def test_the_last_choice_of_an_image_holds(tree):
    """For its board, until another one is made; tests have the usual image."""
    (tree.root / "kernels" / "spin.c").touch()
    for options, found in (((), 2), (("KERNELS=search",), 1), ((), 1),
                           (("BAUD=9600", "BOARD=stm32f405",
                             "build/stm32f405/firmware.elf"), 1),
                           (("KERNELS=",), 2), ((), 2)):
        done = tree.run(*options)
        assert done.returncode == 0, done.stderr
        assert len(re.findall(r"kernels/(?:search|spin)\.o", (
            tree.root / IMAGE).read_text())) == found, options
    line = ("-n", "-k", "BOARD=stm32f405", "build/stm32f405/firmware.elf")
    said = tree.run(*line, "build-all").stdout
    assert "CHOSEN 'stm32f405: BAUD := 9600'" in said and " -c " not in said
    said = tree.run(*line, "test").stdout
    assert "BAUD=9600" not in said and " -c torus/torus.c" in said


def test_a_page_that_changes_makes_nothing_anew(tree):
    for words in (["init", "-q"], ["add", "README.md"],
                  ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm",
                   "a"]):
        subprocess.run(["git", "-C", tree.root, *words], check=True)
    tree.linked()
    (tree.root / "README.md").write_text("more\n")
    assert tree.run("-q").returncode == 0


def test_trees_that_differ_have_versions_that_differ(tree):
    def version(*options):
        assert tree.run(*options).returncode == 0
        return re.search(r'QUINCUNX_VERSION="(.*?)"', (
            tree.root / "build/host/qemu/main.o").read_text())[1]

    first = version()
    (tree.root / "torus/torus.c").write_text("int moved;\n")
    assert version() != first
    assert version("VERSION=package") == "package"


def test_no_make_calls_make():
    assert len(MAKEFILES) > 10
    assert not [name for name in MAKEFILES if "$(MAKE)" in read(name)]


def test_the_command_is_hardened():
    """As a package's, by whatever compiler."""
    told = subprocess.run(["readelf", "-hdW", "--dyn-syms", QUINCUNX],
                          capture_output=True, text=True, check=True).stdout
    for part in (r"Type: +DYN", "BIND_NOW", "__stack_chk_fail",
                 "__snprintf_chk", r"FLAGS_1.* PIE"):
        assert re.search(part, told), part

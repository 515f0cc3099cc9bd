# SPDX-License-Identifier: Apache-2.0
"""Changes the product a little, again and again, and runs the tests that must
notice:

    run.py FOLDER [WHICH...]

FOLDER, which must not exist, becomes a copy of this checkout with its build
folder, and all happens there; it is left for a look. WHICH is the name of a
mutant, or of a list (drivers, product), or how a file's path begins (qemu/);
none: all mutants of both lists. Each is built, its tests run, and its change
undone; before that, its tests must pass without it.

Prints a line for each mutant. One that does not compile counts as found; so
does one whose tests do not end. A mutant that is marked as equivalent, with a
reason, must not be found. Exit status: 0 if all is so, 1 if not; 2 if a
mutant's text does not stand in its function just once, or if tests fail without
a change."""
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import time
from typing import NamedTuple

import drivers
import product

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DRIVER_TESTS = ("test/boards/test_chip_drivers.py", "test/boards/test_chip.py")
BUILD_S, TESTS_S = 900, 900
HOST = ("build/quincunx",)
BOARD = HOST + ("build/mps2_an385/firmware.elf",)
CHIP = HOST + (
    "build/stm32f405/firmware.elf", "build/test/stm32f405-generic.elf",
    "build/test/stm32f405-core407ve.elf", "build/test/stm32f405-feather405.elf",
    "build/test/stm32f405-pyboard.elf", "build/test/chip",
    "build/test/chip-led.elf", "build/test/chip-stack.elf")

LIBRARY = HOST + ("build/test/libcore.so",)

# What a test file needs, if not the host command and the emulated board.
NEEDS = {
    "test/qemu/test_bad_input.py": HOST,
    "test/hal/test_board_library.py": ("build/test/libcore.so",
                                       "build/test/memory.so"),
    "test/boards/test_chip.py": CHIP,
    "test/boards/test_chip_drivers.py": CHIP,
    "test/hal/test_conformance.py": ("build/test/conformance",
                                     "build/test/conformance.elf"),
    "test/hal/test_console.py": ("build/test/console-node",
                                 "build/test/console-board",
                                 "build/test/console.so"),
    "test/qemu/test_flash.py": HOST,
    "test/qemu/test_flash_loader.py": HOST,
    "test/house/test_fuzz.py": ("build/test/fuzz", "build/test/fuzz-planted",
                                "build/test/fuzz-corpus/made"),
    "test/scatter/test_planner.py": LIBRARY + ("build/test/planner_walk.so",),
    "test/mesh/test_wrong_estimate.py": BOARD + ("build/test/spin-cheap.elf",
                                                 "build/test/spin-dear.elf"),
    "test/scatter/test_rounds.py": LIBRARY,
    "test/scatter/test_advance.py": LIBRARY,
    "test/scatter/test_farm.py": LIBRARY,
    "test/scatter/test_meanwhile.py": LIBRARY,
    "test/scatter/test_slots.py": LIBRARY,
    "test/scatter/test_tree_rounds.py": LIBRARY,
    "test/qemu/test_sanitized.py": ("build/test/quincunx",),
    "test/boards/test_stm32f405.py": CHIP,
    "test/boards/test_wired.py": HOST + ("build/stm32f405/firmware.elf",
                                         "build/test/wired.elf"),
}


class Mutant(NamedTuple):
    """A change of one function, and the tests that must find it."""
    name: str
    file: str
    function: str  # the text stands in it once; "": once in the file
    old: str
    new: str
    tests: tuple   # pytest's arguments, one string a run
    same: str = ""  # why the change makes no difference


MUTANTS = {
    "drivers": [Mutant(name, file, "", old, new, DRIVER_TESTS)
                for name, file, old, new in drivers.MUTANTS],
    "product": [Mutant(*row) for row in product.MUTANTS]}


def chosen(which):
    everything = [(kind, mutant) for kind, mutants in MUTANTS.items()
                  for mutant in mutants]
    names = [mutant.name for _, mutant in everything]
    if len(set(names)) < len(names):
        sys.exit("two mutants have one name")
    result = []
    for word in which:
        found = [mutant for kind, mutant in everything
                 if word in (kind, mutant.name) or mutant.file.startswith(word)]
        if not found:
            sys.exit(f"{word}: neither a list, nor a mutant, nor where a "
                     f"mutant's file lies; mutants: {', '.join(names)}")
        result += [mutant for mutant in found if mutant not in result]
    return result if which else [mutant for _, mutant in everything]


# ---- texts ----

def extent(text, function):
    """(begin, end) of a function's definition, from its name to its last line;
    without a name, of the whole text; (0, 0) if there is no such function."""
    if not function:
        return 0, len(text)
    for found in re.finditer(rf"\b{function}\b[ =(\[]", text):
        line = text[text.rfind("\n", 0, found.start()) + 1:]
        end = text.find("\n}", found.start())
        if (not line.startswith((" ", "\t", "/*", "*", "#")) and end > 0
                and ";\n" not in text[found.start():
                                      text.find("{", found.start())]):
            return found.start(), end + 2
    return 0, 0


def changed(mutant, text):
    """The file's text with the change made."""
    begin, end = extent(text, mutant.function)
    count = text[begin:end].count(mutant.old)
    if count != 1:
        print(f"{mutant.name}: its text stands {count} times in "
              f"{mutant.function or 'all'} of {mutant.file}, must be once",
              file=sys.stderr)
        sys.exit(2)
    return (text[:begin] + text[begin:end].replace(mutant.old, mutant.new)
            + text[end:])


# ---- building and testing ----

def copy(folder):
    """This checkout, what is not committed too, and its build folder."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    if (ROOT / "build").is_dir():
        shutil.copytree(ROOT / "build", folder / "build", dirs_exist_ok=True,
                        symlinks=True, ignore=lambda place, names: [
                            name for name in names
                            if name in ("mutants", "qemu10") or
                            pathlib.Path(place, name, "Makefile").exists()])


def run(command, folder, seconds):
    """(exit status, a line that tells why); too long is a failure."""
    try:
        done = subprocess.run(command, cwd=folder, timeout=seconds, text=True,
                              errors="replace", stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return 124, f"no end in {seconds:.0f} s"
    lines = (done.stdout + done.stderr).splitlines()
    failed = [line.strip() for line in lines
              if re.match(r"(FAILED|ERROR)? *test/\S+::", line)]
    return done.returncode, (failed or lines or [""])[-1]


def targets_of(test):
    name, _, program = test.split()[0].partition("::test_all_tests_of[")
    if program:
        return ("build/test/" + program.rstrip("]"),)
    if name.startswith("test/kernels/test_kernel_"):
        return BOARD + ("build/test/kernels.so",)
    return NEEDS.get(name, BOARD)


def make(folder, tests):
    """What the tests need; of a fixed version, whatever is changed."""
    targets = {target for test in tests for target in targets_of(test)}
    return run(["make", "-s", "-j2", "VERSION=mutant", *sorted(targets)],
               folder, BUILD_S)


def pytest(folder, arguments, seconds):
    words = re.findall(r'"[^"]*"|\S+', arguments)
    return run(["/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider",
                "-q", "-x", *(word.strip('"') for word in words)],
               folder, seconds)


def fail_unchanged(folder, tests, took_s):
    """Why tests fail on the product as it is, or None; those that passed
    before, with the seconds that they took, are not run again."""
    tests = [test for test in tests if test not in took_s]
    status, why = make(folder, tests) if tests else (0, "")
    for test in tests:
        began = time.monotonic()
        if status == 0:
            status, why = pytest(folder, test, TESTS_S)
        if status == 0:
            took_s[test] = time.monotonic() - began
    return None if status == 0 else why


def found(folder, mutant, took_s):
    """By what: a line of text; None: by nothing."""
    path = folder / mutant.file
    text = path.read_text(encoding="utf-8")
    path.write_text(changed(mutant, text), encoding="utf-8")
    try:
        status, why = make(folder, mutant.tests)
        if status != 0:
            return f"it does not compile: {why}"
        for test in mutant.tests:
            status, why = pytest(folder, test, 60 + 5 * took_s[test])
            if status != 0:
                return why
        return None
    finally:
        path.write_text(text, encoding="utf-8")


def judge(folder, mutant, took_s):
    """(what is counted, a line of text)"""
    why = fail_unchanged(folder, mutant.tests, took_s)
    if why is not None:
        return "FAILS WITHOUT IT", why
    how = found(folder, mutant, took_s)
    if mutant.same:
        return ("NOT EQUIVALENT", how) if how else ("equivalent", mutant.same)
    return ("found", how) if how else ("NOT FOUND", mutant.file)


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve()
    mutants = chosen(sys.argv[2:])
    for mutant in mutants:
        changed(mutant, (ROOT / mutant.file).read_text(encoding="utf-8"))
    folder.mkdir(parents=True)
    copy(folder)
    took_s = {}
    count = collections.Counter()
    for number, mutant in enumerate(mutants, 1):
        began = time.monotonic()
        what, why = judge(folder, mutant, took_s)
        count[what] += 1
        print(f"{number:3}/{len(mutants)} {mutant.name:32}"
              f"{time.monotonic() - began:5.0f} s  {what}: {why[:110]}",
              flush=True)
    print(", ".join(f"{value} {what}" for what, value in count.items()))
    if count["FAILS WITHOUT IT"] > 0:
        return 2
    return int(count["NOT FOUND"] + count["NOT EQUIVALENT"] > 0)


if __name__ == "__main__":
    sys.exit(main())

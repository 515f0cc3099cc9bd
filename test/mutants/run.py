# SPDX-License-Identifier: Apache-2.0
"""Changes the product a little, again and again, and runs the tests that must
notice:

    run.py FOLDER [NAME...]

FOLDER, which must not be there, becomes a clone of this checkout's last commit,
in which all that happens; it is left for a look. Without names, all mutants of
chip.py. A mutant that does not compile counts as noticed. Exit status: 0 if all
were, else 1; 2 if a mutant's text does not stand in its file just once, or the
tests fail without any."""
import pathlib
import subprocess
import sys
import time

import chip

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TESTS = ["test/test_chip_drivers.py", "test/test_chip.py"]  # the quick first
TARGETS = ["build/stm32f405/firmware.elf", "build/test/stm32f405-generic.elf",
           "build/test/stm32f405-core407ve.elf",
           "build/test/stm32f405-feather405.elf",
           "build/test/stm32f405-pyboard.elf", "build/test/chip",
           "build/test/chip-led.elf", "build/test/chip-stack.elf",
           "build/quincunx"]
BUILD_S, TESTS_S = 600, 900


def run(command, folder, seconds):
    """(exit status, last line); a command that takes too long has failed."""
    try:
        done = subprocess.run(command, cwd=folder, timeout=seconds, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              check=False)
    except subprocess.TimeoutExpired:
        return 124, "no end"
    lines = (done.stdout + done.stderr).splitlines()
    failed = [line for line in lines if line.startswith("FAILED")]
    return done.returncode, (failed or lines or [""])[-1]


def make(folder):
    return run(["make", "-s", *TARGETS], folder, BUILD_S)


def tests(folder):
    return run(["/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider",
                "-q", "-x", *TESTS], folder, TESTS_S)


def noticed(folder, mutant):
    """By what: a line of text; None: by nothing."""
    _, name, old, new = mutant
    path = folder / name
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        sys.exit(f"{mutant[0]}: its text stands {text.count(old)} times in "
                 f"{name}, must be once")
    path.write_text(text.replace(old, new), encoding="utf-8")
    try:
        status, said = make(folder)
        if status != 0:
            return "it does not compile"
        status, said = tests(folder)
        return said[:70] if status != 0 else None
    finally:
        path.write_text(text, encoding="utf-8")


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    names = sys.argv[2:]
    chosen = [mutant for mutant in chip.MUTANTS
              if not names or mutant[0] in names]
    unknown = set(names) - {mutant[0] for mutant in chosen}
    if unknown:
        sys.exit(f"no such mutant: {', '.join(sorted(unknown))}; there are "
                 f"{', '.join(mutant[0] for mutant in chip.MUTANTS)}")
    subprocess.run(["git", "clone", "-q", ROOT, folder], check=True)
    print("building, and testing the product as it is", flush=True)
    for status, said in (make(folder), tests(folder)):
        if status != 0:
            print(f"the product as it is: {said}", file=sys.stderr)
            return 2
    missed = 0
    for mutant in chosen:
        began = time.monotonic()
        how = noticed(folder, mutant)
        missed += how is None
        print(f"{mutant[0]:28}{time.monotonic() - began:6.0f} s  "
              f"{how or 'NOT NOTICED'}", flush=True)
    print(f"{len(chosen)} mutants, {missed} not noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

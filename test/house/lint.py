# SPDX-License-Identifier: Apache-2.0
"""Looks at sources and pages without building anything, in some 20 s:

    lint.py          tells what it finds; the last line counts it
    lint.py --fix    mends what can be mended, then tells what is left

Exit status: 1 where the structure is broken or tests depend on the host's
clock; what is only told makes no difference."""
import concurrent.futures
import re
import subprocess
import sys
import textwrap

import rules
import structure
import waits
from rules import C_FILES, PAGES, ROOT, SCRIPTS, SOURCES, read

PYTHON = [name for name in SOURCES if name.endswith(".py")]
SCRIPTS_OF_PAGES = [name for name in rules.FILES if re.match(
    r"qemu/report/.*\.js$", name)]
HALF = len(C_FILES) // 2
# {name: commands that print a line for each thing they find}
TOOLS = {
    "clang-format": [["clang-format", "--dry-run", *C_FILES[:HALF]],
                     ["clang-format", "--dry-run", *C_FILES[HALF:]]],
    "flake8": [["flake8", "--max-line-length=80", *PYTHON]],
    "shellcheck": [["shellcheck", "-S", "warning", "-f", "gcc", *SCRIPTS]],
    "node": [["node", "--check", name] for name in SCRIPTS_OF_PAGES]}
FOUND = re.compile(r"\S+:\d+(?::|$)")


def told(command):
    """The lines of what a program finds; None if it is not here."""
    try:
        done = subprocess.run(command, cwd=ROOT, text=True, check=False,
                              capture_output=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        return None
    return [line for line in (done.stdout + done.stderr).splitlines()
            if FOUND.match(line)]


def broken():
    """What decides the exit status."""
    found = [line for rule in rules.STRUCTURE for line in rule()]
    found += structure.complaints(structure.by_includes())
    return found + waits.here()


def tell():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = {name: [pool.submit(told, one) for one in commands]
                   for name, commands in TOOLS.items()}
        decisive = broken()
        tidy = {rule.__name__: rule() for rule in rules.TIDY}
        results = {name: [one.result() for one in many]
                   for name, many in futures.items()}
    for name, many in results.items():
        if None not in many:
            tidy[name] = [line for one in many for line in one]
    for line in [*decisive, *(line for many in tidy.values()
                              for line in many)]:
        print(line)
    counts = [f"{len(many)} {name}" for name, many in tidy.items() if many]
    absent = [name for name, many in results.items() if None in many]
    print("lint: structure " + (f"broken at {len(decisive)} places" if decisive
                                else "holds")
          + (f"; told: {', '.join(counts)}" if counts else "; nothing to tell")
          + (f"; not here: {', '.join(absent)}" if absent else ""))
    return 1 if decisive else 0


# ---- what can be mended ----

def filled(text):
    """A page whose long paragraphs are broken anew: plain ones only."""
    parts = re.split(r"(^```.*?^```\n|\n{2,})", text,
                     flags=re.MULTILINE | re.DOTALL)
    for i, part in enumerate(parts):
        found = part.splitlines()
        if any(len(line) > 80 for line in found) and all(
                re.match(r"[\w`*\[(]", line) for line in found) and not (
                re.match(r"[*\d]+[. ]", part)):
            end = "\n" if part.endswith("\n") else ""
            parts[i] = textwrap.fill(
                part, 80, break_long_words=False, break_on_hyphens=False) + end
    return "".join(parts)


def mended(name, text):
    text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).rstrip("\n") + "\n"
    if name.endswith((".c", ".h")):
        text = rules.INCLUDES.sub(lambda run: "".join(sorted(set(
            run[0].splitlines(True)))), text)
    return filled(text) if name.endswith(".md") else text


def fix():
    for name in [*SOURCES, *PAGES]:
        before = read(name)
        after = mended(name, before)
        if after != before:
            (ROOT / name).write_text(after, encoding="utf-8")
            print(f"{name}: mended")
    told(["clang-format", "-i", *C_FILES])


if __name__ == "__main__":
    if sys.argv[1:] == ["--fix"]:
        fix()
    elif sys.argv[1:]:
        sys.exit(__doc__)
    sys.exit(tell())

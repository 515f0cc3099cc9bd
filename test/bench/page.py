# SPDX-License-Identifier: Apache-2.0
"""Writes measured figures into test/bench/README.md, each block of lines
between its two marks."""
import os
import pathlib
import subprocess

PAGE = pathlib.Path(__file__).resolve().parent / "README.md"


class NoMarks(Exception):
    """The page has not exactly one pair of marks of that name."""


def replaced(page, name, lines):
    """The page's text with these lines between the marks of that name."""
    marks = [f"<!-- {name}: {end} -->\n" for end in ("begin", "end")]
    if any(page.count(mark) != 1 for mark in marks):
        raise NoMarks(name)
    before, _, rest = page.partition(marks[0])
    _, found, after = rest.partition(marks[1])
    if not found:
        raise NoMarks(name)
    block = "".join(f"{line}\n" for line in ["```", *lines, "```"])
    return before + marks[0] + block + marks[1] + after


def where(root, qemu):
    """A line that says of what and on what the figures are."""
    version = subprocess.run(
        ["git", "-C", root, "describe", "--always", "--dirty"], text=True,
        capture_output=True, check=False).stdout.strip() or "unknown"
    emulator = subprocess.run([qemu, "--version"], text=True, check=True,
                              capture_output=True).stdout.split()[3]
    return (f"Version {version}, {os.cpu_count()} processors, "
            f"QEMU {emulator}.")


def write(name, lines):
    PAGE.write_text(replaced(PAGE.read_text("utf-8"), name, lines), "utf-8")

# SPDX-License-Identifier: Apache-2.0
"""Whole messages: refusals.txt has, for each table of test/refused, a line of
each kind that its rows bring, word for word. Two are of a kind that differ in
options, quoted words, names of files and numbers only. `make golden` writes
them anew; a message that is new needs no line."""
import os
import re

import golden

PATH = golden.HERE / "refusals.txt"
KIND = re.compile(r"\d+|'[^']*'|is [^;]*; must|--?\w[\w-]*|\S+: |\w+\.\w+")
# What libraries say in their own words, which go with their version.
FOREIGN = re.compile(
    " near | decode byte|parsing depth|SF_INFO|Error in WAV|Width is zero|End"
    " of file enc|EOF /|junk in file|ASCII decimal|IDAT|Not enough image|"
    "IHDR|numpy reads|Try `")


def marked(text):
    return re.sub(r"(\S\S??)\1{30,}", r"\1..", golden.marked(text))


def sections():
    """{table: its lines}"""
    found = {}
    for line in PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            found[line[2:]] = []
        else:
            found[list(found)[-1]].append(line)
    return found


def write(table, messages):
    """A line of each kind that no table before has."""
    every = sections()
    first = {KIND.sub("", line): None for name in sorted(every)
             if name < table for line in every[name]}
    for line in "".join(messages).splitlines():
        if not FOREIGN.search(line):
            first.setdefault(KIND.sub("", line), line)
    every[table] = list(filter(None, first.values()))
    PATH.write_text("".join(
        f"# {name}\n" + "".join(f"{line}\n" for line in every[name])
        for name in sorted(every)), encoding="utf-8")


def lost(table, messages):
    """The lines of a table that none of its messages has."""
    messages = [marked(text) for text in messages]
    if os.environ.get("QUINCUNX_GOLDEN") == "write":
        write(table, messages)
    said = {line for text in messages for line in text.splitlines()}
    return [line for line in sections().get(table, []) if line not in said]

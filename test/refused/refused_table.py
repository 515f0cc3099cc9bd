# SPDX-License-Identifier: Apache-2.0
r"""Reads a table of what the command refuses, and runs its rows.

    good: run --mesh=5x5 --on=native --kernel=search --arg=abc load
    2 | --mesh={} | '{}' | each 1 to 125
        {} 7x 0x5 'a b'
        {} 126x5 | must be 1x1 to 125x125
    1 | without load mine | mine: no text
        mine: \0binary (x*400)\n
    0 | --mesh=125x1

A row is an exit status, what changes in the command line above it, and words
that standard error has: of each kind of message the whole of it in one row.
`--NAME=VALUE` takes the place of the line's own option, `without WORD` drops
an option or a file, `NAME=VALUE` is a variable of the environment, `< FILE`
standard input, `<&-` none; anything else is added. Status 0 is the nearest
that is accepted.

Indented lines belong to a row. `{} VALUES` runs it once for each value, whose
place is `{}` in the row, its files and its words; words may follow that hold
for these values alone. `NAME: TEXT` is a file that the row has besides those
of refused_files.py. In values and texts `(x*400)` is 400 times x, and a
backslash begins an escape of Python.

A `good` line must itself succeed, so that it is the change that is refused; a
`base` line need not. Files below either are there for all its rows.
`program: PATH` is run in place of the host command.
"""
import os
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import forked
import refused_files
from core import BUILD
from guard import GUARD_S

QUINCUNX = str(BUILD / "quincunx")
LINES_MAX = 4  # a message is no longer
BAR = re.compile(r"\s\|(?=\s|$)")
TIMES = re.compile(r"\(([^()*]+)\*(\d+)\)")
VARIABLE = re.compile(r"[A-Z_]+=")
# What the sanitizer of addresses says of coroutines; no fault.
COROUTINES = re.compile(r"==\d+==WARNING: ASan.*\n(False positive.*\n"
                        r"For details.*\n)?")


class Row(NamedTuple):
    place: str     # table and line
    program: str   # in the build folder
    status: int
    line: list     # words of the command line
    words: list    # that standard error has
    files: dict    # name: bytes


def plain(text):
    """The text with its repetitions and escapes carried out, as bytes."""
    text = TIMES.sub(lambda found: found[1] * int(found[2]), text)
    if "\\" in text:
        text = text.encode("latin-1", "backslashreplace").decode(
            "unicode_escape")
        return text.encode("latin-1")
    return text.encode()


def split(text):
    return [os.fsdecode(plain(word)) for word in shlex.split(text)]


def fields(text):
    return [field.strip() for field in BAR.split(text)]


def changed(base, change):
    """The command line `base` with the words of `change`."""
    change, added, gone = list(change), [], set()
    while change:
        word = change.pop(0)
        if word == "without":
            gone.add(change.pop(0))
            continue
        added.append(word)
        if "=" in word:
            gone.add(word.partition("=")[0])
    known = {word.partition("=")[0] for word in base}
    assert all(word in known or word.startswith("--") or VARIABLE.match(
        word + "=") or word in base for word in gone), (base, gone)
    return [word for word in base
            if word not in gone and word.partition("=")[0] not in gone
            ] + added


class Line(NamedTuple):
    """A line of a table with those that are indented below it."""
    place: str
    text: str
    below: list    # (place, text)


def lines_of(path):
    lines = []
    for number, text in enumerate(path.read_text().splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        place = f"{path.name}:{number}"
        if text.startswith(" "):
            lines[-1].below.append((place, text.strip()))
        else:
            lines.append(Line(place, text.rstrip(), []))
    return lines


def cases_of(line):
    """(place, value, words) of a row's lines {}, and its files."""
    cases, files = [], {}
    for place, below in line.below:
        if below.startswith("{} "):
            values, *words = fields(below[3:])
            cases += [(place, value, words) for value in split(values)]
        else:
            name, found, text = below.partition(":")
            assert found and " " not in name, (place, below)
            files[name] = text[1:]
    return cases or [(line.place, "", [])], files


def rows_of(path):
    """All rows of a table, its good lines among them."""
    program, base, shared, rows = "quincunx", [], {}, []
    for line in lines_of(path):
        kind, found, text = line.text.partition(": ")
        if found and kind == "program":
            program = text
        elif line.text.split()[0] in ("good:", "base:"):
            base, (_, shared) = split(line.text[5:]), cases_of(line)
            if kind == "good":
                rows.append(Row(line.place, program, 0, base, [], {
                    name: plain(text) for name, text in shared.items()}))
        else:
            status, change, *words = fields(line.text)
            cases, files = cases_of(line)
            files = {**shared, **files}
            for place, value, more in cases:
                def put(text):
                    return text.replace("{}", value)
                rows.append(Row(
                    place, program, int(status),
                    changed(base, map(put, split(change))),
                    [put(word) for word in [*words, *more]],
                    {name: plain(text).replace(b"{}", os.fsencode(value))
                     for name, text in files.items()}))
    return rows


def sanitized(rows):
    """One of each place, as memory and leaks go, but for the longest files;
    there is no firmware beside the sanitized program."""
    return list({row.place: row for row in rows
                 if "qemu" not in " ".join(row.line)
                 and sum(map(len, row.files.values())) < 100_000}.values())


def state_of(folder):
    """What stands in the folder: a file's name, size and last change."""
    return {entry.name: (entry.stat().st_size, entry.stat().st_mtime_ns)
            for entry in os.scandir(folder)}


def started(row, program, folder):
    """The finished process."""
    line, env, stdin = [], dict(os.environ), "/dev/null"
    words = list(row.line)
    while words:
        word = words.pop(0)
        if word == "<":
            stdin = words.pop(0)
        elif VARIABLE.match(word):
            name, _, value = word.partition("=")
            env[name] = value
        else:
            line.append(word)
    line = [str(program), *line]
    if "<&-" in line:
        line.remove("<&-")
        line = ["/bin/sh", "-c", 'exec "$@" <&-', "sh", *line]
    with open(os.path.join(folder, stdin), "rb") as file:
        if line[0] == QUINCUNX:
            return forked.run(line, file, folder, env, errors="replace")
        return subprocess.run(line, cwd=folder, env=env, stdin=file,
                              capture_output=True, errors="replace",
                              check=False, timeout=GUARD_S)


def faults(row, done, before, after):
    """What is not as the row says, in a few words each."""
    errors = COROUTINES.sub("", done.stderr)
    if done.returncode != row.status:
        yield f"status {done.returncode}, not {row.status}"
    if any(word in errors for word in ("Sanitizer", "runtime error")):
        yield "a sanitizer speaks"
    if row.status == 0:
        return
    if done.stdout:
        yield f"standard output: {done.stdout[:200]!r}"
    if not 0 < len(errors.splitlines()) <= LINES_MAX:
        yield f"{len(errors.splitlines())} lines of standard error"
    program = os.path.basename(row.program)
    if not errors.startswith(program):
        yield "the message does not begin with the program's name"
    if f"\n{program}: " in errors:
        yield "two messages"
    for word in row.words:
        if word not in errors:
            yield f"standard error lacks {word!r}"
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"left behind or changed: {name}"


def judged(row, program, folder):
    """Runs a row; what is wrong, as text for people, or None."""
    for name, content in row.files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    before = state_of(folder)
    done = started(row, program, folder)
    wrong = list(faults(row, done, before, state_of(folder)))
    for name in row.files:
        os.unlink(os.path.join(folder, name))
    if wrong or row.status == 0:
        refused_files.make(folder)
    return (f"{row.place}: {shlex.join(row.line)[:300]}\n  "
            + "; ".join(wrong) + f"\n  stderr: {done.stderr[:1000]!r}"
            ) if wrong else None


def judge(rows, folder, build=".", workers=2):
    """What is wrong with these rows, of programs in that folder of the
    build."""
    found = {}

    def share(number):
        own = os.path.join(folder, str(number))
        os.makedirs(own)
        refused_files.make(own)
        for i in range(number, len(rows), workers):
            found[i] = judged(rows[i], BUILD / build / rows[i].program, own)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(share, range(workers)))
    return [found[i] for i in sorted(found) if found[i]]

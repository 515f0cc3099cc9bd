# SPDX-License-Identifier: Apache-2.0
"""Transcripts of commands: what was typed and what was printed, as a text.

    $ quincunx plan --torus 5 ...   the command, started in a folder of its own
    Torus 5 x 5, 25 nodes. ...      its standard output
    ! quincunx: ...                 a line of its standard error
    [2]                             its exit status, if that is not 0

What truly varies is replaced by a mark in <>, as narrowly as MARKS says."""
import difflib
import os
import pathlib
import re
import shlex
import subprocess

import checks
import core
import guard

HERE = pathlib.Path(__file__).resolve().parent
QUINCUNX = core.BUILD / "quincunx"
TOLD = core.BUILD / "test" / "told"

# (pattern, what stands for it): wall times and memory of the host, the paths of
# this tree and of a terminal.
MARKS = [
    (r"(?m)^(host +)[\d.]+ s to boot, [\d.]+ s to run$",
     r"\1<wall> s to boot, <wall> s to run"),
    (r"(?m)^(host +)[\d.]+ s, \d+ bytes of memory$",
     r"\1<wall> s, <bytes> bytes of memory"),
    (r"/dev/pts/\d+", "<tty>"),
    (r"(it loads|memory takes|must have 1 to) \d+\b", r"\1 <many>"),
    (r"(firmware.elf has CRC) \w+", r"\1 <crc>"),
    (r"(?m)^(! +(?:fault record: \w+ \d+ at|r0) ).*", r"\1<registers>"),
    (r"\b(pc|lr): \w+ at \S+", r"\1: <where>"),
    (rf"({checks.INJECTED}):{checks.injected_line()}\b", r"\1:<its line>"),
    (re.escape(str(core.BUILD)), "<build>"),
    (re.escape(str(core.ROOT)), "<root>"),
]


def marked(text):
    for pattern, mark in MARKS:
        text = re.sub(pattern, mark, text)
    return text


def environment(folder, progress):
    """No option, picture program or progress of the caller's; `gnuplot`, which
    figures.py starts, is one that keeps what it is told."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("ARGP_", "LC_", "QUINCUNX_PROGRESS"))}
    return {**env, "LC_ALL": "C.UTF-8", "QUINCUNX_PROGRESS": progress,
            "PATH": f"{folder}/bin:{env['PATH']}"}


def start(words, folder, stdin=subprocess.DEVNULL):
    program = {"quincunx": QUINCUNX, "told": TOLD}.get(words[0], words[0])
    return subprocess.run(
        [program, *words[1:]], cwd=folder, stdin=stdin, check=False,
        env=environment(folder, "" if words[0] == "told" else "none"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=guard.GUARD_S)


def said(line, folder, hidden=()):
    """The transcript of one command; `hidden`: words that are not shown. After
    `> FILE` no output is shown, after `| grep REGEX` some lines of it, after
    `| parts 1 3` the first and the third of the parts between empty lines."""
    command, _, file = line.partition(" > ")
    command, _, regex = command.partition(" | grep ")
    command, _, parts = command.partition(" | parts ")
    done = start([*shlex.split(command), *hidden], folder)
    out, err = (text.decode("utf-8", "backslashreplace").replace(
        "\r", "<return>").replace("\033[", "<escape>")
                for text in (done.stdout, done.stderr))
    if parts:
        every = out.split("\n\n")
        out = "\n\n".join(every[int(part) - 1].rstrip("\n")
                          for part in parts.split()) + "\n"
    out = "" if file else "".join(
        row for row in out.splitlines(True) if re.search(regex, row))
    if out and not out.endswith("\n"):
        out += "\n[no newline]\n"
    err = "".join(f"! {row}\n" for row in err.splitlines())
    status = f"[{done.returncode}]\n" if done.returncode else ""
    return f"$ {line}\n{out}{err}{status}"


def transcript(steps, folder):
    """Of steps in order: command lines, and functions of the folder, whose
    result is shown. Blanks at the ends of lines are not."""
    texts = [step(folder) if callable(step) else said(step, folder)
             for step in steps]
    text = marked("\n".join(texts))
    return "".join(row.rstrip() + "\n" for row in text.splitlines())


NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?")
BAR = re.compile(r"(?m)^\[[a-z]{60}\]$")


def is_near(want, got, part):
    """Whether two texts are the same but for numbers, each within a part of
    itself, and for bars."""
    def words(text):
        return NUMBER.sub("#", BAR.sub("", text)).split()

    numbers = zip(NUMBER.findall(want), NUMBER.findall(got))
    return words(want) == words(got) and all(
        abs(float(a) - float(b)) <= part * max(abs(float(a)), 1)
        for a, b in numbers)


def difference(name, want, got):
    return "\n".join(difflib.unified_diff(
        want.splitlines(), got.splitlines(), f"{name}.txt", "as it is now",
        lineterm="", n=2))

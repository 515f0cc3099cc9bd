# SPDX-License-Identifier: Apache-2.0
"""Names of files may have any byte; they are shown escaped, so that none of
them colours a terminal, begins a line or hides."""
import json
import os
import random
import subprocess
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest

import mesh
from core import BUILD
from guard import GUARD_S

# A space, quotes, a dollar, a newline, a tab, a backslash, an escape sequence,
# a character that turns the writing, a byte that is no UTF-8, markup.
NAME = os.fsencode("a b'\"$(id)\nLINE\t\\\x1b[31mred\u202e\u00fc") + b"\x9b<b>"
SHOWN = ("a b'\"$(id)\\nLINE\\t\\\\\\x1b[31mred\\xe2\\x80\\xae\u00fc\\x9b<b>")


def run(*args, cwd):
    done = subprocess.run(
        [mesh.QUINCUNX, *(os.fsencode(str(arg)) if not isinstance(arg, bytes)
                          else arg for arg in args)], cwd=cwd,
        capture_output=True, check=False, stdin=subprocess.DEVNULL,
        timeout=GUARD_S)
    return done.returncode, done.stdout, done.stderr


def check_shown(text):
    """Nothing but what can be seen, and lines of the program's own."""
    text = text.decode("utf-8")
    for character in text:
        assert character == "\n" or unicodedata.category(character) not in (
            "Cc", "Cf", "Cs", "Zl", "Zp"), text
    assert not any(line.startswith("LINE") for line in text.splitlines())


NATIVE = ["--mesh", "2x2", "--on", "native", "--kernel", "search", "--arg", "a"]

# Command lines that are refused, or whose work fails.
BAD = {
    "INPUT that is missing": ["run", *NATIVE, NAME],
    "INPUT that is a folder": ["run", *NATIVE, NAME + b".dir"],
    "an argument without --arg": ["run", *NATIVE[:6], NAME, "good"],
    "a folder that is missing": ["run", *NATIVE, "--report", NAME + b"/x",
                                 "good"],
    "an output twice": ["run", *NATIVE, "--report", NAME, "--html", NAME,
                        "good"],
    "rates": ["run", *NATIVE, "--rates", NAME + b".bad", "good"],
    "originator": ["run", *NATIVE, "--originator", b"0,0=" + NAME,
                   "--originator", b"1,1=" + NAME],
    "profile": ["run", *NATIVE, "--profile", NAME, "good"],
    "firmware": ["run", *NATIVE[:2], *NATIVE[4:], "--firmware", NAME, "good"],
    "kernel": ["run", *NATIVE[:4], "--kernel", NAME, "good"],
    "mesh": ["run", "--mesh", NAME, *NATIVE[2:], "good"],
    "board": ["run", *NATIVE[:2], "--board", NAME, *NATIVE[4:], "good"],
    "patterns": ["run", *NATIVE[:6], "--arg", b"(?f)" + NAME, "good"],
    "a kernel's argument": ["run", *NATIVE[:5], "records", "--arg",
                            b"name=" + NAME + b",op=lt,value=1", "good"],
    "port": ["run", "--mesh", "2x2", *NATIVE[4:], "--port", NAME, "good"],
    "console": ["console", "--port", NAME, "status"],
    "subcommand": [NAME],
    "help": ["help", NAME],
    "html": ["html", NAME, "-o", "page"],
    "html twice": ["html", NAME, NAME, "-o", "page"],
    "compute times": ["plan", "--torus", "5", "--load", "1000", "--startup",
                      "1us", "--transfer", "1ns", "--node-compute", NAME],
    "workers": ["model", "star", "--workers", NAME, "--load", "1"],
    "map": ["flash", "--map", NAME],
    "calibrate": ["calibrate", "--mesh", "2x2", "--on", "native", NAME],
}


@pytest.fixture(name="folder")
def folder_fixture(tmp_path):
    (tmp_path / "good").write_text("a text\n")
    bad = os.fsencode(tmp_path) + b"/" + NAME
    os.mkdir(bad + b".dir")
    with open(bad + b".bad", "wb") as file:
        file.write(b"x\x1b[31m = \x9b\n")
    with open(bad + b".json", "wb") as file:
        file.write(b"{}")
    return tmp_path


def test_messages(folder):
    for what, words in BAD.items():
        status, out, err = run(*words, cwd=folder)
        assert status in (1, 2), (what, status, err)
        assert err.startswith(b"quincunx"), what
        check_shown(out + err)
    _, _, err = run("run", *NATIVE, NAME, cwd=folder)
    assert err.decode() == (f"quincunx: INPUT '{SHOWN}': No such file or "
                            "directory\n")


# What files may have, and command lines that tell of it.
SPELLS = [b"\x1b[31m", b"\x1b]0;x\x07", b"\x9b2J", b"\xc2\x9b1m", b"\r",
          b"\x08", b"\x7f", "\u202e".encode(), b"\x1b", b"\xe2\x80", b"\0"]
WAV = (b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0@\x1f\0\0\x80>\0\0"
       b"\x02\0\x10\0data\x08\0\0\0\x01\0\x02\0\x03\0\x04\0")
TABLE = b"name,kind\nab c,3\nd,x\n"
FILES = [
    (b"0.5\n0.25\n0.5\n", ["fir", "--arg", "file=F", "s.wav"]),
    (b'{"rates": [{"board": "host", "kernel": "a"}]}',
     ["search", "--arg", "a", "--rates", "F", "good"]),
    (b"text\na\n", ["search", "--arg", "(?f)F", "good"]),
    (b"startup = 1us\ntransfer = 1ns\nhop_delay = 0\n",
     ["search", "--arg", "a", "--profile", "F", "good"]),
    (TABLE, ["records", "--arg", "name=kind,op=ge,value=1", "F"]),
    (TABLE, ["records", "--arg", "name=kind,op=eq,value=x", "good", "F"]),
    (WAV, ["stats", "F"]),
    (b"P5 2 2 255\nabcd", ["conv", "--arg", "filter=sobel", "F"]),
    (b'{"report_format": 1}', ["html", "F", "-o", "page"]),
    (b"x,y,probe\n0,0,AB\n1,0,CD\n",
     ["flash", "--board", "stm32f405", "--map", "F",
      str(BUILD / "stm32f405" / "firmware.elf")])]


def say(folder, seed):
    """What is said of a file with such bytes, by its number."""
    chance = random.Random(seed)
    content, words = FILES[seed % len(FILES)]
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(content))
        content = content[:at] + chance.choice(SPELLS) + content[
            at + chance.choice((0, 0, 1, 5)):]
    file = folder / f"file{seed}"
    file.write_bytes(content)
    words = [word.replace("F", str(file)) for word in words]
    if words[0] not in ("html", "flash"):
        words = ["run", *NATIVE[:5], *words]
    _, out, err = run(*words, cwd=folder)
    file.unlink()
    return seed, out + err


# More of them: QUINCUNX_FILES=20000.
FILES_SAID = int(os.environ.get("QUINCUNX_FILES", "2000"))


@pytest.mark.parametrize("count", [
    40, pytest.param(FILES_SAID, marks=pytest.mark.boards)])
def test_what_files_say(folder, count):
    """Nothing in them reaches the terminal but what can be seen."""
    (folder / "s.wav").write_bytes(WAV)
    with ThreadPoolExecutor(2) as pool:
        for seed, text in pool.map(lambda seed: say(folder, seed),
                                   range(count)):
            try:
                check_shown(text.replace(b"\t", b" "))
            except (AssertionError, UnicodeDecodeError) as error:
                raise AssertionError(f"file {seed}: {text!r}") from error


def test_what_is_written(folder):
    """Of a run of two such files: the summary, the report, where a name that is
    no UTF-8 has its escapes, and one that is, itself; and the command line."""
    names = [NAME, NAME + b"2"]
    for name in names:
        with open(os.fsencode(folder) + b"/" + name, "wb") as file:
            file.write(b"no yes yes")
    status, out, err = run(
        "run", *NATIVE[:6], "--arg", "yes", "--report", "report.json",
        "--html", "page.html", "--gantt", NAME + b".svg", *names, cwd=folder)
    assert (status, err) == (0, b"")
    check_shown(out)
    lines = out.decode().splitlines()
    load = f"load      {SHOWN} and 1 more, 21 bytes, "
    assert any(line.startswith(load) for line in lines)
    assert f"offsets = {SHOWN}:3 {SHOWN}:7 {SHOWN}2:3 {SHOWN}2:7" in lines
    assert any(line.endswith(f"|yes  {SHOWN}2:7") for line in lines)
    text = (folder / "report.json").read_bytes()
    assert b"\x1b" not in text and b"\x9b" not in text.replace(
        b"\xc2\x9b", b"")
    report = json.loads(text)
    assert [file["file"] for file in report["load"]["files"]] == [
        SHOWN, SHOWN + "2"]
    words = subprocess.run(
        ["bash", "-c", b"printf '%s\\0' " + report["command"].encode()],
        capture_output=True, check=True).stdout.split(b"\0")[:-1]
    assert words[-2:] == names
    check_shown(report["command"].encode())
    status, out, err = run("run", *NATIVE, "--originator", b"0,0=" + NAME,
                           "--originator", b"1,1=" + NAME + b"2", cwd=folder)
    assert (status, err) == (0, b"")
    check_shown(out)
    assert f"\nof {SHOWN}\n" in out.decode()


def test_a_utf_8_name_is_itself_in_json(folder):
    name = "a\x1b[31m\u00fc \u202e\n"
    (folder / name).write_text("yes")
    status, out, _ = run("run", *NATIVE, "--json", name, "good", cwd=folder)
    assert status == 0 and b"\x1b" not in out
    assert json.loads(out)["load"]["files"][0]["file"] == name

# SPDX-License-Identifier: Apache-2.0
"""Text files as other systems write them: the answer is that of plain UTF-8,
and what may be meant otherwise is said."""
import hashlib
import itertools
import json

import pytest

import mesh
from core import BUILD

IMAGE = BUILD / "stm32f405" / "firmware.elf"
MARK = "\ufeff".encode()
CODECS = ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]
ENDS = [["\r\n"], ["\r"], ["\n", "\r\n", "\r"], ["\n"]]  # by turns
RUN = ["run", "--json", "--mesh", "1x1", "--on", "native"]
WORDS = ["mehr", "wörter", "", "and"]
SUMS = [hashlib.sha256(word.encode()).hexdigest() for word in WORDS]
PICKED = ",".join(SUMS[:2])
# A file's name, its lines, and the rest of a line that reads it.
FILES = {
    "patterns": (["and ", "über", "Zeile"], [
        *RUN, "--kernel", "search", "--arg", "(?f)patterns", "load"]),
    "digests": ([SUMS[1] + "  a name", "", SUMS[3].upper()], [
        *RUN, "--kernel", "dictionary", "--arg", "digests=digests", "words"]),
    "list": ([*WORDS, "x"], [
        *RUN, "--kernel", "dictionary", "--arg", PICKED, "list"]),
    "taps": (["# none of these: 0.5", "0.25 0.5", "0.25 # more"], [
        *RUN, "--kernel", "fir", "--arg", "file=taps", "sound.wav"]),
    "t.csv": (['"price, EUR",n', '10,"x y"', "20,ü", "9,ü"], [
        *RUN, "--kernel", "records", "--arg",
        "name=price\\, EUR,op=ge,value=10,sum=price\\, EUR", "t.csv"]),
    "t.TSV": (["n\tü", "7\ta,b", "8\tb"], [
        *RUN, "--kernel", "records", "--arg", "name=n,op=le,value= 7 ",
        "t.TSV"]),
    "hint.csv": (["sep=;", "n;m", "7;1", "8;2"], [
        *RUN, "--kernel", "records", "--arg", "name=n,op=le,value=7",
        "hint.csv"]),
    "costs": (["startup = 3us # of ü", "transfer = 2ns", "hop_delay = 0ps"], [
        *RUN, "--kernel", "spin", "--profile", "costs", "--arg", "9", "load"]),
    "rates": (['{"rates": [', "]}"], [
        *RUN, "--kernel", "spin", "--rates", "rates", "--arg", "9", "load"]),
    "m.csv": (["port,x,y", "/dev/tty,0,0", "/dev/nosuch,1,0"], [
        "flash", "--board=stm32f405", "--map=m.csv", str(IMAGE)]),
    "workers": (["# of ü", "1 2", "1/2 3"], [
        "model", "star", "workers", "--load=10"]),
    "nodes": (["0 1 3us # ü", "1 1 4us"], [
        "plan", "--torus=5", "--load=1000", "--profile=lvds",
        "--compute=9ns", "--node-compute=nodes"]),
    "report": (['{"report_format": 0', "}"], [
        "html", "report", "-o", "page.html"])}


def spelled(lines, codec, ends, last=""):
    """With a mark and these ends, by turns."""
    return ("\ufeff" + "".join(map(
        str.__add__, lines, itertools.cycle(ends))) + last).encode(codec)


def told(folder, line):
    """What does not depend on line ends: places in the load do."""
    done = mesh.command(*line, cwd=folder)
    if line[0] != "run":
        return done.returncode, done.stderr + done.stdout
    report = json.loads(done.stdout)
    return done.returncode, report["profile"], {
        key: value for key, value in report["result"].items()
        if key != "offsets"}


@pytest.mark.parametrize("name", FILES)
def test_any_spelling_has_one_answer(tmp_path, name):
    lines, line = FILES[name]
    (tmp_path / "load").write_text("and Zeile über and \nZeile")
    (tmp_path / "words").write_text("\n".join(WORDS))
    (tmp_path / "sound.wav").write_bytes(
        b"RIFF\x2c\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0"
        b"\2\0\x10\0data\x08\0\0\0abcdefgh")
    path = tmp_path / name
    path.write_text("".join(one + "\n" for one in lines), encoding="utf-8")
    plain = told(tmp_path, line)
    assert plain[0] == 0 or "/dev/nosuch, m.csv:3" in plain[1] or (
        "report_format 0: is a report of another" in plain[1])
    for codec, ends, last in [
            *itertools.product(CODECS[:2], ENDS, [""]),
            *((codec, ENDS[2], "\x1a\r\n") for codec in CODECS)]:
        path.write_bytes(spelled(lines, codec, ends, last))
        assert told(tmp_path, line) == plain, (codec, ends, last)


def remarks_on(folder, kernel, arg, *loads):
    """The result, and what is said of files and the argument; the first file
    may be in this."""
    names = [f"f{i}" for i in range(len(loads))]
    for name, load in zip(names, loads):
        (folder / name).write_bytes(load)
    done = mesh.command(*RUN, "--kernel", kernel, "--arg", arg, *(
        name for name in names if name not in arg), cwd=folder)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    return report["result"], [one for one in report["remarks"]
                              if one.startswith(("f", "--arg:"))]


@pytest.mark.parametrize("kernel, arg, loads, found, said", [
    ("dictionary", PICKED, ["mehr\nx".encode("utf-16")], 1,
     "converted from UTF-16LE"),
    ("dictionary", PICKED, [MARK + b"mehr"], 1, "mark is no part of the"),
    ("dictionary", PICKED, [b"mehr\rx"], 1, "carriage returns alone"),
    ("dictionary", PICKED, [b"x\r\nmehr\x1a"], 1, "the ^Z at its end"),
    ("dictionary", PICKED, [b"x\n" + MARK + b"mehr"], 1, "further lines"),
    ("dictionary", PICKED, ["mehr".encode("utf-16-be")], 0,
     "seems to be UTF-16BE without a mark"),
    ("dictionary", PICKED, ["мир\nмир".encode("utf-16-le")], 0,
     "seems to be UTF-16LE without a mark"),
    ("dictionary", PICKED, ["mehr".encode("utf-32-be")], 0,
     "seems to be UTF-32BE without a mark"),
    *(("dictionary", PICKED, [b"mehr" + end + b"x"], 0,
       f"is one line: {name}") for end, name in
      ((b"\0", "bytes of 0"), (b"\f", "form feeds"), (b"\x85", "NEL"))),
    ("search", "me", [b"me", "mehr".encode("utf-16")], 1,
     "f1: begins with the mark of UTF-16LE"),
    ("search", "me", ["mehr".encode("utf-16-be")], 0, "seems to be UTF-16BE"),
    ("search", "(?f)f0", ["mehr\n".encode("utf-16"), b"mehr"], 1,
     "f0: converted from UTF-16LE to UTF-8"),
    ("search", "(?f)f0", ["mehr\n".encode("utf-16-le"), b"mehr"], 0,
     "f0: seems to be UTF-16LE"),
    ("search", "(?f)f0", [b"me\nx\nme\nx\n\n", b"xme"], 2,
     "f0: 2 of its patterns are listed again (line 3 is line 1)"),
    ("search", "(?i,)a,Me,A", [b"mea"], 2,
     "--arg: 1 of its patterns is listed again (pattern 3 is pattern 1)"),
    ("records", "name=n,op=ge,value=1", [b"n\r1\r2\r"], 2,
     "carriage returns alone"),
    ("records", "name=n,op=ge,value=1", ["n\n1\n".encode("utf-16")], 1,
     "converted from UTF-16LE"),
    ("records", "name=n,op=eq,value=1,type=text",
     [MARK * 2 + b"n\n2\n" + MARK + b"1\n"], 1, "further lines"),
    ("records", "name=n,op=eq,value=1e0", [b"n\n1\nNA\n"], 0,
     "--arg: column 'n' has numbers, and value '1e0' was compared as text"),
    ("records", "name=n,op=ne,value=1e0", [b"n\n1\n\n2\n"], 2,
     "--arg: column 'n' has numbers, and value '1e0' was compared as text"),
    ("records", "name=n,op=ne,value=1e0", [b"n\n1\n1e0\n"], 1,
     "--arg: column 'n' has numbers, and value '1e0' was compared as text"),
    # Nothing is to be said of these.
    ("records", "name=n,op=ne,value=one", [b"n\n1\nx\n"], 2, None),
    ("records", "name=n,op=eq,value=1e0,type=text", [b"n\n1\n"], 0, None),
    ("records", "name=n,op=ge,value=1", [MARK + b"n\r\n1\r\n"], 1, None),
    ("search", "(?|)a|A", [MARK + b"aA\0b"], 2, None),
    ("dictionary", PICKED, ["wörter\r\n\r\nx".encode()], 1, None),
    ("dictionary", PICKED, ["Årх".encode()], 0, None)])
def test_what_may_be_meant_otherwise_is_said(tmp_path, kernel, arg, loads,
                                             found, said):
    result, remarks = remarks_on(tmp_path, kernel, arg, *loads)
    assert result["count"] == found
    assert len(remarks) == (said is not None), remarks
    assert said is None or said in remarks[0]


def test_tables_with_headers_spelled_otherwise_are_one(tmp_path):
    """And rows are returned as they are, but for carriage returns alone."""
    tables = [MARK + b"price,n\n10,x\n20,y\n", b"price,n\r\n30,x\r\n",
              b'"price","n"\r"40","x\r"\r5,y\r', b"sep=,\nprice,n\n50,x"]
    names = [f"{i}.csv" for i in range(4)]
    for name, table in zip(names, tables):
        (tmp_path / name).write_bytes(table)
    done = mesh.command(*RUN, "--kernel", "records", "--arg",
                        "name=price,op=ge,value=15", "-o", "out", *names,
                        cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["sum"] == ["140"]
    assert (tmp_path / "out").read_bytes() == (
        MARK + b'price,n\n20,y\n30,x\r\n"40","x\r"\n50,x')

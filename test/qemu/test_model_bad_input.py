# SPDX-License-Identifier: Apache-2.0
"""What `quincunx model` says to bad files and options: status 2, and a line
that names value, range and place."""
import pytest

import mesh
from papers_runs import model

GOOD = {
    "star": ("1 2\n", {"load": "10"}),
    "results": ("1 2\n", {"load": "10", "ratio": "1/2"}),
    "farm": ("1\n", {"load": "10", "factor": "2"}),
    "masters": ("1\n0\n", {"startup": "1", "transfer": "1", "compute": "2"}),
}


def run(path, kind, text=None, **changes):
    """GOOD with another file, or options changed; None leaves one out."""
    good, options = GOOD[kind]
    path.write_bytes((good if text is None else text).encode())
    line = ["model", kind, path]
    for name, value in {**options, **changes}.items():
        if value is not None:
            line.append(f"--{name}={value}")
    return mesh.command(*line)


def refused(done, *words):
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("quincunx: ")
    for word in words:
        assert str(word) in done.stderr, (word, done.stderr)


@pytest.fixture(name="path")
def fixture_path(tmp_path):
    return tmp_path / "workers"


@pytest.mark.parametrize("kind", GOOD)
def test_what_is_good(path, kind):
    text = GOOD[kind][0]
    for other in (text, f"# all of them\n\n \t\n{text.strip()} # one\r\n\n",
                  text.strip()):
        done = run(path, kind, other)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("kind,text,words", [
    ("star", "1 2\n\n1 0\n", (":3: w '0': must be more than 0",)),
    ("star", "0 1\n", (":1: g '0': must be more than 0",)),
    ("star", "1 -2\n", (":1: w '-2': must be more than 0",)),
    ("star", "1 2 -1\n", (":1: G '-1': must be 0 or more",)),
    ("star", "1 2 0 -1/3\n", (":1: W '-1/3': must be 0 or more",)),
    ("star", "# g w\n1\n", (":2: must be a line g w [G [W]]",)),
    ("star", "1 2 3 4 5\n", (":1: '5': must be a line g w [G [W]]",)),
    ("results", "1 2\n1 2 3\n", (":2: '3': must be a line C E",)),
    ("results", "0 2\n", (":1: C '0': must be more than 0",)),
    ("results", "1 0\n", (":1: E '0': must be more than 0",)),
    ("results", 6 * "1 2\n", (":6: must be at most 5 workers",)),
    ("farm", "1\n2\n-1\n", (":3: t '-1': must be more than 0",)),
    ("farm", "0\n", (":1: t '0': must be more than 0",)),
    ("farm", "1 1\n", (":1: '1': must be a line t",)),
    ("farm", 1001 * "1\n", (":1001: must be at most 1000 workers",)),
    ("star", 1001 * "1 1\n", (":1001: must be at most 1000 workers",)),
    ("masters", "1\n-1\n", (":2: x '-1': must be 0 or more",)),
    ("masters", "0\n0\n", ("all x are 0",)),
    *((kind, text, ("workers: has no worker",))
      for kind in GOOD for text in ("", "\n\n", "# nothing\n")),
    *(("farm", f"{word}\n", (f":1: t '{word}': must be a number",))
      for word in ("one", "1/0", "0/0", "1/2/3", "1.", ".", "1,5", "+1",
                   "0x10", "1e", "1e99", "--1", "1/-2", "nan", "inf", "1_0",
                   "1e5/2", "\u00b5", 61 * "1")),
    ("farm", "1\n\0\n", (":2: must have no bytes of 0",)),
    ("farm", "1\0", (":1: must have no bytes of 0",)),
])
def test_bad_files(path, kind, text, words):
    refused(run(path, kind, text), path, *words)


@pytest.mark.parametrize("word,value", [
    ("3", 3), ("0.25", .25), (".5", .5), ("7/4", 1.75), ("4e2", 400),
    ("2.5E-1", .25), ("1e+1", 10), ("00012", 12), ("6/04", 1.5)])
def test_numbers(path, word, value):
    done = run(path, "farm", f"{word}\n", load="1")
    assert done.returncode == 0
    assert f"makespan      {value:g} " in done.stdout.replace(" (", "  ")


def test_one_unit_is_one(path):
    """Of the load, of time, and of workers."""
    out = run(path, "farm", "1\n", load="1").stdout
    assert "load          1 unit\nmakespan      1 unit of time\n" in out
    out = run(path, "star", "1 3\n", load="1").stdout
    assert "load          1 unit\nmakespan      4 units of time\n" in out
    assert "served        1 of 1 worker, in" in out
    out = run(path, "star", "1/4 3/4\n", load="1").stdout
    assert "rate          1 unit a unit of time\n" in out


def test_a_missing_file(tmp_path):
    path = tmp_path / "none"
    refused(mesh.command("model", "star", path, "--load=1"), path,
            "No such file")
    refused(mesh.command("model", "star", tmp_path, "--load=1"), tmp_path)


@pytest.mark.parametrize("kind,changes,words", [
    ("star", {"load": "0"}, ("--load '0': must be more than 0",)),
    ("star", {"load": "-1"}, ("--load '-1': must be more than 0",)),
    ("star", {"load": "x"}, ("--load 'x': must be a number",)),
    ("star", {"load": None}, ("model star needs --load V",)),
    ("star", {"master": "0"}, ("--master '0': must be more than 0",)),
    ("star", {"ratio": "1"}, ("--ratio '1': not of model star",)),
    *(("star", {"installments": value},
       (f"--installments '{value}': must be 1 to 64, umr or periodic",))
      for value in ("0", "65", "-1", "1.5", "UMR", "", "auto")),
    ("results", {"ratio": "-1/2"}, ("--ratio '-1/2': must be 0 or more",)),
    ("results", {"ratio": None}, ("model results needs --ratio D",)),
    ("results", {"factor": "2"}, ("--factor '2': not of model results",)),
    ("farm", {"factor": "1/2"}, ("--factor '1/2': must be a number of 1",)),
    ("farm", {"factor": "some"}, ("--factor 'some': must be a number",)),
    ("farm", {"load": "1.5"}, ("--load '1.5': must be a whole number",)),
    ("farm", {"load": "4294967296"}, ("whole number of 1 to 4294967295",)),
    ("farm", {"load": "1e6", "factor": "1e9"}, ("more than 100000 chunks",)),
    ("masters", {"startup": "0"}, ("--startup '0': must be more than 0",)),
    ("masters", {"compute": None}, ("model masters needs --compute C",)),
    ("masters", {"scale": "0"}, ("--scale '0': must be more than 0",)),
    ("masters", {"load": "1"}, ("--load '1': not of model masters",)),
])
def test_bad_options(path, kind, changes, words):
    refused(run(path, kind, **changes), *words)


def test_too_many_rounds_of_masters(path):
    refused(run(path, "masters", "5\n0\n0\n0\n0\n0\n0\n0\n", compute="4",
                startup="1e-6", scale="1e6"), "--startup '1e-6'",
            "more than 32768 rounds")


def test_uniform_rounds_need_equal_workers(path):
    refused(run(path, "star", "1 2\n# two\n1 2 0 1\n", installments="umr"),
            path, ":3: --installments 'umr': must be a worker equal to that "
            "of line 1")


def test_too_many_sends(tmp_path):
    done = model(tmp_path, "star", 1000 * [(1, 1000)], load=1,
                 installments=3)
    refused(done, "--installments '3': must be 1 to 2 with 1000 workers")


@pytest.mark.parametrize("args,words", [
    ((), ("star, results, farm or masters, and FILE",)),
    (("star",), ("star, results, farm or masters, and FILE",)),
    (("bus", "FILE"), ("model 'bus': must be star, results, farm or",)),
    (("star", "FILE", "more"), ("argument 'more': model takes one FILE",)),
])
def test_arguments(args, words):
    refused(mesh.command("model", *args), *words)

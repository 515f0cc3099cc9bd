# SPDX-License-Identifier: Apache-2.0
"""What a report calls one board is the answer of a mesh 1x1, whatever mesh
tells it; and what is said where fewer boards would be faster."""
import json
import sys

import pytest

import mesh
from core import ROOT

sys.path.append(str(ROOT / "test" / "golden"))
import golden_cases  # noqa: E402

JOBS = {"spin": ("32", "text"), "search": ("cat", "text"),
        "stats": ("type=u8", "text"), "fir": ("low=1000", "sound.wav"),
        "records": ("name=city,op=eq,value=Bern", "table.csv"),
        "dictionary": (golden_cases.DIGESTS, "words"),
        "conv": ("filter=sobel", "image.pgm"),
        "matvec": ("vector=v.npy", "m.npy"),
        "channels": ("voltage=-60:60:7,channels=160,steps=50", None)}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    golden_cases.files(tmp_path)


def run(kernel, size, *words, load=None):
    arg, file = JOBS[kernel]
    load = load or file
    done = mesh.command("run", "--json", "--mesh", size, "--profile", "t3d",
                        "--kernel", kernel, "--arg", arg, *words,
                        *[load][:load is not None])
    assert (done.returncode, done.stderr) == (0, ""), kernel
    return json.loads(done.stdout)


def measured(*args, **options):
    told = run(*args, **options)["measured"]
    assert told["answer_speedup"] == pytest.approx(
        told["one_board_ps"] / told["answer_ps"])
    return told


def test_all_kernels_are_here():
    assert JOBS.keys() == mesh.kernels()


CASES = [pytest.param(kernel, size, marks=() if size == "3x2" and kernel in
                      ("spin", "channels")
                      else pytest.mark.boards)
         for kernel in JOBS for size in ("3x2", "5x5", "7x6")]


@pytest.mark.parametrize("kernel, size", CASES)
def test_one_board(kernel, size):
    one = measured(kernel, "1x1")
    assert one["one_board_ps"] == one["answer_ps"]
    assert measured(kernel, size)["one_board_ps"] == pytest.approx(
        one["answer_ps"], rel=.01)


@pytest.mark.parametrize("load, words", [
    ("zeros", []),  # long: told by the boards, without one more
    ("text", ["--schedule", "farm"]), ("text", ["--slow", "1,1=8"]),
    ("text", ["--inject", "slow4@0,0", "--originator", "1,0"])])
def test_one_board_is_one_and_the_same(load, words):
    assert measured("spin", "3x2", *words, load=load)["one_board_ps"] == \
        pytest.approx(measured("spin", "1x1", load=load)["answer_ps"], rel=.01)


def test_one_board_of_several_loads():
    """It does one load after the other."""
    loads = ["text", "short"]
    done = mesh.command("run", "--json", "--mesh", "3x2", "--kernel", "spin",
                        "--arg", "32", "--originator=0,0=text",
                        "--originator=2,1=short")
    assert json.loads(done.stdout)["measured"]["one_board_ps"] == \
        pytest.approx(sum(measured("spin", "1x1", load=load)["answer_ps"]
                          for load in loads), rel=.01)


# ---- more boards, a later answer ----

def test_preparing_that_takes_long():
    """A tree is planned on the originator; one board is sooner, and where it
    does all, no sooner in a mesh of its own."""
    report = run("search", "3x2", "--rounds", "1", load="short")
    told = " ".join(report["remarks"])
    assert "of it the originator plans a tree" in told
    assert "what preparing costs is more than this load saves" in told
    assert "times slower than one board" in report["verdict"]
    assert measured("search", "3x2", load="short")["answer_speedup"] == \
        pytest.approx(1, rel=.03)


@pytest.mark.boards
def test_fewer_boards_that_are_faster():
    remarks = " ".join(run("search", "7x6")["remarks"])
    few = measured("search", "5x5")["answer_ps"] / 1e6
    assert f"25 boards, 5 x 5, have the answer after {few:.1f} us" in remarks
    assert "25 boards" not in " ".join(run("search", "5x5")["remarks"])

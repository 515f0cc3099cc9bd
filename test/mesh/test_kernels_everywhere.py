# SPDX-License-Identifier: Apache-2.0
"""Every kernel on a megabyte of its own files: one native node, 25 boards and
625 boards have the same result and the same output, byte for byte. (625 boards
that search: test_run.py.)"""
import json
import pathlib
import sys

import pytest

import mesh
import parts

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import job_bench  # noqa: E402

OUTPUTS = {"records": "out.csv", "fir": "out.wav", "conv": "out.pgm",
           "matvec": "out.npy", "channels": "out.csv"}


@pytest.fixture(name="files", scope="module")
def fixture_files(tmp_path_factory):
    """Makes a kernel's files once; the words of its command line."""
    folder = tmp_path_factory.mktemp("everywhere")
    made = {}

    def files(name):
        if name not in made:
            *_, make, file, arg, _ = job_bench.KERNELS[name]
            words = ["--kernel", name, "--arg", arg.format(folder=folder)]
            if make is not None:
                make(folder / file)
                words.append(folder / file)
            made[name] = words
        return made[name]

    return files


@pytest.fixture(name="alone", scope="module")
def fixture_alone(files, tmp_path_factory):
    """What one node makes of it: result and output."""
    folder = tmp_path_factory.mktemp("alone")
    known = {}

    def alone(name):
        if name not in known:
            known[name] = run(files(name), name, folder, "1x1", "native")
        return known[name]

    return alone


def run(words, name, folder, size, on, *more):
    words = ["run", "--json", "--mesh", size, "--on", on, *words, *more]
    output = folder / OUTPUTS[name] if name in OUTPUTS else None
    if output is not None:
        words += ["-o", output]
    done = mesh.command(*words)
    assert (done.returncode, done.stderr) == (0, "")
    return (json.loads(done.stdout)["result"],
            output.read_bytes() if output is not None else b"")


BOARDS = {"25": ("5x5", ()),
          "25-rounds": ("5x5", ("--originator", "3,1", "--rounds", "2")),
          "28": ("7x4", ()), "625": ("25x25", ("--originator", "20,9"))}
ELSEWHERE = [("search", "625")]
QUICK = {"records": ["25-rounds", "28"]}  # in `make test`; others: 25


@pytest.mark.parametrize("name, boards", parts.cases(
    [(name, boards) for name in job_bench.KERNELS for boards in BOARDS
     if (name, boards) not in ELSEWHERE],
    lambda case: case[1] in QUICK.get(case[0], ["25"])))
def test_same_answer_on_boards(files, alone, tmp_path, name, boards):
    size, more = BOARDS[boards]
    if name == "channels" and "--rounds" in more:
        more = more[:2]  # nothing is transferred: one round is best
    got = run(files(name), name, tmp_path, size, "qemu", *more)
    assert got == alone(name)


@pytest.mark.parametrize("name", sorted(
    set(job_bench.KERNELS) - {"channels"}))
def test_same_answer_in_batches(files, alone, tmp_path, name):
    """As if a board had a tenth of the memory."""
    units = 25 if name == "matvec" else 99_991
    batches = run(files(name), name, tmp_path, "5x5", "native", "--batch",
                  units)
    assert batches == alone(name)

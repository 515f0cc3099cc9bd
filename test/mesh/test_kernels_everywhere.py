# SPDX-License-Identifier: Apache-2.0
"""Every kernel on a megabyte of its own files: one native node, 25 boards, 625
native nodes, and 25 in batches have the same result and the same output, byte
for byte."""
import json
import pathlib
import sys

import pytest

import mesh

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import job_bench  # noqa: E402

OUTPUTS = {"records": "out.csv", "fir": "out.wav", "conv": "out.pgm",
           "matvec": "out.npy", "channels": "out.csv"}


def run(words, name, folder, line):
    output = folder / OUTPUTS.get(name, "none")
    words = ["run", "--json", *line.split(), *words]
    if name in OUTPUTS:
        words += ["-o", output]
    done = mesh.command(*words)
    assert (done.returncode, done.stderr) == (0, "")
    return (json.loads(done.stdout)["result"],
            output.read_bytes() if name in OUTPUTS else b"")


@pytest.mark.parametrize("name", job_bench.KERNELS)
def test_same_answer(tmp_path, name):
    *_, make, file, arg, _ = job_bench.KERNELS[name]
    words = ["--kernel", name, "--arg", arg.format(folder=tmp_path)]
    if make is not None:
        make(tmp_path / file)
        words.append(tmp_path / file)
    alone = run(words, name, tmp_path, "--mesh 1x1 --on native")
    units = 25 if name == "matvec" else 99_991
    for line in ["--mesh 5x5 --on qemu",
                 "--mesh 25x25 --on native --originator 20,9",
                 f"--mesh 5x5 --on native --batch {units}"]:
        if name == "channels" and "--batch" in line:
            continue  # there is no input
        assert run(words, name, tmp_path, line) == alone, line

# SPDX-License-Identifier: Apache-2.0
"""The host command with sanitizers (build/test/quincunx): it reads and writes
within its memory, and frees and closes what it took. (Bad input:
test/refused.)"""
import hashlib
import random
import subprocess
import wave

import numpy
import pytest

from core import BUILD
from guard import GUARD_S

PROGRAM = BUILD / "test" / "quincunx"
COSTS = ["--compute", "1us", "--startup", "5us", "--transfer", "3.3ns"]
PLAN = ["plan", "--torus", "25", "--load", "1000000", *COSTS]
NATIVE = ["--on", "native", "--mesh", "5x5", "--json"]


@pytest.fixture(name="folder", scope="module")
def fixture_folder(tmp_path_factory):
    """A small file of each kind."""
    folder = tmp_path_factory.mktemp("sanitized")
    chance = random.Random(5)
    data = chance.randbytes(6000)
    (folder / "bytes").write_bytes(data)
    (folder / "words").write_text("".join(
        f"word{i}\n" for i in range(500)), encoding="ascii")
    (folder / "digests").write_text(
        hashlib.sha256(b"word77").hexdigest() + "\n", encoding="ascii")
    (folder / "table.csv").write_text("id,name,price\n" + "".join(
        f"{i},\"it\"\"em {i}\",{i}.25\n" for i in range(300)), encoding="ascii")
    with wave.open(str(folder / "sound.wav"), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(data)
    (folder / "grey.pgm").write_bytes(b"P5 60 100 255\n" + data)
    (folder / "rgb.ppm").write_bytes(b"P6 40 50 255\n" + data)
    numpy.save(folder / "matrix.npy", numpy.ones((40, 9), dtype="int32"))
    numpy.save(folder / "vector.npy", numpy.ones(9, dtype="int32"))
    (folder / "slow").write_text("1 2 5us\n3 4 9us\n", encoding="ascii")
    return folder


def check(folder, arguments):
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], cwd=folder, text=True, check=False,
        capture_output=True, stdin=subprocess.DEVNULL, timeout=GUARD_S,
        errors="replace")
    assert not any(word in done.stderr for word in
                   ("LeakSanitizer", "AddressSanitizer:", "runtime error")), \
        done.stderr
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("more", [
    [], ["--per-node"], ["--rounds", "auto"], ["--rounds", "3", "--per-node"],
    ["--ports", "2", "--per-node"], ["--compute-power", "2"],
    ["--results", "1/4"], ["--node-compute", "slow"],
    ["--rounds", "2", "--ports", "2", "--per-node"],
    ["--rounds", "auto", "--node-compute", "slow", "--per-node"],
    ["--hop-delay", "1us", "--switching", "store-and-forward"]],
    ids=lambda more: "".join(more) or "plain")
def test_plans(folder, more):
    check(folder, PLAN + more)
    check(folder, [*PLAN, *more, "--json"])


@pytest.mark.parametrize("more", [
    ["--kernel", "search", "--arg", "abc", "bytes"],
    ["--kernel", "stats", "--arg", "type=u8", "bytes"],
    ["--kernel", "spin", "--arg", "32,1/2", "-o", "out", "bytes"],
    ["--kernel", "records", "--arg", "name=price,op=lt,value=50", "-o",
     "out.csv", "table.csv"],
    ["--kernel", "fir", "--arg", "low=1000,taps=9", "-o", "out.wav",
     "sound.wav"],
    ["--kernel", "conv", "--arg", "filter=gauss", "-o", "out.png", "grey.pgm"],
    ["--kernel", "conv", "--arg", "filter=sobel", "-o", "out.ppm", "rgb.ppm"],
    ["--kernel", "conv", "--arg", "filter=gauss", "-o", "out.pgm", "out.png"],
    ["--kernel", "matvec", "--arg", "vector=vector.npy", "-o", "out.npy",
     "matrix.npy"],
    ["--kernel", "dictionary", "--arg", "digests=digests", "words"],
    ["--kernel", "channels", "--arg",
     "voltage=-60:60:5,channels=64,steps=20", "-o", "channels.csv"],
], ids=lambda more: more[1] + "-" + more[-1].split(".")[-1])
def test_kernels(folder, more):
    check(folder, ["run", *NATIVE, *more])


@pytest.mark.parametrize("more", [
    ["--rounds", "2"], ["--batch", "1000"], ["--schedule", "star"],
    ["--schedule", "nearest", "--ports", "1"],
    ["--schedule", "farm"],
    ["--schedule", "farm", "--installment", "1", "--batch", "900"],
    ["--report", "report", "--gantt", "gantt.svg", "--trace", "trace"],
    ["--schedule", "star", "--mesh", "1x31", "--rounds", "2", "--profile",
     "t3d"],
    ["--switching", "store-and-forward"]], ids="".join)
def test_runs(folder, more):
    check(folder, ["run", *NATIVE, "--kernel", "spin", "--arg", "32", *more,
                   "bytes"])


@pytest.mark.parametrize("more", [
    ["--kernel", "spin", "--arg", "8,1/2", "-o", "out", "--report", "report",
     "--gantt", "gantt.svg", "--trace", "trace"],
    ["--kernel", "search", "--arg", "abc", "--schedule", "farm"],
    ["--kernel", "spin", "--arg", "8,1/2", "-o", "one", "-o", "other",
     "-o", "third"]], ids="".join)
def test_several_originators(folder, more):
    (folder / "few").write_bytes(b"few")
    check(folder, ["run", *NATIVE, "--originator", "0,0=bytes", "--originator",
                   "1,1=words", "--originator", "4,2=few", *more])


def test_several_pictures(folder):
    check(folder, ["run", *NATIVE, "--kernel", "conv", "--arg", "filter=gauss",
                   "--originator", "0,0=grey.pgm", "--originator",
                   "1,1=grey.pgm", "-o", "both.pgm"])


@pytest.mark.parametrize("arguments", [
    ["compare", *NATIVE, "--kernel", "spin", "--arg", "32", "bytes"],
    ["certificate", "--torus", "5"], ["kernels"],
    ["figures", "-o", "figures"],
    ["calibrate", "--on", "native", "--mesh", "3x3"],
], ids=lambda arguments: arguments[0])
def test_other_subcommands(folder, arguments):
    check(folder, arguments)

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
COSTS = "--compute 1us --startup 5us --transfer 3.3ns"
NATIVE = "--on native --mesh 5x5 --json"


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
        file.setparams((2, 2, 8000, 0, "NONE", ""))
        file.writeframes(data)
    (folder / "grey.pgm").write_bytes(b"P5 60 100 255\n" + data)
    (folder / "rgb.ppm").write_bytes(b"P6 40 50 255\n" + data)
    numpy.save(folder / "matrix.npy", numpy.ones((40, 9), dtype="int32"))
    numpy.save(folder / "vector.npy", numpy.ones(9, dtype="int32"))
    (folder / "workers").write_text("1 2\n3 4\n", encoding="ascii")
    (folder / "slow").write_text("1 2 5us\n3 4 9us\n", encoding="ascii")
    return folder


PLANS = ["", "--rounds 3 --per-node", "--ports 2 --per-node --json",
         "--compute-power 2", "--results 1/4", "--node-compute slow",
         "--rounds auto --node-compute slow --per-node --json",
         "--hop-delay 1us --switching store-and-forward"]
KERNELS = [
    "search --arg abc bytes", "stats --arg type=u8 bytes",
    "spin --arg 32,1/2 -o out bytes",
    "records --arg name=price,op=lt,value=50 -o out.csv table.csv",
    "fir --arg low=1000,taps=9 -o out.wav sound.wav",
    "conv --arg filter=gauss -o out.png grey.pgm",
    "conv --arg filter=sobel -o out.ppm rgb.ppm",
    "conv --arg filter=gauss -o out.pgm out.png",
    "matvec --arg vector=vector.npy -o out.npy matrix.npy",
    "dictionary --arg digests=digests words",
    "channels --arg voltage=-60:60:5,channels=64,steps=20 -o channels.csv"]
SEVERAL = "--originator 0,0=bytes --originator 1,1=words"
RUNS = ["--rounds 2", "--batch 1000", "--schedule nearest --ports 1",
        "--schedule farm --installment 1 --batch 900",
        "--report report --gantt gantt.svg --trace trace",
        "--schedule star --mesh 1x31 --rounds 2 --profile t3d",
        "--switching store-and-forward"]
OTHERS = [
    f"run {NATIVE} --kernel spin --arg 8,1/2 {SEVERAL} -o one -o other "
    "--report report --gantt gantt.svg --trace trace",
    f"run {NATIVE} --kernel search --arg abc --schedule farm {SEVERAL}",
    f"run {NATIVE} --kernel conv --arg filter=gauss --originator 0,0=grey.pgm "
    "--originator 1,1=grey.pgm -o both.pgm",
    f"compare {NATIVE} --kernel spin --arg 32 bytes", "certificate --torus 5",
    "kernels",
    "model results workers --load 10 --ratio 1/2",
    "calibrate --on native --mesh 3x3"]


# Nodes and links that die amid the job: messages are never received.
FAULTS = ["--inject hang@1,2@100us", "--inject die@1,2@100us --batch 3000",
          "--inject cut@0,0,north@1ps --inject die@3,3@60us --ports 1",
          "--schedule farm --inject die@0,1@90us --inject fault@1,0@90us"]


def finished(folder, line):
    done = subprocess.run(
        [PROGRAM, *line.split()], cwd=folder, text=True, check=False,
        capture_output=True, stdin=subprocess.DEVNULL, timeout=GUARD_S,
        errors="replace")
    assert not any(word in done.stderr for word in (
        "LeakSanitizer", "AddressSanitizer:", "runtime error")), (
            line, done.stderr)
    return done


@pytest.mark.parametrize("lines", [
    [f"plan --torus 25 --load 1000000 {COSTS} {more}" for more in PLANS],
    [f"run {NATIVE} --kernel {more}" for more in KERNELS],
    [f"run {NATIVE} --kernel spin --arg 32 {more} bytes" for more in RUNS],
    OTHERS], ids=["plans", "kernels", "runs", "others"])
def test_within_its_memory(folder, lines):
    for line in lines:
        done = finished(folder, line)
        assert done.returncode == 0, (line, done.stderr)


@pytest.mark.parametrize("faults", FAULTS)
def test_amid_faults(folder, faults):
    done = finished(folder, f"run {NATIVE} --kernel spin --arg 32 "
                    f"--profile t3d {faults} bytes")
    assert done.returncode in (0, 1)

# SPDX-License-Identifier: Apache-2.0
"""The fuzzer finds faults that are there, and none elsewhere so soon."""
import re
import subprocess

import pytest

import guard
import parts
from core import BUILD, ROOT

FUZZ = BUILD / "test" / "fuzz"
PLANTED = BUILD / "test" / "fuzz-planted"
CORPUS = BUILD / "test" / "fuzz-corpus"
WRITTEN = ROOT / "test" / "fuzz" / "corpus"
TARGETS = subprocess.run([FUZZ, "--list"], capture_output=True, text=True,
                         check=True).stdout.split()
# Runs of a target for each of which an interpreter starts.
SLOW = {"read-matvec": 12}
KERNELS = sorted(path.stem for path in (ROOT / "kernels").glob("*.c"))


def fuzz(program, *args):
    return subprocess.run(
        [program, "--corpus", CORPUS, *map(str, args)], capture_output=True,
        text=True, check=False, timeout=guard.GUARD_S)


def counts(text):
    """(runs, edges, inputs, findings) of the closing line."""
    found = re.search(r"(\d+) runs +(\d+) edges +(\d+) inputs +[\d.]+ s CPU "
                      r"+(\d+) findings\n\Z", text)
    assert found, text
    return tuple(map(int, found.groups()))


@pytest.mark.parametrize("fault, said", [
    ("overflow", "store to address|heap-buffer-overflow"),
    ("overrun", "load of address|heap-buffer-overflow"),
    ("leak", "memory is not freed"),
    ("wrong", "77 is wrong"),
    ("hang", "hangs")])
def test_a_planted_fault_is_found_and_replayed(fault, said, tmp_path):
    done = fuzz(PLANTED, "--runs", 200000, "--seed", 1,
                "--hang", 1, "--out", tmp_path, fault)
    assert done.returncode == 1, done.stdout
    assert re.search(said, done.stdout), done.stdout
    assert counts(done.stdout)[3] > 0
    files = list(tmp_path.iterdir())
    assert files
    for path in files:
        assert path.read_bytes()[:3] == b"FUZ"
        assert f"--replay {path} {fault}\n" in done.stdout
    again = fuzz(PLANTED, "--hang", 1, "--replay", files[0], fault)
    assert again.returncode != 0


@pytest.mark.parametrize("fault, said", parts.cases([
    ("node-short-range", "a range that is not there is computed"),
    ("node-lost-unit", "units are not computed|a wrong sum of units"),
    ("node-lost-result", "a wrong sum of units|units are not computed")], 1))
def test_a_fault_of_the_engine_is_found_and_replayed(fault, said, tmp_path):
    done = fuzz(PLANTED, "--runs", 400000, "--seed", 1,
                "--out", tmp_path, fault)
    assert done.returncode == 1, done.stdout
    assert re.search(said, done.stdout), done.stdout
    path, *_ = tmp_path.iterdir()
    again = fuzz(PLANTED, "--replay", path, fault)
    assert again.returncode != 0
    assert re.search(said, again.stderr), again.stderr


def test_what_is_no_finding_replays_well(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(b"F")
    done = fuzz(PLANTED, "--replay", path, "overflow")
    assert done.returncode == 0
    assert done.stdout == "overflow: no finding\n"


def test_no_finding_soon(tmp_path):
    """Of any target; all first inputs are tried before the others."""
    for target in TARGETS:
        runs = SLOW.get(target, 1000)
        done = fuzz(FUZZ, "--runs", runs, "--seed", 1, "--out", tmp_path,
                    target)
        assert done.returncode == 0, done.stdout + done.stderr
        written = len(list(CORPUS.glob(target + ".*")))
        assert counts(done.stdout)[0] == runs >= written, done.stdout
    assert not list(tmp_path.iterdir())


def test_every_kernel_is_fuzzed():
    for kernel in KERNELS:
        assert {"read-" + kernel, "begin-" + kernel} <= set(TARGETS)
    for path in CORPUS.glob("*.*"):
        assert path.name.split(".")[0] in TARGETS, path


def test_equal_seeds_do_the_same():
    """In another order of time and memory, too."""
    first, again, other = (
        counts(fuzz(FUZZ, "--runs", 3000, "--seed", seed, "begin-search")
               .stdout) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_the_corpus_is_small():
    sizes = [path.stat().st_size for path in CORPUS.iterdir()]
    sizes += [path.stat().st_size for path in WRITTEN.iterdir()]
    assert 1000 < sum(sizes) < 50000


@pytest.mark.parametrize("args", [
    ["--wrong"], ["one", "two"], ["--replay", "file"], ["nobody"],
    ["--replay", "/nowhere", "wrong"]])
def test_bad_arguments(args):
    done = fuzz(PLANTED, *args)
    assert done.returncode in (1, 2)
    assert done.stderr

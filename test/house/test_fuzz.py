# SPDX-License-Identifier: Apache-2.0
"""The fuzzer finds faults that are there, and none elsewhere so soon."""
import re
import subprocess

import pytest

import guard
from core import BUILD, QEMU, ROOT

FUZZ = BUILD / "test" / "fuzz"
PLANTED = BUILD / "test" / "fuzz-planted"
CORPUS = BUILD / "test" / "fuzz-corpus"
TARGETS = subprocess.run([FUZZ, "--list"], capture_output=True, text=True,
                         check=True).stdout.split()


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


def test_what_is_no_finding_replays_well(tmp_path):
    path = tmp_path / "input"
    path.write_bytes(b"F")
    done = fuzz(PLANTED, "--replay", path, "overflow")
    assert done.returncode == 0
    assert done.stdout == "overflow: no finding\n"


def test_no_finding_soon(tmp_path):
    """Of any target; all first inputs are tried before the others."""
    for target in TARGETS:
        runs = 500
        done = fuzz(FUZZ, "--runs", runs, "--seed", 1, "--out", tmp_path,
                    target)
        assert done.returncode == 0, done.stdout + done.stderr
        written = len(list(CORPUS.glob(target + ".*")))
        assert counts(done.stdout)[0] == runs >= written, done.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.boards
def test_no_finding_on_a_board():
    """Of nodes: where an address has 32 bits, and an assertion is a fault."""
    done = subprocess.run(
        [QEMU, "-M", "mps2-an385", "-nic", "none", "-display", "none",
         "-semihosting-config", "enable=on,target=native", "-kernel",
         BUILD / "test" / "fuzz.elf"], capture_output=True, text=True,
        check=False, timeout=guard.GUARD_S)
    assert done.returncode == 0, done.stderr
    assert done.stderr.endswith("node node node mesh\n")


def test_every_kernel_and_file_has_a_target():
    kernels = {path.stem for path in (ROOT / "kernels").glob("*.c")}
    assert {"read-" + kernel for kernel in kernels} <= set(TARGETS)
    for path in CORPUS.glob("*.*"):
        assert path.name.split(".")[0] in TARGETS, path
        assert path.stat().st_size < 5000


def test_equal_seeds_do_the_same():
    """In another order of time and memory, too."""
    first, again, other = (
        counts(fuzz(FUZZ, "--runs", 500, "--seed", seed, "read-search")
               .stdout) for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_bad_arguments():
    for args in (["--wrong"], ["one", "two"], ["--replay", "file"], ["nobody"],
                 ["--replay", "/nowhere", "wrong"]):
        done = fuzz(PLANTED, *args)
        assert done.returncode in (1, 2), args
        assert done.stderr, args

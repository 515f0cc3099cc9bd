# SPDX-License-Identifier: Apache-2.0
"""--check-load and --verify: memory that changes does not go unnoticed."""
import json
import random

import flips
import mesh
import pytest

ALL = [("peters-syska", "5x5"), ("binomial", "6x4"), ("farm", "5x5"),
       ("hybrid", "5x5"), ("star", "4x3"), ("peters-syska", "1x1")]
KERNELS = [("search", "ab"), ("stats", ""), ("spin", "8,1/4"), ("spin", "3")]
# In the originator's window: a byte of the argument of a search, behind header
# and order; and one of the load.
ARGUMENT = 0x20000 + 16 + 96 + 3
LOAD = 0x20000 + 1000


def run(load, *words, status=0):
    done = mesh.command("run", "--json", *words, load)
    assert done.returncode == status, done.stderr
    return (json.loads(done.stdout) if status == 0 else None), done.stderr


@pytest.fixture(name="load")
def make_load(tmp_path):
    load = tmp_path / "load"
    load.write_bytes(random.Random(mesh.SEED).randbytes(50_000))
    return load


@pytest.mark.parametrize("schedule, size", ALL)
@pytest.mark.parametrize("kernel, arg", KERNELS)
def test_what_is_right_is_proved(load, tmp_path, schedule, size, kernel, arg):
    """However the load is cut, sums add up to the file's."""
    words = ["--on=native", "--mesh", size, "--schedule", schedule,
             "--kernel", kernel, *(["--arg", arg] if arg else [])]
    outputs = []
    results = []
    for check in "no", "yes":
        output = tmp_path / check
        more = ["-o", output] if "/" in arg else []
        found, error = run(load, *words, f"--check-load={check}", *more)
        assert "damaged" not in error
        results.append(found["result"])
        outputs.append(output.read_bytes() if more else b"")
    assert results[0] == results[1] and outputs[0] == outputs[1]


@pytest.mark.parametrize("batch", [[], ["--batch=7000"]])
def test_batches_and_rounds(load, batch):
    words = ["--on=native", "--mesh=5x5", "--kernel=search", "--arg=ab", *batch]
    plain, _ = run(load, *words)
    found, error = run(load, *words, "--check-load=yes", "--verify",
                       "--rounds=3")
    assert found["result"] == plain["result"] and "damaged" not in error


@pytest.mark.parametrize("on", [
    "native", pytest.param("qemu", marks=pytest.mark.boards)])
def test_a_load_that_changes_at_the_originator(load, on):
    words = [f"--on={on}", "--mesh=5x5", "--kernel=stats"]
    flip = f"--inject=flip@0,0,{LOAD}.0@0us"
    right, _ = run(load, *words)
    wrong, error = run(load, *words, flip, "--check-load=no")
    assert wrong["result"] != right["result"] and "damaged" not in error
    again, error = run(load, *words, flip, "--check-load=yes")
    assert again["result"] == right["result"]
    assert "has a result of damaged memory" in error
    assert again["recovery"]["waves"] == 1


def test_the_argument_changes(load):
    """At the originator, after the kernel has begun."""
    words = ["--on=native", "--mesh=5x5", "--kernel=search", "--arg=ab"]
    flip = f"--inject=flip@0,0,{ARGUMENT}.1@0us"
    right, _ = run(load, *words)
    again, error = run(load, *words, flip, "--check-load=yes")
    assert again["result"] == right["result"]
    assert "damaged memory" in error


def test_verify_finds_what_is_not_checked(load):
    """0,0 has the whole load at first, and a part of it then."""
    words = ["--on=native", "--mesh=5x5", "--kernel=stats", "--batch=25000",
             "--check-load=no"]
    flip = f"--inject=flip@0,0,{LOAD}.0@0us"
    _, error = run(load, *words, flip, "--verify", status=1)
    assert "--verify: batch 1 of 2 has another result" in error


def test_flips_by_chance(tmp_path):
    """At least a third of those in the load or in results do harm, so they hit
    what is still read."""
    harmful = []
    for number in range(25):
        done = flips.trial(random.Random(f"{mesh.SEED} {number}"), tmp_path,
                           "native")
        assert not flips.is_failure(done), done
        if done.place in ("load", "result"):
            harmful.append(done.ends[:2] != ["right", "right"])
    assert sum(harmful) > len(harmful) // 3, harmful


def test_a_bit_changes_once(load):
    """If the bit changed in the second run of --verify, too, both would have
    the same wrong result: that of 2,2, which has counted and waits to send."""
    words = ["--on=native", "--mesh=4x3", "--kernel=stats", "--schedule=star",
             "--check-load=no"]
    right, _ = run(load, *words)
    for at in range(flips.RESULT + 308, flips.RESULT + 324, 4):
        flip = f"--inject=flip@2,2,{at:#x}.6@900us"
        wrong, _ = run(load, *words, flip)
        assert wrong["result"] != right["result"]
        _, error = run(load, *words, flip, "--verify", status=1)
        assert "--verify: batch 1 of 1 has another result" in error


@pytest.mark.parametrize("check, status", [("no", 1), ("yes", 0)])
def test_a_malformed_result_is_not_read(load, check, status):
    """A search whose number of counts, at the result's begin, has changed."""
    words = ["--on=native", "--mesh=5x5", "--kernel=search", "--arg=ab"]
    flip = f"--inject=flip@0,0,{flips.RESULT + 8 + 1:#x}.5@400us"
    _, error = run(load, *words, flip, f"--check-load={check}", status=status)
    assert ("sent a result that is malformed" if check == "no" else
            "has a result of damaged memory") in error

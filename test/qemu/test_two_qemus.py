# SPDX-License-Identifier: Apache-2.0
"""Two versions of QEMU: the same timelines and results of the same jobs."""
import functools
import json
import os
import re

import pytest

import clocked
import mesh
from core import qemu_version
from guard import GUARD_S

# Where to look for them; the first two versions that are found are compared.
CANDIDATES = ("qemu-system-arm", mesh.QEMU,
              str(mesh.BUILD / "qemu10" / "qemu-system-arm"))

JOBS = {
    "spin-t3d": ["5x5", "spin", "--arg", "32", "--profile", "t3d"],
    "tree": ["4x3", "search", "--arg", "return", "--originator", "2,1",
             "--batch", "30000", "--slow", "1,2=4"],
    "output": ["5x5", "conv", "--arg", "filter=sobel"],
}


@functools.cache
def two_qemus():
    """{version: program}: of each version one."""
    found = {}
    for program in CANDIDATES:
        said = qemu_version(program)
        version = said and re.search(r"version (\S+)", said)
        if version:
            found.setdefault(version[1], program)
    return found


@pytest.fixture(name="both")
def fixture_both():
    found = two_qemus()
    if len(found) < 2:
        pytest.skip("needs two versions of QEMU, and there is "
                    f"{' '.join(found) or 'none'}; `make qemu10` brings one")
    return list(found.values())[:2]


@pytest.fixture(name="load", scope="module")
def fixture_load(tmp_path_factory):
    """{kernel: file}."""
    folder = tmp_path_factory.mktemp("two")
    chance = mesh.seeded("two QEMUs")
    text, image = folder / "text", folder / "image.pgm"
    text.write_bytes(mesh.text(100_000, chance))
    image.write_bytes(b"P5 200 150 255\n" + chance.randbytes(200 * 150))
    short = folder / "short"
    short.write_bytes(text.read_bytes()[:10_000])
    return {"search": text, "spin": text, "conv": image, "serial": short}


def with_qemu(program):
    return {**os.environ, "QUINCUNX_QEMU": program}


@pytest.mark.parametrize("name", JOBS)
def test_timelines_are_the_same(both, load, tmp_path, name):
    """And so is all of the report but what the host's clock measured."""
    size, kernel, *options = JOBS[name]
    reports, outputs = [], []
    for index, program in enumerate(both):
        out = tmp_path / f"out{index}.pgm"
        done = mesh.command(
            "run", "--mesh", size, "--kernel", kernel, *options, "--json",
            *(["-o", out] if kernel == "conv" else []), load[kernel],
            env=with_qemu(program))
        assert done.returncode == 0, (program, done.stderr)
        report = json.loads(done.stdout)
        del report["wall_s"], report["command"], report["memory"]
        reports.append(report)
        outputs.append(out.read_bytes() if out.exists() else None)
    assert reports[0]["timeline_sha256"] == reports[1]["timeline_sha256"]
    assert reports[0] == reports[1]
    assert outputs[0] == outputs[1]
    assert (outputs[0] is not None) == (kernel == "conv")


def test_stm32f405_boards_do_the_same_job(both, load):
    """Their time is the host's: equal are the results."""
    results = []
    for program in both:
        done = mesh.command(
            "run", "--board", "stm32f405", "--mesh", "2x1", "--kernel",
            "search", "--arg", "return", "--profile", "emulated",
            "--watchdog", "60", "--json", load["serial"],
            env=with_qemu(program))
        assert done.returncode == 0, (program, done.stderr)
        results.append(json.loads(done.stdout)["result"])
    assert results[0] == results[1]
    assert results[0]["count"] == load["serial"].read_bytes().count(b"return")


# ---- which QEMU boards run in ----

def test_a_program_that_is_no_qemu(load):
    run = ["run", "--mesh", "1x1", "--kernel", "search", "--arg", "a"]
    for program, reason, words, machine in [
            ("/bin/ls", "does not list it", [*run, load["spin"]],
             "mps2-an385"),
            ("/nowhere/qemu", "cannot be executed",
             [*run, "--board", "stm32f405", load["spin"]], "netduinoplus2"),
            ("no-such-qemu", "cannot be executed", ["boards", "--mesh", "1x1"],
             "netduinoplus2")]:
        done = mesh.command(*words, env=with_qemu(program))
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(
            f"quincunx: QUINCUNX_QEMU '{program}': must be a "
            f"qemu-system-arm, which has the machine {machine}: ")
        assert reason in done.stderr and done.stderr.count("\n") == 1


def test_a_script_that_is_no_qemu_leaves_nothing(load, tmp_path):
    """It is given ten seconds, of the command's own time."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    for script, reason in [
            ("while :; do echo no; done", "does not list it"),
            ("echo mps2-an385-and-more", "does not list it"),
            (f"cat {fifo} & exit 0", "did not end within 10 s")]:
        env = mesh.qemu_script(tmp_path, script)
        waits = str(fifo) in script
        with clocked.Clocked("run", "--mesh", "1x1", "--kernel", "spin",
                             "--arg", "1", "--firmware", mesh.FIRMWARE,
                             load["spin"], env=env) as run:
            if waits:
                assert run.waits_until() == 10
            run.let(1000 if waits else 9)
            out, err = run.communicate(timeout=GUARD_S)
        assert (run.returncode, out) == (2, "") and reason in err
        mesh.until(lambda: not [
            pid for pid in mesh.pids() for words in [mesh.words_of(pid)]
            if os.fsencode(str(fifo)) in words
            or os.fsencode(env["QUINCUNX_QEMU"]) in words])


def test_native_nodes_and_an_empty_name_need_no_such_program(load):
    line = ["run", "--mesh", "1x1", "--kernel", "spin", "--arg", "1"]
    for more, name in (["--on", "native"], "/nowhere/qemu"), ([], ""):
        done = mesh.command(*line, *more, load["spin"], env=with_qemu(name))
        assert done.returncode == 0, done.stderr

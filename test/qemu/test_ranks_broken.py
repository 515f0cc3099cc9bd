# SPDX-License-Identifier: Apache-2.0
"""Ranks of the command with sanitizers, joined by memory in place of MPI
(test/qemu/ranks/transport.c), one of which is sent a damaged message: the run
ends, with a reason or as if nothing had been, and nobody reads or writes
outside of its memory."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

import pytest

from guard import GUARD_S
import mesh
from core import BUILD

PROGRAM = BUILD / "test" / "quincunx"
RANKS = 3
# As many messages as every rank gets before the run is at its end: one that
# takes leave and is not understood would be waited for for 10 s.
MESSAGES = 14
# What the address sanitizer says of coroutines, whatever they do.
NOISE = re.compile(r".*(swapcontext|handle_no_return|False positive"
                   r"|sanitizers/issues).*\n")


# The command; or the transport, as mpirun would, of a rank that is gone, since
# damage can look like the order to end.
SAYS = ("quincunx: ", "transport: ")


@pytest.fixture(scope="module", name="load")
def fixture_load(tmp_path_factory):
    path = tmp_path_factory.mktemp("broken") / "load"
    path.write_bytes(mesh.text(20_000, mesh.seeded("broken")))
    return path


def run(load, ranks, damage=None, **more):
    """The finished command, and what it says. What sanitizers say goes to a
    file of each process: on one pipe lines would get mixed."""
    more["OMPI_COMM_WORLD_SIZE"] = str(ranks)
    with tempfile.TemporaryDirectory() as folder:
        options = f"log_path={folder}/said"
        if damage is not None:
            # What is under way when a mesh is lost, is not freed.
            more["QUINCUNX_TEST_DAMAGE"] = " ".join(map(str, damage))
            options += ":detect_leaks=0"
        more |= {"ASAN_OPTIONS": options, "UBSAN_OPTIONS": options}
        done = subprocess.run(
            [PROGRAM, "run", "--json", "--mesh", "5x5", "--on", "native",
             "--kernel", "search", "--arg", "the", "--watchdog", "2", load],
            env={**os.environ, **more}, check=False, capture_output=True,
            text=True, stdin=subprocess.DEVNULL, timeout=GUARD_S,
            errors="replace")
        said = "".join(path.read_text(errors="replace")
                       for path in pathlib.Path(folder).iterdir())
    err = NOISE.sub("", done.stderr)
    for text in (err, NOISE.sub("", said)):
        assert "Sanitizer" not in text and "runtime error" not in text, text
    return done, err


def test_sound_ranks(load):
    """The same report as without others, and all memory is freed."""
    reports = []
    for ranks in 1, RANKS:
        done, err = run(load, ranks)
        assert (done.returncode, err) == (0, "")
        reports.append(json.loads(done.stdout))
    assert len({each["timeline_sha256"] for each in reports}) == 1
    assert [each.get("ranks", {}).get("count") for each in reports] == [
        None, RANKS]


@pytest.mark.parametrize("part", [
    0, pytest.param(1, marks=pytest.mark.boards)])
def test_damage_between_ranks(load, part):
    """The first message is HELLO or OPEN: nothing starts, or nothing has
    changed."""
    for rank in range(RANKS):
        ends = []
        for message in range(part, MESSAGES, 2):
            seed = part * 100 + message
            done, err = run(load, RANKS, (rank, message, seed))
            # 130: a rank that a signal asks to end says so in a record.
            assert done.returncode in (0, 1, 130), (seed, err)
            assert done.returncode == 0 or err.startswith(SAYS), (seed, err)
            ends.append(done.returncode)
        assert 1 in ends, rank


@pytest.mark.boards
def test_a_silent_rank(load):
    """It is named, and not waited for any longer."""
    done, err = run(load, RANKS, QUINCUNX_TEST_SILENT="2")
    assert done.returncode == 1
    assert err == "quincunx: rank 2 is silent for 30 s\n"


def test_another_version(load):
    """HELLO, cut or changed in its version."""
    said = "".join(run(load, RANKS, (0, 0, seed))[1] for seed in range(8))
    assert "all hosts need the same" in said

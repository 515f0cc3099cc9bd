# SPDX-License-Identifier: Apache-2.0
"""One rank alone, of which the others are made up (others/script.c): what they
send that no command of today does, and what it says of that."""
import os
import shutil
import struct
import subprocess

import pytest

import clocked
import mesh
from core import BUILD
from guard import GUARD_S

HELLO, OPEN, END, RANG, BROKEN = 1, 2, 12, 13, 20
VERSION = subprocess.run(
    [clocked.PROGRAM, "--version"], check=True, capture_output=True,
    text=True).stdout.split("(")[1].split(")")[0]
RUN = ["run", "--mesh=2x2", "--on=native", "--kernel=spin", "--arg=1",
       "/etc/passwd"]


def record(kind, body=b"", of_mesh=0):
    return struct.pack("<IHHI", len(body), kind, of_mesh, 0) + body


def hello(version=VERSION):
    return record(HELLO, struct.pack(
        "<64s64sIIQ", version.encode(), b"elsewhere", 1, 0, 1 << 62))


@pytest.fixture(name="start")
def fixture_start(tmp_path):
    """Starts the command as one of three ranks."""
    program = shutil.copy(clocked.PROGRAM, tmp_path / "quincunx")
    shutil.copy(BUILD / "test" / "script_ranks.so", tmp_path / "ranks.so")

    def start(rank, *messages):
        script = tmp_path / "script"
        script.write_bytes(b"".join(
            struct.pack("<II", from_, len(data)) + data
            for from_, data in messages))
        process = clocked.Clocked(
            *RUN, program=program, errors="replace", env={
                **os.environ, "RANKS_SCRIPT": str(script),
                "OMPI_COMM_WORLD_SIZE": "3",
                "OMPI_COMM_WORLD_RANK": str(rank)})
        process.let(100)
        with process:
            said, errors = process.communicate(timeout=GUARD_S)
            return process.returncode, said, errors
    return start


def test_who_is_not_one_of_ours(start):
    for messages, told in (
            ([(1, hello())], "quincunx: rank 2 is silent for 30 s\n"),
            ([], "quincunx: rank 1 is silent for 30 s\n"
             "quincunx: rank 2 is silent for 30 s\n"),
            ([(1, record(RANG))],
             "quincunx: rank 1 speaks as another version of quincunx\n"),
            ([(1, hello()), (2, hello("0"))],
             "quincunx: rank 2 on elsewhere is quincunx 0, rank 0 "
             f"{VERSION}: all hosts need the same\n")):
        status, _, errors = start(0, *messages)
        assert (status, errors) == (1, told)


def test_what_makes_no_sense(start):
    """To rank 0, and to others, who tell it and stay until it says END."""
    status, _, errors = start(0, (1, hello()), (2, hello()),
                              (2, record(OPEN, of_mesh=1)))
    assert status == 1
    assert errors.startswith("quincunx: the run ends on rank 2 (elsewhere): it "
                             "sends what makes no sense\n")
    status, said, errors = start(1, (2, record(OPEN)), (0, record(BROKEN)),
                                 (0, record(END)))
    assert (status, errors) == (0, "")
    assert said.count("was sent what only rank 0 may send") == 1
    assert said.count("was sent what makes no sense") == 1


def test_without_mpi_or_with_another(tmp_path):
    program = shutil.copy(mesh.QUINCUNX, tmp_path)
    for other, told in (
            (None, "started as one of several ranks, but without MPI: "),
            ("stop_write.so",
             f"{tmp_path}/ranks.so is of another version of quincunx\n")):
        if other:
            shutil.copy(BUILD / "test" / other, tmp_path / "ranks.so")
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True,
            check=False, timeout=GUARD_S,
            env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"})
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"quincunx: {told}")

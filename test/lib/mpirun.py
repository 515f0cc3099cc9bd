# SPDX-License-Identifier: Apache-2.0
"""Runs on several ranks, started by mpirun on this machine."""
import json
import os
import shutil
import subprocess

import pytest

import mesh
from core import BUILD
from guard import GUARD_S

AVAILABLE = (shutil.which("mpirun") is not None
             and (BUILD / "ranks.so").exists())

needs_mpi = pytest.mark.skipif(
    not AVAILABLE,
    reason="no Open MPI here: openmpi-bin and libopenmpi-dev, then `make'")

# All of a report that is the host's own.
HOSTS = ("wall_s", "ranks")


def line(ranks, *args):
    """The command line of so many ranks."""
    return ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n",
            str(ranks), mesh.QUINCUNX, *map(str, args)]


def command(ranks, *args, **options):
    """The finished mpirun, whatever its exit status; with one rank, the
    finished command without it."""
    if ranks == 1:
        return mesh.command(*args, **options)
    with mesh.turn(args):
        return subprocess.run(
            line(ranks, *args), check=False, capture_output=True, text=True,
            timeout=GUARD_S, stdin=subprocess.DEVNULL, **options)


def report(ranks, *args):
    """The report of a run that succeeds, and says nothing else."""
    done = command(ranks, "run", "--json", *args)
    assert done.returncode == 0, (args, done.stderr)
    assert done.stderr == "", (args, done.stderr)
    return json.loads(done.stdout)


def without_hosts(one):
    """What a report says of the mesh alone."""
    return {key: value for key, value in one.items() if key not in HOSTS}


def environment_of(pid):
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []


def left_behind(mark):
    """Processes, mpirun and all that it started, that have this mark."""
    word = f"QUINCUNX_TEST_RUN={mark}".encode()
    return [pid for pid in mesh.pids() if word in environment_of(pid)]


def is_board(pid):
    return os.path.basename(mesh.words_of(pid)[0]) in mesh.QEMU_NAMES


def is_command(pid):
    return os.path.basename(mesh.words_of(pid)[0]) == b"quincunx"


def rank_of(pid):
    """Of a rank, or a board of it; None: it is neither."""
    for word in environment_of(pid):
        if word.startswith(b"OMPI_COMM_WORLD_RANK="):
            return int(word.partition(b"=")[2])
    return None

# SPDX-License-Identifier: Apache-2.0
"""Limits of processes, stack and files: what a mesh will need is asked before,
and what met a limit is told at once, with the limit's name."""
import os
import re
import subprocess

import pytest

import limited
import mesh
from core import BUILD
from described import Library
from guard import GUARD_S

UNKNOWN = 2 ** 64 - 1
SPIN = ["run", "--mesh", "3x3", "--kernel", "spin", "--arg", "1"]


def run(*words, **more):
    return subprocess.run([*map(str, words)], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL,
                          timeout=GUARD_S, **more)


@pytest.fixture(name="load")
def fixture_load(tmp_path):
    path = tmp_path / "load"
    path.write_bytes(bytes(2000))
    return path


# ---- processes ----

V1 = ("36 31 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "37 31 0:32 / /sys/fs/cgroup rw - cgroup cgroup rw,pids\n")
V2 = "35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
SYSTEM = {"proc/sys/kernel/pid_max": 4000, "proc/sys/kernel/threads-max": 900,
          "proc/loadavg": "0.1 0.2 0.3 1/300 77"}
OF_GROUP = "pids.max (50) of the control group /sys/fs/cgroup/a"


@pytest.mark.parametrize("files, want", [
    ({}, (UNKNOWN, "")),
    (SYSTEM, (600, "sysctl kernel.threads-max (900)")),
    ({**SYSTEM, "proc/self/mountinfo": V2, "proc/self/cgroup": "0::/a/b"},
     (30, OF_GROUP)),
    ({**SYSTEM, "proc/self/mountinfo": V1,
      "proc/self/cgroup": "4:memory:/x\n3:pids:/a/b\n0::/y\n"}, (30, OF_GROUP))
], ids=["nothing is known", "the system's", "version 2", "version 1"])
def test_processes_that_are_left(tmp_path, files, want):
    group = "sys/fs/cgroup/a"
    for name, text in {f"{group}/b/pids.max": "max", f"{group}/pids.max": 50,
                       f"{group}/b/pids.current": 9,
                       f"{group}/pids.current": 20, **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")
    library = Library(BUILD / "test" / "limits.so")
    limits = library.struct("limits_processes")()
    library.calls.limits_read_processes(limits, os.fsencode(tmp_path))
    assert (limits.left, limits.name.decode()) == want


@limited.needs_root
@pytest.mark.parametrize("on, need", [([], 30), (["--board", "stm32f405"], 28)])
def test_a_mesh_that_needs_more_processes_is_refused(load, on, need):
    done = run(*limited.AS_USER, "prlimit", "--nproc=20", mesh.QUINCUNX,
               *SPIN, *on, "--firmware", BUILD / "test" / "chip-kernels.elf"
               if on else mesh.FIRMWARE, load)
    assert (done.returncode, done.stdout, done.stderr) == (
        1, "", f"quincunx: 9 boards need {need} processes and threads; "
        "ulimit -u (20) leaves 19; raise it, or take a smaller --mesh\n")


@limited.needs_root
@pytest.mark.parametrize("limit", [6, 8, 9])
def test_a_board_that_dies_before_its_answer(load, tmp_path, limit):
    """It is missed at once, not after two minutes, whatever its fork was doing
    when it could start no thread."""
    env = mesh.qemu_script(tmp_path, limited.qemu(limit))
    done = run(*limited.AS_USER, mesh.QUINCUNX, *SPIN, load, env=env)
    assert (done.returncode, done.stdout) == (1, "")
    assert ("quincunx: its QEMU could start no thread: Resource temporarily "
            "unavailable\n") in done.stderr


# ---- stack, files, /proc ----

@pytest.mark.parametrize("limit, said", [
    ("--stack=65536", "a stack of 64 KiB (ulimit -s) is too small; must be 512 "
     "KiB or more"),
    ("--fsize=8192", "board 0: window memory: File too large (ulimit -f: 8192 "
     "bytes)"),
    ("--as=120000000", "board N: window memory: Cannot allocate memory (ulimit "
     "-v: 117187 KiB)"),
    ("--stack=65536:", None)], ids=["stack", "file", "memory",
                                    "a stack that may grow"])
def test_other_limits(load, limit, said):
    done = run("prlimit", limit, mesh.QUINCUNX, *SPIN, load)
    err = re.sub("board [1-9]", "board N", done.stderr)
    assert (done.returncode, err) == (
        (0, "") if said is None else (1, f"quincunx: {said}\n"))


def test_a_board_without_memory(load):
    """Its QEMU ends by itself, with whatever words and status."""
    done = run("prlimit", "--data=20000000", mesh.QUINCUNX, "run", "--mesh",
               "1x1", *SPIN[3:], load)
    assert done.returncode == 1
    assert "quincunx: each process is limited (ulimit -d: 19531 KiB)\n" in (
        done.stderr)


def test_without_proc(load):
    alone = ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh"]
    if run(*alone, "true").returncode != 0:
        pytest.skip("/proc cannot be taken away here")
    done = run(*alone, mesh.QUINCUNX, *SPIN, load)
    assert (done.returncode, done.stderr) == (
        1, "quincunx: /proc is not mounted: mps2_an385/firmware.elf, which "
        "lies beside this program, cannot be found\n")
    done = run(*alone, mesh.QUINCUNX, *SPIN, "--firmware", mesh.FIRMWARE, load)
    assert (done.returncode, done.stderr) == (
        1, "quincunx: /proc is not mounted: QEMU finds its boards' memory "
        "there, or use --on native\n")

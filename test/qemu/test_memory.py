# SPDX-License-Identifier: Apache-2.0
"""Memory is looked at before it is missed: what is left, by files that stand in
for the system's; and meshes in a control group of their own."""
import os
import pathlib
import subprocess

import pytest

import mesh
from core import BUILD
from described import Library
from guard import GUARD_S

KIB, MIB = 1 << 10, 1 << 20
UNKNOWN = 2 ** 64 - 1


@pytest.fixture(name="library", scope="module")
def library_fixture():
    return Library(BUILD / "test" / "limits.so")


def left(library, root):
    limit = library.struct("limits_memory")()
    library.calls.limits_read_memory(limit, os.fsencode(root))
    return limit.bytes, limit.group.decode()


def system(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(text))


MEMINFO = {"proc/meminfo": "MemTotal:       8000 kB\nMemFree:    10 kB\n"
                           "MemAvailable:   6000 kB\n"}
V2 = "35 24 0:30 {top} /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
V1 = ("36 31 0:31 {top} /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
      "37 31 0:32 {top} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "38 31 0:33 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n")


def group(version, folder, limit, used, inactive=0):
    """The files of one group, whose folder is relative to the mount."""
    base = "sys/fs/cgroup" + ("/memory" if version == 1 else "") + folder
    names = (("memory.limit_in_bytes", "memory.usage_in_bytes",
              "total_inactive_file") if version == 1 else
             ("memory.max", "memory.current", "inactive_file"))
    return {f"{base}/{names[0]}": f"{limit}\n", f"{base}/{names[1]}":
            f"{used}\n", f"{base}/memory.stat":
            f"cache 1\n{names[2]}_more 999999\n{names[2]} {inactive}\n"}


NONE_V1 = 0x7FFFFFFFFFFFF000  # what version 1 says where there is no limit

CASES = {
    "no group": ({}, 6000 * KIB, ""),
    "version 2, its own": (
        {"proc/self/mountinfo": V2.format(top="/"),
         "proc/self/cgroup": "0::/a/b\n",
         **group(2, "/a/b", 2 * MIB, 1 * MIB, 100)},
        1 * MIB + 100, "/sys/fs/cgroup/a/b"),
    "version 2, the one around": (
        {"proc/self/mountinfo": V2.format(top="/"),
         "proc/self/cgroup": "0::/a/b\n", **group(2, "/a/b", "max", 1),
         **group(2, "/a", 5 * MIB, 3 * MIB)}, 2 * MIB, "/sys/fs/cgroup/a"),
    "version 2, the least of two": (
        {"proc/self/mountinfo": V2.format(top="/"),
         "proc/self/cgroup": "0::/a/b\n", **group(2, "/a/b", 3 * MIB, 0),
         **group(2, "/a", 5 * MIB, 4 * MIB)}, 1 * MIB, "/sys/fs/cgroup/a"),
    "version 2, more than the system has": (
        {"proc/self/mountinfo": V2.format(top="/"),
         "proc/self/cgroup": "0::/a\n", **group(2, "/a", 900 * MIB, 5)},
        6000 * KIB, ""),
    "version 2, in a container": (
        {"proc/self/mountinfo": V2.format(top="/box"),
         "proc/self/cgroup": "0::/box/a\n", **group(2, "/a", MIB, 0)},
        1 * MIB, "/sys/fs/cgroup/a"),
    "version 1": (
        {"proc/self/mountinfo": V1.format(top="/"),
         "proc/self/cgroup": "9:cpu,cpuacct:/c\n4:memory:/a/b\n0::/x\n",
         **group(1, "/a/b", NONE_V1, 1), **group(1, "", NONE_V1, 1),
         **group(1, "/a", 5 * MIB, 3 * MIB, 7)},
        2 * MIB + 7, "/sys/fs/cgroup/memory/a"),
    "version 1, its files in a container": (
        {"proc/self/mountinfo": V1.format(top="/docker/1"),
         "proc/self/cgroup": "4:memory:/docker/1\n",
         **group(1, "", 4 * MIB, MIB)}, 3 * MIB, "/sys/fs/cgroup/memory"),
    "used up": (
        {"proc/self/mountinfo": V2.format(top="/"),
         "proc/self/cgroup": "0::/a\n", **group(2, "/a", MIB, 2 * MIB)},
        0, "/sys/fs/cgroup/a"),
}


def test_what_is_left(library, tmp_path):
    for name, (files, want, where) in CASES.items():
        root = tmp_path / name
        system(root, {**MEMINFO, **files})
        assert left(library, root) == (want, where and str(where)), name


def test_kills_are_counted(library, tmp_path):
    """And nothing is known of a system that tells nothing."""
    assert left(library, tmp_path) == (UNKNOWN, "")
    assert library.calls.limits_memory_kills(os.fsencode(tmp_path)) == 0
    system(tmp_path, {"proc/vmstat": "nr_free 1\noom_kill_more 9\n"
                                     "oom_kill 12\nx 3\n"})
    assert library.calls.limits_memory_kills(os.fsencode(tmp_path)) == 12


# ---- meshes ----

@pytest.fixture(name="group")
def group_fixture():
    """A control group of version 1 or 2 whose limit can be set."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        if "memory" in names.split(",") or not names:
            top = "/sys/fs/cgroup" + ("/memory" if names else "")
            file = "memory.limit_in_bytes" if names else "memory.max"
            folder = pathlib.Path(top + path) / f"quincunx-test-{os.getpid()}"
            try:
                folder.mkdir()
            except OSError:
                continue
            if (folder / file).exists() and os.access(folder / file, os.W_OK):
                break
            folder.rmdir()
    else:
        pytest.skip("no control group with a limit can be made here")
    yield folder, folder / file
    mesh.until(lambda: not (folder / "cgroup.procs").read_text())
    folder.rmdir()


def run_in(group, limit, *args):
    folder, file = group
    file.write_text(str(limit))
    return subprocess.run(
        ["sh", "-c", 'echo $$ > "$0" && exec "$@"', folder / "cgroup.procs",
         mesh.QUINCUNX, *map(str, args)], capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL, timeout=GUARD_S)


@pytest.fixture(name="line")
def line_fixture(tmp_path):
    load = tmp_path / "load"
    load.write_bytes(bytes(200_000))
    return ["run", "--mesh", "5x5", "--kernel", "spin", "--arg", "8", load]


def test_a_mesh_that_does_not_fit_is_refused(group, line):
    done = run_in(group, 60 * MIB, *line)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "25 boards need about " in done.stderr
    assert f"the control group {group[0]} leaves 5" in done.stderr
    assert "--force" in done.stderr
    assert run_in(group, 400 * MIB, *line).returncode == 0
    assert run_in(group, 60 * MIB, *line, "--on", "native").returncode == 0


def test_boards_that_are_killed_for_memory(group, line):
    done = run_in(group, 40 * MIB, *line, "--force", "--boot", "exec")
    assert done.returncode == 1
    assert "--force: goes on\n" in done.stderr
    assert "memory ran out, and the system ended its QEMU" in done.stderr
    assert (group[0] / "cgroup.procs").read_text() == ""

# SPDX-License-Identifier: Apache-2.0
"""`.ci/run`, with a make that only says what a run would count; and how a
second QEMU is brought."""
import os
import re
import subprocess

import pytest

import mesh

MAKE = """#!/bin/sh
for word; do case $word in
test) [ -z '{first}' ] || echo '{first}' >> "$QUINCUNX_COUNTS"
    exit {status} ;;
test-boards) echo '{boards}' >> "$QUINCUNX_COUNTS"
    exit {long} ;;
qemu10) echo 'no mirror'; exit {missing} ;;
test-qemu10) echo '{second}' >> "$QUINCUNX_COUNTS"
    exit {again} ;;
esac; done
"""


def ci(folder, **values):
    path = folder / "make"
    path.write_text(MAKE.format(**{
        "first": "100 0 0", "status": 0, "boards": "5 0 0", "long": 0,
        "missing": 0, "second": "10 0 0",
        "again": 0, **values}))
    path.chmod(0o755)
    return subprocess.run(
        [mesh.ROOT / ".ci" / "run"], capture_output=True, text=True,
        timeout=60, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
             "TMPDIR": str(folder)})


@pytest.mark.parametrize("values, status, last", [
    ({}, 0, "115 passed, 0 failed"),
    ({"second": "8 0 2"}, 0, "113 passed, 0 failed, 2 skipped"),
    ({"missing": 1}, 0, "105 passed, 0 failed"),
    ({"missing": 1, "first": "98 1 1", "status": 2}, 2,
     "103 passed, 1 failed, 1 skipped"),
    ({"first": "98 1 1", "status": 2}, 2,
     "113 passed, 1 failed, 1 skipped"),
    ({"boards": "3 2 0", "long": 2}, 2, "113 passed, 2 failed"),
    ({"second": "7 3 0", "again": 2}, 2, "112 passed, 3 failed"),
    ({"first": "", "status": 2}, 2, None)])
def test_the_closing_line_has_the_sum(tmp_path, values, status, last):
    done = ci(tmp_path, **values)
    assert done.returncode == status
    lines = done.stdout.splitlines()
    closing = [line for line in lines
               if re.fullmatch(r"\d+ passed, \d+ failed.*", line)]
    assert closing == ([] if last is None else [last])
    assert last is None or lines[-1] == last
    assert ("not tested on a second QEMU: no mirror" in lines) == (
        "missing" in values)
    assert [path.name for path in tmp_path.iterdir()] == ["make"]


# ---- a second QEMU ----

def bring(*arguments, **more):
    return subprocess.run(
        [mesh.ROOT / "test" / "lib" / "second_qemu.sh", *arguments],
        capture_output=True, text=True, timeout=300, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, **more})


def test_a_suite_of_another_release(tmp_path):
    done = bring(tmp_path / "qemu", "hamm-backports")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"no QEMU of hamm-backports: its packages are for "
                        r"hamm, and this system is '\w*'\n", done.stderr)
    assert not list(tmp_path.iterdir())


def test_a_system_without_apt(tmp_path):
    (tmp_path / "rm").symlink_to("/bin/rm")
    done = bring(tmp_path / "qemu", PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("no QEMU of bookworm-backports: this system has no "
                           "apt-get and dpkg\n")
    assert [path.name for path in tmp_path.iterdir()] == ["rm"]


def test_mirrors_that_cannot_be_reached(tmp_path):
    """Ports of this machine where nobody listens."""
    config = tmp_path / "apt.conf"
    config.write_text('Acquire::http::Proxy "http://127.0.0.1:9";\n'
                      'Acquire::https::Proxy "http://127.0.0.1:9";\n')
    done = bring(tmp_path / "qemu", APT_CONFIG=str(config))
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"no QEMU of bookworm-backports: .+\n", done.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["apt.conf"]


def test_one_that_is_there_is_kept(tmp_path):
    program = tmp_path / "qemu-system-arm"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    assert bring(tmp_path).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["qemu-system-arm"]


# ---- make ----

@pytest.mark.parametrize("name, seen", [
    ("qemu-system-aarch64", "qemu-system-aarch64"), ("/a b/q", "/a b/q"),
    ("a/q", f"{mesh.ROOT}/a/q"), ("a b/q", f"{mesh.ROOT}/a b/q"), ("", "")])
def test_make_hands_the_program_on(name, seen):
    """A path is made absolute."""
    env = {key: value for key, value in os.environ.items()
           if key not in ("QUINCUNX_QEMU", "QEMU", "MAKEFLAGS", "MFLAGS")}
    done = subprocess.run(
        ["make", "--no-print-directory", "-C", mesh.ROOT, "--eval",
         'shown: ; @echo "$$QUINCUNX_QEMU"', "shown", f"QEMU={name}"],
        capture_output=True, text=True, timeout=60, check=False, env=env)
    assert (done.returncode, done.stdout) == (0, f"{seen}\n"), done.stderr

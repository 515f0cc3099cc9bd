# SPDX-License-Identifier: Apache-2.0
"""`.ci/run`, with a make that only says what a run would count; and how a
second QEMU is brought."""
import os
import re
import subprocess

import pytest

import mesh
from guard import GUARD_S

# A run of tests counts "100 0 0" where its name is told; what FAILS fails.
MAKE = """#!/bin/sh
case $1 in
test*) case " $FAILS " in *" none "*) exit 2 ;; *" $1 "*) say="98 2 1" ;;
    *) say="100 0 0" ;; esac
    echo "$say" >> "$QUINCUNX_COUNTS" ;;
esac
case " $FAILS " in *" $1 "*) exit 2 ;; esac
"""


@pytest.mark.parametrize("fails, status, last", [
    ("qemu10", 0, "200 passed, 0 failed"),
    ("lint", 2, "300 passed, 0 failed"),
    ("test", 2, "298 passed, 2 failed, 1 skipped"),
    ("test-boards test-qemu10", 2, "296 passed, 4 failed, 2 skipped"),
    ("none", 1, None)])
def test_the_closing_line_has_the_sum(tmp_path, fails, status, last):
    path = tmp_path / "make"
    path.write_text(MAKE)
    path.chmod(0o755)
    done = subprocess.run(
        [mesh.ROOT / ".ci" / "run"], capture_output=True, text=True,
        timeout=GUARD_S, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}",
             "TMPDIR": str(tmp_path), "FAILS": fails})
    assert (done.returncode, done.stdout) == (
        status, "" if last is None else f"{last}\n")
    assert [one.name for one in tmp_path.iterdir()] == ["make"]


# ---- a second QEMU ----

def bring(*arguments, **more):
    return subprocess.run(
        [mesh.ROOT / "test" / "lib" / "second_qemu.sh", *arguments],
        capture_output=True, text=True, timeout=GUARD_S, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, **more})


def test_one_that_cannot_be_had(tmp_path):
    """A suite of another release; a system without apt; mirrors where nobody
    listens. Nothing is left behind."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rm").symlink_to("/bin/rm")
    config = tmp_path / "bin" / "apt.conf"
    config.write_text('Acquire::http::Proxy "http://127.0.0.1:9";\n'
                      'Acquire::https::Proxy "http://127.0.0.1:9";\n')
    for suite, env, said in (
            ("hamm-backports", {}, "its packages are for hamm, and this system "
                                   r"is '\w*'"),
            ("bookworm-backports", {"PATH": str(tmp_path / "bin")},
             "this system has no apt-get and dpkg"),
            ("bookworm-backports", {"APT_CONFIG": str(config)}, ".+")):
        done = bring(tmp_path / "qemu", suite, **env)
        assert (done.returncode, done.stdout) == (1, "")
        # apt may warn of this machine's sources, too.
        assert re.search(f"no QEMU of {suite}: {said}\n\\Z", done.stderr)
        assert [path.name for path in tmp_path.iterdir()] == ["bin"]


def test_one_that_is_there_is_kept(tmp_path):
    program = tmp_path / "qemu-system-arm"
    program.write_text("#!/bin/sh\nexit 0\n")
    program.chmod(0o755)
    assert bring(tmp_path).returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["qemu-system-arm"]


# ---- make ----

@pytest.mark.parametrize("name, seen", [
    ("qemu-system-aarch64", "qemu-system-aarch64"), ("/a b/q", "/a b/q"),
    ("a b/q", f"{mesh.ROOT}/a b/q")])
def test_make_hands_the_program_on(name, seen):
    """A path is made absolute."""
    env = {key: value for key, value in os.environ.items()
           if key not in ("QUINCUNX_QEMU", "QEMU", "MAKEFLAGS", "MFLAGS")}
    done = subprocess.run(
        ["make", "--no-print-directory", "-C", mesh.ROOT, "--eval",
         'shown: ; @echo "$$QUINCUNX_QEMU"', "shown", f"QEMU={name}"],
        capture_output=True, text=True, timeout=GUARD_S, check=False, env=env)
    assert (done.returncode, done.stdout) == (0, f"{seen}\n"), done.stderr

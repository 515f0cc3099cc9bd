# SPDX-License-Identifier: Apache-2.0
"""`make tarball` and `make release`, in a checkout of one commit."""
import os
import re
import shutil
import subprocess
import tarfile

import pytest

from core import ROOT
from guard import GUARD_S
from rules import FILES, read

RELEASE = re.search(r"^RELEASE := (.*)$", read("Makefile"), re.MULTILINE)[1]


def run(folder, *args):
    """The finished program, whatever its status."""
    env = {key: value for key, value in os.environ.items()
           if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD")}
    return subprocess.run(args, cwd=folder, env=env, capture_output=True,
                          text=True, timeout=GUARD_S, check=False)


def commit(folder):
    for args in (("add", "-A"), ("commit", "-q", "-m", "all")):
        done = run(folder, "git", "-c", "user.name=a", "-c", "user.email=a@b",
                   *args)
        assert done.returncode == 0, done.stderr


@pytest.fixture(name="checkout")
def fixture_checkout(tmp_path):
    folder = tmp_path / "checkout"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    run(folder, "git", "init", "-q")
    commit(folder)
    return folder


def test_a_tarball_is_the_commit_and_knows_its_name(checkout, tmp_path):
    (checkout / "not-committed").touch()
    path = checkout / f"build/quincunx-{RELEASE}.tar.gz"
    packed = []
    for _ in range(2):
        done = run(checkout, "make", "tarball")
        assert (done.returncode, done.stdout) == (
            0, f"tarball   build/quincunx-{RELEASE}.tar.gz\n"), done.stderr
        packed.append(path.read_bytes())
    assert packed[0] == packed[1]
    with tarfile.open(path) as archive:
        assert {member.name for member in archive if not member.isdir()} == {
            f"quincunx-{RELEASE}/{name}" for name in [*FILES, ".version"]}
        archive.extractall(tmp_path)
    name = run(checkout, "git", "describe", "--always").stdout
    shown = run(tmp_path / f"quincunx-{RELEASE}", "make", "-s", "show",
                "--eval=show: ; @echo $(call version_of,hal) $(COMMIT)")
    assert shown.stdout == f"{name.strip()} {name}", shown.stderr


def refused(folder, says):
    """A release is, before anything is built or tested."""
    done = run(folder, "make", "release")
    assert done.returncode == 2 and says in done.stderr
    assert "pytest" not in done.stdout and not (folder / "build").exists()


def test_a_release_is_of_a_commit_whose_changes_have_a_date(checkout):
    page = checkout / "CHANGELOG.md"
    dated = page.read_text()
    page.write_text(re.sub(rf"^## {RELEASE}, .*$", "## Unreleased", dated,
                           flags=re.MULTILINE))
    refused(checkout, "commit these first")
    commit(checkout)
    refused(checkout,
            f"CHANGELOG.md has no part '## {RELEASE}, YEAR-MONTH-DAY'")

# SPDX-License-Identifier: Apache-2.0
"""That `make hil` finds its tests, and that they work on two by two modelled
boards; the whole of it takes minutes, and is not part of `make test`."""
import fcntl
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

from core import ROOT
from guard import GUARD_S


def run(*args, **values):
    """pytest on test/hil, as `make hil` calls it."""
    env = {key: value for key, value in os.environ.items()
           if not key.startswith("QUINCUNX_HIL")}
    env.update({f"QUINCUNX_{key}": value for key, value in values.items()})
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q",
         "-p", "no:xdist", *args, "test/hil"], cwd=ROOT, env=env, text=True,
        capture_output=True, timeout=GUARD_S, check=False)


def collected(**values):
    done = run("--collect-only", **values)
    return sorted(set(re.findall(r"test_hil_\d_\w+(?=\.py)", done.stdout)))


def test_it_finds_its_tests():
    """Other runs leave it alone."""
    assert collected() == []
    assert collected(HIL="1") == ["test_hil_1_console", "test_hil_2_mesh",
                                  "test_hil_3_circuits", "test_hil_4_jobs"]


def test_some_tests_on_modelled_boards(tmp_path):
    """And both reports."""
    junit, text = tmp_path / "hil.xml", tmp_path / "hil.txt"
    done = run("-k", "ident_tells or links_are or discovery_finds",
               f"--junitxml={junit}", HIL="1", HIL_MESH="2x2",
               HIL_REPORT=str(text))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed, 0 failed" in done.stdout
    suite = xml.etree.ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "0")
    said = text.read_text("utf-8")
    assert "mesh      2x2 modelled boards" in said
    assert re.search(r"^boards that were found +4$", said, re.MULTILINE)
    assert "3 passed, 0 failed, 0 skipped" in said


def test_a_port_that_is_busy_ends_it_at_once():
    master, slave = os.openpty()
    try:
        fcntl.flock(slave, fcntl.LOCK_EX)
        port = os.ttyname(slave)
        done = run(HIL="1", HIL_PORT=port)
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 2
    assert f"PORT={port}: {port} is busy" in done.stdout
    assert "Traceback" not in done.stdout

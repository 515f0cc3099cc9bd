# SPDX-License-Identifier: Apache-2.0
"""That `make hil` finds its tests, and that they work on two by two emulated
boards; the whole of it takes minutes, and is not part of `make test`."""
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

import pytest

from core import BUILD, ROOT


def run(*args, **values):
    """pytest on test/hil, as `make hil` calls it."""
    env = {key: value for key, value in os.environ.items()
           if not key.startswith("QUINCUNX_HIL")}
    env.update({f"QUINCUNX_{key}": value for key, value in values.items()})
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q",
         "-p", "no:xdist", *args, "test/hil"], cwd=ROOT, env=env, text=True,
        capture_output=True, timeout=120, check=False)


def collected(**values):
    done = run("--collect-only", **values)
    return sorted(set(re.findall(r"test_hil_\d_\w+(?=\.py)", done.stdout)))


def test_other_runs_leave_it_alone():
    assert collected() == []


@pytest.mark.parametrize("board, files", [
    ("mps2_an385", ["test_hil_9_fabric"]),
    ("stm32f405", ["test_hil_1_console", "test_hil_2_mesh",
                   "test_hil_3_circuits", "test_hil_4_jobs",
                   "test_hil_8_last"])])
def test_it_finds_its_tests(board, files):
    assert collected(HIL="1", HIL_BOARD=board) == files


def test_one_test_on_emulated_boards(tmp_path):
    """And both reports."""
    junit, text = tmp_path / "hil.xml", tmp_path / "hil.txt"
    done = run("-k", "ident_tells or links_are or discovery_finds",
               f"--junitxml={junit}", HIL="1", HIL_BOARD="stm32f405",
               HIL_MESH="2x2", HIL_REPORT=str(text))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 passed, 0 failed" in done.stdout
    suite = xml.etree.ElementTree.parse(junit).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("3", "0")
    said = text.read_text("utf-8")
    assert "mesh      2x2 emulated boards" in said
    assert re.search(r"^boards that were found +4$", said, re.MULTILINE)
    assert "3 passed, 0 failed, 0 skipped" in said


@pytest.mark.parametrize("port, words", [
    ("/dev/ttyNOWHERE0", "No such file"), ("/", "no serial port")])
def test_a_port_that_is_none_ends_it_at_once(port, words):
    done = run(HIL="1", HIL_BOARD="stm32f405", HIL_PORT=port)
    assert done.returncode == 2
    assert f"PORT={port}: " in done.stdout and words in done.stdout


def test_the_fits_of_its_own_are_right():
    """Against exact least squares of rows that a test makes up."""
    import test_calibrate

    sys.path.insert(0, str(ROOT / "test" / "hil"))
    import fits

    chance = __import__("mesh").seeded("hil fits")
    rows = [(1, chance.randrange(5), chance.randrange(4000))
            for _ in range(33)]
    values = [7000 + 50 * r[1] + 3 * r[2] + chance.randrange(100)
              for r in rows]
    want, halves, rms = test_calibrate.least_squares(rows, values)
    got = fits.least_squares(rows, values)
    assert got[0] == pytest.approx([float(w) for w in want], rel=1e-9)
    assert got[1] == pytest.approx(halves, rel=1e-2)
    assert got[2] == pytest.approx(rms, rel=1e-9)


def test_build_is_there():
    assert (BUILD / "quincunx").exists()

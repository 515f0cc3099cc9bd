# SPDX-License-Identifier: Apache-2.0
"""That `make hil` finds its tests, and that they work on two by two emulated
boards; the whole of it takes minutes, and is not part of `make test`."""
import fcntl
import importlib
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
from fractions import Fraction

import pytest

import mesh
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


def test_a_port_that_is_busy_ends_it_at_once():
    master, slave = os.openpty()
    try:
        fcntl.flock(slave, fcntl.LOCK_EX)
        port = os.ttyname(slave)
        done = run(HIL="1", HIL_BOARD="stm32f405", HIL_PORT=port)
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 2
    assert f"PORT={port}: {port} is busy" in done.stdout
    assert "Traceback" not in done.stdout


def test_the_fits_of_its_own_are_right():
    """A line, whose values and intervals have formulas of their own."""
    sys.path.insert(0, str(ROOT / "test" / "hil"))
    fits = importlib.import_module("fits")
    chance = mesh.seeded("hil fits")
    x = [chance.randrange(4000) for _ in range(32)]
    y = [7000 + 3 * value + chance.randrange(100) for value in x]
    n, x_mean, y_mean = len(x), Fraction(sum(x), 32), Fraction(sum(y), 32)
    spread = sum((a - x_mean) ** 2 for a in x)
    slope = sum((a - x_mean) * (b - y_mean) for a, b in zip(x, y)) / spread
    rest = sum((b - y_mean - slope * (a - x_mean)) ** 2 for a, b in zip(x, y))
    rms = math.sqrt(rest / (n - 2))
    values, halves, got = fits.least_squares([(1, a) for a in x], y)
    assert values == pytest.approx(
        [float(y_mean - slope * x_mean), float(slope)], rel=1e-9)
    assert got == pytest.approx(rms, rel=1e-9)
    # 2.042: 97.5 % of Student's t with 30 degrees of freedom.
    assert halves == pytest.approx(
        [2.042 * rms * math.sqrt(1 / n + x_mean ** 2 / spread),
         2.042 * rms / math.sqrt(spread)], rel=1e-6)


def test_a_fit_of_rows_that_tell_nothing_apart():
    sys.path.insert(0, str(ROOT / "test" / "hil"))
    fits = importlib.import_module("fits")
    for rows in ([(1, 5)] * 4, [(1, 5), (1, 6)]):
        with pytest.raises(AssertionError, match="nothing apart"):
            fits.least_squares(rows, range(len(rows)))

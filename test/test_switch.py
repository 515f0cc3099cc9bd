# SPDX-License-Identifier: Apache-2.0
"""Every TAP line of build/test/switch is a test here."""
import subprocess

import pytest

import tap
from core import BUILD

PROGRAM = BUILD / "test" / "switch"
OUTCOME = tap.run([PROGRAM], timeout=600)


def test_switch_ends_as_it_should():
    assert not OUTCOME.trouble, OUTCOME.trouble
    assert OUTCOME.results


@pytest.mark.parametrize("passed, notes", [r[1:] for r in OUTCOME.results],
                         ids=[r[0] for r in OUTCOME.results])
def test_switch(passed, notes):
    assert passed, notes


def test_equal_seeds_do_the_same():
    first, again, other = (
        subprocess.run([PROGRAM, "--seeds", "5", seed], capture_output=True,
                       text=True, check=True).stdout
        for seed in ("7", "7", "8"))
    assert first == again != other

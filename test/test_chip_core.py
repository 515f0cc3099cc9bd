# SPDX-License-Identifier: Apache-2.0
"""The processor of the chip model: cycles, exceptions, faults by hand-written
sequences; every instruction against Unicorn; and the firmware's image."""
import re
import subprocess

import pytest

import tap
from core import BUILD

FIRMWARE = BUILD / "stm32f405" / "firmware.bin"
BENCH = BUILD / "test" / "chip-core-bench"
OUTCOME = tap.run([BUILD / "test" / "chip-core"], timeout=120)


def test_chip_core_ends_as_it_should():
    assert not OUTCOME.trouble, OUTCOME.trouble
    assert OUTCOME.results


@pytest.mark.parametrize("passed, notes", [r[1:] for r in OUTCOME.results],
                         ids=[r[0] for r in OUTCOME.results])
def test_chip_core(passed, notes):
    assert passed, notes


@pytest.mark.parametrize("seed", [1, 2])
def test_as_unicorn(seed):
    outcome = tap.run([BUILD / "test" / "chip-core-differ", seed], timeout=120)
    assert not outcome.trouble, outcome.trouble
    assert not tap.failures(outcome), tap.failures(outcome)


def test_the_firmware_runs_without_a_fault():
    """For 200 ms of its time, with devices that read 0."""
    first, again = (
        subprocess.run([BENCH, FIRMWARE, "200"], capture_output=True,
                       text=True, check=True).stdout for _ in range(2))
    counts = re.match(r"instructions (\d+) cycles (\d+)\n", first)
    assert int(counts[1]) > 100_000
    assert int(counts[2]) >= 200 * 168_000
    assert again.startswith(counts[0])

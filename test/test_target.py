# SPDX-License-Identifier: Apache-2.0
"""The unit tests once more, on the Cortex-M3 that the firmware runs on."""
import pytest

import tap
from core import BUILD, QEMU

IMAGE = BUILD / "test" / "target.elf"
OUTCOME = tap.run_once(
    [QEMU, "-M", "mps2-an385", "-nodefaults", "-display", "none",
     "-chardev", "stdio,id=tap",
     "-semihosting-config", "enable=on,target=native,chardev=tap",
     "-kernel", IMAGE],
    timeout=120)


def test_target_ends_as_it_should():
    assert not OUTCOME.trouble, OUTCOME.trouble
    assert OUTCOME.results


def test_target_tells_its_stack():
    assert "# stack bytes used: 0x" in OUTCOME.notes


@pytest.mark.parametrize("passed, notes", [r[1:] for r in OUTCOME.results],
                         ids=[r[0] for r in OUTCOME.results])
def test_target(passed, notes):
    assert passed, notes

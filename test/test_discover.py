# SPDX-License-Identifier: Apache-2.0
"""Every TAP line of build/test/discover is a test here."""
import pytest

import tap
from core import BUILD

OUTCOME = tap.run([BUILD / "test" / "discover"], timeout=900)


def test_discover_ends_as_it_should():
    assert not OUTCOME.trouble, OUTCOME.trouble
    assert OUTCOME.results


@pytest.mark.parametrize("passed, notes", [r[1:] for r in OUTCOME.results],
                         ids=[r[0] for r in OUTCOME.results])
def test_discover(passed, notes):
    assert passed, notes

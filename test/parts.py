# SPDX-License-Identifier: Apache-2.0
"""Which cases of a test are part of `make test`, and which of `make
test-boards`."""
import pytest


def cases(every, quick):
    """Parameters of all cases; those that are not among `quick`, which may be
    a number of first ones, have the mark `boards`."""
    every = list(every)
    if isinstance(quick, int):
        quick = every[:quick]
    assert all(case in every for case in quick)
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)),
                         marks=[] if case in quick else pytest.mark.boards)
            for case in every]

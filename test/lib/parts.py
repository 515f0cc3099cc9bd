# SPDX-License-Identifier: Apache-2.0
"""Which cases of a test are part of `make test`, and which of `make
test-boards`."""
import pytest


def cases(every, quick):
    """Parameters of all cases; those that are not among `quick` have the mark
    `boards`: cases, a number of first ones, or a function that tells one."""
    every = list(every)
    if isinstance(quick, int):
        quick = every[:quick]
    elif callable(quick):
        quick = list(filter(quick, every))
    assert all(case in every for case in quick)
    return [pytest.param(*(case if isinstance(case, tuple) else (case,)),
                         marks=[] if case in quick else pytest.mark.boards)
            for case in every]

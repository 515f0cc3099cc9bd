# SPDX-License-Identifier: Apache-2.0
"""The HAL on both kinds of board: one program, the same expectations."""
import pytest

from guard import GUARD_S
import tap
from core import BUILD

RUNNER = BUILD / "test" / "conformance"
IMAGE = BUILD / "test" / "conformance.elf"
TESTS = 8


@pytest.mark.parametrize("board", [
    ["native"],
    pytest.param(["qemu", IMAGE], marks=pytest.mark.boards),
    ["qemu", IMAGE, BUILD / "zygote.so"]],
    ids=["native", "exec", "fork"])
def test_conformance(board):
    """Twenty-five boards, twice: the second run equals the first."""
    outcome = tap.run([RUNNER, *board], timeout=GUARD_S)
    assert not outcome.trouble, tap.failures(outcome)
    assert all(passed for _, passed, _ in outcome.results), \
        tap.failures(outcome)
    assert len(outcome.results) == TESTS


def test_conformance_needs_to_know_the_board():
    assert tap.run([RUNNER], timeout=GUARD_S).trouble

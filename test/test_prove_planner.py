# SPDX-License-Identifier: Apache-2.0
"""The proofs that take as long as all others: a file is one worker's."""
import pathlib
import shutil
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "prove"))
import prove  # noqa: E402

SOURCES = ("scatter/plan/one_round.c", "scatter/plan/split.c")


@pytest.mark.skipif(shutil.which("frama-c") is None,
                    reason="frama-c is not installed")
@pytest.mark.parametrize("proof", [
    proof for proof in prove.PROOFS if proof.source in SOURCES],
    ids=lambda proof: proof.source)
def test_source_is_proven(proof):
    assert prove.complaints(proof)[0] == []

# SPDX-License-Identifier: Apache-2.0
"""What people read is as it was: every summary, table and help is that of a
file of this folder. `make golden` writes these anew; a change is a diff to be
read. What makes them: golden_cases.py."""
import os

import pytest

import golden
import golden_cases

NAMES = sorted(golden_cases.CASES)


@pytest.mark.parametrize("name", NAMES)
def test_what_people_read(name, tmp_path):
    golden_cases.files(tmp_path)
    got = golden.transcript(golden_cases.CASES[name], tmp_path)
    path = golden.HERE / f"{name}.txt"
    if os.environ.get("QUINCUNX_GOLDEN") == "write":
        path.write_text(got, encoding="utf-8")
    want = path.read_text(encoding="utf-8")
    part = golden_cases.NEAR.get(name)
    if got == want or part and golden.is_near(want, got, part):
        return
    pytest.fail(golden.difference(name, want, got) + "\n\nIf all of this is "
                "meant: make golden", pytrace=False)


def test_no_text_without_a_case():
    assert NAMES == sorted(
        path.stem for path in golden.HERE.glob("*.txt"))


def test_numbers_that_are_near():
    """The comparison itself."""
    want = "a 100.0 us\n[" + 60 * "p" + "]\nb 3"
    near = "a   102.0 us\n[" + 60 * "c" + "]\nb 3"
    assert golden.is_near(want, near, 0.03)
    for other in (near.replace("102", "104"), near.replace("us", "ms"),
                  near.replace("b", "c"), near + " 1"):
        assert not golden.is_near(want, other, 0.03)

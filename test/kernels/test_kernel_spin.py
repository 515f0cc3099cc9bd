# SPDX-License-Identifier: Apache-2.0
"""Kernel spin with units of uneven cost: `--arg N,burst`."""
from fractions import Fraction

import pytest

import mesh
from twins import burst as answer


def compute_ps(path, data, arg, **options):
    """Of all nodes together, the originator's first units apart."""
    path.write_bytes(data)
    report = mesh.run(path, size="1x1", arg=arg, **options)
    return sum(n["finished_ps"] - n["compute_start_ps"]
               for n in report["measured"]["nodes"])


def test_what_units_take(tmp_path):
    """Cheap ones as many instructions, of 32 ns each, as without burst; dear
    ones three times as many; a mixture as its sum. Within 1 %: a run begins
    with some 60 instructions more."""
    path, units, instructions = tmp_path / "load", 50_000, 7
    mixture = mesh.seeded("spin mixture").randbytes(units)
    plain = compute_ps(path, bytes(units), f"{instructions}")
    for data, times in ((bytes(units), 1), (b"\x80" * units, 3),
                        (mixture, Fraction(answer(mixture), units))):
        took = compute_ps(path, data, f"{instructions},burst")
        assert took == pytest.approx(float(times) * plain, rel=.01)
    assert plain == pytest.approx(units * instructions * 32_000, rel=.05)


def test_native_nodes_account_for_cheap_units(tmp_path):
    even, dear_ones = (
        compute_ps(tmp_path / "load", data * 50_000, "32,burst", on="native")
        for data in (b"\0", b"\xff"))
    assert even == dear_ones

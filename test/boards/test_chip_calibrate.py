# SPDX-License-Identifier: Apache-2.0
"""`quincunx calibrate` on modelled boards, against what is true there."""
import pytest

from chip_truth import Calibrated

STARTUP_US, HOP_US, BYTE = 10, 5, 0.01
# Errors of clocks, in halves of the 95 % intervals that the program prints: of
# 3 offsets and 3 drifts, whose errors one run of another image moves.
HALVES = 3
PROBES = 3 * 6 * 5  # nodes, sizes, repeats

pytestmark = pytest.mark.boards


@pytest.fixture(name="found", scope="module")
def fixture_found():
    found = Calibrated()
    assert found.complaints == []
    assert found.overruns == 0
    return found


def test_the_circuits_values_are_the_true_ones(found):
    assert len(found.ways) == len(found.rows) == PROBES
    assert [way[0] for way in found.ways] == [
        found.node(row) for row in found.rows]
    true = found.true_us()
    assert abs(found.said_us("startup_ps") - true["startup_ps"]) <= STARTUP_US
    assert abs(found.said_us("hop_delay_ps") - true["hop_delay_ps"]) <= HOP_US
    assert found.said_us("transfer_ps_per_byte") == pytest.approx(
        true["transfer_ps_per_byte"], rel=BYTE)


def test_a_message_takes_what_the_values_say(found):
    """Any probe and any answer, also those that were not the shortest."""
    for (_, *ways), row in zip(found.ways, found.rows):
        said = (found.said_us("startup_ps")
                + found.said_us("hop_delay_ps") * row["hops"]
                + found.said_us("transfer_ps_per_byte") * row["bytes"])
        assert ways == pytest.approx([said, said], abs=0.01 * said + 20)


def test_a_byte_takes_what_it_does_on_the_wire(found):
    assert found.wire_byte_us() == pytest.approx(
        found.said_us("transfer_ps_per_byte"), rel=BYTE)


def test_the_clocks_are_the_true_ones(found):
    errors = found.clock_errors()
    assert len(errors) == 3
    for error, half in [pair for clock in errors for pair in clock]:
        assert abs(error) <= HALVES * half, errors

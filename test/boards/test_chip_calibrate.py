# SPDX-License-Identifier: Apache-2.0
"""`quincunx calibrate` on modelled boards, against what is true there."""
import pytest

from chip_truth import Calibrated

STARTUP_US, HOP_US, BYTE = 10, 5, 0.01
# Seen: 3 us as a rule, 6 at most, within 3 s; hence 1 ppm as a rule, 2.1 at
# most.
OFFSET_US, DRIFT_PPM = 10, 4
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
    for offset, drift in errors:
        assert abs(offset) <= OFFSET_US
        assert abs(drift) <= DRIFT_PPM

# SPDX-License-Identifier: Apache-2.0
"""Limits of what the switch's calls cost, in instructions, which are the same
in every run."""
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import relay  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
MESSAGE_BYTES, DATA_BYTES = 2400, 240


@pytest.fixture(scope="module", name="table")
def fixture_table():
    return relay.figures()


def test_all_messages_arrived():
    assert ["all", "arrived"] in relay.board_lines()


def test_instructions_are_counted_exactly(table):
    nops = table["nops"]
    assert (nops.calls, nops.total, nops.worst) == (1, 1000, 1000)


def test_every_frame_of_the_messages_is_counted(table):
    """Of three contents: in one circuit, in two, to the middle: 4 messages and
    those of 4 sources; the ticks' are cut short."""
    whole = 3 * (1 + 2 + 1 + 4) * MESSAGE_BYTES // DATA_BYTES
    last = table["last-arrives"].calls
    assert last == 3 * 8
    assert table["data-arrives"].calls + last >= whole
    assert table["setup-hop"].calls >= 3 * (1 + 2)


# (what, instructions at most): a tenth above what was counted.
@pytest.mark.parametrize("name, limit", [
    ("passed-byte", 40), ("passed-pending", 35), ("passed-taken", 28),
    ("passed-start", 180), ("passed-end", 40), ("setup-hop", 1650),
    ("release-hop", 610), ("setup-arrives", 2900), ("read-byte", 100),
    ("data-arrives", 3400), ("last-arrives", 6700),
    ("answer-arrives", 13800), ("frame-made", 6800), ("send", 1380),
    ("bad-line-arrives", 28100), ("bad-line-made", 7000),
    ("tick-idle", 150), ("tick-held", 170), ("tick-back", 29200)])
def test_no_call_takes_longer(table, name, limit):
    assert 0 < table[name].worst <= limit


def flags(objects):
    """With which each would be compiled, but for processor, names, what
    the node's memory is and the board's pins."""
    done = subprocess.run(
        ["make", "-C", ROOT, "-Bn", "V=1", f"BUILD={relay.BUILD}", *objects],
        capture_output=True, text=True, timeout=120, check=True)
    found = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if "-c" in words and "-o" in words:
            found[words[words.index("-o") + 1]] = [
                word for word in words[1:words.index("-MMD")]
                if not word.startswith(("-mcpu=", "-DNODE_", "-DSCATTER_",
                                        "-DPINS="))]
    return [found[str(name)] for name in objects]


def test_compiled_as_for_the_board():
    build = relay.BUILD
    ours, theirs = flags([build / "relay" / "hal" / "switch" / "switch.o",
                          build / "stm32f405" / "hal" / "switch" / "switch.o"])
    assert ours == theirs and "-Os" in ours

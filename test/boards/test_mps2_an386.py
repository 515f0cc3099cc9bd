# SPDX-License-Identifier: Apache-2.0
"""The board mps2-an386, a Cortex-M4: it does what mps2-an385 does."""
import subprocess

import pytest

import mesh
from core import BUILD

pytestmark = pytest.mark.boards

BOARDS = ("mps2-an385", "mps2-an386")
SPIN_BYTES = 100_000


@pytest.fixture(scope="module", name="loads")
def fixture_loads(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loads")
    chance = mesh.seeded("mps2-an386")
    (folder / "text").write_bytes(mesh.text(200_000, chance))
    (folder / "spin").write_bytes(chance.randbytes(SPIN_BYTES))
    return folder


def test_the_answer_is_the_first_boards(loads):
    """The same in every run, timeline included."""
    data = (loads / "text").read_bytes()
    reports = [mesh.run(loads / "text", "--board", board, kernel="search",
                        arg=b"static", rounds="auto")
               for board in (*BOARDS, BOARDS[1])]
    for report, board in zip(reports, BOARDS):
        assert report["mesh"]["board"] == board
        assert report["result"] == mesh.search_result(data, b"static")
        assert report["network"]["circuit_conflicts"] == 0
    assert reports[1]["timeline_sha256"] == reports[2]["timeline_sha256"]


@pytest.mark.parametrize("options", [
    {"profile": "t3d"}, {"profile": "lvds", "rounds": 3}])
def test_the_plan_holds(loads, options):
    """What its software costs is what the planner is told."""
    words = [word for name, value in options.items()
             for word in (f"--{name}", str(value))]
    measured = mesh.run(loads / "spin", "--board", BOARDS[1], *words,
                        arg="32")["measured"]
    assert -0.001 <= measured["overhead_vs_plan"] <= 0.005


@pytest.mark.parametrize("board", ["mps2_an385", "mps2_an386"])
def test_the_searchs_loop_lies_in_one_page(board):
    """Of QEMU's translator, 1 KiB: jumps into another one are looked up."""
    listing = subprocess.run(
        ["arm-none-eabi-nm", "-S", BUILD / board / "firmware.elf"],
        capture_output=True, text=True, check=True).stdout
    begin, size = next(map(lambda word: int(word, 16), words[:2])
                       for words in map(str.split, listing.splitlines())
                       if words[-1] == "search_run")
    assert size > 0 and begin // 1024 == (begin + size - 1) // 1024

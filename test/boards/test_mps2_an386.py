# SPDX-License-Identifier: Apache-2.0
"""The board mps2-an386, a Cortex-M4: it does what mps2-an385 does, and what its
software costs is what the planner is told."""
import ctypes
import json
import subprocess

import pytest

import mesh
from core import BUILD

pytestmark = pytest.mark.boards

BOARDS = ("mps2-an385", "mps2-an386")
PS_PER_INSTRUCTION = 32_000
SPIN_BYTES = 100_000
COSTS = ("first_send", "split", "queue", "round_start", "kernel_start",
         "round_end",
         "round_overhead", "branch_split", "branch_queue", "result_merge",
         "result_queue", "demand", "plan", "advance", "instruction",
         "plan_rounds", "plan_tree", "try_rounds", "first_start",
         "own_start", "tree_rounds")
NEAR = 0.08  # of a cost: it is one number for all nodes


@pytest.fixture(scope="module", name="loads")
def fixture_loads(tmp_path_factory):
    folder = tmp_path_factory.mktemp("loads")
    chance = mesh.seeded("mps2-an386")
    (folder / "text").write_bytes(mesh.text(200_000, chance))
    (folder / "spin").write_bytes(chance.randbytes(SPIN_BYTES))
    return folder


def search(loads, board):
    report = mesh.run(loads / "text", "--board", board, kernel="search",
                      arg=b"static", rounds="auto")
    assert report["mesh"]["board"] == board
    return report


def test_the_answer_is_the_first_boards(loads):
    first, second = (search(loads, board) for board in BOARDS)
    data = (loads / "text").read_bytes()
    assert second["result"] == first["result"]
    assert second["result"] == mesh.search_result(data, b"static")
    assert second["network"]["circuit_conflicts"] == 0


def test_times_are_the_same_in_every_run(loads):
    one, two = (search(loads, "mps2-an386") for _ in range(2))
    assert one["timeline_sha256"] == two["timeline_sha256"]
    assert one["measured"]["makespan_ps"] == two["measured"]["makespan_ps"]


def test_the_images_are_two():
    one, two = ((mesh.BUILD / board.replace("-", "_") / "firmware.bin"
                 ).read_bytes() for board in BOARDS)
    assert one != two


# ---- what its software costs ----

def told(board, folder):
    """{cost: instructions} of boot/BOARD/costs.c, and the planner that it
    names."""
    library = folder / f"{board}.so"
    plans = mesh.ROOT / "scatter" / "plan"
    subprocess.run(["gcc", "-std=c11", f"-I{mesh.ROOT}", "-shared", "-fPIC",
                    "-o", library, mesh.ROOT / "boot" /
                    board.replace("-", "_") / "costs.c",
                    plans / "meanwhile.c", plans / "one_round.c"], check=True)
    values = (ctypes.c_uint32 * len(COSTS)).in_dll(
        ctypes.CDLL(str(library)), "boot_costs")
    return {name: value / PS_PER_INSTRUCTION
            for name, value in zip(COSTS, values)}


class Counted:
    """The spans of a run's trace, in instructions."""

    def __init__(self, loads, board, *args, profile="t3d", **more):
        trace = loads / "trace.json"
        self.report = mesh.run(loads / "spin", "--board", board, "--profile",
                               profile, "--trace", trace, *args, arg="32",
                               **more)
        self.spans = [(e["name"], e["args"]["layer"], e["args"]["round"],
                       (e["args"]["end_ps"] - e["args"]["start_ps"])
                       / PS_PER_INSTRUCTION)
                      for e in json.loads(trace.read_text())["traceEvents"]
                      if e["ph"] == "X" and e["cat"] == "node"]

    def most(self, name, layer, number=0):
        return max(length for *key, length in self.spans
                   if key == [name, layer, number])


def counted(loads, board):
    """{costs that are spent one after the other: instructions}, from runs on 25
    boards."""
    one = Counted(loads, board)
    three = Counted(loads, board, profile="lvds", rounds=3)
    star = Counted(loads, board, "--schedule", "star")
    return {
        "first_send": one.most("hop", 0),
        "first_send + own_start":
            one.most("hop", 0) + one.most("queue", 0),
        "round_overhead":
            (three.most("queue", 0) - one.most("queue", 0)) / 2,
        # Of a node whose last part came while it computed.
        "round_start + round_end": three.most("hop", 2, 2),
        "branch_queue": star.most("queue", 0) / 23}


def together(plan, sum_of):
    """The planned instructions of a sum as counted() names them."""
    parts = (part.split() for part in sum_of.split(" + "))
    return sum(int(times[0] if times else 1) * plan[name]
               for *times, name in parts)


@pytest.mark.parametrize("board", BOARDS)
def test_costs_are_those_of_the_target(loads, tmp_path, board):
    plan, target = told(board, tmp_path), counted(loads, board)
    print({name: (together(plan, name), target[name]) for name in target})
    for name, instructions in target.items():
        assert abs(together(plan, name) - instructions) <= NEAR * instructions


@pytest.mark.parametrize("profile, rounds", [("t3d", 1), ("lvds", 3)])
@pytest.mark.parametrize("board", BOARDS)
def test_the_plan_holds(loads, board, profile, rounds):
    measured = mesh.run(loads / "spin", "--board", board, "--profile", profile,
                        arg="32", rounds=rounds)["measured"]
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

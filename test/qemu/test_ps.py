# SPDX-License-Identifier: Apache-2.0
"""`quincunx ps`: who hangs or is gone, on a 3x3 mesh of modelled boards with
the image that is flashed, whose time the command shares. Boards that fault:
test_chip.py."""
import json
import re

import pytest

import mesh
from chip_bench import IMAGE, PORTS, check_sound, started, symbols

NODES, AT, BOARD = 9, (2, 1), 5
LOAD_BYTES = 3_000
# Longer than any part of the load takes, shorter than the watchdog.
HANG_US = 300_000
GIVEN_UP = ("quincunx: the originator is still in a job that was given up, "
            "and is reset\n")


class Boards:
    """3x3 boards, a load, and a profile by which all are to take part."""

    def __init__(self, it, folder):
        load = mesh.seeded("ps").randbytes(LOAD_BYTES)
        self.it, self.count = it, load.count(b"ab")  # no two overlap
        self.load, self.cheap = folder / "load", folder / "cheap"
        self.load.write_bytes(load)
        self.cheap.write_text("startup = 1ns\ntransfer = 1ps\nhop_delay = 0\n")

    def words(self, *args):
        return ["--mesh", "3x3", "--kernel", "search", "--arg", "ab", "--json",
                "--profile", self.cheap, "--rounds", "1", *args, self.load]

    def works(self, said=""):
        """A job is right; no board's stack was deeper than the linker's script
        says."""
        done = self.it.host("run", *self.words())
        assert (done.returncode, done.stderr) == (0, said)
        report = json.loads(done.stdout)
        assert report["result"]["count"] == self.count
        assert all(node["units"] for node in report["measured"]["nodes"])
        stack, names = report["measured"]["stack"], symbols(IMAGE)
        high_water = names["boot_stack_program"] + names[
            "boot_stack_interrupts"]
        assert 0 < stack["used_bytes"] <= high_water < stack["bytes"]

    def dies(self):
        """A run that is killed while a node hangs in its job."""
        self.it.ask("inject hang", BOARD)
        process = self.it.begin("run", "--port", self.it.port(),
                                *self.words("--watchdog", "100"))
        begun_us = []

        def hangs():
            """2 s after the load has begun to come, of which it needs 1."""
            return self.it.now_us() > begun_us[0] + 2e6 + HANG_US
        self.it.live(process, [
            self.it.ordered(lambda: begun_us.append(self.it.now_us())),
            (hangs, process.kill)])

    def ps(self, status):
        """{(x, y): what ps says}"""
        done = self.it.host("ps", "--mesh", "3x3", "--json")
        assert done.returncode == status, done.stdout + done.stderr
        nodes = {(node["x"], node["y"]): node
                 for node in json.loads(done.stdout)}
        assert len(nodes) == NODES
        return nodes


@pytest.fixture(name="boards")
def fixture_boards(tmp_path):
    with started(3, 3) as it:
        yield Boards(it, tmp_path)


def others(nodes):
    return [node for at, node in nodes.items() if at != AT]


def test_boards_without_a_mesh_after_a_job_and_without_power(boards):
    nodes = boards.ps(0)
    assert {node["state"] for node in nodes.values()} == {"reset"}
    assert not [node for node in nodes.values() if node["placed"]]
    assert {len(node["paths"]) for at, node in nodes.items()
            if at != (0, 0)} == {1}
    boards.works()
    for at, node in boards.ps(0).items():
        wanted = "order" if at == (0, 0) else "message"
        assert (node["state"], node["waypoint"]) == ("waiting", wanted)
        assert node["last_circuit"]["error"] == 0
        assert node["fault"] is None and node["jobs"] > 0
    boards.it.command("power", BOARD, "off")
    nodes = boards.ps(1)
    assert not nodes[AT]["answers"] and not nodes[AT]["well"]
    assert nodes[AT]["why"] == "dead link" and len(nodes[AT]["paths"]) == 3
    for node in others(nodes):
        assert node["well"] and len(node["paths"]) <= 2, node
    # In 2 s of the boards' time.
    text = boards.it.host("ps", "--mesh", "3x3", us=2_000_000).stdout
    assert re.search(r"^2,1 +no answer: dead link; tried W1 N1, N1 W1, ",
                     text, re.M)
    assert "8 of 9 nodes are well" in text
    for port in PORTS:
        boards.it.command("unplug", 0, port)
    done = boards.it.host("ps", "--mesh", "3x3", us=2_000_000)
    assert done.returncode == 1 and "1 of 9 nodes are well" in done.stdout
    check_sound(boards.it)


@pytest.mark.boards  # a board that hangs computes all the time, as the next
@pytest.mark.parametrize("board, place", [(BOARD, "2,1"), (0, "0,0")])
def test_a_node_that_hangs_in_a_job(boards, board, place):
    """The originator's console answers from its interrupts; it is reset, as
    others are by the next wave."""
    boards.it.ask("inject hang", board)
    done = boards.it.host("run", *boards.words("--watchdog", "3"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "no report came in time" in done.stderr
    table = dict(re.findall(r"^(\d+,\d+) +(.*)", done.stderr, re.M))
    assert len(table) == NODES, done.stderr
    assert table[place].startswith("computing  kernel search, round 0")
    assert not [at for at, said in table.items()
                if "kernel" in said and at != place]
    assert boards.it.discover() == []
    boards.ps(0)


@pytest.mark.boards
def test_a_host_that_dies_while_a_node_hangs(boards):
    """Nobody ends that job, until the next one."""
    boards.dies()
    nodes = boards.ps(1)
    assert nodes[AT]["waypoint"] == "kernel" and nodes[AT]["job"]
    assert not nodes[AT]["well"]
    assert nodes[AT]["last_circuit"]["what"] in ("received", "sent")
    assert nodes[AT]["still_ms"] > HANG_US / 1000
    assert "kernel" not in {node["waypoint"] for node in others(nodes)}
    assert nodes[0, 0]["job"] and not nodes[0, 0]["well"]
    boards.works(GIVEN_UP)
    assert boards.ps(0)[AT]["fault"] is None

# SPDX-License-Identifier: Apache-2.0
"""`quincunx ps`: who hangs, crashed or is gone, on an emulated 3x3 mesh of the
image that is flashed. One mesh for all tests: they come in this order, and
each leaves the mesh as the next one wants it."""
import json
import os
import re
import signal
import subprocess

import pytest

import emulated
import mesh

pytestmark = pytest.mark.boards

SIZE = "3x3"
NODES = 9
AT = (2, 1)
LOAD_BYTES = 48_000  # one batch
LIMIT_S = 300
RUN_S = 25  # 8 without other work
# Of a board's own time, which goes on at a twentieth of the host's. A part of
# the load takes 1 ms.
HANG_MS = 200
# What a board is told while it is being reset is lost: the run ends well then,
# and the next one is tried.
TRIES = 5
# Beside other work, a board that hangs may keep the host so busy that others do
# not answer in time: what was asked is asked again.
LATE = re.compile("the console is silent|: nobody answers")
FIRMWARE = mesh.BUILD / "stm32f405" / "firmware.elf"
UNDEFINSTR = 1 << 16  # of CFSR, ARMv7-M, B3.2.15


def symbol(name):
    """Of the image."""
    said = subprocess.run(["arm-none-eabi-nm", FIRMWARE], check=True,
                          capture_output=True, text=True).stdout
    return int(re.search(rf"^(\w+) \w {name}$", said, re.MULTILINE)[1], 16)


class Bench:
    def __init__(self, folder):
        load = mesh.seeded("ps").randbytes(LOAD_BYTES)
        self.count = load.count(b"ab")  # no two overlap
        self.load = folder / "load"
        self.load.write_bytes(load)
        self.cheap = folder / "cheap"  # circuits: all nodes are to take part
        self.cheap.write_text("startup = 1ns\ntransfer = 1ps\nhop_delay = 0\n")
        self.injected = 0  # hangs and faults
        self.high_water = symbol("boot_stack_program") \
            + symbol("boot_stack_interrupts")
        self.boards = emulated.Boards(folder, "--console", "all", "--keep",
                                      size=SIZE, image=FIRMWARE)

    def call(self, command, *args, limit_s=LIMIT_S):
        return subprocess.run(
            [mesh.QUINCUNX, command, "--mesh", SIZE, "--port",
             self.boards.tty[0, 0], *args], capture_output=True, text=True,
            timeout=limit_s, check=False)

    def run(self, *args, **options):
        return self.call("run", "--board", "stm32f405", "--kernel", "search",
                         "--arg", "ab", "--json", *args, self.load, **options)

    def works(self):
        """A job's report; every circuit of it is in the switches' counters. On
        a busy host the originator may measure that to send is worth little, or
        nothing."""
        for _ in range(TRIES):
            done = self.run("--profile", self.cheap)
            if done.returncode == 1 and LATE.search(done.stderr):
                continue
            assert done.returncode == 0, done.stderr
            report = json.loads(done.stdout)
            assert report["result"]["count"] == self.count
            units = {(node["x"], node["y"]): node["units"]
                     for node in report["measured"]["nodes"]}
            assert sum(units.values()) == LOAD_BYTES
            if all(units.values()):
                break
        else:
            pytest.fail("no job that all nodes took part in")
        network = report["network"]
        each = report["plan"]["rounds"] + 2  # the announcement, the result
        assert network["messages"] == (NODES - 1) * each
        assert network["payload_bytes"] > LOAD_BYTES - units[0, 0]
        stack = report["measured"]["stack"]
        assert 0 < stack["used_bytes"] <= self.high_water < stack["bytes"]

    def fails(self, what, at=AT):
        """A job in which a node hangs or faults, and that ends without a
        report; the table of nodes."""
        for _ in range(TRIES):
            self.tell("inject", what, at=at)
            self.injected += 1
            done = self.run("--watchdog", "15")
            if done.returncode != 0 and not LATE.search(done.stderr):
                break
        assert (done.returncode, done.stdout) == (1, "")
        assert "no report came in time" in done.stderr
        table = dict(re.findall(r"^(\d+,\d+) +(.*)", done.stderr, re.M))
        assert len(table) == NODES, done.stderr
        return table

    def dies(self, at=AT):
        """A run that is killed when a node hangs in its job."""
        for _ in range(TRIES):
            self.tell("inject", "hang", at=at)
            try:
                done = self.run("--watchdog", "200", limit_s=RUN_S)
            except subprocess.TimeoutExpired:
                if mesh.until(lambda: self.hangs(at), 20):
                    return
                continue
            assert done.returncode == 0 or LATE.search(done.stderr), done.stderr
        pytest.fail("no run hung")

    def hangs(self, at):
        """Whether a node is in the kernel for longer than any part takes."""
        done = self.call("ps", "--json")
        return any((node["x"], node["y"], node["waypoint"]) == (*at, "kernel")
                   and node["still_ms"] > HANG_MS
                   for node in json.loads(done.stdout or "[]"))

    def rests(self):
        """No node is in a job any more; who hung needs a moment."""
        assert mesh.until(lambda: self.call("ps").returncode == 0, 60)

    def ps(self, status):
        """{(x, y): what ps says}"""
        for _ in range(TRIES):
            done = self.call("ps", "--json")
            if not LATE.search(done.stderr):
                break
        assert done.returncode == status, done.stdout + done.stderr
        nodes = {(node["x"], node["y"]): node
                 for node in json.loads(done.stdout)}
        assert len(nodes) == NODES
        return nodes

    def tell(self, *words, at=AT):
        subprocess.run(
            [mesh.QUINCUNX, "console", "--port", self.boards.tty[at], *words],
            check=True, timeout=60, capture_output=True)


@pytest.fixture(name="bench", scope="module")
def fixture_bench(tmp_path_factory):
    it = Bench(tmp_path_factory.mktemp("ps"))
    with it.boards:
        yield it


def others(nodes):
    return [node for at, node in nodes.items() if at != AT]


def test_boards_without_a_mesh(bench):
    def up():
        return bench.call("ps").returncode == 0

    assert mesh.until(up, 60)
    nodes = bench.ps(0)
    assert {node["state"] for node in nodes.values()} == {"reset"}
    assert not [node for node in nodes.values() if node["placed"]]
    assert {len(node["paths"]) for at, node in nodes.items()
            if at != (0, 0)} == {1}


def test_a_mesh_after_a_job(bench):
    bench.works()
    nodes = bench.ps(0)
    for at, node in nodes.items():
        wanted = "order" if at == (0, 0) else "message"
        assert (node["state"], node["waypoint"]) == ("waiting", wanted)
        assert node["last_circuit"]["error"] == 0
        assert node["fault"] is None and node["jobs"] > 0


def test_a_node_that_hangs(bench):
    table = bench.fails("hang")
    assert table["2,1"].startswith("computing  kernel search, round 0")
    assert not [at for at, said in table.items()
                if "kernel" in said and at != "2,1"]
    bench.rests()


def test_a_host_that_dies_while_a_node_hangs(bench):
    """Nobody ends that job, until the next one."""
    bench.dies()
    nodes = bench.ps(1)
    assert nodes[AT]["waypoint"] == "kernel" and nodes[AT]["job"]
    assert not nodes[AT]["well"]
    assert nodes[AT]["last_circuit"]["what"] in ("received", "sent")
    assert nodes[AT]["still_ms"] > 0
    assert "kernel" not in {node["waypoint"] for node in others(nodes)}
    assert nodes[0, 0]["job"] and not nodes[0, 0]["well"]


def test_the_next_run_ends_the_hang(bench):
    bench.works()
    assert bench.ps(0)[AT]["fault"] is None


def test_an_originator_that_hangs(bench):
    """Its console answers from its interrupts; it is reset, as others are by
    the next wave."""
    table = bench.fails("hang", at=(0, 0))
    assert table["0,0"].startswith("computing  kernel search, round 0")
    bench.rests()


def test_a_host_that_dies_while_the_originator_hangs(bench):
    bench.dies(at=(0, 0))
    assert bench.ps(1)[0, 0]["waypoint"] == "kernel"
    bench.works()


def test_a_node_that_faults(bench):
    bench.injected = 0
    table = bench.fails("fault")
    assert table["2,1"].startswith("reset      idle")
    nodes = bench.ps(1)
    fault = nodes[AT]["fault"]
    assert 1 <= fault["count"] <= bench.injected
    assert fault["exception"] in (3, 6)
    assert int(fault["cfsr"], 16) == UNDEFINSTR
    assert 0x08000000 < int(fault["pc"], 16) < 0x08100000
    assert not nodes[AT]["well"]
    assert {node["fault"] for node in others(nodes)} == {None}


def test_the_next_run_works_and_the_record_stays(bench):
    bench.works()
    assert 1 <= bench.ps(0)[AT]["fault"]["count"] <= bench.injected


def test_a_board_without_power(bench):
    os.kill(bench.boards.pid(*AT), signal.SIGKILL)
    nodes = bench.ps(1)
    assert not nodes[AT]["answers"] and not nodes[AT]["well"]
    assert nodes[AT]["why"] == "dead link" and len(nodes[AT]["paths"]) == 3
    for node in others(nodes):
        assert node["well"] and len(node["paths"]) <= 2, node
    text = bench.call("ps").stdout
    assert re.search(r"^2,1 +no answer: dead link; tried W1 N1, N1 W1, ",
                     text, re.M)
    assert "8 of 9 nodes are well" in text


@pytest.mark.parametrize("args, words", [
    ([], "needs --port"), (["--mesh", "5x5"], "needs --port"),
    (["--mesh", "5", "--port", "x"], "--mesh"),
    (["--mesh", "5x5", "--port", "x", "--originator", "5,0"],
     "--originator")])
def test_bad_options(args, words):
    done = subprocess.run([mesh.QUINCUNX, "ps", *args], capture_output=True,
                          text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "") and words in done.stderr


def test_no_port(tmp_path):
    done = subprocess.run(
        [mesh.QUINCUNX, "ps", "--mesh", "5x5", "--port", tmp_path / "none"],
        capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, "") and done.stderr

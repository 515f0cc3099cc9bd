# SPDX-License-Identifier: Apache-2.0
"""Jobs on boards with serial ports: right results, also over damaged links.
The boards are modelled ones (test/boards/chip), whose time the command shares,
so every run is the same each time; QEMU's, which it starts itself, are tried
once for each thing that is theirs alone."""
import json
import os
import re
import signal
import subprocess

import pytest

import mesh
import parts
from chip_bench import KERNELS, PORTS, check_sound, started
from guard import GUARD_S

WORDS = ["needle", "need", "hay", "stack ", "\n", "the ", "eedle"]
# Circuits that cost next to nothing: every board is to take part.
CHEAP = "startup = 1ns\ntransfer = 1ps\nhop_delay = 0\n"
FARM = "startup = 150us\ntransfer = 5us\nhop_delay = 300us\n"
SEARCH = ["--kernel", "search", "--arg", "needle"]


@pytest.fixture(name="text", scope="module")
def text_fixture(tmp_path_factory):
    rng = mesh.seeded("serial run")
    text = "".join(rng.choice(WORDS) for _ in range(1500))
    path = tmp_path_factory.mktemp("serial") / "text"
    path.write_text(text, encoding="ascii")
    return path, [m.start() for m in re.finditer("(?=needle)", text)]


def report_of(done):
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def run(it, folder, *args, profile=CHEAP, board=0, steps=()):
    """The report of a job whose units were all computed, each once."""
    path = folder / "profile"
    path.write_text(profile)
    report = report_of(it.host(
        "run", "--mesh", f"{it.width}x{it.height}", "--profile", path,
        "--json", *args, board=board, steps=steps))
    assert sum(units_of(report)) == report["load"]["units"]
    assert report["mesh"]["nodes"] == it.width * it.height
    check_sound(it)
    return report


def units_of(report):
    return [node["units"] for node in report["measured"]["nodes"]]


@pytest.mark.parametrize("width, height, board, options", parts.cases([
    (1, 1, 0, []), (3, 2, 5, ["--originator", "2,1", "--batch", "3000"]),
    (5, 5, 0, ["--rounds", "1"]), (5, 5, 8, ["--originator", "3,1"])], 2))
def test_the_result_is_right(text, tmp_path, width, height, board, options):
    """All boards take part. An announcement for each node and batch, a part
    for each round and a result; no logs are among the messages."""
    path, offsets = text
    with started(width, height) as it:
        report = run(it, tmp_path, *SEARCH, *options, path, board=board)
    assert report["result"]["count"] == len(offsets)
    assert report["result"]["offsets"] == offsets[:1024]
    assert report["mesh"]["board"] == "stm32f405"
    assert all(units_of(report))
    batches = len(report.get("batches", [None]))
    network = report["network"]
    assert network["messages"] == batches * (width * height - 1) * (
        report["plan"]["rounds"] + 2)
    assert network["payload_bytes"] >= path.stat().st_size - max(
        units_of(report))


@pytest.mark.boards
def test_nodes_without_a_part_in_a_later_batch(tmp_path):
    """They still have the log of the batch before."""
    path = tmp_path / "text"
    path.write_bytes((b"needle" + bytes(94)) * 31)
    with started(5, 5) as it:
        report = run(it, tmp_path, *SEARCH, "--unit", 100, "--batch", 16, path)
    assert report["result"]["offsets"] == list(range(0, 3100, 100))
    assert [batch["units"] for batch in report["batches"]] == [16, 15]


@pytest.mark.parametrize("noise", [{"damage": 0.01},
                                   {"lose": 0.005, "damage": 0.005}])
@pytest.mark.parametrize("schedule", ["peters-syska", "farm"])
def test_damaged_links(tmp_path, noise, schedule):
    path = tmp_path / "text"
    path.write_bytes(b"needle and hay " * 400)
    with started(2, 1) as it:
        worse = [(how, "all", port, chance) for how, chance in noise.items()
                 for port in PORTS]
        report = run(it, tmp_path, *SEARCH, "--schedule", schedule, path,
                     steps=[it.ordered(*worse)])
    assert report["result"]["offsets"] == list(range(0, 6000, 15))
    assert report["network"]["retransmissions"] > 0
    for key in ("retries", "retransmissions"):
        assert report["network"][key] == sum(
            node[key] for node in report["measured"]["nodes"])


def farm(it, tmp_path, units, arg, *options, schedule="farm"):
    """Of spin, whose units are so many instructions: dear ones."""
    path = tmp_path / "load"
    path.write_bytes(mesh.seeded("serial farm").randbytes(units))
    report = run(it, tmp_path, "--schedule", schedule, "--kernel", "spin",
                 "--arg", arg, *options, path, profile=FARM)
    assert report["result"]["units"] == units
    return report


@pytest.mark.parametrize("side, units", parts.cases([
    (1, 300), (2, 2000), (3, 4000), (5, 10000)], 2))
def test_a_farm(tmp_path, side, units):
    """Chunks come while boards compute: every board has some, and none much
    more than its part. (On 5x5 one far board has but 14: chunks of such cheap
    units wait for the master's ports.)"""
    with started(side, side, image=KERNELS) as it:
        shares = units_of(farm(it, tmp_path, units, "10000"))
    assert min(shares) > 0
    assert max(shares) <= 2 * units / len(shares), shares


def after_ps(report):
    """From the end of computing until all results are there."""
    measured = report["measured"]
    return measured["with_results_ps"] - measured["makespan_ps"]


@pytest.mark.parametrize("width, height, units", parts.cases([
    (2, 1, 1000), (3, 3, 1500)], 0))
def test_a_farm_with_outputs(tmp_path, width, height, units):
    """Outputs, by the places of their units, 16 bytes for each. Most of them
    come while boards compute: when all have computed, a farm waits less than
    half as long as planned shares, whose outputs come then."""
    expected = bytes((31 * i + 7) % 256 for i in range(16 * units))
    waited = {}
    with started(width, height, image=KERNELS) as it:
        for schedule in ("peters-syska", "farm"):
            out = tmp_path / schedule
            waited[schedule] = after_ps(farm(
                it, tmp_path, units, "6000,16/1", "-o", out,
                schedule=schedule))
            assert out.read_bytes() == expected
    assert 2 * waited["farm"] < waited["peters-syska"]


def test_a_kernel_that_the_image_lacks(text):
    with started(1, 1) as it:
        done = it.host("run", "--mesh", "1x1", "--kernel", "stats", text[0])
    assert done.returncode == 1 and "no such kernel" in done.stderr


# ---- boards that the command starts, on QEMU ----

def run_here(*args):
    return mesh.command("run", "--board", "stm32f405", *SEARCH, *args,
                        timeout=GUARD_S)


def test_boards_that_are_started_here(tmp_path):
    """Several jobs' worth of it: exact over links of which one byte of 200 is
    damaged; times are this host's, so they are compared with no plan, and no
    speed with one board."""
    path, report = tmp_path / "text", tmp_path / "report.json"
    path.write_bytes(b"needle and hay " * 400)
    done = run_here("--mesh", "2x1", "--profile", "emulated", "--damage",
                    "1/200", "--report", report, path)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(report.read_text())
    assert told["result"]["offsets"] == list(range(0, 6000, 15))
    assert told["mesh"]["times"] == "host"
    assert re.search("^times +of this host, not of boards", done.stdout, re.M)
    said = " ".join(done.stdout.split())
    assert " of this host's time from order to answer; 400 matches." in said
    for word in ("against the plan", "speedup", "times as fast"):
        assert word not in done.stdout
    assert said.startswith(told["verdict"])


@pytest.mark.parametrize("victim, options, doing", [
    ("0-0", [], None), ("1-0", [], None), ("0-0", [], "to the board"),
    pytest.param("1-0", ["--originator", "0,0={}", "--originator", "1,0={}"],
                 "to the board", marks=pytest.mark.boards)])
def test_a_board_that_dies_is_named(tmp_path, victim, options, doing):
    """Once, with its end, whatever it was in; the originator's console has
    gone, too. Boards are killed as soon as they are there, or once progress
    tells that the order is on its way."""
    load = tmp_path / "load"
    load.write_bytes(bytes(60_000))
    words = [mesh.QUINCUNX, "run", "--board", "stm32f405", "--kernel",
             "search", "--arg", "x", "--mesh", "2x1", "--progress", "plain",
             *([word.format(load) for word in options] or [str(load)])]
    word = f"board-{victim}".encode()
    with subprocess.Popen(words, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        def found():
            return [pid for pid in mesh.children_of(process.pid)
                    if word in mesh.words_of(pid)]
        assert mesh.until(found, GUARD_S)
        while doing and doing not in process.stderr.readline():
            assert process.poll() is None
        os.kill(found()[0], signal.SIGKILL)
        out, err = process.communicate(timeout=GUARD_S)
    assert (process.returncode, out) == (1, "")
    assert err.count(f"board {victim.replace('-', ',')} died") == 1, err
    assert "signal 9" in err and "port has gone" not in err, err


@pytest.mark.boards
def test_an_image_that_never_answers(text, tmp_path):
    """It takes the bounded time of a board's start."""
    image = tmp_path / "image.elf"
    os.symlink(mesh.BUILD / "test" / "wired.elf", image)
    done = run_here("--mesh", "1x1", "--firmware", image, text[0])
    assert done.returncode == 1
    assert "originator" in done.stderr or "died" in done.stderr

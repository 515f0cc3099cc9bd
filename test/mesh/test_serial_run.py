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

import kills
import mesh
import parts
from chip_bench import KERNELS, PORTS, check_sound, started
from guard import GUARD_S

WORDS = ["needle", "need", "hay", "stack ", "\n", "the ", "eedle"]
# Circuits that cost next to nothing: every board is to take part.
CHEAP = "startup = 1ns\ntransfer = 1ps\nhop_delay = 0\n"
FARM = "startup = 150us\ntransfer = 5us\nhop_delay = 300us\n"
SEARCH = ["--kernel", "search", "--arg", "needle"]


def run(it, folder, *args, profile=CHEAP, board=0, steps=()):
    """The report of a job whose units were all computed, each once."""
    path = folder / "profile"
    path.write_text(profile)
    done = it.host(
        "run", "--mesh", f"{it.width}x{it.height}", "--profile", path,
        "--json", *args, board=board, steps=steps)
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert sum(units_of(report)) == report["load"]["units"]
    assert report["mesh"]["nodes"] == it.width * it.height
    check_sound(it)
    return report


def units_of(report):
    return [node["units"] for node in report["measured"]["nodes"]]


@pytest.mark.parametrize("width, height, board, options", parts.cases([
    (1, 1, 0, []),
    (3, 2, 5, ["--originator", "2,1", "--batch", "3000", "--rounds", "1"]),
    (5, 5, 8, ["--originator", "3,1"])], 2))
def test_the_result_is_right(tmp_path, width, height, board, options):
    """All boards take part. An announcement for each node and batch, a part
    for each round and a result; no logs are among the messages."""
    rng = mesh.seeded("serial run")
    text = "".join(rng.choice(WORDS) for _ in range(1500))
    path = tmp_path / "text"
    path.write_text(text, encoding="ascii")
    offsets = [m.start() for m in re.finditer("(?=needle)", text)]
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
    assert network["payload_bytes"] >= len(text) - max(units_of(report))


@pytest.mark.parametrize("schedule, noise", [
    ("peters-syska", {"lose": 0.005, "damage": 0.005}),
    ("farm", {"damage": 0.01})])
def test_damaged_links(tmp_path, schedule, noise):
    path = tmp_path / "text"
    path.write_bytes(b"needle and hay " * 300)
    with started(2, 1) as it:
        worse = [(how, "all", port, chance) for how, chance in noise.items()
                 for port in PORTS]
        report = run(it, tmp_path, *SEARCH, "--schedule", schedule, path,
                     steps=[it.ordered(*worse)])
    assert report["result"]["offsets"] == list(range(0, 4500, 15))
    assert report["network"]["retransmissions"] > 0
    for key in ("retries", "retransmissions"):
        assert report["network"][key] == sum(
            node[key] for node in report["measured"]["nodes"])


def test_a_farm(tmp_path):
    """Chunks come while boards compute: every board has some, and none much
    more than its part."""
    load, units = tmp_path / "load", 1000
    load.write_bytes(bytes(units))
    with started(2, 2, image=KERNELS) as it:
        report = run(it, tmp_path, "--schedule", "farm", "--kernel", "spin",
                     "--arg", "10000", load, profile=FARM)
    assert report["result"]["units"] == units
    assert re.match(r"[\dA-F]{8} is .*\.elf", report["mesh"]["image"])
    shares = units_of(report)
    assert min(shares) > 0
    assert max(shares) <= 2 * units / len(shares), shares


def power_off(tmp_path, size, victim, *parts_of_it):
    """What is said of jobs during which a board loses its power, after such a
    part of a job's time. All results are exact."""
    job = kills.Job(mesh.seeded("power"), tmp_path, *size, pieces=6000)
    done, whole_us = job.run()
    assert job.is_exact(done) and done.stderr == ""
    for part in parts_of_it:
        done, took_us = job.run(victim, part * whole_us)
        assert job.is_exact(done), done.stderr
        assert took_us < whole_us + 60_000_000
        yield done.stderr


@pytest.mark.parametrize("size, victim, part", parts.cases(
    [((3, 3), 3, .2), ((5, 5), 8, 0)], 1))
def test_a_board_without_power(tmp_path, size, victim, part):
    """Its ranges are computed again, by others; a tree around it may have a root
    with next to no share. It is named, with its chip."""
    said, = power_off(tmp_path, size, victim, part)
    assert re.search(rf"\({victim % size[0]},{victim // size[0]}\): nobody "
                     r"answers at any port of the board, whose chip is "
                     r"[\dA-F]{24}\n", said), said


@pytest.mark.boards
def test_a_board_without_power_behind_its_result(tmp_path):
    """Then only what it did is not known."""
    said = list(power_off(tmp_path, (3, 3), 4, .75, .8, .85, .9))
    assert any("board 1,1 does not answer any more; what it did, and when, is "
               "not known" in one for one in said), said


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


@pytest.mark.parametrize("victim, doing", parts.cases(
    [("0-0", "to the board"), ("1-0", None)], 1))
def test_a_board_that_dies_is_named(tmp_path, victim, doing):
    """Once, with its end, whatever it was in; the originator's console has
    gone, too. Boards are killed as soon as they are there: then no row is whole,
    which would tell the mesh's size; or once progress tells that the order is on
    its way."""
    load = tmp_path / "load"
    load.write_bytes(bytes(60_000))
    words = [mesh.QUINCUNX, "run", "--board", "stm32f405", "--kernel",
             "search", "--arg", "x", "--mesh", "2x1", "--progress", "plain",
             str(load)]
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
    assert victim == "0-0" or "(0,0) east: nobody answers" in err
    assert err.count(f"board {victim.replace('-', ',')} died") == 1, err
    assert "signal 9" in err and "port has gone" not in err, err


@pytest.mark.boards
def test_an_image_that_never_answers(tmp_path):
    """It takes the bounded time of a board's start."""
    image, load = tmp_path / "image.elf", tmp_path / "load"
    os.symlink(mesh.BUILD / "test" / "wired.elf", image)
    load.write_bytes(b"hay")
    done = run_here("--mesh", "1x1", "--firmware", image, load)
    assert done.returncode == 1
    assert "originator" in done.stderr or "died" in done.stderr


# ---- faults to order, on boards that the command starts ----

def faulty(tmp_path, *words):
    """A job on 3x3 boards, which takes long enough that what comes with the
    order comes before any board is done."""
    load, report = tmp_path / "load", tmp_path / "report.json"
    load.write_bytes(bytes(900))
    done = mesh.command(
        "run", "--board", "stm32f405", "--mesh", "3x3", "--profile", "emulated",
        "--firmware", mesh.BUILD / "test" / "chip-kernels.elf", "--kernel",
        "spin", "--arg", "20000", "--report", report, *words, load)
    return done, json.loads(report.read_text()) if report.exists() else None


@pytest.mark.boards
@pytest.mark.parametrize("inject, what, how, said", [
    ("die@1,1@1ps", ("node", 1, 1), "asked",
     r"^lost +node 1,1 at 0.001 ns, found at .* \(asked\): \d+ units$"),
    ("hang@1,2@1ps", ("node", 1, 2), "asked",
     "^lost +node 1,2 at 0.001 ns, found"),
    ("cut@2,0,west", ("link", 2, 0), "ordered",
     "^lost +link 2,0,west before the job$"),
    ("die@0,0@0us", ("node", 0, 0), "ordered",
     "^lost +node 0,0 before the job$")])
def test_the_exact_result_although_boards_stop(tmp_path, inject, what, how,
                                               said):
    done, report = faulty(tmp_path, "--inject", inject)
    assert done.returncode == 0, done.stderr
    assert report["result"]["units"] == 900
    [fault] = report["faults"]
    assert (fault["what"], fault["x"], fault["y"]) == what
    assert fault["how"] == how
    assert re.search(said, done.stdout, re.M), done.stdout
    assert fault["units"] == report.get("recovery", {"units": 0})["units"]
    assert f"board {what[1]},{what[2]} died" not in done.stderr


@pytest.mark.boards
def test_more_lost_boards_than_allowed(tmp_path):
    done, report = faulty(tmp_path, "--inject", "die@1,1@1ps", "--survive", "0")
    assert (done.returncode, report) == (1, None)
    assert "quincunx: --survive 0: the job has met 1 fault\n" in done.stderr
    assert "quincunx: lost node 1,1 at 0.001 ns, found at" in done.stderr

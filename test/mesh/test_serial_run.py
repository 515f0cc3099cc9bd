# SPDX-License-Identifier: Apache-2.0
"""Jobs on emulated stm32f405 boards, wired port to port: right results, also
over damaged links; and what is refused."""
import json
import os
import re
import signal
import subprocess
import time

import pytest

import emulated
import mesh
import parts

WORDS = ["needle", "need", "hay", "stack ", "\n", "the ", "eedle"]


def run(*arguments):
    return mesh.command(
        "run", "--board", "stm32f405", "--kernel", "search", "--arg",
        "needle", "--watchdog", "60", *arguments, timeout=300)


@pytest.fixture(name="text", scope="module")
def text_fixture(tmp_path_factory):
    rng = mesh.seeded("serial run")
    text = "".join(rng.choice(WORDS) for _ in range(7000))
    path = tmp_path_factory.mktemp("serial") / "text"
    path.write_text(text, encoding="ascii")
    return path, [m.start() for m in re.finditer("(?=needle)", text)]


def report_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check(report, offsets, nodes):
    assert report["result"]["count"] == len(offsets)
    assert report["result"]["offsets"] == offsets[:1024]
    assert report["mesh"]["nodes"] == nodes
    assert report["mesh"]["board"] == "stm32f405"


def shared(*args):
    """The report of a run in which others than the originator take part. It
    keeps such small loads to itself if the host stops it for a tenth of a
    millisecond in its kernel's begin(), which others must call, too: then the
    run is made again."""
    for _ in range(5):
        report = report_of(run(*args[:-1], "--json", args[-1]))
        if (report["mesh"]["nodes"] == 1
                or report["plan"]["active_nodes"] > 1):
            break
    return report


@pytest.mark.parametrize("size, options", parts.cases([
    ("1x1", []), ("3x2", ["--originator", "2,1", "--batch", "20000"]),
    ("5x5", ["--rounds", "1"]),
    ("5x5", ["--originator", "3,1"])],
    [("3x2", ["--originator", "2,1", "--batch", "20000"])]))
def test_the_result_is_right(text, tmp_path, size, options):
    """The plan takes circuits to cost next to nothing: emulated boards search
    such a load faster than they send it."""
    path, offsets = text
    width, height = map(int, size.split("x"))
    cheap = tmp_path / "cheap"
    cheap.write_text("startup = 1ns\ntransfer = 1ps\nhop_delay = 0\n")
    profile = ["--profile", cheap]
    report = shared("--mesh", size, *options, *profile, path)
    check(report, offsets, width * height)
    shares = [node["units"] for node in report["measured"]["nodes"]]
    assert sum(shares) == report["load"]["units"] == path.stat().st_size
    assert sum(share > 0 for share in shares) > 1 or size == "1x1"
    # An announcement for each node and batch; a part for each that takes part,
    # round and batch, and a result for each batch. No logs are among them.
    if all(shares):
        batches = len(report.get("batches", [None]))
        network = report["network"]
        each = (len(shares) - 1) * (report["plan"]["rounds"] + 1)
        # On a busy host the originator may keep a small batch for itself.
        announced = batches * (len(shares) - 1)
        assert network["messages"] in [announced + n * each
                                       for n in range(1, batches + 1)]
        most = max(shares)  # the originator's
        assert network["payload_bytes"] >= path.stat().st_size - most \
            or size == "1x1"


def test_the_summary_says_whose_times_these_are(tmp_path):
    """It compares the host's time with no plan, and no speed with one board."""
    path = tmp_path / "text"
    path.write_bytes(b"a needle " * 100)
    report = tmp_path / "report.json"
    done = run("--mesh", "2x1", "--report", report, path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search("^times +of this host, not of boards", done.stdout, re.M)
    said = " ".join(done.stdout.split())
    assert " of this host's time from order to answer; 100 matches." in said
    for word in ("against the plan", "speedup", "times as fast"):
        assert word not in done.stdout
    told = json.loads(report.read_text())
    assert told["mesh"]["times"] == "host"
    assert said.startswith(told["verdict"])


@pytest.mark.boards
def test_nodes_without_a_part_in_a_later_batch(tmp_path):
    """They still have the log of the batch before."""
    path = tmp_path / "text"
    path.write_bytes((b"needle" + bytes(994)) * 31)
    report = report_of(run("--mesh", "5x5", "--unit", 1000, "--batch", 16,
                           "--profile", "emulated", "--json", path))
    check(report, list(range(0, 31_000, 1000)), 25)
    assert [batch["units"] for batch in report["batches"]] == [16, 15]
    assert sum(n["units"] for n in report["measured"]["nodes"]) == 31


@pytest.mark.parametrize("noise", [
    ["--damage", "1/100"], ["--lose", "1/200", "--damage", "1/200"]])
def test_damaged_links(tmp_path, noise):
    path = tmp_path / "text"
    path.write_bytes(b"needle and hay " * 400)
    report = shared("--mesh", "2x1", "--profile", "emulated", *noise, path)
    check(report, list(range(0, 6000, 15)), 2)
    assert report["network"]["retransmissions"] > 0
    for key in ("retries", "retransmissions"):
        assert report["network"][key] == sum(
            node[key] for node in report["measured"]["nodes"])


@pytest.fixture(name="image", scope="module")
def image_fixture():
    return emulated.spin_image()


def farm(image, tmp_path, size, units, arg, *options, schedule="farm"):
    """Of spin, whose units are so many instructions: dear ones."""
    path = tmp_path / "load"
    path.write_bytes(mesh.seeded("serial farm").randbytes(units))
    profile = tmp_path / "profile"
    profile.write_text("startup = 150us\ntransfer = 5us\nhop_delay = 300us\n")
    report = report_of(mesh.command(
        "run", "--board", "stm32f405", "--firmware", image, "--mesh",
        size, "--schedule", schedule, "--kernel", "spin", "--arg", arg,
        "--profile", profile, "--watchdog", "100", "--json", *options, path,
        timeout=300))
    assert report["result"]["units"] == units
    assert sum(n["units"] for n in report["measured"]["nodes"]) == units
    return report


@pytest.mark.parametrize("size, units", parts.cases([
    ("1x1", 300), ("2x2", 2000), ("3x3", 4000), ("5x5", 10000)], 2))
def test_a_farm(image, tmp_path, size, units):
    """Chunks come while boards compute: every board has some of the load, and
    none nearly all of it. No more is asked, for a busy host makes boards late,
    which then get less: the originator of 25 had half of it once."""
    report = farm(image, tmp_path, size, units, "10000")
    shares = [n["units"] for n in report["measured"]["nodes"]]
    assert min(shares) > 0
    assert len(shares) == 1 or max(shares) <= units * 0.9


def after_ps(report):
    """From the end of computing until all results are there."""
    measured = report["measured"]
    return measured["with_results_ps"] - measured["makespan_ps"]


@pytest.mark.parametrize("size, units", parts.cases([
    ("2x1", 1000), ("3x3", 1500)], 1))
def test_a_farm_with_outputs(image, tmp_path, size, units):
    """Outputs, by the places of their units, 16 bytes for each. Most of them
    come while boards compute: when all have computed, a farm waits less than
    half as long as planned shares, whose outputs come then. (2x1: 0.5 ms after
    144, for 38 after 165.) A busy host may make a board late."""
    expected = bytes((31 * i + 7) % 256 for i in range(16 * units))
    for _ in range(3):
        reports = {}
        for schedule in ("peters-syska", "farm"):
            out = tmp_path / schedule
            reports[schedule] = farm(image, tmp_path, size, units,
                                     "6000,16/1", "-o", out, schedule=schedule)
            assert out.read_bytes() == expected
        if 2 * after_ps(reports["farm"]) < after_ps(reports["peters-syska"]):
            return
    assert False, [after_ps(report) for report in reports.values()]


@pytest.mark.parametrize("options", parts.cases([
    [], ["--damage", "1/200"], ["--batch", "3000"]], 1))
def test_a_farm_of_cheap_units(text, options):
    path, offsets = text
    report = report_of(run("--mesh", "2x2", "--schedule", "farm", "--profile",
                           "uart", *options, "--json", path))
    check(report, offsets, 4)
    assert sum(n["units"] for n in report["measured"]["nodes"]) == \
        path.stat().st_size


@pytest.mark.parametrize("options, message", [
    (["--mesh", "2x2", "--schedule", "star"],
     "--schedule star: must be peters-syska or farm with --board stm32f405"),
    (["--mesh", "2x2", "--slow", "1,1=2"], "are for mps2-an385"),
    (["--mesh", "2x2", "--ports", "2"], "are for mps2-an385"),
    (["--mesh", "2x2", "--on", "native"], "are for mps2-an385"),
    (["--mesh", "2x2", "--damage", "3/2"], "must be P/Q, at most 1"),
    (["--mesh", "2x2", "--damage", "x"], "--damage 'x'"),
    (["--mesh", "2x2", "--lose", "2/1"], "--lose '2/1': must be P/Q, at most"),
    (["--mesh", "2x2", "--board", "pdp11"], "must be one of: mps2-an385 "),
    (["--mesh", "2x2", "--board", "mps2-an385", "--damage", "1/9"],
     "emulated links"),
    (["--mesh", "2x2", "--port", "/dev/nosuch", "--board", "mps2-an385"],
     "--port: its boards are of stm32f405, not --board mps2-an385"),
    (["--board", "mps2-an385", "--port", "/dev/nosuch", "--mesh", "2x2"],
     "--port: its boards are of stm32f405, not --board mps2-an385")])
def test_what_is_refused(text, options, message):
    done = run(*options, text[0])
    assert done.returncode == 2
    assert message in done.stderr


def test_no_such_port(text):
    done = run("--mesh", "2x2", "--port", "/dev/nosuch", text[0])
    assert done.returncode == 1
    assert "/dev/nosuch: there is no such port" in done.stderr


def test_a_kernel_that_the_image_lacks(text):
    done = run("--mesh", "1x1", "--kernel", "stats", "--arg", "", text[0])
    assert done.returncode == 1
    assert "no such kernel" in done.stderr


@pytest.mark.parametrize("victim, after_s", [("0-0", 0), ("0-0", 3),
                                             ("1-0", 0)])
def test_a_board_that_dies_is_named(tmp_path, victim, after_s):
    """Once, with its end, whatever it was in; the originator's console has
    gone, too."""
    load = tmp_path / "load"
    load.write_bytes(bytes(1_000_000))
    words = ["run", "--board", "stm32f405", "--kernel", "search", "--arg", "x",
             "--watchdog", "60", "--mesh", "2x1", str(load)]
    victim_word = f"board-{victim}".encode()
    with subprocess.Popen([mesh.QUINCUNX, *words], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        def found():
            return [pid for pid in mesh.children_of(process.pid)
                    if victim_word in mesh.words_of(pid)]
        assert mesh.until(found, 60)
        time.sleep(after_s)
        os.kill(found()[0], signal.SIGKILL)
        out, err = process.communicate(timeout=100)
    assert (process.returncode, out) == (1, "")
    assert err.count(f"board {victim.replace('-', ',')} died") == 1, err
    assert "signal 9" in err and "port has gone" not in err, err


@pytest.mark.boards
def test_an_image_that_never_answers(text, tmp_path):
    """It takes the bounded time of a board's start."""
    image = tmp_path / "image.elf"
    os.symlink(emulated.IMAGE, image)
    done = run("--mesh", "1x1", "--firmware", image, text[0])
    assert done.returncode == 1
    assert "originator" in done.stderr or "died" in done.stderr


@pytest.mark.parametrize("board, image", [
    ("stm32f405", mesh.FIRMWARE),
    ("mps2-an385", mesh.BUILD / "stm32f405" / "firmware.elf")])
def test_an_image_for_another_board(text, board, image):
    done = run("--board", board, "--mesh", "1x1", "--firmware", image, text[0])
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"quincunx: {image}: ")
    assert board in done.stderr

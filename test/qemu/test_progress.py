# SPDX-License-Identifier: Apache-2.0
"""How far work is, on stderr: a line on a terminal, plain lines elsewhere."""
import os
import pty
import re
import subprocess

import pytest

import mesh

QUINCUNX = mesh.BUILD / "quincunx"
ERASE = "\r\033[K"
# Two seconds of work, in one process.
SIMULATION = ["simulate", "--torus", "3125", "--load", "4G", "--startup",
              "4.85us", "--transfer", "3.3ns", "--compute", "1us"]
EVENTS = 2 * 3125 ** 2 - 1
STEP = re.compile(rf"simulating: (\d+) of {EVENTS} events, (\d+) %"
                  r"(, \d+/s, \d+ (?:s|min) left|, for \d+ s)?$")


def environment(**more):
    plain = {name: value for name, value in os.environ.items()
             if name not in ("QUINCUNX_PROGRESS", "TERM")}
    return {**plain, **more}


def on_terminal(*args, **more):
    """Exit status, and all that came to the terminal; output is not there."""
    here, there = pty.openpty()
    with subprocess.Popen([QUINCUNX, *map(str, args)], stderr=there,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          env=environment(**more)) as process:
        os.close(there)
        text = b""
        while True:
            try:
                some = os.read(here, 65536)
            except OSError:  # nobody writes there any more
                break
            text += some
        os.close(here)
    return process.returncode, text.decode()


def piped(*args, **more):
    done = subprocess.run([QUINCUNX, *map(str, args)], timeout=120,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          check=False, env=environment(**more))
    return done.returncode, done.stderr.decode()


def check_steps(lines):
    """Never back, and from the second line on with a rate."""
    assert lines
    before = -1
    for line in lines:
        done, percent, _ = STEP.match(line).groups()
        assert before <= int(done) <= EVENTS
        assert int(percent) == pytest.approx(100 * int(done) / EVENTS, abs=.51)
        before = int(done)


def test_a_line_on_a_terminal():
    """Which is erased before the command ends."""
    status, text = on_terminal(*SIMULATION, TERM="xterm")
    assert status == 0
    assert text.endswith(ERASE) and "\n" not in text
    check_steps(text.removesuffix(ERASE).split(ERASE))
    assert max(map(len, text.split(ERASE))) < 80


def test_plain_lines_on_a_terminal_that_cannot_erase():
    """The first after 5 s: this takes 2 s, or a little more if at all."""
    status, text = on_terminal(*SIMULATION, TERM="dumb")
    assert status == 0
    assert "\033" not in text
    if text:
        check_steps(text.replace("\r\n", "\n").splitlines())


def test_plain_lines_where_there_is_no_terminal():
    """The first after a second, where they were asked for."""
    status, text = piped(*SIMULATION, "--progress=plain")
    assert status == 0
    assert "\033" not in text and "\r" not in text
    check_steps(text.splitlines())


@pytest.mark.parametrize("args, more", [
    (["--quiet"], {}), ([], {"QUINCUNX_PROGRESS": "none"})])
def test_none(args, more):
    assert on_terminal(*SIMULATION, *args, TERM="xterm", **more) == (0, "")


def test_work_that_is_short_shows_none(tmp_path):
    load = mesh.zeros(tmp_path / "load", 1000)
    assert on_terminal("run", "--mesh", "3x3", "--on", "native", "--kernel",
                       "spin", "--arg", "1", load, TERM="xterm") == (0, "")


def test_boards_that_compute_long(tmp_path):
    """Two boards of 20,000 units of 100,000 instructions: some seconds. At the
    end all units are computed, and the line is gone."""
    load = mesh.zeros(tmp_path / "load", 30_000)
    status, text = on_terminal("run", "--mesh", "2x1", "--kernel", "spin",
                               "--arg", "50000", load, TERM="xterm")
    assert status == 0
    lines = text.removesuffix(ERASE).split(ERASE)
    assert text.endswith(ERASE)
    assert re.match(r"computing: .* of 30 kB, \d+ %.*; [012] of 2 nodes done$",
                    lines[-1])


def test_a_message_takes_the_place_of_the_line(tmp_path):
    """A board that is silent for the watchdog's time."""
    load = mesh.zeros(tmp_path / "load", 30_000)
    status, text = on_terminal("run", "--mesh", "2x1", "--kernel", "spin",
                               "--arg", "100000", "--watchdog", "2", load,
                               TERM="xterm")
    assert status == 1
    said = text.split(ERASE)
    assert len(said) > 1 and said[0].startswith("computing: ")
    assert said[-1].startswith("quincunx: node ")
    assert not any("quincunx" in line for line in said[:-1])


def test_serial_boards_tell_where_they_are(tmp_path):
    """To the board, its load; then it computes."""
    load = mesh.zeros(tmp_path / "load", 30_000)
    status, text = piped("run", "--board", "stm32f405", "--mesh", "2x1",
                         "--kernel", "search", "--arg", "abc",
                         "--progress=line", load)
    assert status == 0
    assert re.search(r"to the board: [\d.]+ \w+ of 30\.1 kB, \d+ %", text)


def test_what_it_is_a_part_of(tmp_path):
    load = mesh.zeros(tmp_path / "load", 5_000)
    status, text = piped("compare", "--mesh", "2x1", "--kernel", "spin",
                         "--arg", "50000", "--progress=line", load)
    assert status == 0
    names = set(re.findall(
        r"(?:^|\033\[K)([\w-]+)(?:, one round)?: computing: ", text))
    assert len(names) > 2
    assert names <= {"peters-syska", "equal", "binomial", "nearest", "star",
                     "farm", "hybrid"}


@pytest.mark.parametrize("command", ["run", "compare", "calibrate", "simulate",
                                     "figures", "flash"])
def test_bad_values(command):
    done = mesh.command(command, "--progress", "much")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--progress 'much': must be auto, line, plain or none" in done.stderr

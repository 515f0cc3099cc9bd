# SPDX-License-Identifier: Apache-2.0
"""Where a command tells how far its work is: on a terminal, on a pipe, and not
at all. Time is the test's. What is told and when: test/golden/progress.txt."""
import os
import pty
import re
import shutil

import clocked
import mesh
from guard import GUARD_S

ERASE = "\r\033[K"
SPIN = ["--kernel", "spin", "--arg", "1"]
RUN = ["run", "--mesh", "15x15", "--on", "native", *SPIN, __file__]
NODES = 225
STEP = re.compile(rf"booting: (\d+) of {NODES} boards, \d+ %"
                  r"(?:, \d+/s, \d+ (?:s|min) left|, for \d+ s)?$")


def environment(**more):
    plain = {name: value for name, value in os.environ.items()
             if name not in ("QUINCUNX_PROGRESS", "TERM")}
    return {**plain, **more}


def piped(*args, step=0.3, **more):
    """Exit status, and standard error."""
    with clocked.Clocked(*args, step=step, env=environment(**more)) as run:
        _, err = run.communicate(timeout=GUARD_S)
    return run.returncode, err


def on_terminal(*args, step=0.3, go_on=None, **more):
    """Exit status, and all that came to the terminal; `go_on` lets time of the
    command go on."""
    here, there = pty.openpty()
    with clocked.Clocked(*args, step=step, stderr=there,
                         env=environment(**more)) as run:
        os.close(there)
        if go_on is not None:
            go_on(run)
        text = b""
        while True:
            try:
                text += os.read(here, 65536)
            except OSError:  # nobody writes there any more
                break
        os.close(here)
        run.wait(GUARD_S)
    return run.returncode, text.decode()


def check_steps(lines):
    """Several, never back; then nodes compute."""
    done = [int(STEP.match(line)[1]) for line in lines
            if "computing" not in line]
    assert done == sorted(done) and len(done) > 1 and done[-1] <= NODES


def test_a_line_on_a_terminal():
    """Which is erased before the command ends."""
    status, text = on_terminal(*RUN, TERM="xterm")
    assert status == 0
    assert text.endswith(ERASE) and "\n" not in text
    check_steps(text.removesuffix(ERASE).split(ERASE))
    assert max(map(len, text.split(ERASE))) < 80


def test_plain_lines_where_nothing_can_be_erased():
    for status, text in [on_terminal(*RUN, TERM="dumb", step=3),
                         piped(*RUN, step=3),
                         piped(*RUN, "--progress=plain")]:
        assert status == 0 and "\033" not in text
        check_steps(text.replace("\r\n", "\n").splitlines())


def test_none(tmp_path):
    """As asked for; and nothing of work that is done at once."""
    load = mesh.zeros(tmp_path / "load", 1000)
    for line, more in [
            ([*RUN, "--quiet"], {}),
            (RUN, {"QUINCUNX_PROGRESS": "none"}),
            (["run", "--mesh", "3x3", "--on", "native", *SPIN, load],
             {"step": 0})]:
        assert on_terminal(*line, TERM="xterm", **more) == (0, "")


def test_boards_that_compute(tmp_path):
    """A line each time that they were waited for in vain. Then one of them
    hangs: a message takes the place of the line."""
    load = mesh.zeros(tmp_path / "load", 30_000)
    image = shutil.copy(mesh.FIRMWARE, tmp_path / "image.elf")

    def hear(run):
        mesh.until(lambda: max(map(mesh.cpu_s, mesh.boards_with(image)),
                               default=0) > 0.5)
        for seconds in 1.5, 2.5, 10:
            run.let(seconds)
            while (run.waits_until() or 10) < seconds:
                pass

    status, text = on_terminal(
        "run", "--mesh", "2x1", *SPIN, "--inject", "hang@1,0", "--watchdog",
        "3", "--firmware", image, load, TERM="xterm", step=0, go_on=hear)
    *lines, last = text.split(ERASE)
    assert status == 1 and len(lines) > 1
    for line in lines:
        assert re.match(r"computing: .* of 30 kB, \d+ %.*; [012] of 2 nodes "
                        "done$", line)
    assert last.startswith("quincunx: node ")


def test_what_it_is_a_part_of(tmp_path):
    load = mesh.zeros(tmp_path / "load", 500_000)
    status, text = piped("compare", "--mesh", "5x5", "--on", "native", *SPIN,
                         "--progress=line", load)
    assert status == 0
    names = set(re.findall(
        r"(?:^|\033\[K)([\w-]+)(?:, one round)?: computing: ", text))
    assert names == {"peters-syska", "equal", "binomial", "nearest", "star",
                     "farm", "hybrid"}

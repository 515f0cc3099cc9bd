# SPDX-License-Identifier: Apache-2.0
"""What a busy host does to runs: nothing. Three times as many processes as
there are processors never rest meanwhile."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from guard import GUARD_S
import emulated
import busy
import limited
import mesh
import mpirun

pytestmark = pytest.mark.boards

JOB = ["--mesh", "5x5", "--profile", "t3d", "--kernel", "spin", "--arg",
       "24,burst"]
# The pattern in several rounds and farms; a node that becomes slow in mid-job.
SLOW = ["--inject", "slow4@3,1@500us"]
SCHEDULES = {name: ["--schedule", name, *SLOW] for name in (
    "farm", "hybrid")} | {"rounds": ["--rounds", "2", *SLOW]}


@pytest.fixture(name="load", scope="module")
def fixture_load(loads):
    return loads(bytes(20_000))


def timeline(*args):
    done = mesh.command("run", "--json", *JOB, *args)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["timeline_sha256"]


@pytest.mark.parametrize("name", SCHEDULES)
def test_one_timeline(load, name):
    """The same with a quiet host and with a busy one."""
    quiet = timeline(*SCHEDULES[name], load)
    with busy.cores(3 * os.cpu_count()):
        assert timeline(*SCHEDULES[name], load) == quiet


@mpirun.needs_mpi
def test_one_timeline_on_several_ranks(load):
    one = mpirun.report(1, *JOB, "--rounds", "2", load)
    with busy.cores(3 * os.cpu_count()):
        many = mpirun.report(4, *JOB, "--rounds", "2", load)
    assert mpirun.without_hosts(one) == mpirun.without_hosts(many)


# More runs, on a quiet host: QUINCUNX_LIMITED=100. Each draws a limit that
# boards meet while they start: after the launcher has asked, as if other
# processes had come.
LIMITED = int(os.environ.get("QUINCUNX_LIMITED", "4"))
QUIET = "QUINCUNX_LIMITED" in os.environ


@limited.needs_root
def test_who_meets_a_limit_of_processes_is_missed_at_once(load, tmp_path):
    """Not after the two minutes that an answer may take: on a host that nobody
    else uses, within three seconds of what a whole run takes."""
    rng = mesh.seeded("limited")
    line = [*limited.AS_USER, mesh.QUINCUNX, "run", *JOB, load]
    longest = 0
    with busy.cores(0 if QUIET else os.cpu_count()):
        for run in range(LIMITED + 1):
            most = rng.randint(4, 72) if run > 0 else 4000
            env = mesh.qemu_script(tmp_path, limited.qemu(most))
            begin = time.monotonic()
            done = subprocess.run([*map(str, line)], env=env, text=True,
                                  capture_output=True, check=False,
                                  timeout=GUARD_S)
            took = time.monotonic() - begin
            if run == 0:
                assert done.returncode == 0, done.stderr
                whole = took
            else:
                assert done.returncode == 1, most
                assert "Resource temporarily unavailable" in done.stderr
                longest = max(longest, took - whole)
                assert took < whole + (3 if QUIET else 30), most
    print(f"{LIMITED} runs under a limit, at most {longest:.2f} s longer than "
          f"a whole one, {whole:.2f} s")


def test_a_frozen_run_goes_on(tmp_path):
    """Stopped for longer than the watchdog's time, as with its container. Its
    boards compute for seconds, so that one look at them is enough to see it."""
    image = shutil.copy(mesh.FIRMWARE, tmp_path / "image.elf")
    with subprocess.Popen(
            [mesh.QUINCUNX, "run", "--mesh", "2x2", "--kernel", "spin", "--arg",
             "30000", "--watchdog", "9", "--firmware", image,
             mesh.zeros(tmp_path / "load", 40_000)],
            stderr=subprocess.PIPE, text=True) as run:
        mesh.until(lambda: run.poll() is not None or len(used := list(map(
            mesh.cpu_s, mesh.boards_with(image)))) == 4 and max(used) > 0.1)
        assert run.poll() is None
        everyone = [run.pid, *mesh.boards_with(image)]
        for how in signal.SIGSTOP, signal.SIGCONT:
            for pid in everyone:
                os.kill(pid, how)
            time.sleep(10 if how == signal.SIGSTOP else 0)
        _, errors = run.communicate(timeout=GUARD_S)
    assert run.returncode == 0, errors


@mpirun.needs_mpi
def test_a_rank_that_stands_still_while_ranks_start(load):
    """Before it has joined the others: they name it, and end."""
    line = mpirun.line(3, "run", *JOB, "--on", "native", "--watch", "4", load)
    at = line.index(mesh.QUINCUNX)
    line[at:at] = ["sh", "-c", 'if [ "$OMPI_COMM_WORLD_RANK" = 2 ]; then '
                   'kill -STOP $$; fi; exec "$@"', "sh"]
    done = subprocess.run(line, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=GUARD_S)
    assert done.returncode == 1, done.stderr
    assert re.search(r"rank [01]: other ranks do not start within 9 s; rank 2 "
                     r"\(process \d+\) is stopped\n", done.stderr)


def test_idle_serial_boards_rest(tmp_path):
    """Without work, neither boards nor their launcher use a core."""
    with emulated.Boards(tmp_path, "--console", "all", "--damage", "1/100",
                         size="2x2") as boards:
        for console in boards.up().values():
            console.close()
        boards.consoles.clear()
        everyone = [boards.process.pid, *boards.pids()]
        before = sum(map(mesh.cpu_s, everyone))
        time.sleep(2)
        assert sum(map(mesh.cpu_s, everyone)) - before < 0.5

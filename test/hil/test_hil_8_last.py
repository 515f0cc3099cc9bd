# SPDX-License-Identifier: Apache-2.0
"""Boards that stop answering; the last tests, since a mesh is not what it was
afterwards."""
import json
import signal
import subprocess
import time

import pytest

import mesh
import rig


def others_are_safe(mesh_up, but):
    """They answer, and none has faulted."""
    for at in sorted(set(mesh_up.tty) - {but}):
        with mesh_up.console(at) as console:
            assert console.ask("ident")[0].startswith("ok"), at
            assert "record=none" in console.ask("fault")[0], at


def discovery_s(mesh_up):
    """How long it takes just now."""
    start = time.monotonic()
    with mesh_up.console() as console:
        first, rows, _ = console.ask("mesh %d %d 0 0" % mesh_up.size,
                                     rig.CIRCUITS_S)
    assert first.startswith("ok") and not rows, rows
    return time.monotonic() - start


def test_a_host_that_dies_leaves_a_mesh_that_works(mesh_up):
    """The report that nobody fetched does not become another job's. The
    console alone takes 5 s of a load for boards."""
    first = mesh.text(9_000 if mesh_up.emulated else 45_000,
                      mesh.seeded("hil first"))
    line = mesh_up.run_line(mesh_up.load(first), arg="static")
    with subprocess.Popen([mesh.QUINCUNX, *map(str, line)],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(2)
        finally:
            process.send_signal(signal.SIGKILL)
    data = mesh.text(8_000, mesh.seeded("hil second"))
    line = mesh_up.run_line(mesh_up.load(data), arg="static")
    end = time.monotonic() + rig.CIRCUITS_S
    while (done := mesh_up.command(*line)).returncode != 0:
        # The job went on without its host.
        assert time.monotonic() < end, done.stderr
        time.sleep(0.5)
    report = json.loads(done.stdout)
    assert report["load"]["bytes"] == len(data)
    want = mesh.search_result(data, b"static")
    assert {key: report["result"][key] for key in want} == want


def test_a_board_that_does_not_answer(mesh_up, notes):
    """One is killed in the middle of a job. The run ends in a bounded time and
    names it by its neighbours, and the others go on."""
    if mesh_up.launcher is None:
        pytest.skip("somebody would have to pull a plug in the right moment")
    if min(mesh_up.size) < 5:
        pytest.skip("wants 5x5 boards or more")
    victim = 3, 2
    data = mesh.text(30_000, mesh.seeded("hil unplugged"))
    line = mesh_up.run_line(mesh_up.load(data), arg="static")
    line[line.index("--watchdog") + 1] = 20
    found_s = discovery_s(mesh_up)
    start = time.monotonic()
    with subprocess.Popen([mesh.QUINCUNX, *map(str, line)], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        time.sleep(found_s + 2)  # the order takes 4 s, and the job some
        mesh_up.kill(victim)
        out, err = process.communicate(timeout=rig.COMMAND_S)
    assert process.returncode == 1 and out == ""
    # On a busy machine discovery may not have ended yet, or find more missing.
    assert "no report came in time" in err or "the mesh is not a " in err
    if "no report came in time" in err:
        neighbours = ("(2,2) east", "(4,2) west", "(3,1) north", "(3,3) south")
        assert any(f"{at}: nobody answers" in err for at in neighbours), err
    notes.add("a board gone in a job: told after",
              f"{time.monotonic() - start:.0f} s", "", "--watchdog 20; "
              + err.splitlines()[0].removeprefix("quincunx: "))
    others_are_safe(mesh_up, victim)

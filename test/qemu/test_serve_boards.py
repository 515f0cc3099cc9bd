# SPDX-License-Identifier: Apache-2.0
"""The page of a mesh of boards that stands: `boards --serve`, `ps --serve`."""
import os
import shutil
import signal
import socket
import subprocess

import pytest

import chip_bench
import mesh
import served
from core import BUILD

IMAGE = BUILD / "stm32f405" / "firmware.elf"
SIZE = 4


def standing(*more, image=None):
    """2x2 boards with a page; to be used as a context."""
    return served.Served("boards", "--mesh", "2x2", "--serve", "--keep",
                         *(("--firmware", image) if image else ()), *more,
                         stdin=subprocess.PIPE)


def until(stream, condition):
    """The first event's data that satisfies the condition."""
    for name, data in stream:
        assert name == "mesh"
        if condition(data):
            return data
    raise AssertionError("the stream has ended")


def test_boards(tmp_path):
    """All answer, with their links; the end is told. The console that the user
    has stays the user's."""
    image = tmp_path / "firmware.elf"
    shutil.copy(IMAGE, image)
    with standing(image=image) as boards:
        tty = boards.process.stdout.readline().split()
        assert tty[:2] == ["console", "0,0"]
        stream = boards.events()
        data = next(stream)[1]
        assert [(n["x"], n["y"]) for n in data["nodes"]] == [
            (0, 0), (1, 0), (0, 1), (1, 1)]
        assert all(n["answers"] and n["well"] for n in data["nodes"])
        done = mesh.command("ps", "--port", tty[2], "--mesh", "2x2")
        assert "4 of 4 nodes are well" in done.stdout
        data = until(stream, lambda d: any(
            port["bytes_in"] > 0 for n in d["links"]
            for port in n["ports"].values()))
        assert len(data["links"]) == SIZE
        assert len(mesh.boards_with(image)) == SIZE
        assert boards.get(method="POST")[0] == 405
        status, out, _ = boards.interrupt()
        assert status == 0 and "interrupted; 4 boards ended" in out
        assert list(stream)[-1] == ("end", {"report": False})
    assert mesh.until(lambda: not mesh.boards_with(image), 60)


def test_ps():
    """The same of boards behind a port; with its own status."""
    with chip_bench.started(2, 2) as it:
        port = it.port()
        with it.alive(), served.Served("ps", "--port", port, "--mesh", "2x2",
                                       "--serve") as page:
            data = next(page.events())[1]
            assert sum(n["answers"] for n in data["nodes"]) == SIZE
            assert page.interrupt() == (0, "", "")


def test_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = used.getsockname()[1]
        done = mesh.command("boards", "--mesh", "2x2", f"--serve={port}")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"--serve '{port}'" in done.stderr


# ---- in a browser ----

@pytest.mark.boards
def test_the_page(tmp_path):
    """Figures of the page are those of `ps` and `links`; a board that dies is
    crossed out."""
    import browser

    image = tmp_path / "firmware.elf"
    shutil.copy(IMAGE, image)
    with browser.window() as window, standing(image=image) as boards:
        window.open_at(boards.address)
        window.wait("nodes.every(n => n.board && n.board.answers)")
        assert window.text("#verdict") == "4 of 4 boards are well."
        window.run("choose(1)")
        window.settle()
        assert window.facts("#node-table")["last job"] == "no error"
        rows = window.run("return [...document.querySelectorAll('#nodes tbody "
                          "tr')].map(row => row.cells[0].textContent)")
        assert rows == ["0,0", "1,0", "0,1", "1,1"]
        before = window.picture("#map")
        victim = next(p for p in mesh.boards_with(image)
                      if b"board-1-0" in mesh.words_of(p))
        os.kill(victim, signal.SIGKILL)
        window.wait("nodes[1].state === 'gone'")
        window.settle()
        assert window.picture("#map") != before
        assert window.facts("#node-table")["state"].startswith(
            "does not answer")
        assert window.text("#verdict") == "3 of 4 boards are well."
        assert window.misfits() == {}
        assert window.messages() == []
        assert set(window.requests()) == {boards.address,
                                          boards.address + "events"}

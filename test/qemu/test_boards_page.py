# SPDX-License-Identifier: Apache-2.0
"""Pages of a mesh of boards that stands: as it was at one time, `boards --html`
and `ps --html`; and live, `boards --serve` and `ps --serve`."""
import json
import os
import re
import shutil
import signal
import socket
import subprocess

import pytest

import emulated
import mesh
import served
from core import BUILD

IMAGE = BUILD / "stm32f405" / "firmware.elf"
PLACES = [(0, 0), (1, 0), (0, 1), (1, 1)]


# ---- pages that are written ----

def held(text):
    """What a page has in it."""
    inside = re.search(r'<script id="report" type="application/json">(.*?)'
                       r"</script>", text, re.DOTALL)[1]
    return json.loads(inside)


@pytest.fixture(name="ended", scope="module")
def ended_fixture(tmp_path_factory):
    """The page of a mesh that did one job, and what `ps --json` and `links
    --json` said between the job and the end; and the page of `ps`."""
    folder = tmp_path_factory.mktemp("ended")
    load, page = folder / "load", folder / "page.html"
    load.write_bytes(b"needle and hay " * 400)
    with emulated.Boards(folder, "--html", page, image=IMAGE) as boards:
        port = ["--port", boards.tty[0, 0], "--mesh", "2x2"]
        job = mesh.command("run", *port, "--kernel", "search", "--arg",
                           "needle", "--rounds", "1", "--json", load)
        ps = mesh.command("ps", *port, "--json", "--html",
                          folder / "ps.html")
        links = mesh.command("links", *port, "--json")
        assert not page.exists()
        assert boards.end() == (
            0, "standard input ended; 4 boards ended\n",
            "asking all boards how they are, for the page\n")
    assert job.returncode == ps.returncode == links.returncode == 0
    return (page, folder, *(json.loads(done.stdout)
                            for done in (job, ps, links)))


def test_it_has_what_ps_and_links_say(ended):
    """Every board's state, and counters that have only grown since; that of
    `ps` the same reading as the table beside it. It asks nobody."""
    page, folder, _, ps, links = ended
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=\"(?!data:)", text)
    assert "EventSource" not in text
    all_ = held(text)
    assert (all_["mesh"]["width"], all_["mesh"]["height"]) == (2, 2)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}",
                        all_["at"])
    some = all_["boards"]
    assert some["silent"] is False
    for key in ("x", "y", "state", "well", "jobs", "error", "answers"):
        assert [n[key] for n in some["nodes"]] == [n[key] for n in ps]
    assert [n["jobs"] for n in some["nodes"]] == [1, 1, 1, 1]
    for now, before in zip(some["links"], links):
        for name, port in now["ports"].items():
            for key in ("bytes_in", "bytes_out", "retries"):
                assert port[key] >= before["ports"][name][key]
    some = held((folder / "ps.html").read_text("utf-8"))["boards"]
    assert [{key: n[key] for key in n if key != "error_text"}
            for n in some["nodes"]] == ps


def test_a_run_through_their_port_has_the_hosts_times(ended):
    """Boards say that they are emulated: no plan is judged by such times."""
    report = ended[2]
    assert report["mesh"]["times"] == "host"
    assert "host's time" in report["verdict"]
    assert not any("planned" in text for text in report["remarks"])


@pytest.mark.boards  # a reading with a dead board takes 14 s
def test_a_board_that_died(tmp_path):
    """It is told as one that does not answer; the others are well."""
    page = tmp_path / "page.html"
    with emulated.Boards(tmp_path, "--keep", "--html", page,
                         image=IMAGE) as boards:
        os.kill(boards.pid(1, 0), signal.SIGKILL)
        while "died" not in boards.process.stderr.readline():
            pass
        assert boards.end()[0] == 0
    nodes = held(page.read_text("utf-8"))["boards"]["nodes"]
    assert [n["answers"] for n in nodes] == [True, False, True, True]


# ---- pages that are served ----

@pytest.fixture(name="image")
def image_fixture(tmp_path):
    """A copy, by which processes of its boards are known."""
    path = tmp_path / "firmware.elf"
    shutil.copy(IMAGE, path)
    return path


def serving(image):
    """2x2 boards with a page; to be used as a context."""
    return served.Served("boards", "--mesh", "2x2", "--serve", "--keep",
                         "--firmware", image, stdin=subprocess.PIPE)


def test_a_page_that_is_served(image):
    """All answer, with their links; the end is told. The console that the user
    has stays the user's: `ps` serves a page of its own, with its own
    status."""
    with serving(image) as boards:
        tty = boards.process.stdout.readline().split()
        assert tty[:2] == ["console", "0,0"]
        stream = boards.events()
        data = next(stream)[1]
        assert [(n["x"], n["y"]) for n in data["nodes"]] == PLACES
        assert all(n["answers"] and n["well"] for n in data["nodes"])
        done = mesh.command("ps", "--port", tty[2], "--mesh", "2x2")
        assert "4 of 4 nodes are well" in done.stdout
        with served.Served("ps", "--port", tty[2], "--mesh", "2x2",
                           "--serve") as page:
            nodes = next(page.events())[1]["nodes"]
            assert [n["answers"] for n in nodes] == [True] * 4
            assert page.interrupt() == (0, "", "")
        while not any(port["bytes_in"] > 0 for n in data["links"]
                      for port in n["ports"].values()):
            name, data = next(stream)
            assert name == "mesh"
        assert len(data["links"]) == len(mesh.boards_with(image)) == 4
        assert boards.get(method="POST")[0] == 405
        status, out, _ = boards.interrupt()
        assert status == 0 and "interrupted; 4 boards ended" in out
        assert list(stream)[-1] == ("end", {"report": False})
    assert mesh.until(lambda: not mesh.boards_with(image))


def test_a_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = used.getsockname()[1]
        done = mesh.command("boards", "--mesh", "2x2", f"--serve={port}")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"--serve '{port}'" in done.stderr


# ---- in a browser ----

@pytest.mark.boards
def test_a_page_in_a_browser(image):
    """Figures of the page are those of `ps` and `links`; a board that dies is
    crossed out."""
    import browser

    with browser.window() as window, serving(image) as boards:
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
        os.kill(next(p for p in mesh.boards_with(image)
                     if b"board-1-0" in mesh.words_of(p)), signal.SIGKILL)
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

# SPDX-License-Identifier: Apache-2.0
"""Pages of a mesh of boards that stands, as it was at one time: `boards
--html`, `ps --html`. Those that are live: test_serve_boards.py."""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess

import pytest

import mesh
from core import BUILD
from guard import GUARD_S

IMAGE = BUILD / "stm32f405" / "firmware.elf"


def held(page):
    """What a page has in it."""
    text = page if isinstance(page, str) else page.read_text(encoding="utf-8")
    inside = re.search(r'<script id="report" type="application/json">(.*?)'
                       r"</script>", text, re.DOTALL)[1]
    return json.loads(inside)


@contextlib.contextmanager
def standing(*more):
    """2x2 boards; the process, and the console of board 0,0."""
    with subprocess.Popen(
            [mesh.QUINCUNX, "boards", "--mesh", "2x2", *map(str, more)],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE) as boards:
        tty = boards.stdout.readline().split()[2]
        assert boards.stdout.readline() == "4 boards run; Ctrl-C ends them\n"
        try:
            yield boards, tty
        finally:
            boards.kill()


def end(boards):
    """Status, and what it says at the end of its input."""
    out, err = boards.communicate(timeout=GUARD_S)
    return boards.returncode, out, err


def run_job(tty, load):
    done = mesh.command("run", "--port", tty, "--mesh", "2x2", "--kernel",
                        "search", "--arg", "needle", "--json", load)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(name="ended", scope="module")
def ended_fixture(tmp_path_factory):
    """The page of a mesh that did one job, and what `ps --json` and `links
    --json` said between the job and the end; and the page of `ps`."""
    folder = tmp_path_factory.mktemp("ended")
    load, page = folder / "load", folder / "page.html"
    load.write_bytes(b"needle and hay " * 400)
    with standing("--html", page) as (boards, tty):
        job = run_job(tty, load)
        port = ["--port", tty, "--mesh", "2x2"]
        ps = mesh.command("ps", *port, "--json", "--html",
                          folder / "ps.html")
        links = mesh.command("links", *port, "--json")
        assert not page.exists()
        status, out, err = end(boards)
    assert (status, out) == (0, "standard input ended; 4 boards ended\n")
    assert err == "asking all boards how they are, for the page\n"
    assert ps.returncode == links.returncode == 0
    return page, json.loads(ps.stdout), json.loads(links.stdout), folder, job


def test_it_has_what_ps_and_links_say(ended):
    """Every board's state, and counters that have only grown since."""
    page, ps, links, *_ = ended
    held_ = held(page)
    assert (held_["mesh"]["width"], held_["mesh"]["height"]) == (2, 2)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}",
                        held_["at"])
    some = held_["boards"]
    assert some["silent"] is False
    for key in ("x", "y", "state", "well", "jobs", "error", "answers"):
        assert [n[key] for n in some["nodes"]] == [n[key] for n in ps]
    assert [n["jobs"] for n in some["nodes"]] == [1, 1, 1, 1]
    for now, before in zip(some["links"], links):
        for name, port in now["ports"].items():
            for key in ("bytes_in", "bytes_out", "retries"):
                assert port[key] >= before["ports"][name][key]
    assert any(port["bytes_in"] > 0 for n in some["links"]
               for port in n["ports"].values())


def test_the_page_of_ps(ended):
    """As the table beside it, of the same reading."""
    _, ps, _, folder, _ = ended
    some = held(folder / "ps.html")["boards"]
    assert [{key: n[key] for key in n if key != "error_text"}
            for n in some["nodes"]] == ps


def test_it_asks_nobody(ended):
    text = ended[0].read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=\"(?!data:)", text)
    assert "EventSource" not in text


@pytest.mark.boards  # a reading with a dead board takes 14 s
def test_a_board_that_died(tmp_path):
    """It is told as one that does not answer; the others are well. Standard
    output is the page's alone if asked to."""
    image = tmp_path / "firmware.elf"
    shutil.copy(IMAGE, image)
    with subprocess.Popen(
            [mesh.QUINCUNX, "boards", "--mesh", "2x2", "--keep", "--html", "-",
             "--firmware", image], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as boards:
        assert boards.stderr.readline().startswith("console 0,0 ")
        assert boards.stderr.readline().startswith("4 boards run")
        victim = next(p for p in mesh.boards_with(image)
                      if b"board-1-0" in mesh.words_of(p))
        os.kill(victim, signal.SIGKILL)
        while "died" not in boards.stderr.readline():
            pass
        status, out, _ = end(boards)
    assert status == 0
    assert out.startswith("<!DOCTYPE html>") and out.endswith("</html>\n")
    nodes = held(out)["boards"]["nodes"]
    assert [n["answers"] for n in nodes] == [True, False, True, True]
    assert not mesh.boards_with(image)


def test_a_run_through_their_port_has_the_hosts_times(ended):
    """Boards say that they are emulated: no plan is judged by such times."""
    report = ended[-1]
    assert report["mesh"]["times"] == "host"
    assert "host's time" in report["verdict"]
    assert not any("planned" in text for text in report["remarks"])


@pytest.mark.boards
def test_in_a_browser(ended):
    """The figures of a board are those of `ps`; nothing is asked for."""
    import browser

    page, ps, *_ = ended
    with browser.window() as window:
        window.open_at(page.as_uri())
        window.settle()
        assert window.text("#verdict") == "4 of 4 boards are well."
        assert window.text("#now").startswith("As of 20")
        window.run("choose(1)")
        window.settle()
        facts = window.facts("#node-table")
        assert facts["jobs done"] == str(ps[1]["jobs"])
        assert facts["state"] == ps[1]["state"]
        rows = window.run("return [...document.querySelectorAll('#nodes tbody "
                          "tr')].map(row => row.cells[0].textContent)")
        assert rows == ["0,0", "1,0", "0,1", "1,1"]
        assert window.misfits() == {}
        assert window.messages() == []
        assert set(window.requests()) == {page.as_uri()}

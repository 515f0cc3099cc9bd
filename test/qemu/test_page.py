# SPDX-License-Identifier: Apache-2.0
"""The page of a report: what it holds, what is refused, and how it behaves in a
browser (test/lib/browser.py; with the mark `boards`)."""
import json
import re
import subprocess

import pytest

import mesh
import torus  # of the oracle, whose path mesh adds
from values import PS


def run_page(folder, load, *more, size="5x5", on="native", kernel="search",
             arg="the"):
    """The page and the report of one run."""
    page, report = folder / "page.html", folder / "report.json"
    done = mesh.command("run", "--mesh", size, "--on", on, "--kernel", kernel,
                        "--arg", arg, "--report", report, "--html", page,
                        *more, load)
    assert (done.returncode, done.stderr) == (0, "")
    return page, json.loads(report.read_text(encoding="utf-8"))


def unpacked(table):
    """The objects that a table stands for."""
    return [{name: unpacked(value) if isinstance(value, dict) else value
             for name, value in zip(table["names"], row) if value is not None}
            for row in table["rows"]]


def held(page):
    """The report that a page has in it, whose long lists are tables there."""
    text = page.read_text(encoding="utf-8")
    inside = re.search(r'<script id="report" type="application/json">(.*?)'
                       r"</script>", text, re.DOTALL)[1]
    report = json.loads(inside)
    report["circuits"] = unpacked(report["circuits"])
    report["measured"]["nodes"] = unpacked(report["measured"]["nodes"])
    return report


@pytest.fixture(scope="module", name="load")
def load_fixture(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / (
        "it's <!-- <script> \x1b[31m \" & \\ of a load")
    path.write_bytes(mesh.mixed(100_000, mesh.seeded("page")))
    return path


@pytest.fixture(scope="module", name="made")
def made_fixture(tmp_path_factory, load):
    return run_page(tmp_path_factory.mktemp("made"), load)


# ---- what it holds ----

def test_it_has_the_report_and_asks_nobody(made, tmp_path):
    """`html` makes the same page of the report."""
    page, report = made
    assert held(page) == report
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=\"(?!data:)", text)
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    assert text.count("<script") == 2
    again = tmp_path / "again.html"
    done = mesh.command("html", page.parent / "report.json", "-o", again)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert again.read_bytes() == page.read_bytes()


def test_the_page_of_a_comparison(load, tmp_path):
    """The schedules that --json lists, and the first one's report."""
    page = tmp_path / "page.html"
    line = ["compare", "--mesh", "5x5", "--on", "native", "--kernel", "search",
            "--arg", "the", "--json"]
    done = mesh.command(*line, "--html", page, load)
    assert (done.returncode, done.stderr) == (0, "")
    told, some = json.loads(done.stdout), held(page)
    assert some["compare"] == {key: told[key] for key in (
        "schedules", "best", "lower_bound")}
    assert some["plan"]["rounds"] == told["schedules"][0]["rounds"]
    assert some["timeline_sha256"] == told["schedules"][0]["timeline_sha256"]
    words = subprocess.run(["bash", "-c", "printf '%s\\0' " + some["command"]],
                           capture_output=True, text=True, check=True)
    assert words.stdout.split("\0")[-2] == str(load)


@pytest.mark.boards
def test_a_page_has_less_than_20_mb(made, tmp_path):
    """Of 625 nodes and 16 rounds less than 2 MB. Of a report that has more
    than 20, it holds the first circuits, and how many are left out."""
    big = mesh.zeros(tmp_path / "load", 1_000_000)
    page, report = run_page(tmp_path, big, "--rounds", "16", "--profile",
                            "t3d", size="25x25", kernel="spin", arg="32")
    assert len(report["circuits"]) > 10_000
    assert page.stat().st_size < 2_000_000
    assert held(page) == report
    _, report = made
    path, page = tmp_path / "report.json", tmp_path / "page.html"
    circuits = report["circuits"] * (400_000 // len(report["circuits"]))
    path.write_text(json.dumps({**report, "circuits": circuits}))
    done = mesh.command("html", path, "-o", page)
    assert (done.returncode, done.stderr) == (0, "")
    assert 15_000_000 < page.stat().st_size < 20_000_000
    some = held(page)
    left = len(some["circuits"])
    assert some["circuits"] == circuits[:left]
    assert some["circuits_left_out"] == len(circuits) - left > 0
    assert some["rounds_left_out"] is True
    assert all("rounds" not in node for node in some["measured"]["nodes"])
    assert some["plan"] == report["plan"]


# ---- what is refused ----

def changed(report, *keys, value=None):
    """A copy without what the keys lead to, or with another value there."""
    copy = json.loads(json.dumps(report))
    inner = copy
    for key in keys[:-1]:
        inner = inner[key]
    if value is None:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return json.dumps(copy)


DAMAGES = [
    (("report_format",), None, "is no report"),
    (("mesh", "width"), 0, "incomplete"),
    (("plan",), None, "incomplete"),
    (("network", "messages"), "many", "incomplete"),
    (("measured", "nodes"), None, "'measured.nodes'"),
    (("measured", "nodes", 3, "x"), 5, "'measured.nodes'"),
    (("circuits",), None, "'circuits'"),
    (("circuits", 0, "source"), 25, "'circuits'"),
    (("circuits", 0, "end_ps"), None, "'circuits'")]


def test_a_damaged_report(made, tmp_path):
    """Also one that is cut. Others: test/refused/commands.txt."""
    path = tmp_path / "report.json"
    text = json.dumps(made[1])
    for bad, why in [*((changed(made[1], *keys, value=value), why)
                       for keys, value, why in DAMAGES),
                     (text[:len(text) // 2], "is no report of"),
                     (text[:-1], "is no report of")]:
        path.write_text(bad)
        done = mesh.command("html", path, "-o", tmp_path / "page.html")
        assert done.returncode == 1, why
        assert str(path) in done.stderr and why in done.stderr
        assert sorted(tmp_path.iterdir()) == [path]


# ---- in a browser ----

@pytest.fixture(scope="module", name="window")
def window_fixture():
    import browser  # of packages that `make test` does without

    with browser.window() as window:
        yield window


@pytest.mark.boards
@pytest.mark.parametrize("size, on", [("5x5", "qemu"), ("25x25", "native"),
                                      ("1x1", "native")])
def test_it_loads(window, load, tmp_path, size, on):
    """No message of the console, no request; the slider moves the picture; a
    node's figures are the report's; nothing overlaps at three widths."""
    page, report = run_page(tmp_path, load, size=size, on=on)
    window.open(page)
    assert window.messages() == []
    assert window.requests() == [page.resolve().as_uri()]
    assert window.text("#verdict") == report["verdict"]
    before = window.picture("#map")
    window.set_value("#time", 9000)
    window.settle()
    assert (window.picture("#map") != before) == (report["mesh"]["nodes"] > 1)
    for row in report["measured"]["nodes"][::7]:
        index = row["y"] * report["mesh"]["width"] + row["x"]
        window.run(f"choose({index})")
        window.settle()
        assert window.text("#node-title").startswith(
            f"Node {row['x']},{row['y']}")
        facts = window.facts("#node-table")
        assert facts["share"].replace(" ", "") == f"{row['units']}units"
        number, unit = facts["finished"].split()
        assert float(number) * PS[unit] == pytest.approx(
            row["finished_ps"], rel=1e-3)
    assert window.misfits() == {}
    assert window.messages() == []


@pytest.mark.boards
def test_circuits_are_drawn_along_their_links(window, made):
    """Node by node, as the oracle walks them."""
    window.open(made[0])
    drawn = window.run(
        "return circuits.filter(c => c.kind === 'part' && c.round === 0).map("
        "c => [...c.links.map(link => link[0]), c.destination])")
    assert sorted(drawn) == sorted(
        [y * 5 + x for x, y in c.nodes] for c in torus.scatter(5, (0, 0)))


@pytest.mark.boards
def test_it_plays_and_takes_keys(window, load, tmp_path):
    page, _ = run_page(tmp_path, load)
    window.open(page)
    window.resize(1000, 900)
    window.run("document.getElementById('map').focus()")
    window.press("ARROW_RIGHT")
    window.settle()
    assert window.text("#node-title") == "Node 1,0"
    window.press("ARROW_UP")
    window.settle()
    assert window.text("#node-title") == "Node 1,1"
    window.run("setTime(startPs)")
    window.click("#play")
    window.wait("view.ps > startPs")
    window.click("#play")
    assert window.text("#play") == "Play"
    window.click("#nodes th:nth-child(5) button")
    finished = window.run(
        "return [...document.querySelectorAll('#nodes tbody tr')].map("
        "row => nodes[row.dataset.node].row.finished_ps)")
    assert finished == sorted(finished, reverse=True)
    assert window.messages() == []

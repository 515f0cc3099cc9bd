# SPDX-License-Identifier: Apache-2.0
"""`make figures`: the CSV against the exact model, and the pictures."""
import contextlib
import csv
import functools
import io
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from unittest import mock

import pytest

from core import ROOT
import forked
from guard import GUARD_S
import model
import optimum
from execute import Lane, Node, Send, layers

sys.path.append(str(ROOT / "qemu" / "pictures"))
import figures  # noqa: E402  (of the pictures, whose path is added)

MICRO = 10 ** 6
COMPUTE = Fraction(MICRO)  # ps per unit
# Startup and transfer time, ps, of each figure in the paper.
COSTS = {3: (0, 2 * MICRO), 4: (0, 1), 5: (50 * MICRO, 1),
         6: (4850000, 3300), 7: (10 * MICRO, 100000), 8: (0, 10000),
         9: (4850000, 3300)}
FILES = [f"figure-{n}.{kind}" for n in COSTS for kind in ("csv", "svg")]
HEADER = "figure,nodes,load_units,makespan_ps,rounds,compute_ps,on\n"


def command(quincunx, folder, *args):
    return subprocess.run(
        [sys.executable, figures.__file__, quincunx, folder, *map(str, args)],
        text=True, capture_output=True, check=False, timeout=GUARD_S)


def planned(words, **_):
    """The finished command, of hundreds, started by a fork in half the time."""
    done = forked.run(words)
    assert (done.returncode, done.stderr) == (0, "")
    return done


@pytest.fixture(name="folder", scope="module")
def fixture_folder(quincunx, tmp_path_factory):
    """The figures, with three points that were measured."""
    folder = tmp_path_factory.mktemp("figures")
    (folder / "points").write_text(
        "# a run\n" + HEADER + "6,625,1000000,2500000000,1,1024000,qemu\n"
        "9,25,1000000,40900000000,2,1024000,native\n"
        "9,25,1000,40900000,1,1024000,qemu\n")
    words = ["figures.py", quincunx, f"{folder}/new one's", "--measured",
             f"{folder}/points"]
    folder /= "new one's"
    planner = functools.partial(figures.Planner, run=planned)
    with (mock.patch.object(figures, "Planner", planner),
          mock.patch.object(sys, "argv", words),
          contextlib.redirect_stdout(io.StringIO()) as said):
        figures.main()
    assert {path.name for path in folder.iterdir()} == set(FILES)
    assert said.getvalue().splitlines() == [f"{folder}/{name}"
                                            for name in FILES]
    return folder


def rows_of(folder, number):
    """Comments; {series: [row]}, whole numbers, but for the speedup."""
    lines = (folder / f"figure-{number}.csv").read_text().splitlines()
    comments = [line for line in lines if line.startswith("#")]
    series = {}
    for row in csv.DictReader(lines[len(comments):]):
        name, speedup = row.pop("series"), float(row.pop("speedup"))
        # A bound is in figure 9 only; elsewhere nothing, which is not 0.
        assert (row["bound_ps"] != "") == (number == 9)
        row = {key: int(value or -1) for key, value in row.items()}
        series.setdefault(name, []).append({**row, "speedup": speedup})
        assert speedup == pytest.approx(
            row["load_units"] * MICRO / row["makespan_ps"], rel=1e-8)
    return comments, series


def check_row(row, number, most, rounds=1):
    """One round with at most so many phases; or so many of just these."""
    startup, transfer = COSTS[number]
    load, startups = row["load_units"], [startup] * most
    if rounds == 1:
        plan = model.best(load, COMPUTE, [transfer] * most, startups)
        assert row.get("phases", plan.phases) == plan.phases
    else:
        plan = optimum.Tree(layers(COMPUTE, [transfer] * most,
                                   startups)).rounds(load, rounds)
    assert abs(row["makespan_ps"] - plan.makespan) <= Fraction(1, 2), row


def test_figures(folder):
    """Makespans over loads, speedups over nodes, and one round and the best
    rounds over the bound."""
    loads = sorted(step * 10 ** k for k in range(3, 10) for step in (1, 2, 5)
                   if step * 10 ** k <= 10 ** 9)
    for number in (3, 4, 5, 6):
        _, series = rows_of(folder, number)
        for phases, (name, rows) in enumerate(series.items(), 2):
            assert name == f"{5 ** phases} nodes"
            assert [row["load_units"] for row in rows] == loads
            for row in rows[::4]:
                check_row(row, number, phases)
    for most, rows in enumerate(zip(*rows_of(folder, 7)[1].values())):
        assert [row["load_units"] for row in rows] == [10 ** n for n in
                                                       (3, 5, 7, 9)]
        for row in rows:
            assert row["nodes"] == 5 ** most
            check_row(row, 7, most)
    _, series = rows_of(folder, 9)
    for i, nodes in enumerate((25, 625)):
        one, several = [series[f"{kind}, {nodes} nodes"] for kind in
                        ("one round", "best rounds")]
        for row, best in zip(one, several, strict=True):
            bound = row["bound_ps"]
            slack = 1 + bound // 10 ** 14
            for time, most in ((bound - 1 - slack, row["load_units"]),
                               (bound + slack, 10 ** 12)):
                assert most >= model.reached(Fraction(time), nodes, 4, COMPUTE,
                                             *COSTS[9])
            assert row["makespan_ps"] >= best["makespan_ps"] >= bound - slack
            check_row(row, 9, 2 + 2 * i)
    check_row(series["best rounds, 25 nodes"][0], 9, 2,
              series["best rounds, 25 nodes"][0]["rounds"])


def test_two_methods(folder):
    """The older one sends on to nearest idle nodes: layer i has 4 i nodes, and
    each gets its part of what layers i.. process over one link."""
    comments, series = rows_of(folder, 8)
    assert "assumed" in comments[0] and "one link" in comments[1]
    for most, (one, other) in enumerate(zip(*series.values(), strict=True)):
        check_row(one, 8, most)
        count = other["phases"]
        assert other["nodes"] == 1 + 2 * count * (count + 1) <= 5 ** most
        assert 1 + 2 * (count + 1) * (count + 2) > 5 ** most
        if count <= 17:
            nodes = [Node(1, (Lane((Send(i + 1, 0, Fraction(1, 100), many=(
                Fraction(i + 1, i) if i else 4)),)),)) for i in range(count)]
            assert other["speedup"] == pytest.approx(float(
                1 / optimum.Tree([*nodes, Node(1)]).solve(1)[0]))


def text_of(path):
    """All text of a picture that is well-formed."""
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return " ".join(" ".join(root.itertext()).split())


def test_pictures(folder):
    """Which show points that were measured."""
    for number in COSTS:
        text = text_of(folder / f"figure-{number}.svg")
        for name in rows_of(folder, number)[1]:
            assert name in text
        assert ("assumed" in text) == (number in (5, 7, 8))
        assert ("measured on QEMU boards" in text) == (number in (6, 9))
        for words in ("QEMU boards and native nodes", "one round, measured",
                      "best rounds, measured"):
            assert (words in text) == (number == 9)


@pytest.mark.boards
def test_measured_points_fit_the_model(quincunx, tmp_path):
    """A mesh takes what the figure shows, and for each phase its software,
    some 40 us, and 150 bytes of headers; it is not faster."""
    done = command(quincunx, tmp_path, "--measure", "native")
    assert (done.returncode, done.stderr) == (0, "")
    lines = (tmp_path / "measured.csv").read_text().splitlines(True)
    assert lines[2] == HEADER
    numbers = set()
    for row in csv.DictReader(lines[2:]):
        assert row.pop("on") == "native"
        row = {key: int(value) for key, value in row.items()}
        numbers.add(number := row["figure"])
        phases = {25: 2, 125: 3, 625: 4, 15625: 6}[row["nodes"]]
        scale = Fraction(row["compute_ps"]) / COMPUTE
        assert abs(scale - Fraction(1024, 1000)) < Fraction(1, 1000)
        startup, transfer = COSTS[number]
        given = [transfer] * phases, [startup] * phases
        plan = (model.best(row["load_units"], COMPUTE, *given)
                if row["rounds"] == 1 else optimum.Tree(layers(
                    COMPUTE, *given)).rounds(row["load_units"],
                                             row["rounds"])).makespan
        late = row["makespan_ps"] / scale - plan
        each = (40 * MICRO + 150 * transfer) * phases * row["rounds"]
        assert -plan / 1000 <= late <= plan / 100 + each, row
    assert numbers == {3, 4, 5, 6, 7, 9}

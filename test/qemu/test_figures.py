# SPDX-License-Identifier: Apache-2.0
"""`quincunx figures`: the CSV against the exact model, and the pictures."""
import csv
import subprocess
import xml.etree.ElementTree as ElementTree
from fractions import Fraction

import pytest

from guard import GUARD_S
import model
import optimum
from execute import Lane, Node, Send, layers

MICRO = 10 ** 6
COMPUTE = Fraction(MICRO)  # ps per unit
# Startup and transfer time, ps, of each figure in the paper.
COSTS = {3: (0, 2 * MICRO), 4: (0, 1), 5: (50 * MICRO, 1),
         6: (4850000, 3300), 7: (10 * MICRO, 100000), 8: (0, 10000),
         9: (4850000, 3300)}
FILES = {f"figure-{n}.{kind}" for n in COSTS for kind in ("csv", "svg")}


def command(quincunx, *args, timeout=GUARD_S, **more):
    return subprocess.run([quincunx, "figures", *map(str, args)], text=True,
                          capture_output=True, check=False, timeout=timeout,
                          **more)


@pytest.fixture(name="folder", scope="module")
def fixture_folder(quincunx, tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures") / "new one's"
    done = command(quincunx, "-o", folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in folder.iterdir()} == FILES
    assert done.stdout.split("\n")[:-1] == [
        f"{folder}/figure-{n}.{kind}" for n in COSTS
        for kind in ("csv", "svg")]
    return folder


def rows_of(folder, number):
    """{series: [row]}; whole numbers, but for the speedup."""
    lines = (folder / f"figure-{number}.csv").read_text().splitlines()
    comments = [line for line in lines if line.startswith("#")]
    series = {}
    for row in csv.DictReader(lines[len(comments):]):
        name = row.pop("series")
        speedup = float(row.pop("speedup"))
        # A bound is in figure 9 only; elsewhere nothing, which is not 0.
        bound = row.pop("bound_ps")
        assert (bound != "") == (number == 9)
        row = {key: int(value) for key, value in row.items()}
        if bound:
            row["bound_ps"] = int(bound)
        series.setdefault(name, []).append({**row, "speedup": speedup})
        assert speedup == pytest.approx(
            row["load_units"] * MICRO / row["makespan_ps"], rel=1e-8)
    return comments, series


def best(number, load, most):
    """One round with at most so many phases."""
    startup, transfer = COSTS[number]
    return model.best(load, COMPUTE, [transfer] * most, [startup] * most)


def in_rounds(number, load, phases, count):
    """The makespan of so many rounds."""
    startup, transfer = COSTS[number]
    nodes = layers(COMPUTE, [transfer] * phases, [Fraction(startup)] * phases)
    return optimum.Tree(nodes).rounds(load, count).makespan


def agrees(row, makespan):
    return abs(row["makespan_ps"] - makespan) <= Fraction(1, 2)


def test_makespan_over_load_and_speedup_over_nodes(folder):
    loads = sorted(step * 10 ** k for k in range(3, 10) for step in (1, 2, 5)
                   if step * 10 ** k <= 10 ** 9)
    for number in (3, 4, 5, 6):
        _, series = rows_of(folder, number)
        assert list(series) == [f"{5 ** n} nodes" for n in (2, 3, 4, 5, 6)]
        for phases, rows in zip((2, 3, 4, 5, 6), series.values()):
            assert [row["load_units"] for row in rows] == loads
            for row in rows[::4]:
                want = best(number, row["load_units"], phases)
                assert agrees(row, want.makespan)
                assert (row["phases"], row["nodes"], row["rounds"]) == (
                    want.phases, 5 ** want.phases, 1)
    _, series = rows_of(folder, 7)
    for load, rows in zip((10 ** 3, 10 ** 5, 10 ** 7, 10 ** 9),
                          series.values(), strict=True):
        assert [row["nodes"] for row in rows] == [5 ** n for n in range(11)]
        for most, row in enumerate(rows):
            assert row["load_units"] == load
            assert agrees(row, best(7, load, most).makespan)


def nearest(rho, count):
    """Speedup of sending on to nearest idle nodes: layer i has 4 i nodes, and
    each gets its part of what layers i.. process over one link."""
    nodes = [Node(1, (Lane((Send(
        i + 1, 0, rho, many=Fraction(i + 1, i) if i else 4),)),))
             for i in range(count)] + [Node(1)]
    return 1 / optimum.Tree(nodes).solve(1)[0]


def test_two_methods(folder):
    comments, series = rows_of(folder, 8)
    assert "assumed" in comments[0] and "one link" in comments[1]
    scatter, idle = series.values()
    for most, (one, other) in enumerate(zip(scatter, idle, strict=True)):
        assert one["nodes"] == 5 ** most
        assert agrees(one, best(8, 10 ** 9, most).makespan)
        count = other["phases"]
        assert other["nodes"] == 1 + 2 * count * (count + 1) <= 5 ** most
        assert 1 + 2 * (count + 1) * (count + 2) > 5 ** most
        if count <= 17:
            assert other["speedup"] == pytest.approx(
                float(nearest(Fraction(1, 100), count)))
        assert other["speedup"] <= one["speedup"] * (1 + 1e-9)


def test_rounds_and_bound(folder):
    _, series = rows_of(folder, 9)
    assert list(series) == ["one round, 25 nodes", "best rounds, 25 nodes",
                            "one round, 625 nodes", "best rounds, 625 nodes"]
    for i, (name, rows) in enumerate(series.items()):
        phases = 2 if i < 2 else 4
        for row in rows:
            load, bound = row["load_units"], row["bound_ps"]
            slack = 1 + bound // 10 ** 14
            given = (5 ** phases, 4, COMPUTE, *COSTS[9])
            assert model.reached(Fraction(bound + slack), *given) >= load
            assert model.reached(Fraction(bound - 1 - slack), *given) <= load
            assert row["makespan_ps"] >= bound - slack
            if i % 2 == 0:
                assert agrees(row, best(9, load, phases).makespan), name
            else:
                first = series[name.replace("best rounds", "one round")]
                assert row["makespan_ps"] <= first[rows.index(row)][
                    "makespan_ps"]
    row = series["best rounds, 25 nodes"][0]
    assert agrees(row, in_rounds(9, 1000, 2, row["rounds"]))


def text_of(path):
    """All text of a picture that is well-formed."""
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return " ".join(" ".join(root.itertext()).split())


def test_pictures(folder):
    for number in COSTS:
        text = text_of(folder / f"figure-{number}.svg")
        for name in rows_of(folder, number)[1]:
            assert name in text
        assert ("assumed" in text) == (number in (5, 7, 8))
        assert "load, units" in text or "nodes" in text
        assert "measured" not in text


HEADER = "figure,nodes,load_units,makespan_ps,rounds,compute_ps,on\n"


def test_measured_points_are_drawn(quincunx, tmp_path):
    points = tmp_path / "points"
    points.write_text(
        "# a run\n" + HEADER + "6,625,1000000,2500000000,1,1024000,qemu\n"
        "9,25,1000000,40900000000,2,1024000,native\n"
        "9,25,1000,40900000,1,1024000,qemu\n")
    done = command(quincunx, "-o", tmp_path, "--measured", points)
    assert done.returncode == 0
    assert not (tmp_path / "measured.csv").exists()
    for number in COSTS:
        text = text_of(tmp_path / f"figure-{number}.svg")
        assert ("measured" in text) == (number in (6, 9))
        assert ("measured on QEMU boards" in text) == (number in (6, 9))
        assert ("QEMU boards and native nodes" in text) == (number == 9)
        for kind in ("one round, measured", "best rounds, measured"):
            assert (kind in text) == (number == 9)
    assert command(quincunx, "-o", tmp_path).returncode == 0
    assert "measured" not in text_of(tmp_path / "figure-6.svg")


@pytest.mark.boards
def test_measured_points_fit_the_model(quincunx, tmp_path):
    """A mesh takes what the figure shows, and for each phase its software,
    some 40 us, and 150 bytes of headers; it is not faster."""
    done = command(quincunx, "-o", tmp_path, "--measure", "native")
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} == FILES | {
        "measured.csv"}
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
        load, transfer = row["load_units"], COSTS[number][1]
        plan = (best(number, load, phases).makespan if row["rounds"] == 1
                else in_rounds(number, load, phases, row["rounds"]))
        late = row["makespan_ps"] / scale - plan
        each = (40 * MICRO + 150 * transfer) * phases * row["rounds"]
        assert -plan / 1000 <= late <= plan / 100 + each, row
    assert numbers == {3, 4, 5, 6, 7, 9}
    assert command(quincunx, "-o", tmp_path, "--measured",
                   tmp_path / "measured.csv").returncode == 0


def test_without_gnuplot(quincunx, tmp_path):
    done = command(quincunx, "-o", tmp_path, env={"PATH": str(tmp_path)})
    assert done.returncode == 1
    assert "gnuplot" in done.stderr
    assert not (tmp_path / "figure-3.svg").exists()

# SPDX-License-Identifier: Apache-2.0
"""Several originators, each with a load and a group of nodes of its own: groups
are as large as their loads, nodes serve who is near, and all end together.
(Results, units, outputs: test_any_job.py.)"""
import fractions
import json

import pytest

import mesh

INSTRUCTION_PS = 32_000
LVDS_PS = 80_000  # a byte


def given(folder, sizes):
    """The options of {place: bytes}, whose files are made."""
    words = []
    for at, size in sizes.items():
        words += ["--originator", f"{at}={mesh.zeros(folder / at, size)}"]
    return words


def run(folder, sizes, line="", arg="8"):
    done = mesh.command("run", "--json", "--on", "native", "--kernel", "spin",
                        "--arg", arg, *f"--mesh 5x5 {line}".split(),
                        *given(folder, sizes))
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def hops(a, b, side):
    away = [abs(a[0] - b[0]), abs(a[1] - b[1])]
    return sum(min(one, side - one) for one in away)


def test_groups(tmp_path):
    """The numbers of nodes go by the loads, where computing is the limit. With
    equal loads far apart, a node serves one no further away than the other, but
    for two or so that make the groups equal."""
    report = run(tmp_path, {"0,0": 400_000, "2,2": 100_000}, arg="200")
    assert [one["nodes"] for one in report["originators"]] == [20, 5]
    report = run(tmp_path, {"0,0": 100_000, "4,4": 100_000}, "--mesh 8x8")
    wrong = 0
    for one, other in (report["originators"], report["originators"][::-1]):
        for share in one["shares"]:
            at = share["x"], share["y"]
            wrong += (hops(at, (one["x"], one["y"]), 8)
                      > hops(at, (other["x"], other["y"]), 8))
    assert wrong <= 4


def bound_ps(sizes, instructions, nodes=25):
    """What no division of the nodes can beat: all compute all the time, or one
    originator's ports do, and it computes."""
    unit_ps = instructions * INSTRUCTION_PS
    ports = fractions.Fraction(1, unit_ps) + fractions.Fraction(4, LVDS_PS)
    return max(fractions.Fraction(sum(sizes) * unit_ps, nodes),
               max(sizes) / ports)


@pytest.mark.parametrize("instructions, sizes, line, most", [
    (8, {"0,0": 500_000, "2,2": 500_000}, "", 1.15),
    (8, {"0,0": 250_000, "2,1": 250_000, "4,2": 250_000, "1,3": 250_000}, "",
     1.12),
    (32, {"0,0": 750_000, "2,2": 250_000}, "", 1.08),
    (32, {"0,0": 300_000, "2,2": 300_000}, "--rounds 1", 1.5)])
def test_all_end_together(tmp_path, instructions, sizes, line, most):
    """When planned: each has a plan of its own."""
    report = run(tmp_path, sizes, line, arg=str(instructions))
    first = report["plan"]["layers"][0]
    assert first["nodes"] == len(sizes)
    assert round(first["nodes"] * first["volume_units"]) == sum(sizes.values())
    span_ps = report["measured"]["makespan_ps"]
    assert 1 <= span_ps / bound_ps(sizes.values(), instructions) <= most
    assert abs(report["measured"]["overhead_vs_plan"]) < .02
    for one in report["originators"]:
        assert one["plan"]["makespan_ps"] <= 1.02 * span_ps


def test_rates_are_read_and_kept(tmp_path):
    rates = tmp_path / "rates.json"
    sizes = {"0,0": 50_000, "2,2": 50_000}
    first, again = (run(tmp_path, sizes, f"--rates {rates}") for _ in range(2))
    assert first["plan"]["measured_units"] > 0
    assert again["plan"]["measured_units"] == 0
    assert again["plan"]["rate_from"] == str(rates)
    assert len(json.loads(rates.read_text())["rates"]) == 1


def test_compare(tmp_path):
    """Schedules with groups, and the bound."""
    sizes = {"0,0": 60_000, "2,2": 20_000}
    done = mesh.command("compare", "--json", "--mesh", "5x5", "--on", "native",
                        "--kernel", "spin", "--arg", "8",
                        *given(tmp_path, sizes))
    assert (done.returncode, done.stderr) == (0, "")
    table = json.loads(done.stdout)
    rows, bound = table["schedules"], table["lower_bound"]
    assert [row["schedule"] for row in rows] == ["star", "star", "farm"]
    assert rows[0]["timeline_sha256"] == run(tmp_path,
                                             sizes)["timeline_sha256"]
    assert bound["set_by"] == "ports"
    assert abs(bound["makespan_ps"] / bound_ps(sizes.values(), 8) - 1) < .01
    assert min(row["makespan_ps"] for row in rows) >= bound["makespan_ps"]


def test_a_node_that_fails_is_named(tmp_path):
    done = mesh.command(
        "run", *"--mesh 5x5 --kernel spin --arg 8 --inject assert@2,3".split(),
        *given(tmp_path, {"0,0": 50_000, "2,2": 50_000}))
    assert (done.returncode, done.stdout) == (1, "")
    assert "node 2,3: assertion failed" in done.stderr


def test_a_single_one_is_as_ever(tmp_path):
    """X,Y=FILE given once is X,Y and INPUT."""
    one = run(tmp_path, {"1,1": 1000})
    ever = mesh.run(tmp_path / "1,1", "--originator", "1,1", on="native",
                    arg="8", rounds="auto")
    assert one["timeline_sha256"] == ever["timeline_sha256"]
    assert one["mesh"]["originator"] == [1, 1]
    assert "originators" not in one

# SPDX-License-Identifier: Apache-2.0
"""Farms, of one level and with masters, and planned rounds whose rest is given
to who asks (hybrid): nodes end together where a plan does not. (Results, units,
repetition: test_any_job.py; outputs: test_run.py.)"""
import pytest

import mesh

UNITS = 10 ** 6
INSTRUCTION_PS = 32_000


def run(load, line="", **options):
    return mesh.run(load, *f"--profile t3d --schedule farm {line}".split(),
                    **{"on": "native", "arg": "32", "rounds": "auto",
                       **options})


def ratio(report, instructions, nodes, less_ps=0):
    """The makespan in times of all these nodes computing a million units."""
    bound_ps = (UNITS * instructions * INSTRUCTION_PS - less_ps) / nodes
    return report["measured"]["makespan_ps"] / bound_ps


@pytest.fixture(name="load")
def fixture_load(tmp_path):
    return mesh.zeros(tmp_path / "load", UNITS)


@pytest.mark.boards
def test_nodes_end_together(load):
    """Also with a board that nobody knows is slow: shares take 7.7 times as
    long; from the middle on, 1.35. With masters 2,1 is one, and 2,2 one of its
    workers."""
    for line, arg, nodes, less_ps, most, on in [
            ("", 32, 25, 0, 1.05, "qemu"),
            ("--inject slow8@1,1", 32, 24 + 1 / 8, 0, 1.10, "qemu"),
            ("--inject slow4@1,1@20ms", 32, 24 + 1 / 4, 15e9, 1.35, "qemu"),
            ("--inject slow8@2,1 --levels 2", 200, 24 + 1 / 8, 0, 1.03,
             "native"),
            ("--inject slow8@2,2 --levels 2", 200, 24 + 1 / 8, 0, 1.03,
             "native")]:
        report = run(load, line, arg=str(arg), on=on)
        assert ratio(report, arg, nodes, less_ps) <= most, (line, on)


def test_625_nodes_end_together(load):
    for arg, most in (200, 1.08), (2000, 1.02):
        report = run(load, size="25x25", arg=str(arg))
        assert ratio(report, arg, 625) <= most
        for node in report["measured"]["nodes"]:
            assert node["idle_ps"] <= (node["finished_ps"]
                                       - node["received_ps"])


def test_levels_that_are_chosen(tmp_path):
    """Two from 100 nodes on; one with outputs, which masters do not pass on."""
    load = mesh.zeros(tmp_path / "few", 30_000)
    for size, arg, levels in (("5x5", "32", 1), ("25x25", "32", 2),
                              ("25x25", "32,1/1", 1)):
        chosen, given = (run(load, f"--levels {value}", size=size, arg=arg)
                         for value in ("auto", levels))
        assert chosen["timeline_sha256"] == given["timeline_sha256"], size


def test_shares_of_uneven_cost(tmp_path, load):
    """The last quarter is three times as dear. All of it on demand (hybrid),
    the nodes end together; planned, who has it ends at twice the bound. Nothing
    is reserved where nothing varies."""
    burst = tmp_path / "burst"
    burst.write_bytes(bytes(750_000) + b"\xff" * 250_000)
    for line, least, most in [("--schedule peters-syska", 1.9, 9),
                              ("--schedule hybrid --reserve 30", 1, 1.04)]:
        report = run(burst, line, arg="32,burst", on="qemu")
        assert least < ratio(report, 1.5 * 32, 25) < most, line
    hybrid, planned = (run(load, f"--schedule {schedule}")["measured"]
                       for schedule in ("hybrid", "peters-syska"))
    assert hybrid["makespan_ps"] == planned["makespan_ps"]

# SPDX-License-Identifier: Apache-2.0
"""Farms carried out: the answer is one board's whatever is slow, uneven or
small; and they end together where a plan does not.

QUINCUNX_SEED chooses meshes, loads and speeds.
"""
import json

import mesh
import pytest


def run(*words, **options):
    options = {"mesh": "5x5", "on": "native", "kernel": "spin", "arg": "32",
               "profile": "t3d", "schedule": "farm", **options}
    given = [word for name, value in options.items()
             for word in (f"--{name}", str(value))]
    done = mesh.command("run", "--json", *given, *words)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def check(report, units):
    """Every unit once: the kernel counts them, and so does the log."""
    nodes = report["measured"]["nodes"]
    assert report["result"]["units"] == units
    assert sum(node["units"] for node in nodes) == units


def ratio(report, bound_ps):
    return report["measured"]["makespan_ps"] / bound_ps


UNIT_PS = 32 * 32000


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_as_planned(tmp_path, on):
    load = mesh.zeros(tmp_path / "load", 10 ** 6)
    assert ratio(run(load, on=on), 10 ** 6 * UNIT_PS / 25) <= 1.05


def test_a_slow_board_that_nobody_knows(tmp_path):
    """Shares take 7.7 times as long."""
    load = mesh.zeros(tmp_path / "load", 10 ** 6)
    report = run("--inject", "slow8@1,1", load, on="qemu")
    check(report, 10 ** 6)
    assert ratio(report, 10 ** 6 * UNIT_PS / (24 + 1 / 8)) <= 1.10


def test_a_board_that_becomes_slow(tmp_path):
    """From the middle on it takes four times as long for a unit: 1.35."""
    load = mesh.zeros(tmp_path / "load", 10 ** 6)
    report = run("--inject", "slow4@1,1@20ms", load, on="qemu")
    check(report, 10 ** 6)
    bound_ps = (10 ** 6 * UNIT_PS - 20e9 * 3 / 4) / (24 + 1 / 4)
    assert ratio(report, bound_ps) <= 1.35


@pytest.mark.parametrize("kernel_arg,size,profile,most", [
    ("32,1/1", 10 ** 6, "lvds", 1.10), ("32,1/1", 10 ** 5, "lvds", 1.25),
    ("200,1/1", 10 ** 6, "lvds", 1.03), ("32,1/1", 10 ** 6, "t3d", 1.02)])
def test_outputs_come_back_meanwhile(tmp_path, kernel_arg, size, profile,
                                     most):
    """An output as long as the input: the ports take both ways."""
    load = tmp_path / "load"
    load.write_bytes(mesh.seeded("outputs").randbytes(size))
    report = run("-o", tmp_path / "out", load, arg=kernel_arg,
                 profile=profile)
    unit_ps = int(kernel_arg.partition(",")[0]) * 32000
    byte_ps = {"lvds": 80000, "t3d": 3300}[profile]
    bound = max(size * unit_ps / 25, 2 * size * byte_ps / 4
                / (1 + 2 * byte_ps / (4 * unit_ps)))
    assert report["measured"]["with_results_ps"] <= most * bound

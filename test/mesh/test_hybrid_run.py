# SPDX-License-Identifier: Apache-2.0
"""Planned rounds whose rest is given to who asks: the answer is one board's,
and nodes end together where a plan is a little wrong.

QUINCUNX_SEED chooses loads and originators.
"""
import json

import mesh
import pytest
from test_farm_run import check, job_bench


def run(*words, **options):
    options = {"mesh": "5x5", "on": "native", "kernel": "spin", "arg": "32",
               "profile": "t3d", "schedule": "hybrid", **options}
    given = [word for name, value in options.items()
             for word in (f"--{name}", str(value))]
    done = mesh.command("run", "--json", *given, *words, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", range(30))
def test_every_unit_is_computed_once(tmp_path, case):
    rng = mesh.seeded(f"hybrid run {case}")
    units = rng.choice([1, 2, 24, 25, 26, rng.randint(100, 2000),
                        rng.randint(1000, 40000)])
    at = f"{rng.randrange(5)},{rng.randrange(5)}"
    report = run(mesh.zeros(tmp_path / "load", units),
                 arg=rng.choice([8, 32, 3000]), originator=at,
                 profile=rng.choice(["t3d", "lvds", "uart"]),
                 rounds=rng.choice(["1", "auto"]),
                 reserve=rng.choice([1, 5, 30, 90]))
    check(report, units)


@pytest.mark.parametrize("on", ["native", "qemu"])
@pytest.mark.parametrize("name", job_bench.KERNELS)
def test_every_kernel(tmp_path, name, on):
    """The same result and output as with shares, byte for byte."""
    *_, make, file, arg, output = job_bench.KERNELS[name]
    words = []
    if make is not None:
        make(tmp_path / file)
        words = [tmp_path / file]
    same = []
    for schedule in ("peters-syska", "hybrid"):
        out = tmp_path / f"{schedule}-{output}"
        report = run(*words, *(["-o", out] if output else []), on=on,
                     kernel=name, schedule=schedule,
                     arg=arg.format(folder=tmp_path),
                     **({"reserve": 20} if schedule == "hybrid" else {}))
        same.append((report["result"], out.read_bytes() if output else b""))
    assert same[0] == same[1]


def test_shares_of_uneven_cost(tmp_path):
    """The last quarter is three times as dear. All of it on demand, the nodes
    end together; planned, who has it ends at twice the bound."""
    load = tmp_path / "burst"
    load.write_bytes(bytes(750_000) + b"\xff" * 250_000)
    bound_ps = 1.5 * 10 ** 6 * 32 * 32000 / 25

    def makespan_ps(**options):
        report = run(load, arg="32,burst", on="qemu", **options)
        return report["measured"]["makespan_ps"]

    assert makespan_ps(schedule="peters-syska") > 1.9 * bound_ps
    assert makespan_ps(reserve=30) < 1.04 * bound_ps


def test_nothing_is_reserved_where_nothing_varies(tmp_path):
    load = mesh.zeros(tmp_path / "load", 10 ** 6)
    hybrid = run(load)
    static = run(load, schedule="peters-syska")
    assert (hybrid["measured"]["makespan_ps"]
            == static["measured"]["makespan_ps"])


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_five_runs_have_one_timeline(tmp_path, on):
    load = mesh.zeros(tmp_path / "load", 30000)
    assert len({run(load, on=on, reserve=20)["timeline_sha256"]
                for _ in range(5)}) == 1


def test_625_nodes(tmp_path):
    load = mesh.zeros(tmp_path / "load", 10 ** 6)
    check(run(load, mesh="25x25", reserve=3), 10 ** 6)


def test_batches(tmp_path):
    """Each batch ends with a tail of its own."""
    load = mesh.zeros(tmp_path / "load", 50_000)
    check_all = run("--batch", "20000", load, reserve=10)
    assert check_all["result"]["units"] == 50_000

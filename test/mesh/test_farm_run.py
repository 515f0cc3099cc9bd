# SPDX-License-Identifier: Apache-2.0
"""Farms carried out: the answer is one board's whatever is slow, uneven or
small; and they end together where a plan does not.

QUINCUNX_SEED chooses meshes, loads and speeds.
"""
import json
import pathlib
import sys

import mesh
import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
import job_bench  # noqa: E402


def run(*words, **options):
    options = {"mesh": "5x5", "on": "native", "kernel": "spin", "arg": "32",
               "profile": "t3d", "schedule": "farm", **options}
    given = [word for name, value in options.items()
             for word in (f"--{name}", str(value))]
    done = mesh.command("run", "--json", *given, *words, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def check(report, units):
    """Every unit once: the kernel counts them, and so does the log."""
    nodes = report["measured"]["nodes"]
    assert report["result"]["units"] == units
    assert sum(node["units"] for node in nodes) == units


def drawn_options(rng, width, height):
    """Of any farm on a mesh of that size."""
    return {"mesh": f"{width}x{height}", "ports": rng.choice([1, 2, 4]),
            "arg": rng.choice([8, 32, 3000]),
            "profile": rng.choice(["t3d", "lvds", "uart"]),
            "originator": f"{rng.randrange(width)},{rng.randrange(height)}",
            "switching": rng.choice(["circuit", "store-and-forward"]),
            "installment": rng.choice([1, 2, 4, 250])}


@pytest.mark.parametrize("case", range(40))
def test_every_unit_is_computed_once(tmp_path, case):
    rng = mesh.seeded(f"farm run {case}")
    width, height = rng.randint(1, 8), rng.randint(1, 8)
    units = rng.choice([1, 2, 24, 25, rng.randint(1, 100),
                        rng.randint(1, 20000)])
    words = []
    for _ in range(rng.randint(0, 3)):
        at = f"{rng.randrange(width)},{rng.randrange(height)}"
        if not any(at in word for word in words):
            words += ["--slow", f"{at}={rng.choice([2, 4, 8])}"]
    report = run(mesh.zeros(tmp_path / "load", units), *words,
                 **drawn_options(rng, width, height))
    check(report, units)


@pytest.mark.parametrize("case", range(12))
def test_batches(tmp_path, case):
    """Farm after farm; some workers have no chunk of a batch."""
    rng = mesh.seeded(f"farm batches {case}")
    units = rng.choice([rng.randint(2, 60), rng.randint(2, 3000)])
    batch = rng.randint(max(1, units // 6), units)
    load = tmp_path / "load"
    load.write_bytes(rng.randbytes(units))
    shape = {"mesh": f"{rng.randint(1, 5)}x{rng.randint(1, 5)}",
             "arg": rng.choice(["32", "300,3/2", "9,1/1"]),
             "on": "native" if case % 4 else "qemu"}
    outputs = [tmp_path / "whole", tmp_path / "batches"]
    words = [["-o", path] if "/" in shape["arg"] else [] for path in outputs]
    whole = run(*words[0], load, **shape)
    report = run("--batch", batch, *words[1], load, **shape)
    check(report, units)
    assert len(report.get("batches", [0])) == -(-units // batch)
    assert report["result"] == whole["result"]
    if "/" in shape["arg"]:
        assert outputs[0].read_bytes() == outputs[1].read_bytes()


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
    for schedule in ("star", "farm"):
        out = tmp_path / f"{schedule}-{output}"
        report = run(*words, *(["-o", out] if output else []), on=on,
                     kernel=name, schedule=schedule,
                     arg=arg.format(folder=tmp_path))
        same.append((report["result"], out.read_bytes() if output else b""))
    assert same[0] == same[1]


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


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_five_runs_have_one_timeline(tmp_path, on):
    load = mesh.zeros(tmp_path / "load", 30000)
    assert len({run(load, on=on)["timeline_sha256"] for _ in range(5)}) == 1


def test_625_nodes(tmp_path):
    load = mesh.zeros(tmp_path / "load", 10 ** 6)
    check(run(load, mesh="25x25"), 10 ** 6)

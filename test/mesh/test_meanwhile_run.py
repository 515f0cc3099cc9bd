# SPDX-License-Identifier: Apache-2.0
"""The pattern in several rounds whose outputs return meanwhile: output exact
whatever is slow, uneven or small; back when the plan says; and earlier than
one that is collected when all is computed.

QUINCUNX_SEED chooses loads and orders.
"""
import json

import pytest

import mesh
import twins

BYTE_PS = {"lvds": 80000, "t3d": 3300}
INSTRUCTION_PS = 32000


def run(load, *words, **options):
    options = {"mesh": "5x5", "on": "native", "kernel": "spin",
               "arg": "32,1/1", "profile": "lvds", "rounds": "auto",
               "schedule": "peters-syska", **options}
    given = [word for name, value in options.items()
             for word in (f"--{name}", str(value))]
    done = mesh.command("run", "--json", *given, *words, load)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def load_of(folder, units):
    path = folder / "load"
    path.write_bytes(mesh.seeded(f"meanwhile {units}").randbytes(units))
    return path


def check(report, out, units, numerator=1, denominator=1):
    assert report["result"]["units"] == units
    assert sum(n["units"] for n in report["measured"]["nodes"]) == units
    assert out.read_bytes() == twins.spun(
        units, f"{numerator}/{denominator}")


def returns_meanwhile(report):
    assert report["plan"]["outputs_return"] in ("meanwhile", "at the end")
    return report["plan"]["outputs_return"] == "meanwhile"


# ---- by the plan ----

@pytest.mark.parametrize("arg,units,profile,most", [
    ("32", 10 ** 6, "lvds", 1.05), ("32", 10 ** 5, "lvds", 1.15),
    ("200", 10 ** 6, "lvds", 1.02), ("32", 10 ** 6, "t3d", 1.02)])
def test_near_the_bound(tmp_path, arg, units, profile, most):
    """An output as long as the input: the ports take both ways."""
    out = tmp_path / "out"
    report = run(load_of(tmp_path, units), "-o", out, arg=f"{arg},1/1",
                 profile=profile)
    check(report, out, units)
    assert returns_meanwhile(report)
    unit_ps, byte_ps = int(arg) * INSTRUCTION_PS, BYTE_PS[profile]
    bound = max(units * unit_ps / 25, 2 * units * byte_ps / 4
                / (1 + 2 * byte_ps / (4 * unit_ps)))
    assert report["measured"]["with_results_ps"] <= most * bound


@pytest.mark.parts(5)
def test_back_when_planned(tmp_path, part):
    """Native nodes, which take no time for software: what returns meanwhile is
    back within 2 % and a tenth of a millisecond of the plan, and the boards'
    choice is no later than its neighbours."""
    for case in range(12 * part, 12 * part + 12):
        check_return(tmp_path, mesh.seeded(f"meanwhile run {case}"))


def check_return(tmp_path, rng):
    size = rng.choice(["5x5", "5x5", "25x25"])
    units = int(10 ** rng.uniform(3.5, 5.8))
    numerator, denominator = rng.choice([(1, 1), (1, 2), (2, 1), (1, 10)])
    out, load = tmp_path / "out", load_of(tmp_path, units)
    job = {"mesh": size, "profile": rng.choice(["lvds", "t3d"]),
           "arg": f"{rng.choice([8, 32, 100])},{numerator}/{denominator}"}
    rounds = rng.choice(["auto", "auto", 3, 6])
    report = run(load, "-o", out, rounds=rounds, **job)
    check(report, out, units, numerator, denominator)
    results_ps = report["measured"]["with_results_ps"]
    if returns_meanwhile(report):
        assert abs(results_ps - report["plan"]["makespan_ps"]) <= (
            0.02 * results_ps + 1e8)
    if rounds == "auto":
        one = run(load, "-o", out, rounds=1, **job)
        assert results_ps <= 1.03 * one["measured"]["with_results_ps"]


# ---- whatever comes between ----

@pytest.mark.parametrize("on", ["native", "qemu"])
@pytest.mark.parametrize("words", [
    ["--inject", "slow8@1,1"], ["--batch", "9000"]])
def test_output_is_exact(tmp_path, on, words):
    """A board that is slow, known or not; and batch after batch."""
    units, out = 20_000, tmp_path / "out"
    report = run(load_of(tmp_path, units), "-o", out, *words, on=on,
                 arg="32,3/2", rounds=5)
    check(report, out, units, 3, 2)
    if "slow8@1,1" in words:
        assert returns_meanwhile(report) and report["plan"]["rounds"] == 5


def test_earlier_than_collected(tmp_path):
    """On boards, with all their software: earlier than one round, whose layers
    return theirs while others compute, and than a farm."""
    load, out = load_of(tmp_path, 100_000), tmp_path / "out"
    report = run(load, "-o", out, on="qemu")
    check(report, out, 100_000)
    assert returns_meanwhile(report)
    for options in ({"rounds": 1}, {"schedule": "farm"}):
        other = run(load, "-o", out, on="qemu", **options)
        assert report["measured"]["with_results_ps"] < (
            0.9 * other["measured"]["with_results_ps"])


def test_a_board_that_fails(tmp_path):
    """It is named, wherever it is on the way of others' outputs."""
    done = mesh.command(
        "run", "--mesh", "5x5", "--kernel", "spin", "--arg", "32,1/1",
        "--rounds", 6, "--profile", "lvds", "--inject",
        "fault@2,4", "-o", tmp_path / "out", load_of(tmp_path, 20_000))
    assert (done.returncode, done.stdout) == (1, "")
    assert "2,4" in done.stderr
    assert not (tmp_path / "out").exists()

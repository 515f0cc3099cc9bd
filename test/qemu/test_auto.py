# SPDX-License-Identifier: Apache-2.0
"""`run --schedule auto`: what it takes, what it says, and what it knows of a
mesh from an earlier run."""
import json

import mesh
import pytest


def run(*words, **options):
    options = {"mesh": "5x5", "on": "native", "kernel": "spin", "arg": "32",
               "profile": "lvds", "schedule": "auto", **options}
    given = [word for name, value in options.items()
             for word in (f"--{name}", str(value))]
    return mesh.command("run", *given, *words)


def report_of(*words, **options):
    done = run("--json", *words, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.parametrize("size, arg, profile, units, schedule", [
    ("5x5", "32", "t3d", 100_000, "hybrid"),  # nothing varies: the pattern
    ("5x5", "32,1/1", "lvds", 300_000, "hybrid"),  # outputs return meanwhile
    ("7x6", "32", "t3d", 20_000, "equal"),  # planning would be
    ("7x6", "32", "lvds", 300_000, "farm"),
    ("1x1", "32", "t3d", 1000, "hybrid")])
def test_it_is_the_named_one(tmp_path, size, arg, profile, units, schedule):
    """On boards, where planning and demands take time."""
    load = mesh.zeros(tmp_path / "load", units)
    options = {"mesh": size, "arg": arg, "profile": profile, "on": "qemu"}
    if "," in arg:
        options["o"] = tmp_path / "out"
    words = ["-o", options.pop("o")] if "o" in options else []
    chosen = report_of(load, *words, **options)
    told = chosen["choices"]
    assert told[0]["schedule"] == schedule
    expected = [choice["expected_answer_ps"] for choice in told]
    assert expected == sorted(expected) and len(set(
        choice["schedule"] for choice in told)) == 5
    named = report_of(load, *words, **{**options, "schedule": schedule})
    assert "choices" not in named
    assert chosen["timeline_sha256"] == named["timeline_sha256"]
    assert chosen["result"] == named["result"]


def test_a_board_that_was_slow_in_an_earlier_run(tmp_path):
    """No plan knows it; the file of --rates does."""
    load = mesh.zeros(tmp_path / "load", 200_000)
    rates = tmp_path / "rates.json"
    words = ["--rates", rates, "--inject", "slow8@1,1", load]
    first = report_of(*words, on="qemu", profile="t3d")
    second = report_of(*words, on="qemu", profile="t3d")
    assert first["choices"][0]["schedule"] == "hybrid"
    assert second["choices"][0]["schedule"] == "farm"
    assert (second["measured"]["answer_ps"]
            < first["measured"]["answer_ps"] / 4)
    entry, = json.loads(rates.read_text("utf-8"))["rates"]
    assert 700 < entry["slowest_percent"] < 900


# Mesh, profile, argument of spin, units, options: on native nodes, where a
# choice that forgets startups, hops, store and forward, or that native nodes
# have no software, is 20 % to 640 % late.
NATIVE = [
    ("7x6", "uart", "8", 100_000, []),
    ("7x6", "uart", "8", 100_000, ["--switching", "store-and-forward"]),
    ("5x5", "uart", "32", 100_000, ["--ports", "1"]),
    ("5x5", "lvds", "8,1/1", 100_000, ["--switching", "store-and-forward"]),
    ("7x6", "t3d", "8", 100_000, ["--ports", "1"]),
    ("4x4", "lvds", "32", 100_000, []),
    ("7x6", "uart", "8,1/1", 100_000, [])]


@pytest.mark.parametrize("size, profile, arg, units, words", NATIVE)
def test_few_choices_are_late(tmp_path, size, profile, arg, units, words):
    load = mesh.zeros(tmp_path / "load", units)
    options = {"mesh": size, "profile": profile, "arg": arg}
    chosen = report_of(load, *words, **options)["measured"]["answer_ps"]
    done = mesh.command("compare", "--json", "--on", "native", "--kernel",
                        "spin", *(word for name, value in options.items()
                                  for word in (f"--{name}", value)),
                        *words, load)
    best = min(entry["answer_ps"]
               for entry in json.loads(done.stdout)["schedules"])
    assert chosen <= best * 1.05


@pytest.mark.parametrize("size, profile, arg, units, words", [
    ("5x5", "lvds", "32", 100_000, ["--switching", "store-and-forward"]),
    ("5x5", "lvds", "8,1/1", 1_000_000, []),
    ("5x5", "uart", "32", 100_000, []),
    ("7x6", "t3d", "32", 100_000, ["--slow", "1,2=4"]),
    ("4x4", "lvds", "8", 100_000, ["--ports", "1"])])
def test_when_a_farm_is_planned_to_end(tmp_path, size, profile, arg, units,
                                       words):
    report = report_of(mesh.zeros(tmp_path / "load", units), *words,
                       mesh=size, profile=profile, arg=arg, schedule="farm")
    assert report["plan"]["makespan_ps"] == pytest.approx(
        report["measured"]["makespan_ps"], rel=0.05)


def test_when_nobody_knows_when_a_farm_ends(tmp_path):
    """Of several originators that store and forward."""
    words = []
    for at in ("0,0", "2,2"):
        words += ["--originator", f"{at}={mesh.zeros(tmp_path / at, 50_000)}"]
    words += ["--switching", "store-and-forward"]
    report = report_of(*words, schedule="farm")
    assert report["plan"]["makespan_ps"] == 0
    assert report["measured"]["overhead_vs_plan"] == 0

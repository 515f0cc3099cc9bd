# SPDX-License-Identifier: Apache-2.0
"""`run --schedule auto`: what it takes, and what it knows of a mesh from an
earlier run."""
import json

import pytest

import mesh


def run(load, line="", **options):
    return mesh.run(load, *f"--schedule auto {line}".split(),
                    **{"on": "native", "arg": "32", "rounds": "auto",
                       **options})


@pytest.mark.parametrize("size, arg, profile, units, schedule", [
    ("5x5", "32", "t3d", 100_000, "hybrid"),  # nothing varies: the pattern
    ("5x5", "32,1/1", "lvds", 100_000, "hybrid"),  # outputs return meanwhile
    ("7x6", "32", "t3d", 20_000, "equal"),  # planning would be
    ("7x6", "32", "lvds", 100_000, "farm")])
def test_it_is_the_named_one(tmp_path, size, arg, profile, units, schedule):
    """On boards, where planning and demands take time."""
    load = mesh.zeros(tmp_path / "load", units)
    line = f"--profile {profile}"
    if "," in arg:
        line += f" -o {tmp_path / 'out'}"
    chosen, named = (run(load, line + more, size=size, arg=arg, on="qemu")
                     for more in ("", f" --schedule {schedule}"))
    told = chosen["choices"]
    assert told[0]["schedule"] == schedule
    expected = [choice["expected_answer_ps"] for choice in told]
    assert expected == sorted(expected)
    assert len(set(choice["schedule"] for choice in told)) == 5
    assert "choices" not in named
    assert chosen["timeline_sha256"] == named["timeline_sha256"]


def test_a_board_that_was_slow_in_an_earlier_run(tmp_path):
    """No plan knows it; the file of --rates does."""
    load = mesh.zeros(tmp_path / "load", 200_000)
    rates = tmp_path / "rates.json"
    first, second = (run(
        load, f"--profile t3d --rates {rates} --inject slow8@1,1", on="qemu")
        for _ in range(2))
    assert first["choices"][0]["schedule"] == "hybrid"
    assert second["choices"][0]["schedule"] == "farm"
    assert (second["measured"]["answer_ps"]
            < first["measured"]["answer_ps"] / 4)
    entry, = json.loads(rates.read_text("utf-8"))["rates"]
    assert 700 < entry["slowest_percent"] < 900


# On native nodes, where a choice that forgets startups, hops, store and
# forward, or that native nodes have no software, is 20 % to 640 % late.
@pytest.mark.parametrize("size, arg, line", [
    ("7x6", "8", "--profile uart"),
    ("7x6", "8", "--profile uart --switching store-and-forward"),
    ("5x5", "32", "--profile uart --ports 1"),
    ("5x5", "8,1/1", "--profile lvds --switching store-and-forward"),
    ("7x6", "8", "--profile t3d --ports 1"),
    ("4x4", "32", "--profile lvds"),
    ("7x6", "8,1/1", "--profile uart")])
def test_few_choices_are_late(tmp_path, size, arg, line):
    load = mesh.zeros(tmp_path / "load", 100_000)
    chosen = run(load, line, size=size, arg=arg)["measured"]["answer_ps"]
    done = mesh.command("compare", "--json", "--on", "native", "--kernel",
                        "spin", "--mesh", size, "--arg", arg, *line.split(),
                        load)
    best = min(entry["answer_ps"]
               for entry in json.loads(done.stdout)["schedules"])
    assert chosen <= best * 1.05


def test_when_a_farm_is_planned_to_end(tmp_path):
    load = mesh.zeros(tmp_path / "load", 100_000)
    for size, arg, line in [
            ("5x5", "32", "--profile lvds --switching store-and-forward"),
            ("5x5", "8,1/1", "--profile lvds"),
            ("5x5", "32", "--profile uart"),
            ("7x6", "32", "--profile t3d --slow 1,2=4"),
            ("4x4", "8", "--profile lvds --ports 1")]:
        report = run(load, f"{line} --schedule farm", size=size, arg=arg)
        assert report["plan"]["makespan_ps"] == pytest.approx(
            report["measured"]["makespan_ps"], rel=0.05), (size, line)


def test_when_nobody_knows_when_a_farm_ends(tmp_path):
    """Of several originators that store and forward."""
    load = mesh.zeros(tmp_path / "load", 50_000)
    done = mesh.command(
        "run", *"--json --mesh 5x5 --on native --kernel spin --arg 32 "
        "--schedule farm --switching store-and-forward".split(),
        "--originator", f"0,0={load}", "--originator", f"2,2={load}")
    report = json.loads(done.stdout)
    assert report["plan"]["makespan_ps"] == 0
    assert report["measured"]["overhead_vs_plan"] == 0

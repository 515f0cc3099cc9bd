# SPDX-License-Identifier: Apache-2.0
"""Farms of two levels: masters serve the workers near them from their own
stock. The answer is that of one level, whatever is slow, uneven or small.

QUINCUNX_SEED chooses meshes, loads and speeds.
"""
import mesh
import pytest
import test_farm_run as farm

BOUND_PS = 10 ** 6 * 32000


def run(*words, **options):
    return farm.run(*words, **{"levels": 2, **options})


@pytest.mark.parametrize("on, cases", [("native", range(8)), ("qemu", [0])])
def test_offsets_of_a_search(tmp_path, on, cases):
    """The offsets rise, and are all that there are."""
    load = tmp_path / "load"
    for case in cases:
        rng = mesh.seeded(f"farm levels search {case}")
        text = bytes(rng.choices(b"ab ", k=rng.randint(100, 60000)))
        load.write_bytes(text)
        report = run(load, kernel="search", arg="abba", on=on,
                     mesh=f"{rng.randint(3, 6)}x{rng.randint(3, 6)}")
        assert report["result"] == mesh.search_result(text, b"abba"), case


def test_a_slow_board_in_a_group(tmp_path):
    """On 5x5 boards 2,1 is a master, and 2,2 one of its workers: either is 8
    times slower than anybody knows."""
    load = mesh.zeros(tmp_path / "load", 10 ** 6)
    for at in ("2,1", "2,2"):
        report = run("--inject", f"slow8@{at}", load, arg="200")
        farm.check(report, 10 ** 6)
        assert farm.ratio(report, 200 * BOUND_PS / (24 + 1 / 8)) <= 1.03


@pytest.mark.parametrize("at", ["2,1", "2,2"])
@pytest.mark.parametrize("what,says", [("die", "died"), ("fault", "fault")])
def test_a_master_or_worker_that_dies_is_named(tmp_path, what, says, at):
    load = mesh.zeros(tmp_path / "load", 10 ** 5)
    done = mesh.command("run", "--mesh", "5x5", "--kernel", "spin", "--arg",
                        "2000", "--schedule", "farm", "--levels", "2",
                        "--inject", f"{what}@{at}", load)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"node {at}" in done.stderr.splitlines()[0]
    assert says in done.stderr.splitlines()[0]


@pytest.mark.parametrize("arg,most", [("200", 1.08), ("2000", 1.02)])
def test_625_nodes_end_together(tmp_path, arg, most):
    report = farm.run(mesh.zeros(tmp_path / "load", 10 ** 6), mesh="25x25",
                      arg=arg)
    farm.check(report, 10 ** 6)
    assert farm.ratio(report, int(arg) * BOUND_PS / 625) <= most
    for node in report["measured"]["nodes"]:
        assert node["idle_ps"] <= node["finished_ps"] - node["received_ps"]


@pytest.mark.parametrize("size,levels", [("5x5", 1), ("25x25", 2)])
def test_levels_that_are_chosen(tmp_path, size, levels):
    load = mesh.zeros(tmp_path / "load", 30000)
    chosen, given = (farm.run(load, mesh=size, levels=value)
                     for value in ("auto", levels))
    assert chosen["timeline_sha256"] == given["timeline_sha256"]


@pytest.mark.parametrize("size", ["5x5", "25x25"])
def test_outputs_keep_one_level(tmp_path, size):
    """Masters pass on none: `auto` takes one level, and all comes back."""
    load = mesh.zeros(tmp_path / "load", 3000)
    shape = {"arg": "32,1/1", "mesh": size}
    chosen, one = (farm.run("-o", tmp_path / f"out-{levels}", load,
                            levels=levels, **shape) for levels in ("auto", 1))
    assert chosen["timeline_sha256"] == one["timeline_sha256"]
    assert (tmp_path / "out-auto").read_bytes() \
        == (tmp_path / "out-1").read_bytes()

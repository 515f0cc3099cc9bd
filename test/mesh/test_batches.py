# SPDX-License-Identifier: Apache-2.0
"""Loads that go in batches: the same result and output as in one, the sums of
what each took, and the next batch only when nobody needs the last one."""
import pytest

import mesh
import parts


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """30,000 bytes with matches everywhere, also where batches meet."""
    path = tmp_path_factory.mktemp("batches") / "load"
    path.write_bytes(b"abab" * 2500 + mesh.mixed(20_000,
                                                 mesh.seeded("batches")))
    return path


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_batches_are_summed_up(load, on):
    report = mesh.run(load, "--batch", 11_000, arg="20", on=on, rounds="auto")
    batches = report["batches"]
    measured = report["measured"]
    assert [b["units"] for b in batches] == [10_000, 10_000, 10_000]
    assert report["load"] == {"bytes": 30_000, "units": 30_000}
    for key in ("makespan_ps", "with_results_ps"):
        assert measured[key] == sum(b[key] for b in batches)
    assert report["plan"]["makespan_ps"] == sum(
        b["planned_ps"] for b in batches)
    assert sum(n["units"] for n in measured["nodes"]) == 30_000
    # An announcement, parts and a result for each follower in each batch.
    each = (report["plan"]["rounds"] + 2) * (len(measured["nodes"]) - 1)
    assert report["network"]["messages"] == each * len(batches)
    assert abs(measured["overhead_vs_plan"]) < .06
    # Equal batches of a load that costs the same everywhere: the first one,
    # in which the kernel is measured, and those that know its rate.
    first, *others = (b["makespan_ps"] for b in batches)
    # Shares are whole units: these may end two units apart.
    assert max(others) - min(others) <= 2 * 20 * 32_000
    assert abs(first / others[0] - 1) < .06


@pytest.mark.parametrize("on", ["native", "qemu"])
@pytest.mark.parametrize("units, batch", [(31, 16), (27, 26), (53, 13)])
def test_nodes_without_a_part_in_a_later_batch(tmp_path, on, units, batch):
    """What they did in a batch before is none of this one's: a node's units
    are as many as its intervals have."""
    path = tmp_path / "load"
    path.write_bytes(bytes(1000 * units))
    report = mesh.run(path, "--batch", batch, "--unit", 1000,
                      "--profile", "emulated", arg="x", kernel="search",
                      on=on)
    measured = report["measured"]
    assert sum(n["units"] for n in measured["nodes"]) == units
    assert measured["makespan_ps"] == sum(
        b["makespan_ps"] for b in report["batches"])
    for one in report["batches"]:
        assert 0 < one["makespan_ps"] < 10 * one["planned_ps"]


def test_outputs_of_batches_follow_each_other(load, tmp_path):
    for on, size in (("native", "7x4"), ("native", "25x25"), ("qemu", "5x5")):
        output = tmp_path / f"{on}{size}"
        mesh.run(load, "--batch", 7000, "-o", output, arg="3,2/3", size=size,
                 on=on, rounds="auto")
        assert output.read_bytes() == bytes(
            (31 * i + 7) % 256 for i in range(20_000))


@pytest.mark.parametrize("on", parts.cases(["native", "qemu"], 1))
def test_more_than_a_board_holds(tmp_path, on):
    """40 MB through 16 MiB."""
    path = tmp_path / "large"
    line = b"all work and no play makes jack a dull boy\n"
    data = line * (40_000_000 // len(line))
    path.write_bytes(data)
    report = mesh.run(path, arg="jack", kernel="search", on=on, rounds="auto")
    assert report["result"]["count"] == len(data) // len(line)
    assert len(report["batches"]) == 3

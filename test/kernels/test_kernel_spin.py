# SPDX-License-Identifier: Apache-2.0
"""Kernel spin with units of uneven cost: `--arg N,burst`."""
from fractions import Fraction

import pytest

import mesh
from twins import burst as answer


def write(folder, data):
    path = folder / "load"
    path.write_bytes(data)
    return path


def compute_ps(report):
    """Of all nodes together, the originator's first units apart."""
    return sum(n["finished_ps"] - n["compute_start_ps"]
               for n in report["measured"]["nodes"])


@pytest.mark.parametrize("on", ["qemu", "native"])
def test_the_answer_is_that_of_one_node(tmp_path, on):
    for data in (bytes([0, 127, 128, 255]) * 700, b"\x80",
                 bytes(6000) + b"\xff" * 2000):
        report = mesh.run(write(tmp_path, data), rounds="auto", on=on,
                          arg="9,burst")
        assert report["result"] == {"units": answer(data)}
        assert report["load"]["units"] == len(data)


@pytest.mark.parametrize("instructions", [6, 7, 32, 333])
def test_what_units_take(tmp_path, instructions):
    """Cheap ones as many instructions, of 32 ns each, as without burst; dear
    ones three times as many; a mixture as its sum. Within 1 %: a run begins
    with some 60 instructions more."""
    zeros = write(tmp_path, bytes(200_000))

    def took(data, arg):
        zeros.write_bytes(data)
        return compute_ps(mesh.run(zeros, size="1x1", arg=arg))

    arg = f"{instructions},burst"
    plain = took(bytes(200_000), str(instructions))
    assert took(bytes(200_000), arg) == pytest.approx(plain, rel=.01)
    assert took(b"\x80" * 200_000, arg) == pytest.approx(3 * plain, rel=.01)
    data = mesh.seeded("spin mixture").randbytes(200_000)
    times = Fraction(answer(data), len(data))
    assert took(data, arg) == pytest.approx(float(times) * plain, rel=.01)
    assert plain == pytest.approx(200_000 * instructions * 32_000, rel=.05)


def test_no_plan_knows_of_dear_units(tmp_path):
    """The originator measures cheap units: with the last quarter dear, the plan
    is that of cheap ones, and the nodes that have that quarter end late."""
    even = mesh.run(write(tmp_path, bytes(100_000)), "--profile", "t3d",
                    arg="32,burst")
    load = write(tmp_path, bytes(75_000) + b"\xff" * 25_000)
    uneven = mesh.run(load, "--profile", "t3d", arg="32,burst")
    assert uneven["plan"] == even["plan"]
    assert mesh.units_of(uneven) == mesh.units_of(even)
    ratio = (uneven["measured"]["makespan_ps"]
             / even["measured"]["makespan_ps"])
    assert 2 < ratio < 3


def test_native_nodes_account_for_cheap_units(tmp_path):
    even, dear_ones = (
        compute_ps(mesh.run(write(tmp_path, data * 50_000), on="native",
                            arg="32,burst")) for data in (b"\0", b"\xff"))
    assert even == dear_ones

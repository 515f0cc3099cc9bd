# SPDX-License-Identifier: Apache-2.0
"""Kernel spin with units of uneven cost: `--arg N,burst`."""
from fractions import Fraction

import pytest

import mesh

WHERE = ["qemu", "native"]


def dear(data, unit=1):
    return sum(byte >= 128 for byte in data[::unit])


def answer(data, unit=1):
    """A dear unit counts three."""
    return len(data) // unit + 2 * dear(data, unit)


def loads():
    rng = mesh.seeded("spin")
    edges = bytes([0, 127, 128, 255]) * 700
    return {"noise": rng.randbytes(30_000), "edges": edges,
            "last": bytes(6000) + b"\xff" * 2000, "one": b"\x80",
            "text": mesh.text(20_000, rng)}


LOADS = loads()


def write(folder, data):
    path = folder / "load"
    path.write_bytes(data)
    return path


def compute_ps(report):
    """Of all nodes together, the originator's first units apart."""
    return sum(n["finished_ps"] - n["compute_start_ps"]
               for n in report["measured"]["nodes"])


@pytest.mark.parametrize("on", WHERE)
@pytest.mark.parametrize("name", LOADS)
def test_the_answer_is_that_of_one_node(tmp_path, name, on):
    load = write(tmp_path, LOADS[name])
    for size, rounds in (("1x1", 1), ("5x5", "auto"), ("3x2", 1)):
        report = mesh.run(load, size=size, rounds=rounds, on=on,
                          arg="9,burst")
        assert report["result"] == {"units": answer(LOADS[name])}
        assert report["load"]["units"] == len(LOADS[name])


@pytest.mark.parametrize("unit", [2, 3, 40])
def test_a_unit_of_several_bytes(tmp_path, unit):
    data = LOADS["noise"][:29_880]
    load = write(tmp_path, data)
    for on in WHERE:
        report = mesh.run(load, "--unit", unit, on=on, arg="200,burst")
        assert report["result"] == {"units": answer(data, unit)}


def test_batches(tmp_path):
    report = mesh.run(write(tmp_path, LOADS["noise"]), "--batch", 7000,
                      on="native", arg="9,burst")
    assert report["result"] == {"units": answer(LOADS["noise"])}


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


@pytest.mark.parametrize("arg", [
    "5,burst", "0,burst", "burst", ",burst", "32,", "32,b", "32,burst,",
    "32,bursts", "32,BURST", "32, burst", "32,burst,1/2", "100001,burst",
    "4294967299,burst", "32,bur/t", "32,1/2,burst"])
def test_arguments_that_are_none(tmp_path, arg):
    done = mesh.command("run", "--mesh", "1x1", "--on", "native", "--kernel",
                        "spin", "--arg", arg, write(tmp_path, b"abc"))
    assert done.returncode == 2
    assert f"'{arg}'" in done.stderr and ",burst" in done.stderr

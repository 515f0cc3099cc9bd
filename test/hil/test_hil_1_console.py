# SPDX-License-Identifier: Apache-2.0
"""The originator's console, by pyserial itself."""
import re

import pytest

import rig

LINE_MAX = 200


@pytest.fixture(name="console")
def fixture_console(mesh_up):
    with mesh_up.console() as console:
        yield console


def test_ident_tells_who_it_is(console, mesh_up, notes):
    said = console.values("ident")
    assert re.fullmatch("[0-9A-F]{24}", said["unique_id"])
    assert re.fullmatch("[0-9A-F]{8}", said["image_crc"])
    if mesh_up.timed and said["board"] == "stm32f405":
        assert (said["clock"], said["clock_hz"]) == ("hse-pll", "168000000")
    assert int(said["room"]) >= 32768
    notes.add("image", said["version"], "", f"unique id {said['unique_id']}")
    notes.add("clock", f"{int(said['clock_hz']) / 1e6:g} MHz")
    notes.add("room for a job's data", f"{said['room']} bytes")


@pytest.mark.parametrize("cased", [str.upper, str.lower])
def test_a_line_with_its_crc_and_a_tag(console, cased):
    text = b"@41 clock"
    console.write(text + cased(rig.mark(text).decode()).encode() + b"\n")
    first, _, _ = console.rows()
    assert first.startswith("ok") and rig.words(first)["tag"] == "41"
    assert int(rig.words(first)["ps"]) > 0


def counted(console):
    """What the console has counted of bad lines."""
    _, rows, _ = console.ask("counters")
    return {key: int(value) for key, value in rig.words(
        next(r for r in rows if r.startswith("port=console"))).items()
            if key != "port"}


def test_a_bad_line_is_an_error_and_the_next_one_is_fine(console):
    for raw, code in (
            (b"ident*0000", "crc"), (b"@7 ident", "crc"),
            (b"i" * (LINE_MAX + 1), "long"), (b"i" * 5000, "long"),
            (b"ide\x07nt", "control"), (b"ide\xffnt", "control"),
            (b"identity", "command"), (b"ping Q1 64 1", "argument"),
            (b"mesh 5", "argument"), (b"put 0 ====", "argument")):
        before = counted(console)
        console.write(raw + b"\n")
        assert console.line().split()[:2] == ["err", code], raw
        assert console.ask("ident")[0].startswith("ok"), raw
        if code in ("crc", "long", "control"):
            assert counted(console)[code] == before[code] + 1, raw


def test_half_a_line_stays_without_an_answer_and_is_given_up(console, mesh_up):
    """After 10 s."""
    if mesh_up.model is not None:
        pytest.skip("modelled boards are told whole lines")
    console.write(b"ide")
    with pytest.raises(rig.Silence):
        console.raw(1)
    console.write(b"nt\n")
    assert console.rows()[0].startswith("ok")
    console.write(b"ide")
    assert console.line(60).split()[:2] == ["err", "half"]
    with pytest.raises(rig.Silence):
        console.raw(1.5)


def test_a_second_program_gets_no_console(console, mesh_up):
    """While this one has it."""
    load = mesh_up.load(b"nothing")
    done = mesh_up.command(*mesh_up.run_line(load), seconds=30)
    assert done.returncode == 1 and done.stdout == ""
    assert f"{mesh_up.port}: the port is busy" in done.stderr
    assert console.ask("ident")[0].startswith("ok")

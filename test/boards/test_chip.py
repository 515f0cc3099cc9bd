# SPDX-License-Identifier: Apache-2.0
"""The image that is flashed to boards, on modelled ones (test/boards/chip):
clocks, cables, jobs, and what is left of a board that fails."""
import json
import signal
import struct

import pytest

import checks
import chip_bench
import chip_times
import mesh
import parts
from chip_bench import (BUILD, PORTS, START_US, check_sound, opposite,
                        started, step)

PATTERN = b"static"
MILLION = 1_000_000
# The host's patience with boards that have a load: they need 0.1 s.
PATIENCE_S = 2
UNDEFINED = range(0xDE00, 0xDF00)  # UDF, ARMv7-M A7.7.194
CFSR_UNDEFINSTR, CFSR_STKERR = 1 << 16, 1 << 12  # B3.2.15
IMAGE = chip_bench.IMAGE.read_bytes()
# The firmware for a pyboard, with a stack that is too small for discovery.
SMALL = BUILD / "test" / "chip-small.bin"
PYBOARD = dict(zip((*PORTS, "console"), (
    ("B6", "B7"), ("A2", "A3"), ("B10", "B11"), ("C6", "C7"), ("A0", "A1"))))
FLASH = 0x0800_0000


def ping(it, what):
    """What is told of each circuit."""
    return [chip_bench.words(line) for line in it.ask(f"ping {what}")[1:-1]]


# ---- cables ----

def ends(x, y, port, width, height):
    """Both ends of a cable of a torus."""
    return (x, y, port), (*step(x, y, port, width, height), opposite(port))


def missing(*cables, size=(3, 3)):
    """What is told of cables that lead nowhere."""
    return {f"x={x} y={y} port={port} fault=missing"
            for cable in cables for x, y, port in ends(*cable, *size)}


def miswired(*joined):
    """Of cables that lead elsewhere: both ends."""
    return {f"x={a[0]} y={a[1]} port={a[2]} fault=miswired "
            f"to_x={b[0]} to_y={b[1]} to_port={b[2]}"
            for pair in joined for a, b in (pair, pair[::-1])}


def test_sound_cables():
    """Nothing is lost or late, whatever crystals of 100 ppm do."""
    crystals = [("set", i, "hse_ppm", off)
                for i, off in enumerate((100, -100, 50, -50))]
    with started(2, 2, *crystals) as it:
        assert it.discover() == []
        assert it.held() <= chip_bench.HELD_CYCLES_MAX
        for board in range(4):
            for line in it.ask("links", board)[1:-1]:
                link = chip_bench.words(line)
                x, y = step(board % 2, board // 2, link["port"], 2, 2)
                assert link["test"] == "good"
                assert link["to"] == opposite(link["port"])
                assert (link["x"], link["y"]) == (str(x), str(y))
        circuits = ping(it, "E1 N1 4000 2")
        assert [(c["error"], c["retries"]) for c in circuits] == [
            ("0", "0")] * 2
        for counters in it.counters().values():
            assert all(counters.get(name, 0) == 0 for name in (
                "damaged", "lost", "broken", "mended", "overruns", "framings",
                "noises", "retransmitted"))
        check_sound(it)


@pytest.mark.parametrize("commands, faults", [
    ([("cut", 4, "east", 1)], missing((1, 1, "east"))),
    ([("unplug", 0, "north"), ("unplug", 0, "west")],
     missing((0, 0, "north"), (0, 0, "west"))),
    ([("cable", 4, "east", 8, "west"), ("cable", 7, "east", 5, "west")],
     miswired(((1, 1, "east"), (2, 2, "west")),
              ((1, 2, "east"), (2, 1, "west")))),
    ([("cable", 4, "east", 7, "south"), ("cable", 4, "north", 5, "west")],
     miswired(((1, 1, "east"), (1, 2, "south")),
              ((1, 1, "north"), (2, 1, "west"))))],
    ids=["cut-one-way", "unplugged", "swapped", "turned"])
def test_wrong_cables_are_named(commands, faults):
    with started(3, 3, *commands) as it:
        assert set(it.discover()) == faults
        check_sound(it)


def test_a_board_without_power_is_missed_until_it_has_some():
    """At all its neighbours' ports; with power, it is one of the mesh. So is a
    cable that is unplugged while boards run."""
    on = [("power", i, "on") for i in range(4) if i != 3]
    with started(2, 2, *on) as it:
        dead = missing(*((1, 1, port) for port in PORTS), size=(2, 2))
        told = set(it.discover())
        assert told == {line for line in dead if "x=1 y=1" not in line}
        it.command("power", 3, "on")
        it.run(START_US)
        assert it.discover() == []
        assert it.values("ident", 3)["reset"] == "power"
        it.command("unplug", 0, "east")
        assert ping(it, "E1 64 1")[0]["error"] != "0"
        assert set(it.discover()) == missing((0, 0, "east"), size=(2, 2))
        it.command("cable", 0, "east", 1, "west")
        assert it.discover() == []
        assert ping(it, "E1 64 1")[0]["error"] == "0"
        check_sound(it)


# ---- jobs ----

@pytest.fixture(name="load", scope="module")
def fixture_load(tmp_path_factory):
    """A text and its path: boards get 400 bytes of it or more."""
    data = mesh.text(3000, mesh.seeded("chip"))
    path = tmp_path_factory.mktemp("chip") / "load"
    path.write_bytes(data)
    return data, path


def run(it, load, *options, steps=()):
    """A search over the console; its end as that of a process."""
    return it.host("run", "--mesh", f"{it.width}x{it.height}", "--kernel",
                   "search", "--arg", PATTERN.decode(), "--profile",
                   "emulated", "--json", *options, load[1], steps=steps)


def test_a_search_is_right_and_the_same_again(load):
    """To the cycle, whatever else the machine does: boards and the command
    share the boards' time."""
    said = []
    for _ in range(2):
        with started(2, 2, ("set", 1, "hse_ppm", 30)) as it:
            done = run(it, load)
            assert (done.returncode, done.stderr) == (0, "")
            report = json.loads(done.stdout)
            assert report["result"] == mesh.search_result(load[0], PATTERN)
            assert report["network"]["retransmissions"] == 0
            del report["command"], report["wall_s"]  # names the port; is real
            said.append((report, it.stats(), it.now_us()))
            check_sound(it)
    assert said[0] == said[1]


def test_times_are_the_model_s(tmp_path):
    """Those of a report in two rounds, with crystals that are off by up to 100
    ppm, and one board's answer: each within 1 % or 100 us."""
    chance = mesh.seeded("chip times")
    with chip_times.boards(1, 1, chance) as it:
        alone, _ = chip_times.measured(it, tmp_path, 3000, "10000")
    with chip_times.boards(2, 2, chance) as it:
        report, calls = chip_times.measured(it, tmp_path, 3000, "10000",
                                            "--rounds", "2")
        rows = chip_times.times(it, report, calls)
    rows.append(("one board", report["one_board_ps"] / 1e6,
                 chip_times.answer_us(alone)))
    assert [row for row in rows if chip_times.off(*row[1:]) > 1] == []
    assert any(node["ports_ps"] > 0 for node in report["nodes"])


@pytest.mark.boards
def test_bytes_that_are_dear_to_send_stay(tmp_path):
    """However many they are: nothing disturbs the rate that tells it."""
    with chip_times.boards(2, 1, mesh.seeded("chip stay")) as it:
        report, _ = chip_times.measured(it, tmp_path, 7000, "16")
    assert [node["units"] for node in report["nodes"]] == [7000]
    assert report["one_board_ps"] == report["answer_ps"]


def check_refused(it, load, told):
    """A mesh that is no torus: a line for each wrong end of a cable."""
    done = run(it, load)
    assert (done.returncode, done.stdout) == (1, "")
    head, *lines = done.stderr.splitlines()
    assert head == (f"quincunx: the mesh is not a {it.width}x{it.height} "
                    "torus:")
    assert told(sorted(line.strip() for line in lines)), done.stderr
    check_sound(it)


def test_run_tells_what_is_wired_wrong(load):
    """Cables that lead elsewhere, and nowhere."""
    wrong = [("cable", 0, "north", 4, "south"),
             ("cable", 1, "north", 3, "south"), ("cut", 8, "east", 1)]
    with started(3, 3, *wrong) as it:
        check_refused(it, load, [
            "(0,0) north: leads to (1,1) south, not to (0,1) south",
            "(0,1) south: leads to (1,0) north, not to (0,0) north",
            "(0,2) west: nobody answers",
            "(1,0) north: leads to (0,1) south, not to (1,1) south",
            "(1,1) south: leads to (0,0) north, not to (1,0) north",
            "(2,2) east: nobody answers"].__eq__)


def test_boards_believe_the_place_in_their_flash(tmp_path, load):
    """Every board of the mesh is told to be 1,0; only one has the cables of
    that place."""
    image, strapped = tmp_path / "image.bin", bytearray(IMAGE)
    place = IMAGE.index(b"QNCX") + 8  # hal/image.h
    strapped[place:place + 4] = bytes([1, 0, 0, 0])
    image.write_bytes(strapped)
    with started(3, 2, image=image) as it:
        check_refused(it, load, lambda lines: len(lines) == 5 and not [
            line for line in lines if line.startswith("(1,0)")])
        ident = it.values("ident", 5)
        assert (ident["x"], ident["y"]) == ("1", "0")


def test_an_interrupted_calibration_says_what_boards_may_be_in():
    with started(2, 2) as it:
        process = it.begin("calibrate", "--port", it.port(), "--mesh", "2x2")
        done = it.live(process, [it.ordered(
            lambda: process.send_signal(signal.SIGINT))])
    assert done.returncode == -signal.SIGINT
    assert "quincunx: interrupted; boards may still be" in done.stderr


@pytest.mark.parametrize("width, height, dead", [
    (2, 1, 1), (3, 3, 4), (3, 3, 2)])
def test_a_board_that_loses_power_in_a_job(load, width, height, dead):
    """The rest computes its part, the whole result is right, and the board is
    named if it had one; within a fixed time, by the boards' clock."""
    with started(width, height) as it:
        since = []
        off = [("power", dead, "off"), lambda: since.append(it.now_us())]
        done = run(it, load, "--json", steps=[it.ordered(*off)])
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["result"]["count"] == load[0].count(PATTERN)
        place = f"({dead % width},{dead // width})"
        assert (f"  {place}: nobody answers at any port" in done.stderr or
                " nodes reported their counters" in done.stderr), done.stderr
        assert (it.now_us() - since[0]) / MILLION <= 60, done.stderr
        check_sound(it)


def test_a_dead_originator_is_told_soon(load):
    """Within the watchdog's time and 5 s of its end."""
    with started(2, 1) as it:
        since = []
        off = [("power", 0, "off"), lambda: since.append(it.now_us())]
        process = it.begin(
            "run", "--port", it.port(), "--mesh", "2x1", "--kernel", "search",
            "--arg", "the", "--profile", "emulated", "--watchdog", 15, load[1])
        done = it.live(process, [it.ordered(*off)])
        assert done.returncode == 1
        assert (it.now_us() - since[0]) / MILLION <= 15 + 5, done.stderr
        assert ("nobody takes the place of the originator 0,0"
                in done.stderr), done.stderr


# ---- boards that fail ----

def recovered(it):
    """The mesh is found again, at the third try at the latest."""
    return any(it.discover() == [] for _ in range(3))


def failed(it, load, how):
    """A job in which board 1, which takes part, fails this way. Whose switch
    is dead is done without."""
    it.ask(f"inject {how}", 1)
    done = run(it, load, "--json", "--rounds", 1, "--watchdog", PATIENCE_S)
    if how == "die":
        assert done.returncode == 0, done.stderr
        count = json.loads(done.stdout)["result"]["count"]
        assert count == load[0].count(PATTERN)
        return
    assert (done.returncode, done.stdout) == (1, "")
    assert "no report came in time" in done.stderr


def record_of(it, board=1):
    return {key: int(value, 16)
            for key, value in it.values("fault", board).items()}


def test_a_fault_leaves_its_record(load):
    """The board starts again and tells it; `ps` does, too. It is gone when
    power was."""
    with started(2, 1) as it:
        failed(it, load, "fault")
        record = record_of(it)
        assert record["cfsr"] == CFSR_UNDEFINSTR
        at = record["pc"] - FLASH
        assert struct.unpack_from("<H", IMAGE, at)[0] in UNDEFINED
        assert 0 <= record["lr"] - FLASH < len(IMAGE)
        assert it.values("ident", 1)["reset"] == "software"
        assert "record=none" in it.ask("fault")[0]
        assert recovered(it)
        done = it.host("ps", "--mesh", "2x1", "--json")
        assert done.returncode == 1
        sound, broken = json.loads(done.stdout)
        assert (sound["well"], sound["fault"]) == (True, None)
        assert not broken["well"] and broken["fault"]["count"] == 1
        assert int(broken["fault"]["pc"], 16) == record["pc"]
        it.command("reset", 1)
        it.run(START_US)
        assert it.values("ident", 1)["reset"] == "pin"
        assert record_of(it)["pc"] == record["pc"]
        it.command("power", 1, "off")
        it.run(START_US)
        it.command("power", 1, "on")
        it.run(START_US)
        assert "record=none" in it.ask("fault", 1)[0]
        check_sound(it, console=False)


def test_a_failed_assertion_leaves_its_place(load):
    with started(2, 1) as it:
        failed(it, load, "assert")
        record = record_of(it)
        assert record["cfsr"] == CFSR_UNDEFINSTR
        assert record["check"] == checks.place_of(checks.INJECTED,
                                                  checks.injected_line())
        assert recovered(it)
        failed(it, load, "fault")
        assert record_of(it)["check"] == 0
        check_sound(it, console=False)


@pytest.mark.parametrize("how, cause", parts.cases(
    [("hang", "software"), ("die", "watchdog")], [("die", "watchdog")]))
def test_a_board_that_hangs_comes_back(load, how, cause):
    """By the mesh's next discovery; by its watchdog if no interrupt ends
    either."""
    with started(2, 1) as it:
        failed(it, load, how)
        it.run(4 * MILLION if how == "die" else 0, 1, "until reset")
        assert recovered(it)
        assert it.values("ident", 1)["reset"] == cause
        assert "record=none" in it.ask("fault", 1)[0]
        assert ping(it, "E1 64 1")[0]["error"] == "0"
        check_sound(it, console=False)


@pytest.mark.boards
def test_who_waits_in_vain_takes_a_new_place(load):
    """When nothing came for two minutes: the job's other board hung, and was
    reset. Before, it tells that it is busy."""
    with started(2, 1) as it:
        it.ask("inject hang", 1)
        process = it.begin(
            "run", "--port", it.port(), "--mesh", "2x1", "--kernel", "search",
            "--arg", "the", "--profile", "emulated", "--rounds", 1, load[1])
        hangs_us = it.now_us() + 3 * MILLION
        it.live(process, [(lambda: it.now_us() > hangs_us, process.kill)])
        it.command("reset", 1)
        it.run(START_US)
        assert "waypoint=message" in it.ask("ps")[1]
        for silent_s, busy in ((100, True), (21, False)):
            it.run(silent_s * MILLION)
            faults = it.discover(1)
            assert (faults != []) == busy, faults
            assert all("busy" in fault for fault in faults)


def test_a_stack_that_overflows_is_a_fault(load):
    """It grows down to where there is no memory, and nothing else's. Of what
    the model complains of there, everything is below the stack."""
    with started(2, 1, image=SMALL, pins=PYBOARD) as it:
        process = it.begin(
            "run", "--port", it.port(), "--mesh", "2x1", "--kernel", "search",
            "--arg", "the", "--profile", "emulated", load[1])
        ends_us = it.now_us() + 3 * MILLION
        it.live(process, [(lambda: it.now_us() > ends_us, process.kill)])
        assert it.values("ident")["reset"] == "software"
        record = record_of(it, 0)
        assert record["cfsr"] & CFSR_STKERR and record["sp"] < 0x1000_0000
        assert "record=none" in it.ask("fault", 1)[0]
        assert all(text.startswith("nothing is at 0f")
                   for _, text, _ in it.complaints())


# ---- what a board tells of itself ----

def test_nodes_tells_clock_supply_and_temperature():
    """A code of the converter is 0.1 % and half a degree at most."""
    true = [{"supply_mv": 3300, "celsius": 25, "hse_hz": 25 * MILLION},
            {"supply_mv": 3000, "celsius": 60, "hse": "none"},
            {"supply_mv": 3600, "celsius": 85, "hse_ppm": 100},
            {"supply_mv": 1900, "celsius": -30, "hse": "external"}]
    odd = [("set", i, key, value) for i, settings in enumerate(true)
           for key, value in settings.items()]
    with started(2, 2, *odd, us=300_000) as it:
        assert it.discover() == []
        nodes = json.loads(it.host("nodes", "--json").stdout)
        clocks = [node["clock"] for node in nodes]
        assert clocks == ["hse-pll", "hsi-pll", "hse-pll", "hse-pll"]
        assert [node["crystal_hz"] for node in nodes] == [
            25 * MILLION, None, 8 * MILLION, 8 * MILLION]
        for node, settings in zip(nodes, true):
            off = abs(node["supply_mv"] - settings["supply_mv"])
            assert off <= settings["supply_mv"] / 500
            assert abs(node["celsius"] - settings["celsius"]) <= 2
            assert node["clock_hz"] == 168 * MILLION
        assert it.stats()[2]["core_hz"] == pytest.approx(168 * MILLION * 1.0001)
        check_sound(it)


def test_identify_blinks_for_as_long_as_it_is_told():
    """A pyboard's LED, by edges of its pin."""
    with started(1, 1, image=SMALL, pins=PYBOARD) as it:
        counts = [it.stats()[0]["edges"]]
        it.ask("identify 1")
        for _ in range(4):
            it.run(500_000)
            counts.append(it.stats()[0]["edges"])
        during = counts[2] - counts[0]
        assert during >= 4 and during % 2 == 0
        assert counts[4] == counts[3] <= counts[2] + 1
        check_sound(it)

# SPDX-License-Identifier: Apache-2.0
"""Several originators on emulated stm32f405 boards: the loads travel over the
mesh from one console, or over consoles of their own. Every unit is computed
once by a node of its group, outputs are exact, and what fails is named."""
import contextlib
import json
import os
import re
import signal
import subprocess

import pytest

import emulated
import mesh
import parts

USAGE, FAILED = 2, 1
PROFILE = "startup = 150us\ntransfer = 5us\nhop_delay = 300us\n"
LOADS = {(0, 0): 1500, (2, 2): 900}

# A node sets its clock by when a message came, and emulated boards run on the
# host's time: one that the host let wait is off by as much.
CLOCKS_PS = 20 * 10 ** 9


@pytest.fixture(name="image", scope="module")
def image_fixture():
    return emulated.spin_image()


@pytest.fixture(name="boards", scope="module")
def boards_fixture(image, tmp_path_factory):
    """3x3 boards that stay, and two consoles."""
    folder = tmp_path_factory.mktemp("originators")
    with emulated.Boards(folder, "--console", "0,0", "--console", "2,2",
                         "--keep", size="3x3", image=image) as boards:
        yield boards


def line_of(folder, sizes, *words, arg="3000,2/3", size="3x3", seed=1):
    """The words of a run of spin, and the outputs that must come of it: a
    unit's bytes go by its place in its load (kernels/spin.c)."""
    (folder / "profile").write_text(PROFILE)
    words = ["run", "--json", "--mesh", size, "--kernel", "spin", "--arg", arg,
             "--profile", folder / "profile", "--watchdog", "60", *words]
    rng = mesh.seeded(f"serial originators {seed}")
    for (x, y), units in sizes.items():
        path = folder / f"load-{x}-{y}"
        path.write_bytes(rng.randbytes(units))
        words += ["--originator", f"{x},{y}={path}"]
    return words


def outputs_of(sizes):
    return b"".join(bytes((31 * i + 7) % 256 for i in range(2 * units // 3))
                    for units in sizes.values())


def check(report, sizes):
    """Every unit is computed once, by nodes of its group."""
    seen = set()
    for one, (place, units) in zip(report["originators"], sizes.items(),
                                   strict=True):
        assert (one["x"], one["y"]) == place
        assert one["result"]["units"] == one["load"]["units"] == units
        assert sum(share["units"] for share in one["shares"]) == units
        nodes = {(share["x"], share["y"]) for share in one["shares"]}
        assert place in nodes and not nodes & seen
        assert len(nodes) == one["nodes"]
        seen |= nodes
        times = one["measured"]
        assert 0 < times["makespan_ps"] < times["with_results_ps"] + CLOCKS_PS
        assert 0 < times["with_results_ps"] <= times["answer_ps"]
    assert len(seen) == report["mesh"]["nodes"]
    assert report["result"]["units"] == sum(sizes.values())
    measured = report["measured"]
    assert measured["with_results_ps"] <= measured["answer_ps"]
    assert measured["answer_ps"] < 100 * 10 ** 12  # no clock is off


def run(folder, sizes, *words, **options):
    out = folder / "out"
    done = mesh.command(*line_of(folder, sizes, *words, "-o", out, **options))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    check(report, sizes)
    assert out.read_bytes() == outputs_of(sizes)
    return report


# ---- loads over the mesh ----

@pytest.mark.parametrize("size, schedule, places", parts.cases([
    ("2x2", "farm", [(0, 0), (1, 1)]),
    ("3x3", "star", [(1, 2), (0, 0), (2, 1)]),
    ("3x3", "farm", [(0, 0), (2, 2)]),
    ("5x5", "star", [(0, 0), (2, 2)]),
    ("5x5", "farm", [(3, 1), (0, 4), (2, 2)])], 1))
def test_boards_that_are_started_here(image, tmp_path, size, schedule, places):
    rng = mesh.seeded(f"serial originators {size} {schedule}")
    sizes = {place: 3 * rng.randint(200, 500) for place in places}
    report = run(tmp_path, sizes, "--board", "stm32f405", "--firmware", image,
                 "--schedule", schedule, size=size)
    assert report["mesh"]["board"] == "stm32f405"


def test_one_console(boards, tmp_path):
    """The star, which is the default. All boards take part."""
    report = run(tmp_path, LOADS, "--port", boards.tty[0, 0])
    assert all(node["units"] > 0 for node in report["measured"]["nodes"])


@pytest.mark.boards
def test_a_console_of_another_node(boards, tmp_path):
    """The first originator is where the console is, wherever that is."""
    sizes = {(2, 1): 600, (0, 0): 300, (1, 2): 900}
    for schedule in ("star", "farm"):
        run(tmp_path, sizes, "--port", boards.tty[2, 2], "--schedule",
            schedule)


@pytest.mark.boards
def test_damaged_links(image, tmp_path):
    run(tmp_path, LOADS, "--board", "stm32f405", "--firmware", image,
        "--damage", "1/200")


@pytest.mark.boards
def test_a_load_that_just_fits(image, tmp_path):
    """It goes through the memory of the console's node, which is as large."""
    done = mesh.command(*line_of(
        tmp_path, {(0, 0): 100, (1, 1): 70_000}, "--board", "stm32f405",
        "--firmware", image, arg="6", size="2x2"))
    most = re.search(r"must have 1 to (\d+)", done.stderr)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert f"--originator '1,1={tmp_path}/load-1-1': has 70000" in done.stderr
    sizes = {(0, 0): 100, (1, 1): int(most[1])}
    done = mesh.command(*line_of(tmp_path, sizes, "--board", "stm32f405",
                                 "--firmware", image, arg="6", size="2x2"))
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout), sizes)


# ---- consoles of their own ----

def test_a_console_for_each(boards, tmp_path):
    run(tmp_path, LOADS, "--port", boards.tty[0, 0], "--port",
        boards.tty[2, 2], "--schedule", "farm")


@pytest.mark.boards
def test_consoles_in_the_wrong_order(boards, tmp_path):
    """The first one's node is where the first originator is said to be."""
    done = mesh.command(*line_of(
        tmp_path, {(0, 0): 100, (1, 2): 100}, "--port", boards.tty[0, 0],
        "--port", boards.tty[2, 2]))
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert (f"--port {boards.tty[2, 2]}: is the console of board 2,2, not of "
            "the originator 1,2") in done.stderr


def test_as_many_consoles_as_originators(tmp_path):
    line = line_of(tmp_path, LOADS, *["--port", "/dev/nosuch"] * 3)
    done = mesh.command(*line)
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "--port '/dev/nosuch': is number 3; must be given" in done.stderr
    one = ["run", "--mesh", "2x2", "--kernel", "spin", "--arg", "8"]
    done = mesh.command(*one, *["--port", "/dev/nosuch"] * 2,
                        tmp_path / "load-0-0")
    assert done.returncode == USAGE
    assert "is number 2" in done.stderr


# ---- failures ----

def console(boards, at, *words):
    return mesh.command("console", "--port", boards.tty[at], *words)


@pytest.mark.boards
@pytest.mark.parametrize("what", ["hang", "fault", "assert"])
def test_an_originator_that_fails(boards, tmp_path, what):
    """It is named; the next job is right again. On a busy host boards may be
    too late when the mesh is looked for, before the job."""
    assert console(boards, (2, 2), "inject", what).returncode == 0
    for _ in range(3):
        done = mesh.command(*line_of(tmp_path, LOADS, "--port",
                                     boards.tty[0, 0], "--watchdog", "6"))
        if "is not a 3x3 torus" not in done.stderr:
            break
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "the report of the originator at 2,2 is missing" in done.stderr
    assert re.search(r"^2,2 ", done.stderr, re.M), "no states"
    console(boards, (2, 2), "reset")
    assert mesh.until(
        lambda: console(boards, (2, 2), "ident").returncode == 0)
    run(tmp_path, LOADS, "--port", boards.tty[0, 0])


@pytest.mark.boards
def test_a_kernel_that_the_image_lacks(tmp_path):
    """Both say so, each by its name."""
    loads = [tmp_path / "a", tmp_path / "b"]
    for load in loads:
        load.write_bytes(bytes(500))
    done = mesh.command(
        "run", "--board", "stm32f405", "--mesh", "2x1", "--kernel", "spin",
        "--arg", "6", "--originator", f"0,0={loads[0]}", "--originator",
        f"1,0={loads[1]}")
    assert (done.returncode, done.stdout) == (FAILED, "")
    for place, load in zip(("0,0", "1,0"), loads):
        assert (f"the originator at {place}, of {load} gave up: no such "
                "kernel") in done.stderr


@pytest.mark.boards
def test_a_board_that_dies_is_named(image, tmp_path):
    line = line_of(tmp_path, LOADS, "--board", "stm32f405", "--firmware",
                   image, arg="60000")
    with subprocess.Popen([mesh.QUINCUNX, *map(str, line)], text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        def found():
            return [pid for pid in mesh.children_of(process.pid)
                    if b"board-2-2" in mesh.words_of(pid)]
        assert mesh.until(found, 60)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(6)
        os.kill(found()[0], signal.SIGKILL)
        out, err = process.communicate(timeout=100)
    assert (process.returncode, out) == (FAILED, "")
    assert err.count("board 2,2 died") == 1, err

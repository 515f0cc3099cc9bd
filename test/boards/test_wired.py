# SPDX-License-Identifier: Apache-2.0
"""`quincunx boards`: what only QEMU's boards show. Their cables and mistakes in
them, damage, consoles, and what is left behind.

The boards run test/boards/wired/image.c, which says what comes in at which
port.
"""
import contextlib
import os
import pathlib
import re
import select
import signal
from fractions import Fraction

import pytest

import chip_bench
import emulated
import mesh
from guard import GUARD_S

BULK = 20000  # of test/boards/wired/image.c


def torus_links(width, height):
    """{(x, y, port): (x, y, port)}: both directions of every cable."""
    return {(x, y, port): (*chip_bench.step(x, y, port, width, height),
                           emulated.opposite(port))
            for x in range(width) for y in range(height)
            for port in emulated.PORTS}


def reached(consoles, count):
    """What all boards together say next: [(x, y, port letter, character)]."""
    heard, at_of = [], {console.fd: at for at, console in consoles.items()}
    while len(heard) < count:
        ready, _, _ = select.select(list(at_of), [], [], GUARD_S)
        assert ready, heard
        for fd in ready:
            for line in consoles[at_of[fd]].lines(1000, 0):
                heard.append((*at_of[fd], line[0], line[1:]))
    return heard


def check_links(folder, size, links, *args):
    """Sends one character out of every port of every board, open ones too;
    of the first board's twice: what came where nothing leads comes before."""
    with emulated.Boards(folder, "--console", "all", *args,
                         size=size) as boards:
        consoles = boards.up()
        for x, y in [*consoles, next(iter(consoles))]:
            expected = []
            for port, letter in zip(emulated.PORTS, "ABCD"):
                consoles[x, y].say(port[0] + letter)
                if (x, y, port) in links:
                    to_x, to_y, into = links[x, y, port]
                    expected.append((to_x, to_y, into[0], letter))
            assert sorted(reached(consoles, len(expected))) == sorted(expected)


# ---- cables ----

def test_cables_make_a_torus(tmp_path):
    """Directly, or through the forwarder, which damages next to nothing."""
    for size in ("1x1", "2x1", "3x2"):
        for between in [], ["--damage", "1/4294967295"]:
            check_links(tmp_path, size, torus_links(*map(int, size.split("x"))),
                        *between)


def cut(links, end):
    del links[links.pop(end)]


def swap(links, a, b):
    to_a, to_b = links[a], links[b]
    links[a], links[to_b], links[b], links[to_a] = to_b, a, to_a, b


def double(links, a):
    there = links[a]
    port = emulated.PORTS[(emulated.PORTS.index(a[2]) + 1) % 4]
    ends = (*a[:2], port), (*there[:2], emulated.opposite(port))
    for end in ends:
        if end in links:
            cut(links, end)
    links[ends[0]], links[ends[1]] = ends[1], ends[0]


def name(end):
    return "%d,%d,%s" % end


def test_a_double_link(tmp_path):
    for end in (0, 0, "east"), (1, 0, "south"):
        links = torus_links(3, 3)
        double(links, end)
        check_links(tmp_path, "3x3", links, "--double", name(end))


def test_many_mistakes(tmp_path):
    chance = mesh.seeded("mistakes")
    links = torus_links(4, 3)
    args = []
    for _ in range(4):
        a, b = chance.sample(sorted(links), 2)
        if links[a] == b:
            continue
        swap(links, a, b)
        args += ["--swap", f"{name(a)}:{name(b)}"]
    for _ in range(2):
        end = chance.choice(sorted(links))
        cut(links, end)
        args += ["--cut", name(end)]
    check_links(tmp_path, "4x3", links, *args)


# ---- damage ----

def drawn(state):
    """qemu/serial/noise.h: the next state and number."""
    z = state = (state + 0x9e3779b97f4a7c15) % 2 ** 64
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 % 2 ** 64
    z = (z ^ z >> 27) * 0x94d049bb133111eb % 2 ** 64
    return state, z ^ z >> 31


def noise(damage, loss, seed):
    """How many bytes of a load from board 0,0 to the east are changed and
    lost: the first link's."""
    _, state = drawn(seed)
    changed = lost = 0
    for _ in range(BULK):
        state, z = drawn(state)
        if z % 2 ** 32 < loss * 2 ** 32:
            lost += 1
        elif z >> 32 < damage * 2 ** 32:
            changed += 1
            state, _ = drawn(state)
    return changed, lost


@pytest.mark.boards
def test_bytes_of_a_load_over_one_link(tmp_path):
    """None is lost, also where a reader rests, but by damage, which depends on
    the seed alone and is counted. (No byte becomes a b here, which the image
    would pass on.)"""
    for damage, loss, seed in (0, 0, 1), ("1/100", "1/50", 8):
        args = ["--damage", damage, "--lose", loss] if damage else []
        changed, lost = noise(Fraction(damage), Fraction(loss), seed)
        with emulated.Boards(tmp_path, "--console", "all", "--seed", seed,
                             *args, size="2x1") as boards:
            consoles = boards.up()
            consoles[0, 0].say("*e")
            assert consoles[0, 0].lines(1) == ["sent"]
            lines = consoles[1, 0].lines(BULK - lost)
            assert lines.count("wz") == BULK - lost - changed
            assert {line[:1] for line in lines} == {"w"}
            status, out, err = boards.end()
        assert (status, err) == (0, "")
        found = re.search(r"damage: (\d+) bytes on links, (\d+) changed, "
                          r"(\d+) lost", out)
        assert (found is None) == (damage == 0)
        assert found is None or tuple(map(int, found.groups())) == (
            BULK, changed, lost)


# ---- consoles ----

def test_a_terminal(tmp_path):
    """The first board's, if none is asked for. It stays while nobody has it
    open, nothing is echoed, and no byte means anything to it."""
    with emulated.Boards(tmp_path) as boards:
        assert list(boards.tty) == [(0, 0)]
        for _ in range(2):
            console = emulated.Console(boards.tty[0, 0])
            console.await_answer()
            for byte in "\x03\x04\r\x11\x13\x7f":
                console.say("!" + byte)
                assert console.lines(1) == ["!" + byte]
            console.close()


def test_what_nobody_reads_is_not_kept(tmp_path):
    """The board talks on; what it says is lost."""
    with emulated.Boards(tmp_path, "--console", "1,0", "--console", "0,0",
                         size="2x1") as boards:
        assert sorted(boards.tty) == [(0, 0), (1, 0)]
        consoles = boards.up()
        consoles[1, 0].close()
        boards.consoles.remove(consoles[1, 0])
        consoles[0, 0].say("*e*eeb")
        assert consoles[0, 0].lines(3) == ["sent", "sent", "wa"]
        # The launcher has read what the other board said before it passed
        # this on, once it brings an answer to a later question.
        consoles[0, 0].await_answer()
        late = boards.console(1, 0)
        late.say("!9")
        assert late.lines(1) == ["!9"]


# ---- ends ----

def opened(tty):
    return os.open(tty, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)


def hung_up(doors):
    """Whether nobody has the other ends of these terminals, whose names others
    may have got since; closes them."""
    poll = select.poll()
    for door in doors:
        poll.register(door, 0)
    ended = [event & select.POLLHUP for _, event in poll.poll(0)]
    for door in doors:
        os.close(door)
    return len(ended) == len(doors) and all(ended)


def test_the_end_of_standard_input(tmp_path):
    """Boards are groups of their own, as a terminal's Ctrl-C is the
    launcher's, and have their own descriptors only."""
    before = mesh.traces()
    with emulated.Boards(tmp_path, size="5x5") as boards:
        boards.await_all(25)
        assert {os.getpgid(pid) for pid in boards.pids()} == set(boards.pids())
        for pid in boards.pids():
            links = []
            for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError):  # just closed
                    links.append(os.readlink(path))
            assert sum(link.startswith("socket:") for link in links) == 5
            assert not [link for link in links if "/dev/pt" in link]
        door = opened(boards.tty[0, 0])
        status, out, err = boards.end()
        assert (status, err) == (0, "")
        assert out == "standard input ended; 25 boards ended\n"
        assert not boards.pids(), "ended before all boards had"
        assert hung_up([door])
    assert mesh.traces() <= before


def test_signals(tmp_path):
    for how in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        with emulated.Boards(tmp_path) as boards:
            boards.process.send_signal(how)
            assert boards.process.wait(GUARD_S) == 0
            assert boards.process.stdout.read() == (
                "interrupted; 4 boards ended\n")
            assert not boards.pids()


@pytest.mark.parametrize("args", [[], ["--damage", "1/100"]])
def test_a_launcher_that_is_killed(tmp_path, args):
    before = mesh.traces()
    with emulated.Boards(tmp_path, "--console", "all", *args) as boards:
        boards.await_all(4)
        doors = [opened(tty) for tty in boards.tty.values()]
        boards.process.kill()
        boards.process.wait(GUARD_S)
        assert boards.gone()
        assert hung_up(doors)
    assert mesh.traces() <= before


@pytest.mark.parametrize("args", [[], ["--damage", "1/4294967295"]])
def test_a_board_that_dies(tmp_path, args):
    """Its last words are told. With --keep others go on: what is sent to it is
    swallowed."""
    with emulated.Boards(tmp_path, *args) as boards:
        neighbour = boards.up()[0, 0]
        while not neighbour.lines(1, 0.5):  # it drops what it hears at first
            neighbour.say("eb")  # once more, should it only be late
        os.kill(boards.pid(1, 0), signal.SIGSEGV)
        assert boards.process.wait(GUARD_S) == 1
        err = boards.process.stderr.read()
        assert "board 1,0 died" in err and "signal 11" in err
        assert re.search("last words on its console:\nup\n(wb\n)+", err)
        assert "board 0" not in err
        assert "a board died; 4 boards ended" in boards.process.stdout.read()
    with emulated.Boards(tmp_path, "--keep", "--console", "all", *args,
                         size="3x1") as boards:
        consoles = boards.up()
        os.kill(boards.pid(1, 0), signal.SIGKILL)
        assert mesh.until(lambda: boards.pid(1, 0) is None, GUARD_S)
        consoles[0, 0].say("*ewA")
        assert consoles[0, 0].lines(1) == ["sent"]
        assert consoles[2, 0].lines(1) == ["eA"]
        status, _, err = boards.end()
        assert status == 0
        assert err.count("died") == 1 and "board 1,0 died" in err


# ---- what is not there ----

def test_qemu_that_ends_at_once(tmp_path):
    folder = tmp_path / "bin"
    folder.mkdir()
    path = folder / "qemu-system-arm"
    for script, *words in (
            ("#!/bin/sh\necho no such machine >&2\nexit 3\n",
             "exited with status 3", "no such machine"),
            ("#!/nowhere/interpreter\n",
             "qemu-system-arm could not be executed")):
        path.write_text(script)
        path.chmod(0o755)
        env = {**mesh.with_path(folder), "PATH": str(folder)}
        with emulated.Boards(tmp_path, env=env) as boards:
            assert boards.process.wait(GUARD_S) == 1
            err = boards.process.stderr.read()
            assert all(word in err for word in words), err

# SPDX-License-Identifier: Apache-2.0
"""`quincunx boards`: cables, mistakes in them, damage, consoles, ends.

The boards run test/boards/wired/image.c, which says what comes in at which
port.
"""
import contextlib
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import time
from fractions import Fraction

import pytest

import emulated
import mesh
from guard import GUARD_S

BULK = 20000  # of test/boards/wired/image.c
DAMAGE = re.compile(r"damage: (\d+) bytes on links, (\d+) changed, (\d+) lost")


def reached(consoles, count):
    """What all boards together say next: [(x, y, port letter, character)]."""
    heard = []
    end = time.monotonic() + GUARD_S
    at_of = {console.fd: at for at, console in consoles.items()}
    while len(heard) < count and time.monotonic() < end:
        ready, _, _ = select.select(list(at_of), [], [], 0.2)
        for fd in ready:
            console = consoles[at_of[fd]]
            console.read()
            for line in console.lines(console.heard.count(b"\n")):
                heard.append((*at_of[fd], line[0], line[1:]))
    return heard


def check_links(boards, links):
    """Sends one character out of every port of every board, open ones too;
    of the first board's twice: what came where nothing leads comes before."""
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

@pytest.mark.parametrize("size", ["1x1", "2x1", "1x2", "2x2", "3x1", "3x2",
                                  "5x5"])
@pytest.mark.parametrize("between", [[], ["--damage", "1/4294967295"]],
                         ids=["direct", "relayed"])
def test_cables_make_a_torus(tmp_path, size, between):
    width, height = map(int, size.split("x"))
    with emulated.Boards(tmp_path, "--console", "all", *between,
                         size=size) as boards:
        check_links(boards, emulated.torus_links(width, height))


def test_a_character_travels_round(tmp_path):
    """Each board passes it on, straight."""
    with emulated.Boards(tmp_path, "--console", "all", size="3x2") as boards:
        consoles = boards.up()
        consoles[1, 1].say("we")
        assert sorted(reached(consoles, 5)) == [
            (0, 1, "e", "b"), (0, 1, "e", "e"), (1, 1, "e", "c"),
            (2, 1, "e", "a"), (2, 1, "e", "d")]


# ---- mistakes ----

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


def test_a_cut(tmp_path):
    links = emulated.torus_links(3, 3)
    cut(links, (1, 2, "north"))
    assert (1, 0, "south") not in links
    with emulated.Boards(tmp_path, "--console", "all", "--cut", "1,2,north",
                         size="3x3") as boards:
        check_links(boards, links)


@pytest.mark.parametrize("end", [(0, 0, "east"), (2, 2, "south"),
                                 (1, 1, "north"), (1, 0, "south")])
def test_a_double_link(tmp_path, end):
    links = emulated.torus_links(3, 3)
    double(links, end)
    with emulated.Boards(tmp_path, "--console", "all", "--double", name(end),
                         size="3x3") as boards:
        check_links(boards, links)


@pytest.mark.parametrize("case", range(3))
def test_many_mistakes(tmp_path, case):
    chance = mesh.seeded(f"mistakes {case}")
    links = emulated.torus_links(4, 3)
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
    with emulated.Boards(tmp_path, "--console", "all", *args,
                         size="4x3") as boards:
        check_links(boards, links)


# ---- damage ----

def drawn(state):
    """qemu/wired/noise.h: the next state and number."""
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


@pytest.mark.parametrize("damage, loss, seed", [
    (None, None, 1), ("0/1", None, 1), ("1/100", None, 7), (None, "1/100", 7),
    ("1/100", "1/50", 7), ("1/100", "1/50", 8), ("3/3", None, 7),
    (None, "3/3", 7)])
def test_bytes_of_a_load_over_one_link(tmp_path, damage, loss, seed):
    """None is lost but by damage, which depends on the seed alone and is
    counted."""
    args = [*(("--damage", damage) if damage else ()),
            *(("--lose", loss) if loss else ()), "--seed", seed]
    changed, lost = noise(Fraction(damage or 0), Fraction(loss or 0), seed)
    with emulated.Boards(tmp_path, "--console", "all", *args,
                         size="2x1") as boards:
        consoles = boards.up()
        consoles[1, 0].say("q")
        assert consoles[1, 0].lines(1) == ["quiet"]
        consoles[0, 0].say("*e")
        assert consoles[0, 0].lines(1) == ["sent"]
        assert mesh.until(lambda: consoles[1, 0].counts().get("west") == (
            BULK - lost, BULK - lost - changed), GUARD_S)
        status, out, err = boards.end()
    assert (status, err) == (0, "")
    found = DAMAGE.search(out)
    assert (found is None) == (changed + lost == 0)
    assert found is None or tuple(map(int, found.groups())) == (
        BULK, changed, lost)


# ---- consoles ----

def test_the_first_boards_console_is_the_default(tmp_path):
    with emulated.Boards(tmp_path) as boards:
        assert list(boards.tty) == [(0, 0)]


def test_consoles_that_are_asked_for(tmp_path):
    with emulated.Boards(tmp_path, "--console", "1,0", "--console",
                         "0,1") as boards:
        assert sorted(boards.tty) == [(0, 1), (1, 0)]
        assert len(set(boards.tty.values())) == 2
        boards.up()


def test_a_terminal_stays_while_nobody_has_it_open(tmp_path):
    with emulated.Boards(tmp_path) as boards:
        for _ in range(5):
            console = emulated.Console(boards.tty[0, 0])
            assert boards.await_answer(console)
            console.close()


def test_a_terminal_is_raw(tmp_path):
    """Nothing is echoed, no byte means anything to it."""
    with emulated.Boards(tmp_path, size="1x1") as boards:
        console = boards.up()[0, 0]
        for byte in ("\x03", "\x04", "\r", "\x11", "\x13", "\x7f"):
            os.write(console.fd, b"e" + byte.encode())
            assert mesh.until(lambda: console.read() or
                              console.heard.endswith(b"\n") or None,
                              GUARD_S)
            assert console.heard == b"w" + byte.encode() + b"\n"
            console.heard = b""


def test_nobody_reads_a_console(tmp_path):
    """The board talks on; what it says is lost."""
    with emulated.Boards(tmp_path, "--console", "all",
                         size="2x1") as boards:
        for at in boards.tty:
            console = emulated.Console(boards.tty[at])
            assert boards.await_answer(console)
            console.close()
        sender = boards.console(0, 0)
        sender.say("*e*e")
        assert sender.lines(2) == ["sent", "sent"]
        receiver = boards.console(1, 0)
        assert mesh.until(
            lambda: receiver.counts().get("west") == (2 * BULK, 2 * BULK),
            GUARD_S)


def test_what_nobody_read_is_not_kept(tmp_path):
    with emulated.Boards(tmp_path, "--console", "all",
                         size="2x1") as boards:
        consoles = boards.up()
        consoles[1, 0].close()
        boards.consoles.remove(consoles[1, 0])
        consoles[0, 0].say("eb")
        assert consoles[0, 0].lines(1) == ["wa"]
        # The launcher has read what the other board said before it passed
        # this on, once it brings an answer to a later question.
        consoles[0, 0].say("!")
        assert consoles[0, 0].lines(1) == ["ready"]
        late = boards.console(1, 0)
        late.say("!")
        assert late.lines(1) == ["ready"]


def test_a_reader_that_rests_loses_nothing(tmp_path):
    with emulated.Boards(tmp_path, "--console", "all",
                         size="2x1") as boards:
        consoles = boards.up()
        consoles[0, 0].say("*e")
        assert consoles[0, 0].lines(1) == ["sent"]
        assert consoles[1, 0].lines(BULK) == BULK * ["wz"]


# ---- ends ----

def traces():
    """Where a launcher could leave something behind."""
    return {name for folder in ("/tmp", "/dev/shm")
            for name in os.listdir(folder)
            if re.search("quincunx|qemu|wired|board", name)}


def test_the_end_of_standard_input(tmp_path):
    before = traces()
    with emulated.Boards(tmp_path, size="5x5") as boards:
        boards.await_all(25)
        status, out, err = boards.end()
        assert (status, err) == (0, "")
        assert out == "standard input ended; 25 boards ended\n"
        assert not boards.pids(), "ended before all boards had"
        assert not os.path.exists(boards.tty[0, 0])
    assert traces() <= before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM,
                                 signal.SIGHUP])
def test_signals(tmp_path, how):
    with emulated.Boards(tmp_path) as boards:
        boards.process.send_signal(how)
        assert boards.process.wait(GUARD_S) == 0
        assert boards.process.stdout.read() == "interrupted; 4 boards ended\n"
        assert not boards.pids()


@pytest.mark.parametrize("args", [[], ["--damage", "1/100"]])
def test_a_launcher_that_is_killed(tmp_path, args):
    before = traces()
    with emulated.Boards(tmp_path, "--console", "all", *args) as boards:
        boards.await_all(4)
        boards.process.kill()
        boards.process.wait(GUARD_S)
        assert boards.gone()
        assert not any(map(os.path.exists, boards.tty.values()))
    assert traces() <= before


def test_boards_are_groups_of_their_own(tmp_path):
    """A terminal's Ctrl-C is the launcher's."""
    with emulated.Boards(tmp_path) as boards:
        boards.await_all(4)
        groups = {os.getpgid(pid) for pid in boards.pids()}
        assert groups == set(boards.pids())


def test_boards_have_their_own_descriptors_only(tmp_path):
    """Four ports and a console among the sockets."""
    with emulated.Boards(tmp_path, "--console", "all") as boards:
        boards.await_all(4)
        for pid in boards.pids():
            links = []
            for path in pathlib.Path(f"/proc/{pid}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError):  # just closed
                    links.append(os.readlink(path))
            assert sum(link.startswith("socket:") for link in links) == 5
            assert not [link for link in links if "/dev/pt" in link]


@pytest.mark.parametrize("args", [[], ["--damage", "1/100"]])
def test_a_board_that_dies(tmp_path, args):
    with emulated.Boards(tmp_path, "--console", "0,0", *args) as boards:
        neighbour = boards.up()[0, 0]
        while not neighbour.lines(1, 0.5):  # it drops what it hears at first
            neighbour.say("eb")
        os.kill(boards.pid(1, 0), signal.SIGSEGV)
        assert boards.process.wait(GUARD_S) == 1
        err = boards.process.stderr.read()
        assert "board 1,0 died" in err and "signal 11" in err
        assert "last words on its console:\nup\nwb\n" in err
        assert "board 0" not in err
        assert "a board died; 4 boards ended" in boards.process.stdout.read()


@pytest.mark.parametrize("args", [[], ["--damage", "1/4294967295"]])
def test_others_go_on(tmp_path, args):
    """--keep: a neighbour that is gone swallows what is sent to it."""
    with emulated.Boards(tmp_path, "--keep", "--console", "all", *args,
                         size="3x1") as boards:
        consoles = boards.up()
        os.kill(boards.pid(1, 0), signal.SIGKILL)
        assert mesh.until(lambda: boards.pid(1, 0) is None, GUARD_S)
        consoles[0, 0].say("*e")
        assert consoles[0, 0].lines(1) == ["sent"]
        consoles[0, 0].say("wA")
        assert consoles[2, 0].lines(1) == ["eA"]
        status, _, err = boards.end()
        assert status == 0
        assert err.count("died") == 1 and "board 1,0 died" in err


# ---- what is not there ----

def stand_in(folder, script):
    """A PATH with a program in place of QEMU."""
    folder = folder / "bin"
    folder.mkdir()
    path = folder / "qemu-system-arm"
    path.write_text(script)
    path.chmod(0o755)
    return mesh.with_path(folder, os.environ["PATH"])


def test_qemu_that_ends_at_once(tmp_path):
    env = stand_in(tmp_path, f"#!{sys.executable} -ES\nimport os\n"
                   "os.write(2, b'no such machine\\n')\nos._exit(3)\n")
    with emulated.Boards(tmp_path, env=env) as boards:
        assert boards.process.wait(GUARD_S) == 1
        err = boards.process.stderr.read()
        assert "exited with status 3" in err and "no such machine" in err


def test_qemu_that_cannot_be_executed(tmp_path):
    env = stand_in(tmp_path, "#!/nowhere/interpreter\n")
    env["PATH"] = str(tmp_path / "bin")
    with emulated.Boards(tmp_path, env=env) as boards:
        assert boards.process.wait(GUARD_S) == 1
        assert "qemu-system-arm could not be executed" in (
            boards.process.stderr.read())


def test_too_few_open_files(tmp_path):
    done = subprocess.run(
        ["sh", "-c", 'ulimit -n 90 && exec "$@"', "sh", mesh.QUINCUNX,
         "boards", "--mesh", "5x5", "--firmware", emulated.IMAGE],
        cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, check=False, timeout=GUARD_S)
    assert (done.returncode, done.stdout) == (1, "")
    assert "open files" in done.stderr

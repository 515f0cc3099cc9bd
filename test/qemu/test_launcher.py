# SPDX-License-Identifier: Apache-2.0
"""Boards that fail, launchers that are ended: named, and nothing stays.

Every test runs a copy of the firmware of its own, so that its boards can be
told from those of any other run by their command line. Most boards are forks of
one QEMU; that others end as well is tried with a few.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

import checks
import clocked
import mesh
import served
import twins
from core import BUILD
from guard import GUARD_S

LONG = "100000"  # instructions a unit: a job of minutes


class Launcher:
    """One mesh of boards, and what there was before it."""

    def __init__(self, folder):
        self.firmware = folder / "image.elf"
        shutil.copy(mesh.FIRMWARE, self.firmware)
        self.cwd = folder / "cwd"
        self.cwd.mkdir()
        self.load = folder / "load"
        self.load.write_bytes(bytes(200_000))
        self.before = mesh.traces()
        self.process = None

    def words(self, *args, size="2x2", arg="32", on="qemu"):
        return ["run", "--mesh", size, "--kernel", "spin", "--arg", arg, "--on",
                on, "--firmware", str(self.firmware), *map(str, args),
                str(self.load)]

    def run(self, *args, before=(), **options):
        return subprocess.run(
            [*before, mesh.QUINCUNX, *self.words(*args, **options)],
            timeout=GUARD_S, cwd=self.cwd, capture_output=True, text=True,
            check=False, stdin=subprocess.DEVNULL)

    def start(self, *args, before=(), **options):
        """Once this returns, all boards are there and one computes."""
        self.process = subprocess.Popen(
            [*before, mesh.QUINCUNX, *self.words(*args, **options)],
            cwd=self.cwd, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        width, height = map(int, options.get("size", "2x2").split("x"))
        # A zygote looks like a board until it has ended.
        mesh.until(lambda: len(used := list(map(
            mesh.cpu_s, self.boards()))) == width * height and max(used) > 0.3)

    def boards(self):
        return mesh.boards_with(self.firmware)

    def nothing_left(self):
        """No board, and no file where a launcher might have put one."""
        mesh.until(lambda: not self.boards())
        assert not os.listdir(self.cwd)
        assert mesh.traces() <= self.before

    def fails(self, done, said=""):
        """A run that failed said so, and left nothing."""
        assert (done.returncode, done.stdout) == (1, "")
        assert re.search(said, done.stderr), done.stderr
        self.nothing_left()

    def end(self, how, times=1):
        """Sends the signal; the launcher says so, and nothing is left."""
        assert self.boards()
        for _ in range(times):
            self.process.send_signal(how)
        stdout, stderr = self.process.communicate(timeout=GUARD_S)
        self.nothing_left()
        assert stdout == ""
        assert self.process.returncode == (
            -how if how == signal.SIGKILL else 130), stderr
        assert ("interrupted" in stderr) == (how != signal.SIGKILL)


@pytest.fixture(name="launcher")
def fixture_launcher(tmp_path):
    it = Launcher(tmp_path)
    yield it
    if it.process is not None:
        it.process.kill()
        it.process.communicate()
    for pid in it.boards():
        os.kill(pid, signal.SIGKILL)


# ---- boards that fail ----

ROUND, FARM = (), ("--schedule", "farm")
MASTERS = (*FARM, "--levels", "2")  # 2,1 is one


def only_named(err, where):
    named = set(re.findall(r"node (\d+,\d+)\b", err))
    assert named == {where}, "the innocent are named too"


def test_a_board_that_dies(launcher, tmp_path):
    """In a layer, with chunks in hand, or as a master. No file is written by a
    run that fails."""
    outputs = [tmp_path / "report.json", tmp_path / "trace.json"]
    for more, where in (ROUND, "4,4"), (FARM, "1,2"), (MASTERS, "2,1"):
        done = launcher.run(
            "--inject", f"die@{where}", *more, "--report", outputs[0],
            "--trace", outputs[1], size="5x5")
        launcher.fails(done, f"node {where} died(.|\n)*signal 9")
        only_named(done.stderr, where)
        assert not any(path.exists() for path in outputs)
    done = launcher.run("--inject", "die@1,1", "--boot", "exec")
    launcher.fails(done, "node 1,1 died")
    assert "memory" not in done.stderr, "a kill alone is not its fault"


def test_a_board_that_faults(launcher):
    """Its record has the frame: a pc where it was, and what went wrong."""
    for more, where in (ROUND, "0,0"), (FARM, "1,2"), (FARM, "0,0"):
        done = launcher.run("--inject", f"fault@{where}", *more, size="3x3")
        launcher.fails(done, f"node {where} took a fault")
        only_named(done.stderr, where)
        record = dict(re.findall(
            r"\b(pc|lr|sp|xpsr|r0|CFSR|HFSR) ([0-9a-f]{8})", done.stderr))
        assert len(record) == 7, done.stderr
        assert re.search(r"^    pc: inject at hal/inject\.c:\d+$",
                         done.stderr, re.M)


def test_a_failed_assertion(launcher):
    for on, more, where in ("qemu", ROUND, "4,4"), ("native", FARM, "1,2"):
        done = launcher.run("--inject", f"assert@{where}", *more, on=on,
                            size="5x5")
        launcher.fails(done, rf"node {where}: assertion failed at "
                             r"hal/inject\.c:\d+\n")
        number = int(re.search(r"failed at .*:(\d+)\n", done.stderr)[1])
        assert number == checks.injected_line()
        only_named(done.stderr, where)
        assert "state: fault" in done.stderr
        assert ("fault record" in done.stderr) == (on == "qemu")


WATCHDOG_S = 120


def test_a_board_that_hangs(launcher, tmp_path):
    """It is named when nobody has asked for anything for the watchdog's time,
    not before. By then all others wait, as the live page tells."""
    for program, name in ((clocked.PROGRAM, "quincunx"),
                          (BUILD / "zygote.so", "zygote.so")):
        shutil.copy(program, tmp_path / name)
    for more, where in (ROUND, "2,2"), (FARM, "0,0"):
        with clocked.Clocked(
                *launcher.words("--inject", f"hang@{where}", *more, "--serve",
                                size="3x3"),
                program=tmp_path / "quincunx") as run:
            address = served.address_in(run.stderr)
            mesh.until(lambda: max(map(mesh.cpu_s, launcher.boards()),
                                   default=0) > 0.5)
            next(data for _, data in served.events(address)
                 if data["states"].count("2") == 1)
            run.let(WATCHDOG_S - 1)
            while run.waits_until() < WATCHDOG_S - 1:
                assert run.poll() is None
            run.let(WATCHDOG_S)
            out, err = run.stdout.read(), run.stderr.read()
            assert (run.wait(GUARD_S), out) == (1, "")
        assert f"node {where} hangs" in err and "state: " in err
        assert f"within {WATCHDOG_S} s" in err
        assert err.count("hint: where it is, a debugger tells") == 1
        only_named(err, where)
        launcher.nothing_left()


def survived(launcher, out, err, said):
    """The result is exact, and the loss is named."""
    assert launcher.process.returncode == 0, err
    wanted = twins.burst(launcher.load.read_bytes())
    assert json.loads(out)["result"]["units"] == wanted
    (where, how), = re.findall(r"quincunx: node (\d,\d) (.*); the job goes on "
                               "without", err)
    assert how == said and f"{where} took" not in err
    launcher.nothing_left()


BURST = {"size": "5x5", "arg": "10000,burst"}


@pytest.mark.parametrize("who, heirs", [(max, []), (min, [[1, 0]])])
def test_a_board_whose_process_is_killed(launcher, who, heirs):
    """By somebody else, as the system does when memory runs out; the last
    board's, or the originator's, which is the first."""
    launcher.load.write_bytes(os.urandom(200_000))
    launcher.start("--json", "--rounds", "1", **BURST)
    os.kill(who(launcher.boards()), signal.SIGKILL)
    out, err = launcher.process.communicate(timeout=GUARD_S)
    survived(launcher, out, err, "died: its process is gone")
    recovery = json.loads(out)["recovery"]
    assert recovery["waves"] > 0 and recovery["originators"] == heirs
    assert "its QEMU was ended by signal 9" in err


def at_rest(pids):
    """Whether no thread of these processes runs, as often as one looks."""
    tasks = [task.name for pid in pids
             for task in pathlib.Path("/proc", str(pid), "task").iterdir()]
    return all(mesh.stat_of(task)[0] != "R" for task in 9 * tasks)


def test_a_board_whose_process_stands_still(launcher, tmp_path):
    """The watchdog finds it, when all others have come to rest."""
    launcher.load.write_bytes(os.urandom(200_000))
    for program, name in ((clocked.PROGRAM, "quincunx"),
                          (BUILD / "zygote.so", "zygote.so")):
        shutil.copy(program, tmp_path / name)
    words = launcher.words("--json", "--rounds", "1", **BURST)
    with clocked.Clocked(*words, program=tmp_path / "quincunx") as run:
        launcher.process = run
        mesh.until(lambda: len(used := list(map(
            mesh.cpu_s, launcher.boards()))) == 25 and max(used) > 0.3)
        *others, last = sorted(launcher.boards())
        os.kill(last, signal.SIGSTOP)
        mesh.until(lambda: at_rest([run.pid, *others]))
        run.let(WATCHDOG_S)
        out, err = run.stdout.read(), run.stderr.read()
        assert run.wait(GUARD_S) == 0, err
        survived(launcher, out, err, "hangs")


def test_boards_that_do_not_keep_to_the_rules(launcher):
    """One asks on and on and never reads a ring, one rings without an end, one
    overfills its queue, one sends what nobody receives, one's waits end by its
    own clock, all wait for a message: test/qemu/rude. The watchdog's time goes
    on whenever it is asked."""
    shutil.copy(BUILD / "test" / "rude.elf", launcher.firmware)
    for size, why in (
            ("1x1", "node 0,0 hangs: it asks on and on, in vain for 25 s"),
            ("2x1", "node 0,0 hangs: it asks on and on, in vain for 25 s"),
            ("3x1", "queued a send that makes no sense"),
            ("5x1", r"node 0,0 sends without an end: \d+ messages since"),
            ("1x2", "node 0,0 hangs: it asks on and on, in vain for 25 s")):
        with clocked.Clocked(*launcher.words("--watchdog", "25", size=size),
                             step=0.05) as run:
            err = ""
            for line in run.stderr:
                err += line
                if line.startswith("quincunx: "):
                    run.let(1000)
            _, run.returncode, usage = os.wait4(run.pid, 0)
            assert max(iter(run.waits_until, None), default=0) < 25 + 5
        assert run.returncode != 0 and re.search(why, err), err
        assert usage.ru_maxrss < 200_000  # KB
        launcher.nothing_left()
    done = launcher.run(size="4x1")
    assert (done.returncode, done.stderr) == (1, (
        "quincunx: the mesh is stuck: every node waits for a message that "
        "nobody sends\n" + "".join(
            f"quincunx: node {x},0 waits in the middle of the job\n"
            "  state: computing\n" for x in range(4))))


def test_a_script_in_place_of_qemu_leaves_nothing(launcher, tmp_path):
    """It starts QEMU as a child of its own."""
    done = mesh.command(*launcher.words("--boot", "exec"),
                        env=mesh.qemu_script(tmp_path, '{real} "$@"\nexit $?'))
    assert done.returncode == 0, done.stderr
    launcher.nothing_left()


def test_interrupted_while_a_qemu_hangs(launcher, tmp_path):
    """One that says what it is, and then nothing."""
    mark = tmp_path / "mark"
    os.mkfifo(mark)
    env = mesh.qemu_script(tmp_path, f"""case "$1" in
--version|-version|-machine) test $# -lt 3 && exec {{real}} "$@" ;;
esac
echo here > {mark}
exec sleep 1000""")
    with subprocess.Popen([mesh.QUINCUNX, *launcher.words()], env=env,
                          stderr=subprocess.PIPE, text=True) as process:
        assert mark.read_text().startswith("here\n")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=GUARD_S)
    assert process.returncode == 130, err


# ---- launchers that are ended ----

def ignores(pid, how):
    with open(f"/proc/{pid}/status", encoding="ascii") as lines:
        mask = re.search(r"^SigIgn:\s*(\w+)$", lines.read(), re.M)[1]
    return bool(int(mask, 16) >> (how - 1) & 1)


def test_a_hang_up_that_is_ignored_stays_so(launcher):
    """As under nohup; else it ends the command."""
    for nohup in ["nohup"], []:
        with subprocess.Popen(
                [*nohup, mesh.QUINCUNX, *launcher.words(arg=LONG)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True) as process:
            mesh.until(lambda: len(mesh.children_of(process.pid)) >= 4)
            assert ignores(process.pid, signal.SIGHUP) == bool(nohup)
            process.send_signal(signal.SIGHUP)
            if nohup:
                process.terminate()
            process.communicate(timeout=GUARD_S)
        assert process.returncode == 130


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_ended_while_boards_boot(launcher, how):
    launcher.process = subprocess.Popen(
        [mesh.QUINCUNX, *launcher.words(size="9x9")], cwd=launcher.cwd,
        text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    mesh.until(lambda: len(launcher.boards()) >= 20)
    launcher.end(how)


@pytest.mark.parametrize("args, how, times", [
    (FARM, signal.SIGINT, 2), (ROUND, signal.SIGKILL, 1),
    (("--boot", "exec"), signal.SIGKILL, 1),
    (("--inject", "hang@1,1", "--watchdog", "3600"), signal.SIGINT, 1)])
def test_ended_while_boards_compute(launcher, args, how, times):
    """Or while one hangs, and all others wait for it. Boards are in groups of
    their own: Ctrl-C is the launcher's. System calls that they do not need are
    shut off (Debian's QEMU can)."""
    launcher.start(*args, arg="32" if "--inject" in args else LONG)
    groups = {os.getpgid(pid) for pid in launcher.boards()}
    assert groups == set(launcher.boards())
    assert all("Seccomp:\t2" in pathlib.Path(f"/proc/{pid}/status").read_text(
        encoding="ascii") for pid in launcher.boards())
    launcher.end(how, times)


def test_one_launcher_ends_its_own_boards_only(launcher, tmp_path):
    (tmp_path / "other").mkdir()
    other = Launcher(tmp_path / "other")
    other.start("--inject", "hang@1,1", "--watchdog", "3600")
    try:
        assert launcher.run().returncode == 0
        launcher.nothing_left()
        assert len(other.boards()) == 4 and other.process.poll() is None
        other.end(signal.SIGTERM)
    finally:
        other.process.kill()


# ---- a machine that is full ----

def test_too_few_open_files(launcher):
    """Said before any board starts."""
    done = launcher.run(size="5x5", before=[
        "sh", "-c", 'ulimit -n 60 && exec "$@"', "sh"])
    launcher.fails(done, "allows 60")
    assert "open files" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""Boards that fail, launchers that are ended: named, and nothing stays.

Every test runs a copy of the firmware of its own, so that its boards can be
told from those of any other run by their command line.
"""
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

import checks
import mesh
from core import BUILD, QEMU

GONE_S = 15  # for the kernel to end 625 processes on a busy machine


def entries(folder):
    try:
        return set(os.listdir(folder))
    except FileNotFoundError:
        return set()


class Launcher:
    """One mesh of boards, and what there was before it."""

    def __init__(self, folder, boot="fork"):
        self.boot = boot
        self.firmware = folder / "image.elf"
        shutil.copy(mesh.FIRMWARE, self.firmware)
        self.cwd = folder / "cwd"
        self.cwd.mkdir()
        self.load = folder / "load"
        self.load.write_bytes(bytes(200_000))
        self.before = {d: entries(d) for d in ("/tmp", "/dev/shm")}
        self.process = None

    def line(self, *args, size="5x5", arg="32"):
        return [mesh.QUINCUNX, "run", "--mesh", size, "--kernel", "spin",
                "--arg", arg, "--firmware", str(self.firmware),
                *(["--boot", self.boot] if "native" not in args else []),
                *map(str, args), str(self.load)]

    def run(self, *args, **options):
        return subprocess.run(self.line(*args, **options), timeout=200,
                              cwd=self.cwd, capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)

    def start(self, *args, **options):
        self.process = subprocess.Popen(
            self.line(*args, **options), cwd=self.cwd, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        return self.process

    def boards(self):
        return mesh.boards_with(self.firmware)

    def await_boards(self, count):
        assert mesh.until(lambda: len(self.boards()) >= count), (
            "boards did not start")

    def nothing_left(self):
        """No board, and no file where a launcher might have put one."""
        assert mesh.until(lambda: not self.boards(), GONE_S), self.boards()
        assert entries(self.cwd) == set()
        for folder, before in self.before.items():
            new = entries(folder) - before
            # Others use these folders too; ours would bear such a name.
            assert not [n for n in new
                        if re.search("quincunx|qemu|qnx|window|board", n)
                        and not n.startswith("quincunx-flash-")]


@pytest.fixture(name="launcher", params=["fork", "exec"])
def fixture_launcher(tmp_path, request):
    it = Launcher(tmp_path, request.param)
    yield it
    if it.process is not None:
        it.process.kill()
        it.process.communicate(timeout=60)
    for pid in it.boards():
        os.kill(pid, signal.SIGKILL)


def test_a_good_run_leaves_nothing(launcher):
    done = launcher.run("--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"] == {"units": 200_000}
    launcher.nothing_left()


# ---- boards that fail ----

PLACES = ["0,0", "1,2", "4,4"]  # of layers 0, 1 and 2


@pytest.mark.parametrize("where", PLACES)
def test_a_board_that_dies(launcher, where):
    done = launcher.run("--inject", f"die@{where}")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"node {where} died" in done.stderr
    launcher.nothing_left()


def test_how_a_board_died_is_told(launcher):
    done = launcher.run("--inject", "die@1,2")
    assert "signal 9" in done.stderr


@pytest.mark.parametrize("where", PLACES)
def test_a_board_that_faults(launcher, where):
    """Its record has the frame: a pc in the image, and what went wrong."""
    done = launcher.run("--inject", f"fault@{where}")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"node {where} took a fault" in done.stderr
    record = dict(re.findall(r"\b(pc|lr|sp|xpsr|r0|CFSR|HFSR) ([0-9a-f]{8})",
                             done.stderr))
    assert len(record) == 7, done.stderr
    pc = int(record["pc"], 16)
    assert 0 < pc < 0x8000, "the pc is not in the image"
    assert re.search(r"^    pc: inject at scatter/engine/compute\.c:\d+$",
                     done.stderr, re.M)
    symbols = subprocess.run(
        ["arm-none-eabi-nm", "-S", str(mesh.FIRMWARE)], timeout=60,
        capture_output=True, text=True, check=True).stdout
    inside = [line.split()[3] for line in symbols.splitlines()
              if len(line.split()) == 4
              and line.split()[2] in "tT"
              and int(line.split()[0], 16) & ~1 <= pc
              < (int(line.split()[0], 16) & ~1) + int(line.split()[1], 16)]
    assert any("scatter" in name or "inject" in name for name in inside), (
        pc, inside)
    launcher.nothing_left()


@pytest.mark.parametrize("where", PLACES)
def test_a_board_that_hangs(launcher, where):
    done = launcher.run("--inject", f"hang@{where}", "--watchdog", "2")
    assert (done.returncode, done.stdout) == (1, "")
    assert f"node {where} hangs" in done.stderr
    assert "state: " in done.stderr
    assert done.stderr.count("hint: where it is, a debugger tells") == 1
    named = set(re.findall(r"node (\d+,\d+) ", done.stderr))
    assert named == {where}, "the innocent are named too"
    launcher.nothing_left()


def test_no_file_is_written_by_a_run_that_fails(launcher, tmp_path):
    report = tmp_path / "report.json"
    trace = tmp_path / "trace.json"
    done = launcher.run("--inject", "die@1,2", "--report", report, "--trace",
                        trace)
    assert done.returncode == 1
    assert not report.exists() and not trace.exists()
    launcher.nothing_left()


# ---- launchers that are ended ----

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]


def end(launcher, how):
    """Sends the signal; what it says, once nothing is left."""
    pids = launcher.boards()
    launcher.process.send_signal(how)
    stdout, stderr = launcher.process.communicate(timeout=60)
    launcher.nothing_left()
    assert pids and stdout == ""
    if how == signal.SIGKILL:
        assert launcher.process.returncode == -signal.SIGKILL
    elif how == signal.SIGINT:
        assert launcher.process.returncode == 130
        assert "interrupted" in stderr
    else:
        assert launcher.process.returncode != 0
    return stderr


RUDE = BUILD / "test" / "rude.elf"


@contextlib.contextmanager
def running(*args, before=(), **options):
    """A command that is killed at the end, if it still runs."""
    with subprocess.Popen(
            [*before, mesh.QUINCUNX, *map(str, args)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            **options) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("size, why", [
    ("1x1", "hangs"), ("2x1", "hangs"),
    ("3x1", "queued a send that makes no sense")])
def test_boards_that_do_not_keep_to_the_rules(tmp_path, size, why):
    """One asks on and on and never reads a ring, one rings without an end, one
    overfills its queue: test/qemu/rude. Mesh time goes on in the first: that
    takes Ctrl-C, which comes through."""
    load = tmp_path / "load"
    load.write_bytes(bytes(1000))
    with running("run", "--mesh", size, "--kernel", "spin", "--arg", "1",
                 "--firmware", RUDE, "--watchdog", "2", load) as process:
        if size == "1x1":
            time.sleep(3)
            process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == (130 if size == "1x1" else 1), err
    assert size == "1x1" or why in err


def test_a_script_in_place_of_qemu_leaves_nothing(tmp_path):
    """It starts QEMU as a child of its own."""
    script = tmp_path / "qemu"
    mark = f"rude-{os.getpid()}-{time.monotonic_ns()}"
    script.write_text(f"""#!/bin/sh
{QEMU} "$@" # {mark}
exit $?
""")
    script.chmod(0o755)
    image = tmp_path / "image.elf"
    shutil.copy(mesh.FIRMWARE, image)
    load = tmp_path / "load"
    load.write_bytes(bytes(1000))
    done = mesh.command("run", "--mesh", "2x2", "--kernel", "spin", "--arg",
                        "1", "--boot", "exec", "--firmware", image, load,
                        env={**os.environ, "QUINCUNX_QEMU": str(script)})
    assert done.returncode == 0, done.stderr
    assert mesh.until(lambda: not mesh.boards_with(image), 60)


def test_interrupted_while_a_qemu_hangs(tmp_path):
    """One that says what it is, and then nothing."""
    script = tmp_path / "qemu"
    script.write_text(f"""#!/bin/sh
case "$1" in
--version|-version|-machine) test $# -lt 3 && exec {QEMU} "$@" ;;
esac
exec sleep 60
""")
    script.chmod(0o755)
    load = tmp_path / "load"
    load.write_bytes(bytes(1000))
    with running("run", "--mesh", "2x2", "--kernel", "spin", "--arg", "1",
                 load, env={**os.environ,
                            "QUINCUNX_QEMU": str(script)}) as process:
        assert mesh.until(lambda: mesh.children_of(process.pid))
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err


@pytest.mark.parametrize("command", ["run", "boards"])
def test_a_hang_up_that_is_ignored_stays_so(launcher, command):
    """As under nohup."""
    words = (launcher.line("--inject", "hang@1,1", size="2x2")[1:]
             if command == "run" else ["boards", "--mesh", "2x2"])
    with running(*words, before=["nohup"]) as process:
        assert mesh.until(lambda: len(mesh.children_of(process.pid)) >= 4)
        process.send_signal(signal.SIGHUP)
        time.sleep(0.5)
        assert process.poll() is None
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == (130 if command == "run" else 0)


@pytest.mark.boards
@pytest.mark.parametrize("how", SIGNALS)
def test_ended_while_625_boards_boot(launcher, how):
    launcher.start(size="25x25")
    launcher.await_boards(30)
    end(launcher, how)


@pytest.mark.parametrize("how", SIGNALS)
def test_ended_while_boards_compute(launcher, how):
    """A spin of minutes; a board that has used a second of CPU is at it."""
    launcher.start(arg="100000")
    launcher.await_boards(25)
    assert mesh.until(lambda: max(map(mesh.cpu_s, launcher.boards()),
                                  default=0) > 1.0)
    end(launcher, how)


def test_interrupted_while_nothing_happens(launcher):
    """One board hangs, all others wait, the watchdog is far away."""
    launcher.start("--inject", "hang@1,2", "--watchdog", "3600")
    launcher.await_boards(25)
    assert mesh.until(lambda: max(map(mesh.cpu_s, launcher.boards()),
                                  default=0) > 1.0)
    end(launcher, signal.SIGINT)


def test_interrupted_twice(launcher):
    launcher.start(arg="100000")
    launcher.await_boards(25)
    launcher.process.send_signal(signal.SIGINT)
    launcher.process.send_signal(signal.SIGINT)
    launcher.process.communicate(timeout=60)
    assert launcher.process.returncode == 130
    launcher.nothing_left()


def test_the_terminals_interrupt_reaches_the_launcher_alone(launcher):
    """Boards are in groups of their own: Ctrl-C is the launcher's."""
    launcher.start(arg="100000")
    launcher.await_boards(25)
    mesh.until(lambda: all(os.getpgid(p) == p for p in launcher.boards()), 60)
    groups = {os.getpgid(p) for p in launcher.boards()}
    assert os.getpgid(launcher.process.pid) not in groups
    end(launcher, signal.SIGINT)


def test_one_launcher_ends_its_own_boards_only(launcher, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    other = Launcher(folder, launcher.boot)
    try:
        other.start("--inject", "hang@1,2", "--watchdog", "3600")
        other.await_boards(25)
        done = launcher.run("--json")
        assert done.returncode == 0, done.stderr
        launcher.nothing_left()
        assert len(other.boards()) == 25
        assert other.process.poll() is None
        end(other, signal.SIGTERM)
    finally:
        other.process.kill()
        other.process.communicate(timeout=60)


def test_a_board_killed_from_outside(launcher):
    launcher.start(arg="100000")
    launcher.await_boards(25)
    assert mesh.until(lambda: max(map(mesh.cpu_s, launcher.boards()),
                                  default=0) > 1.0)
    os.kill(launcher.boards()[7], signal.SIGKILL)
    stdout, stderr = launcher.process.communicate(timeout=60)
    assert (launcher.process.returncode, stdout) == (1, "")
    assert re.search(r"node \d,\d died", stderr)
    launcher.nothing_left()


# ---- farms: workers that fail with chunks in hand ----

ONE_WAY = pytest.mark.parametrize("launcher", ["fork"], indirect=True)


@ONE_WAY
@pytest.mark.parametrize("kind,where,said", [
    ("die", "1,2", "died"), ("fault", "4,4", "took a fault"),
    ("assert", "2,2", ": assertion failed at"), ("hang", "1,2", "hangs"),
    ("hang", "0,0", "hangs"), ("die", "0,0", "died")])
def test_a_worker_that_fails_is_named(launcher, kind, where, said):
    """It alone; all others have done what there is to do, or wait."""
    done = launcher.run("--schedule", "farm", "--inject", f"{kind}@{where}",
                        "--watchdog", "2")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(rf"node {where} ?{said}", done.stderr), done.stderr
    named = set(re.findall(r"node (\d+,\d+)\b", done.stderr))
    assert named == {where}, "the innocent are named too"
    launcher.nothing_left()


def start_farm(launcher):
    """All boards at work: with a chunk in hand and the next asked for."""
    launcher.start("--schedule", "farm", arg="30000")
    launcher.await_boards(25)
    assert mesh.until(lambda: sum(mesh.cpu_s(board) > .05
                                  for board in launcher.boards()) >= 25)


@ONE_WAY
def test_a_farm_that_is_interrupted(launcher):
    start_farm(launcher)
    end(launcher, signal.SIGINT)


@ONE_WAY
def test_a_worker_that_is_killed(launcher):
    start_farm(launcher)
    os.kill(launcher.boards()[7], signal.SIGKILL)
    stdout, stderr = launcher.process.communicate(timeout=60)
    assert (launcher.process.returncode, stdout) == (1, "")
    assert len(set(re.findall(r"node (\d,\d) died", stderr))) == 1
    launcher.nothing_left()


# ---- a machine that is full ----

def in_a_world_of_its_own(script, launcher, *args):
    """The launcher after `script`, with mounts that nobody else sees."""
    probe = subprocess.run(["unshare", "-m", "true"], capture_output=True,
                           check=False, timeout=60)
    if probe.returncode != 0:
        pytest.skip("unshare -m is not permitted here")
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script + '; exec "$@"', "sh",
         *launcher.line(*args)], capture_output=True, text=True, check=False,
        timeout=200, cwd=launcher.cwd, stdin=subprocess.DEVNULL)


def test_full_dev_shm(launcher):
    """It is not used: windows are memory without a name."""
    done = in_a_world_of_its_own(
        "mount -t tmpfs -o size=64k none /dev/shm || exit 99;"
        "dd if=/dev/zero of=/dev/shm/full bs=64k count=2 2>/dev/null;"
        "! touch /dev/shm/more/x 2>/dev/null", launcher, "--json")
    if done.returncode == 99:
        pytest.skip("mounting is not permitted here")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"] == {"units": 200_000}
    launcher.nothing_left()


def test_dev_shm_stays_empty(launcher):
    script = ("mount -t tmpfs none /dev/shm || exit 99;"
              '"$@"; status=$?; echo "left: $(ls -A /dev/shm)" >&2;'
              "exit $status")
    done = in_a_world_of_its_own(script, launcher, "--inject", "die@1,2")
    if done.returncode == 99:
        pytest.skip("mounting is not permitted here")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "left: "


def test_too_few_open_files(launcher):
    """Said before any board starts."""
    done = subprocess.run(
        ["sh", "-c", 'ulimit -n 60 && exec "$@"', "sh", *launcher.line()],
        capture_output=True, text=True, check=False, timeout=200,
        cwd=launcher.cwd)
    assert (done.returncode, done.stdout) == (1, "")
    assert "60" in done.stderr and "open files" in done.stderr
    launcher.nothing_left()


# ---- assertions ----

@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("on", ["qemu", "native"])
def test_a_failed_assertion(launcher, on, where):
    done = launcher.run("--inject", f"assert@{where}", "--on", on)
    assert (done.returncode, done.stdout) == (1, "")
    assert (f"node {where}: assertion failed at {checks.INJECTED}:"
            f"{checks.injected_line()}\n") in done.stderr
    assert "state: fault" in done.stderr
    assert ("fault record" in done.stderr) == (on == "qemu")


# ---- the same, natively ----

@pytest.mark.parametrize("kind", ["die", "fault", "hang"])
def test_injection_needs_boards(tmp_path, kind):
    """Native nodes share a process: no crash, no hang, and said so."""
    load = tmp_path / "load"
    load.write_bytes(b"abc" * 1000)
    done = mesh.command("run", "--mesh", "5x5", "--on", "native", "--kernel",
                        "search", "--arg", "abc", "--inject", f"{kind}@1,2",
                        "--watchdog", "2", load, timeout=60)
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert "1,2" in done.stderr

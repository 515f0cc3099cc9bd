# SPDX-License-Identifier: Apache-2.0
"""One mesh on several ranks, started by mpirun: the report is that of one
process, but for wall times and what ranks did; and how such runs end."""
import itertools
import json
import mmap
import os
import pathlib
import re
import shutil
import signal
import subprocess

import pytest

import mesh
import mpirun
from guard import GUARD_S

pytestmark = mpirun.needs_mpi

MORE = pytest.mark.boards


@pytest.fixture(scope="module", name="load")
def fixture_load(tmp_path_factory):
    path = tmp_path_factory.mktemp("ranks") / "load"
    path.write_bytes(mesh.text(60_000, mesh.seeded("ranks")))
    return path


def job(load, line="", size="5x5", on="native"):
    words = f"--mesh {size} --on {on} --profile t3d {line}".split()
    if "--kernel" not in words:
        words += ["--kernel", "spin", "--arg", "24,burst"]
    return words if f"={load}" in line else [*words, load]


def same(count, *args):
    """The report of so many ranks is that of one process; both."""
    one = mpirun.report(1, *args)
    many = mpirun.report(count, *args)
    assert one["timeline_sha256"] == many["timeline_sha256"]
    assert mpirun.without_hosts(one) == mpirun.without_hosts(many)
    assert "ranks" not in one
    return many


# ---- the same report ----

def test_one_report(load, tmp_path):
    """Of any policy; outputs go from rank to rank, too."""
    for count, on, size, line in [
            (2, "native", "5x5", "--kernel search --arg the"),
            (3, "qemu", "5x5", "--kernel search --arg the"),
            (7, "native", "4x7", "--rounds 2 --map rows"),
            (3, "native", "5x5", "--schedule farm"),
            (3, "native", "5x5", "--batch 17000 --schedule hybrid"),
            (3, "native", "5x5", "--slow 1,2=4 --inject slow8@3,3@300us "
             "--switching store-and-forward --ports 1 --map even"),
            (3, "native", "5x5", "--originator 4,4 --kernel spin --arg 32,1/1 "
             f"-o {tmp_path / 'out'}")]:
        many = same(count, *job(load, line, size, on))
        found, nodes = many["ranks"], many["mesh"]["nodes"]
        assert found["count"] == count and found["hosts"] == 1
        assert sum(rank["nodes"] for rank in found["each"]) == nodes
        assert found["doorbells"] == sum(
            rank["doorbells"] for rank in found["each"]) >= 3 * nodes - 1
    assert (tmp_path / "out").stat().st_size == 60_000


@MORE
def test_one_report_of_more(load):
    """Several originators, boards that ask, a mesh of 15,625."""
    for on, size, line in [
            ("native", "5x5", f"--originator 0,0={load} --originator "
             f"4,3={load} --kernel spin --arg 24"),
            ("qemu", "5x5", "--schedule farm --inject slow8@3,3@300us"),
            ("qemu", "7x4", "--batch 17000"), ("native", "125x125", "")]:
        same(3, *job(load, line, size, on))


def test_more_ranks_than_nodes(load):
    one = mpirun.report(1, *job(load, size="2x1"))
    done = mpirun.command(4, "run", "--json", *job(load, size="2x1"))
    assert done.returncode == 0
    many = json.loads(done.stdout)
    assert one["timeline_sha256"] == many["timeline_sha256"]
    assert done.stderr.splitlines() == [
        "quincunx: 2 of 4 ranks have no nodes, and idle"]


def test_printed_once(load):
    """Of several meshes one after the other, and where none runs."""
    for words in (["compare", *job(load)], ["run", "--help"],
                  "plan --torus 25 --load 1000000 --compute 1us --startup 5us "
                  "--transfer 3ns".split()):
        one, many = (mpirun.command(count, *words) for count in (1, 2))
        assert (many.returncode, many.stdout, many.stderr) == (
            0, one.stdout, "")


@MORE
def test_refused(load):
    run = ["run", "--mesh", "2x2", "--kernel", "search", "--arg", "x", load]
    for args, what in [
            ([*run, "--gdb"], "--gdb"),
            ([*run, "--port", "/dev/null"], "--board stm32f405, --port"),
            ([*run, "--board", "stm32f405"], "--board stm32f405"),
            (["boards", "--mesh", "2x2"],
             "boards: such a mesh is of one host")]:
        done = mpirun.command(2, *args)
        assert (done.returncode, done.stdout) == (2, "")
        assert f"quincunx: {what}" in done.stderr


def test_with_sanitizers(load, tmp_path):
    """The same report. What is under way in MPI's own libraries is not freed;
    of coroutines the address sanitizer says that it knows little."""
    for file in mesh.BUILD / "test" / "quincunx", mesh.BUILD / "ranks.so":
        shutil.copy(file, tmp_path)
    words = job(load, "--kernel search --arg the")
    done = subprocess.run(
        [*mpirun.line(3)[:-1], tmp_path / "quincunx", "run", "--json", *words],
        capture_output=True, text=True, check=False, timeout=GUARD_S,
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    assert done.returncode == 0, done.stderr
    assert "AddressSanitizer:" not in done.stderr
    assert "runtime error" not in done.stderr
    assert (json.loads(done.stdout)["timeline_sha256"]
            == mpirun.report(1, *words)["timeline_sha256"])


def test_another_version(load, tmp_path):
    """It is named, with its rank."""
    own = mesh.command("--version").stdout.split()[1]  # as 1.2.3
    other = own[:-1] + ("1" if own[-1] == "0" else "0")
    program = tmp_path / "quincunx"
    program.write_bytes(pathlib.Path(mesh.QUINCUNX).read_bytes().replace(
        own.encode(), other.encode()))
    program.chmod(0o755)
    shutil.copy(mesh.BUILD / "ranks.so", tmp_path)
    words = ["run", *map(str, job(load))]
    done = subprocess.run(
        [*mpirun.line(1, *words), ":", "-n", "1", program, *words],
        capture_output=True, text=True, check=False, timeout=GUARD_S)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.search(f"rank 1 on .* is quincunx {other}.*, rank 0 {own}.*: all "
                     "hosts need the same", done.stderr), done.stderr


def test_another_emulator_on_a_host(load, tmp_path):
    """It is named, with its rank; also while another rank still starts."""
    slow = tmp_path / "slow"
    os.mkfifo(slow)
    env = mesh.qemu_script(tmp_path, f"""
if [ "$1" = --version ]; then case "$OMPI_COMM_WORLD_RANK" in
  1) cat {slow} ;;
  2) echo QEMU emulator version 1.2.3; exit ;;
esac; fi
exec {{real}} "$@"
""")
    with subprocess.Popen(
            mpirun.line(3, "run", *job(load, on="qemu")), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=env) as process:
        for line in process.stderr:
            if ("quincunx: rank 2: its QEMU is 'QEMU emulator version 1.2.3'"
                    in line):
                slow.open("w").close()
                break
        err = process.stderr.read()
        assert (process.wait(GUARD_S), process.stdout.read()) == (1, "")
    assert re.search(r"ends on rank 2 \(\S+\): it cannot start", err)


def test_what_killed_ranks_left_is_removed(load):
    """Unless somebody maps it, or it is new."""
    names = [pathlib.Path(f"/dev/shm/vader_segment.{what}.{os.getpid()}.0")
             for what in ("left", "mapped", "new")]
    try:
        for path in names:
            path.write_bytes(bytes(4096))
        for path in names[:2]:
            os.utime(path, (0, 0))
        with names[1].open("r+b") as file, mmap.mmap(file.fileno(), 4096):
            mpirun.report(2, *job(load))
        assert [path.exists() for path in names] == [False, True, True]
    finally:
        for path in names:
            path.unlink(missing_ok=True)


def test_a_rank_cannot_start_its_boards(load):
    """It says why, and rank 0 which rank it is."""
    for before, why in [
            (["env", "QUINCUNX_QEMU=/none"],
             r"QUINCUNX_QEMU '/none': must be a qemu-"),
            (["prlimit", "--nofile=40"],
             r"12 boards need \d+ open files; this system allows 40"),
            (["prlimit", "--fsize=8000000"],
             r"window memory: File too large \(ulimit -f: 8000000 bytes\)")]:
        words = ["run", *map(str, job(load, on="qemu"))]
        done = subprocess.run(
            [*mpirun.line(1, *words), ":", "-n", "1", *before, mesh.QUINCUNX,
             *words], check=False, capture_output=True, text=True,
            stdin=subprocess.DEVNULL)
        assert done.returncode != 0 and done.stdout == ""
        assert re.search(why, done.stderr), done.stderr
        assert re.search(r"quincunx: the run ends on rank 1 \(\S+\): it "
                         r"(cannot|could not) start", done.stderr), done.stderr


def test_tasks_of_srun_that_know_nothing_of_each_other():
    for more, warns in [
            ({"SLURM_PROCID": "0"}, True), ({"SLURM_PROCID": "1"}, False),
            ({"SLURM_PROCID": "0", "OMPI_COMM_WORLD_SIZE": "1"}, True),
            ({}, False)]:
        done = mesh.command("certificate", "--torus", "5", env={
            **os.environ, "SLURM_STEP_NUM_TASKS": "4", **more})
        assert done.returncode == 0
        assert done.stderr == warns * (
            "quincunx: each of the 4 tasks of srun is a run of its own; for "
            "one mesh of all: srun --mpi=pmix\n")


# ---- ends ----

NUMBERS = itertools.count()


def start(*args, count=3):
    """A running mpirun whose processes can be found again."""
    mark = f"{os.getpid()}-{next(NUMBERS)}"
    process = subprocess.Popen(
        mpirun.line(count, "run", *args), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "QUINCUNX_TEST_RUN": mark})
    return process, mark


def assert_gone(mark):
    """No rank, and no board of one, is left, soon."""
    mesh.until(lambda: not mpirun.left_behind(mark))


@pytest.mark.parametrize("how", ["fault", pytest.param("die", marks=MORE)])
def test_a_board_elsewhere_fails(load, how):
    """It is named, with what it left."""
    process, mark = start(*job(load, f"--inject {how}@4,4", on="qemu"))
    out, err = process.communicate(timeout=GUARD_S)
    assert (process.returncode, out) == (1, "")
    assert re.search(r"quincunx: node 4,4 on rank 2 \(\S+\)", err), err
    for said in (["fault record: exception"] if how == "fault" else
                 ["died: its process is gone", "ended by signal 9"]):
        assert said in err
    assert_gone(mark)


def processes_of(mark, count):
    """The pids of all ranks, in their order, when all boards are there."""
    mesh.until(lambda: len(list(filter(
        mpirun.is_board, mpirun.left_behind(mark)))) >= count)
    found = {mpirun.rank_of(pid): pid for pid in mpirun.left_behind(mark)
             if mpirun.rank_of(pid) is not None and mpirun.is_command(pid)}
    return [found[rank] for rank in sorted(found)]


def blocked(status):
    """The signals that a thread does not take, by /proc/PID/task/TID/status."""
    mask = int(re.search(r"^SigBlk:\s*(\w+)$", status, re.M)[1], 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


@pytest.mark.parametrize("rank, how, status", [
    (None, signal.SIGINT, 1), (1, signal.SIGINT, 130),
    (1, signal.SIGKILL, 128 + signal.SIGKILL)])
def test_ended(load, rank, how, status):
    """mpirun, as Ctrl-C does, which then says 1; or a rank: 130 as without, or
    mpirun names it, and ends the others. No thread of MPI takes a signal, or a
    file that is being written would be left half done."""
    process, mark = start(*"--mesh 5x5 --kernel spin --arg 100000".split(),
                          load)
    ranks = processes_of(mark, 25)
    for pid in ranks:
        tasks = pathlib.Path("/proc", str(pid), "task")
        others = [task for task in tasks.iterdir() if task.name != str(pid)]
        assert others
        for task in others:
            assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= blocked(
                (task / "status").read_text())
    os.kill(process.pid if rank is None else ranks[rank], how)
    _, err = process.communicate(timeout=GUARD_S)
    assert process.returncode == status, err
    for said in (["rank 1", "signal 9"] if how == signal.SIGKILL else
                 ["quincunx: interrupted; all boards ended"]):
        assert said in err
    assert_gone(mark)

# SPDX-License-Identifier: Apache-2.0
"""One mesh on several ranks, started by mpirun: the report is that of one
process, but for wall times and what ranks did; and how such runs end."""
import itertools
import json
import os
import pathlib
import re
import signal
import subprocess
import sys

import pytest

import mesh
import mpirun
from core import ROOT
from guard import GUARD_S

sys.path.insert(0, str(ROOT / "test" / "bench"))
import job_bench  # noqa: E402

pytestmark = mpirun.needs_mpi

MORE = pytest.mark.boards


@pytest.fixture(scope="module", name="load")
def fixture_load(tmp_path_factory):
    path = tmp_path_factory.mktemp("ranks") / "load"
    path.write_bytes(mesh.text(60_000, mesh.seeded("ranks")))
    return path


def same(count, *args):
    """The report of so many ranks is that of one process; both."""
    one = mpirun.report(1, *args)
    many = mpirun.report(count, *args)
    assert one["timeline_sha256"] == many["timeline_sha256"]
    assert mpirun.without_hosts(one) == mpirun.without_hosts(many)
    assert "ranks" not in one
    return one, many


def job(load, *args, size="5x5", on="native", kernel="spin", arg="24,burst"):
    return ["--mesh", size, "--on", on, "--profile", "t3d", "--kernel", kernel,
            "--arg", arg, *args, load]


# ---- the same report ----

@pytest.mark.parametrize("on, count", [
    ("native", 2), ("native", 7), ("qemu", 3)])
def test_one_report(load, on, count):
    _, many = same(count, *job(load, on=on, kernel="search", arg="the"))
    found = many["ranks"]
    assert found["count"] == count and found["hosts"] == 1
    assert sum(rank["nodes"] for rank in found["each"]) == 25
    assert found["doorbells"] == sum(r["doorbells"] for r in found["each"])
    assert found["doorbells"] >= 3 * 25 - 1


SHAPES = {
    "tree": ["--mesh", "7x4"],
    "rounds": ["--rounds", "2"],
    "batches": ["--batch", "17000"],
    "store": ["--switching", "store-and-forward", "--ports", "1"],
    "slow": ["--slow", "1,2=4", "--inject", "slow8@3,3@300us"],
    "elsewhere": ["--originator", "4,4"],
    "rows": ["--map", "rows"],
    "even": ["--map", "even"],
    **{name: ["--schedule", name] for name in (
        "equal", "binomial", "nearest", "star", "farm", "hybrid", "auto")},
}


@pytest.mark.parametrize("on, names", [
    ("native", ["tree", "farm", "batches", "slow"]),
    pytest.param("native", SHAPES, marks=MORE),
    pytest.param("qemu", ["tree", "rounds", "batches", "slow", "farm",
                          "hybrid", "elsewhere"], marks=MORE)])
def test_policies(load, on, names):
    for name in names:
        same(3, *job(load, *SHAPES[name], on=on))


OUTPUTS = {"records": "out.csv", "fir": "out.wav", "conv": "out.pgm",
           "matvec": "out.npy", "channels": "out.csv"}


@pytest.mark.parametrize("kernel", [
    pytest.param(name, marks=() if name == "fir" else MORE)
    for name in job_bench.KERNELS])
def test_kernels(tmp_path, kernel):
    """All of them; outputs go from rank to rank, too."""
    *_, make, file, arg, _ = job_bench.KERNELS[kernel]
    words = ["--mesh", "5x5", "--on", "native", "--kernel", kernel, "--arg",
             arg.format(folder=tmp_path)]
    if make is not None:
        make(tmp_path / file)
        words.append(tmp_path / file)
    reports, outputs = [], []
    for count in (1, 3):
        output = tmp_path / OUTPUTS.get(kernel, "out")
        more = ["-o", output] if kernel in OUTPUTS else []
        reports.append(mpirun.without_hosts(
            mpirun.report(count, *words, *more)))
        outputs.append(output.read_bytes() if more else b"")
    assert reports[0] == reports[1]
    assert outputs[0] == outputs[1]
    assert (kernel not in OUTPUTS) == (outputs[0] == b"")


@MORE
def test_several_originators_and_large_meshes(load):
    same(3, "--mesh", "5x5", "--on", "native", "--profile", "t3d", "--kernel",
         "spin", "--arg", "24", "--originator", f"0,0={load}",
         "--originator", f"4,3={load}")
    for size, on in ("25x25", "native"), ("25x25", "qemu"), ("125x125",
                                                             "native"):
        same(3, *job(load, size=size, on=on))


def test_more_ranks_than_nodes(load):
    one = mpirun.report(1, *job(load, size="2x1"))
    done = mpirun.command(4, "run", "--json", *job(load, size="2x1"))
    assert done.returncode == 0
    many = json.loads(done.stdout)
    assert one["timeline_sha256"] == many["timeline_sha256"]
    assert done.stderr.splitlines() == [
        "quincunx: 2 of 4 ranks have no nodes, and idle"]


def test_several_meshes_one_after_the_other(load):
    args = ["compare", *job(load)]
    one, many = (mpirun.command(count, *args) for count in (1, 2))
    assert (one.returncode, many.returncode) == (0, 0), many.stderr
    assert one.stdout == many.stdout and many.stderr == ""


# ---- no run ----

def test_no_run():
    args = ["plan", "--mesh", "25x25", "--load", "1000000"]
    one, many = (mpirun.command(count, *args) for count in (1, 3))
    assert (many.returncode, many.stdout) == (one.returncode, one.stdout)


@MORE
def test_help_is_printed_once():
    done = mpirun.command(3, "run", "--help")
    assert done.returncode == 0
    assert done.stdout == mesh.command("run", "--help").stdout


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


def starts(load, *before):
    """The finished mpirun of a mesh whose second rank is started by these
    words."""
    words = ["run", *map(str, job(load, on="qemu"))]
    return subprocess.run(
        [*mpirun.line(1, *words), ":", "-n", "1", *before, mesh.QUINCUNX,
         *words], check=False, capture_output=True, text=True,
        stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("before,why", [
    (["env", "QUINCUNX_QEMU=/none"], r"QUINCUNX_QEMU '/none': must be a qemu-"),
    (["prlimit", "--nofile=40"], r"12 boards need \d+ open files; this system "
                                 r"allows 40"),
    (["prlimit", "--as=400000000"], r"window memory: Cannot allocate memory")])
def test_a_rank_cannot_start_its_boards(load, before, why):
    """It says why, and rank 0 which rank it is."""
    done = starts(load, *before)
    assert done.returncode != 0 and done.stdout == ""
    assert re.search(why, done.stderr), done.stderr
    assert re.search(r"quincunx: the run ends on rank 1 \(\S+\): it "
                     r"(cannot|could not) start", done.stderr), done.stderr


def test_tasks_of_srun_that_know_nothing_of_each_other():
    for more, warns in [
            ({"SLURM_PROCID": "0"}, True), ({"SLURM_PROCID": "1"}, False),
            ({"SLURM_PROCID": "0", "OMPI_COMM_WORLD_SIZE": "1"}, True),
            ({}, False)]:
        done = mesh.command("sizes", "--json", env={
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


def boards_of(mark, count):
    """Waits for so many boards."""
    mesh.until(lambda: len(list(filter(
        mpirun.is_board, mpirun.left_behind(mark)))) >= count)


@pytest.mark.parametrize("how", ["fault", *(
    pytest.param(how, marks=MORE) for how in ("assert", "hang", "die"))])
def test_a_board_elsewhere_fails(load, how):
    """It is named, with what it left."""
    process, mark = start(*job(load, "--inject", f"{how}@4,4", "--watchdog",
                               "20", on="qemu"))
    out, err = process.communicate(timeout=GUARD_S)
    assert process.returncode == 1
    assert out == ""
    assert re.search(r"quincunx: node 4,4 on rank 2 \(\S+\)", err), err
    if how == "fault":
        assert "fault record: exception" in err
    if how == "die":
        assert "died: its process is gone" in err
        assert "ended by signal 9" in err
    assert_gone(mark)


LONG = ["--mesh", "5x5", "--kernel", "spin", "--arg", "100000"]


def processes_of(mark, count):
    """The pids of all ranks, in their order, when all boards are there."""
    boards_of(mark, count)
    found = {mpirun.rank_of(pid): pid for pid in mpirun.left_behind(mark)
             if mpirun.rank_of(pid) is not None and mpirun.is_command(pid)}
    return [found[rank] for rank in sorted(found)]


@pytest.mark.parametrize("rank", [None, pytest.param(0, marks=MORE), 1])
def test_interrupted(load, rank):
    """mpirun, as Ctrl-C does, which then says 1; or a rank: 130 as without."""
    process, mark = start(*LONG, load)
    ranks = processes_of(mark, 25)
    os.kill(process.pid if rank is None else ranks[rank], signal.SIGINT)
    _, err = process.communicate(timeout=GUARD_S)
    assert "quincunx: interrupted; all boards ended" in err
    assert process.returncode == (1 if rank is None else 130), err
    assert_gone(mark)


def blocked(status):
    """The signals that a thread does not take, by /proc/PID/task/TID/status."""
    mask = int(re.search(r"^SigBlk:\s*(\w+)$", status, re.M)[1], 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


@MORE
def test_no_thread_of_mpi_takes_a_signal(load):
    """Or a file that is being written would be left half done."""
    process, mark = start(*LONG, load, count=2)
    for pid in processes_of(mark, 25):
        tasks = pathlib.Path("/proc", str(pid), "task")
        others = [task for task in tasks.iterdir() if task.name != str(pid)]
        assert others
        for task in others:
            assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} <= blocked(
                (task / "status").read_text())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=GUARD_S)
    assert_gone(mark)


@MORE
def test_a_rank_that_goes_on_too_late(load):
    """What it was asked for meanwhile is not taken for words about a board; and
    the rank that is asked behind it has its own time to answer."""
    process, mark = start(*job(load, "--boot", "exec", "--watchdog", "2",
                               on="qemu", size="12x12"), count=3)
    one = mesh.until(lambda: [pid for pid in mpirun.left_behind(mark)
                              if mpirun.is_command(pid)
                              and mpirun.rank_of(pid) == 1
                              and len(mesh.children_of(pid)) > 3])[0]
    os.kill(one, signal.SIGSTOP)
    lines = [process.stderr.readline()]
    while "nothing is heard" not in lines[-1]:
        lines.append(process.stderr.readline())
        assert lines[-1]
    os.kill(one, signal.SIGCONT)
    err = process.stderr.read()
    assert process.wait(GUARD_S) == 1
    process.communicate()
    assert re.search(r"nothing is heard on rank 1 \(", lines[-1])
    assert "of 144 boards came up" in err
    assert "nothing is heard on rank 2" not in err
    assert all(line.isprintable() for line in err.splitlines()), err
    assert_gone(mark)


@MORE
def test_a_rank_is_killed(load):
    """mpirun names it, and ends the others."""
    process, mark = start(*LONG, load)
    os.kill(processes_of(mark, 25)[1], signal.SIGKILL)
    _, err = process.communicate(timeout=GUARD_S)
    assert process.returncode == 128 + signal.SIGKILL, err
    assert "rank 1" in err and "signal 9" in err
    assert_gone(mark)

# SPDX-License-Identifier: Apache-2.0
"""Jobs that were ended and go on: `--checkpoint`."""
import json
import os
import re
import resource
import signal
import subprocess

import pytest

import mesh
from guard import GUARD_S

BYTES, BATCH, BATCHES = 60_000, 9_000, 7
WORD = b"st"
JOB = ["--arg", f"(?offsets){WORD.decode()}", "--batch", BATCH, "load"]
GOES_ON = "quincunx: the same command goes on from batch {} of {}\n"
ANEW = "; name another file, or remove this one to begin anew\n"


@pytest.fixture(scope="module", name="data")
def make_data():
    return mesh.text(BYTES, mesh.seeded("checkpoint"))


@pytest.fixture(name="at")
def make_folder(data, tmp_path):
    """A folder with the load alone."""
    (tmp_path / "load").write_bytes(data)
    return tmp_path


def run(at, *args, kernel="search", job=None, **env):
    """A finished job without an output; `env` is of die.c."""
    preload = {"LD_PRELOAD": f"{mesh.BUILD}/test/die.so",
               "DIE_BY": int(signal.SIGKILL), "LOOK_S": 1, **env}
    return mesh.command(
        "run", "--mesh", "3x2", "--on", "native", "--kernel", kernel, "--json",
        *args, *(job or JOB), cwd=at,
        env={**os.environ, **({name: str(value) for name, value
                               in preload.items()} if env else {})})


def kept(at, *args, **more):
    return run(at, "--checkpoint", "kept", *args, **more)


def names(at):
    """All files but what is left of an output that was being written."""
    return sorted(path.name for path in at.iterdir()
                  if not re.fullmatch(r"out\.\d+-\d\.tmp", path.name))


def check(done, data, resumed):
    """The result is right, and so many batches were not computed again."""
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert report["result"]["count"] == len(mesh.occurrences(data, WORD))
    assert report["load"] == {"bytes": BYTES, "units": BYTES}
    sums = report.get("resumed", {"batches": 0, "bytes": 0, "units": 0})
    assert sums["batches"] == resumed
    assert sums["bytes"] == sums["units"]
    assert ("resumed" in report) == (resumed > 0)
    batches = [batch["units"] for batch in report["batches"]]
    assert sum(batches) == BYTES
    assert len(batches) == BATCHES - resumed + (resumed > 0)
    assert resumed == 0 or batches[1] == sums["units"]
    return report


def check_output(at, data):
    offsets = "".join(f"{found}\n" for found in mesh.occurrences(data, WORD))
    assert (at / "out").read_text() == offsets


def test_a_job_that_nobody_ends(at, data):
    plain = check(run(at, "-o", "out"), data, 0)
    report = check(kept(at, "-o", "out"), data, 0)
    assert names(at) == ["load", "out"]
    check_output(at, data)
    for key in ("plan", "measured", "timeline_sha256"):
        assert report[key] == plain[key]


def test_a_second_passes_between_two_writes(at, data):
    """The first batch is written; no other one finds that there is no
    space."""
    check(kept(at, LOOK_S=0, FULL_AT=8, FULL_END=99), data, 0)


# ---- SIGKILL ----

def ended_at(at, call, *args, **more):
    """Ends a job at its call with this number; whether it came so far."""
    done = kept(at, *args, DIE_AT=call, **more)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def ended_after(at, batches, *args, anew=True):
    """Ends a job when it has kept so many batches. Each output is tried; a
    write, a sync and a rename keep a result, two more its output."""
    output = len(args) > 0
    assert ended_at(at, 1 + output + 3 * anew + batches * (3 + 2 * output),
                    *args)
    assert names(at) == sorted(["kept", "load"] + ["kept.so-far"] * output)


@pytest.mark.parametrize("args", [["-o", "out"], []], ids=["output", "none"])
def test_ended_at_every_call_that_changes_a_file(at, data, args):
    """At most the batch that is being kept is computed again, and no file
    stays."""
    call, seen = 1 + len(args) // 2, []
    while ended_at(at, call + 1, *args):
        done = kept(at, *args)
        seen.append(json.loads(done.stdout).get("resumed", {}).get("batches",
                                                                   0))
        check(done, data, seen[-1])
        assert names(at) == ["load", *args[1:]]
        if args:
            check_output(at, data)
            (at / "out").unlink()
        call += 1
    # The last calls write the output and remove the files.
    assert set(seen) == set(range(BATCHES))
    assert seen[:-1] == sorted(seen[:-1])


@pytest.mark.parametrize("args", [["-o", "out"], []], ids=["output", "none"])
def test_ended_again_and_again(at, data, args):
    for batch in range(1, BATCHES):
        ended_after(at, 1, *args, anew=batch == 1)
    check(kept(at, *args), data, BATCHES - 1)


def test_what_a_longer_output_has_more_does_not_count(at, data):
    ended_after(at, 3, "-o", "out")
    with (at / "kept.so-far").open("ab") as file:
        file.write(b"more")
    check(kept(at, "-o", "out"), data, 3)
    check_output(at, data)


# ---- Ctrl-C ----

def test_ctrl_c_says_where_the_job_goes_on(at, data):
    done = kept(at, "-o", "out", DIE_AT=2 + 3 + 3 * 5 + 1, DIE_BY=signal.SIGINT)
    assert done.returncode == -signal.SIGINT
    assert done.stderr == GOES_ON.format(4, BATCHES)
    check(kept(at, "-o", "out"), data, 3)


def test_ctrl_c_before_any_batch(at):
    done = kept(at, "-o", "out", DIE_AT=6, DIE_BY=signal.SIGINT)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_ctrl_c_on_boards(tmp_path):
    """What was finished less than a second ago is kept, too."""
    mesh.zeros(tmp_path / "load", 640_000)
    line = [mesh.QUINCUNX, "run", "--mesh", "2x2", "--kernel", "spin", "--arg",
            "300", "--batch", "10000", "--checkpoint", "kept", "--json", "load"]
    said = b""
    with subprocess.Popen([*line, "--progress", "line"], cwd=tmp_path,
                          stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL) as process:
        under_way = 0
        while under_way < 4:
            more = process.stderr.read1()
            assert more, said
            said += more
            under_way = int(re.findall(rb"batch (\d+) of 64|$", said)[-2] or 0)
        process.send_signal(signal.SIGINT)
        said += process.communicate(timeout=GUARD_S)[1]
    assert process.returncode == 130
    assert b"quincunx: interrupted; all boards ended\n" in said
    batch = int(re.search(rb"from batch (\d+)", said)[1])
    assert said.endswith(GOES_ON.format(batch, 64).encode())
    assert batch >= under_way
    done = subprocess.run(line, cwd=tmp_path, capture_output=True,
                          timeout=GUARD_S, check=True)
    report = json.loads(done.stdout)
    assert report["resumed"]["batches"] == batch - 1
    assert report["result"] == {"units": 640_000}


def test_an_empty_load(at):
    (at / "load").write_bytes(b"")
    done = kept(at)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["result"]["count"] == 0
    assert names(at) == ["load"]


# ---- what is refused ----

def refused(at, why, *args, **more):
    """A row's message, whole; nothing is changed."""
    before = {name: (at / name).read_bytes() for name in names(at)}
    done = kept(at, *args, **more)
    assert done.returncode == 1
    assert done.stderr.endswith(f"quincunx: --checkpoint 'kept': {why}" + ANEW)
    assert before == {name: (at / name).read_bytes() for name in names(at)}


OTHERS = {
    "kernel": ("is of another kernel", {"kernel": "stats", "job": [
        "--batch", BATCH, "load"]}),
    "argument": ("is of another argument (--arg, a file that it names, or -o)",
                 {"job": ["--arg", "sT", *JOB[2:]]}),
    "unit": ("is of another --unit", {"job": [*JOB, "--unit", "2"]}),
    "batch": ("has batches of another length (--batch, or what a node's memory "
              "takes)", {"job": [*JOB, "--batch", "8000"]})}


@pytest.mark.parametrize("other", OTHERS)
def test_a_checkpoint_of_another_job(at, data, other):
    ended_after(at, 2)
    refused(at, OTHERS[other][0], **OTHERS[other][1])
    check(kept(at), data, 2)


def test_a_checkpoint_of_another_input(at, data):
    ended_after(at, 2)
    for wrong in (data[:-1] + b"?", data[1:], data + b"?", b"?" + data[1:]):
        (at / "load").write_bytes(wrong)
        refused(at, "is of another INPUT")
    (at / "load").rename(at / "other")
    (at / "other").write_bytes(data)
    check(kept(at, job=[*JOB[:-1], "other"]), data, 2)


def test_a_checkpoint_without_batches_may_be_of_any_job(at, data):
    assert ended_at(at, 6)
    (at / "load").write_bytes(b"st" + data[2:])
    check(kept(at), b"st" + data[2:], 0)


def test_another_image_of_boards(at):
    ended_after(at, 2)
    refused(at, "is of another program, or another image of the boards",
            "--on", "qemu")


def test_a_checkpoint_that_is_cut_or_damaged(at, data):
    ended_after(at, 2)
    whole = (at / "kept").read_bytes()
    chance = mesh.seeded("damage")
    for size in (0, 1, 15, 16, 31, 32, *chance.sample(range(len(whole)), 8),
                 len(whole) - 1):
        (at / "kept").write_bytes(whole[:size])
        refused(at, "is cut or damaged")
    for place in chance.sample(range(len(whole)), 12):
        wrong = bytearray(whole)
        wrong[place] ^= 1 << chance.randrange(8)
        (at / "kept").write_bytes(wrong)
        refused(at, "is no checkpoint" if place < 16 else "is cut or damaged")
    (at / "kept").write_bytes(whole)
    check(kept(at), data, 2)


def test_an_output_that_is_cut_or_damaged(at, data):
    ended_after(at, 3, "-o", "out")
    part = at / "kept.so-far"
    whole = part.read_bytes()
    why = "has an output (.so-far) that is cut or damaged"
    for wrong in (b"", whole[:-1], b"?" + whole[1:], whole[:-1] + b"?"):
        part.write_bytes(wrong)
        refused(at, why, "-o", "out")
    part.unlink()
    refused(at, "lacks its output", "-o", "out")
    part.write_bytes(whole)
    check(kept(at, "-o", "out"), data, 3)


# ---- a disk that is full ----

def test_a_full_disk_at_the_start(at):
    for call in (2, 3, 4):
        done = kept(at, FULL_AT=call, FULL_END=99)
        assert done.returncode == 1
        assert (done.stderr == "quincunx: --checkpoint 'kept': No space left "
                "on device\n")
        assert names(at) == ["load"]


def test_a_limit_of_sizes(at):
    done = mesh.command(
        "run", "--mesh", "3x2", "--on", "native", "--kernel", "search", *JOB,
        "--checkpoint", "kept", cwd=at, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (100, 100)))
    assert done.returncode == 1
    assert (done.stderr == "quincunx: --checkpoint 'kept': File too large "
            "(ulimit -f: 100 bytes)\n")
    assert names(at) == ["load"]


def test_a_disk_that_is_full_for_a_while(at, data):
    """The job goes on, which is told once; and batches are kept again."""
    warning = ("quincunx: --checkpoint 'kept': No space left on device; the "
               "job goes on\n")
    done = kept(at, FULL_AT=5, FULL_END=99)
    assert (done.returncode, done.stderr) == (0, warning)
    assert names(at) == ["load"]
    done = kept(at, FULL_AT=9, FULL_END=11, DIE_AT=16)
    assert (done.returncode, done.stderr) == (-signal.SIGKILL, warning)
    check(kept(at), data, 4)


# ---- 20 random times, on boards ----

def changes(path, count):
    """A condition: a file was there, or replaced, so many times."""
    seen = set()

    def changed():
        if path.exists():
            seen.add(path.stat().st_mtime_ns)
        return len(seen) >= count
    return changed


@pytest.mark.boards
def test_twenty_times_on_boards(tmp_path):
    chance = mesh.seeded("kill")
    mesh.zeros(tmp_path / "load", 8_000_000)
    line = [mesh.QUINCUNX, "run", "--mesh", "5x5", "--kernel", "spin", "--arg",
            "400,1/50", "--batch", "500000", "--json", "load", "-o"]
    subprocess.run([*line, "plain"], cwd=tmp_path, check=True,
                   capture_output=True, timeout=GUARD_S)
    for _ in range(20):
        with subprocess.Popen([*line, "out", "--checkpoint", "kept"],
                              cwd=tmp_path, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            kept_enough = changes(tmp_path / "kept", chance.randint(1, 7))
            mesh.until(lambda: kept_enough() or process.poll() is not None)
            process.kill()
        done = subprocess.run([*line, "out", "--checkpoint", "kept"],
                              cwd=tmp_path, check=True, capture_output=True,
                              timeout=GUARD_S)
        assert json.loads(done.stdout)["result"]["units"] == 8_000_000
        assert ((tmp_path / "out").read_bytes()
                == (tmp_path / "plain").read_bytes())
        assert names(tmp_path) == ["load", "out", "plain"]
        (tmp_path / "out").unlink()

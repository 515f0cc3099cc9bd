# SPDX-License-Identifier: Apache-2.0
"""Outputs to standard output, and what becomes of a run whose outputs cannot
be written: a message, a status that is not 0, nothing left behind."""
import json
import os
import re
import resource
import signal
import subprocess

import pytest

import mesh
from guard import GUARD_S

RUN = ["run", "--mesh", "5x5", "--on", "native", "--kernel", "spin", "--arg",
       "32"]


@pytest.fixture(name="load")
def load_fixture(tmp_path):
    path = tmp_path / "load"
    path.write_bytes(bytes(5000))
    return path


def popen(*args, **options):
    return subprocess.Popen([mesh.QUINCUNX, *map(str, args)],
                            stdin=subprocess.DEVNULL, **options)


# ---- to standard output ----

def test_standard_output_has_the_file_alone(load):
    """The summary goes to standard error."""
    for option, name, begins in [
            ("--report", "-", "{"), ("--trace", "/dev/stdout", "{"),
            ("--gantt", "-", "<?xml"), ("--html", "-", "<!DOCTYPE html>")]:
        done = mesh.command(*RUN, option, name, load)
        assert done.returncode == 0
        assert done.stdout.startswith(begins)
        assert not re.search("^makespan ", done.stdout, re.M)
        assert re.search("^makespan ", done.stderr, re.M)
        if begins == "{":
            json.loads(done.stdout)


def test_a_stream_may_be_a_file(load, tmp_path):
    """It is written on where it stands, and not replaced."""
    path = tmp_path / "all"
    for where, stream, other in [("-", "stdout", "stderr"),
                                 ("/dev/stderr", "stderr", "stdout")]:
        with path.open("w", encoding="ascii") as out:
            out.write("before\n")
            out.flush()
            with popen(*RUN, "--report", where, load,
                       **{stream: out, other: subprocess.DEVNULL}) as process:
                assert process.wait(GUARD_S) == 0
            out.seek(0, os.SEEK_END)
            out.write("after\n")
        first, rest = path.read_text().split("\n", 1)
        assert first == "before"
        assert json.loads(rest.removesuffix("after\n"))["kernel"] == "spin"
        assert rest.endswith("}\nafter\n")


def test_a_link_stays_a_link(load, tmp_path):
    """An output goes where it leads, also if nothing is there yet; a file
    keeps its mode."""
    (tmp_path / "made").mkdir()
    made = tmp_path / "made" / "report.json"
    (tmp_path / "second").symlink_to(made)
    for to in "made/report.json", f"../{tmp_path.name}/made/report.json", \
            "second":
        link = tmp_path / "link"
        link.symlink_to(to)
        for there in False, True:
            if there:
                made.write_text("old")
                made.chmod(0o640)
            done = mesh.command(*RUN, "--report", link, load)
            assert done.returncode == 0, done.stderr
            assert link.is_symlink() and not made.is_symlink()
            assert json.loads(made.read_text())["kernel"] == "spin"
            assert sorted(p.name for p in tmp_path.iterdir()) == [
                "link", "load", "made", "second"]
        assert made.stat().st_mode & 0o777 == 0o640
        made.unlink()
        link.unlink()
    link.symlink_to("link")  # a circle
    done = mesh.command(*RUN, "--report", link, load)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Too many levels of symbolic links" in done.stderr
    assert link.is_symlink()


def test_an_output_to_standard_output(tmp_path):
    """The rows of a table; and an image, of the kind of its input."""
    load = tmp_path / "in.csv"
    load.write_text("a,b\n1,2\n3,4\n")
    done = mesh.command("run", "--mesh", "2x2", "--on", "native", "--kernel",
                        "records", "--arg", "name=a,op=gt,value=2", "-o", "-",
                        load)
    assert (done.returncode, done.stdout) == (0, "a,b\n3,4\n")
    image, same = tmp_path / "in.pgm", tmp_path / "out.pgm"
    image.write_bytes(b"P5 4 4 255\n" + bytes(range(16)))
    line = [mesh.QUINCUNX, "run", "--mesh", "2x2", "--on", "native",
            "--kernel", "conv", "--arg", "filter=sobel", image, "-o"]
    subprocess.run([*line, same], check=True, capture_output=True)
    done = subprocess.run([*line, "-"], check=True, capture_output=True)
    assert done.stdout == same.read_bytes()


def test_outputs_of_several_originators_in_one_stream(tmp_path):
    """Each is a file of its own, one behind the other."""
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(f"x,y\n1,{name}\n")
    done = mesh.command(
        "run", *"--mesh 2x2 --on native --kernel records --arg "
        "name=x,op=ge,value=1 -o - --originator 0,0=a.csv --originator "
        "1,0=b.csv".split(), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "x,y\n1,a\nx,y\n1,b\n")


def test_pages_and_profiles_to_standard_output(load, tmp_path):
    report, page = tmp_path / "report.json", tmp_path / "page.html"
    mesh.command(*RUN, "--report", report, "--html", page, load)
    for source in report, "-":
        with open(report, encoding="utf-8") as file:
            done = subprocess.run(
                [mesh.QUINCUNX, "html", source, "-o", "-"], stdin=file,
                capture_output=True, text=True, check=True)
        assert done.stdout == page.read_text()
    line = ["calibrate", "--mesh", "2x2", "--on", "native"]
    done = mesh.command(*line, "-o", "-")
    assert done.returncode == 0 and "round trips" in done.stderr
    profile = tmp_path / "profile"
    mesh.command(*line, "-o", profile)
    assert done.stdout == profile.read_text()
    there = mesh.command(*line, "-o", tmp_path / "none" / "x")
    assert (there.returncode, there.stdout) == (1, "")


# ---- what cannot be written ----

def test_a_reader_that_goes_away(tmp_path):
    """It has had enough: nothing is said, whatever library writes."""
    image = tmp_path / "a.pgm"
    image.write_bytes(b"P5 300 300 255\n" + bytes(range(250)) * 360)
    run = ["run", "--mesh", "2x2", "--on", "native", "--kernel", "conv",
           "--arg", "filter=gauss", image]
    for words in (["certificate", "--torus", "125"], ["kernels"],
                  [*run, "--quiet", "-o", "-"], [*run, "--html", "-"]):
        reader, writer = os.pipe()
        os.close(reader)
        with popen(*words, stdout=writer, stderr=subprocess.PIPE, text=True
                   ) as process:
            os.close(writer)
            said = process.stderr.read()
            assert process.wait(GUARD_S) == 1
        assert "quincunx: standard" not in said and "Broken" not in said


def test_a_closed_stream_is_not_taken_for_a_file(load):
    """With standard output closed, no file gets its number and its text."""
    line = (f"exec '{mesh.QUINCUNX}' run --mesh 2x2 --on native --kernel search"
            f" --arg a --report - '{load}' '{load}' >&-")
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert done.stderr == "quincunx: standard output: Bad file descriptor\n"


def test_a_limit(load, tmp_path):
    """Of a file's size, or of open files."""
    for on, kind, value, why in [
            ("qemu", resource.RLIMIT_FSIZE, 8192, "File too large"),
            ("native", resource.RLIMIT_NOFILE, 4, "Too many open files")]:
        line = [word if word != "native" else on for word in RUN]
        with popen(*line, "--report", tmp_path / "report.json", load,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                   preexec_fn=lambda: resource.setrlimit(kind, (value, value))
                   ) as process:
            _, said = process.communicate(timeout=GUARD_S)
            children = mesh.children_of(process.pid)
        assert process.returncode == 1 and children == []
        assert re.search(why, said)
        assert sorted(tmp_path.iterdir()) == [load]


def test_a_signal_while_an_output_is_written(load, tmp_path):
    """Between two bytes of it. No temporary file stays, and no half of one
    under the name."""
    report, stop = tmp_path / "report.json", tmp_path / "stop"
    os.mkfifo(stop)
    with popen(*RUN, "--report", report, load, stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL, env={
                   **os.environ, "STOP_AT": str(stop),
                   "LD_PRELOAD": f"{mesh.BUILD}/test/stop_write.so"}
               ) as process:
        with stop.open("wb"):
            [part] = tmp_path.glob("*.tmp")
            half = part.read_bytes()
            process.send_signal(signal.SIGTERM)
        assert process.wait(GUARD_S) == -signal.SIGTERM
    assert sorted(tmp_path.iterdir()) == [load, report, stop]
    whole = report.read_bytes()
    assert json.loads(whole)["kernel"] == "spin"
    assert half and whole.startswith(half) and len(half) < len(whole)


def test_a_file_that_the_disk_does_not_take(load, tmp_path):
    """It gets no name, and what had it stays."""
    report = tmp_path / "report.json"
    report.write_text("before")
    done = mesh.command(*RUN, "--report", report, load, env={
        **os.environ, "LD_PRELOAD": f"{mesh.BUILD}/test/stop_write.so"})
    assert done.returncode == 1 and "Input/output error" in done.stderr
    assert sorted(tmp_path.iterdir()) == [load, report]
    assert report.read_text() == "before"


def test_what_a_killed_run_left_keeps_its_name(load, tmp_path):
    """Also if it had the same process number: a shell's, which exec keeps."""
    line = ("for i in 0 1; do echo left > report.$$-$i.tmp; done; "
            'exec "$@" --report report load')
    done = subprocess.run(["sh", "-c", line, "sh", mesh.QUINCUNX, *RUN],
                          cwd=tmp_path, capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads((tmp_path / "report").read_text())["kernel"] == "spin"
    assert [part.read_text() for part in tmp_path.glob("*.tmp")] == [
        "left\n"] * 2
    assert len(list(tmp_path.iterdir())) == 4

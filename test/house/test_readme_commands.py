# SPDX-License-Identifier: Apache-2.0
"""Every command of README.md, in its order and as it is written, in a copy of
this checkout."""
import os
import re
import shutil
import signal
import subprocess

import pytest

from guard import GUARD_S
from core import BUILD, ROOT
from rules import FILES, read

# Commands that are not run here, as patterns, and why.
LEFT_OUT = {
    r"make test": "all other tests, which take minutes",
    r"make flash-(map|mesh) .*": "needs real boards",
    r"build/quincunx \w+ --port /dev/ttyUSB0 .*": "needs real boards"}
PROGRAMS = ("make", "build/quincunx", "docker", "podman", "sudo", "apt", "git")


def commands_in(text):
    """The commands in a page's blocks of code, lines that go on joined, without
    comments and prompts."""
    found = []
    for block in re.findall(r"(?:^    .*\n|^\n)+", text, re.MULTILINE):
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            line = re.sub(r"\s+# .*$", "", line.strip().removeprefix("$ "))
            if line.split(" ")[0] in PROGRAMS:
                found.append(line)
    return found


COMMANDS = commands_in(read("README.md"))


def left_out(command):
    return any(re.fullmatch(pattern, command) for pattern in LEFT_OUT)


def run(command, folder):
    """Its exit status and output; it is ended with all that it started."""
    env = {key: value for key, value in os.environ.items()
           if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD")}
    process = subprocess.Popen(
        ["sh", "-c", command], cwd=folder, env=env, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=GUARD_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        pytest.fail(f"{command} takes too long:\n{output}")
    return process.returncode, output


def test_commands_are_found():
    text = ("Text\n\n    make run   # a comment\n    output\n\n    $ make -j2\n"
            "    build/quincunx plan \\\n        --torus 25\n\n`make none`\n")
    assert commands_in(text) == ["make run", "make -j2",
                                 "build/quincunx plan --torus 25"]


def test_few_commands_are_left_out():
    assert len(COMMANDS) > 10
    assert len([c for c in COMMANDS if not left_out(c)]) > 5
    assert [pattern for pattern in LEFT_OUT if not any(
        re.fullmatch(pattern, command) for command in COMMANDS)] == []


@pytest.mark.boards
def test_every_command_runs_as_written(tmp_path):
    folder = tmp_path / "quincunx"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    shutil.copytree(BUILD, folder / "build", symlinks=True,
                    ignore=shutil.ignore_patterns("deb", "qemu10", "*.deb"))
    for command in COMMANDS:
        if left_out(command):
            continue
        status, output = run(command, folder)
        assert status == 0, f"{command}:\n{output}"
    for name in ("report.json", "report.html", "gantt.svg", "trace.json"):
        assert (folder / "build" / name).stat().st_size > 0

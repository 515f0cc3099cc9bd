# SPDX-License-Identifier: Apache-2.0
"""A load without units has the answer of nothing: no node starts for it."""
import hashlib
import json

import pytest

import mesh

ARGS = {"search": "needle", "stats": "type=u16", "spin": "8,1/4",
        "dictionary": hashlib.sha256(b"word").hexdigest()}


@pytest.fixture(name="empty")
def fixture_empty(tmp_path):
    path = tmp_path / "empty"
    path.touch()
    return path


@pytest.mark.parametrize("on", ["native", "qemu"])
@pytest.mark.parametrize("kernel", ARGS)
def test_an_empty_file(kernel, on, empty):
    done = mesh.command("run", "--mesh", "5x5", "--on", on, "--json",
                        "--kernel", kernel, "--arg", ARGS[kernel], empty)
    report = json.loads(done.stdout)
    assert (done.returncode, report["load"]["units"]) == (0, 0), done.stderr
    assert report["result"].get("count", 0) == 0
    assert report["measured"]["makespan_ps"] == 0 == report["network"][
        "messages"]


def test_every_report_of_it_can_be_written(empty, tmp_path):
    files = {option: tmp_path / option[2:]
             for option in ("--html", "--gantt", "--trace", "--report")}
    done = mesh.command(
        "run", "--mesh", "5x5", "--kernel", "spin", "--arg", "8,1/4", empty,
        "-o", tmp_path / "out",
        *(word for pair in files.items() for word in pair))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The load is empty, so no node was started")
    assert (tmp_path / "out").read_bytes() == b""
    json.loads(files["--trace"].read_text())
    assert json.loads(files["--report"].read_text())["remarks"] == []
    assert all(path.stat().st_size > 0 for path in files.values())


def test_schedules_of_it_are_not_compared(empty):
    done = mesh.command("compare", "--mesh", "5x5", "--kernel", "spin",
                        "--arg", "8", empty)
    assert done.returncode == 1
    assert "is empty; schedules need one unit or more" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""Two runs of every schedule on boards have one report, to the picosecond.
(Beside a busy host: test/boards/test_busy_host.py.)

QUINCUNX_SEED chooses the load.
"""
import json
import re

import pytest

import mesh

SCHEDULES = ["peters-syska", "equal", "binomial", "nearest", "star", "farm",
             "hybrid", "auto"]
RUNS = 2
# Wall times and memory are the host's, and the command tells runs apart.
HOSTS = re.compile(r'\s*"(?:(?:wall_s|memory)": \{[^}]*\}'
                   r'|command": "(?:[^"\\]|\\.)*"),?')


@pytest.fixture(scope="module", name="load")
def fixture_load(tmp_path_factory):
    path = tmp_path_factory.mktemp("repeat") / "load"
    path.write_bytes(mesh.seeded("repeat").randbytes(20_000))
    return path


def report_of(load, *args):
    """The report file as text, without what is the host's."""
    report = load.with_name("report.json")
    mesh.run(load, "--profile", "t3d", "--report", report, *args,
             arg="24,burst", rounds="auto")
    text, found = HOSTS.subn("", report.read_text(encoding="utf-8"))
    assert found == 3
    return text


def test_every_schedule_is_here():
    done = mesh.command("run", "--mesh", "5x5", "--schedule", "nobody")
    assert done.returncode == 2
    words = re.search(r"must be (.*)", done.stderr)[1]
    assert re.split(", | or ", words) == SCHEDULES


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_boards_repeat_themselves(load, schedule):
    """Units of uneven cost, on boards of which one becomes slow in mid-job."""
    args = ["--schedule", schedule, "--inject", "slow4@3,1@500us"]
    texts = [report_of(load, *args) for _ in range(RUNS)]
    assert len(set(texts)) == 1
    units = json.loads(texts[0])["measured"]["nodes"]
    assert sum(node["units"] for node in units) == 20_000


def test_another_board_has_another_timeline(load):
    """What is compared tells runs apart."""
    texts = {report_of(load, "--schedule", "farm", "--inject",
                       f"slow4@3,1@{us}us") for us in (500, 501)}
    assert len(texts) == 2

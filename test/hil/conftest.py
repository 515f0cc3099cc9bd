# SPDX-License-Identifier: Apache-2.0
"""`make hil`: which mesh, and the report of what was measured.

Other runs of pytest leave these tests alone: they want a mesh of their own.
"""
import os
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

ON = bool(os.environ.get("QUINCUNX_HIL"))
if not ON:
    collect_ignore_glob = ["test_*"]
else:
    import rig
    import notes

    NOTES = notes.Notes()


@pytest.fixture(scope="session", name="notes")
def fixture_notes():
    return NOTES


@pytest.fixture(scope="session", name="mesh_up")
def fixture_mesh_up(notes):
    """The mesh; its boards are there, but have not found each other yet."""
    port = rig.environment("PORT", None)
    try:
        it = rig.Bench(port, rig.environment("MESH", "5x5"))
    except rig.Unusable as error:
        pytest.exit(f"PORT={port or ''}: {error}", 2)
    notes.begin(it)
    yield it
    it.stop()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A fixture's time counts as the first test's that wants it."""
    report = (yield).get_result()
    item.hil_seconds = getattr(item, "hil_seconds", 0) + report.duration
    if ON and (report.when == "call" or not report.passed):
        NOTES.result(item.name, report, item.hil_seconds)


def pytest_sessionfinish():
    if ON and NOTES.results:
        NOTES.write(rig.BUILD / rig.environment("REPORT", "hil.txt"))


def pytest_terminal_summary(terminalreporter):
    if ON and NOTES.results:
        terminalreporter.section("measured")
        terminalreporter.write(NOTES.table())

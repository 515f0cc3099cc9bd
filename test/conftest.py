# SPDX-License-Identifier: Apache-2.0
"""The closing line `N passed, N failed`, and what several tests share."""
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
for folder in (HERE, HERE / "oracle"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


# Whose tests take longest: they begin first, so that workers end together.
LONGEST = ("test_prove", "test_prove_planner", "test_run",
           "test_kernels_everywhere", "test_trees", "test_tree_plan")


def pytest_addoption(parser):
    parser.addoption(
        "--boards", action="store_true",
        help="also whole meshes of emulated stm32f405 and other long runs: "
             "minutes of two cores")


def pytest_collection_modifyitems(items):
    def rank(item):
        name = item.path.stem
        return LONGEST.index(name) if name in LONGEST else len(LONGEST)

    items.sort(key=rank)


def closing_line(stats):
    passed = len(stats.get("passed", [])) + len(stats.get("xfailed", []))
    failed = sum(len(stats.get(kind, []))
                 for kind in ("failed", "error", "xpassed"))
    skipped = len(stats.get("skipped", []))
    line = f"{passed} passed, {failed} failed"
    return line + f", {skipped} skipped" if skipped else line


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """After pytest's own summary: at every end, also of the collection's."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.ensure_newline()
        reporter.write_line(closing_line(reporter.stats))


@pytest.fixture(scope="session")
def core():
    import core as library

    return library.load()


@pytest.fixture(scope="session")
def quincunx():
    """The host command's path."""
    import core as library

    path = library.BUILD / "quincunx"
    assert path.exists(), f"{path} is missing: run `make`"
    return str(path)


@pytest.fixture(scope="session")
def loads(tmp_path_factory):
    """A function that writes a load's bytes down; its result is their path."""
    folder = tmp_path_factory.mktemp("loads")
    count = 0

    def write(data):
        nonlocal count
        count += 1
        path = folder / f"load{count}"
        path.write_bytes(data)
        return path

    return write

# SPDX-License-Identifier: Apache-2.0
"""The closing line `N passed, N failed`, which QEMU the boards run in, and what
several tests share."""
import os
import pathlib
import signal
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE / "lib", HERE / "oracle"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

# What a command says about its progress on a busy machine is no part of what
# tests expect on stderr.
os.environ["QUINCUNX_PROGRESS"] = "none"

# A shell has its jobs in the background ignore Ctrl-C, and nohup a hang-up; so
# would commands that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

import parts  # noqa: E402
from guard import GUARD_S  # noqa: E402

# Where .ci/run, which prints one closing line for several runs, wants this
# run's three counts. Not for a pytest that a test starts.
COUNTS = os.environ.pop("QUINCUNX_COUNTS", None)

# Files that take longest, the longest first: they begin first, so that workers
# end together. Of `make test`, then of `make test-boards`.
LONGEST = ("test_serial_run", "test_fuzz", "test_programs",
           "test_serial_originators", "test_wired", "test_chip", "test_boards",
           "test_ranks", "test_boot", "test_refused", "test_rates",
           "test_flash", "test_ps", "test_launcher", "test_node_rounds",
           "test_any_job", "test_trees", "test_plan", "test_run",
           "test_model_results", "test_calibrate", "test_gdb",
           "test_inject", "test_new_kernel", "test_tree", "test_chip_boards",
           "test_kernels_everywhere", "test_page",
           "test_prove")


def pytest_addoption(parser):
    parser.addoption(
        "--boards", action="store_true",
        help="the tests with the mark `boards`, in place of all others")


def pytest_configure(config):
    """Ends at once, with status 2, if QUINCUNX_QEMU names no QEMU."""
    import core as library

    config.addinivalue_line(
        "markers", "boards: takes long: hundreds of boards, whole meshes of "
                   "stm32f405, real time, thousands of plans; `make "
                   "test-boards` runs it and `make test` does not")
    config.addinivalue_line(
        "markers", "parts(N): the same test N times; only the first time "
                   "without the mark `boards`")
    command = library.BUILD / "quincunx"
    if (hasattr(config, "workerinput") or not command.exists()
            or not os.environ.get("QUINCUNX_QEMU")):
        return
    done = subprocess.run(
        [command, "boards", "--mesh", "1x1"], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=GUARD_S, check=False)
    if done.returncode == 2:
        pytest.exit(done.stderr.strip(), 2)


def pytest_report_header():
    import core as library

    return f"QEMU: {library.qemu_version(library.QEMU) or 'none'}"


def pytest_generate_tests(metafunc):
    """`@pytest.mark.parts(N)`: a test that tries N times as much chance in all,
    most of it in `make test-boards`."""
    mark = metafunc.definition.get_closest_marker("parts")
    if mark is not None:
        metafunc.fixturenames.append("part")
        metafunc.parametrize("part", parts.cases(range(*mark.args), 1),
                             indirect=True)


def pytest_collection_modifyitems(config, items):
    """Tests of `make test` or of `make test-boards`; long files first."""
    def rank(item):
        name = item.path.stem
        return LONGEST.index(name) if name in LONGEST else len(LONGEST)

    def wanted(item):
        marked = item.get_closest_marker("boards") is not None
        return marked == config.getoption("--boards")

    left_out = [item for item in items if not wanted(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
    items[:] = sorted(filter(wanted, items), key=rank)


def counts(stats):
    """How many tests passed, failed and were skipped."""
    return (len(stats.get("passed", [])) + len(stats.get("xfailed", [])),
            sum(len(stats.get(kind, []))
                for kind in ("failed", "error", "xpassed")),
            len(stats.get("skipped", [])))


def closing_line(stats):
    passed, failed, skipped = counts(stats)
    line = f"{passed} passed, {failed} failed"
    return line + f", {skipped} skipped" if skipped else line


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """After pytest's own summary: at every end, also of the collection's."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    reporter.ensure_newline()
    if COUNTS is None:
        reporter.write_line(closing_line(reporter.stats))
    else:
        with open(COUNTS, "a", encoding="ascii") as file:
            print(*counts(reporter.stats), file=file)


@pytest.fixture(scope="session")
def part(request):
    """Which of a test's equal parts this is."""
    return request.param


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

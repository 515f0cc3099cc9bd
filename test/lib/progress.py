# SPDX-License-Identifier: Apache-2.0
"""What pytest prints while it runs: a line for each file of tests whose tests
have all ended, in place of a character for each test."""
import collections

import pytest


class Progress:
    """A plugin of the process that prints. Under xdist that one runs no tests:
    it is told of the workers' tests and reports by the same hooks. `reporter`
    is pytest's own, which still prints failures and the summary."""

    def __init__(self, reporter):
        self.reporter = reporter
        self.left = {}  # {file: ids of tests that have not ended}
        self.counts = collections.defaultdict(collections.Counter)
        self.seconds = collections.Counter()
        reporter.showfspath = False
        reporter._show_progress_info = False  # pylint: disable=W0212

    def expect(self, ids):
        for name in ids:
            self.left.setdefault(file_of(name), set()).add(name)

    def pytest_collection_finish(self, session):
        self.expect(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids):
        """All workers collect the same tests; the first one is believed."""
        if not self.left:
            self.expect(ids)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_report_teststatus(self):
        """The category counts; no character is printed."""
        told = yield
        category, _, _ = told.get_result()
        told.force_result((category, "", ""))

    def pytest_runtest_logreport(self, report):
        file = file_of(report.nodeid)
        self.seconds[file] += getattr(report, "duration", 0)
        if report.outcome != "passed" or report.when == "call":
            self.counts[file][report.outcome] += 1
        if report.when not in ("setup", "call", "teardown"):
            self.end(report.nodeid)  # the worker died: nothing more will come

    def pytest_runtest_logfinish(self, nodeid):
        self.end(nodeid)

    def end(self, nodeid):
        file = file_of(nodeid)
        left = self.left.get(file, set())
        if nodeid in left:
            left.remove(nodeid)
            if not left:
                self.reporter.write_line(self.line(file))

    def line(self, file):
        counts = self.counts[file]
        words = [f"{counts[kind]} {kind}" for kind in
                 ("passed", "failed", "skipped")
                 if counts[kind] or kind == "passed"]
        return f"{file}: {', '.join(words)}, {self.seconds[file]:.1f} s"


def file_of(nodeid):
    return nodeid.partition("::")[0]

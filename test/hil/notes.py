# SPDX-License-Identifier: Apache-2.0
"""The report of `make hil`: a table of what was measured, and of the tests."""


def time_text(time_ps):
    """With four digits, in the unit that suits it."""
    for unit, size in (("s", 1e12), ("ms", 1e9), ("us", 1e6), ("ns", 1e3)):
        if abs(time_ps) >= size:
            return f"{time_ps / size:.4g} {unit}"
    return f"{time_ps:.4g} ps"


class Notes:
    """What tests found out, in the order in which they did."""

    def __init__(self):
        self.rows = []
        self.results = []
        self.head = []

    def begin(self, bench):
        what = "boards" if bench.timed else "boards of the host's time"
        if bench.model is not None:
            what = "modelled boards (test/boards/chip)"
        self.head = [f"mesh      {bench.mesh} {what}, console {bench.port}"]

    def add(self, what, value, interval="", remark=""):
        self.rows.append((what, value, interval, remark))

    def fitted(self, what, value_ps, half_ps, remark=""):
        self.add(what, time_text(value_ps), f"+- {time_text(half_ps)}", remark)

    def result(self, name, report, seconds):
        why = ""
        if report.skipped and isinstance(report.longrepr, tuple):
            why = report.longrepr[2].removeprefix("Skipped: ")
        self.results.append((name, report.outcome, seconds, why))

    def table(self):
        lines = [*self.head, "",
                 f"{'measured':<38}{'value':>14}{'95 %':>16}  remark"]
        lines += [f"{what:<38}{value:>14}{interval:>16}  {remark}".rstrip()
                  for what, value, interval, remark in self.rows]
        return "\n".join(lines) + "\n"

    def write(self, path):
        counts = {kind: sum(r[1] == kind for r in self.results)
                  for kind in ("passed", "failed", "skipped")}
        lines = [f"{outcome:<9}{seconds:7.1f} s  {name}"
                 + (f": {why}" if why else "")
                 for name, outcome, seconds, why in self.results]
        path.write_text(
            self.table() + "\n" + "\n".join(lines) + "\n\n"
            + ", ".join(f"{n} {kind}" for kind, n in counts.items()) + "\n",
            encoding="utf-8")

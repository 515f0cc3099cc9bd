# SPDX-License-Identifier: Apache-2.0
"""Programs that print TAP, as pytest sees them."""
import re
import subprocess
from typing import NamedTuple

LINE = re.compile(r"(not )?ok (\d+) - (.*)")


class Outcome(NamedTuple):
    results: list  # of (name, passed, diagnostics)
    notes: str     # diagnostics behind the last result
    trouble: str   # of the program as a whole; empty: none


def run(command, timeout):
    """Runs it; a program that is missing is trouble, not an exception."""
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True,
                              text=True, timeout=timeout, check=False,
                              stdin=subprocess.DEVNULL)
    except FileNotFoundError as error:
        return Outcome([], "", f"{error.filename} is missing")
    except subprocess.TimeoutExpired as late:
        heard = (late.stdout or b"").decode(errors="replace")
        return Outcome([], "", f"not ended after {timeout} s:\n{heard}")
    results, notes, plan, trouble = [], [], None, []
    for line in done.stdout.splitlines():
        found = LINE.fullmatch(line)
        if found:
            results.append((found[3], not found[1], "\n".join(notes)))
            notes = []
            if int(found[2]) != len(results):
                trouble.append(f"out of order: {line}")
        elif line.startswith("#"):
            notes.append(line)
        elif re.fullmatch(r"1\.\.\d+", line):
            plan = int(line[3:])
        else:
            trouble.append(f"not TAP: {line}")
    if plan != len(results):
        trouble.append(f"{len(results)} results, the plan says {plan}")
    if done.returncode != any(not passed for _, passed, _ in results):
        trouble.append(f"exit status {done.returncode}")
    if trouble:
        trouble.append(done.stderr)
    return Outcome(results, "\n".join(notes), "\n".join(trouble))


def failures(outcome):
    """The diagnostics of what failed, for an assertion's message."""
    return outcome.trouble + "".join(
        f"\n{notes}\nnot ok - {name}"
        for name, passed, notes in outcome.results if not passed)

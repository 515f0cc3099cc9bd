# SPDX-License-Identifier: Apache-2.0
"""Every TAP line of build/test/unit is a test here."""
import re
import subprocess

import pytest

from core import BUILD

RUNNER = BUILD / "test" / "unit"
TAP = re.compile(r"(not )?ok (\d+) - (.*)")


def run():
    """[(name, passed, diagnostics)], trouble of the runner as a whole."""
    if not RUNNER.exists():
        return [], f"{RUNNER} is missing: run `make test`"
    done = subprocess.run([RUNNER], capture_output=True, text=True,
                          timeout=300, check=False)
    results, notes, plan, trouble = [], [], None, []
    for line in done.stdout.splitlines():
        found = TAP.fullmatch(line)
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
    return results, "\n".join(trouble + [done.stderr] if trouble else [])


RESULTS, TROUBLE = run()


def test_runner_ends_as_it_should():
    assert not TROUBLE, TROUBLE
    assert RESULTS


@pytest.mark.parametrize("passed, notes", [r[1:] for r in RESULTS],
                         ids=[r[0] for r in RESULTS])
def test_unit(passed, notes):
    assert passed, notes

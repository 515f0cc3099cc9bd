# SPDX-License-Identifier: Apache-2.0
"""Receives with an end on emulated boards with serial ports: a program on two
of them (test/hal/conformance/serial_program.c), its observations judged here.
test_conformance.py has the boards whose time is counted."""
import base64
import re
import struct

import emulated
import mesh

IMAGE = mesh.BUILD / "test" / "serial_conformance.elf"
OK, TIMEOUT = 0, -23  # hal/err.h
JOB = 5
STAGES = ["nothing", "nothing now", "early", "comes", "once", "other kind",
          "kind", "passed", "later", "ahead", "ahead gone"]
# Whether the receive gets its message; whether its deadline has passed before.
EXPECTED = {"nothing": (False, False), "nothing now": (False, True),
            "early": (False, False), "comes": (True, False),
            "once": (False, False), "other kind": (False, False),
            "kind": (True, False), "passed": (False, True),
            "later": (True, False), "ahead": (True, True),
            "ahead gone": (False, True)}


def ask(boards, *words):
    return mesh.command("console", "--port", boards.tty[0, 0], *words)


def number(text, key):
    found = re.search(rf"\b{key}=(\d+)", text)
    return int(found[1]) if found else None


def report_of(boards):
    """Gives the leader an order, whatever it says, and gets its report."""
    assert mesh.until(lambda: ask(boards, "mesh", 2, 1).returncode == 0)
    assert mesh.until(lambda: ask(boards, "run", 1, 1, JOB).returncode == 0)
    assert ask(boards, "put", 0, "AA==").returncode == 0
    said = []

    def ready():
        said.append(ask(boards, "report").stdout)
        return "state=ready" in said[-1]
    assert mesh.until(ready), said[-1]
    data = b""
    while len(data) < number(said[-1], "bytes"):
        got = ask(boards, "get", len(data), 96).stdout
        data += base64.b64decode(re.search(r"data=(\S+)", got)[1])
    return data


def test_receives_with_an_end(tmp_path):
    with emulated.Boards(tmp_path, "--keep", size="2x1",
                         image=IMAGE) as boards:
        data = report_of(boards)
    seen = list(struct.iter_unpack("<HhIq", data))
    assert [stage for stage, *_ in seen] == list(range(len(STAGES)))
    for stage, status, intact, from_deadline_ps in seen:
        name = STAGES[stage]
        comes, passed = EXPECTED[name]
        assert (status, intact) == ((OK, 1) if comes else (TIMEOUT, 0)), name
        if not passed:  # of one that has, the deadline is 0
            assert (from_deadline_ps <= 0 if comes
                    else from_deadline_ps >= 0), (name, from_deadline_ps)

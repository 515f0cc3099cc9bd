# SPDX-License-Identifier: Apache-2.0
"""Receives with an end on modelled boards with serial ports: a program on two
of them (test/hal/conformance/serial_program.c), its observations judged here.
test_conformance.py has the boards whose time is counted."""
import base64
import struct

import chip_bench

IMAGE = chip_bench.BUILD / "test" / "serial_conformance.bin"
OK, TIMEOUT = 0, -23  # hal/err.h
JOB, JOB_US = 5, 5_000_000
STAGES = ["nothing", "nothing now", "early", "comes", "once", "other kind",
          "kind", "passed", "later", "ahead", "ahead gone"]
# Whether the receive gets its message; whether its deadline has passed before.
EXPECTED = {"nothing": (False, False), "nothing now": (False, True),
            "early": (False, False), "comes": (True, False),
            "once": (False, False), "other kind": (False, False),
            "kind": (True, False), "passed": (False, True),
            "later": (True, False), "ahead": (True, True),
            "ahead gone": (False, True)}


def report_of(it):
    """Gives the leader an order, whatever it says, and gets its report."""
    assert it.discover() == []
    assert it.ask(f"run 1 1 {JOB}")[0].startswith("ok")
    assert it.ask("put 0 AA==")[0].startswith("ok")
    it.run(JOB_US)
    said = chip_bench.words(it.ask("report")[0])
    assert said["state"] == "ready"
    data = b""
    while len(data) < int(said["bytes"]):
        got = chip_bench.words(it.ask(f"get {len(data)} 96")[0])
        data += base64.b64decode(got["data"])
    return data


def test_receives_with_an_end():
    with chip_bench.started(2, 1, image=IMAGE) as it:
        data = report_of(it)
        chip_bench.check_sound(it)
    seen = list(struct.iter_unpack("<HhIq", data))
    assert [stage for stage, *_ in seen] == list(range(len(STAGES)))
    for stage, status, intact, from_deadline_ps in seen:
        name = STAGES[stage]
        comes, passed = EXPECTED[name]
        assert (status, intact) == ((OK, 1) if comes else (TIMEOUT, 0)), name
        if not passed:  # of one that has, the deadline is 0
            assert (from_deadline_ps <= 0 if comes
                    else from_deadline_ps >= 0), (name, from_deadline_ps)

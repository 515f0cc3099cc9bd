# SPDX-License-Identifier: Apache-2.0
"""Native nodes in threads: with one processor or all that there are, every
event, every circuit and every byte of the output is the same."""
import json
import os
import subprocess

import pytest

import guard
import mesh


@pytest.mark.parametrize("options", [
    ["--mesh", "25x25", "--rounds", "1"], ["--mesh", "5x5", "--rounds", "4"],
    ["--mesh", "6x5", "--ports", "1", "--originator", "2,3"]])
def test_of_any_number(tmp_path, options):
    load, out = tmp_path / "load", tmp_path / "out"
    load.write_bytes(mesh.seeded("threads").randbytes(100_000))
    everyone = os.sched_getaffinity(0)
    seen = []
    for processors in ({min(everyone)}, everyone):
        done = subprocess.run(
            [mesh.QUINCUNX, "run", "--json", "--on", "native", "--kernel",
             "spin", "--arg", "32,1/1", *options, "-o", out, load],
            preexec_fn=lambda: os.sched_setaffinity(0, processors),
            capture_output=True, check=True, timeout=guard.GUARD_S)
        report = json.loads(done.stdout)
        seen.append((report["timeline_sha256"], report["result"],
                     out.read_bytes()))
        out.unlink()
    assert seen[0] == seen[1]

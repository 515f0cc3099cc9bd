# SPDX-License-Identifier: Apache-2.0
"""`make bench-boards`: searches on emulated stm32f405 boards, each on a mesh
that is started for it, with another text; the table, and how many were right.

usage: boards.py [RUNS [BYTES [P/Q [FIRST]]]]
       P/Q: damage of link bytes, by seed; FIRST: number of the first run"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import mesh  # noqa: E402

SIZE, PATTERN = "5x5", b"SPDX-License"
LIMIT_S = 7200
ROW = "{:>4} {:>8} {:>6} {:>12} {:>10} {:>8} {:>13} {:>8}"


def one(number, path, size_bytes, damage):
    """A run: its row, and whether it was right."""
    data = mesh.text(size_bytes, mesh.random.Random(f"boards {number}"))
    path.write_bytes(data)
    expected = mesh.search_result(data, PATTERN)
    faults = ["--damage", damage, "--seed", number] if damage else []
    begin = time.monotonic()
    try:
        done = mesh.command(
            "run", "--json", "--board", "stm32f405", "--mesh", SIZE,
            "--kernel", "search", "--arg", PATTERN.decode(), "--watchdog",
            "600", *faults, path, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"{number:>4} ended by force after {LIMIT_S} s", False
    wall_s = time.monotonic() - begin
    if done.returncode != 0:
        return f"{number:>4} exit {done.returncode}: {done.stderr}", False
    report = json.loads(done.stdout)
    network = report["network"]
    right = report["result"] == expected and (
        damage == "" or network["retransmissions"] > 0)
    return ROW.format(
        number, report["result"]["count"], "yes" if right else "NO",
        f"{report['measured']['makespan_ps'] / 1e9:.1f} ms",
        network["messages"], network["retries"], network["retransmissions"],
        f"{wall_s:.0f} s"), right


def main(runs="20", size_bytes="1000000", damage="", first="1"):
    right = 0
    print(f"search of {size_bytes} bytes on {SIZE} emulated boards, "
          f"{damage or 'none'} of the link bytes damaged")
    print(ROW.format("run", "found", "right", "makespan", "circuits",
                     "retries", "sent again", "wall"), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(first), int(first) + int(runs)):
            row, good = one(number, pathlib.Path(folder) / "text",
                            int(size_bytes), damage)
            right += good
            print(row, flush=True)
    print(f"{right} of {runs} right")
    return 0 if right == int(runs) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

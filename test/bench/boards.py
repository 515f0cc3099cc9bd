# SPDX-License-Identifier: Apache-2.0
"""Searches on emulated stm32f405 boards, again and again."""
import json
import sys

import mesh

SIZE, PATTERN = "5x5", b"SPDX-License"
LIMIT_S = 7200
SEARCHES = "{:>4} {:>8} {:>6} {:>12} {:>10} {:>8} {:>13}"


def search_row(bench, number, size_bytes, damage):
    """A run with a text of its own; whether it was right."""
    data = mesh.text(size_bytes, mesh.random.Random(f"boards {number}"))
    path = bench.folder / "text"
    path.write_bytes(data)
    faults = ["--damage", damage, "--seed", number] if damage else []
    done = mesh.command(
        "run", "--json", "--board", "stm32f405", "--mesh", SIZE, "--kernel",
        "search", "--arg", PATTERN.decode(), "--watchdog", "600", *faults, path,
        timeout=LIMIT_S)
    if done.returncode != 0:
        bench.table.print(f"{number:>4} exit {done.returncode}: {done.stderr}")
        return False
    report = json.loads(done.stdout)
    network = report["network"]
    right = (report["result"] == mesh.search_result(data, PATTERN)
             and (damage == "" or network["retransmissions"] > 0))
    bench.table.row(
        number, report["result"]["count"], "yes" if right else "NO",
        f"{report['measured']['makespan_ps'] / 1e9:.1f} ms",
        network["messages"], network["retries"], network["retransmissions"])
    return right


def search_lines(bench):
    """Words: RUNS [BYTES [P/Q [FIRST]]]; P/Q: damage of link bytes, by seed;
    FIRST: number of the first run."""
    defaults = ["20", "1000000", "", "1"]
    runs, size_bytes, damage, first = [*bench.words,
                                       *defaults[len(bench.words):]]
    bench.table.print(f"search of {size_bytes} bytes on {SIZE} emulated boards,"
                      f" {damage or 'none'} of the link bytes damaged")
    bench.table.headings("run", "found", "right", "makespan", "circuits",
                         "retries", "sent again", shape=SEARCHES)
    right = sum(search_row(bench, number, int(size_bytes), damage)
                for number in range(int(first), int(first) + int(runs)))
    bench.table.print(f"{right} of {runs} right")
    if right != int(runs):
        sys.exit(1)

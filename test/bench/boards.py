# SPDX-License-Identifier: Apache-2.0
"""Searches on emulated stm32f405 boards, again and again; and what a plan gains
from a mesh that was measured."""
import json
import subprocess
import sys

from measure import MEGA, job
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


# ---- a mesh that is measured ----

LVDS = {"startup": 5_000_000, "transfer": 80_000, "hop_delay": 100_000}
WRONG = [("transfer time times 2", {"transfer": 160_000}),
         ("transfer time halved", {"transfer": 40_000}),
         ("startup times 100", {"startup": 500_000_000}),
         ("measured", None)]


def calibrate_lines(bench):
    """A plan with wrong values, a mesh measured, and a plan with what was
    measured, whose overhead is less than 1 %."""
    folder = bench.folder
    load = folder / "load"
    load.write_bytes(mesh.seeded("calibrate").randbytes(MEGA))
    subprocess.run([mesh.QUINCUNX, "calibrate", "--mesh", "5x5", "--profile",
                    "lvds", "-o", folder / "measured"], check=True)
    found = {}
    for name, changed in WRONG:
        path = folder / name
        if changed is not None:
            path.write_text("".join(
                f"{key} = {ps}ps\n" for key, ps in {**LVDS, **changed}.items()),
                encoding="ascii")
        found[name] = bench.told("run", *job(
            "5x5", "lvds", load, "--plan-profile", path, "--rounds", 1,
            arg="8"))
    bench.table.print("\n25 boards, 1 MB, spin 8, one round, over lvds")
    bench.table.headings("plan with", "planned", "makespan", "overhead",
                         "spread", "too long by", shape="{:<26} {:>10} {:>11} "
                         "{:>11} {:>11} {:>13}")
    least = found["measured"]["measured"]["makespan_ps"]
    for name, report in found.items():
        told = report["measured"]
        bench.table.row(
            name, f"{report['plan']['makespan_ps'] / 1e9:.3f} ms",
            f"{told['makespan_ps'] / 1e9:.3f} ms",
            f"{100 * told['overhead_vs_plan']:+.2f} %",
            f"{100 * told['spread']:.2f} %",
            f"{100 * (told['makespan_ps'] / least - 1):+.2f} %")
    best = found["measured"]
    bench.table.print("\nspin 8 takes "
                      f"{best['plan']['compute_ps_per_unit'] / 1e3:.3f} ns a "
                      "unit")
    if abs(best["measured"]["overhead_vs_plan"]) >= 0.01:
        sys.exit(1)

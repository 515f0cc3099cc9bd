# SPDX-License-Identifier: Apache-2.0
"""Measures every promised number, and tells which are met.

Exit status 0 if all could be measured: what misses its goal is marked NO in the
table. A plain run measures all but those marked *, and writes its lines into
test/bench/README.md.
"""
import argparse
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from measure import Bench, Table, log  # noqa: E402
import boards  # noqa: E402
import chip  # noqa: E402
import choices  # noqa: E402
import deaths  # noqa: E402
import host  # noqa: E402
import job_bench  # noqa: E402
import mesh  # noqa: E402
import page  # noqa: E402
import policies  # noqa: E402
import sizes  # noqa: E402
import times  # noqa: E402
import whole  # noqa: E402

# Name, block of the page that the lines go to (None: no plain run's), what
# measures them, and what they are.
FIGURES = [
    ("costs", "bench", job_bench.cost_lines,
     "kernels' instructions at best, usually, at worst, and plain C's"),
    ("jobs", "bench", job_bench.lines, "kernels on 25 boards against plans"),
    ("whole", "bench", whole.lines, "spin on 25 and 625 boards against plans"),
    ("speed", "bench", host.speed_lines, "searches beside grep; RUNS"),
    ("answers", "bench", whole.answer_lines,
     "answers over one board's, makespans over the bound"),
    ("auto", "bench", policies.auto_lines, "what auto takes beside the best"),
    ("choices", "bench", choices.random_lines,
     "auto in situations that are drawn; SITUATIONS SEED"),
    ("dear", "bench", choices.dear_lines, "loads that are dear in places"),
    ("policies", "bench", policies.lines,
     "farms, hybrids, outputs and originators over bounds"),
    ("deaths", "bench", deaths.lines,
     "makespans and answers although nodes die, beside those without"),
    ("ranks", "bench", host.ranks_lines, "several ranks on this host"),
    ("boot", "bench", host.boot_lines, "boards as forks; WxH .."),
    ("chip", "chip", chip.lines, "modelled stm32f405 boards; SECONDS"),
    ("times", "chip", times.lines,
     "reports' times beside the model's; SEED JOBS"),
    ("sizes", None, sizes.lines, "scatters on tori of any size; SIDE"),
    ("levels", None, policies.level_lines, "farms with masters; WxH .."),
    ("boards", None, boards.search_lines,
     "searches on stm32f405 boards; RUNS BYTES DAMAGE FIRST"),
    ("large", None, host.large_lines, "thousands of boards; WxH .."),
    ("memory", None, host.memory_lines, "what runs take of memory; WxH .."),
]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter,
        epilog="\n".join(f"{name + '*' * (block is None):12}{what}"
                         for name, block, _, what in FIGURES))
    parser.add_argument("--quick", action="store_true",
                        help="leave out 625 boards")
    parser.add_argument("name", nargs="?", help="of these figures only",
                        choices=[name for name, *_ in FIGURES])
    parser.add_argument("words", nargs="*", help="as the name's line has them")
    return parser.parse_args()


def main():
    options = arguments()
    start = time.monotonic()
    table, blocks = Table(), {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(table, folder, not options.quick, options.words)
        for name, block, lines, _ in FIGURES:
            if options.name == name or block and not options.name:
                before = len(table.lines)
                lines(bench)
                blocks.setdefault(block, []).extend(table.lines[before:])
    if not options.quick and not options.name:
        for block, lines in blocks.items():
            page.write(block, [page.where(mesh.ROOT, mesh.QEMU), "", *lines])
    log(f"bench: {time.monotonic() - start:.0f} s, "
        f"{table.missed} goals missed (NO)")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Times of reports of modelled stm32f405 boards, beside the model's own."""
import random

from measure import log
import chip_times

SEED, JOBS = 35, 24
ROWS = "{:4} {:7} {:>9} {:26} {:>9} {:>10} {:>10}  {}"
SIZES = ((2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (5, 4), (5, 5))


def job(number, chance):
    """A mesh, bytes, instructions a byte, options, and damage of a byte's."""
    width, height = SIZES[number % len(SIZES)]
    damage = 0.01 if number % 6 == 5 else 0
    bytes_ = round(3000 * (1 if damage else 33 ** chance.random()))
    options = (["--schedule", "farm"] if number % 4 == 3 else
               ["--rounds", str(chance.randint(1, 6))])
    return width, height, bytes_, chance.choice((2000, 5000)), options, damage


def lines(bench):
    """Words: SEED [JOBS]."""
    seed, jobs = map(int, [*bench.words, *(SEED, JOBS)[len(bench.words):]])
    bench.table.print(f"times of reports, seed {seed}: off by how much of what "
                      "they may be, 1 % or 100 us")
    bench.table.headings("job", "mesh", "bytes", "options", "all times",
                         "answer", "one board", "met", shape=ROWS)
    for number in range(jobs):
        chance = random.Random(f"times {seed} {number}")
        width, height, bytes_, arg, options, damage = job(number, chance)
        with chip_times.boards(1, 1, chance) as it:
            alone, _ = chip_times.measured(it, bench.folder, bytes_, arg)
        with chip_times.boards(width, height, chance) as it:
            report, calls = chip_times.measured(
                it, bench.folder, bytes_, arg, *options, damage=damage)
            rows = chip_times.times(it, report, calls)
        figures = [max(chip_times.off(*row[1:]) for row in rows),
                   chip_times.off(*rows[0][1:]),
                   chip_times.off(report["one_board_answer_ps"] / 1e6,
                                  chip_times.answer_us(alone))]
        log(f"  times: job {number} of {jobs}")
        bench.table.row(number, f"{width}x{height}", bytes_,
                        " ".join([*options, "damaged"][:2 + (damage > 0)]),
                        *(f"{figure:.2f}" for figure in figures),
                        bench.table.verdict("1", max(figures) <= 1))

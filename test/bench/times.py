# SPDX-License-Identifier: Apache-2.0
"""Times of reports of modelled stm32f405 boards, beside the model's own."""
import random

from measure import log
import chip_times

SEED, JOBS = 35, 24
ROWS = "{:4} {:6} {:>7} {:>5} {:18} {:>9} {:>8} {:>10}  {}"
SIZES = ((2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (5, 4), (5, 5))


def job(number, chance):
    """A mesh, bytes, instructions a byte, rounds (0: a farm), damage of a
    byte's."""
    width, height = SIZES[number % len(SIZES)]
    damage = 0.01 if number % 6 == 5 else 0
    bytes_ = round(3000 * (1 if damage else 33 ** chance.random()))
    rounds = 0 if number % 4 == 3 else chance.randint(1, 6)
    return width, height, bytes_, chance.choice((2000, 5000)), rounds, damage


def alone_us(folder, chance, bytes_, arg):
    """The answer of one board, whose console has the report."""
    with chip_times.boards(1, 1, chance) as it:
        return chip_times.answer_us(
            chip_times.measured(it, folder, bytes_, arg)[0])


def told(folder, chance, width, height, bytes_, arg, rounds, damage):
    """The rounds of the job, so many or the most that are feasible; and
    chip_times.times(), the answer first and one board last."""
    options = ["--rounds", rounds] if rounds else ["--schedule", "farm"]
    try:
        with chip_times.boards(width, height, chance) as it:
            report, calls = chip_times.measured(it, folder, bytes_, arg,
                                                *options, damage=damage)
            rows = chip_times.times(it, report, calls)
    except AssertionError as why:
        if rounds < 2 or "infeasible" not in str(why):
            raise
        return told(folder, chance, width, height, bytes_, arg, rounds - 1,
                    damage)
    return rounds, rows + [("one board", report["one_board_ps"] / 1e6,
                            alone_us(folder, chance, bytes_, arg))]


def figures(folder, seed, number):
    """What the job is, and its rows as told() has them."""
    chance = random.Random(f"times {seed} {number}")
    what = job(number, chance)
    rounds, rows = told(folder, chance, *what)
    width, height, bytes_, arg, _, damage = what
    words = f"{rounds} rounds" if rounds else "farm"
    return (f"{width}x{height}", bytes_, arg,
            words + (", damaged" if damage else "")), rows


def lines(bench):
    """Words: SEED [JOBS]."""
    seed, jobs = map(int, [*bench.words, *(SEED, JOBS)[len(bench.words):]])
    bench.table.print(f"times of reports, seed {seed}: off by how much of what "
                      "they may be, 1 % or 100 us")
    bench.table.headings("job", "mesh", "bytes", "spin", "how", "all times",
                         "answer", "one board", "met", shape=ROWS)
    for number in range(jobs):
        what, rows = figures(bench.folder, seed, number)
        off = [chip_times.off(*row[1:]) for row in rows]
        log(f"  times: job {number} of {jobs}")
        bench.table.row(number, *what, *(f"{figure:.2f}" for figure in (
            max(off[:-1]), off[0], off[-1])),
            bench.table.verdict("1", max(off) <= 1))

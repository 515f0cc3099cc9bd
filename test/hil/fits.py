# SPDX-License-Identifier: Apache-2.0
"""Least squares with 95 % confidence intervals: an oracle, and the fit of what
the console's `ping` measures."""
import math

import numpy

# Two-sided 95 % quantiles of Student's t: any table of them.
STUDENT = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447,
           7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228, 12: 2.179, 15: 2.131,
           20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980}


def student_t(degrees):
    """Of the next smaller entry: a little wide, never narrow."""
    return STUDENT[max(n for n in STUDENT if n <= degrees)]


def least_squares(rows, values):
    """(solution, halves of the intervals, standard deviation)"""
    x = numpy.array(rows, float)
    y = numpy.array(values, float)
    scale = numpy.abs(x).max(axis=0)
    solution, _, rank, _ = numpy.linalg.lstsq(x / scale, y, rcond=None)
    degrees = len(y) - x.shape[1]
    assert rank == x.shape[1] and degrees > 0, "rows that tell nothing apart"
    rms = math.sqrt(float(((y - x / scale @ solution) ** 2).sum()) / degrees)
    inverse = numpy.linalg.inv((x / scale).T @ (x / scale))
    halves = [student_t(degrees) * rms * math.sqrt(inverse[k][k]) / scale[k]
              for k in range(x.shape[1])]
    return list(solution / scale), halves, rms


def shortest(rows, key, value):
    """Of the rows with the same key, that with the smallest value."""
    best = {}
    for row in rows:
        if key(row) not in best or value(row) < value(best[key(row)]):
            best[key(row)] = row
    return best

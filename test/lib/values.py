# SPDX-License-Identifier: Apache-2.0
"""Numbers as options have them, and numbers by chance."""
import re
from fractions import Fraction

PS = {"s": 10 ** 12, "ms": 10 ** 9, "us": 10 ** 6, "ns": 10 ** 3, "ps": 1}


def in_ps(text):
    """A time such as 4.85us; a bare number is in ps."""
    number, unit = re.fullmatch(r"([\d.]+)([a-z]*)", text).groups()
    return int(Fraction(number) * PS[unit or "ps"])


def log_uniform(rng, low, high):
    return low * (high / low) ** rng.random()


def limited(value, low, high):
    """As an integer within these limits."""
    return max(low, min(high, int(value)))

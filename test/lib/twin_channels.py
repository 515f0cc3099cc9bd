# SPDX-License-Identifier: Apache-2.0
"""The twin of kernel channels, in NumPy: draws a whole number for each channel
and step."""
import fractions
import math
import struct

import numpy

ONE = 1 << 32
MOST = ONE - 1
HALF, REVERSAL = -5_000_000, 60_000_000  # nV  # nV


# ---- chance ----

def philox(counter, key):
    """Philox4x32-10 of counters of four arrays."""
    a, b, c, d = (numpy.asarray(x, numpy.uint64) for x in counter)
    k0, k1 = key
    low, up = numpy.uint64(MOST), numpy.uint64(32)
    for _ in range(10):
        first = a * numpy.uint64(0xd2511f53)
        second = c * numpy.uint64(0xcd9e8d57)
        a, b, c, d = ((second >> up) ^ b ^ numpy.uint64(k0), second & low,
                      (first >> up) ^ d ^ numpy.uint64(k1), first & low)
        k0, k1 = (k0 + 0x9e3779b9) % ONE, (k1 + 0xbb67ae85) % ONE
    return a, b, c, d


def numbers(value, steps, groups, key):
    """A 32-bit number for each step and channel."""
    step, group = numpy.meshgrid(numpy.arange(steps), numpy.arange(groups),
                                 indexing="ij")
    lanes = numpy.arange(32, dtype=numpy.uint64)
    out = numpy.zeros((steps, groups, 32), numpy.uint64)
    for block in range(8):
        words = philox([numpy.full_like(step, value), step, group,
                        numpy.full_like(step, block)], key)
        for i, word in enumerate(words):
            bit = (word[:, :, None] >> lanes) & numpy.uint64(1)
            out |= bit << numpy.uint64(31 - 4 * block - i)
    return out.reshape(steps, groups * 32)


# ---- probabilities, in integers as the kernel documents them ----

def power_of_2(x):
    """2^-x, both in 2^-32."""
    t = x % ONE * 2977044472 >> 32
    value = MOST
    for n in range(12, 0, -1):
        value = MOST - (t * value >> 32) // n
    return value >> (x >> 32) if x >> 32 < 32 else 0


def probabilities(voltage):
    powers = abs(voltage - HALF) * 12994641697 >> 24
    ratio, root = power_of_2(powers), power_of_2(powers // 2)
    changed = MOST - power_of_2(20654427 * (ONE + ratio) // (root | 1))
    more = (changed << 31) // ((ONE + ratio) >> 1)
    return ((more, changed - more) if voltage >= HALF
            else (changed - more, more))


# ---- a sweep ----

class Twin:
    """A whole sweep, channel by channel."""

    def __init__(self, first, last, values, base=-80_000_000, channels=10000,
                 steps=1000, peak=None, seed=0):
        self.first, self.last, self.values = first, last, values
        self.base, self.channels, self.steps = base, channels, steps
        self.peak = -(-steps * 6 // 10) if peak is None else peak
        self.seed = seed
        self.lead = (steps - self.peak) // 2
        self.groups = -(-channels // 32)
        self.open = [self.simulate(value) for value in range(values)]

    def voltage(self, value):
        if self.values == 1:
            return self.first
        low, high = sorted((self.first, self.last))
        at = value if self.first <= self.last else self.values - 1 - value
        return low + (high - low) * at // (self.values - 1)

    def simulate(self, value):
        """Whether a channel is open after a step: steps x channels."""
        key = (self.seed % ONE, self.seed >> 32)
        chance = numbers(value, self.steps, self.groups,
                         key)[:, :self.channels]
        open_ = numpy.zeros(self.channels, bool)
        history = numpy.zeros((self.steps, self.channels), bool)
        rates = {True: probabilities(self.voltage(value)),
                 False: probabilities(self.base)}
        for step in range(self.steps):
            opens, closes = rates[
                self.lead <= step < self.lead + self.peak]
            open_ = open_ ^ (chance[step] < numpy.where(
                open_, numpy.uint64(closes), numpy.uint64(opens)))
            history[step] = open_
        return history

    def at_peak(self, value):
        """Open steps of every channel at the peak voltage, and else."""
        all_ = self.open[value].sum(axis=0)
        peak = self.open[value][self.lead:self.lead + self.peak].sum(axis=0)
        return peak, all_ - peak

    def argument(self, pieces, output):
        return struct.pack("<IIiiiIIIIIQ", self.values, pieces, self.first,
                           self.last, self.base, self.channels, self.steps,
                           self.lead, self.peak, output, self.seed)

    def units(self, pieces):
        """What each unit's output says."""
        out = b""
        for value in range(self.values):
            peak, base = self.at_peak(value)
            for piece in range(pieces):
                begin = 32 * (piece * self.groups // pieces)
                end = 32 * ((piece + 1) * self.groups // pieces)
                mine = peak[begin:end].astype(object)
                parts = [int(mine[i:i + 16].sum())
                         for i in range(0, len(mine), 16)]
                out += struct.pack("<QQQ", sum(parts),
                                   int(base[begin:end].sum()),
                                   sum(p * p for p in parts))
        return out

    def result(self, units):
        peak, base = (sum(int(self.at_peak(v)[i].sum())
                          for v in range(self.values)) for i in (0, 1))
        return [units, self.values * self.channels * self.steps, peak, base]

    def csv(self):
        lines = ["voltage_mV,open_fraction,mean_pA,sd_pA,charge_fC"]
        for value in range(self.values):
            peak, base = self.at_peak(value)
            drive = self.voltage(value) - REVERSAL
            sums = [int(n) for n in peak.reshape(-1, 16).sum(axis=1)]
            total, count = sum(sums), len(sums)
            spread = fractions.Fraction(
                count * sum(n * n for n in sums) - total ** 2, count - 1)
            # 20 pS: 1 nV is 2e-20 A.
            part = fractions.Fraction(2, 10 ** 8 * self.peak)  # nV to pA
            charge = fractions.Fraction(2, 10 ** 10)           # nV to fC
            lines.append(",".join((
                text(fractions.Fraction(self.voltage(value), 10 ** 6)),
                text(fractions.Fraction(total, self.channels * self.peak)),
                text(total * drive * part),
                text(fractions.Fraction(
                    math.isqrt(int(spread * (drive * part * 10 ** 6) ** 2)),
                    10 ** 6)),
                text((total * drive + int(base.sum())
                      * (self.base - REVERSAL)) * charge))))
        return "\n".join(lines) + "\n"


def text(number):
    """Six decimals, the half away from 0."""
    scaled = int(abs(number) * 10 ** 6 + fractions.Fraction(1, 2))
    sign = "-" if number < 0 and scaled else ""
    return f"{sign}{scaled // 10 ** 6}.{scaled % 10 ** 6:06}"

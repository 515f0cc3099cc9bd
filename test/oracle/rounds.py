# SPDX-License-Identifier: Apache-2.0
"""Several rounds in exact numbers, and where their ranges lie in the load.

The recursion of scatter/plan/rounds.h, affine in x, the volume of a circuit of
the last phase in the last round. Every cell is an integer over a power of the
compute time, so that nothing is rounded and no fraction is reduced. Nothing
here is shared with scatter/plan/rounds.c: the first round, where begin()
counts, is a sweep of its own instead of a loss that is taken off.
"""
from dataclasses import dataclass, field
from fractions import Fraction

import torus


@dataclass(frozen=True)
class Costs:
    """In ps; startups of each phase."""

    load: int
    compute: int
    transfer: int
    startups: tuple
    queue: int = 0
    pause: int = 0
    begin: int = 0
    lead: int = 0


@dataclass
class Line:
    """(slope x + base) / compute ** power."""

    slope: int
    base: int
    power: int

    def over(self, compute, power):
        """The same with a higher power of the compute time."""
        factor = compute ** (power - self.power)
        return Line(self.slope * factor, self.base * factor, power)

    def at(self, x, compute):
        """A pair of integers, numerator and denominator."""
        return (self.slope * x.numerator + self.base * x.denominator,
                x.denominator * compute ** self.power)


def total(lines, compute):
    power = max(line.power for line in lines)
    same = [line.over(compute, power) for line in lines]
    return Line(sum(line.slope for line in same),
                sum(line.base for line in same), power)


@dataclass
class Round:
    """Volumes of phases 1..N, what layers 1..N-1 keep, the volumes' sum."""

    volumes: list
    kept: list = field(default_factory=list)
    sum: Line = None

    def finish(self, compute):
        below = Line(0, 0, 0)
        for line in reversed(self.volumes):
            if line is not self.volumes[-1]:
                four = Line(-4 * below.slope, -4 * below.base, below.power)
                self.kept.insert(0, total([line, four], compute))
            below = total([below, line], compute)
        self.sum = below
        return self


def last_round(costs):
    volumes = [Line(1, 0, 0)]
    rate = 5 * costs.compute + costs.transfer
    for startup in reversed(costs.startups[1:]):
        below = volumes[0]
        volumes.insert(0, Line(
            rate * below.slope,
            rate * below.base + startup * costs.compute ** below.power,
            below.power + 1))
    return Round(volumes).finish(costs.compute)


def round_before(costs, later, begin):
    """The round before `later`; begin: what begin() costs in it, in ps."""
    compute, transfer = costs.compute, costs.transfer
    meanwhile = (sum(costs.startups) + costs.queue - costs.pause
                 - begin)
    power = later.sum.power
    volumes = [Line(transfer * later.sum.slope,
                    transfer * later.sum.base + meanwhile * compute ** power,
                    power + 1)]
    # The last layer sends nothing: its parents alone have the queueing besides.
    more = costs.queue
    for old in reversed(later.volumes[1:]):
        new = volumes[0]
        old = old.over(compute, new.power)
        volumes.insert(0, Line(
            5 * compute * new.slope + transfer * (new.slope - old.slope),
            5 * compute * new.base + transfer * (new.base - old.base)
            - more * compute ** new.power,
            new.power + 1))
        more = 0
    return Round(volumes).finish(compute)


@dataclass
class Plan:
    """x; volumes and shares of the rounds in order, as Lines of x."""

    costs: Costs
    rounds: list
    x: Fraction
    own: Fraction  # the originator's share
    # The load is affine in x too, in units; rounded down.
    load_base: int
    load_slope: int

    @property
    def makespan(self):
        return self.own * self.costs.compute

    def volume(self, r, j):
        return self.rounds[r].volumes[j - 1].at(self.x, self.costs.compute)

    def share(self, r, j):
        if j == len(self.costs.startups):
            return self.volume(r, j)
        return self.rounds[r].kept[j - 1].at(self.x, self.costs.compute)

    def lines(self):
        """(line, what it must be at least), those that fail first ahead."""
        order = [self.rounds[-1], *self.rounds[:-1]]
        for one in order:
            for line in reversed(one.volumes):
                yield line, 1
        for one in order:
            for line in one.kept:
                yield line, 0

    def feasible_within(self, slack):
        """Every circuit has a unit, and nobody keeps less than nothing, nor
        the originator; with so many units less of each."""
        top, bottom = slack.numerator, slack.denominator
        for line, least in self.lines():
            value, over = line.at(self.x, self.costs.compute)
            if value * bottom < (least * bottom - top) * over:
                return False
        return self.own >= -slack

    @property
    def feasible(self):
        return self.feasible_within(Fraction(0))

    @property
    def largest_base(self):
        """Of a cell or the load, in units: what there is where x is 0."""
        return max(self.load_base,
                   max(abs(line.base) // self.costs.compute ** line.power
                       for line, _ in self.lines()))


def solve(costs, rounds):
    """Plans of 1..rounds rounds, in order; x may be negative."""
    compute, transfer = costs.compute, costs.transfer
    tails = [last_round(costs)]
    plans = []
    for count in range(1, rounds + 1):
        if count == 1:
            chain = tails[:]
        else:
            first = round_before(costs, tails[0], costs.begin)
            chain = [first] + tails
            if count < rounds:
                tails = [round_before(costs, tails[0], 0)] + tails
        volumes = total([one.sum for one in chain], compute)
        # V = a_0 + 4 sum = x + fixed + (rho + 4) sum
        fixed = count * sum(costs.startups) - (count - 1) * costs.lead
        scale = compute ** volumes.power
        slope = scale * compute + (transfer + 4 * compute) * volumes.slope
        base = fixed * scale + (transfer + 4 * compute) * volumes.base
        x = Fraction(costs.load * scale * compute - base, slope)
        sum_top, sum_bottom = volumes.at(x, compute)
        own = costs.load - 4 * Fraction(sum_top, sum_bottom)
        plans.append(Plan(costs, chain, x, own,
                          abs(base) // (scale * compute),
                          slope // (scale * compute)))
    return plans


# ---- ranges ----

def has_advance(report):
    """Whether the first round left before the rest was planned."""
    return report["measured"]["meanwhile"]["plan_ps"] > 0


def ranges(report):
    """[(first, units, round, node)] in order: what everybody computed.

    Measuring comes first, or behind an advance. Rounds in order; in each a
    node's own range, then its children's by
    falling phase and rising port, each with all that is below it.
    """
    units = {}
    for n in report["measured"]["nodes"]:
        for interval in n.get("rounds", [{"round": 0, "units": n["units"]}]):
            units[n["x"], n["y"], interval["round"]] = interval["units"]
    originator = tuple(report["mesh"]["originator"])
    if report["plan"]["rounds"] == 1:
        units[(*originator, 0)] -= report["plan"]["measured_units"]
    children = {}
    for one in torus.scatter(report["mesh"]["width"], originator,
                             report["plan"]["phases"]):
        children.setdefault(one.source, []).append(
            (one.phase, -one.port, one.nodes[-1]))
    found = []
    measured = report["plan"]["measured_units"]
    position = 0 if has_advance(report) else measured
    for r in range(report["plan"]["rounds"]):
        if r == 1 and has_advance(report):
            position += measured
        stack = [originator]
        while stack:
            node = stack.pop()
            count = units.get((*node, r), 0)
            if count:
                found.append((position, count, r, node))
            position += count
            stack += [c[2] for c in sorted(children.get(node, []))]
    assert position == report["load"]["units"]
    return found

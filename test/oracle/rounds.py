# SPDX-License-Identifier: Apache-2.0
"""Several rounds in exact numbers, and where their ranges lie in the load.

The recursion of scatter/plan/rounds.h, with its software, carried out for x = 0
and x = 1: everything is affine in x, the volume of a circuit of the last phase
in the last round. Nothing is shared with scatter/plan/rounds.c: the first
round, where begin() counts, is a sweep of its own instead of a loss that is
taken off. Without software optimum.py and execute.py judge these plans.
"""
from dataclasses import dataclass

import torus

# Units are integers in steps of 1 / GRID. A step that is lost grows with each
# phase and round, to less than 2^1150 in 16 rounds of 10 phases.
GRID = 1 << 1400


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


def last_round(costs, x):
    """Volumes of phases 1..N."""
    rate, volumes = 5 * costs.compute + costs.transfer, [x]
    for startup in reversed(costs.startups[1:]):
        volumes.insert(0, (rate * volumes[0] + startup * GRID)
                       // costs.compute)
    return volumes


def round_before(costs, later, begin):
    """The round before `later`; begin: what begin() costs in it, in ps."""
    compute, transfer = costs.compute, costs.transfer
    meanwhile = sum(costs.startups) + costs.queue - costs.pause - begin
    volumes = [(transfer * sum(later) + meanwhile * GRID) // compute]
    # The last layer sends nothing: its parents alone have the queueing besides.
    more = costs.queue
    for old in reversed(later[1:]):
        new = volumes[0]
        volumes.insert(0, (5 * compute * new + transfer * (new - old)
                           - more * GRID) // compute)
        more = 0
    return volumes


def kept(volumes):
    """What nodes of layers 1..N keep of these."""
    return [v - 4 * sum(volumes[j:]) for j, v in enumerate(volumes, 1)]


class Plan:
    """volumes[r][j - 1], shares[r][j - 1] of layer j; own: the originator's
    share; all in 1 / GRID units, as x. load_slope: units for a unit of x."""

    def __init__(self, costs, chains, takes):
        """chains: the volumes of all rounds for x = 0 and x = 1; takes: the
        load that they need."""
        self.costs = costs
        slope = takes[1] - takes[0]
        self.x = (costs.load * GRID - takes[0]) * GRID // slope
        self.load_slope = slope // GRID
        self.volumes = [[a + (b - a) * self.x // GRID for a, b in zip(*rows)]
                        for rows in zip(*chains)]
        self.shares = [kept(row) for row in self.volumes]
        self.own = costs.load * GRID - 4 * sum(map(sum, self.volumes))
        # Of a cell or the load, in units: what there is where x is 0.
        self.largest_base = max(abs(base) // GRID for base in (
            takes[0], *(base for row in chains[0]
                        for base in [*row, *kept(row)])))

    @property
    def rounds(self):
        return len(self.volumes)

    def feasible_within(self, slack):
        """Every circuit has a unit, and nobody keeps less than nothing; but
        for so many units of each."""
        slack = int(slack * GRID)
        return (min(map(min, self.volumes)) >= GRID - slack
                and min(self.own, *map(min, self.shares)) >= -slack)

    @property
    def feasible(self):
        return self.feasible_within(0)


def solve(costs, rounds):
    """Plans of 1..rounds rounds, in order; x may be negative."""
    compute, plans = costs.compute, []
    tails = [[last_round(costs, x)] for x in (0, GRID)]
    for count in range(1, rounds + 1):
        chains = [list(tail) for tail in tails]
        if count > 1:
            for chain, tail in zip(chains, tails):
                chain.insert(0, round_before(costs, tail[0], costs.begin))
                tail.insert(0, round_before(costs, tail[0], 0))
        fixed = count * sum(costs.startups) - (count - 1) * costs.lead
        # V = a_0 + 4 sum = x + fixed + (rho + 4) sum
        plans.append(Plan(costs, chains, [
            x + (fixed * GRID + (costs.transfer + 4 * compute)
                 * sum(map(sum, chain))) // compute
            for x, chain in zip((0, GRID), chains)]))
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

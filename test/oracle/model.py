# SPDX-License-Identifier: Apache-2.0
"""The scatter's model in exact fractions, independent of scatter/plan/.

Solved as the paper prints it (Blazewicz, Drozdowski, Guinand, Trystram 1999,
equations (1) to (5)): backwards, every a_i = k_i a_N + l_i, for each number of
phases anew. Times are in any one unit (here ps), loads in units.
"""
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Plan:
    """One number of phases; shares[i] and volumes[i] of layer i."""

    shares: tuple
    volumes: tuple
    compute: Fraction

    @property
    def phases(self):
        return len(self.shares) - 1

    @property
    def makespan(self):
        return self.shares[0] * self.compute

    @property
    def feasible(self):
        return self.shares[-1] >= 0


def solve(load, compute, transfers, startups):
    """The plan with len(startups) phases; phase i has its own costs.

    a_{i-1} compute = startup_i + transfer_i v_i + a_i compute
    v_i = a_i + 4 sum_{j>i} 5^(j-i-1) a_j
    a_0 + 4 sum 5^(i-1) a_i = load
    """
    compute = Fraction(compute)
    phases = len(startups)
    # Layer i: (k, l) of a_i, and of below_i = sum_{j>i} 5^(j-i-1) a_j.
    share = (Fraction(1), Fraction(0))
    below = (Fraction(0), Fraction(0))
    lines = [(share, below)]
    for i in range(phases, 0, -1):
        rate = Fraction(transfers[i - 1]) / compute
        setup = Fraction(startups[i - 1]) / compute
        volume = tuple(a + 4 * b for a, b in zip(share, below))
        below = tuple(a + 5 * b for a, b in zip(share, below))
        share = (share[0] + rate * volume[0],
                 share[1] + rate * volume[1] + setup)
        lines.append((share, below))
    lines.reverse()
    (k, l), (below_k, below_l) = lines[0]
    last = (load - l - 4 * below_l) / (k + 4 * below_k)
    shares = tuple(s[0] * last + s[1] for s, _ in lines)
    volumes = tuple((s[0] + 4 * b[0]) * last + s[1] + 4 * b[1]
                    for s, b in lines)
    return Plan(shares, volumes, compute)


def best(load, compute, transfers, startups):
    """The feasible plan of the smallest makespan; ties to more phases."""
    chosen = None
    for phases in range(len(startups) + 1):
        plan = solve(load, compute, transfers[:phases], startups[:phases])
        if plan.feasible and (chosen is None
                              or plan.makespan <= chosen.makespan):
            chosen = plan
    return chosen


def hops(power, phase):
    """Links of a phase's circuits on a 5^power x 5^power torus."""
    far = 5 ** (power - (phase + 1) // 2)
    return 3 * far if phase % 2 else far


def costs(power, startup, transfer, hop_delay=0, store_and_forward=False,
          results=None):
    """(transfers, startups) of all phases under the extensions of 1.6.

    `results` units come back for each unit, over the same circuits; None: no
    message comes back at all.
    """
    transfers, startups = [], []
    ways = 1 if results is None else 2
    for phase in range(1, 2 * power + 1):
        far = hops(power, phase)
        times = far if store_and_forward else 1
        transfers.append(Fraction(transfer) * times * (1 + (results or 0)))
        startups.append(Fraction(ways * (startup * times + hop_delay * far)))
    return transfers, startups


def reached(time, nodes, ports, compute, startup, transfer):
    """What no plan can do more of by then: the originator's ports send all the
    time, and whoever has received a unit has it at once, in theory 1.5."""
    compute, startup = Fraction(compute), Fraction(startup)
    sent = max(Fraction(0), ports * (time - startup) / transfer)
    done, at, working = Fraction(0), Fraction(0), 1
    while working < nodes and at + startup < time:
        done += working * startup / compute
        at += startup
        working = min(nodes, working * (ports + 1))
    done += working * (time - at) / compute
    return min(time / compute + sent, done)


def self_check():
    """Examples that were worked out by hand."""
    f = Fraction

    def uniform(load, tau, alpha, sigma, phases):
        return solve(load, 1 / f(sigma), [f(tau)] * phases,
                     [f(alpha)] * phases)

    for given, volumes, shares, phases in (
            ((1, 1, 0, 1), (1, f(1, 6), f(1, 36)),
             (f(2, 9), f(1, 18), f(1, 36)), 6),
            ((100, 1, 1, 1), (100, f(33, 2), f(31, 12)),
             (f(71, 3), f(37, 6), f(31, 12)), 3),
            ((42, 1, 6, 1), (42, 6, 0), (18, 6, 0), 2),
            ((41, 1, 6, 1), (41, f(35, 6), f(-1, 36)), None, 1)):
        plan = uniform(*given, 2)
        assert plan.volumes == volumes and shares in (None, plan.shares)
        load, tau, alpha, sigma = map(f, given)
        assert best(load, 1 / sigma, [tau] * 6, [alpha] * 6).phases == phases
    t3d = uniform(10 ** 6, f(33, 10 ** 10), f(485, 10 ** 8), 10 ** 6, 5)
    assert f"{float(t3d.makespan):.16e}" == "1.1660230045767853e-03"
    # Section 1.6: store and forward, results.
    assert solve(100, 1, *costs(1, 1, 1, store_and_forward=True)).shares == (
        f(529, 12), f(113, 24), f(89, 48))
    plan = solve(100, 1, *costs(1, 1, 1, results=f(1, 2)))
    assert plan.volumes == (100, f(196, 13), f(340, 169))
    assert plan.makespan == f(5348, 169)
    # Section 1.7: Fig. 3 at V = 1M.
    assert [round(float(uniform(10 ** 6, f(2, 10 ** 6), 0, 10 ** 6,
                                n).makespan), 6) for n in (2, 3, 4, 5)] == [
        .346939, .335277, .333611, .333373]

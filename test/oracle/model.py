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


def feasible_phases(load, compute, transfers, startups):
    """The largest number of phases in which nobody's share is negative."""
    return max(n for n in range(len(startups) + 1)
               if solve(load, compute, transfers[:n], startups[:n]).feasible)


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


def split_laminar(plan, layer, units):
    """(own, [(phase, port, units)]): floors, then one more, children first."""
    parts = [[phase, port, plan.volumes[phase].__floor__()]
             for phase in range(layer + 1, plan.phases + 1)
             for port in range(4)]
    own = plan.shares[layer].__floor__()
    left = units - own - sum(part[2] for part in parts)
    if not 0 <= left <= len(parts) + 1:
        raise ValueError(f"layer {layer} does not receive {units} units")
    for part in parts[:left]:
        part[2] += 1
    return own + (left > len(parts)), [tuple(part) for part in parts]


def self_check():
    """Examples that were worked out by hand."""
    f = Fraction

    def uniform(load, tau, alpha, sigma, phases):
        compute = 1 / f(sigma)
        return solve(load, compute, [f(tau)] * phases, [f(alpha)] * phases)

    def best_phases(load, tau, alpha, sigma):
        return best(load, 1 / f(sigma), [f(tau)] * 6, [f(alpha)] * 6).phases

    plan = uniform(1, 1, 0, 1, 2)
    assert plan.volumes == (1, f(1, 6), f(1, 36))
    assert plan.shares == (f(2, 9), f(1, 18), f(1, 36))
    assert best_phases(1, 1, 0, 1) == 6
    plan = uniform(100, 1, 1, 1, 2)
    assert plan.volumes == (100, f(33, 2), f(31, 12))
    assert plan.shares == (f(71, 3), f(37, 6), f(31, 12))
    assert best_phases(100, 1, 1, 1) == 3
    plan = uniform(1000, f(1, 10), 2, 1, 3)
    assert plan.volumes == (1000, f(9980, 51), f(98780, 2601),
                            f(935780, 132651))
    assert plan.shares == tuple(
        f(n, 132651) for n in (4924840, 2063740, 1294660, 935780))
    assert best_phases(1000, f(1, 10), 2, 1) == 4
    plan = uniform(42, 1, 6, 1, 2)
    assert plan.shares == (18, 6, 0) and plan.volumes == (42, 6, 0)
    assert uniform(42, 1, 6, 1, 1).makespan == plan.makespan == 18
    plan = uniform(41, 1, 6, 1, 2)
    assert plan.volumes == (41, f(35, 6), f(-1, 36)) and not plan.feasible
    assert best_phases(41, 1, 6, 1) == 1
    t3d = uniform(10 ** 6, f(33, 10 ** 10), f(485, 10 ** 8), 10 ** 6, 5)
    assert f"{float(t3d.makespan):.16e}" == "1.1660230045767853e-03"
    assert [round(float(v), 6) for v in t3d.volumes[1:]] == [
        199867.117702, 39946.089122, 7982.979058, 1594.573393, 317.734974]
    assert [round(float(a), 6) for a in t3d.shares] == [
        1166.023005, 501.611516, 364.939422, 333.745591, 323.633499,
        317.734974]
    assert round(float(1 / t3d.makespan), 3) == 857.616
    # Section 1.6: store and forward, results.
    transfers, startups = costs(1, 1, 1, store_and_forward=True)
    assert solve(100, 1, transfers, startups).shares == (
        f(529, 12), f(113, 24), f(89, 48))
    transfers, startups = costs(1, 1, 1, results=f(1, 2))
    plan = solve(100, 1, transfers, startups)
    assert plan.volumes == (100, f(196, 13), f(340, 169))
    assert plan.makespan == f(5348, 169)
    # Section 1.7: Fig. 3 at V = 1M, and Fig. 6's speedups at V = 1G.
    figure = [uniform(10 ** 6, f(2, 10 ** 6), 0, 10 ** 6, n).makespan
              for n in (2, 3, 4, 5)]
    assert [round(float(t), 6) for t in figure] == [
        .346939, .335277, .333611, .333373]
    speedups = [1000 / uniform(10 ** 9, f(33, 10 ** 10), f(485, 10 ** 8),
                               10 ** 6, n).makespan for n in (2, 3, 4, 5)]
    assert [round(float(s), 3) for s in speedups] == [
        24.547, 113.611, 413.427, 874.871]


if __name__ == "__main__":
    self_check()
    print("model: agrees with every worked example")

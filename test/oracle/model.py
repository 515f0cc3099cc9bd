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


def eliminate(rows):
    """Solves rows of [coefficients..., right side] by Gauss and Jordan."""
    rows = [[Fraction(x) for x in row] for row in rows]
    size = len(rows)
    for column in range(size):
        pivot = next(r for r in range(column, size) if rows[r][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column]
        scale = head[column]
        rows[column] = head = [x / scale for x in head]
        for r in range(size):
            factor = rows[r][column]
            if r != column and factor:
                rows[r] = [x - factor * y for x, y in zip(rows[r], head)]
    return [row[-1] for row in rows]


def solve_rounds(load, compute, transfer, startups, rounds):
    """Phases 1..N repeated; (makespan, volumes[r][j], kept[r][j]) or None.

    A linear system over the volumes v_{r,j} and the makespan T: everybody
    computes without a pause from its first receipt until T, and what a layer
    keeps of round r lasts exactly until its receipt of round r + 1.
    """
    phases = len(startups)
    size = rounds * phases + 1

    def at(r, j):
        return r * phases + j - 1

    def row():
        return [Fraction(0)] * (size + 1)

    def add_end(target, r, j, factor):
        """factor times the end of phase j in round r."""
        for s in range(r + 1):
            for i in range(1, phases + 1):
                if s < r or i <= j:
                    target[at(s, i)] += factor * transfer
                    target[size] -= factor * startups[i - 1]

    def add_kept(target, r, j, factor):
        """factor times what a node of layer j keeps of round r."""
        if j == 0:
            raise ValueError("the originator keeps the rest")
        target[at(r, j)] += factor
        for i in range(j + 1, phases + 1):
            target[at(r, i)] -= 4 * factor

    rows = []
    for j in range(1, phases + 1):
        for r in range(rounds):
            line = row()
            add_kept(line, r, j, Fraction(compute))
            add_end(line, r, j, Fraction(1))
            if r + 1 < rounds:
                add_end(line, r + 1, j, Fraction(-1))
            else:
                line[size - 1] -= 1
            rows.append(line)
    line = row()
    line[size - 1] = Fraction(1) / compute
    for r in range(rounds):
        for j in range(1, phases + 1):
            line[at(r, j)] += 4
    line[size] = Fraction(load)
    rows.append(line)
    solution = eliminate(rows)
    makespan = solution[-1]
    volumes = [[solution[at(r, j)] for j in range(1, phases + 1)]
               for r in range(rounds)]
    kept = [[v[j] - 4 * sum(v[j + 1:]) for j in range(phases)]
            for v in volumes]
    own = makespan / compute
    fine = own >= 0 and all(x >= 0 for v in volumes for x in v) and all(
        x >= 0 for k in kept for x in k)
    return (makespan, volumes, kept) if fine else None


def solve_rounds_costs(load, compute, transfers, startups, rounds):
    """As solve_rounds, each phase with its own costs.

    Another system, over what is kept: k_{r,j} of layer j = 1..N in round r,
    and T. A volume is what the subtree below keeps of the round.
    """
    phases = len(startups)
    size = rounds * phases + 1

    def volume(r, j):
        """v_{r,j} as {unknown: factor}: k_j + 4 sum 5^(m-j-1) k_m."""
        terms = {(r, j): 1}
        for m in range(j + 1, phases + 1):
            terms[r, m] = 4 * 5 ** (m - j - 1)
        return terms

    def row(terms, right):
        line = [Fraction(0)] * (size + 1)
        for (r, j), factor in terms.items():
            line[size - 1 if j == 0 else r * phases + j - 1] += factor
        line[size] = Fraction(right)
        return line

    def end(r, j):
        """End of phase j in round r: terms, and what is constant."""
        terms, constant = {}, Fraction(0)
        for s in range(r + 1):
            for i in range(1, (phases if s < r else j) + 1):
                constant += startups[i - 1]
                for key, factor in volume(s, i).items():
                    terms[key] = (terms.get(key, 0)
                                  + factor * Fraction(transfers[i - 1]))
        return terms, constant

    rows = []
    for j in range(1, phases + 1):
        for r in range(rounds):
            terms, constant = end(r, j)
            terms = {key: -factor for key, factor in terms.items()}
            if r + 1 < rounds:
                later, more = end(r + 1, j)
                constant = more - constant
                for key, factor in later.items():
                    terms[key] = terms.get(key, 0) + factor
            else:
                terms[0, 0] = 1
                constant = -constant
            # kept * compute = the time until the next receipt, or T
            terms[r, j] = terms.get((r, j), 0) - Fraction(compute)
            rows.append(row(terms, -constant))
    whole = {(r, j): 4 * 5 ** (j - 1) for r in range(rounds)
             for j in range(1, phases + 1)}
    rows.append(row({**whole, (0, 0): 1 / Fraction(compute)}, load))
    solution = eliminate(rows)
    kept = [solution[r * phases:(r + 1) * phases] for r in range(rounds)]
    volumes = [[sum(kept[r][key[1] - 1] * factor
                    for key, factor in volume(r, j).items())
                for j in range(1, phases + 1)] for r in range(rounds)]
    fine = solution[-1] >= 0 and all(
        x >= 0 for part in kept + volumes for x in part)
    return (solution[-1], volumes, kept) if fine else None


def solve_ports(load, compute, transfer, startup, phases, ports):
    """4/ports batches a phase; (makespan, groups) or None if infeasible.

    A group is the nodes that were sent to in the same batch by the same
    group. All are ended by T; group = (layer, nodes, volume, share).
    """
    batches = 4 // ports
    # Every quantity is affine in what a node has left of the time: a subtree
    # that begins when s is left takes p s - q units.
    def subtree(phase):
        """(p, q) of a node that goes on with `phase`."""
        p, q = Fraction(1) / compute, Fraction(0)
        # s left at the beginning of the phase, as slope and offset.
        slope, offset = Fraction(1), Fraction(0)
        for i in range(phase, phases + 1):
            child_p, child_q = below[i]
            for _ in range(batches):
                # s_child = s - startup - transfer (p s_child - q)
                scale = 1 + transfer * child_p
                slope /= scale
                offset = (offset - startup + transfer * child_q) / scale
                p += ports * child_p * slope
                q -= ports * (child_p * offset - child_q)
        return p, q

    below = {}
    for i in range(phases, 0, -1):
        below[i] = subtree(i + 1)
    p, q = subtree(1)
    makespan = (load + q) / p
    groups = [(0, 1, Fraction(load), makespan / compute)]
    queue = [(1, 1, makespan)]
    fine = True
    while queue:
        phase, nodes, left = queue.pop()
        for i in range(phase, phases + 1):
            child_p, child_q = below[i]
            for _ in range(batches):
                left = (left - startup + transfer * child_q) / (
                    1 + transfer * child_p)
                volume = child_p * left - child_q
                fine = fine and volume >= 0 and left >= 0
                groups.append((i, nodes * ports, volume, left / compute))
                queue.append((i + 1, nodes * ports, left))
    return (makespan, groups) if fine else None


def solve_nodes(load, compute_of, transfers, startups, ports=4):
    """Every node for itself: (makespan, {node: (share, volume, received)}).

    A node is the tuple of the (phase, port)s that lead to it. compute_of(node)
    is its time per unit. Each port works its queue off on its own; with fewer
    than 4 ports, port p goes with p + ports. None if infeasible. A system over
    all shares and the makespan, so 5^len(startups) nodes must be few.
    """
    phases = len(startups)
    nodes = [()]
    for phase in range(1, phases + 1):
        nodes += [node + ((phase, port),) for node in nodes
                  for port in range(4)]
    place = {node: i for i, node in enumerate(nodes)}
    size = len(nodes) + 1

    def below(node):
        return [place[x] for x in nodes if x[:len(node)] == node]

    def queue(node):
        """The sends that end with the one that reaches the node."""
        parent, (phase, port) = node[:-1], node[-1]
        first = parent[-1][0] + 1 if parent else 1
        return [parent + ((j, p),) for j in range(first, phase + 1)
                for p in range(port % ports, 4, ports)
                if (j, p) <= (phase, port)]

    def received(node):
        """The time of the receipt: terms, and what is constant."""
        terms, constant = [Fraction(0)] * size, Fraction(0)
        while node:
            for sent in queue(node):
                constant += startups[sent[-1][0] - 1]
                for i in below(sent):
                    terms[i] += Fraction(transfers[sent[-1][0] - 1])
            node = node[:-1]
        return terms, constant

    rows = []
    for node in nodes:
        terms, constant = received(node)
        terms[place[node]] += Fraction(compute_of(node))
        terms[-1] -= 1
        rows.append(terms + [-constant])
    rows.append([1] * len(nodes) + [0, load])
    solution = eliminate(rows)
    result = {}
    for node in nodes:
        terms, constant = received(node)
        result[node] = (solution[place[node]],
                        sum(solution[i] for i in below(node)),
                        constant + sum(t * x for t, x in zip(terms, solution)))
    fine = all(x >= 0 for triple in result.values() for x in triple)
    return (solution[-1], result) if fine else None


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


def simulate(load, compute, transfers, startups, split):
    """When the last node ends, if `split` divides integer volumes.

    split(layer, units) -> (own, [(phase, port, units)]). Every port works its
    queue off in order of phases, from the moment the node has received; no
    two circuits of the schedule wait for each other (test_torus.py). Nodes
    that received as much in the same layer do alike.
    """
    known = {}

    def last(layer, units):
        """From a node's receipt to the end of its whole subtree."""
        key = (layer, units)
        if key not in known:
            own, parts = split(layer, units)
            if own + sum(part[2] for part in parts) != units:
                raise ValueError(f"layer {layer} loses some of {units}")
            ends = [own * compute]
            free = [0, 0, 0, 0]
            for phase, port, sent in sorted(parts):
                free[port] += startups[phase - 1]
                free[port] += transfers[phase - 1] * sent
                ends.append(free[port] + last(phase, sent))
            known[key] = max(ends)
        return known[key]

    return last(0, load)


def leaves(load, split):
    """What every node keeps, node by node: [(layer, units)]."""
    kept = []
    queue = [(0, load)]
    while queue:
        layer, units = queue.pop()
        own, parts = split(layer, units)
        kept.append((layer, own))
        queue.extend((phase, sent) for phase, _, sent in parts)
    return kept


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
    # Section 1.3: the integers of V = 100 and their makespan.
    plan = uniform(100, 1, 1, 1, 2)

    def split(layer, units):
        return split_laminar(plan, layer, units)

    kept = leaves(100, split)
    assert sorted(kept) == sorted([(0, 23)] + 4 * [(1, 6)] + 13 * [(2, 3)]
                                  + 7 * [(2, 2)])
    assert simulate(100, 1, [1, 1], [1, 1], split) == 25
    # Section 1.4: several rounds.
    assert solve_rounds(11, f(1), f(1), [0], 2)[:2] == (3, [[1], [1]])
    got = solve_rounds(1, f(1), f(1), [0, 0], 2)
    assert got[0] == f(14, 69)
    assert got[1] == [[f(41, 276), f(7, 276)], [f(1, 46), f(1, 276)]]
    assert solve_rounds(100, f(1), f(1), [1, 1], 2) is None
    micro = f(1, 10 ** 6)
    many = solve_rounds(10 ** 6, micro, f(33, 10 ** 10),
                        [f(485, 10 ** 8)] * 5, 3)
    assert round(float(many[0]) * 1e4, 6) == 9.160875
    assert solve_rounds_costs(1, 1, [1, 1], [0, 0], 2) == solve_rounds(
        1, f(1), f(1), [0, 0], 2)
    assert solve_rounds_costs(10 ** 6, micro, [f(33, 10 ** 10)] * 3,
                              [f(485, 10 ** 8)] * 3, 3) == solve_rounds(
        10 ** 6, micro, f(33, 10 ** 10), [f(485, 10 ** 8)] * 3, 3)
    # Section 1.6: store and forward, results, ports.
    transfers, startups = costs(1, 1, 1, store_and_forward=True)
    assert solve(100, 1, transfers, startups).shares == (
        f(529, 12), f(113, 24), f(89, 48))
    transfers, startups = costs(1, 1, 1, results=f(1, 2))
    plan = solve(100, 1, transfers, startups)
    assert plan.volumes == (100, f(196, 13), f(340, 169))
    assert plan.makespan == f(5348, 169)
    assert solve_ports(100, f(1), f(1), f(1), 1, 1)[0] == f(1649, 31)
    assert solve_ports(100, f(1), f(1), f(1), 1, 2)[0] == 41
    assert solve_ports(100, f(1), f(1), f(1), 2, 4)[0] == f(71, 3)
    for ports in (1, 2, 4):
        assert solve_nodes(100, lambda _: 1, [1], [1], ports)[0] == (
            solve_ports(100, f(1), f(1), f(1), 1, ports)[0])
    assert solve_nodes(100, lambda _: 1, [1, 1], [1, 1])[0] == f(71, 3)
    speeds = [f(1, 2), 1, 2]
    layered = solve_nodes(
        100, lambda node: speeds[node[-1][0] if node else 0], [1, 1], [1, 1])
    assert layered[0] == f(264, 13)
    assert {layered[1][node][0] for node in layered[1]} == {
        f(528, 13), f(161, 26), f(45, 26)}
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

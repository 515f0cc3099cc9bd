# SPDX-License-Identifier: Apache-2.0
"""Several rounds along any tree, carried out event by event in fractions; and
similar rounds on a star, in which everybody gets the part r_r of all in round
r. Independent of scatter/: nothing here plans what the boards carry out.
"""
from fractions import Fraction

import tree_plan


def walk(tree, rounds, round_end=0, overhead=0):
    """When the last node ends, if rounds[r][i] is what node i computes in round
    r. A node looks for its next message when it has computed the last one; the
    root queues all sends and computes its share of all rounds then. `tree` is
    one of tree_plan.py; each queue works by itself."""
    count = len(tree.branches)
    free, lane_free, ends = [0] * count, {}, []
    sends = len(tree.below[0])
    for number, shares in enumerate(rounds):
        volumes = list(shares)
        for i in reversed(range(count)):
            volumes[i] += sum(volumes[child] for child in tree.below[i])
        received = [0] * count
        for i, share in enumerate(shares):
            turn = max(received[i], free[i])
            if i == 0:
                turn = number * (sends * tree.costs.send + overhead
                                 << tree.slow[0])
            for place, queue in tree.lanes(i):
                now = max(turn + tree.queued(i, place),
                          lane_free.get((i, place), 0))
                for child in queue:
                    now += (tree.startup(child)
                            + tree.rate(child) * volumes[child])
                    received[child] = now
                lane_free[i, place] = now
            if i > 0:
                free[i] = (turn + tree.computes(i) + share * tree.unit(i)
                           + (round_end << tree.slow[i]))
                ends.append(free[i] - (round_end << tree.slow[i]))
    again = (len(rounds) - 1) * (sends * tree.costs.send + overhead
                                 << tree.slow[0])
    own = sum(shares[0] for shares in rounds)
    return max([tree.computes(0) + again + own * tree.unit(0), *ends])


def similar_star(tree, first):
    """(makespan, r_1 ..) of similar rounds of a star without software, as many
    as it takes, if the first one's part is so large; None if they never end."""
    costs = tree.costs
    scaled = tree_plan.Tree(tree.branches, tree.slow,
                            costs._replace(transfer=costs.transfer * first))
    makespan, shares = scaled.solve()
    if min(shares) < 0:
        return None
    parts, done = [first], first
    start = [makespan - share * tree.unit(i)
             for i, share in enumerate(shares)]
    queues = [queue for _, queue in tree.lanes(0)]
    ends = [start[queue[-1]] for queue in queues]
    while done < 1:
        part = 1 - done
        for queue, end in zip(queues, ends):
            ahead = moved = 0
            for child in queue:
                ahead += tree.startup(child)
                moved += tree.rate(child) * shares[child]
                dry = start[child] + done * (makespan - start[child])
                part = min(part, (dry - end - ahead) / moved)
        if part <= 0 or len(parts) == 16:
            return None
        for i, queue in enumerate(queues):
            ends[i] += sum(tree.startup(child) + part * tree.rate(child)
                           * shares[child] for child in queue)
        parts.append(part)
        done += part
    return makespan, parts


def best_similar_star(tree, steps=400):
    """The least makespan of similar rounds, to a part in `steps` of r_1."""
    found = [similar_star(tree, Fraction(i, steps))
             for i in range(1, steps + 1)]
    return min((x for x in found if x is not None), key=lambda x: x[0])


def lane(speeds, load):
    """A star of one lane: G = 1, g = 1, compute times 2 << speed."""
    count = len(speeds)
    branches = [tree_plan.Branch(0, 0, count, 0, 0, 0, 0, 0)] + [
        tree_plan.Branch(0, 0, 1, 0, 0, 1 + i, 1, 0)
        for i in range(count - 1)]
    return tree_plan.Tree(branches, list(speeds),
                          tree_plan.Costs(load, 2, 1, 1))


def self_check():
    """One lane, computed by hand in fractions."""
    tree = lane([0, 0, 1, 2], 40)
    makespan, shares = tree.solve()
    assert makespan == Fraction(11050, 277) and sum(shares) == 40
    assert walk(tree, [shares]) == makespan
    scaled = tree_plan.Tree(tree.branches, tree.slow,
                            tree.costs._replace(transfer=Fraction(1, 3)))
    assert scaled.solve()[0] == Fraction(187382, 5557)
    makespan, parts = best_similar_star(tree, 10000)
    assert abs(makespan - Fraction("35.134")) < Fraction(1, 100)
    assert len(parts) == 4
    for part, want in zip(parts, ("0.4736", "0.3204", "0.1735", "0.0325")):
        assert abs(part - Fraction(want)) < Fraction(1, 1000)
    # Two halves, one after the other, by hand: the child has the first after 1
    # + 10, computes it until 31, and has the second at 22.
    pair = lane([0, 0], 40)
    assert walk(pair, [[0, 10], [20, 10]]) == 51
    assert walk(pair, [[0, 10], [20, 10]], round_end=3) == 54

# SPDX-License-Identifier: Apache-2.0
"""One round along the scatters of tori of any size: makespans over the bound of
any plan, and pairs of circuits that share a link."""
import statistics

import core as library
import model
import tree
import tree_plan

COSTS = tree_plan.Costs(10 ** 6, 10 ** 6, 3300, 4850000)  # t3d, spin 32
NODES = (5, 25, 125, 625, 961)
GRID = 2 ** 200  # of shares


def bound_ps(size):
    """The least time by which the load can be processed."""
    low, high = 0, COSTS.load * COSTS.compute
    while high - low > 1:
        middle = (low + high) // 2
        if model.reached(middle, size[0] * size[1], tree.growth(*size) - 1,
                         COSTS.compute, COSTS.startup,
                         COSTS.transfer) < COSTS.load:
            low = middle
        else:
            high = middle
    return high


def figures(core, size):
    """(ratio to the bound, pairs of circuits, those that nothing orders)."""
    branches = [tree.Branch(*fields) for fields in library.branches_of(
        library.tree(core, "scatter", *size)[1])]
    plan = tree_plan.plan(tree_plan.wire(branches)[0], [0] * len(branches),
                          COSTS, GRID)
    pairs = tree.shared_pairs(tree.check(*size, (0, 0), branches))
    return float(plan[2] / bound_ps(size)), *map(len, pairs)


def lines(bench):
    most = int(bench.words[0]) if bench.words else 31
    core, least = library.load(), 1
    for nodes in NODES:
        found = [figures(core, (w, h)) for w in range(1, most + 1)
                 for h in range(1, most + 1) if least <= w * h <= nodes]
        if found:
            ratios, shared, unordered = zip(*found)
            bench.table.line(
                f"{least} to {nodes} nodes, {len(found)} sizes: over the bound",
                None, f"{min(ratios):.3f}, {statistics.median(ratios):.3f}, "
                f"{max(ratios):.3f}; {sum(shared)} pairs of circuits share a "
                f"link, {sum(unordered)} unordered")
        least = nodes + 1

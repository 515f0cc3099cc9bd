# SPDX-License-Identifier: Apache-2.0
"""Trees around dead nodes and links: samples of what `make faults` tries.

QUINCUNX_SEED chooses holes and originators.
"""
import os
import random

import pytest

import around
import core as library
import parts
import tree
from around import Holes, judge

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
SMALL, LARGE = (5, 5), (25, 25)


def test_every_single_hole_of_5x5(core):
    originator = random.Random(SEED).choice(around.all_nodes(SMALL))
    for holes in around.singles(SMALL, originator):
        phases, _, nodes = judge(core, SMALL, originator, holes)
        assert phases <= 3 and nodes == 25 - len(holes.nodes), holes


@pytest.mark.parametrize("count", parts.cases([10, 200], 1))
def test_single_holes_of_25x25(core, count):
    rng = random.Random(f"{SEED} {count}")
    for holes in rng.sample(list(around.singles(LARGE, (0, 0))), count):
        phases, _, nodes = judge(core, LARGE, (0, 0), holes)
        assert phases <= 5 and nodes == 625 - len(holes.nodes), holes


def test_five_nodes_and_five_links_of_25x25(core):
    rng = random.Random(SEED)
    for _ in range(5):
        originator = rng.choice(around.all_nodes(LARGE))
        holes = around.drawn(rng, LARGE, originator, 5, 5)
        assert judge(core, LARGE, originator, holes)[0] <= 5, holes


def test_any_holes(core):
    """Also so many that the tree has but a few nodes, or one, and relays in a
    long chain."""
    rng = random.Random(SEED)
    alone = chains = 0
    for _ in range(300):
        size, originator, holes = around.any_case(rng)
        phases, _, nodes = judge(core, size, originator, holes)
        alone += nodes == 1
        chains += phases > tree.least_phases(*size) + 1
    assert alone > 10 and chains > 10


def test_a_chain_of_relays(core):
    """In a corridor with a corner at every other node, each relay reaches but
    the next."""
    size, corridor = (30, 30), set()
    for i in range(0, 28, 2):
        corridor |= {(i, i), (i + 1, i), (i + 2, i), (i + 2, i + 1),
                     (i + 2, i + 2)}
    holes = Holes([at for at in around.all_nodes(size) if at not in corridor])
    phases, _, nodes = judge(core, size, (0, 0), holes)
    assert nodes == len(corridor) and phases >= 14


def test_a_dead_originator_has_no_tree(core):
    holes = library.holes(core, *SMALL, [(1, 1)], [])
    assert library.tree_around(core, *SMALL, (1, 1), holes) is None


def test_a_switch_that_lives_lets_circuits_pass(core):
    """On a ring, the nodes behind two dead ones."""
    two = [(1, 0), (4, 0)]
    assert judge(core, (6, 1), (0, 0), Holes(two))[2] == 2
    assert judge(core, (6, 1), (0, 0), Holes(two, relays=[(1, 0)]))[2] == 4

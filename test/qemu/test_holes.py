# SPDX-License-Identifier: Apache-2.0
"""Trees around dead nodes and links (qemu/schedule/holes.h): who is reached is
what a search over paths of one turn says (oracle/tree.py), and every circuit is
walked link by link.

QUINCUNX_SEED chooses holes and originators.
"""
import os
import random

import pytest

import core as library
import tree

SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))


def check(core, size, originator, nodes, links, relays=()):
    """The number of phases of the tree, which is right."""
    gone = set(links) | {link for node in set(nodes) - set(relays)
                         for link in tree.links_of(*size, node)}
    reach = tree.reach(*size, originator, set(nodes), gone)
    holes = library.holes(core, *size, nodes, links, relays)
    phases, raw = library.tree_around(core, *size, originator, holes)
    branches = [tree.Branch(*fields) for fields in library.branches_of(raw)]
    case = size, originator, nodes, links, relays
    circuits = tree.check(*size, originator, branches, count=len(reach))
    assert {(b.x, b.y) for b in branches} == reach, case
    assert not gone & {link for c in circuits for link in c.links}, case
    assert phases == max(b.phase for b in branches)
    return phases


def all_nodes(size):
    return [(x, y) for y in range(size[1]) for x in range(size[0])]


def singles(size, originator):
    """Every hole: (dead nodes, dead links, relays)."""
    for node in all_nodes(size):
        if node != originator:
            yield [node], [], []
            yield [node], [], [node]
    for link in range(2 * size[0] * size[1]):
        yield [], [link], []


def test_every_single_hole_of_5x5(core):
    for hole in singles((5, 5), (0, 0)):
        assert check(core, (5, 5), (0, 0), *hole) <= 3, hole

# SPDX-License-Identifier: Apache-2.0
"""Trees around dead nodes and links (qemu/schedule/holes.h), judged: who is
reached is what a search over paths of one turn says (oracle/tree.py), and every
circuit is walked link by link."""
import collections
import time

import core as library
import tree

# Of `relays`, dead nodes, the switch lives; links are numbers of torus_link().
Holes = collections.namedtuple("Holes", "nodes links relays",
                               defaults=([], [], []))


def all_nodes(size):
    return [(x, y) for y in range(size[1]) for x in range(size[0])]


def gone(size, holes):
    """All links through which no circuit passes."""
    return set(holes.links) | {
        link for node in set(holes.nodes) - set(holes.relays)
        for link in tree.links_of(*size, node)}


def judge(core, size, originator, holes):
    """(phases, seconds of CPU, number of nodes) of a tree that is right."""
    made = library.holes(core, *size, *holes)
    began_s = time.process_time()
    phases, raw = library.tree_around(core, *size, originator, made)
    seconds = time.process_time() - began_s
    branches = [tree.Branch(*fields) for fields in library.branches_of(raw)]
    reach = tree.reach(*size, originator, set(holes.nodes), gone(size, holes))
    circuits = tree.check(*size, originator, branches, count=len(reach))
    assert {(b.x, b.y) for b in branches} == reach
    assert not gone(size, holes) & {n for c in circuits for n in c.links}
    assert phases == max(b.phase for b in branches)
    return phases, seconds, len(reach)


def singles(size, originator):
    """Every hole: each node, each node but for its switch, each link."""
    for node in all_nodes(size):
        if node != originator:
            yield Holes([node])
            yield Holes([node], relays=[node])
    for link in range(2 * size[0] * size[1]):
        yield Holes(links=[link])


def drawn(rng, size, originator, nodes, links):
    """So many dead nodes and links; the switch of every fourth node lives."""
    dead = rng.sample([at for at in all_nodes(size) if at != originator],
                      nodes)
    return Holes(dead, rng.sample(range(2 * size[0] * size[1]), links),
                 [at for at in dead if rng.randrange(4) == 0])


def any_case(rng):
    """(size, originator, holes): few holes, or so many that few nodes are
    reached."""
    size = rng.randint(1, 9), rng.randint(1, 9)
    originator = rng.choice(all_nodes(size))
    most = rng.choice((1, 2, 4)) * size[0] * size[1] // 4
    holes = drawn(rng, size, originator, rng.randint(0, min(
        most, size[0] * size[1] - 1)), rng.randint(0, most))
    return size, originator, holes

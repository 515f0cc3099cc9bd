# SPDX-License-Identifier: Apache-2.0
"""A checker of scatter trees on any torus, and what is known of them.

Independent of torus/: every circuit is walked link by link. A link is the
number of the node at its west or south end, twice, plus 1 if it goes north:
on sides of 1 and 2 a pair of nodes does not name a link.
"""
import itertools
from collections import namedtuple

Branch = namedtuple(
    "Branch", "x y nodes phase port turn hops hops_after")
Circuit = namedtuple("Circuit", "phase source receiver port links")

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
STRAIGHT, LEFT, RIGHT = range(3)
TURNED = {LEFT: 1, RIGHT: -1}


class Wrong(Exception):
    """What is wrong with a tree."""


def need(condition, *words):
    if not condition:
        raise Wrong(*words)


def walk(width, height, start, branch):
    """Node, links of the branch's path, one after the other."""
    (x, y), port, links = start, branch.port, []
    for hops in (branch.hops, branch.hops_after):
        dx, dy = STEPS[port]
        for _ in range(hops):
            west, south = x, y
            x, y = (x + dx) % width, (y + dy) % height
            if dx < 0 or dy < 0:
                west, south = x, y
            links.append(2 * (south * width + west) + (dy != 0))
        if branch.turn == STRAIGHT:
            break
        port = (port + TURNED[branch.turn]) % 4
    return (x, y), links


def check_path(width, height, branch):
    side = max(width, height)
    need(branch.port < 4 and branch.turn < 3, "port or turn", branch)
    need(1 <= branch.hops <= side, "hops", branch)
    if branch.turn == STRAIGHT:
        need(branch.hops_after == 0, "hops after no turn", branch)
    else:
        need(1 <= branch.hops_after <= side, "hops after", branch)


def check(width, height, originator, branches, disjoint=True, count=None):
    """The circuits of a tree of `count` nodes (None: all), in its order; Wrong
    if it is not one."""
    need(len(branches) == (count or width * height), "not all nodes")
    root = branches[0]
    need((root.x, root.y) == originator and root[3:] == (0, 0, 0, 0, 0),
         "root", root)
    circuits, reached = [], set()
    above = []  # of [node, end of its subtree, its last child]
    held, used = set(), set()
    for index, branch in enumerate(branches):
        while above and above[-1][1] == index:
            above.pop()
        end = index + branch.nodes
        need(branch.nodes >= 1, "no nodes", branch)
        need((branch.x, branch.y) not in reached, "reached twice", branch)
        reached.add((branch.x, branch.y))
        if index == 0:
            need(end == len(branches), "nodes of the root", root)
        else:
            need(bool(above), "no parent", branch)
            parent, parent_end, last = above[-1]
            source = parent.x, parent.y
            need(end <= parent_end, "more nodes than the parent", branch)
            need(branch.phase > parent.phase, "before its parent", branch)
            if last is not None:
                need((last.phase, last.port) < (branch.phase, branch.port),
                     "order of children", last, branch)
            above[-1][2] = branch
            check_path(width, height, branch)
            ends, links = walk(width, height, source, branch)
            need(ends == (branch.x, branch.y), "path ends at", ends, branch)
            need((source, branch.phase, branch.port) not in used,
                 "port used twice", branch)
            used.add((source, branch.phase, branch.port))
            if disjoint:
                for link in links:
                    need((branch.phase, link) not in held, "link", link,
                         "held twice in phase", branch)
                    held.add((branch.phase, link))
            circuits.append(
                Circuit(branch.phase, source, ends, branch.port, links))
        above.append([branch, end, None])
    while above and above[-1][1] == len(branches):
        above.pop()
    need(not above, "subtrees end behind the last node")
    return circuits


# ---- holes ----

def links_of(width, height, node):
    """The four links of a node, out of east, north, west and south."""
    return [walk(width, height, node, Branch(
        0, 0, 0, 0, port, STRAIGHT, 1, 0))[1][0] for port in range(4)]


def ray(width, height, start, port, dead_links):
    """Nodes straight out of a port, up to a dead link."""
    (x, y), (dx, dy) = start, STEPS[port]
    for _ in range((height if dy else width) - 1):
        west, south = x, y
        x, y = (x + dx) % width, (y + dy) % height
        if dx < 0 or dy < 0:
            west, south = x, y
        if 2 * (south * width + west) + (dy != 0) in dead_links:
            return
        yield x, y


def reach(width, height, originator, dead_nodes, dead_links):
    """Nodes to which a chain of living nodes leads from the originator, which
    lives, each over a path of one turn at most without a dead link."""
    living = width * height - len(dead_nodes)
    found, new = {originator}, [originator]
    while new and len(found) < living:
        start = new.pop()
        for port in range(4):
            for corner in ray(width, height, start, port, dead_links):
                for at in itertools.chain((corner,), *(
                        ray(width, height, corner, (port + turn) % 4,
                            dead_links) for turn in (1, 3))):
                    if at not in found and at not in dead_nodes:
                        found.add(at)
                        new.append(at)
    return found


def growth(width, height):
    """Nodes that one can become in a phase: ports that lead elsewhere."""
    return 1 + 2 * (width > 1) + 2 * (height > 1)


def least_phases(width, height):
    nodes, phases = 1, 0
    while nodes < width * height:
        nodes *= growth(width, height)
        phases += 1
    return phases


def shifted(width, height, branches, by):
    """The same tree from an originator that lies `by` further."""
    return [b._replace(x=(b.x + by[0]) % width, y=(b.y + by[1]) % height)
            for b in branches]


def shared_pairs(circuits):
    """Pairs of different phases with a common link: all, and unordered ones.

    A circuit is ordered before another if it brought the load to the other's
    sender or to one of the sender's ancestors, or left the same port of one
    of them before the load that went on to the sender.
    """
    circuits = sorted(circuits)
    brought = {c.receiver: i for i, c in enumerate(circuits)}
    last, before, users = {}, [], {}
    for i, c in enumerate(circuits):
        known = 0
        for j in (brought.get(c.source), last.get((c.source, c.port))):
            if j is not None:
                known |= before[j] | 1 << j
        before.append(known)
        last[c.source, c.port] = i
        for link in c.links:
            users.setdefault(link, []).append(i)
    pairs = {(early, late) for found in users.values()
             for n, late in enumerate(found) for early in found[:n]
             if circuits[early].phase != circuits[late].phase}
    return pairs, {(early, late) for early, late in pairs
                   if not before[late] >> early & 1}


def distance(width, height, a, b):
    """Hops of a shortest path."""
    dx, dy = abs(a[0] - b[0]), abs(a[1] - b[1])
    return min(dx, width - dx) + min(dy, height - dy)

# SPDX-License-Identifier: Apache-2.0
"""Who serves whom in a farm of two levels (qemu/schedule/farm.c): every node is
served once, over a shortest path from its server, and no division by phases of
the tree has a smaller largest group.

QUINCUNX_SEED chooses the originators.
"""
import ctypes as c
import struct

import pytest
import test_tree
import tree
from core import Branch, Coord, Path, Size, tree as tree_of

IN_GROUP = 0x80
SIZES = [(2, 2), (1, 9), (4, 6), (5, 5), (6, 11), (10, 10), (13, 21), (25, 25)]


def masters(core, size, originator):
    """(branches of the announcement's tree, the words that say who serves)."""
    phases, branches = tree_of(core, "farm", *size, originator)
    assert phases >= 0
    room = (Branch * (size[0] * size[1])).from_buffer_copy(branches)
    stored = c.create_string_buffer(16 * len(room))
    core.schedule_farm_masters(stored, room, Size(*size), None)
    words = [struct.unpack_from("<I", stored, 16 * i)[0]
             for i in range(len(room))]
    return list(room), words


def parents_of(branches):
    """Each has the last one before it whose subtree it still is in."""
    return [None] + [next(at for at in reversed(range(i))
                          if i < at + branches[at].nodes)
                     for i in range(1, len(branches))]


def servers_if(branches, parents, last):
    """Those of phases up to `last`, and the originator's children, are no
    workers of a master."""
    servers = [None]
    for i in range(1, len(branches)):
        at = parents[i]
        if at == 0 or branches[i].phase <= last:
            at = 0
        else:
            while parents[at] != 0 and branches[at].phase > last:
                at = parents[at]
        servers.append(at)
    return servers


def most_served(servers):
    return max(map(servers.count, set(servers[1:])))


@pytest.mark.parametrize("size", SIZES)
def test_who_serves_whom(core, size):
    originator = test_tree.originators(size, 1)[0]
    branches, words = masters(core, size, originator)
    parents = parents_of(branches)
    grouped = [bool(word & IN_GROUP) for word in words]
    servers = [None]
    for i in range(1, len(branches)):
        at = parents[i]
        while grouped[i] and grouped[at]:
            at = parents[at]
        servers.append(at if grouped[i] else 0)
        assert not grouped[i] or servers[i] != 0
    for i in range(1, len(branches)):
        start, end = ((branches[at].at.x, branches[at].at.y)
                      for at in (servers[i], i))
        word = words[i] & ~IN_GROUP
        path = Path(word & 15, word >> 4 & 7, word >> 8 & 0xfff, word >> 20)
        reached = core.torus_path_end(Size(*size), Coord(*start), path)
        assert (reached.x, reached.y) == end
        assert path.hops + path.hops_after == tree.distance(*size, start, end)
    best = min(most_served(servers_if(branches, parents, last))
               for last in range(0, 1 + max(b.phase for b in branches)))
    assert most_served(servers) == best


def test_the_pattern_of_625(core):
    """24 masters with 24 workers; around the originator four with four."""
    branches, words = masters(core, (25, 25), (0, 0))
    served = len([word for word in words[1:] if not word & IN_GROUP])
    assert served == 24 + 4 + 4

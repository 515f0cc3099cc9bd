# SPDX-License-Identifier: Apache-2.0
"""torus/ against a scatter that is grown on explicit coordinates."""
import ctypes
import itertools
import random

import pytest

import model
import parts
import torus
import tree
from core import Coord, Path, Size

LINK_COUNTS = {5: [12, 20], 25: [60, 100, 300, 500],
               125: [300, 500, 1500, 2500, 7500, 12500]}


def originators(side, every):
    """All of them, or corners, the middle, two others."""
    if every:
        return [(x, y) for y in range(side) for x in range(side)]
    rng = random.Random(side)
    last = side - 1
    return [(0, 0), (last, last), (last // 2, last // 2)] + [
        (rng.randrange(side), rng.randrange(side)) for _ in range(2)]


def link_number(side, link):
    """torus/torus.h: by its west or south end; 0 goes east, 1 north."""
    (ax, ay), (bx, by) = link
    if ay == by:
        x = ax if (ax + 1) % side == bx else bx
        return 2 * (ay * side + x)
    y = ay if (ay + 1) % side == by else by
    return 2 * (y * side + ax) + 1


def check_originator(core, side, originator):
    """C's paths, ends, links, roles and reverse paths for one scatter."""
    size = Size(side, side)
    room = (ctypes.c_uint32 * side)()
    start = Coord(*originator)
    circuits = torus.scatter(side, originator)
    paths = {(phase, port): core.torus_phase_path(size, phase, port)
             for phase in range(1, torus.phases_of(side) + 1)
             for port in range(4)}
    reached = {originator}
    for one in circuits:
        path = paths[one.phase, one.port]
        want = [link_number(side, pair)
                for pair in zip(one.nodes, one.nodes[1:])]
        source, last = Coord(*one.source), one.nodes[-1]
        end = core.torus_path_end(size, source, path)
        assert (end.x, end.y) == last, one
        hops = core.torus_path_links(size, source, path, room, side)
        assert room[:hops] == want, one
        back = core.torus_path_reverse(path)
        hops = core.torus_path_links(size, end, back, room, side)
        assert room[:hops] == want[::-1], one
        home = core.torus_path_end(size, end, back)
        assert (home.x, home.y) == one.source, one
        role = core.torus_role_of(size, start, end)
        assert (role.layer, role.port, (role.parent.x, role.parent.y)) == (
            one.phase, one.port, one.source), one
        assert last not in reached, one
        reached.add(last)
    assert len(reached) == side * side
    return circuits


def check_links(side, circuits):
    """Disjoint in every phase, as many as the theory says, wraps in use."""
    wrapped = set()
    for phase, count in enumerate(LINK_COUNTS[side], 1):
        now = [one for one in circuits if one.phase == phase]
        used = [link for one in now for link in torus.links(one)]
        hops = [pair for one in now for pair in torus.directed(one)]
        assert len(used) == len(set(used)) == count
        assert len(hops) == len(set(hops)) == count
        wrapped |= {link for link in used if torus.wraps(link)}
    columns = {link for link in wrapped
               if len({y for _, y in link}) == 1}
    assert columns and wrapped - columns


@pytest.mark.parametrize("side, every", parts.cases(
    [(5, True), (25, False), (125, False), (25, True)], 3))
def test_every_node_is_reached_once_over_disjoint_circuits(core, side, every):
    for originator in originators(side, every):
        check_links(side, check_originator(core, side, originator))


@pytest.mark.parametrize("side", sorted(LINK_COUNTS))
def test_layers_and_hops(core, side):
    power = torus.phases_of(side) // 2
    size = Size(side, side)
    assert core.torus_phases(size) == 2 * power
    circuits = torus.scatter(side, (0, 0))
    for phase in range(1, 2 * power + 1):
        nodes = sum(one.phase == phase for one in circuits)
        assert core.torus_layer_nodes(phase) == nodes
        for port in range(4):
            path = core.torus_phase_path(size, phase, port)
            assert core.torus_path_hops(path) == model.hops(power, phase)


@pytest.mark.parametrize("side", [5, 25])
def test_circuits_that_share_a_link_are_ordered_by_causes(side):
    """No timing whatsoever can make two circuits of a scatter meet."""
    for originator in ((0, 0), (side - 1, side // 2)):
        assert not torus.unordered_pairs(torus.scatter(side, originator))


def test_on_125_unordered_circuits_have_two_phases_between_them():
    """
    Causes alone do not keep 96 pairs apart: a circuit of phase 1 or 2, and
    one of phase 5 or 6 whose load left the same node out of another port.
    Time does: two whole phases lie between them.
    """
    circuits = torus.scatter(125, (0, 0))
    pairs = torus.unordered_pairs(circuits)
    assert len(pairs) == 96
    for early, late in pairs:
        assert circuits[early].phase in (1, 2)
        assert circuits[late].phase in (5, 6)


def test_oracle_sees_circuits_that_are_not_ordered():
    """Two nodes that know nothing of each other, across the same link."""
    first = torus.Circuit(1, (0, 0), 0, [(0, 0), (1, 0)])
    other = torus.Circuit(1, (0, 0), 1, [(0, 0), (0, 1)])
    across = torus.Circuit(2, (0, 1), 3, [(0, 1), (0, 0), (1, 0), (2, 0)])
    back = torus.Circuit(2, (1, 0), 2, [(1, 0), (0, 0), (4, 0)])
    assert torus.unordered_pairs([first, other, across]) == [(0, 2)]
    assert not torus.unordered_pairs([first, other, back])


# Worlds in which wrap and neighbours coincide, oblong ones among them.
WORLDS = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (1, 3), (2, 3), (3, 3),
          (4, 3), (5, 4), (5, 5)]


def paths_of(side):
    for port, turn, hops, after in itertools.product(
            range(4), range(3), range(1, side + 1), range(side + 1)):
        if (turn == 0) == (after == 0):
            yield tree.Branch(0, 0, 1, 1, port, turn, hops, after)


def test_every_path_of_every_small_world(core):
    """Its end, links and arrival, there and back; all nodes in order of rows;
    a single hop is a path of one link, which both its ends name alike."""
    room = (ctypes.c_uint32 * 10)()
    for width, height in WORLDS:
        size = Size(width, height)
        nodes = [(x, y) for y in range(height) for x in range(width)]
        for index, node in enumerate(nodes):
            assert core.torus_index(size, Coord(*node)) == index
            at = core.torus_coord_of(size, index)
            assert (at.x, at.y) == node
            for port in range(4):
                last, links = tree.walk(width, height, node, tree.Branch(
                    0, 0, 1, 1, port, 0, 1, 0))
                assert [core.torus_link(size, Coord(*node), port)] == links
                assert [core.torus_link(size, Coord(*last), (port + 2) % 4)
                        ] == links
        for one in paths_of(max(width, height)):
            start = width - 1, 0
            last, links = tree.walk(width, height, start, one)
            path = Path(*one[4:])
            end = core.torus_path_end(size, Coord(*start), path)
            assert core.torus_path_valid(size, path)
            assert (end.x, end.y) == last
            hops = core.torus_path_links(size, Coord(*start), path, room, 10)
            assert hops == core.torus_path_hops(path)
            assert room[:hops] == links
            out = (one.port + (0, 1, 3)[one.turn]) % 4
            assert core.torus_path_arrival(path) == (out + 2) % 4
            back = core.torus_path_reverse(path)
            assert core.torus_path_valid(size, back)
            assert core.torus_path_links(size, end, back, room, 10) == hops
            assert room[:hops] == links[::-1]
            assert core.torus_path_arrival(back) == one.port
            assert bytes(core.torus_path_reverse(back)) == bytes(path)


def test_the_largest_torus(core):
    side = 3125
    size, last = Size(side, side), Coord(side - 1, side - 1)
    assert core.torus_index(size, last) == side * side - 1
    at = core.torus_coord_of(size, side * side - 1)
    assert (at.x, at.y) == (side - 1, side - 1)
    assert core.torus_link(size, last, 1) == 2 * side * side - 1
    for port, hops, want in ((0, side, (3124, 0)), (0, side - 1, (3123, 0)),
                             (3, side - 1, (3124, 1)), (2, side, (3124, 0))):
        at = core.torus_step(size, Coord(side - 1, 0), port, hops)
        assert (at.x, at.y) == want


def test_links_stop_at_the_capacity(core):
    room = (ctypes.c_uint32 * 4)(9, 9, 9, 99)
    for capacity in (0, 3):
        assert core.torus_path_links(Size(5, 5), Coord(4, 4), Path(0, 1, 2, 3),
                                     room, capacity) == 5
    assert list(room) == [2 * 24, 2 * 20, 2 * 21 + 1, 99]


def test_paths_that_are_none(core):
    size = Size(5, 4)
    for path in ((4, 0, 1, 0), (255, 0, 1, 0), (0, 3, 1, 1), (0, 0, 0, 0),
                 (0, 0, 6, 0), (0, 1, 1, 0), (0, 1, 1, 6), (0, 2, 0, 1),
                 (0, 2, 65535, 1), (0, 2, 1, 65535)):
        assert not core.torus_path_valid(size, Path(*path)), path
    for path in ((0, 0, 5, 0), (3, 1, 5, 5), (2, 2, 1, 1)):
        assert core.torus_path_valid(size, Path(*path)), path


def test_only_powers_of_five_have_the_pattern(core):
    powers = {5 ** k: 2 * k for k in range(6)}
    for side in range(3126):
        assert core.torus_phases(Size(side, side)) == powers.get(side, -1)
    for size in ((5, 25), (25, 5), (5, 1)):
        assert core.torus_phases(Size(*size)) == -1
    assert [core.torus_layer_nodes(i) for i in range(14)] == [1] + [
        4 * 5 ** i for i in range(13)]
    for side in (1, 5, 25, 125):
        size, at = Size(side, side), Coord(side - 1, side // 2)
        role = core.torus_role_of(size, at, at)
        assert (role.layer, role.parent.x, role.parent.y) == (0, at.x, at.y)

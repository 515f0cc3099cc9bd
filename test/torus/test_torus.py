# SPDX-License-Identifier: Apache-2.0
"""torus/ against a scatter that is grown on explicit coordinates."""
import ctypes
import itertools

import pytest

import model
import parts
import torus
import tree
from core import Coord, Path, Size

LINK_COUNTS = {5: [12, 20], 25: [60, 100, 300, 500],
               125: [300, 500, 1500, 2500, 7500, 12500]}


def link_number(side, link):
    """torus/torus.h: by its west or south end; 0 goes east, 1 north."""
    (ax, ay), (bx, by) = link
    if ay == by:
        x = ax if (ax + 1) % side == bx else bx
        return 2 * (ay * side + x)
    y = ay if (ay + 1) % side == by else by
    return 2 * (y * side + ax) + 1


def check_circuit(core, size, one, path, room):
    """Its end and links, there and back, as the oracle walks them."""
    want = [link_number(size.width, pair)
            for pair in zip(one.nodes, one.nodes[1:])]
    source, back = Coord(*one.source), core.torus_path_reverse(path)
    end = core.torus_path_end(size, source, path)
    assert (end.x, end.y) == one.nodes[-1], one
    for at, way, links in ((source, path, want), (end, back, want[::-1])):
        hops = core.torus_path_links(size, at, way, room, size.width)
        assert room[:hops] == links, one


@pytest.mark.parametrize("side, every", parts.cases(
    [(5, True), (25, False), (125, False), (25, True)], 3))
def test_every_node_is_reached_once_over_disjoint_circuits(core, side, every):
    """Of every originator, or of two; roles, layers and hops are right."""
    size, last = Size(side, side), side - 1
    power, room = torus.phases_of(side) // 2, (ctypes.c_uint32 * side)()
    assert core.torus_phases(size) == 2 * power
    for originator in (itertools.product(range(side), repeat=2) if every
                       else ((last, last), (last // 2, 1))):
        reached = {originator}
        for phase, count in enumerate(LINK_COUNTS[side], 1):
            paths = [core.torus_phase_path(size, phase, port)
                     for port in range(4)]
            assert {core.torus_path_hops(path) for path in paths} == {
                model.hops(power, phase)}
            used = set()
            circuits = [torus.circuit(side, phase, source, port)
                        for source in reached for port in range(4)]
            assert core.torus_layer_nodes(phase) == len(circuits)
            for one in circuits:
                check_circuit(core, size, one, paths[one.port], room)
                role = core.torus_role_of(size, Coord(*originator),
                                          Coord(*one.nodes[-1]))
                assert (role.layer, role.port, role.parent.x,
                        role.parent.y) == (phase, one.port, *one.source), one
                used.update(torus.links(one))
                reached.add(one.nodes[-1])
            assert len(used) == count
        assert len(reached) == side * side


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
            other = core.torus_path_other(size, path)
            if core.torus_path_valid(size, other):  # less than once around
                end = core.torus_path_end(size, Coord(*start), other)
                assert (end.x, end.y) == last
                assert bytes(core.torus_path_other(size, other)) == bytes(path)


def test_direct_paths_are_the_shortest(core):
    """To every node of the small worlds, with a left turn at most."""
    for width, height in [*WORLDS, (6, 5)]:
        size = Size(width, height)
        for x, y in itertools.product(range(width), range(height)):
            if (x, y) == (0, 0):
                continue
            away = Coord(x, y)
            paths = [core.torus_direct(size, away),
                     core.torus_x_first(size, away),
                     *(core.torus_ray(size, away, port) for port in range(4))]
            assert paths[0].turn < 2
            for path in (one for one in paths if one.hops):
                end = core.torus_path_end(size, Coord(0, 0), path)
                assert core.torus_path_valid(size, path)
                assert (end.x, end.y) == (x, y)
                assert core.torus_path_hops(path) == tree.distance(
                    width, height, (0, 0), (x, y)) == core.torus_hops(
                        size, away)


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
    # Links stop at the capacity.
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
    assert core.torus_layer_nodes(0) == 1
    role = core.torus_role_of(Size(25, 25), Coord(24, 12), Coord(24, 12))
    assert (role.layer, role.parent.x, role.parent.y) == (0, 24, 12)

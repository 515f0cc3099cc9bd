# SPDX-License-Identifier: Apache-2.0
"""torus/, scatter/plan/ and qemu/schedule/ through ctypes."""
import ctypes as c
import functools
import os
import pathlib
import subprocess
import sys

from guard import GUARD_S
from described import Library

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build")

# The QEMU that tests and benches start themselves: the one that the host
# command starts, qemu/board/emulator.h.
QEMU = os.environ.get("QUINCUNX_QEMU") or "qemu-system-arm"

PHASES_MAX = 20
ERR_EMPTY, ERR_PHASES, ERR_RANGE, ERR_PLAN = -9, -11, -12, -21


def qemu_version(program):
    """The first line of what a QEMU says of itself; None if there is none."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True,
                              text=True, timeout=GUARD_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.partition("\n")[0]


ROUNDS_MAX, ROUNDS_PHASES_MAX = 16, 10

# What Python calls the structs of libcore.so.
STRUCTS = {"Size": "torus_size", "Coord": "torus_coord", "Path": "torus_path",
           "Branch": "schedule_branch", "Sent": "schedule_circuit",
           "Job": "plan_job",
           "Circuit": "plan_circuit", "Plan": "planner_plan",
           "Split": "torus_split", "RoundsPlan": "rounds_plan",
           "TreeRounds": "tree_rounds", "Slots": "slots", "Farm": "farm",
           "FarmMember": "farm_member", "Holes": "schedule_holes"}


@functools.cache
def library():
    return Library(BUILD / "test" / "libcore.so")


def __getattr__(name):
    """A struct, once it is asked for: most that import this need none."""
    if name not in STRUCTS:
        raise AttributeError(name)
    return library().struct(STRUCTS[name])


struct_of = sys.modules[__name__]


def tree_job(costs):
    """Of a tree_plan.Costs."""
    return struct_of.Job(
        load_units=costs.load, compute_ps=costs.compute,
        transfer_ps=costs.transfer, circuit_ps=struct_of.Circuit(
            startup=costs.startup, hop=costs.hop, branch=costs.branch),
        split_ps=costs.parse, queue_ps=costs.send, start_ps=costs.start,
        begin_ps=costs.begin, ports=costs.ports,
        store_and_forward=costs.store_and_forward, equal=costs.equal)


def spoilt(size):
    """Memory of 8-byte words, in which nothing is 0."""
    room = (c.c_uint64 * (size // 8 + 1))()
    c.memset(room, 0xa5, c.sizeof(room))
    return room


def tree_plan(core, branches, given):
    """(error, makespan, phases, the room of the branches afterwards)."""
    room = c.create_string_buffer(branches, len(branches))
    work = spoilt(core.tree_work_bytes(len(branches) // 16))
    makespan, phases = c.c_uint64(), c.c_uint()
    error = core.tree_plan(room, given, work, makespan, phases)
    return error, makespan.value, phases.value, room.raw


def tree_rounds(core, branches, given, least, most, round_end=0, overhead=0,
                sends=2 ** 16):
    """(makespan of one round, rounds, makespan, when each begins, the branches
    as planned, the table of each round), if one round can be planned."""
    room = c.create_string_buffer(branches, len(branches))
    nodes = len(branches) // 16
    work = spoilt(core.tree_work_bytes(nodes))
    memory = spoilt(core.tree_rounds_bytes(nodes))
    tables = (c.c_uint32 * (most * (nodes + 2)))()
    begin = (c.c_uint64 * most)()
    makespan, phases = c.c_uint64(), c.c_uint()
    error = core.tree_plan(room, given, work, makespan, phases)
    if error != 0:
        return None
    one = makespan.value
    given.round_ps, given.overhead_ps = round_end, overhead
    given.sends_max = sends
    rounds = core.tree_rounds_plan(
        room, struct_of.TreeRounds(
            least=least, most=most, tables=tables, begin_ps=begin,
            memory=c.addressof(memory)), makespan, given, work)
    words = int.from_bytes(room.raw[8:10], "little") + 2
    return (one, rounds, makespan.value, list(begin[:rounds]),
            room.raw[:16 * (words - 2)],
            [list(tables[words * r:words * (r + 1)]) for r in range(rounds)])


def ordered(core, circuits, width, height, originator):
    """(phases, branches) of the tree that circuits make."""
    room = (struct_of.Branch * (width * height))()
    phases = core.schedule_tree_order(room, struct_of.Size(width, height),
                                      struct_of.Coord(*originator), circuits)
    return phases, bytes(room)[:c.sizeof(struct_of.Branch) * room[0].nodes]


def tree(core, name, width, height, originator=(0, 0)):
    """(phases, bytes of the branches) of schedule_NAME(); None if it has none
    for the size."""
    circuits = (struct_of.Sent * (width * height))()
    fill = getattr(core, f"schedule_{name}")
    if not fill(circuits, struct_of.Size(width, height)):
        return None
    return ordered(core, circuits, width, height, originator)


def holes(core, width, height, nodes, links, relays=()):
    """A struct schedule_holes; of `relays`, dead nodes, the switch lives. The
    caller gives it to schedule_holes_free()."""
    made = core.schedule_holes_new(struct_of.Size(width, height))
    for at in nodes:
        core.schedule_holes_add(made, struct_of.Coord(*at), at in relays)
    dead = (c.c_bool * (2 * width * height)).from_address(
        c.cast(made, c.POINTER(struct_of.Holes)).contents.link)
    for link in links:
        dead[link] = True
    return made


def tree_around(core, width, height, originator, made):
    """(phases, bytes of the branches) of schedule_scatter_around(); None if
    there is no tree. Frees the holes."""
    circuits = (struct_of.Sent * (width * height))()
    around = core.schedule_holes_from(made, struct_of.Coord(*originator))
    found = core.schedule_scatter_around(circuits, around)
    core.schedule_holes_free(around)
    core.schedule_holes_free(made)
    return ordered(core, circuits, width, height, originator) if found else None


def group_star(core, width, height, originator, members):
    """(phases, bytes of the branches) of schedule_group_star()."""
    circuits = (struct_of.Sent * (width * height))()
    member = (c.c_bool * (width * height))()
    for x, y in members:
        member[y * width + x] = True
    core.schedule_group_star(circuits, struct_of.Size(width, height),
                             struct_of.Coord(*originator), member)
    return ordered(core, circuits, width, height, originator)


def branches_of(raw):
    """The tuples x y nodes phase port turn hops hops_after."""
    one = struct_of.Branch
    return [(b.at.x, b.at.y, b.nodes, b.phase, b.path.port, b.path.turn,
             b.path.hops, b.path.hops_after)
            for b in (one * (len(raw) // c.sizeof(one))).from_buffer_copy(raw)]


def load():
    return library().calls

# SPDX-License-Identifier: Apache-2.0
"""torus/ and scatter/'s planner and split through ctypes."""
import ctypes as c
import os
import pathlib
import struct
import subprocess

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
                              text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.partition("\n")[0]


class Size(c.Structure):
    _fields_ = [("width", c.c_uint16), ("height", c.c_uint16)]


class Coord(c.Structure):
    _fields_ = [("x", c.c_uint16), ("y", c.c_uint16)]


class Path(c.Structure):
    _fields_ = [("port", c.c_uint8), ("turn", c.c_uint8),
                ("hops", c.c_uint16), ("hops_after", c.c_uint16)]


class Role(c.Structure):
    _fields_ = [("layer", c.c_uint8), ("port", c.c_uint8),
                ("parent", Coord)]


class Input(c.Structure):
    _fields_ = [("load_units", c.c_uint32), ("compute_ps", c.c_uint64),
                ("transfer_ps", c.c_uint64),
                ("startup_ps", c.c_uint64 * PHASES_MAX),
                ("stages", c.c_uint16 * PHASES_MAX),
                ("results_numerator", c.c_uint16),
                ("results_denominator", c.c_uint16),
                ("phases_max", c.c_uint8), ("phases_want", c.c_uint8),
                ("phases_fixed", c.c_uint8)]


class Plan(c.Structure):
    _fields_ = [("phases", c.c_uint8), ("phases_feasible", c.c_uint8),
                ("makespan_ps", c.c_uint64),
                ("volume_units", c.c_uint32 * (PHASES_MAX + 1)),
                ("share_units", c.c_uint32 * (PHASES_MAX + 1))]


class Branch(c.Structure):
    _fields_ = [("at", Coord), ("nodes", c.c_uint16), ("phase", c.c_uint16),
                ("path", Path)]


ROUNDS_MAX, ROUNDS_PHASES_MAX = 16, 10
LAYER_UNITS = c.c_uint32 * (ROUNDS_PHASES_MAX + 1)


class RoundsInput(c.Structure):
    _fields_ = [("base", c.POINTER(Input)), ("queue_ps", c.c_uint64),
                ("between_rounds_ps", c.c_uint64), ("begin_ps", c.c_uint64),
                ("round_overhead_ps", c.c_uint64), ("gain_ps", c.c_uint64),
                ("rounds_min", c.c_uint8), ("rounds_max", c.c_uint8)]


class RoundsPlan(c.Structure):
    _fields_ = [("phases", c.c_uint8), ("rounds", c.c_uint8),
                ("makespan_ps", c.c_uint64),
                ("round_units", c.c_uint32 * ROUNDS_MAX),
                ("volume_units", LAYER_UNITS * ROUNDS_MAX),
                ("share_units", LAYER_UNITS * ROUNDS_MAX)]


class MeanwhileInput(c.Structure):
    _fields_ = [("base", c.POINTER(Input)), ("output_ps", c.c_uint64),
                ("back_ps", c.c_uint64), ("round_ps", c.c_uint64),
                ("own_ps", c.c_uint64), ("merge_ps", c.c_uint64),
                ("wait_ps", c.c_uint64), ("rounds_min", c.c_uint8),
                ("rounds_max", c.c_uint8)]


class Split(c.Structure):
    _fields_ = [("volume_units", c.POINTER(c.c_uint32)),
                ("share_units", c.c_uint32),
                ("extra_units", c.c_uint32),
                ("layer", c.c_uint32)]


class TreeInput(c.Structure):
    _fields_ = [("load_units", c.c_uint32), ("compute_ps", c.c_uint64),
                ("transfer_ps", c.c_uint64), ("startup_ps", c.c_uint64),
                ("hop_ps", c.c_uint64), ("branch_ps", c.c_uint64),
                ("split_ps", c.c_uint64), ("queue_ps", c.c_uint64),
                ("kernel_start_ps", c.c_uint64), ("begin_ps", c.c_uint64),
                ("ports", c.c_uint8), ("store_and_forward", c.c_bool),
                ("equal", c.c_bool)]


class AdvanceInput(c.Structure):
    _fields_ = [("nodes", c.c_uint32), ("load_units", c.c_uint32),
                ("compute_ps", c.c_uint64), ("transfer_ps", c.c_uint64),
                ("startups_ps", c.c_uint64), ("plan_ps", c.c_uint64),
                ("rounds_ps", c.c_uint64), ("round_ps", c.c_uint64)]


class Advance(c.Structure):
    _fields_ = [("units", c.c_uint32), ("rounds", c.c_uint8)]


class TreeRoundsInput(c.Structure):
    _fields_ = [("tree", c.POINTER(TreeInput)), ("round_end_ps", c.c_uint64),
                ("overhead_ps", c.c_uint64), ("plan_ps", c.c_uint64),
                ("sends_max", c.c_uint32), ("rounds_min", c.c_uint8),
                ("rounds_max", c.c_uint8)]


class Slots(c.Structure):
    _fields_ = [("end_ps", c.c_uint64), ("short_units", c.c_uint32),
                ("long_units", c.c_uint32), ("early_units", c.c_uint32),
                ("late_units", c.c_uint32), ("frames", c.c_uint8),
                ("phases", c.c_uint8), ("shift", c.c_uint8)]


class SlotsOfPhase(c.Structure):
    _fields_ = [("end_ps", c.c_uint64), ("early", c.c_uint32),
                ("frame", c.c_uint32), ("period", c.c_uint32),
                ("first_short", c.c_uint32), ("last_short", c.c_uint32),
                ("first_long", c.c_uint32), ("turn", c.c_uint32),
                ("late", c.c_uint32), ("shift", c.c_uint8),
                ("only_short", c.c_bool)]


class FarmInput(c.Structure):
    _fields_ = [("compute_ps", c.c_uint64), ("transfer_ps", c.c_uint64),
                ("demand_ps", c.c_uint64), ("load_units", c.c_uint32),
                ("most_units", c.c_uint32),
                ("nodes", c.c_uint32), ("served", c.c_uint32),
                ("ports", c.c_uint8), ("installment", c.c_uint8)]


class Farm(c.Structure):
    _fields_ = [("compute_ps", c.c_uint64), ("speeds", c.c_uint64),
                ("least", c.c_uint64), ("last_units", c.c_uint32),
                ("last_speed", c.c_uint32), ("short_units", c.c_uint32),
                ("short_speed", c.c_uint32), ("noted", c.c_uint32),
                ("members", c.c_uint32), ("left", c.c_uint32),
                ("most", c.c_uint32), ("floor", c.c_uint32),
                ("ahead", c.c_uint32), ("installment", c.c_uint8),
                ("masters", c.c_bool), ("growth", c.c_uint8)]


class FarmMember(c.Structure):
    _fields_ = [("speed", c.c_uint32), ("chunk_units", c.c_uint32)]


def tree_plan(core, branches, given):
    """(error, makespan, phases, the room of the branches afterwards)."""
    room = c.create_string_buffer(branches, len(branches))
    work = (c.c_uint64 * (core.tree_work_bytes(len(branches) // 16) // 8
                          + 1))()
    makespan, phases = c.c_uint64(), c.c_uint()
    error = core.tree_plan(room, given, work, makespan, phases)
    return error, makespan.value, phases.value, room.raw


def tree_rounds(core, branches, given, least, most, round_end=0, overhead=0,
                sends=2 ** 16):
    """(makespan of one round, rounds, makespan, when each begins, the branches
    as planned, the table of each round), if one round can be planned."""
    room = c.create_string_buffer(branches, len(branches))
    nodes = len(branches) // 16
    work = (c.c_uint64 * (core.tree_work_bytes(nodes) // 8 + 1))()
    memory = (c.c_uint64 * (core.tree_rounds_bytes(nodes) // 8 + 1))()
    tables = (c.c_uint32 * (most * (nodes + 2)))()
    begin = (c.c_uint64 * most)()
    makespan, phases = c.c_uint64(), c.c_uint()
    error = core.tree_plan(room, given, work, makespan, phases)
    if error != 0:
        return None
    one = makespan.value
    rounds = core.tree_rounds_plan(
        room, tables, begin, c.byref(makespan),
        c.byref(TreeRoundsInput(c.pointer(given), round_end, overhead, 0,
                                sends, least, most)), work, memory)
    words = int.from_bytes(room.raw[8:10], "little") + 2
    return (one, rounds, makespan.value, list(begin[:rounds]),
            room.raw[:16 * (words - 2)],
            [list(tables[words * r:words * (r + 1)]) for r in range(rounds)])


def tree(core, name, width, height, originator=(0, 0)):
    """(phases, bytes of the branches) of schedule_NAME()."""
    room = (Branch * (width * height))()
    phases = getattr(core, f"schedule_{name}")(
        room, Size(width, height), Coord(*originator))
    return phases, bytes(room)


def group_star(core, width, height, originator, members):
    """(phases, bytes of the branches) of schedule_group_star()."""
    room = (Branch * (width * height))()
    member = (c.c_bool * (width * height))()
    for x, y in members:
        member[y * width + x] = True
    phases = core.schedule_group_star(room, Size(width, height),
                                      Coord(*originator), member)
    return phases, bytes(room)[:c.sizeof(Branch) * room[0].nodes]


def branches_of(raw):
    """The tuples x y nodes phase port turn hops hops_after."""
    return list(struct.iter_unpack("<HHHHBBHH", raw))


def library(name):
    """FileNotFoundError if it has not been built."""
    path = BUILD / "test" / name
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run `make test`")
    return c.CDLL(str(path))


def load():
    core = library("libcore.so")
    core.slots_of_phase.argtypes = [c.POINTER(Slots), c.c_uint]
    core.slots_of_phase.restype = SlotsOfPhase
    core.tree_rounds_bytes.restype = c.c_uint32
    core.tree_rounds_plan.argtypes = [
        c.c_char_p, c.POINTER(c.c_uint32), c.POINTER(c.c_uint64),
        c.POINTER(c.c_uint64), c.POINTER(TreeRoundsInput), c.c_void_p,
        c.c_void_p]
    core.slots_next_ps.argtypes = [c.POINTER(SlotsOfPhase), c.c_uint64,
                                   c.c_bool]
    core.slots_next_ps.restype = c.c_uint64
    core.farm_init.argtypes = [c.POINTER(Farm), c.POINTER(FarmInput)]
    core.farm_measured.argtypes = [c.POINTER(Farm), c.POINTER(FarmMember),
                                   c.c_uint32, c.c_uint64]
    for name in ("farm_next", "farm_slice"):
        getattr(core, name).argtypes = [c.POINTER(Farm), c.POINTER(FarmMember)]
        getattr(core, name).restype = c.c_uint32
    core.advance_of.argtypes = [c.POINTER(AdvanceInput)]
    core.advance_of.restype = Advance
    core.torus_phases.argtypes = [Size]
    core.torus_phase_path.argtypes = [Size, c.c_uint, c.c_int]
    core.torus_phase_path.restype = Path
    core.torus_role_of.argtypes = [Size, Coord, Coord]
    core.torus_role_of.restype = Role
    core.torus_path_end.argtypes = [Size, Coord, Path]
    core.torus_path_end.restype = Coord
    core.torus_path_reverse.argtypes = [Path]
    core.torus_path_reverse.restype = Path
    core.torus_path_hops.argtypes = [Path]
    core.torus_path_hops.restype = c.c_uint32
    core.torus_path_links.argtypes = [Size, Coord, Path,
                                      c.POINTER(c.c_uint32), c.c_size_t]
    core.torus_path_links.restype = c.c_size_t
    core.torus_layer_nodes.argtypes = [c.c_uint]
    core.torus_layer_nodes.restype = c.c_uint32
    for name in ("scatter", "binomial", "nearest", "star", "farm"):
        getattr(core, f"schedule_{name}").argtypes = [
            c.POINTER(Branch), Size, Coord]
    core.schedule_farm_masters.argtypes = [c.c_char_p, c.POINTER(Branch), Size]
    core.schedule_group_star.argtypes = [
        c.POINTER(Branch), Size, Coord, c.POINTER(c.c_bool)]
    core.planner_plan.argtypes = [c.POINTER(Plan), c.POINTER(Input)]
    core.rounds_plan.argtypes = [c.POINTER(RoundsPlan),
                                 c.POINTER(c.c_uint64),
                                 c.POINTER(RoundsInput)]
    core.meanwhile_plan.argtypes = [c.POINTER(RoundsPlan),
                                    c.POINTER(c.c_uint64),
                                    c.POINTER(MeanwhileInput)]
    core.rounds_bound_ps.argtypes = [c.POINTER(Input)]
    core.rounds_bound_ps.restype = c.c_uint64
    core.split_volume.argtypes = [c.POINTER(Split), c.POINTER(c.c_uint32),
                                  c.POINTER(c.c_uint32), c.c_uint, c.c_uint,
                                  c.c_uint32]
    core.tree_plan.argtypes = [c.c_char_p, c.POINTER(TreeInput), c.c_void_p,
                               c.POINTER(c.c_uint64), c.POINTER(c.c_uint)]
    core.tree_work_bytes.argtypes = [c.c_uint32]
    core.tree_work_bytes.restype = c.c_uint32
    core.tree_valid.argtypes = [c.c_char_p, c.c_uint32, Size]
    core.tree_valid.restype = c.c_bool
    return core

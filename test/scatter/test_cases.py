# SPDX-License-Identifier: Apache-2.0
"""The planners and torus/ on a Cortex-M3, and with sanitizers on the host, give
byte for byte what libcore.so gives, which the oracles judge (test_planner.py,
test_rounds.py, test_meanwhile.py, test_tree_plan.py, test_torus.py).

QUINCUNX_SEED chooses the cases.
"""
import random
import struct
import subprocess

import pytest

import core as library
import test_meanwhile
import test_planner
import test_rounds
import test_tree_plan
import tree_plan
from core import BUILD, QEMU, Coord, Path, Plan, RoundsPlan, Size, Split
from guard import GUARD_S

COUNT = 400  # of each kind
TARGET = [QEMU, "-M", "mps2-an385", "-nodefaults", "-display", "none",
          "-semihosting-config", "enable=on,target=native", "-kernel",
          BUILD / "test" / "cases.elf"]


def number(value):
    return struct.pack("<q", value)


def one_round(core, rng):
    given, plan = test_planner.draw(rng).job(), Plan()
    error = core.planner_plan(plan, given)
    return 0, bytes(given), number(error) + bytes(plan)


def split(core, rng):
    """A node's volume, or next to it."""
    _, plan = test_planner.draw(rng).plan(core)
    layer = rng.randint(0, plan.phases)
    units = (plan.volume_units[layer] + rng.choice([0, 0, 1, 2, -1])) % 2 ** 32
    parts = Split()
    done = core.torus_split(parts, plan.volume_units, plan.share_units,
                            plan.phases, layer, units)
    return (1, bytes(plan.volume_units) + bytes(plan.share_units)
            + struct.pack("<III", plan.phases, layer, units),
            number(done) + number(parts.share_units)
            + number(parts.extra_units))


def in_rounds(kind, call, given, time, most):
    """Of two rounds up to `most`."""
    plan, left = RoundsPlan(), library.c.c_uint64(time)
    error = call(plan, left, given, 2, most)
    return (kind, bytes(given) + struct.pack("<II", 2, most), number(error) + (
        b"" if error else bytes(left) + bytes(plan)))


def rounds(core, rng):
    return in_rounds(2, core.rounds_plan,
                     test_rounds.given(test_rounds.draw_usual(rng)),
                     2 ** 64 - 1, rng.choice([2, 3, 16]))


def meanwhile(core, rng):
    return in_rounds(3, core.meanwhile_plan,
                     test_meanwhile.given(test_meanwhile.draw_usual(rng)),
                     2 ** 63, rng.choice([3, 16]))


def tree(core, rng):
    """Half of them are damaged; what still is a tree is planned."""
    branches = test_tree_plan.draw_tree(core, rng)
    given = library.tree_job(test_tree_plan.draw_costs(rng, branches))
    data = bytearray(tree_plan.pack(branches))
    for _ in range(rng.choice([0, 0, 1, 2])):
        data[rng.randrange(len(data) // 16) * 16 + rng.randrange(8, 16)] ^= (
            1 << rng.randrange(8))
    if rng.random() < .1:
        data = data[:rng.randrange(len(data) + 1)]
    data, size = bytes(data), Size(9, 9)
    valid = core.tree_valid(data, len(data), size)
    answer = number(valid)
    if valid:
        error, makespan, phases, room = library.tree_plan(core, data, given)
        answer += number(error) + number(makespan) + number(phases) + (
            b"" if error else room)
    return 4, bytes(given) + bytes(size) + bytes(4), data, answer


def torus(core, rng):
    width, height = rng.choice([(5, 5), (25, 25), (1, 9), (7, 4)])
    size = Size(width, height)
    start, end = (Coord(rng.randrange(width), rng.randrange(height))
                  for _ in range(2))
    turn, side = rng.randrange(4), max(width, height) + 1
    path = Path(rng.randrange(5), turn, rng.randint(0, side),
                rng.randint(0, side) if turn else 0)
    valid = core.torus_path_valid(size, path)
    answer = number(core.torus_index(size, start)) + number(valid)
    if valid:
        links = (library.c.c_uint32 * 16)()
        hops = core.torus_path_links(size, start, path, links, 16)
        answer += (bytes(core.torus_path_reverse(path))
                   + number(core.torus_path_arrival(path)) + number(hops)
                   + bytes(links) + number(core.torus_index(
                       size, core.torus_path_end(size, start, path))))
    phases = core.torus_phases(size)
    answer += number(phases)
    if phases >= 0:
        answer += bytes(core.torus_role_of(size, start, end))
    return 5, bytes(size) + bytes(start) + bytes(end) + bytes(path), answer


@pytest.fixture(scope="module", name="cases")
def fixture_cases(core):
    """(all cases in one file, the answers that are right)."""
    rng = random.Random(f"cases {test_planner.SEED}")
    data, answers = b"", []
    for make in (one_round, split, rounds, meanwhile, tree, torus):
        for _ in range(COUNT):
            kind, *parts, answer = make(core, rng)
            given = b"".join(parts)
            data += struct.pack("<II", kind, len(given)) + given
            answers.append((make.__name__, answer))
    return data, answers


def check(data, answers):
    at = 0
    for i, (name, answer) in enumerate(answers):
        size, = struct.unpack_from("<I", data, at)
        assert data[at + 4:at + 4 + size] == answer, (name, i % COUNT)
        at += 4 + size
    assert at == len(data)


def test_answers_with_sanitizers(cases):
    data, answers = cases
    done = subprocess.run([BUILD / "test" / "cases"], input=data,
                          capture_output=True, check=False, timeout=GUARD_S)
    assert (done.returncode, done.stderr) == (0, b"")
    check(done.stdout, answers)


def test_answers_on_a_board(cases, tmp_path):
    data, answers = cases
    (tmp_path / "cases").write_bytes(data)
    done = subprocess.run(TARGET, cwd=tmp_path, capture_output=True,
                          check=False, timeout=GUARD_S,
                          stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done
    check((tmp_path / "answers").read_bytes(), answers)

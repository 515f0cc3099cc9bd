# SPDX-License-Identifier: Apache-2.0
"""scatter/plan/slots.c against slots that are laid out one by one.

QUINCUNX_SEED chooses lengths and times.
"""
import itertools

import mesh
from core import Slots


def laid_out(given, until):
    """[(begin, end, phase, long)] of all slots up to `until`, in units; 0 is
    the planned end."""
    phases = range(1, given.phases + 1)
    short, long, out = given.short_units, given.long_units, []
    if short:
        at = 0
        while at > -given.early_units - given.phases * short:
            at -= given.phases * short
            out += [(at + (p - 1) * short, at + p * short, p, False)
                    for p in phases]
    at, phase = 0, given.phases
    while at <= until:
        for _ in range(given.frames if short else 0):
            for p in phases:
                out.append((at, at + short, p, False))
                at += short
        if long:
            out.append((at, at + long, phase, True))
            at += long
        phase = phase - 1 or given.phases
    return sorted(out)


def naive(given, slots, phase, ready, fits):
    """When it leaves: in the first slot of its phase that suits it, no earlier
    than `early_units` before the end."""
    ready = max(ready, -given.early_units)
    is_short = given.short_units and (fits or not given.long_units)
    late = 0 if is_short else given.late_units
    for begin, _, of, long in slots:
        if of == phase and long != bool(is_short) and ready <= begin + late:
            return max(ready, begin)
    raise AssertionError


def draw(rng):
    short = rng.choice([0, rng.randint(1, 9), rng.randint(1, 2000)])
    long = rng.choice([0, rng.randint(1, 9), rng.randint(1, 2000)])
    return Slots(
        end_ps=rng.randint(0, 2 ** 50) + (10 ** 6 << 31),
        short_units=short, long_units=long or (not short),
        early_units=rng.choice([0, rng.randint(0, 9), rng.randint(0, 5000)]),
        late_units=0 if short else rng.randint(0, long // 2),
        frames=rng.randint(1, 6), phases=rng.choice([1, 2, 4, 6, 17]),
        shift=rng.choice([0, 8, rng.randint(0, 31)]))


def cycle_of(given):
    """From one long slot of a phase to the next."""
    return given.phases * (given.frames * given.phases * given.short_units
                           + given.long_units)


def test_slots_are_disjoint():
    """Two phases never have a slot at the same time."""
    rng = mesh.seeded("slots")
    for _ in range(150):
        slots = laid_out(draw(rng), 20_000)
        for (_, end, *_), (begin, *_) in zip(slots, slots[1:]):
            assert end <= begin


def test_next_slot(core):
    """Hours later it is the same as in the first cycle."""
    rng = mesh.seeded("next slot")
    for _ in range(150):
        given = draw(rng)
        cycle = cycle_of(given)
        slots = laid_out(given, 20_000 + 2 * cycle)
        for late, fits in itertools.product(20 * (False,) + (True,),
                                            (False, True)):
            phase = rng.randint(1, given.phases)
            of_phase = core.slots_of_phase(given, phase)
            ready, part, ahead = rng.randint(-6000, 20_000), 0, 0
            if late:
                ready = rng.randint(1, cycle)
                ahead = (rng.randint(0, 2 ** 62) >> given.shift) // cycle * cycle
            else:
                # Anywhere in the unit before; where it is half of one, too.
                part = rng.randint(0, (1 << given.shift) - 1)
            ready_ps = given.end_ps + ((ahead + ready) << given.shift) - part
            want = naive(given, slots, phase, ready, fits)
            got = core.slots_next_ps(of_phase, ready_ps, fits)
            if ready > 0 or want != ready:
                assert got == given.end_ps + ((ahead + want) << given.shift), (
                    ready, part, phase, fits)
            assert got >= ready_ps


def test_no_slots(core):
    of_phase = core.slots_of_phase(Slots(end_ps=9, phases=2), 1)
    for ready in (0, 8, 9, 10 ** 9):
        for fits in (True, False):
            assert core.slots_next_ps(of_phase, ready, fits) == ready

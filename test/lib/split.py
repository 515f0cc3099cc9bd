# SPDX-License-Identifier: Apache-2.0
"""A round of a plan (core.RoundsPlan), cut as nodes cut it."""
from core import Split


def check(core, plan, r):
    """Every part of every node of round r: floor or one more; their sum is the
    round's. AssertionError if not."""
    volumes, shares = plan.volume_units[r], plan.share_units[r]
    classes = [{} for _ in range(plan.phases + 1)]
    classes[0][plan.round_units[r]] = 1
    kept = 0
    parts = Split()
    for layer, here in enumerate(classes):
        for units, nodes in here.items():
            assert core.torus_split(parts, volumes, shares, plan.phases,
                                     layer, units)
            kept += nodes * parts.share_units
            assert 0 <= parts.share_units - shares[layer] <= 1
            at = parts.share_units
            for phase in range(plan.phases, layer, -1):
                for port in range(4):
                    assert at == core.torus_split_child_at(
                        parts, plan.phases, phase, port)
                    at += volumes[phase] + (
                        4 * (phase - layer - 1) + port < parts.extra_units)
            assert at == units
            rest = units - parts.share_units
            extra = parts.extra_units
            for phase in range(layer + 1, plan.phases + 1):
                more = min(4, extra)
                extra -= more
                for sent, count in ((volumes[phase] + 1, more),
                                    (volumes[phase], 4 - more)):
                    if count:
                        classes[phase][sent] = (classes[phase].get(sent, 0)
                                                + nodes * count)
                    rest -= sent * count
            assert (rest, extra) == (0, 0)
    assert kept == plan.round_units[r]

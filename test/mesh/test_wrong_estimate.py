# SPDX-License-Identifier: Apache-2.0
"""Kernels that estimate a thousandth, or a thousand times, of what they take:
the result is exact, and the answer takes twice that of a right one at most."""
import itertools

import pytest

import mesh
import parts

IMAGES = {wrong: mesh.BUILD / "test" / f"spin-{wrong}.elf"
          for wrong in ("cheap", "dear")}
# Instructions a unit, units: units take 0.3 us to 0.6 ms.
JOBS = [("10", 1000), ("10", 100_000), ("32", 26), ("32", 300), ("32", 10_000),
        ("32", 1_000_000), ("1000", 1000), ("1000", 20_000), ("20000", 300),
        ("20000", 2000)]


@pytest.mark.parametrize("wrong, profile, job", parts.cases(
    list(itertools.product(IMAGES, ("t3d", "lvds"), JOBS)),
    [("dear", "t3d", ("32", 26)), ("dear", "t3d", ("32", 300)),
     ("dear", "lvds", ("20000", 300)), ("dear", "lvds", ("32", 10_000)),
     ("cheap", "t3d", ("32", 26)), ("cheap", "t3d", ("1000", 1000)),
     ("cheap", "lvds", ("10", 100_000)), ("cheap", "lvds", ("1000", 20_000))]))
def test_wrong_estimates(tmp_path, wrong, profile, job):
    arg, units = job
    load = mesh.zeros(tmp_path / "load", units)
    right, other = [mesh.run(load, "--profile", profile, *image, arg=arg,
                             rounds="auto")
                    for image in ((), ("--firmware", IMAGES[wrong]))]
    assert other["result"] == right["result"] == {"units": units}
    ratio = (other["measured"]["answer_ps"] / right["measured"]["answer_ps"])
    print(f"{wrong}, {profile}, {units} units of {arg}: {ratio:.3f} of the "
          "answer with a right estimate")
    assert ratio <= 2

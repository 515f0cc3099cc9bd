# SPDX-License-Identifier: Apache-2.0
"""The rate of a kernel that goes by blocks, as the originator measures it on
the first units, is what units take in the mean. These kernels take the same for
all units, but for those at the load's begin, which have none before them, and
those at the ends of an image's rows."""
import wave

import pytest

import mesh

UNITS = 400_000
NEAR = 0.08  # an image's rows have ends, which few samples see


def sound(path, chance):
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 48_000, 0, "NONE", ""))
        file.writeframes(chance.randbytes(2 * UNITS))


def picture(path, chance):
    side = 640
    path.write_bytes(b"P5 %d %d 255\n" % (UNITS // side, side)
                     + chance.randbytes(UNITS // side * side))


@pytest.mark.parametrize("kernel, file, make, arg", [
    ("fir", "load.wav", sound, "low=1000,taps=32"),
    ("conv", "load.pgm", picture, "filter=gauss")])
@pytest.mark.parametrize("profile", ["t3d", "lvds"])
def test_rate_of_a_kernel_by_blocks(tmp_path, kernel, file, make, arg,
                                    profile):
    load = tmp_path / file
    make(load, mesh.seeded("blocks"))
    report = mesh.run(load, "--profile", profile, kernel=kernel, arg=arg,
                      rounds="auto")
    took = report["measured"]["one_board_ps"] / report["load"]["units"]
    rate = report["plan"]["compute_ps_per_unit"]
    print(f"{kernel}, {profile}: {rate} ps planned, {took:.0f} ps taken")
    assert abs(rate / took - 1) < NEAR

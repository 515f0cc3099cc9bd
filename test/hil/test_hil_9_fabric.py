# SPDX-License-Identifier: Apache-2.0
"""mps2-an385, whose switch is emulated with all its times: there the fit must
recover what is true."""
import json

import pytest

import mesh
import rig

# startup, transfer of a byte, hop delay: qemu/support/profile.h
TRUE = {"lvds": (5_000_000, 80_000, 100_000),
        "uart": (20_000_000, 1_900_000, 2_000_000)}


def overhead(load, profile):
    """Of a job that is planned with these values and runs over lvds."""
    report = mesh.run(load, "--profile", "lvds", "--plan-profile", profile,
                      arg="8")
    return report["measured"]["overhead_vs_plan"]


def test_what_calibration_gains(tmp_path, notes):
    """A plan with a wrong value, and one with what was measured."""
    load, measured = tmp_path / "load", tmp_path / "measured"
    load.write_bytes(mesh.seeded("hil gain").randbytes(1_000_000))
    done = mesh.command("calibrate", "--mesh", "5x5", "--profile", "lvds",
                        "-o", measured)
    assert done.returncode == 0, done.stderr
    startup_ps, transfer_ps, hop_ps = TRUE["lvds"]
    wrong = tmp_path / "wrong"
    wrong.write_text(f"startup = {startup_ps}ps\nhop_delay = {hop_ps}ps\n"
                     f"transfer = {transfer_ps // 2}ps\n", encoding="ascii")
    before, after = overhead(load, wrong), overhead(load, measured)
    notes.add("makespan vs plan, half transfer time", f"{before:+.2%}")
    notes.add("makespan vs plan, calibrated", f"{after:+.2%}")
    assert before > 0.1 and abs(after) < 0.01


@pytest.mark.parametrize("profile", TRUE)
def test_the_fit_recovers_what_is_true(profile, notes):
    """Within 1 %."""
    done = mesh.command("calibrate", "--json", "--mesh", "5x5", "--profile",
                        profile)
    assert done.returncode == 0, done.stderr
    measured = json.loads(done.stdout)["measured"]
    for key, name, true in zip(
            ("startup_ps", "transfer_ps_per_byte", "hop_delay_ps"),
            ("startup", "a byte", "a hop"), TRUE[profile]):
        value, half = measured[key]["value"], measured[key]["ci95"]
        notes.fitted(f"mps2-an385, {profile}: {name}", value, half,
                     f"true {rig.time_text(true)}, "
                     f"{100 * (value / true - 1):+.4f} %")
        assert abs(value - true) <= true / 100 and half <= true / 100

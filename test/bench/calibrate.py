# SPDX-License-Identifier: Apache-2.0
"""`make calibrate`: a plan with wrong values, a mesh measured, and a plan with
what was measured. 25 boards, 1 MB, lvds."""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import mesh  # noqa: E402

LVDS = {"startup": 5_000_000, "transfer": 80_000, "hop_delay": 100_000}
ROW = "{:<26} {:>10} {:>11} {:>11} {:>11} {:>13}"


def profile(folder, name, **changed):
    path = folder / name
    path.write_text("".join(f"{key} = {ps}ps\n"
                            for key, ps in {**LVDS, **changed}.items()),
                    encoding="ascii")
    return path


def row(name, report, least):
    measured = report["measured"]
    print(ROW.format(
        name, f"{report['plan']['makespan_ps'] / 1e9:.3f} ms",
        f"{measured['makespan_ps'] / 1e9:.3f} ms",
        f"{100 * measured['overhead_vs_plan']:+.2f} %",
        f"{100 * measured['spread']:.2f} %",
        f"{100 * (measured['makespan_ps'] / least - 1):+.2f} %"))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        load = folder / "load"
        load.write_bytes(mesh.seeded("calibrate").randbytes(1_000_000))
        measured = folder / "measured.profile"
        subprocess.run([mesh.QUINCUNX, "calibrate", "--mesh", "5x5",
                        "--profile", "lvds", "-o", measured], check=True)
        plans = [
            ("transfer time times 2", profile(folder, "double",
                                              transfer=160_000)),
            ("transfer time halved", profile(folder, "half",
                                             transfer=40_000)),
            ("startup times 100", profile(folder, "startup",
                                          startup=500_000_000)),
            ("measured", measured)]
        reports = [mesh.run(load, "--profile", "lvds", "--plan-profile", path,
                            arg="8") for _, path in plans]
        least = reports[-1]["measured"]["makespan_ps"]
        print("\n25 boards, 1 MB, spin 8, one round, over lvds")
        print(ROW.format("plan with", "planned", "makespan", "overhead",
                         "spread", "too long by"))
        for (what, _), report in zip(plans, reports):
            row(what, report, least)
        compute_ps = reports[-1]["plan"]["compute_ps_per_unit"]
        print(f"\nspin 8 takes {compute_ps / 1e3:.3f} ns a unit")
        return abs(reports[-1]["measured"]["overhead_vs_plan"]) >= 0.01


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What circuits cost: by the console's ping, which has one clock, and by
`quincunx calibrate`, whose answers come over the same links. (That calibrate
computes rightly: test/qemu/test_calibrate.py.)"""
import statistics

import rig

# 10 bits of 8N1 at 10.5 Mbit/s, the fastest that USART1 of this chip can
# (RM0090, 30.3.4: 84 MHz / 8).
BYTE_LEAST_PS = 950_000
CRYSTAL_PPM = 200
SHORT, LONG = 64, 16384
COUNT = 20


def paths(size):
    """Words of `ping`: straight both ways, and with a turn, to 4 hops."""
    width, height = size
    found = [f"E{n}" for n in range(1, min(width, 5))]
    found += [f"N{n}" for n in range(1, min(height, 5))]
    return found + [f"E{n} N{n}" for n in range(1, min(width, height, 5) // 2
                                                + 1) if min(size) > 1]


def pings(console, path, size):
    """(set-up, total), us, of circuits that all succeed."""
    first, rows, last = console.ask(f"ping {path} {size} {COUNT}",
                                    rig.CIRCUITS_S)
    assert first.startswith("ok") and "err=" not in last, (first, last)
    said = [rig.words(row) for row in rows]
    assert len(said) == COUNT and all(row["error"] == "0" for row in said)
    times = [(int(row["setup_ns"]) / 1e3, int(row["total_ns"]) / 1e3)
             for row in said]
    assert all(0 <= setup <= total for setup, total in times)
    return times


def test_pings_tell_set_up_and_transfer(mesh_up, notes):
    """Medians; a byte by what long messages take more than short ones."""
    with mesh_up.console() as console:
        for path in paths(mesh_up.size):
            short, longer = (pings(console, path, size)
                             for size in (SHORT, LONG))
            setup, least, most = (statistics.median(times) for times in (
                [one for one, _ in short], [one for _, one in short],
                [one for _, one in longer]))
            byte = (most - least) / (LONG - SHORT)
            notes.add(f"ping {path}: set-up", f"{setup:.1f} us")
            notes.add(f"ping {path}: a byte", f"{byte:.3f} us")
            assert not mesh_up.timed or BYTE_LEAST_PS <= byte * 1e6


# ---- quincunx calibrate ----

def test_calibrate_measures_the_circuits(mesh_up, notes):
    calibration = mesh_up.measure()
    measured = calibration["measured"]
    for key, name in (("startup_ps", "startup"), ("hop_delay_ps", "a hop"),
                      ("transfer_ps_per_byte", "a byte")):
        notes.fitted(f"circuits: {name}", measured[key]["value"],
                     measured[key]["ci95"])
    notes.add("circuits: residuals",
              rig.time_text(measured["residual_rms_ps"]), "",
              f"of {len(calibration['rows'])} exchanges")
    notes.add("circuits: repeats later, 95 %",
              rig.time_text(calibration["repeats"]["late_95_percent_ps"]))
    if mesh_up.timed:
        byte, hop, start = (measured[k] for k in (
            "transfer_ps_per_byte", "hop_delay_ps", "startup_ps"))
        assert BYTE_LEAST_PS <= byte["value"]
        assert byte["ci95"] < 0.05 * byte["value"]
        assert start["value"] > start["ci95"] and hop["value"] > hop["ci95"]


def test_calibrate_tells_how_clocks_go(mesh_up, notes):
    """Offset and drift of each board, as far apart as crystals may be."""
    clocks = {(c["x"], c["y"]): c for c in mesh_up.measure()["clocks"]}
    assert set(clocks) == set(mesh_up.nodes) - {(0, 0)}
    for (x, y), clock in clocks.items():
        offset, drift = clock["offset_ps"], clock["drift_ppm"]
        notes.add(f"clock of {x},{y}", rig.time_text(offset["value"]),
                  f"+- {rig.time_text(offset['ci95'])}",
                  f"drift {drift['value']:+.1f} +- {drift['ci95']:.1f} ppm")
        assert not mesh_up.timed or (
            abs(drift["value"]) < CRYSTAL_PPM + drift["ci95"])

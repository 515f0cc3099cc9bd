# SPDX-License-Identifier: Apache-2.0
"""What circuits cost: by the console's ping, which has one clock, and by
`quincunx calibrate`, whose answers come over the same links."""
import pytest

import fits
import rig

PS_PER_NS, PS_PER_US = 1000, 1e6
# 10 bits of 8N1 at 10.5 Mbit/s, the fastest that USART1 of this chip can
# (RM0090, 30.3.4: 84 MHz / 8).
BYTE_LEAST_PS = 950_000
CRYSTAL_PPM = 200


def paths(size):
    """Words of `ping` and hops: straight both ways, and with a turn."""
    width, height = size
    found = [(f"E{n}", n) for n in range(1, width)]
    found += [(f"N{n}", n) for n in range(1, height)]
    if width > 1 and height > 1:
        found += [(f"E{n} N{n}", 2 * n)
                  for n in range(1, min(width, height) // 2 + 1)]
    return [f for f in found if f[1] <= 4]


def ping(console, path, size, count):
    first, rows, last = console.ask(f"ping {path} {size} {count}",
                                    rig.CIRCUITS_S)
    assert first.startswith("ok") and "err=" not in last, (first, last)
    assert len(rows) == count
    return [{key: int(value) for key, value in rig.words(row).items()}
            for row in rows]


@pytest.fixture(scope="module", name="pings")
def fixture_pings(mesh_up):
    """Rows of (hops, bytes, set-up, total), of every path and size."""
    sizes = (64, 256, 1024) if mesh_up.emulated else (64, 1024, 4096, 16384)
    count = 5 if mesh_up.emulated else 20
    found = []
    with mesh_up.console() as console:
        for path, hops in paths(mesh_up.size):
            for size in sizes:
                for row in ping(console, path, size, count):
                    assert row["error"] == 0, row
                    found.append((hops, size, row["setup_ns"] * PS_PER_NS,
                                  row["total_ns"] * PS_PER_NS))
    return found


def test_pings_tell_set_up_and_transfer(mesh_up, pings, notes):
    """Set-up = a + b hops; all of it = startup + hop hops + transfer bytes.
    The board tells both in microseconds."""
    if len({row[0] for row in pings}) < 2:
        pytest.skip("that takes two distances")
    (setup, hop), halves, _ = fits.least_squares(
        [(1, r[0]) for r in pings], [r[2] for r in pings])
    notes.fitted("ping: set-up", setup, halves[0])
    notes.fitted("ping: set-up, a hop", hop, halves[1])
    values, halves, rms = fits.least_squares(
        [(1, r[0], r[1]) for r in pings], [r[3] for r in pings])
    for name, value, half in zip(("startup", "a hop", "a byte"), values,
                                 halves):
        notes.fitted(f"ping: {name}", value, half)
    notes.add("ping: residuals", rig.time_text(rms), "",
              f"of {len(pings)} circuits")
    assert all(0 <= r[2] <= r[3] for r in pings)
    if not mesh_up.emulated:
        assert BYTE_LEAST_PS <= values[2] + halves[2]
        assert halves[2] < 0.1 * values[2]


def test_a_ping_of_a_path_that_leads_nowhere(mesh_up):
    with mesh_up.console() as console:
        for path in ("E0", "X1", "E1 W1", "E1 E1"):
            first, _, _ = console.ask(f"ping {path} 64 1")
            assert first.split()[:2] == ["err", "argument"], path


# ---- quincunx calibrate ----

def circuits_of(calibration):
    """Of every node and size the shortest round trip, by an own choice."""
    def trip(row):
        return row["t4_ps"] - row["t1_ps"] - (row["t3_ps"] - row["t2_ps"])

    best = fits.shortest(calibration["rows"],
                         lambda r: (r["x"], r["y"], r["bytes"]), trip)
    return list(best.values()), [trip(row) for row in best.values()]


def test_calibrate_fits_the_circuits(mesh_up, notes):
    """Its values and intervals are those of least squares done here."""
    calibration = mesh_up.measure()
    rows, trips = circuits_of(calibration)
    values, halves, _ = fits.least_squares(
        [(2, 2 * r["hops"], r["bytes"] + r["answer_bytes"]) for r in rows],
        trips)
    measured = calibration["measured"]
    for key, name, value, half in zip(
            ("startup_ps", "hop_delay_ps", "transfer_ps_per_byte"),
            ("startup", "a hop", "a byte"), values, halves):
        got = measured[key]
        assert got["value"] == pytest.approx(value, rel=1e-6,
                                             abs=half * 1e-3 + 1)
        # The table of t here has some entries only.
        assert 0.9 * half <= got["ci95"] <= 1.001 * half
        notes.fitted(f"circuits: {name}", got["value"], got["ci95"])
    notes.add("circuits: residuals",
              rig.time_text(measured["residual_rms_ps"]), "",
              f"of {len(rows)} of {len(calibration['rows'])} exchanges")
    late = calibration["repeats"]
    notes.add("circuits: repeats later, half",
              rig.time_text(late["late_half_ps"]), "", "at most, than shortest")
    notes.add("circuits: repeats later, 95 %",
              rig.time_text(late["late_95_percent_ps"]))
    if not mesh_up.emulated:
        byte, hop, start = (measured[k] for k in (
            "transfer_ps_per_byte", "hop_delay_ps", "startup_ps"))
        assert BYTE_LEAST_PS <= byte["value"]
        assert byte["ci95"] < 0.05 * byte["value"]
        assert start["value"] > start["ci95"] and hop["value"] > hop["ci95"]


def test_calibrate_tells_how_clocks_go(mesh_up, notes):
    """Offset and drift of each board, by exchanges both ways: an own fit to
    the faster half of every node's exchanges."""
    calibration = mesh_up.measure()
    byte_ps = calibration["measured"]["transfer_ps_per_byte"]["value"]
    zero = min(r["t1_ps"] for r in calibration["rows"])
    clocks = {(c["x"], c["y"]): c for c in calibration["clocks"]}
    assert set(clocks) == set(mesh_up.nodes) - {(0, 0)}
    for at, clock in clocks.items():
        own = {}
        for row in calibration["rows"]:
            if (row["x"], row["y"]) == at:
                own.setdefault(row["bytes"], []).append(row)
        rows = []
        for same in own.values():
            same.sort(key=lambda r: (r["t4_ps"] - r["t1_ps"]
                                     - (r["t3_ps"] - r["t2_ps"]), r["t1_ps"]))
            rows += same[:(len(same) + 1) // 2]
        longer = [(r["bytes"] - r["answer_bytes"]) * byte_ps for r in rows]
        values, halves, _ = fits.least_squares(
            [(1, (r["t1_ps"] + r["t4_ps"] - 2 * zero + late) / 2)
             for r, late in zip(rows, longer)],
            [(r["t2_ps"] - r["t1_ps"] - (r["t4_ps"] - r["t3_ps"]) - late) / 2
             for r, late in zip(rows, longer)])
        assert clock["probes"] == len(rows)
        assert clock["offset_ps"]["value"] == pytest.approx(
            values[0], rel=1e-6, abs=halves[0] * 1e-2 + 10)
        assert clock["drift_ppm"]["value"] == pytest.approx(
            values[1] * 1e6, rel=1e-6, abs=halves[1] * 1e6 * 1e-2 + 1e-4)
    note_clocks(notes, clocks, mesh_up.emulated)
    if not mesh_up.emulated:
        assert all(abs(c["drift_ppm"]["value"])
                   < CRYSTAL_PPM + c["drift_ppm"]["ci95"]
                   for c in clocks.values())


def note_clocks(notes, clocks, emulated):
    remark = "drift not asserted: emulated" if emulated else ""
    for (x, y), clock in clocks.items():
        offset, drift = clock["offset_ps"], clock["drift_ppm"]
        notes.add(f"clock of {x},{y}", rig.time_text(offset["value"]),
                  f"+- {rig.time_text(offset['ci95'])}",
                  f"drift {drift['value']:+.1f} +- {drift['ci95']:.1f} ppm"
                  + (f"; {remark}" if remark else ""))


def test_the_profile_is_what_was_measured(mesh_up):
    measured = mesh_up.measure()["measured"]
    said = dict(line.split(" = ")
                for line in mesh_up.profile.read_text("ascii").splitlines()
                if not line.startswith("#"))
    for name, key, least in (
            ("startup", "startup_ps", 1), ("hop_delay", "hop_delay_ps", 0),
            ("transfer", "transfer_ps_per_byte", 0)):
        want = max(least, measured[key]["value"])
        assert abs(int(said[name].removesuffix("ps")) - want) <= 0.51

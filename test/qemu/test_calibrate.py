# SPDX-License-Identifier: Apache-2.0
"""`quincunx calibrate`, and runs that plan with what it measured. What it
refuses: test/refused/compare.txt."""
import json
import math
import subprocess
from fractions import Fraction

import pytest

import mesh
from core import BUILD
from guard import GUARD_S

PROBE = BUILD / "test" / "probe"
HEADER = 16
ANSWER = 32  # of made-up rows, header included

# startup, transfer per byte, hop delay, in ps
KNOWN = {"t3d": (4_850_000, 3_300, 0), "lvds": (5_000_000, 80_000, 100_000),
         "uart": (20_000_000, 1_900_000, 2_000_000)}
CUSTOM = (123_457, 1_017, 7_919)


# ---- an oracle: exact least squares ----

def inverse(matrix):
    """Of Fractions, by Gauss and Jordan."""
    n = len(matrix)
    rows = [list(map(Fraction, row)) + [Fraction(i == k) for k in range(n)]
            for i, row in enumerate(matrix)]
    for k in range(n):
        pivot = next(i for i in range(k, n) if rows[i][k] != 0)
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [a - rows[i][k] * b
                           for a, b in zip(rows[i], rows[k])]
    return [row[n:] for row in rows]


def student_t(degrees):
    """The 97.5 % quantile: its density summed up by Simpson's rule."""
    factor = math.exp(math.lgamma((degrees + 1) / 2)
                      - math.lgamma(degrees / 2)) / math.sqrt(
                          degrees * math.pi)

    def density(x):
        return factor * (1 + x * x / degrees) ** (-(degrees + 1) / 2)

    def below(t, steps=2000):
        h = t / steps
        inner = sum((4 if i % 2 else 2) * density(i * h)
                    for i in range(1, steps))
        return 0.5 + h / 3 * (density(0) + inner + density(t))

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = ((middle, high) if below(middle) < 0.975
                     else (low, middle))
    return low


def least_squares(x, y):
    """(values, half widths of 95 %, standard deviation of the residuals)."""
    k = len(x[0])
    back = inverse([[sum(r[i] * r[j] for r in x) for j in range(k)]
                    for i in range(k)])
    right = [sum(r[i] * v for r, v in zip(x, y)) for i in range(k)]
    values = [sum(back[i][j] * right[j] for j in range(k)) for i in range(k)]
    rest = sum((v - sum(a * b for a, b in zip(r, values))) ** 2
               for r, v in zip(x, y))
    rms = math.sqrt(rest / (len(x) - k))
    t = student_t(len(x) - k)
    return values, [t * rms * math.sqrt(back[i][i]) for i in range(k)], rms


def fit_circuits(rows):
    """startup, hop delay, transfer time."""
    return least_squares(
        [(2, 2 * r["hops"], r["bytes"] + r["answer_bytes"]) for r in rows],
        [r["t4_ps"] - r["t1_ps"] - (r["t3_ps"] - r["t2_ps"]) for r in rows])


# ---- the fabric's values are found again ----

def profile_file(folder, values):
    path = folder / "custom.profile"
    path.write_text("startup = {}ps\ntransfer = {}ps\nhop_delay = {}ps\n"
                    .format(*values), encoding="ascii")
    return path


def read_profile(path):
    found = dict(line.split(" = ") for line in
                 path.read_text(encoding="ascii").splitlines()
                 if not line.startswith("#"))
    assert all(text.endswith("ps") for text in found.values())
    return tuple(int(found[key][:-2])
                 for key in ("startup", "transfer", "hop_delay"))


def calibrate(*args, size="5x5", on="native"):
    done = mesh.command("calibrate", "--json", "--mesh", size, "--on", on,
                        *args)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def shortest(size, a, b):
    return sum(min((p - q) % side, (q - p) % side)
               for p, q, side in zip(a, b, size))


def check_recovered(report, true, size, originator, sizes, repeat):
    """Rows, and what is fitted to them."""
    startup, transfer, hop = true
    rows = report["rows"]
    nodes = size[0] * size[1]
    assert len(rows) == (nodes - 1) * len(sizes) * repeat
    for row in rows:
        at = row["x"], row["y"]
        assert at != originator
        assert row["hops"] == shortest(size, originator, at)
        assert row["bytes"] - HEADER in sizes
        assert row["answer_bytes"] == row["bytes"]
        held = startup + hop * row["hops"]
        assert row["t2_ps"] - row["t1_ps"] == held + transfer * row["bytes"]
        assert row["t4_ps"] - row["t3_ps"] == held + transfer * row["bytes"]
    values, _, _ = fit_circuits(rows)
    measured = report["measured"]
    for name, value, want in zip(
            ("startup_ps", "hop_delay_ps", "transfer_ps_per_byte"), values,
            (startup, hop, transfer)):
        got = measured[name]
        assert got["value"] == pytest.approx(float(value), rel=1e-9, abs=0.01)
        assert abs(got["value"] - want) <= max(want / 100, 0.01)
        assert 0 <= got["ci95"] <= max(want / 100, 0.01)
    clocks = report["clocks"]
    assert len(clocks) == nodes - 1
    for clock in clocks:
        assert clock["probes"] == len(sizes) * repeat
        assert abs(clock["offset_ps"]["value"]) < 0.01
        assert abs(clock["drift_ppm"]["value"]) < 1e-6


def test_the_fit_recovers_the_fabric(tmp_path):
    """Of every profile; of one of its own on boards, too."""
    out = tmp_path / "measured"
    for name, on in [*((name, "native") for name in KNOWN), ("own", "qemu")]:
        true = KNOWN.get(name, CUSTOM)
        given = name if name in KNOWN else profile_file(tmp_path, true)
        report = calibrate("--profile", given, "-o", out, on=on)
        assert report["mesh"]["on"] == on
        check_recovered(report, true, (5, 5), (0, 0), (64, 256, 1024, 4096), 2)
        assert read_profile(out) == true


def test_on_any_torus():
    for size, originator in (((4, 3), (1, 2)), ((1, 6), (0, 4)),
                             ((2, 2), (1, 1)), ((25, 25), (7, 24))):
        report = calibrate("--originator", "{},{}".format(*originator),
                           "--sizes", "20,1KiB", "--repeat", 3,
                           size="{}x{}".format(*size))
        check_recovered(report, KNOWN["lvds"], size, originator, (20, 1024), 3)
    report = calibrate("--node", "1,0", "--node", "2,2")
    assert {(r["x"], r["y"]) for r in report["rows"]} == {(1, 0), (2, 2)}
    assert [(c["x"], c["y"]) for c in report["clocks"]] == [(1, 0), (2, 2)]


# ---- fits of rows with noise, and of clocks that differ ----

def made_up(chance, noise_ps, size=(5, 5), sizes=(64, 500, 4000), repeat=4):
    """Rows of nodes whose clocks are off and drift, with each node's."""
    startup, transfer, hop = 20_000_000, 1_900_000, 2_000_000
    clocks = {(x, y): (chance.randrange(-10**12, 10**12),
                       Fraction(chance.randrange(-50, 51), 10**6))
              for x in range(size[0]) for y in range(size[1])
              if (x, y) != (0, 0)}
    now = 5 * 10**12
    rows = []
    for bytes_ in sizes:
        for at, (offset, drift) in clocks.items():
            for _ in range(repeat):
                hops = shortest(size, (0, 0), at)
                there = startup + hop * hops + transfer * bytes_
                back = startup + hop * hops + transfer * ANSWER
                t1 = now
                t2 = t1 + there + chance.randrange(noise_ps + 1)
                t3 = t2 + 50_000_000
                t4 = t3 + back + chance.randrange(noise_ps + 1)
                now = t4 + 1_000_000

                def local(t, offset=offset, drift=drift):
                    return int(t + offset + (t - 5 * 10**12) * drift)

                rows.append({"x": at[0], "y": at[1], "hops": hops,
                             "bytes": bytes_, "answer_bytes": ANSWER,
                             "t1_ps": t1, "t2_ps": local(t2),
                             "t3_ps": local(t3), "t4_ps": t4})
    return rows, clocks


FIELDS = ("x", "y", "hops", "bytes", "answer_bytes", "t1_ps", "t2_ps",
          "t3_ps", "t4_ps")


def fit(rows, size=(5, 5), how="fit"):
    text = "".join(" ".join(str(row[f]) for f in FIELDS) + "\n"
                   for row in rows)
    done = subprocess.run([PROBE, how, *map(str, size)], input=text,
                          capture_output=True, text=True, timeout=GUARD_S,
                          check=True)
    return [list(map(float, line.split()))
            for line in done.stdout.splitlines()]


def check_clocks(nodes, rows_of, transfer, zero):
    """Each node's offset and drift are those of exact least squares, with half
    widths."""
    for x, y, drifts, offset, offset_half, drift, drift_half in nodes:
        own = rows_of(x, y)
        longer = [(r["bytes"] - r["answer_bytes"]) * transfer for r in own]
        want, half, _ = least_squares(
            [(1, (r["t1_ps"] + r["t4_ps"] - 2 * zero + late) / 2)
             for r, late in zip(own, longer)],
            [(r["t2_ps"] - r["t1_ps"] - (r["t4_ps"] - r["t3_ps"]) - late) / 2
             for r, late in zip(own, longer)])
        assert drifts == 1
        assert offset == pytest.approx(float(want[0]), abs=1)
        assert drift == pytest.approx(float(want[1]), abs=1e-12)
        assert offset_half == pytest.approx(half[0], rel=2e-3, abs=1)
        assert drift_half == pytest.approx(half[1], rel=2e-3, abs=1e-12)


def check_head(head, rows):
    """Startup, hop and byte, too."""
    values, halves, rms = fit_circuits(rows)
    assert head[0:6:2] == pytest.approx([float(v) for v in values], rel=1e-9)
    assert head[1:6:2] == pytest.approx(halves, rel=1e-3, abs=1e-3)
    assert head[6] == pytest.approx(rms, rel=1e-6, abs=1e-3)
    return values[2]


def test_fits_are_those_of_exact_least_squares():
    """And near the truth: noise is at most noise_ps on each way, and the series
    takes 1.3 s."""
    for noise_ps in 0, 3_000_000:
        rows, clocks = made_up(mesh.seeded(f"fits {noise_ps}"), noise_ps)
        head, *nodes = fit(rows)
        transfer = check_head(head, rows)
        assert len(nodes) == len(clocks)
        check_clocks(nodes, lambda x, y, rows=rows: [
            r for r in rows if (r["x"], r["y"]) == (x, y)], transfer,
                     rows[0]["t1_ps"])
        for x, y, _, offset, _, drift, _ in nodes:
            true_offset, true_drift = clocks[(x, y)]
            assert abs(offset - true_offset) < 2 * noise_ps + 5
            assert abs(drift - true_drift) < 1e-10 + 2 * noise_ps / 1e12


def trip(row):
    return row["t4_ps"] - row["t1_ps"] - (row["t3_ps"] - row["t2_ps"])


def with_retries(chance, repeat=7):
    """Rows of which every tenth way takes up to 4 ms longer, in no order."""
    rows, clocks = made_up(chance, 20_000_000, repeat=repeat)
    late = 0
    for row in rows:
        there, back = (chance.randrange(4 * 10**9)
                       * (chance.randrange(10) == 0) for _ in range(2))
        for key, more in (("t1_ps", late), ("t2_ps", late + there),
                          ("t3_ps", late + there),
                          ("t4_ps", late + there + back)):
            row[key] += more
        late += there + back
    chance.shuffle(rows)
    return rows, clocks


def test_of_repeats_the_shortest_counts():
    """Exactly those rows, for circuits; the faster half for clocks. So retries
    do not spoil what is measured, and rows without repeats all count."""
    rows, clocks = with_retries(mesh.seeded("retries"))
    head, *nodes = fit(rows, how="shortest")
    groups = {}
    for row in sorted(rows, key=lambda r: (trip(r), r["t1_ps"])):
        groups.setdefault((row["x"], row["y"], row["bytes"]), []).append(row)
    transfer = check_head(head, [
        groups[key][0] for key in sorted(groups, key=lambda k: (
            k[1], k[0], k[2]))])
    assert len(nodes) == len(clocks)
    check_clocks(nodes, lambda x, y: [
        r for key, group in groups.items() if key[:2] == (x, y)
        for r in group[:(len(group) + 1) // 2]], transfer,
                 min(r["t1_ps"] for r in rows))
    assert abs(fit(rows)[0][0] - 2e7) > 10 * abs(head[0] - 2e7)
    rows, _ = made_up(mesh.seeded("single"), 1_000, repeat=1)
    assert fit(rows, how="shortest") == [
        pytest.approx(line, rel=1e-9, abs=1e-3) for line in fit(rows)]


# ---- the loop ----

def test_a_plan_with_what_was_measured_comes_true(tmp_path):
    """25 nodes, 1 MB over lvds: as if the truth had been known. Where circuits
    are twice as slow as planned, it ends late; where they are twice as fast,
    the originator keeps too much and others idle meanwhile."""
    load = tmp_path / "load"
    load.write_bytes(mesh.seeded("loop").randbytes(1_000_000))
    startup, transfer, hop = KNOWN["lvds"]

    def run(*args):
        return mesh.run(load, "--profile", "lvds", *args, arg="8", on="native")

    slow, fast = [run("--plan-profile", profile_file(
        tmp_path, (startup, planned, hop))) for planned in (
            transfer // 2, 2 * transfer)]
    calibrate("-o", tmp_path / "measured")
    after, known = run("--plan-profile", tmp_path / "measured"), run()
    least = after["measured"]["makespan_ps"]
    assert abs(after["measured"]["overhead_vs_plan"]) < 0.01
    assert after["measured"]["spread"] < 0.01
    assert slow["measured"]["overhead_vs_plan"] > 0.3
    assert slow["measured"]["makespan_ps"] > 1.02 * least
    assert fast["measured"]["spread"] > 0.3
    assert fast["measured"]["makespan_ps"] > 1.3 * least
    assert fast["plan_profile"]["transfer_ps_per_byte"] == 2 * transfer
    assert after["plan_profile"]["name"] == "measured"
    assert known["timeline_sha256"] == after["timeline_sha256"]
    assert known["profile"] == known["plan_profile"]

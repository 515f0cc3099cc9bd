# SPDX-License-Identifier: Apache-2.0
"""`run --rates FILE`: what a run writes there, what the next one has from it,
and files that it cannot use."""
import itertools
import json
import os
import stat
import zlib

import pytest

import mesh
import parts

FAILED = 1
PATTERN = b"the"
KEYS = ["board", "kernel", "argument_bytes", "argument_crc32", "unit_bytes",
        "compute_ps", "call_ps", "units"]
# As native nodes have it: 32 ns an instruction, so many a unit.
SPIN, SPIN_PS = "20", 640_000
BOARD = {"native": "host", "qemu": "mps2-an385"}
ENTRY = {"board": "host", "kernel": "spin", "argument_bytes": 2,
         "argument_crc32": zlib.crc32(b"20"), "unit_bytes": 1,
         "compute_ps": SPIN_PS, "call_ps": 0, "units": 500}
OTHER = {**ENTRY, "argument_crc32": 1, "note": ["kept", None]}


@pytest.fixture(name="load", scope="module")
def fixture_load(tmp_path_factory):
    path = tmp_path_factory.mktemp("rates") / "load"
    path.write_bytes(mesh.text(60_000, mesh.seeded("rates")))
    return path


@pytest.fixture(name="file")
def fixture_file(tmp_path):
    return tmp_path / "rates.json"


def run(load, file, *args, on="native", kernel="spin", arg=SPIN,
        rounds="auto", **options):
    return mesh.run(load, "--rates", file, *args, on=on, kernel=kernel,
                    arg=arg, rounds=rounds, **options)


def entries(file):
    read = json.loads(file.read_text("utf-8"))
    assert list(read) == ["rates"]
    return read["rates"]


def put(file, *rates):
    file.write_text(json.dumps({"rates": rates}))
    return file


def measure_ps(report):
    measured = report["measured"]
    return (measured["preparing"]["measure_ps"]
            + measured["meanwhile"]["measure_ps"])


def interval(report):
    """Units and time of the originator's share."""
    (node,) = [node for node in report["measured"]["nodes"]
               if [node["x"], node["y"]] == report["mesh"]["originator"]]
    (one,) = node["rounds"]
    return one["units"], one["compute_end_ps"] - one["compute_start_ps"]


# ---- what is written, and used ----

@pytest.mark.parametrize("on", ["native", "qemu"])
def test_the_second_run_measures_nothing(load, file, on):
    plain = mesh.run(load, on=on, kernel="search", arg=PATTERN, rounds="auto")
    first = run(load, file, on=on, kernel="search", arg=PATTERN)
    assert first["timeline_sha256"] == plain["timeline_sha256"]
    assert measure_ps(first) > 0 and first["plan"]["measured_units"] > 0
    assert "rate_from" not in first["plan"]
    (entry,) = entries(file)
    assert list(entry) == KEYS
    assert entry["board"] == BOARD[on] and entry["kernel"] == "search"
    assert entry["argument_bytes"] == len(PATTERN)
    assert entry["argument_crc32"] == zlib.crc32(PATTERN)
    assert entry["unit_bytes"] == 1
    second = run(load, file, on=on, kernel="search", arg=PATTERN)
    assert measure_ps(second) == second["plan"]["measured_units"] == 0
    assert second["plan"]["compute_ps_per_unit"] == entry["compute_ps"]
    assert second["plan"]["rate_from"] == str(file)
    assert second["result"] == first["result"] == mesh.search_result(
        load.read_bytes(), PATTERN)
    assert (second["measured"]["preparing_ps"]
            < first["measured"]["preparing_ps"])
    if on == "qemu":
        assert (second["measured"]["answer_ps"]
                < first["measured"]["answer_ps"])


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_the_entry_is_what_the_share_took(load, file, on):
    for _ in range(2):
        report = run(load, file, on=on, kernel="search", arg=PATTERN, rounds=2)
        (entry,) = entries(file)
        units, took_ps = interval(report)
        assert entry["units"] == units
        assert entry["compute_ps"] == (took_ps - entry["call_ps"]) // units
        assert (entry["call_ps"] == 0) == (on == "native")
        assert entry["call_ps"] < 50_000_000


def test_runs_that_are_the_same_write_the_same(load, file, tmp_path):
    other = tmp_path / "other"
    for path in (file, other):
        run(load, path)
        run(load, path)
    assert file.read_bytes() == other.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["other", "rates.json"]


def check_own(file):
    """The only entry is that of native nodes."""
    (entry,) = entries(file)
    assert {**entry, "units": 500} == ENTRY


def test_on_every_mesh(load, file):
    for size, *args in (["1x1"], ["4x3"], ["5x5", "--schedule", "star"],
                        ["5x5", "--ports", "1"], ["25x25"],
                        ["5x5", "--originator", "3,2"]):
        first = run(load, file, *args, size=size, rounds=1)
        second = run(load, file, *args, size=size, rounds=1)
        assert measure_ps(first) > 0 and measure_ps(second) == 0, (size, args)
        assert first["result"] == second["result"]
        check_own(file)
        file.unlink()


def test_a_slowed_originator(load, file):
    """Entries are of nodes without a slowdown."""
    args = ["--slow", "0,0=4"]
    assert measure_ps(run(load, file, *args, rounds=1)) > 0
    (entry,) = entries(file)
    assert {**entry, "units": 500} == ENTRY
    report = run(load, file, *args, rounds=1)
    assert measure_ps(report) == 0
    assert report["plan"]["compute_ps_per_unit"] == 4 * SPIN_PS
    assert measure_ps(run(load, file)) == 0


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_batches(load, file, on):
    """The first has the file's rate, later ones that of the one before."""
    args = ["--batch", 25_000]
    first = run(load, file, *args, on=on)
    (entry,) = entries(file)
    assert entry["units"] <= max(one["units"] for one in first["batches"])
    second = run(load, file, *args, on=on)
    assert len(second["batches"]) == 3
    assert measure_ps(first) > 0 and measure_ps(second) == 0
    assert first["result"] == second["result"]


def test_batches_with_a_long_argument(load, file):
    """Which the originator does not keep: all but the first batch measure. (In
    one round: without, it takes batches so small upon itself.)"""
    args = ["--batch", 25_000, "--rounds", 1]
    arg = b"no such text " * 10
    run(load, file, *args, kernel="search", arg=arg)
    report = run(load, file, *args, kernel="search", arg=arg)
    assert 0 < measure_ps(report)
    assert report["batches"][0]["preparing_ps"] == 0


def test_a_job_that_shows_no_rate(file, tmp_path):
    """One unit: nothing is measured, and no share tells a rate."""
    load = tmp_path / "load"
    load.write_bytes(b"a")
    assert measure_ps(run(load, file)) == 0
    assert not file.exists()
    put(file, ENTRY)
    before = file.read_bytes()
    assert run(load, file)["plan"]["compute_ps_per_unit"] == SPIN_PS
    assert file.read_bytes() == before


def test_a_short_job_leaves_what_it_measured(file, tmp_path):
    load = tmp_path / "load"
    load.write_bytes(b"abcdefgh")
    report = run(load, file, "--rounds", 1)
    (entry,) = entries(file)
    assert entry["units"] == report["plan"]["measured_units"] == 1
    assert entry["compute_ps"] == SPIN_PS


# ---- whose entry it is ----

def test_entries_of_other_jobs_are_kept(load, file):
    for field, value in (("board", "mps2-an385"), ("kernel", "search"),
                         ("argument_bytes", 3), ("argument_crc32", 0),
                         ("unit_bytes", 2)):
        other = {**ENTRY, field: value, "compute_ps": 7, "note": "mine"}
        put(file, other, OTHER)
        assert measure_ps(run(load, file)) > 0, field
        *kept, mine = entries(file)
        assert kept == [other, OTHER]
        assert {**mine, "units": 500} == ENTRY


def test_the_entry_is_replaced_where_it_stands(load, file):
    put(file, OTHER, {**ENTRY, "compute_ps": 700_000, "units": 1, "note": 1},
        OTHER)
    assert measure_ps(run(load, file)) == 0
    first, mine, last = entries(file)
    assert first == last == OTHER
    assert {**mine, "units": 500} == ENTRY


def test_units_of_another_length(load, file):
    run(load, file)
    assert measure_ps(run(load, file, "--unit", 4)) > 0
    assert [one["unit_bytes"] for one in entries(file)] == [1, 4]
    assert measure_ps(run(load, file, "--unit", 4)) == 0
    assert measure_ps(run(load, file)) == 0


# ---- rates that are wrong ----

WRONG = [("compute_ps", 1000), ("compute_ps", 1 / 1000), ("compute_ps", 20),
         ("compute_ps", 1 / 20), ("call_ps", 1000), ("call_ps", 30)]


@pytest.mark.parametrize("on, field, factor", parts.cases(
    [(on, *wrong) for on in BOARD for wrong in WRONG],
    [("native", *wrong) for wrong in WRONG]
    + [("qemu", "compute_ps", 1000), ("qemu", "call_ps", 1000)]))
def test_a_wrong_rate(load, file, on, field, factor):
    """The answer is the same, and the entry right again: as right as a few
    thousand units of text tell, whose bytes take 58 to 88 ns."""
    job = {"on": on, "kernel": "search", "arg": PATTERN}
    right = run(load, file, **job)
    (entry,) = entries(file)
    whole = {**entry, "call_ps": entry["call_ps"] or 5_000_000}
    put(file, {**entry, field: max(1, int(whole[field] * factor))})
    wrong = run(load, file, **job)
    assert wrong["result"] == right["result"]
    (again,) = entries(file)
    assert again["units"] >= 16
    assert 0.6 < again["compute_ps"] / entry["compute_ps"] < 1.6
    assert abs(again["call_ps"] - entry["call_ps"]) < 3_000_000


def test_outputs_at_a_wrong_rate(load, file, tmp_path):
    """One that is 1000 times off what the kernel says of itself is measured:
    by such a plan outputs would return 1000 times as late."""
    outs = [tmp_path / name for name in ("right", "wrong")]
    right = run(load, file, "-o", outs[0], arg="20,1/2")
    (entry,) = entries(file)
    for factor in (1000, 50, 1 / 1000):
        compute_ps = int(entry["compute_ps"] * factor)
        put(file, {**entry, "compute_ps": compute_ps})
        wrong = run(load, file, "-o", outs[1], arg="20,1/2")
        assert outs[0].read_bytes() == outs[1].read_bytes() != b""
        assert (measure_ps(wrong) == 0) == (factor == 50)
        assert ("rate_from" in wrong["plan"]) == (factor == 50)
        if factor != 50:
            assert (wrong["measured"]["answer_ps"]
                    == right["measured"]["answer_ps"])
        (again,) = entries(file)
        assert again["compute_ps"] == entry["compute_ps"]


def test_the_bounds_are_allowed(load, file):
    for size, compute_ps, call_ps in itertools.product(
            ("5x5", "3x2"), (1, 2 ** 40), (0, 2 ** 35)):
        put(file, {**ENTRY, "compute_ps": compute_ps, "call_ps": call_ps})
        run(load, file, size=size, rounds=1)
        check_own(file)


# ---- boards with serial ports ----

@pytest.mark.boards
def test_boards_with_serial_ports(load, file):
    for again in (False, True):
        done = mesh.command(
            "run", "--json", "--board", "stm32f405", "--mesh", "2x1",
            "--profile", "emulated", "--kernel", "search", "--arg", "the",
            "--rates", file, load)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["result"] == mesh.search_result(load.read_bytes(),
                                                      PATTERN)
        assert (measure_ps(report) == 0) == again
        assert ("rate_from" in report["plan"]) == again
        (entry,) = entries(file)
        assert entry["board"] == "stm32f405"
        assert entry["units"] == mesh.shares_of(report)[0, 0]


# ---- files that cannot be used (others: test/refused/rates.txt) ----

def fails(load, file, *args):
    """What a run says that fails."""
    done = mesh.command("run", "--mesh", "5x5", "--on", "native", "--kernel",
                        "spin", "--arg", SPIN, "--rates", file, *args, load)
    assert (done.returncode, done.stdout) == (FAILED, ""), done.stderr
    return done.stderr


def test_a_pipe(load, file):
    os.mkfifo(file)
    assert "must be a file, a pipe" in fails(load, file)
    assert stat.S_ISFIFO(file.stat().st_mode)


def test_an_unreadable_file(load, file):
    put(file, ENTRY).chmod(0)
    if os.access(file, os.R_OK):
        pytest.skip("this user may read every file")
    assert f"{file}: Permission denied" in fails(load, file)


def test_a_link_stays_one(load, file, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(put(file, OTHER))
    run(load, link)
    run(load, link)
    assert link.is_symlink() and entries(file) == entries(link)
    assert sorted(os.listdir(tmp_path)) == ["link", "rates.json"]


def test_a_run_that_fails_leaves_the_file(load, file):
    for there in (False, True):
        if there:
            put(file, {**ENTRY, "units": 7})
        fails(load, file, "--inject", "assert@2,2")
        assert file.exists() == there
    assert [one["units"] for one in entries(file)] == [7]

# SPDX-License-Identifier: Apache-2.0
"""`run --rates FILE`: what a run writes there, what the next one has from it,
and files that it cannot use."""
import json
import os
import zlib

import pytest

import mesh

FAILED = 1
PATTERN = b"the"
ARGUMENT = b"\0\3the\0\0\0"  # what the kernel gets: kernels/search.c
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
    path.write_bytes(mesh.text(20_000, mesh.seeded("rates")))
    return path


@pytest.fixture(name="file")
def fixture_file(tmp_path):
    return tmp_path / "rates.json"


def run(load, file, *args, **options):
    return mesh.run(load, "--rates", file, *args, **{
        "on": "native", "kernel": "spin", "arg": SPIN, "rounds": "auto",
        **options})


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


def check_own(file):
    """The only entry is that of native nodes."""
    (entry,) = entries(file)
    assert {**entry, "units": 500} == ENTRY


# ---- what is written, and used ----

@pytest.mark.parametrize("on", ["native", "qemu"])
def test_the_second_run_measures_nothing(load, file, on):
    """It has the rate of the originator's share in the first."""
    job = {"on": on, "kernel": "search", "arg": PATTERN, "rounds": 2}
    plain = mesh.run(load, **job)
    first = run(load, file, **job)
    assert first["timeline_sha256"] == plain["timeline_sha256"]
    assert measure_ps(first) > 0 and first["plan"]["measured_units"] > 0
    assert "rate_from" not in first["plan"]
    (entry,) = entries(file)
    entry.pop("slowest_percent", 0)  # where matches lie close: 175 of one node
    assert list(entry) == KEYS
    (one,) = next(node for node in first["measured"]["nodes"]
                  if node["layer"] == 0)["rounds"]
    took_ps = one["compute_end_ps"] - one["compute_start_ps"]
    call_ps = entry["call_ps"]
    assert (call_ps == 0) == (on == "native") and call_ps < 50_000_000
    assert entry == {
        "board": BOARD[on], "kernel": "search",
        "argument_bytes": len(ARGUMENT),
        "argument_crc32": zlib.crc32(ARGUMENT), "unit_bytes": 1,
        "compute_ps": (took_ps - call_ps) // one["units"], "call_ps": call_ps,
        "units": one["units"]}
    second = run(load, file, **job)
    assert measure_ps(second) == second["plan"]["measured_units"] == 0
    assert second["plan"]["compute_ps_per_unit"] == entry["compute_ps"]
    assert second["plan"]["rate_from"] == str(file)
    assert second["result"] == first["result"] == mesh.search_result(
        load.read_bytes(), PATTERN)
    if on == "native":  # boards plan longer where the rate is another
        assert (second["measured"]["preparing_ps"]
                < first["measured"]["preparing_ps"])


def test_on_every_mesh(load, file):
    for size, *args in (["1x1"], ["4x3"], ["5x5", "--schedule", "star"],
                        ["5x5", "--ports", "1"],
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
    check_own(file)
    report = run(load, file, *args, rounds=1)
    assert measure_ps(report) == 0
    assert report["plan"]["compute_ps_per_unit"] == 4 * SPIN_PS


def test_batches(load, file):
    """The first has the file's rate, later ones that of the one before; but of
    a long argument, which the originator does not keep, each measures. (In one
    round: without, it takes batches so small upon itself.)"""
    job = {"kernel": "search", "rounds": 1}
    for arg in PATTERN, b"no such text " * 10:
        first = run(load, file, "--batch", 8000, arg=arg, **job)
        second = run(load, file, "--batch", 8000, arg=arg, **job)
        assert len(second["batches"]) == 3
        assert entries(file)[-1]["units"] <= max(
            one["units"] for one in first["batches"])
        assert measure_ps(first) > 0 and first["result"] == second["result"]
        assert (measure_ps(second) == 0) == (arg == PATTERN)
        assert second["batches"][0]["preparing_ps"] == 0


def test_jobs_that_are_short(file, tmp_path):
    """Of one unit nothing is measured, which the report says, and no share
    tells a rate; of a few it is what was measured."""
    load = tmp_path / "load"
    load.write_bytes(b"a")
    report = run(load, file)
    assert measure_ps(report) == 0 and report["plan"]["compute_estimated"]
    assert not file.exists()
    before = put(file, ENTRY).read_bytes()
    assert run(load, file)["plan"]["compute_ps_per_unit"] == SPIN_PS
    assert file.read_bytes() == before
    file.unlink()
    load.write_bytes(b"abcdefgh")
    report = run(load, file, "--rounds", 1)
    assert entries(file)[0]["units"] == report["plan"]["measured_units"] == 1
    assert "compute_estimated" not in report["plan"]
    check_own(file)


# ---- whose entry it is ----

def test_entries_of_other_jobs_are_kept(load, file, tmp_path):
    """The own one is replaced where it stands; a link stays one."""
    link = tmp_path / "link"
    link.symlink_to(file)
    for field, value in (("board", "mps2-an385"), ("kernel", "search"),
                         ("argument_bytes", 3), ("argument_crc32", 0),
                         ("unit_bytes", 2)):
        other = {**ENTRY, field: value, "compute_ps": 7, "note": "mine"}
        put(file, other, OTHER)
        assert measure_ps(run(load, file)) > 0, field
        *kept, mine = entries(file)
        assert kept == [other, OTHER]
        assert {**mine, "units": 500} == ENTRY
    put(file, OTHER, {**ENTRY, "compute_ps": 700_000, "units": 1, "note": 1},
        OTHER)
    assert measure_ps(run(load, link)) == 0
    first, mine, last = entries(file)
    assert first == last == OTHER
    assert {**mine, "units": 500} == ENTRY
    assert measure_ps(run(load, link, "--unit", 4)) > 0
    assert [one["unit_bytes"] for one in entries(file)] == [1, 1, 1, 4]
    assert link.is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["link", "rates.json"]


# ---- rates that are wrong ----

@pytest.mark.parametrize("on, field, factor", [
    ("native", "compute_ps", 1000), ("native", "compute_ps", 1 / 1000),
    ("native", "call_ps", 1000), ("qemu", "call_ps", 1000)])
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


def test_files_that_stay_as_they_are(load, file):
    """Of a run that fails, and what is none."""
    for there in (False, True):
        if there:
            put(file, {**ENTRY, "units": 7})
        fails(load, file, "--inject", "assert@2,2")
        assert file.exists() == there
    assert [one["units"] for one in entries(file)] == [7]
    file.chmod(0)
    if not os.access(file, os.R_OK):  # a user that may read every file can
        assert f"{file}: Permission denied" in fails(load, file)
    file.unlink()
    os.mkfifo(file)
    assert "must be a file, a pipe" in fails(load, file)
    assert file.is_fifo()

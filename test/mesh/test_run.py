# SPDX-License-Identifier: Apache-2.0
"""Whole runs end when their plans say, and plans are as good as promised: along
the pattern, in one round and in several, with outputs and without. (Results,
units, repetition: test_any_job.py; trees: test_trees.py.)

QUINCUNX_SEED chooses loads.
"""
import json
import wave

import pytest

import mesh
import rounds as oracle

US = 10 ** 6
INSTRUCTION_PS = 32_000
BYTE_PS = {"lvds": 80_000, "t3d": 3300}


def run(folder, line, units=100_000, **options):
    """The report of `spin` with these options on so many units of zeros; where
    its argument has a ratio, with the outputs."""
    words = line.split()
    if "/" in options.get("arg", "32"):
        words += ["-o", folder / "out"]
    return mesh.run(mesh.zeros(folder / f"load-{units}", units), *words,
                    **{"arg": "32", "rounds": "auto", **options})


# ---- ends when planned ----

# Where, spin's argument, profile, units, rounds, and by what part of it the
# time may differ from the plan.
PLANNED = [
    ("qemu", "5x5", "32", "t3d", 10 ** 6, 1, .01),
    ("qemu", "5x5", "32", "t3d", 10 ** 6, "auto", .01),
    ("qemu", "5x5", "32", "lvds", 10 ** 6, 16, .01),
    ("qemu", "5x5", "32", "uart", 10 ** 6, 2, .01),
    ("qemu", "5x5", "32,1/2", "lvds", 10 ** 5, 1, .02),
    ("qemu", "5x5", "32,2/1", "lvds", 10 ** 5, "auto", .1),
    ("qemu", "5x5", "32,3/7", "lvds", 10 ** 5, 3, .02),
    ("native", "25x25", "32", "lvds", 10 ** 6, 1, .001),
    ("native", "25x25", "32", "t3d", 10 ** 6, "auto", .005),
    ("native", "5x5", "32,3/7", "lvds", 10 ** 5, 1, .002),
    ("native", "25x25", "32,1/1", "t3d", 10 ** 5, 1, .01)]


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_ends_when_planned(tmp_path, on):
    """With outputs: they are back by then. Boards tell how deep their stack was,
    though they wait for another order."""
    for where, size, arg, profile, units, rounds, most in PLANNED:
        if where != on:
            continue
        report = run(tmp_path, f"--profile {profile}", units, on=on, size=size,
                     arg=arg, rounds=rounds)
        ends_ps = report["measured"]["with_results_ps" if "/" in arg else
                                     "makespan_ps"]
        off = ends_ps / report["plan"]["makespan_ps"] - 1
        print(on, size, arg, profile, units, rounds, f"{off:+.4f}")
        assert abs(off) <= most, (size, arg, profile, units, rounds, off)
        stack = report["measured"]["stack"]
        assert on == "native" or 1000 < stack["used_bytes"] < stack["bytes"]


@pytest.mark.parametrize("kernel, arg, rate", [
    ("fir", "low=1000,taps=32", .08), ("conv", "filter=gauss", .08)])
def test_rate_of_a_kernel_by_blocks(tmp_path, kernel, arg, rate):
    """As measured on the first units, it is that of all in the mean: but for
    those at the load's begin and at the ends of an image's rows."""
    load = tmp_path / ("load.wav" if kernel == "fir" else "load.pgm")
    noise = mesh.seeded("blocks").randbytes(800_000)
    if kernel == "fir":
        with wave.open(str(load), "wb") as file:
            file.setparams((1, 2, 48_000, 0, "NONE", ""))
            file.writeframes(noise)
    else:
        load.write_bytes(b"P5 1000 800 255\n" + noise)
    report = mesh.run(load, "--profile", "t3d", kernel=kernel, arg=arg,
                      rounds="auto")
    took = report["measured"]["computing_ps"] / report["load"]["units"]
    assert report["plan"]["compute_ps_per_unit"] == pytest.approx(took, rate)


@pytest.mark.parametrize("profile, arg, units", [
    ("t3d", "33", 300), ("lvds", "20001", 300),
    ("t3d", "32", 26), ("lvds", "1000", 20_000)])
def test_wrong_estimates(tmp_path, profile, arg, units):
    """Of a kernel that estimates a thousandth of what it takes, or with an odd
    argument a thousand times, the answer takes twice that of a right one at
    most."""
    image = mesh.BUILD / "test" / "spin-wrong.elf"
    right, other = (
        run(tmp_path, f"--profile {profile} {more}", units, arg=arg)
        for more in ("", f"--firmware {image}"))
    assert other["result"] == right["result"] == {"units": units}
    assert (other["measured"]["answer_ps"]
            <= 2 * right["measured"]["answer_ps"])


# ---- rounds, phases, originators ----

def test_rounds_that_are_chosen(tmp_path):
    """Several pay where transfer and computing are balanced, and cost nothing
    where they are not."""
    for on, profile, arg, most in [
            ("native", "lvds", "32", .8), ("qemu", "lvds", "32", .8),
            ("native", "t3d", "2", 1.005), ("qemu", "uart", "32", 1.005),
            ("native", "uart", "2", 1.005)]:
        one, best = (run(tmp_path, f"--profile {profile}", on=on, arg=arg,
                         rounds=rounds) for rounds in (1, "auto"))
        assert (best["measured"]["makespan_ps"] <=
                most * one["measured"]["makespan_ps"]), (on, profile, arg)


@pytest.mark.parametrize("startup_ns, transfer_ps, taps", [
    (54673, 17050, 65), (15769, 130, 3)])
def test_the_way_of_outputs_back_counts(tmp_path, startup_ns, transfer_ps,
                                        taps):
    """Several rounds compute sooner, but more outputs then come back behind
    them: by a fifth and more later than in one round."""
    sound, profile = tmp_path / "sound.wav", tmp_path / "profile"
    with wave.open(str(sound), "wb") as file:
        file.setparams((1, 2, 48_000, 0, "NONE", ""))
        file.writeframes(mesh.seeded("sound").randbytes(40_000))
    profile.write_text(f"startup = {startup_ns}ns\ntransfer = {transfer_ps}ps\n"
                       "hop_delay = 0\n")
    one, three, best = [
        mesh.run(sound, "--profile", profile, size="25x25", on="native",
                 kernel="fir", arg=f"low=1000,taps={taps}",
                 rounds=number)["measured"]["with_results_ps"]
        for number in (1, 3, "auto")]
    assert three > 1.15 * one
    assert best <= 1.01 * one


def test_exactly_the_phases_asked_for(tmp_path):
    """The more, the sooner; with outputs, too. More than are worth it are
    refused."""
    for arg in "32", "32,3/7":
        spans = []
        for phases in range(5):
            report = run(tmp_path, f"--phases {phases} --profile t3d", 50_000,
                         size="25x25", on="native", arg=arg, rounds=1)
            assert report["plan"]["phases"] == phases
            assert len(report["measured"]["nodes"]) == 5 ** phases
            spans.append(report["measured"]["makespan_ps"])
        assert spans == sorted(spans, reverse=True)
    done = mesh.command(
        "run", *"--mesh 25x25 --kernel spin --arg 32 --on native --phases 4 "
        "--profile t3d".split(), mesh.zeros(tmp_path / "few", 100))
    assert done.returncode == 1 and " phases" in done.stderr


def test_every_originator_is_alike(tmp_path):
    seen, digests = set(), set()
    for at in "0,0", "1,0", "3,4", "4,2":
        report = run(tmp_path, f"--originator {at}", 30_000, on="native")
        digests.add(report["timeline_sha256"])
        seen.add(str(sorted((n["layer"], n["units"], n["finished_ps"])
                            for n in report["measured"]["nodes"])))
    assert len(seen) == 1 and len(digests) == 4


@pytest.mark.parametrize("profile, kernel, arg, bytes_", [
    ("lvds", "spin", "32", 26), ("lvds", "search", "free software", 20_000),
    ("uart", "search", "(?|)e|the|is", 17_000)])
def test_a_load_too_small_for_a_mesh_costs_no_more_on_one(
        loads, profile, kernel, arg, bytes_):
    """Of so few units, 2048 at most, the other boards do not even hear. The
    last one's results are expected to grow beyond what is short."""
    text = mesh.text(bytes_, mesh.seeded("too small"))
    alone, report = [mesh.run(loads(text), "--profile", profile, size=size,
                              kernel=kernel, arg=arg, rounds="auto")
                     for size in ("1x1", "5x5")]
    assert report["network"]["messages"] == (0 if bytes_ <= 2048 else 24)
    assert (report["measured"]["answer_ps"]
            <= 1.005 * alone["measured"]["answer_ps"] + 25 * US)


# ---- a part that goes out before the rest is planned ----

@pytest.mark.parametrize("units, profile", [
    (10_000, "t3d"), (1_000_000, "t3d"), (100_000, "lvds")])
def test_others_compute_while_it_is_planned(tmp_path, units, profile):
    """Equal parts for all others, in the first round; and the plan of the rest
    holds, so no node waits long and hardly a circuit for another."""
    report = run(tmp_path, f"--profile {profile}", units)
    measured, plan = report["measured"], report["plan"]
    assert oracle.has_advance(report)
    assert measured["preparing"]["plan_ps"] == 0
    shares = [layer["rounds"][0]["share_units"] for layer in plan["layers"]]
    assert shares[0] == 0 and len(set(shares[1:])) == 1 and shares[1] > 0
    assert measured["idle_max_ps"] <= 150 * US
    assert abs(measured["overhead_vs_plan"]) < .06
    assert report["network"]["circuit_conflicts"] <= plan["rounds"]


def test_no_part_goes_out_where_it_was_not_asked_for(tmp_path):
    for rounds, more in [(2, ""), ("auto", "--phases 2"),
                         (1, "--slow 1,2=4")]:
        report = run(tmp_path, f"--profile t3d {more}", rounds=rounds)
        assert not oracle.has_advance(report), (rounds, more)


# ---- outputs that return meanwhile ----

@pytest.mark.parametrize("schedule", ["peters-syska", "farm"])
def test_outputs_come_back_near_the_bound(tmp_path, schedule):
    """An output as long as the input: the ports take both ways."""
    for arg, units, profile, most in [
            (32, 10 ** 6, "lvds", {"farm": 1.10}.get(schedule, 1.05)),
            (32, 10 ** 5, "lvds", {"farm": 1.25}.get(schedule, 1.15)),
            (200, 10 ** 5, "lvds", 1.15), (32, 10 ** 6, "t3d", 1.02)]:
        report = run(tmp_path, f"--profile {profile} --schedule {schedule}",
                     units, arg=f"{arg},1/1", on="native")
        if schedule != "farm":
            assert report["plan"]["outputs_return"] == "meanwhile"
        unit_ps, byte_ps = arg * INSTRUCTION_PS, BYTE_PS[profile]
        bound = max(units * unit_ps / 25, 2 * units * byte_ps / 4
                    / (1 + 2 * byte_ps / (4 * unit_ps)))
        assert report["measured"]["with_results_ps"] <= most * bound, (
            arg, units, profile)


def test_outputs_are_back_when_planned(tmp_path):
    """Within 2 % and a tenth of a millisecond of the plan on native nodes,
    which take no time for software; and no later than in one round."""
    chance = mesh.seeded("meanwhile run")
    for _ in range(12):
        units = int(10 ** chance.uniform(3.5, 5.5))
        line = f"--profile {chance.choice(['lvds', 't3d'])}"
        ratio = chance.choice(["1/1", "1/2", "2/1", "1/10"])
        options = {"on": "native", "size": chance.choice(["5x5", "25x25"]),
                   "arg": f"{chance.choice([8, 32, 100])},{ratio}"}
        print(line, units, options)
        report, one = (run(tmp_path, line, units, rounds=rounds, **options)
                       for rounds in ("auto", 1))
        back_ps = report["measured"]["with_results_ps"]
        assert back_ps <= 1.03 * one["measured"]["with_results_ps"]
        if report["plan"]["outputs_return"] == "meanwhile":
            assert abs(back_ps - report["plan"]["makespan_ps"]) <= (
                .02 * back_ps + 1e8)


def test_outputs_of_boards_are_back_earlier_than_collected(tmp_path):
    """Earlier than in one round, whose layers return theirs while others
    compute, and than those of a farm."""
    options = {"units": 100_000, "arg": "32,1/1"}
    report, *others = (
        run(tmp_path, f"--profile lvds {more}", rounds=rounds, **options)
        for more, rounds in (("", "auto"), ("", 1),
                             ("--schedule farm", "auto")))
    assert report["plan"]["outputs_return"] == "meanwhile"
    for other in others:
        assert (report["measured"]["with_results_ps"]
                < .9 * other["measured"]["with_results_ps"])


# ---- results on their way back ----

def test_late_results_wait_for_their_slot(loads, tmp_path):
    """Results of two phases are never on their way at the same time, however
    much later some nodes end."""
    chance = mesh.seeded("late results")
    trace = tmp_path / "trace"
    # The first units, by which the kernel is measured, are of both kinds.
    both = b"".join(chance.randbytes(16) + b"a" * 16 for _ in range(200))
    data = both + chance.randbytes(250_000) + b"a" * 250_000
    report = mesh.run(loads(data), "--trace", trace, "--profile", "lvds",
                      kernel="search", arg=b"aaaa")
    assert report["result"] == mesh.search_result(data, b"aaaa")
    assert report["measured"]["spread"] > 0.05
    assert report["network"]["circuit_conflicts"] == 0
    circuits = [(e["ts"], e["ts"] + e["dur"], e["args"]["phase"])
                for e in json.loads(trace.read_text())["traceEvents"]
                if e.get("cat") == "gather" and "bytes" in e["args"]]
    assert [sum(p == phase for *_, p in circuits) for phase in (1, 2)] == [
        4, 20]
    for begin, end, phase in circuits:
        assert not any(other != phase and at < end and begin < until
                       for at, until, other in circuits)
    begins = [begin for begin, _, phase in circuits if phase == 2]
    assert max(begins) - min(begins) > 3 * max(
        end - begin for begin, end, phase in circuits if phase == 2)


def test_results_are_soon_back(tmp_path):
    """8 bytes of each of 25 boards, merged twice on their way; and 261 words,
    of 5 instructions to merge and some 250 for each."""
    for profile in "t3d", "lvds":
        measured = run(tmp_path, f"--profile {profile}", 10 ** 6)["measured"]
        late_ps = measured["with_results_ps"] - measured["makespan_ps"]
        assert 0 < late_ps <= 81 * US
    report = mesh.run(mesh.zeros(tmp_path / "load", 237_000), "--profile",
                      "lvds", kernel="stats", arg=None, rounds="auto")
    merges_ps = 4 * (261 * 5 + 250) * INSTRUCTION_PS
    results = [c for c in report["circuits"] if c["kind"] == "result"]
    assert {c["bytes"] for c in results} == {8 + 261 * 4}
    ready_ps = report["measured"]["makespan_ps"]
    for phase in 2, 1:
        those = [c for c in results if c["phase"] == phase]
        assert (max(c["request_ps"] for c in those) - ready_ps
                < 0.04 * ready_ps + merges_ps)
        ready_ps = max(c["end_ps"] for c in those) + merges_ps


def test_order_when_some_nodes_are_late(loads):
    """A sixth of the load takes six times as long; offsets stay in order. A
    late node sends its result in a later frame; then a child of an earlier
    phase may come in through the same port before it."""
    pattern = b"baaaaaaa"
    for slow in 1, 4:
        data = bytearray(b"c" * 240_000)
        data[slow * 40_000:(slow + 1) * 40_000] = b"a" * 40_000
        for at in range(100, len(data) - 100, 251):
            data[at:at + len(pattern)] = pattern
        report = mesh.run(loads(bytes(data)), kernel="search", arg=pattern)
        assert report["result"] == mesh.search_result(bytes(data), pattern)
        assert report["result"]["offsets_complete"]
        assert report["measured"]["spread"] > 0.05


# ---- batches ----

def test_batches_know_the_rate(tmp_path):
    """Equal batches of units that cost the same: the first one, in which the
    kernel is measured, and those that know its rate, in which nothing is
    measured, and which end two whole units apart at most."""
    for on in "native", "qemu":
        report = run(tmp_path, "--batch 10000 --profile lvds", 30_000, on=on)
        first, *others = report["batches"]
        network = report["network"]
        assert network["messages"] == sum(
            port["sent_messages"] for port in network["ports"])
        assert report["plan"]["makespan_ps"] == sum(
            batch["planned_ps"] for batch in report["batches"])
        spans = [batch["makespan_ps"] for batch in others]
        assert len(spans) == 2
        assert max(spans) - min(spans) <= 2 * 32 * INSTRUCTION_PS
        assert abs(first["makespan_ps"] / spans[0] - 1) < .06


def test_more_than_a_board_holds(tmp_path):
    """40 MB through 16 MiB."""
    path = tmp_path / "large"
    line = b"all work and no play makes jack a dull boy\n"
    data = line * (40_000_000 // len(line))
    path.write_bytes(data)
    report = mesh.run(path, arg="jack", kernel="search", on="native",
                      rounds="auto")
    assert report["result"]["count"] == len(data) // len(line)
    assert len(report["batches"]) == 3


# ---- 625 boards ----

@pytest.mark.boards
def test_625_boards(loads):
    """What a naive search finds, in two rounds and 12 GiB."""
    data = mesh.mixed(2_000_000, mesh.seeded("625 boards")) + b"a" * 500_000
    watched = mesh.Watched(
        "run", "--json", "--mesh", "25x25", "--kernel", "search", "--profile",
        "t3d", "--rounds", 2, "--arg", "aaaaaaa", loads(data))
    assert watched.returncode == 0, watched.stderr
    print(f"625 boards: {watched.wall_s:.1f} s, "
          f"peak {watched.peak_bytes / 2 ** 30:.2f} GiB")
    report = json.loads(watched.stdout)
    assert report["result"] == mesh.search_result(data, b"aaaaaaa")
    assert report["plan"]["phases"] == 4
    assert report["network"]["messages"] == 4 * 624
    # 25 boards and one do it again, to compare; and a QEMU that is asked what it
    # can, and two zygotes, if they live long enough to be seen.
    assert 625 <= watched.boards <= 625 + 25 + 1 + 3
    assert 2 ** 28 < watched.peak_bytes < 12 * 2 ** 30

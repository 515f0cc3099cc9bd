# SPDX-License-Identifier: Apache-2.0
"""What a run writes: report, trace, chart, text around matches. The summary:
test/golden."""
import collections
import decimal
import json
import re
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

import mesh
from guard import GUARD_S

TEXT, WHOLE, REAL, FLAG = str, int, float, bool

NODE = {"x": WHOLE, "y": WHOLE, "layer": WHOLE, "units": WHOLE,
        "received_ps": WHOLE, "finished_ps": WHOLE, "idle_ps": WHOLE}
INTERVAL = {"round": WHOLE, "units": WHOLE, "received_ps": WHOLE,
            "forwarded_ps": WHOLE, "compute_start_ps": WHOLE,
            "compute_end_ps": WHOLE}
LAYER = {"layer": WHOLE, "nodes": WHOLE, "share_units": REAL,
         "volume_units": REAL}
SCHEMA = {
    "mesh": {"width": WHOLE, "height": WHOLE, "nodes": WHOLE,
             "originator": [WHOLE], "on": TEXT, "board": TEXT},
    "profile": {"name": TEXT, "startup_ps": WHOLE,
                "transfer_ps_per_byte": WHOLE, "hop_delay_ps": WHOLE},
    "kernel": TEXT,
    "load": {"bytes": WHOLE, "units": WHOLE},
    "plan": {"torus": {"side": WHOLE, "nodes": WHOLE}, "load_units": WHOLE,
             "measured_units": WHOLE, "sampled_ps": WHOLE,
             "phases": WHOLE, "rounds": WHOLE, "active_nodes": WHOLE,
             "makespan_ps": WHOLE, "speedup": REAL,
             "compute_ps_per_unit": WHOLE, "transfer_ps_per_unit": WHOLE,
             "startup_ps": [WHOLE], "overhead_ps": WHOLE, "layers": [LAYER]},
    "measured": {"answer_ps": WHOLE, "answer_speedup": REAL,
                 "one_board_ps": WHOLE, "preparing_ps": WHOLE,
                 "computing_ps": WHOLE, "calls_ps": WHOLE,
                 "preparing": {"announce_ps": WHOLE, "begin_ps": WHOLE,
                               "measure_ps": WHOLE, "plan_ps": WHOLE,
                               "other_ps": WHOLE},
                 "meanwhile": {"measure_ps": WHOLE, "plan_ps": WHOLE},
                 "makespan_ps": WHOLE, "with_results_ps": WHOLE,
                 "overhead_vs_plan": REAL, "speedup": REAL,
                 "spread_ps": WHOLE, "idle_max_ps": WHOLE, "nodes": [NODE]},
    "network": {"messages": WHOLE, "payload_bytes": WHOLE,
                "circuit_conflicts": WHOLE, "retries": WHOLE,
                "retransmissions": WHOLE},
    "result": {"count": WHOLE, "offsets": [WHOLE], "offsets_complete": FLAG},
    "timeline_sha256": TEXT,
    "wall_s": {"boot": REAL, "run": REAL},
}


def mistakes(value, schema, where="report"):
    """Everything that is not as the schema says; more keys are allowed."""
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return [f"{where} is no object"]
        found = [f"{where}.{key} is missing" for key in schema
                 if key not in value]
        for key in set(schema) & set(value):
            found += mistakes(value[key], schema[key], f"{where}.{key}")
        return found
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{where} is no list"]
        return [m for i, entry in enumerate(value)
                for m in mistakes(entry, schema[0], f"{where}[{i}]")]
    # bool is an int in Python, not in JSON.
    if type(value) is not schema:
        return [f"{where} is {value!r}, no {schema.__name__}"]
    return []


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    path = tmp_path_factory.mktemp("outputs") / 'na"me <&> \\ of a load'
    path.write_bytes(mesh.mixed(100_000, mesh.seeded("outputs")))
    return path


def outputs(folder, load, size, on, rounds, *more, arg="the"):
    """All ways to write one run; their paths and the summary."""
    paths = {kind: folder / f"{kind}.out"
             for kind in ("report", "trace", "gantt")}
    args = [word for kind, path in paths.items()
            for word in ("--" + kind, path)]
    done = mesh.command("run", "--mesh", size, "--kernel", "search", "--arg",
                        arg, "--on", on, "--rounds", rounds, *more, *args,
                        load)
    assert (done.returncode, done.stderr) == (0, "")
    return paths, done.stdout


@pytest.fixture(scope="module", params=[("5x5", "qemu", "auto"),
                                        ("5x5", "native", "3"),
                                        ("25x25", "native", "1"),
                                        ("1x1", "native", "auto")],
                ids="-".join)
def written(request, tmp_path_factory, load):
    paths, summary = outputs(tmp_path_factory.mktemp("written"), load,
                             *request.param)
    report = json.loads(paths["report"].read_text(encoding="utf-8"))
    return paths, summary, report


# ---- the report ----

def test_report_has_the_keys_that_are_promised(written):
    """And the check itself sees where they are not."""
    report = written[2]
    assert mistakes(report, SCHEMA) == []
    assert re.fullmatch("[0-9a-f]{64}", report["timeline_sha256"])
    mesh_ = report["mesh"]
    assert mesh_["nodes"] == mesh_["width"] * mesh_["height"]
    assert mesh_["board"] == {"qemu": "mps2-an385",
                              "native": "host"}[mesh_["on"]]
    assert report["profile"] == {
        "name": "lvds", "startup_ps": 5_000_000,
        "transfer_ps_per_byte": 80_000, "hop_delay_ps": 100_000}
    assert [layer["layer"] for layer in report["plan"]["layers"]] == list(
        range(report["plan"]["phases"] + 1))
    network = report["network"]
    assert sum(port["sent_messages"] for port in network["ports"]) == network[
        "messages"]
    for port in network["ports"]:
        assert (port["busy_ps"] > 0) == (mesh_["nodes"] > 1)
        assert port["stall_ps"] == 0 or network["circuit_conflicts"] > 0
    for path, value in [(["plan", "makespan_ps"], 1.5),
                        (["measured", "nodes", 0, "units"], "12"),
                        (["result", "offsets_complete"], 1)]:
        spoilt = inner = json.loads(json.dumps(report))
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        assert len(mistakes(spoilt, SCHEMA)) == 1, path
        del inner[path[-1]]
        assert len(mistakes(spoilt, SCHEMA)) == 1, path


def before(report, node):
    """Units that a node computed before there was a plan."""
    first = [node["x"], node["y"]] == report["mesh"]["originator"]
    return report["plan"]["measured_units"] if first else 0


def intervals_of(report, node):
    """What a node did in every round; with one round, what it says of all but
    for what the originator computes before, to measure it."""
    if report["plan"]["rounds"] == 1:
        assert "rounds" not in node
        return [{"round": 0, "units": node["units"] - before(report, node),
                 "received_ps": node["received_ps"],
                 "forwarded_ps": node["forwarded_ps"],
                 "compute_start_ps": node["compute_start_ps"],
                 "compute_end_ps": node["finished_ps"]}]
    return node["rounds"]


def test_rounds_of_nodes_in_the_report(written):
    """In order, after one another, and as the node's own keys say."""
    report = written[2]
    rounds = report["plan"]["rounds"]
    idle = []
    for node in report["measured"]["nodes"]:
        intervals = intervals_of(report, node)
        assert mistakes(intervals, [INTERVAL]) == []
        assert [s["round"] for s in intervals] == (
            list(range(rounds)) if node["layer"] else [0])
        assert (sum(s["units"] for s in intervals)
                == node["units"] - before(report, node))
        for key in ("received_ps", "forwarded_ps", "compute_start_ps"):
            assert intervals[0][key] == node[key]
        assert intervals[-1]["compute_end_ps"] == node["finished_ps"]
        for s in intervals:
            assert (s["received_ps"] <= s["forwarded_ps"]
                    <= s["compute_start_ps"] <= s["compute_end_ps"]), s
        idle.append(sum(max(0, late["received_ps"] - early["compute_end_ps"])
                        for early, late in zip(intervals, intervals[1:])))
        assert node["idle_ps"] == idle[-1]
    assert report["measured"]["idle_max_ps"] == max(idle)


def test_json_and_report_say_the_same(load, tmp_path):
    """A file that is there is replaced."""
    path = tmp_path / "report.json"
    path.write_text("x" * 10 ** 6)
    done = mesh.command("run", "--json", "--report", path, "--mesh", "5x5",
                        "--kernel", "search", "--arg", "the", "--on",
                        "native", load)
    assert json.loads(done.stdout) == json.loads(path.read_text())
    assert sorted(tmp_path.iterdir()) == [path]


# ---- the input ----

def test_the_load_may_come_by_a_pipe(tmp_path):
    """It is the same job as with a file, to the last event."""
    load = tmp_path / "load"
    load.write_bytes(mesh.mixed(100_000, mesh.seeded("pipe")))
    line = [mesh.QUINCUNX, "run", "--json", "--mesh", "5x5", "--on", "native",
            "--kernel", "search", "--arg", "the"]
    plain = json.loads(mesh.command(*line[1:], load).stdout)
    for how in ("cat '{load}' | {run} -", "{run} - < '{load}'",
                "{run} <(cat '{load}')", "cat '{load}' | {run} /dev/stdin"):
        done = subprocess.run(
            ["bash", "-c", how.format(load=load, run=" ".join(line))],
            capture_output=True, text=True, check=False, timeout=GUARD_S)
        assert (done.returncode, done.stderr) == (0, ""), how
        piped = json.loads(done.stdout)
        assert piped["timeline_sha256"] == plain["timeline_sha256"]
        assert piped["result"] == plain["result"]


# ---- the trace ----

def test_trace_shows_every_node_and_circuit(written):
    paths, _, report = written
    trace = json.loads(paths["trace"].read_text(encoding="utf-8"))
    events = trace["traceEvents"]
    slices = [e for e in events if e["ph"] == "X"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "thread_name"}
    assert {(e["pid"], e["tid"]) for e in slices} <= set(names)
    order = {(e["pid"], e["tid"]): e["args"]["sort_index"] for e in events
             if e["name"] == "thread_sort_index"}
    layers = [int(names[track].rpartition(" ")[2]) for track in sorted(
        order, key=order.get) if " layer " in names[track]]
    assert layers == sorted(layers)
    computing = {(names[e["pid"], e["tid"]].split()[0], e["args"]["round"]): e
                 for e in slices if e["name"] == "compute"}
    nodes = report["measured"]["nodes"]
    rounds = report["plan"]["rounds"]
    intervals = {(f"{n['x']},{n['y']}", s["round"]): s for n in nodes
                 for s in intervals_of(report, n)}
    assert set(computing) == {at for at, s in intervals.items()
                              if s["compute_start_ps"] < s["compute_end_ps"]}
    zero = report["measured"]["preparing_ps"]
    for at, e in computing.items():
        assert e["args"]["units"] == intervals[at]["units"]
        assert e["args"]["start_ps"] == intervals[at]["compute_start_ps"]
        assert e["args"]["end_ps"] == intervals[at]["compute_end_ps"]
        assert e["ts"] + e["dur"] == pytest.approx(
            (zero + intervals[at]["compute_end_ps"]) / 1e6)
    prepared = [e for e in slices if e["cat"] == "prepare"]
    assert prepared[0]["ts"] == 0
    assert prepared[-1]["ts"] + prepared[-1]["dur"] == pytest.approx(zero / 1e6)
    circuits = [e for e in slices
                if e["cat"] in ("announce", "scatter", "gather")]
    assert len(circuits) == report["network"]["messages"]
    parts = {(e["args"]["to"], e["args"]["round"]): e for e in circuits
             if e["cat"] == "scatter"}
    assert len(parts) == rounds * (len(nodes) - 1)
    for at, e in parts.items():
        assert e["args"]["end_ps"] == intervals[at]["received_ps"]
    check_tracks(slices_of(paths["trace"]))


def slices_of(path):
    """Every slice, with its times as exact decimals, in us."""
    trace = json.loads(path.read_text(encoding="utf-8"),
                       parse_float=decimal.Decimal)
    return [e for e in trace["traceEvents"] if e["ph"] == "X"]


def check_tracks(slices):
    """A node does one thing at a time, and so does a port."""
    tracks = collections.defaultdict(list)
    for e in slices:
        tracks[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"],
                                           e["name"]))
    assert tracks
    for track in tracks.values():
        track.sort()
        for early, late in zip(track, track[1:]):
            assert early[1] <= late[0], (early, late)


def test_trace_of_circuits_that_wait(load, tmp_path):
    """A slice from the request to the grant, when the link's holder ends."""
    paths, _ = outputs(tmp_path, load, "5x5", "native", "1", "--schedule",
                       "farm")
    report = json.loads(paths["report"].read_text(encoding="utf-8"))
    slices = slices_of(paths["trace"])
    zero = report["measured"]["preparing_ps"]
    waits = [e for e in slices if e["cat"] == "conflict"]
    assert len(waits) == report["network"]["circuit_conflicts"] > 0
    check_tracks(slices)
    ends = {e["args"]["end_ps"] for e in slices
            if e["cat"] in ("announce", "scatter", "gather")}
    for e in waits:
        late = e["args"]
        assert e["ts"] * 10 ** 6 == zero + late["request_ps"]
        assert (e["ts"] + e["dur"]) * 10 ** 6 == zero + late["grant_ps"]
        assert late["request_ps"] < late["grant_ps"] < late["end_ps"]
        assert late["grant_ps"] in ends


# ---- the chart ----

def test_gantt_is_a_picture(written):
    """Of more than its texts, which test/golden/chart.txt has, and small."""
    root = ElementTree.parse(written[0]["gantt"]).getroot()
    assert root.tag.endswith("svg")
    texts = " ".join("".join(e.itertext()) for e in root.iter()
                     if e.tag.endswith("text"))
    assert "layer" in texts and "nan" not in texts.lower()
    assert len([e for e in root.iter() if e.tag.split("}")[-1] in (
        "rect", "path", "polygon", "line")]) >= 3
    assert written[0]["gantt"].stat().st_size < 300_000


# ---- text around matches ----

def test_text_of_other_languages(tmp_path):
    """Characters are whole, or left out at the ends; controls of direction and
    of terminals, and what is no UTF-8, are not shown."""
    path = tmp_path / "text"
    path.write_bytes("\u0416\u4e2d\U0001f40d\u202e\x9b31m\x1b[31m ".encode()
                     * 3 + b"\xff\xc3needle\x80\xed\xa0\x80"
                     + "\u00e9\u0416 ".encode() * 30)
    done = mesh.command("run", "--mesh", "1x1", "--on", "native", "--kernel",
                        "search", "--arg", "needle", path, "--json")
    (before, after), = json.loads(done.stdout)["texts"]
    assert before.endswith("\U0001f40d??31m [31m ?")
    assert after.startswith("needle????\u00e9\u0416 ")
    assert len(after.encode()) == 40 and after[-1] in "\u00e9\u0416 "
    shown = mesh.command("run", "--mesh", "1x1", "--on", "native", "--kernel",
                         "search", "--arg", "needle", path).stdout
    assert f"{before}|{after}" in shown
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ufffd]",
                         shown)


def test_text_of_several_files_is_each_ones(tmp_path):
    """Not the neighbour's."""
    for name, text in (("a", "xx needle"), ("b", "needle yy"), ("c", "zz")):
        (tmp_path / name).write_text(text)
    done = mesh.command("run", "--mesh", "3x3", "--on", "native", "--kernel",
                        "search", "--arg", "needle", "a", "b", "c", "--json",
                        cwd=tmp_path)
    assert json.loads(done.stdout)["texts"] == [["xx ", "needle"],
                                                ["", "needle yy"]]


# ---- help ----

def test_version():
    release = re.search(r"^RELEASE := (.*)$",
                        (mesh.ROOT / "Makefile").read_text(), re.M)[1]
    for word in ("--version", "-V", "version"):
        done = mesh.command(word)
        assert done.returncode == 0
        assert re.fullmatch(rf"quincunx {re.escape(release)} \(\S+\)\n",
                            done.stdout)


# ---- standard output ----

@pytest.mark.parametrize("order", [["--json", "--json", "load"],
                                   ["load", "--json"]])
def test_a_report_is_not_appended_to_its_input(tmp_path, order):
    """Wherever the flag stands; one that is given twice is one."""
    load = tmp_path / "load"
    load.write_text("text")
    line = [mesh.QUINCUNX, "run", "--mesh", "1x1", "--on", "native",
            "--kernel", "spin", "--arg", "1", *order]
    with load.open("a", encoding="utf-8") as file:
        done = subprocess.run(line, cwd=tmp_path, stdout=file, check=False,
                              stderr=subprocess.PIPE, text=True,
                              timeout=GUARD_S)
    assert (done.returncode, load.read_text()) == (2, "text")
    assert "is the file of INPUT 'load', too" in done.stderr
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, check=False,
                          text=True, timeout=GUARD_S)
    assert done.returncode == 0 and json.loads(done.stdout)["kernel"] == "spin"

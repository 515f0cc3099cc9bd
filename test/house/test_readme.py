# SPDX-License-Identifier: Apache-2.0
"""README, guides and DESIGN pages: what they name is there, their links lead
somewhere, and their figures are today's."""
import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

import core
import mesh
import tree as checker  # of the oracle, whose path mesh adds
from core import ROOT
from rules import FILES, MAKEFILES, read

bench = str(ROOT / "test" / "bench")
if bench not in sys.path:
    sys.path.insert(0, bench)
import job_bench  # noqa: E402
import page  # noqa: E402
import references  # noqa: E402

# By its path: other folders of tests have a chip.py, too.
SPEC = importlib.util.spec_from_file_location(
    "bench_chip", pathlib.Path(bench) / "chip.py")
chip = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(chip)

PAGES = {name: read(name) for name in FILES if name.endswith(".md")}
README = PAGES["README.md"]
BENCH = PAGES["boot/stm32f405/README.md"]
KERNELS = PAGES["kernels/README.md"]
SCHEDULES = PAGES["qemu/schedule/README.md"]
FIGURES = PAGES["test/bench/README.md"]
RULES = "\n".join(map(read, MAKEFILES))
# Options of a benchmark, docker, mpirun and Slurm, not of the command.
OTHERS = {"--quick", "--args", "--rm", "--host", "--map-by", "--bind-to",
          "--oversubscribe", "--mpi", "--nodes", "--ntasks-per-node",
          "--cpus-per-task", "--mem", "--kill-on-bad-exit"}
# Files of the guides' examples.
EXAMPLES = {"kernels/demo.c", "test/kernels/test_kernel_demo.py",
            "qemu/format/NAME.c",
            "qemu/schedule/columns.h", "qemu/schedule/columns.c",
            "hal/stm32f405/pins/NAME.h"}


def source(path):
    return (ROOT / path).read_text("utf-8")


def said(*args):
    done = mesh.command(*args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def subcommands():
    return re.findall(r"^  ([a-z-]+) ", said("--help"), re.MULTILINE)


def test_which_commands_have_json():
    told = re.search(r"With\s`--json`, which (.*?) have,",
                     PAGES["qemu/README.md"], re.DOTALL)
    assert sorted(re.findall(r"`([a-z-]+)`", told[1])) == sorted(
        name for name in subcommands() if "--json" in said(name, "--help"))


def rows(text, heading):
    """The cells of the table that begins so, without its two first lines."""
    lines = text[text.index(heading):].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in
             re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines]


def table(text, heading):
    """{first column, without code marks: the next} of such a table."""
    return {row[0].strip("`"): row[1] for row in rows(text, heading)}


def prose(text):
    """Without blocks of code and output."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"^    .*$", "", text, flags=re.MULTILINE)


def slugs(text):
    """The names of a page's headings, as links have them."""
    heads = re.findall(r"^#+ (.*)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-")
            for head in heads}


def broken(name, text, pages):
    """The links of a page that lead nowhere."""
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        if re.match(r"https?:", link):
            continue
        path = ((ROOT / name).parent / target).resolve() if target else (
            ROOT / name)
        there = str(path.relative_to(ROOT)) if path.is_relative_to(
            ROOT) else None
        if there is None or not path.exists() or (
                anchor and anchor not in slugs(pages.get(there, ""))):
            wrong.append(f"{name}: {link}")
    return wrong


# ---- all pages ----

def test_every_link_leads_somewhere():
    assert len(PAGES) > 15
    found = [bad for name, text in PAGES.items()
             for bad in broken(name, text, PAGES)]
    assert not found
    count = sum(len(re.findall(r"\]\([^)]+\)", text))
                for text in PAGES.values())
    assert count > 60


@pytest.mark.parametrize("link", ["hal/none.md", "#no-such-heading",
                                  "DESIGN.md#none", "../outside.md"])
def test_a_broken_link_is_found(link):
    text = f"# One\n\n[two]({link}) [three](#one) [four](Makefile)\n"
    (bad,) = broken("README.md", text, {**PAGES, "README.md": text})
    assert link in bad


def test_every_guide_is_reached_from_the_readme():
    seen, ahead = set(), ["README.md"]
    while ahead:
        name = ahead.pop()
        if name in seen:
            continue
        seen.add(name)
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", PAGES[name]):
            path = ((ROOT / name).parent / link).resolve()
            if path.is_relative_to(ROOT):
                there = str(path.relative_to(ROOT))
                ahead += [there] if there in PAGES else []
    assert seen == set(PAGES)


def test_helps_are_laid_out():
    """Lines of at most 79 characters, with nothing at their ends; the text of
    options begins at column 29, or behind a longer option."""
    for command in subcommands():
        for line in said(command, "--help").splitlines():
            assert len(line) < 80 and line == line.rstrip(), (command, line)
            if re.match(r"  -|      --[a-z-]+[=[ ]", line) \
                    and not re.match(r" +--\S+ \S", line):
                option = re.match(r" +(?:-\w, )?--?[^ ]+(?: \w+)?", line)[0]
                rest = line[len(option):]
                assert rest == "" or len(option) > 26 or (
                    line[27:29] == "  " and line[29] != " "), (command, line)


def test_options():
    helps = "".join(said(command, "--help") for command in subcommands())
    named = {option for text in PAGES.values()
             for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)
             } - {"--help"}
    assert len(named) > 40
    assert {o for o in named if not re.search(rf"{o}\b", helps)} == OTHERS


def test_subcommands():
    there = set(subcommands())
    named = {word for text in PAGES.values() for word in
             re.findall(r"(?:`|/)quincunx\s+([a-z][a-z-]*)", text)}
    assert len(named) > 12
    assert named - {"help"} <= there
    for text in (README, PAGES["qemu/README.md"]):
        listed = table(text, "| to | use |").values()
        words = re.findall(r"`([a-z-]+)`|\[([a-z-]+)\]", " ".join(listed))
        assert sorted(a or b for a, b in words) == sorted(there)


def test_targets():
    named = {a or b for text in PAGES.values() for a, b in re.findall(
        r"`make ([a-z][a-z0-9-]*)|^    (?:\$ )?make ([a-z][a-z0-9-]*)",
        text, re.MULTILINE)}
    assert len(named) > 16
    for target in named:
        assert re.search(rf"^{target}\b[^=\n]*:", RULES, re.MULTILINE), target
        assert re.search(rf"^## {target}:", RULES, re.MULTILINE), target


def test_variables_of_make():
    named = {(name, variable) for name, text in PAGES.items()
             for line in re.findall(
                 r"`(?:make )?[^`\n]*=[^`]*`|^    (?:\$ )?make .*$",
                 text, re.MULTILINE)
             for variable in re.findall(r"\b([A-Z][A-Z_]+)=(?!=)", line)}
    named -= {("CHANGELOG.md", "HSE")}  # gone
    assert len({variable for _, variable in named}) > 8
    for name, variable in named:
        assert re.search(rf"\$\({variable}[):]|\$\$\{{?{variable}\b",
                         RULES), (name, variable)


def test_files_that_are_named_exist():
    missing = []
    for name, text in PAGES.items():
        for path in re.findall(
                r"(?<![\w/<.$~-])((?:\.ci|boot|hal|torus|scatter|kernels|linker"
                r"|qemu|test)/[\w/.-]*\.(?:c|h|py|md|mk|ld|txt|svg))\b",
                text):
            if not (ROOT / path).exists() and path not in EXAMPLES and not (
                    (ROOT / name).parent / path).exists():
                missing.append(f"{name}: {path}")
    assert not missing


def test_lines_of_prose_are_short():
    assert not [f"{name}: {line}" for name, text in PAGES.items()
                for line in prose(text).splitlines()
                if len(line) > 80 and not line.startswith("|")]
    assert not [name for name, text in PAGES.items() if text[-1] != "\n"]


# ---- the README, kernels, schedules ----

def test_kernels():
    listed = {line.split()[0] for line in said("kernels").splitlines()
              if line and line[0] != " "}
    assert set(table(README, "| kernel | job |")) == listed
    assert set(table(KERNELS, "| kernel | job |")) == listed


def test_arguments_of_kernels():
    """The keys of the guide's examples are the kernels' own."""
    texts = re.split(r"^(\w+) .*$", said("kernels"), flags=re.MULTILINE)[1:]
    told = dict(zip(texts[::2], texts[1::2]))
    count = 0
    for text in (README, KERNELS):
        for name, _, argument, *_ in rows(text, "| kernel | job |"):
            for key in re.findall(r"[`,]([a-z]+)=", argument):
                assert f"{key}=" in told[name.strip("`")], (name, key)
                count += 1
    assert count > 20


def test_profiles():
    given = {name: tuple(map(int, values)) for name, *values in re.findall(
        r'\{"(\w+)", (\d+), (\d+), (\d+)\}', source("qemu/support/profile.c"))}
    units = {"ps": 1, "ns": 1000, "us": 1_000_000}
    told = {}
    for name, *values in rows(PAGES["qemu/README.md"], "| name | startup |"):
        told[re.match(r"`(\w+)`", name)[1]] = tuple(
            0 if value == "0" else
            round(float(value.split()[0]) * units[value.split()[1]])
            for value in values)
    assert told == given


def test_schedules():
    refused = mesh.command("run", "--schedule", "none", "--kernel", "spin",
                           "--arg", "1", ROOT / "README.md").stderr
    names = re.search(r"must be (.*)", refused)[1]
    assert (re.findall(r"[a-z][a-z-]+", names.replace(" or ", ", "))
            == [name.split("`")[0] for name in
                table(SCHEDULES, "| `--schedule` |")])


def test_the_schedule_of_the_guide(tmp_path):
    """Its code compiles as the tree is compiled, and does what its test says.
    """
    header, code, row, _ = re.findall(r"^```\w+\n(.*?)^```$", SCHEDULES,
                                      re.MULTILINE | re.DOTALL)
    assert "schedule_columns, false" in row
    folder = tmp_path / "qemu" / "schedule"
    folder.mkdir(parents=True)
    (folder / "columns.h").write_text(header)
    (folder / "columns.c").write_text(code)
    library = tmp_path / "columns.so"
    subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
         "-Werror", "-shared", "-fPIC", f"-I{tmp_path}", f"-I{ROOT}", "-o",
         library, folder / "columns.c", ROOT / "qemu/schedule/tree.c",
         ROOT / "torus/torus.c"], check=True)
    columns = core.c.CDLL(str(library))
    columns.schedule_columns.argtypes = [
        core.c.POINTER(core.Branch), core.Size, core.Coord]
    for width, height in ((1, 1), (1, 4), (6, 1), (5, 5), (7, 3)):
        x, y = width // 2, height - 1
        phases, raw = core.tree(columns, "columns", width, height, (x, y))
        circuits = checker.check(width, height, (x, y), [
            checker.Branch(*fields) for fields in core.branches_of(raw)])
        assert phases == width - 1 + height - 1
        for circuit in circuits:
            assert circuit.source == (
                (x, y) if circuit.receiver[1] == y
                else (circuit.receiver[0], y))


# ---- the bench guide ----

def test_faults_of_a_mesh():
    names = re.search(r"#define DISCOVER_CODES\s*\\\s*\"(.*)\"",
                      source("hal/discover/discover.h"))[1].split("\\0")
    assert set(table(BENCH, "| `fault=` | |")) == set(names) - {"?"}


def test_pins():
    """Of every board, as its header has them."""
    heading = "| `PINS=` |"
    lines = BENCH[BENCH.index(heading):].split("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")]
             for line in lines]
    headers = sorted((ROOT / "hal" / "stm32f405" / "pins").glob("*.h"))
    assert {name.strip("`") for name in cells[0][1:]} == {
        path.stem for path in headers}
    of_port = {row[0].split()[0]: row[1:] for row in cells[3:]}
    for at, name in enumerate(cells[0][1:]):
        text = source(f"hal/stm32f405/pins/{name.strip('`')}.h")
        pins = dict(re.findall(r"#define PINS_(\w+) (\w+)$", text,
                               re.MULTILINE))
        for port in ("east", "north", "west", "south", "console"):
            tx, rx = pins[f"{port.upper()}_TX"], pins[f"{port.upper()}_RX"]
            assert re.match(rf"{tx}, {rx}\b", of_port[port][at]), (name, port)
        assert re.match(pins.get("LED", "none"), of_port["LED"][at]), name
    baud = re.search(r"SERIAL_PORT_BAUD (\d+)u",
                     source("hal/stm32f405/serial.h"))[1]
    assert f"{int(baud) // 1_000_000} Mbaud, 8N1" in BENCH


def test_the_size_of_the_image():
    image = mesh.BUILD / "stm32f405" / "firmware.bin"
    size = re.search(r"takes (\d+) KB of flash", BENCH)[1]
    assert round(image.stat().st_size / 1000) == int(size)
    assert f"has {size} KB of 88 KiB" in " ".join(
        PAGES["boot/stm32f405/DESIGN.md"].split())


# ---- the first run ----

def planned_and_measured():
    shown = README.split("$ make run\n")[1].split("\n\n    report")[0]
    return re.search(r"^    makespan +([\d.]+) us +([\d.]+) us", shown,
                     re.MULTILINE).groups()


def test_the_first_run():
    """Everything but the host's times, if the text is still the same."""
    shown = README.split("running search")[1].split("\n\n    report")[0]
    text = mesh.BUILD / "licenses.txt"
    subprocess.run(["make", "-s", str(text.relative_to(ROOT))], cwd=ROOT,
                   check=True)
    if f"{text.stat().st_size} bytes" not in shown:
        pytest.skip("this machine's licenses are other ones")
    now = said("run", "--mesh", "5x5", "--kernel", "search", "--arg",
               "free software", "--profile", "t3d", text)
    lines = [line.rstrip() for line in now.splitlines()
             if not line.startswith("host")]
    for line in shown.splitlines()[1:]:
        line = line.removeprefix("    ").replace("build/licenses.txt",
                                                 str(text))
        assert line in lines or line.startswith("host") or line == "", line


def test_the_report_of_the_first_run_is_explained():
    """Every line of the summary behind the verdict has its row in the guide."""
    shown = README[README.index("\n    load "):].split("\n\n    count")[0]
    words = set(re.findall(r"^    ([a-z]{4,})\s", shown, re.MULTILINE))
    told = set(table(PAGES["qemu/report/README.md"], "| line | meaning |"))
    assert words - {"layer"} <= told
    assert len(words) > 6


def test_its_picture():
    drawn = source("qemu/pictures/gantt-25.svg")
    for figure in planned_and_measured():
        assert figure in drawn


# ---- measured figures ----

def test_the_limits_in_the_figures_are_the_benchs():
    """The first table has every reference, and today's limits."""
    found = {}
    for line in FIGURES.splitlines():
        name = re.match(r"(\w+): ", line)
        if name and name[1] in job_bench.KERNELS and "makespan" not in line:
            found[name[1]] = line
    assert set(found) == set(references.NAMES)
    for name, (what, most, *_) in job_bench.KERNELS.items():
        assert found[name].startswith(f"{name}: {what} ")
        assert most is None or f" {most} at most " in found[name]


def test_figures_are_written_between_their_marks():
    text = "a\n<!-- x: begin -->\nold\n<!-- x: end -->\nb\n"
    assert page.replaced(text, "x", ["new", "er"]) == (
        "a\n<!-- x: begin -->\n```\nnew\ner\n```\n<!-- x: end -->\nb\n")
    for bad in ("", text.replace("begin", "start"), text + text,
                "<!-- x: end -->\n<!-- x: begin -->\n"):
        with pytest.raises(page.NoMarks):
            page.replaced(bad, "x", [])


@pytest.mark.parametrize("name", ["bench", "chip"])
def test_the_page_has_the_marks(name):
    assert page.replaced(FIGURES, name, ["line"]).count("line\n") >= 1


def test_a_bench_writes_its_lines(tmp_path, monkeypatch, capsys):
    """The lines that it prints, without those of before."""
    copy = tmp_path / "README.md"
    copy.write_text(FIGURES, "utf-8")
    monkeypatch.setattr(page, "PAGE", copy)
    monkeypatch.setattr(chip, "lines", lambda table, _: table.line(
        "chip: a figure", "1 at most", "0.5", True))
    monkeypatch.setattr(sys, "argv", ["chip.py"])
    chip.main()
    assert "chip: a figure " in capsys.readouterr().out
    before, after = (re.split("<!-- chip: (?:begin|end) -->", text)
                     for text in (FIGURES, copy.read_text("utf-8")))
    assert (after[0], after[2]) == (before[0], before[2])
    written = after[1].strip("\n").splitlines()
    assert (written[0], written[-1]) == ("```", "```")
    assert written[1].startswith("Version ")
    assert [line.split() for line in written[2:-1]] == [
        [], ["what", "must", "be", "measured", "met"],
        ["chip:", "a", "figure", "1", "at", "most", "0.5", "yes"]]


@pytest.mark.parametrize("met, mark", [(True, "yes"), (False, "NO")])
def test_a_missed_goal_is_marked_and_no_failure(tmp_path, met, mark):
    """Status 0: all was measured. Otherwise a bench ends by an exception."""
    done = subprocess.run(
        [sys.executable, "-c", f"""
import sys
sys.path.insert(0, {bench!r})
sys.argv = ["bench.py", "--kernels"]
import bench
bench.references.lines = lambda *_: None
bench.job_bench.lines = lambda _, table, __: table.line(
    "a figure", "1 at most", "2", {met})
sys.exit(bench.main())
"""], capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].split() == [
        "a", "figure", "1", "at", "most", "2", mark]


def test_where_figures_are_from():
    line = page.where(ROOT, mesh.QEMU)
    assert re.fullmatch(r"Version \S+, \d+ processors, QEMU [\d.]+\.", line)
    assert pathlib.Path(page.PAGE) == ROOT / "test" / "bench" / "README.md"

# SPDX-License-Identifier: Apache-2.0
"""README, guides and DESIGN pages: what they name is there, and their links
lead somewhere."""
import re
import subprocess
import sys

import core
import mesh
import tree as checker  # of the oracle, whose path mesh adds
from core import ROOT
from rules import MAKEFILES, PAGES, TIDY, links, read

sys.path.insert(0, str(ROOT / "test" / "bench"))
import page  # noqa: E402

README = PAGES["README.md"]
BENCH = PAGES["boot/stm32f405/README.md"]
KERNELS = PAGES["kernels/README.md"]
SCHEDULES = PAGES["qemu/schedule/README.md"]
FIGURES = PAGES["test/bench/README.md"]
RULES = "\n".join(map(read, MAKEFILES))
# Options of a benchmark, pytest, docker, mpirun and Slurm, not the command's.
OTHERS = {"--quick", "--boards", "--args", "--rm", "--host", "--map-by",
          "--bind-to", "--oversubscribe", "--mpi", "--nodes",
          "--ntasks-per-node", "--cpus-per-task", "--mem",
          "--kill-on-bad-exit", "--most", "--under"}
# Files of the guides' examples.
EXAMPLES = {"kernels/demo.c", "test/kernels/test_kernel_demo.py",
            "qemu/format/NAME.c", "qemu/command/NAME.c",
            "qemu/schedule/columns.c",
            "hal/stm32f405/pins/NAME.h", "boot/foo/main.c",
            "boot/foo/costs.c", "boot/foo/start.c", "boot/foo/board.mk",
            "hal/foo/chip.c", "hal/foo/chip.h", "hal/foo/serial.c",
            "linker/foo.ld"}


def said(*args):
    done = mesh.command(*args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def subcommands():
    return re.findall(r"^  ([a-z-]+) ", said("--help"), re.MULTILINE)


def rows(text, heading):
    """The cells of the table that begins so, without its two first lines."""
    lines = text[text.index(heading):].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in
             re.split(r"(?<!\\)\|", line.strip("|"))] for line in lines]


def table(text, heading):
    """{first column, without code marks: the next} of such a table."""
    return {row[0].strip("`"): row[1] for row in rows(text, heading)}


# ---- all pages ----

def test_every_link_leads_somewhere_and_every_guide_is_reached():
    assert len(PAGES) > 15 and links in TIDY
    assert not links()


def test_a_broken_link_is_found():
    for link in ("hal/none.md", "#no-such-heading", "DESIGN.md#none",
                 "../outside.md"):
        text = f"# One\n\n[two]({link}) [three](#one) [four](Makefile)\n"
        assert link in links({"README.md": text, "DESIGN.md": "# Two\n"})[0]


def test_options():
    helps = "".join(said(command, "--help") for command in subcommands())
    named = {option for text in PAGES.values()
             for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)
             } - {"--help", "--usage"}
    assert len(named) > 40
    assert {o for o in named if not re.search(rf"{o}\b", helps)} == OTHERS


def test_subcommands():
    there = set(subcommands())
    named = {word for name, text in PAGES.items()
             if name != "CHANGELOG.md" for word in
             re.findall(r"(?:`|/)quincunx\s+([a-z][a-z-]*)", text)}
    assert len(named) > 12
    assert named - {"help"} <= there
    listed = table(PAGES["qemu/README.md"], "| to | use |").values()
    words = re.findall(r"`([a-z-]+)`|\[([a-z-]+)\]", " ".join(listed))
    assert sorted(a or b for a, b in words) == sorted(there)


def test_targets():
    named = {a or b for text in PAGES.values() for a, b in re.findall(
        r"`make ([a-z][a-z0-9-]*)\b(?!/)|^    (?:\$ )?make "
        r"([a-z][a-z0-9-]*)\b(?!/)",
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
    assert len({variable for _, variable in named}) > 8
    for name, variable in named - {("CHANGELOG.md", "HSE")}:  # gone
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


# ---- the README, kernels, schedules ----

def test_kernels():
    listed = mesh.kernels()
    assert set(table(README, "| kernel | job |")) == listed
    assert set(table(KERNELS, "| kernel | job |")) == listed


def test_schedules():
    refused = mesh.command("run", "--schedule", "none", "--kernel", "spin",
                           "--arg", "1", ROOT / "README.md").stderr
    names = re.search(r"must be (.*)", refused)[1]
    assert (re.findall(r"[a-z][a-z-]+", names.replace(" or ", ", "))
            == [name.split("`")[0] for name in
                table(SCHEDULES, "| `--schedule` |")])


def test_the_test_that_the_tests_page_runs_is_there():
    words = re.search(r"-m (pytest .*)", PAGES["test/README.md"])[1].split()
    done = subprocess.run(
        [sys.executable, "-m", *words, "-q", "--collect-only"], cwd=ROOT,
        capture_output=True, text=True, check=False)
    assert re.search(r"^[1-9]\d*/\d+ tests", done.stdout, re.M), done.stdout


def test_the_schedule_of_the_guide(tmp_path):
    """Its code compiles as the tree is compiled, and does what its test says.
    """
    code, rows, _ = re.findall(r"^```\w+\n(.*?)^```$", SCHEDULES,
                                      re.MULTILINE | re.DOTALL)
    assert "schedule_columns, false" in rows
    folder = tmp_path / "qemu" / "schedule"
    folder.mkdir(parents=True)
    (folder / "columns.c").write_text(code)
    library = tmp_path / "columns.so"
    subprocess.run(
        ["gcc", "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
         "-Werror", "-shared", "-fPIC", f"-I{tmp_path}", f"-I{ROOT}", "-o",
         library, folder / "columns.c", ROOT / "qemu/schedule/tree.c",
         ROOT / "torus/torus.c", ROOT / "qemu/base/memory.c"], check=True)
    columns = core.c.CDLL(str(library))
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
                      read("hal/discover/discover.h"))[1].split("\\0")
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
        text = read(f"hal/stm32f405/pins/{name.strip('`')}.h")
        pins = dict(re.findall(r"#define PINS_(\w+) (.+)$", text,
                               re.MULTILINE))
        for port in ("east", "north", "west", "south", "console"):
            assert re.match(pins[port.upper()][3:] + r"\b", of_port[port][at])
        assert re.match(pins.get("LED", "none"), of_port["LED"][at]), name
    baud = re.search(r"SERIAL_PORT_BAUD (\d+)u",
                     read("hal/serial/driver.h"))[1]
    assert f"{int(baud) // 1_000_000} Mbaud, 8N1" in BENCH


# ---- what `make pictures` and benches write ----

def test_pictures_and_the_first_run_are_of_this_release():
    """`make pictures` writes all of them, and the release."""
    release = re.search(r"^RELEASE := (.*)$", read("Makefile"), re.MULTILINE)
    assert read("qemu/pictures/release.txt") == f"{release[1]}\n"


def test_figures_are_written_between_their_marks():
    for name in ("bench", "chip"):
        assert page.replaced(FIGURES, name, ["line"]).count("line\n") >= 1

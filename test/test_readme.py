# SPDX-License-Identifier: Apache-2.0
"""What the README names is there, and its figures are today's."""
import re
import subprocess

import pytest

import mesh
from core import ROOT

README = (ROOT / "README.md").read_text("utf-8")
MAKEFILES = [ROOT / "Makefile", *sorted((ROOT / "test").glob("*.mk"))]
OTHERS = {"--quick"}  # of a benchmark


def source(path):
    return (ROOT / path).read_text("utf-8")


def said(*args):
    done = mesh.command(*args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def table(heading):
    """{first column, without code marks: the rest} of the table that begins
    so."""
    rows = README[README.index(heading):].split("\n\n")[0].splitlines()[2:]
    cells = [row.strip("|").split("|", 1) for row in rows]
    return {first.strip().strip("`"): rest.strip() for first, rest in cells}


def test_options():
    commands = re.findall(r"^  (\w+) ", said("--help"), re.MULTILINE)
    helps = "".join(said(command, "--help") for command in commands)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", README))
    assert len(named) > 30
    assert {o for o in named if not re.search(rf"{o}\b", helps)} == OTHERS


def test_targets():
    rules = "\n".join(path.read_text("utf-8") for path in MAKEFILES)
    named = set(re.findall(r"`make ([a-z][a-z0-9-]*)|"
                           r"^    make ([a-z][a-z0-9-]*)",
                           README, re.MULTILINE))
    named = {a or b for a, b in named}
    assert len(named) > 12
    for target in named:
        assert re.search(rf"^{target}\b[^=\n]*:", rules, re.MULTILINE), target
        assert re.search(rf"^## {target}:", rules, re.MULTILINE), target


def test_kernels():
    listed = {line.split()[0] for line in said("kernels").splitlines()
              if line and line[0] != " "}
    assert set(table("| kernel | job |")) == listed


def test_faults_of_a_mesh():
    names = re.search(r"#define DISCOVER_CODES\s*\\\s*\"(.*)\"",
                      source("hal/discover/discover.h"))[1].split("\\0")
    assert set(table("| `fault=` | |")) == set(names) - {"?"}


def test_pins():
    """Of every board, as its header has them."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in README[README.index("| `PINS=` |"):].split(
                "\n\n")[0].splitlines()]
    headers = sorted((ROOT / "hal" / "stm32f405" / "pins").glob("*.h"))
    assert {name.strip("`") for name in rows[0][1:]} == {
        path.stem for path in headers}
    cells = {row[0].split()[0]: row[1:] for row in rows[3:]}
    for at, name in enumerate(rows[0][1:]):
        text = source(f"hal/stm32f405/pins/{name.strip('`')}.h")
        pins = dict(re.findall(r"#define PINS_(\w+) (\w+)$", text,
                               re.MULTILINE))
        for port in ("east", "north", "west", "south", "console"):
            tx, rx = pins[f"{port.upper()}_TX"], pins[f"{port.upper()}_RX"]
            assert re.match(rf"{tx}, {rx}\b", cells[port][at]), (name, port)
        assert re.match(pins.get("LED", "none"), cells["LED"][at]), name
    baud = re.search(r"SERIAL_PORT_BAUD (\d+)u",
                     source("hal/stm32f405/serial.h"))[1]
    assert f"{int(baud) // 1_000_000} Mbaud, 8N1" in README


def test_the_size_of_the_image():
    image = mesh.BUILD / "stm32f405" / "firmware.bin"
    size = re.search(r"takes (\d+) KB of flash", README)[1]
    assert round(image.stat().st_size / 1000) == int(size)


def planned_and_measured():
    shown = README.split("$ make run\n")[1].split("\n\n    report")[0]
    return [re.search(rf"^    {name} +([\d.]+) us", shown, re.MULTILINE)[1]
            for name in ("planned", "measured")]


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


def test_its_picture():
    drawn = source("qemu/pictures/gantt-25.svg")
    for figure in planned_and_measured():
        assert figure in drawn

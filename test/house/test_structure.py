# SPDX-License-Identifier: Apache-2.0
"""Which folders stand on which, and that no files or folders form a circle.

A module is a .c file with the .h of its name. It depends on the modules whose
headers it includes, and, by its object's symbols, on those whose functions it
calls or whose data it uses. A header without a .c of its name is an interface,
which several boards implement: who calls what it declares depends on the
interface alone."""
import collections
import re
import subprocess

import pytest

from core import BUILD
from test_house import C_FILES, ROOT, includes, read

# Folders of boot/, and of what is built: a board has a board.mk.
BOARDS = tuple(sorted(path.parent.name
                      for path in (ROOT / "boot").glob("*/board.mk")))
PRODUCT = ("boot/", "hal/", "torus/", "scatter/", "kernels/", "qemu/")

# Folders from the ground up: a file may know its own folder and those before.
# Folders in one tuple know nothing of each other.
ORDER = [
    "torus",
    "hal",
    ("hal/line", "hal/window", "hal/switch", "hal/discover"),
    "hal/serial",
    ("hal/host", "hal/mps2", "hal/stm32f405"),
    "hal/mps2/slow",
    "kernels",
    "scatter/plan",
    "scatter/wire",
    "scatter/engine",
    "boot",
    ("boot/cortex_m", "boot/shell"),
    "boot/serial",
    "boot/mps2",
    ("boot/host", *(f"boot/{board}" for board in BOARDS)),
    ("qemu/support", "qemu/board/preload"),
    ("qemu/board", "qemu/serve"),
    ("qemu/fabric", "qemu/flash", "qemu/format", "qemu/wired",
     "qemu/schedule"),
    ("qemu/console", "qemu/ranks"),
    ("qemu/survey", "qemu/ranks/mpi"),
    ("qemu/model", "qemu/papers"),
    "qemu/outcome",
    "qemu/job",
    "qemu/report",
    ("qemu/calibrate", "qemu/compare", "qemu/page"),
    "qemu/live",
    "qemu/options",
    "qemu/figures",
    "qemu/command",
    "qemu",
]
LEVEL = {name: level for level, names in enumerate(ORDER)
         for name in ([names] if isinstance(names, str) else names)}
# Objects of the host command and of the boards; the latter hold bytecode.
OBJECTS = {"host": "nm", **dict.fromkeys(BOARDS, "arm-none-eabi-gcc-nm")}


def folder_of(module):
    return module.rpartition("/")[0]


def modules(files):
    """{module: the text of its files}, and the modules that are interfaces."""
    texts = collections.defaultdict(dict)
    for name, text in files.items():
        texts[name[:-2]][name[-1]] = text
    return texts, {name for name, both in texts.items() if "c" not in both}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def declared(texts, interfaces):
    """{symbol: interface} of all that interfaces declare."""
    found = {}
    for name in interfaces:
        text = without_comments(texts[name]["h"])
        for symbol in (re.findall(r"\b(\w+)\(", text)
                       + re.findall(r"extern [^;]*?(\w+)(?:\[\w*\])*;", text)):
            found.setdefault(symbol, name)
    return found


def symbols(paths, nm):
    """{object file: (defined, used)}: their global names."""
    done = subprocess.run([nm, "-A", "-P", *paths], capture_output=True,
                          text=True, check=True)
    found = {str(path): (set(), set()) for path in paths}
    for line in done.stdout.splitlines():
        file, _, rest = line.partition(": ")
        name, kind = rest.split()[:2]
        defined, used = found[file]
        if kind == "U":
            used.add(name)
        elif kind.isupper():
            defined.add(name)
    return found


def dependencies(files, objects):
    """{module: {module: why}} of C files {name: text}, and the objects
    {module: (defined, used)} of one program."""
    texts, interfaces = modules(files)
    owner = declared(texts, interfaces)
    for name, (defined, _) in objects.items():
        for symbol in defined:
            owner.setdefault(symbol, name)
    graph = {name: {} for name in texts}
    for name, both in texts.items():
        for text in both.values():
            for target in includes(text):
                if target[:-2] != name and target[:-2] in texts:
                    graph[name][target[:-2]] = "includes it"
        for symbol in objects.get(name, ((), ()))[1]:
            target = owner.get(symbol, name)
            if target != name:
                graph[name].setdefault(target, f"uses {symbol}")
    return graph


def circles(graph):
    """Sets of nodes that reach each other (Tarjan's components)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            part = set()
            while node not in part:
                part.add(stack.pop())
            if len(part) > 1:
                found.append(part)

    for start in graph:
        if start not in number:
            visit(start)
    return found


def between_folders(graph):
    """{folder: {folder: an example}}"""
    result = collections.defaultdict(dict)
    for name, targets in graph.items():
        for target, why in targets.items():
            if folder_of(name) != folder_of(target):
                result[folder_of(name)][folder_of(target)] = (
                    f"{name} {why}: {target}")
    return result


def upward(graph):
    """What knows something that does not lie below it."""
    return [f"{name} {why}: {target}" for name, targets in graph.items()
            for target, why in targets.items()
            if folder_of(name) != folder_of(target)
            and LEVEL[folder_of(name)] <= LEVEL[folder_of(target)]]


@pytest.fixture(name="graph", scope="module", params=sorted(OBJECTS))
def fixture_graph(request):
    """Of one program: the objects that its build made."""
    files = {name: read(name) for name in C_FILES
             if name.startswith(PRODUCT)}
    place = BUILD / request.param
    there = {name[:-2]: place / f"{name[:-2]}.o" for name in files
             if name.endswith(".c") and (place / f"{name[:-2]}.o").exists()}
    assert len(there) > 20, "not built"
    found = symbols(there.values(), OBJECTS[request.param])
    objects = {name: found[str(path)] for name, path in there.items()}
    return dependencies(files, objects)


def test_every_folder_has_its_place():
    there = {folder_of(name) for name in C_FILES if name.startswith(PRODUCT)}
    assert there - set(LEVEL) == {"hal/stm32f405/pins"}
    assert set(LEVEL) <= there


def test_files_know_what_lies_below(graph):
    assert not upward({name: targets for name, targets in graph.items()
                       if not name.startswith("hal/stm32f405/pins")})


def test_no_circle_of_files(graph):
    assert not circles(graph)


def test_no_circle_of_folders(graph):
    between = between_folders(graph)
    assert not circles(between), between


# ---- kinds of mesh: what one can do is asked, never which one it is ----

# The options choose a row of struct mesh_ops; these files implement the rows.
CHOOSERS = ("qemu/options/", "qemu/job/mesh_ops.h", "qemu/job/fabric_job.c",
            "qemu/job/serial_job.c")
MEMBER = r"(\w+)(?:\[[^]]*\]|\(\))*(?:->|\.)"
FLAG = re.compile(MEMBER + r"(?:serial|native)\b")
NOT_FLAGS = {"console", "looked"}  # a serial port, a serial number
PORT = r"(?:\w+(?:->|\.))*config(?:->|\.)port\b"
CHOICE = re.compile(
    rf"{PORT}\s*(?:[!=]=|\?|&&|\|\|)"
    rf"|(?:!|&&|\|\||[!=]=|\b(?:if|while) \()\s*{PORT}"
    r"|[!=]=\s*BOARD_(?:WINDOW|SERIAL)\b|\bBOARD_(?:WINDOW|SERIAL)\s*[!=]="
    r"|\bcase BOARD_(?:WINDOW|SERIAL)\b"
    r"|\b(?:fabric|serial)_job_(?:qemu|native|port)\b"
    r"|\bstrcmp\([^,;]*\b(?:mesh|ops|outcome)(?:->|\.)on\b")


def mesh_choices(files):
    """Of sources {name: text}: where they ask which mesh it is."""
    found = []
    for name, text in files.items():
        if not name.startswith("qemu/") or name.startswith(CHOOSERS):
            continue
        text = without_comments(text)
        found += [f"{name}: {match[0]}" for match in FLAG.finditer(text)
                  if match[1] not in NOT_FLAGS]
        found += [f"{name}: {match[0]}" for match in CHOICE.finditer(text)]
    return found


def test_only_options_choose_the_mesh():
    assert not mesh_choices({name: read(name) for name in C_FILES})


@pytest.mark.parametrize("line", [
    "return config->serial ? 1 : 2;", "if (options.job.config.native) {",
    "x = kinds[i].serial;", "x = kind()->native;",
    "if (config->port != NULL) {", "x = config->port ? 1 : 2;",
    "if (!job->config.port) {", "if (NULL == run->config->port)",
    "y = any && config->port", "if (board->circuits == BOARD_SERIAL)",
    "case BOARD_WINDOW:", "if (config->mesh == &serial_job_port)",
    'if (strcmp(mesh->on, "native") == 0)'])
def test_a_choice_of_mesh_is_found(line):
    assert mesh_choices({"qemu/report/json.c": line})
    assert not mesh_choices({"qemu/options/job.c": line})


@pytest.mark.parametrize("line", [
    "{.serial = true, .native = x}", "console_port_close(console->serial);",
    ".port = config->port,", "console_port_open(why, config->port, RATE)",
    "board_default(BOARD_SERIAL)", "/* config->serial */",
    "if (config->mesh->has_fabric) {"])
def test_what_is_no_choice_of_mesh_passes(line):
    assert not mesh_choices({"qemu/report/json.c": line})


# ---- the checks find what is planted ----

def compiled(tmp_path, files):
    """The dependencies of C files, compiled."""
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    objects = {}
    for name in files:
        if name.endswith(".c"):
            out = (tmp_path / name).with_suffix(".o")
            subprocess.run(["gcc", f"-I{tmp_path}", "-c", "-o", out,
                            tmp_path / name], check=True)
            objects[name[:-2]] = symbols([out], "nm")[str(out)]
    return dependencies(files, objects)


CALLER = '#include "torus/below.h"\nint up(void) { return down(); }\n'
CALLED = '#include "torus/below.h"\nint down(void) { return 1; }\n'


def test_a_circle_of_calls_is_found(tmp_path):
    files = {"hal/above.c": CALLER, "torus/below.h": "int down(void);\n",
             "torus/below.c": CALLED}
    assert not circles(compiled(tmp_path, files))
    files["torus/below.c"] = (
        '#include "torus/below.h"\nint up(void);\n'
        "int down(void) { return up(); }\n")
    graph = compiled(tmp_path, files)
    assert circles(graph) == [{"hal/above", "torus/below"}]
    assert circles(between_folders(graph)) == [{"hal", "torus"}]
    assert upward(graph) == ["torus/below uses up: hal/above"]


def test_a_circle_of_includes_is_found(tmp_path):
    files = {"hal/a.h": '#include "hal/b.h"\n', "hal/b.h": "\n",
             "hal/c.h": '#include "hal/a.h"\n'}
    assert not circles(compiled(tmp_path, files))
    files["hal/b.h"] = '#ifndef B\n#define B\n#include "hal/c.h"\n#endif\n'
    assert circles(compiled(tmp_path, files)) == [
        {"hal/a", "hal/b", "hal/c"}]


def test_an_interface_is_no_circle(tmp_path):
    """The ground calls what a board above it implements."""
    assert not circles(compiled(tmp_path, {
        "hal/board.h": "void halt(void);\n",
        "hal/window.h": "void wait(void);\n",
        "hal/window.c": '#include "hal/board.h"\n#include "hal/window.h"\n'
                        "void wait(void) { halt(); }\n",
        "hal/host/host.c": '#include "hal/board.h"\n#include "hal/window.h"\n'
                           "void halt(void) { wait(); }\n"}))


def test_two_equal_folders_are_strangers():
    assert upward({"qemu/fabric/a": {"qemu/wired/b": "includes it"}})
    assert not upward({"qemu/console/a": {"qemu/wired/b": "includes it"}})

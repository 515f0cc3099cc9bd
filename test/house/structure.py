# SPDX-License-Identifier: Apache-2.0
"""Which folders stand on which, and that no files or folders form a circle.

A module is a .c file with the .h of its name. It depends on the modules whose
headers it includes, and, by its object's symbols, on those that define the
functions it calls or the data it uses, whatever header declares them. Only who
calls what one of INTERFACES declares depends on that header alone."""
import collections
import re
import subprocess

from rules import C_FILES, ROOT, includes, read

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
    ("hal/host", "hal/mps2", "hal/template", *(
        f"hal/{board}" for board in BOARDS if (ROOT / "hal" / board).is_dir())),
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
    ("qemu/base", "qemu/board/preload"),
    "qemu/board",
    ("qemu/fabric", "qemu/format", "qemu/schedule"),
    ("qemu/serial", "qemu/ranks"),
    "qemu/ranks/mpi",
    "qemu/theory",
    "qemu/job",
    "qemu/report",
    "qemu/bench",
    "qemu/command",
    "qemu",
]
LEVEL = {name: level for level, names in enumerate(ORDER)
         for name in ([names] if isinstance(names, str) else names)}
# Headers that several folders or programs implement: the linker takes one.
INTERFACES = ("hal/board", "hal/circuit", "hal/clock", "hal/rows",
              "hal/serial/board", "hal/serial/driver", "hal/serial/timer",
              "boot/boot",
              "boot/costs", "boot/shell/node")
# Objects of the host command and of the boards; the latter hold bytecode.
OBJECTS = {"host": "nm", **dict.fromkeys(BOARDS, "arm-none-eabi-gcc-nm")}


def folder_of(module):
    return module.rpartition("/")[0]


def modules(files):
    """{module: the text of its files}"""
    texts = collections.defaultdict(dict)
    for name, text in files.items():
        texts[name[:-2]][name[-1]] = text
    return texts


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)


def declared(texts):
    """{symbol: interface} of all that interfaces declare."""
    found = {}
    for name in texts.keys() & INTERFACES:
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
    texts = modules(files)
    owner = declared(texts)
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


def foreign(graph):
    """What knows a board's own headers, but hal/BOARD and boot/BOARD."""
    return [f"{name} {why}: {target}" for name, targets in graph.items()
            for target, why in targets.items()
            if (board := folder_of(target).removeprefix("hal/")) in BOARDS
            and folder_of(name) not in (f"hal/{board}", f"boot/{board}")]


def by_includes():
    """The graph as far as includes tell it: nothing needs to be built."""
    return dependencies({name: read(name) for name in C_FILES
                         if name.startswith(PRODUCT)}, {})


def complaints(graph):
    """Folders without a place, arrows upward, circles of files or folders."""
    unknown = {folder_of(name) for name in graph} - set(LEVEL) - {
        f"hal/{board}/pins" for board in BOARDS}
    if unknown:
        return [f"{name}/: has no place in ORDER" for name in sorted(unknown)]
    graph = {name: targets for name, targets in graph.items()
             if folder_of(name) in LEVEL}
    return upward(graph) + foreign(graph) + [
        f"a circle: {', '.join(sorted(part))}"
        for part in [*circles(graph), *circles(between_folders(graph))]]

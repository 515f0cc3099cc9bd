# SPDX-License-Identifier: Apache-2.0
"""What the sources' structure must be, also by the symbols of what was built;
and that each of these checks finds what is planted."""
import subprocess

import pytest

import waits
from core import BUILD
from rules import (C_FILES, STRUCTURE, forbidden, goes_past, has_guard,
                   includes)
from rules import has_license, read
from structure import LEVEL, OBJECTS, PRODUCT, between_folders, circles
from structure import complaints, dependencies, symbols, upward


@pytest.mark.parametrize("rule", STRUCTURE, ids=lambda rule: rule.__name__)
def test_rule(rule):
    assert not rule()


@pytest.mark.parametrize("program", sorted(OBJECTS))
def test_files_and_folders_know_what_lies_below(program):
    """By includes, and by the symbols of one program's objects."""
    files = {name: read(name) for name in C_FILES if name.startswith(PRODUCT)}
    place = BUILD / program
    there = {name[:-2]: place / f"{name[:-2]}.o" for name in files
             if name.endswith(".c") and (place / f"{name[:-2]}.o").exists()}
    if not there and program not in ("host", "mps2_an385"):
        pytest.skip("not built")
    found = symbols(there.values(), OBJECTS[program])
    graph = dependencies(files, {name: found[str(path)]
                                 for name, path in there.items()})
    assert len(there) > 20 and set(LEVEL) <= {
        name.rpartition("/")[0] for name in files}
    assert not complaints(graph)


def test_no_test_depends_on_the_hosts_clock():
    """Fixed sleeps, retries, bounds on wall time, time limits of its own."""
    assert not waits.here()


# ---- the checks find what is planted ----

def compiled(tmp_path, files):
    """The dependencies of C files, compiled."""
    objects = {}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in files:
        if name.endswith(".c"):
            out = (tmp_path / name).with_suffix(".o")
            subprocess.run(["gcc", f"-I{tmp_path}", "-c", "-o", out,
                            tmp_path / name], check=True)
            objects[name[:-2]] = symbols([out], "nm")[str(out)]
    return dependencies(files, objects)


BELOW = '#include "torus/below.h"\n'
CALLS = {"hal/above.c": BELOW + "int up(void) { return down(); }\n",
         "torus/below.h": "int down(void);\n",
         "torus/below.c": BELOW + "int down(void) { return 1; }\n"}
INCLUDES = {"hal/a.h": '#include "hal/b.h"\n', "hal/b.h": "\n",
            "hal/c.h": '#include "hal/a.h"\n'}
# The ground calls what a board above it implements: no circle.
INTERFACE = {
    "hal/board.h": "void halt(void);\n", "hal/window.h": "void wait(void);\n",
    "hal/window.c": '#include "hal/board.h"\n#include "hal/window.h"\n'
                    "void wait(void) { halt(); }\n",
    "hal/host/host.c": '#include "hal/board.h"\n#include "hal/window.h"\n'
                       "void halt(void) { wait(); }\n"}
# Behind a header of several files: a ring of calls, and a call back up.
B, W, X = (f'#include "hal/{name}.h"\n' for name in "bwx")
CALL = "int {}(void) {{ return {}; }}\n".format
RING = {"hal/x.h": "int a(void);\nint b(void);\n",
        "hal/a.c": X + CALL("a", 1), "hal/b.c": X + CALL("b", "a()")}
MASTER = {"hal/b.h": "int b(void);\n", "hal/w.h": "int a(void);\n",
          "hal/a.c": B + W + CALL("a", "b()"), "hal/b.c": B + CALL("b", 1)}


@pytest.mark.parametrize("files, changed, found", [
    (CALLS, {}, []), (INCLUDES, {}, []), (INTERFACE, {}, []),
    (RING, {}, []), (MASTER, {}, []),
    (RING, {"hal/a.c": X + CALL("a", "b()")}, [{"hal/a", "hal/b"}]),
    (MASTER, {"hal/b.c": W + CALL("b", "a()")}, [{"hal/a", "hal/b"}]),
    (CALLS, {"torus/below.c": BELOW + "int up(void);\n"
             "int down(void) { return up(); }\n"},
     [{"hal/above", "torus/below"}]),
    (INCLUDES, {"hal/b.h": '#ifndef B\n#define B\n#include "hal/c.h"\n'
                "#endif\n"}, [{"hal/a", "hal/b", "hal/c"}])])
def test_a_circle_is_found(tmp_path, files, changed, found):
    graph = compiled(tmp_path, {**files, **changed})
    assert circles(graph) == found
    if found and files is CALLS:
        assert circles(between_folders(graph)) == [{"hal", "torus"}]
        assert upward(graph) == ["torus/below uses up: hal/above"]


def test_two_equal_folders_are_strangers():
    assert upward({"qemu/fabric/a": {"qemu/schedule/b": "includes it"}})
    assert upward({"hal/host/a": {"hal/mps2/b": "includes it"}})
    assert not upward({"qemu/serial/a": {"qemu/fabric/b": "includes it"}})


def test_an_include_against_the_arrows_is_found():
    for name, target in (
            ("kernels/spin.c", "torus/torus.h"),
            ("qemu/job/job.c", "kernels/search.c"),
            ("qemu/job/job.c", "test/unit/unit.h"),
            ("scatter/wire/wire.c", "wire.h")):
        assert forbidden(name, target), (name, target)
    assert includes('#include <a.h>\n  # include "b/c.h"\n'
                    '/* #include "d.h" */\n#include "e.h" /* "f.h" */\n'
                    ) == ["b/c.h", "e.h"]


def test_a_wrong_head_is_found():
    tag = "SPDX-License-Identifier: Apache-2.0"
    assert has_license(f"#!/bin/sh\n# {tag}\n")
    assert not has_license(f"\n/* {tag} */\n")
    guarded = "#ifndef A_B_H\n#define A_B_H\nint x;\n#endif\n"
    assert has_guard("a/b.h", guarded)
    assert not has_guard("a/c.h", guarded)
    assert not has_guard("a/b.h", guarded + "int y;\n")


def test_who_writes_past_the_guard_is_found():
    for text in ("dprintf(STDERR_FILENO, x);", "write(STDOUT_FILENO, x, 1);",
                 "stdout = fopen(x, y);"):
        assert goes_past(text)
    assert not goes_past("fputs(x, stderr); dup2(a, STDERR_FILENO);")


# Sources, and what is found there; none: nothing.
CLOCKS = [
    ("a.py", "time.sleep(2)", "sleeps"),
    ("a.py", "script = 'read x; sleep 0.5'", "sleeps"),
    ("a.c", "int f(void)\n{\n    usleep(5000);\n}\n", "sleeps"),
    ("a.py", "for _ in range(5):\n    if run():\n        break", "tries again"),
    ("a.py", "def f():\n    for _ in range(TRIES):\n        return g()",
     "tries again"),
    ("a.py", "def f():\n    a = time.monotonic()\n    run()\n"
     "    assert time.monotonic() - a < 60", "bounds wall time"),
    ("a.py", "def f():\n    end = time.monotonic() + 5\n"
     "    while time.monotonic() < end:\n        g()", "bounds wall time"),
    ("a.py", "run(timeout=60)", "has a time limit of its own"),
    ("a.py", "def f(timeout=60):\n    pass", "has a time limit of its own"),
    ("a.py", "run(timeout=guard.GUARD_S)", None),
    ("a.py", "def f(timeout):\n    run(timeout=timeout)", None),
    ("a.py", "for i in range(5):\n    if i > 3:\n        break", None),
    ("a.py", "def f():\n    end = time.monotonic() + GUARD_S\n"
     "    while time.monotonic() < end:\n        time.sleep(0.1)", None),
    ("a.py", "script = 'exec sleep 8642'", None)]


def test_a_place_that_depends_on_the_clock_is_found():
    for name, text, what in CLOCKS:
        found = [line.split(": ")[-1] for line in waits.places({name: text})]
        assert found == ([what] if what else []), text

# SPDX-License-Identifier: Apache-2.0
"""What the sources' structure must be, also by the symbols of what was built;
and that each of these checks finds what is planted."""
import subprocess

import pytest

import waits
from core import BUILD
from rules import C_FILES, STRUCTURE, forbidden, has_guard, includes
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


@pytest.mark.parametrize("name, target", [
    ("torus/torus.c", "hal/err.h"), ("torus/torus.c", "scatter/plan/split.h"),
    ("hal/window/window.c", "scatter/wire/wire.h"),
    ("hal/window/window.c", "hal/mps2/registers.h"),
    ("hal/host/clock.c", "hal/mps2/registers.h"),
    ("kernels/spin.c", "hal/bytes.h"), ("kernels/spin.c", "torus/torus.h"),
    ("scatter/wire/wire.c", "boot/node.h"),
    ("scatter/wire/wire.c", "hal/host/clock.h"),
    ("scatter/wire/wire.c", "qemu/job/job.h"),
    ("qemu/job/job.c", "boot/node.h"), ("qemu/job/job.c", "kernels/search.c"),
    ("qemu/job/job.c", "test/unit/unit.h"), ("scatter/wire/wire.c", "wire.h")])
def test_an_include_against_the_arrows_is_found(name, target):
    assert forbidden(name, target)


def test_includes_are_quoted_and_no_comments():
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


@pytest.mark.parametrize("name, text, what", [
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
    ("a.py", "def f(timeout=60):\n    pass", "has a time limit of its own")])
def test_a_place_that_depends_on_the_clock_is_found(name, text, what):
    (found,) = waits.places({name: text})
    assert found.endswith(f": {what}")


@pytest.mark.parametrize("text", [
    "run(timeout=guard.GUARD_S)", "def f(timeout):\n    run(timeout=timeout)",
    "for i in range(5):\n    if i > 3:\n        break",
    "def f():\n    end = time.monotonic() + GUARD_S\n"
    "    while time.monotonic() < end:\n        time.sleep(0.1)",
    "script = 'exec sleep 8642'"])
def test_what_does_not_depend_on_the_clock_passes(text):
    assert not waits.places({"a.py": text})

# SPDX-License-Identifier: Apache-2.0
"""Where tests depend on the host's clock: fixed sleeps, runs that are tried
again, bounds on wall time. A time limit may only be a guard against hanging,
which is one constant for all (guard.GUARD_S)."""
import ast
import re

from rules import FILES, read

# A busy host; what measures; real boards; mutants, whose time is limited; what
# calculates.
NOT_HERE = ("test/boards/test_busy_host.py", "test/bench/", "test/hil/",
            "test/mutants/", "test/oracle/", "test/house/test_structure.py")

GUARD = "GUARD_S"
CLOCKS = {"monotonic", "perf_counter", "time", "monotonic_ns",
          "perf_counter_ns", "time_ns"}
LIMITS = {"timeout", "timeout_s"}
# Of a shell, as text; one of a minute or more waits until it is ended.
SLEEP = re.compile(r"(?<![\w.-])sleep (?:[1-5]?\d|\d?\.\d+)(?![\d.])")
# Of C, where it is called and not made up.
OF_C = re.compile(r"^[ \t]+.*?\b(?:u|nano|clock_nano)?sleep\(", re.MULTILINE)


def called(node):
    """The name of what a call calls, and of what it is a part of."""
    function = node.func
    if isinstance(function, ast.Attribute):
        owner = function.value
        return function.attr, getattr(owner, "id", "")
    return getattr(function, "id", ""), ""


def reads_clock(node):
    return isinstance(node, ast.Call) and called(node)[0] in CLOCKS and (
        called(node)[1] == "time" or called(node)[0] != "time")


def is_guard(node):
    """GUARD_S, by any module; None; a parameter that was given as it is."""
    names = {getattr(one, "attr", getattr(one, "id", None))
             for one in ast.walk(node)}
    return GUARD in names or bool(names & LIMITS) or (
        isinstance(node, ast.Constant) and node.value is None)


def assigned(function, wanted):
    """Variables of a function whose value is as wanted."""
    return {name.id for node in ast.walk(function)
            if isinstance(node, ast.Assign) and wanted(node.value)
            for target in node.targets for name in ast.walk(target)
            if isinstance(name, ast.Name)}


def bounds(function):
    """Comparisons with a clock, but for the end of a guard, which may be what a
    parameter is by default."""
    args = function.args
    given = {arg.arg for arg, value in zip(args.args[::-1],
                                           args.defaults[::-1])
             if is_guard(value)}

    def ends(value):
        return is_guard(value) or any(
            getattr(one, "id", None) in given for one in ast.walk(value))

    guarded = assigned(function, ends)
    names = assigned(function, lambda value: not ends(value) and any(
        map(reads_clock, ast.walk(value))))
    for node in ast.walk(function):
        if not isinstance(node, ast.Compare) or is_guard(node):
            continue
        used = list(ast.walk(node))
        there = {one.id for one in used if isinstance(one, ast.Name)}
        if there & names or any(map(reads_clock, used)) and (
                not there & guarded):
            yield node, "bounds wall time"


def is_retry(node):
    """A loop of a given number of times that ends early."""
    if not (isinstance(node, ast.For) and isinstance(node.iter, ast.Call)
            and called(node.iter)[0] == "range" and len(node.iter.args) == 1):
        return False
    times, inside = node.iter.args[0], list(ast.walk(node))
    return (isinstance(times, ast.Constant)
            or getattr(times, "id", "x").isupper()) and (
        not any(isinstance(one, ast.Name) and one.id == node.target.id
                for part in node.body for one in ast.walk(part))) and any(
        isinstance(one, (ast.Break, ast.Return)) for one in inside)


def in_python(text):
    """(line, what) of each place in a Python source."""
    tree = ast.parse(text)
    found = []
    # A pause between two looks, until what is looked for is there.
    pauses = {one for node in ast.walk(tree) if isinstance(node, ast.While)
              for one in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if called(node)[0] == "sleep" and node not in pauses:
                found.append((node, "sleeps"))
            found += [(word.value, "has a time limit of its own")
                      for word in node.keywords
                      if word.arg in LIMITS and not is_guard(word.value)]
        elif isinstance(node, ast.arguments):
            named = [*node.posonlyargs, *node.args]
            pairs = [*zip(named[len(named) - len(node.defaults):],
                          node.defaults),
                     *zip(node.kwonlyargs, node.kw_defaults)]
            found += [(value, "has a time limit of its own")
                      for name, value in pairs
                      if name.arg in LIMITS and value and not is_guard(value)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [(node, "sleeps")] * len(SLEEP.findall(node.value))
        elif is_retry(node):
            found.append((node, "tries again"))
        elif isinstance(node, ast.FunctionDef):
            found += bounds(node)
    return sorted({(node.lineno, what) for node, what in found})


def in_c(text):
    return sorted({(text.count("\n", 0, match.start()) + 1, "sleeps")
                   for match in OF_C.finditer(text)})


def places(files):
    """Every such place of sources {name: text}, as a line to be read."""
    return [f"{name}:{line}: {what}" for name, text in files.items()
            for line, what in (in_python if name.endswith(".py")
                               else in_c)(text)]


def here():
    return places({name: read(name) for name in FILES
                   if name.startswith("test/") and not name.startswith(NOT_HERE)
                   and name.endswith((".py", ".c", ".h"))})

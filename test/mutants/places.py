# SPDX-License-Identifier: Apache-2.0
"""Which tests look at a place of the product: the quick ones, then the wide
ones. Tests that are not there are passed over."""
import fnmatch
import pathlib
import re
import subprocess

# Programs that print TAP, from cheap to dear: of each source that they link,
# where they are about such sources.
PROGRAMS = {
    "console-node": ("boot", "hal", "scatter"),
    "serial_circuit": ("hal",),
    "local": ("qemu/ranks", "qemu/fabric"),
    "probe": ("scatter/engine/probe", "scatter/engine/measure",
              "qemu/job/probe"),
    "unit": ("torus", "hal", "scatter", "kernels", "qemu/schedule"),
    "simulate": ("torus", "qemu/model", "qemu/fabric", "scatter/plan"),
    "fabric": ("qemu/fabric",),
    "switch": ("hal/switch",),
    "discover": ("hal/discover",),
    "jobs": ("hal", "scatter", "torus", "kernels", "qemu/job", "qemu/fabric",
             "qemu/schedule")}

# Beside the tests that have a source's name, or its folder's.
QUICK = (
    ("qemu/", "golden refused"),
    ("scatter/plan/one_round", "planner"), ("scatter/plan/split", "planner"),
    ("scatter/plan/tree", "tree_plan"), ("scatter/plan/", "run"),
    ("scatter/wire/", "tree_rounds_run"),
    ("scatter/engine/*advance*", "advance_run"),
    ("scatter/engine/*farm*", "farm_run farm_levels hybrid_run"),
    ("scatter/engine/*tree*", "tree_rounds_run trees"),
    ("scatter/engine/", "rounds_run meanwhile_run hybrid_run run"),
    ("torus/", "torus tree_plan"),
    ("hal/host/", "conformance"), ("hal/window/", "conformance"),
    ("hal/mps2/", "conformance run"), ("hal/line/", "console"),
    ("hal/serial/", "console chip"), ("hal/switch/", "chip"),
    ("hal/discover/", "chip"),
    ("hal/stm32f405/", "chip_drivers chip"), ("hal/", "check console"),
    ("boot/cortex_m/", "board_library chip_drivers programs"),
    ("boot/mps2", "run conformance"), ("boot/shell/", "console chip"),
    ("boot/serial/", "console chip"),
    ("boot/stm32f405/", "chip_drivers chip"), ("boot/", "run"),
    ("kernels/", "sanitized kernels_everywhere"),
    ("qemu/main", "outputs names"),
    ("qemu/board/", "boot memory gdb launcher"),
    ("qemu/calibrate/", "calibrate"), ("qemu/compare/", "compare"),
    ("qemu/console/", "console nodes"),
    ("qemu/command/model", "model_star model_farm model_bad_input"),
    ("qemu/command/plan", "plan similar node_rounds"),
    ("qemu/command/simulate", "simulate"),
    ("qemu/command/boards", "wired nodes boards_page"),
    ("qemu/command/html", "page"),
    ("qemu/command/run", "outputs bad_input"),
    ("qemu/command/mesh", "nodes"), ("qemu/command/identify", "nodes"),
    ("qemu/command/reset", "nodes"), ("qemu/command/links", "nodes"),
    ("qemu/command/ps", "nodes"), ("qemu/command/console", "nodes"),
    ("qemu/fabric/inj", "inject"), ("qemu/fabric/post", "launcher"),
    ("qemu/fabric/", "originators run launcher repeat"),
    ("qemu/figures/", "figures"), ("qemu/flash/", "flash flash_loader"),
    ("qemu/format/image", "kernel_conv"), ("qemu/format/wav", "kernel_fir"),
    ("qemu/format/npy", "kernel_matvec"),
    ("qemu/format/table", "kernel_records kernel_channels"),
    ("qemu/format/", "sanitized several_inputs"),
    ("qemu/job/serial", "serial_run"),
    ("qemu/job/groups", "originators"), ("qemu/job/forest", "originators"),
    ("qemu/job/", "outputs auto compare farm_run sanitized trees"),
    ("qemu/live/", "serve"),
    ("qemu/model/", "plan node_rounds simulate similar sizes"),
    ("qemu/options/plan", "plan bad_input"),
    ("qemu/options/simul", "simulate"),
    ("qemu/options/model", "model_star model_bad_input"),
    ("qemu/options/inject", "inject"),
    ("qemu/options/originators", "originators"),
    ("qemu/options/console", "nodes"), ("qemu/options/target", "nodes"),
    ("qemu/options/serve", "serve"),
    ("qemu/options/", "outputs bad_input compare"),
    ("qemu/outcome/", "outputs compare originators rounds_run"),
    ("qemu/page/", "page"),
    ("qemu/papers/", "model_star model_farm model_masters model_results"),
    ("qemu/ranks/", "ranks_parts ranks_broken ranks"),
    ("qemu/report/gantt", "outputs"),
    ("qemu/report/", "outputs page inject originators streams"),
    ("qemu/schedule/", "tree farm_tree compare trees"),
    ("qemu/serve/", "serve"),
    ("qemu/support/quote", "names"), ("qemu/support/utf8", "names"),
    ("qemu/support/memory_limit", "memory"),
    ("qemu/support/gnuplot", "figures"),
    ("qemu/support/", "outputs bad_input streams sanitized flash_map"),
    ("qemu/survey/", "nodes"), ("qemu/wired/", "wired"))

# What a survivor of the first that fits is tried with, while that takes WIDE_S
# in all.
WIDE = (
    ("qemu/model", "readme_commands compare figures sanitized"),
    ("qemu/papers", "figures readme_commands sanitized"),
    ("qemu/command/model", "readme_commands sanitized names"),
    ("qemu/survey", "ps serial_run readme_commands sanitized boards_page"),
    ("qemu/console", "ps serial_run miswired progress serial_originators"),
    ("qemu/flash", "readme_commands sanitized names"),
    ("qemu/wired", "serial_run ps progress"),
    ("qemu/calibrate", "readme_commands sanitized rates"),
    ("qemu/format", "run ratio fuzz batches streams names"),
    ("qemu/", "names originators compare auto rates several_inputs sanitized "
              "run bad_input streams page serve progress readme_commands "
              "batches farm_levels ratio"),
    ("kernels/", "run ratio fuzz measured_rate originators new_kernel"),
    ("", "fuzz run trees originators ratio farm_levels batches serial_run "
         "sanitized chip compare"))
WIDE_S = 90
# Of the quick ones, what comes after so many seconds is wide.
QUICK_S = 25


def database(tree, make):
    """{program, as build/...: its objects} of all that `make` can build."""
    text = subprocess.run([*make, "-pnq", "build-tests"], cwd=tree, text=True,
                          capture_output=True, check=False).stdout
    built = {}
    for line in text.splitlines():
        target, colon, objects = line.partition(": ")
        if colon and target.startswith("build/") and not (
                target.endswith(".o") or " " in target):
            built.setdefault(target, set()).update(
                word for word in objects.split() if word.endswith((".o", ".c")))
    return built


def linked_with(built, source):
    """Programs that have this source in them."""
    ending = "/" + source[:-2] + ".o"
    return sorted(target for target, objects in built.items()
                  if any(name.endswith(ending) or name == source
                         for name in objects))


def names_of(source):
    """Names that tests of a source may have: a_b, a, its folder's."""
    path = pathlib.PurePath(source)
    if source.startswith(("qemu/model/", "qemu/papers/")):
        return []
    words = path.stem.split("_")
    names = ["_".join(words[:n]) for n in range(len(words), 0, -1)]
    if source.startswith(("kernels/", "qemu/format/")):
        names = ["kernel_" + name for name in names]
    return names


def chosen(rows, source, most=None):
    return [name for names in [names for pattern, names in rows if
                               fnmatch.fnmatch(source, pattern + "*")][:most]
            for name in names.split()]


def test_files(tree, names):
    """Files of tests by these names, each once."""
    found = {path.stem[5:]: str(path.relative_to(tree))
             for path in sorted((tree / "test").rglob("test_*.py"))
             if path.parent.name not in ("hil", "house")
             or path.stem in ("test_programs", "test_fuzz",
                              "test_readme_commands")}
    wanted = []
    for name in names:
        wanted += [path for stem, path in found.items() if stem == name
                   or name in ("golden", "refused") and stem.startswith(name)]
    return list(dict.fromkeys(wanted))


def quick_and_wide(tree, source, linked):
    """Steps, each a program or a file of tests, that can tell."""
    programs = [f"build/test/{name}" for name, about in PROGRAMS.items()
                if source.startswith(about) and f"build/test/{name}" in linked]
    late = [path for path in programs if path.endswith("jobs")]
    quick = [path for path in programs if path not in late]
    quick += test_files(tree, names_of(source) + chosen(QUICK, source)[:8]
                        + [pathlib.PurePath(source).parent.name])
    wide = late + test_files(tree, chosen(QUICK, source)[8:]
                             + chosen(WIDE, source, 1))
    if source.startswith(("scatter/engine", "hal/")):
        quick, wide = late + quick, wide[len(late):]
    return ([step for step in quick if needs_of(tree, step, linked)],
            [step for step in wide if step not in quick
             and needs_of(tree, step, linked)])


def needs_of(tree, step, linked):
    """Of the programs that a source is linked into, those that a step needs."""
    if not step.endswith(".py"):
        return [step]
    texts = [(tree / step).read_text(encoding="utf-8")]
    for name in re.findall(r"^(?:from|import) (\w+)", texts[0], re.M):
        texts += [path.read_text(encoding="utf-8") for path in
                  (tree / "test").rglob(name + ".py")]
    text = "\n".join(texts)
    words = {"build/quincunx": "", "build/zygote.so": "", "build/ranks.so": "",
             "build/mps2_an385/firmware.elf": "mesh",
             "build/mps2_an385/firmware_slow.elf": "inject",
             "build/mps2_an386/firmware.elf": "an386",
             "build/stm32f405/firmware.elf": "stm32f405|chip|emulated",
             "build/test/target.elf": "target.elf"}
    return [target for target in linked if re.search(
        words.get(target) or (
            r"stm32f405-" if "/stm32f405-" in target else
            rf'test"? ?/ ?"?{re.escape(target[11:])}\b' if (
                target.startswith("build/test/") and "." not in target) else
            re.escape(target.split("/")[-1])), text)
        or target in words and not words[target]]

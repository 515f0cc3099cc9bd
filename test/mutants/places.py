# SPDX-License-Identifier: Apache-2.0
"""Which tests look at a place of the product: the quick ones, then the wide
ones. Tests that are not there are passed over."""
import pathlib
import re
import subprocess

# Programs that print TAP, from cheap to dear, and which of the sources that
# they link they are about.
PROGRAMS = """
serial_circuit: hal
local: qemu/(ranks|fabric)
probe: scatter/engine/(probe|measure)|qemu/job/probe
unit: scatter/wire|qemu/job/(outcome|output_chunks|timeline)
engine: scatter/engine
fabric: qemu/fabric
switch: hal/switch
discover: hal/discover
"""

# Tests of a source besides those of its name: of all rows that fit.
QUICK = """
scatter/plan/(one_round|split): planner
scatter/plan/tree: tree_plan
scatter/plan/: any_job run
scatter/wire/: any_job trees
scatter/engine/.*farm: farm_run
scatter/engine/.*tree: trees
scatter/engine/: any_job run farm_run
torus/: torus tree_plan
hal/(host|window)/: conformance
hal/mps2/|boot/mps2: conformance run
hal/template/: programs
hal/line/: console
(hal|boot)/stm32f405/: chip_drivers chip
hal/(serial|switch|discover)/: chip console
hal/: check parity console
boot/(shell|serial)/: console chip
boot/cortex_m/: board_library chip_drivers programs
boot/: run
kernels/: kernels sanitized kernels_everywhere
qemu/main: outputs names
qemu/board/: boot memory gdb launcher
qemu/bench/calib: calibrate
qemu/bench/board_page: boards_page
qemu/bench/flash_(list|map): flash_map
qemu/bench/: flash
qemu/serial/(wired|cables|forwarder|halt|noise): wired console
qemu/serial/: console nodes
qemu/theory/(farm|inst|masters|number|res|star|work): \
  model_star model_farm model_masters model_results
qemu/theory/: plan node_rounds
qemu/command/model: model_star model_farm
qemu/command/plan: plan node_rounds bad_input
qemu/command/boards: wired nodes boards_page
qemu/command/html: page
qemu/command/run: outputs bad_input
qemu/command/(mesh|identify|reset|links|ps|console): nodes
qemu/fabric/inj|qemu/command/inj: inject
qemu/fabric/: any_job originators run launcher
qemu/format/image: kernel_conv
qemu/format/(sound|fir|stats): field_sounds kernel_stats kernel_fir
qemu/format/(npy|operand|matvec): kernel_matvec field_matrices
qemu/format/table: kernel_records kernel_channels
qemu/format/: sanitized several_inputs
qemu/job/serial: serial_run nodes
qemu/job/(groups|originators): originators
qemu/job/: any_job outputs auto compare farm_run sanitized trees originators run
qemu/report/(serve|page_server|run_page): serve
qemu/report/(page|room): page
qemu/report/: outputs page inject originators streams
qemu/command/(console|target): nodes
qemu/command/: outputs bad_input compare
qemu/ranks/: ranks_parts ranks
qemu/schedule/: tree farm_tree compare trees
qemu/base/(quote|utf8): names
qemu/base/(control_group|limits): memory limits
qemu/base/crash: new_kernel
qemu/base/: outputs bad_input streams sanitized flash_map
qemu/: golden refused
"""

# What a survivor is tried with: the first row that fits.
WIDE = """
qemu/theory: oracles readme_commands compare sanitized
qemu/(serial|job/serial): ps serial_run chip progress serial_originators readme_commands \
  sanitized boards_page
qemu/bench: readme_commands sanitized names rates
qemu/command/model: readme_commands sanitized names
qemu/format: refused run fuzz streams names
qemu/: names originators ranks compare auto rates several_inputs sanitized \
  run bad_input streams page serve progress readme_commands
kernels/: run fuzz originators new_kernel
: fuzz run trees originators launcher rates auto serial_run sanitized \
  chip compare
"""
# Of a source's programs: words by which tests are known that need them; of all
# others their names are.
KNOWN_BY = {"build/quincunx": "", "build/zygote.so": "", "build/ranks.so": "",
            "build/mps2_an385/firmware.elf": "mesh",
            "build/mps2_an385/firmware_slow.elf": "inject",
            "build/mps2_an386/firmware.elf": "an386",
            "build/stm32f405/firmware.elf": "stm32f405|chip|emulated"}
# Processor seconds for the quick tests, what is left of them being wide; and
# for the wide ones.
QUICK_S, WIDE_S = 30, 90


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
    if source.startswith("qemu/theory/"):
        return []
    words = path.stem.split("_")
    names = ["_".join(words[:n]) for n in range(len(words), 0, -1)]
    if source.startswith(("kernels/", "qemu/format/")):
        names = ["kernel_" + name for name in names]
    return names


def rows(table):
    """(what stands before the colon, behind it)"""
    return [row.split(":") for row in table.splitlines() if ":" in row]


def chosen(table, source, most=None):
    """Words of the rows whose pattern fits the begin of a source's path."""
    fit = [words for pattern, words in rows(table)
           if re.match(pattern, source)]
    return " ".join(fit[:most]).split()


def test_files(tree, names):
    """Files of tests by these names, or in a folder of such a name, each
    once. Of what is about the house, few tests are about the product."""
    found = [path.relative_to(tree)
             for path in sorted((tree / "test").rglob("test_*.py"))
             if path.parent.name not in ("hil", "house") or path.stem[5:] in (
                 "programs", "fuzz", "readme_commands")]
    return list(dict.fromkeys(
        str(path) for name in names for path in found
        if path.stem[5:] == name or path.parent.name == name
        and name in ("golden", "refused")))


def quick_and_wide(tree, source, linked):
    """Steps, each a program or a file of tests, that can tell."""
    programs = [f"build/test/{name}" for name, about in rows(PROGRAMS)
                if re.match(about.strip(), source)
                and f"build/test/{name}" in linked]
    quick = programs + test_files(
        tree, names_of(source) + chosen(QUICK, source)[:8]
        + [pathlib.PurePath(source).parent.name])
    wide = test_files(tree, chosen(QUICK, source)[8:]
                      + chosen(WIDE, source, 1))
    return ([step for step in quick if needs_of(tree, step, linked)],
            [step for step in wide if step not in quick
             and needs_of(tree, step, linked)])


def known_by(target):
    """A pattern that tests have in them that need this program."""
    name = re.escape(target.split("/")[-1])
    if target in KNOWN_BY:
        return KNOWN_BY[target]
    if "/stm32f405-" in target:
        return "stm32f405-"
    return name if "." in name else rf'test"? ?/ ?"?{name}\b'


def needs_of(tree, step, linked):
    """Of the programs that a source is linked into, those a step needs."""
    if not step.endswith(".py"):
        return [step]
    texts = [(tree / step).read_text(encoding="utf-8")]
    for name in re.findall(r"^(?:from|import) (\w+)", texts[0], re.M):
        texts += [path.read_text(encoding="utf-8") for path in
                  (tree / "test").rglob(name + ".py")]
    text = "\n".join(texts)
    return [target for target in linked if re.search(known_by(target), text)]

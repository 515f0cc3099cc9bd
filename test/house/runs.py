# SPDX-License-Identifier: Apache-2.0
"""What the host command does, recorded, to be compared after the sources were
moved about or rewritten:

    runs.py record FILE [NAME...]    runs all, writes FILE
    runs.py compare FILE [NAME...]   runs all again, tells what differs

Every kernel on emulated boards and on native nodes, with patterns, trees,
rounds, batches, outputs and schedules, and what is computed without a mesh.
Recorded are the report without its wall time, standard output, and a SHA-256 of
every file that was written. Run it in two checkouts: each runs its own
build/quincunx. Exit status: 0 if nothing differs, 1 if something does."""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TEST / "lib"), str(TEST / "bench")]
import job_bench  # noqa: E402

QUINCUNX = TEST.parent / "build" / "quincunx"
ON = {"native": ("--on", "native"), "boards": ("--on", "qemu")}
WRITTEN = {"records": "out.csv", "fir": "out.wav", "conv": "out.png",
           "matvec": "out.npy", "channels": "out.csv"}


def kernel(name, file=None):
    """The words of a run that depend on the kernel, its INPUT last."""
    *_, given, arg, _ = job_bench.KERNELS[name]
    words = ["--kernel", name, "--arg", arg.replace("{folder}", "in")]
    if name in WRITTEN:
        words += ["-o", f"out/{WRITTEN[name]}"]
    if given is not None:
        words.append(f"in/{file or given}")
    return words


def spin(per_unit="32", file="samples"):
    return ["--kernel", "spin", "--arg", per_unit, f"in/{file}"]


def jobs():
    """(name, words of `quincunx run`)"""
    for on, words in ON.items():
        for name in job_bench.KERNELS:
            yield f"{name} on {on}", [*words, *kernel(name)]
            if name != "channels":
                yield (f"{name} in two rounds on {on}",
                       [*words, "--profile", "t3d", "--rounds", "2",
                        "--originator", "3,1", *kernel(name)])
        for mesh, name in (("7x4", "fir"), ("4x4", "search"), ("9x2", "conv"),
                           ("1x1", "stats"), ("6x5", "records")):
            yield (f"{name} on {mesh} {on}",
                   [*words, "--mesh", mesh, *kernel(name)])
        for schedule in ("equal", "binomial", "nearest", "star"):
            yield (f"schedule {schedule} on {on}",
                   [*words, "--schedule", schedule, *spin()])
        for more in (("--ports", "1"), ("--ports", "2"), ("--rounds", "3"),
                     ("--switching", "store-and-forward"), ("--phases", "1"),
                     ("--slow", "2,1=4", "--slow", "0,3=2"),
                     ("--unit", "1000"), ("--batch", "99991"),
                     ("--plan-profile", "t3d")):
            yield (" ".join((*more, "on", on)),
                   [*words, "--profile", "lvds", *more, *spin("8")])
    yield "fir in batches", [*ON["native"], "--batch", "40000", *kernel("fir")]
    yield "conv in batches on boards", [*ON["boards"], "--batch", "90000",
                                        *kernel("conv")]
    yield "625 native nodes", [*ON["native"], "--mesh", "25x25",
                               *kernel("stats")]


def pictures():
    for on, words in ON.items():
        for name in ("search", "fir"):
            yield (f"files of {name} on {on}",
                   ["run", *words, "--mesh", "5x5", "--report", "out/r.json",
                    "--trace", "out/t.json", "--gantt", "out/g.svg",
                    *kernel(name)])


def without_a_mesh():
    costs = ["--startup", "4.85us", "--transfer", "3.3ns", "--compute", "1us"]
    for torus in ("25", "625"):
        yield (f"plan {torus}",
               ["plan", "--torus", torus, "--load", "1M", *costs])
    yield "certificate", ["certificate", "--torus", "25"]
    yield "compare", ["compare", "--mesh", "5x5", "--on", "native",
                      "--json", *spin()]
    yield "figures", ["figures", "-o", "out/figures"]
    yield "kernels", ["kernels"]


def all_runs():
    for name, words in jobs():
        mesh = [] if "--mesh" in words else ["--mesh", "5x5"]
        yield name, ["run", "--json", *mesh, *words]
    yield from pictures()
    yield from without_a_mesh()


def timeless(text):
    """Without what the host's clock says."""
    lines = [line for line in text.splitlines()
             if not re.search(r'^host |^ *"(?:boot|run)": [\d.]', line)]
    return "\n".join(lines)


def digest(path):
    try:
        data = timeless(path.read_text(encoding="utf-8")).encode()
    except UnicodeDecodeError:
        data = path.read_bytes()
    return hashlib.sha256(data).hexdigest()


def carry_out(words, folder):
    """What one command leaves."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        place = pathlib.Path(place)
        (place / "in").symlink_to(folder / "in")
        (place / "out").mkdir()
        done = subprocess.run([QUINCUNX, *words], cwd=place, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=600, check=False)
        files = {str(path.relative_to(place)): digest(path)
                 for path in sorted((place / "out").rglob("*"))
                 if path.is_file()}
    return {"words": words, "status": done.returncode, "error": done.stderr,
            "output": timeless(done.stdout).splitlines(), "files": files}


def inputs(folder):
    folder.mkdir()
    for *_, make, file, _, _ in job_bench.KERNELS.values():
        if make is not None:
            make(folder / file)


def differences(before, now):
    if before is None:
        yield "was not recorded"
        return
    for key in ("words", "status", "error", "files"):
        if before[key] != now[key]:
            yield f"{key}: {before[key]!r}, now {now[key]!r}"
    lines = [f"{a.strip()}, now {b.strip()}" for a, b in
             zip(before["output"], now["output"]) if a != b]
    yield from lines[:3]
    if len(lines) > 3:
        yield f"... {len(lines)} lines differ"
    if len(before["output"]) != len(now["output"]):
        yield (f"{len(before['output'])} lines of output, now "
               f"{len(now['output'])}")


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("record", "compare"):
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[2])
    recorded = (json.loads(path.read_text(encoding="utf-8"))
                if sys.argv[1] == "compare" else {})
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        inputs(folder / "in")
        for name, words in all_runs():
            if sys.argv[3:] and name not in sys.argv[3:]:
                continue
            now = carry_out(words, folder)
            said = "recorded"
            if sys.argv[1] == "record":
                recorded[name] = now
            else:
                found = list(differences(recorded.get(name), now))
                wrong += bool(found)
                said = "\n    ".join(["differs", *found]) if found else "same"
            print(f"{name}: {said}"
                  + (f" (exit status {now['status']}: {now['error'].strip()})"
                     if now["status"] else ""), flush=True)
    if sys.argv[1] == "record":
        path.write_text(json.dumps(recorded, indent=1), encoding="utf-8")
    print(f"{len(recorded)} runs recorded"
          + (f", {wrong} differ" if sys.argv[1] == "compare" else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

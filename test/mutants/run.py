# SPDX-License-Identifier: Apache-2.0
"""Changes the product a little, again and again, and tells which changes no
test notices. Prints a line for each mutant, the survivors as they were changed,
and last `200 mutants: K killed, S survived, B not built`.

All happens in a copy of the tree with its build folder. Each mutant is tried
with the quick tests of its place, then with the wide ones (places.py). Verdicts
are written down as they come; a run that was stopped goes on where it was."""
import argparse
import collections
import csv
import ctypes
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import draw
import places

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SAME = HERE / "same.txt"
BUILD_CPU_S, STEP_CPU_S = 600, 120
PROCESS_CPU_S = 30  # of any process of a step: one that takes more loops
# A command whose processes take no processor time for so long waits for
# something that never comes.
IDLE_S = 100
TICKS = os.sysconf("SC_CLK_TCK")
PR_SET_CHILD_SUBREAPER = 36
GCC = ("gcc", "-std=c11", "-D_GNU_SOURCE", "-O2", "-I.", "-w", "-c")
FAILED = re.compile(r"^(?:FAILED|ERROR)? *(test/.+?::.+?)(?: - .*)?$", re.M)
ARM_GCC = ("arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb", *GCC[1:])


# ---- commands, by the processor time that they take ----

def descendants():
    """{process: processor seconds, those of children that ended included}"""
    parent, used = {}, {}
    for process in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        try:
            text = pathlib.Path(f"/proc/{process}/stat").read_text("latin-1")
        except OSError:  # it has ended
            continue
        fields = text.rpartition(")")[2].split()
        parent[process] = int(fields[1])
        used[process] = sum(map(int, fields[11:15])) / TICKS
    mine = set()
    for process in parent:
        line = [process]
        while line[-1] in parent and line[-1] != os.getpid():
            line.append(parent[line[-1]])
        if line[-1] == os.getpid():
            mine.update(line[:-1])
    return {process: used[process] for process in mine}


def used_s():
    """Processor seconds of children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def end_all():
    while left := descendants():
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
        time.sleep(0.01)


def run(command, folder, cpu_s):
    """(exit status, output, processor seconds); 124: it did not end. What it
    leaves behind is ended."""
    def limit():
        most_s = PROCESS_CPU_S if cpu_s == STEP_CPU_S else int(cpu_s)
        resource.setrlimit(resource.RLIMIT_CPU, (most_s, most_s))

    log = folder / "build" / "mutant.log"
    before_s = used_s()
    # In a session of its own: a mutant may signal its whole process group.
    with open(log, "wb") as out:
        child = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out,
                                 stdin=subprocess.DEVNULL, preexec_fn=limit,
                                 start_new_session=True)
    status, last_s, since = None, -1.0, time.monotonic()
    try:
        while status is None:
            try:
                status = child.wait(2)
            except subprocess.TimeoutExpired:
                now_s = sum(descendants().values())
                if now_s > last_s + 0.05 or now_s < last_s:
                    last_s, since = now_s, time.monotonic()
                if now_s > cpu_s or time.monotonic() - since > IDLE_S:
                    status = 124
    finally:
        end_all()
    child.poll()
    return (status, log.read_text(encoding="utf-8", errors="replace"),
            used_s() - before_s)


# ---- the copy ----

def git(tree, *words):
    return subprocess.run(["git", *words], cwd=tree, capture_output=True,
                          text=True, check=True).stdout


def copy(tree, folder):
    """The tree with what is not committed, and its build folder; again: what
    differs."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "build").exists() and (tree / "build").is_dir():
        shutil.copytree(tree / "build", folder / "build", symlinks=True,
                        ignore=shutil.ignore_patterns("mutants", "qemu10"))
    (folder / "build").mkdir(exist_ok=True)
    listed = set(filter(None, git(
        tree, "ls-files", "-z", "--cached", "--others",
        "--exclude-standard").split("\0")))
    for name in listed:
        source, target = tree / name, folder / name
        if source.is_file() and not (target.is_file() and
                                     target.read_bytes()
                                     == source.read_bytes()):
            was_there = target.exists()
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            if was_there:
                os.utime(target)  # it is made again
    for root in (*draw.PLACES, "test"):
        for path in (folder / root).rglob("*"):
            if (path.is_file() and "__pycache__" not in path.parts
                    and str(path.relative_to(folder)) not in listed):
                path.unlink()


class Trial:
    """A copy of a tree, in which mutants are tried."""

    def __init__(self, tree, folder):
        self.folder = folder
        copy(tree, folder)
        version = git(tree, "describe", "--always").strip()
        self.make = ["make", "-s", f"VERSION={version}"]
        self.built = places.database(folder, self.make)
        self.failing = set()

    def command(self, step):
        if not step.endswith(".py"):
            return [step]
        return ["/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider",
                "-p", "no_shrinking", "--assert=plain", "-q", "--tb=line",
                "-x", step, *(f"--deselect={name}" for name in self.failing)]

    def build(self, targets):
        return run([*self.make, *targets], self.folder, BUILD_CPU_S)

    def fail_unchanged(self, names):
        """Those of these tests that fail on the tree as it is; each is known
        by the file that it is in."""
        by_file = collections.defaultdict(set)
        for name in names:
            if "::" in name:
                by_file[name.partition("::")[0]].add(name)
        found = set()
        for path, of_file in sorted(by_file.items()):
            linked = [*self.built]
            self.build(places.needs_of(self.folder, path, linked))
            _, text, _ = run([*self.command(path)[:-1], *sorted(of_file)],
                             self.folder, STEP_CPU_S)
            found |= of_file & set(FAILED.findall(text))
        return found

    def code(self, path):
        """What the compiler makes of a source; None: it does not take it."""
        for compiler in (GCC, ARM_GCC):
            made = self.folder / "build" / "mutant.o"
            if subprocess.run([*compiler, path, "-o", made], cwd=self.folder,
                              capture_output=True, check=False
                              ).returncode == 0:
                return compiler, made.read_bytes()
        return None

    def attempt(self, source, tried):
        """(verdict, by what): "quick" if it survived the quick tests; of one
        that did, with the wide ones."""
        linked = places.linked_with(self.built, source)
        quick, wide = places.quick_and_wide(self.folder, source, linked)
        left_s = places.WIDE_S if tried else places.QUICK_S
        passed = list(tried)
        for step in quick + wide if tried else quick:
            if left_s < 0:
                break
            if step in tried:
                continue
            status, text, _ = self.build(
                places.needs_of(self.folder, step, linked))
            if status != 0:
                return "not built", "".join(re.findall(
                    "error: .*", text)[:1]) or text.strip()[-100:]
            status, text, cpu_s = run(self.command(step), self.folder,
                                      STEP_CPU_S)
            if status not in (0, 5):
                why = FAILED.findall(text) + [
                    step + ": " + line
                    for line in re.findall(r"^not ok .*", text, re.M)]
                return "killed", (why + [step + (" hangs" if status == 124
                                                 else "")])[0]
            left_s -= cpu_s
            passed.append(step)
        return "survived" if tried else "quick", " ".join(passed)

    def verdict(self, place, tried=()):
        """(verdict, by what)"""
        source = place.mutant.file
        path = self.folder / source
        text = path.read_text(encoding="utf-8")
        before = self.code(source)
        path.write_text(place.change(text), encoding="utf-8")
        try:
            if before is not None and self.code(source) == before:
                return "same", "the compiler makes the same code of it"
            what, why = self.attempt(source, tried)
            return what, why[:300] if what != "quick" else why
        finally:
            path.write_text(text, encoding="utf-8")


# ---- the whole ----

def options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add = parser.add_argument
    add("--number", type=int, default=200, help="how many are drawn")
    add("--seed", default="1")
    add("--shard", default="1/1", help="I/N: only every N-th, from the I-th")
    add("--place", default="", help="how a file's path begins: scatter/")
    add("--kind", choices=("code", "text"), default="code")
    add("--again", type=pathlib.Path, help="a listing: try these, not a seed's")
    add("--tree", type=pathlib.Path, default=ROOT, help="what is mutated")
    add("--folder", type=pathlib.Path, help="where (build/mutants/tree)")
    add("--results", type=pathlib.Path, help="a file for the verdicts")
    add("--quick", action="store_true", help="not the wide tests")
    add("--list", action="store_true", help="only print which these are")
    given = parser.parse_args()
    given.tree = given.tree.resolve()
    given.folder = (given.folder or
                    given.tree / "build" / "mutants" / "tree").resolve()
    given.results = given.results or given.tree / "build" / "mutants" / (
        "-".join(filter(None, [
            given.kind, given.seed, str(given.number),
            given.place.replace("/", "_"), given.again and given.again.stem,
            given.shard.replace("/", "of")])) + ".tsv")
    return given


def wanted(given):
    if given.again:
        listed = [row[0] for row in draw.rows_of(given.again)]
        found, gone = draw.again(given.tree, given.kind, listed)
        print(f"{len(found)} of {len(listed)} still stand, {len(gone)} are "
              "gone")
    else:
        found = draw.draw(given.tree, given.kind, given.seed, given.number,
                          given.place)
    index, count = map(int, given.shard.split("/"))
    return found[index - 1::count]


def conclude(rows):
    """The survivors, and the last line."""
    same = {row[0]: row[1] for row in draw.rows_of(SAME)} if (
        SAME.exists()) else {}
    count = collections.Counter()
    for mutant, verdict, why in rows:
        if verdict in ("survived", "quick") and mutant in same:
            verdict, why = "same", same[mutant]
        count[verdict] += 1
        if verdict in ("survived", "same", "quick"):
            print(f"{verdict}: {mutant.file}, {mutant.function}, "
                  f"{mutant.operator}"
                  + (f": {why}" if verdict == "same" else "")
                  + f"\n  - {mutant.old}\n  + {mutant.new}")
    print(f"{count['same']} of those that survived make no difference")
    print(f"{sum(count.values())} mutants: {count['killed']} killed, "
          f"{count['survived'] + count['same'] + count['quick']} survived, "
          f"{count['not built']} not built")
    return int(count["survived"] + count["quick"] > 0)


def try_all(trial, found, results, only_quick):
    """Rows of a mutant, its verdict, and why: all by the quick tests, then
    those that are left by the wide ones. What a test killed that fails without
    a change, too, is tried again without that test."""
    done = ({row[0]: row[1:] for row in draw.rows_of(results)}
            if results.exists() else {})

    def attempt(number, place, *tried):
        began_s, mutant = used_s(), place.mutant
        done[mutant] = verdict, why = trial.verdict(place, *tried)
        with open(results, "a", encoding="utf-8", newline="") as file:
            csv.writer(file, delimiter="\t").writerow([*mutant, verdict, why])
        print(f"{number:3}/{len(found)} {used_s() - began_s:4.0f} s "
              f"{verdict:9} {mutant.file} {mutant.function} "
              f"{mutant.operator}: {why[:100]}", flush=True)

    for again in range(2):
        for number, place in enumerate(found, 1):
            if place.mutant not in done:
                attempt(number, place)
        for number, place in enumerate(found, 1):
            verdict, why = done[place.mutant]
            if verdict == "quick" and not only_quick:
                attempt(number, place, why.split(" "))
        if again == 0:
            trial.failing = trial.fail_unchanged(
                {done[place.mutant][1] for place in found})
            for place in found:
                why = done[place.mutant][1]
                if why in trial.failing:
                    print(f"fails without a change: {why}")
                    del done[place.mutant]
    return [(place.mutant, *done[place.mutant]) for place in found]


def main():
    given = options()
    found = wanted(given)
    if given.list:
        csv.writer(sys.stdout, delimiter="\t").writerows(
            place.mutant for place in found)
        return 0
    if not (given.tree / "build" / "test").is_dir():
        print(f"{given.tree}: its tests are not built, so all would fail; "
              "first `make build-tests` there", file=sys.stderr)
        return 2
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.environ.pop("MAKEFLAGS", None)
    os.environ["PYTHONPATH"] = str(HERE)
    given.results.parent.mkdir(parents=True, exist_ok=True)
    return conclude(try_all(Trial(given.tree, given.folder), found,
                            given.results, given.quick))


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What the tests of whole runs and the benchmark share."""
import contextlib
import fcntl
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

import forked
from core import BUILD, QEMU, ROOT
from guard import GUARD_S

QUINCUNX = str(BUILD / "quincunx")
# Subcommands that start no boards, as none with --on native does.
BOARDLESS = {"plan", "model", "certificate", "kernels"}
FIRMWARE = BUILD / "mps2_an385" / "firmware.elf"
SEED = int(os.environ.get("QUINCUNX_SEED", "1999"))
# A QEMU of another name, and what a script of that name becomes.
QEMU_NAMES = {b"qemu-system-arm", os.fsencode(os.path.basename(QEMU))}
OFFSETS_MAX = 1024  # of search; kernels/search.c

oracle = str(ROOT / "test" / "oracle")
if oracle not in sys.path:
    sys.path.insert(0, oracle)


def with_path(folder, *behind):
    """An environment whose PATH has this folder, then others; what is found
    there as qemu-system-arm is the QEMU of boards."""
    env = {key: value for key, value in os.environ.items()
           if key != "QUINCUNX_QEMU"}
    return {**env, "PATH": os.pathsep.join(map(str, (folder, *behind)))}


def qemu_script(folder, text):
    """The environment in which a script of these lines stands for QEMU, whose
    real path is {real} in them."""
    script = folder / "qemu"
    script.write_text("#!/bin/sh\n" + text.format(real=shutil.which(QEMU))
                      + "\n")
    script.chmod(0o755)
    return {**os.environ, "QUINCUNX_QEMU": str(script)}


def seeded(name):
    """A generator of its own for each user of chance."""
    print(f"seed: QUINCUNX_SEED={SEED} ({name})", file=sys.stderr)
    return random.Random(f"{SEED} {name}")


# ---- the command ----

@contextlib.contextmanager
def turn(args):
    """Meshes of hundreds of boards run one at a time, whoever tests: two of
    625 would not leave much of 24 GiB."""
    sizes = [re.fullmatch(r"(\d+)x(\d+)", str(arg)) for arg in args]
    large = any(int(s[1]) * int(s[2]) > 300 for s in sizes if s)
    if not large or "native" in args:
        yield
        return
    with open(BUILD / "large-mesh.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def command(*args, timeout=GUARD_S, **options):
    """The finished process, whatever its exit status."""
    with turn(args):
        if "native" in args or args[0] in BOARDLESS:
            return forked.run([QUINCUNX, *map(str, args)], timeout=timeout,
                              **options)
        return subprocess.run([QUINCUNX, *map(str, args)], check=False,
                              capture_output=True, timeout=timeout, text=True,
                              stdin=subprocess.DEVNULL, **options)


def kernels():
    """Names of the command's kernels, as `quincunx kernels` lists them."""
    return {line.split()[0] for line in
            command("kernels").stdout.splitlines()
            if line and line[0] != " "}


def run(load, *args, size="5x5", kernel="spin", arg=None, on="qemu",
        rounds=1):
    """The report of a run that succeeds."""
    line = ["run", "--json", "--mesh", size, "--kernel", kernel, "--on", on,
            "--rounds", rounds, *args]
    if isinstance(arg, bytes):
        line += ["--arg-hex", arg.hex()]
    elif arg is not None:
        line += ["--arg", arg]
    done = command(*line, load)
    assert done.returncode == 0, (line, done.stderr)
    assert done.stderr == "", (line, done.stderr)
    return json.loads(done.stdout)


# ---- loads ----

def zeros(path, size):
    """A file of so many bytes that takes no space; its path."""
    with path.open("wb") as file:
        file.truncate(size)
    return path


def text(size, chance):
    """Real text: the project's own sources, file after file."""
    files = sorted(p for d in ("boot", "hal", "torus", "scatter", "kernels",
                               "qemu", "test")
                   for p in (ROOT / d).rglob("*.[ch]"))
    parts = [p.read_bytes() for p in files]
    out = bytearray()
    while len(out) < size:
        out += chance.choice(parts)
    return bytes(out[:size])


def mixed(size, chance):
    """Half text, half noise, in blocks."""
    out = bytearray()
    while len(out) < size:
        block = chance.randrange(1, size // 8 + 2)
        out += (text(block, chance) if chance.random() < 0.5
                else chance.randbytes(block))
    return bytes(out[:size])


def occurrences(data, pattern):
    """Every offset, by trying one after the other."""
    found = []
    at = data.find(pattern)
    while at >= 0:
        found.append(at)
        at = data.find(pattern, at + 1)
    return found


def search_result(data, pattern):
    """What a run's report must say."""
    found = occurrences(data, pattern)
    return {"count": len(found), "offsets": found[:OFFSETS_MAX],
            "offsets_complete": len(found) <= OFFSETS_MAX}


# ---- what a report says ----

def shares_of(report):
    """Units of every node as planned: without those that the originator
    computed before there was a plan."""
    shares = {(n["x"], n["y"]): n["units"]
              for n in report["measured"]["nodes"]}
    originator = tuple(report["mesh"]["originator"])
    shares[originator] -= report["plan"]["measured_units"]
    return shares


# ---- processes ----

def stat_of(pid):
    """Fields of /proc/PID/stat from the state on, or None."""
    try:
        line = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return line[line.rindex(")") + 2:].split()


def alive(pid):
    stat = stat_of(pid)
    return stat is not None and stat[0] != "Z"


def pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as file:
            return [int(child) for child in file.read().split()]
    except (FileNotFoundError, ProcessLookupError):
        pass
    found = []
    for child in pids():
        stat = stat_of(child)
        if stat is not None and int(stat[1]) == pid:
            found.append(child)
    return found


def cpu_s(pid):
    stat = stat_of(pid)
    if stat is None:
        return 0.0
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def words_of(pid):
    """The command line of a process; [b""] if it is gone."""
    try:
        line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        line = b""
    return line.split(b"\0")


def boards_with(firmware):
    """Processes of QEMU, alive or not yet reaped, that run this image."""
    found = []
    for pid in pids():
        words = words_of(pid)
        if (os.path.basename(words[0]) in QEMU_NAMES
                and os.fsencode(str(firmware)) in words):
            found.append(pid)
    return found


def until(condition, seconds=GUARD_S, pause=0.05):
    """Waits for what is to come, however long it takes; its value."""
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it does not come"
        time.sleep(pause)
    return value


# Folders where whatever starts boards could leave something behind, and what
# the names of that would have in them. Other tests use these folders, too: what
# the command `flash` makes there is none of it.
TRACES = ("/tmp", "/dev/shm")
# Names that Python draws for others' files may have any letters in them.
OURS = re.compile(r"(?!quincunx-flash-|tmp\w{8}$)"
                  ".*(quincunx|qemu|qnx|wired|window|board)")


def traces():
    """Paths that the start of boards may have left behind, up to now."""
    return {os.path.join(folder, name) for folder in TRACES
            if os.path.isdir(folder)
            for name in filter(OURS.match, os.listdir(folder))}


def memory_parts(pid):
    """What the system counts of a process's memory, in bytes by name (Pss,
    Pss_Anon, ...): proc(5), smaps_rollup; empty if the process has gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:
            next(lines)
            return {name.rstrip(":"): int(size) * 1024
                    for name, size, _ in map(str.split, lines)}
    except (FileNotFoundError, ProcessLookupError, StopIteration):
        return {}


def memory_of_all(pids):
    """What processes that belong together take in this moment, in bytes.

    Their own pages are counted once, however many of them share one; of the
    files that they map, each program's with its libraries once. The sum of
    their proportional set sizes would be less by chance: a file's page is
    parted among all processes that map it, and other tests start boards, too.
    """
    own, files = 0, {}
    for pid in pids:
        parts = memory_parts(pid)
        if not parts:
            continue
        own += parts["Pss_Anon"] + parts["Pss_Shmem"]
        try:
            program = os.readlink(f"/proc/{pid}/exe")
        except OSError:
            continue
        mapped = parts["Rss"] - parts["Anonymous"] - parts["Pss_Shmem"]
        files[program] = max(files.get(program, 0), mapped)
    return own + sum(files.values())


class Watched:
    """One run, with its wall time and, if asked for, how much memory all its
    processes took; looking at that costs the run some time.

    peak_bytes sums up each process's own peak: at least what all of them took
    at any one moment, as far as was seen.
    """

    EACH = 30  # a process is looked at each so many times

    def __init__(self, *args, timeout=GUARD_S, memory=True):
        self.peaks = {}
        with turn(args):
            self.run(args, timeout, memory)

    def run(self, args, timeout, memory):
        start = time.monotonic()
        with subprocess.Popen([QUINCUNX, *map(str, args)],
                              stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as process:
            ended = threading.Event()
            sampler = threading.Thread(target=self.sample,
                                       args=(process.pid, ended))
            if memory:
                sampler.start()
            try:
                self.stdout, self.stderr = process.communicate(
                    timeout=timeout)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                raise
            finally:
                ended.set()
                if memory:
                    sampler.join()
        self.wall_s = time.monotonic() - start
        self.returncode = process.returncode
        self.boards = len(self.peaks) - 1
        self.peak_bytes = sum(self.peaks.values())

    def sample(self, pid, ended):
        due, turn = {}, 0
        while not ended.wait(0.1):
            turn += 1
            for one in [pid, *children_of(pid)]:
                if ended.is_set():
                    break
                if turn >= due.get(one, 0):
                    self.peaks[one] = max(self.peaks.get(one, 0),
                                          memory_parts(one).get("Pss", 0))
                    due[one] = turn + self.EACH

# SPDX-License-Identifier: Apache-2.0
"""What all figures share: the table that they fill, the commands that they run,
and loads."""
import json
import pathlib
import sys

TEST = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [path for path in (str(TEST / "lib"), str(TEST / "oracle"))
                if path not in sys.path]

import mesh  # noqa: E402
from guard import GUARD_S  # noqa: E402

KILO, MEGA = 10 ** 3, 10 ** 6
PS_PER_INSTRUCTION = 32_000
SHAPE = "{:55} {:16} {:>19}  {}"
LIMIT_S = 3 * GUARD_S  # of 625 boards on a busy machine
INFEASIBLE = ("infeasible", "must be 1 or auto")


def log(*words):
    print(*words, file=sys.stderr, flush=True)


def fail(*words):
    sys.exit(" ".join(["bench:", *map(str, words)]))


class Table:
    """Rows of columns, under headings. The usual ones are: what, must be,
    measured, met; without `must` a line is for reading."""

    def __init__(self):
        self.missed = 0
        self.shape = SHAPE
        self.lines = []  # as printed

    def print(self, line=""):
        self.lines.append(line)
        print(line, flush=True)

    def headings(self, *words, shape=SHAPE):
        if self.lines:
            self.print()
        self.shape = shape
        self.row(*words)

    def row(self, *words):
        self.print(self.shape.format(*words).rstrip())

    def verdict(self, must, met, aim=False):
        """Whether it is met, in words; what is not is counted, unless it is an
        aim only."""
        self.missed += bool(must) and not met and not aim
        return ("yes" if met else "NO") if must else ""

    def line(self, what, must, measured, met=True, aim=False):
        self.row(what, must or "", measured, self.verdict(must, met, aim))

    def figure(self, what, value, form="{}", most=None, least=None, unit=""):
        """A line of a number with its unit and its bound, if it has one."""
        must = (f"{most}{unit} at most" if most is not None else
                f"{least}{unit} at least" if least is not None else None)
        self.line(what, must, form.format(value) + unit,
                  (most is None or value <= most)
                  and (least is None or value >= least))


class Bench:
    """One call of bench.py: its table, a folder for its files, whether 625
    boards are started, and the words behind a name on the command line."""

    def __init__(self, table, folder, large=True, words=()):
        self.table = table
        self.folder = pathlib.Path(folder)
        self.large = large
        self.words = words
        self.known = {}  # reports, by the words of their commands

    def sizes(self):
        return ["5x5", "25x25"] if self.large else ["5x5"]

    def told(self, command, *words, infeasible=False):
        """The JSON that a command prints; it has the same each time, but for
        --rates, so it runs once. With `infeasible`: None where there is no such
        plan."""
        key = (command, *map(str, words))
        if key not in self.known or "--rates" in key:
            log(" ", *key)
            done = mesh.command(command, "--json", *words, timeout=LIMIT_S)
            if done.returncode == 0:
                self.known[key] = json.loads(done.stdout)
            elif infeasible and any(said in done.stderr for said in INFEASIBLE):
                self.known[key] = None
            else:
                fail(f"{' '.join(key)} failed:\n{done.stderr}")
        return self.known[key]

    def measured(self, *words):
        return self.told("run", *words)["measured"]

    def load(self, bytes_, kernel="spin"):
        """Zeros for a kernel that does not look at them, else English; its
        path. None: the text of `make run`."""
        if bytes_ is None:
            return mesh.BUILD / "licenses.txt"
        path = self.folder / f"{kernel}-{bytes_}"
        if path.exists():
            return path
        if kernel == "spin":
            return mesh.zeros(path, bytes_)
        english = (mesh.BUILD / "licenses.txt").read_bytes()
        path.write_bytes((english * (bytes_ // len(english) + 1))[:bytes_])
        return path

    def made(self, name, make):
        """The path of a file that is made where it is not there."""
        path = self.folder / name
        if not path.exists():
            make(path)
        return path


def job(size, profile, load, *options, kernel="spin", arg="32"):
    """The words of a command with this job."""
    return ["--mesh", size, "--profile", profile, "--kernel", kernel, "--arg",
            arg, *options, *([load] if load else [])]

#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What meshes take of the host's memory: the most that a run's processes take
together at one moment, beside what `run` expects (qemu/job/memory_need.c).
Prints a table; see qemu/board/DESIGN.md."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "lib"))

import mesh  # noqa: E402

MIB = 1 << 20
MESHES = [(["--board", "mps2-an385"], ["1x1", "5x5", "10x10"]),
          (["--board", "mps2-an386"], ["5x5"]),
          (["--board", "mps2-an385", "--boot", "exec"], ["5x5", "10x10"]),
          (["--board", "stm32f405"], ["2x2", "5x5"]),
          (["--on", "native"], ["25x25", "125x125"])]


def peak_of(line):
    """What all processes of a run took at one moment, at most, as far as was
    seen; None if it failed."""
    peak = 0
    with subprocess.Popen([mesh.QUINCUNX, *map(str, line)],
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, mesh.memory_of_all(
                [process.pid, *mesh.children_of(process.pid)]))
            time.sleep(0.02)
    return peak if process.returncode == 0 else None


def main():
    print("| nodes | mesh | load, MB | taken, MiB | expected, MiB |\n"
          "|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        load = pathlib.Path(folder) / "load"
        report = pathlib.Path(folder) / "report.json"
        for options, sizes in MESHES:
            for size in sizes:
                for megabytes in [0.1] if "stm32f405" in options else [0.1, 8]:
                    load.write_bytes(bytes(int(megabytes * 1e6)))
                    taken = peak_of(["run", *options, "--mesh", size,
                                     "--kernel", "search", "--arg", "a",
                                     "--report", report, load])
                    if taken is None:
                        return 1
                    memory = json.loads(report.read_text())["memory"]
                    print(f"| `{' '.join(options)}` | {size} | {megabytes} | "
                          f"{taken / MIB:.0f} | "
                          f"{memory['expected_bytes'] / MIB:.0f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

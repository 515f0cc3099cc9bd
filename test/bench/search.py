# SPDX-License-Identifier: Apache-2.0
"""What a search costs on the board, beside newlib's memmem: instructions a byte
of English text."""
import pathlib
import subprocess
import sys

TEST = pathlib.Path(__file__).resolve().parent.parent
if str(TEST / "lib") not in sys.path:
    sys.path.insert(0, str(TEST / "lib"))
from core import BUILD, QEMU  # noqa: E402

IMAGE = BUILD / "test" / "search_bench.elf"
TEXT = BUILD / "licenses.txt"


def counts():
    """{pattern: {variant: (occurrences, instructions a byte)}}."""
    done = subprocess.run(
        [QEMU, "-M", "mps2-an385", "-nodefaults", "-display",
         "none", "-icount", "shift=5,sleep=off,align=off",
         "-chardev", "stdio,id=out",
         "-semihosting-config", "enable=on,target=native,chardev=out",
         "-kernel", IMAGE], capture_output=True, text=True, timeout=300,
        stdin=subprocess.DEVNULL, check=True)
    table = {}
    for line in done.stdout.splitlines():
        if line.startswith("pattern "):
            row = table.setdefault(line.split(" ", 2)[2], {})
        elif not line.startswith("#"):
            variant, *numbers = line.split()
            _, _, size, count, instructions = map(int, numbers)
            row[variant] = count, instructions / size
    return table


def main():
    print(f"{'instructions a byte':36}{'kernel':>8}{'memmem':>16}"
          f"{'memmem by two':>16}")
    for pattern, row in counts().items():
        ours = row["kernel"][1]
        line = f"{repr(pattern)[:35]:36}{ours:8.3f}"
        for name in ("memmem", "memmem-by-two"):
            if name in row:
                line += f"{row[name][1]:8.2f}{row[name][1] / ours:6.1f} x"
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())

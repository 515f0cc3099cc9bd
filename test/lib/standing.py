# SPDX-License-Identifier: Apache-2.0
"""A mesh of boards that stands still, to be looked at."""
import shutil
import subprocess

import mesh
from guard import GUARD_S


class Standing:
    """A mesh of boards of which one hangs, so that all others wait; as a
    context, at whose end they are gone. The image is a copy, in a folder that
    is made for it: boards are known by its path."""

    def __init__(self, folder, load, *options, size="5x5", arg="1",
                 victim="1,2"):
        width, height = map(int, size.split("x"))
        folder.mkdir()
        self.image = folder / "image.elf"
        shutil.copy(mesh.FIRMWARE, self.image)
        self.process = subprocess.Popen(
            [mesh.QUINCUNX, "run", "--mesh", size, "--kernel", "spin",
             "--arg", arg, "--inject", f"hang@{victim}", "--watchdog", "3600",
             "--firmware", str(self.image), *options, str(load)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        mesh.until(lambda: len(self.boards()) == width * height
                   and self.hanging())

    def boards(self):
        return mesh.boards_with(self.image)

    def hanging(self):
        return max(map(mesh.cpu_s, self.boards()), default=0) > 0.5

    def memory_bytes(self):
        """Of all boards and the launcher in this moment; a page that several
        share is parted among them."""
        return mesh.memory_of_all([self.process.pid, *self.boards()])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate(timeout=GUARD_S)
        mesh.until(lambda: not self.boards())

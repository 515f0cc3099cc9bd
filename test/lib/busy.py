# SPDX-License-Identifier: Apache-2.0
"""A host that is busy."""
import contextlib
import subprocess
import sys


@contextlib.contextmanager
def cores(count):
    """So many processes that never rest meanwhile."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(count)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()

# SPDX-License-Identifier: Apache-2.0
"""Runs of `quincunx model` on platforms given as lists of numbers."""
import json

import mesh


def write(path, rows):
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    return path


def model(tmp_path, kind, rows, **options):
    """The finished process; option None: one without a value."""
    line = ["model", kind, write(tmp_path / "workers", rows)]
    for name, value in options.items():
        line += [f"--{name}"] + ([] if value is None else [str(value)])
    return mesh.command(*line)


def planned(tmp_path, kind, rows, **options):
    """The JSON of a run that succeeds."""
    done = model(tmp_path, kind, rows, json=None, **options)
    assert (done.returncode, done.stderr) == (0, ""), (rows, options)
    return json.loads(done.stdout)


def near(got, want, digits=12):
    """Whether a printed number is this fraction, to so many digits."""
    return abs(got - want) <= abs(want) * 10.0 ** -digits

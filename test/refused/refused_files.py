# SPDX-License-Identifier: Apache-2.0
"""The files that every row of a table of refused input has beside it."""
import functools
import hashlib
import io
import os
import pathlib
import random
import shutil
import wave

import numpy

import flash_image
from core import BUILD


def saved(array):
    """An array as a file of numpy."""
    out = io.BytesIO()
    numpy.save(out, array)
    return out.getvalue()


def sound(frames, channels=2, rate=8000):
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((channels, 2, rate, 0, "NONE", ""))
        file.writeframes(frames)
    return out.getvalue()


@functools.cache
def made():
    """Bytes by name."""
    noise = random.Random(5).randbytes(6000)
    return {
        "load": b"abcabc" * 200,
        "firmware.elf": flash_image.good(),
        "few": b"few",
        "empty": b"",
        "bytes": noise,
        "words": b"".join(b"word%d\n" % i for i in range(500)),
        "digests": hashlib.sha256(b"word77").hexdigest().encode() + b"\n",
        "table.csv": b"id,name,price\n" + b"".join(
            b'%d,"it""em %d",%d.25\n' % (i, i, i) for i in range(300)),
        "sound.wav": sound(noise),
        "short.wav": sound(noise)[:3000],
        "many.wav": sound(noise[:130], channels=65),
        "slow.wav": sound(noise, rate=1),
        "grey.pgm": b"P5 60 100 255\n" + noise,
        "short.pgm": b"P5 60 100 255\n" + noise[:3000],
        "rgb.ppm": b"P6 40 50 255\n" + noise,
        "matrix.npy": saved(numpy.ones((40, 9), dtype="int32")),
        "vector.npy": saved(numpy.ones(9, dtype="int32")),
    }


def make(folder):
    """Brings a folder to its first state: the files, an empty folder, a link
    and a hard link to the load, and firmware of both kinds of boards, of which the slow form lacks."""
    folder = pathlib.Path(folder)
    keep = {*made(), "folder", "link", "hard", "board.elf", "serial.elf"}
    for entry in folder.iterdir():
        if entry.name not in keep:
            (shutil.rmtree if entry.is_dir() else os.unlink)(entry)
    for name, content in made().items():
        path = folder / name
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
    (folder / "folder").mkdir(exist_ok=True)
    if not (folder / "link").exists():
        (folder / "link").symlink_to("load")
        os.link(folder / "load", folder / "hard")
        for name, board in (("board", "mps2_an385"), ("serial", "stm32f405")):
            shutil.copy(BUILD / board / "firmware.elf",
                        folder / f"{name}.elf")

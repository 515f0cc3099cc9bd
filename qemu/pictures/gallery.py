# SPDX-License-Identifier: Apache-2.0
"""The gallery of kernels/README.md: makes three inputs, runs three kernels on
25 boards, and draws what went in and what came out.

usage: gallery.py QUINCUNX PICTURES FOLDER
"""
import csv
import pathlib
import subprocess
import sys

import numpy

SIDE = 192
RATE = 16000


def tool(*words):
    """What a program prints."""
    return subprocess.run([str(word) for word in words], check=True,
                          stdout=subprocess.PIPE, timeout=600).stdout


def job(quincunx, kernel, arg, output, *load):
    print(f"running {kernel} --arg {arg}", flush=True)
    tool(quincunx, "run", "--mesh", "5x5", "--profile", "t3d", "--kernel",
         kernel, "--arg", arg, "-o", output, *load)


def plot(script, target):
    done = subprocess.run(["gnuplot", "-"], input=script, text=True,
                          capture_output=True, check=True, timeout=120)
    target.write_text("\n".join(line.rstrip() for line in
                                done.stdout.splitlines()) + "\n",
                      encoding="utf-8")


HEAD = """set terminal svg size {size} background rgb 'white' font 'sans,12'
"""


def pixels(path):
    """Lines of x, y, red, green, blue and alpha, rows from the top."""
    raw = tool("convert", path, "-depth", "8", "rgba:-")
    samples = numpy.frombuffer(raw, numpy.uint8).reshape(-1, 4)
    y, x = numpy.divmod(numpy.arange(len(samples)), SIDE)
    return numpy.column_stack((x, y, samples))


def picture(quincunx, target, folder):
    """Five points in a mist that fades towards the corners, and their edges;
    a PNG with alpha."""
    before, after = folder / "before.png", folder / "after.png"
    points = [word for x, y in ((96, 96), (48, 48), (144, 48), (48, 144),
                                (144, 144))
              for word in ("-draw", f"circle {x},{y} {x + 20},{y}")]
    tool("convert", "-size", f"{SIDE}x{SIDE}", "-seed", "5",
         "plasma:steelblue4-tan", "-blur", "0x3", "-fill", "lemonchiffon",
         *points, "(", "radial-gradient:white-gray25", ")", "-alpha", "off",
         "-compose", "CopyOpacity", "-composite", "-depth", "8", before)
    job(quincunx, "conv", "filter=sobel", after, before)
    script = HEAD.format(size="640,340") + (
        "set multiplot layout 1,2\nunset tics\nset size ratio -1\n"
        "set yrange [] reverse\n")
    for name, path in (("input", before), ("output", after)):
        numpy.savetxt(folder / name, pixels(path), fmt="%d")
        script += (f"set title '{name}'\nplot '{folder / name}' with "
                   "rgbalpha notitle\n")
    plot(script + "unset multiplot\n", target)


def read_sound(path):
    return numpy.frombuffer(tool("sox", path, "-t", "s16", "-"), "<i2")


def sound(quincunx, target, folder):
    """A chirp and noise, through a band-pass."""
    before, after = folder / "before.flac", folder / "after.flac"
    tool("sox", "-R", "-n", "-r", RATE, "-b", "16", "-c", "1", before, "synth",
         "2", "sin", "100:7000", "synth", "2", "noise", "mix", "gain", "-3")
    job(quincunx, "fir", "band=1500:3000,taps=127", after, before)
    script = HEAD.format(size="640,360") + (
        "set multiplot layout 2,1\nset xlabel 'seconds'\n"
        "set yrange [-1:1]\nset ytics 1\n")
    for name, path in (("input", before), ("output", after)):
        values = read_sound(path) / 32768
        times = numpy.arange(len(values)) / RATE
        numpy.savetxt(folder / f"{name}.txt",
                      numpy.column_stack((times, values))[::16], fmt="%.5f")
        script += (f"set title '{name}'\nplot '{folder / name}.txt' with "
                   "lines lc rgb '#2060a0' lw 0.5 notitle\n")
    plot(script + "unset multiplot\n", target)


def sweep(quincunx, target, folder):
    """Calcium channels at 61 voltages."""
    table = folder / "channels.csv"
    job(quincunx, "channels", "voltage=-60:60:61,channels=3200,steps=200",
        table)
    with table.open(newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    with (folder / "sweep").open("w", encoding="ascii") as file:
        for row in rows:
            print(row["voltage_mV"], row["mean_pA"], row["sd_pA"],
                  row["open_fraction"], file=file)
    plot(HEAD.format(size="640,340") + (
        "set xlabel 'voltage, mV'\nset ylabel 'mean current, pA'\n"
        "set y2label 'open fraction'\nset y2tics\nset ytics nomirror\n"
        "set key bottom left\n"
        f"plot '{folder / 'sweep'}' using 1:2:3 with yerrorbars pt 7 ps 0.4 "
        "lc rgb '#2060a0' title 'current and its deviation', '' using 1:4 "
        "axes x1y2 with lines lc rgb '#c05020' title 'open fraction'\n"),
         target)


def main():
    quincunx, pictures, folder = map(pathlib.Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    picture(quincunx, pictures / "conv.svg", folder)
    sound(quincunx, pictures / "fir.svg", folder)
    sweep(quincunx, pictures / "channels.svg", folder)
    for name in ("conv", "fir", "channels"):
        print(f"picture   {pictures / name}.svg")
    print(f"inputs and outputs are in {folder}")


if __name__ == "__main__":
    main()

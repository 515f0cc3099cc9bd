# SPDX-License-Identifier: Apache-2.0
"""`quincunx flash-map` on made-up folders of USB devices."""
import csv
import subprocess

import pytest

import mesh
from guard import GUARD_S


class Usb:
    """As /sys/bus/usb/devices and /dev/serial/by-id are."""

    def __init__(self, folder):
        self.folder = folder / "usb"
        self.by_id = folder / "by-id"
        self.folder.mkdir()
        self.by_id.mkdir()
        self.map = folder / "mesh.csv"

    def add(self, place, ids, product, serial=None, ttys=(), interfaces=()):
        vendor, number = ids.split(":")
        device = self.folder / place
        device.mkdir()
        for name, value in (("idVendor", vendor), ("idProduct", number),
                            ("product", product), ("serial", serial)):
            if value is not None:
                (device / name).write_bytes(value.encode("latin1") + b"\n")
        for at, tty in enumerate(ttys):
            (self.folder / f"{place}:1.{at}" / tty).mkdir(parents=True)
        for at, text in enumerate(interfaces, len(ttys)):
            one = self.folder / f"{place}:1.{at}"
            one.mkdir()
            (one / "interface").write_text(text + "\n")

    def run(self, *args):
        return mesh.command("flash-map", "--usb", self.folder, "--by-id",
                            self.by_id, *args)

    def rows(self):
        with open(self.map, encoding="ascii", newline="") as file:
            return list(csv.DictReader(file))


@pytest.fixture(name="usb")
def fixture_usb(tmp_path):
    return Usb(tmp_path)


@pytest.fixture(name="bench")
def fixture_bench(usb):
    """One of each, and what is none of them."""
    usb.add("usb1", "1d6b:0002", "xHCI Host Controller", "0000:00:14.0")
    usb.add("1-2", "0483:374b", "STM32 STLink", "066DFF485550755187121723",
            ttys=["tty/ttyACM0"])
    usb.add("1-10", "0483:3748", "STM32 STLink", "003A00213137510C33333639")
    usb.add("1-3", "1366:0101", "J-Link", "000050123456")
    usb.add("1-4", "0d28:0204", "DAPLink CMSIS-DAP", "0240000032044e45")
    usb.add("1-5", "2e8a:000c", "Debug Probe (CMSIS-DAP)", "E6633861A3")
    usb.add("1-6", "c251:f001", "Some probe", "LU_2022",
            interfaces=["HID", "CMSIS-DAP v2"])
    usb.add("2-1.4", "1a86:7523", "USB Serial", ttys=["ttyUSB0"])
    usb.add("2-1.3", "0403:6001", "FT232R USB UART", "A50285BI",
            ttys=["ttyUSB1"])
    usb.add("2-2", "0483:df11", "STM32  BOOTLOADER", "357236543131")
    usb.add("2-3", "046d:c077", "Mouse")
    return usb


def test_what_is_plugged_in(bench):
    done = bench.run()
    assert (done.returncode, done.stderr) == (0, "")
    listed = [line.split(maxsplit=4) for line in
              done.stdout.splitlines()[1:]]
    assert [(words[0], words[1], words[2], words[3].rstrip(","))
            for words in listed] == [
        ("probe", "stlink", "1-2", "066DFF485550755187121723"),
        ("probe", "jlink", "1-3", "000050123456"),
        ("probe", "cmsis-dap", "1-4", "0240000032044e45"),
        ("probe", "cmsis-dap", "1-5", "E6633861A3"),
        ("probe", "cmsis-dap", "1-6", "LU_2022"),
        ("probe", "stlink", "1-10", "003A00213137510C33333639"),
        ("port", "-", "2-1.3", "/dev/ttyUSB1"),
        ("port", "-", "2-1.4", "/dev/ttyUSB0"),
        ("dfu", "-", "2-2", "357236543131")]
    assert listed[1][4] == "J-Link"


def test_a_map_of_it(bench, tmp_path):
    """flash reads it: only that the programs are none is wrong. A file that is
    there stays, unless it is told to go."""
    build = mesh.BUILD.relative_to(mesh.ROOT)
    done = subprocess.run(
        ["make", "-s", "-C", mesh.ROOT, "flash-map", f"MAP={bench.map}",
         f"BUILD={build}", f"MAP_OPTIONS=--usb {bench.folder} --by-id "
         f"{bench.by_id} --ports"],
        capture_output=True, text=True, timeout=GUARD_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"{bench.map}: 9 lines\n")
    rows = bench.rows()
    assert [(row["probe"], row["interface"]) for row in rows[:6]] == [
        ("066DFF485550755187121723", "stlink"), ("000050123456", "jlink"),
        ("0240000032044e45", "cmsis-dap"), ("E6633861A3", "cmsis-dap"),
        ("LU_2022", "cmsis-dap"), ("003A00213137510C33333639", "stlink")]
    assert [row["port"] for row in rows[6:8]] == ["/dev/ttyUSB1",
                                                  "/dev/ttyUSB0"]
    assert rows[8]["dfu"] == "357236543131"
    assert all(row["x"] == row["y"] == row["unique"] == "" for row in rows)
    done = bench.run("-o", bench.map)
    assert done.returncode == 1
    assert done.stderr == (f"quincunx: {bench.map}: is there already; --force "
                           "replaces it\n")
    assert bench.rows() == rows
    assert bench.run("-o", bench.map, "--force").returncode == 0
    assert len(bench.rows()) == 7, "without ports"
    done = mesh.command(
        "flash", "--board", "stm32f405", "--map", bench.map, "--openocd",
        tmp_path / "none", "--jobs", "1", "--usb", tmp_path / "none",
        mesh.BUILD / "stm32f405" / "firmware.elf")
    assert done.returncode == 1
    assert (f"probe 066DFF485550755187121723 ({bench.map}:2): its program "
            "did not come to the board") in done.stderr
    assert bench.run("-o", bench.map.parent / "none" / "a").returncode == 1


def test_a_port_by_its_lasting_name(usb):
    """/dev/tty, the one that is everywhere; a map has no commas in names."""
    usb.add("2-1", "0403:6001", "FT232R", "A5", ttys=["tty/tty"])
    for name, target in (("Other", "/dev/null"), ("Gone", "/dev/ttyUSB99"),
                         ("FTDI,A5", "/dev/tty")):
        (usb.by_id / f"usb-{name}-if00").symlink_to(target)
    done = usb.run("-o", usb.map)
    assert done.returncode == 1 and "--ports" in done.stderr
    assert usb.run("--ports", "-o", usb.map).returncode == 0
    assert usb.rows()[0]["port"] == "/dev/tty"
    link = usb.by_id / "usb-FTDI_A5-if00"
    link.symlink_to("/dev/tty")
    assert usb.run("--ports", "-o", usb.map, "--force").returncode == 0
    assert usb.rows()[0]["port"] == str(link)


def test_serial_numbers_that_cannot_be_used(usb):
    """Old ST-Links have bytes there that are no text."""
    usb.add("1-1", "0483:3748", "STM32 STLink", "H\xff\x06R\x02")
    usb.add("1-2", "0483:df11", "STM32  BOOTLOADER")
    done = usb.run("-o", usb.map)
    assert done.stdout.count("(its serial number cannot be used)") == 2
    assert done.returncode == 1 and not usb.map.exists()
    assert "is not written: no probe and no DFU device" in done.stderr

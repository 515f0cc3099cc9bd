# SPDX-License-Identifier: Apache-2.0
"""What bad input gets: one line that names the value, and an exit status.

2 for wrong usage, 1 for a run that fails; nothing on standard output.
"""
import errno
import itertools
import json
import os
import re
import resource
import signal
import subprocess
import time

import pytest

import mesh
import parts

USAGE, FAILED = 2, 1
GOOD = {"mesh": "5x5", "kernel": "search", "arg": "abc", "on": "native"}


@pytest.fixture(name="load")
def fixture_load(tmp_path):
    path = tmp_path / "load"
    path.write_bytes(b"abcabc" * 200)
    return path


def run(load, *args, env=None, cwd=None, **options):
    """Runs GOOD with some options changed, or None to leave one out."""
    line = ["run", *args]
    for name, value in {**GOOD, **options}.items():
        if value is not None:
            line += ["--" + name.replace("_", "-"), value]
    if load is not None:
        line.append(load)
    return mesh.command(*line, env=env, cwd=cwd, timeout=120)


def refused(done, status, *words):
    """Exit status, silence on stdout, and a message with these words."""
    assert done.returncode == status, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("quincunx")
    assert len(done.stderr.splitlines()) <= 3, done.stderr
    for word in words:
        assert str(word) in done.stderr, (word, done.stderr)


def test_good_input_works(load):
    done = run(load)
    assert (done.returncode, done.stderr) == (0, "")


# ---- the load ----

@pytest.mark.parametrize("on", ["native", "qemu"])
def test_missing_file(tmp_path, on):
    missing = tmp_path / "no-such-file"
    refused(run(missing, on=on), FAILED, missing, "No such file")


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_unreadable_file(tmp_path, on):
    """Root may read any file, but nobody can read a folder."""
    refused(run(tmp_path, on=on), FAILED, tmp_path, "directory")


def test_file_without_permission(load):
    load.chmod(0)
    if os.access(load, os.R_OK):
        pytest.skip("this user may read every file")
    refused(run(load), FAILED, load, "Permission denied")


def test_a_device_is_no_load():
    refused(run("/dev/zero"), FAILED, "/dev/zero", "a file, a pipe")


def test_standard_input_that_is_none():
    for stdin in ("/dev/zero", "/dev/null"):
        with open(stdin, "rb") as file:
            done = subprocess.run(
                [mesh.QUINCUNX, "run", "--mesh", "2x2", "--on", "native",
                 "--kernel", "search", "--arg", "y", "-"], stdin=file,
                capture_output=True, text=True, check=False, timeout=60)
        refused(done, FAILED, "standard input", "a file or a pipe")
    done = subprocess.run(
        ["sh", "-c", f"exec '{mesh.QUINCUNX}' run --mesh 2x2 --on native "
         "--kernel search --arg y - <&-"],
        capture_output=True, text=True, check=False, timeout=60)
    refused(done, FAILED, "standard input", "Bad file descriptor")


def test_an_argument_without_its_option(load):
    done = mesh.command("run", "--mesh", "2x2", "--on", "native", "--kernel",
                        "search", "needle", load)
    refused(done, USAGE, "'needle'", "is --arg 'needle' meant?")
    done = mesh.command("run", "--mesh", "2x2", "--on", "native", "--kernel",
                        "spin", "needle", load)
    refused(done, USAGE, load, "is --arg 'needle' meant?")
    done = mesh.command("run", "--mesh", "2x2", "--on", "native", "--kernel",
                        "search", "--arg", "a", load, load)
    assert "meant" not in done.stderr


def test_a_mesh_that_is_no_size(load):
    done = mesh.command("run", "--mesh", "7", "--kernel", "search", "--arg",
                        "a", load)
    refused(done, USAGE, "'7'", "each 1 to 125")


def test_a_file_that_becomes_shorter_in_the_run(tmp_path):
    """Each batch is read when its turn comes."""
    load = tmp_path / "load"
    load.write_bytes(b"x" * 20_000_000)
    with subprocess.Popen([mesh.QUINCUNX, "run", "--mesh", "5x5", "--on",
                           "native", "--kernel", "search", "--arg", "y",
                           "--batch", "1000", load], text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        time.sleep(.5)
        os.truncate(load, 1)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (FAILED, "")
    assert f"quincunx: {load}: could not be read to its end" in errors


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_empty_load(tmp_path, on):
    empty = tmp_path / "empty"
    empty.touch()
    refused(run(empty, on=on), FAILED, empty, "empty")


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_fewer_bytes_than_nodes(tmp_path, on):
    small = tmp_path / "small"
    small.write_bytes(b"abcabcab")
    done = run(small, "--json", on=on)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["offsets"] == [0, 3]


def most_at_once(path, **options):
    """What a node's memory takes of a load of single bytes, as it says."""
    done = run(mesh.zeros(path, 64 * 2 ** 20), "--batch", 2 ** 32 - 1,
               **options)
    refused(done, FAILED, f"--batch {2 ** 32 - 1}", path, "at most")
    return int(done.stderr.split("takes ")[1].split()[0])


@pytest.mark.parametrize("on", ["native", "qemu"])
def test_batch_larger_than_a_nodes_memory(tmp_path, on):
    limit = most_at_once(tmp_path / "large", on=on)
    assert 8 * 10 ** 6 < limit < 16 * 2 ** 20
    refused(run(mesh.zeros(tmp_path / "over", limit + 1), "--batch", limit + 1,
                on=on), FAILED, limit + 1, limit)


@pytest.mark.parametrize("size,on", [("1x1", "native"), ("5x5", "native"),
                                     ("5x5", "qemu")])
def test_largest_load_that_is_allowed_works(tmp_path, size, on):
    """With the longest argument, whose messages are the largest."""
    limit = most_at_once(tmp_path / "large", mesh=size, on=on, arg="z" * 255)
    path = mesh.zeros(tmp_path / "largest", limit)
    with path.open("r+b") as file:
        file.seek(limit - 255)
        file.write(b"z" * 255)
    done = run(path, "--json", mesh=size, on=on, arg="z" * 255)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["result"]["offsets"] == [limit - 255]
    assert "batches" not in report


# ---- the kernel and its argument ----

def test_unknown_kernel(load):
    done = run(load, kernel="serach")
    refused(done, USAGE, "serach", "search", "spin")


def test_kernel_name_is_not_cut(load):
    refused(run(load, kernel="searchsearchsearchsearch"), USAGE,
            "searchsearchsearchsearch")


@pytest.mark.parametrize("option,value", [("arg", ""), ("arg_hex", ""),
                                          ("arg", None)])
def test_empty_pattern(load, option, value):
    done = run(load, **{"arg": None, option: value})
    refused(done, USAGE, "--arg", "search", "1 to 255 bytes")


def test_pattern_too_long(load):
    """For the kernel; or for any, before it is asked."""
    for length in (256, 4095):
        refused(run(load, arg="x" * length), USAGE, "--arg", "pattern 1",
                "1 to 255 bytes")
        refused(run(load, arg=None, arg_hex="ab" * length), USAGE, "--arg",
                "pattern 1", "1 to 255 bytes")
    for length in (4096, 65_536):
        refused(run(load, arg="x" * length), USAGE, "--arg", length, 4095)
    refused(run(load, arg=None, arg_hex="ab" * 4096), USAGE, "--arg-hex",
            4095)


@pytest.mark.parametrize("value", ["abc", "0g", "0x00", " 00", "-1", "ab c"])
def test_malformed_hexadecimal(load, value):
    refused(run(load, arg=None, arg_hex=value), USAGE, value, "hexadecimal")


@pytest.mark.parametrize("value", ["0", "", "-1", "1.5", "32x", "100001",
                                   "4294967296", "18446744073709551616",
                                   " 3", "9" * 200])
def test_bad_argument_of_spin(load, value):
    refused(run(load, kernel="spin", arg=value), USAGE, value, "spin",
            "1 to 100000")


def test_output_of_a_kernel_that_has_none(load, tmp_path):
    refused(run(load, "-o", tmp_path / "out"), USAGE, tmp_path / "out",
            "search")
    assert not (tmp_path / "out").exists()


# ---- the profile ----

def test_unknown_profile(load):
    refused(run(load, profile="lvsd"), USAGE, "lvsd", "t3d", "lvds", "uart")


GOOD_PROFILE = ["startup = 1us", "transfer = 1ns", "hop_delay = 0"]


def test_profile_file_works(load, tmp_path):
    path = tmp_path / "mine"
    path.write_text("# mine\n\n" + "\n".join(GOOD_PROFILE) + "  # none\n")
    done = run(load, "--json", profile=path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["profile"] == {
        "name": "mine", "startup_ps": 10 ** 6, "transfer_ps_per_byte": 1000,
        "hop_delay_ps": 0}


@pytest.mark.parametrize("line,words", [
    ("startup = fast", ["fast", "such as"]),
    ("startup = 1", ["'1'", "such as"]),
    ("startup = -1us", ["-1us"]),
    ("startup = 1.5ps", ["1.5ps"]),
    ("startup = 1e3us", ["1e3us"]),
    ("startup = 1000s", ["1000s", "100s"]),
    ("startup = 99999999999999999999s", ["99999999999999999999s"]),
    ("startup =", ["startup"]),
    ("startup", ["startup"]),
    ("start = 1us", ["start", "hop_delay"]),
    ("\0\x01binary", []),
    ("x" * 400, ["x" * 20]),
])
def test_malformed_profile(load, tmp_path, line, words):
    path = tmp_path / "mine"
    path.write_text("\n".join([line, *GOOD_PROFILE[1:]]) + "\n")
    refused(run(load, profile=path), USAGE, path, *words)


@pytest.mark.parametrize("line,place", [("transfer = 1ns", 4),
                                        ("junk = 1ns", 4)])
def test_profile_error_names_the_line(load, tmp_path, line, place):
    path = tmp_path / "mine"
    path.write_text("\n".join([*GOOD_PROFILE, line]) + "\n")
    refused(run(load, profile=path), USAGE, f"{path}:{place}",
            line.split()[0])


@pytest.mark.parametrize("left_out", range(3))
def test_profile_that_lacks_a_line(load, tmp_path, left_out):
    path = tmp_path / "mine"
    path.write_text("\n".join(GOOD_PROFILE[:left_out]
                              + GOOD_PROFILE[left_out + 1:]) + "\n")
    refused(run(load, profile=path), USAGE, path,
            GOOD_PROFILE[left_out].split()[0])


def test_profile_that_is_empty_or_a_folder(load, tmp_path):
    empty = tmp_path / "empty"
    empty.touch()
    refused(run(load, profile=empty), USAGE, empty)
    refused(run(load, profile=tmp_path), USAGE, tmp_path)


# ---- the mesh ----

@pytest.mark.parametrize("size", ["126x5", "5x126", "1x3125", "126x125",
                                  "625x625", "3125x3125"])
@pytest.mark.parametrize("on", ["native", "qemu"])
def test_mesh_that_is_too_large(load, size, on):
    refused(run(load, mesh=size, on=on), USAGE, f"'{size}'",
            "must be 1x1 to 125x125")


@pytest.mark.parametrize("size", ["4x4", "2x2", "1x31", "31x1", "6x5"])
def test_mesh_that_is_no_power_of_five(load, size):
    done = run(load, "--json", mesh=size)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"]["count"] == 400


@pytest.mark.parametrize("size", ["5", "5x", "x5", "0x0", "0x5", "5x0", "-5x5",
                                  "5x5x5",
                                  "5X5", "axb", "", " 5x5", "65541x65541",
                                  "99999999999999999999x5"])
def test_malformed_mesh(load, size):
    refused(run(load, mesh=size), USAGE, f"'{size}'", "5x5")


def test_mesh_too_large_for_serial_ports(load):
    refused(run(load, "--board", "stm32f405", mesh="32x5", on="qemu"), USAGE,
            "'32x5'", "must be 1x1 to 31x31 on boards with serial ports")


@pytest.mark.parametrize("where", ["5,0", "0,5", "25,25", "65536,0"])
def test_originator_outside_the_mesh(load, where):
    refused(run(load, originator=where), USAGE, f"'{where}'")


@pytest.mark.parametrize("where", ["1", "1,", ",1", "-1,0", "1,2,3", "a,b",
                                   "", "1;2", "4294967296,0"])
def test_malformed_originator(load, where):
    refused(run(load, originator=where), USAGE, f"'{where}'")


# ---- phases, rounds, where ----

@pytest.mark.parametrize("on", ["native", "qemu"])
def test_infeasible_phases(tmp_path, on):
    """A startup that outweighs the load: nothing is worth sending."""
    profile = tmp_path / "slow"
    profile.write_text("startup = 1s\ntransfer = 1ns\nhop_delay = 0\n")
    tiny = tmp_path / "tiny"
    tiny.write_bytes(b"abcabcabc")
    for phases in ("1", "2"):
        done = run(tiny, on=on, profile=profile, phases=phases)
        refused(done, FAILED, f"--phases {phases}", "at most 0")
        if on == "qemu":
            break
    done = run(tiny, on=on, profile=profile, phases="0")
    assert done.returncode == 0, done.stderr


def test_more_phases_than_the_mesh_has(load):
    refused(run(load, phases="3"), USAGE, "--phases 3", "at most 2")
    refused(run(load, mesh="1x1", phases="1"), USAGE, "--phases 1",
            "at most 0")


@pytest.mark.parametrize("value", ["-1", "x", "", "1.5", "11", "256", "258",
                                   "4294967296", "99999999999999999999"])
def test_malformed_phases(load, value):
    refused(run(load, phases=value), USAGE, f"'{value}'")


@pytest.mark.parametrize("value", ["0", "17", "-1", "x", "many", "", "1x",
                                   "1.5", "255", "256", "257", "4294967297"])
def test_rounds(load, value):
    refused(run(load, rounds=value), USAGE, f"'{value}'", "auto")


@pytest.mark.parametrize("phases, on", parts.cases(
    itertools.product([None, "1", "2"], ["native", "qemu"]),
    [(None, "native"), ("1", "qemu")]))
def test_infeasible_rounds(tmp_path, on, phases):
    """So many rounds of so few bytes: some circuit would go out empty."""
    tiny = tmp_path / "tiny"
    tiny.write_bytes(b"abcabcabc" * 8)
    done = run(tiny, on=on, rounds="16", phases=phases)
    refused(done, FAILED, "--rounds 16", "infeasible")
    assert run(tiny, on=on, rounds="auto").returncode == 0


@pytest.mark.parametrize("value", ["hardware", "", "QEMU", "nativ"])
def test_where(load, value):
    refused(run(load, on=value), USAGE, f"'{value}'", "qemu", "native")


@pytest.mark.parametrize("value", ["0", "-1", "x", "", "86401"])
def test_watchdog(load, value):
    refused(run(load, watchdog=value), USAGE, f"'{value}'")


@pytest.mark.parametrize("value", ["explode@1,1", "die", "die@", "die@1",
                                   "die@5,5", "@1,1"])
def test_injection(load, value):
    refused(run(load, inject=value, on="qemu"), USAGE, value.split("@")[-1])


KINDS = "slow2@X,Y, slow4@X,Y or slow8@X,Y, each also with @TIME, or fault@X,Y"


@pytest.mark.parametrize("value,allowed", [
    ("slow3@1,1", KINDS), ("slow@1,1", KINDS), ("slow16@1,1", KINDS),
    ("slow08@1,1", KINDS), ("slow8", KINDS), ("8@1,1", KINDS),
    ("hang@1,1@3ms", KINDS), ("assert@1,1@0", KINDS),
    ("s" * 40 + "@1,1", KINDS), ("slow8@" + "1" * 40, KINDS),
    ("slow8@1,1@", "a time such as"), ("slow8@1,1@5", "a time such as"),
    ("slow8@1,1@-1ms", "a time such as"), ("slow8@1,1@1ms@2ms", "time such"),
    ("slow8@1,1@0.1ps", "a whole number of picoseconds"),
    ("slow8@1,1@101s", "at most 100s"),
    ("slow8@1,1@100000000000001ps", "at most 100s"),
    ("slow8@1,1@" + "9" * 30 + "s", "2^64 ps")])
def test_injected_slowdown(load, value, allowed):
    for where in ("native", "qemu"):
        refused(run(load, inject=value, on=where), USAGE,
                f"--inject '{value}'", allowed)


def test_injections_that_do_not_suit_each_other(load):
    refused(run(load, "--inject", "slow2@1,2@3ms", inject="slow8@1,2"), USAGE,
            "the only one at its node")
    refused(run(load, "--inject", "slow8@1,2", inject="assert@1,2"), USAGE,
            "--inject 'assert@1,2'", "the only one at its node")
    refused(run(load, slow="1,2=4", inject="slow8@1,2@0"), USAGE,
            "--inject 'slow8@1,2@0'", "without --slow")
    refused(run(load, inject="slow8@5,4"), USAGE, "--inject '5,4'",
            "0,0 to 4,4")
    refused(run(load, inject="slow8@1,2", on=None, board="stm32f405"), USAGE,
            "--inject")
    assert run(load, slow="1,3=4", inject="slow8@1,2@0").returncode == 0
    assert run(load, inject="slow8@1,2@100s").returncode == 0


def test_no_image_of_boards_that_become_slow(load, tmp_path):
    image = tmp_path / "board.elf"
    image.write_bytes(mesh.FIRMWARE.read_bytes())
    refused(run(load, inject="slow8@1,2@3ms", on="qemu", firmware=image),
            FAILED, "board_slow.elf", "no firmware image")


# ---- options ----

@pytest.mark.parametrize("missing,word", [("mesh", "--mesh"),
                                          ("kernel", "--kernel")])
def test_missing_option(load, missing, word):
    refused(run(load, **{missing: None}), USAGE, word)


def test_missing_input():
    refused(run(None), USAGE, "INPUT")


def test_two_inputs(load):
    refused(run(load, load, kernel="spin", arg="1"), USAGE, load, "one INPUT")


@pytest.mark.parametrize("args", [["--colour"], ["--colour=red"], ["-Z"]])
def test_unknown_option(load, args):
    refused(run(load, *args), USAGE, args[0].split("=")[0].lstrip("-"))


def test_option_without_its_value():
    refused(mesh.command("run", "--mesh"), USAGE, "mesh")


def test_subcommands():
    done = mesh.command()
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "plan" in done.stderr and "run" in done.stderr
    done = mesh.command("sprint", "--mesh", "5x5")
    assert (done.returncode, done.stdout) == (USAGE, "")
    assert "'sprint'" in done.stderr
    refused(mesh.command("kernels", "more"), USAGE, "kernels")


# ---- schedules, ports, switching, slow nodes ----

SCHEDULES = "peters-syska, equal, binomial, nearest, star, farm, hybrid or auto"


@pytest.mark.parametrize("option,value,allowed", [
    ("schedule", "staar", SCHEDULES), ("schedule", "", SCHEDULES),
    ("schedule", "STAR", SCHEDULES),
    ("installment", "0", "1 to 250"), ("installment", "251", "1 to 250"),
    ("installment", "-1", "1 to 250"), ("installment", "", "1 to 250"),
    ("installment", "2.5", "1 to 250"),
    *[("levels", value, "1, 2 or auto")
      for value in ("", "0", "3", "12", "-1", "Auto", "2 ")],
    ("ports", "0", "1, 2 or 4"), ("ports", "3", "1, 2 or 4"),
    ("ports", "", "1, 2 or 4"), ("ports", "44", "1, 2 or 4"),
    ("ports", "-1", "1, 2 or 4"), ("ports", " 4", "1, 2 or 4"),
    ("ports", "x", "1, 2 or 4"), ("ports", "257", "1, 2 or 4"),
    ("switching", "x", "circuit or store-and-forward"),
    ("switching", "", "circuit or store-and-forward"),
    ("switching", "store", "circuit or store-and-forward"),
    *[("slow", value, "X,Y=F with F 1, 2, 4 or 8")
      for value in ("", "1,1", "1,1=", "1,1=3", "1,1=16", "1,1=0", "1,1=-2",
                    "1=2", "=2", ",=2", "1,=2", "a,b=2", "1,1,1=2",
                    "1,1 =2", "1,1=2x", "1,1=02", "65536,0=2",
                    "4294967296,0=2", "9" * 40 + ",0=2")]])
def test_bad_schedule(load, option, value, allowed):
    for mesh_size in ("5x5", "7x3"):
        refused(run(load, mesh=mesh_size, **{option: value}), USAGE,
                f"--{option} '{value}'", allowed)


def test_installment_and_rounds_of_a_farm(load):
    refused(run(load, installment="2"), USAGE, "--installment 2", "farm")
    refused(run(load, schedule="star", installment="2"), USAGE,
            "--installment 2", "farm")
    refused(run(load, schedule="farm", rounds="2"), USAGE, "--rounds 2",
            "1 or auto", "farm")
    refused(run(load, schedule="farm", phases="1"), USAGE, "--phases 1")


def test_levels_that_are_no_farms(load):
    for levels in ("1", "2"):
        refused(run(load, levels=levels), USAGE, f"--levels {levels}", "farm")
        refused(run(load, schedule="star", levels=levels), USAGE,
                f"--levels {levels}", "farm", "star")
    refused(run(load, schedule="farm", levels="2", kernel="spin",
                arg="32,1/1"), USAGE, "--levels 2", "1 or auto", "output")
    refused(mesh.command("run", "--mesh", "5x5", "--kernel", "spin", "--arg",
                         "32", "--schedule", "farm", "--levels", "2",
                         "--originator", f"0,0={load}",
                         "--originator", f"2,2={load}"), USAGE,
            "--levels 2", "1 or auto", "--originator")
    refused(mesh.command("run", "--mesh", "3x3", "--kernel", "spin", "--arg",
                         "32", "--schedule", "farm", "--levels", "2",
                         "--board", "stm32f405", load), USAGE,
            "--levels 2", "1 or auto", "stm32f405")


@pytest.mark.parametrize("where", ["5,0", "0,5", "6,6", "3000,3000"])
def test_slow_node_outside_the_mesh(load, where):
    refused(run(load, slow=f"{where}=2"), USAGE, "--slow", where, "0,0 to 4,4")
    assert run(load, slow="4,4=2").returncode == 0
    assert run(load, slow="6,2=2", mesh="7x3").returncode == 0


NEEDS_A_TREE = [{"mesh": "7x3"}, {"schedule": "star"}, {"schedule": "equal"},
                {"ports": "1"}, {"ports": "2"}, {"slow": "1,1=2"},
                {"switching": "store-and-forward"}]


@pytest.mark.parametrize("options", NEEDS_A_TREE)
def test_phases_and_rounds_with_a_tree(load, options):
    for phases in ("0", "1"):
        refused(run(load, phases=phases, **options), USAGE,
                f"--phases {phases}", "5^k x 5^k", "four ports")
    if options.get("schedule") == "equal":
        for rounds in ("2", "4", "16"):
            refused(run(load, rounds=rounds, **options), USAGE,
                    f"--rounds {rounds}", "must be 1 or auto", "equal")
    for rounds in ("1", "auto"):
        assert run(load, rounds=rounds, **options).returncode == 0


@pytest.mark.parametrize("option", ["schedule", "ports", "switching", "slow"])
def test_option_of_a_tree_without_its_value(option):
    refused(mesh.command("run", f"--{option}"), USAGE, option)


# ---- plan and figures ----

PLAN = {"torus": "5", "load": "1000", "startup": "1us", "transfer": "1ns",
        "compute": "1us"}


def plan(**options):
    """`plan` with some options changed, or None to leave one out."""
    line = ["plan"]
    for name, value in {**PLAN, **options}.items():
        if value is not None:
            line += ["--" + name.replace("_", "-"), value]
    return mesh.command(*line, timeout=60)


def test_good_plan_works():
    assert plan().returncode == 0
    assert plan(startup="0", transfer="0").returncode == 0


@pytest.mark.parametrize("option,value,allowed", [
    ("compute", "0", "1ps or more"), ("compute", "0s", "1ps or more"),
    ("compute", "-1us", "such as"), ("startup", "-1us", "such as"),
    ("transfer", "-0.5ns", "such as"), ("startup", "1", "such as"),
    ("transfer", "0.1ps", "whole number of picoseconds"),
    ("startup", "18446744073709551616ps", "below 2^64"),
    ("hop_delay", "9999999999s", "below 2^64"),
    ("load", "0", "1 to 9223372036854775807"), ("load", "-1", "whole number"),
    ("load", "18446744073709551616", "below 2^64"),
    ("load", "36893488147419103232G", "below 2^64"),
    ("load", "9223372036854775808", "1 to 9223372036854775807"),
    ("torus", "6", "power of five"), ("torus", "5x5", "power of five"),
    ("torus", "0", "power of five"), ("torus", "48828125", "9765625"),
    ("torus", "18446744073709551621", "power of five"),
    ("ports", "3", "1, 2 or 4"), ("ports", "0", "1, 2 or 4"),
    ("ports", "18446744073709551617", "1, 2 or 4"),
    ("rounds", "0", "1 to 64"), ("rounds", "65", "1 to 64"),
    ("rounds", "18446744073709551617", "1 to 64"), ("rounds", "AUTO", "auto"),
    ("phases", "3", "the largest feasible N is 2"),
    ("phases", "258", "the largest feasible N is 2"),
    ("phases", "18446744073709551616", "below 2^64"),
    ("originator", "5,0", "0,0 to 4,4"),
    ("originator", "4294967296,0", "0,0 to 4,4"),
    ("results", "1/0", "Q not 0"), ("results", "-1/2", "P/Q"),
    ("switching", "wormhole", "circuit or store-and-forward"),
    ("unit", "0", "1 to"), ("compute_power", "1/2", "1 to 8"),
    ("layer_compute", "1us,0,1us", "1ps or more"),
    ("node_compute", "/nowhere", "No such file")])
def test_bad_plan(option, value, allowed):
    options = {option: value}
    if option == "layer_compute":
        options["compute"] = None
    refused(plan(**options), USAGE, f"--{option.replace('_', '-')} '{value}'",
            allowed)


def test_plan_whose_times_leave_their_range():
    refused(plan(load="9223372036854775807", compute="1s"), USAGE, "--load",
            "--compute", "2^63 ps")
    for option, value in (("rounds", "3"), ("ports", "1"),
                          ("compute_power", "2"), ("node_compute",
                                                   "/dev/null")):
        refused(plan(load="9223372036854775807", compute="1s",
                     **{option: value}), USAGE, "2^63 ps")
    refused(plan(hop_delay="9999999s", startup="9999999s"), USAGE,
            "--startup '9999999s'", "--hop-delay '9999999s'")


def test_figures_without_a_folder(tmp_path):
    refused(mesh.command("figures"), USAGE, "-o")
    refused(mesh.command("figures", "-o", tmp_path / "a" / "b"), FAILED,
            tmp_path / "a" / "b", "is not there")


# ---- QEMU and the firmware ----

def path_with(tmp_path, script=None):
    """An environment whose PATH has one folder, with or without QEMU."""
    folder = tmp_path / "bin"
    folder.mkdir()
    if script is not None:
        program = folder / "qemu-system-arm"
        program.write_text("#!/bin/sh\n" + script)
        program.chmod(0o755)
    return mesh.with_path(folder)


def test_qemu_missing(load, tmp_path):
    done = run(load, on="qemu", env=path_with(tmp_path))
    refused(done, FAILED, "qemu-system-arm", "PATH", "--on native")


def test_native_needs_no_qemu(load, tmp_path):
    assert run(load, env=path_with(tmp_path)).returncode == 0


def test_qemu_that_refuses_to_start(load, tmp_path):
    env = path_with(tmp_path, "echo no such machine >&2\nexit 3\n")
    done = run(load, on="qemu", env=env)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "no such machine" in done.stderr
    assert "died" in done.stderr


def test_qemu_that_cannot_be_executed(load, tmp_path):
    env = path_with(tmp_path, "")
    (tmp_path / "bin" / "qemu-system-arm").write_bytes(b"\x7fELF nonsense")
    done = run(load, on="qemu", env=env)
    assert (done.returncode, done.stdout) == (FAILED, "")
    assert "died" in done.stderr


def test_firmware_missing(load, tmp_path):
    image = tmp_path / "none.elf"
    refused(run(load, on="qemu", firmware=image), FAILED, image, "make")


@pytest.mark.parametrize("content", [b"", b"This is no firmware.\n",
                                     b"\x7fELF" + bytes(60),
                                     bytes(range(256)) * 16])
def test_firmware_that_is_none(load, tmp_path, content):
    image = tmp_path / "garbage.elf"
    image.write_bytes(content)
    refused(run(load, on="qemu", firmware=image), FAILED, image)
    assert not mesh.boards_with(image)


# ---- what is missing ----

@pytest.mark.parametrize("given, missing", [
    ([], "--mesh WxH, --kernel NAME and INPUT are required"),
    (["--mesh", "5x5"], "--kernel NAME and INPUT are required"),
    (["--mesh", "5x5", "load"], "--kernel NAME is required"),
    (["--kernel", "search"], "--mesh WxH and INPUT are required"),
    (["--kernel", "channels"], "--mesh WxH is required")])
def test_all_that_is_missing_is_told_at_once(given, missing):
    refused(mesh.command("run", *given), USAGE, f"run: {missing}; ")


@pytest.mark.parametrize("kernel, example", [
    ("search", "--arg needle"), ("conv", "--arg filter=sobel"),
    ("fir", "--arg low=1000"), ("records", "--arg name=")])
def test_a_missing_argument_is_shown_by_an_example(load, kernel, example):
    done = mesh.command("run", "--mesh", "2x2", "--on", "native", "--kernel",
                        kernel, load)
    refused(done, USAGE, f"kernel {kernel} needs --arg", example,
            f"quincunx kernels {kernel}'")
    assert len(done.stderr) < 200


def test_one_kernel_of_the_list():
    done = mesh.command("kernels", "search")
    assert done.returncode == 0 and done.stdout in mesh.command(
        "kernels").stdout
    assert re.findall(r"^(\w+)", done.stdout, re.M) == ["search"]
    refused(mesh.command("kernels", "serach"), USAGE, "'serach'")


# ---- where results go ----

@pytest.mark.parametrize("option", ["report", "trace", "gantt", "html"])
def test_unwritable_file_loses_nothing(load, tmp_path, option):
    """It is told before anything runs, and what is there stays."""
    kept = tmp_path / "kept.json"
    kept.write_text("kept")
    other = "report" if option != "report" else "trace"
    bad = tmp_path / "nowhere" / "file"
    done = run(load, **{option: bad, other: kept})
    refused(done, FAILED, f"--{option} '{bad}'",
            f"there is no folder '{bad.parent}'")
    refused(run(load, **{option: tmp_path, other: kept}), FAILED, tmp_path,
            "Is a directory")
    assert kept.read_text() == "kept"
    assert sorted(tmp_path.iterdir()) == [kept, load]


@pytest.mark.parametrize("option", ["report", "trace", "gantt", "html"])
def test_file_that_takes_nothing(load, option, tmp_path):
    """The run is done: it is still told."""
    bad = "/dev/full"
    done = run(load, cwd=tmp_path, **{option: bad})
    assert done.returncode == FAILED
    assert bad in done.stderr
    assert "measured" in done.stdout
    assert sorted(tmp_path.iterdir()) == [load]


def no_room():
    """In the child: no file may grow beyond 1000 bytes, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


@pytest.mark.parametrize("option", ["report", "trace", "gantt", "html"])
def test_disk_that_is_full(load, option, tmp_path):
    """What was there stays, and nothing is left beside it."""
    old = tmp_path / "old"
    old.write_text("old\n")
    done = mesh.command("run", "--mesh", "5x5", "--kernel", "search", "--arg",
                        "abc", "--on", "native", f"--{option}", old, load,
                        cwd=tmp_path, preexec_fn=no_room,
                        restore_signals=False)
    assert done.returncode == FAILED
    assert f"{old}: {os.strerror(errno.EFBIG)}" in done.stderr
    assert old.read_text() == "old\n"
    assert sorted(tmp_path.iterdir()) == [load, old]


@pytest.mark.parametrize("option", ["report", "trace", "gantt", "html"])
@pytest.mark.parametrize("how", ["name", "path", "link", "hard link"])
def test_an_output_that_is_the_input(load, tmp_path, option, how):
    other = {"name": load, "path": load.parent / "." / ".." /
             load.parent.name / load.name}.get(how, tmp_path / "other")
    if how == "link":
        other.symlink_to(load)
    elif how == "hard link":
        os.link(load, other)
    before = load.read_bytes()
    refused(run(load, on="native", **{option: other}), USAGE, other, "INPUT",
            f"--{option}", "file of its own")
    assert load.read_bytes() == before


def test_two_outputs_to_one_file(load, tmp_path):
    """Also if it is not there yet."""
    (tmp_path / "folder").mkdir()
    refused(run(load, on="native", report=tmp_path / "one",
                trace=tmp_path / "folder" / ".." / "one"),
            USAGE, "--trace", "--report")
    assert not (tmp_path / "one").exists()
    refused(run(load, on="native", trace=tmp_path / "one",
                gantt=tmp_path / "one"), USAGE, "--gantt", "--trace")


def test_two_outputs_to_no_file(load):
    """Nothing is lost there."""
    done = run(load, on="native", report="/dev/null", trace="/dev/null")
    assert done.returncode == 0


@pytest.mark.parametrize("args", [[], ["--json"]])
def test_full_standard_output(load, args):
    line = [mesh.QUINCUNX, "run", "--mesh", "5x5", "--kernel", "search",
            "--arg", "abc", "--on", "native", *args, str(load)]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(line, stdout=full, check=False,
                              stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == FAILED
    assert b"standard output" in done.stderr

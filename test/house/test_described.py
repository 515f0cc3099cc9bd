# SPDX-License-Identifier: Apache-2.0
"""Structs and functions as ctypes, by the debugger's description of them."""
import subprocess

import pytest

from described import Library

SOURCE = """
#include <stdbool.h>
#include <stdint.h>
struct inner { uint16_t x, y; };
struct outer { %s };
uint64_t total(const struct outer *of, struct inner more);
uint64_t total(const struct outer *of, struct inner more)
{
    return of->one + of->many[2] + of->in.x + more.y + (of->fine ? 1u : 0u);
}
"""
FIELDS = ["bool fine;", "uint64_t one;", "uint8_t many[3];",
          "struct inner in;", "const struct outer *next;"]


def built(tmp_path, name, fields):
    source = tmp_path / f"{name}.c"
    source.write_text(SOURCE % " ".join(fields))
    subprocess.run(["gcc", "-g", "-shared", "-fPIC", source, "-o",
                    tmp_path / name], check=True)
    return Library(tmp_path / name)


def test_fields_that_move_change_nothing(tmp_path):
    for number, fields in enumerate((FIELDS, FIELDS[::-1])):
        library = built(tmp_path, f"lib{number}.so", fields)
        outer, inner = map(library.struct, ("outer", "inner"))
        given = outer(fine=True, one=2 ** 63, many=(0, 0, 255), **{
            "in": inner(x=7)})
        assert library.calls.total(given, inner(y=9)) == 2 ** 63 + 272


def test_fields_of_another_name_are_no_fields(tmp_path):
    outer = built(tmp_path, "lib.so", FIELDS).struct("outer")
    with pytest.raises(AttributeError):
        outer(only=1)
    with pytest.raises(AttributeError):
        outer().only = 1

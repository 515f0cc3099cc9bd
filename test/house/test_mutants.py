# SPDX-License-Identifier: Apache-2.0
"""`make mutants` on a file that is made up: each operator makes what it should,
a seed always the same list, and a mutant is found again when its line moved.
What the product's tests notice takes hours, and is not tried here."""
import sys

import pytest

from core import ROOT

sys.path.append(str(ROOT / "test" / "mutants"))

import draw  # noqa: E402  (of the mutants, whose path is added)
import operators  # noqa: E402
import places  # noqa: E402

CODE = """
int sum(int of, int *at, unsigned limit)
{
    int total = 0; /* a < b + 1 */

    for (unsigned i = 0; i < limit; ++i) {
        if (at[i] == of && !limit) {
            continue;
        }
        total += weigh(of, total, *at);
    }
    printf("%d units of %d, as people read\\n", total, of);
    return total << 3;
}
"""
MADE = {
    "comparison": {"i <= limit", "at[i] != of"}, "arithmetic": {"total -="},
    "logic": {"== of || !limit"}, "bits": {"total >> 3"},
    "negated": {"if (!(at[i] == of && !limit))"},
    "constant": {"total = 1", "i = 1", "<< 4", "<< 2"},
    "deleted": {";"}, "returned": {"return 0;", "(total << 3) + 1"},
    "arguments": {"weigh(total, of, *at)", "read\\n\", of, total)"},
    "jump": {"break;"},
    "values-swapped": {"of, total)"}, "line-dropped": {";"},
    "figure-scaled": {"2 * (total)", "(total) + 1", "10 * (of)"},
    "word": {"stinu", "elpoep", "daer"}, "printing-negated": set(),
    "default": set()}


def made(tree, text, kind="code"):
    (tree / "qemu").mkdir(exist_ok=True)
    (tree / "qemu" / "a.c").write_text(text, encoding="utf-8")
    return draw.draw(tree, kind, 1, 1000)


@pytest.mark.parametrize("kind, table", [("code", operators.CODE),
                                         ("text", operators.TEXT)])
def test_each_operator_makes_its_changes(kind, table, tmp_path):
    found = made(tmp_path, CODE, kind)
    assert MADE.keys() >= table.keys()
    for name in table:
        new = [place.mutant.new for place in found
               if place.mutant.operator == name]
        assert bool(new) == bool(MADE[name]), name
        for text in MADE[name]:
            assert any(text in line for line in new), (name, text, new)
    assert all(place.change(CODE).count("\n") == CODE.count("\n")
               for place in found)


def test_a_seed_has_one_list_and_a_moved_line_is_found(tmp_path):
    found = made(tmp_path, CODE)
    assert found == made(tmp_path, CODE)
    made(tmp_path, "int other(void)\n{\n    return 1;\n}\n"
         + CODE.replace("    int total", "\n    int  total"))
    again, gone = draw.again(tmp_path, "code", [p.mutant for p in found])
    assert [p.mutant for p in again] == [p.mutant for p in found] and not gone
    made(tmp_path, CODE.replace("<< 3", "<< 5"))
    assert draw.again(tmp_path, "code", [p.mutant for p in found])[1]


def test_every_place_has_a_quick_test():
    for source in draw.sources(ROOT, "code"):
        names = places.names_of(source) + places.chosen(places.QUICK, source)
        assert places.test_files(ROOT, names), source

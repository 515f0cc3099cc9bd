# SPDX-License-Identifier: Apache-2.0
"""`make mutants` on a file that is made up: what each operator makes of it, and
that its mutants are found again. What tests notice takes hours: not tried."""
import sys

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
            puts("none (default 5)");
            continue;
        }
        total += weigh(of, total, *at);
    }
    printf("%d units of %d, as people read\\n", total, of);
    return total << 3;
}
"""
MADE = {
    "comparison": ["i <= limit", "at[i] != of"], "arithmetic": ["total -="],
    "logic": ["== of || !limit"], "bits": ["total >> 3"],
    "negated": ["if (!(at[i] == of && !limit))"], "jump": ["break;"],
    "constant": ["total = 1", "i = 1", "<< 4", "<< 2"], "deleted": [";"],
    "returned": ["return 0;", "(total << 3) + 1"],
    "arguments": ["weigh(total, of, *at)", "read\\n\", of, total)"],
    "values-swapped": ["of, total)"], "line-dropped": [";"],
    "figure-scaled": ["2 * (total)", "(total) + 1", "10 * (of)"],
    "word": ["stinu", "elpoep", "daer"], "default": ["(default 50)"],
    "printing-negated": ["if (!(at[i] == of && !limit))"]}


def test_operators_make_their_changes_and_find_them_again(tmp_path):
    source = tmp_path / "qemu" / "a.c"
    source.parent.mkdir()
    for kind, table in (("code", operators.CODE), ("text", operators.TEXT)):
        source.write_text(CODE, encoding="utf-8")
        found = draw.draw(tmp_path, kind, 1, 1000)
        for name in table:
            new = [place.mutant.new for place in found
                   if place.mutant.operator == name]
            for text in MADE[name]:
                assert any(text in line for line in new), (name, text, new)
        assert found == draw.draw(tmp_path, kind, 1, 1000)
        mutants = [place.mutant for place in found]
        source.write_text("int other(void)\n{\n    return 1;\n}\n"
                          + CODE.replace("    int total", "\n    int  total"))
        again, gone = draw.again(tmp_path, kind, mutants)
        assert [place.mutant for place in again] == mutants and not gone
        source.write_text(CODE.replace("read", "see").replace("3", "5"))
        assert draw.again(tmp_path, kind, mutants)[1]


def test_every_source_has_a_quick_test():
    for source in draw.sources(ROOT, "code"):
        names = places.names_of(source) + places.chosen(places.QUICK, source)
        assert places.test_files(ROOT, names), source


def test_the_tables_name_tests_that_are_there():
    for _, words in places.rows(places.QUICK + places.WIDE):
        for name in words.split():
            assert places.test_files(ROOT, [name]), name

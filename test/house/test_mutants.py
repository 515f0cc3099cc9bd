# SPDX-License-Identifier: Apache-2.0
"""`make mutants` finds what it changes: every mutant's text stands in its
function once. Whether the tests notice takes hours, and is not tried here."""
import sys

import pytest

from core import ROOT

sys.path.append(str(ROOT / "test" / "mutants"))

import run  # noqa: E402  (of the mutants, whose path is added)

ALL = [mutant for mutants in run.MUTANTS.values() for mutant in mutants]


def test_every_text_stands_once():
    for mutant in ALL:
        text = (ROOT / mutant.file).read_text(encoding="utf-8")
        assert run.changed(mutant, text) != text, mutant.name


def test_what_tests_need_is_named():
    for mutant in ALL:
        for test in mutant.tests:
            assert (ROOT / test.split()[0].partition("::")[0]).is_file(), test


def test_a_text_that_is_gone(capsys):
    gone = ALL[0]._replace(old="no such text")
    with pytest.raises(SystemExit):
        run.changed(gone, (ROOT / gone.file).read_text(encoding="utf-8"))
    assert "stands 0 times" in capsys.readouterr().err

# SPDX-License-Identifier: Apache-2.0
"""The proofs of `make prove`, and that it finds what it is for. What was proven
already, by test/prove/proven.txt, is not proven again: it takes minutes."""
import dataclasses
import pathlib
import shutil
import sys

import pytest


ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "prove"))
import prove  # noqa: E402

pytestmark = pytest.mark.boards
with_frama_c = pytest.mark.skipif(shutil.which("frama-c") is None,
                                  reason="frama-c is not installed")


def test_what_changed_is_proven():
    for proof in prove.unproven():
        assert prove.complaints(proof)[0] == [], "then: make prove"


def test_alarms_are_some_source_s():
    assert prove.strays() == []


@pytest.mark.parametrize("proof", prove.PROOFS[::3],
                         ids=lambda proof: proof.source)
def test_the_digest_changes_with_what_is_proven(proof, tmp_path, monkeypatch):
    """A digit of the source, of a header or the driver; not a comment."""
    shutil.copytree(ROOT, tmp_path / "copy", ignore=shutil.ignore_patterns(
        "build", ".git", ".hypothesis", "pictures", "__pycache__"))
    monkeypatch.setattr(prove, "ROOT", tmp_path / "copy")
    before = prove.digest(proof)
    stem = pathlib.Path(proof.source).stem
    for name in (proof.source, proof.source[:-1] + "h",
                 f"test/prove/{stem}.c", "test/prove/any.c"):
        path = tmp_path / "copy" / name
        text = path.read_text()
        path.write_text(text + "/* a remark */\n")
        assert prove.digest(proof) == before
        path.write_text(text + "extern int changed;\n")
        changed = prove.digest(proof)
        path.write_text(text)
        assert changed != before or name not in (
            proof.source, f"test/prove/{stem}.c", "test/prove/any.c")
    other = dataclasses.replace(proof, paths=proof.paths + ",f:1")
    assert prove.digest(other) != before


def analyse(folder, *bodies):
    """Eva on functions `uint32_t bad(uint32_t a, uint64_t b)` of these
    bodies."""
    tests = folder / "test" / "prove"
    tests.mkdir(parents=True)
    (folder / "scatter").mkdir()
    for name in ("any.c", "any.h"):
        shutil.copy(ROOT / "test" / "prove" / name, tests)
    heads = [f"uint32_t bad{i}(uint32_t a, uint64_t b)"
             for i in range(len(bodies))]
    (folder / "scatter" / "bad.c").write_text(
        "#include <stdint.h>\n" + "".join(
            f"{head};\n{head}\n{{\n    {body}\n}}\n"
            for head, body in zip(heads, bodies)), encoding="utf-8")
    (tests / "bad.c").write_text(
        '#include "test/prove/any.h"\n' + "".join(
            f"{head};\n" for head in heads)
        + "void prove_bad(void)\n{\n" + "".join(
            f"    bad{i}(any_u32(0, UINT32_MAX), any_u64(0, UINT64_MAX));\n"
            for i in range(len(bodies))) + "}\n", encoding="utf-8")
    return prove.analyse(prove.Proof("scatter/bad.c"), folder)


BAD = [
    ("return a + 1;", "unsigned overflow"),
    ("return a - (b > 3);", "unsigned overflow"),
    ("return a << 1;", "unsigned overflow"),
    ("return (uint32_t)((int32_t)(a >> 1) + 1);", "signed overflow"),
    ("return (uint32_t)b;", "unsigned downcast"),
    ("return (uint8_t)a;", "unsigned downcast"),
    ("return 5 / a;", "division by zero"),
    ("return 1u << (a % 64);", "shift"),
    ("uint32_t t[4] = {0}; return t[a % 5];", "out of bounds"),
    ("uint32_t t[4]; t[0] = a; return t[a % 2];", "uninitialized")]
GOOD = ["return a < UINT32_MAX ? a + 1 : a;", "return (uint32_t)(b >> 32);",
        "return a > 0 ? 5 / a : 0;",
        "uint32_t t[4] = {0}; return t[a % 4];"]


@with_frama_c
def test_the_proof_finds(tmp_path):
    alarms, _ = analyse(tmp_path / "bad", *(body for body, _ in BAD))
    assert len(alarms) >= len(BAD), alarms
    for alarm in alarms:
        assert alarm.startswith("scatter/bad.c: "), alarm
    words = [word for _, word in BAD]
    for word in words:
        assert sum(alarm.startswith(f"scatter/bad.c: {word}")
                   or word in alarm for alarm in alarms) >= words.count(word), (
                       word, alarms)
    assert analyse(tmp_path / "good", *GOOD) == ([], "")
    for body, word in (
            ("if (b > 5 && b < 3) { return 5; }\n    return a & 1;",
             "never reached"), ("return a +;", "parse")):
        alarms, trouble = analyse(tmp_path / word, body)
        assert not alarms and word in trouble + "parse" * (word == "parse")
        assert trouble

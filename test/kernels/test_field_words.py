# SPDX-License-Identifier: Apache-2.0
"""search and dictionary on inputs as people have them, and what they write:
beside grep, bytes and hashlib."""
import hashlib
import json
import pathlib
import struct
import subprocess

import pytest

import mesh
from twins import lines

FIELD = pathlib.Path(__file__).with_name("field")
PASSWORD = hashlib.sha256(b"password").hexdigest()
LETMEIN = hashlib.sha256(b"letmein").hexdigest()


def run(kernel, arg, *inputs, output=None, report=True, size="3x3"):
    """Status, result and what was said on stderr."""
    key = "--arg-hex" if isinstance(arg, bytes) else "--arg"
    done = mesh.command(
        "run", "--mesh", size, "--on", "native", "--kernel", kernel, key,
        arg.hex() if isinstance(arg, bytes) else arg,
        *(["--json"] if report else []), *(["-o", output] if output else []),
        *inputs)
    return (done.returncode,
            json.loads(done.stdout) if done.returncode == 0 and report
            else done.stdout, done.stderr)


# ---- search: argument, files; offsets ----

def pat(name):
    return f"(?f){FIELD / name}"


@pytest.mark.parametrize("arg, names, offsets", [
    (pat("search_bom.pat"), ["search_hay.txt"], [0, 4]),
    (pat("search_pat.gz"), ["search_hay.txt"], [0, 4]),
    (pat("search_lastblank.pat"), ["search_hay.txt"], [0, 4]),
    (pat("search_dup.pat"), ["search_hay.txt"], [0, 4]),
    (pat("search_crlf.pat"), ["search_hay.txt"], [0, 4]),
    (pat("search_prefix.pat"), ["search_prefix.txt"], [0, 17, 17]),
    ("foo", ["search_utf16.txt"], []),
    ("foo", ["search_utf8bom.txt"], [3, 7]),
    ("(?offsets|)aba|aa", ["search_overlap.txt"], [0, 2, 6, 7, 8]),
    (b"\x07\x0a\x00", ["search_bin_nl.bin"], [2]),
    (b"\xe9", ["search_latin1.txt"], [3, 8]),
    ("needle", ["search_lines.bin"], [5000, 10007]),
    (b"\x00n", ["search_lines.bin"], [10006]),
    ("caf\xe9", ["search_nfd.txt"], [7]),
    ("-", ["search_dash.txt"], None),
    ("q" * 255, ["search_longpat.txt"], list(range(46))),
    ("abc", ["search_empty.txt"], []),
    ("needle", ["search_needle.txt.gz"], None),
    ("(?i,offsets|)FOO|Bar", ["search_hay.txt"], [0, 4]),
    ("(?)(?i)a", ["search_hay.txt"], []),
    ("(?,)fo,ba", ["search_hay.txt"], [0, 4]),
    (b"(?\0)foo\0bar", ["search_hay.txt"], [0, 4]),
    ("a|b", ["search_hay.txt"], []), ("(?i", ["search_hay.txt"], [])])
@pytest.mark.parametrize("output", [False, True])
def test_search(arg, names, offsets, output, tmp_path):
    out = tmp_path / "out"
    status, report, said = run("search", arg, *(FIELD / n for n in names),
                               output=out if output else None)
    assert (status, said) == (0, "")
    counts = {"-": 6, "needle": 3}
    want = counts[arg] if offsets is None else len(offsets)
    assert report["result"]["count"] == want
    if offsets is not None and not output:
        assert report["result"]["offsets"] == offsets
    if output and isinstance(arg, str) and "offsets" in arg:
        assert out.read_text() == "".join(f"{o}\n" for o in offsets)


@pytest.mark.parametrize("arg, name, notice", [
    ("(?f)search_300.pat", "search_300.txt",
     "line 256: at most 255 patterns are allowed"),
    ("(?f)search_emptyline.pat", "search_hay.txt", "0 bytes; a pattern has"),
    ("(?f|)search_dup.pat", "search_hay.txt", "no '|' can separate them"),
    ("(?x)a", "search_hay.txt", "'x' is no option; allowed are i (either"),
    ("(?i,word)a", "search_hay.txt", "'word' is no option"),
    ("(?:a)", "search_hay.txt", "':a' is no option"),
    ("(?P<x>)", "search_hay.txt", "'P<x' is no option"),
    ("(?lines,offsets)a", "search_hay.txt", "'offsets' is a second one"),
    (b"(?i\0o)a", "search_hay.txt", "'i' is no option")])
def test_search_refuses(arg, name, notice, tmp_path):
    if isinstance(arg, str):
        arg = arg.replace("search_dup", f"{FIELD}/search_dup")
        arg = arg.replace(")search", f"){FIELD}/search")
    out = tmp_path / "out"
    status, _, said = run("search", arg, FIELD / name, output=out)
    assert status in (1, 2) and notice in said and not out.exists()


def grep(*args):
    return subprocess.run(["grep", "-a", *map(str, args)], check=True,
                          capture_output=True).stdout


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_lines_and_offsets_are_those_of_grep(end, tmp_path):
    """Lines of any length, and one longer than what is read at once."""
    path, out = tmp_path / "text", tmp_path / "out"
    text = pathlib.Path(__file__).read_bytes()
    path.write_bytes(
        b"foo " + (end or b"\n").join([
            text, b"x" * 70_000 + b" foo " + b"y" * 140_000, b"", b"foo",
            text[:5000] + b"foo"]) + end)
    for word in (b"foo", b"("):
        assert run("search", word.decode(), path, output=out)[0] == 0
        assert out.read_bytes() == grep("-F", word.decode(), path)
        run("search", b"(?offsets)" + word, path, output=out)
        want = [int(line.split(b":", 1)[0])
                for line in grep("-obF", word.decode(), path).splitlines()]
        assert list(map(int, out.read_bytes().split())) == want
        run("search", b"(?offsets=u64)" + word, path, output=out)
        assert list(struct.unpack(f"<{len(want)}Q", out.read_bytes())) == want


def test_names_of_several_inputs(tmp_path):
    names = ["search_m1.txt", "search_m2.txt", "search_hay.txt"]
    paths, out = [FIELD / name for name in names], tmp_path / "out"
    assert run("search", "o", *paths, output=out)[0] == 0
    assert out.read_bytes() == grep("o", *paths)
    assert run("search", "(?offsets)o", *paths, output=out)[0] == 0
    want = grep("-obH", "o", *paths).splitlines()
    assert out.read_bytes().splitlines() == [
        line.rsplit(b":", 1)[0] for line in want]
    status, _, said = run("search", "(?offsets=u64)o", *paths, output=out)
    assert status == 2 and "would not say in which" in said


def test_what_is_no_text_has_offsets(tmp_path):
    path, out = tmp_path / "binary", tmp_path / "out"
    path.write_bytes(b"a\nb\0a\n")
    _, report, _ = run("search", "a", path, output=out)
    assert out.read_text() == "0\n4\n"
    assert "INPUT has bytes of 0" in " ".join(report["remarks"])
    run("search", "(?lines)a", path, output=out)
    assert out.read_bytes() == b"a\nb\0a\n"


def test_a_million_hits(tmp_path):
    path, out = tmp_path / "text", tmp_path / "out"
    path.write_bytes(b"free software, " * 80_000 + b"free softwar")
    _, report, _ = run("search", "(?offsets=u64)free software", path,
                       output=out, size="5x5")
    assert report["result"]["count"] == 80_000
    assert out.read_bytes() == struct.pack("<80000Q", *range(0, 1200000, 15))


# ---- dictionary: digests, list; the words found ----

@pytest.mark.parametrize("name, words", [
    ("dict_1.txt", [b"a"]), ("dict_bom.txt", [b"password"]),
    ("dict_bothutf.txt", [b"\x80\x81", b"\xff"]),
    ("dict_cr_only.txt", [b"password"]), ("dict_crlf.txt", [b"password"]),
    ("dict_counts.txt", []), ("dict_dup.txt", [b"password"] * 3),
    ("dict_found.txt", None), ("dict_koi8.txt", None),
    ("dict_utf8_overlong.txt", None), ("dict_cesu.txt", None),
    ("dict_hex.txt", [b"$HEX[646fc3b161]"]), ("dict_long.txt", [b"letmein"]),
    ("dict_no_final.txt", [b"letmein"]), ("dict_nul.txt", [b"pass\0word"]),
    ("dict_only_nl.txt", [b""]), ("dict_words.txt", [b"password"]),
    ("dict_words.txt.gz", [b"password"]), ("dict_words.zip", [b"password"]),
    ("dict_words.txt.xz", [b"password"])])
def test_lists(name, words, tmp_path):
    """Each word wanted is named with its digest."""
    out, digests = tmp_path / "out", tmp_path / "digests"
    if words is None:
        words = [w for _, w in lines((FIELD / name).read_bytes())]
    wanted = words or [b"password"]
    digests.write_text("\n".join(hashlib.sha256(w).hexdigest()
                                 for w in wanted))
    status, report, _ = run("dictionary", f"digests={digests}", FIELD / name,
                            output=out)
    assert (status, report["result"]["count"]) == (0, len(words))
    assert sorted(out.read_text().splitlines()) == sorted(
        f"{hashlib.sha256(word).hexdigest()}:{shown(word)}" for word in words)


def shown(word):
    try:
        text = word.decode()
    except UnicodeDecodeError:
        return f"$HEX[{word.hex()}]"
    plain = text.isprintable() and not text.startswith("$HEX[")
    return text if plain else f"$HEX[{word.hex()}]"


def salted(kind, salt, word=b"password", front=False):
    digest = hashlib.new(kind, salt + word if front else word + salt)
    return digest.hexdigest()


MD5 = hashlib.md5(b"password").hexdigest()
FORMS = [
    ("dig_comment.txt", 1), ("dig_crlf.txt", 2), ("dig_escaped.txt", 2),
    ("dig_md5.txt", 1), ("dig_sha256sum.txt", 2), ("dig_tag.txt", 1),
    ("dig_userhash.txt", 2), ("dig_utf16.txt", 1), ("dig_hashsalt.txt", 1)]


@pytest.mark.parametrize("name, count", FORMS)
def test_digests(name, count, tmp_path):
    """A salt stands behind the word unless something else is said."""
    out = tmp_path / "out"
    status, report, _ = run("dictionary", f"digests={FIELD / name}",
                            FIELD / "dict_words.txt", output=out)
    assert (status, report["result"]["count"]) == (0, count)
    assert len(out.read_text().splitlines()) == count


@pytest.mark.parametrize("text, more, count", [
    (f"{PASSWORD.upper()}\n\n  {LETMEIN}  \n", "", 2),
    (f"carol:{MD5}\n", ",hash=md5", 1),
    (f"MD5 (a (b).txt) = {MD5}\nMD5(c)= {MD5}\n", "", 1),
    (f"SHA1 (a) = {salted('sha1', b'')}\n", "", 1),
    (f"{salted('sha1', b's', front=True)}\n", ",salt=s,salt-at=front", 1),
    (f"{salted('sha256', b'x,y')}\n", ",salt=x\\,y", 1),
    (f"dave:{salted('md5', b'a:b')}:a:b\n{MD5}:\n", "", 1),
    (f"{salted('md5', b's' * 255)}:{'s' * 255}\n{MD5}\n", "", 1),
    (f"{salted('md5', b'q')}:q\n{salted('md5', b'r', b'letmein')}:r", "", 2),
    (f"{salted('sha1', b'g', front=True)}:g\n", ",salt-at=front", 1),
    (f"{salted('sha1', b'g', front=True)}:g\n", ",salt-at=behind", 0),
    (f"{salted('sha1', b'7')}:7\n", "", 1),
    (f"{salted('sha1', b'')}:7\n", ",salt-at=none", 1),
    (f"{salted('md5', bytes([0, 58]))}:$HEX[003a]", "", 1),
    (f"{PASSWORD}  name with : colon\n", "", 1)])
def test_salts_and_forms(text, more, count, tmp_path):
    path, out = tmp_path / "digests", tmp_path / "out"
    path.write_text(text)
    status, report, said = run("dictionary", f"digests={path}{more}",
                               FIELD / "dict_words.txt", output=out)
    assert (status, said) == (0, "")
    assert report["result"]["count"] == count
    if count and ":s" in text:
        assert f"{'s' * 255}:password\n" in out.read_text()
    if "$HEX" in text:
        assert out.read_text() == f"{text}:password\n"
    told = "each salt is a number" in " ".join(report["remarks"])
    assert told == (":7" in text and more == "")


@pytest.mark.parametrize("arg", [
    f"{PASSWORD},{LETMEIN}", f"digests={PASSWORD},{LETMEIN}",
    f"digests={PASSWORD}\\,{LETMEIN}"])
def test_two_digests_in_the_argument(arg, tmp_path):
    (tmp_path / "list").write_bytes(b"password\nother\nletmein\n")
    status, report, errors = run("dictionary", arg, tmp_path / "list")
    assert (status, errors) == (0, "") and report["result"]["count"] == 2


def test_what_openssl_3_prints(tmp_path):
    (tmp_path / "sums").write_text(f"SHA2-256(a b)= {PASSWORD}\n"
                                   f"SHA2-256(stdin)= {LETMEIN}\n")
    (tmp_path / "list").write_bytes(b"password\nother\nletmein\n")
    status, report, errors = run(
        "dictionary", f"digests={tmp_path / 'sums'}", tmp_path / "list")
    assert (status, errors) == (0, "") and report["result"]["count"] == 2


def test_digests_in_the_argument(tmp_path):
    out = tmp_path / "out"
    for arg in (f"{PASSWORD},{LETMEIN}", f"digests={PASSWORD}\\,{LETMEIN}"):
        _, report, _ = run("dictionary", arg, FIELD / "dict_words.txt",
                           output=out)
        assert report["result"]["count"] == 2
        assert out.read_text() == (f"{PASSWORD}:password\n{LETMEIN}:letmein\n")


@pytest.mark.parametrize("text, more, notice", [
    ((FIELD / "dig_sha512.txt").read_text(), "",
     "line 1: begins with 128 hexadecimal digits; a digest has 64 (SHA-256)"),
    (f"{PASSWORD}\n{MD5}\n", "", "line 2: has a digest of MD5, that of line 1 "
     "is of SHA-256; a job takes one kind"),
    (f"{MD5}\n", ",hash=sha1", "line 1: 32 hexadecimal digits are a digest of "
     "MD5; hash= asks for SHA-1"),
    (f"{PASSWORD}x\n", "", "line 1: begins with 64 hexadecimal digits;"),
    (f"SHA256 (a) = {MD5}\n", "", "line 1: begins with 0 "),
    (f"{MD5}:{'s' * 256}\n", "", "line 1: a salt has at most 255 bytes"),
    (f"{MD5}\n", f",salt={'s' * 256}", "must have at most 255 bytes"),
    (f"{MD5}\n", ",salt-at=middle", "must be behind, front or none"),
    ("# none\n", "", "has no digest"),
    (3000 * (MD5 + ":{}\n"), "", "3000 digests and their salts take"),
    (100001 * "{:032x}\n", "",
     "100001 different digests; a job takes at most 100000")],
    ids=lambda text: text[:40])
def test_digests_are_refused(text, more, notice, tmp_path):
    path, out = tmp_path / "digests", tmp_path / "out"
    path.write_text(text.format(*range(text.count("{"))))
    status, _, said = run("dictionary", f"digests={path}{more}",
                          FIELD / "dict_words.txt", output=out)
    assert status == (2 if more.startswith(",salt") else 1)
    assert notice in said and not out.exists()


def test_a_list_cut_anywhere(tmp_path):
    """A compressed one is refused, a plain one is a shorter list."""
    packed = (FIELD / "dict_words.txt.xz").read_bytes()
    path, out = tmp_path / "list.xz", tmp_path / "out"
    for size in range(7, len(packed), 31):
        path.write_bytes(packed[:size])
        status, _, said = run("dictionary", PASSWORD, path, output=out)
        assert status == 1 and str(path) in said and not out.exists()
    plain = (FIELD / "dict_words.txt").read_bytes()
    for size in range(0, len(plain), 97):
        path.write_bytes(plain[:size])
        _, report, _ = run("dictionary", PASSWORD, path, output=out)
        assert report["result"]["count"] == (b"password\n" in plain[:size])


@pytest.mark.parametrize("kind", ["sha256", "md5"])
def test_every_hit_of_more_digests_than_fit(kind, tmp_path):
    """The host sorts out words that the boards only suspect."""
    path, digests, out = (tmp_path / name for name in ("list", "d", "out"))
    words = [b"%d" % i for i in range(30_000)]
    mesh.seeded("list").shuffle(words)
    wanted = [word for word in words if int(word) < 20_000]
    path.write_bytes(b"\n".join(words))
    sums = {word: hashlib.new(kind, word).hexdigest() for word in wanted}
    digests.write_text("\n".join(sorted(sums.values())))
    for output in (out, None):
        status, report, _ = run("dictionary", f"digests={digests}", path,
                                output=output)
        assert (status, report["result"]["count"]) == (0, 20_000)
        listed = report["result"]["found"]
        assert listed == [w.decode() for w in wanted[:len(listed)]]
    assert out.read_text() == "".join(
        f"{sums[word]}:{word.decode()}\n" for word in wanted)


def test_words_in_hexadecimal_are_told():
    _, report, _ = run("dictionary", PASSWORD, FIELD / "dict_hex.txt")
    assert "2 words in $HEX[..] are hashed as they stand" in " ".join(
        report["remarks"])


def test_long_lines_are_told(tmp_path):
    path = tmp_path / "list"
    path.write_bytes(b"a\n" + b"x" * 256 + b"\n" + b"y" * 255 + b"\r\n"
                     + b"z" * 9999)
    _, report, _ = run("dictionary", hashlib.sha256(b"y" * 255).hexdigest(),
                       path)
    assert (report["result"]["count"], report["result"]["words"]) == (1, 2)
    assert (f"{path}: left out 2 lines of more than 255 bytes, the first at "
            "line 2 (256 bytes).") in report["remarks"]

# SPDX-License-Identifier: Apache-2.0
"""Small changes of a function, by operators: each takes a function, the file's
text, and yields (begin, end, text instead)."""
import re

from c_text import calls_of, closing, statements_of

EXCHANGED = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=",
                   "!=": "=="},
    "arithmetic": {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*",
                   "+=": "-=", "-=": "+=", "*=": "+="},
    "logic": {"&&": "||", "||": "&&"},
    "bits": {"<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|", "&=": "|=",
             "|=": "&=", "^=": "|=", "<<=": ">>=", ">>=": "<<="}}


def binary(token, text):
    """Whether a sign stands between two operands: blanks are around it, where
    clang-format has none around the signs of one operand."""
    return (token.kind == "sign" and text[token.begin - 1].isspace()
            and text[token.end].isspace())


def exchange(table):
    def operator(function, text):
        for token in function.tokens:
            if token.text in table and binary(token, text):
                yield token.begin, token.end, table[token.text]
    return operator


def negated(function, text):
    """The condition of an if or a while."""
    for i, token in enumerate(function.tokens[:-1]):
        if token.text in ("if", "while"):
            begin = function.tokens[i + 1].begin
            end = function.tokens[closing(function.tokens, i + 1)].end
            yield begin, end, f"(!{text[begin:end]})"


def constants(function, _):
    """A whole number, one more and one less."""
    for token in function.tokens:
        found = re.fullmatch(r"(0x[\da-fA-F]+|\d+)([uUlL]*)", token.text)
        if token.kind == "number" and found:
            value = int(found[1], 0 if found[1].startswith("0x") else 10)
            for other in (value + 1, value - 1):
                if other >= 0:
                    text = hex(other) if "x" in found[1] else str(other)
                    yield token.begin, token.end, text + found[2]


def is_effect(tokens):
    """Whether a statement is a call or an assignment, not a declaration."""
    if tokens[0].text in ("return", "break", "continue", "goto", "case",
                          "struct", "static", "const", "enum", "union"):
        return False
    if len(tokens) > 1 and tokens[0].kind == tokens[1].kind == "name":
        return False
    if len(tokens) > 2 and tokens[0].kind == "name" and (
            tokens[1].text == "*" and tokens[1].end == tokens[2].begin):
        return False
    if tokens[1].text == "void" or tokens[0].text in (
            "_Static_assert", "va_start", "va_end"):
        return False
    return any(re.fullmatch(r"\(|\+\+|--|[-+*/%&|^]?=|<<=|>>=", token.text)
               for token in tokens)


def deleted(function, _):
    """A statement that is a call or an assignment."""
    for first, last in statements_of(function.tokens):
        tokens = function.tokens[first:last]
        if len(tokens) > 1 and is_effect(tokens):
            yield tokens[0].begin, function.tokens[last].end, ";"


def returned(function, text):
    """Another value is returned."""
    head = [token.text for token in function.head]
    kind = head[head.index(function.name) - 1]
    for first, last in statements_of(function.tokens):
        tokens = function.tokens[first:last]
        if len(tokens) < 2 or tokens[0].text != "return":
            continue
        begin, end = tokens[1].begin, tokens[-1].end
        instead = {"*": ["NULL"], "bool": ["!({})"]}.get(kind, (
            [] if "struct" in head and not kind.endswith("_t") and kind not in (
                "int", "unsigned", "double", "char") else ["0", "({}) + 1"]))
        for other in instead:
            yield begin, end, other.format(text[begin:end])


def shape(tokens):
    """A name, with members or not, is of one shape; all else of its own."""
    kinds = "".join(token.text if token.kind == "sign" else token.kind
                    for token in tokens)
    return re.sub(r"name((->|\.)name)*", "name", kinds)


def swapped(arguments, text, like):
    """Two neighbours, if they are alike and not equal."""
    for one, other in zip(arguments, arguments[1:]):
        spans = [(part[0].begin, part[-1].end) for part in (one, other)
                 if part]
        if len(spans) == 2 and like(one) == like(other) and (
                one[0].kind != "string"):
            first, second = (text[begin:end] for begin, end in spans)
            if first != second:
                yield (spans[0][0], spans[1][1],
                       second + text[spans[0][1]:spans[1][0]] + first)


def types_of(function):
    """{variable: its type's last name, and whether it is a pointer}"""
    tokens, types = function.head + function.tokens, {}
    for i in range(2, len(tokens) - 1):
        stars = tokens[i - 1].text == "*"
        before = tokens[i - 1 - stars]
        if (tokens[i].kind == before.kind == "name"
                and tokens[i + 1].text in (";", "=", ",", ")", "[")
                and before.text not in ("return", "case", "sizeof", "goto")
                and not (stars and tokens[i - 1].end != tokens[i].begin)):
            types.setdefault(tokens[i].text, (
                before.text, stars or tokens[i + 1].text == "["))
    return types


def arguments(function, text):
    """Two neighbouring arguments of a call, of one type if that is known, are
    exchanged."""
    types = types_of(function)
    for _, given in calls_of(function.tokens):
        yield from swapped(given, text, lambda part: (
            shape(part), types.get(part[0].text) if len(part) == 1 else ""))


def jumps(function, _):
    """break in place of continue, and the other way round."""
    other = {"break": "continue", "continue": "break"}
    for token in function.tokens:
        if token.text in other:
            yield token.begin, token.end, other[token.text]


# ---- printed text ----

PRINTED = re.compile(r'%%|%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?'
                     r'(?:[hlzjt]*([diouxXeEfgGaAcsp])|@(\w)\w*@)')


def conversions(tokens):
    """The letter of each value that a format takes, PRIu32's as well; None
    where this is no format."""
    if not tokens or not any(token.kind == "string" for token in tokens):
        return None
    if any(token.kind != "string" and not token.text.startswith("PRI")
           for token in tokens):
        return None
    text = "".join(token.text[1:-1] if token.kind == "string"
                   else f"@{token.text[3:]}@" for token in tokens)
    letters = []
    for found in PRINTED.finditer(text):
        if found.group() != "%%":
            letters += ["*" for star in found.group(1, 2) if star == "*"]
            letters.append(found[3] or found[4])
    return letters


def prints(tokens):
    """(index of the name, letters, values' tokens) of calls with a format."""
    for i, given in calls_of(tokens):
        if tokens[i].text in ("puts", "fputs"):
            yield i, [], []
            continue
        for at, argument in enumerate(given):
            letters = conversions(argument)
            if letters is not None and len(letters) == len(given) - at - 1 and (
                    letters or re.search("print|put|line|error|refuse|add",
                                         tokens[i].text)):
                yield i, letters, given[at + 1:]
                break


def values_swapped(function, text):
    for _, letters, values in prints(function.tokens):
        letter_of = {id(value): letter
                     for letter, value in zip(letters, values)}
        yield from swapped(values, text, lambda value, of=letter_of:
                           of[id(value)])


def figures_scaled(function, text):
    for _, letters, values in prints(function.tokens):
        for letter, value in zip(letters, values):
            if letter in "diouxXeEfgG":
                begin, end = value[0].begin, value[-1].end
                for change in ("2 * ({})", "({}) + 1", "10 * ({})"):
                    yield begin, end, change.format(text[begin:end])


def lines_dropped(function, _):
    at = {i for i, _, _ in prints(function.tokens)}
    for first, last in statements_of(function.tokens):
        if first in at:
            yield (function.tokens[first].begin, function.tokens[last].end,
                   ";")


def printing_negated(function, text):
    at = [i for i, _, _ in prints(function.tokens)]
    for i, token in enumerate(function.tokens[:-1]):
        if token.text != "if":
            continue
        close = closing(function.tokens, i + 1)
        if function.tokens[close + 1].text != "{":
            continue
        last = closing(function.tokens, close + 1)
        if any(close < j < last for j in at):
            begin = function.tokens[i + 1].begin
            end = function.tokens[close].end
            yield begin, end, f"(!{text[begin:end]})"


def read_by_people(function):
    """Strings with a blank between two words, and formats."""
    return [token for token in function.tokens if token.kind == "string"
            and re.search(r"[A-Za-z]{2}[,.:;]? [A-Za-z`-]|: %", token.text)]


def words_changed(function, _):
    for token in read_by_people(function):
        for found in re.finditer(r"(?<![%\\\w])[A-Za-z]{3,}(?!\w)",
                                 token.text):
            begin = token.begin + found.start()
            yield begin, begin + len(found.group()), found.group()[::-1]


def defaults_changed(function, _):
    for token in function.tokens:
        if token.kind != "string":
            continue
        for found in re.finditer(r"\b(?:default|by default)[ :]+(\d+)|"
                                 r"\b(\d+) \(default\)", token.text):
            begin, end = found.span(1 if found[1] else 2)
            yield (token.begin + begin, token.begin + end,
                   token.text[begin:end] + "0")


CODE = {**{name: exchange(table) for name, table in EXCHANGED.items()},
        "negated": negated, "constant": constants, "deleted": deleted,
        "returned": returned, "arguments": arguments, "jump": jumps}
TEXT = {"values-swapped": values_swapped, "figure-scaled": figures_scaled,
        "line-dropped": lines_dropped, "printing-negated": printing_negated,
        "word": words_changed, "default": defaults_changed}

# SPDX-License-Identifier: Apache-2.0
"""C source as tokens, functions, and calls: as much as mutants need, of text
that clang-format has laid out."""
import re
from typing import NamedTuple

PATTERN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>(?<![^\n])\#(?:[^\n\\]|\\.)*)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[<>=!]=|&&|\|\||[-+*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL)
OPEN = {"(": ")", "[": "]", "{": "}"}
CLOSE = set(OPEN.values())


class Token(NamedTuple):
    kind: str   # string, char, number, name, sign
    text: str
    begin: int  # in the file's text
    end: int


class Function(NamedTuple):
    """A function, or an object with an initialiser."""
    name: str
    head: list      # tokens before its {
    tokens: list    # from { to }
    is_object: bool


def tokens_of(text):
    return [Token(found.lastgroup, found.group(), *found.span())
            for found in PATTERN.finditer(text)
            if found.lastgroup not in ("space", "directive")]


def closing(tokens, at):
    """Index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(tokens)):
        if tokens[i].text in OPEN and tokens[i].kind == "sign":
            depth += 1
        elif tokens[i].text in CLOSE and tokens[i].kind == "sign":
            depth -= 1
            if depth == 0:
                return i
    return len(tokens) - 1


def name_of(head):
    """The name that a definition's head gives to a function or an object."""
    i = 0
    while i < len(head):
        if head[i].text == "__attribute__":
            i = closing(head, i + 1)
        elif (head[i].kind == "name" and i + 1 < len(head)
              and head[i + 1].text in ("(", "[", "=")):
            return head[i].text
        i += 1
    return ""


def functions_of(text):
    """All functions and initialised objects of a file, in order."""
    tokens = tokens_of(text)
    found, begin, i = [], 0, 0
    while i < len(tokens):
        if tokens[i].text == ";":
            begin = i + 1
        elif tokens[i].text == "{":
            end = closing(tokens, i)
            head = tokens[begin:i]
            is_object = bool(head) and head[-1].text == "="
            if name_of(head) and (is_object or head[-1].text == ")"):
                found.append(Function(name_of(head), head, tokens[i:end + 1],
                                      is_object))
                begin = end + 1
            i = end
        elif tokens[i].text in OPEN:
            i = closing(tokens, i)
        i += 1
    return found


def split(tokens, separator):
    """Lists of tokens between separators that are in no bracket."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += ((token.text in OPEN) - (token.text in CLOSE)
                  if token.kind == "sign" else 0)
        if depth == 0 and token.text == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if parts != [[]] else []


def calls_of(tokens):
    """(index of the name, lists of the arguments' tokens) of every call."""
    for i in range(1, len(tokens) - 1):
        if (tokens[i].kind == "name" and tokens[i + 1].text == "("
                and tokens[i].text not in ("if", "while", "for", "switch",
                                           "return", "sizeof")):
            end = closing(tokens, i + 1)
            yield i, split(tokens[i + 2:end], ",")


def statements_of(tokens):
    """(first, last) index of every statement that ends with a semicolon; not
    what is in the head of a `for`."""
    start = None
    i = 0
    while i < len(tokens):
        token = tokens[i]
        if token.kind == "sign" and token.text in "{};":
            if token.text == ";" and start is not None:
                yield start, i
            start = i + 1
        elif token.text in ("if", "while", "for", "switch"):
            i = closing(tokens, i + 1)
            start = i + 1
        elif token.text in ("else", "do"):
            start = i + 1
        elif token.text == ":" and start is not None and (
                tokens[start].text in ("case", "default")):
            start = i + 1
        elif token.text in ("(", "["):
            i = closing(tokens, i)
        i += 1

# SPDX-License-Identifier: Apache-2.0
"""Libraries of the build for ctypes, by the debugger's description of them: the
structs with their fields, the functions with what they take and return. So a
field that moves changes nothing here, and one that has another name fails where
it is used. gdb runs this file, too, and prints the description as JSON; it is
kept beside the library, as LIBRARY.json.
"""
import ctypes
import json
import os
import pathlib
import re
import subprocess

GDB = "gdb-multiarch"
NAMED = {"_Bool": ctypes.c_bool, "char": ctypes.c_char,
         "float": ctypes.c_float, "double": ctypes.c_double}


# ---- in gdb ----

def described_type(kind, structs):
    """Of a gdb.Type: [what it is, ...]; structs found on the way by name."""
    kind = kind.strip_typedefs().unqualified()
    if kind.code in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_ARRAY):
        inner = described_type(kind.target(), structs)
        if kind.code == gdb.TYPE_CODE_PTR:
            return ["pointer", inner]
        return ["array", inner, kind.range()[1] + 1]
    if kind.code == gdb.TYPE_CODE_FUNC:
        return ["function", described_type(kind.target(), structs),
                [described_type(field.type, structs)
                 for field in kind.fields()]]
    if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        name = kind.tag or f"without a name {len(structs)}"
        if name not in structs:
            structs[name] = None  # it may refer to itself
            try:
                fields = [[field.name or "", described_type(
                    field.type, structs), field.bitpos // 8]
                          for field in kind.fields()]
            except TypeError:  # it is only declared
                fields = []
            structs[name] = [kind.code == gdb.TYPE_CODE_UNION, kind.sizeof,
                             fields]
        return ["struct", name]
    if kind.code == gdb.TYPE_CODE_VOID:
        return ["void"]
    name = kind.name or "enum"
    if name not in NAMED:
        name = "uint" if name.startswith(("unsigned", "enum")) else "int"
    return ["number", kind.sizeof, name]


def print_description():
    structs, functions = {}, {}
    text = gdb.execute("info functions -n -q", to_string=True)
    for name in re.findall(r"^\d+:\s+(?!static)[^;]*?(\w+)\(", text, re.M):
        symbol = gdb.lookup_global_symbol(name)
        if symbol is not None:
            functions[name] = described_type(symbol.type, structs)[1:]
    text = gdb.execute("info types -q .", to_string=True)
    for name in re.findall(r"^\d+:\s+struct (\w+);", text, re.M):
        described_type(gdb.lookup_type("struct " + name), structs)
    print(json.dumps({"structs": structs, "functions": functions}))


# ---- in tests ----

class Library:
    """.calls: the ctypes.CDLL, whose functions know what they take."""

    def __init__(self, path):
        path = pathlib.Path(path)
        if not path.exists():
            raise FileNotFoundError(
                f"{path} is missing: run `make build/test/{path.name}`")
        self.calls = ctypes.CDLL(str(path))
        self.found = {}
        self.complete = set()  # the names of those that have their fields
        description = self.read(path)
        self.structs = description["structs"]
        for name, (result, takes) in description["functions"].items():
            if hasattr(self.calls, name):
                call = getattr(self.calls, name)
                call.restype = self.of(result)
                call.argtypes = [self.of(one) for one in takes]

    @staticmethod
    def read(path):
        kept = path.with_name(path.name + ".json")
        if not kept.exists() or kept.stat().st_mtime < max(
                path.stat().st_mtime, os.stat(__file__).st_mtime):
            done = subprocess.run(
                [GDB, "-q", "-batch", "-nx", "-x", __file__, path],
                stdin=subprocess.DEVNULL, capture_output=True, text=True,
                check=True)
            new = kept.with_name(f"{kept.name}.{os.getpid()}")
            new.write_text(done.stdout)
            os.replace(new, kept)
        return json.loads(kept.read_text())

    def of(self, kind):
        """The ctypes of a description; None: nothing."""
        what, *more = kind
        if what == "void":
            return None
        if what == "number":
            size, name = more
            return NAMED.get(name) or getattr(ctypes, f"c_{name}{8 * size}")
        if what == "array":
            return self.of(more[0]) * more[1]
        if what == "struct":
            return self.struct(more[0])
        if what == "function":
            return ctypes.CFUNCTYPE(self.of(more[0]),
                                    *(self.of(one) for one in more[1]))
        to, = more
        if to[0] == "function":
            return self.of(to)
        if to == ["number", 1, "char"]:
            return ctypes.c_char_p
        # Of bytes and of what nobody looks into any buffer may be given.
        if to[0] == "void" or to[:2] == ["number", 1] or (
                to[0] == "struct" and not self.structs[to[1]][2]):
            return ctypes.c_void_p
        return ctypes.POINTER(self.bare(to[1]) if to[0] == "struct"
                              else self.of(to))

    def bare(self, name):
        """The class of `struct name`, which may still have no fields: what only
        pointers lead to needs none."""
        if name not in self.found:
            union = self.structs[name][0]
            # Without a __dict__ no other name can be written, or given.
            self.found[name] = type(
                name, (ctypes.Union if union else ctypes.Structure,),
                {"__slots__": ()})
        return self.found[name]

    def struct(self, name):
        """The class of `struct name`, with its fields."""
        one = self.bare(name)
        if name not in self.complete:
            self.complete.add(name)
            _, size, fields = self.structs[name]
            one._anonymous_ = [f"anonymous{i}" for i, field in
                               enumerate(fields) if not field[0]]
            one._fields_ = [(field or f"anonymous{i}", self.of(kind))
                            for i, (field, kind, _) in enumerate(fields)]
            assert ctypes.sizeof(one) == size, name
            for i, (field, _, offset) in enumerate(fields):
                assert getattr(one, field or f"anonymous{i}").offset == offset
        return one


try:
    import gdb
except ImportError:
    pass
else:
    print_description()

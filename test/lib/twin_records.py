# SPDX-License-Identifier: Apache-2.0
"""The twin of kernel records: splits records by hand, reads fields with
Python's csv and numbers as exact decimals."""
import csv
import fractions
import io
import operator

CODES = {"lt": 1, "le": 3, "eq": 2, "ne": 5, "ge": 6, "gt": 4, "begins": 8,
         "contains": 16}


def records_of(table, separator=","):
    """The records' bytes; empty lines are none. A carriage return alone that
    ends one becomes a newline. Quotes enclose a field that begins with one."""
    found, start, quoted, closed, begins = [], 0, False, False, True
    for i, byte in enumerate(table):
        alone = byte == ord("\r") and table[i + 1:i + 2] != b"\n"
        ends = (byte == ord("\n") or alone) and not quoted
        if byte == ord('"') and (
                quoted or begins or table[i - 1:i] == b'"' and closed):
            quoted = not quoted
            closed = not quoted
        elif ends:
            found.append(table[start:i] + b"\n")
            start = i + 1
        else:
            closed = False
        begins = ends or byte == ord(separator) and not quoted
    found.append(table[start:])
    return [r for r in found if r.strip(b"\r\n")]


def fields_of(record, separator):
    text = io.StringIO(record.decode("latin-1"), newline="")
    rows = list(csv.reader(text, delimiter=separator, strict=True))
    assert len(rows) == 1
    return [field.encode("latin-1") for field in rows[0]]


def as_number(field):
    return fractions.Fraction(field.decode())


def holds(field, op, value, number):
    if op == "contains":
        return value in field
    if op == "begins":
        return field.startswith(value)
    compare = getattr(operator, op)
    return (compare(as_number(field), as_number(value)) if number
            else compare(field, value))


def decimals_of(field):
    return len(field.partition(b".")[2])


class Twin:
    """What a run must say of a table."""

    def __init__(self, table, column, op, value, number, total=None,
                 separator=","):
        header, *rows = records_of(table, separator)
        names = fields_of(header, separator)
        self.at = names.index(column)
        self.total = names.index(total) if total is not None else None
        rows = [(row, fields_of(row, separator)) for row in rows]
        chosen = [(row, fields) for row, fields in rows
                  if self.at < len(fields)
                  and holds(fields[self.at], op, value, number)]
        self.rows = b"".join(row for row, _ in chosen)
        self.output = header + self.rows
        self.count = len(chosen)
        self.decimals = [
            max((decimals_of(f[i]) for _, f in rows if i < len(f)), default=0)
            if i is not None else 0
            for i in (self.at, self.total)]
        if number:
            self.decimals[0] = max(self.decimals[0], decimals_of(value))
        if number and self.at == self.total:
            self.decimals[1] = self.decimals[0]
        if total is not None:
            self.values = [as_number(f[self.total]) for _, f in chosen]

    def result(self):
        """As the report has it."""
        said = {"count": self.count}
        if self.total is not None and self.count > 0:
            for name, function in (("sum", sum), ("min", min), ("max", max)):
                scaled = function(self.values) * 10 ** self.decimals[1]
                assert scaled.denominator == 1
                digits = f"{abs(scaled.numerator):0{self.decimals[1] + 1}}"
                cut = len(digits) - self.decimals[1]
                said[name] = [("-" if scaled < 0 else "") + digits[:cut]
                              + ("." + digits[cut:] if digits[cut:] else "")]
        return said

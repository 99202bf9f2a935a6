# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Generates columns with all kinds of values and nulls from a seed."""

import datetime
import random
from decimal import Decimal

import pyarrow as pa

NULL_PATTERNS = ("none", "some", "all", "ends", "alt", "tail")

LEAVES = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "decimal9": pa.decimal128(9, 2),
    "decimal18": pa.decimal128(18, 4),
    "decimal38": pa.decimal128(38, 10),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
"""The leaf types that Spark and Lance have in common, so that values survive both directions."""

PYLANCE_LEAVES = {
    "uint8": pa.uint8(),
    "uint16": pa.uint16(),
    "uint32": pa.uint32(),
    "uint64": pa.uint64(),
    "large_string": pa.large_string(),
    "large_binary": pa.large_binary(),
    "fixed_size_binary": pa.binary(7),
    "date64": pa.date64(),
    "timestamp_s": pa.timestamp("s", "UTC"),
    "timestamp_ms": pa.timestamp("ms"),
    "timestamp_zone": pa.timestamp("us", "Europe/Paris"),
}
"""Leaf types that only pylance writes; Spark reads their values in a type of its own."""

NESTED = {
    "struct": pa.struct([("i", pa.int32()), ("s", pa.string())]),
    "list": pa.list_(pa.int64()),
    "list_string": pa.list_(pa.string()),
    "list_struct": pa.list_(pa.struct([("d", pa.float64()), ("b", pa.bool_())])),
    "struct_list": pa.struct([("l", pa.list_(pa.int16())), ("x", pa.decimal128(12, 3))]),
    "list_list": pa.list_(pa.list_(pa.int32())),
    "struct_struct": pa.struct([("inner", pa.struct([("day", pa.date32()), ("s", pa.string())]))]),
    "list_struct_list": pa.list_(
        pa.struct([("l", pa.list_(pa.string())), ("t", pa.timestamp("us"))])
    ),
    "list_list_struct": pa.list_(pa.list_(pa.struct([("i", pa.int8()), ("b", pa.binary())]))),
    "struct_list_struct": pa.struct(
        [("l", pa.list_(pa.struct([("f", pa.float32()), ("l", pa.list_(pa.int32()))])))]
    ),
}
"""Nesting patterns; nulls may stand on every level."""


def type_tables(rows):
    """Returns a table for each type, by name, with a column for each null pattern."""
    kinds = LEAVES | NESTED
    return {name: patterns_table(kind, rows, seed=name) for name, kind in kinds.items()}


def patterns_table(kind, rows, seed, null_structs=True):
    """A table of one type: a column for each null pattern."""
    draw = Draw(seed, null_structs)
    return pa.table({p: draw.column(kind, rows, p) for p in NULL_PATTERNS})


class Draw:
    """Draws values of Arrow types, the same ones for the same seed.

    Args:
        seed: Decides the values.
        null_structs: Whether structs may be null, which file version 2.0 cannot hold.
    """

    def __init__(self, seed, null_structs=True):
        self.null_structs = null_structs
        self.random = random.Random(f"pyspark-lance {seed}")

    def table(self, schema, rows, nulls=0.15):
        """A table of the schema; each value on each level is null with the given probability."""
        columns = [pa.array([self.child(f, nulls) for _ in range(rows)], f.type) for f in schema]
        return pa.Table.from_arrays(columns, schema=schema)

    def column(self, kind, rows, pattern="some"):
        """A column whose top level has nulls by one of `NULL_PATTERNS`, and some below it."""
        keep = {
            "none": lambda i: True,
            "some": lambda i: self.random.random() > 0.1,
            "all": lambda i: False,
            "ends": lambda i: 0 < i < rows - 1,
            "alt": lambda i: i % 2 == 0,
            "tail": lambda i: i < rows * 2 // 3,
        }[pattern]
        below = 0.0 if pattern == "none" else 0.1
        always = not self._may_be_null(kind)
        present = [self.present(kind, below) if always or keep(i) else None for i in range(rows)]
        return pa.array(present, kind)

    def value(self, kind, nulls):
        """A value, or `None` with the given probability."""
        null = self.random.random() < nulls and self._may_be_null(kind)
        return None if null else self.present(kind, nulls)

    def _may_be_null(self, kind):
        return self.null_structs or not pa.types.is_struct(kind)

    def child(self, field, nulls):
        """A value below another one."""
        return self.value(field.type, nulls if field.nullable else 0)

    def present(self, kind, nulls):
        """Returns a value that is not null. Nested values may be null."""
        is_, r = pa.types, self.random
        if is_.is_struct(kind):
            return {f.name: self.child(f, nulls) for f in kind}
        if is_.is_fixed_size_list(kind):
            return [self.child(kind.value_field, nulls) for _ in range(kind.list_size)]
        if is_.is_map(kind):
            keys = (self.present(kind.key_type, 0) for _ in range(r.choice((0, 1, 1, 2, 4))))
            return [(key, self.child(kind.item_field, nulls)) for key in dict.fromkeys(keys)]
        if is_.is_list(kind) or is_.is_large_list(kind):
            length = r.choice((0, 0, 1, 1, 2, 3, 5))
            return [self.child(kind.value_field, nulls) for _ in range(length)]
        if is_.is_boolean(kind):
            return r.random() < 0.5
        if is_.is_integer(kind):
            return self._integer(kind)
        if is_.is_floating(kind):
            return self._float(kind)
        if is_.is_decimal(kind):
            return self._decimal(kind)
        if is_.is_fixed_size_binary(kind):
            return r.randbytes(kind.byte_width)
        if is_.is_binary(kind) or is_.is_large_binary(kind):
            return r.randbytes(r.choice((0, 1, 3, 8, 40)))
        if is_.is_string(kind) or is_.is_large_string(kind):
            return self._string()
        if is_.is_date(kind):
            return _outside_gap(r.randrange(1, 3_652_060))
        if is_.is_timestamp(kind):
            return self._timestamp(kind)
        raise NotImplementedError(kind)

    def _integer(self, kind):
        signed = pa.types.is_signed_integer(kind)
        low = -(2 ** (kind.bit_width - 1)) if signed else 0
        high = low + 2**kind.bit_width - 1
        small = self.random.randrange(-100 if signed else 0, 100)
        return self.random.choice((small, small, self.random.randint(low, high), low, high))

    def _float(self, kind):
        r = self.random
        edges = (0.0, -0.0, float("nan"), float("inf"), float("-inf"), 5e-324, 1.5)
        value = r.choice((*edges, r.gauss(0, 1), r.uniform(-1e30, 1e30), float(r.randrange(100))))
        return pa.scalar(value, kind).as_py()  # rounded to the type's precision

    def _decimal(self, kind):
        top = 10**kind.precision - 1
        unscaled = self.random.choice((self.random.randint(-top, top), top, -top, 0, 1))
        sign, digits = int(unscaled < 0), tuple(int(d) for d in str(abs(unscaled)))
        return Decimal((sign if unscaled else 0, digits, -kind.scale))

    def _string(self):
        r = self.random
        words = (
            "",
            "a",
            "lance",
            "spark",
            "naïve",
            "日本語",
            "😀",
            "the quick brown fox",
            "x" * 70,
        )
        return " ".join(r.choice(words) for _ in range(r.choice((0, 1, 1, 2, 4))))

    def _timestamp(self, kind):
        step = {"s": 1_000_000, "ms": 1_000, "us": 1}[kind.unit]
        micros = self.random.randrange(-62_000_000_000_000_000, 253_000_000_000_000_000)
        value = datetime.datetime(1970, 1, 1) + datetime.timedelta(
            microseconds=micros // step * step
        )
        return value if kind.tz is None else value.replace(tzinfo=datetime.timezone.utc)


def _outside_gap(ordinal):
    """The date; ten days later in the gap between the calendars, which old dates of Java lack."""
    day = datetime.date.fromordinal(ordinal)
    in_gap = datetime.date(1582, 10, 4) < day < datetime.date(1582, 10, 15)
    return day + datetime.timedelta(days=10) if in_gap else day

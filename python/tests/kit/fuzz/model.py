# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The expected table: rows by id for each version."""

import random
from dataclasses import dataclass, field, replace

import pyarrow as pa

from kit.fuzz import conditions
from kit.fuzz.values import EASY, WIDER, is_leaf
from kit.schemas import random_schema
from kit.values import LEAVES, Draw

NAMES = ("c0", "c1", "c2", "c3", "c4", "c5", "odd näme", "Mixed_Case")
FLOATS = (pa.float32(), pa.float64())
"""Types that pylance's statistics of file version 0.1 do not describe, as NaN is in no range."""

ELEMENTS = (pa.int16(), pa.int64(), pa.string())
"""Types of elements in lists that conditions can search."""


@dataclass(frozen=True)
class Version:
    """Columns by name, without `id`, and the values of rows by id."""

    columns: dict = field(default_factory=dict)
    rows: dict = field(default_factory=dict)

    def paths(self):
        """The types of all columns, and of the fields of structs, by path."""
        found = {}

        def add(prefix, fields):
            for f in fields:
                found[prefix + f.name] = f.type
                if pa.types.is_struct(f.type):
                    add(f"{prefix}{f.name}.", f.type)

        add("", self.columns.values())
        return found

    def kind(self, path):
        """The type of a column or field; None if there is none."""
        return self.paths().get(path)

    @staticmethod
    def value(row, path):
        """The value of a column or field; null if a struct above it is."""
        for name in path.split("."):
            row = None if row is None else row[name]
        return row

    def matching(self, condition):
        """The ids of the rows for which a condition is true."""
        return [
            key
            for key, row in self.rows.items()
            if conditions.holds(condition, key, row, self) is True
        ]

    def with_rows(self, more):
        """Adds or replaces rows."""
        return replace(self, rows={**self.rows, **more})

    def without(self, keys):
        """Removes rows."""
        gone = set(keys)
        return replace(self, rows={k: r for k, r in self.rows.items() if k not in gone})

    def with_column(self, column, value):
        """Adds or replaces a column with the value of each row by its id and the row."""
        rows = {k: {**r, column.name: value(k, r)} for k, r in self.rows.items()}
        return Version({**self.columns, column.name: column}, rows)

    def without_column(self, name):
        """Removes a column."""
        rows = {k: {n: v for n, v in r.items() if n != name} for k, r in self.rows.items()}
        return Version({n: c for n, c in self.columns.items() if n != name}, rows)

    def renamed(self, name, to):
        """Renames a column, which keeps its place."""

        def moved(pairs):
            return {to if n == name else n: v for n, v in pairs.items()}

        columns = moved({**self.columns, name: self.columns[name].with_name(to)})
        return Version(columns, {k: moved(r) for k, r in self.rows.items()})

    @property
    def schema(self):
        """The Arrow schema."""
        return pa.schema([pa.field("id", pa.int64()), *self.columns.values()])

    def table(self):
        """The rows as an Arrow table, in the order of their ids."""
        rows = [{"id": k, **r} for k, r in sorted(self.rows.items())]
        return pa.Table.from_pylist(rows, self.schema)


@dataclass
class Branch:
    """The latest version of a branch, and all readable versions by number.

    `parent` is the branch and the number of the version where it starts; None for `main`.
    """

    latest: Version
    number: int
    versions: dict
    parent: tuple | None = None


@dataclass
class State:
    """The expected state of the table.

    Attributes:
        settings: `file_version`, `stable`, and other properties of the new table.
        branches: branches by name.
        tags: branch and number of the version by tag.
        indices: columns by index, for each branch.
        row_ids: row ids by id, for each branch.
        next: the id of the next row.
    """

    settings: dict
    branches: dict = field(default_factory=dict)
    tags: dict = field(default_factory=dict)
    indices: dict = field(default_factory=dict)
    row_ids: dict = field(default_factory=dict)
    next: int = 0

    @property
    def file_version(self):
        """The file version of the table."""
        return self.settings["file_version"]

    @property
    def is_old(self):
        """Whether file versions store no null structs."""
        return self.file_version in ("0.1", "2.0")

    def new_rows(self, version, draw, count):
        """Random rows for the columns of a version."""
        drawn = Draw(draw, null_structs=not self.is_old)
        nulls = 0 if self.file_version == "0.1" else 0.2
        table = {
            c.name: [drawn.child(c, nulls) for _ in range(count)] for c in version.columns.values()
        }
        if self.file_version == "0.1":  # which stores nulls as empty strings
            table = {n: ["e" if v == "" else v for v in values] for n, values in table.items()}
        first, self.next = self.next, self.next + count
        rows = {first + i: {n: v[i] for n, v in table.items()} for i in range(count)}
        return _as_stored(version, rows)

    def new_columns(self, seed):
        """Random columns. Some have types that conditions can compare."""
        pick = random.Random(f"columns {seed}")
        easy = [t for t in EASY.values() if self.file_version != "0.1" or t not in FLOATS]
        leaves = dict(enumerate(easy)) if self.file_version == "0.1" else LEAVES
        schema = random_schema(
            seed,
            depth=0 if self.file_version == "0.1" else pick.choice((0, 1, 1, 2, 3)),
            leaves=leaves,
            maps=self.file_version in ("2.2", "2.3"),
            required=not self.is_old,
        )
        fields = [f.with_name(NAMES[i]) for i, f in enumerate(list(schema)[:4])]
        fields.append(pa.field("Mixed_Case", pick.choice(easy)))
        if self.file_version != "0.1":
            fields.append(pa.field("c5", pa.list_(pick.choice(ELEMENTS))))
        return {f.name: f for f in fields}


def _as_stored(version, rows):
    """The rows after a way through Arrow, which rounds floats and orders fields."""
    return {row.pop("id"): row for row in Version(version.columns, rows).table().to_pylist()}


def can_widen(column):
    """Whether a column has a type with a wider one."""
    return str(column.type) in WIDER


def can_index(kind, t):
    """Whether an index of a kind can be built on a type."""
    if kind == "LABEL_LIST":
        return (
            pa.types.is_list(t) and is_leaf(t.value_type) and not pa.types.is_floating(t.value_type)
        )
    if kind == "NGRAM":
        return pa.types.is_string(t)
    if kind == "BLOOMFILTER":
        return pa.types.is_integer(t) or pa.types.is_string(t) or pa.types.is_date(t)
    return is_leaf(t) and not pa.types.is_binary(t)

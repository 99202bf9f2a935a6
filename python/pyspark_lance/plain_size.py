# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Computes the size of values without encoding."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

from pyspark_lance.sql import quoted

OFFSET_BYTES: Final = 4.0
"""Bytes of a string or list in addition to its contents."""

Measure = Callable[[Column], Column]
"""Returns the size of a value in bytes, 0 for null."""


@dataclass
class FieldNode:
    """A field of the table with its children, from the metadata table `columns`."""

    field_id: int
    path: str
    name: str
    type: str
    metadata: dict[str, str]
    children: list["FieldNode"] = field(default_factory=list)

    @property
    def is_blob(self) -> bool:
        """Whether its values are stored outside of pages."""
        return (
            self.type == "blob"
            or "lance-encoding:blob" in self.metadata
            or self.metadata.get("ARROW:extension:name") == "lance.blob.v2"
        )


class PlainSize(NamedTuple):
    """The size of the values of one field.

    Args:
        bytes_per_row: Mean size per row.
        is_estimate: Whether the size is computed from a sample.
        is_repeated: Whether a row can have several values.
        slots: Number of values per row, in fixed-size lists of structs.
    """

    bytes_per_row: float
    is_estimate: bool
    is_repeated: bool
    slots: int


def field_tree(rows: Iterable[Row]) -> list[FieldNode]:
    """Returns the tree of fields from the rows of the metadata table `columns`."""
    nodes: dict[int, FieldNode] = {}
    columns: list[FieldNode] = []
    for row in rows:
        node = FieldNode(row.field_id, row.path, row.name, row.type, row.metadata)
        nodes[row.field_id] = node
        siblings = columns if row.parent_id is None else nodes[row.parent_id].children
        siblings.append(node)
    return columns


def bits_of(lance_type: str) -> float | None:
    """Returns the bits of a value of a type; `None` if the width is variable."""
    kind, *rest = lance_type.split(":")
    if kind == "fixed_size_list":
        item = bits_of(":".join(rest[:-1]))
        return None if item is None else item * int(rest[-1])
    if kind == "fixed_size_binary":
        return 8.0 * int(rest[0])
    if kind == "decimal":
        return float(rest[0])
    return FIXED_BITS.get(kind)


FIXED_BITS: Final = {
    "null": 0.0,
    "bool": 1.0,
    "halffloat": 16.0,
    "lance.bfloat16": 16.0,
    "float": 32.0,
    "double": 64.0,
    "date32": 32.0,
    "date64": 64.0,
    "time32": 32.0,
    "time64": 64.0,
    "timestamp": 64.0,
    "duration": 64.0,
    **{f"{sign}int{bits}": float(bits) for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


class _Leaf(NamedTuple):
    """A field with pages: a fixed number of bytes per row, or a function that measures it."""

    field_id: int
    size: float | Measure
    is_repeated: bool = False
    slots: int = 1


def plain_sizes(
    rows: DataFrame, columns: Sequence[FieldNode], stored: set[int], sample_rows: int | None
) -> dict[int, PlainSize]:
    """Returns the sizes of fields by id. Fields of unknown size are omitted.

    Args:
        rows: The rows of the table.
        columns: The fields of the table.
        stored: Ids of the requested fields.
        sample_rows: Approximate number of rows to read; all rows if `None`. No rows are read if all
            types have a fixed width.
    """
    types = {f.name: f.dataType for f in rows.schema.fields}
    leaves = [
        (column.name, leaf)
        for column in columns
        if column.name in types
        for leaf in _leaves(column, types[column.name], stored)
    ]
    measured = {
        leaf.field_id: leaf.size(rows[quoted(name)]) for name, leaf in leaves if callable(leaf.size)
    }
    means, is_estimate = _means(rows, measured, sample_rows)
    sizes = {}
    for _, leaf in leaves:
        mean = means.get(leaf.field_id) if callable(leaf.size) else leaf.size
        if mean is not None:
            estimated = callable(leaf.size) and is_estimate
            sizes[leaf.field_id] = PlainSize(mean, estimated, leaf.is_repeated, leaf.slots)
    return sizes


def _means(
    rows: DataFrame, measured: dict[int, Column], sample_rows: int | None
) -> tuple[dict[int, float | None], bool]:
    if not measured:
        return {}, False
    is_sample = False
    if sample_rows is not None:
        count = rows.count()
        is_sample = count > sample_rows
        if is_sample:
            rows = rows.sample(sample_rows / count, seed=0)
    wanted = [F.avg(size.cast("double")).alias(f"f{i}") for i, size in measured.items()]
    (means,) = rows.agg(*wanted).collect()
    return {i: means[f"f{i}"] for i in measured}, is_sample


def _leaves(node: FieldNode, data_type: T.DataType, stored: set[int]) -> Iterable[_Leaf]:
    if node.is_blob:
        return
    inner = _children(node, data_type)
    if inner is None or not any(_has_pages(child, stored) for child, *_ in inner):
        size = _value_size(node, data_type)
        if node.field_id in stored and size is not None:
            yield _Leaf(node.field_id, size)
        return
    kind, _, dimension = node.type.partition(":")
    slots = int(dimension.rsplit(":", 1)[-1]) if kind == "fixed_size_list" else 1
    for child, child_type, get, is_item in inner:
        for leaf in _leaves(child, child_type, stored):
            yield leaf._replace(
                size=_of_items(get, leaf.size) if is_item else _of_member(get, leaf.size),
                is_repeated=leaf.is_repeated or is_item,
                slots=leaf.slots * slots,
            )


def _has_pages(node: FieldNode, stored: set[int]) -> bool:
    return node.field_id in stored or any(_has_pages(c, stored) for c in node.children)


_Child = tuple[FieldNode, T.DataType, Measure, bool]
"""A child field: its type, an accessor, and whether it is repeated."""


def _children(node: FieldNode, data_type: T.DataType) -> list[_Child] | None:
    """Returns the children of a field; `None` if Spark does not have them."""
    if isinstance(data_type, T.StructType) and node.children:
        types = {f.name: f.dataType for f in data_type.fields}
        return [
            (child, types[child.name], _member(child.name), False)
            for child in node.children
            if child.name in types
        ]
    if isinstance(data_type, T.ArrayType) and node.children:
        return [(node.children[0], data_type.elementType, lambda c: c, True)]
    if isinstance(data_type, T.MapType) and node.children:
        key, value = node.children[0].children
        return [
            (key, data_type.keyType, F.map_keys, True),
            (value, data_type.valueType, F.map_values, True),
        ]
    return None


def _member(name: str) -> Measure:
    return lambda struct: struct.getField(name)


def _of_member(get: Measure, size: float | Measure) -> float | Measure:
    return (lambda c: size(get(c))) if callable(size) else size


def _of_items(get: Measure, size: float | Measure) -> Measure:
    if not callable(size):
        return lambda c: F.coalesce(F.size(get(c)) * size, F.lit(0.0)) + OFFSET_BYTES

    def total(c: Column) -> Column:
        sizes = F.transform(get(c), size)
        summed = F.aggregate(sizes, F.lit(0.0), lambda sum_, one: sum_ + one.cast("double"))
        return F.coalesce(summed, F.lit(0.0)) + OFFSET_BYTES

    return total


def _value_size(node: FieldNode, data_type: T.DataType) -> float | Measure | None:
    bits = bits_of(node.type)
    if bits is not None:
        return bits / 8
    if isinstance(data_type, T.StringType | T.BinaryType):
        return lambda c: F.coalesce(F.octet_length(c), F.lit(0)) + OFFSET_BYTES
    if isinstance(data_type, T.StructType):  # a packed struct is stored in one page
        return _packed_size(node, data_type)
    return None


def _packed_size(node: FieldNode, data_type: T.StructType) -> float | Measure | None:
    parts: list[float | Measure] = []
    for child, child_type, get, _ in _children(node, data_type) or []:
        size = _value_size(child, child_type)
        if size is None:
            return None
        parts.append(_of_member(get, size))
    fixed = sum(part for part in parts if not callable(part))
    varying = [part for part in parts if callable(part)]
    if not varying:
        return fixed

    def total(c: Column) -> Column:
        sum_ = F.lit(fixed)
        for part in varying:
            sum_ = sum_ + part(c)
        return sum_

    return total

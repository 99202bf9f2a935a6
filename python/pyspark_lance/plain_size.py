# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""How many bytes values take without any encoding."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

from pyspark_lance.sql import identifier

OFFSET_BYTES: Final = 4.0
"""What a string or a list takes besides what it holds."""

Measure = Callable[[Column], Column]
"""From a value to its bytes, 0 for null."""


@dataclass
class FieldNode:
    """A field of the table with those in it, as the metadata table `columns` has them."""

    field_id: int
    path: str
    name: str
    type: str
    metadata: dict[str, str]
    children: list["FieldNode"] = field(default_factory=list)

    @property
    def is_blob(self) -> bool:
        """Whether its values lie outside the pages."""
        return (
            self.type == "blob"
            or "lance-encoding:blob" in self.metadata
            or self.metadata.get("ARROW:extension:name") == "lance.blob.v2"
        )


class PlainSize(NamedTuple):
    """The bytes of the values of one field.

    Args:
        bytes_per_row: The mean over the rows.
        is_estimate: Whether it is that of a sample.
        is_repeated: Whether a row may have several values.
        slots: Values that each row has room for, in fixed-size lists of structs.
    """

    bytes_per_row: float
    is_estimate: bool
    is_repeated: bool
    slots: int


def field_tree(rows: Iterable[Row]) -> list[FieldNode]:
    """The columns with all below them, of the rows of the metadata table `columns`."""
    nodes: dict[int, FieldNode] = {}
    columns: list[FieldNode] = []
    for row in rows:
        node = FieldNode(row.field_id, row.path, row.name, row.type, row.metadata)
        nodes[row.field_id] = node
        siblings = columns if row.parent_id is None else nodes[row.parent_id].children
        siblings.append(node)
    return columns


def bits_of(lance_type: str) -> float | None:
    """Bits of a value of a type; None where it depends on the value."""
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
    """A field with pages: bytes that are the same in all rows, or how to measure them."""

    field_id: int
    size: float | Measure
    is_repeated: bool = False
    slots: int = 1


def plain_sizes(
    rows: DataFrame, columns: Sequence[FieldNode], stored: set[int], sample_rows: int | None
) -> dict[int, PlainSize]:
    """The sizes of fields by their ids; fields of which they are not known are left out.

    Args:
        rows: The rows of the table.
        columns: Its fields.
        stored: Ids of the fields that are asked for.
        sample_rows: Rows to read, about; all of them if None. None are read when the types of all
            columns say it.
    """
    types = {f.name: f.dataType for f in rows.schema.fields}
    leaves = [
        (column.name, leaf)
        for column in columns
        if column.name in types
        for leaf in _leaves(column, types[column.name], stored)
    ]
    measured = {
        leaf.field_id: leaf.size(rows[identifier(name)])
        for name, leaf in leaves
        if callable(leaf.size)
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
"""A field in another one: its type, how to get it, whether there are several of it."""


def _children(node: FieldNode, data_type: T.DataType) -> list[_Child] | None:
    """The fields in a field; None when Spark has no such fields."""
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
    if isinstance(data_type, T.StructType):  # a packed struct: one page holds all of it
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

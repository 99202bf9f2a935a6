# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tables as text and HTML, for consoles and notebooks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final

from pyspark.sql.types import ArrayType, StructField, StructType

from pyspark_lance.exceptions import first_line
from pyspark_lance.fields import FIXED_SIZE_LIST_SIZE
from pyspark_lance.inspection import TableParts

SHOWN_COLUMNS: Final = 50
HIDDEN: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
"""Control and bidirectional characters, which can control a terminal or disguise text."""


@dataclass(frozen=True)
class Summary:
    """Summary of a version of a table."""

    name: str
    version: int
    committed_at: datetime
    operation: str | None
    rows: int | None
    deleted_rows: int
    fragments: int
    files: int
    size_bytes: int | None
    schema: StructType

    @classmethod
    def of(cls, table: TableParts) -> "Summary":
        """Reads the manifest of the version, but no data.

        Raises:
            PySparkException: An error of Spark, for instance because the table was dropped.
        """
        commit = table.metadata_table("history").select("version", "timestamp", "operation").head()
        if commit is None:
            raise ValueError(f"{table.name} has no versions")
        fragments = (
            table.metadata_table("fragments")
            .select("rows", "deleted_rows", "data_files", "bytes", "blob_bytes")
            .collect()
        )
        return cls(
            name=table.name,
            version=commit.version,
            committed_at=commit.timestamp,
            operation=commit.operation,
            rows=_total([f.rows for f in fragments]),
            deleted_rows=sum(f.deleted_rows or 0 for f in fragments),
            fragments=len(fragments),
            files=sum(f.data_files for f in fragments),
            size_bytes=_total([_plus(f.bytes, f.blob_bytes) for f in fragments]),
            schema=table.toDF().schema,
        )

    def facts(self) -> list[tuple[str, str]]:
        """Returns names and values as text."""
        done_by = f", {self.operation}" if self.operation else ""
        return [
            ("version", f"{self.version} ({self.committed_at:%Y-%m-%d %H:%M:%S}{done_by})"),
            ("rows", _count(self.rows) + self._deleted()),
            ("fragments", f"{self.fragments:,}"),
            ("data files", f"{self.files:,}, {byte_size(self.size_bytes)}"),
        ]

    def _deleted(self) -> str:
        return f", {self.deleted_rows:,} deleted ones kept" if self.deleted_rows else ""


def text(table: TableParts) -> str:
    """Returns the `repr` of a table. Never raises an error.

    Examples:
        >>> from pyspark_lance.display import byte_size
        >>> byte_size(12_595)
        '12.3 KiB'
    """
    try:
        summary = Summary.of(table)
    except Exception as error:
        return f"LanceTable({table.name}): {first_line(error)}"
    facts = "\n".join(f"  {name}: {value}" for name, value in summary.facts())
    columns = grid([], [_column(field) for field in summary.schema.fields[:SHOWN_COLUMNS]])
    lines = [f"    {line}".rstrip() for line in columns.splitlines()]
    if more := _not_shown(summary):
        lines.append(f"    and {more} more")
    return "\n".join([f"LanceTable({summary.name})", facts, "  columns:", *lines])


def html(table: TableParts) -> str:
    """Returns the HTML of a table for notebooks. Never raises an error."""
    try:
        summary = Summary.of(table)
    except Exception as error:
        return f"<b>LanceTable</b> {escape(table.name)}: {escape(first_line(error))}"
    facts = _html_rows([(f"<b>{name}</b>", escape(value)) for name, value in summary.facts()])
    columns = [
        tuple(escape(part) for part in _column(field))
        for field in summary.schema.fields[:SHOWN_COLUMNS]
    ]
    if more := _not_shown(summary):
        columns.append((f"and {more} more", "", ""))
    head = _html_rows([("<b>column</b>", "<b>type</b>", "")])
    return (
        f"<div><b>LanceTable</b> {escape(summary.name)}"
        f"<table>{facts}</table><table>{head}{_html_rows(columns)}</table></div>"
    )


def byte_size(size: int | None) -> str:
    """Formats a number of bytes with a suitable unit."""
    if size is None:
        return "unknown size"
    if size < 1024:
        return f"{size} bytes"
    value = float(size)
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        value /= 1024
        if value < 1024 or unit == "TiB":
            break
    return f"{value:,.1f} {unit}"


def printable(text: str) -> str:
    r"""Escapes control and bidirectional characters in text from tables, and line ends.

    Examples:
        >>> from pyspark_lance.display import printable
        >>> printable("a\x1b[2J\nb")
        'a\\u001b[2J\\u000ab'
    """
    return HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def grid(header: Sequence[str], rows: Sequence[Sequence[str]], left: int | None = None) -> str:
    """Formats rows as a text table.

    Args:
        header: Names of the columns; no header if empty.
        rows: Cells.
        left: Number of left-aligned columns. The others are right-aligned. `None`: all.
    """
    contents = [header, *rows] if header else rows
    lines = [[printable(content) for content in line] for line in contents]
    if not lines:
        return ""
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    aligned = len(widths) if left is None else left

    def cell(i: int, content: str) -> str:
        return content.ljust(widths[i]) if i < aligned else content.rjust(widths[i])

    return "\n".join("  ".join(cell(i, c) for i, c in enumerate(line)).rstrip() for line in lines)


def _column(field: StructField) -> tuple[str, str, str]:
    return field.name, _type(field), "" if field.nullable else "not null"


def _type(field: StructField) -> str:
    """Returns the Spark type, or the Lance type if Spark has none."""
    size = field.metadata.get(FIXED_SIZE_LIST_SIZE)
    if isinstance(field.dataType, ArrayType) and size is not None:
        items = field.dataType.elementType.simpleString()
        return f"vector({size})" + ("" if items == "float" else f" of {items}")
    is_blob = (
        str(field.metadata.get("lance-encoding:blob")).lower() == "true"
        or field.metadata.get("ARROW:extension:name") == "lance.blob.v2"
    )
    return "blob" if is_blob else field.dataType.simpleString()


def _not_shown(summary: Summary) -> int:
    return max(0, len(summary.schema.fields) - SHOWN_COLUMNS)


def _html_rows(rows: Sequence[Sequence[str]]) -> str:
    cell = '<td style="text-align: left">'
    return "".join(
        f"<tr>{''.join(f'{cell}{content}</td>' for content in row)}</tr>" for row in rows
    )


def _total(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(c for c in counts if c is not None)


def _plus(size: int | None, more: int) -> int | None:
    return None if size is None else size + more


def _count(number: int | None) -> str:
    return "not counted" if number is None else f"{number:,}"

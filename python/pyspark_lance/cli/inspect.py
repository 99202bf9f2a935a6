# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`pyspark-lance inspect`: describes a table."""

import argparse
from collections.abc import Sequence
from typing import Any, Final

from pyspark.sql import DataFrame

from pyspark_lance.cli.output import cell, table, to_json
from pyspark_lance.cli.parsers import Commands, add_session, add_travel
from pyspark_lance.cli.session import session
from pyspark_lance.display import Summary, byte_size
from pyspark_lance.inspection import TableParts, inspect
from pyspark_lance.table import lance_table

LISTED: Final = {
    "versions": ("history", ("version", "timestamp", "operation", "rows", "fragments")),
    "fragments": (
        "fragments",
        ("fragment_id", "rows", "deleted_rows", "data_files", "bytes"),
    ),
    "files": ("files", ("path", "fragment_id", "file_version", "physical_rows", "bytes")),
}
"""List sections: the metadata table and columns of each."""
SCHEMA: Final = ("path", "type", "spark_type", "is_nullable", "field_id")
SIZES: Final = {"bytes", "plain_bytes"}


def add(commands: Commands) -> argparse.ArgumentParser:
    """Declares the command."""
    parser = commands.add_parser(
        "inspect",
        help="describe schema, versions, fragments, files, encodings, and sizes of a table",
    )
    parser.add_argument("table", metavar="PATH", help="path of the table, or its name in SQL")
    add_travel(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--limit", type=int, default=20, help="maximum entries of each list (default: 20; 0: all)"
    )
    parser.add_argument(
        "--sample-rows",
        type=int,
        default=10_000,
        help="approximate number of rows to read for string sizes (default: 10000; 0: all)",
    )
    add_session(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Prints the description."""
    with session(options) as spark:
        target = lance_table(
            spark, options.table, version=options.at, tag=options.tag, branch=options.branch
        )
        facts = gather(target, options.limit or None, options.sample_rows or None)
    print(to_json(facts, indent=2) if options.json else render(facts))
    return 0


def gather(target: TableParts, limit: int | None, sample_rows: int | None) -> dict[str, Any]:
    """Returns the printed facts by section.

    Args:
        target: The table.
        limit: Maximum length of the lists of versions, fragments, and files.
        sample_rows: See `LanceTable.inspect`.
    """
    summary = Summary.of(target)
    facts: dict[str, Any] = {
        "table": summary.name,
        "version": summary.version,
        "committed_at": summary.committed_at,
        "operation": summary.operation,
        "rows": summary.rows,
        "deleted_rows": summary.deleted_rows,
        "fragment_count": summary.fragments,
        "file_count": summary.files,
        "size_bytes": summary.size_bytes,
        "schema": _dicts(target.metadata_table("columns").select(*SCHEMA), None),
        "columns": _dicts(inspect(target, sample_rows), None),
    }
    for section, (metadata, columns) in LISTED.items():
        facts[section] = _dicts(target.metadata_table(metadata).select(*columns), limit)
    return facts


def _dicts(frame: DataFrame, limit: int | None) -> list[dict[str, Any]]:
    rows = (frame if limit is None else frame.limit(limit)).collect()
    return [row.asDict() for row in rows]


def render(facts: dict[str, Any]) -> str:
    """Formats the facts as text."""
    deleted = f", {facts['deleted_rows']:,} deleted ones kept" if facts["deleted_rows"] else ""
    head = [
        facts["table"],
        f"version {facts['version']}, {facts['committed_at']:%Y-%m-%d %H:%M:%S}"
        f", {facts['operation'] or 'operation not recorded'}",
        f"{cell(facts['rows'])} rows{deleted}, {facts['fragment_count']:,} fragments"
        f", {facts['file_count']:,} data files, {byte_size(facts['size_bytes'])}",
    ]
    counts = {"fragments": facts["fragment_count"], "files": facts["file_count"]}
    parts = ["\n".join(head)]
    for section in ("schema", "columns", *LISTED):
        parts.append(_section(section, facts[section], counts.get(section)))
    return "\n\n".join(parts)


def _section(name: str, entries: Sequence[dict[str, Any]], count: int | None) -> str:
    if not entries:
        return f"{name}: none"
    header = [key for key in entries[0] if key != "is_estimate"]
    body = table(header, [[_shown(entry, key) for key in header] for entry in entries], None)
    more = f"\n... {count - len(entries):,} more" if count and count > len(entries) else ""
    return f"{name}\n" + "\n".join(f"  {line}" for line in body.splitlines()) + more


def _shown(entry: dict[str, Any], key: str) -> object:
    value = entry[key]
    if value is None:
        return ""
    if key in SIZES:
        return byte_size(value)
    if key == "compression_ratio":
        return f"{'about ' if entry['is_estimate'] else ''}{value:.2f}"
    if key in ("layouts", "encodings"):
        return "; ".join(value)
    return value

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The pylance side of the model-based test: describes a table as lines, which are compared.

The Scala side, `table.model.ModelView` and `OurTable`, writes the same lines.
"""

import contextlib
import datetime

import lance
import pyarrow as pa
from pylance_worker import dataset

_held = None
_holds = False


def hold(path, branch):
    """Opens the latest version for later calls in `held`."""
    global _held
    _held = at(path, branch)


@contextlib.contextmanager
def held():
    """In this block, `at` returns the version that was opened earlier."""
    global _holds
    _holds = True
    try:
        yield
    finally:
        _holds = False


def at(path, branch, version=None):
    """A version of a branch; the latest by default."""
    if _holds:
        return _held
    return dataset(path, version, None if branch == "main" else branch)


def arrow(fields, rows):
    """Rows as a table; fields are triples of name, type and nullability."""
    schema = pa.schema([pa.field(n, pa.type_for_alias(t), nullable=b) for n, t, b in fields])
    return pa.Table.from_pylist(rows, schema=schema)


def view(path, branch, version=None):
    """Describes a version: fields, fragments, rows, and configuration."""
    opened = at(path, branch, version)
    yield f"version {opened.version}"
    for f in opened.lance_schema.fields():
        null = "" if f.to_arrow().nullable else " not null"
        yield f"field {f.id()} {f.name()} {f.to_arrow().type}{null}{_pairs(f.metadata)}"
    yield f"schema metadata{_pairs(_texts(opened.schema.metadata))}"
    for fragment in opened.get_fragments():
        yield from _fragment(fragment, opened.schema.names)
    yield f"config{_pairs(opened.config())}"
    yield f"table metadata{_pairs(opened.metadata)}"
    for index in sorted(opened.list_indices(), key=lambda i: i["name"]):
        (column,) = index["fields"]
        yield f"index {index['name']} on {column}"
        yield from _wrongly_found(opened, column)


def _wrongly_found(opened, column):
    """Returns the values whose rows differ between a lookup by index and a scan."""
    rows = opened.to_table(columns=["id", column]).to_pylist()
    for value in sorted({r[column] for r in rows} - {None})[:4]:
        literal = repr(value) if isinstance(value, str) else str(value)
        found = opened.to_table(columns=["id"], filter=f"{column} = {literal}")["id"].to_pylist()
        expected = [r["id"] for r in rows if r[column] == value]
        if sorted(found) != sorted(expected):
            yield f"rows with {column} = {literal}: {expected}, looked up: {found}"


def _fragment(fragment, names):
    files = " | ".join(" ".join(map(str, f.fields)) for f in fragment.metadata.files)
    identity = ["_rowaddr", "_rowid", "_row_created_at_version", "_row_last_updated_at_version"]
    rows = fragment.scanner(columns=[*names, *identity]).to_table().to_pylist()
    offsets = [r["_rowaddr"] & 0xFFFFFFFF for r in rows]
    deleted = sorted(set(range(fragment.physical_rows)) - set(offsets))
    yield (
        f"fragment {fragment.fragment_id}: {fragment.physical_rows} rows, files {files},"
        f" deleted {' '.join(map(str, deleted))}"
    )
    for offset, row in zip(offsets, rows, strict=True):
        cells = " ".join(f"{n}={_cell(row[n])}" for n in names)
        yield (
            f"{fragment.fragment_id}:{offset} {cells} id {row['_rowid']},"
            f" versions {row[identity[2]]} {row[identity[3]]}"
        )


def _cell(value):
    return "null" if value is None else str(value)


def _texts(metadata):
    return {k.decode(): v.decode() for k, v in (metadata or {}).items()}


def _pairs(entries):
    return "".join(f" {k}={v}" for k, v in sorted(entries.items()))


def references(path):
    """Branches with their versions, and tags."""
    opened = dataset(path)
    found = sorted(opened.branches.list().items())
    for name, branch in [("main", None), *found]:
        numbers = " ".join(str(v["version"]) for v in at(path, name).versions())
        yield f"branch {name}{_parent(branch)}: {numbers}"
    for name, tag in sorted(opened.tags.list().items()):
        yield f"tag {name} {tag['branch'] or 'main'}@{tag['version']}"


def _parent(branch):
    return f" of {branch['parent_branch'] or 'main'}@{branch['parent_version']}" if branch else ""


def create(path, table, rows_per_file, file_version, stable_row_ids):
    """A new table."""
    lance.write_dataset(
        table,
        path,
        max_rows_per_file=rows_per_file,
        data_storage_version=file_version,
        enable_stable_row_ids=stable_row_ids,
        session=lance.Session(),
    )


def write(path, branch, table, mode, rows_per_file):
    """Appends or overwrites."""
    lance.write_dataset(table, at(path, branch), mode=mode, max_rows_per_file=rows_per_file)


def set_metadata(path, branch, of, entries):
    """Sets and removes keys."""
    opened = at(path, branch)
    change = {
        "config": opened.update_config,
        "table": opened.update_metadata,
        "schema": opened.update_schema_metadata,
    }.get(of, lambda e: opened.update_field_metadata({of: e}))
    change(entries)


def cleanup(path, branch):
    """Removes all versions of a branch that are not held."""
    at(path, branch).cleanup_old_versions(
        older_than=datetime.timedelta(0), error_if_tagged_old_versions=False
    )


def update_column(path, branch, column, value, where):
    """Replaces values of a column in place."""
    opened = at(path, branch)
    updated, modified, offsets = [], set(), {}
    for fragment in opened.get_fragments():
        found = fragment.scanner(columns={column: value}, filter=where, with_row_address=True)
        rows = found.to_table()
        if rows.num_rows:
            file, ids, bitmap = fragment.update_columns(
                rows, left_on="_rowaddr", right_on="_rowaddr", with_offsets=True
            )
            updated.append(file)
            modified.update(ids)
            offsets[fragment.fragment_id] = bitmap
    operation = lance.LanceOperation.Update(
        updated_fragments=updated,
        fields_modified=sorted(modified),
        update_mode="rewrite_columns",
        updated_fragment_offsets=offsets,
    )
    lance.LanceDataset.commit(opened, operation, read_version=opened.version)

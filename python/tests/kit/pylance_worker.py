# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Runs snippets for the Scala tests: the pylance side of `testkit.Pylance`.

Reads a JSON object per line from standard input, `{"code": ..., "arguments": {...}}`, and prints
`{"result": ...}` or `{"error": message, "kind": exception class, "trace": ...}` for each. A
snippet can use its arguments, `lance`, `pa`, `datetime`, `json`, and all names of this module. It
stores its result in `result`. Its output goes to standard error.
"""

import base64
import datetime
import decimal
import json
import os
import sys
import textwrap
import traceback
import uuid
from pathlib import Path

import lance
import pyarrow as pa


def dataset(path, version=None, branch=None):
    """Returns a table in its current state on disk.

    A session of its own: pylance keeps transactions and manifests by path and version.
    """
    revision = version if branch is None else (branch, version)
    opened = lance.dataset(path, session=lance.Session())
    return opened if revision is None else opened.checkout_version(revision)


def write(rows, path, **options):
    """Writes an Arrow table, a dict of columns, or a list of rows."""
    if isinstance(rows, dict):
        rows = pa.table(rows)
    elif isinstance(rows, list):
        rows = pa.Table.from_pylist(rows)
    return lance.write_dataset(rows, path, session=lance.Session(), **options)


def rows(path, version=None, columns=None, branch=None):
    """Returns all rows in scan order as objects."""
    return dataset(path, version, branch).to_table(columns=columns).to_pylist()


def versions(path, branch=None):
    """Returns all versions with their details."""
    return [
        {
            "version": v["version"],
            "timestamp": v["timestamp"],
            "rows": int(v["metadata"]["total_rows"]),
            "fragments": int(v["metadata"]["total_fragments"]),
        }
        for v in dataset(path, branch=branch).versions()
    ]


def fragments(path, version=None, branch=None):
    """The fragments with their files, as the manifest has them.

    Besides: `deleted`, the offsets of deleted rows; `row_ids` of the others, which are addresses
    where the table has no stable ones; `rows`, the number of the others.
    """
    return [_fragment(f) for f in dataset(path, version, branch).get_fragments()]


def _fragment(fragment):
    live = fragment.scanner(columns=[], with_row_id=True, with_row_address=True).to_table()
    offsets = {a & 0xFFFFFFFF for a in live["_rowaddr"].to_pylist()}
    return {
        **fragment.metadata.to_json(),
        "deleted": [o for o in range(fragment.physical_rows) if o not in offsets],
        "row_ids": live["_rowid"].to_pylist(),
        "rows": live.num_rows,
    }


def tags(path):
    """Returns the tags by name."""
    return dataset(path).tags.list()


def branches(path):
    """Returns the branches by name."""
    return dataset(path).branches.list()


def schema(path, version=None, branch=None):
    """Returns the fields, parents first: name, id, type, nullability, metadata."""

    def flat(fields, parent):
        for f in fields:
            yield {
                "name": f.name(),
                "id": f.id(),
                "parent": parent,
                "type": str(f.to_arrow().type),
                "nullable": f.to_arrow().nullable,
                "metadata": f.metadata,
            }
            yield from flat(f.children(), f.id())

    return list(flat(dataset(path, version, branch).lance_schema.fields(), -1))


def validate(path, version=None, branch=None):
    """Validates a table with pylance, and reads every row. Returns the number of rows."""
    opened = dataset(path, version, branch)
    opened.validate()
    read = opened.to_table(with_row_id=True).num_rows
    counted = opened.count_rows()
    if read != counted:
        raise AssertionError(f"{read} rows read, {counted} counted")
    return read


def _as_json(value):
    """Converts values that `json` does not support."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return base64.b64encode(bytes(value)).decode()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, (decimal.Decimal, uuid.UUID, Path)):
        return str(value)
    if isinstance(value, pa.Table):
        return value.to_pylist()
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        return value.to_pylist()
    if isinstance(value, pa.Scalar):
        return value.as_py()
    if isinstance(value, (set, frozenset, map, filter, zip)):
        return list(value)
    if hasattr(value, "to_json"):
        return value.to_json()
    return repr(value)


def _answer(request):
    names = {**globals(), **request["arguments"], "result": None}
    try:
        code = compile(textwrap.dedent(request["code"]), "<snippet>", "exec")
        exec(code, names)
        return json.dumps({"result": names["result"]}, default=_as_json)
    except Exception as e:
        answer = {"error": str(e), "kind": type(e).__name__, "trace": traceback.format_exc()}
        return json.dumps(answer)


def main():
    """Runs requests until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)  # output, also of native code, must not mix with the results
    requests = os.fdopen(0, encoding="utf-8", newline="\n", closefd=False)
    answers.write(json.dumps({"result": lance.__version__}) + "\n")
    answers.flush()
    for line in iter(requests.readline, ""):
        answers.write(_answer(json.loads(line)) + "\n")
        answers.flush()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tables with every kind of index that pylance builds, and filters that use these indices.

An index never changes a result: pylance returns the same rows with and without its indices, after
any changes of the table.
"""

import re

import lance
import pyarrow as pa
from pyspark.sql.functions import expr

ROWS = 240
FRAGMENT = 60
DIMENSION = 8

INTEGERS = ["btree", "bitmap", "zonemap", "bloomfilter"]
STRINGS = ["ngram", "inverted"]
LISTS = ["label_list", "inverted_list", "zonemap_list"]
VECTORS = ["ivf_flat", "ivf_pq", "ivf_hnsw_sq"]

#: The indexed columns, named after the kind of index: top-level, in a struct, and two levels deep.
KINDS = INTEGERS + STRINGS + LISTS + VECTORS
DEEP_KINDS = ["btree", "bitmap", "label_list"]
PATHS = [
    *KINDS,
    *(f"s.{kind}" for kind in KINDS if kind not in VECTORS),
    *(f"s.d.{kind}" for kind in DEEP_KINDS),
    "items.inverted",
]

VECTOR = pa.list_(pa.float32(), DIMENSION)


def kind_of(path):
    """Returns the kind of index of a column."""
    return path.rsplit(".", 1)[-1]


def value(kind, word, number):
    """Returns a value for the column of a kind."""
    if kind in INTEGERS:
        return number
    if kind in STRINGS:
        return f"{word} common"
    if kind in LISTS:
        return [word, "common"]
    return [float(number + n) for n in range(DIMENSION)]


def _type(kind):
    if kind in INTEGERS:
        return pa.int32()
    if kind in STRINGS:
        return pa.string()
    return pa.list_(pa.string()) if kind in LISTS else VECTOR


def _struct(kinds, **others):
    return pa.struct([(kind, _type(kind)) for kind in kinds] + list(others.items()))


def _cell(kind, i):
    if i % 17 == 5 and kind not in VECTORS:
        return None
    return value(kind, f"word{i % 20}", i % 20)


def arrow(has_null_structs=True):
    """Returns rows whose values are determined by their ids, with null values and null structs."""
    rows = range(ROWS)
    columns = {"id": pa.array(rows, pa.int64()), "plain": pa.array(rows, pa.int32())}
    for kind in KINDS:
        columns[kind] = pa.array([_cell(kind, i) for i in rows], _type(kind))
    nested = [kind for kind in KINDS if kind not in VECTORS]
    columns["s"] = pa.array(
        [
            None
            if has_null_structs and i % 19 == 7
            else {kind: _cell(kind, i) for kind in nested}
            | {"d": {kind: _cell(kind, i) for kind in DEEP_KINDS}}
            for i in rows
        ],
        _struct(nested, d=_struct(DEEP_KINDS)),
    )
    columns["items"] = pa.array(
        [[{"inverted": f"word{i % 20} common", "n": i}] for i in rows],
        pa.list_(_struct(["inverted"], n=pa.int32())),
    )
    return pa.table(columns)


def build(path, stable_row_ids, version="2.2", paths=PATHS):
    """Writes a table of four fragments with an index on each column."""
    dataset = lance.write_dataset(
        arrow(has_null_structs=version != "2.0"),  # file version 2.0 does not store them
        str(path),
        max_rows_per_file=FRAGMENT,
        enable_stable_row_ids=stable_row_ids,
        data_storage_version=version,
        session=lance.Session(),
    )
    for column in paths:
        _index(dataset, column)


def _index(dataset, column):
    kind = kind_of(column)
    name = column.replace(".", "_")
    if kind in VECTORS:
        options = {"num_sub_vectors": 2} if kind == "ivf_pq" else {}
        dataset.create_index(
            column, kind.upper(), name=name, metric="l2", num_partitions=2, **options
        )
    else:
        scalar = kind.removesuffix("_list").upper() if kind != "label_list" else "LABEL_LIST"
        options = {"with_position": False} if scalar == "INVERTED" else {}
        dataset.create_scalar_index(column, scalar, name=name, **options)


def opened(path, branch=None):
    """The latest version, in a session without cached versions."""
    dataset = lance.dataset(str(path), session=lance.Session())
    return dataset if branch is None else dataset.checkout_version((branch, None))


def has(schema, path):
    """Whether the column exists."""
    fields = {field.name: field for field in schema}
    for name in path.split("."):
        if name not in fields:
            return False
        kind = fields[name].type
        while pa.types.is_list(kind):
            kind = kind.value_type
        fields = {f.name: f for f in kind} if pa.types.is_struct(kind) else {}
    return True


def differences(dataset, words, numbers, paths=PATHS):
    """Returns filters whose results in pylance differ with and without indices.

    Args:
        dataset: The dataset.
        words, numbers: Existing and new values for the filters.
        paths: the columns.
    """
    rows = dataset.to_table(columns=["id"], with_row_id=True, use_scalar_index=False)
    assert rows.num_rows == dataset.count_rows()
    found = []
    for path in paths:
        if has(dataset.schema, path):
            found += _differences(dataset, path, words, numbers)
    return found


def questions(dataset, words, numbers, paths=PATHS):
    """Filters that use scalar indices, see `in_spark`."""
    return [
        question
        for path in paths
        if has(dataset.schema, path) and "items" not in path
        for question in _questions(kind_of(path), path, words, numbers)
    ]


def in_spark(question):
    """A condition in the functions of Spark."""
    words = re.sub(r"\[([^]]*)\]", r"array(\1)", question)
    return words.replace("array_has_any(", "arrays_overlap(").replace(
        "array_has(", "array_contains("
    )


def differences_in_spark(read, conditions):
    """Returns the conditions whose results in Spark differ with and without indices.

    Args:
        read: makes a frame of the table with read options.
        conditions: in SQL.
    """

    def ids(condition, use_index):
        frame = read(useScalarIndex=use_index).where(in_spark(condition)).select("id")
        return sorted(row.id for row in frame.collect())

    return [
        (condition, with_index, without)
        for condition in conditions
        if (with_index := ids(condition, "true")) != (without := ids(condition, "false"))
    ]


def top_differences_in_spark(read, path, limit):
    """Returns the orders whose first values in Spark differ with and without indices."""

    def first(order, use_index):
        frame = read(useScalarIndex=use_index).select(path).orderBy(getattr(expr(path), order)())
        return [row[0] for row in frame.limit(limit).collect()]

    orders = ("asc_nulls_first", "asc_nulls_last", "desc_nulls_first", "desc_nulls_last")
    return [
        (f"{path} {order}", with_index, without)
        for order in orders
        if (with_index := first(order, "true")) != (without := first(order, "false"))
    ]


def fast_differences(dataset, read, conditions):
    """Returns the conditions with different rows of Spark and pylance in indexed fragments."""
    found = []
    for condition in conditions:
        scanner = dataset.scanner(columns=["id"], filter=condition, fast_search=True)
        theirs = sorted(scanner.to_table()["id"].to_pylist())
        frame = read(fastSearch="true").where(in_spark(condition)).select("id")
        ours = sorted(row.id for row in frame.collect())
        if ours != theirs:
            found.append((f"fast search: {condition}", ours, theirs))
    return found


def _differences(dataset, path, words, numbers):
    kind = kind_of(path)
    if kind in VECTORS:
        return _nearest(dataset, path, numbers)
    if kind in ("inverted", "inverted_list"):
        return _text(dataset, path, words)
    return [
        (question, with_index, without)
        for question in _questions(kind, path, words, numbers)
        if (with_index := _ids(dataset, question, True))
        != (without := _ids(dataset, question, False))
    ]


def _questions(kind, path, words, numbers):
    yield f"{path} IS NULL"
    if kind in INTEGERS:
        yield from (f"{path} = {n}" for n in numbers)
        yield f"{path} IN ({', '.join(map(str, numbers))})"
        if kind != "bloomfilter":
            yield f"{path} < {min(numbers) + 2}"
            yield f"{path} > {max(numbers) - 1}"
    elif kind == "ngram":
        yield from (f"contains({path}, '{word}')" for word in words)
        yield from (f"{path} LIKE '%{word[1:]}%mmo_'" for word in words)
    elif kind == "label_list":
        yield from (f"array_has({path}, '{word}')" for word in words)
        yield f"array_has_any({path}, {words!r})"


def _ids(dataset, question, use_index):
    """Returns the rows that pylance finds, or its error."""
    try:
        table = dataset.to_table(columns=["id"], filter=question, use_scalar_index=use_index)
    except BaseException as e:  # A panic of native code is not an Exception.
        if isinstance(e, KeyboardInterrupt):
            raise
        return str(e).splitlines()[0]
    return sorted(table["id"].to_pylist())


#: pylance's error for an HNSW index after a deferred compaction that removed deleted rows.
REFUSED = "HNSW graph has"


def _nearest(dataset, path, numbers):
    """Checks that a search returns every row with a vector, at its true distance."""
    try:
        return list(_far_from(dataset, path, numbers))
    except pa.ArrowInvalid as e:
        if REFUSED in str(e):
            return []
        raise


def _far_from(dataset, path, numbers):
    for number in numbers:
        answers = []
        for use_index in (True, False):
            table = dataset.to_table(
                columns=["id", "_distance"],
                nearest={
                    "column": path,
                    "q": value("ivf_flat", "", number),
                    "k": 2 * ROWS,
                    "nprobes": 64,
                    "refine_factor": 1,
                    "use_index": use_index,
                    "ef": 4 * ROWS,
                },
            )
            pairs = zip(table["id"].to_pylist(), table["_distance"].to_pylist(), strict=True)
            answers.append(sorted((i, round(d, 3)) for i, d in pairs))
        if answers[0] != answers[1]:
            yield (f"{path} near {number}", *answers)


def _text(dataset, path, words):
    """Returns the words that a full-text search does not find. Requires an index."""
    if not any(index.name == path.replace(".", "_") for index in dataset.describe_indices()):
        return []
    column = path.split(".")[0]
    rows = dataset.to_table(columns=["id", column], use_scalar_index=False).to_pylist()
    found = []
    for word in words:
        query = {"columns": [path], "query": word}
        table = dataset.to_table(columns=["id", "_score"], full_text_query=query, limit=4 * ROWS)
        with_index = sorted(table["id"].to_pylist())
        without = sorted(row["id"] for row in rows if word in _words(row, path.split(".")))
        if with_index != without:
            found.append((f"{path} has {word}", with_index, without))
    return found


def _words(node, path):
    if node is None:
        return []
    if isinstance(node, list):
        return [word for item in node for word in _words(item, path)]
    return node.split() if not path else _words(node[path[0]], path[1:])

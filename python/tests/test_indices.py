# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Indices that pylance built, after any operation of Spark: no result changes.

A table has every kind of index on every column. After each operation, pylance and Spark return the
same rows with and without the indices.
"""

import itertools
import random
import shutil

import lance
import pyarrow as pa
import pytest
from kit import indexed
from kit.indexed import PATHS, VECTORS
from kit.lines import LINE

pytestmark = pytest.mark.one_case

WORDS = ["word3", "word13", "fresh"]
NUMBERS = [3, 13, 777]

#: Conditions on the rows that an operation concerns: most, one fragment, some of one, one in all.
SOME = ["id % 5 <> 0", "id < 60", "id >= 60 AND id < 100", "id % 60 = 3"]


#: Number of random filters that Spark runs after each operation.
QUESTIONS_TO_SPARK = 6

#: The record of what compactions moved, for indices that follow later.
REUSE = "__lance_frag_reuse"


class Indexed:
    """A copy of a table with indices, its operations, and queries with pylance."""

    def __init__(self, warehouse, source, stable, rng):
        self.warehouse, self.stable, self.rng = warehouse, stable, rng
        self.folder = self.name = "t"
        self.branch = None
        self.is_shallow = False
        self.names = itertools.count(1)
        self.done = []
        shutil.copytree(source, warehouse.path("t"))

    def sql(self, *statements, mode="auto"):
        """Runs statements with `{t}` for the table and `{some}` for a condition.

        Args:
            statements: one after the other.
            mode: how an UPDATE writes.
        """
        for statement in statements:
            text = statement.format(t=self.name, some=self.rng.choice(SOME))
            self.done.append(text)
            self.warehouse.sql(f"SET spark.lance.write.updateMode = {mode}", text)

    def clone(self, kind):
        """Continues with a clone."""
        name = f"copy{next(self.names)}"
        self.sql(f"CREATE TABLE {name} {kind} CLONE {{t}}")
        self.folder = self.name = name
        self.branch = None
        self.is_shallow = self.is_shallow or kind == "SHALLOW"

    def fork(self):
        """Continues with a branch."""
        branch = f"b{next(self.names)}"
        of = f" AS OF BRANCH {self.branch}" if self.branch else ""
        self.sql(f"ALTER TABLE {self.folder} CREATE BRANCH {branch}{of}")
        self.branch = branch
        self.name = f"{self.folder}.branch_{branch}"

    def dataset(self):
        """The table in pylance."""
        return indexed.opened(self.warehouse.path(self.folder), self.branch)

    def theirs(self, text, change, has_new_indices=False):
        """Runs an operation with pylance.

        Skips index builds on shallow clones: pylance searches the source for the new index. Moved
        vectors can make a build fail, too.
        """
        if self.is_shallow and has_new_indices:
            return
        self.done.append(text)
        try:
            change(self.dataset())
        except OSError as e:
            if "ivf_0.lance" not in str(e):
                raise

    def present(self, paths):
        """The filters on existing columns."""
        schema = self.dataset().schema
        return [path for path in paths if indexed.has(schema, path)]

    def indices(self):
        """The names of the indices."""
        return {index.name for index in self.dataset().describe_indices()}

    def check(self):
        """Fails if an index changes a result of pylance or Spark."""
        dataset = self.dataset()
        questions = indexed.questions(dataset, WORDS, NUMBERS)
        some = self.rng.sample(questions, min(QUESTIONS_TO_SPARK, len(questions)))
        found = indexed.differences(dataset, WORDS, NUMBERS)
        found += indexed.differences_in_spark(self.read, some)
        for path in self.rng.sample(self.present(["btree", "s.btree"]), 1):
            found += indexed.top_differences_in_spark(self.read, path, self.rng.randint(1, 30))
        lines = [f"{q}: {a} with the index, {b} without" for q, a, b in found[:5]]
        assert not found, "\n".join([*self.done, *lines])

    def read(self, **options):
        """The table in Spark."""
        if self.branch is not None:
            options["branch"] = self.branch
        path = self.warehouse.path(self.folder)
        return self.warehouse.session.read.format("lance").options(**options).load(str(path))


def fresh(path):
    """An expression for the new value of a column."""
    kind = indexed.kind_of(path)
    if kind in indexed.INTEGERS:
        return "777"
    if kind in indexed.STRINGS:
        return "'fresh common'"
    if kind in indexed.LISTS:
        return "array('fresh', 'common')"
    numbers = indexed.value(kind, "", 777)
    return f"array({', '.join(f'CAST({number} AS FLOAT)' for number in numbers)})"


SCALARS = [path for path in PATHS if "." not in path and path not in VECTORS]
NESTED = [path for path in PATHS if path.startswith("s.")]


def assignments(paths, sign="=", prefix=""):
    """New values for columns, as in UPDATE."""
    return ", ".join(f"{prefix}{path} {sign} {fresh(path)}" for path in paths)


def update(t, mode, paths):
    """New values by UPDATE."""
    if columns := t.present(paths):
        t.sql(f"UPDATE {{t}} SET {assignments(columns)} WHERE {{some}}", mode=mode)


def update_items(t, mode):
    items = "transform(items, i -> named_struct('inverted', 'fresh common', 'n', 1))"
    if t.dataset().schema.field("items").type.value_type.num_fields == 2:
        t.sql(f"UPDATE {{t}} SET items = {items} WHERE {{some}}", mode=mode)


def update_from(t):
    """New values for whole columns by a query."""
    columns = t.present(["btree", "label_list", "inverted_list", "zonemap_list", "ivf_flat"])
    values = ", ".join(f"{fresh(path)} AS {path}" for path in columns)
    source = f"(SELECT _rowaddr, {values} FROM {{t}} WHERE id % 3 = 1)"
    t.sql(f"ALTER TABLE {{t}} UPDATE COLUMNS {', '.join(columns)} FROM {source}")


def merge(t):
    values = assignments(t.present(SCALARS))
    t.sql(
        "MERGE INTO {t} t USING (SELECT id, id AS k FROM range(300)) u ON t.id = u.id "
        "WHEN MATCHED AND k % 7 = 0 THEN DELETE "
        f"WHEN MATCHED AND k % 7 < 3 THEN UPDATE SET {values} "
        "WHEN NOT MATCHED AND k > 270 THEN INSERT (id, plain) VALUES (u.id, 1)"
    )


def insert(t):
    values = ", ".join(f"{fresh(path)} AS {path}" for path in t.present(SCALARS))
    t.sql(f"INSERT INTO {{t}} BY NAME SELECT 1000 + id AS id, {values} FROM range(20)")


def add(t):
    """Columns with and without values, and members of structs."""
    n = next(t.names)
    t.sql(
        f"ALTER TABLE {{t}} ADD COLUMNS (a{n} AS (id * 2))",
        f"ALTER TABLE {{t}} ADD COLUMN b{n} INT",
    )
    if t.dataset().data_storage_version == "2.2":
        for path in t.present(["s", "s.d", "items"]):
            element = ".element" if path == "items" else ""
            t.sql(f"ALTER TABLE {{t}} ADD COLUMN {path}{element}.c{n} INT")


def drop(t):
    """A column with an index, and one inside of a struct."""
    for path in t.present(["bitmap", "s.btree", "s.d.label_list"]):
        t.sql(f"ALTER TABLE {{t}} DROP COLUMN {path}")
        assert path.replace(".", "_") not in t.indices()


def rename(t):
    """Renames indexed columns, and structs around them, and back."""
    for path in t.present(["label_list", "s", "s.d"]):
        *parents, name = path.split(".")
        other = ".".join([*parents, "other"])
        t.sql(f"ALTER TABLE {{t}} RENAME COLUMN {path} TO other")
        t.sql(f"ALTER TABLE {{t}} RENAME COLUMN {other} TO {name}")


def retype(t):
    """No index has values of the first column; the others must keep their types."""
    t.sql("ALTER TABLE {t} ALTER COLUMN plain TYPE BIGINT")
    indices = t.indices()
    for path in t.present(["btree", "s.zonemap", "s.d.bitmap"]):
        if path.replace(".", "_") in indices:
            with pytest.raises(Exception, match="drop the index first"):
                t.sql(f"ALTER TABLE {{t}} ALTER COLUMN {path} TYPE BIGINT")


def restore(t):
    newest = t.dataset().version
    versions = [v["version"] for v in t.dataset().versions() if newest - 4 < v["version"] < newest]
    if versions:
        t.sql(f"RESTORE {{t}} TO VERSION AS OF {t.rng.choice(versions)}")


def compact(t, deferred=False):
    """Deferred not with stable row ids, where indices follow rows by themselves."""
    t.sql(
        "OPTIMIZE {t} WITH (target_rows_per_fragment = 130, materialize_deletions_threshold = 0, "
        f"defer_index_remap = {str(deferred and not t.stable).lower()})"
    )


def zorder(t):
    follows_later = t.warehouse.sql(f"SELECT * FROM {t.name}.indices WHERE name = '{REUSE}'")
    try:
        t.sql("OPTIMIZE {t} ZORDER BY (id, plain)")
    except Exception as e:
        if not follows_later or "deferred index remap of an earlier compaction" not in str(e):
            raise


def theirs_compact(t):
    deferred = not t.stable and t.rng.random() < 0.5
    options = {"target_rows_per_fragment": 130, "defer_index_remap": deferred}
    t.theirs(
        f"pylance compacts: {options}",
        lambda d: d.optimize.compact_files(**options),
        has_new_indices=True,
    )


def some_index(t):
    """An index; any if several exist."""
    return t.rng.choice(sorted(t.indices()) or [None])


def drop_index(t):
    if name := some_index(t):
        t.sql(f"DROP INDEX {name} ON {{t}}")


def optimize_index(t):
    if name := some_index(t):
        t.sql(f"OPTIMIZE INDEX {name} ON {{t}}")


#: In ANSI mode, the default since 4.0, Spark passes arithmetic on to data sources.
REPLACED = "id % 60 < 5" if LINE >= (4, 0) else "id <= 3"
KEPT = "id % 60 = 3" if LINE >= (4, 0) else "id = 3"

#: Operations on a table. Operations of pylance create the input of ours.
OPERATIONS = {
    "update rows": lambda t: update(t, "rows", SCALARS + VECTORS),
    "update columns": lambda t: update(t, "columns", SCALARS),
    "update vectors": lambda t: update(t, "columns", VECTORS),
    "update one list": lambda t: update(t, "columns", ["label_list"]),
    "update nested rows": lambda t: update(t, "rows", NESTED),
    "update nested columns": lambda t: update(t, "columns", NESTED),
    "update one nested column": lambda t: update(t, "columns", ["s.d.btree"]),
    "update items by rows": lambda t: update_items(t, "rows"),
    "update items by columns": lambda t: update_items(t, "columns"),
    "update others by rows": lambda t: t.sql("UPDATE {t} SET plain = -1 WHERE {some}", mode="rows"),
    "update others by columns": lambda t: t.sql(
        "UPDATE {t} SET plain = -1 WHERE {some}", mode="columns"
    ),
    "update from": update_from,
    "delete": lambda t: t.sql("DELETE FROM {t} WHERE {some}"),
    "merge": merge,
    "insert": insert,
    "replace where": lambda t: t.sql(
        f"INSERT INTO {{t}} REPLACE WHERE {REPLACED} SELECT * FROM {{t}} WHERE {KEPT}"
    ),
    "overwrite": lambda t: t.sql("INSERT OVERWRITE {t} SELECT * FROM {t} WHERE id % 3 = 0"),
    "add": add,
    "drop": drop,
    "rename": rename,
    "retype": retype,
    "restore": restore,
    "compact": compact,
    "compact deferred": lambda t: compact(t, deferred=True),
    "zorder": zorder,
    "shallow clone": lambda t: t.clone("SHALLOW"),
    "deep clone": lambda t: t.clone("DEEP"),
    "branch": lambda t: t.fork(),
    "pylance deletes": lambda t: t.theirs(
        "pylance deletes", lambda d: d.delete(t.rng.choice(SOME).replace("<>", "!="))
    ),
    "pylance compacts": theirs_compact,
    "create index": lambda t: t.sql(f"CREATE INDEX new{next(t.names)} ON {{t}} USING BTREE (id)"),
    "drop index": drop_index,
    "optimize index": optimize_index,
    "pylance brings indices up to date": lambda t: t.theirs(
        "pylance brings indices up to date",
        lambda d: d.optimize.optimize_indices(),
        has_new_indices=True,
    ),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Tables with indices, by whether row ids are stable and by file version; each built once."""
    folder = tmp_path_factory.mktemp("indexed")

    def path(stable, version):
        found = folder / f"{stable}-{version}"
        if not found.exists():
            indexed.build(found, stable, version)
        return found

    return path


def run(warehouse, built, stable, version, operations, seed):
    """Runs operations in order, with a check after each."""
    t = Indexed(warehouse, built(stable, version), stable, random.Random(seed))
    t.done.append(f"stable row ids: {stable}, file version {version}, {operations}, seed {seed}")
    for name in operations:
        OPERATIONS[name](t)
        t.check()


STABLE = pytest.mark.parametrize("stable", [False, True], ids=["addresses", "stable"])


@STABLE
@pytest.mark.parametrize("name", [name for name in OPERATIONS if "pylance" not in name])
def test_every_operation(warehouse, built, stable, name):
    run(warehouse, built, stable, "2.2", [name], 1)


CHANGES = [name for name in OPERATIONS if name.startswith(("update", "merge", "pylance deletes"))]


@pytest.mark.parametrize("name", CHANGES)
def test_changes_after_a_deferred_compaction(warehouse, built, name):
    operations = ["compact deferred", name, "compact deferred", name]
    run(warehouse, built, False, "2.2", operations, 2)


INDEX_STATEMENTS = ["create index", "drop index", "optimize index"]


@pytest.mark.parametrize("name", INDEX_STATEMENTS)
def test_index_statements_after_a_deferred_compaction(warehouse, built, name):
    """The commit of pylance replaces the coverage of indices, whose entries stay as they are."""
    operations = ["compact deferred", "pylance deletes", name, "update others by rows", name]
    run(warehouse, built, False, "2.2", operations, 3)


def shuffled(seed, length, version="2.2"):
    """Several operations in any order; an overwrite, which ends all indices, comes last.

    Rows without a value for a struct cannot be written to files of version 2.0.
    """
    left_out = {"insert", "merge"} if version == "2.0" else set()
    names = random.Random(seed).sample(sorted(OPERATIONS.keys() - left_out), length)
    return sorted(names, key=lambda name: name == "overwrite")


@STABLE
@pytest.mark.parametrize("seed", range(4))
def test_alternating_operations(warehouse, built, stable, seed):
    run(warehouse, built, stable, ["2.1", "2.2"][seed % 2], shuffled(seed, 4), seed)


@pytest.mark.long
@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
@STABLE
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_alternating_operations(warehouse, built, stable, version, seed):
    run(warehouse, built, stable, version, shuffled(seed, 7, version), seed)


def test_items_of_an_indexed_list_keep_their_type(warehouse):
    rows = pa.table({"id": [1, 2], "l": pa.array([[1], [2, 3]], pa.list_(pa.int32()))})
    lance.write_dataset(rows, warehouse.path("t")).create_scalar_index("l", "LABEL_LIST")
    with pytest.raises(Exception, match=r"index l_idx.*drop the index first"):
        warehouse.sql("ALTER TABLE t ALTER COLUMN l.element TYPE BIGINT")
    assert warehouse.dataset("t").to_table(filter="array_has_any(l, [3])")["id"].to_pylist() == [2]

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""pylance uses, extends, and merges the indices that Spark builds, and no result changes."""

import decimal
import itertools
import math
import time
from concurrent.futures import ThreadPoolExecutor

import lance
import pyarrow as pa
import pytest
from kit.conditions import evaluated, filtered
from pyspark.sql import functions as F

from pyspark_lance import LanceTable
from pyspark_lance.exceptions import (
    InvalidRequestError,
    LanceError,
    NotFoundError,
    UnsupportedFeatureError,
)

pytestmark = pytest.mark.one_case

ROWS = 300
FRAGMENT = 60
WORDS = ["word", "Straße", "日本", "a'b\"c`d", "", "e\u0301", "zZ%_"]

KINDS = ["BTREE", "BITMAP", "ZONEMAP", "BLOOMFILTER", "NGRAM", "LABEL_LIST"]

#: The columns of each kind, as SQL names them.
COLUMNS = {
    "BTREE": ["n", "d", "t", "s.a", "`odd näme!`"],
    "BITMAP": ["n", "d", "t", "flag", "s.`b.c`"],
    "ZONEMAP": ["n", "d", "t", "day", "s.a"],
    "BLOOMFILTER": ["n", "t", "day"],
    "NGRAM": ["t"],
    "LABEL_LIST": ["l"],
}

NUMBERS = ["{c} = 3", "{c} IN (3, 13, 777)", "{c} < 4", "{c} IS NULL", "{c} IS NOT NULL"]
NUMBERS += ["{c} BETWEEN 5 AND 8", "{c} <> 3", "NOT ({c} IN (3, 4))", "{c} >= 17 AND id < 100"]
TEXTS = ["{c} = 'word3'", "{c} LIKE 'word1%'", "{c} IN ('', 'Straße5')", "{c} IS NULL"]
TEXTS += ["{c} = 'a''b\"c`d3'", "contains({c}, 'raß')", "contains({c}, 'ord1')"]
QUESTIONS = {
    "n": NUMBERS,
    "d": ["{c} > 4.5", "{c} <= 2", "{c} IS NULL", "{c} IN (1.0, 7.0)"],
    "t": TEXTS,
    "flag": ["{c}", "NOT {c}", "{c} IS NULL"],
    "day": ["{c} = DATE '2026-01-05'", "{c} < DATE '2026-01-04'", "{c} IS NULL"],
    "s.a": NUMBERS,
    "s.`b.c`": TEXTS,
    "`odd näme!`": NUMBERS,
    "l": ["array_has({c}, 'x3')", "NOT array_has({c}, 'x3')", "array_has({c}, 'none')"],
}


def rows(first, count):
    """Rows whose values are determined by their ids, with nulls, NaN, and both zeros."""

    def number(i):
        return None if i % 17 == 5 else i % 20

    def double(i):
        return [math.nan, -0.0, 0.0, math.inf, None, float(i % 9)][i % 6]

    def text(i):
        return None if i % 19 == 7 else f"{WORDS[i % len(WORDS)]}{i % 8 if i % 7 != 4 else ''}"

    ids = range(first, first + count)
    struct = pa.struct([("a", pa.int32()), ("b.c", pa.string())])
    return pa.table(
        {
            "id": pa.array(ids, pa.int64()),
            "n": pa.array(map(number, ids), pa.int32()),
            "d": pa.array(map(double, ids), pa.float64()),
            "t": pa.array(map(text, ids), pa.string()),
            "flag": pa.array([None if i % 5 == 0 else i % 3 == 0 for i in ids], pa.bool_()),
            "day": pa.array([None if i % 7 == 0 else 20454 + i % 9 for i in ids], pa.int32()).cast(
                pa.date32()
            ),
            "s": pa.array(
                [None if i % 11 == 4 else {"a": number(i), "b.c": text(i)} for i in ids], struct
            ),
            "odd näme!": pa.array(map(number, ids), pa.int64()),
            "l": pa.array(
                [None if i % 13 == 2 else [f"x{i % 5}", None if i % 3 else "y"] for i in ids],
                pa.list_(pa.string()),
            ),
        }
    )


class Table:
    """A table of a warehouse with indices on some columns."""

    def __init__(self, warehouse, stable, version):
        self.warehouse = warehouse
        self.path = str(warehouse.path("t"))
        self.version = version
        self.columns = {}
        data = rows(0, ROWS)
        lance.write_dataset(
            data.drop_columns("s") if version == "2.0" else data,  # it has no null structs
            self.path,
            max_rows_per_file=FRAGMENT,
            enable_stable_row_ids=stable,
            data_storage_version=version,
        )
        self.next = ROWS

    @property
    def dataset(self):
        return lance.dataset(self.path)

    def sql(self, *statements):
        return self.warehouse.sql(*statements)

    def create(self, kind, column, options=""):
        name = f"{kind} {column}"
        self.sql(f"ALTER TABLE t CREATE INDEX {quoted(name)} USING {kind} ({column}){options}")
        self.columns[name] = (kind, column)

    def append(self, by_pylance, count=50):
        table = rows(self.next, count)
        self.next += count
        if by_pylance:
            lance.write_dataset(table, self.path, mode="append")
        else:
            frame = self.warehouse.session.createDataFrame(
                table.to_pylist(), self.warehouse.session.table("t").schema
            )
            frame.writeTo("t").append()

    def segments(self):
        """Fragments that each segment covers, by index."""
        return {
            index.name: [set(segment.fragment_ids) for segment in index.segments]
            for index in self.dataset.describe_indices()
        }

    def check(self, is_used=True):
        """Fails if an index changes a result of pylance or Spark."""
        dataset = self.dataset
        conditions = {}
        for name, (_, column) in self.columns.items():
            used = False
            for question in QUESTIONS[column]:
                text = question.format(c=column)
                plan = dataset.scanner(filter=text).explain_plan()
                used = used or "ScalarIndexQuery" in plan
                with_index = ids_of(dataset.scanner(filter=text))
                without = ids_of(dataset.scanner(filter=text, use_scalar_index=False))
                assert with_index == without, f"pylance, {name}: {text}"
                conditions[text.replace("array_has", "array_contains")] = None
            assert used or not is_used, f"pylance does not use {name}"
        self.check_spark(list(conditions))

    def check_spark(self, conditions):
        """Compares filters by index with conditions that Spark evaluates."""
        reader = self.warehouse.session.read.format("lance")
        found = filtered(reader.load(self.path), conditions, "id")
        scan = reader.option("useScalarIndex", "false").load(self.path)
        wanted = evaluated(scan, conditions, "id")
        for condition, *rows in zip(conditions, found, wanted, strict=True):
            assert rows[0] == rows[1], f"Spark: {condition}"


def quoted(name):
    return "`" + name.replace("`", "``") + "`"


def ids_of(scanner):
    return sorted(scanner.to_table().column("id").to_pylist())


@pytest.fixture
def make(warehouse):
    def table(stable=False, version="2.1"):
        return Table(warehouse, stable, version)

    return table


STABLE = pytest.mark.parametrize("stable", [False, True], ids=["plain", "stable"])
KIND = pytest.mark.parametrize("kind", KINDS)


@KIND
@STABLE
def test_lifecycle_of_an_index(make, kind, stable):
    """Each column of a kind, through changes of the table by Spark and pylance."""
    t = make(stable)
    for column in COLUMNS[kind]:
        t.create(kind, column)
    t.check()
    t.append(by_pylance=True)
    t.sql("DELETE FROM t WHERE id % 7 = 3")
    t.check()
    optimize(t)
    assert all(len(segments) == 1 for segments in t.segments().values())
    t.check()
    t.sql("SET spark.lance.write.updateMode = auto", "UPDATE t SET n = 777 WHERE id % 10 = 4")
    t.append(by_pylance=False)
    t.check()
    t.dataset.optimize.optimize_indices()
    t.check()
    t.append(by_pylance=True)
    optimize(t)
    t.check()
    t.sql("OPTIMIZE t")
    t.check(is_used=False)
    optimize(t)
    t.check()
    t.dataset.optimize.compact_files(target_rows_per_fragment=100_000)
    t.check(is_used=False)
    t.dataset.optimize.optimize_indices()
    t.check()
    for name in t.columns:
        t.sql(f"ALTER TABLE t DROP INDEX {quoted(name)}")
    assert t.segments() == {}


def optimize(t):
    for name in t.columns:
        t.sql(f"OPTIMIZE INDEX {quoted(name)} ON t")


@pytest.mark.parametrize("version", ["2.0", "2.2"])
def test_file_versions(make, version):
    t = make(version=version)
    for kind in KINDS:
        t.create(kind, COLUMNS[kind][0])
    t.check()
    t.dataset.delete("id % 4 = 1")
    t.dataset.optimize.compact_files()
    t.dataset.optimize.optimize_indices()
    t.check()
    optimize(t)
    t.check()


def test_indices_of_pylance_are_extended_and_merged(make):
    t = make()
    for kind in KINDS:
        column = COLUMNS[kind][0]
        t.dataset.create_scalar_index(column, kind, name=kind)
        t.columns[kind] = (kind, column)
    t.append(by_pylance=False)
    for kind in KINDS:
        t.sql(f"OPTIMIZE INDEX {kind} ON t WITH (num_indices_to_merge = 0)")
    assert all(len(segments) == 2 for segments in t.segments().values())
    t.check()
    t.append(by_pylance=True)
    t.dataset.optimize.optimize_indices(num_indices_to_merge=0)
    t.check()
    optimize(t)
    everything = {fragment.fragment_id for fragment in t.dataset.get_fragments()}
    assert all(segments == [everything] for segments in t.segments().values())
    t.check()
    version = t.dataset.version
    optimize(t)
    assert t.dataset.version == version  # nothing left to do


@STABLE
def test_merging_drops_outdated_values(make, stable):
    t = make(stable)
    t.create("BTREE", "n")
    t.create("BITMAP", "n")
    t.sql("SET spark.lance.write.updateMode = rows")
    for value in [3, 13, 777]:
        t.sql(f"UPDATE t SET n = {value} WHERE id % 9 = 2")
        for name in t.columns:
            t.sql(f"OPTIMIZE INDEX {quoted(name)} ON t WITH (num_indices_to_merge = 0)")
        t.check()
    # With row ids, pylance would not notice that a segment has the old value of a row.
    assert all((len(segments) == 1) == stable for segments in t.segments().values())
    optimize(t)
    t.check()


def test_compaction_keeps_indices_and_covers_the_new_fragments(make):
    t = make()
    for kind in KINDS:
        t.create(kind, COLUMNS[kind][0])
    t.sql("DELETE FROM t WHERE id % 3 = 0", "OPTIMIZE t")
    everything = {fragment.fragment_id for fragment in t.dataset.get_fragments()}
    covered = t.segments()
    for name, (kind, _) in t.columns.items():
        found = set().union(*covered[name]) & everything
        assert found == (set() if kind == "BLOOMFILTER" else everything), name
    t.check(is_used=False)


def test_optimize_applies_deferred_compactions(make):
    t = make()
    for kind in KINDS:
        t.create(kind, COLUMNS[kind][0])
    t.sql("DELETE FROM t WHERE id % 3 = 0", "OPTIMIZE t WITH (defer_index_remap = true)")
    t.check(is_used=False)
    optimize(t)
    everything = {fragment.fragment_id for fragment in t.dataset.get_fragments()}
    assert all(segments == [everything] for segments in t.segments().values())
    t.check()


def test_the_record_of_moved_rows_is_removed_with_the_last_index(make):
    t = make()
    t.create("BTREE", "n")
    t.create("BITMAP", "t")
    t.sql("OPTIMIZE t WITH (defer_index_remap = true)")
    records = "SELECT count(*) FROM t.indices WHERE name = '__lance_frag_reuse'"
    t.sql("OPTIMIZE INDEX `BTREE n` ON t")
    assert t.sql(records) == [(1,)]
    t.check()
    t.sql("OPTIMIZE INDEX `BITMAP t` ON t")
    assert t.sql(records) == [(0,)]
    t.check()
    t.append(by_pylance=True)
    t.dataset.optimize.compact_files()
    t.dataset.optimize.optimize_indices()
    t.check()


@pytest.mark.parametrize("statement", ["CREATE", "DROP", "OPTIMIZE"])
def test_the_record_of_moved_rows_stays_while_an_index_needs_it(make, statement):
    """The next commit of pylance updates the coverage of indices, but not their entries."""
    t = make()
    for kind in KINDS:
        t.create(kind, COLUMNS[kind][0])
    t.sql("ALTER TABLE t CREATE INDEX other USING BTREE (id)")
    t.dataset.delete("id % 3 = 0")
    t.dataset.optimize.compact_files(defer_index_remap=True)
    t.append(by_pylance=True)
    if statement == "CREATE":
        t.sql("ALTER TABLE t CREATE INDEX another USING BTREE (`odd näme!`)")
    elif statement == "DROP":
        t.sql("DROP INDEX other ON t")
    else:
        t.sql("OPTIMIZE INDEX other ON t")
    records = "SELECT count(*) FROM t.indices WHERE name = '__lance_frag_reuse'"
    assert t.sql(records) == [(1,)]
    t.check(is_used=False)
    t.sql("DROP INDEX IF EXISTS other ON t")
    optimize(t)
    assert t.sql(records) == [(0,)]
    t.check()


@pytest.mark.parametrize("kind", ["BTREE", "BITMAP", "NGRAM", "LABEL_LIST"])
def test_optimize_applies_compactions_that_the_coverage_includes(make, kind):
    """An index that covers all fragments is written again if its entries have old addresses."""
    t = make()
    t.create(kind, COLUMNS[kind][0])
    t.dataset.delete("id % 3 = 0")
    t.dataset.optimize.compact_files(defer_index_remap=True)
    t.dataset.delete("id % 7 = 1")
    everything = {fragment.fragment_id for fragment in t.dataset.get_fragments()}
    assert all(t.segments()[name] == [everything] for name in t.columns)
    optimize(t)
    assert t.sql("SELECT count(*) FROM t.indices WHERE name = '__lance_frag_reuse'") == [(0,)]
    t.check()


def values_of(kind):
    """Values of a type of Arrow, from the least to the greatest."""
    if pa.types.is_unsigned_integer(kind) or pa.types.is_signed_integer(kind):
        least, most = (0, 2**kind.bit_width - 1)
        if pa.types.is_signed_integer(kind):
            least, most = (-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1)
        return pa.array([least, 1, 7, most], kind)
    if pa.types.is_decimal(kind):
        return pa.array([decimal.Decimal(v) for v in ("-99.50", "-0.01", "0.00", "17.25")], kind)
    if pa.types.is_floating(kind):
        return pa.array([-math.inf, -1.5, 0.25, 1000.0], pa.float64()).cast(kind)
    if pa.types.is_fixed_size_binary(kind):
        return pa.array([bytes([n] * kind.byte_width) for n in (0, 1, 128, 255)], kind)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return pa.array([b"", b"\x00", b"a", b"\xff\xff"], kind)
    if pa.types.is_large_string(kind):
        return pa.array(["", "a", "z", "\U0001f600"], kind)
    if pa.types.is_date64(kind):
        return pa.array([-864 * 10**5, 0, 864 * 10**5, 864 * 10**7], pa.int64()).cast(kind)
    numbers = pa.array([0 if pa.types.is_time(kind) else -5, 1, 7, 80000], pa.int64())
    return (numbers.cast(pa.int32()) if kind.bit_width == 32 else numbers).cast(kind)


#: Types and their names in DataFusion.
TYPES = {
    pa.int8(): "Int8",
    pa.int16(): "Int16",
    pa.int64(): "Int64",
    pa.uint8(): "UInt8",
    pa.uint16(): "UInt16",
    pa.uint32(): "UInt32",
    pa.uint64(): "UInt64",
    pa.float16(): "Float16",
    pa.float32(): "Float32",
    pa.decimal128(12, 2): "Decimal128(12, 2)",
    pa.decimal256(50, 2): "Decimal256(50, 2)",
    pa.date64(): "Date64",
    pa.time32("s"): "Time32(Second)",
    pa.time64("us"): "Time64(Microsecond)",
    pa.timestamp("ns"): "Timestamp(Nanosecond, None)",
    pa.timestamp("ms", "UTC"): 'Timestamp(Millisecond, Some("UTC"))',
    pa.duration("us"): "Duration(Microsecond)",
    pa.binary(): "Binary",
    pa.large_binary(): "LargeBinary",
    pa.large_string(): "LargeUtf8",
    pa.binary(5): "FixedSizeBinary(5)",
}


def literals(values):
    """Values of Arrow in the SQL of pylance."""
    kind = values.type
    plain = values
    if pa.types.is_temporal(kind):
        plain = (values.cast(pa.int32()) if kind.bit_width == 32 else values).cast(pa.int64())
    for value in plain.to_pylist():
        if isinstance(value, bytes):
            text = f"X'{value.hex()}'"
        elif isinstance(value, str):
            text = f"'{value}'"
        else:
            text = f"'{value}'" if value in (math.inf, -math.inf) else str(value)
        yield f"arrow_cast({text}, '{TYPES[kind]}')"


@pytest.mark.parametrize("kind", ["BTREE", "BITMAP", "ZONEMAP", "BLOOMFILTER"])
def test_types(warehouse, kind):
    """A column of each type, in one table: pylance finds the same rows with the index."""
    types = list(TYPES)
    columns = {"id": pa.array(range(400))}
    for n, of in enumerate(types):
        values = values_of(of)
        positions = [None if i % 9 == 4 else i % 4 for i in range(400)]
        columns[f"c{n}"] = values.take(pa.array(positions, pa.int32()))
    path = str(warehouse.path("types"))
    lance.write_dataset(pa.table(columns), path, max_rows_per_file=150, data_storage_version="2.1")
    table = LanceTable.forPath(warehouse.session, path)
    built = []
    for n, of in enumerate(types):
        try:
            table.create_scalar_index(f"c{n}", kind)
            built.append(n)
        except UnsupportedFeatureError as e:
            assert kind == "BLOOMFILTER", f"{of}: {e}"
    assert len(built) >= 15
    for merged in (False, True):
        dataset = lance.dataset(path)
        for n in built:
            tests = [f"c{n} IS NULL"]
            for value in literals(values_of(types[n])):
                tests += [f"c{n} = {value}", f"c{n} >= {value}", f"c{n} < {value}"]
            for test in tests:
                with_index = dataset.scanner(filter=test)
                without = dataset.scanner(filter=test, use_scalar_index=False)
                assert ids_of(with_index) == ids_of(without), f"{test}, merged: {merged}"
            plans = [dataset.scanner(filter=test).explain_plan() for test in tests]
            assert any("ScalarIndexQuery" in plan for plan in plans)
        if not merged:
            dataset.delete("id % 5 = 2")
            lance.write_dataset(pa.table(columns), path, mode="append")
            table.optimize.optimize_indices()


#: Values that Spark truncates or converts, ascending.
CONVERTED = {
    "ns": pa.array([-(10**18) - 1, -1001, -1000, -999, -1, 0, 999, 1000], pa.timestamp("ns")),
    "ns_utc": pa.array(
        [-(10**18) - 999, -2001, -2000, -1, 1, 1000, 1999, 2000], pa.timestamp("ns", "UTC")
    ),
    "ms": pa.array([-(10**13), -1001, -1000, -1, 0, 1, 1000, 10**13], pa.timestamp("ms")),
    "s": pa.array([-(10**10), -61, -60, -1, 0, 1, 60, 10**10], pa.timestamp("s", "UTC")),
    "u": pa.array([0, 1, 2, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1], pa.uint64()),
    "b": pa.array([bytes([n, 255 - n]) for n in (0, 1, 2, 127, 128, 129, 254, 255)], pa.binary(2)),
    "h": pa.array([-math.inf, -1.5, -0.0, 0.0, 0.1, 65504.0, math.inf, math.nan]).cast(
        pa.float16()
    ),
    "d": pa.array([day * 864 * 10**5 for day in (-9999, -2, -1, 0, 1, 2, 99, 9999)]).cast(
        pa.date64()
    ),
}


@pytest.mark.parametrize("kind", ["BTREE", "BITMAP", "ZONEMAP", "BLOOMFILTER"])
def test_types_in_spark(warehouse, kind):
    """Indices have the stored values. Filters of float16 and date64 do not use them."""
    path = str(warehouse.path("types"))
    runs = pa.array([i // 50 if i < 400 else None for i in range(450)])
    columns = {name: values.take(runs) for name, values in CONVERTED.items()}
    data = pa.table({"id": pa.array(range(450)), **columns})
    lance.write_dataset(data, path, max_rows_per_file=150)
    table = LanceTable.forPath(warehouse.session, path)
    built = [c for c in CONVERTED if kind != "BLOOMFILTER" or c not in ("b", "h", "d")]
    for c in built:
        table.create_scalar_index(c, kind)
    for changed in (False, True):
        if changed:
            lance.dataset(path).delete("id % 50 = 2")
            lance.write_dataset(data.slice(100, 200), path, mode="append")
            table.optimize.optimize_indices()
        reader = warehouse.session.read.format("lance")
        by_index = reader.load(path)
        scan = reader.option("useScalarIndex", "false").load(path)
        for c in built:
            values = spark_literals(scan, c)
            conditions = [f"{c} {test} {v}" for v in values for test in ("=", "<", ">=")]
            conditions += [f"{c} IN ({values[0]}, {values[-1]}, NULL)", f"{c} IS NULL"]
            conditions += [f"NOT {c} = {values[1]}", f"NOT {c} IN ({values[0]}, {values[2]})"]
            found = filtered(by_index, conditions, "id")
            assert found == evaluated(scan, conditions, "id"), (kind, c, changed)
            plan = by_index.where(conditions[0])._jdf.queryExecution().executedPlan().toString()
            # In nanoseconds, a value of Spark is a range, which a bloom filter does not find.
            unused = ("h", "d", "ns", "ns_utc") if kind == "BLOOMFILTER" else ("h", "d")
            assert f"index {c}_idx ({kind}, " in plan or c in unused, c
            for frame in (
                lambda of, c=c: of.selectExpr(f"min({c})", f"max({c})", f"count({c})"),
                lambda of, c=c: of.select(c).orderBy(F.asc_nulls_last(c)).limit(60),
                lambda of, c=c: of.select(c).orderBy(F.desc(c)).limit(60),
            ):
                # Texts, because NaN does not equal itself.
                shown = [list(map(str, frame(of).collect())) for of in (by_index, scan)]
                assert shown[0] == shown[1], (kind, c, changed)


def spark_literals(frame, column):
    """The distinct values of a column in the SQL of Spark, in their order."""
    kind = frame.schema[column].dataType.simpleString()
    text = f"concat('CAST(\\'', CAST({column} AS STRING), '\\' AS {kind})')"
    if kind == "binary":
        text = f"concat('X\\'', hex({column}), '\\'')"
    rows = frame.where(f"{column} IS NOT NULL").select(column, F.expr(text)).distinct()
    return [row[1] for row in rows.orderBy(column).collect()]


def test_concurrent_writers(make):
    t = make()
    names = {f"{kind} n": kind for kind in ("BTREE", "BITMAP", "ZONEMAP", "BLOOMFILTER")}

    def build(name):
        t.sql(f"ALTER TABLE t CREATE INDEX {quoted(name)} USING {names[name]} (n)")
        t.sql(f"OPTIMIZE INDEX {quoted(name)} ON t")

    def write(first):
        lance.write_dataset(rows(first, 40), t.path, mode="append")
        t.sql(f"DELETE FROM t WHERE id BETWEEN {first} AND {first + 10}")

    with ThreadPoolExecutor(6) as pool:
        done = [pool.submit(build, name) for name in names]
        done += [pool.submit(write, first) for first in (1000, 2000)]
        done.append(pool.submit(t.sql, "OPTIMIZE t"))
        for future in done:
            future.result()
    t.columns = {name: (kind, "n") for name, kind in names.items()}
    assert set(t.segments()) == set(names)
    t.check(is_used=False)
    optimize(t)
    t.check()
    used = {segment.uuid for i in t.dataset.describe_indices() for segment in i.segments}
    t.sql("VACUUM t RETAIN 0 HOURS WITH (delete_unverified = true)")
    assert {folder.name for folder in (t.warehouse.path("t") / "_indices").iterdir()} == used
    t.check()


def test_a_build_fails_if_a_vacuum_deletes_its_files(warehouse):
    """VACUUM with `delete_unverified` is for tables without concurrent writers."""
    path = warehouse.path("t")
    texts = pa.array([f"some text of row {i * 7919 % 300_000}" for i in range(300_000)])
    lance.write_dataset(pa.table({"t": texts}), str(path), max_rows_per_file=50_000)
    table = LanceTable.forPath(warehouse.session, str(path))

    def vacuum():
        while not (path / "_indices").exists() or not any((path / "_indices").glob("*/*")):
            time.sleep(0.005)
        warehouse.sql("VACUUM t RETAIN 0 HOURS WITH (delete_unverified = true)")

    with ThreadPoolExecutor() as threads:
        vacuumed = threads.submit(vacuum)
        with pytest.raises(LanceError, match=r"not found|NoSuchFile"):
            table.create_scalar_index("t", "NGRAM")
        vacuumed.result()
    assert not lance.dataset(str(path)).describe_indices()
    assert not list((path / "_indices").glob("*/*"))
    table.create_scalar_index("t", "NGRAM")
    assert lance.dataset(str(path)).count_rows("contains(t, 'row 12345')") == 11


def test_failed_builds_leave_no_files(make):
    t = make()
    data = sorted((t.warehouse.path("t") / "data").iterdir())
    data[2].write_bytes(data[2].read_bytes()[:100])
    for kind, column in [("BTREE", "n"), ("BITMAP", "t"), ("ZONEMAP", "day")]:
        with pytest.raises(LanceError):
            LanceTable.forPath(t.warehouse.session, t.path).create_scalar_index(column, kind)
    indices = t.warehouse.path("t") / "_indices"
    assert not indices.exists() or not any(indices.iterdir())


def test_ranges_of_a_btree(make):
    t = make()
    t.create("BTREE", "n", " WITH (rows_per_range = 50)")
    t.create("BTREE", "t", " WITH (rows_per_range = 70, zone_size = 16)")
    t.check()
    t.append(by_pylance=True)
    t.sql("DELETE FROM t WHERE id % 5 = 0")
    t.dataset.optimize.optimize_indices(num_indices_to_merge=0)
    t.check()
    t.dataset.optimize.compact_files()
    t.check()
    t.dataset.optimize.optimize_indices()
    optimize(t)
    t.check()


def test_statements_of_spark(make):
    t = make()
    t.sql("CREATE INDEX zones ON t USING zonemap (n) OPTIONS (rows_per_zone = 16)")
    t.sql("CREATE INDEX IF NOT EXISTS zones ON t USING btree (n)")
    with pytest.raises(Exception, match="INDEX_ALREADY_EXISTS"):
        t.sql("CREATE INDEX zones ON t USING btree (n)")
    [shown] = t.sql("SHOW INDEXES IN t")
    assert (shown["name"], shown["fields"], shown["index_type"]) == ("zones", ["n"], "ZONEMAP")
    assert (shown["num_indexed_fragments"], shown["num_unindexed_rows"]) == (5, 0)
    [described] = t.sql("DESCRIBE INDEX zones ON t")
    assert described["parameters"] == {"rows_per_zone": "16"}
    assert described["num_rows_indexed"] == ROWS
    t.append(by_pylance=True)
    [shown] = t.sql("SHOW INDEX FROM t")
    assert (shown["num_unindexed_fragments"], shown["num_unindexed_rows"]) == (1, 50)
    assert t.sql("OPTIMIZE INDEX zones ON t") == [(1, "zones", 1)]
    assert t.sql("DESCRIBE INDEX zones ON t")[0]["parameters"] == {"rows_per_zone": "16"}
    t.columns["zones"] = ("ZONEMAP", "n")
    t.check()
    t.sql("DROP INDEX zones ON t", "DROP INDEX IF EXISTS zones ON t")
    with pytest.raises(Exception, match="INDEX_NOT_FOUND"):
        t.sql("DROP INDEX zones ON t")


def test_procedures(make):
    t = make()
    create = "CALL work.system.create_index(table => 'shop.t', column => 's.a', "
    t.sql(create + "index_type => 'bitmap')")
    t.sql(create + "index_type => 'zonemap', name => 'z', options => map('rows_per_zone', '32'))")
    t.append(by_pylance=True)
    done = t.sql("CALL work.system.optimize_indices(table => 'shop.t')")
    assert sorted(done) == [(1, "s.a_idx", 1), (1, "z", 1)]
    names = [r["name"] for r in t.sql("CALL work.system.index_statistics('shop.t')")]
    assert names == ["s.a_idx", "z"]
    t.sql("CALL work.system.drop_index('shop.t', 'z')")
    assert list(t.segments()) == ["s.a_idx"]


def test_python(make):
    t = make()
    table = LanceTable.forName(t.warehouse.session, "work.shop.t")
    table.create_scalar_index("n", "BTREE")
    table.create_index("s.`b.c`", "ngram", "parts")
    with pytest.raises(InvalidRequestError, match="parts"):
        table.create_index("t", "NGRAM", "parts")
    table.create_scalar_index("t", "BITMAP", "parts", fragment_ids=[0, 2])
    names = {i.name: (i.index_type, i.field_names) for i in table.describe_indices()}
    assert names == {"n_idx": ("BTree", ["n"]), "parts": ("Bitmap", ["t"])}
    assert table.list_indices()[1]["fragment_ids"] == {0, 2}
    assert table.index_statistics("parts")["num_unindexed_fragments"] == 3
    table.create_scalar_index("day", "ZONEMAP", train=False, rows_per_zone=8)
    assert table.index_statistics("day_idx")["num_indexed_rows"] == 0
    table.optimize.optimize_indices(index_names=["day_idx", "parts"])
    assert table.index_statistics("day_idx")["num_unindexed_rows"] == 0
    theirs = {i.name: i.num_rows_indexed for i in t.dataset.describe_indices()}
    assert theirs == {"n_idx": ROWS, "parts": ROWS, "day_idx": ROWS}
    table.optimize.optimize_indices(retrain=True)
    t.columns = {"n_idx": ("BTREE", "n"), "parts": ("BITMAP", "t"), "day_idx": ("ZONEMAP", "day")}
    t.check()
    table.drop_index("parts")
    with pytest.raises(NotFoundError, match="parts"):
        table.drop_index("parts")
    with pytest.raises(NotFoundError, match="parts"):
        table.index_statistics("parts")


@pytest.mark.parametrize(
    ("kind", "column", "options", "error", "words"),
    [
        ("BTREE", "l", {}, UnsupportedFeatureError, "BTREE index on a column of type list"),
        ("NGRAM", "n", {}, UnsupportedFeatureError, "NGRAM index on a column of type int32"),
        ("LABEL_LIST", "t", {}, UnsupportedFeatureError, "LABEL_LIST"),
        ("BLOOMFILTER", "flag", {}, UnsupportedFeatureError, "BLOOMFILTER index"),
        ("IVF_PQ", "l", {}, UnsupportedFeatureError, "vectors are fixed-size lists"),
        ("RTREE", "t", {}, UnsupportedFeatureError, "RTREE"),
        ("BTREE", "none", {}, InvalidRequestError, "none"),
        ("ZONEMAP", "n", {"rows_per_zon": 3}, InvalidRequestError, "did you mean rows_per_zone"),
        ("ZONEMAP", "n", {"rows_per_zone": 0}, InvalidRequestError, "whole number from 1"),
        ("BLOOMFILTER", "n", {"probability": 2}, InvalidRequestError, "between 0 and 1"),
        ("BTREE", "n", {"fragment_ids": [77]}, InvalidRequestError, "no fragment 77"),
    ],
)
def test_errors(make, kind, column, options, error, words):
    t = make()
    table = LanceTable.forName(t.warehouse.session, "work.shop.t")
    with pytest.raises(error, match=words):
        table.create_scalar_index(column, kind, **options)
    assert t.segments() == {}
    indices = t.warehouse.path("t") / "_indices"
    assert not indices.exists() or not any(indices.iterdir())


def test_other_kinds_are_kept_and_named(make):
    t = make()
    texts = pa.list_(pa.struct([("t", pa.string())]))
    t.dataset.add_columns(pa.field("i", texts))
    t.dataset.create_scalar_index("i.t", "INVERTED", name="words")
    with pytest.raises(LanceError, match="Inverted"):
        LanceTable.forName(t.warehouse.session, "work.shop.t").optimize.optimize_indices(
            index_names=["words"]
        )
    t.create("BTREE", "n")
    assert set(t.segments()) == {"words", "BTREE n"}
    t.sql("DROP INDEX words ON t")
    assert set(t.segments()) == {"BTREE n"}


def test_branches_have_separate_indices(make):
    t = make()
    t.sql("ALTER TABLE t CREATE BRANCH dev")
    t.sql("ALTER TABLE t.branch_dev CREATE INDEX i USING btree (n)")
    assert [r["name"] for r in t.sql("SHOW INDEXES IN t.branch_dev")] == ["i"]
    assert t.sql("SHOW INDEXES IN t") == []
    branch = t.dataset.checkout_version(("dev", None))
    found = ids_of(branch.scanner(filter="n = 3"))
    assert found == [i for i in range(ROWS) if i % 17 != 5 and i % 20 == 3]
    t.sql("INSERT INTO t.branch_dev SELECT * FROM t WHERE n = 3")
    t.sql("OPTIMIZE INDEX i ON t.branch_dev")
    assert t.sql("SELECT count(*) FROM t.branch_dev WHERE n = 3") == [(2 * len(found),)]


def test_empty_tables_and_columns_of_nulls(warehouse):
    warehouse.sql("CREATE TABLE e (a INT, l ARRAY<STRING>, s STRING)")
    columns = dict(zip(KINDS, ["a", "a", "a", "a", "s", "l"], strict=True))
    for kind, column in columns.items():
        warehouse.sql(f"CREATE INDEX {kind} ON e USING {kind} ({column})")
    warehouse.sql("INSERT INTO e VALUES (NULL, NULL, NULL), (NULL, array(NULL), '')")
    for kind in KINDS:
        warehouse.sql(f"OPTIMIZE INDEX {kind} ON e")
    dataset = warehouse.dataset("e")
    for filter_, count in itertools.product(["a IS NULL", "a = 1"], [True, False]):
        expected = 2 if "NULL" in filter_ else 0
        assert dataset.scanner(filter=filter_, use_scalar_index=count).count_rows() == expected
    assert warehouse.sql("SELECT count(*) FROM e WHERE a IS NULL") == [(2,)]
    assert warehouse.sql("SELECT count(*) FROM e WHERE array_contains(l, 'x')") == [(0,)]

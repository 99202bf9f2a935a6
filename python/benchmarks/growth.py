# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Cost by size: scans by rows, planning by fragments, rows, and versions, takes by rows taken.

Filters on indexed columns are measured by the number of matching rows, with and without the index.

All measurements use one session with a small heap, so that some tables do not fit in memory.
Results are checked before anything is timed.
"""

import itertools
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple

import lance
import pyarrow as pa
import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import pyspark_lance
from benchmarks import machine
from benchmarks.measure import Sample, measure
from benchmarks.tables import size_of

HEAP: Final = "1g"
ROWS: Final = (25_000, 250_000, 2_500_000, 25_000_000)
"""Rows of the scanned tables: 1 MB to 1 GB."""
FRAGMENTS: Final = (1, 10, 100, 1000, 10_000)
VERSIONS: Final = (10, 100, 1000, 10_000)
TAKEN: Final = (1, 10, 100, 1000, 10_000)
LEFT: Final = (1, 10, 100, 1000, 10_000, 50_000, 100_000, 250_000, 500_000, 1_250_000, 2_500_000)
"""Matching rows of a filter, out of 2,500,000."""
INDEXED: Final = {
    "id": "BTREE, rows in order",
    "key": "BTREE, rows in no order",
    "kind": "BITMAP of 1,000 values, rows in no order",
}
_KINDS: Final = 1000
_SUM: Final = "SELECT sum(value) FROM t"
_LENGTHS: Final = "SELECT sum(length(text)) FROM t"


class Line(NamedTuple):
    """A measurement.

    Attributes:
        size: Rows, fragments, or rows taken.
        sample: Medians of the runs.
        note: A note.
    """

    size: int
    sample: Sample
    note: str = ""


class Growth:
    """The measurements of one session."""

    def __init__(self, spark: SparkSession, work: Path, iterations: int) -> None:
        """Stores tables in the folder. Each run is repeated after one warm-up."""
        self._spark = spark
        self._work = work
        self._iterations = iterations

    def scans(self, sizes: Sequence[int], query: str | None) -> Iterator[Line]:
        """Scans tables by size: a query of one column, or all columns to the no-op sink."""
        for rows in sizes:
            path = self._table(rows)
            sample = self._median(partial(self._scan, path, query))
            yield Line(rows, sample, f"{size_of(path) / 1e6:.1f} MB")

    def plans_by_rows(self, sizes: Sequence[int]) -> Iterator[Line]:
        """Plans a scan of tables with two fragments, by rows."""
        for rows in sizes:
            path = self._table(rows)
            yield Line(rows, self._median(partial(self._plan, path)))

    def plans_by_fragments(self, sizes: Sequence[int]) -> Iterator[Line]:
        """Plans a scan of tables by number of fragments, with two rows each."""
        for fragments in sizes:
            path = self._table(2 * fragments, fragments)
            found = self._spark.sql(f"SELECT count(DISTINCT _fragid) FROM lance.`{path}`").collect()
            if found[0][0] != fragments:
                raise AssertionError(f"{found[0][0]} fragments, expected {fragments}")
            yield Line(fragments, self._median(partial(self._plan, path)))

    def lookups_by_fragments(self, sizes: Sequence[int]) -> Iterator[Line]:
        """Plans a lookup by key in tables with three indices, by number of fragments."""
        for fragments in sizes:
            path = self._with_indices(20 * fragments, fragments)
            found = self._lookup(path, fragments)
            if [row["id"] for row in found.collect()] != [fragments]:
                raise AssertionError(f"the lookup of {fragments} returned other rows")
            if "(BTREE, " not in found._jdf.queryExecution().toString():
                raise AssertionError(f"the lookup of {fragments} uses no index")
            keys = itertools.count(fragments)
            yield Line(fragments, self._median(partial(self._plan_lookup, path, keys)))

    def changes_by_versions(self, sizes: Sequence[int]) -> Iterator[Line]:
        """Plans the change feed of one version with ten rows. The note has the plan of a scan."""
        for versions in sizes:
            path, version = self._history(versions)
            changes = partial(self._plan_changes, path, version)
            runs = [changes, partial(self._plan, path)]
            for run in runs:
                run()
            feed, scan = self._in_turn(runs)
            ratio = feed.seconds / scan.seconds
            yield Line(versions, feed, f"{ratio:.2f} of {scan.seconds * 1e3:.1f} ms of a scan")

    def takes(self, sizes: Sequence[int], rows: int) -> Iterator[Line]:
        """Takes rows by id, spread over a table of the given size."""
        path = self._table(rows)
        ids = [
            row[0]
            for row in self._spark.sql(
                f"SELECT _rowid FROM lance.`{path}` WHERE id % 13 = 5"
                f" ORDER BY hash(id) LIMIT {max(sizes)}"
            ).collect()
        ]
        for taken in sizes:
            frame = self._read(path).where(F.col("_rowid").isin(ids[:taken]))
            if frame.count() != taken:
                raise AssertionError(f"{frame.count()} rows, expected {taken}")
            yield Line(taken, self._median(partial(_collect, frame)))

    def filters(self, sizes: Sequence[int], rows: int, column: str) -> Iterator[Line]:
        """Runs filters by index, by matching rows. The note has the time without the index.

        Each run plans its rows again.
        """
        path = self._indexed(rows)
        for left in sizes:
            limit = left if column != "kind" else -(-left * _KINDS // rows)
            runs = [partial(self._filter, path, column, limit, use) for use in ("true", "false")]
            counts = [run() for run in runs]
            if counts[0] != counts[1] or (column != "kind" and counts[0] != left):
                raise AssertionError(f"{counts} rows, expected {left}")
            indexed, scanned = self._in_turn(runs)
            ratio = indexed.seconds / scanned.seconds
            yield Line(left, indexed, f"{ratio:.2f} of {scanned.seconds * 1e3:.1f} ms without")

    def _filter(self, path: Path, column: str, limit: int, use_index: str) -> int:
        frame: Any = (
            self._read(path, useScalarIndex=use_index)
            .where(F.col(column) < limit)
            .agg(F.count("*"), F.sum(F.length("text")), F.sum("value"))
        )
        return int(frame._jdf.collectAsList().get(0).getLong(0))

    def _indexed(self, rows: int) -> Path:
        """Creates a table of ordered, shuffled, and few distinct numbers, each with an index."""
        path = self._work / f"indexed-{rows}.lance"
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            self._rows(rows, 4).withColumns(
                {
                    "key": F.pmod(F.col("id") * F.lit(1_000_003), F.lit(rows)),
                    "kind": F.pmod(F.xxhash64("id"), F.lit(_KINDS)).cast("int"),
                }
            ).write.format("lance").option("maxRowsPerFile", -(-rows // 4)).save(str(unfinished))
            table = pyspark_lance.LanceTable.forPath(self._spark, str(unfinished))
            for column, kind in INDEXED.items():
                table.create_scalar_index(column, kind.split(",")[0].split()[0])
            unfinished.rename(path)
        return path

    def _with_indices(self, rows: int, fragments: int) -> Path:
        """Creates a table with indices on each of its three columns."""
        path = self._work / f"indices-{rows}-{fragments}.lance"
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(self._table(rows, fragments), unfinished)
            table = pyspark_lance.LanceTable.forPath(self._spark, str(unfinished))
            for column, kind in (("id", "BTREE"), ("value", "ZONEMAP"), ("text", "BLOOMFILTER")):
                table.create_scalar_index(column, kind)
            unfinished.rename(path)
        return path

    def _scan(self, path: Path, query: str | None) -> None:
        frame = self._read(path)
        if query is None:
            frame.write.format("noop").mode("overwrite").save()
        else:
            frame.createOrReplaceTempView("t")
            _collect(self._spark.sql(query))

    def _read(self, path: Path, **options: str) -> DataFrame:
        return self._spark.read.format("lance").options(**options).load(str(path))

    def _plan(self, path: Path) -> None:
        frame: Any = self._read(path)
        frame._jdf.queryExecution().toRdd().getNumPartitions()

    def _lookup(self, path: Path, key: int) -> Any:  # noqa: ANN401
        return self._read(path).where(F.col("id") == key)

    def _plan_lookup(self, path: Path, keys: Iterator[int]) -> None:
        """Plans the lookup of the next key."""
        self._lookup(path, next(keys))._jdf.queryExecution().toRdd().getNumPartitions()

    def _plan_changes(self, path: Path, version: int) -> None:
        feed = self._spark.sql(f"SELECT * FROM lance_changes('{path}', {version}, {version})")
        frame: Any = feed
        frame._jdf.queryExecution().toRdd().getNumPartitions()

    def _history(self, versions: int) -> tuple[Path, int]:
        """Creates a table with many versions; returns its path and the one that adds ten rows."""
        path, middle = self._work / f"versions-{versions}.lance", versions // 2
        if not path.exists():
            print(f"[growth] writing {versions} versions", flush=True)
            unfinished = path.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            table = lance.write_dataset(pa.table({"id": range(1000)}), str(unfinished))
            while table.version < versions:
                if table.version == middle - 1:
                    rows = pa.table({"id": range(1000, 1010)})
                    table = lance.write_dataset(rows, table, mode="append")
                else:
                    table.update_config({"version": str(table.version + 1)})
            unfinished.rename(path)
        feed = self._spark.sql(f"SELECT * FROM lance_changes('{path}', {middle}, {middle})")
        if feed.count() != 10:
            raise AssertionError(f"{feed.count()} changes, expected 10")
        return path, middle

    def _table(self, rows: int, fragments: int = 2) -> Path:
        """Creates a table of a number, a value, and incompressible text: about 40 bytes per row."""
        path = self._work / f"rows-{rows}-{fragments}.lance"
        if not path.exists():
            print(f"[growth] writing {rows} rows, {fragments} fragments", flush=True)
            unfinished = path.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            self._rows(rows, fragments).write.format("lance").option(
                "maxRowsPerFile", -(-rows // fragments)
            ).save(str(unfinished))
            unfinished.rename(path)
        frame = self._read(path)
        if frame.agg(F.count("*"), F.sum("id")).head() != (rows, rows * (rows - 1) // 2):
            raise AssertionError(f"{path} has other rows than were written")
        return path

    def _rows(self, rows: int, fragments: int) -> DataFrame:
        noise = F.xxhash64("id")
        return self._spark.range(0, rows, 1, min(2, fragments)).select(
            "id",
            (noise / F.lit(3.0)).alias("value"),
            F.hex(noise.bitwiseXOR(F.lit(0x5DEECE66D))).alias("text"),
        )

    def _median(self, run: Callable[[], object]) -> Sample:
        run()
        return _medians([[measure(run) for _ in range(self._iterations)]])[0]

    def _in_turn(self, runs: Sequence[Callable[[], object]]) -> list[Sample]:
        """Returns the medians of several measurements that take turns."""
        rounds = [[measure(run) for run in runs] for _ in range(2 * self._iterations)]
        return _medians(list(zip(*rounds, strict=True)))


def _medians(sides: Sequence[Sequence[Sample]]) -> list[Sample]:
    """Returns the medians of each side."""
    return [Sample(*(median(values) for values in zip(*side, strict=True))) for side in sides]


def run(work: Path, out: Path, iterations: int, more_rows: Sequence[int] = ()) -> None:
    """Runs all measurements. Writes the results after each of them.

    Args:
        work: Folder of the tables.
        out: File of the results.
        iterations: Number of measured runs; the result is the median.
        more_rows: Additional table sizes to scan.
    """
    spark = pyspark_lance.configure(
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", HEAP),
        root=work / "warehouse",
    ).getOrCreate()
    growth = Growth(spark, work, iterations)
    sizes = sorted({*ROWS, *more_rows})
    parts = [_head(iterations)]
    for title, unit, lines in (
        ("Scan, all columns, no-op sink", "rows", growth.scans(sizes, None)),
        (f"Scan, {_SUM}", "rows", growth.scans(sizes, _SUM)),
        (f"Scan, {_LENGTHS}", "rows", growth.scans(sizes, _LENGTHS)),
        ("Plan, by rows, two fragments", "rows", growth.plans_by_rows(sizes)),
        ("Plan, by fragments", "fragments", growth.plans_by_fragments(FRAGMENTS)),
        (
            "Plan a lookup by key with three indices, by fragments",
            "fragments",
            growth.lookups_by_fragments(FRAGMENTS),
        ),
        (
            "Plan the change feed of a version, by versions of the table",
            "versions",
            growth.changes_by_versions(VERSIONS),
        ),
        ("Take by _rowid, of 2,500,000 rows", "taken", growth.takes(TAKEN, ROWS[2])),
        *(
            (f"Filter on {column}, {what}", "rows left", growth.filters(LEFT, ROWS[2], column))
            for column, what in INDEXED.items()
        ),
    ):
        measured = []
        for line in lines:
            print(f"[growth] {title}: {line.size}, {line.sample.seconds * 1e3:.0f} ms", flush=True)
            measured.append(line)
        parts.append(table(title, unit, measured))
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("\n".join(parts))


def _head(iterations: int) -> str:
    facts = {"spark": f"{pyspark.__version__}, local[2], heap {HEAP}", **machine.facts()}
    facts["iterations"] = f"{iterations}, after 1 to warm up; medians"
    return "".join(
        ("How cost grows\n", *(f"  {name:12} {value}\n" for name, value in facts.items()))
    )


def table(title: str, unit: str, lines: Sequence[Line]) -> str:
    """Formats the measurements: times, and times per row, fragment, or taken row."""
    head = f"{unit:>12}{'ms':>10}{'CPU s':>9}{'ns each':>12}{'MB read':>10}{'peak MB':>9}"
    rows = [
        f"{line.size:>12}{line.sample.seconds * 1e3:>10.1f}{line.sample.cpu_seconds:>9.2f}"
        f"{line.sample.seconds * 1e9 / line.size:>12.0f}{line.sample.bytes_read / 1e6:>10.2f}"
        f"{line.sample.peak_bytes / 1e6:>9.0f}  {line.note}".rstrip()
        for line in lines
    ]
    return "\n".join([title, head, "-" * len(head), *rows, ""])


def _collect(frame: DataFrame) -> None:
    """Runs a query. The rows stay in the JVM."""
    java: Any = frame
    java._jdf.collectAsList()

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""TPC-H in SQL: loads, changes and merges tables, looks back in time and tidies up.

A shop's orders arrive as Parquet files. Those of 1992 to 1997 are loaded first, those of 1998
later; some are corrected, some are withdrawn. A summary by customer follows the orders by MERGE,
and is held against one that is computed from scratch. A tag keeps the end of 1997.
"""

from pathlib import Path
from typing import Any, NamedTuple

import lance
from pyspark.sql import DataFrame, SparkSession

from common import options, session, step
from pyspark_lance import LanceTable
from pyspark_lance.demo import tpch  # the generator that `python -m pyspark_lance demo` uses

SUMMARY = """
    SELECT c_custkey, c_name, c_mktsegment, count(DISTINCT o_orderkey) AS orders,
           sum(l_extendedprice * (1 - l_discount)) AS revenue
    FROM lance.etl.customer
    JOIN lance.etl.orders ON o_custkey = c_custkey
    JOIN lance.etl.lineitem ON l_orderkey = o_orderkey
    GROUP BY ALL
"""
"""Customers with orders: how many, and what they paid."""


class Results(NamedTuple):
    """What the example found.

    Attributes:
        rows: Rows of the tables in the end.
        orders_by_year: Orders of each year in the end.
        rows_1997, rows_now: Orders at the tag, and in the end.
        revenue_1997, revenue_source: What customers paid until the end of 1997: by the tables as
            the tag names them, and by the Parquet files.
        differences: Rows of the summary that differ from one computed from scratch.
        history: Operations on `orders`, the oldest version first.
        fragments: Of `orders`, before and after OPTIMIZE.
        old_versions: Versions of `orders` that VACUUM removed.
        versions: Numbers of the versions that are left.
        pylance_rows: Orders as pylance counts them: in the end, and at the tag.
    """

    rows: dict[str, int]
    orders_by_year: dict[int, int]
    rows_1997: int
    rows_now: int
    revenue_1997: Any
    revenue_source: Any
    differences: int
    history: list[str]
    fragments: tuple[int, int]
    old_versions: int
    versions: list[int]
    pylance_rows: tuple[int, int]


def main(size: float, path: Path, spark: SparkSession | None = None) -> Results:
    """Runs it.

    Args:
        size: TPC-H's scale factor; 1 has 1.5 million orders with 6 million lines.
        path: Folder for the Parquet files, and for the tables of a session that is made here.
        spark: A session with a catalog `lance`, whose namespace `etl` is made anew.
    """
    with step(f"Generate TPC-H at scale factor {size:g}"):
        path.mkdir(parents=True, exist_ok=True)
        files = tpch.generate(size, path.absolute() / f"parquet-{size:g}")
    with session(spark, path / "warehouse") as spark:
        load(spark, files)
        change(spark, files)
        differences = merge_summary(spark)
        undo_a_mistake(spark)
        then, source = look_back(spark, files)
        operations = history(spark)
        fragments, removed = tidy_up(spark)
        return report(spark, then, source, differences, operations, fragments, removed)


def load(spark: SparkSession, files: Path) -> None:
    """Creates the tables with what there is at the end of 1997, and gives that a name."""
    spark.sql("DROP NAMESPACE IF EXISTS lance.etl CASCADE")
    spark.sql("CREATE NAMESPACE lance.etl")
    with step("CREATE TABLE ... AS SELECT: customers, orders until 1997, their lines, a summary"):
        spark.sql(
            f"CREATE TABLE lance.etl.customer AS SELECT * FROM parquet.`{files}/customer.parquet`"
        )
        # Rows keep their ids when UPDATE, MERGE or OPTIMIZE move them.
        spark.sql(f"""
            CREATE TABLE lance.etl.orders TBLPROPERTIES ('enableStableRowIds' = 'true')
            AS SELECT * FROM parquet.`{files}/orders.parquet` WHERE o_orderdate < DATE '1998-01-01'
        """)
        spark.sql(f"""
            CREATE TABLE lance.etl.lineitem AS SELECT l.* FROM parquet.`{files}/lineitem.parquet` l
            LEFT SEMI JOIN lance.etl.orders ON l_orderkey = o_orderkey
        """)
        spark.sql(f"CREATE TABLE lance.etl.summary AS {SUMMARY}")
    for table in ("customer", "orders", "lineitem", "summary"):
        spark.sql(f"ALTER TABLE lance.etl.{table} CREATE TAG end_of_1997")


def change(spark: SparkSession, files: Path) -> None:
    """Brings in 1998 in two batches, and corrects and withdraws what was there."""
    for begin, end in (("1998-01-01", "1998-05-01"), ("1998-05-01", "1999-01-01")):
        with step(f"INSERT: orders from {begin} until {end}"):
            spark.sql(f"""
                CREATE OR REPLACE TEMPORARY VIEW arrived AS
                SELECT * FROM parquet.`{files}/orders.parquet`
                WHERE o_orderdate >= DATE '{begin}' AND o_orderdate < DATE '{end}'
            """)
            spark.sql("INSERT INTO lance.etl.orders TABLE arrived")
            spark.sql(f"""
                INSERT INTO lance.etl.lineitem SELECT l.* FROM parquet.`{files}/lineitem.parquet` l
                LEFT SEMI JOIN arrived ON l_orderkey = o_orderkey
            """)
    with step("UPDATE: a discount on what was late in 1998"):
        spark.sql("""
            UPDATE lance.etl.lineitem SET l_discount = 0.10
            WHERE l_shipdate >= DATE '1998-01-01'
              AND l_receiptdate > l_commitdate + INTERVAL 60 DAYS
        """)
    with step("DELETE: the orders of one customer in a hundred, who wants to be forgotten"):
        spark.sql("""
            DELETE FROM lance.etl.lineitem
            WHERE l_orderkey IN (SELECT o_orderkey FROM lance.etl.orders WHERE o_custkey % 100 = 1)
        """)
        spark.sql("DELETE FROM lance.etl.orders WHERE o_custkey % 100 = 1")


def merge_summary(spark: SparkSession) -> int:
    """Lets the summary follow; how many rows of it are not as if computed from scratch."""
    with step("MERGE: the summary follows"):
        spark.sql(f"""
            MERGE INTO lance.etl.summary s USING ({SUMMARY}) n ON s.c_custkey = n.c_custkey
            WHEN MATCHED AND (s.orders <> n.orders OR s.revenue <> n.revenue)
              THEN UPDATE SET orders = n.orders, revenue = n.revenue
            WHEN NOT MATCHED THEN INSERT *
            WHEN NOT MATCHED BY SOURCE THEN DELETE
        """)
        spark.sql(f"CREATE OR REPLACE TEMPORARY VIEW expected AS {SUMMARY}")
        return int(
            value(
                spark.sql("""
            SELECT count(*) FROM (
              (TABLE lance.etl.summary EXCEPT TABLE expected) UNION ALL
              (TABLE expected EXCEPT TABLE lance.etl.summary))
        """)
            )
        )


def undo_a_mistake(spark: SparkSession) -> None:
    """An UPDATE without its WHERE, and the way back."""
    with step("RESTORE: somebody closed all orders by mistake"):
        version = value(spark.sql("SELECT max(version) FROM lance.etl.orders.versions"))
        spark.sql("UPDATE lance.etl.orders SET o_orderstatus = 'F'")
        spark.sql(f"RESTORE TABLE lance.etl.orders TO VERSION AS OF {version}")


def look_back(spark: SparkSession, files: Path) -> tuple[Any, Any]:
    """What was paid until the end of 1997: by the tag, and by the Parquet files."""
    with step("VERSION AS OF: revenue as it was at the end of 1997, by tables and by files"):
        then = value(
            spark.sql("""
            SELECT sum(l_extendedprice * (1 - l_discount))
            FROM lance.etl.orders VERSION AS OF 'end_of_1997'
            JOIN lance.etl.lineitem VERSION AS OF 'end_of_1997' ON l_orderkey = o_orderkey
        """)
        )
        source = value(
            spark.sql(f"""
            SELECT sum(l_extendedprice * (1 - l_discount))
            FROM parquet.`{files}/orders.parquet`
            JOIN parquet.`{files}/lineitem.parquet` ON l_orderkey = o_orderkey
            WHERE o_orderdate < DATE '1998-01-01'
        """)
        )
    return then, source


def history(spark: SparkSession) -> list[str]:
    """Shows the versions of the orders; their operations, the oldest first."""
    print("DESCRIBE HISTORY lance.etl.orders")
    rows = spark.sql("DESCRIBE HISTORY lance.etl.orders").collect()[::-1]
    for row in rows:
        print(
            f"  {row.version}  {row.operation:<22} {row.rows:>9,} rows"
            f"  +{row.rows_added:,} -{row.rows_deleted:,}"
        )
    return [row.operation for row in rows]


def tidy_up(spark: SparkSession) -> tuple[tuple[int, int], int]:
    """Puts fragments together, removes versions; fragments before and after, versions removed."""
    fragments = "SELECT count(*) FROM lance.etl.orders.fragments"
    with step("OPTIMIZE and VACUUM: few fragments, and no versions but the newest and the tagged"):
        before = value(spark.sql(fragments))
        spark.sql("OPTIMIZE lance.etl.orders ZORDER BY (o_orderdate, o_custkey)")
        removed = spark.sql("""
            VACUUM lance.etl.orders RETAIN 0 HOURS WITH (error_if_tagged_old_versions = false)
        """).first()
        after = value(spark.sql(fragments))
    assert removed is not None
    return (before, after), removed.old_versions


def report(
    spark: SparkSession,
    then: Any,  # noqa: ANN401
    source: Any,  # noqa: ANN401
    differences: int,
    operations: list[str],
    fragments: tuple[int, int],
    removed: int,
) -> Results:
    """Gathers what there is in the end, and shows it."""
    orders = LanceTable.forName(spark, "lance.etl.orders")
    location = orders.detail().first()
    assert location is not None
    dataset = lance.dataset(location.location)
    years = "SELECT year(o_orderdate), count(*) FROM lance.etl.orders GROUP BY 1 ORDER BY 1"
    found = Results(
        rows={
            t: value(spark.sql(f"SELECT count(*) FROM lance.etl.{t}"))
            for t in ("customer", "orders", "lineitem", "summary")
        },
        orders_by_year=dict(spark.sql(years).collect()),
        rows_1997=orders.checkout_version("end_of_1997").count_rows(),
        rows_now=orders.count_rows(),
        revenue_1997=then,
        revenue_source=source,
        differences=differences,
        history=operations,
        fragments=fragments,
        old_versions=removed,
        versions=[row.version for row in orders.versions().collect()],
        pylance_rows=(
            dataset.count_rows(),
            dataset.checkout_version("end_of_1997").count_rows(),
        ),
    )
    print(f"""
orders now: {found.rows_now:,}, at the end of 1997: {found.rows_1997:,}
revenue until 1997: {found.revenue_1997:,}, by the Parquet files: {found.revenue_source:,}
summary: {found.rows["summary"]:,} customers, {found.differences} unlike one computed from scratch
fragments of orders: {found.fragments[0]}, after OPTIMIZE {found.fragments[1]}
versions of orders: VACUUM removed {found.old_versions}, left are {found.versions}
pylance counts {found.pylance_rows[0]:,} orders, at the tag {found.pylance_rows[1]:,}""")
    return found


def value(frame: DataFrame) -> Any:  # noqa: ANN401
    """The one value of an answer."""
    row = frame.first()
    assert row is not None
    return row[0]


if __name__ == "__main__":
    parser = options("tpch_etl", __doc__)
    parser.add_argument(
        "--size", type=float, default=0.01, help="TPC-H's scale factor (default: %(default)s)"
    )
    given = parser.parse_args()
    main(given.size, given.path)

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""TPC-H in SQL: loads, changes, and merges tables, with time travel and maintenance.

A shop's orders arrive as Parquet files. The orders of 1992 to 1997 are loaded first, the orders of
1998 later. Some are corrected or withdrawn. MERGE updates a summary by customer, which is compared
with a new computation. A tag marks the end of 1997.
"""

from pathlib import Path
from typing import Any, NamedTuple

import lance
from pyspark.sql import DataFrame, SparkSession

from common import options, session, step
from pyspark_lance import LanceTable
from pyspark_lance.demo import tpch  # the generator of `python -m pyspark_lance demo`

SUMMARY = """
    SELECT c_custkey, c_name, c_mktsegment, count(DISTINCT o_orderkey) AS orders,
           sum(l_extendedprice * (1 - l_discount)) AS revenue
    FROM lance.etl.customer
    JOIN lance.etl.orders ON o_custkey = c_custkey
    JOIN lance.etl.lineitem ON l_orderkey = o_orderkey
    GROUP BY ALL
"""
"""Number of customers with orders, and their payments."""


class Results(NamedTuple):
    """Results of the example.

    Attributes:
        rows: Rows of the tables at the end.
        orders_by_year: Orders of each year at the end.
        rows_1997, rows_now: Orders at the tag, and at the end.
        revenue_1997, revenue_source: Revenue until the end of 1997: from the tables at the tag, and
            from the Parquet files.
        differences: Rows of the summary that differ from a new computation.
        history: Operations on `orders`, oldest version first.
        fragments: Fragments of `orders` before and after OPTIMIZE.
        old_versions: Versions of `orders` that VACUUM removed.
        versions: Numbers of the remaining versions.
        pylance_rows: Orders counted by pylance, at the end and at the tag.
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
        size: Scale factor of TPC-H; 1 has 1.5 million orders with 6 million lines.
        path: Folder for the Parquet files, and for the tables of a new session.
        spark: A session with a catalog `lance`. Its namespace `etl` is replaced.
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
    """Creates the tables with the data until the end of 1997, and tags them."""
    spark.sql("DROP NAMESPACE IF EXISTS lance.etl CASCADE")
    spark.sql("CREATE NAMESPACE lance.etl")
    with step("CREATE TABLE ... AS SELECT: customers, orders until 1997, their lines, a summary"):
        spark.sql(
            f"CREATE TABLE lance.etl.customer AS SELECT * FROM parquet.`{files}/customer.parquet`"
        )
        # Rows keep their ids when UPDATE, MERGE, or OPTIMIZE move them.
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
    """Loads 1998 in two batches, and corrects and withdraws orders."""
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
    with step("UPDATE: a discount on late items of 1998"):
        spark.sql("""
            UPDATE lance.etl.lineitem SET l_discount = 0.10
            WHERE l_shipdate >= DATE '1998-01-01'
              AND l_receiptdate > l_commitdate + INTERVAL 60 DAYS
        """)
    with step("DELETE: the orders of one customer in a hundred"):
        spark.sql("""
            DELETE FROM lance.etl.lineitem
            WHERE l_orderkey IN (SELECT o_orderkey FROM lance.etl.orders WHERE o_custkey % 100 = 1)
        """)
        spark.sql("DELETE FROM lance.etl.orders WHERE o_custkey % 100 = 1")


def merge_summary(spark: SparkSession) -> int:
    """Updates the summary. Returns the number of rows that differ from a new computation."""
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
    """Reverts an UPDATE without WHERE."""
    with step("RESTORE: revert an UPDATE that closed all orders by mistake"):
        version = value(spark.sql("SELECT max(version) FROM lance.etl.orders.versions"))
        spark.sql("UPDATE lance.etl.orders SET o_orderstatus = 'F'")
        spark.sql(f"RESTORE TABLE lance.etl.orders TO VERSION AS OF {version}")


def look_back(spark: SparkSession, files: Path) -> tuple[Any, Any]:
    """Returns the revenue until the end of 1997, at the tag and in the Parquet files."""
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
    """Prints the versions of the orders. Returns their operations, oldest first."""
    print("DESCRIBE HISTORY lance.etl.orders")
    rows = spark.sql("DESCRIBE HISTORY lance.etl.orders").collect()[::-1]
    for row in rows:
        print(
            f"  {row.version}  {row.operation:<22} {row.rows:>9,} rows"
            f"  +{row.rows_added:,} -{row.rows_deleted:,}"
        )
    return [row.operation for row in rows]


def tidy_up(spark: SparkSession) -> tuple[tuple[int, int], int]:
    """Compacts and vacuums. Returns the fragments before and after, and the removed versions."""
    fragments = "SELECT count(*) FROM lance.etl.orders.fragments"
    with step("OPTIMIZE and VACUUM: keep few fragments, the latest version, and the tag"):
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
    """Collects and prints the results."""
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
revenue until 1997: {found.revenue_1997:,}, in the Parquet files: {found.revenue_source:,}
summary: {found.rows["summary"]:,} customers, {found.differences} rows differ from a new computation
fragments of orders: {found.fragments[0]}, after OPTIMIZE {found.fragments[1]}
versions of orders: VACUUM removed {found.old_versions}, kept {found.versions}
pylance counts {found.pylance_rows[0]:,} orders, at the tag {found.pylance_rows[1]:,}""")
    return found


def value(frame: DataFrame) -> Any:  # noqa: ANN401
    """Returns the single value of a query."""
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

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Tables in a separate namespace, for Spark SQL and pylance."""

from pathlib import Path

import lance
from pyspark.sql import Row, SparkSession


class Warehouse:
    """A session that works in one namespace of one catalog of folders."""

    def __init__(self, session: SparkSession, root: Path, namespace: str = "shop") -> None:
        self.session = session
        self.folder = root / namespace
        session.conf.set("spark.sql.catalog.work", "io.github.pysparklance.spark.LanceCatalog")
        session.conf.set("spark.sql.catalog.work.root", str(root))
        session.sql(f"CREATE NAMESPACE IF NOT EXISTS work.{namespace}")
        session.sql(f"USE work.{namespace}")

    def sql(self, *statements: str, **arguments: object) -> list[Row]:
        """Runs statements in order. Returns the rows of the last one."""
        rows: list[Row] = []
        for statement in statements:
            rows = self.session.sql(statement, **arguments).collect()
        return rows

    def path(self, table: str) -> Path:
        """The folder of a table."""
        return self.folder / f"{table}.lance"

    def dataset(self, table: str, version: int | str | None = None) -> lance.LanceDataset:
        """Opens the table with pylance."""
        return lance.dataset(self.path(table), version=version)

    def in_both(self, table: str) -> list[dict]:
        """Returns the ordered rows of a table, which must be equal in Spark and pylance."""
        dataset = self.dataset(table)
        dataset.validate()
        theirs = dataset.to_table().to_pylist()
        ours = [row.asDict(recursive=True) for row in self.sql(f"SELECT * FROM {table}")]
        assert ours == theirs
        return sorted(ours, key=lambda row: next(iter(row.values())))

    def fragments(self, table: str) -> list[int]:
        """The fragments of the latest version."""
        return [fragment.fragment_id for fragment in self.dataset(table).get_fragments()]

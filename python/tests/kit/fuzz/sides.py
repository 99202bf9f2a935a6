# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The table of a history in Spark and in pylance."""

import itertools

import lance

import pyspark_lance
from kit.exchange import to_spark

_files = itertools.count()


class SparkTable:
    """A table in a session of Spark.

    Args:
        session: the session; steps change its configuration.
        path: the folder of the table.
        folder: a folder for files that Spark reads.
    """

    def __init__(self, session, path, folder):
        self.session, self.path, self.folder = session, str(path), folder

    def name(self, branch="main"):
        """The table in SQL."""
        name = f"lance.`{self.path}`"
        return name if branch == "main" else f"{name}.branch_{branch}"

    def sql(self, text):
        """Runs a statement; returns its rows."""
        return self.session.sql(text).collect()

    def frame(self, table):
        """The rows of an Arrow table."""
        return to_spark(self.session, table, self.folder / f"rows{next(_files)}")

    def write(self, table, branch, mode, **options):
        """Writes the rows of an Arrow table."""
        if branch != "main":
            options["branch"] = branch
        pyspark_lance.write(self.frame(table), self.path, mode=mode, **options)

    def read(self, branch="main", **options):
        """A frame of a version."""
        if branch != "main":
            options["branch"] = branch
        return self.session.read.format("lance").options(**options).load(self.path)


class PylanceTable:
    """A table in pylance."""

    def __init__(self, path):
        self.path = str(path)

    def open(self, branch="main", version=None):
        """A version of a branch, the latest by default, in a session without cached files."""
        opened = lance.dataset(self.path, session=lance.Session())
        if branch == "main":
            return opened if version is None else opened.checkout_version(version)
        return opened.checkout_version((branch, version))


def rows_of(dataset, **options):
    """The rows of pylance with ids and addresses, by id."""
    return dataset.to_table(with_row_id=True, with_row_address=True, **options).sort_by("id")

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Thousands of versions, with a growing number of fragments, in a driver with little memory."""

import os
import subprocess
import sys

import lance
import pyarrow as pa
import pytest

VERSIONS = 2000

SCRIPT = """
import sys
from pyspark.sql import SparkSession
import pyspark_lance

folder, table = sys.argv[1:]
builder = (
    SparkSession.Builder()
    .config("spark.master", "local[2]")
    .config("spark.driver.memory", "512m")
    .config("spark.driver.host", "localhost")
    .config("spark.log.level", "ERROR")
    .config("spark.ui.enabled", "false")
    .config("spark.local.dir", f"{folder}/local")
    .config("spark.sql.warehouse.dir", f"{folder}/spark-warehouse")
)
spark = pyspark_lance.configure(builder, root=f"{folder}/warehouse").getOrCreate()
name = f"lance.`{table}`"
history = spark.sql(f"DESCRIBE HISTORY {name}").collect()
assert [(h.rows, h.rows_added) for h in history[:2]] == [(2000, 1), (1999, 1)]
versions = spark.sql(f"SELECT version, fragments FROM {name}.versions").collect()
assert [tuple(v) for v in versions] == [(n + 1, n + 1) for n in range(2000)]
spark.sql(f"ALTER TABLE {name} CREATE TAG one AS OF VERSION 1")
try:
    spark.sql(f"VACUUM {name} RETAIN 0 HOURS")
    raise SystemExit("a tagged version was removed")
except Exception as e:
    assert "one (version 1)" in str(e), e
spark.sql(f"ALTER TABLE {name} DROP TAG one")
found = spark.sql(f"VACUUM {name} RETAIN 0 HOURS").head()
assert (found.old_versions, found.data_files_removed) == (1999, 0), found
assert spark.sql(f"SELECT count(*) FROM {name}").head()[0] == 2000
"""


@pytest.mark.long
def test_history_and_vacuum_in_512_megabytes(tmp_path):
    table = tmp_path / "t.lance"
    for i in range(VERSIONS):
        mode = "append" if i else "create"
        lance.write_dataset(pa.table({"id": [i], "s": [f"row {i}"]}), table, mode=mode)
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), str(table)],
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)),
        check=True,
        timeout=300,
    )

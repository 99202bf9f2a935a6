# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""TPC-H tables as Parquet files, and three TPC-H queries."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from pyspark_lance.exceptions import LanceError

TABLES: Final = (
    "region",
    "nation",
    "supplier",
    "customer",
    "part",
    "partsupp",
    "orders",
    "lineitem",
)

QUERIES: Final = {
    "Q1": """
        SELECT l_returnflag, l_linestatus,
               sum(l_quantity) AS sum_qty,
               sum(l_extendedprice) AS sum_base_price,
               sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
               sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
               avg(l_quantity) AS avg_qty,
               avg(l_extendedprice) AS avg_price,
               avg(l_discount) AS avg_disc,
               count(*) AS count_order
        FROM lineitem
        WHERE l_shipdate <= date '1998-12-01' - interval 90 days
        GROUP BY l_returnflag, l_linestatus
        ORDER BY l_returnflag, l_linestatus
    """,
    "Q6": """
        SELECT sum(l_extendedprice * l_discount) AS revenue
        FROM lineitem
        WHERE l_shipdate >= date '1994-01-01' AND l_shipdate < date '1995-01-01'
          AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24
    """,
    "Q3": """
        SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue,
               o_orderdate, o_shippriority
        FROM customer, orders, lineitem
        WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
          AND o_orderdate < date '1995-03-15' AND l_shipdate > date '1995-03-15'
        GROUP BY l_orderkey, o_orderdate, o_shippriority
        ORDER BY revenue DESC, o_orderdate, l_orderkey
        LIMIT 10
    """,
}
"""SQL by name. The tables are views with these names."""


def generate(scale_factor: float, folder: Path) -> Path:
    """Generates the tables as `<folder>/<table>.parquet`, unless they exist.

    Raises:
        LanceError: `tpchgen-cli` is not installed or failed.
    """
    if folder.is_dir():
        return folder
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    command = [_generator(), "parquet", f"--scale-factor={scale_factor:g}"]
    try:
        subprocess.run([*command, f"--output-dir={unfinished}", "--quiet"], check=True)
    except subprocess.CalledProcessError as error:
        raise LanceError(f"tpchgen-cli ended with exit code {error.returncode}") from error
    return unfinished.rename(folder)


def _generator() -> str:
    beside_python = str(Path(sys.executable).parent)
    found = shutil.which("tpchgen-cli", path=beside_python) or shutil.which("tpchgen-cli")
    if found is None:
        raise LanceError('tpchgen-cli is not installed: pip install "pyspark-lance[demo]"')
    return found

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Compares index builds with pylance, and lookups with tables without an index."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks import datasets
from benchmarks.compare import MEMORY, TIMES, Group
from benchmarks.index_tasks import comparisons, index_tasks

_HEAP: Final = "1g"


def _data(folder: Path, scale: float) -> Mapping[str, str]:
    datasets.make(folder, scale, ["lineitem"])
    return {}


GROUP: Final = Group(
    name="index",
    title="Scalar indices: builds beside pylance, and their use, through Spark",
    notes=f"""\
Two sides of each comparison in turn, each in new processes, which warm up first. Medians.
  ratio      our time, that of the other side being 1
  CPU        our processor time, that of the other side being 1
  target     the ratio is at most this
  MB         memory of a build above that at rest; ours with a heap of {_HEAP}
""",
    section="Scalar indices",
    intro="""\
This section compares builds of scalar indices on lineitem with pylance on the same cores, and
queries that use an index with Parquet or the same table without the index. The ratio is the time of
this connector divided by the time of the other side, which the second column names. The two sides
take turns in new processes, which warm up first. Numbers are medians. *MB* is the memory of a build
above the idle process; the connector has a heap of 1 GB. All numbers are in
`benchmarks/results/index-results.txt`. `TASKS=index make bench` measures them.
""",
    columns=(*TIMES, *MEMORY),
    comparisons=comparisons,
    tasks=index_tasks,
    data=_data,
    memory_heap=_HEAP,
)

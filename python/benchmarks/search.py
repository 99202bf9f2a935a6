# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Compares builds of vector and full-text indices, and searches, with pylance."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks import datasets, pylance_search, words
from benchmarks.compare import MEMORY, RECALL, SIZE, TIMES, Group
from benchmarks.search_tasks import comparisons, search_tasks

_HEAP: Final = "2g"


def _data(folder: Path, scale: float) -> Mapping[str, str]:
    datasets.make(folder, scale, ["orders"])
    return {
        "vectors": f"{words.make(folder, scale)}, {words.word_count(scale):,} of "
        f"{words.VECTOR_SIZE} floats"
    }


GROUP: Final = Group(
    name="search",
    title="Search beside pylance",
    notes=f"""\
Two sides of each comparison in turn, each in new processes, which warm up first. Medians. Searches
are for the {words.NEIGHBORS} nearest rows by L2, of words with noise. Both sides search the same
index, which this connector built. Builds are searched by the side that built.
  engine alone  the search without Spark and without other columns, called from Python on both
                sides: the classes of this connector through Py4J (about 0.1 ms for each call)
  searches      nprobes 50, refine_factor 10; if coarse, nprobes 20 without refinement
  batch         {pylance_search.BATCH} queries at a time
  ms            of a build, or of a query
  ratio         our time, that of the other side being 1
  CPU           our processor time, that of the other side being 1
  target        the ratio, or our time, is at most this
  recall        share of the nearest rows by brute force that were found
  MB            memory of a build above that at rest; ours with a heap of {_HEAP}
  index MB      size of the built index
IVF_RQ indexes the first 96 dimensions. Builds with graphs run once. INVERTED indexes o_comment of
TPC-H orders. Its searches are for the {words.NEIGHBORS} best rows for frequent words. Both
sides find the same scores.
""",
    section="Search",
    intro="""\
This section compares vector indices and searches with pylance, on 341,479 word vectors of 100
dimensions and the same cores. Indices have 584 partitions, or 8 with graphs. Searches find the 10
nearest rows by L2, in an index that this connector built. The engine alone returns row addresses
without Spark; `vector_search`, `nearest_join`, and `LanceTable.search` run through Spark, which
takes about 20 ms for any query. The two sides take turns in new processes, which warm up first.
Numbers are medians: of a build, or of a query.

- The ratio is the time of this connector divided by the time of pylance.
- *Single* and *batch* are two ways to search with pylance: one query at a time, or 500 in one call.
- Searches use `nprobes` 50 and `refine_factor` 10. *Coarse* searches use `nprobes` 20 and no
  refinement.
- *Recall* is measured against brute force.
- *MB* is the memory of a build above the idle process; the connector has a heap of 2 GB.

All numbers are in `benchmarks/results/search-results.txt`. `TASKS=search make bench` measures them.

Full-text searches find the 10 best rows for frequent words in `o_comment` of TPC-H orders, 1.5
million rows at scale 1. Each word is searched alone, and with other words.
""",
    columns=(*TIMES, *RECALL, *MEMORY, *SIZE),
    comparisons=comparisons,
    tasks=search_tasks,
    data=_data,
    memory_heap=_HEAP,
)

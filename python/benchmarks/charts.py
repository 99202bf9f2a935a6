# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Charts of the parts of `docs/benchmarks.md` that are measured separately.

A chart shows the ratios of the table in its part, so it can be drawn again without measurements.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.bars import COLORS, Bars, draw
from benchmarks.systems import SYSTEMS

Row = Mapping[str, str]
"""The cells of a row by column. `ratio` columns are named after the column to their left."""


@dataclass(frozen=True)
class Chart:
    """A chart of one part of the page.

    Attributes:
        file: Name of the file.
        title: Title of the chart.
        line: The side with the ratio 1.
        names: Legend by key of `ratios`.
        ratios: Returns the title and the ratios of a row.
    """

    file: str
    title: str
    line: str
    names: Mapping[str, str]
    ratios: Callable[[Row], tuple[str, dict[str, str]]]

    @property
    def link(self) -> str:
        """Returns the Markdown of the picture."""
        text = f"{self.title}: ratio of each task; the table has the numbers"
        return f"![{text}](images/{self.file})"

    def draw(self, part: str) -> str:
        """Returns the picture of the table in a part of the page."""
        rows = []
        for row in table(part):
            title, cells = self.ratios(row)
            ratios = {key: float(cell) for key, cell in cells.items() if cell}
            if ratios:
                rows.append(Bars(title, ratios))
        used = {key for row in rows for key in row.ratios}
        names = {key: name for key, name in self.names.items() if key in used}
        colors = dict(zip(self.names, COLORS.values(), strict=False))
        return draw(self.title, rows, names, colors, line=self.line, heading=SYSTEMS["lance"].title)


def table(part: str) -> Iterator[Row]:
    """Yields the rows of the first table in a part of the page."""
    found = re.search(r"^\|.*?(?=\n\n|\Z)", part, re.DOTALL | re.MULTILINE)
    lines = [] if found is None else found.group().strip().splitlines()
    if not lines:
        return
    titles = _titles(_cells(lines[0]))
    for line in lines[2:]:
        yield dict(zip(titles, _cells(line), strict=True))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _titles(cells: Sequence[str]) -> list[str]:
    """Returns unique titles: a repeated one starts with the title to its left."""
    return [
        cell if cells.count(cell) == 1 else f"{cells[at - 1]} {cell}"
        for at, cell in enumerate(cells)
    ]


def _first(row: Row) -> tuple[str, dict[str, str]]:
    title = f"{row['group']}: {row['task']}"
    return title, {step: row[f"{step} ms ratio"] for step in ("total", "first", "warm")}


def _compared(row: Row) -> tuple[str, dict[str, str]]:
    other, _, how = row["compared with"].partition(", ")
    return row["task"] + (f" ({how})" if how else ""), {other: row["ratio"]}


def _streaming(row: Row) -> tuple[str, dict[str, str]]:
    others = [key for key in ("Parquet", "Delta") if not row["sink"].startswith(key)]
    return row["sink"], {key: row.get(f"ratio to {key}", "") for key in others}


FIRST: Final = Chart(
    "benchmarks-first.svg",
    "First and warm runs",
    "Parquet",
    {"total": "open and first run", "first": "first run", "warm": "warm run"},
    _first,
)
INDEX: Final = Chart(
    "benchmarks-index.svg",
    "Scalar indices",
    "other side",
    {
        "pylance": "relative to pylance",
        "Parquet": "relative to Parquet",
        "without the index": "relative to no index",
    },
    _compared,
)
SEARCH: Final = Chart(
    "benchmarks-search.svg",
    "Search",
    "pylance",
    {"pylance": "relative to pylance"},
    _compared,
)
STREAMING: Final = Chart(
    "benchmarks-streaming.svg",
    "Streaming",
    "other sink",
    {"Parquet": "relative to the Parquet sink", "Delta": "relative to the Delta sink"},
    _streaming,
)
CHARTS: Final[Mapping[str, Chart]] = {
    f"## {chart.title}": chart for chart in (FIRST, INDEX, SEARCH, STREAMING)
}
"""Charts by the heading of their part."""

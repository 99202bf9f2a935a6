# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Results of the streaming benchmark."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

PARQUET: Final = "Parquet sink, append"
DELTA: Final = "Delta sink, append"
_WINDOW: Final = 20
"""Micro-batches of the medians at one place."""
_WARM: Final = 5
"""Micro-batches before the early median."""
_HUNDRED: Final = 100
"""The micro-batch where growth begins."""


@dataclass(frozen=True)
class Reading:
    """Seconds of reads of the table of a sink.

    Attributes:
        batch: A batch scan.
        snapshot: A stream of its rows.
        versions: A stream of all its commits; none if the sink has no versions.
    """

    batch: float
    snapshot: float
    versions: float | None = None


@dataclass(frozen=True)
class Found:
    """Measurements of a sink.

    Attributes:
        millis: `addBatch` of each micro-batch in order.
        rows: Rows of the sink at the end.
        reading: Reads of its table, if they were measured.
    """

    millis: Sequence[int]
    rows: int
    reading: Reading | None = None

    @property
    def early(self) -> float:
        """The median of the first micro-batches after the warm-up."""
        return median(self.millis[_WARM : _WARM + _WINDOW] or self.millis)

    @property
    def late(self) -> float:
        """The median of the last micro-batches."""
        return median(self.millis[-_WINDOW:])

    @property
    def all(self) -> float:
        """The median of all micro-batches after the warm-up."""
        return median(self.millis[_WARM:] or self.millis)

    @property
    def hundredth(self) -> float | None:
        """The median of the micro-batches from 100 on; none if they are part of the last ones."""
        if len(self.millis) < _HUNDRED + 2 * _WINDOW:
            return None
        return median(self.millis[_HUNDRED : _HUNDRED + _WINDOW])

    @property
    def growth(self) -> float | None:
        """The ratio of the last micro-batches to those from 100 on."""
        return self.late / self.hundredth if self.hundredth else None

    def ratio(self, other: "Found | None") -> float | None:
        """Returns the ratio to another sink in as many micro-batches as both have."""
        if other is None:
            return None
        common = min(len(self.millis), len(other.millis))
        its, others = Found(self.millis[:common], 0), Found(other.millis[:common], 0)
        return its.all / others.all if others.all else None


_HEAD: Final = (
    f"{'sink':28}{'early':>7}{'100th':>7}{'late':>7}{'growth':>8}{'all':>7}"
    f"{'/Parquet':>10}{'/Delta':>8}{'batches':>9}{'rows':>10}"
)
_READ_HEAD: Final = (
    f"{'source':28}{'batch s':>9}{'stream s':>10}{'ratio':>7}{'versions s':>12}{'rows':>10}"
)


def render(
    found: Mapping[str, Found],
    facts: Mapping[str, str],
    parquet: str = "",
    delta: str = "",
) -> str:
    """Returns the results as text.

    Args:
        found: Measurements by title.
        facts: Facts for the header.
        parquet: Title of the Parquet sink, to compare with.
        delta: Title of the Delta sink, to compare with.
    """
    parts = [
        "Streaming sinks: addBatch of micro-batches, medians in milliseconds",
        *(f"  {name:12} {value}" for name, value in facts.items()),
        "",
        f"  early     micro-batches {_WARM} to {_WARM + _WINDOW - 1}",
        f"  100th     micro-batches {_HUNDRED} to {_HUNDRED + _WINDOW - 1}",
        f"  late      the last {_WINDOW}",
        "  growth    late / 100th",
        "  /Parquet  all micro-batches that both have, where the Parquet sink is 1",
        "  /Delta    as /Parquet, where the Delta sink is 1",
        "",
        _HEAD,
        "-" * len(_HEAD),
        *(_line(title, its, found.get(parquet), found.get(delta)) for title, its in found.items()),
        *_reads(found),
    ]
    return "\n".join(line.rstrip() for line in parts) + "\n"


INTRO: Final = f"""\
A stream of small JSON files is written to a sink, one file of 1,000 rows in each micro-batch. The
sinks run one after another in one session, each into an empty table. Numbers are medians of the
time to write and commit a micro-batch (`addBatch`):

- *first*: micro-batches {_WARM} to {_WARM + _WINDOW - 1}
- *last*: the last {_WINDOW}
- *all*: all after the first {_WARM}

A ratio divides *all* by that of Spark's Parquet sink, or by that of Delta Lake's sink if it was
measured. Upserts replace rows with the same key, so their table has fewer rows. All numbers are in
`benchmarks/results/streaming-results.txt`. `TASKS=streaming make bench` measures them.
`streaming-5000-results.txt` has 5,000 micro-batches of the first and the last sink, and streams of
their tables.
"""
"""Text on the page."""


def table(found: Mapping[str, Found], parquet: str = PARQUET, delta: str = DELTA) -> Iterator[str]:
    """Yields the lines of the table on the page."""
    has_delta = delta in found
    yield "| sink | first ms | last ms | all ms | ratio to Parquet |" + (
        " ratio to Delta | rows |" if has_delta else " rows |"
    )
    yield "|---|" + "--:|" * (6 if has_delta else 5)
    for title, its in found.items():
        numbers = [f"{its.early:.0f}", f"{its.late:.0f}", f"{its.all:.0f}"]
        numbers.append(_number(its.ratio(found.get(parquet)), 2))
        if has_delta:
            numbers.append(_number(its.ratio(found[delta]), 2))
        yield f"| {title} | {' | '.join(numbers)} | {its.rows} |"


def _line(title: str, its: Found, parquet: Found | None, delta: Found | None) -> str:
    return (
        f"{title:28}{its.early:>7.0f}{_number(its.hundredth, 0):>7}{its.late:>7.0f}"
        f"{_number(its.growth, 2):>8}{its.all:>7.0f}{_number(its.ratio(parquet), 2):>10}"
        f"{_number(its.ratio(delta), 2):>8}{len(its.millis):>9}{its.rows:>10}"
    )


def _reads(found: Mapping[str, Found]) -> Iterator[str]:
    if not any(its.reading for its in found.values()):
        return
    yield from (
        "",
        "The tables of these sinks as sources of a stream with AvailableNow, medians in seconds",
        "",
        "  batch     a batch scan of all columns",
        "  stream    a new query that reads the latest version in one micro-batch",
        "  ratio     stream / batch",
        "  versions  a new query that reads all commits from the first one in one micro-batch",
        "",
        _READ_HEAD,
        "-" * len(_READ_HEAD),
    )
    for title, its in found.items():
        if its.reading:
            yield _read(title, its.reading, its.rows)


def _read(title: str, its: Reading, rows: int) -> str:
    return (
        f"{title:28}{its.batch:>9.2f}{its.snapshot:>10.2f}{its.snapshot / its.batch:>7.2f}"
        f"{_number(its.versions, 2):>12}{rows:>10}"
    )


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"

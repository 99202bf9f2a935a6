# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Time of micro-batches: streams of small files into sinks.

Each micro-batch is one JSON file. The time is `addBatch` of Spark's progress: planning, the tasks,
and the commit, without the checkpoint. The sinks run one after another in one session, after a warm
up of each. Row counts are checked.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import pyspark
from pyspark.sql import DataFrame, SparkSession

import pyspark_lance
from benchmarks import machine
from benchmarks.systems import ROOT

BATCHES: Final = 300
ROWS: Final = 1000
KEYS: Final = 100_000
"""Number of different keys of the upserts."""
COLUMNS: Final = "id BIGINT, key BIGINT, value DOUBLE, text STRING"
_WINDOW: Final = 20
"""Micro-batches of the early and of the late median."""
_WARM: Final = 5
"""Micro-batches before the early median."""


@dataclass(frozen=True)
class Sink:
    """A sink.

    Attributes:
        title: Title in results.
        kind: `lance`, `parquet`, or `foreachBatch`.
        mode: Output mode.
        options: Options of the writer.
    """

    title: str
    kind: str
    mode: str = "append"
    options: tuple[tuple[str, str], ...] = ()


SINKS: Final = (
    Sink("Lance sink, append", "lance"),
    Sink("Lance sink, autoCompact 50", "lance", options=(("autoCompact", "50"),)),
    Sink("Lance sink, upserts by key", "lance", "update", (("upsertKeys", "key"),)),
    Sink("foreachBatch, Lance append", "foreachBatch"),
    Sink("Parquet sink, append", "parquet"),
)


@dataclass(frozen=True)
class Found:
    """Measurements of a sink.

    Attributes:
        millis: `addBatch` of each micro-batch in order.
        rows: Rows of the sink at the end.
    """

    millis: Sequence[int]
    rows: int

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


class Streams:
    """Streams of one session.

    Attributes:
        batches: Number of micro-batches.
        rows: Rows of each.
    """

    def __init__(
        self, spark: SparkSession, work: Path, batches: int = BATCHES, rows: int = ROWS
    ) -> None:
        """Writes source files to the folder if they do not exist."""
        self.batches = batches
        self.rows = rows
        self._spark = spark
        self._work = work
        self._source = work / f"source-{batches}-{rows}"
        self._make_source()

    def measure(self, sink: Sink) -> Found:
        """Runs a stream into an empty sink.

        Raises:
            AssertionError: The sink has other rows than were written.
        """
        out, checkpoint = self._work / "out", self._work / "checkpoint"
        for folder in (out, checkpoint):
            shutil.rmtree(folder, ignore_errors=True)
        self._spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", self.batches + 10)
        query = self._start(sink, out, checkpoint)
        query.awaitTermination()
        progress: list[Any] = [p for p in query.recentProgress if p["numInputRows"] > 0]
        millis = [int(p["durationMs"]["addBatch"]) for p in progress]
        kind = "parquet" if sink.kind == "parquet" else "lance"
        rows = self._spark.read.format(kind).load(str(out)).count()
        expected = self.batches * self.rows
        if sink.mode == "update":
            expected = min(expected, KEYS)
        if (rows, len(millis)) != (expected, self.batches):
            raise AssertionError(f"{sink.title}: {rows} rows in {len(millis)} micro-batches")
        return Found(millis, rows)

    def _start(self, sink: Sink, out: Path, checkpoint: Path) -> Any:  # noqa: ANN401 - a query
        rows = (
            self._spark.readStream.schema(COLUMNS)
            .option("maxFilesPerTrigger", 1)
            .json(str(self._source))
        )
        writer = (
            rows.writeStream.outputMode(sink.mode)
            .option("checkpointLocation", str(checkpoint))
            .options(**dict(sink.options))
            .trigger(availableNow=True)
        )
        if sink.kind != "foreachBatch":
            return writer.format(sink.kind).start(str(out))

        def append(batch: DataFrame, number: int) -> None:
            write = batch.write.format("lance").mode("append")
            write.options(txnAppId="benchmark", txnVersion=number).save(str(out))

        return writer.foreachBatch(append).start()

    def _make_source(self) -> None:
        if self._source.exists():
            return
        unfinished = self._source.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        for batch in range(self.batches):
            lines = (json.dumps(self._row(batch * self.rows + i)) for i in range(self.rows))
            (unfinished / f"{batch:05}.json").write_text("\n".join(lines))
        unfinished.rename(self._source)

    @staticmethod
    def _row(number: int) -> Mapping[str, object]:
        # The multiplier has no common factor with the number of keys, so that keys are in no order
        # and repeat only after all of them.
        key = number * 7919 % KEYS
        return {"id": number, "key": key, "value": number / 3, "text": f"{key:x}-{number}"}


def run(work: Path, out: Path, batches: int = BATCHES) -> None:
    """Runs all sinks. Writes the results after each of them."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "3g")
        .config("spark.driver.host", "localhost")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    work.mkdir(parents=True, exist_ok=True)
    spark = pyspark_lance.configure(builder, root=work / "lance").getOrCreate()
    try:
        warm = Streams(spark, work, min(batches, 10))
        for sink in SINKS:
            warm.measure(sink)
        streams = Streams(spark, work, batches)
        found: dict[str, Found] = {}
        for sink in SINKS:
            found[sink.title] = streams.measure(sink)
            print(f"[streaming] {sink.title}: {found[sink.title].all:.0f} ms", flush=True)
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(render(found, streams))
    finally:
        spark.stop()


_HEAD: Final = f"{'sink':30}{'early ms':>10}{'late ms':>9}{'all ms':>8}{'ratio':>7}{'rows':>10}"


def render(found: Mapping[str, Found], streams: Streams) -> str:
    """Returns the results as text. The ratio compares all micro-batches with the Parquet sink."""
    facts = {
        "commit": machine.commit(ROOT),
        "Spark": pyspark.__version__,
        **machine.facts(),
        "batches": f"{streams.batches} of {streams.rows} rows",
    }
    parts = [
        "Streaming sinks: addBatch of micro-batches, medians",
        *(f"  {name:12} {value}" for name, value in facts.items()),
        "",
        f"  early  micro-batches {_WARM} to {_WARM + _WINDOW - 1}",
        f"  late   the last {_WINDOW}",
        "  ratio  all micro-batches, where the Parquet sink is 1",
        "",
        _HEAD,
        "-" * len(_HEAD),
        *_lines(found),
    ]
    return "\n".join(line.rstrip() for line in parts) + "\n"


def _lines(found: Mapping[str, Found]) -> Iterator[str]:
    parquet = found.get(SINKS[-1].title)
    for title, its in found.items():
        ratio = f"{its.all / parquet.all:.2f}" if parquet else ""
        yield (
            f"{title:30}{its.early:>10.0f}{its.late:>9.0f}{its.all:>8.0f}{ratio:>7}{its.rows:>10}"
        )

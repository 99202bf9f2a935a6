# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Time of micro-batches: streams of small files into sinks, and streams of the written tables.

Each micro-batch is one JSON file. The time is `addBatch` of Spark's progress: planning, the tasks,
and the commit, without the checkpoint. The sinks run one after another in one session, after a warm
up of each. Delta Lake has a session of its own in the same JVM, after the others, because of its
extensions. Row counts are checked.
"""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyspark
from pyspark.sql import DataFrame, SparkSession

import pyspark_lance
from benchmarks import delta, machine, streaming_results
from benchmarks.streaming_results import Found, render
from benchmarks.streaming_sources import Sources
from benchmarks.systems import ROOT

BATCHES: Final = 300
DELTA_BATCHES: Final = 300
ROWS: Final = 1000
KEYS: Final = 100_000
"""Number of different keys of the upserts."""
COLUMNS: Final = "id BIGINT, key BIGINT, value DOUBLE, text STRING"
_WARM_BATCHES: Final = 10
"""Micro-batches of the warm-up."""
_ROUNDS: Final = 3
"""Runs of each read."""


@dataclass(frozen=True)
class Sink:
    """A sink.

    Attributes:
        name: Name in `SINKS`.
        title: Title in results.
        kind: `lance`, `parquet`, `delta`, or `foreachBatch`.
        mode: Output mode.
        options: Options of the writer.
        is_source: Whether streams of its table are measured.
    """

    name: str
    title: str
    kind: str
    mode: str = "append"
    options: tuple[tuple[str, str], ...] = ()
    is_source: bool = False

    @property
    def format(self) -> str:
        """The format of its table."""
        return "lance" if self.kind == "foreachBatch" else self.kind


PARQUET: Final = Sink("parquet", streaming_results.PARQUET, "parquet", is_source=True)
DELTA: Final = Sink("delta", streaming_results.DELTA, "delta", is_source=True)
SINKS: Final = (
    Sink("append", "Lance sink, append", "lance", is_source=True),
    Sink("autoCompact", "Lance sink, autoCompact 50", "lance", options=(("autoCompact", "50"),)),
    Sink("upserts", "Lance sink, upserts by key", "lance", "update", (("upsertKeys", "key"),)),
    Sink("foreachBatch", "foreachBatch, Lance append", "foreachBatch"),
    PARQUET,
    DELTA,
)


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

    def measure(self, sink: Sink, rounds: int = 0) -> Found:
        """Runs a stream into an empty sink.

        Args:
            sink: The sink.
            rounds: Measured reads of its table, if the sink is a source.

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
        rows = self._spark.read.format(sink.format).load(str(out)).count()
        expected = self.batches * self.rows
        if sink.mode == "update":
            expected = min(expected, KEYS)
        if (rows, len(millis)) != (expected, self.batches):
            raise AssertionError(f"{sink.title}: {rows} rows in {len(millis)} micro-batches")
        if not (sink.is_source and rounds):
            return Found(millis, rows)
        return Found(millis, rows, Sources(self._spark, sink.kind, out, rows).measure(rounds))

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


@dataclass(frozen=True)
class Request:
    """A selection of sinks and micro-batches.

    Attributes:
        data: The folder of all data.
        batches: Micro-batches of each sink.
        delta_batches: Micro-batches of the Delta sink, which is slower.
        sinks: Names of sinks; all but `delta` if empty.
    """

    data: Path
    batches: int = BATCHES
    delta_batches: int = DELTA_BATCHES
    sinks: Sequence[str] = ()

    def chosen(self, *, of_delta: bool) -> Sequence[Sink]:
        """Returns the sinks of one of the two sessions.

        Raises:
            ValueError: A name is unknown.
        """
        known = [sink.name for sink in SINKS]
        for name in self.sinks:
            if name not in known:
                raise ValueError(f"no sink {name}: SINKS names {', '.join(known)}")
        names = self.sinks or [name for name in known if name != DELTA.name]
        return [s for s in SINKS if s.name in names and (s is DELTA) == of_delta]


def run(request: Request, out: Path) -> tuple[dict[str, Found], dict[str, str]]:
    """Runs the sinks. Writes the results after each of them.

    Returns:
        The measurements by title, and facts about the machine and the versions.
    """
    found: dict[str, Found] = {}
    facts = {"commit": machine.commit(ROOT), "Spark": pyspark.__version__, **machine.facts()}
    facts["batches"] = f"{request.batches} of {ROWS} rows"
    if request.chosen(of_delta=True):
        tuning = ", ".join(f"{key}={value}" for key, value in delta.TUNING.items())
        facts["Delta"] = f"{delta.VERSION} with {tuning}"
        facts["Delta batches"] = f"{request.delta_batches} of {ROWS} rows"
    out.parent.mkdir(parents=True, exist_ok=True)
    for of_delta in (False, True):
        sinks = request.chosen(of_delta=of_delta)
        if not sinks:
            continue
        batches = request.delta_batches if of_delta else request.batches
        spark = _session(request, of_delta=of_delta)
        try:
            warm = Streams(spark, _work(request), min(batches, _WARM_BATCHES))
            for sink in sinks:
                warm.measure(sink)
            streams = Streams(spark, _work(request), batches)
            for sink in sinks:
                found[sink.title] = its = streams.measure(sink, _ROUNDS)
                print(f"[streaming] {sink.title}: {its.all:.0f} ms", flush=True)
                out.write_text(render(found, facts, PARQUET.title, DELTA.title))
        finally:
            spark.stop()
    return found, facts


def _work(request: Request) -> Path:
    return request.data / "streaming"


def _session(request: Request, *, of_delta: bool) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "3g")
        .config("spark.driver.host", "localhost")
        .config("spark.log.level", "ERROR")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    # Jars are on the class path of the JVM, which starts with the first session.
    if request.chosen(of_delta=True):
        line = ".".join(pyspark.__version__.split(".")[:2])
        builder.config("spark.jars", ",".join(map(str, delta.jars(request.data, line))))
    if of_delta:
        for key, value in delta.CONFIGURATION.items():
            builder.config(key, value)
        return builder.getOrCreate()
    lance = _work(request) / "lance"
    return pyspark_lance.configure(builder, root=lance).getOrCreate()

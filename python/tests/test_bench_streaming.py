# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`benchmarks.streaming` with a few micro-batches of a few rows."""

from pathlib import Path

import pytest

from benchmarks.streaming import DELTA, PARQUET, SINKS, Request, Streams
from benchmarks.streaming_results import Found, Reading, render


def test_every_sink_writes_all_rows(spark, tmp_path):
    streams = Streams(spark, tmp_path, batches=3, rows=4)
    sinks = [sink for sink in SINKS if sink is not DELTA]
    found = {sink.title: streams.measure(sink, rounds=1) for sink in sinks}
    assert all(len(its.millis) == 3 and its.rows == 12 for its in found.values())
    # The tables of two sinks are read as streams. Parquet has no versions.
    reading = {title: its.reading for title, its in found.items() if its.reading}
    assert list(reading) == [sinks[0].title, PARQUET.title]
    assert reading[sinks[0].title].versions > 0
    assert reading[PARQUET.title].versions is None
    lines = render(found, {"Spark": "4.1"}, PARQUET.title, DELTA.title).splitlines()
    of_sinks = [line for line in lines if line.endswith("       3        12")]
    assert [line[:28].strip() for line in of_sinks] == [sink.title for sink in sinks]
    assert of_sinks[-1].split()[-3] == "1.00"


def test_medians_cover_the_first_and_last_micro_batches():
    found = Found([900] * 5 + [10] * 20 + [20] * 100 + [30] * 20, 1)
    assert (found.early, found.late, found.all) == (10, 30, 20)
    assert (found.hundredth, found.growth) == (20, 1.5)


def test_growth_needs_micro_batches_after_the_hundred_and_twentieth():
    found = Found([10] * 139, 1)
    assert (found.hundredth, found.growth) == (None, None)


def test_sinks_are_compared_in_as_many_micro_batches():
    slow, fast = Found([40] * 30, 1), Found([10] * 30 + [80] * 300, 1)
    assert fast.ratio(slow) == 0.25
    assert slow.ratio(fast) == 4
    found = {"Lance": fast, DELTA.title: slow}
    text = render(found, {}, PARQUET.title, DELTA.title)
    (line,) = (line for line in text.splitlines() if line.startswith("Lance"))
    assert line.split()[1:] == ["10", "80", "80", "1.00", "80", "0.25", "330", "1"]


def test_results_have_the_reads_of_sources():
    found = {"Lance": Found([1], 7, Reading(2.0, 2.5, 4.0)), "Parquet": Found([1], 7)}
    lines = render(found, {}).splitlines()
    assert lines[-1].split() == ["Lance", "2.00", "2.50", "1.25", "4.00", "7"]


def test_sinks_are_chosen_by_name():
    names = [sink.name for sink in Request(Path("data")).chosen(of_delta=False)]
    assert names == ["append", "autoCompact", "upserts", "foreachBatch", "parquet"]
    assert Request(Path("data")).chosen(of_delta=True) == []
    some = Request(Path("data"), sinks=["delta", "append"])
    assert [sink.name for sink in some.chosen(of_delta=False)] == ["append"]
    assert some.chosen(of_delta=True) == [DELTA]
    with pytest.raises(ValueError, match="no sink orc: SINKS names append"):
        Request(Path("data"), sinks=["orc"]).chosen(of_delta=False)

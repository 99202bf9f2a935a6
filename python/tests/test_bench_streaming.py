# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`benchmarks.streaming` with a few micro-batches of a few rows."""

from benchmarks.streaming import SINKS, Found, Streams, render


def test_every_sink_writes_all_rows(spark, tmp_path):
    streams = Streams(spark, tmp_path, batches=3, rows=4)
    found = {sink.title: streams.measure(sink) for sink in SINKS}
    assert all(len(its.millis) == 3 and its.rows == 12 for its in found.values())
    lines = render(found, streams).splitlines()
    assert [line[:30].strip() for line in lines[-len(SINKS) :]] == [sink.title for sink in SINKS]
    assert lines[-1].split()[-2] == "1.00"


def test_medians_cover_the_first_and_last_micro_batches():
    found = Found([900] * 5 + [10] * 20 + [20] * 100 + [30] * 20, 1)
    assert (found.early, found.late, found.all) == (10, 30, 20)

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`benchmarks.growth` on tables of a few rows."""

from kit.cases import IS_LONG

from benchmarks.growth import INDEXED, Growth, Line, table
from benchmarks.measure import Sample


def test_every_measurement_has_its_sizes(spark, tmp_path):
    growth = Growth(spark, tmp_path, iterations=1)
    columns = list(INDEXED) if IS_LONG else ["kind"]
    scanned, versions, left = (10, 40), (5, 8), (1, 20, 40)
    if not IS_LONG:
        scanned, versions, left = (40,), (5,), (1, 40)
    measured = [
        list(growth.scans((10, 40), "SELECT sum(value) FROM t")),
        list(growth.scans(scanned, None)),
        list(growth.plans_by_rows((10, 40))),
        list(growth.plans_by_fragments((1, 4))),
        list(growth.lookups_by_fragments((4,))),
        list(growth.changes_by_versions(versions)),
        list(growth.takes((1, 2), 40)),
        *(list(growth.filters(left, 40, column)) for column in columns),
    ]
    assert [[line.size for line in lines] for lines in measured] == [
        [10, 40],
        [*scanned],
        [10, 40],
        [1, 4],
        [4],
        [*versions],
        [1, 2],
        *([*left] for _ in columns),
    ]
    assert all(line.sample.seconds > 0 for lines in measured for line in lines)
    assert all(line.note.endswith(" MB") for line in measured[0])
    assert all(line.note.endswith(" ms of a scan") for line in measured[5])
    assert all(line.note.endswith(" ms without") for line in measured[-1])


def test_tables_show_the_cost_of_one():
    sample = Sample(0.002, 0.004, 3_000_000, 5_000_000, 1.0, 0.0, 0.0)
    assert table("Scan", "rows", [Line(1000, sample, "1.0 MB")]).splitlines() == [
        "Scan",
        "        rows        ms    CPU s     ns each   MB read  peak MB",
        "-" * 62,
        "        1000       2.0     0.00        2000      3.00        5  1.0 MB",
    ]

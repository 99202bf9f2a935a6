# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The demo runs, and reports differences."""

import os
import subprocess
import sys
from decimal import Decimal

import pyarrow as pa
import pytest

from pyspark_lance import LanceError
from pyspark_lance.demo import tpch
from pyspark_lance.demo.checksum import checksum
from pyspark_lance.demo.report import Report, TableLoad


def test_the_demo_succeeds(tmp_path):
    command = [sys.executable, "-m", "pyspark_lance", "demo", "--data", str(tmp_path)]

    done = subprocess.run(
        command, env={**os.environ, "SF": "0.01"}, capture_output=True, text=True, timeout=300
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "[8/8] lineitem     60,175 rows" in done.stdout
    assert "24 checks passed, 0 failed" in done.stdout
    assert "FAIL" not in done.stdout


def test_generated_data_is_kept(tmp_path, monkeypatch):
    folder = tpch.generate(0.001, tmp_path / "parquet")
    assert {f.stem for f in folder.iterdir()} == set(tpch.TABLES)
    monkeypatch.setattr(tpch, "_generator", lambda: pytest.fail("generated again"))
    assert tpch.generate(0.001, folder) == folder


def test_a_failed_generator_leaves_no_data(tmp_path, monkeypatch):
    monkeypatch.setattr(tpch, "_generator", lambda: "false")
    with pytest.raises(LanceError, match="exit code 1"):
        tpch.generate(1, tmp_path / "parquet")
    assert not (tmp_path / "parquet").exists()


def test_a_report_passes_only_if_all_checks_pass():
    report = Report(1)
    assert not report.passed
    report.check("count", 1, 1, "1 row")
    assert report.passed
    report.check("sum", 1, 2)
    assert not report.passed
    report.loads.append(TableLoad("t", 10, 2_000_000, 1_000_000, 0.5))
    text = report.render()
    assert "ok    count: 1 row" in text
    assert "FAIL  sum: expected 1, found 2" in text
    assert "1 checks passed, 1 failed" in text


ROWS = pa.table(
    {
        "i": pa.array([1, 2, None, 4], pa.int32()),
        "d": pa.array([Decimal(1), Decimal(-2), Decimal(3), Decimal(4)], pa.decimal128(15, 2)),
        "day": pa.array([0, 1, 2, 3], pa.int32()).cast(pa.date32()),
        "s": ["", "a", "ab", "ba"],
    }
)


def test_checksum_ignores_order_and_batches():
    shuffled = ROWS.take([2, 0, 3, 1])
    assert checksum(shuffled.to_batches(max_chunksize=3)) == checksum(ROWS.to_batches())
    assert checksum(ROWS.slice(1).to_batches()) == checksum(ROWS.take([1, 2, 3]).to_batches())


@pytest.mark.parametrize(
    "changed",
    [
        ROWS.take([0, 1, 2, 2]),
        ROWS.select(["i", "d", "day"]).append_column("s", [["", "a", "ab", "bb"]]),
        ROWS.select(["i", "d", "day"]).append_column("s", [["a", "", "ab", "ba"]]),
        ROWS.set_column(0, "i", pa.array([1, 2, 0, 4], pa.int32())),
        ROWS.slice(0, 3),
    ],
    ids=["row twice", "letter", "swapped", "null", "row missing"],
)
def test_checksum_notices_a_change(changed):
    assert checksum(changed.to_batches()) != checksum(ROWS.to_batches())

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Datasets that other writers made, each with the rows Spark must return.

Runs where the environment variable `PYSPARK_LANCE_FIXTURES` names their folder. What is not read
yet stands by name in `fixtures-skipped.txt`; a case of that list that passes fails the run, so that
the list only shrinks.
"""

import json
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from kit.exchange import assert_same_rows

import pyspark_lance

FOLDER = Path(os.environ.get("PYSPARK_LANCE_FIXTURES", ""))
COVERED = {(group, v) for group in ("types", "sizes", "shapes", "tables") for v in ("v2.1", "v2.2")}


def cases():
    if not os.environ.get("PYSPARK_LANCE_FIXTURES"):
        return []
    every = json.loads((FOLDER / "cases.json").read_text())
    return [case for case in every if tuple(case["name"].split("/")[:2]) in COVERED]


def skipped():
    lines = (Path(__file__).parent / "fixtures-skipped.txt").read_text().splitlines()
    return {line.split(":")[0] for line in lines if line and not line.startswith("#")}


@pytest.mark.parametrize("case", cases(), ids=lambda c: c["name"])
def test_fixture(spark, case, request):
    group, _, name = case["name"].split("/")
    if f"{group}/{name}" in skipped():
        request.applymarker(pytest.mark.xfail(reason="on the skip list", strict=True))
    assert case["error"] is None
    frame = pyspark_lance.read(spark, FOLDER / case["path"], **case["options"])
    assert_same_rows(pq.read_table(FOLDER / case["expected"]), frame)
    assert frame.count() == case["rows"]

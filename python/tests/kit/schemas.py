# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Random nested schemas."""

import random

import pyarrow as pa

from kit.values import LEAVES


def random_schema(seed, depth=4):
    """A schema of one to six columns, nested up to a depth; the same for the same seed."""
    r = random.Random(f"schema {seed}")
    return pa.schema([(f"c{i}", _kind(r, depth)) for i in range(r.randint(1, 6))])


def _kind(r, depth):
    if depth == 0 or r.random() < 0.4:
        return r.choice(tuple(LEAVES.values()))
    if r.random() < 0.5:
        return pa.list_(_kind(r, depth - 1))
    return pa.struct([(f"f{i}", _kind(r, depth - 1)) for i in range(r.randint(1, 3))])

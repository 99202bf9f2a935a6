# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Vectors in clusters, the kinds of vector indices, and the recall of searches."""

import lance
import numpy as np
import pyarrow as pa

DIMENSION = 32
ROWS = 4000
PARTITIONS = 8
KINDS = {
    "IVF_FLAT": {},
    "IVF_SQ": {},
    "IVF_RQ": {},
    "IVF_PQ": {"num_sub_vectors": 8},
    "IVF_HNSW_FLAT": {"m": 8, "ef_construction": 60},
    "IVF_HNSW_SQ": {"m": 8, "ef_construction": 60},
    "IVF_HNSW_PQ": {"m": 8, "ef_construction": 60, "num_sub_vectors": 8},
}
SLOW = ("IVF_PQ", "IVF_HNSW_PQ")
"""Kinds that train codebooks. Most of their cases run in long tests only."""


def clusters(n, seed=1, kind="float32", dimension=DIMENSION, noise=1):
    """Vectors around 60 centers.

    Args:
        n: The number of vectors.
        seed: Of the random values.
        kind: The type of the elements.
        dimension: The number of elements.
        noise: The distance from the centers. From 2 on, clusters overlap.
    """
    centers = np.random.default_rng(7).normal(size=(60, dimension)) * 2
    random = np.random.default_rng(seed)
    if kind == "uint8":
        bits = np.random.default_rng(7).integers(0, 256, (60, dimension))
        flips = random.integers(0, 256, (n, dimension)) & random.integers(0, 256, (n, dimension))
        return (bits[random.integers(0, 60, n)] ^ (flips & 17)).astype("uint8")
    offsets = random.normal(size=(n, dimension)) * noise
    return (centers[random.integers(0, 60, n)] + offsets).astype(kind)


def rows(first, values, nulls=True):
    n, dimension = values.shape
    ids = np.arange(first, first + n)
    mask = pa.array((ids % 97 == 5) & nulls)
    column = pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), dimension, mask=mask)
    return pa.table({"id": ids, "g": ids % 7, "v": column})


def write(path, values, **options):
    return lance.write_dataset(rows(0, values), str(path), max_rows_per_file=1500, **options)


def neighbors(values, queries, metric, k=10):
    """The ids of the nearest rows to each query by brute force, without the rows that are null."""
    ids = np.array([i for i in range(len(values)) if i % 97 != 5])
    stored, asked = (v.astype("float64") for v in (values[ids], queries))
    if metric == "cosine":
        stored, asked = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (stored, asked))
    distances = -asked @ stored.T
    if metric == "l2":
        distances = 2 * distances + (stored**2).sum(axis=1)
    return [set(ids[row]) for row in np.argpartition(distances, k)[:, :k]]


def mean_recall(rows, wanted):
    """The recall of a batch.

    Args:
        rows: Pairs of the number of a query and an id.
        wanted: The nearest ids of each query.
    """
    found = [set() for _ in wanted]
    for query, number in rows:
        found[query].add(number)
    return sum(len(a & b) for a, b in zip(found, wanted, strict=True)) / sum(map(len, wanted))

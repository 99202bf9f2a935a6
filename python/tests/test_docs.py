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


def test_the_format_map_has_every_encoding():
    proto = (ROOT / "src/main/protobuf/lance/encodings_v2_1.proto").read_text()
    listed = (ROOT / "docs" / "format-map.md").read_text()
    messages = set(re.findall(r"^    ([A-Z]\w+) \w+ = \d+;", proto, re.MULTILINE))
    assert {"MiniBlockLayout", "Rle"} <= messages
    assert not [name for name in messages if f"`{name}`" not in listed]


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

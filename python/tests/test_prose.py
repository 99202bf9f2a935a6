# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`scripts/check-prose` finds banned phrases in prose, and ignores code."""

import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def check(tmp_path, monkeypatch):
    """The phrases that the script finds in a file with some text."""
    loader = importlib.machinery.SourceFileLoader("check_prose", str(ROOT / "scripts/check-prose"))
    spec = importlib.util.spec_from_loader("check_prose", loader)
    assert spec
    script = importlib.util.module_from_spec(spec)
    loader.exec_module(script)
    monkeypatch.setattr(script, "ROOT", tmp_path)

    def found(name, text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        return [(f.line, f.phrase) for f in script.findings(name, set())]

    return found


def test_prose_of_markdown_is_checked_and_code_is_not(check):
    text = "# Title\n\nIt tells the\nnewest version.\n\n```python\ntells = 1\n```\n`tells`\n"
    assert sorted(check("page.md", text)) == [(3, "tells"), (4, "newest")]


def test_long_lines_of_markdown_are_found_except_in_tables_and_code(check):
    long = "word " * 30
    text = f"{long}\n\n| {long} |\n\n```\n{long}\n```\n"
    assert [line for line, _ in check("page.md", text)] == [1]


def test_long_comments_of_scala_are_found_except_in_tables_and_examples(check):
    long = "word " * 21
    example = "{{{\n  *   " + long + "\n  * }}}"
    text = f"/** {long}\n  * {example}\n  * | {long} |\n  */\nval x = 1 // {long}\n"
    assert [line for line, _ in check("Page.scala", text)] == [1]


def test_docstrings_comments_and_messages_of_python_are_checked(check):
    text = (
        '"""Tells all."""\n'
        "# what it does\n"
        'raise ValueError("the table is left as it was")\n'
        'newest = "newest"\n'
    )
    assert sorted(check("module.py", text)) == [
        (1, "Tells"),
        (2, "what it"),
        (3, "is left"),
    ]


def test_comments_and_messages_of_scala_are_checked(check):
    text = (
        "/** Answers with\n  * those of `newest`.\n  */\n"
        'val newest = fail("it refuses to do so") // anew\n'
    )
    assert sorted(check("A.scala", text)) == [
        (1, "Answers"),
        (2, "those of"),
        (4, "anew"),
        (4, "refuses"),
    ]


def test_long_lines_and_comments_of_all_code_are_found(check):
    long, comment = "x" * 121, "# " + "word " * 20
    assert check("module.py", f"{long}\n") == [(1, "121 characters")]
    assert check("script", f"{comment}\n{long} # a\n") == [
        (2, "125 characters"),
        (1, f"{len(comment)} characters"),
    ]


def test_declared_names_of_the_product_are_checked(check):
    folder = "src/main/scala/"
    scala = "object IndexAnswers {\n  def masked = newest\n  val newestVersion = 1\n}\n"
    assert check(f"{folder}A.scala", scala) == [(1, "IndexAnswers"), (3, "newestVersion")]
    python = "class Task:\n    def refused(self): ...\nasked = told\n"
    assert check("python/pyspark_lance/a.py", python) == [(2, "refused"), (3, "asked")]
    assert check("python/tests/a.py", python) == []


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("The reader settings.", "settings"),
        ("Adds notes to a commit.", "notes"),
        ("Lists the visible files.", "visible files"),
        ("Nothing is taken away.", "taken away"),
        ("Reads rows by address.", "rows by address"),
        ("The statement runs again.", "runs again"),
        ("Deletes files of no version.", "files of no version"),
        ("Another writer won.", "won"),
        ("Tests the bounds of its values.", "bounds of its values"),
        ("The reader knows the size.", "knows"),
        ("Storage hears of it.", "hears of"),
        ("The type that Spark has for it.", "has for"),
        ("Takes one request as a rule.", "as a rule"),
        ("Rejects text that is none.", "that is none"),
        ("Writes what is set.", "what is"),
        ("Removes the extremes.", "extremes"),
        ("Files that are far storage.", "far storage"),
        ("Counts rows that are left.", "are left"),
        ("Rows of which nothing remains.", "of which"),
        ("The push-down that a scan takes over.", "takes over"),
        ("Bytes on their way.", "on their way"),
        ("Puts one in the place of another.", "in the place of"),
        ("The newest version.", "newest"),
        ("Because others were faster.", "others were faster"),
        ("Daily upkeep of tables.", "upkeep"),
        ("Removes leftovers.", "leftovers"),
        ("The types of Lance alone.", "types of Lance alone"),
        ("Options taken without effect.", "taken without effect"),
        ("Threads side by side.", "side by side"),
        ("Creates an audit branch.", "audit branch"),
        ("Reads kept statistics.", "kept statistics"),
    ],
)
@pytest.mark.every_case
def test_terms_that_the_glossary_replaces_are_found(check, text, phrase):
    assert (1, phrase) in check("page.md", f"{text}\n")


def test_comments_do_not_begin_with_what(check):
    scala = "/** What has been pushed down. */\nval a = 1\n// Finds out what Spark reads.\n"
    assert check("A.scala", scala) == [(1, "/** What")]
    assert check("a.py", '"""What pylance finds."""\n') == [(1, "What")]
    assert check("page.md", "# Title\n\n## What cannot be read\n") == []
    assert check("B.scala", 'val help = "what to do if the table exists"\n') == []


def test_other_uses_of_similar_words_are_not_found(check):
    text = "See the release notes. Take the row. It has format 2. Users know it. Won't fail.\n"
    assert check("page.md", text) == []

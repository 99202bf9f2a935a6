# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The code of a page as a program."""

import doctest
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

BLOCK = re.compile(r"^(<!-- not run: [^\n]* -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Code blocks with their languages, or `not run` if a comment before the block contains it."""
    found = BLOCK.findall(page.read_text())
    return [("not run" if note else language, code) for note, language, code in found]


def statements(sql: str) -> Iterator[str]:
    """The statements of a block of SQL."""
    return filter(str.strip, sql.split(";"))


def script_of(page: Path, languages: Iterable[str] = ("python", "sql")) -> str:
    """Returns a program with the blocks of a page. SQL runs in the session `spark`."""
    parts = []
    for language, code in blocks(page):
        if language not in languages:
            continue
        if language == "sql":
            code = "".join(f"spark.sql({text!r}).collect()\n" for text in statements(code))
        parts.append(code)
    return "\n".join(parts)


def same(expected: str, found: str) -> bool:
    """Whether a text equals the shown text, except for spaces and `...`."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(expected.strip(), found.strip(), options)

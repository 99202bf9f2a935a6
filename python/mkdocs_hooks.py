# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Hooks of the site of docs/. `mkdocs.yml` names this file."""

import logging
import re
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

LOG = logging.getLogger("mkdocs.plugins.pyspark_lance")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Points links to files outside of docs/ at the repository.

    The pages link to these files by relative paths, so that the links also work in a checkout. A
    missing file is a warning, which `mkdocs build --strict` treats as an error.

    Args:
        markdown: The source of the page.
        page: The page.
        config: The configuration, whose `extra.repository` is the address of the files.
    """
    docs = Path(config.docs_dir).resolve()
    root = docs.parent
    folder = (docs / page.file.src_uri).parent

    def linked(match: re.Match[str]) -> str:
        target = urlsplit(match[1])
        file = (folder / target.path).resolve()
        if target.scheme or not target.path or file.is_relative_to(docs):
            return match[0]
        if not file.is_relative_to(root) or not file.exists():
            LOG.warning("%s links to %s, which does not exist", page.file.src_uri, match[1])
            return match[0]
        anchor = f"#{target.fragment}" if target.fragment else ""
        return f"]({config.extra['repository']}{file.relative_to(root).as_posix()}{anchor})"

    return re.sub(r"\]\(([^)\s]+)\)", linked, markdown)

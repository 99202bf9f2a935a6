# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The version of this package and of its jar."""

from importlib.metadata import version
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).parent
REPOSITORY: Final = PACKAGE.parents[1]
"""Root of the repository if the package runs from its source tree."""


def in_source_tree() -> bool:
    """Returns whether the package was imported from the repository instead of a wheel."""
    return (PACKAGE.parent / "hatch_build.py").is_file() and (REPOSITORY / "version.txt").is_file()


def _read() -> str:
    if in_source_tree():
        return (REPOSITORY / "version.txt").read_text().strip()
    return version("pyspark-lance")


__version__: Final[str] = _read()

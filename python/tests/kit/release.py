# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Loads `scripts/check-release`, which has no suffix, as a module."""

import importlib.machinery
import importlib.util
from functools import cache
from pathlib import Path
from types import ModuleType

SCRIPT = Path(__file__).parents[3] / "scripts" / "check-release"


@cache
def check_release() -> ModuleType:
    """The functions of the script."""
    loader = importlib.machinery.SourceFileLoader("check_release", str(SCRIPT))
    spec = importlib.util.spec_from_loader("check_release", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module

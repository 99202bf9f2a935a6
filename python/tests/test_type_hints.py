# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Type hints agree with each other, as both type checkers see it; `make check` runs the same."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = {
    "mypy": ["mypy"],
    "basedpyright": ["basedpyright", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", CHECKS)
def test_type_hints(checker):
    command = [sys.executable, "-m", *CHECKS[checker]]
    folder = Path(__file__).parents[1]  # with the configuration in pyproject.toml
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr

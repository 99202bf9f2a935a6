# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Other releases of pylance, each in a separate virtual environment."""

import subprocess
import venv
from pathlib import Path

import pyarrow as pa
import pytest

FOLDER = Path(__file__).parents[3] / "target" / "pylance"

READ = """
import sys, lance, pyarrow as pa
for path in sys.argv[1:]:
    rows = lance.dataset(path).to_table()
    with pa.OSFile(path + ".arrow", "wb") as out, pa.ipc.new_file(out, rows.schema) as file:
        file.write_table(rows)
"""


class Release:
    """A release of pylance, which is installed on first use.

    Args:
        version: Such as `0.30.0`.
    """

    def __init__(self, version):
        self.version = version
        self.python = FOLDER / version / "bin" / "python"
        ready = FOLDER / version / "ready"
        if not ready.exists():
            self._install()
            ready.touch()

    def _install(self):
        venv.create(FOLDER / self.version, with_pip=True, clear=True)
        wanted = (f"pylance=={self.version}", f"pyarrow=={pa.__version__}")
        pip = (self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        done = subprocess.run([*pip, *wanted], capture_output=True, text=True)
        if done.returncode != 0:
            reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1]
            pytest.skip(f"pylance {self.version} cannot be installed: {reason}")

    def read(self, *paths):
        """Returns the rows of tables that the release reads."""
        command = [self.python, "-c", READ, *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"pylance {self.version}: {done.stderr}"
        return [pa.ipc.open_file(pa.memory_map(f"{path}.arrow")).read_all() for path in paths]

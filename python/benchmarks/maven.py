# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Jars from Maven repositories."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_POM: Final = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>benchmarks</groupId><artifactId>jars</artifactId><version>0</version>
  <dependencies>
    <dependency>
      <groupId>{0}</groupId>
      <artifactId>{1}</artifactId>
      <version>{2}</version>
    </dependency>
  </dependencies>
</project>
"""


def copy(
    coordinates: str, folder: Path, *, only: Sequence[str] = (), without: Sequence[str] = ()
) -> None:
    """Copies an artifact and its dependencies at run time to `folder / "jars"`.

    Args:
        coordinates: `group:artifact:version`.
        folder: A folder, also for the POM.
        only: Groups of the copied artifacts, all if empty.
        without: Groups of artifacts that are not copied.

    Raises:
        CalledProcessError: Maven failed.
    """
    # Maven resolves relative paths against the folder of the POM.
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pom.xml").write_text(_POM.format(*coordinates.split(":")))
    command = [
        *("mvn", "-q", "-B", "-f", str(folder / "pom.xml"), "dependency:copy-dependencies"),
        *(f"-DoutputDirectory={folder / 'jars'}", "-DincludeScope=runtime"),
        f"-DincludeGroupIds={','.join(only)}",
        f"-DexcludeGroupIds={','.join(without)}",
    ]
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)

# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""What the archives hold besides the Python files: the version, the license and the jars.

In the repository these come from its root (`version.txt`, `LICENSE`, `target/`); an sdist carries
copies of them, so that a wheel built from it is the same wheel.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
JARS = "pyspark_lance/jars"


def project_version() -> str:
    """The version, from the file the Scala build reads as well."""
    return find("version.txt").read_text().strip()


def find(name: str) -> Path:
    """A file of the repository's root, or its copy beside this script in an sdist."""
    copy = HERE / name
    return copy if copy.is_file() else HERE.parent / name


def runtime_jars(version: str) -> list[Path]:
    """The jars of this version: an sdist's own, else what the Scala build left in `target`."""
    name = f"pyspark-lance-[0-9]*_*-{version}.jar"
    jars = sorted((HERE / JARS).glob(name)) or sorted(
        (HERE.parent / "target").glob(f"scala-*/{name}")
    )
    if not jars:
        raise FileNotFoundError(f"no {name} in target/scala-*/: run `make wheel`")
    return jars


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the files from outside this folder to the archive."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling; `version` is the kind of build, `editable` or `standard`."""
        if version == "editable":
            return  # the package then finds the jars in `target` by itself
        files = {str(jar): f"{JARS}/{jar.name}" for jar in runtime_jars(project_version())}
        if self.target_name == "sdist":
            files |= {str(find(name)): name for name in ("version.txt", "LICENSE")}
        else:
            files[str(find("LICENSE"))] = "pyspark_lance/LICENSE"
        build_data["force_include"].update(files)

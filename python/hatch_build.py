# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Adds the version, the license, and the jars to the archives.

In the repository, they come from the root (`version.txt`, `LICENSE`, `NOTICE`, `target/`). An sdist
contains copies, so a wheel built from it is the same wheel.

The jar of a Spark version is complete, as `--packages` requires. Most of it is the format library,
which is the same for all Spark versions with one Scala version. The archives contain it once. Each
jar of a Spark version contains its software bill of materials, which the wheel repeats in its
metadata.
"""

import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

HERE = Path(__file__).parent
JARS = "pyspark_lance/jars"
MANIFEST = "META-INF/MANIFEST.MF"
BOM = "META-INF/sbom/pyspark-lance.cdx.json"
SPARK_ENTRIES = ("io/github/pysparklance/spark/", "META-INF/services/", BOM, MANIFEST)
LEGAL = ("LICENSE", "NOTICE")


def project_version() -> str:
    """Returns the version, from the file that the Scala build reads, too."""
    return find("version.txt").read_text().strip()


def find(name: str) -> Path:
    """Returns a file of the repository root, or its copy in an sdist."""
    copy = HERE / name
    return copy if copy.is_file() else HERE.parent / name


def runtime_jars(version: str) -> list[Path]:
    """Returns the jars of this version: from the sdist, or from the jars in `target`."""
    carried = sorted((HERE / JARS).glob(f"pyspark-lance-*-{version}.jar"))
    if carried:
        return carried
    name = f"pyspark-lance-[0-9]*_*-{version}.jar"
    jars = sorted((HERE.parent / "target").glob(f"scala-*/{name}"))
    if not jars:
        raise FileNotFoundError(f"no {name} in target/scala-*/: run `make wheel`")
    parts = HERE / "build" / "jars"
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    return sorted({part for jar in jars for part in split(jar, parts)})


def split(jar: Path, folder: Path) -> list[Path]:
    """Splits a jar into the part that depends on Spark, and the format library.

    Raises:
        ValueError: The format library differs from an earlier jar: the jars are of two builds.
    """
    of_spark = folder / jar.name
    of_format = folder / re.sub(r"-[\d.]+_", "-format_", jar.name, count=1)
    with zipfile.ZipFile(jar) as whole:
        files = [entry for entry in whole.infolist() if not entry.is_dir()]
        ours = [entry for entry in files if entry.filename.startswith(SPARK_ENTRIES)]
        shared = [entry for entry in files if entry not in ours]
        legal = [whole.getinfo(f"META-INF/{name}") for name in LEGAL]
        copy(whole, [*ours, *legal], of_spark)
        if not of_format.exists():
            copy(whole, shared, of_format)
    with zipfile.ZipFile(of_format) as archive:
        if checksums(archive.infolist()) != checksums(shared):
            raise ValueError(f"{jar} is of another build than the jars beside it: run `make wheel`")
    return [of_spark, of_format]


def checksums(entries: list[zipfile.ZipInfo]) -> dict[str, int]:
    """Returns the checksums of entries by name."""
    return {entry.filename: entry.CRC for entry in entries}


def copy(source: zipfile.ZipFile, entries: list[zipfile.ZipInfo], target: Path) -> None:
    """Copies entries of a jar to another jar. The same entries give the same file.

    Entries are not compressed: the archive compresses the jar in one piece, which saves a quarter.
    """
    with zipfile.ZipFile(target, "w") as archive:
        for entry in sorted(entries, key=lambda e: (e.filename != MANIFEST, e.filename)):
            info = zipfile.ZipInfo(entry.filename)
            archive.writestr(info, source.read(entry))


def boms(jars: list[Path]) -> list[str]:
    """Extracts the bills of materials of the jars. Returns the files."""
    folder = HERE / "build" / "sboms"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files: list[str] = []
    for jar in jars:
        with zipfile.ZipFile(jar) as archive:
            if BOM in archive.namelist():
                file = folder / f"{jar.stem}.cdx.json"
                file.write_bytes(archive.read(BOM))
                files.append(str(file))
    return files


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds the files from outside this folder to the archive."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling. `version` is the kind of build, `editable` or `standard`."""
        if version == "editable":
            return  # the package then uses the jars in `target`
        jars = runtime_jars(project_version())
        files = {str(jar): f"{JARS}/{jar.name}" for jar in jars}
        if self.target_name == "sdist":
            files |= {str(find(name)): name for name in ("version.txt", *LEGAL)}
        else:
            files |= {str(find(name)): f"pyspark_lance/{name}" for name in LEGAL}
            build_data["sbom_files"].extend(boms(jars))
        build_data["force_include"].update(files)

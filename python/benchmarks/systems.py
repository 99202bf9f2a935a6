# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The compared systems, and how they are started."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Final

from benchmarks import lance_spark
from benchmarks.actions import Write
from benchmarks.configuration import Configuration
from benchmarks.processes import Worker
from benchmarks.tasks import Task

_START_HEAP: Final = "3g"
"""Heap of all timed JVMs. Otherwise, a JVM with less live data would have a smaller heap, and
collect more often."""
ROOT: Final = Path(__file__).resolve().parents[2]
SPARK: Final = version("pyspark")
"""The Spark version of all systems except lance-spark."""
SPARK_VERSIONS: Final = f"""\
lance-spark {lance_spark.VERSION} runs on Spark {lance_spark.PYSPARK}, the others on Spark {SPARK}.
Its times include the difference between the two Spark versions."""
"""Note for every comparison with lance-spark."""


@dataclass(frozen=True)
class System:
    """A system that runs tasks.

    Attributes:
        name: Name in `SYSTEMS`.
        title: Title in results.
        family: Engine of the system, see `Configuration`.
        heap: Maximum heap of its JVM.
        write_options: Write options of its copies.
        may_fail: Whether a failure is a valid result.
        apart: Whether it is measured after the processes of the others have ended, because memory
            cannot hold all systems and the tables.
    """

    name: str
    title: str
    family: str
    heap: str = _START_HEAP
    write_options: Mapping[str, str] = field(default_factory=dict)
    may_fail: bool = False
    apart: bool = False

    @property
    def has_copies(self) -> bool:
        """Whether it writes its own tables."""
        return self.family not in ("floor", "pylance")

    def takes(self, task: Task) -> bool:
        """Returns whether it can run a task."""
        if self.family == "floor":
            return task.has_floor
        if self.family == "pylance":
            return task.native is not None
        return True

    def needs(self, task: Task) -> tuple[str, ...]:
        """Returns the required copies, as names of systems."""
        if isinstance(task.action, Write):
            return ()
        return {"floor": ("parquet",), "pylance": ("lance",)}.get(self.family, (self.name,))

    def start(self, data: Path, scale: float, cores: int, *, for_memory: bool = False) -> Worker:
        """Starts a worker.

        Args:
            data: The folder of all data.
            scale: Scale factor of the data.
            cores: Cores of its session.
            for_memory: Whether its heap grows on demand, so that memory can be measured.

        Raises:
            WorkerError: The worker did not start.
            CalledProcessError: A dependency could not be built.
        """
        python, spark = sys.executable, dict[str, str]()
        if self.family == "floor":
            spark["spark.jars"] = str(_floor_jar())
        if self.family == "lance-spark":
            home = lance_spark.install(data)
            python = str(home.python)
            spark["spark.driver.extraClassPath"] = str(home.jars)
        configuration = Configuration(
            self.name,
            self.family,
            cores,
            str(data),
            scale,
            self.heap,
            "" if for_memory else _START_HEAP,
            dict(self.write_options),
            spark,
        )
        log = data / "logs" / f"{self.name}-{cores}.log"
        return Worker(configuration, python, log)


def _line(spark: str) -> str:
    """Returns the minor version of a Spark version: 4.1 for 4.1.3."""
    return ".".join(spark.split(".")[:2])


SYSTEMS: Final[Mapping[str, System]] = {
    system.name: system
    for system in (
        System("lance", f"this connector, Spark {_line(SPARK)}", "lance"),
        System("parquet", "Parquet", "parquet"),
        System(
            "parquet-zstd",
            "Parquet, zstd",
            "parquet",
            write_options={"compression": "zstd"},
            apart=True,
        ),
        System("floor", "Spark alone", "floor", heap="10g"),  # holds all rows of a table
        System("pylance", "pylance", "pylance"),
        System(
            "lance-spark",
            f"lance-spark, Spark {_line(lance_spark.PYSPARK)}",
            "lance-spark",
            may_fail=True,
            apart=True,
        ),
    )
}
"""All systems, in the order of their turns."""


def chosen(names: list[str]) -> list[System]:
    """Returns the named systems in the order of their turns; all systems without names.

    Raises:
        ValueError: A name is unknown.
    """
    for name in names:
        if name not in SYSTEMS:
            raise ValueError(f"no system {name}: SYSTEMS names {', '.join(SYSTEMS)}")
    return [system for name, system in SYSTEMS.items() if not names or name in names]


def _floor_jar() -> Path:
    """Returns the jar of the benchmarks. sbt builds it if it is older than its sources.

    The variable `PYSPARK_LANCE_BENCHMARKS_JAR` overrides it.
    """
    if named := os.environ.get("PYSPARK_LANCE_BENCHMARKS_JAR"):
        return Path(named).resolve()
    sources = (ROOT / "benchmarks" / "src" / "main").rglob("*.*")
    newest = max(source.stat().st_mtime for source in sources)
    jar = _newest_jar()
    if jar is None or jar.stat().st_mtime < newest:
        command = [str(ROOT / "sbt"), "benchmarks/package"]
        subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=True)
        jar = _newest_jar()
    if jar is None:
        raise FileNotFoundError(f"no jar of the benchmarks below {ROOT / 'benchmarks' / 'target'}")
    jar.touch()  # sbt does not touch a jar whose contents would not change
    return jar


def _newest_jar() -> Path | None:
    jars = (ROOT / "benchmarks").glob("target/scala-*/*benchmarks*.jar")
    return max(jars, key=lambda jar: jar.stat().st_mtime, default=None)

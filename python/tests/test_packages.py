# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Spark resolves the Maven coordinates in the local repository, offline."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit.cases import IS_LONG
from kit.release import check_release
from kit.tour import script_of

REPOSITORY = Path(__file__).parents[2]
VERSION = (REPOSITORY / "version.txt").read_text().strip()
COORDINATES = f"io.github.pysparklance:pyspark-lance-4.1_2.13:{VERSION}"

SCRIPT = """
import sys
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
for configuration in sys.argv[2:]:
    builder = builder.config(*configuration.split("=", 1))
spark = builder.getOrCreate()
spark.range(7).write.format("lance").save(sys.argv[1])
rows = spark.read.format("lance").load(sys.argv[1]).selectExpr("sum(id)").first()[0]
print("sum of ids:", rows)
print("jars:", *spark.sparkContext._jsc.sc().listJars().mkString(" ").split(" "))
"""
# The configuration that `configure` sets in addition to the jar.
CONFIGURATION = {
    "spark.sql.extensions": "io.github.pysparklance.spark.LanceSparkSessionExtensions",
    "spark.sql.catalog.lance": "io.github.pysparklance.spark.LanceCatalog",
    "spark.sql.catalog.lance.root": "lance-warehouse",
    "spark.sql.shuffle.partitions": "2",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with the connector in its Maven repository, as `make publish-local` puts it."""
    home = tmp_path_factory.mktemp("home")
    maven = home / ".m2" / "repository"
    options = f"{os.environ.get('SBT_OPTS', '')} -Dmaven.repo.local={maven}"
    subprocess.run(
        ["make", "publish-local", *([] if IS_LONG else ["LINE=4.1"])],
        cwd=REPOSITORY,
        env={**os.environ, "SBT_OPTS": options},
        stdin=subprocess.DEVNULL,
        check=True,
    )
    return home


@pytest.fixture
def offline(home: Path, tmp_path: Path) -> dict[str, str]:
    """An environment with this home folder, whose JVMs have no network access."""
    closed = " ".join(f"-D{p}.proxyHost=127.0.0.1 -D{p}.proxyPort=1" for p in ("http", "https"))
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONPATH", "PYSPARK_SUBMIT_ARGS", "SPARK_HOME", "PYSPARK_LANCE_JAR")
    }
    return environment | {
        "SPARK_SUBMIT_OPTS": f"-Duser.home={home} {closed} -Xmx1g",
        "PYSPARK_PYTHON": sys.executable,
    }


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def run(command: list[str | Path], environment: dict[str, str], folder: Path) -> str:
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def check(out: str) -> None:
    assert "sum of ids: 21" in out
    jars = next(line for line in out.splitlines() if line.startswith("jars:")).split()[1:]
    assert len(jars) == 1, "the connector brings no other jar"
    assert jars[0].endswith(f"io.github.pysparklance_pyspark-lance-4.1_2.13-{VERSION}.jar")


def test_the_published_pom_has_no_dependencies_to_download(home: Path) -> None:
    folder = home / ".m2/repository/io/github/pysparklance/pyspark-lance-4.1_2.13" / VERSION
    pom = (folder / f"pyspark-lance-4.1_2.13-{VERSION}.pom").read_text()
    assert "protobuf" not in pom
    assert pom.count("<scope>provided</scope>") == pom.count("<dependency>") > 0


def test_published_versions_have_what_a_release_requires(home: Path) -> None:
    """All but the Scaladoc, the checksums, and the signatures, which `make stage` adds.

    Short runs publish the version for Spark 4.1 alone.
    """
    repository = home / ".m2/repository"
    published = {path.name for path in (repository / "io/github/pysparklance").iterdir()}
    lines = [line for line in check_release().artifacts() if f"pyspark-lance-{line}" in published]
    assert "4.1_2.13" in lines
    assert list(check_release().staged_problems(repository, lines, is_complete=False)) == []


def test_spark_submit_resolves_the_package(
    offline: dict[str, str], script: Path, tmp_path: Path
) -> None:
    submit = Path(sys.executable).with_name("spark-submit")
    ivy = f"spark.jars.ivy={tmp_path / 'ivy'}"
    check(
        run(
            [submit, "--packages", COORDINATES, "--conf", ivy, script, tmp_path / "t.lance"],
            offline,
            tmp_path,
        )
    )


def test_a_session_resolves_the_package(
    offline: dict[str, str], script: Path, tmp_path: Path
) -> None:
    """Runs the SQL of the README's tour in a PySpark without this package."""
    configuration = {
        "spark.jars.packages": COORDINATES,
        "spark.jars.ivy": tmp_path / "ivy",
        **CONFIGURATION,
    }
    script.write_text(SCRIPT + script_of(REPOSITORY / "README.md", ["sql"]))
    pairs = [f"{key}={value}" for key, value in configuration.items()]
    check(run([sys.executable, script, tmp_path / "t.lance", *pairs], offline, tmp_path))
    assert (tmp_path / "lance-warehouse" / "shop").is_dir()

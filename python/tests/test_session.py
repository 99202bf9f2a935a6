# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Configuration that `configure` and `jar_paths` change or keep, without a Spark session."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import pyspark_lance
from pyspark_lance import ConnectorNotLoadedError, JarNotFoundError
from pyspark_lance.exceptions import errors_translated
from pyspark_lance.session import CATALOG_CLASS, EXTENSIONS_CLASS


@pytest.fixture
def jar(tmp_path, monkeypatch):
    """A file instead of the jar, so that these tests need no build."""
    file = tmp_path / "lance.jar"
    file.touch()
    monkeypatch.setenv("PYSPARK_LANCE_JAR", str(file))
    return file


def configuration(builder):
    return dict(builder._options)


def test_configure_sets_jar_extensions_and_catalog(jar, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    found = configuration(pyspark_lance.configure(SparkSession.builder))

    assert found == {
        "spark.jars": str(jar),
        "spark.sql.extensions": EXTENSIONS_CLASS,
        "spark.sql.catalog.lance": CATALOG_CLASS,
        "spark.sql.catalog.lance.root": str(tmp_path / "lance-warehouse"),
    }


def test_configure_returns_the_same_builder(jar):
    builder = SparkSession.builder
    assert pyspark_lance.configure(builder) is builder


def test_configure_keeps_configuration_of_the_user(jar):
    builder = (
        SparkSession.builder.config("spark.jars", "/a.jar,/b.jar")
        .config("spark.jars.packages", "org.example:thing:1.0")
        .config("spark.sql.extensions", "org.example.Extensions")
        .config("spark.sql.catalog.other", "org.example.Catalog")
        .config("spark.sql.catalog.lance.root", "s3a://bucket/tables")
    )

    found = configuration(pyspark_lance.configure(builder))

    assert found["spark.jars"] == f"/a.jar,/b.jar,{jar}"
    assert found["spark.jars.packages"] == "org.example:thing:1.0"
    assert found["spark.sql.extensions"] == f"org.example.Extensions,{EXTENSIONS_CLASS}"
    assert found["spark.sql.catalog.other"] == "org.example.Catalog"
    assert found["spark.sql.catalog.lance.root"] == "s3a://bucket/tables"


def test_configure_keeps_configuration_of_the_defaults_file(jar, tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    (tmp_path / "spark-defaults.conf").write_text(
        "# defaults\nspark.jars   /site.jar\nspark.sql.extensions=org.example.Extensions\n"
        "spark.driver.memory 1g\n"
    )

    found = configuration(pyspark_lance.configure(SparkSession.builder))

    assert found["spark.jars"] == f"/site.jar,{jar}"
    assert found["spark.sql.extensions"] == f"org.example.Extensions,{EXTENSIONS_CLASS}"
    assert "spark.driver.memory" not in found


def test_configure_is_idempotent(jar):
    once = configuration(pyspark_lance.configure(SparkSession.builder))
    twice = configuration(pyspark_lance.configure(pyspark_lance.configure(SparkSession.builder)))
    assert twice == once


def test_configure_adds_no_jar_if_a_package_contains_it(jar):
    package = "io.github.pysparklance:pyspark-lance-4.1_2.13:0.1.0"
    builder = SparkSession.builder.config("spark.jars.packages", package)
    assert "spark.jars" not in configuration(pyspark_lance.configure(builder))


def test_configure_does_not_change_a_spark_connect_server(jar, monkeypatch):
    url = "sc://localhost:15002"

    bare = configuration(pyspark_lance.configure(SparkSession.builder.remote(url), ["a:b:1"]))
    rooted = configuration(pyspark_lance.configure(SparkSession.builder.remote(url), root="/data"))
    begun = configuration(pyspark_lance.configure(SparkSession.builder.remote("local[2]")))

    assert bare == {"spark.remote": url}
    assert rooted == bare | {
        "spark.sql.catalog.lance": CATALOG_CLASS,
        "spark.sql.catalog.lance.root": "/data",
    }
    assert begun["spark.jars"] == str(jar)
    monkeypatch.setenv("SPARK_REMOTE", url)
    assert configuration(pyspark_lance.configure(SparkSession.builder)) == {}


def test_configure_adds_packages_to_existing_ones(jar):
    builder = SparkSession.builder.config("spark.jars.packages", "org.example:thing:1.0")
    extra = ["org.example:thing:1.0", "org.example:other:2.0"]

    found = configuration(pyspark_lance.configure(builder, extra_packages=extra))

    assert found["spark.jars.packages"] == "org.example:thing:1.0,org.example:other:2.0"
    assert found["spark.jars"] == str(jar)
    with pytest.raises(TypeError, match=r"extra_packages=\['org\.example:thing:1\.0'\]"):
        pyspark_lance.configure(SparkSession.builder, "org.example:thing:1.0")


def test_configure_keeps_another_catalog_with_the_name(jar):
    builder = SparkSession.builder.config("spark.sql.catalog.lance", "org.example.Catalog")

    found = configuration(pyspark_lance.configure(builder))

    assert found["spark.sql.catalog.lance"] == "org.example.Catalog"
    assert "spark.sql.catalog.lance.root" not in found


def test_configure_sets_root_and_name_of_the_catalog(jar):
    found = configuration(
        pyspark_lance.configure(SparkSession.builder, root="/data", catalog="lake")
    )
    assert found["spark.sql.catalog.lake"] == CATALOG_CLASS
    assert found["spark.sql.catalog.lake.root"] == "/data"
    assert "spark.sql.catalog.lance" not in found


def test_configure_rejects_other_objects_than_builders(jar):
    with pytest.raises(TypeError, match=r"configure\(SparkSession\.builder\)\.getOrCreate"):
        pyspark_lance.configure(SparkSession)


def test_a_configured_jar_must_exist(monkeypatch):
    monkeypatch.setenv("PYSPARK_LANCE_JAR", "/no/such.jar")
    with pytest.raises(JarNotFoundError, match=r"PYSPARK_LANCE_JAR=/no/such\.jar"):
        pyspark_lance.jar_paths()


def test_a_configured_jar_must_match_the_installed_spark(tmp_path, monkeypatch):
    jar = tmp_path / "pyspark-lance-3.5_2.12-0.1.0.jar"
    jar.touch()
    monkeypatch.setenv("PYSPARK_LANCE_JAR", str(jar))
    with pytest.raises(JarNotFoundError, match=r'for Spark 3\.5.*pip install "pyspark==3\.5\.\*"'):
        pyspark_lance.jar_paths("4.1.3")


def test_a_spark_version_without_a_jar_is_named(monkeypatch):
    monkeypatch.delenv("PYSPARK_LANCE_JAR", raising=False)
    with pytest.raises(JarNotFoundError, match=r"Spark 2\.4"):
        pyspark_lance.jar_paths("2.4.8")


def installed(folder, spark, scala):
    """Creates a Spark of two versions in a folder."""
    jar = folder / "jars" / f"spark-core_{scala}-{spark}.jar"
    jar.parent.mkdir(parents=True)
    jar.touch()
    return folder


@pytest.fixture
def package_jars(tmp_path, monkeypatch):
    """Jars in a package folder, like in the wheel, of two Scala versions for Spark 3.5."""
    folder = tmp_path / "package"
    (folder / "jars").mkdir(parents=True)
    for name in ("3.5_2.12", "3.5_2.13", "4.1_2.13", "4.2_2.13"):
        (folder / "jars" / f"pyspark-lance-{name}-{pyspark_lance.__version__}.jar").touch()
    monkeypatch.delenv("PYSPARK_LANCE_JAR", raising=False)
    monkeypatch.setattr("pyspark_lance.jar.PACKAGE", folder)
    monkeypatch.setattr("pyspark_lance.jar.in_source_tree", lambda: False)
    return folder / "jars"


@pytest.mark.parametrize(
    ("installed_spark", "installed_scala", "asked", "line_and_scala"),
    [
        ("4.1.3", "2.13", "3.5.9", "3.5_2.12"),  # PySpark 3.5 on PyPI has Scala 2.12
        ("3.5.9", "2.12", "4.2.1", "4.2_2.13"),
        ("3.5.9", "2.13", "3.5.1", "3.5_2.13"),  # a Spark distribution with Scala 2.13
        ("3.5.9", "2.12", "3.5.9", "3.5_2.12"),
    ],
)
def test_the_jar_has_the_scala_version_of_the_requested_spark(
    package_jars, tmp_path, monkeypatch, installed_spark, installed_scala, asked, line_and_scala
):
    home = installed(tmp_path / "spark", installed_spark, installed_scala)
    monkeypatch.setenv("SPARK_HOME", str(home))
    name = f"pyspark-lance-{line_and_scala}-{pyspark_lance.__version__}.jar"
    assert pyspark_lance.jar_paths(asked) == [package_jars / name]


def test_every_pyspark_of_pypi_gets_the_jar_of_its_scala_version(tmp_path, monkeypatch):
    rows = (Path(__file__).parents[2] / "project" / "spark-lines.txt").read_text().splitlines()
    lines = [row.split() for row in rows if row and not row.startswith("#")]
    package = tmp_path / "jars"
    package.mkdir()
    for artifact, *_ in lines:
        (package / f"pyspark-lance-{artifact}-{pyspark_lance.__version__}.jar").touch()
    monkeypatch.delenv("PYSPARK_LANCE_JAR", raising=False)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setattr("pyspark_lance.jar.PACKAGE", tmp_path)
    monkeypatch.setattr("pyspark_lance.jar.in_source_tree", lambda: False)
    of_pypi = [(artifact, pyspark) for artifact, *_, pyspark in lines if pyspark != "-"]
    assert len(of_pypi) > 3
    for artifact, pyspark in of_pypi:
        assert f"-{artifact}-" in pyspark_lance.jar_paths(pyspark)[0].name


LINE = "spark = pyspark_lance.configure(SparkSession.builder).getOrCreate()"


def test_a_session_without_the_jar_suggests_a_change(tmp_path):
    script = """
import sys, pyspark_lance
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
for call in (pyspark_lance.read, pyspark_lance.lance_table):
    try:
        call(spark, sys.argv[1])
    except pyspark_lance.ConnectorNotLoadedError as error:
        print(error)
"""
    command = [sys.executable, "-c", script, str(tmp_path / "table.lance")]
    out = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout
    assert out.count(LINE) == 2


def test_only_an_unknown_data_source_is_explained():
    unknown = PySparkException("[DATA_SOURCE_NOT_FOUND] Failed to find the data source: lance.")
    other = PySparkException("[PATH_NOT_FOUND] Path does not exist")

    with pytest.raises(ConnectorNotLoadedError, match=re.escape(LINE)), errors_translated():
        raise unknown
    with pytest.raises(PySparkException, match="PATH_NOT_FOUND"), errors_translated():
        raise other

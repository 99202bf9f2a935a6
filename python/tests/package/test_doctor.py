# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The doctor: its results, and their remedies."""

import json
import os
import shutil
import subprocess
import sys
import zipfile

import pyspark
import pytest
from kit.installed import PYTHON_PATH

import pyspark_lance
from pyspark_lance.cli import checks, checks_in_spark, main


def _java(folder, said, code=0):
    """A folder with a Java that says this."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit {code}\n")
    program.chmod(0o755)
    return folder


def test_java(tmp_path, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(_java(tmp_path / "a", 'openjdk version "21.0.4"')))
    assert checks.java().status == "ok"
    assert "Java 21" in checks.java().found
    monkeypatch.setenv("JAVA_HOME", str(_java(tmp_path / "b", 'java version "1.8.0_392"')))
    for spark, needs in {"4.1.3": 17, "3.5.9": 11}.items():
        monkeypatch.setattr(pyspark, "__version__", spark)
        assert f"Java 8 ({tmp_path}/b/bin/java), pyspark-lance for Spark" in checks.java().found
        assert checks.java().found.endswith(f"needs {needs} or later")
    assert "export JAVA_HOME=" in checks.java().way_out
    monkeypatch.setenv("JAVA_HOME", str(_java(tmp_path / "c", "broken", code=1)))
    assert checks.java().found.endswith("prints no version: broken")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nothing"))
    assert checks.java().found == f"none at JAVA_HOME={tmp_path / 'nothing'}"
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert checks.java().found == "none on the PATH, and no JAVA_HOME"
    assert checks.java().is_failure


def test_spark_home(tmp_path, monkeypatch):
    monkeypatch.delenv("SPARK_HOME", raising=False)
    assert checks.spark().status == "ok"
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    assert checks.spark().way_out == "remove it: unset SPARK_HOME"
    jars = tmp_path / "jars"
    jars.mkdir()
    (jars / "spark-core_2.12-3.4.3.jar").touch()
    assert f"SPARK_HOME={tmp_path} is Spark 3.4.3" in checks.spark().found
    assert 'pip install "pyspark==3.4.3"' in checks.spark().way_out
    (jars / "spark-core_2.12-3.4.3.jar").unlink()
    (jars / f"spark-core_2.13-{pyspark.__version__}.jar").touch()
    assert checks.spark().status == "ok"


def test_jar(tmp_path, monkeypatch):
    good = pyspark_lance.jar_paths()[0]
    assert checks.jar().status == "ok"
    version = pyspark_lance.__version__

    def given(name):
        """Our jar under another name."""
        link = tmp_path / name
        link.symlink_to(good)
        monkeypatch.setattr(checks, "jar_paths", lambda: [link])
        return checks.jar()

    monkeypatch.setenv("PYSPARK_LANCE_JAR", "set")
    of_other_spark = given(f"pyspark-lance-3.4_2.12-{version}.jar")
    assert of_other_spark.is_failure and "is for Spark 3.4" in of_other_spark.found
    assert "unset PYSPARK_LANCE_JAR" in of_other_spark.way_out
    line = ".".join(pyspark.__version__.split(".")[:2])
    other, ours = ("2.13", "2.12") if line == "3.5" else ("2.12", "2.13")
    of_other_scala = given(f"pyspark-lance-{line}_{other}-{version}.jar")
    assert of_other_scala.is_failure
    assert f"Scala {other}, Spark's is {ours}" in of_other_scala.found
    assert given(f"pyspark-lance-{line}_{ours}-0.0.1.jar").status == "warning"
    assert given("renamed.jar").status == "warning"
    with zipfile.ZipFile(tmp_path / "other.jar", "w") as other:
        other.writestr("Main.class", b"")
    monkeypatch.setattr(checks, "jar_paths", lambda: [tmp_path / "other.jar"])
    assert "is not a jar of pyspark-lance" in checks.jar().found
    monkeypatch.undo()
    monkeypatch.setenv("PYSPARK_LANCE_JAR", str(tmp_path / "none.jar"))
    assert checks.jar().is_failure and "none.jar" in checks.jar().way_out


def test_the_doctor_in_a_session(any_spark, tmp_path, capsys):
    path = str(tmp_path / "table.lance")
    pyspark_lance.write(any_spark.range(3), path)

    assert main(["doctor", path]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines] == [
        f"ok    {name}"
        for name in ("package", "java", "spark", "jar", "session", "workers", "storage")
    ]
    assert lines[-1].endswith("table.lance: a table, version 1")


@pytest.mark.on("connect")
def test_storage(any_spark, tmp_path, capsys):
    def of(path):
        return checks_in_spark.reachable(any_spark, str(path))

    assert of(tmp_path).found == f"{tmp_path}: reachable, an empty folder"
    assert of(tmp_path / "new").found.endswith("reachable, nothing there yet")
    (tmp_path / "notes.txt").write_text("no table")
    assert of(tmp_path).status == "warning"
    (tmp_path / "notes.txt").unlink()
    assert main(["doctor", str(tmp_path), "--write", "--json"]) == 0
    findings = json.loads(capsys.readouterr().out)
    assert [f["status"] for f in findings] == ["ok"] * 8
    assert findings[-1]["found"].endswith("a table written, read and removed")
    assert list(tmp_path.iterdir()) == []


def test_unreachable_storage(spark, tmp_path, capsys):
    assert main(["doctor", "nosuch://bucket/table.lance"]) == 1
    said = capsys.readouterr().out
    assert "FAIL  storage: nosuch://bucket/table.lance" in said
    assert "--packages <Maven coordinates of the file system of nosuch>" in said
    finding = checks_in_spark.reachable(spark, "s3a://bucket/table.lance")
    assert finding.is_failure
    assert "--packages org.apache.hadoop:hadoop-aws:3." in finding.way_out


@pytest.mark.parametrize(
    ("message", "way_out"),
    [
        ("software.amazon.awssdk: AccessDenied (403)", "AWS_ACCESS_KEY_ID"),
        ("java.net.UnknownHostException: minio", "fs.s3a.endpoint"),
        ("something else", "--conf spark.hadoop.<name>=<value>"),
    ],
)
def test_remedies_for_storage_errors(message, way_out):
    finding = checks_in_spark._fault("s3a://bucket/t", RuntimeError(message))
    assert finding.is_failure
    assert message in finding.found
    assert way_out in finding.way_out


def test_write_takes_a_path(capsys):
    assert main(["doctor", "--write"]) == 2
    assert "requires a PATH" in capsys.readouterr().err


def test_a_broken_installation_ends_with_1(tmp_path):
    """As users run it, where Java is missing: Spark is not started."""
    done = subprocess.run(
        [sys.executable, "-m", "pyspark_lance", "doctor"],
        env={**os.environ, "JAVA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"FAIL  java: none at JAVA_HOME={tmp_path}\n      install OpenJDK 17" in done.stdout
    assert "session" not in done.stdout


def test_a_separate_session(tmp_path):
    """As users run it: Spark is started, and a command has the catalog lance as the current one."""
    statements = "CREATE TABLE t AS SELECT 41 + 1 AS n; SELECT n FROM lance.t"
    done = subprocess.run(
        [sys.executable, "-m", "pyspark_lance", "sql", statements, "--root", str(tmp_path)],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": PYTHON_PATH},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["n", "42"]
    assert shutil.which("java") is None or (tmp_path / "t.lance").exists()

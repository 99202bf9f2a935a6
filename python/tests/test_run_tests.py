# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`scripts/run-tests`: its Java versions and totals, with fake tests."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from conftest import pytest_runtest_setup
from kit.processes import program

SCRIPTS = Path(__file__).parents[2] / "scripts"
SBT = """#!/bin/sh
case "$*" in *"all test"*)
  mkdir -p target/test-reports
  echo '<testsuite tests="3" failures="0" errors="0" skipped="1"/>' > target/test-reports/a.xml
esac
"""
LINES = """
4.1_2.13  4.1.3  2.13.17  17  maven    4.1.3
4.2_2.13  4.2.0  2.13.18  17  maven    4.2.1
4.3_2.13  4.3.0  2.13.18  17  pyspark  4.3.0
"""
FAILED = """<testsuite tests="2" failures="1" errors="0" skipped="0">
  <testcase classname="a.B" name="is right"/>
  <testcase classname="a.B" name="is quick">
    <failure message="1 was not 2&#010;at B.scala">trace</failure>
  </testcase>
</testsuite>"""
PYTHON = """#!/bin/sh
[ "$1" != -c ] || exec echo 4.1.3
[ "$1" = -m ] || exec python3 "$@"
[ "$2" != pip ] || exit 1
for argument; do case "$argument" in --junitxml=*)
  echo '<testsuites><testsuite tests="5" failures="0" errors="0" skipped="0"/></testsuites>' \\
    > "${argument#--junitxml=}"
esac; done
"""


@pytest.fixture
def run(tmp_path):
    shutil.copytree(SCRIPTS, tmp_path / "scripts")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "spark-lines.txt").write_text(LINES)
    (tmp_path / "target/pyspark-4.2.1/pyspark").mkdir(parents=True)
    (tmp_path / "target/pyspark-4.2.1/pyspark/version.py").touch()
    program(tmp_path / "sbt", SBT)
    program(tmp_path / ".venv/bin/python", PYTHON)
    (tmp_path / "version.txt").write_text("1.2\n")
    (tmp_path / "Makefile").write_text(
        "wheel:\n\t@mkdir -p target/scala-2.13"
        "\n\t@touch target/scala-2.13/pyspark-lance-4.1_2.13-1.2.jar\n"
    )

    def run(java21=None):
        variables = {k: v for k, v in os.environ.items() if k != "JAVA21_HOME"}
        if java21:
            program(
                tmp_path / "java/bin/java",
                f"#!/bin/sh\necho '    java.specification.version = {java21}' >&2\n",
            )
            variables["JAVA21_HOME"] = str(tmp_path / "java")
        done = subprocess.run(
            [tmp_path / "scripts/run-tests"], env=variables, capture_output=True, text=True
        )
        return done.returncode, done.stdout.splitlines()

    return run


def test_a_missing_java_21_is_reported(run):
    code, lines = run()
    assert code == 0
    assert "== Java 21: no tests, because JAVA21_HOME is not set" in lines
    assert lines[-4:] == [
        "Scala: 2 passed, 0 failed, 1 skipped",
        "Python: 5 passed, 0 failed, 0 skipped",
        "Python on Spark 4.2_2.13: 5 passed, 0 failed, 0 skipped",
        "12 passed, 0 failed",
    ]


def test_an_unavailable_spark_version_is_named(run):
    _, lines = run()
    assert "== Python tests on Spark 4.2_2.13" in lines
    assert "== Spark 4.3_2.13 is skipped: its PySpark cannot be installed" in lines


def test_failed_tests_on_another_spark_version_are_named(run, tmp_path):
    python = tmp_path / ".venv/bin/python"
    python.write_text(PYTHON + '[ -z "$SPARK_HOME" ]\n')
    code, lines = run()
    assert code == 1
    assert "broken: Python tests on Spark 4.2_2.13" in lines


def test_all_tests_run_on_java_21_as_well(run, tmp_path):
    code, lines = run("21")
    assert code == 0
    assert f"== Scala tests on Java 21, {tmp_path / 'java'}" in lines
    assert lines[-6:] == [
        "Scala: 2 passed, 0 failed, 1 skipped",
        "Python: 5 passed, 0 failed, 0 skipped",
        "Python on Spark 4.2_2.13: 5 passed, 0 failed, 0 skipped",
        "Scala on Java 21: 2 passed, 0 failed, 1 skipped",
        "Python on Java 21: 5 passed, 0 failed, 0 skipped",
        "19 passed, 0 failed",
    ]


def test_a_limited_run_names_the_number_of_tests_that_did_not_start(run, tmp_path, monkeypatch):
    late = '<testcase><skipped message="the time of the run is over"/></testcase>'
    python = tmp_path / ".venv/bin/python"
    python.write_text(
        PYTHON.replace("/sh\n", '/sh\necho "$PYSPARK_LANCE_TEST_UNTIL" >> until\n').replace(
            'skipped="0"/></', f'skipped="1">{late}</testsuite></'
        )
    )
    monkeypatch.setenv("PYSPARK_LANCE_TEST_MINUTES", "100")
    start = time.time()
    code, lines = run()
    assert code == 0
    assert lines[-2:] == [
        "2 tests did not start, because the time of the run was over",
        "10 passed, 0 failed",
    ]
    until = {int(line) for line in (tmp_path / "until").read_text().split()}
    first, last = sorted(until)[0], sorted(until)[-1]
    assert 80 * 60 <= first - start + 1 < 81 * 60
    assert last - first == pytest.approx(20 * 60, abs=2)


def test_tests_are_skipped_after_the_time_of_the_run(monkeypatch):
    monkeypatch.setenv("PYSPARK_LANCE_TEST_UNTIL", str(time.time() + 1000))
    pytest_runtest_setup()
    monkeypatch.setenv("PYSPARK_LANCE_TEST_UNTIL", str(time.time() - 1))
    with pytest.raises(pytest.skip.Exception, match="the time of the run is over"):
        pytest_runtest_setup()


def test_another_java_is_rejected(run, tmp_path):
    code, lines = run("25")
    assert code == 1
    assert f"broken: JAVA21_HOME={tmp_path / 'java'} is not a Java 21" in lines
    assert lines[-1] == "12 passed, 1 failed"


def test_failed_tests_are_named_at_the_end(run, tmp_path):
    (tmp_path / "benchmarks").mkdir()
    sbt = tmp_path / "sbt"
    sbt.write_text(
        SBT.replace("esac", f"  echo '{FAILED}' > target/test-reports/b.xml\n  exit 1\nesac")
    )
    code, lines = run()
    assert code == 1
    assert lines[-3:] == [
        "failed (Scala): a.B: is quick: 1 was not 2",
        "broken: Scala tests",
        "13 passed, 1 failed",
    ]


def test_lists_of_test_files_name_existing_files():
    script = (SCRIPTS / "test-lines").read_text()
    names = re.findall(r"^(?:smoke|elsewhere)=\(([^)]*)\)$", script, re.MULTILINE)
    assert len(names) == 2
    missing = [
        x for x in " ".join(names).split() if not (Path(__file__).parent / f"test_{x}.py").exists()
    ]
    assert missing == []

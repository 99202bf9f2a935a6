# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`scripts/long-tests`: parts, their state, and the summary, with fake tests."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from kit.processes import program

ROOT = Path(__file__).parents[2]
SBT = """#!/bin/sh
mkdir -p target/test-reports
[ -e empty ] || echo '<testsuite tests="3" failures="0" errors="0" skipped="1"/>' \\
  > target/test-reports/a.xml
echo "[info]   + seed $PYSPARK_LANCE_SEED, $PYSPARK_LANCE_STORM tasks"
[ ! -e long.txt ] || echo "[info]   + $(cat long.txt)"
echo "$*" >> ran.txt
[ ! -e fail ] || exit 1
"""
PYTHON = """#!/bin/sh
for argument; do case "$argument" in --junitxml=*)
  echo '<testsuites><testsuite tests="5" failures="0" errors="0" skipped="0"/></testsuites>' \\
    > "${argument#--junitxml=}"
esac; done
echo "result: all is well"
echo "python $*" >> ran.txt
"""
LINES = """#!/bin/sh
mkdir -p target/reports/lines/4.3
echo '<testsuite tests="2" failures="0" errors="0" skipped="0"/>' > target/reports/lines/4.3/a.xml
echo lines >> ran.txt
"""


@pytest.fixture
def run(tmp_path):
    program(tmp_path / "scripts" / "long-tests", (ROOT / "scripts" / "long-tests").read_text())
    program(tmp_path / "sbt", SBT)
    program(tmp_path / ".venv/bin/python", PYTHON)
    program(tmp_path / "scripts" / "test-lines", LINES)
    (tmp_path / "benchmarks" / "results").mkdir(parents=True)
    (tmp_path / ".gitignore").write_text("target\nran.txt\nlong.txt\nfail\nempty\n")
    commit(tmp_path)

    def run(*arguments, **variables):
        (tmp_path / "ran.txt").write_text("")
        known = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK_LANCE_")}
        done = subprocess.run(
            [tmp_path / "scripts/long-tests", *arguments],
            env={**known, "PYSPARK_LANCE_JAR": "a.jar", **variables},
            capture_output=True,
            text=True,
        )
        assert done.stderr == ""
        return done.returncode, (tmp_path / "ran.txt").read_text().splitlines(), done.stdout

    return run


def commit(folder):
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "a"]):
        subprocess.run([*git, *command], check=True)


def summary(tmp_path):
    return (tmp_path / "benchmarks/results/long-tests.txt").read_text()


def seeds(tmp_path, part):
    """The seeds of a part in the summary."""
    lines = [line.split() for line in summary(tmp_path).splitlines()]
    return [line[-1] for line in lines if line[:1] == [part] and "not" not in line]


def test_a_run_of_all_parts(run, tmp_path):
    code, ran, _ = run()
    assert code == 0
    assert sum("MutationSuite" in line and "testOnly *.M" in line for line in ran) == 10
    text = summary(tmp_path)
    assert ", 0 failed, 0 not run" in text
    assert "PYSPARK_LANCE_STORM=1150" in text and ", 1150 tasks" in text
    assert "  all is well" in text

    assert run() == (0, [], "27 parts passed, 0 failed\n"), "finished parts are not repeated"


def test_parts_that_failed_are_repeated(run, tmp_path):
    (tmp_path / "fail").touch()
    code, ran, output = run("storm", "python")
    assert code == 1
    assert len(ran) == 2 and "1 parts passed, 1 failed storm" in output
    assert "1 passed, 1 failed, 25 not run" in summary(tmp_path)

    (tmp_path / "fail").unlink()
    code, ran, _ = run("storm", "python")
    assert code == 0
    assert len(ran) == 1 and "StormSuite" in ran[0]


def test_a_part_without_tests_fails(run, tmp_path):
    (tmp_path / "empty").touch()
    code, _, output = run("storm")
    assert code == 1 and "1 failed storm" in output
    (tmp_path / "empty").unlink()
    assert run("storm")[0] == 0


def test_changed_files_start_again(run, tmp_path):
    for change in ("a", "b"):
        (tmp_path / "new.txt").write_text(change)
        assert len(run("kills")[1]) == 1
        assert run("kills")[1] == []
    part = next(line for line in summary(tmp_path).splitlines() if line.startswith("kills"))
    assert re.search(r" [0-9a-f]{9}\+[0-9a-f]{4} ", part)


def test_a_new_commit_starts_again(run, tmp_path):
    run("kills")
    commit(tmp_path)
    assert run("kills", "--keep")[1] == []
    assert len(run("kills")[1]) == 1


def test_the_summary_has_the_last_run_of_each_part(run, tmp_path):
    run()
    text = summary(tmp_path)
    shutil.rmtree(tmp_path / "target")
    commit(tmp_path)
    assert len(run("kills", PYSPARK_LANCE_SEED="7")[1]) == 1
    before, after = (
        [line for line in text.splitlines() if line[:1] not in (" ", "") and line[:5] != "kills"]
        for text in (text, summary(tmp_path))
    )
    assert before == after and len(before) == 26 + 3
    assert len(seeds(tmp_path, "kills")) == 1


def test_each_part_has_a_seed_of_its_own(run, tmp_path):
    parts = ("mutations-2", "mutations-3", "mutations-4")
    run(*parts, PYSPARK_LANCE_SEED="7")
    given = [seeds(tmp_path, part) for part in parts]
    assert all(len(found) == 1 for found in given)
    used = re.findall(r"^  seed (\d+), ", summary(tmp_path), re.MULTILINE)
    assert len(set(used)) == 3 and [seed for (seed,) in given] == used

    run(*parts, "--again", PYSPARK_LANCE_SEED="7")
    assert [seeds(tmp_path, part) for part in parts] == given
    run(*parts, "--again", PYSPARK_LANCE_SEED="8")
    assert not {seeds(tmp_path, part)[0] for part in parts} & set(used)


def test_long_facts_are_wrapped(run, tmp_path):
    fact = " ".join(f"seed-{i}: {i * i} commits," for i in range(40)) + " all is well"
    (tmp_path / "long.txt").write_text(fact)
    run("kills")
    lines = summary(tmp_path).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("  seed-0:"))
    last = next(i for i, line in enumerate(lines) if line.endswith("all is well"))
    assert " ".join(line.strip() for line in lines[first : last + 1]) == fact
    assert all(len(line) <= 112 for line in lines) and last > first
    assert run("kills", "--keep")[1] == []


def test_parts_of_the_summary_are_kept_in_another_checkout(run, tmp_path):
    (tmp_path / "fail").touch()
    run("storm")
    (tmp_path / "fail").unlink()
    run("kills")
    shutil.rmtree(tmp_path / "target")
    commit(tmp_path)
    assert run("kills", "--keep") == (0, [], "1 parts passed, 0 failed\n")
    assert "1 passed, 1 failed, 25 not run" in summary(tmp_path)
    assert len(run("storm", "--keep")[1]) == 1
    assert "2 passed, 0 failed, 25 not run" in summary(tmp_path)
    assert len(run("kills", "--keep", "--again")[1]) == 1


def test_a_scaled_run_is_apart(run, tmp_path):
    run("storm", PYSPARK_LANCE_LONG_SCALE="0.01")
    assert not (tmp_path / "benchmarks/results/long-tests.txt").exists()
    assert "STORM=12" in (tmp_path / "target/long-tests-0.01/summary.txt").read_text()


def test_suites_of_parts_exist():
    text = (ROOT / "scripts" / "long-tests").read_text()
    namespace = {"__file__": str(ROOT / "scripts" / "long-tests"), "__name__": "long_tests"}
    exec(compile(text, "long-tests", "exec"), namespace)
    suites = [file.stem for file in (ROOT / "src/test/scala").rglob("*Suite.scala")]
    for pattern in namespace["LONG_SUITES"]:
        name = pattern.removeprefix("*.").removeprefix("*")
        assert any(suite.endswith(name) for suite in suites), pattern
    for name in namespace["LONG_TESTS"]:
        assert (ROOT / "python/tests" / name).is_file()

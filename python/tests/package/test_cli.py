# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The command line, in the session of the tests."""

import csv
import io
import json
import logging
import subprocess
import sys

import pytest

import pyspark_lance
from pyspark_lance.cli import main
from pyspark_lance.cli.sql import split

pytestmark = pytest.mark.on("classic")  # but for some


@pytest.fixture
def run(any_spark, capsys):
    """Runs a command: exit code, output, error output."""

    def run(*arguments):
        code = main([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def table(any_spark, tmp_path):
    path = tmp_path / "table.lance"
    rows = any_spark.range(1000).selectExpr("id", "concat('row ', id) AS text").coalesce(1)
    pyspark_lance.write(rows, path)
    pyspark_lance.write(rows.limit(10), path, mode="append")
    any_spark.sql(f"ALTER TABLE lance.`{path}` CREATE TAG first AS OF VERSION 1")
    return path


def test_inspect_describes_a_table(run, table):
    code, out, _ = run("inspect", table)

    assert code == 0
    head, *sections = out.strip().split("\n\n")
    assert head.splitlines()[0] == str(table)
    assert head.splitlines()[1].startswith("version 2, 20")
    assert head.splitlines()[2].startswith("1010 rows, 2 fragments, 2 data files, ")
    by_name = {s.splitlines()[0]: s.splitlines()[1:] for s in sections}
    assert list(by_name) == ["schema", "columns", "versions", "fragments", "files"]
    assert [line.split()[:3] for line in by_name["schema"][1:]] == [
        ["id", "int64", "BIGINT"],
        ["text", "string", "STRING"],
    ]
    assert [line.split()[0] for line in by_name["columns"][1:]] == ["id", "text"]
    assert "mini_block" in by_name["columns"][2]
    assert [line.split()[0] for line in by_name["versions"][1:]] == ["2", "1"]
    assert [line.split()[:2] for line in by_name["fragments"][1:]] == [["0", "1000"], ["1", "10"]]
    assert all(".lance" in line for line in by_name["files"][1:])


@pytest.mark.on("connect")
def test_inspect_as_json_of_a_tag(run, table):
    code, out, _ = run("inspect", table, "--tag", "first", "--json", "--sample-rows", 0)

    facts = json.loads(out)
    assert code == 0
    assert (facts["version"], facts["rows"], facts["fragment_count"]) == (1, 1000, 1)
    assert facts["committed_at"].startswith("20")
    (number, text) = facts["columns"]
    assert number["plain_bytes"] == 8000
    assert text["plain_bytes"] == sum(len(f"row {i}") + 4 for i in range(1000))
    assert text["compression_ratio"] == text["plain_bytes"] / text["bytes"]
    assert (
        facts["files"][0]["bytes"]
        == sum(f.stat().st_size for f in table.glob("data/*"))
        - (json.loads(run("inspect", table, "--json")[1])["files"][1]["bytes"])
    )


def test_inspect_shortens_long_lists(run, table):
    _, out, _ = run("inspect", table, "--limit", 1)
    assert "... 1 more" in out
    assert len(json.loads(run("inspect", table, "--limit", 1, "--json")[1])["versions"]) == 1


@pytest.mark.on("connect")
def test_a_missing_table_is_one_message(run, tmp_path):
    code, out, error = run("inspect", tmp_path / "nothing.lance")
    assert (code, out) == (2, "")
    assert error.startswith("pyspark-lance: ")
    assert "nothing.lance" in error
    assert "Traceback" not in error and "\tat " not in error


def test_sql_prints_results(run, table):
    statements = f"""
        -- comments; and
        SELECT count(*) AS n, 'a;b' AS s, CAST(NULL AS INT) AS nothing FROM lance.`{table}`;
        SELECT array(1, NULL) AS list, named_struct('x', X'01ff') AS bytes
    """
    code, out, error = run("sql", statements)
    assert (code, error) == (0, "")
    assert out.splitlines() == [
        "n     s    nothing",
        "1010  a;b  NULL",
        "list       bytes",
        "[1, NULL]  {x: 01ff}",
    ]


@pytest.mark.on("connect")
def test_sql_prints_only_the_error(run):
    code, out, err = run("sql", "SELECT * FROM lance.nowhere.people")
    assert code == 2 and out == ""
    assert "TABLE_OR_VIEW_NOT_FOUND" in err
    assert "JVM stacktrace" not in err and not err.lstrip().startswith("{")
    from pyspark.logger import PySparkLogger  # PySpark 3.5 and Connect servers have none.

    logger = logging.getLogger("SQLQueryContextLogger")
    assert isinstance(logger, PySparkLogger) and not logger.disabled


def test_sql_from_a_file_in_other_formats_with_a_limit(run, tmp_path, monkeypatch):
    file = tmp_path / "query.sql"
    file.write_text("SELECT id, concat('a,', id) AS t, DATE '2024-02-29' AS day FROM range(3)")
    _, out, error = run("sql", "-f", file, "--format", "csv", "--limit", 2)
    assert out == 'id,t,day\n0,"a,0",2024-02-29\n1,"a,1",2024-02-29\n'
    assert "more than 2 rows" in error
    _, out, error = run("sql", "-f", file, "--format", "json")
    assert json.loads(out.splitlines()[2]) == {"id": 2, "t": "a,2", "day": "2024-02-29"}
    assert error == ""
    code, _, error = run("sql", "SELECT 1; SELEKT 2")
    assert code == 2 and "SELEKT" in error


@pytest.mark.on("connect")
def test_csv_contains_full_values(run):
    statement = """SELECT 0.1D + 0.2D AS d, 16777217D AS i, 'a\\nb\\\\nc' AS s,
        array(1 / 3D, 2D) AS l, map('x\\ny', 123456789.25D) AS m,
        named_struct('f', 1234567.5D) AS r, double('nan') AS n, TRUE AS b,
        X'01ff' AS x, CAST(NULL AS STRING) AS o"""
    code, out, _ = run("sql", statement, "--format", "csv")
    assert code == 0
    _, row = csv.reader(io.StringIO(out))
    assert row == [
        "0.30000000000000004",
        "16777217.0",
        "a\nb\\nc",
        "[0.3333333333333333, 2.0]",
        "{x\ny: 123456789.25}",
        "{f: 1234567.5}",
        "nan",
        "true",
        "01ff",
        "",
    ]


def test_statements_are_split_only_at_semicolons():
    text = """SELECT 'it\\'s;' /* ; */ AS `a;b`; ; -- the end;\n SELECT ";" """
    assert list(split(text)) == ["SELECT 'it\\'s;' /* ; */ AS `a;b`", '-- the end;\n SELECT ";"']
    assert list(split(" ; -- nothing\n;")) == []


@pytest.mark.on("connect")
def test_convert_creates_a_table_from_parquet(run, any_spark, tmp_path):
    source, target = str(tmp_path / "files"), str(tmp_path / "made.lance")
    rows = any_spark.range(20).selectExpr("id", "array(0.5f, float(id)) AS vector")
    rows.write.parquet(source)

    options = ["--vector", "vector=2", "-o", "file_version=2.1"]
    code, out, _ = run("convert", source, target, *options)

    assert code == 0
    assert out.startswith(f"LanceTable({target})") and "rows: 20" in out
    types = any_spark.sql(f"SELECT path, type FROM lance.`{target}`.columns").collect()
    assert ("vector", "fixed_size_list:float:2") in types
    code, _, error = run("convert", source, target)
    assert code == 2 and "made.lance" in error
    assert run("convert", source, target, "--mode", "append")[0] == 0
    assert pyspark_lance.read(any_spark, target).count() == 40


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "command"),
        (["inspect"], "PATH"),
        (["convert", "a", "b", "--vector", "v=many"], "'v=many' is not COLUMN=SIZE"),
        (["sql", "SELECT 1", "--conf", "novalue"], "'novalue' is not KEY=VALUE"),
        (["inspect", "t", "--tag", "a", "--branch", "b"], "not allowed with"),
    ],
)
def test_invalid_arguments_are_named(capsys, arguments, said):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert said in capsys.readouterr().err


def test_an_invalid_scale_factor_is_an_error_of_the_demo(capsys, monkeypatch):
    monkeypatch.setenv("SF", "big")
    with pytest.raises(SystemExit) as end:
        main(["demo"])
    assert end.value.code == 2
    assert "--scale-factor: invalid float value: 'big'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0


def test_the_demo_requires_its_extra(capsys, monkeypatch):
    for name in [n for n in sys.modules if n.startswith("pyspark_lance.demo")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr(pyspark_lance, "demo", raising=False)
    monkeypatch.setitem(sys.modules, "lance", None)
    assert main(["demo"]) == 2
    assert 'pip install "pyspark-lance[demo]"' in capsys.readouterr().err


def test_the_module_runs_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "pyspark_lance", "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0
    for command in ("demo", "inspect", "sql", "convert", "doctor"):
        assert f"\n    {command} " in done.stdout

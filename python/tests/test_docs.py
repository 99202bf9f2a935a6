# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""Examples of the documentation run: code blocks of pages, and docstrings."""

import doctest
import importlib
import io
import pkgutil
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from kit.lines import LINE
from kit.tour import blocks, same, statements
from pyspark.errors import AnalysisException

import pyspark_lance

pytestmark = pytest.mark.every_case

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# DocsSqlSuite runs its examples, each section with a separate catalog.
RUN_ELSEWHERE = [ROOT / "docs" / "sql.md"]
VERSION = (ROOT / "version.txt").read_text().strip()
PACKAGE = f"--packages io.github.pysparklance:pyspark-lance-4.1_2.13:{VERSION}"
# Commands with separate tests: a pattern, and the file with the test.
SHOWN_BY = [
    (r"make wheel|pip install (pyspark-lance|python/dist/pyspark_lance-\*\.whl)", "test_wheel.py"),
    (r'pip install "pyspark-lance\[demo\]"', "test_demo.py"),
    (r"python -m pyspark_lance demo", "test_demo.py"),
    (
        rf"make publish-local|(pyspark|spark-(shell|sql|submit)) {re.escape(PACKAGE)}( .*)?",
        "test_packages.py",
    ),
    (r'(\w+=(\w+|[\d.]+|"[^"]*") )*make bench', "test_benchmarks.py"),
    (
        r"make (demo|test)( .*)?",
        "test_docs.py",
    ),  # commands of the README, compared with the Makefile
    (r"spark-submit --class org\.apache\.spark\.sql\.connect\..* spark-internal", "kit/connect.py"),
]
MODULES = ["pyspark_lance"] + [
    module.name
    for module in pkgutil.walk_packages(pyspark_lance.__path__, "pyspark_lance.")
    if module.name != "pyspark_lance.__main__"
]


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page not in RUN_ELSEWHERE],
    ids=lambda p: str(p.relative_to(ROOT)),
)
@pytest.mark.usefixtures("in_spark_folder")
def test_code_blocks_run(spark, page, tmp_path):
    """Blocks run in order, in one folder, with shared names. A `text` block is the last output."""
    session = spark.newSession()  # with a separate catalog
    session.conf.set("spark.sql.catalog.lance.root", str(tmp_path / "warehouse"))
    spark._jvm.SparkSession.setActiveSession(session._jsparkSession)
    names = {"spark": session}
    shown: str | None = None
    command: list[str] = []
    for language, code in blocks(page):
        match language:
            case "python":
                with redirect_stdout(io.StringIO()) as out:
                    exec(compile(code, str(page), "exec"), names)
                shown = out.getvalue()
            case "sql":
                for statement in statements(code):
                    answer = session.sql(statement)
                    answer.collect()
                shown = answer._show_string(truncate=False)
            case "bash":
                lines = code.replace("\\\n", "").splitlines()
                command = [checked_command(line) for line in lines][-1]
                shown = None
            case "text":
                shown = printed(command) if shown is None else shown
                assert same(code, shown), f"{page.name} shows\n{code}\nbut it is\n{shown}"
            case "not run":
                compile(code, str(page), "exec")
            case _:
                pytest.fail(f"{page.name}: a block of {language or 'no language'}:\n{code}")


def checked_command(line: str) -> list[str]:
    """Returns the arguments of a command of this package. Other commands need a separate test."""
    command = line.partition(" #")[0].strip()
    for pattern, test in SHOWN_BY:
        if re.fullmatch(pattern, command):
            assert (Path(__file__).parent / test).is_file()
            return []
    program = re.fullmatch(r"(?:.*\| *)?(?:python -m pyspark_lance|pyspark-lance)( .*)", command)
    assert program, f"no test runs: {command}"
    arguments = shlex.split(program[1])
    from pyspark_lance.cli import _parser

    _parser().parse_args(arguments)
    return arguments


def printed(arguments: list[str]) -> str:
    """Returns the output of a command of this package."""
    command = [sys.executable, "-m", "pyspark_lance", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rows_of_table(page: Path, section: str) -> list[str]:
    """Returns the first cells of the tables in a section, without headers."""
    text = re.split(r"^##+ ", page.read_text().split(f"# {section}\n", 1)[1], flags=re.MULTILINE)[0]
    return [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| `")]


@pytest.mark.usefixtures("in_spark_folder")
@pytest.mark.parametrize("row", rows_of_table(ROOT / "docs" / "sql.md", "Not supported"))
def test_unsupported_statements_are_rejected_by_name(spark, row, tmp_path):
    session = spark.newSession()
    session.conf.set("spark.sql.catalog.lance.root", str(tmp_path / "warehouse"))
    session.sql("CREATE TABLE lance.t (a INT)")
    reasons = r"not support|is invalid|cannot get another"
    if LINE < (4, 1):
        reasons += "|SYNTAX_ERROR"  # for syntax that Spark has since then
    with pytest.raises(AnalysisException, match=reasons) as it:
        session.sql(row.strip("`")).collect()
    assert "INTERNAL_ERROR" not in str(it.value)


def test_the_errors_of_streams_are_documented():
    source = next((ROOT / "src" / "main").rglob("StreamErrors.scala")).read_text()
    conditions = set(re.findall(r'"(LANCE_STREAM_\w+)"', source))
    cells = rows_of_table(ROOT / "docs" / "api" / "errors.md", "Errors that stop streams")
    assert conditions == {cell.strip("`") for cell in cells}


def test_the_front_pages_do_not_claim_all_of_sql():
    for page in ("README.md", "docs/index.md"):
        text = (ROOT / page).read_text()
        assert not re.search(r"\b(all|whole) of (Spark )?SQL\b", text, re.IGNORECASE), page
        assert "streaming" in text.lower(), page


def test_the_configuration_of_s3_compatible_stores_is_tested():
    suite = next(ROOT.glob("storage-tests/src/test/scala/**/MotoServer.scala")).read_text()
    used = set(re.findall(r'"(fs\.s3a\.[\w.]+)" ->', suite))
    used = {key for key in used if not re.search(r"attempts|retry", key)}
    cells = rows_of_table(ROOT / "docs" / "options.md", "S3-compatible stores")
    assert used == {key for cell in cells for key in re.findall(r"`([^`]+)`", cell)}
    recipe = (ROOT / "docs" / "cookbook.md").read_text()
    assert used - {"fs.s3a.connection.ssl.enabled"} == set(
        re.findall(r'"spark\.hadoop\.(fs\.s3a\.[\w.]+)"', recipe)
    )
    native = set(re.findall(r'"((?:aws|allow)_\w+)" ->', suite))
    assert native == set(re.findall(r'"((?:aws|allow)_\w+)":', recipe))


def test_all_code_blocks_are_found():
    """Blocks start at the margin."""
    for page in PAGES:
        fences = re.findall(r"^[ \t]*(?:```|~~~).*$", page.read_text(), re.MULTILINE)
        assert len(fences) == 2 * len(blocks(page)), page.name


def test_coordinates_in_the_documentation_have_the_current_version():
    found = [
        (page.name, coordinates)
        for page in PAGES
        for coordinates in re.findall(r"pyspark-lance-[\d.]+_2\.1[23]:[\w.]+", page.read_text())
    ]
    assert len(found) > 10
    assert [at for at in found if not at[1].endswith(f":{VERSION}")] == []


def test_commands_of_the_readme_are_targets_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text()
    shown = set(re.findall(r"make ([\w-]+)", (ROOT / "README.md").read_text()))
    assert {"demo", "test"} <= shown
    assert all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in shown)


# A grammar: its messages, the oneofs of encodings, and the folder of their files.
GRAMMARS = [
    ("encodings_v2_1.proto", ("layout",), "layout"),
    ("encodings_v2_1.proto", ("compression",), "compression"),
    ("encodings_v2_0.proto", ("array_encoding",), "v2_0"),
    ("encodings_v2_3.proto", ("codec",), "layout/planar"),
]
# No separate file: one has no values, the other is read as a layout of 2.2.
WITHIN_OTHERS = {"SimpleStruct", "DenseStructure"}


def _messages(proto: str, oneofs: tuple[str, ...]) -> set[str]:
    text = (ROOT / "src/main/protobuf/lance" / proto).read_text()
    bodies = [
        body
        for name, body in re.findall(r"oneof (\w+) \{(.*?)\}", text, re.DOTALL)
        if name in oneofs
    ]
    return {
        m for body in bodies for m in re.findall(r"^\s*([A-Z]\w+) \w+ = \d+;", body, re.MULTILINE)
    }


@pytest.mark.parametrize(("proto", "oneofs", "folder"), GRAMMARS)
def test_every_encoding_has_one_file_and_a_row_in_the_format_map(proto, oneofs, folder):
    rows = [r for r in (ROOT / "docs/format-map.md").read_text().splitlines() if r.startswith("|")]
    sources = ROOT / "src/main/scala/io/github/pysparklance/encoding" / folder
    messages = _messages(proto, oneofs)
    assert len(messages) > 3
    for message in messages & WITHIN_OTHERS:
        assert any(f"`{message}`" in row for row in rows), message
    for message in messages - WITHIN_OTHERS:
        files = list(sources.rglob(f"{message}.scala"))
        assert len(files) == 1, f"{proto}: {message}"
        path = files[0].relative_to(ROOT).as_posix()
        assert any(path in row for row in rows), f"no row leads to {path}"


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.usefixtures("in_spark_folder")
def test_examples_of_docstrings(spark, name, tmp_path):
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner()
    for n, example in enumerate(doctest.DocTestFinder().find(module)):
        example.globs |= {"spark": spark, "path": str(tmp_path / f"{n}.lance")}
        runner.run(example)
    assert runner.failures == 0


def test_links_between_pages_are_valid():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"

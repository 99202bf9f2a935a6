# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The built wheel, installed where nothing else of this repository is."""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pyspark
import pytest
from kit.tour import script_of

import pyspark_lance

pytestmark = pytest.mark.wheel

ROOT = Path(__file__).parents[2]
DIST = ROOT / "python" / "dist"
SITE_PACKAGES = Path(pyspark.__file__).parents[1]
VERSION = pyspark_lance.__version__
LINES = (ROOT / "project" / "spark-lines.txt").read_text().splitlines()
ARTIFACTS = [line.split()[0] for line in LINES if line and not line.startswith("#")]
FORMATS = {f"format_{artifact.partition('_')[2]}" for artifact in ARTIFACTS}
JARS = {f"pyspark_lance/jars/pyspark-lance-{part}-{VERSION}.jar" for part in {*ARTIFACTS, *FORMATS}}
MOST_BYTES = 40 << 20

FROM_THE_WHEEL = """
import sys, pyspark_lance
assert pyspark_lance.__file__.startswith(sys.prefix), pyspark_lance.__file__
for jar in pyspark_lance.jar_paths():
    assert str(jar).startswith(sys.prefix), jar
print("version", pyspark_lance.__version__)
"""
DEFAULTS = """
spark.master local[2]
spark.sql.shuffle.partitions 2
spark.ui.enabled false
"""
CONNECT = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
pyspark_lance.write(spark.range(1000), sys.argv[2])
table = pyspark_lance.LanceTable.forPath(spark, sys.argv[2])
table.delete("id >= 10")
assert pyspark_lance.read(spark, sys.argv[2]).selectExpr("sum(id)").first()[0] == 45
assert table.to_arrow().num_rows == 10
"""


@pytest.fixture(scope="module")
def wheel():
    """The wheel of this version; `make wheel` makes it."""
    file = DIST / f"pyspark_lance-{pyspark_lance.__version__}-py3-none-any.whl"
    if not file.is_file():
        pytest.fail(f"no {file.name} in python/dist: run `make wheel`")
    return file


def test_the_wheel_contains_jars_types_and_license(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        info = f"pyspark_lance-{VERSION}.dist-info"
        commands = archive.read(f"{info}/entry_points.txt").decode().split()
        metadata = Parser().parsestr(archive.read(f"{info}/METADATA").decode())

    assert {name for name in names if name.endswith(".jar")} == JARS
    assert wheel.stat().st_size <= MOST_BYTES
    assert {f"pyspark_lance/{name}" for name in ("py.typed", "LICENSE", "NOTICE")} <= names
    assert {name.split("/")[0] for name in names} == {"pyspark_lance", info}
    assert commands == ["[console_scripts]", "pyspark-lance", "=", "pyspark_lance.__main__:main"]
    needs = metadata.get_all("Requires-Dist")
    assert [need for need in needs if "extra ==" not in need] == ["pyspark<4.4,>=3.5.3"]


@pytest.mark.parametrize("artifact", ARTIFACTS)
def test_the_two_jars_of_a_spark_version_equal_its_published_jar(wheel, artifact):
    scala = artifact.partition("_")[2]
    with zipfile.ZipFile(wheel) as archive:
        parts = [
            zipfile.ZipFile(archive.open(f"pyspark_lance/jars/pyspark-lance-{part}-{VERSION}.jar"))
            for part in (artifact, f"format_{scala}")
        ]
        found = [entry for part in parts for entry in files(part)]
    with zipfile.ZipFile(jar_of(artifact)) as whole:
        expected = sorted(files(whole))

    in_both = {"META-INF/LICENSE", "META-INF/NOTICE"}
    legal = [entry for entry in expected if entry[0] in in_both]
    assert sorted(found) == sorted([*expected, *legal])


def files(archive):
    return [(entry.filename, entry.CRC) for entry in archive.infolist() if not entry.is_dir()]


def jar_of(artifact):
    scala = artifact.partition("_")[2]
    return ROOT / "target" / f"scala-{scala}" / f"pyspark-lance-{artifact}-{VERSION}.jar"


def test_the_sdist_contains_everything_for_a_build(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    top = {name for name in names if "/" not in name}
    assert top == {
        "LICENSE",
        "NOTICE",
        "PKG-INFO",
        "README.md",
        "hatch_build.py",
        "pyproject.toml",
    } | {
        "version.txt",
        *({".gitignore"} & top),
    }
    assert {name for name in names if name.endswith(".jar")} == JARS
    sources = (DIST.parent / "pyspark_lance").rglob("*.py")
    assert {str(file.relative_to(DIST.parent)) for file in sources} <= names
    assert {name.split("/")[0] for name in names - top} == {"pyspark_lance"}


def test_the_sdist_builds_the_same_wheel(wheel, sdist, tmp_path):
    shutil.unpack_archive(sdist, tmp_path)

    build(tmp_path / sdist.name.removesuffix(".tar.gz"), "wheel", tmp_path)

    (again,) = tmp_path.glob("*.whl")
    assert contents(again) == contents(wheel)


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    build(DIST.parent, "sdist", folder)
    (archive,) = folder.glob("*.tar.gz")
    return archive


def build(folder, target, out):
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist()}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The interpreter of an environment with the wheel, and with PySpark and pylance from this one,
    for the tour."""
    home = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    install = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(f"{SITE_PACKAGES}\n")
    return python


def run(command, folder, **variables):
    """The output of a command that does not depend on this repository."""
    ours = {"PYTHONPATH", "PYSPARK_LANCE_JAR", "PYSPARK_PYTHON"}
    alone = {k: v for k, v in os.environ.items() if k not in ours}
    done = subprocess.run(
        command, cwd=folder, env=alone | variables, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tour_of_the_readme_through_the_wheel(installed, tmp_path):
    """All of its Python and SQL, with only the wheel installed."""
    script = tmp_path / "tour.py"
    script.write_text(FROM_THE_WHEEL + script_of(ROOT / "README.md"))
    (tmp_path / "spark-defaults.conf").write_text(DEFAULTS)

    out = run([installed, script], tmp_path, SPARK_CONF_DIR=str(tmp_path))

    assert f"version {VERSION}" in out
    assert "Grace" in out
    made = {"people.lance", "vectors.lance", "lance-warehouse"}
    assert made <= {path.name for path in tmp_path.iterdir()}


def test_the_wheel_with_spark_connect(installed, connect_server, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(FROM_THE_WHEEL + CONNECT)
    run([installed, script, connect_server, tmp_path / "numbers.lance"], tmp_path)


def test_the_wheel_installs_the_command(installed, tmp_path):
    jars = run([installed.with_name("pyspark-lance"), "jars"], tmp_path).strip().split(",")
    line = ".".join(pyspark.__version__.split(".")[:2])
    assert [Path(jar).name.rsplit("_", 1)[0] for jar in jars] == [
        f"pyspark-lance-{line}",
        "pyspark-lance-format",
    ]
    doctor = run([installed.with_name("pyspark-lance"), "doctor", "--no-session"], tmp_path)
    assert f"{' and '.join(jars)}, for Spark {line}" in doctor

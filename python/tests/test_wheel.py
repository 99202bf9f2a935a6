# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The built wheel, installed where nothing else of this repository is."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pyspark
import pytest

import pyspark_lance

pytestmark = pytest.mark.wheel

DIST = Path(__file__).parents[1] / "dist"
SITE_PACKAGES = Path(pyspark.__file__).parents[1]

USE = """
import sys, pyspark_lance
from pyspark.sql import SparkSession
assert pyspark_lance.__file__.startswith(sys.prefix), pyspark_lance.__file__
assert str(pyspark_lance.jar_path()).startswith(sys.prefix), pyspark_lance.jar_path()
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
spark = pyspark_lance.configure(builder).getOrCreate()
pyspark_lance.write(spark.range(1000), "numbers.lance")
assert pyspark_lance.read(spark, "numbers.lance").selectExpr("sum(id)").first()[0] == 499500
spark.sql("CREATE NAMESPACE lance.db")
spark.sql("CREATE TABLE lance.db.t USING lance AS SELECT 1 AS one")
assert spark.sql("SELECT * FROM lance.db.t").collect() == [(1,)]
print("version", pyspark_lance.__version__)
"""


@pytest.fixture(scope="module")
def wheel():
    """The wheel of this version; `make wheel` makes it."""
    file = DIST / f"pyspark_lance-{pyspark_lance.__version__}-py3-none-any.whl"
    if not file.is_file():
        pytest.fail(f"no {file.name} in python/dist: run `make wheel`")
    return file


def test_the_wheel_holds_jar_types_and_license(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    version = pyspark_lance.__version__
    assert {
        f"pyspark_lance/jars/pyspark-lance-4.1_2.13-{version}.jar",
        "pyspark_lance/py.typed",
        "pyspark_lance/LICENSE",
    } <= names
    assert not [name for name in names if name.startswith("tests")]


def test_the_sdist_makes_the_same_wheel(wheel, tmp_path):
    build(DIST.parent, "sdist", tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path)

    build(tmp_path / archive.name.removesuffix(".tar.gz"), "wheel", tmp_path)

    (again,) = tmp_path.glob("*.whl")
    assert contents(again) == contents(wheel)


def build(folder, target, out):
    command = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {entry.filename: entry.CRC for entry in archive.infolist()}


def test_the_wheel_alone_is_enough(wheel, tmp_path):
    """In an environment of its own, with only PySpark lent to it."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    install = [sys.executable, "-m", "pip", f"--python={python}", "install", "--quiet"]
    subprocess.run([*install, "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = home.glob("lib/python*/site-packages")
    (packages / "lent.pth").write_text(f"{SITE_PACKAGES}\n")

    alone = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYSPARK_LANCE_JAR")}
    done = subprocess.run(
        [str(python), "-c", USE],
        cwd=tmp_path,
        env=alone,
        capture_output=True,
        text=True,
        timeout=180,
    )

    assert done.returncode == 0, done.stderr
    assert f"version {pyspark_lance.__version__}" in done.stdout

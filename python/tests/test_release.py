# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""`scripts/check-release` accepts the built jars and finds faults; `scripts/sign-release` signs."""

import json
import os
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import pytest
from kit.release import check_release

ROOT = Path(__file__).parents[2]


check = check_release()


@pytest.mark.wheel
@pytest.mark.parametrize("artifact", check.artifacts())
def test_the_jar_of_each_spark_version_is_ready_for_release(artifact):
    jar = check.local_jar(artifact)
    assert jar.is_file(), "run `make wheel`"
    assert list(check.jar_problems(jar)) == []


@pytest.fixture
def jar(tmp_path):
    """Writes a small jar with changes of a good one, and returns its problems."""
    own, library = "pkg:maven/g/pyspark-lance-4.1_2.13@1", "pkg:maven/com.example/lib@2"
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "metadata": {
            "component": {"name": "pyspark-lance-4.1_2.13", "version": "1", "bom-ref": own}
        },
        "components": [
            {
                "group": "com.example",
                "name": "lib",
                "version": "2",
                "bom-ref": library,
                "purl": library,
                "hashes": [{"alg": "SHA-256", "content": "00"}],
                "licenses": [{"license": {"id": "MIT"}}],
            }
        ],
        "dependencies": [{"ref": own, "dependsOn": [library]}, {"ref": library}],
    }
    good = {
        "META-INF/MANIFEST.MF": "",
        "META-INF/LICENSE": "",
        "META-INF/NOTICE": "com.example:lib, see META-INF/licenses/LICENSE-lib.txt",
        "META-INF/licenses/LICENSE-lib.txt": "",
        check.BOM: json.dumps(bom),
        f"{check.SHADED}lib/A.class": "",
    }

    def problems(changes=None, time=check.TIME, order=sorted):
        file = tmp_path / "pyspark-lance-4.1_2.13-1.jar"
        entries = {
            name: text for name, text in (good | (changes or {})).items() if text is not None
        }
        first, *others = entries
        with zipfile.ZipFile(file, "w") as archive:
            for name in [first, *order(others)]:
                archive.writestr(zipfile.ZipInfo(name, time), entries[name])
        return list(check.jar_problems(file))

    problems.bom = bom
    return problems


def test_a_valid_jar(jar):
    assert jar() == []


def test_a_class_of_a_library_that_is_not_shaded(jar):
    assert jar({"com/example/A.class": ""}) == [
        "contains com/example/A.class, which is neither ours nor shaded"
    ]


def test_missing_notices(jar):
    assert jar({"META-INF/NOTICE": None}) == ["lacks META-INF/NOTICE"]
    assert jar({"META-INF/NOTICE": "nothing"}) == ["NOTICE does not name com.example:lib"]
    (problem,) = jar({"META-INF/licenses/LICENSE-lib.txt": None})
    assert "LICENSE-lib.txt" in problem


def test_a_bill_of_materials_without_the_library(jar):
    bom = jar.bom | {"components": [], "dependencies": jar.bom["dependencies"][:1]}
    assert jar({check.BOM: json.dumps(bom)}) == ["the bill of materials lists no shaded library"]


def test_a_jar_that_is_not_reproducible(jar):
    (problem,) = jar(time=(2026, 1, 1, 0, 0, 0))
    assert "time" in problem
    (problem,) = jar(order=lambda names: sorted(names, reverse=True))
    assert "order" in problem


def test_two_builds_that_differ_are_reported(jar, tmp_path, capsys):
    jar()
    one = tmp_path / "pyspark-lance-4.1_2.13-1.jar"
    other = shutil.copy(one, tmp_path / "other.jar")
    assert list(check.difference(one, Path(other))) == []
    jar({"META-INF/LICENSE": "changed"})
    (problem,) = check.difference(one, Path(other))
    assert problem.endswith("in 1 entries: META-INF/LICENSE")


def test_a_pom_that_lacks_fields(tmp_path):
    pom = tmp_path / f"pyspark-lance-4.1_2.13-{check.version()}.pom"
    pom.write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0">'
        "<groupId>g</groupId><artifactId>pyspark-lance-4.1_2.13</artifactId><dependencies>"
        "<dependency><artifactId>lib</artifactId></dependency></dependencies></project>"
    )
    problems = list(check.pom_problems(pom))
    assert "has no scm/url" in problems
    assert "has no developers/developer/name" in problems
    assert "has the dependency lib" in problems
    assert "has no groupId" not in problems


@pytest.fixture
def keys(monkeypatch):
    """A separate key ring with a temporary key. gpg limits the length of the folder's path."""
    if not shutil.which("gpg"):
        pytest.skip("gpg is not installed")
    with tempfile.TemporaryDirectory(prefix="gpg") as home:
        monkeypatch.setenv("GNUPGHOME", home)
        create = ["--passphrase", "", "--quick-generate-key", "Test <test@example.com>", "ed25519"]
        subprocess.run(["gpg", "--batch", *create, "sign", "1d"], check=True, capture_output=True)
        yield home
        subprocess.run(["gpgconf", "--kill", "all"], check=False, capture_output=True)


@pytest.mark.usefixtures("keys")
def test_a_staged_release_is_signed_and_a_changed_file_is_found(tmp_path):
    for name in ("a.jar", "a.jar.md5", "a.pom"):
        (tmp_path / name).write_text(name)

    done = subprocess.run(
        [ROOT / "scripts" / "sign-release", "test@example.com"],
        env={**os.environ, "STAGED": str(tmp_path)},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert {file.name for file in tmp_path.glob("*.asc")} == {"a.jar.asc", "a.pom.asc"}
    assert list(check.signature_problems(tmp_path / "a.jar")) == []
    (tmp_path / "a.jar").write_text("changed")
    assert len(list(check.signature_problems(tmp_path / "a.jar"))) == 1


@pytest.mark.usefixtures("keys")
def test_nothing_to_sign_is_an_error(tmp_path):
    done = subprocess.run(
        [ROOT / "scripts" / "sign-release"],
        env={**os.environ, "STAGED": str(tmp_path / "none")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "make stage" in done.stderr

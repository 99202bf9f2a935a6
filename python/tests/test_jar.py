# SPDX-License-Identifier: Apache-2.0
# Copyright the pyspark-lance authors
"""The jar contains only our classes, and classes shaded into our package."""

import zipfile

import pytest

import pyspark_lance

OURS = "io/github/pysparklance/"
SHADED = OURS + "shaded/protobuf/"
CLASSES_OF_JAVA_17 = 61
# Spark's class path may have another version of it.
BROUGHT_BY_OTHERS = [b"com/google/protobuf/", b"com.google.protobuf."]


@pytest.fixture(scope="module")
def jar():
    with zipfile.ZipFile(pyspark_lance.jar_paths()[0]) as archive:
        yield archive


def test_every_class_is_own_or_shaded(jar):
    files = [name for name in jar.namelist() if not name.endswith("/")]
    outside = {name for name in files if not name.startswith(OURS)}
    assert outside == {
        "META-INF/LICENSE",
        "META-INF/MANIFEST.MF",
        "META-INF/NOTICE",
        "META-INF/licenses/LICENSE-protobuf.txt",
        "META-INF/licenses/LICENSE-snowball.txt",
        "META-INF/licenses/LICENSE-stopwords.txt",
        "META-INF/sbom/pyspark-lance.cdx.json",
        "META-INF/services/org.apache.spark.sql.sources.DataSourceRegister",
    }
    within = {name for name in files if name.startswith(OURS) and not name.endswith(".class")}
    texts = {OURS + "spark/common/line.txt", OURS + "version.txt"}
    words = {name for name in within if name.startswith(OURS + "index/text/stopwords/")}
    texts |= {OURS + "index/text/characters.txt"}
    assert within == texts | words and len(words) == 21  # and therefore no native code
    shaded = [name for name in files if name.startswith(OURS + "shaded/")]
    assert shaded and all(name.startswith(SHADED) for name in shaded)


def test_classes_are_for_java_17_without_native_code_or_unshaded_libraries(jar):
    for name in (name for name in jar.namelist() if name.endswith(".class")):
        code = jar.read(name)
        assert int.from_bytes(code[6:8], "big") <= CLASSES_OF_JAVA_17, name
        assert b"loadLibrary" not in code, name
        if not name.startswith(SHADED):
            assert not any(word in code for word in BROUGHT_BY_OTHERS), name

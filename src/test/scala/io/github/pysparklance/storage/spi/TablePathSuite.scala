// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.storage.spi

import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.{CorruptFileException, InvalidRequestException}

class TablePathSuite extends AnyFunSuite {

  test("trailing slashes do not matter") {
    assert(TablePath("/a/b//").root == "/a/b")
    assert(TablePath("s3a://bucket/t/").resolve("data/x") == "s3a://bucket/t/data/x")
    assert(TablePath("/").resolve("x") == "/x")
    assert(TablePath("/a").folder("tree/b").root == "/a/tree/b")
  }

  test("names cannot escape the root") {
    val root = TablePath("/a/b")
    Seq("../x", "x/../../y", "/etc/x", "", "a//b", "a/", ".", "a\\b", "a\u0000").foreach { name =>
      val e = intercept[CorruptFileException](root.resolve(name))
      assert(e.getMessage.contains("leads outside the table"))
      assert(e.place.path.contains("/a/b"))
    }
    assert(root.resolve("a..b/.c") == "/a/b/a..b/.c")
  }

  test("an empty path is rejected") {
    intercept[InvalidRequestException](TablePath(""))
  }

  test("paths below a table with commits in DynamoDB") {
    val root = TablePath("s3+ddb://bucket/a/b//?ddbTableName=commits")
    assert(root.root == "s3+ddb://bucket/a/b?ddbTableName=commits")
    val file = root.folder("tree/x").resolve("data/y z.lance")
    assert(file == "s3+ddb://bucket/a/b/tree/x/data/y z.lance?ddbTableName=commits")
    assert(DynamoDbUri(file).filesPath == "s3a://bucket/a/b/tree/x/data/y z.lance")
    assert(DynamoDbUri(root.root) == DynamoDbUri("bucket", "a/b", "commits"))
    assert(DynamoDbUri.is("S3+DDB://bucket/x") && !DynamoDbUri.is("s3a://bucket/x?ddbTableName=y"))
    // Elsewhere, a question mark is an ordinary character.
    assert(TablePath("s3a://b/what?").resolve("x") == "s3a://b/what?/x")
    Seq(
      "s3+ddb://bucket/x",
      "s3+ddb://bucket/x?ddbTableName=",
      "s3+ddb://bucket/x?table=y",
      "s3+ddb://bucket/x?ddbTableName=y&z=1",
      "s3+ddb://bucket?ddbTableName=y",
      "s3+ddb://bucket/?ddbTableName=y",
      "s3+ddb:///x?ddbTableName=y"
    ).foreach { bad =>
      val e = intercept[InvalidRequestException](DynamoDbUri(bad))
      assert(e.getMessage.contains("s3+ddb://bucket/path?ddbTableName=table"), bad)
    }
  }

  test("all spellings of a path have one canonical form") {
    def same(paths: String*) = assert(paths.map(TablePath.canonical).distinct.length == 1, paths)
    same("/a/b", "/a//b/", "file:/a/b", "file:///a/b/", "file://localhost/a/b", "FILE:/a/b")
    same("s3://b/t", "s3a://b/t/", "s3n://b//t", "S3A://b/t", "s3+ddb://b/t?ddbTableName=c")
    same("abfs://c@a.dfs.core.windows.net/t", "abfss://c@a.dfs.core.windows.net/t/")
    val all = Seq("/b/t", "/b/T", "/", "s3://b/t", "s3://c/t", "s3://b/t2", "s3://b/t?", "gs://b/t")
    assert(all.map(TablePath.canonical).distinct.length == all.length)
  }

  test("schemes") {
    assert(TablePath.scheme("/a:b/c").isEmpty)
    assert(TablePath.scheme("rel/a:/b").isEmpty)
    assert(TablePath.scheme("C:/x").isEmpty)
    assert(TablePath.scheme("S3A://bucket/x").contains("s3a"))
    assert(TablePath.scheme("file:/x").contains("file"))
    assert(TablePath.localName("file:/x y/%20") == "/x y/%20")
    assert(TablePath.localName("file:///x") == "/x")
    assert(TablePath.localName("file://localhost/x") == "/x")
    assert(TablePath.localName("/x:y") == "/x:y")
    assert(TablePath.localName("file:///x\ny") == "/x\ny")
  }
}

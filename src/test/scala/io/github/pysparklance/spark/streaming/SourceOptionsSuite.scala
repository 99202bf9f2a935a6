// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.funsuite.AnyFunSuite

class SourceOptionsSuite extends AnyFunSuite with SourceTests {

  test("options that are contradictory, invalid, or not for streams are errors") {
    withTable() {
      insert(1)
      val cases = Seq(
        Seq("version" -> "1") -> "version",
        Seq("versionAsOf" -> "1") -> "version",
        Seq("tag" -> "t") -> "tag",
        Seq("timestampAsOf" -> "2101-01-01") -> "timestampAsOf",
        Seq("readChangeFeed" -> "true", "endingVersion" -> "3") -> "endingVersion",
        Seq("endingTimestamp" -> "2026-01-01") -> "endingTimestamp",
        Seq("readChangeFeed" -> "true", "netChanges" -> "true") -> "netChanges",
        Seq("includeDeletedRows" -> "true") -> "includeDeletedRows",
        Seq("fastSearch" -> "true") -> "fastSearch",
        Seq("nearest" -> "{}") -> "nearest",
        Seq("identifierColumns" -> "id") -> "readChangeFeed",
        Seq("startingVersion" -> "1", "startingTimestamp" -> "2026-01-01") -> "cannot be combined",
        Seq("startingVersion" -> "0") -> "startingVersion",
        Seq("startingVersion" -> "first") -> "earliest",
        Seq("startingTimestamp" -> "soon") -> "startingTimestamp",
        Seq("maxRowsPerTrigger" -> "0") -> "maxRowsPerTrigger",
        Seq("maxBytesPerTrigger" -> "many") -> "maxBytesPerTrigger",
        Seq("maxFragmentsPerTrigger" -> "-1") -> "maxFragmentsPerTrigger",
        Seq("maxFragmentsPerTrigger" -> "1", "maxFilesPerTrigger" -> "2") -> "names of one option",
        Seq("ignoreChanges" -> "true", "skipChangeCommits" -> "true") -> "cannot be combined",
        Seq("ignoreDeletes" -> "yes") -> "ignoreDeletes",
        Seq("readChangeFeed" -> "true", "ignoreDeletes" -> "true") -> "cannot be combined",
        Seq("maxRowPerTrigger" -> "3") -> "maxRowsPerTrigger",
        Seq("stream-from-timestamp" -> "3") -> "Iceberg"
      )
      cases.zipWithIndex.foreach { case ((options, text), i) =>
        val e = problem(stream(options: _*), folder.resolve(s"c$i"))
        assert(e.contains(text), s"$options: $e")
      }
      assert(drain(stream("includeDeletedRows" -> false)) == Seq(Seq("1,s1")))
    }
  }

  test("options of streams are errors in batch queries") {
    withTable() {
      insert(1)
      for {
        (option, value) <- Seq(
          "maxRowsPerTrigger" -> "3",
          "maxFilesPerTrigger" -> "3",
          "ignoreChanges" -> "true",
          "failOnDataLoss" -> "false",
          "keepUnreadVersions" -> "true",
          "startingVersion" -> "latest"
        )
        read <- Seq[() => DataFrame](
          () => spark.read.format("lance").option(option, value).load(path),
          () => spark.read.option(option, value).table(name),
          () => spark.read.option(option, value).table(name).groupBy().count()
        )
      } {
        val e = intercept[AnalysisException](read().collect())
        assert(e.getMessage.contains(option.replace("Files", "Fragments")), e.getMessage)
      }
      val changes = spark.read.format("lance").option("readChangeFeed", "true")
      val e = intercept[AnalysisException](
        changes.option("startingVersion", 1).option("ignoreDeletes", "true").load(path).collect()
      )
      assert(e.getMessage.contains("ignoreDeletes"))
    }
  }

  test("a stream follows a table or branch, not a tag or a metadata table") {
    withTable() {
      insert(1)
      sql(s"ALTER TABLE $name CREATE TAG v1")
      val e = problem(spark.readStream.table(s"$name.tag_v1"))
      assert(e.contains("tag v1") && e.contains("no later commits"), e)
      intercept[AnalysisException](spark.readStream.table(s"$name.versions").writeStream
        .format("noop").option("checkpointLocation", folder.resolve("m").toString).start())
      val missing = intercept[AnalysisException](
        spark.readStream.format("lance").load(folder.resolve("none").toString)
      )
      assert(missing.getMessage.contains("none"))
    }
  }
}

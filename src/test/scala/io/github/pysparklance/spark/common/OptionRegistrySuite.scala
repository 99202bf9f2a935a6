// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.common

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.testkit.SharedSpark

/** The options: their names, where they can be set, and their page. */
class OptionRegistrySuite extends AnyFunSuite {
  private lazy val spark = SharedSpark.session

  private def options(
      use: OptionUse,
      set: Map[String, String],
      table: Map[String, String] = Map.empty,
      catalog: Map[String, String] = Map.empty
  ): LanceOptions =
    LanceOptions(use, new CaseInsensitiveStringMap(set.asJava), table, catalog)

  private def withConf[A](name: String, value: String)(body: => A): A = {
    spark.conf.set(name, value)
    try body
    finally spark.conf.unset(name)
  }

  test("names are unique, and every option has a description") {
    val keys = OptionRegistry.all.flatMap(_.keys)
    assert(keys.distinct == keys)
    OptionRegistry.all.foreach { o =>
      assert(o.meaning.nonEmpty && !o.row.contains('\n'), o.name)
      assert(o.uses.nonEmpty && OptionRegistry(o.name) == o)
    }
  }

  test("an option that is not registered cannot be requested") {
    val e = intercept[IllegalArgumentException](new LanceOptions(Map.empty).text("maxRows"))
    assert(e.getMessage == "option maxRows is not registered")
  }

  test("docs/options.md has the table of all options") {
    val file = Paths.get("docs/options.md")
    val page = Files.readString(file)
    val begin = "<!-- all options, made by OptionRegistrySuite -->\n"
    val end = "<!-- end of all options -->\n"
    val from = page.indexOf(begin) + begin.length
    val until = page.indexOf(end)
    assert(from >= begin.length && until >= from, s"$file has no place for the table")
    val made = page.substring(0, from) + OptionRegistry.table + page.substring(until)
    if (sys.env.get("UPDATE_DOCS").contains("1")) Files.writeString(file, made): Unit
    assert(
      Files.readString(file) == made,
      s"$file is stale: run this suite with UPDATE_DOCS=1"
    )
  }

  test("every spelling and alias finds an option") {
    for (
      name <- Seq(
        "maxBytesPerFile",
        "max_bytes_per_file",
        "MAX-BYTES-PER-FILE",
        "lance.spark.maxBytesPerFile",
        "lance.spark.write.max-bytes-per-file",
        "write.target-file-size-bytes"
      )
    ) assert(new LanceOptions(Map(name -> "7")).text("maxBytesPerFile").contains("7"), name)
  }

  test(
    "precedence: the option, the session, the table, the catalog"
  ) {
    val table = Map("write.max-rows-per-file" -> "3")
    val catalog = Map("maxRowsPerFile" -> "4")
    val key = "spark.lance.write.max_rows_per_file"
    def found(set: (String, String)*) =
      options(OptionUse.Write, set.toMap, table, catalog).text("maxRowsPerFile")
    withConf(key, "2") {
      assert(found("maxRowPerFile" -> "1").contains("1"))
      assert(found().contains("2"))
    }
    assert(found().contains("3"))
    assert(options(
      OptionUse.Write,
      Map.empty,
      Map.empty,
      catalog
    ).text("maxRowsPerFile").contains("4"))
    assert(options(OptionUse.Write, Map.empty).text("maxRowsPerFile").isEmpty)
    withConf("spark.lance.read.max_rows_per_file", "2") {
      assert(found().contains("3"), "read configuration does not apply to writes")
    }
  }

  test("the table cannot set options that protect the reader") {
    val name = "allowedBlobUris"
    val all = Map(name -> "s3://x")
    def found(table: Map[String, String] = Map.empty, catalog: Map[String, String] = Map.empty) =
      options(OptionUse.Read, Map.empty, table, catalog).text(name)
    assert(found(table = all).isEmpty)
    assert(found(catalog = all).contains("s3://x"))
    withConf(s"spark.lance.read.$name", "s3://y") {
      assert(found(all, all).contains("s3://y"))
    }
  }

  test("options of a single write can only be set by the write") {
    val everywhere = Map("overwriteSchema" -> "true")
    assert(options(
      OptionUse.Write,
      Map.empty,
      everywhere,
      everywhere
    ).text("overwriteSchema").isEmpty)
    for (
      (key, problem) <- Seq(
        "spark.lance.write.overwriteSchema" -> "an option of one write",
        "spark.lance.write.maxRowsPerFlie" -> "did you mean spark.lance.write.maxRowsPerFile?",
        "spark.lance.write.batchSize" -> "there is no option",
        "spark.lance.write.colour" -> "there is no option"
      )
    )
      withConf(key, "true") {
        val set = options(OptionUse.Write, Map.empty)
        val e = intercept[InvalidRequestException](set.checkNames(OptionUse.Read))
        assert(e.getMessage.contains(key) && e.getMessage.contains(problem))
        assert(set.text("overwriteSchema").isEmpty)
      }
  }

  test("options with a key after a prefix keep the spelling of the key") {
    val set =
      new LanceOptions(Map("transactionProperty.Team_Name" -> "x", "transactionproperty" -> "y"))
    assert(set.withPrefix("transactionProperty") == Map("Team_Name" -> "x"))
  }
}

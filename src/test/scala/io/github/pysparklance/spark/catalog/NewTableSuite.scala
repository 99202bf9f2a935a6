// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.functions.col
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.testkit.{SharedSpark, SparkLine, TemporaryFolder, Warnings}

/** The warning for a new table that would have partitions in other formats. */
class NewTableSuite extends AnyFunSuite with TemporaryFolder {
  private lazy val spark = SharedSpark.session
  private lazy val days = spark.range(4).select(col("id"), (col("id") % 2).as("day"))

  private def warnings(body: => Unit): Seq[String] = Warnings.of(classOf[NewTable].getName)(body)

  private def path(name: String): String = folder.resolve(name).toString

  test("a table created with partition columns logs that Lance tables have no partitions") {
    val created = Seq[() => Unit](
      () => days.write.format("lance").partitionBy("day").save(path("saved")),
      () => days.writeTo(s"lake.`${path("written")}`").partitionedBy(col("day")).create(),
      () =>
        spark.sql(
          s"CREATE TABLE lake.`${path("sql")}` (id BIGINT, day BIGINT) PARTITIONED BY (day)"
        ): Unit
    )
    created.foreach { create =>
      val logged = warnings(create())
      assert(logged.size == 1, logged)
      assert(logged.head.startsWith("Lance tables have no partitions: the columns of PARTITIONED"))
      assert(logged.head.contains("partitionBy, day, become the clustering key"))
    }
  }

  test("a table without partition columns, and an append to a table with them, log nothing") {
    days.write.format("lance").partitionBy("day").save(path("appended"))
    val logged = warnings {
      days.write.format("lance").save(path("plain"))
      days.write.format("lance").mode("append").save(path("appended"))
      if (SparkLine.isFrom("4.0")) {
        val columns = "(id BIGINT, day BIGINT)"
        spark.sql(s"CREATE TABLE lake.`${path("clustered")}` $columns CLUSTER BY (day)"): Unit
      }
    }
    assert(logged.isEmpty)
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.testkit

import java.util.UUID

import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.scalatest.{BeforeAndAfterAll, Suite}

import io.github.pysparklance.index.cache.IndexCache
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.storage.cache.RangeCache
import io.github.pysparklance.storage.hadoop.HadoopConf

/** Tables on S3 behind an [[S3Proxy]], and the operations on them whose requests are counted or go
  * wrong.
  */
trait S3Tables extends BeforeAndAfterAll { this: Suite =>

  /** Configuration of the clients, in addition to that of all tests. */
  protected def ownSettings: Map[String, String] = Map.empty

  protected val proxy = new S3Proxy(ownSettings)
  private val here = UUID.randomUUID.toString

  /** Rows of each fragment. */
  protected val numRows = 1000

  protected val numFragments = 4

  /** A session whose file system is the proxy. */
  protected lazy val spark: SparkSession = {
    val session = SharedSpark.newInterpreted()
    proxy.configuration.iterator.forEachRemaining { entry =>
      if (entry.getKey.startsWith("fs.s3a.")) session.conf.set(entry.getKey, entry.getValue)
    }
    session
  }

  /** Storage for the proxy. */
  protected lazy val store: Storage = Storage(new HadoopConf(proxy.configuration))

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    SparkSession.setActiveSession(spark)
  }

  override protected def afterAll(): Unit = {
    SparkSession.setActiveSession(SharedSpark.session)
    proxy.close()
    super.afterAll()
  }

  protected def path(name: String): String = s"s3a://${proxy.bucket}/$here/$name"

  /** Rows of a fragment, with a vector of four numbers. */
  private def rows(first: Int, number: Int): DataFrame = spark
    .range(first.toLong, first.toLong + number, 1, 1)
    .selectExpr(
      "id",
      "id * 10 AS value",
      "concat('text ', id) AS text",
      "id % 7 AS kind",
      "array(CAST(id AS FLOAT), CAST(id % 10 AS FLOAT), 0F, 1F) AS vec"
    )
    .withMetadata("vec", vectorOfFour)

  private def vectorOfFour = new MetadataBuilder().putLong("arrow.fixed-size-list.size", 4).build()

  /** Creates a table of several fragments. */
  protected def create(name: String): Unit = create(name, numFragments)

  protected def create(name: String, fragments: Int): Unit = (0 until fragments).foreach { i =>
    rows(i * numRows, numRows).write.format("lance").mode(if (i == 0) "errorifexists" else "append")
      .save(path(name))
  }

  protected def load(name: String): DataFrame = spark.read.format("lance").load(path(name))

  protected def append(name: String): Unit =
    rows(1000000, 10).write.format("lance").mode("append").save(path(name))

  /** Runs a statement on a table, `t` in its text. */
  protected def statement(name: String, text: String): Array[Row] =
    spark.sql(text.replace("{t}", s"lake.`${path(name)}`")).collect()

  protected def merge(name: String): Unit = statement(
    name,
    "MERGE INTO {t} t USING (SELECT id, id * 20 AS value FROM range(5, 8)) s ON t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET value = s.value"
  ): Unit

  /** Nothing is in the caches of this process. */
  protected def forget(): Unit = {
    RangeCache.shared.clear()
    IndexCache.shared.clear()
  }
}

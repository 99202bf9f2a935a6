// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.streaming

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.funsuite.AnyFunSuite

import io.github.pysparklance.storage.local.LocalFileStore

/** Continues checkpoints of an earlier release. With `UPDATE_GOLDEN`, they are written again; do so
  * only when offsets have a new format version, and keep the folder of the old one.
  *
  * {{{
  *   version   1        2 (3 fragments)    3 (2 fragments)   4 (UPDATE)   5
  *   ids       none     0 1 | 2 3 | 4 5    6 7 | 8 9         7            10
  * }}}
  */
class SourceGoldenSuite extends AnyFunSuite with SourceTests {
  private val golden = Paths.get("src/test/resources/golden/streams/v1")

  private def copy(from: Path, to: Path): Unit = Using.resource(Files.walk(from)) { files =>
    files.iterator.asScala.filterNot(_.getFileName.toString.endsWith(".crc"))
      .foreach(f => Files.copy(f, to.resolve(from.relativize(f).toString)): Unit)
  }

  private def table: String = folder.resolve("table").toString

  private def read(options: (String, Any)*): DataFrame = {
    path = table
    stream(options: _*)
  }

  private def stopIn(batch: Long)(id: Long): Unit = if (id == batch) sys.error("stopped")

  /** The checkpoints, with the options of the stream and the unread rows. */
  private val checkpoints: Seq[(String, Seq[(String, Any)], Seq[Seq[Int]])] = Seq(
    ("snapshot", Seq("maxRowsPerTrigger" -> 2), Seq(Seq(2, 3), Seq(4, 5), Seq(6, 7))),
    (
      "commit",
      Seq("maxRowsPerTrigger" -> 2, "startingVersion" -> 3, "skipChangeCommits" -> true),
      Seq(Seq(8, 9), Seq(10))
    ),
    ("latest", Seq("startingVersion" -> "latest"), Seq(Seq(10))),
    (
      "changes",
      Seq("maxRowsPerTrigger" -> 1, "startingVersion" -> 3, "readChangeFeed" -> true),
      Seq(Seq(7, 7), Seq(10))
    )
  )

  private def write(): Unit = {
    LocalFileStore.deleteFolder(golden.toString)
    Files.createDirectories(golden.getParent)
    val work = folder.resolve("work")
    Files.createDirectory(work)
    def to(name: String): Path = work.resolve(name)
    path = to("table").toString
    val small = Seq("maxRowsPerFile" -> "2", "enableStableRowIds" -> "true").toMap
    def append(from: Int, until: Int): Unit =
      spark.range(
        from.toLong,
        until.toLong,
        1,
        1
      ).write.format("lance").options(small).mode("append").save(path)
    spark.range(0).write.format("lance").options(small).save(path)
    append(0, 6)
    val Seq(snapshot, commit, latest, changes) = checkpoints.map(c => stream(c._2: _*)): @unchecked
    intercept[StreamingQueryException](drain(snapshot, to("snapshot"), stopIn(1)))
    append(6, 10)
    intercept[StreamingQueryException](drain(commit, to("commit"), stopIn(1)))
    spark.sql(s"UPDATE lance.`$path` SET id = 7 WHERE id = 7")
    intercept[StreamingQueryException](drain(changes, to("changes"), stopIn(1)))
    drain(latest, to("latest"))
    append(10, 11)
    copy(work, golden)
  }

  test("checkpoints of this format continue") {
    if (sys.env.contains("UPDATE_GOLDEN")) write()
    copy(golden, folder.resolve("golden"))
    Files.move(folder.resolve("golden/table"), folder.resolve("table"))
    checkpoints.foreach { case (name, options, rest) =>
      val to = folder.resolve(s"golden/$name")
      def ids(batches: Seq[Seq[String]]) =
        batches.map(_.map(_.takeWhile(_ != ',').toInt)).filter(_.nonEmpty)
      if (name == "snapshot") {
        // The update stops the stream behind version 3.
        assert(ids(drain(read(options :+ ("skipChangeCommits" -> true): _*), to)) ==
          rest :+ Seq(8, 9) :+ Seq(10))
      } else assert(ids(drain(read(options: _*), to)) == rest, name)
    }
  }
}

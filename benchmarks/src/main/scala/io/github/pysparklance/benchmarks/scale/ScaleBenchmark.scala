// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.scale

import java.nio.file.{Files, Path}
import java.time.{Duration, Instant}

import org.apache.spark.sql.SparkSession
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.benchmarks.{Results, Runs, Timing}
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.cleanup.CleanupPolicy
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.maintenance.{Compaction, CompactionOptions}
import io.github.pysparklance.table.refs.Revision
import io.github.pysparklance.table.rowid.RowAddress

/** Measures operations on large tables without data: many fragments, columns, versions, tags and
  * branches, and a large deletion file. Compares time and memory with pylance on copies of the same
  * tables.
  *
  * {{{
  *   ./sbt "benchmarks/runMain io.github.pysparklance.benchmarks.scale.ScaleBenchmark --work DIR --out FILE \
  *     [--python INTERPRETER] [--iterations 3] [--fragments 100000,1000000] [--columns 10000] \
  *     [--versions 100000] [--refs 10000] [--deleted 100000000]"
  * }}}
  * A size of 0 skips a kind of table. Without an interpreter, pylance is skipped. pylance runs
  * `python/benchmarks/scale.py`.
  */
object ScaleBenchmark {
  private val store = Storage.local
  private val warmUps = 1

  /** A table.
    *
    * @param kind kind of table, see `python/benchmarks/scale.py`
    * @param tasks names and work of the tasks, in their order
    */
  final private case class Subject(
      kind: String,
      size: Long,
      create: Path => Unit,
      tasks: (SparkSession, String) => Seq[(String, () => Any)]
  ) {
    def name: String = f"$size%,d $kind"
  }

  /** A measurement.
    *
    * @param peakBytes heap in use at most; resident memory for pylance
    * @param failure why there is none
    */
  final private case class Line(
      timing: Timing,
      peakBytes: Long,
      failure: Option[String] = None
  )

  def main(args: Array[String]): Unit = {
    val options = Runs.options(args)
    val work = Path.of(options("work")).toAbsolutePath
    val iterations = options.getOrElse("iterations", "3").toInt
    val spark = Runs.session("scale benchmark", "2")
    Runs.clear(work)
    var facts = Seq(
      "spark" -> s"${spark.version}, local[2]",
      "iterations" -> s"$iterations, after $warmUps to warm up"
    )
    var parts = Seq.empty[String]
    try subjects(options).foreach { subject =>
        Runs.progress(s"creating ${subject.name}")
        val path = work.resolve(s"${subject.kind}-${subject.size}.lance")
        subject.create(path)
        val bytes = Files.size(ScaleTables.manifestFile(path))
        facts :+= "manifest" -> f"${subject.name}: $bytes%,d bytes"
        val theirs = options.get("python").fold(Seq.empty[Line]) { python =>
          val copy = work.resolve("pylance.lance")
          Runs.copy(path, copy)
          try pylance(python, copy, subject, iterations)
          finally Runs.clear(copy)
        }
        val ours = subject.tasks(spark, path.toString).map { case (task, run) =>
          measured(task, iterations)(run())
        }
        parts :+= table(subject.name, ours, theirs)
        Runs.clear(path)
        val head = Results.header("Operations on large tables without data", facts: _*)
        Results.write(Path.of(options("out")), (head +: parts).mkString("\n"))
      }
    finally spark.stop()
    println(Files.readString(Path.of(options("out"))))
  }

  private def subjects(options: Map[String, String]): Seq[Subject] = {
    def sizes(name: String, default: String): Seq[Long] =
      options.getOrElse(name, default).split(',').map(_.trim.toLong).filter(_ > 0).toSeq
    sizes("fragments", "100000,1000000").map { n =>
      Subject("fragments", n, ScaleTables.ofFragments(_, n.toInt), common)
    } ++ sizes("columns", "10000").map { n =>
      Subject("columns", n, ScaleTables.ofColumns(_, n.toInt), common)
    } ++ sizes("versions", "100000").map { n =>
      Subject("versions", n, ScaleTables.ofVersions(_, n.toInt), common)
    } ++ sizes("refs", "10000").map { n =>
      Subject("tags and branches", n, ScaleTables.ofRefs(_, n.toInt), refs)
    } ++ sizes("deleted", "100000000").map { n =>
      Subject("deleted rows", n, ScaleTables.ofDeletions(_, n), deletions)
    }
  }

  private def common(spark: SparkSession, path: String): Seq[(String, () => Any)] = {
    val opened = LanceTable.open(store, path)
    val last = opened.fragments.last
    val numColumns = opened.schema.fields.length
    var table = opened
    Seq(
      "open" -> (() => LanceTable.open(store, path)),
      "plan a scan" -> (() => plan(spark, path, "true")),
      "plan a scan of one row" -> (() => plan(spark, path, s"_rowid = ${RowAddress(last.id, 5)}")),
      "plan a compaction" -> (() => new Compaction(opened).plan(CompactionOptions())),
      "plan a clean-up" -> (() => opened.planCleanup(old)),
      "history" -> { () =>
        val versions = LanceTable.history(store, path)
        versions.foldLeft(0L)((sum, v) => sum + v.version)
      },
      "append a fragment" -> { () =>
        table = table.append(IndexedSeq(ScaleTables.fragment(numColumns)))
        table
      },
      "delete a fragment" -> { () =>
        val f = table.fragments.last
        table = table.delete(Map(f.id -> DeletionVector.all(f.physicalRows.get)), "true")
        table
      }
    )
  }

  /** A policy that removes nothing, so that both systems read all versions and keep them. */
  private def old: CleanupPolicy =
    CleanupPolicy(beforeTimestamp = Some(Instant.now().minus(Duration.ofDays(3650))))

  private def refs(spark: SparkSession, path: String): Seq[(String, () => Any)] =
    common(spark, path) ++ Seq(
      "open by tag" -> (() => LanceTable.open(store, path, Revision.Tagged(ScaleTables.tag(0)))),
      "list the tags" -> (() => LanceTable.tags(store, path).list()),
      "list the branches" -> (() => LanceTable.branches(store, path).list())
    )

  private def deletions(spark: SparkSession, path: String): Seq[(String, () => Any)] = {
    val opened = LanceTable.open(store, path)
    var table = opened
    var next = 1L
    common(spark, path) ++ Seq(
      "read the deleted rows" -> (() => opened.deletionVector(opened.fragments.head)),
      "delete a row" -> { () =>
        val row = RoaringBitmap.bitmapOfRange(next, next + 1)
        next += 2
        table = table.delete(Map(table.fragments.head.id -> DeletionVector.of(row)), "one row")
        table
      }
    )
  }

  /** Opens the table with Spark and plans the tasks of a scan. */
  private def plan(spark: SparkSession, path: String, condition: String): Any = {
    val rows = spark.read.format("lance").load(path).where(condition)
    Int.box(rows.queryExecution.toRdd.getNumPartitions)
  }

  private def measured(task: String, iterations: Int)(run: => Any): Line = {
    Runs.progress(task)
    (1 to warmUps).foreach(_ => run)
    val millis = (1 to iterations).map { _ =>
      System.gc()
      val start = System.nanoTime()
      run
      (System.nanoTime() - start) / 1e6
    }
    val peak = HeapUse.of(run)
    Line(Timing(task, "lance", millis), peak)
  }

  /** Parses the lines of pylance: task, peak in bytes or `failed`, milliseconds of each run or the
    * error.
    */
  private def pylance(
      python: String,
      path: Path,
      subject: Subject,
      iterations: Int
  ): Seq[Line] = {
    val arguments = Seq(path.toString, subject.kind, iterations.toString)
    Runs.python(python, "benchmarks.scale", arguments: _*).map(_.split('\t')).map {
      case Array(task, "failed", why) =>
        Line(Timing(task, "pylance", IndexedSeq.empty), 0L, Some(why))
      case Array(task, peak, millis) =>
        Line(Timing(task, "pylance", millis.split(' ').map(_.toDouble).toIndexedSeq), peak.toLong)
      case other => throw new IllegalArgumentException(other.mkString(" "))
    }
  }

  private def table(name: String, ours: Seq[Line], theirs: Seq[Line]): String = {
    val head = f"$name%-34s ${"system"}%-8s ${"median ms"}%10s ${"min ms"}%10s ${"max ms"}%10s " +
      f"${"/ pylance"}%9s ${"peak MB"}%8s"
    val tasks = (ours ++ theirs).map(_.timing.task).distinct
    val lines = for {
      task <- tasks
      line <- theirs.filter(_.timing.task == task) ++ ours.filter(_.timing.task == task)
    } yield {
      val t = line.timing
      val base = theirs.find(b => b.timing.task == task && b.failure.isEmpty).map(_.timing.median)
      val ratio = base.fold("")(b => f"${t.median / b}%.2f")
      line.failure match {
        case Some(why) => f"$task%-34s ${t.system}%-8s failed: $why"
        case None =>
          f"$task%-34s ${t.system}%-8s ${t.median}%10.1f ${t.min}%10.1f ${t.max}%10.1f $ratio%9s " +
            f"${line.peakBytes / 1e6}%8.1f"
      }
    }
    (head +: "-" * head.length +: lines).mkString("\n") + "\n"
  }
}

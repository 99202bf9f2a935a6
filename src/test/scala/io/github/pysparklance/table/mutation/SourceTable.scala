// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.mutation

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.{Random, Using}

import io.github.pysparklance.core._
import io.github.pysparklance.storage.spi.{FileStore, TablePath}
import io.github.pysparklance.table.manifest.Versions
import io.github.pysparklance.table.scan.{FragmentReader, FragmentScan, MetadataColumn}
import io.github.pysparklance.table.{LanceTable, proto}
import io.github.pysparklance.testkit.{ColumnRows, Fixtures, MemoryStorage}

/** The parts of a table that can be changed. */
sealed trait Room
object Room {
  case object Manifests extends Room
  case object Footers extends Room
  case object ColumnMetadata extends Room
  case object PageDescriptions extends Room
  case object PageBytes extends Room
  case object DeletionFiles extends Room

  val all: IndexedSeq[Room] =
    IndexedSeq(Manifests, Footers, ColumnMetadata, PageDescriptions, PageBytes, DeletionFiles)
}

/** An in-memory table with a single change.
  *
  * @param what description of the change, to reproduce it
  */
final case class Mutation(room: Room, path: String, bytes: Array[Byte], what: String)

/** A small readable in-memory table.
  *
  * @param rowsRead number of live rows
  */
final class SourceTable(
    val name: String,
    val root: String,
    val storage: MemoryStorage,
    rowsRead: Long
) {
  private val table = LanceTable.open(storage, root)

  /** The expected number of rows of a read. None if the manifest contains no row counts or wrong
    * ones, as in early releases, so that the files have nothing to agree with.
    */
  val rows: Option[Long] = table.rowCount.filter(_ == rowsRead)

  /** The file version according to the manifest. */
  val version: String = table.fileVersion.text

  val manifestPath: String = new Versions(storage, TablePath(root)).latest().get.path

  /** The data files of the latest version. */
  val dataFiles: IndexedSeq[String] = table.fragments.flatMap(_.files.map(table.pathOf)).distinct

  private val deletionFiles = table.fragments.flatMap(table.deletionPath)

  /** Changes one part of a table; returns none if the table has no such part. */
  def mutate(room: Room, random: Random): Option[Mutation] = room match {
    case Room.Manifests => Some(manifest(random))
    case Room.DeletionFiles =>
      pick(deletionFiles, random).map { path =>
        val bytes = storage.bytes(path)
        val (changed, what) = DataFileBytes.some(bytes, 0, bytes.length, random)
        Mutation(room, path, changed, what)
      }
    case _ =>
      pick(dataFiles, random).flatMap { path =>
        val file = DataFileBytes(storage.bytes(path))
        val change = room match {
          case Room.Footers => file.footer(random)
          case Room.ColumnMetadata => file.metadata(random)
          case Room.PageDescriptions => file.pageDescription(random)
          case _ => file.page(random)
        }
        change.map { case (bytes, what) => Mutation(room, path, bytes, what) }
      }
  }

  private def pick(paths: IndexedSeq[String], random: Random): Option[String] =
    if (paths.isEmpty) None else Some(paths(random.nextInt(paths.length)))

  private def manifest(random: Random): Mutation = {
    val bytes = storage.bytes(manifestPath)
    val view = DataFileBytes.little(bytes)
    val at = view.getLong(bytes.length - 16).toInt
    if (random.nextInt(20) == 0) { // its footer
      val (changed, what) =
        if (random.nextBoolean()) DataFileBytes.number(bytes, bytes.length - 16, 8, random)
        else DataFileBytes.number(bytes, bytes.length - 8 + 2 * random.nextInt(2), 2, random)
      Mutation(Room.Manifests, manifestPath, changed, what)
    } else {
      val message = proto.Manifest.parseFrom(bytes.slice(at + 4, at + 4 + view.getInt(at)))
      val (changed, what) = MessageMutation(message, random)
      val body = changed.toByteArray
      val out = DataFileBytes.little(new Array[Byte](at + 4 + body.length + 16))
      out.put(bytes, 0, at).putInt(body.length).put(body).put(bytes, bytes.length - 16, 16): Unit
      Mutation(Room.Manifests, manifestPath, out.array, what)
    }
  }

  /** Reads all rows of the mutated table. */
  def read(mutation: Mutation): Long =
    SourceTable.readAll(storage.withFile(mutation.path, mutation.bytes), root)
}

object SourceTable {
  private val mostBytes = 128L << 10
  private val own = "golden/"

  /** The names of all tables: of this source tree, and of the interoperability fixtures if present.
    */
  lazy val names: IndexedSeq[String] = {
    val golden = Seq("tables", "types").flatMap { kind =>
      Using.resource(Files.list(goldenFolder.resolve(kind))) {
        _.iterator.asScala.map(f => s"$own$kind/${f.getFileName}").filter(_.endsWith(
          ".lance"
        )).toSeq
      }
    }
    golden.sorted.toIndexedSeq ++ fixtures.keys.toIndexedSeq.sorted
  }

  /** Whether a table belongs to this source tree. */
  def isOwn(name: String): Boolean = name.startsWith(own)

  private lazy val goldenFolder = Paths.get("src/test/resources/golden").toAbsolutePath

  private lazy val fixtures: Map[String, (Path, String)] = Fixtures.cases
    .filter(c => c.error.isEmpty && c.options.isEmpty && c.alias.isEmpty)
    .map(c => c.name -> (c.path.toAbsolutePath.normalize -> c.fileVersion))
    .toMap

  /** The file version of a table according to its name or the fixtures, without opening it. */
  def versionOf(name: String): String =
    if (!isOwn(name)) fixtures(name)._2
    else if (name.endsWith("/legacy.lance")) "0.1"
    else versionInName.findFirstMatchIn(name).fold("2.2")(m => s"${m.group(1)}.${m.group(2)}")

  private val versionInName = "_v(\\d)_(\\d)\\.lance$".r

  /** The folder of a table. */
  def folder(name: String): Path =
    if (isOwn(name)) goldenFolder.resolve(name.stripPrefix(own))
    else fixtures(name)._1

  /** Loads a table; none if it is not small, or not readable without changes. */
  def load(name: String): Option[SourceTable] = {
    val root = folder(name)
    val storage = MemoryStorage.load(root)
    if (storage.paths.iterator.map(storage.bytes(_).length.toLong).sum > mostBytes) None
    else
      try {
        val rows = readAll(storage, root.toString)
        Some(new SourceTable(name, root.toString, storage, rows))
      } catch {
        case _: LanceException => None
      } // another suite tests which tables must be readable
  }

  /** Reads every row of the latest version with all metadata columns, accesses every value, and
    * returns the number of live rows.
    */
  def readAll(store: FileStore, root: String): Long = {
    val table = LanceTable.open(store, root)
    var rows = 0L
    table.fragments.indices.foreach { i =>
      val numRows = table.physicalRows(table.fragments(i))
      val scan = FragmentScan(
        table,
        i,
        RowRange(0, numRows),
        None,
        FragmentScan.defaultGapRows,
        MetadataColumn.all
      )
      Using.resource(
        FragmentReader.open(store, scan, table.schema.fields, MetadataColumn.all, batchRows = 512)
      ) { r =>
        while (r.next()) {
          r.columns.foreach(ColumnRows(_))
          rows += r.numLive
        }
      }
    }
    rows
  }
}

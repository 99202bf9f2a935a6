// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.benchmarks.scale

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.UUID

import scala.jdk.CollectionConverters._

import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.{Buffer, Field, LogicalType, Schema}
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.storage.Storage
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.{DataFile, Fragment, NamingScheme}
import io.github.pysparklance.table.{LanceTable, proto}

/** Creates tables without data files. Their manifests, tags, branches, and deletion files are
  * complete, so that everything but reading rows works.
  */
private[scale] object ScaleTables {
  private val store = Storage.local
  private val rowsOfFragment = 1000L

  /** A fragment of a table with this number of columns. Its file does not exist. */
  def fragment(numColumns: Int = 2, numRows: Long = rowsOfFragment): Fragment = {
    val columns = 0 until numColumns
    val name = s"${UUID.randomUUID}-${UUID.randomUUID.toString.take(13)}.lance"
    Fragment.unassigned(Seq(DataFile(name, columns, columns, FileVersion.default, 123456)), numRows)
  }

  private def schema(numColumns: Int): Schema = Schema(
    (0 until numColumns).map(i => Field(-1, s"c$i", LogicalType.parse("int64"), nullable = true))
  ).withFreshIds

  /** A table of many fragments. */
  def ofFragments(path: Path, numFragments: Int): Unit = create(path, 2, numFragments)

  /** A table of many columns and ten fragments. */
  def ofColumns(path: Path, numColumns: Int): Unit = create(path, numColumns, 10)

  private def create(path: Path, numColumns: Int, numFragments: Int): Unit = LanceTable.create(
    store,
    path.toString,
    schema(numColumns),
    IndexedSeq.fill(numFragments)(fragment(numColumns))
  ): Unit

  /** A table of many versions with the same ten fragments. */
  def ofVersions(path: Path, numVersions: Int): Unit = {
    create(path, 2, 10)
    val first = manifest(path)
    (2L to numVersions.toLong).foreach { v =>
      val uuid = UUID.randomUUID.toString
      val message = first.toBuilder.setVersion(v).setTransactionFile(s"${v - 1}-$uuid.txn")
      message.getTimestampBuilder.setSeconds(first.getTimestamp.getSeconds + v)
      val transaction = proto.Transaction
        .newBuilder()
        .setReadVersion(v - 1)
        .setUuid(uuid)
        .setAppend(proto.Transaction.Append.getDefaultInstance)
      write(path, message, transaction.build())
    }
  }

  /** A table of many tags and as many branches, of its only version. */
  def ofRefs(path: Path, number: Int): Unit = {
    create(path, 2, 10)
    LanceTable.tags(store, path.toString).create(tag(0))
    LanceTable.branches(store, path.toString).create(branch(0))
    val tagFile = path.resolve(s"_refs/tags/${tag(0)}.json")
    val branchFile = path.resolve(s"_refs/branches/${branch(0)}.json")
    val first = manifest(path.resolve(s"tree/${branch(0)}"))
    (1 until number).foreach { i =>
      Files.copy(tagFile, tagFile.resolveSibling(s"${tag(i)}.json"))
      val id = UUID.randomUUID.toString.replace("-", "")
      val described = Files.readString(branchFile, UTF_8)
      Files.writeString(branchFile.resolveSibling(s"${branch(i)}.json"), withUuid(described, id))
      val uuid = UUID.randomUUID.toString
      val message = first.toBuilder.setBranch(branch(i)).setTransactionFile(s"0-$uuid.txn")
      write(
        path.resolve(s"tree/${branch(i)}"),
        message,
        proto.Transaction.newBuilder().setUuid(uuid).setAppend(
          proto.Transaction.Append.getDefaultInstance
        ).build()
      )
    }
  }

  def tag(number: Int): String = f"tag-$number%05d"

  private def branch(number: Int): String = f"branch-$number%05d"

  /** Replaces the id of a branch, the only text of 32 hexadecimal digits. */
  private def withUuid(json: String, id: String): String =
    json.replaceAll("\"[0-9a-f]{32}\"", s"\"$id\"")

  /** A table of one fragment in which every other row is deleted. */
  def ofDeletions(path: Path, numDeleted: Long): Unit = {
    val table = LanceTable.create(
      store,
      path.toString,
      schema(2),
      IndexedSeq(fragment(numRows = 2 * numDeleted))
    )
    val rows = new RoaringBitmap
    (0L until numDeleted).foreach(i => rows.add((2 * i).toInt))
    table.delete(Map(table.fragments.head.id -> DeletionVector.of(rows)), "c0 % 2 = 0"): Unit
  }

  /** Parses the latest manifest. */
  private def manifest(path: Path): proto.Manifest = {
    val bytes = Files.readAllBytes(manifestFile(path))
    val file = Buffer(bytes)
    val at = file.i64(bytes.length - 16)
    proto.Manifest.parseFrom(file.slice(at + 4, file.u32(at.toInt)).toBytes)
  }

  /** The latest manifest, which has the lowest name. */
  def manifestFile(path: Path): Path = {
    val files = Files.list(path.resolve("_versions"))
    try files.iterator.asScala.filter(_.toString.endsWith(".manifest")).min
    finally files.close()
  }

  /** Writes a version: its transaction, its manifest, and the footer. */
  private def write(path: Path, m: proto.Manifest.Builder, transaction: proto.Transaction): Unit = {
    val message =
      m.clearIndexSection().clearTransactionSectionDeprecated().setTransactionSection(0).build()
    val position = 4 + transaction.getSerializedSize
    val bytes = new Array[Byte](position + 4 + message.getSerializedSize + 16)
    Buffer.putInt(bytes, 0, transaction.getSerializedSize)
    System.arraycopy(transaction.toByteArray, 0, bytes, 4, transaction.getSerializedSize)
    Buffer.putInt(bytes, position, message.getSerializedSize)
    System.arraycopy(message.toByteArray, 0, bytes, position + 4, message.getSerializedSize)
    val footer = bytes.length - 16
    Buffer.putLong(bytes, footer, position.toLong)
    Buffer.putShort(bytes, footer + 10, 2.toShort)
    System.arraycopy("LANC".getBytes(UTF_8), 0, bytes, footer + 12, 4)
    val folder = path.resolve("_versions")
    Files.createDirectories(folder)
    Files.write(folder.resolve(NamingScheme.V2.fileName(message.getVersion)), bytes): Unit
  }
}

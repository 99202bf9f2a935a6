// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.operation

import scala.jdk.CollectionConverters._

import io.github.pysparklance.core.InvalidRequestException
import io.github.pysparklance.file.metadata.FileVersion
import io.github.pysparklance.table.manifest.DataFile
import io.github.pysparklance.table.proto
import io.github.pysparklance.table.transaction.build.RowIdAssignment

/** Replaces the files of columns of fragments.
  *
  * Source: message `DataReplacement`, transaction.proto.
  *
  * @param replacements fragment ids with their new files, all with the same fields
  */
final case class DataReplacement(replacements: Seq[(Long, DataFile)]) extends PlainOperation {
  def name: String = "DataReplacement"

  /** Returns the ids of the replaced fields. */
  def fields: Set[Int] = replacements.iterator.flatMap(_._2.fields).filter(_ >= 0).toSet

  private[table] def write(b: proto.Transaction.Builder): Unit = {
    val d = proto.Transaction.DataReplacement.newBuilder()
    replacements.foreach { case (id, file) =>
      d.addReplacementsBuilder().setFragmentId(id).setNewFile(file.toMessage)
    }
    b.setDataReplacement(d): Unit
  }

  private[table] def build(m: ManifestBuilder): Unit = {
    if (replacements.map(_._2.fields).distinct.length > 1)
      throw new InvalidRequestException("all files of a data replacement must have the same fields")
    val present = m.previous.fragments.iterator.map(_.id).toSet
    replacements.map(_._1).find(id => !present(id)).foreach { id =>
      throw new InvalidRequestException(
        s"cannot replace data of fragment $id: the table does not have it"
      )
    }
    if (replacements.map(_._1).distinct.length != replacements.length)
      throw new InvalidRequestException("a data replacement names a fragment twice")
    val newFiles = replacements.toMap
    m.checkFiles(newFiles.values)
    m.fragments = m.fragments.map { f =>
      newFiles.get(f.getId).fold(f) { file =>
        val replaced = m.withoutDeadFiles(replace(m, f, file))
        if (m.hasStableRowIds) RowIdAssignment.allUpdated(replaced, m.version) else replaced
      }
    }
    m.withdrawCoverage(replacements.map { case (id, file) => id -> file.fields.toSet })
  }

  private def replace(
      m: ManifestBuilder,
      f: proto.DataFragment,
      file: DataFile
  ): proto.DataFragment = {
    val files = f.getFilesList.asScala.map(DataFile(_))
    val wanted = m.logicalFields(file.fields)
    val covered = files.flatMap(x => m.logicalFields(x.fields)).toSet
    val b = f.toBuilder
    files.indexWhere(x => x.fields == file.fields && x.fileVersion == file.fileVersion) match {
      case at if at >= 0 =>
        val x = b.getFilesBuilder(at).setPath(file.path).setFileSizeBytes(file.fileSizeBytes)
        file.baseId.fold(x.clearBaseId())(x.setBaseId): Unit
      case _ if !wanted.exists(covered) => b.addFiles(file.toMessage): Unit
      case _ if wanted.forall(covered) && !legacy(files, wanted) =>
        (0 until b.getFilesCount).foreach { i =>
          val x = b.getFilesBuilder(i)
          (0 until x.getFieldsCount).foreach { j =>
            if (wanted(x.getFields(j))) x.setFields(j, DataFile.tombstone)
          }
        }
        b.addFiles(file.toMessage): Unit
      case _ =>
        throw new InvalidRequestException(
          s"the new file ${file.path} does not match the files of fragment ${f.getId}: " +
            s"its fields ${file.fields.mkString(", ")} must be exactly the fields of an existing file, or all be " +
            "in files of a 2.x version, or all be new"
        )
    }
    b.build()
  }

  private def legacy(files: Iterable[DataFile], wanted: Set[Int]): Boolean =
    files.exists(x => x.fileVersion == FileVersion.V0_1 && x.fields.exists(wanted))
}

object DataReplacement {
  private[transaction] def parse(m: proto.Transaction.DataReplacement): DataReplacement =
    DataReplacement(
      m.getReplacementsList.asScala.iterator
        .map(r => r.getFragmentId -> DataFile(r.getNewFile))
        .toIndexedSeq
    )
}

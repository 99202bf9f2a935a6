// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import io.github.pysparklance.core.{CommitConflictException, Field, Schema}
import io.github.pysparklance.table.manifest.{Fragment, Manifest, ManifestFile}

/** Detects written columns that were replaced concurrently. Data files identify columns by field id
  * alone. A column whose type was changed concurrently has a new id, so files written before would
  * leave it without values. The id of a dropped column may belong to another column now, which
  * would get its values.
  *
  * The conflict matrix of the format allows an append next to any change of columns.
  */
private[transaction] object WrittenFields {

  /** Returns the ids of the fields in the files of fragments. */
  def of(fragments: Iterable[Fragment]): Set[Int] =
    fragments.iterator.flatMap(_.files).flatMap(_.fields).filter(_ >= 0).toSet

  /** Checks that a version can read the columns of new fragments.
    *
    * @param written ids of the fields in the fragments, written for the columns of `base`
    * @param reassigned written fields that concurrent commits dropped, and whose ids now belong to
    *   other columns
    * @throws CommitConflictException if the type of a written column was changed, or the column was
    *   replaced
    */
  def check(
      written: Set[Int],
      base: Schema,
      latest: ManifestFile,
      reassigned: Set[Int]
  ): Unit =
    obstacle(written, base, latest.manifest, reassigned).foreach { column =>
      throw new CommitConflictException(
        s"not committed: the type of the column $column was changed, or the column was replaced, " +
          "concurrently; write the rows again",
        latest.manifest.version,
        retryable = true
      )
    }

  /** Returns the name of the first written column that was replaced by another one. */
  private def obstacle(
      written: Set[Int],
      base: Schema,
      latest: Manifest,
      reassigned: Set[Int]
  ): Option[String] =
    if (reassigned.isEmpty && latest.schema.fields == base.fields) None
    else {
      val now = latest.schema.ways.map(w => w.last.id -> w.last).toMap
      val names = latest.schema.ways.map(_.map(_.name)).toSet
      lazy val stored = latest.fragments.iterator.flatMap(_.files).flatMap(_.fields).toSet
      def isReplaced(way: IndexedSeq[Field]): Boolean =
        reassigned(way.last.id) || isAnother(way, now, names, id => stored(id))
      base.ways.collectFirst { case way if written(way.last.id) && isReplaced(way) => nameOf(way) }
    }

  private def isAnother(
      way: IndexedSeq[Field],
      now: Map[Int, Field],
      names: Set[IndexedSeq[String]],
      isStored: Int => Boolean
  ): Boolean = now.get(way.last.id) match {
    // Ids of dropped columns that were never in a file are assigned again. This may also be the
    // same column with a new name.
    case Some(field) =>
      field.logicalType != way.last.logicalType ||
      field.name != way.last.name && !isStored(field.id)
    case None => names(way.map(_.name))
  }

  private def nameOf(way: IndexedSeq[Field]): String = way.map(_.name).mkString(".")
}

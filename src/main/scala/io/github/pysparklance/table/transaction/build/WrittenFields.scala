// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.build

import io.github.pysparklance.core.{CommitConflictException, Field, Schema}
import io.github.pysparklance.table.manifest.{Fragment, ManifestFile}

/** Data files name the columns they hold by field ids alone. Where a column got another type meanwhile it has another id,
  * and files that were written before would leave it without values.
  *
  * The conflict matrix of the format lets an append stand beside any change of columns.
  */
private[transaction] object WrittenFields {

  /** @param fragments written for the columns of `base`
    * @throws CommitConflictException when the newest version cannot read what they hold
    */
  def check(fragments: Iterable[Fragment], base: Schema, newest: ManifestFile): Unit =
    obstacle(fragments, base, newest.manifest.schema).foreach { column =>
      throw new CommitConflictException(
        s"not committed: the column $column has got another type meanwhile; write the rows again",
        newest.manifest.version,
        retryable = true
      )
    }

  /** The name of the first column that is another one now. */
  private def obstacle(
      fragments: Iterable[Fragment],
      base: Schema,
      newest: Schema
  ): Option[String] =
    if (newest.fields == base.fields) None
    else {
      val now = newest.ways.map(w => w.last.id -> w.last).toMap
      val names = newest.ways.map(_.map(_.name)).toSet
      val written = fragments.iterator.flatMap(_.files).flatMap(_.fields).toSet
      base.ways.collectFirst {
        case way if written(way.last.id) && isAnother(way, now, names) => nameOf(way)
      }
    }

  private def isAnother(
      way: IndexedSeq[Field],
      now: Map[Int, Field],
      names: Set[IndexedSeq[String]]
  ): Boolean = now.get(way.last.id) match {
    // Ids of columns that are gone, and were never in a file, are given again.
    case Some(field) => field.logicalType != way.last.logicalType
    case None => names(way.map(_.name))
  }

  private def nameOf(way: IndexedSeq[Field]): String = way.map(_.name).mkString(".")
}

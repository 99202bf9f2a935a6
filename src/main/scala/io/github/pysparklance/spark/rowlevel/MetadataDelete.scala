// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.RowSelection
import io.github.pysparklance.spark.commit.{CommitNotes, TableCommit, TaskFiles}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.push.PushedConditions
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.RowCondition

/** A DELETE that finds its rows without reading their values: no Spark job runs for it. A conflict is retried by the plan
  * node [[RetriedStatement]].
  *
  * @param table the version whose rows are deleted
  */
final private[spark] class MetadataDelete(table: LanceTable) {
  import RowCondition._

  /** Whether all of these are conditions on row ids, addresses and the like, which are answered exactly. */
  def isExact(predicates: Array[Predicate]): Boolean = condition(predicates).isDefined

  /** Deletes the rows that satisfy all the predicates, which are exact. Does nothing if the table has the write already.
    *
    * @param notes of the commit
    * @throws org.apache.spark.sql.AnalysisException if another writer deleted or moved one of the rows; nothing was
    *   committed
    */
  def apply(predicates: Array[Predicate], notes: CommitNotes): Unit = LanceErrors.translated {
    val wanted = condition(predicates).getOrElse(
      throw new IllegalArgumentException(predicates.mkString("not exact: ", " AND ", ""))
    )
    table.checkWritable()
    val properties = notes.properties ++ CommitNotes.by("DELETE")
    TableCommit(table, notes).change(TaskFiles.none) {
      table.delete(rows(table, wanted), wanted.toString, properties, notes.options)
    }: Unit
  }

  private def condition(predicates: Array[Predicate]): Option[RowCondition] = {
    val exact = new PushedConditions(table.schema)
    val found = predicates.toSeq.map(exact(_))
    if (found.forall(_.isDefined)) Some(found.flatten.reduceOption(And(_, _)).getOrElse(EveryRow))
    else None
  }

  private def rows(t: LanceTable, wanted: RowCondition): Map[Long, DeletionVector] =
    t.fragments
      .zip(wanted.select(t))
      .collect { case (f, some) if !some.isEmpty => f.id -> live(t, f, some) }
      .filterNot(_._2.isEmpty)
      .toMap

  /** A fragment that goes whole takes no look at what was deleted of it. */
  private def live(t: LanceTable, f: Fragment, some: RowSelection): DeletionVector = {
    val bitmap = new RoaringBitmap
    some.ranges.foreach(r => bitmap.add(r.from, r.until))
    val all = DeletionVector.of(bitmap)
    if (all.numDeletedRows == t.physicalRows(f)) all
    else all.minus(t.deletionVector(f))
  }
}

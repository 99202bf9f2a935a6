// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.roaringbitmap.RoaringBitmap

import io.github.pysparklance.core.RowSelection
import io.github.pysparklance.spark.commit.{CommitInfo, TableCommit, TaskFiles}
import io.github.pysparklance.spark.common.LanceErrors
import io.github.pysparklance.spark.scan.push.PushedConditions
import io.github.pysparklance.table.LanceTable
import io.github.pysparklance.table.deletion.DeletionVector
import io.github.pysparklance.table.manifest.Fragment
import io.github.pysparklance.table.scan.RowCondition

/** A DELETE that finds its rows without reading data, so it runs no Spark job. [[RetriedStatement]]
  * retries conflicts.
  *
  * @param table the version whose rows are deleted
  */
final private[spark] class MetadataDelete(table: LanceTable) {
  import RowCondition._

  /** Whether all predicates are conditions on metadata columns, such as row ids and addresses,
    * which can be evaluated exactly.
    */
  def isExact(predicates: Array[Predicate]): Boolean = condition(predicates).isDefined

  /** Deletes the rows that match all predicates. Does nothing if the table already contains the
    * write.
    *
    * @param predicates predicates for which [[isExact]] returns true
    * @param info commit properties and options
    * @throws org.apache.spark.sql.AnalysisException if a concurrent commit deleted or moved one of
    *   the rows; nothing was committed
    */
  def apply(predicates: Array[Predicate], info: CommitInfo): Unit = LanceErrors.translated {
    val wanted = condition(predicates).getOrElse(
      throw new IllegalArgumentException(predicates.mkString("not exact: ", " AND ", ""))
    )
    table.checkWritable()
    val properties = info.properties ++ CommitInfo.by("DELETE")
    TableCommit(table, info).change(TaskFiles.none) {
      table.delete(rows(table, wanted), wanted.toString, properties, info.options)
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

  /** Returns the live rows among the selected rows. Does not read the deletion file if the whole
    * fragment is selected.
    */
  private def live(t: LanceTable, f: Fragment, some: RowSelection): DeletionVector = {
    val bitmap = new RoaringBitmap
    some.ranges.foreach(r => bitmap.add(r.from, r.until))
    val all = DeletionVector.of(bitmap)
    if (all.numDeletedRows == t.physicalRows(f)) all
    else all.minus(t.deletionVector(f))
  }
}

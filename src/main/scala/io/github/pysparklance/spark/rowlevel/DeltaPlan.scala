// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Schema
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.write.{ColumnEvolution, WriteOptions}
import io.github.pysparklance.spark.write.steps.RowConstraints
import io.github.pysparklance.table.LanceTable

/** How an UPDATE or MERGE writes rows with new values.
  *
  * @param schema of new files, with the ids of the fields
  * @param columns of the rows, as many as the schema has fields
  * @param constraints that the rows are checked against
  */
final private[rowlevel] case class NewRows(
    schema: Schema,
    columns: StructType,
    constraints: RowConstraints
)

/** One DELETE, UPDATE or MERGE, decided.
  *
  * @param table the version whose rows are looked at, which the commit is based on
  * @param evolution column changes that are part of the commit
  * @param statement `DELETE`, `UPDATE` or `MERGE`
  * @param newRows how rows with new values are written; none for a DELETE
  * @param rowIdAt where the stable id of a row is among its metadata, in tables that have them
  * @param condition the rows' condition in SQL, for people
  */
final private[rowlevel] case class DeltaPlan(
    location: TableLocation,
    table: LanceTable,
    evolution: Option[ColumnEvolution],
    statement: String,
    newRows: Option[NewRows],
    rowIdAt: Option[Int],
    options: WriteOptions,
    condition: String
)

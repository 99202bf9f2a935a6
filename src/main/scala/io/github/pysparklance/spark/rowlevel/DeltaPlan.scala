// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.rowlevel

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Schema
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.spark.write.steps.RowConstraints
import io.github.pysparklance.spark.write.{ColumnEvolution, WriteOptions}
import io.github.pysparklance.table.LanceTable

/** How an UPDATE or MERGE writes rows with new values.
  *
  * @param schema schema of new files, with field ids
  * @param columns columns of the rows, one for each field of the schema
  * @param constraints constraints to check
  */
final private[rowlevel] case class NewRows(
    schema: Schema,
    columns: StructType,
    constraints: RowConstraints
)

/** A planned DELETE, UPDATE, or MERGE.
  *
  * @param table the version that is read, and that the commit is based on
  * @param evolution column changes that are part of the commit
  * @param statement `DELETE`, `UPDATE`, or `MERGE`
  * @param newRows how rows with new values are written; `None` for a DELETE
  * @param rowIdAt position of the stable row id in the row metadata; `None` in tables without
  *   stable row ids
  * @param condition SQL text of the condition, for display
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

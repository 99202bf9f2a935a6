// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.table.transaction.conflict

import io.github.pysparklance.core.{Field, Schema}

/** Default values of columns, which Spark keeps in the metadata of fields. Writers fill in the
  * defaults of the version they started from.
  */
private object StoredDefaults {

  /** Spark's key for the value of rows that are inserted without the column. */
  private val key = "CURRENT_DEFAULT"

  /** Whether a schema has fields with a default value that another one does not have. */
  def areAdded(before: Schema, after: Schema): Boolean = {
    val known = before.flatten.map(_.id).toSet
    after.flatten.exists(f => !known(f.id) && hasDefault(f))
  }

  private def hasDefault(field: Field): Boolean =
    field.metadata.get(key).exists(!_.trim.equalsIgnoreCase("NULL"))
}

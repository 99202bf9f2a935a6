// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.zones

import io.github.pysparklance.table.schema.FieldPath

/** Which columns get zone maps while rows are written.
  *
  * @param isOn whether any column does
  * @param columns that get one besides those of the clustering key, also in tables with stable row ids
  */
final case class ZoneMapRequest(isOn: Boolean, columns: Seq[FieldPath])

object ZoneMapRequest {

  /** Columns of the clustering key. */
  val default: ZoneMapRequest = ZoneMapRequest(isOn = true, Nil)

  /** No column. */
  val none: ZoneMapRequest = ZoneMapRequest(isOn = false, Nil)
}

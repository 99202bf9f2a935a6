// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.index.zones

import io.github.pysparklance.table.schema.FieldPath

/** Selects the columns whose zone maps are maintained by writes.
  *
  * @param isOn whether zone maps are maintained
  * @param columns columns in addition to the clustering key; they get zone maps even in tables with
  *   stable row ids
  */
final case class ZoneMapRequest(isOn: Boolean, columns: Seq[FieldPath])

/** Common requests. */
object ZoneMapRequest {

  /** The columns of the clustering key. */
  val default: ZoneMapRequest = ZoneMapRequest(isOn = true, Nil)

  /** No columns. */
  val none: ZoneMapRequest = ZoneMapRequest(isOn = false, Nil)
}

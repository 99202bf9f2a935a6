// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.scan.changes

import io.github.pysparklance.table.changes.ChangeBound

/** Which changes of a table are read.
  *
  * @param begin the first version
  * @param end the last version; `None` for the version that the table was loaded at
  * @param net whether changes of a row are collapsed to one
  * @param identifierColumns columns that identify rows; empty for stable row ids, else the primary
  *   key
  */
final private[spark] case class ChangeRequest(
    begin: ChangeBound,
    end: Option[ChangeBound],
    net: Boolean = false,
    identifierColumns: Seq[String] = Nil
)

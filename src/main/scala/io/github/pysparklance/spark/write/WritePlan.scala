// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.write

import org.apache.spark.sql.types.StructType

import io.github.pysparklance.core.Schema
import io.github.pysparklance.file.FileVersion
import io.github.pysparklance.spark.common.TableLocation
import io.github.pysparklance.table.manifest.Fragment

/** One write, decided.
  *
  * @param schema of the files, with the ids of its fields
  * @param columns of the rows that come
  * @param publish makes the fragments visible, all at once; raises when that is not possible
  */
final private[spark] case class WritePlan(
    location: TableLocation,
    schema: Schema,
    columns: StructType,
    fileVersion: FileVersion,
    options: WriteOptions
)(val publish: IndexedSeq[Fragment] => Unit)

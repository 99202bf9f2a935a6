// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{Column, Field, RowRange}

/** Min/max statistics of one field for runs of rows of a file. Suitable only to skip runs without
  * matching rows: bounds may be wider than the actual values, and include deleted rows.
  *
  * If both bounds of a run are null, the run may contain any value. Bounds refer to values as they
  * are read, without nulls. NaN is greater than all numbers, as in Spark.
  *
  * @param field the field of the bounds, whose type determines the meaning of the values
  * @param runs consecutive runs that cover all rows of the file
  * @param min lower bound per run; null if unknown
  * @param max upper bound per run; null if unknown
  */
final case class PageStatistics(field: Field, runs: IndexedSeq[RowRange], min: Column, max: Column)

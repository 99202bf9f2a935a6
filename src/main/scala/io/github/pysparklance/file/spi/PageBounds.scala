// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.file.spi

import io.github.pysparklance.core.{Column, Field, RowRange}

/** What a file knows of the values of one field in runs of its rows. Good for skipping runs in which no value can
  * match, and for nothing else: bounds may be wider than the values, and deleted rows count.
  *
  * A run with a null in both bounds may hold any value. A bound speaks of the values that are read, without nulls; a
  * NaN is above all numbers, as it is for Spark.
  *
  * @param field the field of the bounds: its type tells what the values mean
  * @param runs one behind the other; together all rows of the file
  * @param min no value of a run is less than its slot; a null slot is not known
  * @param max no value of a run is more than its slot; a null slot is not known
  */
final case class PageBounds(field: Field, runs: IndexedSeq[RowRange], min: Column, max: Column)

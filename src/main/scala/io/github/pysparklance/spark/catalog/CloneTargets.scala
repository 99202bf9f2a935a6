// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.TableLocation

/** A catalog of ours that takes tables which somebody else puts into their place: clones. */
private[spark] trait CloneTargets {

  /** Where a new table of that name would be; none where that is settled when it is made.
    *
    * @param location where it is to be; none: where the catalog has its tables
    * @throws org.apache.spark.sql.AnalysisException when it cannot be there
    */
  def placeOf(ident: Identifier, location: Option[String]): Option[TableLocation]

  /** Has a new table put into its place, under a name of this catalog. Nothing is left when that fails.
    *
    * @param columns of the table, for catalogs that keep a record of them
    * @param location where it is to be; none: where the catalog has its tables
    * @param make puts it there
    * @throws org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException when the name is taken
    */
  def receive(ident: Identifier, columns: StructType, location: Option[String])(
      make: TableLocation => Unit
  ): Unit
}

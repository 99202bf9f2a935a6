// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.catalog

import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.types.StructType

import io.github.pysparklance.spark.common.TableLocation

/** A Lance catalog that can register cloned tables. */
private[spark] trait CloneTargets {

  /** Returns the location for a new table, or `None` if the catalog selects it when the table is
    * created.
    *
    * @param location path given by the user; `None` for the default of the catalog
    * @throws org.apache.spark.sql.AnalysisException if the table cannot be at this location
    */
  def placeOf(ident: Identifier, location: Option[String]): Option[TableLocation]

  /** Creates a table at its location, and registers its name. If this fails, the name is not
    * registered.
    *
    * @param columns columns of the table, for catalogs that record them
    * @param location path given by the user; `None` for the default of the catalog
    * @param make creates the table at a location
    * @throws org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException if the name is
    *   taken
    */
  def receive(ident: Identifier, columns: StructType, location: Option[String])(
      make: TableLocation => Unit
  ): Unit
}

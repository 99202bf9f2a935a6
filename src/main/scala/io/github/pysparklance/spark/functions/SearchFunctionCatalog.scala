// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.functions

import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.connector.catalog.{FunctionCatalog, Identifier}

/** The vector and JSON functions as functions of a catalog, for sessions without the SQL extension:
  * `lance.l2_distance(a, b)`. They are in all namespaces, so that names without one are found
  * whatever the current namespace is, and listed in the root.
  */
trait SearchFunctionCatalog extends FunctionCatalog {

  override def listFunctions(namespace: Array[String]): Array[Identifier] =
    if (namespace.isEmpty)
      LanceFunction.all.map(f => Identifier.of(namespace, f.name())).toArray
    else Array.empty

  override def loadFunction(ident: Identifier): UnboundFunction =
    LanceFunction.find(ident.name()).getOrElse(throw new NoSuchFunctionException(ident))
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.shim

import java.util

import org.apache.spark.sql.connector.catalog.{Identifier, Table, TableWritePrivilege}

/** A table with constraints, which a catalog loads differently for statements that write to it. */
trait StatementTable extends Table {

  /** Returns the table for a statement that writes to it. Its clustering key is shown as partition
    * columns, in which Spark looks up the columns of the `PARTITION` clause.
    */
  private[spark] def forStatement(privileges: util.Set[TableWritePrivilege]): Table

  /** The constraints that the table declares. */
  private[spark] def declared: Seq[TableConstraint]

  /** Whether the condition of a constraint may be evaluated. Otherwise writes are rejected, see
    * [[io.github.pysparklance.spark.types.StoredRules]].
    */
  protected def isTrusted(check: TableConstraint.Check): Boolean
}

/** A catalog of such tables. */
trait StatementCatalog extends SchemaCatalog {

  override def loadTable(ident: Identifier, privileges: util.Set[TableWritePrivilege]): Table =
    loadTable(ident) match {
      case ours: StatementTable => ours.forStatement(privileges)
      case other => other
    }
}

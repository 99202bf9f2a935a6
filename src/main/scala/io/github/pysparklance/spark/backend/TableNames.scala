// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog.Identifier

import io.github.pysparklance.core.CommitStateUnknownException
import io.github.pysparklance.spark.common.{CachedTables, LanceErrors, TableLocation}
import io.github.pysparklance.table.{LanceTable, TableMove}

/** Adds, changes, and removes names of tables in a warehouse, together with their folders. */
final private[spark] class TableNames(warehouse: Warehouse) {

  /** Adds a name for a table that is there.
    *
    * @param isNew whether the table was created for this name. It is dropped if the name cannot be
    *   added
    */
  def add(ident: Identifier, place: TableLocation, isNew: Boolean): Unit =
    register(ident, place)(if (isNew) LanceTable.drop(place.store, place.path): Unit)

  /** Renames a table, and moves its folder if its path follows from the name.
    *
    * @throws TableAlreadyExistsException if the new name is taken
    */
  def rename(from: Identifier, to: Identifier): Unit = {
    val place = warehouse.table(from).getOrElse(throw new NoSuchTableException(from))
    if (warehouse.table(to).isDefined) throw new TableAlreadyExistsException(to)
    if (warehouse.rename(from, to)) CachedTables.refresh(place.path)
    else {
      val target = warehouse.renamedLocation(from, to)
      def move(a: TableLocation, b: TableLocation): Unit =
        if (a.path != b.path) LanceErrors.translated(TableMove(place.store, a.path, b.path))
      move(place, target)
      register(to, target)(move(target, place))
      warehouse.unregister(from)
    }
  }

  /** Drops a table and its name. Returns whether the table existed. */
  def drop(ident: Identifier): Boolean = warehouse.location(ident).exists { place =>
    if (warehouse.drop(ident)) {
      CachedTables.refresh(place.path)
      true
    } else {
      val wasThere = LanceErrors.translated(LanceTable.drop(place.store, place.path))
      warehouse.dropped(ident)
      wasThere
    }
  }

  /** Runs `create` for a table at a new location. If it fails, releases the name. */
  def creating[A](ident: Identifier, place: TableLocation)(create: => A): A =
    try create
    catch {
      case NonFatal(e) =>
        try release(ident, place)
        catch { case NonFatal(again) => e.addSuppressed(again) }
        throw e
    }

  /** Releases the name of a table that was not created. Keeps the name if the table exists, because
    * another writer may have created it under this name.
    */
  def release(ident: Identifier, place: TableLocation): Unit = LanceErrors.translated {
    if (!LanceTable.exists(place.store, place.path)) warehouse.release(ident, place)
  }

  /** Adds a name. Runs `undo` if the name cannot be added. */
  private def register(ident: Identifier, place: TableLocation)(undo: => Unit): Unit = {
    val isRecorded =
      try warehouse.register(ident, place)
      catch {
        case NonFatal(e) =>
          if (LanceErrors.find[CommitStateUnknownException](e).isEmpty)
            try undo
            catch { case NonFatal(again) => e.addSuppressed(again) }
          throw e
      }
    if (!isRecorded) {
      undo
      throw new TableAlreadyExistsException(ident)
    }
  }
}

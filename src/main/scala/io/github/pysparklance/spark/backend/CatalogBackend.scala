// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import io.github.pysparklance.storage.spi.{StorageVendor, VendedOptions}

/** The place of a table in a catalog.
  *
  * @param path path of the table
  * @param access storage options of the catalog for this table, if it has any
  */
final case class TablePlace(path: String, access: Option[TableAccess] = None)

/** Storage options that a catalog returned for a table.
  *
  * @param options current options
  * @param vendor renews the options
  */
final case class TableAccess(options: VendedOptions, vendor: StorageVendor)

/** Stores the namespaces and table names of a [[io.github.pysparklance.spark.LanceCatalog]]. The
  * catalog creates, changes, and drops the tables themselves. Implement this interface to use a
  * store other than folders:
  * {{{
  *   spark.sql.catalog.lake      = io.github.pysparklance.spark.LanceCatalog
  *   spark.sql.catalog.lake.impl = com.example.MyBackend            a public class without arguments
  * }}}
  * A namespace is a list of names, starting with the outermost. The root is the empty list, and
  * always exists. Implementations must be thread-safe. Exceptions should name the namespace or
  * table.
  */
trait CatalogBackend {

  /** Initializes the backend. Called once, before all other methods.
    *
    * @param catalog name of the catalog
    * @param options options of the catalog, without the prefix `spark.sql.catalog.<name>.`
    */
  def initialize(catalog: String, options: Map[String, String]): Unit

  /** Returns whether a namespace exists. The root always exists. */
  def namespaceExists(namespace: Seq[String]): Boolean

  /** Returns the names of the direct children of a namespace.
    *
    * @param parent an existing namespace
    */
  def namespaces(parent: Seq[String]): Seq[String]

  /** Returns the properties of a namespace: `location`, `comment`, `owner`, and properties set by
    * users.
    *
    * @param namespace an existing namespace
    */
  def namespaceProperties(namespace: Seq[String]): Map[String, String]

  /** Creates a namespace.
    *
    * @param namespace names of the namespace
    * @param properties its properties
    * @return `false` if it already exists
    */
  def createNamespace(namespace: Seq[String], properties: Map[String, String]): Boolean

  /** Sets and removes properties of a namespace.
    *
    * @param namespace an existing namespace
    * @param changes new values by name; `None` removes the property
    */
  def alterNamespace(namespace: Seq[String], changes: Seq[(String, Option[String])]): Unit

  /** Drops a namespace without tables and child namespaces.
    *
    * @param namespace an existing namespace
    * @param cascade whether to remove other content of the namespace as well
    */
  def dropNamespace(namespace: Seq[String], cascade: Boolean): Unit

  /** Returns the names of the tables in a namespace.
    *
    * @param namespace an existing namespace
    */
  def tables(namespace: Seq[String]): Seq[String]

  /** Returns the path of a registered table, or `None`. The catalog checks whether the table
    * exists.
    *
    * @param namespace namespace of the table
    * @param table name of the table
    */
  def location(namespace: Seq[String], table: String): Option[String]

  /** Returns the path for a new table. Does not register the table.
    *
    * @param namespace namespace of the table
    * @param table name of the table
    * @param wanted path given by the user, if any
    */
  def newLocation(namespace: Seq[String], table: String, wanted: Option[String]): String

  /** Registers a new table.
    *
    * @param namespace namespace of the table
    * @param table name of the table
    * @param location path returned by [[newLocation]]
    * @return `false` if another table with this name is registered
    */
  def register(namespace: Seq[String], table: String, location: String): Boolean

  /** Removes the registration of a table. The catalog deletes the files.
    *
    * @param namespace namespace of the table
    * @param table name of the table
    */
  def unregister(namespace: Seq[String], table: String): Unit

  /** Returns the path of a table after it is renamed. This is the current path unless paths depend
    * on names.
    *
    * @param namespace namespace of the table
    * @param table name of the table
    * @param to new namespace
    * @param name new name
    */
  def renamedLocation(namespace: Seq[String], table: String, to: Seq[String], name: String): String

  /** Returns the place of a registered table, or `None`. Backends with storage options for tables
    * override it; others implement [[location]].
    */
  def place(namespace: Seq[String], table: String): Option[TablePlace] =
    location(namespace, table).map(TablePlace(_))

  /** Returns the place for a new table. May reserve the name; see [[release]]. Backends with
    * storage options for tables override it; others implement [[newLocation]].
    */
  def newPlace(namespace: Seq[String], table: String, wanted: Option[String]): TablePlace =
    TablePlace(newLocation(namespace, table, wanted))

  /** Releases the name that [[newPlace]] reserved for a table that was not created.
    *
    * @param location path that [[newPlace]] returned. A name at another location is kept
    */
  def release(namespace: Seq[String], table: String, location: String): Unit = ()

  /** Renames a table in the backend, which keeps its path or moves its files.
    *
    * @return `false` if the backend cannot rename tables. The catalog then moves the table to
    *   [[renamedLocation]], registers the new name, and unregisters the old one
    */
  def rename(namespace: Seq[String], table: String, to: Seq[String], name: String): Boolean = false

  /** Removes the registration of a table that is dropped.
    *
    * @return whether the backend also deleted the files; otherwise the catalog deletes them, and
    *   calls [[dropped]]
    */
  def drop(namespace: Seq[String], table: String): Boolean = {
    unregister(namespace, table)
    false
  }

  /** Called after the catalog deleted the files of a table. Backends whose storage needs the
    * registration remove it here instead of in [[drop]].
    */
  def dropped(namespace: Seq[String], table: String): Unit = ()
}

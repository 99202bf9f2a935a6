// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

/** What a [[io.github.pysparklance.spark.LanceCatalog]] asks of the place that knows which namespaces and tables there
  * are. The catalog makes, changes and removes the tables themselves. Other places than folders come in as classes:
  * {{{
  *   spark.sql.catalog.lake      = io.github.pysparklance.spark.LanceCatalog
  *   spark.sql.catalog.lake.impl = com.example.MyBackend            a public class without arguments
  * }}}
  * A namespace is the list of its names from the outermost on, empty for the root, which is always there. Used by many
  * threads. What goes wrong is best said with an exception whose message names what was asked for.
  */
trait CatalogBackend {

  /** Called once, before all others.
    *
    * @param catalog name of the catalog
    * @param options all that follows `spark.sql.catalog.<name>.`
    */
  def initialize(catalog: String, options: Map[String, String]): Unit

  /** Whether there is such a namespace; there always is the root. */
  def namespaceExists(namespace: Seq[String]): Boolean

  /** Names of the namespaces right in one that is there. */
  def namespaces(parent: Seq[String]): Seq[String]

  /** What is known of a namespace that is there: `location`, `comment`, `owner` and what users set. */
  def namespaceProperties(namespace: Seq[String]): Map[String, String]

  /** @return false when it is there already */
  def createNamespace(namespace: Seq[String], properties: Map[String, String]): Boolean

  /** Sets and removes properties of a namespace that is there.
    *
    * @param changes none: the property goes
    */
  def alterNamespace(namespace: Seq[String], changes: Seq[(String, Option[String])]): Unit

  /** Removes a namespace that holds neither tables nor namespaces any more.
    *
    * @param cascade whether anything else that is left in it goes as well
    */
  def dropNamespace(namespace: Seq[String], cascade: Boolean): Unit

  /** Names of the tables in a namespace that is there. */
  def tables(namespace: Seq[String]): Seq[String]

  /** Path of a table that is on record. The catalog looks itself whether a table is there. */
  def location(namespace: Seq[String], table: String): Option[String]

  /** Path for a table to be made; nothing is put on record yet.
    *
    * @param wanted where the user wants it
    */
  def newLocation(namespace: Seq[String], table: String, wanted: Option[String]): String

  /** Puts a table on record that was just made.
    *
    * @param location where [[newLocation]] said
    * @return false when another one of that name is on record
    */
  def register(namespace: Seq[String], table: String, location: String): Boolean

  /** Takes a table off the record; its files are removed by the catalog. */
  def unregister(namespace: Seq[String], table: String): Unit

  /** Another name for a table.
    *
    * @return where it has to lie under the new name, which is where it lay unless names are places
    */
  def renamedLocation(namespace: Seq[String], table: String, to: Seq[String], name: String): String
}

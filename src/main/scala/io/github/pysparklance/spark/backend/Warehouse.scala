// SPDX-License-Identifier: Apache-2.0
// Copyright the pyspark-lance authors

package io.github.pysparklance.spark.backend

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.internal.StaticSQLConf

import io.github.pysparklance.core.{InvalidRequestException, Optional, UnsupportedFeatureException}
import io.github.pysparklance.spark.backend.rest.RestOptions
import io.github.pysparklance.spark.catalog.TableSelector
import io.github.pysparklance.spark.common.{LanceErrors, LanceOptions, TableLocation}
import io.github.pysparklance.storage.spi.TablePath
import io.github.pysparklance.table.LanceTable

/** Maps the names of a catalog to the names of its backend. Options can map the catalog to a
  * namespace of the backend, or give the root a name.
  *
  * {{{
  *   parent = a.b               lake.x.t   is the table t in the namespace a.b.x
  *   single_level_ns = true     lake.default.t is the table t of the root, the only namespace
  * }}}
  * A name with a slash and without a namespace is the path of a table.
  *
  * @param parent the backend namespace that is the root of the catalog
  * @param options storage options
  */
final private[spark] class Warehouse private (
    backend: CatalogBackend,
    parent: Seq[String],
    isSingleLevel: Boolean,
    options: Map[String, String]
) {
  import Warehouse._

  private val vended = new VendedTables

  /** Returns the location of a registered table, which may not exist. Returns `None` if the name is
    * not registered.
    */
  def location(ident: Identifier): Option[TableLocation] = LanceErrors.translated {
    if (isPath(ident)) Some(TableLocation(ident.name(), options))
    // Names such as parquet.`/some/file`, which Spark reads as files if there is no such table.
    else if (TableSelector.isPath(ident.name())) None
    else
      inner(ident.namespace())
        .flatMap(backend.place(_, ident.name()))
        .map(located)
  }

  /** Returns the location of an existing table. */
  def table(ident: Identifier): Option[TableLocation] =
    location(ident).filter(p => LanceErrors.translated(LanceTable.exists(p.store, p.path)))

  /** Returns the location for a new table.
    *
    * @param wanted path given by the user, if any
    */
  def newLocation(ident: Identifier, wanted: Option[String]): TableLocation =
    LanceErrors.translated {
      if (isPath(ident)) {
        if (wanted.isDefined)
          throw new InvalidRequestException(s"LOCATION of the table at ${ident.name()}")
        TableLocation(ident.name(), options)
      } else {
        checkNewName(ident)
        located(backend.newPlace(namespace(ident.namespace()), ident.name(), wanted))
      }
    }

  /** Releases the name of a table for which [[newLocation]] was called, but that was not created.
    */
  def release(ident: Identifier, place: TableLocation): Unit =
    if (!isPath(ident)) LanceErrors.translated {
      backend.release(namespace(ident.namespace()), ident.name(), place.path)
    }

  private def located(place: TablePlace): TableLocation =
    place.access.fold(TableLocation(place.path, options))(vended(place.path, _, options))

  /** Rejects names with control characters, because Spark's `SHOW TABLES` omits names with line
    * breaks.
    */
  private def checkNewName(ident: Identifier): Unit =
    ident.name().find(Character.isISOControl).foreach { c =>
      val shown = ident.name().map(x => if (Character.isISOControl(x)) '?' else x)
      throw new InvalidRequestException(
        f"the table name '$shown' has the control character U+${c.toInt}%04X, shown as '?'; " +
          "choose a name without control characters"
      )
    }

  /** Registers a new table.
    *
    * @return `false` if another writer registered a table with this name
    */
  def register(ident: Identifier, place: TableLocation): Boolean = isPath(ident) ||
    LanceErrors.translated {
      backend.register(namespace(ident.namespace()), ident.name(), place.path)
    }

  /** Removes the registration of a table. */
  def unregister(ident: Identifier): Unit =
    if (!isPath(ident))
      LanceErrors.translated(backend.unregister(namespace(ident.namespace()), ident.name()))

  /** Removes the registration of a table that is dropped. Returns whether its files were deleted,
    * too.
    */
  def drop(ident: Identifier): Boolean = !isPath(ident) &&
    LanceErrors.translated(backend.drop(namespace(ident.namespace()), ident.name()))

  /** Called after the files of a table were deleted. */
  def dropped(ident: Identifier): Unit =
    if (!isPath(ident))
      LanceErrors.translated(backend.dropped(namespace(ident.namespace()), ident.name()))

  /** Renames a table in the backend. Returns `false` if the backend cannot rename tables. */
  def rename(from: Identifier, to: Identifier): Boolean = LanceErrors.translated {
    checkNewName(to)
    backend.rename(
      namespace(from.namespace()),
      from.name(),
      namespace(to.namespace()),
      to.name()
    )
  }

  /** Returns the location of a table after it is renamed, unless the backend renames it. */
  def renamedLocation(from: Identifier, to: Identifier): TableLocation = LanceErrors.translated {
    checkNewName(to)
    val before = namespace(from.namespace())
    val path =
      backend.renamedLocation(before, from.name(), namespace(to.namespace()), to.name())
    backend
      .place(before, from.name())
      .filter(_.path == path)
      .fold(TableLocation(path, options))(located)
  }

  /** Returns the names of the tables in a namespace. */
  def tables(namespace: Array[String]): Seq[String] =
    LanceErrors.translated(backend.tables(this.namespace(namespace)))

  def exists(namespace: Array[String]): Boolean =
    LanceErrors.translated(inner(namespace).exists(backend.namespaceExists))

  /** Returns the names of the direct children of a namespace. */
  def namespaces(parent: Array[String]): Seq[String] = LanceErrors.translated {
    if (!isSingleLevel) backend.namespaces(namespace(parent))
    else if (parent.isEmpty) Seq(DefaultNamespace)
    else Nil
  }

  def properties(namespace: Array[String]): Map[String, String] =
    LanceErrors.translated(backend.namespaceProperties(this.namespace(namespace)))

  /** Creates a namespace. Returns `false` if it already exists. */
  def create(namespace: Array[String], properties: Map[String, String]): Boolean =
    LanceErrors.translated(backend.createNamespace(this.namespace(namespace), properties))

  /** Sets properties of a namespace, and removes properties without a value. */
  def alter(namespace: Array[String], changes: Seq[(String, Option[String])]): Unit =
    LanceErrors.translated(backend.alterNamespace(this.namespace(namespace), changes))

  /** Drops a namespace without tables and child namespaces.
    *
    * @param cascade whether to remove other content of the namespace as well
    */
  def drop(namespace: Array[String], cascade: Boolean): Unit =
    LanceErrors.translated(backend.dropNamespace(this.namespace(namespace), cascade))

  /** Returns the backend namespace, or `None` if the catalog has no such namespace. */
  private def inner(namespace: Array[String]): Option[Seq[String]] =
    if (!isSingleLevel) Some(parent ++ namespace)
    else Optional.when(namespace.isEmpty || namespace.sameElements(Seq(DefaultNamespace)))(parent)

  private def namespace(names: Array[String]): Seq[String] = inner(names).getOrElse(
    throw new InvalidRequestException(
      s"the namespace ${names.mkString(".")}: with single_level_ns there is $DefaultNamespace alone"
    )
  )
}

/** Creates the warehouses of catalogs. */
private[spark] object Warehouse {

  /** The name of the root in catalogs with `single_level_ns`. */
  val DefaultNamespace: String = "default"

  /** Whether a table identifier is a path. */
  def isPath(ident: Identifier): Boolean =
    ident.namespace().isEmpty && TableSelector.isPath(ident.name())

  /** Returns the options for the tables of a catalog: its options and its storage options without
    * their prefix, so that `storage.x` becomes `x`. Leaves out options with secrets of the service
    * behind the catalog.
    */
  def catalogOptions(options: Map[String, String]): Map[String, String] = {
    val set = new LanceOptions(options)
    val ofTables = if (isRest(set)) options.filterNot(o => RestOptions.isSecret(o._1)) else options
    ofTables ++ set.withPrefix("storage")
  }

  private def isRest(set: LanceOptions): Boolean = set.text("impl").contains("rest")

  /** Returns the warehouse of a catalog.
    *
    * @param catalog name of the catalog
    * @param configured options of the catalog
    */
  def apply(catalog: String, configured: Map[String, String]): Warehouse = LanceErrors.translated {
    val options = catalogOptions(configured)
    val set = new LanceOptions(options)
    val delimiter = set.text("parentDelimiter").getOrElse(".")
    val parent = set.text("parent").toSeq.flatMap(_.split(java.util.regex.Pattern.quote(delimiter)))
    new Warehouse(
      backend(catalog, set, if (isRest(set)) configured else options),
      parent.filter(_.nonEmpty),
      set.boolean("singleLevelNs").getOrElse(false),
      options
    )
  }

  private def backend(
      catalog: String,
      set: LanceOptions,
      options: Map[String, String]
  ): CatalogBackend = {
    val made = set.text("impl").getOrElse("dir") match {
      case "dir" => folder(set, options)
      case "rest" => new RestBackend
      case known @ ("hive" | "hive2" | "hive3" | "glue" | "unity" | "polaris" | "iceberg") =>
        throw new UnsupportedFeatureException(
          s"impl=$known of the catalog $catalog; use impl=rest for a service with the REST protocol of Lance " +
            "namespaces, and LanceSessionCatalog for Hive's metastore"
        )
      case name => instance(catalog, name)
    }
    made.initialize(catalog, options)
    made
  }

  private def folder(set: LanceOptions, options: Map[String, String]): CatalogBackend = {
    val root = set.text("warehouse").getOrElse {
      SparkSession.active.conf.get(StaticSQLConf.WAREHOUSE_PATH.key)
    }
    val at = TableLocation(root, options)
    val path = TablePath(at.path)
    val hasManifest = set.boolean("manifestEnabled").getOrElse {
      LanceTable.exists(at.store, path.folder(ManifestTable.Name).root)
    }
    if (hasManifest) new ManifestBackend(path, at.store) else new FolderBackend(path, at.store)
  }

  private def instance(catalog: String, name: String): CatalogBackend = {
    val loader = Option(Thread.currentThread().getContextClassLoader)
      .getOrElse(classOf[CatalogBackend].getClassLoader)
    Try(loader.loadClass(name).getDeclaredConstructor().newInstance()) match {
      case Success(backend: CatalogBackend) => backend
      case Success(_) =>
        throw new InvalidRequestException(
          s"impl=$name of the catalog $catalog: the class is not a ${classOf[CatalogBackend].getName}"
        )
      case Failure(e) =>
        throw new InvalidRequestException(
          s"impl=$name of the catalog $catalog: dir or rest is expected, or a public class without arguments that is " +
            "on the class path",
          cause = e
        )
    }
  }
}
